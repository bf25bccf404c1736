"""Cached counts compared with explicit deals, for some seats and every ranking."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from croupier.cards import DECK, RANKS, Card
from croupier.hands.hand import Hand
from croupier.hands.ranking import STANDARD, Ranking, least_high
from croupier.odds import counts
from croupier.odds.codes import triple_codes
from croupier.odds.counts import STATES, OutcomeCounts
from croupier.odds.seats import (
    CODES,
    HANDS,
    REST,
    SEATS,
    TURNS,
    WEIGHTS,
    Label,
    codes_of,
    label,
    seat_codes,
    turned,
)
from tests.odds.bets import RANDOM_CLASSES, class_of

QUEEN, ALL_PLAY = least_high(RANKS.index("Q"), 3), 0
RANKINGS = (
    STANDARD,
    Ranking(card_by_card=True),
    Ranking(as_five_cards=True),
    Ranking(wheel=False),
)
EVERY_CODE = bytes(range(CODES))
# Five groups that no paytable has: any grouping of codes must do.
FIVE_GROUPS = bytes(code >> 4 if code >> 4 < 4 else 4 for code in range(CODES))

each_ranking = pytest.mark.parametrize("ranking", RANKINGS, ids=["standard", "6.E", "five", "M11"])
each_high = pytest.mark.parametrize("high", [QUEEN, ALL_PLAY], ids=["queen", "all"])


def cards(seat: int) -> tuple[Card, ...]:
    return tuple(map(Card, SEATS[seat].tolist()))


def rest(seat: int) -> list[Card]:
    return [card for card in DECK if card not in cards(seat)]


def asked(hand: Hand) -> Label:
    """What a paytable may ask of a hand, by the hand's own words."""
    sets = hand.name in ("pair", "two pair", "three of a kind", "full house", "four of a kind")
    return Label(hand.name, hand.suit, hand.set_rank if sets else None)


def row(counted: OutcomeCounts, seat: int) -> list[int]:
    """The counts of a seat that sees no card."""
    found: list[int] = counted.rows[counted.row[seat]].tolist()
    return found


# ---------------------------------------------------------------- classes of seats


def test_classes_are_the_orbits_of_the_suits() -> None:
    """Exchanging suits turns an example into exactly as many hands as its weight."""
    sizes = Counter(class_of().values())
    assert [sizes[place] for place in range(len(SEATS))] == WEIGHTS.tolist()
    assert {frozenset(hand) for hand in combinations(range(52), 3)} == class_of().keys()
    assert (len(SEATS), HANDS) == (1_755, comb(52, 3))


def test_rotating_the_suits_stays_within_a_class() -> None:
    """All four rotations of the suits are in the class, and its weight is a multiple of four."""
    for place, seat in enumerate(SEATS.tolist()):
        turns = [frozenset(c & ~3 | (c + turn) & 3 for c in seat) for turn in range(TURNS)]
        assert {class_of()[hand] for hand in turns} == {place}
    assert not (WEIGHTS % TURNS).any()


def test_a_seat_and_the_rest_make_a_whole_deck() -> None:
    both = np.sort(np.concatenate([SEATS, REST], axis=1), axis=1)
    assert (both == np.arange(52)).all()


@each_ranking
def test_a_code_says_what_its_hand_is(ranking: Ranking) -> None:
    """For all seats, and five and six cards drawn at random."""
    rng = np.random.default_rng(52)
    drawn = [rng.permuted(np.tile(np.arange(52), (1_500, 1)), axis=1)[:, :n] for n in (5, 6)]
    suited = np.array([[rank << 2 | 1 for rank in h] for h in combinations(range(6, 13), 5)])
    for hands in (SEATS, *drawn, suited):
        found = codes_of(hands.astype(np.uint8), ranking)
        for code, hand in zip(found.tolist(), hands.tolist(), strict=True):
            assert label(code, len(hand), ranking) == asked(Hand.of(hand, ranking))


def test_turning_the_suits_changes_the_suit_of_a_royal_and_nothing_else() -> None:
    royal, pair = Label("mini royal", 3, None), Label("pair", None, 8)
    assert [turned(royal, turn).suit for turn in range(TURNS)] == [3, 0, 1, 2]
    assert [turned(pair, turn) for turn in range(TURNS)] == [pair] * TURNS


