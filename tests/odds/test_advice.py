"""Advice enumerates real cards; an analysis must find the same from its counts."""

import random
from fractions import Fraction
from typing import Any

import pytest

from croupier.cards import Card, parse_cards
from croupier.errors import UserError
from croupier.odds.advice import Advice, advise
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.paths import Decision, PathNode
from croupier.odds.seats import REST, SEATS, WEIGHTS
from croupier.odds.solve import Solved
from tests.odds.bets import RANDOM_CLASSES, class_of, table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

ALONE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (MARYLAND, {}, {"ante": 1}),
    (MARYLAND, {"version": "7.G(2)", "pair_plus": "C"}, {"ante": 2, "pair_plus": 3}),
    (MARYLAND, {"six_card_bonus": "A"}, {"ante": 1, "six_card_bonus": "1/3"}),
    (MARYLAND, {"five_card_progressive": "A"}, {"ante": 1, "five_card_progressive": 1}),
    (MARYLAND, {"progressive": "B"}, {"ante": 1, "pair_plus": 1, "progressive": 1}),
    (SINGAPORE, {}, {"ante": 1, "pair_plus": 1}),
    (FLORIDA, {}, {"ante": 1, "pair_plus": 2}),
    (FLORIDA, {"pair_plus_when_beaten": "push"}, {"ante": 1, "pair_plus": 2}),
]


def cards(seat: int) -> tuple[Card, ...]:
    return tuple(map(Card, SEATS[seat].tolist()))


def chosen(found: Analysis, key: str, place: tuple[int, int]) -> str:
    """The option that the strategy takes with a class of seats and a card that it sees."""
    seat, view = place
    node = dict(_nodes(found))[key]
    best, main = found.solved.choices[0][key], found.model.main
    assert main is not None
    if len(best) == len(SEATS):
        return str(node[best[seat]])
    assert main.counted.where is not None
    return str(node[best[main.counted.where[seat, view]]])


def _nodes(found: Analysis) -> list[tuple[str, tuple[str, ...]]]:
    """The key of every decision and its options."""
    nodes = []

    def walk(node: PathNode, before: tuple[str, ...]) -> None:
        if isinstance(node, Decision):
            key = ".".join((*before, node.step))
            nodes.append((key, tuple(name for name, _ in node.options)))
            for name, child in node.options:
                walk(child, (*before, name))

    walk(found.model.root, ())
    return nodes


# ---------------------------------------------------------------- the same as the strategy


@pytest.mark.parametrize(("id", "selections", "bet"), ALONE)
def test_the_best_choice_is_what_the_strategy_takes(
    id: str, selections: dict[str, Any], bet: dict[str, Any]
) -> None:
    rules = table(id, **selections)
    found = analyze(rules, bet)
    (key,) = [key for key, _ in _nodes(found)]
    for seat in RANDOM_CLASSES[::3]:
        advice = advise(rules, cards(seat), bet=bet)
        assert advice.best == chosen(found, key, (seat, 0)), cards(seat)


def test_the_best_choice_with_a_card_of_the_bank_in_view() -> None:
    """Every card that may be up, for some seats of California's table."""
    rules = table(CALIFORNIA)
    bet = {"ante": 1, "pair_plus": 1}
    found = analyze(rules, bet)
    rng = random.Random(7)
    for seat in RANDOM_CLASSES[::3]:
        for view in rng.sample(range(49), 12):
            up = (Card(int(REST[seat, view])),)
            advice = advise(rules, cards(seat), shown=up, bet=bet)
            assert advice.best == chosen(found, "play_or_fold", (seat, view)), (seat, up)


def test_the_best_choices_of_let_it_ride() -> None:
    rules = table(LET_IT_RIDE)
    found = analyze(rules)
    first, second = dict.fromkeys(key.split(".")[-1] for key, _ in _nodes(found))
    rng = random.Random(8)
    for seat in RANDOM_CLASSES[::6]:
        before = advise(rules, cards(seat)).best
        assert before == chosen(found, first, (seat, 0))
        for view in rng.sample(range(49), 4):
            up = (Card(int(REST[seat, view])),)
            after = advise(rules, cards(seat), community=up)
            assert after.best == chosen(found, f"{before}.{second}", (seat, view))


