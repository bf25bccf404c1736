"""Settle round files held in memory: find the table rules, play the round.

The format is described in docs/round-files.md; the data may come from TOML, JSON or a program.
"""

import json
from collections.abc import Mapping
from typing import Any, get_args

from croupier.errors import UserError
from croupier.recent import Recent
from croupier.round.file import Played, parse_round, play_file
from croupier.round.result import result_of
from croupier.rules.load import Folders, load
from croupier.rules.playable import DEALING
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import DealingWay
from croupier.rules.words import listed


def settle(data: Mapping[str, Any], folders: Folders = ()) -> dict[str, Any]:
    """Settle one round and return what `croupier settle --json` prints.

    To settle many rounds, keep a `Settler`: it reads each rulebook once.
    """
    return Settler(folders).settle(data)


RULES_MAX = 1_000
"""How many tables' rules are cached, at about 20 kB each."""


class Settler:
    """Settles rounds, and caches the rulebooks and table rules that they name."""

    def __init__(self, folders: Folders = ()) -> None:
        self.folders = folders
        self._books: dict[str, Rulebook] = {}
        self._rules: Recent[str, TableRules] = Recent(RULES_MAX)

    def settle(self, data: Any) -> dict[str, Any]:
        return result_of(self.played(data))

    def played(self, data: Any) -> Played:
        """Play one round to its end."""
        if not isinstance(data, dict):
            raise UserError("must be a table", field="round")
        try:
            rules = self._table_rules(data)
            return play_file(rules, parse_round(rules, data))
        except RecursionError:
            raise UserError("is nested too deeply", field="round") from None

    def selections(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return a round's selections, with its dealing procedure if the book offers several."""
        book, selections = self._book(data), data.get("selections", {})
        if not isinstance(selections, dict):
            raise UserError("must be a table", field="selections")
        selections, dealing = _dealing(book, selections, data)
        if not _may_choose_dealing(book, selections):
            return selections
        if dealing is not None:
            return {**selections, DEALING: dealing}
        if "deck" in data and len(book.rules.selection[DEALING].option) > 1:
            ways = listed(list(book.rules.selection[DEALING].option), last="or")
            raise UserError(f"is missing: a deck is dealt by {ways}", field=DEALING)
        return selections

    def _book(self, data: dict[str, Any]) -> Rulebook:
        id = data.get("rulebook")
        if not isinstance(id, str):
            raise UserError("must name a rulebook by its id", field="rulebook")
        if id not in self._books:
            self._books[id] = load(id, self.folders)
        return self._books[id]

    def _table_rules(self, data: dict[str, Any]) -> TableRules:
        book, selections = self._book(data), self.selections(data)
        key = json.dumps([book.id, selections], default=str, sort_keys=True)
        return self._rules.get_or_make(key, lambda: resolve(book, selections))


def _dealing(
    book: Rulebook, selections: dict[str, Any], data: dict[str, Any]
) -> tuple[dict[str, Any], Any]:
    """Return the selections without the dealing, and the dealing, wherever the file states it."""
    option = book.rules.selection[DEALING].option if DEALING in book.rules.selection else {}
    words = (*get_args(DealingWay), *option)
    given = {"": data, "selections.": selections}
    found = {at + DEALING: table[DEALING] for at, table in given.items() if DEALING in table}
    for field, word in found.items():
        if word not in words:
            message = f"must be {listed(list(get_args(DealingWay)), last='or')}"
            raise UserError(message, field=field, clause=_cited(book, DEALING))
    ways = list(found.values())
    if ways and ways.count(ways[0]) != len(ways):
        raise UserError("is not what the selections say", field=DEALING)
    rest = {name: value for name, value in selections.items() if name != DEALING}
    return rest, ways[0] if ways else None


def _cited(book: Rulebook, name: str) -> str | None:
    selection = book.rules.selection.get(name)
    return selection.clause if selection else None


def _may_choose_dealing(book: Rulebook, selections: dict[str, Any]) -> bool:
    """Whether the book has several dealing procedures, and no other selection settles which."""
    return DEALING in book.rules.selection and not any(
        f"selection.{DEALING}.fixed" in choice.sets
        for name, selection in book.rules.selection.items()
        for option, choice in selection.option.items()
        if option == str(selections.get(name, selection.default))
    )
