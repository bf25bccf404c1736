"""The order of hands against ruling T1, written down here a second time, and its alternatives."""

from itertools import combinations, combinations_with_replacement

import pytest

from croupier.cards import DECK, RANKS, SUITS
from croupier.hands.hand import Hand
from croupier.hands.ranking import (
    NAMES,
    STANDARD,
    Ranking,
    category,
    strength_digits,
    strength_of_ranks,
)

CARD_BY_CARD = Ranking(card_by_card=True)
NO_WHEEL = Ranking(wheel=False)

# Every three-card hand up to its suits: the ranks, highest first, and whether one suit.
CLASSES = [
    *((ranks[::-1], False) for ranks in combinations_with_replacement(range(13), 3)),
    *((ranks[::-1], True) for ranks in combinations(range(13), 3)),
]

T1_ORDER = ["high card", "pair", "flush", "straight", "three of a kind", "straight flush"]


def straight_top(ranks: tuple[int, ...]) -> int | None:
    """The top card of a straight; A-2-3 is the lowest, its top card is the 3."""
    high, middle, low = ranks
    if (high, middle, low) == (12, 1, 0):
        return 1
    return high if high - 1 == middle and middle - 1 == low else None


def t1_class(ranks: tuple[int, ...], *, suited: bool) -> str:
    if straight_top(ranks) is not None:
        return "straight flush" if suited else "straight"
    if suited:
        return "flush"
    return {1: "three of a kind", 2: "pair", 3: "high card"}[len(set(ranks))]


def t1_better(one: tuple[int, ...], other: tuple[int, ...], name: str) -> int:
    """Compare two hands of one class: above 0 if the first is better, 0 for a tie."""
    if name in ("straight", "straight flush"):
        return (straight_top(one) or 0) - (straight_top(other) or 0)
    if name in ("pair", "three of a kind"):
        # The middle one of three sorted cards belongs to the set; what is left is odd.
        if one[1] != other[1]:
            return one[1] - other[1]
        return sum(one) - sum(other)
    for mine, theirs in zip(one, other, strict=True):
        if mine != theirs:
            return mine - theirs
    return 0


def test_three_cards_are_in_the_order_of_ruling_t1() -> None:
    hands = [
        (
            T1_ORDER.index(t1_class(ranks, suited=suited)),
            ranks,
            strength_of_ranks(ranks, suited=suited, ranking=STANDARD),
        )
        for ranks, suited in CLASSES
    ]
    assert len(hands) == 741
    for class_one, one, strength_one in hands:
        for class_other, other, strength_other in hands:
            better = class_one - class_other or t1_better(one, other, T1_ORDER[class_one])
            ours = strength_one - strength_other
            assert (ours > 0, ours == 0) == (better > 0, better == 0), (one, other)


def test_three_cards_agree_with_pokerkit() -> None:
    """Rhode Island hold'em has three-card hands in the same order, numbered from the lowest."""
    from pokerkit import RhodeIslandHoldemHand  # It makes its tables when it is imported.

    theirs = []
    for ranks, suited in CLASSES:
        suits = "sss" if suited else "shd"
        cards = "".join(RANKS[rank] + suit for rank, suit in zip(ranks, suits, strict=True))
        theirs.append(RhodeIslandHoldemHand(cards).entry.index)
    ours = [strength_of_ranks(ranks, suited=suited, ranking=STANDARD) for ranks, suited in CLASSES]
    assert [sorted(ours).index(strength) for strength in ours] == theirs


