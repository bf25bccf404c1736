"""One hand: its cards, name and strength."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from croupier.cards import RANK_NAMES, RANKS, SUIT_NAMES, Card, format_cards, parse_cards
from croupier.errors import ParseError, quoted
from croupier.hands.lookup import evaluator
from croupier.hands.ranking import (
    ALSO,
    NAMES,
    STANDARD,
    Ranking,
    category,
    least_high,
    strength_digits,
)

_set = object.__setattr__
_EVERY_NAME = frozenset(name for names in NAMES.values() for name in names)


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Hand:
    """Three, five or six different cards under one ranking.

    Hands are equal if they hold the same cards in the same order. To compare them as the game does,
    use `beats` and `ties`, so that a tie is never mistaken for equality.
    """

    cards: tuple[Card, ...]
    ranking: Ranking = STANDARD
    strength: int = field(init=False, compare=False)
    """Higher is better; comparable between hands of the same size and ranking."""

    def __init__(self, cards: tuple[Card, ...], ranking: Ranking = STANDARD) -> None:
        _set(self, "cards", cards)
        _set(self, "ranking", ranking)
        _set(self, "strength", evaluator(ranking).strength(cards))

    @classmethod
    def of(cls, cards: Iterable[int | str], ranking: Ranking = STANDARD) -> Self:
        """Make a hand from cards, their names or their indices."""
        return cls(tuple(map(Card, cards)), ranking)

    @classmethod
    def parse(cls, text: str, ranking: Ranking = STANDARD) -> Self:
        """Read a hand: `As Ks Qs`, or as `str` writes it, `As Ks Qs (mini royal)`."""
        cards = text.split(" (")[0]
        hand = cls(parse_cards(cards), ranking)
        if text not in (cards, f"{cards} ({hand.name})"):
            raise ParseError(f"{quoted(text)} is misnamed: the hand is a {hand.name}")
        return hand

    def __str__(self) -> str:
        return f"{format_cards(self.cards)} ({self.name})"

    def __repr__(self) -> str:
        ranking = "" if self.ranking == STANDARD else f", {self.ranking!r}"
        return f"Hand.parse({format_cards(self.cards)!r}{ranking})"

    def _repr_svg_(self) -> str:
        from croupier import svg  # Imported late: drawing is rarely needed.

        return svg.hand_svg(self.cards)

    @property
    def name(self) -> str:
        """The class of the hand, as in "straight flush"; for six cards, of the best five."""
        size = len(self.cards)
        return self.ranking.names(size)[category(self.strength, size)]

    @property
    def short(self) -> str:
        """The ranks in comparison order: `J-9-4`, `10-10-4`, `3-2-A`."""
        return "-".join(map(_face, self._digits))

    @property
    def words(self) -> str:
        """The hand as a dealer calls it: "pair of tens", "queen high Q-7-2"."""
        name, digits = self.name, self._digits
        by_count = [digit for digit, _ in Counter(digits).most_common()]
        match name:
            case "high card":
                return f"{_name(digits[0])} high {self.short}"
            case "pair":
                return f"pair of {_names(by_count[0])}"
            case "two pair":
                return f"two pair, {_names(by_count[0])} and {_names(by_count[1])}"
            case "three of a kind":
                return f"three {_names(by_count[0])}"
            case "full house":
                return f"full house, {_names(by_count[0])} over {_names(by_count[1])}"
            case "four of a kind":
                return f"four {_names(by_count[0])}"
        return f"{name} {self.short}" if self.suit is None else f"{name} in {SUIT_NAMES[self.suit]}"

    @property
    def suit(self) -> int | None:
        """The suit of a mini royal, royal flush or super royal; some paytables pay by suit."""
        if not self.name.endswith(("royal", "royal flush")):
            return None
        suits = [card.suit for card in self.cards]
        return max(suits, key=suits.count)

    @property
    def set_rank(self) -> int | None:
        """The rank of the pair, three or four of a kind; of two sets the larger, or the higher."""
        digits = self._digits
        times, digit = max((digits.count(digit), digit) for digit in digits)
        return digit - 2 if times > 1 else None

    def is_at_least_high(self, rank: int) -> bool:
        """Whether the hand is at least this rank high, or a pair or better (T3)."""
        return self.strength >= least_high(rank, len(self.cards))

    def matches(self, name: str) -> bool:
        """Whether the hand has this name, or belongs to a wider class that does (T2)."""
        if name not in _EVERY_NAME:
            raise ParseError(f"{quoted(name)} is not the name of a hand")
        return name == self.name or name in ALSO.get(self.name, ())

    def beats(self, other: "Hand") -> bool:
        """Whether this hand is better."""
        return self.strength > self._comparable(other)

    def ties(self, other: "Hand") -> bool:
        """Whether neither hand is better."""
        return self.strength == self._comparable(other)

    @property
    def _digits(self) -> tuple[int, ...]:
        return strength_digits(self.strength, len(self.cards))

    def _comparable(self, other: "Hand") -> int:
        if len(self.cards) != len(other.cards) or self.ranking != other.ranking:
            raise ParseError(f"{self!r} and {other!r} do not compare")
        return other.strength


def _face(digit: int) -> str:
    """Return the text of a rank; 1 is a low ace."""
    return "A" if digit == 1 else RANKS[digit - 2].replace("T", "10")


def _name(digit: int) -> str:
    return RANK_NAMES[digit - 2]


def _names(digit: int) -> str:
    name = _name(digit)
    return f"{name}es" if name == "six" else f"{name}s"
