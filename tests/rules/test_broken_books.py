"""Worked rounds show clauses: each comes out differently once the clause is broken in its book.

tests/data/broken-books.toml says how each book is broken; docs/clauses.md names the rounds.
"""

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from croupier.errors import UserError
from croupier.round.file import parse_round, play_file
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.rules.check import read
from croupier.rules.overlay import Data, keys_of
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from tests.rules.books import DATA, ROOT, book

BROKEN = tomllib.loads((DATA / "broken-books.toml").read_text(), parse_float=Decimal)["broken"]
CASES = [
    pytest.param(one, name, id=f"{one['says']} {name}") for one in BROKEN for name in one["rounds"]
]


def changed(data: Data, sets: Mapping[str, Any]) -> Data:
    """A copy of a book's data with each path set; a number counts the items of a list."""
    data = deepcopy(data)
    for path, value in sets.items():
        *way, last = keys_of(path)
        table: Any = data
        for key in way:
            table = table[int(key)] if isinstance(table, list) else table[key]
        assert table.get(last) != value, f"{path} is so already"
        table[last] = value
    return data


def broken_book(one: dict[str, Any]) -> Rulebook:
    data = changed(book(one["book"]).data, one["sets"])
    rules, faults = read(data)
    assert rules is not None and not faults
    return Rulebook(one["book"], data, rules)


def settled(rulebook: Rulebook, data: dict[str, Any]) -> dict[str, Any]:
    """Settle a round by a book, and leave out the clauses that its lines cite."""
    rules = resolve(rulebook, Settler().selections(data))
    result = result_of(play_file(rules, parse_round(rules, data)))
    for seat in result["seats"]:
        for line in seat["lines"]:
            del line["clause"], line["ruling"]
    return result


def round_of(one: dict[str, Any], name: str) -> dict[str, Any]:
    file = ROOT / "tests/rounds" / one["book"] / f"{name}.toml"
    data = tomllib.loads(file.read_text(), parse_float=Decimal)
    return {key: value for key, value in data.items() if key not in ("says", "cites", "expect")}


@pytest.mark.parametrize(("one", "name"), CASES)
def test_a_worked_round_comes_out_otherwise_once_the_clause_is_broken(
    one: dict[str, Any], name: str
) -> None:
    data = round_of(one, name)
    told, rulebook = settled(book(one["book"]), data), broken_book(one)
    if one.get("refused"):
        with pytest.raises(UserError):
            settled(rulebook, data)
    else:
        assert settled(rulebook, data) != told
