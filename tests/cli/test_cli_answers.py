"""What the commands about rulebooks and submissions answer, for people and for programs."""

import json
import tomllib
from pathlib import Path

import pytest

from croupier.rules.load import load
from croupier.rules.resolve import resolve
from tests.cli.running import run
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    MARYLAND,
    SHIPPED,
    SINGAPORE,
    book,
    each_book,
)

# ---------------------------------------------------------------- croupier rulebooks


def test_rulebooks_lists_the_books_for_programs() -> None:
    listed = run("rulebooks", "--json").data
    assert [one["id"] for one in listed] == list(IDS)
    assert {tuple(one) for one in listed} == {("id", "title", "game", "banked_by", "source")}


def test_rulebooks_lists_the_books_for_people() -> None:
    ran = run("rulebooks")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == ["id", *IDS]


@each_book
def test_show_gives_a_book_in_full(id: str) -> None:
    shown = run("rulebooks", "show", id, "--json").data
    assert {"wagers", "paytables", "selections", "rulings", "clauses"} <= shown.keys()
    assert shown["id"] == id
    assert shown["clauses"] == [
        {"id": name, "says": clause.says, "kept": clause.kept}
        for name, clause in book(id).clauses.items()
    ]
    assert [wager["id"] for wager in shown["wagers"]] == list(book(id).rules.wager)
    assert [ruling["id"] for ruling in shown["rulings"]] == list(book(id).rules.ruling)
    assert {"id", "default", "may_be"} <= shown["selections"][0].keys()


@each_book
def test_show_prints_a_book_for_people(id: str) -> None:
    ran = run("rulebooks", "show", id, COLUMNS="200")
    text = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert book(id).rules.title in ran.out
    assert book(id).digest[:16] in ran.out
    assert f"Clauses ({len(book(id).clauses)})" in ran.out
    assert [name for name in book(id).clauses if name not in text] == []
    assert [name for name in book(id).rules.selection if name not in text] == []


def test_show_prints_paytables_side_by_side() -> None:
    lines = run("rulebooks", "show", MARYLAND, COLUMNS="200").out.splitlines()
    assert "straight flush   35 to 1  40 to 1  40 to 1  40 to 1  40 to 1" in lines
    assert "clause           12.D(1)  12.D(2)  12.D(3)  12.D(4)  12.D(5)" in lines


def test_show_gives_one_clause() -> None:
    shown = run("rulebooks", "show", MARYLAND, "12.D(3)(b)", "--json").data
    assert shown == {
        "id": "12.D(3)(b)",
        "says": "Three of a kind pays 30 to 1.",
        "kept": "enforced",
        "at": None,
        "by": None,
        "clauses": [],
        "rulings": [],
    }


def test_show_prints_one_clause_with_its_rulings() -> None:
    ran = run("rulebooks", "show", MARYLAND, "12.E(3)", COLUMNS="200")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("12.E(3)  ")
    assert "Kept: enforced." in ran.out
    assert "12.E(3)(b)" in ran.out
    assert "Ruling M7" in ran.out


def test_show_says_when_a_clause_is_prompted_and_by_whom() -> None:
    ran = run("rulebooks", "show", CALIFORNIA, "round-of-play/1")
    assert "Kept: guided at “examine” by the player." in ran.out


# ---------------------------------------------------------------- croupier rulebooks diff


def test_diff_says_how_two_books_differ() -> None:
    found = run("rulebooks", "diff", MARYLAND, SINGAPORE, "--json").data
    topics = {difference["topic"]: difference for difference in found}
    assert {tuple(one) for one in found} == {("part", "topic", MARYLAND, SINGAPORE)}
    assert topics["decision play_or_fold: Fold"][SINGAPORE] == {
        "says": "Fold forfeits Ante, keeps Pair Plus and Progressive Jackpot.",
        "clause": "3.8",
    }
    assert topics["stub count"][SINGAPORE] is None


def test_diff_is_readable() -> None:
    ran = run("rulebooks", "diff", MARYLAND, SINGAPORE, COLUMNS="300")
    assert (ran.code, ran.err) == (0, "")
    assert "Fold forfeits Ante, keeps Pair Plus and Progressive Jackpot. (3.8)" in ran.out
    assert f"{SINGAPORE}  Nothing.\n" in ran.out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_diff_of_a_book_with_itself_is_nothing(words: tuple[str, ...]) -> None:
    ran = run("rulebooks", "diff", FLORIDA, FLORIDA, *words)
    expected = "[]\n" if words else "The two books say the same about play.\n"
    assert (ran.code, ran.out, ran.err) == (0, expected, "")


# ---------------------------------------------------------------- croupier rulebooks check


@each_book
def test_check_approves_the_books(id: str) -> None:
    checked = run("rulebooks", "check", str(SHIPPED / f"{id}.toml"), "--json").data
    assert checked == {"valid": True, "problems": [], "digest": book(id).digest}


