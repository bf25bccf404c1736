"""Holds docs/clauses.md: what is claimed as enforced is shown by a test that cites the clause."""

import ast
from functools import cache
from pathlib import Path

from tests.rules.books import IDS, MARYLAND, ROOT, book
from tools.clause_table import (
    Shown,
    all_shown,
    cited_by,
    faults,
    page,
    paid_row_by_row,
    settled,
)

BOOKS = [book(id) for id in IDS]


@cache
def found() -> list[Shown]:
    return all_shown(BOOKS)


def test_every_enforced_clause_has_a_test_and_every_citation_a_clause() -> None:
    assert faults(BOOKS, found()) == []


def test_the_page_is_what_the_tests_show() -> None:
    written = (ROOT / "docs/clauses.md").read_text().splitlines()
    lines = page(BOOKS, found()).splitlines()
    stale = [line for line in lines if line not in set(written)][:5]
    anew = "write it anew: .venv/bin/python tools/clause_table.py > docs/clauses.md"
    assert (stale, len(written)) == ([], len(lines)), anew


def test_a_marker_names_a_clause_that_is_enforced() -> None:
    marked = [one for one in found() if one.file.endswith(".py")]
    assert [one for one in marked if book(one.book).clauses[one.clause].kept != "enforced"] == []
    assert marked


# ---------------------------------------------------------------- and each of these bites


def test_a_clause_that_no_test_shows_is_found() -> None:
    left = [one for one in found() if (one.book, one.clause) != (MARYLAND, "7.H")]
    assert faults(BOOKS, left) == [f"{MARYLAND} 7.H: is enforced, and no test shows it"]


def test_a_citation_of_nothing_is_found() -> None:
    wrong = Shown(MARYLAND, "7.Z", "test_x", "tests/test_x.py")
    assert faults(BOOKS, [*found(), wrong]) == [
        f"tests/test_x.py: test_x cites 7.Z, which is no clause of {MARYLAND}"
    ]


def test_a_marker_is_read_from_the_source() -> None:
    source = '@pytest.mark.clause(MD, "1.A", "1.B")\n@other\ndef test_x() -> None: ...'
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    assert list(cited_by(node, {"MD": MARYLAND})) == [(MARYLAND, "1.A"), (MARYLAND, "1.B")]


def test_what_a_round_cites_shows_nothing(tmp_path: Path) -> None:
    """Only its lines do: this one loses a Pair Plus, and claims to show two other clauses."""
    line = "pair_plus 5.00 lose 0.00 0.00 11.D(4) -"
    file = tmp_path / MARYLAND / "1.toml"
    file.parent.mkdir()
    file.write_text(
        f'cites = ["12.D(1)", "13.A"]\n[expect]\n[[expect.seats]]\nlines = ["{line}"]\n'
    )
    assert [one.clause for one in settled(tmp_path)] == ["11.D(4)"]


def test_a_paytable_is_shown_row_by_row() -> None:
    rows = [Shown(MARYLAND, f"12.D(1)({letter})", "t", "f") for letter in "abcde"]
    assert list(paid_row_by_row(BOOKS, rows)) == [Shown(MARYLAND, "12.D(1)", "t", "f")]
    assert list(paid_row_by_row(BOOKS, rows[:-1])) == []