# ---------------------------------------------------------------- the bank's hand


def state(mine: Hand, bank: Hand, high: int) -> str:
    if bank.strength < high:
        return "unopposed"
    return "higher" if mine.beats(bank) else "lower" if bank.beats(mine) else "equal"


@cache
def bank_states(seat: int, ranking: Ranking, high: int) -> list[tuple[tuple[Card, ...], str]]:
    """Every hand of the bank, and how the seat stands against it."""
    mine = Hand(cards(seat), ranking)
    return [(bank, state(mine, Hand(bank, ranking), high)) for bank in combinations(rest(seat), 3)]


@each_ranking
@pytest.mark.parametrize("seat", RANDOM_CLASSES[::3])
def test_banks_are_counted_by_state(seat: int, ranking: Ranking) -> None:
    expected = Counter(state for _, state in bank_states(seat, ranking, QUEEN))
    assert row(counts.bank(ranking, QUEEN), seat) == [expected[state] for state in STATES]


@pytest.mark.parametrize("seat", RANDOM_CLASSES)
def test_banks_are_counted_by_state_for_more_seats(seat: int) -> None:
    expected = Counter(state for _, state in bank_states(seat, STANDARD, QUEEN))
    assert row(counts.bank(STANDARD, QUEEN), seat) == [expected[state] for state in STATES]


def test_every_bank_plays_where_none_must_qualify() -> None:
    seat = RANDOM_CLASSES[4]
    expected = Counter(state for _, state in bank_states(seat, STANDARD, ALL_PLAY))
    assert expected["unopposed"] == 0
    assert row(counts.bank(STANDARD, ALL_PLAY), seat) == [expected[state] for state in STATES]


@each_ranking
@pytest.mark.parametrize("seat", RANDOM_CLASSES[1::4])
def test_banks_are_counted_by_the_card_shown(seat: int, ranking: Ranking) -> None:
    """C5: each of the bank's three cards is the one that is turned up."""
    expected: dict[Card, Counter[str]] = {card: Counter() for card in rest(seat)}
    for bank, how in bank_states(seat, ranking, QUEEN):
        for card in bank:
            expected[card][how] += 1
    counted = counts.bank_card_shown(ranking, QUEEN)
    assert counted.where is not None
    for card, entry in zip(rest(seat), counted.where[seat], strict=True):
        found = counted.rows[counted.row[entry]].tolist()
        assert found == [expected[card][state] for state in STATES], card
        assert counted.shown[entry] == card.rank
        assert counted.seat[entry] == seat


@each_ranking
@each_high
def test_two_seats_stand_against_each_other_in_opposite_ways(ranking: Ranking, high: int) -> None:
    """Over all deals a seat is higher as often as it is lower, where every bank plays."""
    found = counts.bank(ranking, high)
    whole = (WEIGHTS[:, None] * found.rows[found.row]).sum(axis=0)
    by_state = dict(zip(STATES, whole.tolist(), strict=True))
    assert sum(by_state.values()) == HANDS * comb(49, 3)
    if high == ALL_PLAY:
        assert by_state["higher"] == by_state["lower"]
        assert by_state["unopposed"] == 0
    else:
        # "Three Card Poker" of the Wizard of Odds: a dealer qualifies in 69.5928 % of deals.
        assert round(1 - by_state["unopposed"] / sum(by_state.values()), 6) == 0.695928


def test_equal_entries_are_kept_once_and_none_is_lost() -> None:
    counted = counts.bank_card_shown(STANDARD, QUEEN)
    assert counted.where is not None
    assert np.bincount(counted.seat, counted.times).tolist() == [49] * len(SEATS)
    assert (counted.rows.sum(axis=1) == counted.total).all()
    assert counted.seat[counted.first].tolist() == list(range(len(SEATS)))
    assert (np.bincount(counted.where.ravel()) == counted.times).all()
    keys = np.column_stack([counted.seat, counted.shown, counted.row])
    assert len(np.unique(keys, axis=0)) == len(keys)


