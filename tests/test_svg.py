"""Drawings of cards are well-formed, stand alone and say in words what they show."""

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from croupier import courts, svg
from croupier.cards import DECK, Card, parse_cards
from croupier.errors import Bug
from croupier.hands.hand import Hand

SVG = "{http://www.w3.org/2000/svg}"


def elements(drawing: str, name: str) -> Iterator[ElementTree.Element]:
    return ElementTree.fromstring(drawing).iter(SVG + name)


def title(drawing: str) -> str | None:
    return next(elements(drawing, "title")).text


@pytest.mark.parametrize("card", DECK)
@pytest.mark.parametrize("four_colour", [False, True])
def test_every_card_is_drawn_and_titled(card: Card, four_colour: bool) -> None:
    drawing = svg.card_svg(card, four_colour=four_colour)
    assert title(drawing) == card.words
    texts = {element.text for element in elements(drawing, "text")}
    assert texts == {"10" if card.rank_name == "ten" else str(card)[0]}


@pytest.mark.parametrize("card", [card for card in DECK if card.rank < 9])
def test_numbered_cards_have_as_many_pips(card: Card) -> None:
    # Two more suits are in the corners.
    assert len(list(elements(svg.card_svg(card), "path"))) == card.rank + 2 + 2


@pytest.mark.parametrize("suit", "shdc")
def test_a_court_card_shows_its_figure_twice_in_the_colour_of_its_suit(suit: str) -> None:
    figures = {rank: svg.card_svg(Card(f"{rank}{suit}")) for rank in courts.FIGURES}
    halves = {rank: courts.half(rank, "red") for rank in figures}
    assert len({*halves.values()}) == len(figures)
    for rank, drawing in figures.items():
        colour = next(elements(drawing, "g")).attrib["fill"]
        assert drawing.count(courts.half(rank, colour)) == 2


def test_all_faces_differ() -> None:
    assert len({svg.card_svg(card) for card in DECK}) == 52


@pytest.mark.parametrize(("four_colour", "colours"), [(False, 2), (True, 4)])
def test_suits_have_two_colours_or_four(four_colour: bool, colours: int) -> None:
    fills = {
        next(elements(svg.card_svg(Card(f"5{suit}"), four_colour=four_colour), "g")).get("fill")
        for suit in "shdc"
    }
    assert len(fills) == colours


def test_the_sheet_of_a_deck_draws_each_card_in_the_colour_of_its_user() -> None:
    sheet = {group.get("id"): group for group in elements(svg.deck_svg(), "g") if group.get("id")}
    alone = {str(card): svg.card_svg(card) for card in DECK} | {"back": svg.back_svg()}
    assert sheet.keys() == alone.keys()
    for code, drawing in alone.items():
        shapes = [*ElementTree.fromstring(drawing)][1:]  # Without the title.
        wanted = "".join(ElementTree.tostring(shape, "unicode") for shape in shapes)
        for colour in ("#1b1b22", "#c4122f"):
            wanted = wanted.replace(colour, "currentColor")
        assert "".join(ElementTree.tostring(shape, "unicode") for shape in sheet[code]) == wanted


def test_a_drawing_stands_alone() -> None:
    drawing = svg.hand_svg([*DECK, None])
    for element in ElementTree.fromstring(drawing).iter():
        assert not {"id", "class", "style", "href", "clip-path"} & element.attrib.keys()
        assert "url(" not in "".join(element.attrib.values())


def test_width_keeps_the_shape() -> None:
    for width, height in ((120, "168"), (250, "350"), (50, "70")):
        root = ElementTree.fromstring(svg.back_svg(width=width))
        assert (root.get("width"), root.get("height")) == (str(width), height)


def test_a_hand_is_a_row_with_hidden_cards_face_down() -> None:
    drawing = svg.hand_svg([*parse_cards("As Kd"), None], width=250)
    assert title(drawing) == "ace of spades, king of diamonds, a card face down"
    assert ElementTree.fromstring(drawing).get("width") == "790"
    assert title(svg.hand_svg([])) == "no cards"


def test_cards_and_hands_draw_themselves_in_notebooks() -> None:
    assert Card("Th")._repr_svg_() == svg.card_svg(Card("Th"))
    assert Hand.parse("As Ks Qs")._repr_svg_() == svg.hand_svg(parse_cards("As Ks Qs"))


BARS = [
    svg.Bar("-1 & less", 0.6, "60 %", "loss"),
    svg.Bar("0", 0.1, "10 %", "even"),
    svg.Bar("40", 0.3, "30 %", "win"),
]


def widths(drawing: str) -> list[float]:
    return [float(rect.attrib["width"]) for rect in elements(drawing, "rect")]


def test_bars_are_as_long_as_their_values() -> None:
    long, short, middle = widths(svg.bar_chart(BARS, title="t"))
    assert long / short == pytest.approx(6, rel=0.01)
    assert long / middle == pytest.approx(2, rel=0.01)


