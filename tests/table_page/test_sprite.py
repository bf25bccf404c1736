"""The picture of all cards draws just what each card draws by itself."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from croupier.cards import DECK
from croupier.server.pages.sprite import BACK, sprite
from croupier.svg import back_svg, card_svg

Matrix = tuple[float, float, float, float, float, float]
Drawn = tuple[str, tuple[tuple[str, str], ...], str, Matrix]
NS = "{http://www.w3.org/2000/svg}"
SAME: Matrix = (1, 0, 0, 1, 0, 0)
TEXT = {"font-family", "font-weight", "text-anchor", "font-size", "letter-spacing"}


def times(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[2] * b[1],
        a[1] * b[0] + a[3] * b[1],
        a[0] * b[2] + a[2] * b[3],
        a[1] * b[2] + a[3] * b[3],
        a[0] * b[4] + a[2] * b[5] + a[4],
        a[1] * b[4] + a[3] * b[5] + a[5],
    )


def matrix(moves: str) -> Matrix:
    found = SAME
    for move in moves.replace(") ", ")|").split("|") if moves else []:
        name, _, rest = move.rstrip(")").partition("(")
        numbers = [float(n) for n in rest.split()]
        match name:
            case "translate":
                found = times(found, (1, 0, 0, 1, numbers[0], numbers[1]))
            case "scale":
                found = times(found, (numbers[0], 0, 0, numbers[0], 0, 0))
            case "rotate":
                x, y = numbers[1:] or (0.0, 0.0)
                assert numbers[0] == 180
                found = times(found, (-1, 0, 0, -1, 2 * x, 2 * y))
            case _:
                raise AssertionError(name)
    return found


def shapes(one: Element, ids: dict[str, Element], at: Matrix, *, colour: str) -> list[Drawn]:
    """Every shape under an element, flat: what, with what on it, and where."""
    tag = one.tag.removeprefix(NS)
    here = times(at, matrix(one.get("transform", "")))
    if tag == "title":
        return []
    if tag == "use":
        here = times(here, (1, 0, 0, 1, float(one.get("x", 0)), float(one.get("y", 0))))
        return shapes(ids[one.attrib["href"][1:]], ids, here, colour=colour)
    if tag in ("g", "svg"):
        return [shape for child in one for shape in shapes(child, ids, here, colour=colour)]
    kept = {k: v for k, v in one.attrib.items() if k not in {"id", "transform"} | TEXT}
    plain = {k: colour if v == "currentColor" else v for k, v in kept.items()}
    where = tuple(round(n, 6) for n in here)
    return [(tag, tuple(sorted(plain.items())), one.text or "", where)]  # type: ignore[list-item]


def tiles(found: list[Drawn]) -> set[Drawn]:
    """The same shapes; a path of many tiles is taken apart, wherever its rows begin."""
    apart: set[Drawn] = set()
    for tag, attributes, text, at in found:
        path = dict(attributes).get("d", "")
        parts = path.split("M")[1:] if path.count("M") > 5 and "l6 9l-6 9" in path else []
        if not parts:
            apart.add((tag, attributes, text, at))
        for part in parts:
            x, _, rest = part.partition(" ")
            y, _, outline = rest.partition("l")
            place = times(at, (1, 0, 0, 1, float(x), float(y)))
            others = tuple(pair for pair in attributes if pair[0] != "d")
            apart.add((tag, (*others, ("d", outline)), "", place))
    return apart


@pytest.fixture(scope="module")
def ids() -> dict[str, Element]:
    tree = ElementTree.fromstring(sprite())
    return {one.attrib["id"]: one for one in tree.iter() if "id" in one.attrib}


@pytest.mark.parametrize("card", [*map(str, DECK), BACK])
def test_a_card_is_drawn_as_ever(card: str, ids: dict[str, Element]) -> None:
    alone = {str(one): card_svg(one) for one in DECK} | {BACK: back_svg()}
    tree = ElementTree.fromstring(alone[card])
    group = tree.find(f"{NS}g")
    colour = group.attrib["fill"] if group is not None else ""
    drawn = shapes(ids[card], ids, SAME, colour=colour)
    wanted = shapes(tree, {}, SAME, colour=colour)
    assert tiles(drawn) == tiles(wanted)
    assert len(drawn) >= 3


def test_the_picture_is_small() -> None:
    assert len(sprite()) < 20_000
    assert sprite() is sprite()
