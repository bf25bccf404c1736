"""What a text calls a hand, in plain words over the cards, against the name that the engine gives.

Three cards are all 22,100 hands; five and six are all that are special and a sample of the rest.
"""

import random
from itertools import combinations, pairwise
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.hands.hand import Hand
from croupier.round.judge import row_for
from croupier.rules.game import Paytable
from croupier.rules.resolve import resolve
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, SINGAPORE, book
from tests.rules.plain_hands import FIVE, RANKS, THREE, Cards, best_of_six, named, ranks

NAMES = [str(card) for card in DECK]


def of_five() -> list[Cards]:
    """Every sequence in one suit and in several, what nearly is one, sets, and a sample."""
    turning = [(RANKS * 2)[start : start + 5] for start in range(13)]
    hands: list[Cards] = [[rank + "s" for rank in run] for run in turning]
    hands += [[rank + suit for rank, suit in zip(run, "shdcs", strict=True)] for run in turning]
    for one, other in combinations(RANKS, 2):
        odd = next(rank for rank in "942" if rank not in (one, other))
        hands += [
            [one + "s", one + "h", one + "d", one + "c", other + "s"],
            [one + "s", one + "h", one + "d", other + "c", other + "s"],
            [one + "s", one + "h", other + "d", other + "c", odd + "s"],
        ]
    draw = random.Random(5)
    hands += [draw.sample(NAMES[start : start + 13], 5) for start in (0, 13, 26, 39)] * 3
    return [hand for hand in hands if len(set(hand)) == 5] + [
        draw.sample(NAMES, 5) for _ in range(20_000)
    ]


def ranking(id: str) -> Any:
    return resolve(book(id)).ranking


@pytest.mark.clause(MARYLAND, "6.B", "6.D(1)", "6.D(2)", "6.D(3)", "6.D(4)", "6.D(5)")
@pytest.mark.clause(LET_IT_RIDE, "6.D(1)", "6.D(2)", "6.D(3)", "6.D(4)", "6.D(5)")
@pytest.mark.clause(
    SINGAPORE, "3.18.1", "3.18.2", "3.18.3", "3.18.4", "3.18.5", "3.18.6"
)  # fmt: skip
@pytest.mark.clause(CALIFORNIA, "glossary/hand")
@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE, SINGAPORE, CALIFORNIA])
def test_three_cards_are_the_hand_that_the_text_describes(id: str) -> None:
    order, wrong = ranking(id), []
    for cards in combinations(NAMES, 3):
        name = Hand.of(cards, order).name
        if name != named(cards, THREE):
            wrong.append((cards, name))
    assert wrong == []


@pytest.mark.clause(
    LET_IT_RIDE, "6.A(1)", "6.A(2)", "6.C(1)", "6.C(2)", "6.C(3)", "6.C(4)", "6.C(5)", "6.C(6)",
    "6.C(7)", "6.C(8)", "6.F(1)", "6.F(2)", "6.F(3)", "6.F(4)", "6.F(5)", "6.F(6)", "6.F(7)",
)  # fmt: skip
@pytest.mark.clause(
    MARYLAND, "6.G(1)", "6.G(2)", "6.G(3)", "6.G(4)", "6.G(5)", "6.G(6)", "6.G(7)"
)  # fmt: skip
@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_five_cards_are_the_hand_that_the_text_describes(id: str) -> None:
    order, hands = ranking(id), of_five()
    assert [cards for cards in hands if Hand.of(cards, order).name != named(cards, FIVE)] == []
    assert {named(cards, FIVE) for cards in hands} == set(FIVE)