def test_suits_do_not_matter() -> None:
    """Every hand of a class gets the same advice."""
    rules = table(MARYLAND)
    seat = int(WEIGHTS.argmin())
    alike = [hand for hand, place in class_of().items() if place == seat]
    assert len(alike) == WEIGHTS[seat]
    assert len({advise(rules, tuple(map(Card, sorted(hand)))) for hand in alike}) == 1


# ---------------------------------------------------------------- the same as the values


def _most(advice: Advice) -> Fraction:
    return max(choice.value for choice in advice.choices)


def lost(found: Analysis, key: str, place: tuple[int, int]) -> Fraction:
    """What the best strategy loses per deal with these cards if one choice is changed."""
    seat, view = place
    best, main = found.solved.choices[0][key], found.model.main
    assert main is not None
    turned, weight, entry = best.copy(), Fraction(int(WEIGHTS[seat]), 22_100), seat
    if len(best) != len(SEATS):
        assert main.counted.where is not None
        entry = int(main.counted.where[seat, view])
        weight *= Fraction(int(main.counted.times[entry]), main.counted.views)
    turned[entry] = 1 - turned[entry]
    choices = [{**found.solved.choices[0], key: turned}]
    cents = found.solved.expected_cents - Solved(found.solved.priced, choices).expected_cents
    return cents / 100 / weight


@pytest.mark.parametrize(("id", "selections", "bet"), ALONE)
def test_a_mistake_costs_what_a_strategy_with_it_loses(
    id: str, selections: dict[str, Any], bet: dict[str, Any]
) -> None:
    rules = table(id, **selections)
    found = analyze(rules, bet)
    if len(found.solved.choices) > 1:  # Where suits are told apart a class has more than one value.
        found = analyze(rules, {name: units for name, units in bet.items() if name == "ante"})
    (key,) = [key for key, _ in _nodes(found)]
    for seat in RANDOM_CLASSES[1::6]:
        cost = max(advise(rules, cards(seat), bet=found.bet).cost.values())
        assert cost * found.bet["ante"] == lost(found, key, (seat, 0))


def test_a_mistake_against_a_card_shown_costs_what_a_strategy_with_it_loses() -> None:
    rules = table(CALIFORNIA)
    found = analyze(rules, {"ante": 1, "pair_plus": 1})
    rng = random.Random(9)
    for seat in RANDOM_CLASSES[::3]:
        for view in rng.sample(range(49), 6):
            up = (Card(int(REST[seat, view])),)
            cost = max(advise(rules, cards(seat), shown=up, bet=found.bet).cost.values())
            assert cost == lost(found, "play_or_fold", (seat, view))


def test_a_mistake_at_either_bet_of_let_it_ride_costs_what_a_strategy_with_it_loses() -> None:
    """With a payout limit, so that the second bet's value depends on the first choice (L6)."""
    rules = table(LET_IT_RIDE, payout_limit=10)
    found = analyze(rules)
    first, second = dict.fromkeys(key.split(".")[-1] for key, _ in _nodes(found))
    rng = random.Random(10)
    hands = ("Ts Th 4c", "2s 2h 2d", "Js Qs Ks")
    for seat in (class_of()[frozenset(parse_cards(hand))] for hand in hands):
        before = advise(rules, cards(seat))
        assert max(before.cost.values()) == lost(found, first, (seat, 0))
        for view in rng.sample(range(49), 4):
            up = (Card(int(REST[seat, view])),)
            cost = max(advise(rules, cards(seat), community=up).cost.values())
            assert cost == lost(found, f"{before.best}.{second}", (seat, view))


