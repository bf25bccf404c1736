"""Drawings of cards are well-formed, stand alone and say in words what they show."""

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from croupier import svg
from croupier.cards import DECK, Card, parse_cards
from croupier.hands import Hand

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


def test_all_faces_differ() -> None:
    assert len({svg.card_svg(card) for card in DECK}) == 52


@pytest.mark.parametrize(("four_colour", "colours"), [(False, 2), (True, 4)])
def test_suits_have_two_colours_or_four(four_colour: bool, colours: int) -> None:
    fills = {
        next(elements(svg.card_svg(Card(f"5{suit}"), four_colour=four_colour), "g")).get("fill")
        for suit in "shdc"
    }
    assert len(fills) == colours


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
