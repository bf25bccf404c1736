"""All cards of a deck in one picture: `/cards.svg#As`, drawn by the same hand as everywhere.

Whatever comes more than once, alone or beside the same neighbour, is drawn once and used again.
The colour of a suit and the letters of the ranks are the reader's: they are inherited from
whatever uses the card.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby, pairwise, product
from string import ascii_lowercase, ascii_uppercase
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from croupier.cards import DECK
from croupier.svg import back_svg, card_svg

Moves = tuple[str, ...]
Part = tuple[str, Moves]
"""A shape, and how it is moved."""

BACK = "back"
_SPACE = ' xmlns="http://www.w3.org/2000/svg"'
_SHORT = 22
"""What is written in so few characters is not worth a name."""
_PAIRS_MIN = 4
_INHERITED = {"font-family", "font-weight", "text-anchor"}
_USUAL = {("font-size", "46"), ("letter-spacing", "0")}
_TURN, _WIDE, _HIGH = "rotate(180 125 175)", 250, 350
_UPSIDE = re.compile(r"translate\((\d+) (\d+)\) rotate\(180\)")
_MOVE = re.compile(r"\w+\([^)]*\)")
_AT = re.compile(r"translate\((\d+) (\d+)\)")
_TAG = re.compile(r"<\w+")
_TILES_MIN = 50
_TILE = re.compile(r"M(\d+) (\d+)([^M]+)")


@cache
def sprite() -> bytes:
    """Return the picture of all cards."""
    drawings = {str(card): card_svg(card) for card in DECK} | {BACK: back_svg()}
    cards = {id: _paired([*_parts(_drawn(text))]) for id, text in drawings.items()}
    writing = _Writing(part for parts in cards.values() for part in parts)
    rows = {id: [writing.used(part) for part in parts] for id, parts in cards.items()}
    while pairs := Counter(pair for row in rows.values() for pair in pairwise(row)):
        pair, count = pairs.most_common(1)[0]
        if count < _PAIRS_MIN:
            break
        both = writing.name(f"<g>{''.join(pair)}</g>")
        rows = {id: _joined(row, pair, both) for id, row in rows.items()}
    drawn = [f'<g id="{id}">{"".join(row)}</g>' for id, row in rows.items()]
    return f"<svg{_SPACE}><defs>{''.join([*writing.defs, *drawn])}</defs></svg>\n".encode()


class _Writing:
    """Writes shapes and how they are moved, move by move; what comes again gets a name."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.defs: list[str] = []
        self._free = map("".join, product(ascii_lowercase, ascii_lowercase + ascii_uppercase))
        self._uses = Counter(parts)
        self._known: dict[Part, str] = {}
        waiting = [*self._uses]
        for shape, moves in waiting:
            if moves:
                inner = shape, moves[1:]
                waiting += [] if inner in self._uses else [inner]
                self._uses[inner] += 1

    def used(self, part: Part) -> str:
        """Write a shape where it stands, or the name under which it was written there before."""
        if part not in self._known:
            shape, moves = part
            text = _moved(self.used((shape, moves[1:])), moves[0]) if moves else shape
            often = self._uses[part] > 1 and len(text) > _SHORT
            self._known[part] = self.name(text) if often else text
        return self._known[part]

    def name(self, text: str) -> str:
        """Name what is drawn, and return what uses it."""
        id = next(self._free)
        self.defs.append(_TAG.sub(rf'\g<0> id="{id}"', text, count=1))
        return f'<use href="#{id}"/>'


def _moved(text: str, move: str) -> str:
    """Move something that is drawn: a use that stands nowhere yet is simply put there."""
    at = _AT.fullmatch(move)
    if at and text.startswith("<use ") and "transform" not in text:
        return f'{text[:-2]} x="{at[1]}" y="{at[2]}"/>'.replace(' x="0"', "")
    if 'transform="' in text:
        return text.replace('transform="', f'transform="{move} ', 1)
    if ' x="' in text or ' y="' in text:
        return f'<g transform="{move}">{text}</g>'
    return _TAG.sub(rf'\g<0> transform="{move}"', text, count=1)


def _joined(row: list[str], pair: tuple[str, str], both: str) -> list[str]:
    found: list[str] = []
    for part in row:
        if found and (found[-1], part) == pair:
            found[-1] = both
        else:
            found.append(part)
    return found


def _parts(tree: Element, around: Moves = ()) -> Iterator[Part]:
    """Yield the shapes that a card is drawn of, each with how it is moved, last move first."""
    for one in tree:
        moves = (*around, *_MOVE.findall(_from_above(one.attrib.pop("transform", ""))))
        if one.tag == "g":
            yield from _parts(one, moves)
            continue
        tiles = _TILE.findall(one.get("d", ""))
        if len(tiles) < _TILES_MIN:
            yield _written(one), moves
            continue
        for y, row in groupby(tiles, key=lambda tile: tile[1]):  # A lattice goes row by row.
            one.set("d", "".join(f"M{x} 0{outline}" for x, _, outline in row))
            yield _written(one), (f"translate(0 {y})",)


def _from_above(moved: str) -> str:
    """Take what stands on its head in the lower half for what is turned with the whole card."""
    return _UPSIDE.sub(
        lambda m: f"{_TURN} translate({_WIDE - int(m[1])} {_HIGH - int(m[2])})", moved
    )


def _paired(parts: list[Part]) -> list[Part]:
    """Bring what is drawn at both ends of a card together; nothing lies over anything else."""
    found: list[Part] = []
    for shape, moves in parts:
        twin = shape, moves[1:]
        if moves[:1] == (_TURN,) and twin in found:
            found.insert(found.index(twin) + 1, (shape, moves))
        else:
            found.append((shape, moves))
    return found


def _written(one: Element) -> str:
    attributes = "".join(f' {key}="{value}"' for key, value in one.attrib.items())
    inside = f">{one.text}</{one.tag}>" if one.text else "/>"
    return f"<{one.tag}{attributes}{inside}"


def _drawn(text: str) -> Element:
    """Return a card's drawing without what it inherits from whoever uses it."""
    tree = ElementTree.fromstring(text.replace(_SPACE, ""))
    for title in tree.findall("title"):
        tree.remove(title)
    coloured = tree.find("g")
    if coloured is None:
        return tree
    colour = coloured.attrib.pop("fill")
    for one in coloured.iter():
        for key, value in [*one.attrib.items()]:
            if key in _INHERITED or (key, value) in _USUAL:
                del one.attrib[key]
            elif value == colour:
                one.attrib[key] = "currentColor"
    return tree