@pytest.mark.clause(
    LET_IT_RIDE, "6.E(1)", "6.E(2)", "6.E(3)", "6.E(4)", "6.E(5)", "6.E(6)", "6.E(7)", "6.E(8)"
)
@pytest.mark.clause(
    MARYLAND, "6.F(1)", "6.F(2)", "6.F(3)", "6.F(4)", "6.F(5)", "6.F(6)", "6.F(7)", "6.F(8)",
)  # fmt: skip
@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_six_cards_are_the_best_hand_that_five_of_them_make_or_a_super_royal(id: str) -> None:
    order, draw = ranking(id), random.Random(6)
    hands: list[Cards] = []
    for five in [*of_five()[:400], *[draw.sample(NAMES, 5) for _ in range(1_500)]]:
        hands.append([*five, draw.choice([card for card in NAMES if card not in five])])
    hands += [[rank + suit for rank in "AKQJT9"] for suit in "shdc"]
    hands += [[*(rank + "s" for rank in "AKQJT"), "9h"], [rank + "d" for rank in "KQJT98"]]
    assert [cards for cards in hands if Hand.of(cards, order).name != best_of_six(cards)] == []
    assert {best_of_six(cards) for cards in hands} >= {"super royal", *list(FIVE)[:8]}


@pytest.mark.clause(LET_IT_RIDE, "6.C(9)")
@pytest.mark.parametrize("letter", "ABC")
@pytest.mark.parametrize("rank", RANKS)
def test_6_C_9_a_pair_counts_from_tens_up(letter: str, rank: str) -> None:
    others = [card + "c" for card in "357J" if card != rank][:3]
    table = resolve(book(LET_IT_RIDE), {"let_it_ride": letter}).paytables["let_it_ride"]
    row = row_for(table, Hand.of([rank + "s", rank + "h", *others], ranking(LET_IT_RIDE)))
    assert bool(row) is (rank in "TJQKA")


def higher(one: Cards, other: Cards) -> int:
    """Compare two hands by the text: the kind, then the set or the top of a straight, then cards.

    The answer is 1, 0 or -1.
    """
    keys = [_key(cards) for cards in (one, other)]
    return (keys[0] > keys[1]) - (keys[0] < keys[1])


def _key(cards: Cards) -> tuple[int, list[int]]:
    kind = named(cards, THREE).replace("mini royal", "straight flush")
    kinds = [name for name in [*THREE][::-1] if name != "mini royal"]
    values = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    if "straight" in kind:
        values = [RANKS.index("3")] if ranks(cards, "A23") else values[:1]
    by_set = sorted(values, key=lambda value: (-values.count(value), -value))
    return kinds.index(kind), by_set


@pytest.mark.clause(MARYLAND, "6.D", "6.E", "6.E(1)", "6.E(2)", "11.D(3)(b)")
@pytest.mark.clause(SINGAPORE, "3.18", "3.3")
@pytest.mark.parametrize("id", [MARYLAND, SINGAPORE])
def test_two_hands_compare_as_the_text_says(id: str) -> None:
    order, draw = ranking(id), random.Random(7)
    special = [
        list(cards) for cards in combinations(NAMES, 3) if named(cards, THREE) != "high card"
    ]
    hands = draw.sample(special, 1_500) + [draw.sample(NAMES, 3) for _ in range(1_500)]
    draw.shuffle(hands)
    for one, other in pairwise(hands):
        first, second = Hand.of(one, order), Hand.of(other, order)
        assert first.beats(second) - second.beats(first) == higher(one, other), (one, other)
        assert first.ties(second) is (higher(one, other) == 0)


@pytest.mark.clause(LET_IT_RIDE, "1.B(6)")
@pytest.mark.parametrize(("letter", "of"), [*zip("ABCDEF", (5, 3, 3, 5, 5, 5), strict=True)])
def test_1_B_6_a_progressive_hand_is_three_of_a_kind_or_better_or_what_the_table_lists(
    letter: str, of: int
) -> None:
    table: Paytable = book(LET_IT_RIDE).rules.paytable["progressive"][letter]
    order, listed = ranking(LET_IT_RIDE), {row.hand for row in table.rows}
    hands = of_five() if of == 5 else list(combinations(NAMES, 3))[::7]
    better = set(list(FIVE)[:7])
    for cards in hands:
        hand = Hand.of(cards, order)
        counts = hand.name in (better if of == 5 else listed | {"mini royal"})
        assert (row_for(table, hand) is not None) is counts, cards
