"""Finds selections that meet a target: the paytables, options or payouts for a house edge."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from croupier.errors import Breaches, UserError
from croupier.odds.analysis import Analysis, on_its_own
from croupier.odds.bets import offered
from croupier.rules.book import Selection
from croupier.rules.game import Row
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import NONE
from croupier.rules.words import number

Edges = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Selections that meet the target, and the analysis of the wager under them."""

    selections: Mapping[str, Any]
    analysis: Analysis
    changes: int
    """How many payouts differ from the book's."""


def choose(
    book: Rulebook, wager: str, edges: Edges, *, given: Mapping[str, Any] | None = None
) -> tuple[Chosen, ...]:
    """Return all selections that bring a wager's house edge between two bounds.

    Tries every combination of paytables and options that concern the wager. Where the book lets the
    house amend a paytable, payouts are tried too, at most two of them changed.
    """
    fixed = dict(given or {})
    found: dict[str, Chosen] = {}
    known = False
    for tried in _combinations(book, wager, fixed):
        try:
            rules = resolve(book, {**fixed, **tried})
        except Breaches:
            if not tried:
                raise
            continue
        if wager not in offered(rules):
            continue
        known = True
        for chosen in _of(book, rules, (wager, tried), fixed=fixed):
            if edges[0] <= chosen.analysis.house_edge <= edges[1]:
                found.setdefault(repr(chosen.selections), chosen)
    if not known:
        raise UserError("is not a wager that these selections can offer", field=f"wager {wager}")
    middle = sum(edges) / 2
    order = sorted(found.values(), key=lambda c: (c.changes, abs(c.analysis.house_edge - middle)))
    return tuple(order)


def _combinations(book: Rulebook, wager: str, fixed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the selections that concern a wager."""
    concerned = {
        name: values
        for name, selection in book.rules.selection.items()
        if name not in fixed and (values := _values(book, wager, selection))
    }
    for picked in product(*concerned.values()):
        tried = dict(zip(concerned, picked, strict=True))
        yield {
            name: value
            for name, value in tried.items()
            if value != book.rules.selection[name].default
        }


def _values(book: Rulebook, wager: str, selection: Selection) -> list[Any]:
    """Return the possible values of a selection that concerns the wager."""
    rules = book.rules
    on = [bonus for bonus in rules.bonus.values() if bonus.on == wager]
    families = {bonus.paytable for bonus in on}
    if wager in rules.wager and (family := rules.wager[wager].paytable):
        families.add(family)
    if selection.takes == "paytable" and selection.family in families:
        return [letter for letter in selection.letters if letter != NONE]
    if selection.takes == "option":
        paths = [f"wager.{wager}.settle"]
        paths += [f"selection.{n}" for n, s in rules.selection.items() if s.family in families]
        sets = [path for option in selection.option.values() for path in option.sets]
        if any(path.startswith(start) for path in sets for start in paths):
            return list(selection.option)
    return []


def _of(
    book: Rulebook,
    rules: TableRules,
    tried: tuple[str, dict[str, Any]],
    *,
    fixed: Mapping[str, Any],
) -> Iterator[Chosen]:
    """Yield the selections unchanged, and with amended payouts where the book allows them."""
    wager, selections = tried
    yield Chosen(selections, on_its_own(rules, wager), 0)
    family = rules.wagers[wager].paytable
    settled = {*selections, *fixed}
    for name, selection in book.rules.selection.items():
        if selection.amends and selection.family == family and name not in settled and family:
            for rows, changes in _amended(rules.paytables[family].rows):
                table = replace(rules.paytables[family], rows=rows)
                other = replace(rules, paytables={**rules.paytables, family: table})
                payouts = {row.hand: number(row.to or Fraction(0)) for row in rows}
                found = on_its_own(other, wager)
                yield Chosen({**selections, name: payouts}, found, changes)


def _amended(rows: tuple[Row, ...]) -> Iterator[tuple[tuple[Row, ...], int]]:
    """Yield the rows with one or two other payouts, every hand still paying more than the next."""
    for count in (1, 2):
        for places in combinations(range(len(rows)), count):
            for payouts in product(*(_payouts(rows, place) for place in places)):
                changed = list(rows)
                for place, to in zip(places, payouts, strict=True):
                    changed[place] = replace(rows[place], to=Fraction(to))
                paid = [row.to or 0 for row in changed]
                if paid == sorted(paid, reverse=True):
                    yield tuple(changed), count


def _payouts(rows: tuple[Row, ...], place: int) -> list[int]:
    """Return other payouts for a row: near its own, in fives above ten."""
    own = int(rows[place].to or 0)
    step = 1 if own <= 10 else 5 if own <= 60 else 25
    return [to for to in range(max(1, own - 4 * step), own + 4 * step + 1, step) if to != own]