def test_bars_below_zero_end_where_the_others_begin() -> None:
    drawing = svg.bar_chart([svg.Bar("a", -2, "x", "loss"), svg.Bar("b", 1, "y")], title="t")
    below, above = elements(drawing, "rect")
    end = float(below.attrib["x"]) + float(below.attrib["width"])
    assert end == pytest.approx(float(above.attrib["x"]), abs=0.1)


def test_charts_say_what_they_show() -> None:
    drawing = svg.bar_chart(BARS, title="Odds & ends", desc="a < b")
    assert title(drawing) == "Odds & ends"
    assert next(elements(drawing, "desc")).text == "a < b"
    texts = [element.text for element in elements(drawing, "text")]
    assert texts == ["-1 & less", "60 %", "0", "10 %", "40", "30 %"]
    assert list(elements(svg.bar_chart([], title="none"), "rect")) == []


def chart(*plots: svg.Plot) -> str:
    return svg.line_chart(
        plots, title="t", x=svg.Axis("meter", "${:,.0f}".format), y=svg.Axis("value")
    )


RISING = svg.Plot("rising", ((0, -1), (1000, 1)), ((500, 0, "here"),))


def test_lines_go_from_corner_to_corner_and_marks_lie_on_them() -> None:
    drawing = chart(RISING)
    (line,) = elements(drawing, "polyline")
    (x, y), (to_x, to_y) = ((float(n) for n in p.split(",")) for p in line.attrib["points"].split())
    (mark,) = elements(drawing, "circle")
    assert float(mark.attrib["cx"]) == pytest.approx((x + to_x) / 2, abs=0.1)
    assert float(mark.attrib["cy"]) == pytest.approx((y + to_y) / 2, abs=0.1)
    assert x < to_x and y > to_y
    texts = {element.text for element in elements(drawing, "text")}
    assert {"meter", "value", "here", "$0", "$1,000"} <= texts
    assert "rising" not in texts


def test_several_lines_have_a_key_and_differ_without_colour() -> None:
    drawing = chart(RISING, svg.Plot("flat", ((0, 0.0), (900, 0.0))))
    assert {"rising", "flat"} <= {element.text for element in elements(drawing, "text")}
    dashes = [line.get("stroke-dasharray") for line in elements(drawing, "polyline")]
    assert len(set(dashes)) == 2


BAND = svg.Plot("band", ((0, -2.0), (1000, -1.0)), upto=((0, 2.0), (1000, 3.0)))


def test_a_band_has_two_edges_of_one_look_and_one_key() -> None:
    drawing = chart(RISING, BAND)
    line, *edges = elements(drawing, "polyline")
    assert len(edges) == 2 and len({edge.get("stroke-dasharray") for edge in edges}) == 1
    (between,) = elements(drawing, "polygon")
    assert len(between.attrib["points"].split()) == 4
    assert between.get("fill") == edges[0].get("stroke") != line.get("stroke")
    assert [one.text for one in elements(drawing, "text")].count("band") == 1
    assert {"−2", "-2", "3"} & {one.text for one in elements(drawing, "text")}


@pytest.mark.parametrize("drawing", [svg.bar_chart(BARS, title="t"), chart(RISING), chart(BAND)])
def test_charts_stand_alone_and_stay_inside(drawing: str) -> None:
    root = ElementTree.fromstring(drawing)
    wide, high = (float(n) for n in str(root.get("viewBox")).split()[2:])
    for element in root.iter():
        assert not {"id", "class", "style", "href", "clip-path"} & element.attrib.keys()
        assert 0 <= float(element.get("x", 0)) <= wide
        assert 0 <= float(element.get("y", 0)) <= high


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 10], [0, 2, 4, 6, 8, 10]),
        ([-0.4, 0.3], [-0.4, -0.2, 0.0, 0.2, 0.4]),
        ([1000, 26000], [0, 5000, 10000, 15000, 20000, 25000, 30000]),
        ([7, 7], [6, 8]),
        ([0, 0], [0, 0.2]),
    ],
)
def test_ticks_are_round_and_span_the_values(values: list[float], expected: list[float]) -> None:
    found = svg.ticks(values)
    assert found[0] <= min(values) and found[-1] >= max(values)
    assert found == pytest.approx(expected)


def test_what_is_counted_has_no_ticks_at_halves() -> None:
    rounds = svg.Plot("rounds", ((0, 0), (2, 1)))
    x, y = svg.Axis("Rounds", tick_min=1), svg.Axis("Dollars")
    drawing = svg.line_chart([rounds], title="t", x=x, y=y, width=340)
    assert ElementTree.fromstring(drawing).get("width") == "340"
    texts = [one.text for one in elements(drawing, "text")]
    assert {"0", "1", "2", "0.2"} <= {*texts} and not {"0.5", "1.5"} & {*texts}


def test_a_chart_without_points_is_a_bug() -> None:
    with pytest.raises(Bug):
        chart()
