"""Cards print and parse themselves, and nothing else passes for one."""

import copy
import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import (
    DECK,
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    distinct,
    format_cards,
    parse_cards,
)
from croupier.errors import ParseError, UserError

cards = st.sampled_from(DECK)


@pytest.mark.parametrize("card", DECK)
def test_every_card_parses_what_it_prints(card: Card) -> None:
    assert Card(str(card)) == card
    assert eval(repr(card)) == card
    assert type(eval(repr(card))) is Card
    assert Card(int(card)) == card
    assert Card(card) == card
    assert parse_cards(str(card)) == (card,)


@pytest.mark.parametrize("card", DECK)
def test_every_card_survives_copies(card: Card) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(card, protocol))
        assert (twin, type(twin)) == (card, Card)
    assert (copy.copy(card), type(copy.deepcopy(card))) == (card, Card)


def test_the_deck_is_rank_major() -> None:
    assert len(DECK) == len(set(DECK)) == 52
    assert [str(card) for card in DECK] == [r + s for r, s in product(RANKS, SUITS)]
    assert [(card.rank, card.suit) for card in DECK] == list(product(range(13), range(4)))


@pytest.mark.parametrize(
    ("written", "printed", "words"),
    [
        ("As", "As", "ace of spades"),
        ("Th", "Th", "ten of hearts"),
        ("10h", "Th", "ten of hearts"),
        ("A♠", "As", "ace of spades"),
        ("10♦", "Td", "ten of diamonds"),
        ("2♣", "2c", "two of clubs"),
        ("Q♥", "Qh", "queen of hearts"),
    ],
)
def test_other_ways_to_write_a_card(written: str, printed: str, words: str) -> None:
    card = Card(written)
    assert str(card) == printed
    assert card.words == words == f"{card.rank_name} of {card.suit_name}"


def test_symbols_stand_for_the_suits_in_their_order() -> None:
    assert [Card(rank + symbol) for rank in RANKS for symbol in SUIT_SYMBOLS] == list(DECK)


def test_a_card_formats_as_its_name() -> None:
    card = Card("Th")
    assert f"{card}|{card:>4}|{card!r}|{card!s}" == "Th|  Th|Card('Th')|Th"
    assert "{}".format(card) == "%s" % card == "Th"  # noqa: UP031, UP032


def test_the_lowest_card_is_still_a_card() -> None:
    assert bool(Card("2s")) is True
    assert Card("2s") == 0


def test_cards_have_no_room_for_surprises() -> None:
    with pytest.raises(AttributeError):
        Card("As").rank = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Card("As").owner = "p1"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("as", "'as' is not a card: in the right case it is 'As'"),
        ("aS", "'aS' is not a card: in the right case it is 'As'"),
        ("AS", "'AS' is not a card: in the right case it is 'As'"),
        ("th", "'th' is not a card: in the right case it is 'Th'"),
        ("10H", "'10H' is not a card: in the right case it is '10h'"),
        ("1h", "'1h' is not a card: it takes a rank of 23456789TJQKA and a suit of shdc"),
        ("", "'' is not a card: it takes"),
        ("A", "'A' is not a card"),
        ("s", "'s' is not a card"),
        ("sA", "'sA' is not a card"),
        ("11h", "'11h' is not a card"),
        ("A♤", "'A♤' is not a card"),
        ("As ", "'As ' is not a card"),
        (" As", "' As' is not a card"),
        ("As\n", "'As\\n' is not a card"),
        ("AsKd", "'AsKd' is not a card"),
        ("??", "'??' is not a card"),
        ("٣h", "'٣h' is not a card"),
        ("x" * 1000, "'" + "x" * 39 + "… is not a card"),
        (52, "52 is not a card: an index is a whole number from 0 to 51"),
        (-1, "-1 is not a card"),
        pytest.param(10**5000, "a number of thousands of digits is not a card", id="endless"),
        (12.0, "12.0 is not a card"),
        (True, "True is not a card"),
        (None, "None is not a card"),
        (b"As", "b'As' is not a card"),
        (["As"], "['As'] is not a card"),
    ],
)
def test_what_is_not_a_card_is_refused_and_quoted(value: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Card(value)
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, UserError) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("As Kd", "As Kd"),
        ("AsKd", "As Kd"),
        ("10h Th", "Th Th"),
        ("10hTh10h", "Th Th Th"),
        ("A♠K♦", "As Kd"),
        ("A♠ Kd10♣", "As Kd Tc"),
        ("  As \t Kd\n", "As Kd"),
        ("", ""),
    ],
)
def test_cards_in_a_row(text: str, printed: str) -> None:
    assert format_cards(parse_cards(text)) == printed


@given(st.lists(cards), st.sampled_from(["", " ", "  ", "\n"]))
def test_any_row_of_cards_parses_as_printed(row: list[Card], space: str) -> None:
    assert list(parse_cards(format_cards(row))) == row
    assert list(parse_cards(space.join(map(str, row)))) == row


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("As Xd", "'Xd'"),
        ("AsKx", "'Kx'"),
        ("as kd", "'as' is not a card: in the right case it is 'As'"),
        ("As kd", "'kd'"),
        ("As, Kd", "','"),
        ("As 1", "'1'"),
        ("As ??", "'??'"),
        ("As" + "Z" * 500, "'" + "Z" * 39 + "…"),
    ],
)
def test_a_wrong_token_in_a_row_is_quoted(text: str, token: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_cards(text)
    assert str(caught.value).startswith(token)


@pytest.mark.parametrize("value", [None, 5, b"As", ["As"], Card("As")])
def test_only_text_is_parsed(value: str) -> None:
    with pytest.raises(ParseError, match="is not text that names cards"):
        parse_cards(value)


@given(st.text())
def test_any_text_is_cards_or_refused(text: str) -> None:
    try:
        parsed = parse_cards(text)
    except ParseError:
        return
    assert parse_cards(format_cards(parsed)) == parsed


def test_a_doubled_card_is_named() -> None:
    assert distinct(iter(DECK)) == DECK
    with pytest.raises(ParseError, match=r"^the ten of hearts 'Th' appears twice$"):
        distinct(parse_cards("As 10h Kd Th As"))
