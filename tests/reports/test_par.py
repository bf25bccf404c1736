"""A PAR sheet writes what the mathematics found, exactly, and says how to check it."""

import shlex
from fractions import Fraction
from itertools import pairwise

import pytest

from croupier import __version__
from croupier.cli.selections import parse_selections
from croupier.odds.analysis import analyses, analyze
from croupier.odds.pricing import price
from croupier.reports.checks import selection_words
from croupier.reports.par import Priced, WagerSheet, par_of
from croupier.rules.resolve import resolve
from tests.reports.tables import FULL, sheet, table
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)

EXACT = (
    "expected_value", "house_edge", "average_wagered", "element_of_risk", "hit_frequency",
    "variance",
)  # fmt: skip


def wager(id: str, *names: str, full: bool = False) -> WagerSheet:
    return next(one for one in sheet(id, full=full).wagers if one.wagers == names)


@each_book
def test_every_figure_is_the_analysis_s_own(id: str) -> None:
    found = analyses(table(id))
    assert len(found) == len(sheet(id).wagers)
    for one, written in zip(found, sheet(id).wagers, strict=True):
        for name in EXACT:
            assert Fraction(written.exact(name)) == getattr(one, name)
        assert [(Fraction(net.exact_net), Fraction(net.exact)) for net in written.distribution] == [
            *one.distribution
        ]
        assert written.strategy == one.strategy


@each_book
def test_contributions_add_up_to_the_expected_value(id: str) -> None:
    for written in sheet(id).wagers:
        totals = [Fraction(line.total.exact) for line in written.lines]
        assert sum(totals) == Fraction(written.exact("expected_value"))
        assert written.envy == ""
        for line in written.lines:
            assert sum(Fraction(row.exact) for row in line.results) == Fraction(line.total.exact)
            assert sum(row.combinations for row in line.results) == line.of


def test_known_figures_are_written_as_they_are_known() -> None:
    ante = wager(MARYLAND, "ante")
    assert ante.value("house_edge") == "3.3730 %"
    assert ante.value("element_of_risk") == "2.0147 %"
    assert ante.value("standard_deviation") == "1.639253"
    assert ante.value("average_wagered") == "1.674208"
    assert any("Q-6-4" in sentence for sentence in ante.strategy)
    assert wager(LET_IT_RIDE, "let_it_ride").value("house_edge") == "3.5057 %"


def test_volatility_is_reckoned_from_the_exact_deviation() -> None:
    ante = wager(MARYLAND, "ante")
    assert ante.value("volatility") == "2.6964"  # 1.6449 × 1.639253
    assert [spread.rounds for spread in ante.spreads] == ["1,000", "10,000", "100,000", "1,000,000"]
    assert ante.spreads[1].half_width == "2.696 %"  # divided by the root of 10,000
    assert (ante.spreads[1].low, ante.spreads[1].high) == ("0.677 %", "6.069 %")


def test_the_documents_are_named_by_their_digests() -> None:
    par = sheet(MARYLAND)
    assert par.book_digest == book(MARYLAND).digest
    assert par.rules_digest == table(MARYLAND).digest
    assert (par.version, par.date) == (__version__, "")
    assert sheet(CALIFORNIA, date="2026-01-31").date == "2026-01-31"


@each_book
def test_every_selection_is_listed_with_a_clause_or_ruling_of_the_book(id: str) -> None:
    rules = table(id, FULL[id])
    chosen = {one.id: one for one in sheet(id, full=True).selections}
    about = book(id).rules.selection
    assert chosen.keys() == {
        name for name in rules.selections if about[name].of in {None, *rules.wagers}
    }
    known = {*book(id).clauses, *book(id).rules.ruling}  # Limits are by ruling (T7).
    assert [one.id for one in chosen.values() if one.clause not in known] == []
    assert [name for name in FULL[id] if chosen[name].default] == []
    assert all(one.default for one in sheet(id).selections)


def test_an_option_says_what_it_means() -> None:
    beaten = next(s for s in sheet(FLORIDA, full=True).selections if s.value == "push")
    assert (beaten.means, beaten.default) == ("its stake is returned", False)


def test_meters_have_their_break_even() -> None:
    rules = table(SINGAPORE, FULL[SINGAPORE])
    (meter,) = wager(SINGAPORE, "progressive", full=True).meters
    found = analyze(rules, {"progressive": "2.50"}).break_even
    assert found and Fraction(meter.exact) == found["progressive"]
    assert meter.shows == "$50,000.00"
    even = float(Fraction(meter.exact))
    assert [point for point in meter.points if point[0] == even] == [(even, 0.0)]
    assert {point[1] > 0 for point in meter.points if point[0] > even} == {True}


def test_a_wager_without_a_reset_is_said_to_be_left_out() -> None:
    assert sheet(SINGAPORE).left_out == ("Progressive Jackpot",)
    assert sheet(SINGAPORE, full=True).left_out == ()


def test_envy_stands_beside_the_lines() -> None:
    rules = table(SINGAPORE, FULL[SINGAPORE])
    found = Priced(analyses=analyses(rules, others=2), rulings=(), meters={}, others=2)
    written = par_of(book(SINGAPORE), rules, found).wagers[-1]
    lines = sum(Fraction(line.total.exact) for line in written.lines)
    envy = Fraction(written.exact("expected_value")) - lines
    assert envy > 0
    assert written.envy.startswith(f"+{float(envy):.6f}")


@pytest.mark.parametrize("id", [CALIFORNIA, FLORIDA, SINGAPORE])
def test_every_ruling_is_there_with_its_prices(id: str) -> None:
    par = sheet(id)
    assert [ruling.id for ruling in par.rulings] == list(book(id).rules.ruling)
    for written, found in zip(par.rulings, price(book(id)), strict=True):
        assert [one.exact for one in written.readings] == [
            str(one.expected_value) for one in found.readings
        ]
        assert [one.difference == "" for one in written.readings] == [
            one.chosen for one in found.readings
        ]


@each_book
@pytest.mark.parametrize("full", [False, True])
def test_the_commands_select_the_same_table(id: str, full: bool) -> None:
    rules = table(id, FULL[id] if full else {})
    words = list(selection_words(book(id), rules))
    assert bool(words) == full
    assert resolve(book(id), parse_selections(words)).digest == rules.digest


def test_the_commands_can_be_given_to_a_shell() -> None:
    rules = table(FLORIDA, FULL[FLORIDA])
    commands = {
        shlex.split(check.command)[1]: check.command for check in sheet(FLORIDA, full=True).checks
    }
    assert list(commands) == ["rulebooks", "analyze", "simulate", "price"]
    words = shlex.split(commands["analyze"])
    given = [after for word, after in pairwise(words) if word == "--select"]
    assert resolve(book(FLORIDA), parse_selections(given)).digest == rules.digest