def test_strengths_can_be_read() -> None:
    assert Hand.parse("Ts Td 4c").strength == 0x1AA4
    assert Hand.parse("As 2d 3c").strength == 0x3321
    assert Hand.parse("As 2d 3c 4s 5h").strength == 0x454321
    assert Hand.parse("9s As Ks Qs Js Ts").strength == 0xAEDCBA
    assert strength_digits(0x1AA4, 3) == (10, 10, 4)
    assert strength_digits(0xAEDCBA, 6) == (14, 13, 12, 11, 10)
    assert NAMES[3][category(0x1AA4, 3)] == NAMES[5][category(0x1AA432, 5)] == "pair"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # T1 in its own examples.
        ("4s 3h 3d", "As 2h 2d"),
        ("4s 3h 2d", "As 3h 2d"),
        ("As Kh Qd", "Ks Qh Jd"),
        ("Ks Qh Jd", "As 2h 3d"),
        ("2s 3h Ad", "Ks Qs 9s"),
        ("2s 2h 2d", "As Kh Qd"),
        ("4s 3s 2s", "As Ah Ad"),
        ("4s 3s 2s", "As 3s 2s"),
        ("3s 2s As", "As Ah Ad"),
        ("5s 3s 2s", "As Ah Kd"),
        ("2s 2h 3d", "As Kh Jd"),
        ("2s 2h 4d", "2d 2c 3s"),
        ("As Ks Qs", "Kh Qh Jh"),
        ("As Kh Jd", "As Kh Td"),
        ("As 3h 2h", "Ks Kh Ah"),
    ],
)
def test_t1_in_examples(better: str, worse: str) -> None:
    assert Hand.parse(better).beats(Hand.parse(worse))
    assert not Hand.parse(worse).beats(Hand.parse(better))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As 2h 2d", "4s 3h 3d"),
        ("As 3h 2d", "4s 3h 2d"),
        ("As 3h 2d", "Ks Qh Jd"),
        ("As Kh Qd", "As 3h 2d"),
        ("As 3s 2s", "Ks Qs Js"),
        ("As Ks Qs", "Ah 3h 2h"),
        ("Ks 2h 2d", "Qs Qh 3d"),
        ("4s 3h 3d", "As Kh Jd"),  # Another class is still another class.
    ],
)
def test_6_e_word_for_word_goes_card_by_card(better: str, worse: str) -> None:
    assert Hand.parse(better, CARD_BY_CARD).beats(Hand.parse(worse, CARD_BY_CARD))


def test_6_e_word_for_word_changes_no_class_and_no_five_cards() -> None:
    for ranks, suited in CLASSES:
        standard = strength_of_ranks(ranks, suited=suited, ranking=STANDARD)
        literal = strength_of_ranks(ranks, suited=suited, ranking=CARD_BY_CARD)
        assert category(standard, 3) == category(literal, 3)
        assert [*strength_digits(literal, 3)] == [rank + 2 for rank in ranks]
    five = "As 2s 3d 4h 5c"
    assert Hand.parse(five, CARD_BY_CARD).strength == Hand.parse(five).strength


@pytest.mark.parametrize(
    ("cards", "standard", "without"),
    [
        ("As 2h 3d 4c 5s", "straight", "high card"),
        ("As 2s 3s 4s 5s", "straight flush", "flush"),
        ("As 2h 3d 4c 5s 9d", "straight", "high card"),
        ("As 2h 3d 4c 5s 5d", "straight", "pair"),
        ("As 2s 3s 4s 5s Kd", "straight flush", "flush"),
        ("As 2h 3d 4c 5s 6d", "straight", "straight"),
        ("As Kh Qd Jc Ts", "straight", "straight"),
        ("As 2h 3d", "straight", "straight"),
        ("As 2s 3s", "straight flush", "straight flush"),
    ],
)
def test_m11_the_wheel_of_five_and_six_cards(cards: str, standard: str, without: str) -> None:
    assert Hand.parse(cards).name == standard
    assert Hand.parse(cards, NO_WHEEL).name == without


def test_m11_the_wheel_is_the_lowest_straight() -> None:
    wheel = Hand.parse("As 2h 3d 4c 5s")
    assert Hand.parse("2h 3d 4c 5s 6s").beats(wheel)
    assert wheel.beats(Hand.parse("As Ah Ad Kc Qs"))


@pytest.mark.parametrize("suit", SUITS)
def test_m1_the_super_royal_is_above_all(suit: str) -> None:
    super_royal = Hand.parse("".join(rank + suit for rank in "A9KQTJ"))
    royal = Hand.parse("".join(rank + suit for rank in "AKQJT8"))
    assert (super_royal.name, royal.name) == ("super royal", "royal flush")
    assert super_royal.beats(royal)
    assert {Hand.of(DECK[start : start + 6]).beats(super_royal) for start in range(46)} == {False}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Ks 9s 2s", "Ah Kd Qc"),  # flush over straight
        ("4s 3d 2c", "As Ah Ad"),  # straight over three of a kind
        ("2s 2h 2d", "As Ah Kd"),  # three of a kind over a pair
        ("4s 3s 2s", "As Ks 9s"),  # straight flush over flush
    ],
)
def test_as_five_cards_flushes_beat_straights_beat_sets(better: str, worse: str) -> None:
    ranking = Ranking(as_five_cards=True)
    hands = Hand.parse(better, ranking), Hand.parse(worse, ranking)
    assert hands[0].beats(hands[1])
    assert [hand.name for hand in hands] == [Hand.parse(better).name, Hand.parse(worse).name]
