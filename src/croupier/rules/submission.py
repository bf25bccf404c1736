"""A rules submission: the operator's selections and the checklist of what the book asks to have.

The file is TOML: `rulebook`, `[selections]`, and `[checklist]` with a line for every declared
clause. `new` writes one with every choice explained; `check` finds every breach.
"""

import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from croupier.errors import Breach, Breaches, UserError
from croupier.rules.present import may_be
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules, fits
from croupier.rules.words import plain

_KEYS = ("rulebook", "selections", "checklist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What an operator hands in."""

    rulebook: str
    selections: Mapping[str, Any]
    checklist: Mapping[str, Any]


def parse_submission(text: str) -> Submission:
    """Read a submission; what it says of the book is checked by `breaches`."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"is not TOML: {error}", field="submission") from None
    for key in data.keys() - set(_KEYS):
        raise UserError(f"unknown key; a submission has {', '.join(_KEYS)}", field=key)
    if not isinstance(data.get("rulebook"), str):
        raise UserError("must name a rulebook by its id", field="rulebook")
    tables = {key: data.get(key, {}) for key in _KEYS[1:]}
    for key, table in tables.items():
        if not isinstance(table, dict):
            raise UserError("must be a table", field=key)
    return Submission(rulebook=data["rulebook"], **tables)


def breaches(book: Rulebook, submission: Submission) -> tuple[Breach, ...]:
    """Return every way in which a submission breaks its book."""
    found = list(_undeclared(book, submission))
    values: Mapping[str, Any] = {**resolve(book).selections, **submission.selections}
    try:
        rules = resolve(book, submission.selections)
    except Breaches as broken:
        found += broken.breaches
    else:
        found += _unfunded(rules)
        values = rules.selections
    found += _unticked(book, submission.checklist, values)
    return (*found, *_unknown(book, submission.checklist))


def _undeclared(book: Rulebook, submission: Submission) -> Iterator[Breach]:
    for name, selection in book.rules.selection.items():
        if selection.required and selection.default is None and name not in submission.selections:
            message = f"must be declared: {selection.says}"
            yield Breach(selection=name, message=message, clause=selection.clause)


def _unfunded(rules: TableRules) -> Iterator[Breach]:
    """A meter without a rate or a reset cannot run, where the book sets neither."""
    for meter in rules.meters.values():
        cited = next(m for t in rules.paytables.values() for m in t.meters if m.id == meter.id)
        for key, value in (("rate", meter.rate), ("reset", meter.reset)):
            if value is None:
                message = "must be declared: the book sets none"
                name = f"{meter.wager}_{key}"
                yield Breach(selection=name, message=message, clause=cited.clause)


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


def new_submission(book: Rulebook) -> str:
    """Write a submission with every selection at its default and the checklist unticked."""
    return "\n".join(_lines(book)) + "\n"


def _lines(book: Rulebook) -> Iterator[str]:
    rules = book.rules
    yield f"# A rules submission for {rules.title}."
    yield from _comment(rules.source)
    yield f'rulebook = "{book.id}"'
    yield ""
    yield "[selections]"
    defaults = resolve(book).selections
    for name, selection in rules.selection.items():
        ruling = f", ruling {selection.ruling}" if selection.ruling else ""
        yield ""
        yield from _comment(f"{_capital(selection.says)} ({selection.clause}{ruling}).")
        yield from _comment(f"May be: {may_be(rules, name)}.")
        for option, choice in selection.option.items():
            yield from _comment(f"  {option}: {choice.says} ({choice.clause})")
        if selection.default is not None:
            value = plain(selection.default) if name not in defaults else defaults[name]
            yield f"{name} = {_toml(value)}"
        elif selection.required:
            yield f"# {name} =    (must be declared)"
        else:
            yield f"# {name} ="
    yield ""
    yield "[checklist]"
    for name, clause in book.clauses.items():
        if clause.kept == "declared" and fits(clause.if_, defaults):
            yield ""
            yield from _comment(clause.says)
            yield f'"{name}" = false'


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 96, initial_indent="# ", subsequent_indent="# ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _toml(value: Any) -> str:
    """Write a default as TOML; defaults are texts and numbers, which JSON writes alike."""
    return json.dumps(value, ensure_ascii=False)
