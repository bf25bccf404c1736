"""A rules submission: the operator's selections and the checklist that the book requires.

The file is TOML: `rulebook`, `[selections]`, and `[checklist]` with a line for every declared
clause that the selections bring. `breaches` finds everything that is wrong with one. Defaults are
for rounds only: a submission must state what the book requires the operator to state.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from croupier.errors import Breach, Breaches
from croupier.reading.reader import Text, read
from croupier.reading.toml import parse_toml
from croupier.rules.book import Rules, Selection
from croupier.rules.game import Paytable
from croupier.rules.overlay import keys_of
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.selections import may_be_none
from croupier.rules.table_rules import TableRules, fits
from croupier.rules.vocabulary import NONE
from croupier.rules.words import listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    rulebook: Text
    selections: Mapping[str, Any] = field(default_factory=dict)
    checklist: Mapping[str, Any] = field(default_factory=dict)


def parse_submission(text: str) -> Submission:
    """Read a submission; `breaches` checks it against the book."""
    submission: Submission = read(Submission, parse_toml(text, "submission"))
    return submission


def breaches(book: Rulebook, submission: Submission) -> tuple[Breach, ...]:
    """Return every way in which a submission breaks its book."""
    found = list(_unstated(book.rules, submission.selections))
    try:
        rules = resolve(book, submission.selections)
        values = rules.selections
        found += rules.unapplied
    except Breaches as broken:
        found += broken.breaches
        given = {name: _spelled(value) for name, value in submission.selections.items()}
        values = {**resolve(book).selections, **given}
    found += _unticked(book, submission.checklist, values)
    return (*found, *_unknown(book, submission.checklist))


def submitted(book: Rulebook, selections: Mapping[str, Any]) -> TableRules:
    """Return the table rules that a submission describes, ignoring the checklist."""
    found = [*_unstated(book.rules, selections)]
    try:
        rules = resolve(book, selections)
        found += rules.unapplied
    except Breaches as broken:
        found += broken.breaches
    if found:
        raise Breaches(found)
    return rules


def _spelled(value: object) -> object:
    """Write a number as an option's name: two decks are '2'."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# ---------------------------------------------------------------- what must be stated


def _unstated(rules: Rules, stated: Mapping[str, Any]) -> Iterator[Breach]:
    settled = set(_settled(rules, stated))
    for name, selection in rules.selection.items():
        if name in settled or not must_state(rules, name, stated):
            continue
        if name not in stated:
            or_none = f", or '{NONE}'" if may_be_none(selection) else ""
            message = f"must be declared: {selection.says}{or_none}"
            yield Breach(selection=name, message=message, clause=selection.clause)
        elif left_out := _left_out(_table(rules, selection, stated), stated[name]):
            message = f"must be declared for {listed(left_out)} too: {selection.says}"
            yield Breach(selection=name, message=message, clause=selection.clause)


def must_state(rules: Rules, name: str, stated: Mapping[str, Any]) -> bool:
    """Whether the operator must state a selection, given what else is stated."""
    selection = rules.selection[name]
    match selection.takes:
        case "paytable":
            return selection.required and (len(selection.letters) > 1 or selection.amends)
        case "rate" | "reset" | "initial":
            table = _table(rules, selection, stated)
            return bool(table and table.meters) and (
                selection.required or _sets_none(table, selection.takes)
            )
        case _:
            return selection.required and selection.default is None


def _table(rules: Rules, selection: Selection, stated: Mapping[str, Any]) -> Paytable | None:
    """Return the paytable of the wager that a selection is about, if offered."""
    family = rules.wager[selection.of].paytable if selection.of else None
    tables = rules.paytable.get(family or "", {})
    for name, other in rules.selection.items():
        if other.takes == "paytable" and other.family == family:
            letter = stated.get(name, other.default)
            return tables.get(letter) if isinstance(letter, str) else None
    return next(iter(tables.values()), None)


def _sets_none(table: Paytable | None, takes: str) -> bool:
    """Whether a paytable leaves the rate or the reset of its meters to the operator."""
    if table is None or takes == "initial":
        return False
    if takes == "rate":
        return table.rate is None or table.rate.min is None
    return any(meter.reset is None for meter in table.meters)


def _left_out(table: Paytable | None, given: object) -> list[str]:
    """Return the meters missing from a table of sums."""
    if table is None or not isinstance(given, dict):
        return []
    names = [meter.name or meter.id for meter in table.meters]
    return [name for name in names if name not in given]


def _settled(rules: Rules, stated: Mapping[str, Any]) -> Iterator[str]:
    """Yield the selections settled by the stated options, which need no statement."""
    for name, selection in rules.selection.items():
        choice = selection.option.get(str(stated.get(name, selection.default)))
        for path in choice.sets if choice else ():
            match keys_of(path):
                case ("selection", other, "fixed"):
                    yield other


# ---------------------------------------------------------------- the checklist


def _unticked(
    book: Rulebook, checklist: Mapping[str, Any], values: Mapping[str, Any]
) -> Iterator[Breach]:
    for name, clause in book.clauses.items():
        asked = clause.kept == "declared" and fits(clause.if_, values)
        if asked and checklist.get(name) is not True:
            message = f"is not confirmed: {clause.says}"
            yield Breach(selection=f"checklist.{name}", message=message, clause=name)


def _unknown(book: Rulebook, checklist: Mapping[str, Any]) -> Iterator[Breach]:
    for name, value in checklist.items():
        clause = book.clauses.get(name)
        if clause is None or clause.kept != "declared":
            message = "is not a clause of the checklist"
            yield Breach(selection=f"checklist.{name}", message=message)
        elif not isinstance(value, bool):
            message = "must be true or false"
            yield Breach(selection=f"checklist.{name}", message=message, clause=name)
