"""Named strategies compared with the best one, and with rules that are one step off."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from croupier.cards import Card
from croupier.errors import UserError
from croupier.hands.arrays import three_cards
from croupier.hands.hand import Hand
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.seats import SEATS
from croupier.odds.solve import Choices, Solved
from croupier.rules.table_rules import TableRules
from tests.odds.bets import table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

CONTESTED = (MARYLAND, SINGAPORE, CALIFORNIA, FLORIDA)
BETS: list[tuple[str, dict[str, int], dict[str, Any]]] = [
    (MARYLAND, {"ante": 1}, {}),
    (MARYLAND, {"ante": 1, "pair_plus": 5}, {}),
    (MARYLAND, {"ante": 1, "five_card_progressive": 1}, {"five_card_progressive": "B"}),
    (MARYLAND, {"ante": 1}, {"version": "7.G(1)"}),
    (SINGAPORE, {"ante": 1, "pair_plus": 1}, {}),
    (CALIFORNIA, {"ante": 1}, {}),
    (CALIFORNIA, {"ante": 1, "pair_plus": 3}, {}),
    (FLORIDA, {"ante": 1, "pair_plus": 1}, {}),
    (FLORIDA, {"ante": 1, "pair_plus": 1}, {"pair_plus_when_beaten": "push"}),
    (LET_IT_RIDE, {"let_it_ride": 1}, {}),
    (LET_IT_RIDE, {"let_it_ride": 10}, {"let_it_ride": "B", "payout_limit": 500}),
]
NAMED = ("always {most}", "always {least}", "mimic the dealer", "Q-6-4", "A-2-3", "2-2-2", "5-3-2")


def names(rules: TableRules) -> dict[str, str]:
    step = next(step for step in rules.steps.values() if step.do == "decide")
    first, second = step.option
    return {"most": first, "least": second}


@pytest.mark.parametrize(("id", "bet", "selections"), BETS)
@pytest.mark.parametrize("named", NAMED)
def test_no_named_strategy_beats_the_best_one(
    id: str, bet: dict[str, int], selections: dict[str, Any], named: str
) -> None:
    rules = table(id, **selections)
    said = named.format(**names(rules))
    if said.startswith("mimic") and id == LET_IT_RIDE:
        with pytest.raises(UserError, match="there is no bank's hand to mimic"):
            analyze(rules, bet, strategy=said)
        return
    best, other = analyze(rules, bet), analyze(rules, bet, strategy=said)
    assert other.expected_value <= best.expected_value


@pytest.mark.parametrize(("id", "bet", "selections"), BETS)
def test_changing_any_one_choice_gains_nothing(
    id: str, bet: dict[str, int], selections: dict[str, Any]
) -> None:
    """Change one entry of the best strategy at a time; the value never rises."""
    found = analyze(table(id, **selections), bet)
    rng = np.random.default_rng(len(bet))
    for number, chosen in enumerate(found.solved.choices):
        for key, best in chosen.items():
            for entry in rng.choice(len(best), 12, replace=False):
                turned = best.copy()
                turned[entry] = 1 - turned[entry]
                other = [*found.solved.choices]
                other[number] = {**chosen, key: turned}
                assert Solved(found.solved.priced, other).value <= found.solved.value


def test_the_best_strategy_given_as_choices_is_worth_the_same() -> None:
    for id, bet, selections in BETS:
        found = analyze(table(id, **selections), bet)
        again = Solved(found.solved.priced, found.solved.choices)
        assert again.value == found.solved.value
        if found.model.side is None:
            assert again.nets == found.solved.nets


def stronger(hand: str, steps: int) -> str:
    """Name the hand so many steps above another in the order of hands."""
    strengths, first = np.unique(three_cards(SEATS), return_index=True)
    examples = [Hand(tuple(map(Card, SEATS[place].tolist()))) for place in first]
    shorts = [example.short for example in examples]
    assert len(strengths) == len(shorts)
    return shorts[shorts.index(hand) + steps]


def test_a_rule_one_step_off_costs_something() -> None:
    rules = table(MARYLAND)
    best = analyze(rules).expected_value
    assert analyze(rules, strategy="Q-6-4").expected_value == best
    assert (stronger("Q-6-4", -1), stronger("Q-6-4", 1)) == ("Q-6-3", "Q-6-5")
    for steps in (-2, -1, 1, 2):
        assert analyze(rules, strategy=stronger("Q-6-4", steps)).expected_value < best


@pytest.mark.parametrize("id", [MARYLAND, SINGAPORE])
@pytest.mark.parametrize("said", ["best", " Best ", "BEST"])
def test_the_best_strategy_can_be_named(id: str, said: str) -> None:
    found = analyze(table(id), strategy=said)
    assert found.expected_value == analyze(table(id)).expected_value
    assert found.strategy == ("Play Q-6-4 or better.",)


@pytest.mark.parametrize("id", CONTESTED)
def test_mimicking_the_bank_plays_the_hands_that_qualify(id: str) -> None:
    """Every hand that is queen high or better is played, and no other."""
    found = analyze(table(id), strategy="mimic the dealer")
    (choices,) = found.solved.choices
    expected = [Hand.of(seat).is_at_least_high(10) for seat in SEATS.tolist()]
    assert by_seat(found, choices) == expected
    assert {sentence.split()[-3] for sentence in found.strategy} == {"Q-3-2"}


def by_seat(found: Analysis, choices: Choices) -> list[bool]:
    """Return the option that every class of seats takes, whatever card it sees."""
    (best,) = choices.values()
    main = found.model.main
    assert main is not None
    if len(best) == len(SEATS):
        return [bool(choice) for choice in best]
    whole = np.add.reduceat(best * main.counted.times, main.counted.first)
    assert set(whole.tolist()) <= {0, main.counted.views}
    return [bool(choice) for choice in whole]


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("Q-6-4", "q-6-4 or better"),
        ("10-9-2", "T-9-2"),
        ("2-A-3", "3-2-A"),
        ("always play", "Always PLAY"),
        ("mimic", "Mimic the dealer"),
    ],
)
def test_a_strategy_may_be_written_in_more_than_one_way(said: str, same: str) -> None:
    values = {analyze(table(MARYLAND), strategy=text).expected_value for text in (said, same)}
    assert len(values) == 1


def test_an_option_goes_by_its_label_too() -> None:
    """Let It Ride's book says pull where the round file says withdraw."""
    rules = table(LET_IT_RIDE)
    pull, withdraw = (analyze(rules, strategy=f"always {word}") for word in ("pull", "withdraw"))
    assert pull.expected_value == withdraw.expected_value
    assert pull.average_wagered == 1


def test_always_folding_loses_the_ante() -> None:
    found = analyze(table(MARYLAND), strategy="always fold")
    assert found.expected_value == -1
    assert found.distribution == ((Fraction(-1), Fraction(1)),)
    assert found.average_wagered == 1
    assert found.strategy == ("Fold every hand.",)


@pytest.mark.parametrize(
    ("id", "bet", "said", "message"),
    [
        (MARYLAND, {"pair_plus": 1}, "always play", "there is nothing to decide with this bet"),
        (MARYLAND, None, "always raise", "'raise' is no option; there are fold, play"),
        (
            LET_IT_RIDE,
            None,
            "always fold",
            r"'fold' is no option; there are withdraw \(Pull\), ride \(Let it ride\)",
        ),
        (MARYLAND, None, "Q-6", "'Q-6' is not one of best, always OPTION"),
        (MARYLAND, None, "Q-6-1", "'Q-6-1' is not one of best"),
        (MARYLAND, None, "", "'' is not one of best"),
        (MARYLAND, None, "worst", "'worst' is not one of best"),
    ],
)
def test_bad_strategies_are_refused(
    id: str, bet: dict[str, int] | None, said: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        analyze(table(id), bet, strategy=said)
