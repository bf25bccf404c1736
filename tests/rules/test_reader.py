"""The reader takes what the format says and nothing else, and answers bad files in a sentence."""

from fractions import Fraction
from pathlib import Path

import pytest

from croupier.errors import Problem, Problems, UserError
from croupier.reading.reader import dotted
from croupier.rules.load import load_file
from tests.rules.books import SIXTH_TEXT, problems_of, sixth, swapped

# A value of the sixth book by a short name: how it is written there, and its path.
VALUES = {
    "format":  ("format    = ", "1", "format"),
    "seats":   ("seats  = ", "5", "table.seats"),
    "folds":   ("folds  = ", "true", "step.stay_or_leave.option.leave.folds"),
    "label":   ("label  = ", '"Watch"', "wager.watch.label"),
    "clause":  ("clause = ", '"2"', "wager.watch.clause"),
    "reset":   ("reset = ", "50", "paytable.crown.A.meters[1].reset"),
    "odds":    ("for = ", "2.5", "paytable.crown.A.rows[2].for"),
    "do":      ("do     = ", '"deal"', "step.deal.do"),
    "shows":   ("shows  = ", '["bank", "pool"]', "step.reveal.shows"),
    "default": ("default = ", '"push"', "selection.ties.default"),
}  # fmt: skip
COUNT = "must be a whole number of at least 0"
STEPS = "'bets', 'deal', 'decide', 'reveal', 'settle'"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("format",  "2",          "2 is not one of 1"),
        ("format",  "true",       "true is not one of 1"),
        ("format",  '"1"',        "'1' is not one of 1"),
        ("seats",   "true",       f"{COUNT}, not true"),
        ("seats",   "-5",         f"{COUNT}, not -5"),
        ("seats",   "5.0",        f"{COUNT}, not 5.0"),
        ("seats",   '"5"',        f"{COUNT}, not '5'"),
        ("seats",   "[5]",        f"{COUNT}, not a list"),
        ("seats",   "2020-01-01", f"{COUNT}, not a date"),
        ("folds",   "1",          "must be true or false, not 1"),
        ("folds",   '"yes"',      "must be true or false, not 'yes'"),
        ("label",   "1",          "must be text, not 1"),
        ("label",   "false",      "must be text, not false"),
        ("label",   '""',         "must not be empty"),
        ("label",   "{}",         "must be text, not a table"),
        ("clause",  '""',         "must not be empty"),
        ("reset",   "50.005",     "50.005 has more than two decimals"),
        ("reset",   "1.005",      "1.005 has more than two decimals"),
        ("reset",   "-1",         "-1 is negative"),
        ("reset",   "true",       "True is not a number"),
        ("reset",   "nan",        "NaN is not a number"),
        ("reset",   "inf",        "Infinity is not a number"),
        ("reset",   "1e999999",   "1E+999999 has too many digits"),
        ("odds",    "-2.5",       "-2.5 is negative"),
        ("odds",    "[2]",        "[2] is not a number"),
        ("odds",    '"two"',      "'two' is not a fraction like 1/2, 0.14 or 14%"),
        ("do",      '"dael"',     f"'dael' is not one of {STEPS}"),
        ("do",      "[]",         f"a list is not one of {STEPS}"),
        ("shows",   '"bank"',     "must be a list, not 'bank'"),
        ("default", "true",       "must be text or a number, not true"),
        ("default", "[]",         "must be text or a number, not a list"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused(name: str, value: str, message: str) -> None:
    key, old, path = VALUES[name]
    found = problems_of(swapped(SIXTH_TEXT, (key + old, key + value)))
    assert (path, message) in [(problem.path, problem.message) for problem in found]


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        ("seats  = 5", "seats = 5\nsaets = 5",   "table.saets",
                                                 "unknown key; did you mean 'seats'?"),
        ("seats  = 5", "seats = 5\nzzz = 5",     "table.zzz",
                     "unknown key; the keys are clause, ruling, seats, seats_min, boxes_max, sign"),
        ("seats  = 5", "seats = 5\nfeast = 5",   "table.feast",  # alike, but no slip
                     "unknown key; the keys are clause, ruling, seats, seats_min, boxes_max, sign"),
        ("format    ", "wagers = {}\nformat ",   "wagers",
                                                 "unknown key; did you mean 'wager'?"),
        ("[table]\n",  "table = 5\n[tables]\n", "table",
                                                 "must be a table, not 5"),
        ("title     ", "# ",                     "title",             "is missing"),
        ('label  = "Watch"\n', "",               "wager.watch.label", "is missing"),
    ],
)  # fmt: skip
def test_keys_that_do_not_belong_or_are_missing_are_found(
    old: str, new: str, path: str, message: str
) -> None:
    found = problems_of(swapped(SIXTH_TEXT, (old, new)))
    assert (path, message) in [(problem.path, problem.message) for problem in found]


def test_a_sum_in_words_is_refused() -> None:
    found = problems_of(swapped(SIXTH_TEXT, ("reset = 50", 'reset = "fifty"')))
    message = "'fifty' is not a sum like 10 or 10.50, with at most two decimals"
    assert message in [problem.message for problem in found]


def test_numbers_are_read_exactly() -> None:
    crown = sixth().rules.paytable["crown"]["A"]
    assert crown.rows[1].for_ == Fraction(5, 2)
    assert crown.rate and crown.rate.min == Fraction(1, 10)
    assert crown.meters[0].reset == 50_00
    assert sixth().rules.paytable["envy"]["A"].rows[0].amount == 10_50


@pytest.mark.parametrize("odds", ['"5/2"', '"2.5"', '"250%"', "2.50"])
def test_odds_may_be_written_in_several_ways(odds: str) -> None:
    changed = sixth(swapped(SIXTH_TEXT, ("for = 2.5", f"for = {odds}")))
    assert changed.rules == sixth().rules


def test_what_is_left_out_takes_its_default() -> None:
    rules = sixth().rules
    assert (rules.fee, rules.rake, rules.table.seats_min, rules.table.boxes_max) == (
        None, None, 1, None,
    )  # fmt: skip


# ---------------------------------------------------------------- files


def test_what_is_not_toml_is_one_problem_with_its_line() -> None:
    assert problems_of("format = 1\ntitle =\n") == (
        Problem(file="sixth.toml", message="is not TOML: Invalid value (at line 2, column 8)"),
    )


def test_an_empty_file_lacks_everything_at_once() -> None:
    found = [problem.path for problem in problems_of("") if problem.message == "is missing"]
    assert found == [
        "bank", "banked_by", "deal", "deck", "format", "game", "ranking", "source", "step",
        "table", "title", "wager",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (None, "can't be read: Is a directory"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes | None, expected: str) -> None:
    file = tmp_path / "a.toml"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_file(file)
    assert (caught.value.field, caught.value.message) == (str(file), expected)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be read: No such file or directory"):
        load_file(tmp_path / "a.toml")


def test_problems_name_the_file_as_it_was_given(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("format = 2\n")
    with pytest.raises(Problems) as caught:
        load_file(file)
    assert {problem.file for problem in caught.value.problems} == {str(file)}
    assert f"{file}:1: format: 2 is not one of 1" in str(caught.value).splitlines()


def test_places_are_written_as_a_person_would() -> None:
    assert dotted(("paytable", "a", "A", "rows", 2, "to")) == "paytable.a.A.rows[3].to"
    assert dotted(("version", "option", "7.G(1)", "sets")) == 'version.option."7.G(1)".sets'
    assert dotted(()) == ""