@pytest.mark.long
@pytest.mark.parametrize("seat", RANDOM_CLASSES[::3])
def test_the_first_choice_of_let_it_ride_is_worth_what_the_second_will_be(seat: int) -> None:
    """On average over the card that is turned next, with the best choices before and after."""
    rules = table(LET_IT_RIDE)
    after = [
        _most(advise(rules, cards(seat), community=(Card(card),))) for card in REST[seat].tolist()
    ]
    assert _most(advise(rules, cards(seat))) == sum(after, Fraction(0)) / len(after)


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "bet"),
    [
        (MARYLAND, {"ante": 1}),
        (SINGAPORE, {"ante": 1, "pair_plus": 1}),
        (FLORIDA, {"ante": 1, "pair_plus": 1}),
    ],
)
def test_the_best_choices_of_all_hands_add_up_to_the_expected_value(
    id: str, bet: dict[str, int]
) -> None:
    rules = table(id)
    whole = sum(
        int(weight) * _most(advise(rules, cards(seat), bet=bet))
        for seat, weight in enumerate(WEIGHTS)
    )
    assert whole / 22_100 == analyze(rules, bet).expected_value


# ---------------------------------------------------------------- what it says


def test_values_are_in_units_of_the_opening_wager() -> None:
    rules = table(MARYLAND)
    hand = parse_cards("Qs 6d 3c")
    one, ten = (advise(rules, hand, bet={"ante": n, "pair_plus": 2 * n}) for n in (1, 10))
    assert one == ten
    assert one.as_json() == {
        "choices": [
            {"choice": "play", "value": str(one.choices[0].value)},
            {"choice": "fold", "value": "-3"},
        ],
        "best": "fold",
    }


def test_a_mistake_costs_the_difference() -> None:
    found = advise(table(MARYLAND), parse_cards("Qs 6d 3c"))
    values = {choice.name: choice.value for choice in found.choices}
    assert found.cost == {"play": values["fold"] - values["play"], "fold": 0}


def test_a_meter_counts() -> None:
    """The meter raises the value of a mini royal of spades, and of no other hand."""
    rules = table(MARYLAND, progressive="B")
    bet = {"ante": 1, "progressive": 1}
    for hand, more in (("As Ks Qs", 1000), ("Ah Kh Qh", 0)):
        values = [
            advise(rules, parse_cards(hand), bet=bet, meters={"progressive": meter}).choices[0]
            for meter in (1000, 2000)
        ]
        assert values[1].value - values[0].value == more


@pytest.mark.parametrize(
    ("id", "seen", "message"),
    [
        (MARYLAND, {"cards": "Qs 6d"}, "cards: a seat has 3 cards, not 2"),
        (MARYLAND, {"cards": "Qs 6d 6d"}, "cards: 6d appears twice"),
        (CALIFORNIA, {"shown": "Qs"}, "cards: Qs appears twice"),
        (CALIFORNIA, {}, "shown: the cards up at a decision are 1 card of Player/dealer"),
        (CALIFORNIA, {"shown": "Kd Kh"}, "shown: the cards up at a decision are 1 card"),
        (MARYLAND, {"shown": "Kd"}, "shown: the cards up at a decision are none but the seat's"),
        (MARYLAND, {"community": "Kd"}, "community: the cards up at a decision are none but"),
        (LET_IT_RIDE, {"shown": "Kd"}, "shown: the cards up at a decision are none but"),
        (LET_IT_RIDE, {"community": "Kd Kh"}, "community: the cards up at a decision are none"),
        (MARYLAND, {"bet": {"pair_plus": 1}}, "bet: there is nothing to decide with this bet"),
    ],
)
def test_cards_that_nobody_can_see_are_refused(id: str, seen: dict[str, Any], message: str) -> None:
    more: dict[str, Any] = {"cards": "Qs 6d 3c", **seen}
    more = {k: parse_cards(v) if isinstance(v, str) else v for k, v in more.items()}
    with pytest.raises(UserError) as caught:
        advise(table(id), **more)
    assert str(caught.value).startswith(message)
