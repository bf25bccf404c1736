"""The ways through a round, read off the steps of each book."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from croupier.odds.paths import Decision, Laid, Path, decisions, leaves, tree
from croupier.rules.table_rules import TableRules
from tests.odds.bets import table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

ONE = Fraction(1)


def paths(rules: TableRules, *wagers: str) -> dict[tuple[str, ...], Path]:
    """The paths of a seat with a unit on each of some wagers, by what it chose."""
    return {path.chose: path for path in leaves(tree(rules, dict.fromkeys(wagers, ONE)))}


def fates(stakes: Mapping[str, Laid]) -> dict[str, str]:
    return {spot: stake.fate for spot, stake in stakes.items()}


@pytest.mark.parametrize(
    ("id", "sees"),
    [(MARYLAND, {}), (SINGAPORE, {}), (FLORIDA, {}), (CALIFORNIA, {"bank": 1})],
)
def test_a_seat_folds_or_plays(id: str, sees: dict[str, int]) -> None:
    """Only California turns a card of the bank before the decision (C5)."""
    root = tree(table(id), {"ante": ONE})
    assert isinstance(root, Decision)
    assert [name for name, _ in root.options] == ["fold", "play"]
    assert root.sees == sees
    found = paths(table(id), "ante")
    assert fates(found["fold",].stakes) == {"ante": "forfeit"}
    assert found["play",].stakes == {"ante": Laid(100), "play": Laid(100)}
    assert (found["fold",].folded, found["play",].folded) == (True, False)
    assert (found["fold",].wagered, found["play",].wagered) == (100, 200)


@pytest.mark.parametrize(
    ("id", "wager", "fate"),
    [
        (MARYLAND, "pair_plus", "forfeit"),  # 11.C(1)
        (SINGAPORE, "pair_plus", "live"),  # S2
        (CALIFORNIA, "pair_plus", "forfeit"),  # C4
        (FLORIDA, "pair_plus", "forfeit"),
    ],
)
def test_what_folding_does_to_a_side_wager(id: str, wager: str, fate: str) -> None:
    found = paths(table(id), "ante", wager)
    assert fates(found["fold",].stakes) == {"ante": "forfeit", wager: fate}
    assert fates(found["play",].stakes) == {"ante": "live", wager: "live", "play": "live"}


def test_folding_never_costs_the_six_card_bonus() -> None:
    """M4; both progressives go."""
    rules = table(MARYLAND, six_card_bonus="A", progressive="A", five_card_progressive="A")
    wagers = ("ante", "pair_plus", "progressive", "five_card_progressive", "six_card_bonus")
    found = fates(paths(rules, *wagers)["fold",].stakes)
    assert [wager for wager in wagers if found[wager] == "live"] == ["six_card_bonus"]


def test_let_it_ride_asks_twice_and_shows_one_card_between() -> None:
    root = tree(table(LET_IT_RIDE), {"let_it_ride": Fraction(5, 2)})
    asked = [(decision.step, dict(decision.sees)) for decision in decisions(root)]
    assert [sees for _, sees in asked] == [{}, {"community": 1}, {"community": 1}]
    found = paths(table(LET_IT_RIDE), "let_it_ride")
    assert {chose: path.wagered for chose, path in found.items()} == {
        ("withdraw", "withdraw"): 100,
        ("withdraw", "ride"): 200,
        ("ride", "withdraw"): 200,
        ("ride", "ride"): 300,
    }
    assert fates(found["withdraw", "ride"].stakes) == {
        "bet_1": "take back",
        "bet_2": "live",
        "bet_3": "live",
    }


def test_an_option_that_wagers_less_comes_first() -> None:
    """Of two options worth the same, the first is taken: the one that wagers less."""
    for id, wager in ((MARYLAND, "ante"), (CALIFORNIA, "ante"), (LET_IT_RIDE, "let_it_ride")):
        for decision in decisions(tree(table(id), {wager: ONE})):
            least = [min(p.wagered for p in leaves(child)) for _, child in decision.options]
            assert least == sorted(least)


@pytest.mark.parametrize(
    ("id", "wager", "selections"),
    [
        (MARYLAND, "pair_plus", {}),  # M12
        (MARYLAND, "progressive", {"progressive": "A"}),
        (SINGAPORE, "progressive", {}),
        (LET_IT_RIDE, "three_card_bonus", {"three_card_bonus": "A"}),
    ],
)
def test_a_side_wager_alone_asks_for_no_decision(
    id: str, wager: str, selections: dict[str, str]
) -> None:
    root = tree(table(id, **selections), {wager: ONE})
    assert isinstance(root, Path)
    assert fates(root.stakes) == {wager: "live"}
    assert list(decisions(root)) == []


def test_stakes_are_exact_cents() -> None:
    root = tree(table(MARYLAND), {"ante": Fraction(1, 3)})
    assert {p.stakes["ante"].cents for p in leaves(root)} == {Fraction(100, 3)}
    whole = next(leaves(tree(table(MARYLAND), {"ante": Fraction(5, 2)}))).stakes["ante"].cents
    assert (whole, type(whole)) == (250, int)