def test_rows_that_share_a_sum_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are compared by a random sum first, and in full if two sums collide."""
    table = np.array([[7, 1, 2], [7, 2, 1], [7, 1, 2], [3, 0, 0]])

    class Alike:
        def integers(self, low: int, high: int, size: tuple[int]) -> NDArray[np.int64]:
            return np.ones(size, np.int64)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Alike())
    rows, where = counts.unique_rows(table)
    assert rows[where].tolist() == table.tolist()
    assert len(rows) == 3


# ---------------------------------------------------------------- five and six cards


def labels(counted: list[int], size: int, ranking: Ranking) -> Counter[Label]:
    """Return counts by hand, from counts by code."""
    found: Counter[Label] = Counter()
    for code, times in enumerate(counted):
        if times:
            found[label(code, size, ranking)] += times
    return found


@cache
def code_of(size: int) -> dict[Label, int]:
    """Map everything that a paytable may name to its code."""
    return {label(code, size, STANDARD): code for code in reversed(range(CODES))}


def drawn(seat: int, more: int, ranking: Ranking) -> Iterator[Label]:
    """Yield the hand that every draw of more cards makes with a seat's three."""
    for others in combinations(rest(seat), more):
        yield asked(Hand((*cards(seat), *others), ranking))


@each_ranking
@pytest.mark.parametrize("seat", RANDOM_CLASSES[2::3])
def test_pairs_are_counted_by_what_they_make(seat: int, ranking: Ranking) -> None:
    found = row(counts.pair(ranking, EVERY_CODE), seat)
    assert labels(found, 5, ranking) == Counter(drawn(seat, 2, ranking))


@pytest.mark.parametrize("seat", RANDOM_CLASSES[::4])
def test_pairs_are_counted_by_their_first_card(seat: int) -> None:
    counted = counts.pair_card_shown(STANDARD, FIVE_GROUPS)
    assert counted.where is not None
    for first, entry in zip(rest(seat), counted.where[seat], strict=True):
        others = [card for card in rest(seat) if card != first]
        hands = (Hand((*cards(seat), first, card)) for card in others)
        expected = Counter(FIVE_GROUPS[code_of(5)[asked(hand)]] for hand in hands)
        assert counted.rows[counted.row[entry]].tolist() == [expected[n] for n in range(5)]
        assert counted.shown[entry] == first.rank


@pytest.mark.parametrize("ranking", [STANDARD, Ranking(wheel=False)], ids=["standard", "M11"])
@pytest.mark.parametrize("seat", RANDOM_CLASSES[::3])
def test_three_more_cards_are_counted_by_what_they_make(seat: int, ranking: Ranking) -> None:
    expected = Counter(drawn(seat, 3, ranking))
    assert labels(row(counts.triple(ranking, EVERY_CODE), seat), 6, ranking) == expected
    codes = Counter(label(int(code), 6, ranking) for code in triple_codes(seat, ranking))
    assert codes == expected


@each_ranking
@pytest.mark.parametrize("seat", [RANDOM_CLASSES[2], RANDOM_CLASSES[9]])
def test_a_bank_is_counted_by_state_and_what_six_cards_make(seat: int, ranking: Ranking) -> None:
    found = np.reshape(row(counts.triple(ranking, EVERY_CODE, QUEEN), seat), (len(STATES), -1))
    expected: dict[str, Counter[Label]] = {state: Counter() for state in STATES}
    for bank, how in bank_states(seat, ranking, QUEEN):
        expected[how][asked(Hand((*cards(seat), *bank), ranking))] += 1
    assert [labels(part.tolist(), 6, ranking) for part in found] == list(expected.values())


def test_any_grouping_of_codes_adds_up_the_counts_of_its_codes() -> None:
    for by_code, by_group in (
        (counts.pair(STANDARD, EVERY_CODE), counts.pair(STANDARD, FIVE_GROUPS)),
        (counts.triple(STANDARD, EVERY_CODE), counts.triple(STANDARD, FIVE_GROUPS)),
    ):
        whole = by_code.rows[by_code.row]
        member = np.array(list(FIVE_GROUPS))[:, None] == np.arange(5)
        assert (whole @ member[: whole.shape[1]] == by_group.rows[by_group.row]).all()


# ---------------------------------------------------------------- totals that are known


