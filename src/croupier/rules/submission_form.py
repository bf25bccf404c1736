"""A blank rules submission: every selection explained, every line of the checklist."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import tomli_w

from croupier.rules.book import Rules
from croupier.rules.present import may_be
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.submission import must_state
from croupier.rules.table_rules import fits
from croupier.rules.words import plain, where


def new_submission(book: Rulebook) -> str:
    """Write a submission with every selection at its default and the checklist unticked."""
    return "\n".join(_lines(book)) + "\n"


def _lines(book: Rulebook) -> Iterator[str]:
    rules = book.rules
    yield f"# A rules submission for {rules.title}."
    yield from _comment(rules.source)
    yield _toml("rulebook", book.id)
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
        yield _selection(rules, name, defaults)
    yield ""
    yield "[checklist]"
    for name, clause in book.clauses.items():
        if clause.kept == "declared":
            asked = fits(clause.if_, defaults)
            yield ""
            yield from _comment(
                clause.says if asked else f"{_capital(where(clause.if_))}: {clause.says}"
            )
            yield f'{"" if asked else "# "}"{name}" = false'


def _selection(rules: Rules, name: str, defaults: Mapping[str, Any]) -> str:
    selection = rules.selection[name]
    if selection.default is not None:
        value = plain(selection.default) if name not in defaults else defaults[name]
        return _toml(name, value)
    if must_state(rules, name, {}):
        return f"# {name} =    (must be declared)"
    if selection.required and selection.of:
        return f"# {name} =    (must be declared if {rules.wager[selection.of].label} is offered)"
    return f"# {name} ="


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 96, initial_indent="# ", subsequent_indent="# ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _toml(name: str, value: Any) -> str:
    return tomli_w.dumps({name: value}).rstrip()
