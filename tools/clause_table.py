"""Prints docs/clauses.md: every clause that is enforced, and the tests that show it.

.venv/bin/python tools/clause_table.py > docs/clauses.md

A worked round shows a clause if

- the engine has the clause on one of its lines,
- each paytable row under the clause is on a line of some round, or
- the round comes out differently once the clause is broken in the book, as
  tests/data/broken-books.toml breaks it.

What a round claims in `cites` shows nothing by itself. Any other test cites a clause with the
marker `clause`. All this is read from the files; nothing is run.
"""

import ast
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from croupier.rules.check import row_clauses
from croupier.rules.load import load, rulebook_ids
from croupier.rules.rulebook import Rulebook

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
MARKER, NO_CLAUSE = "clause", "-"
# How many tests a row names, and how much of the clause it says.
NAMED, WIDTH = 2, 120

HEAD = """\
# Enforced clauses

On this page you find, for every clause that the software enforces, the tests that show it:

- worked rounds, which are settled to the cent. A round is listed if one of its lines cites the
  clause or a paytable row under it, or if the round comes out differently once the clause is broken
  in the book, as [broken-books.toml](../tests/data/broken-books.toml) breaks it;
- tests that cite the clause with `@pytest.mark.clause`.

The other clauses are guided (the software prompts a person at the table) or declared (on the
operator's checklist). To see how a clause is kept, look it up:

```console
$ ./croupier rulebooks show maryland-three-card-poker '3.B(2)'
3.B(2)  The backs of one deck differ in color from those of the other.
Kept: declared.
```

`tools/clause_table.py` generates this page, and a test fails if an enforced clause has no test.
"""


class Shown(NamedTuple):
    """A test that shows a clause of a book."""

    book: str
    clause: str
    test: str
    file: str


def settled(rounds: Path) -> Iterator[Shown]:
    """Yield the clauses on the lines of the worked rounds of a folder."""
    for file in sorted(rounds.glob("*/*.toml")):
        data = tomllib.loads(file.read_text())
        lines = [line.split() for seat in data["expect"]["seats"] for line in seat["lines"]]
        for clause in sorted({clause for _, _, _, _, _, clause, *_ in lines} - {NO_CLAUSE}):
            yield Shown(file.parent.name, clause, file.stem, _relative(file))


def paid_row_by_row(books: Iterable[Rulebook], found: Iterable[Shown]) -> Iterator[Shown]:
    """Yield the clauses each of whose paytable rows is on a line of some round."""
    lines: dict[tuple[str, str], Shown] = {}
    for one in found:
        lines.setdefault((one.book, one.clause), one)
    for book in books:
        for clause, rows in rows_by_clause(book).items():
            shown = [lines.get((book.id, row)) for row in rows]
            if None not in shown:
                yield from dict.fromkeys(one._replace(clause=clause) for one in shown if one)


def rows_by_clause(book: Rulebook) -> dict[str, list[str]]:
    """Return the clauses of paytable rows by the clause that each stands under."""
    rows: dict[str, list[str]] = {}
    for _, name in row_clauses(book.data):
        under = [clause for clause in book.rules.clause if name.startswith(clause)]
        if name not in book.rules.clause and under:
            rows.setdefault(max(under, key=len), []).append(name)
    return rows


def broken(file: Path, rounds: Path) -> Iterator[Shown]:
    """Yield the clauses without which a worked round comes out differently."""
    for one in tomllib.loads(file.read_text())["broken"]:
        for clause in one["clauses"]:
            for round in one["rounds"]:
                name = rounds / one["book"] / f"{round}.toml"
                yield Shown(one["book"], clause, round, _relative(name))


def marked_tests(tests: Path, books: dict[str, str]) -> Iterator[Shown]:
    """Yield what tests cite with the marker; `books` has the names that stand for ids."""
    for file in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                for book, clause in cited_by(node, books):
                    yield Shown(book, clause, node.name, _relative(file))


def cited_by(node: ast.FunctionDef, books: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the books and clauses of a function's markers: `clause(BOOK, "1.A", …)`."""
    for call in node.decorator_list:
        match call:
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Name(id=book), *ids]) if (
                name == MARKER
            ):
                for id in ids:
                    if not isinstance(id, ast.Constant) or not isinstance(id.value, str):
                        raise ValueError(f"{node.name}: a clause is cited by its id")
                    yield books[book], id.value


def names_of_books(file: Path) -> dict[str, str]:
    """Return the constants of a module that are texts: how tests name the books."""
    names: dict[str, str] = {}
    for node in ast.parse(file.read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                names[name] = value
    return names


def all_shown(books: Iterable[Rulebook], tests: Path = TESTS) -> list[Shown]:
    """Return everything that tests show."""
    names, rounds = names_of_books(tests / "rules/books.py"), tests / "rounds"
    lines = list(settled(rounds))
    return [
        *lines,
        *paid_row_by_row(books, lines),
        *broken(tests / "data/broken-books.toml", rounds),
        *marked_tests(tests, names),
    ]


def enforced(book: Rulebook) -> list[str]:
    """Return the clauses that a book claims to be enforced."""
    return [name for name, clause in book.clauses.items() if clause.kept == "enforced"]


def faults(books: list[Rulebook], found: list[Shown]) -> list[str]:
    """Return the enforced clauses that no test shows, and the citations of clauses that are not."""
    shown = {(one.book, one.clause) for one in found}
    known = {(book.id, name) for book in books for name in book.clauses}
    bare = [
        f"{book.id} {name}: is enforced, and no test shows it"
        for book in books
        for name in enforced(book)
        if (book.id, name) not in shown
    ]
    return bare + [
        f"{one.file}: {one.test} cites {one.clause}, which is no clause of {one.book}"
        for one in found
        if (one.book, one.clause) not in known
    ]


def page(books: list[Rulebook], found: list[Shown]) -> str:
    """Return the page, a table for each book."""
    parts = [HEAD]
    for book in books:
        names = enforced(book)
        parts.append(f"## {book.rules.title}\n")
        parts.append(f"{len(names)} of {len(book.clauses)} clauses are enforced.\n")
        parts.append("| clause | says | shown by |\n| --- | --- | --- |")
        for name in names:
            shown = [one for one in found if (one.book, one.clause) == (book.id, name)]
            parts.append(_row(book, name, shown))
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _row(book: Rulebook, name: str, shown: list[Shown]) -> str:
    says = textwrap.shorten(book.clauses[name].says, WIDTH, placeholder=" …").replace("|", "\\|")
    tests = [f"[{one.test}](../{one.file})" for one in shown[:NAMED]]
    more = ["and others"] if len(shown) > NAMED else []
    return f"| {name} | {says} | {', '.join([*tests, *more])} |"


def _relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name


if __name__ == "__main__":
    BOOKS = [load(id) for id in rulebook_ids()]
    print(page(BOOKS, all_shown(BOOKS)), end="")