def totals(counted: OutcomeCounts, size: int) -> dict[str, int]:
    """Count the hands of each kind, each of which is dealt in comb(size, 3) ways."""
    whole = (WEIGHTS[:, None] * counted.rows[counted.row]).sum(axis=0).tolist()
    ways = comb(size, 3)
    found: Counter[str] = Counter()
    for one, times in labels(whole, size, STANDARD).items():
        found[one.name] += times
    assert not any(times % ways for times in found.values())
    return {name: times // ways for name, times in found.items()}


def test_three_card_frequencies_are_those_published() -> None:
    """Wizard of Odds, "Three Card Poker": 48, 52, 720, 1,096, 3,744 and 16,440."""
    found: Counter[str] = Counter()
    for code, weight in zip(seat_codes(STANDARD).tolist(), WEIGHTS.tolist(), strict=True):
        found[label(code, 3, STANDARD).name] += weight
    assert found == {
        "mini royal": 4,
        "straight flush": 44,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }


def test_five_card_frequencies_are_those_published() -> None:
    """Wizard of Odds, "Poker Probabilities", five cards."""
    assert totals(counts.pair(STANDARD, EVERY_CODE), 5) == {
        "royal flush": 4,
        "straight flush": 36,
        "four of a kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three of a kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "high card": 1_302_540,
    }


def test_six_card_frequencies_are_those_published() -> None:
    """Wizard of Odds, "Poker Probabilities", six cards; four royal flushes have the nine too."""
    assert totals(counts.triple(STANDARD, EVERY_CODE), 6) == {
        "super royal": 4,
        "royal flush": 184,
        "straight flush": 1_656,
        "four of a kind": 14_664,
        "full house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three of a kind": 732_160,
        "two pair": 2_532_816,
        "pair": 9_730_740,
        "high card": 6_612_900,
    }


# ---------------------------------------------------------------- a pair and three cards together


def together(seat: int, groups: tuple[bytes, bytes], high: int | None) -> NDArray[Any]:
    """Count pairs and triples that share no card, pair by pair, by [first card,] group, outcome."""
    deck = rest(seat)
    own = Hand(cards(seat))
    depth = max(groups[1]) + 1
    outcome = np.array(
        [
            (0 if high is None else STATES.index(state(own, Hand(three), high))) * depth
            + groups[1][code_of(6)[asked(Hand((*cards(seat), *three)))]]
            for three in combinations(deck, 3)
        ]
    )
    width = depth * (1 if high is None else len(STATES))
    found = np.zeros((len(deck), max(groups[0]) + 1, width), np.int64)
    triples = np.array(list(combinations(range(len(deck)), 3)))
    holds = np.array([(triples == card).any(axis=1) for card in range(len(deck))])
    for i, j in combinations(range(len(deck)), 2):
        group = groups[0][code_of(5)[asked(Hand((*cards(seat), deck[i], deck[j])))]]
        free = ~(holds[i] | holds[j])
        by_outcome = np.bincount(outcome[free], minlength=width)
        found[i, group] += by_outcome
        found[j, group] += by_outcome
    return found


GROUPS_FIVE = bytes(min(code >> 4, 2) for code in range(CODES))
GROUPS_SIX = bytes(min((code >> 4) // 3, 2) for code in range(CODES))
ONE_GROUP = bytes(CODES)


@pytest.mark.parametrize(
    ("six", "high", "by_first"),
    [
        (ONE_GROUP, QUEEN, False),
        pytest.param(GROUPS_SIX, QUEEN, False, marks=pytest.mark.long),
        pytest.param(GROUPS_SIX, None, False, marks=pytest.mark.long),
        pytest.param(GROUPS_SIX, None, True, marks=pytest.mark.long),
    ],
    ids=["a bank", "a bank of six cards", "a box", "a box, by the first card"],
)
def test_a_pair_and_three_cards_are_counted_together(
    six: bytes, high: int | None, *, by_first: bool
) -> None:
    found = counts.pair_and_triple(
        STANDARD, GROUPS_FIVE, six, high=high, alone=False, by_first=by_first
    )
    for seat in (RANDOM_CLASSES[1], RANDOM_CLASSES[8]):
        expected = together(seat, (GROUPS_FIVE, six), high)
        assert (found[seat] == (expected if by_first else expected.sum(axis=0))).all()
    ways = 2 * comb(49, 2) * comb(47, 3)
    assert (found.reshape(len(SEATS), -1).sum(axis=1) == ways).all()
