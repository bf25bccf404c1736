"""Errors say what is wrong in one line, carry it for programs, and survive a process pool."""

import inspect
import pickle
import shlex
from importlib import metadata
from pathlib import Path

import pytest

from croupier import errors
from croupier.errors import (
    Bug,
    CroupierError,
    MissingExtra,
    ParseError,
    Problem,
    Problems,
    Refused,
    UserError,
    install,
)

SETUP = shlex.quote(str(Path(__file__).parent.parent / "setup"))
PROBLEM = Problem(
    message="unknown key 'clasue'",
    file="book.toml",
    path="wager.ante.clasue",
    line=12,
    clause="7.A",
)
EXAMPLES = [
    UserError("there is no such table", field="table", clause="2.B"),
    ParseError("'Xd' is not a card", field="dealer.cards"),
    Refused("too_late", "no more bets", clause="7.C"),
    Problems([PROBLEM, Problem(message="no clauses")]),
    MissingExtra("gym", "A game"),
    Bug("the deck has 51 cards"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: CroupierError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert (str(twin), vars(twin)) == (str(error), vars(error))


@pytest.mark.parametrize(
    ("error", "text", "exit_code"),
    [
        (UserError("no such table"), "no such table", 2),
        (UserError("no such table", field="table"), "table: no such table", 2),
        (UserError("below 14 %", field="rate", clause="12.E"), "rate: below 14 % (12.E)", 2),
        (Refused("too_late", "no more bets", clause="7.C"), "no more bets (7.C)", 2),
        (MissingExtra("gym", "A game"), f"A game needs the extra 'gym': {SETUP} gym", 3),
    ],
)
def test_an_error_is_one_sentence_with_field_and_clause(
    error: UserError, text: str, exit_code: int
) -> None:
    assert str(error) == text
    assert error.exit_code == exit_code


def test_programs_read_the_attributes() -> None:
    refused = Refused("too_late", "no more bets", field="ante", clause="7.C")
    assert (refused.code, refused.message) == ("too_late", "no more bets")
    assert (refused.field, refused.clause) == ("ante", "7.C")


def test_a_problem_is_one_line_and_leaves_out_what_is_not_known() -> None:
    assert str(PROBLEM) == "book.toml:12: wager.ante.clasue: unknown key 'clasue' (7.A)"
    assert str(Problem(message="empty", file="book.toml")) == "book.toml: empty"
    assert str(Problem(message="empty", path="a.b")) == "a.b: empty"
    assert str(Problem(message="empty")) == "empty"


def test_problems_are_reported_together() -> None:
    problems = Problems(iter([PROBLEM, Problem(message="no clauses")]))
    assert len(problems.problems) == 2
    assert str(problems) == f"{PROBLEM}\nno clauses"
    with pytest.raises(Bug):
        Problems([])


def test_a_parse_error_is_a_value_error_and_a_bug_is_nobodys_input() -> None:
    assert issubclass(ParseError, ValueError)
    assert not issubclass(Bug, UserError)
    assert not hasattr(Bug, "exit_code")


def test_the_drawn_tree_is_the_tree() -> None:
    """Every class is drawn, as deep as it is."""
    drawn = {}
    for line in (errors.__doc__ or "").splitlines():
        stem, name = line[: len(line) - len(line.lstrip(" │├└─"))], line.lstrip(" │├└─").split()
        if name and name[0][0].isupper() and (stem.endswith("── ") or name == ["CroupierError"]):
            drawn[name[0]] = len(stem) // 4
    depths = {
        name: len([base for base in found.__mro__ if issubclass(base, CroupierError)])
        for name, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, CroupierError)
    }
    assert drawn == depths


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("/srv/a clone/src/croupier/errors.py", "'/srv/a clone/setup' gym"),
        ("/opt/lib/python3.11/site-packages/croupier/errors.py", "pip install 'gymnasium>=1.1'"),
    ],
)
def test_an_extra_comes_to_where_the_program_is(
    file: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = ["rich>=13", "gymnasium>=1.1; extra == 'gym'", "x>=1; extra == 'gymnastics'"]
    monkeypatch.setattr(metadata, "requires", lambda name: needed)
    assert install("gym", file) == command
