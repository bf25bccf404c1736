"""Fast strengths of single hands, with every card checked.

Three cards are looked up in nested dictionaries, `table[a][b][c]`, which hold no hand with a
repeated card: the lookup is the check. Five cards are looked up by their ranks. Six cards are their
best five. The tables are built on first use.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product, starmap

from croupier.cards import DECK, Card, distinct
from croupier.errors import Bug, ParseError, quoted
from croupier.hands.ranking import (
    NAMES,
    STANDARD,
    SUPER_ROYAL,
    Ranking,
    category,
    strength_of_ranks,
)

# The sum of these over a hand encodes which cards it has and how many of each suit and rank. Only
# different cards set as many bits as there are cards.
_CARDS, _SUITS, _RANKS = (1 << 55) - 1, 55, 71
_RANK: dict[int, int] = {card: 1 << 3 * card.rank for card in DECK}
_CODE: dict[int, int] = {
    card: 1 << card | 1 << _SUITS + 4 * card.suit | _RANK[card] << _RANKS for card in DECK
}


class Evaluator:
    """The strengths of hands under one ranking; get one from `evaluator`."""

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking
        self._names = {size: ranking.names(size) for size in NAMES}
        self._three: dict[int, dict[int, dict[int, int]]] = {}
        self._five: dict[int, int] = {}
        self._six: dict[int, int] = {}

    def three_cards(self, a: int, b: int, c: int) -> int:
        """Return the strength of three cards, refusing non-cards and repeated cards.

        Cards are ints; a value that equals one is accepted.
        """
        try:
            return self._three[a][b][c]
        except (KeyError, TypeError):
            if self._three:
                raise refusal((a, b, c), 3) from None
        self._three = _three_card_table(self.ranking)
        return self.three_cards(a, b, c)

    def five_cards(self, *cards: int) -> int:
        """Return the strength of five cards, checked like `three_cards`."""
        try:
            a, b, c, d, e = cards
            code = _CODE[a] + _CODE[b] + _CODE[c] + _CODE[d] + _CODE[e]
        except (KeyError, TypeError, ValueError):
            raise refusal(cards, 5) from None
        if (code & _CARDS).bit_count() != 5:
            raise refusal(cards, 5)
        key = -(code >> _RANKS) if _five_of_a_suit(code) else code >> _RANKS
        return self._five.get(key) or self._of_ranks(key, cards)

    def _of_ranks(self, key: int, cards: Sequence[int]) -> int:
        """Compute the strength of five cards, and cache it by their ranks (negated if suited)."""
        ranks = [int(card) >> 2 for card in cards]
        strength = strength_of_ranks(ranks, suited=key < 0, ranking=self.ranking)
        self._five[key] = strength
        return strength

    def six_cards(self, *cards: int) -> int:
        """Return the strength of the best five of six cards, or of a super royal (M1)."""
        try:
            a, b, c, d, e, f = cards
            code = _CODE[a] + _CODE[b] + _CODE[c] + _CODE[d] + _CODE[e] + _CODE[f]
        except (KeyError, TypeError, ValueError):
            raise refusal(cards, 6) from None
        if (code & _CARDS).bit_count() != 6:
            raise refusal(cards, 6)
        if _five_of_a_suit(code):
            best = max(starmap(self.five_cards, combinations(cards, 5)))
            return SUPER_ROYAL if frozenset(cards) in _SUPER_ROYALS else best
        # No flush is possible, so the ranks alone decide.
        key = code >> _RANKS
        strength = self._six.get(key)
        if strength is None:
            strength = 0
            for place, card in enumerate(cards):
                five, others = key - _RANK[card], cards[:place] + cards[place + 1 :]
                strength = max(strength, self._five.get(five) or self._of_ranks(five, others))
            self._six[key] = strength
        return strength

    def strength(self, cards: Sequence[int]) -> int:
        """Return the strength of a hand of three, five or six cards."""
        match len(cards):
            case 3:
                return self.three_cards(*cards)
            case 5:
                return self.five_cards(*cards)
            case 6:
                return self.six_cards(*cards)
        raise ParseError(f"a hand has three, five or six cards, not {len(cards)}")

    def name(self, cards: Sequence[int]) -> str:
        """Return the class of a hand, as in "straight flush"."""
        size = len(cards)
        return self._names[size][category(self.strength(cards), size)]


def _five_of_a_suit(code: int) -> int:
    """Whether any suit has five cards or more: adding three then sets the 8 bit of its field."""
    return (code >> _SUITS) + 0x3333 & 0x8888


@cache
def evaluator(ranking: Ranking) -> Evaluator:
    """Return the shared evaluator of a ranking."""
    return Evaluator(ranking)


three_cards = evaluator(STANDARD).three_cards
five_cards = evaluator(STANDARD).five_cards
six_cards = evaluator(STANDARD).six_cards

# 9-10-J-Q-K-A of one suit; a suit's cards are four apart.
_SUPER_ROYALS = {frozenset(range(7 << 2 | suit, 52, 4)) for suit in range(4)}


def _three_card_table(ranking: Ranking) -> dict[int, dict[int, dict[int, int]]]:
    """Return `table[a][b][c]` for any three different cards, in any order."""
    table: dict[int, dict[int, dict[int, int]]] = {card: {} for card in DECK}
    for high, low in combinations_with_replacement(range(13), 2):
        unsuited = [
            strength_of_ranks((high, low, rank), suited=False, ranking=ranking)
            for rank in range(13)
        ]
        whole_row: dict[int, int] = {card: unsuited[card.rank] for card in DECK}
        for a, b in product(_of_rank(high), _of_rank(low)):
            if a != b:
                # Both orders share one row, which leaves out the two cards themselves.
                row = table[a][b] = table[b][a] = whole_row.copy()
                del row[a], row[b]
    for ranks in combinations(range(13), 3):
        suited = strength_of_ranks(ranks, suited=True, ranking=ranking)
        for suit, (x, y, z) in product(range(4), permutations(ranks)):
            table[x << 2 | suit][y << 2 | suit][z << 2 | suit] = suited
    return table


def _of_rank(rank: int) -> tuple[Card, ...]:
    return DECK[4 * rank : 4 * rank + 4]


def refusal(cards: Sequence[object], size: int) -> ParseError:
    """Return why these aren't `size` different cards."""
    if len(cards) != size:
        return ParseError(f"{size} cards are needed, not {len(cards)}")
    for card in cards:
        if isinstance(card, str):
            return ParseError(f"{quoted(card)} is a text: make it a card first")
    try:
        distinct(Card(card) for card in cards)  # type: ignore[arg-type]  # It may be anything.
    except ParseError as error:
        return error
    raise Bug(f"{cards} were refused, but they are cards")
