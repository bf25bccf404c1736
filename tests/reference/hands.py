"""Plain evaluators of three, five and six cards, written for clarity and not for speed."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "shdc"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
SUIT_WORDS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}

QUEEN = 12
ACE = 14

# A strength: the class of the hand, then the ranks that decide between hands of one class.
Strength = tuple[int, tuple[int, ...]]

# T1: in three cards a straight beats a flush, and three of a kind beats both.
THREE_CARD_NAMES = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")
FIVE_CARD_NAMES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)


def parse(text: str) -> list[str]:
    """Reads cards such as "As Kd Tc"."""
    cards = text.split()
    for card in cards:
        if card not in DECK:
            raise ValueError(f"not a card: {card}")
    return cards


def value(card: str) -> int:
    return RANKS.index(card[0]) + 2


def grouped(cards: Sequence[str]) -> list[tuple[int, int]]:
    """How often each rank occurs, as (times, rank), the largest set and highest rank first."""
    counts = Counter(value(card) for card in cards)
    return sorted(((times, rank) for rank, times in counts.items()), reverse=True)


def straight_top(cards: Sequence[str]) -> int:
    """The top card of the straight that all the cards make, else 0; an ace may be low."""
    ranks = sorted(value(card) for card in cards)
    size = len(ranks)
    if ranks == list(range(ranks[0], ranks[0] + size)):
        return ranks[-1]
    if ranks == [*range(2, size + 1), ACE]:
        return size
    return 0


def one_suit(cards: Sequence[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def three_card_strength(cards: Sequence[str]) -> Strength:
    """T1: the order of three-card hands."""
    assert len(cards) == 3
    top, flush, groups = straight_top(cards), one_suit(cards), grouped(cards)
    ranks = tuple(rank for _, rank in groups)
    if top and flush:
        return 5, (top,)
    if groups[0][0] == 3:
        return 4, ranks
    if top:
        return 3, (top,)
    if flush:
        return 2, ranks
    return int(groups[0][0] == 2), ranks


def is_mini_royal(cards: Sequence[str]) -> bool:
    """T2: ace, king and queen of one suit."""
    return {card[0] for card in cards} == set("AKQ") and one_suit(cards)


def three_card_name(cards: Sequence[str]) -> str:
    if is_mini_royal(cards):
        return "mini royal"
    return THREE_CARD_NAMES[three_card_strength(cards)[0]]


def queen_high_or_better(cards: Sequence[str]) -> bool:
    """T3: the highest card is at least a queen, or the hand is a pair or better."""
    return three_card_strength(cards)[0] > 0 or max(map(value, cards)) >= QUEEN


def five_card_strength(cards: Sequence[str]) -> Strength:
    assert len(cards) == 5
    top, flush, groups = straight_top(cards), one_suit(cards), grouped(cards)
    ranks = tuple(rank for _, rank in groups)
    shape = [times for times, _ in groups]
    if top and flush:
        return 8, (top,)
    if shape == [4, 1]:
        return 7, ranks
    if shape == [3, 2]:
        return 6, ranks
    if flush:
        return 5, ranks
    if top:
        return 4, (top,)
    by_sets = {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return by_sets.get(tuple(shape), 0), ranks


def five_card_name(cards: Sequence[str]) -> str:
    kind, ranks = five_card_strength(cards)
    return "royal flush" if (kind, ranks) == (8, (ACE,)) else FIVE_CARD_NAMES[kind]


def best_five(cards: Sequence[str]) -> tuple[str, ...]:
    return max(combinations(cards, 5), key=five_card_strength)


def is_super_royal(cards: Sequence[str]) -> bool:
    """Maryland 6.F(8): ace to nine of one suit, six cards."""
    return {card[0] for card in cards} == set("AKQJT9") and one_suit(cards) and len(cards) == 6


def three_card_titles(cards: Sequence[str]) -> list[str]:
    """The names under which a paytable may list the hand, the narrowest first."""
    name = three_card_name(cards)
    if name == "mini royal":
        return [f"mini royal of {SUIT_WORDS[cards[0][1]]}", name, "straight flush"]
    return [name]


def five_card_titles(cards: Sequence[str]) -> list[str]:
    """As above; Let It Ride lists no pair below tens (L9)."""
    name = five_card_name(cards)
    if name == "pair" and five_card_strength(cards)[1][0] >= 10:
        return ["pair of tens or better", name]
    return [name]


def six_card_titles(cards: Sequence[str]) -> list[str]:
    """M1: a super royal counts as the best five cards where no line names it."""
    titles = five_card_titles(best_five(cards))
    if is_super_royal(cards):
        return [f"super royal of {SUIT_WORDS[cards[0][1]]}", "super royal", *titles]
    return titles
