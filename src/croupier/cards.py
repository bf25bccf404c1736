"""The 52 cards of a deck, and how they are written.

A card is an int, its place in `DECK`, so it can index a table or an array and is cheap to compare.
The rank is `card >> 2` (0 for the two, 12 for the ace) and the suit is `card & 3`, in the order of
`SUITS`. Nothing here shuffles.
"""

import re
from collections.abc import Iterable
from operator import index
from typing import Self, SupportsIndex

from croupier.errors import ParseError, quoted

RANKS = "23456789TJQKA"
SUITS = "shdc"
RANK_NAMES = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "jack", "queen", "king", "ace"),
)
SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
SUIT_SYMBOLS = "♠♥♦♣"

_INDEX = {
    written_rank + written_suit: rank << 2 | suit
    for rank, letter in enumerate(RANKS)
    for suit in range(4)
    for written_rank in (("T", "10") if letter == "T" else (letter,))
    for written_suit in (SUITS[suit], SUIT_SYMBOLS[suit])
}


_WRITTEN = tuple(rank + suit for rank in RANKS for suit in SUITS)


class Card(int):
    """One of the 52 cards, made from its name or its index: `Card("Th")`, `Card(33)`."""

    __slots__ = ()

    def __new__(cls, value: str | SupportsIndex) -> Self:
        try:
            # `index` accepts array elements too, but no float.
            place = _INDEX[value] if isinstance(value, str) else index(value)
        except (KeyError, TypeError):
            raise _not_a_card(value) from None
        if not 0 <= place < 52 or isinstance(value, bool):
            raise _not_a_card(value)
        return super().__new__(cls, place)

    @property
    def rank(self) -> int:
        """0 for the two up to 12 for the ace: an index into `RANKS`."""
        return self >> 2

    @property
    def suit(self) -> int:
        """An index into `SUITS`."""
        return self & 3

    @property
    def rank_name(self) -> str:
        """As in "ten"."""
        return RANK_NAMES[self >> 2]

    @property
    def suit_name(self) -> str:
        """As in "hearts"."""
        return SUIT_NAMES[self & 3]

    @property
    def words(self) -> str:
        """As in "ten of hearts"."""
        return f"{self.rank_name} of {self.suit_name}"

    def __str__(self) -> str:
        return _WRITTEN[self]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    def __format__(self, spec: str) -> str:
        # Format the name, as in f"{card:>4}", not the number.
        return format(str(self), spec)

    def __bool__(self) -> bool:
        # The two of spades is 0, but `if card:` must be true for every card.
        return True

    def _repr_svg_(self) -> str:
        # Imported late: drawing is rarely needed, and `svg` imports this module.
        from croupier import svg

        return svg.card_svg(self)


DECK = tuple(map(Card, range(52)))
"""The 52 cards in the order of their indices, from the two of spades to the ace of clubs."""


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards written in a row: `As Kd`, `AsKd`, `10h Th`, `A♠K♦`.

    Duplicates are allowed here; `distinct` checks for them.
    """
    if not isinstance(text, str):
        raise ParseError(f"{quoted(text)} is not text that names cards")
    cards = []
    for word in text.split():
        start = 0
        while start < len(word):
            token = _TOKEN.match(word, start)
            if token is None:
                raise _not_a_card(word[start:])
            cards.append(Card(token[0]))
            start = token.end()
    return tuple(cards)


def format_cards(cards: Iterable[Card]) -> str:
    """Write cards as `parse_cards` reads them: `As Kd`."""
    return " ".join([_WRITTEN[card] for card in cards])


def distinct(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards, or refuse them if one is repeated."""
    seen: set[Card] = set()
    cards = tuple(cards)
    for card in cards:
        if card in seen:
            raise ParseError(f"the {card.words} {str(card)!r} appears twice")
        seen.add(card)
    return cards


_TOKEN = re.compile("|".join(_INDEX))


def _not_a_card(value: object) -> ParseError:
    fault = f"{quoted(value)} is not a card"
    if not isinstance(value, str):
        return ParseError(f"{fault}: an index is a whole number from 0 to 51")
    right_case = value[:-1].upper() + value[-1:].lower()
    if right_case in _INDEX:
        return ParseError(f"{fault}: in the right case it is {right_case!r}")
    return ParseError(f"{fault}: it takes a rank of {RANKS} and a suit of {SUITS}")