def test_check_answers_no_with_every_problem(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    text = (SHIPPED / f"{FLORIDA}.toml").read_text().replace("seats ", "saets ", 1)
    file.write_text(text)
    at = text.splitlines().index("[table]") + 1
    ran = run("rulebooks", "check", str(file), "--json")
    assert ran.code == 1
    assert ran.data["valid"] is False
    assert ran.data["problems"] == [
        {
            "file": str(file),
            "path": "table.seats",
            "line": at,
            "clause": "table",
            "message": "is missing",
        },
        {
            "file": str(file),
            "path": "table.saets",
            "line": at + 1,
            "clause": "table",
            "message": "unknown key; did you mean 'seats'?",
        },
    ]


def test_check_prints_a_problem_a_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("format = 2\n")
    ran = run("rulebooks", "check", str(file))
    assert (ran.code, ran.err) == (1, "")
    assert f"{file}:1: format: 2 is not one of 1" in ran.out.splitlines()
    assert len(ran.out.splitlines()) == 13


def test_check_says_that_a_file_is_not_toml(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("format = \n")
    ran = run("rulebooks", "check", str(file), "--json")
    message = "is not TOML: Invalid value (at line 1, column 10)"
    assert (ran.code, [problem["message"] for problem in ran.data["problems"]]) == (1, [message])


# ---------------------------------------------------------------- croupier submission


def test_submission_new_prints_toml_with_the_defaults() -> None:
    ran = run("submission", "new", MARYLAND)
    written = tomllib.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert list(written) == ["rulebook", "selections", "checklist"]
    assert written["selections"]["pair_plus"] == "A"
    assert set(written["checklist"].values()) == {False}


def test_submission_new_for_programs() -> None:
    written = run("submission", "new", FLORIDA, "--json").data
    assert written == {"rulebook": FLORIDA, "toml": run("submission", "new", FLORIDA).out}


def test_submission_new_writes_a_file_and_never_over_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    first = run("submission", "new", FLORIDA, "-o", str(file))
    assert (first.code, first.out, first.err) == (0, "", f"croupier: wrote {file}\n")
    assert file.read_text() == run("submission", "new", FLORIDA).out
    second = run("submission", "new", FLORIDA, "-o", str(file))
    assert (second.code, second.out) == (2, "")
    assert second.err == f"croupier: {file}: can't be written: File exists\n"


def test_submission_check_answers_no_with_every_breach(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = f'rulebook = "{FLORIDA}"\n[selections]\npair_plus = "B"\ntie = 1\n'
    file.write_text(text)
    ran = run("submission", "check", str(file), "--json")
    assert ran.code == 1
    assert ran.data["valid"] is False
    assert {tuple(breach) for breach in ran.data["breaches"]} == {
        ("selection", "clause", "message")
    }
    assert {breach["selection"]: breach["clause"] for breach in ran.data["breaches"]} == {
        "pair_plus": "9",
        "tie": None,
        "checklist.7": "7",
        "checklist.table": "table",
    }


def test_submission_check_prints_a_breach_a_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(run("submission", "new", FLORIDA).out)
    ran = run("submission", "check", str(file), COLUMNS="200")
    shows = "checklist.7: is not confirmed: Each table shows its smallest and largest bets. (7)"
    shape = (
        "checklist.table: is not confirmed: The table has the shape of a horseshoe, "
        "and one to eight players can play at a time "
        "(ruling F6: the designated player is one of the eight). (table)"
    )
    assert (ran.code, ran.out, ran.err) == (1, f"{shows}\n{shape}\n", "")


DECLARED = {
    SINGAPORE: "progressive_rate = 0.10\nprogressive_reset = 500.50",
    MARYLAND: "adjacent_boxes = 2",
    "maryland-let-it-ride": 'adjacent_boxes = 2\npayout_limit = "none"',
}


@each_book
def test_a_submission_that_is_filled_in_passes(id: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = run("submission", "new", id).out.replace("= false", "= true")
    file.write_text(text.replace("[selections]", f"[selections]\n{DECLARED.get(id, '')}"))
    assert run("submission", "check", str(file), "--json").data == {"valid": True, "breaches": []}
    ran = run("submission", "check", str(file))
    rules = resolve(load(id), tomllib.loads(DECLARED.get(id, ""), parse_float=str))
    assert ran.out == f"The submission keeps {rules.title}.\nDigest {rules.digest}\n"


def test_json_is_one_document_of_plain_text() -> None:
    ran = run("rulebooks", "show", CALIFORNIA, "--json", PYTHONIOENCODING="utf-8")
    assert json.loads(ran.out)["id"] == CALIFORNIA
    assert "\\u20" not in ran.out
