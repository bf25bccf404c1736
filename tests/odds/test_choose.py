"""Selections that meet a target: each gives the edge it claims, and none is missed."""

from fractions import Fraction
from typing import Any

import pytest

from croupier.errors import Breaches, UserError
from croupier.odds.analysis import analyze, on_its_own
from croupier.odds.choose import Chosen, choose
from croupier.rules.resolve import resolve
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book

ALL = (Fraction(-1000), Fraction(1000))


def percents(low: str, high: str) -> tuple[Fraction, Fraction]:
    return Fraction(low) / 100, Fraction(high) / 100


def check_chosen(id: str, wager: str, found: tuple[Chosen, ...]) -> None:
    """Every result claims the edge that its selections give when they are resolved again."""
    assert len({repr(one.selections) for one in found}) == len(found)
    for one in found:
        rules = resolve(book(id), one.selections)
        assert on_its_own(rules, wager).house_edge == one.analysis.house_edge


@pytest.mark.parametrize(
    ("id", "wager", "letters"),
    [
        (MARYLAND, "pair_plus", "ABCDE"),
        (MARYLAND, "progressive", "ABC"),
        (MARYLAND, "six_card_bonus", "ABCDEF"),
        (MARYLAND, "five_card_progressive", "ABC"),
        (LET_IT_RIDE, "let_it_ride", "ABC"),
        (LET_IT_RIDE, "five_card_bonus", "ABCDEFG"),
        (LET_IT_RIDE, "three_card_bonus", "ABC"),
        (LET_IT_RIDE, "six_card_bonus", "AB"),
        (LET_IT_RIDE, "progressive", "ABCDEF"),
        (SINGAPORE, "pair_plus", "A"),
        (CALIFORNIA, "pair_plus", "A"),
    ],
)
def test_every_letter_is_tried(id: str, wager: str, letters: str) -> None:
    """For any range, the results are exactly the letters whose edge lies in it."""
    edges = {
        letter: analyze(resolve(book(id), {wager: letter}), {wager: 1}).house_edge
        for letter in letters
    }
    assert {*letters} == {*book(id).rules.selection[wager].letters} - {"none"}
    every = sorted(edges.values())
    for bounds in ((every[0], every[-1]), (every[0], every[0]), (every[-1], Fraction(9))):
        found = choose(book(id), wager, bounds)
        check_chosen(id, wager, found)
        default = book(id).rules.selection[wager].default
        chosen = {str(one.selections.get(wager, default)) for one in found}
        assert chosen == {name for name, edge in edges.items() if bounds[0] <= edge <= bounds[1]}


def test_a_bonus_on_the_wager_is_tried_and_so_are_versions() -> None:
    """12.B has three letters, 12.C none; a version other than the standard uses 12.C (M3)."""
    found = choose(book(MARYLAND), "ante", ALL)
    check_chosen(MARYLAND, "ante", found)
    tried = [dict(one.selections) for one in found]
    assert {} in tried
    assert {"ante_bonus": "B"} in tried
    assert {"version": "7.G(1)"} in tried
    assert not any({"ante_bonus", "version"} <= selections.keys() for selections in tried)
    assert len({one.analysis.house_edge for one in found}) == 4


def test_the_nearest_to_the_middle_comes_first() -> None:
    found = choose(book(MARYLAND), "pair_plus", percents("2", "8"))
    distance = [abs(one.analysis.house_edge - Fraction(5, 100)) for one in found]
    assert distance == sorted(distance)
    assert len(found) == 5


def test_payouts_that_the_house_may_amend_are_tried() -> None:
    """The designated-player book: two payouts changed at most, each hand above the next."""
    low, high = percents("6", "6.5")
    found = choose(book(FLORIDA), "pair_plus", (low, high))
    assert len(found) > 20
    check_chosen(FLORIDA, "pair_plus", found)
    posted = [str(row.to) for row in resolve(book(FLORIDA), {}).paytables["pair_plus"].rows]
    for one in found:
        assert low <= one.analysis.house_edge <= high
        amended = one.selections.get("pair_plus")
        if amended is not None:
            payouts = [*amended.values()]
            changed = [to for to, by_book in zip(payouts, posted, strict=True) if to != by_book]
            assert len(changed) == one.changes <= 2
            assert [*map(Fraction, payouts)] == sorted(map(Fraction, payouts), reverse=True)
    changes = [one.changes for one in found]
    assert changes == sorted(changes)


def test_both_ways_of_settling_a_beaten_pair_plus_are_tried() -> None:
    given: dict[str, Any] = {"pair_plus": {"straight flush": 40, "pair": 1}}
    found = choose(book(FLORIDA), "pair_plus", ALL, given=given)
    assert [dict(one.selections) for one in found] in (
        [{}, {"pair_plus_when_beaten": "push"}],
        [{"pair_plus_when_beaten": "push"}, {}],
    )


def test_given_selections_are_kept() -> None:
    found = choose(book(MARYLAND), "ante", ALL, given={"version": "7.G(2)"})
    assert [dict(one.selections) for one in found] == [{}]
    assert found[0].analysis.rules.selections["version"] == "7.G(2)"


def test_a_range_that_nothing_meets_gives_an_empty_answer() -> None:
    assert choose(book(MARYLAND), "pair_plus", percents("2.4", "2.5")) == ()


def test_a_meter_without_a_reset_must_be_declared() -> None:
    """S6."""
    with pytest.raises(UserError, match="meter progressive: has no reset"):
        choose(book(SINGAPORE), "progressive", ALL)
    (found,) = choose(book(SINGAPORE), "progressive", ALL, given={"progressive_reset": 20_000})
    assert found.analysis.meters == {"progressive": 20_000}


@pytest.mark.parametrize("wager", ["play", "envy", "insurance", ""])
def test_only_wagers_made_before_the_deal_can_be_chosen_for(wager: str) -> None:
    with pytest.raises(UserError, match="is not a wager that these selections can offer"):
        choose(book(MARYLAND), wager, ALL)


def test_given_selections_that_break_the_rules_are_refused() -> None:
    with pytest.raises(Breaches):
        choose(book(MARYLAND), "ante", ALL, given={"decks": 3})
