"""A rulebook, read from its file and checked."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from croupier.errors import Problem, Problems
from croupier.reading.reader import Fault
from croupier.reading.toml import parse_toml, problems_in
from croupier.rules.book import Clause, Rules
from croupier.rules.check import read, row_clauses
from croupier.rules.overlay import Data
from croupier.rules.words import row_says


@dataclass(frozen=True)
class Rulebook:
    """One book: its id, its raw data, and the rules read from it."""

    id: str
    data: Data
    rules: Rules

    def __repr__(self) -> str:
        return f"load({self.id!r})"

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the book's content; comments, layout and editions don't count."""
        return digest_of({key: value for key, value in self.data.items() if key != "earlier"})

    @cached_property
    def clauses(self) -> Mapping[str, Clause]:
        """Every clause of the source in order, including those in paytable rows."""
        return dict(_outline(self.rules, self.data))


def parse_rulebook(text: str, *, id: str, file: str) -> Rulebook:
    """Read a book from the text of its file, or raise all its Problems at once."""
    data = parse_toml(text, file)
    rules, faults = read(data)
    if faults or rules is None:
        raise Problems(problems_of(faults, data, (text, file)))
    return Rulebook(id, data, rules)


def problems_of(faults: Iterable[Fault], data: Data, where: tuple[str, str]) -> list[Problem]:
    """Return the faults of a book as problems, with their clauses; `where` is its text and file."""
    cited = (fault._replace(clause=_clause_near(data, fault.at)) for fault in faults)
    return problems_in(*where, cited)


def digest_of(value: object) -> str:
    """Return the SHA-256 of a value's canonical form."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _clause_near(data: object, at: tuple[str | int, ...]) -> str | None:
    """Return the clause of the innermost table around a fault that has one."""
    if at[:1] == ("clause",):
        return str(at[1]) if len(at) > 1 else None
    clause = None
    for part in at:
        if isinstance(data, dict):
            clause = data.get("clause", clause)
        try:
            data = data[part]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            break
    if isinstance(data, dict):
        clause = data.get("clause", clause)
    return clause if isinstance(clause, str) else None


def _outline(rules: Rules, data: Data) -> Iterator[tuple[str, Clause]]:
    """Yield the clauses in order; a row's clause follows its parent clause."""
    rows: dict[str, list[tuple[str, Clause]]] = {}
    for at, name in row_clauses(data):
        _, family, letter, _, i, _ = at
        table = rules.paytable[str(family)][str(letter)]
        said = row_says(table, table.rows[int(i)])
        starts = (name[:end] for end in range(len(name), 0, -1))
        parent = next((start for start in starts if start in rules.clause), "")
        rows.setdefault(parent, []).append((name, Clause(kept="enforced", says=said)))
    for name, clause in rules.clause.items():
        yield name, clause
        yield from rows.get(name, ())
