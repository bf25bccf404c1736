"""A sixth book from one file in a folder: listed, shown, compared, checked and submitted."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Ran, run
from tests.rules.books import FLORIDA, IDS, SIXTH, SIXTH_TEXT, sixth, swapped, text_of


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    (tmp_path / f"{SIXTH}.toml").write_text(SIXTH_TEXT)
    return tmp_path


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_sixth_book_is_found_both_ways(by: str, shelf: Path) -> None:
    if by == "option":
        listed = run("--books", str(shelf), "rulebooks", "--json").data
    else:
        listed = run("rulebooks", "--json", CROUPIER_BOOKS=str(shelf)).data
    assert [one["id"] for one in listed] == [*IDS, SIXTH]
    assert listed[-1] == {
        "id": SIXTH,
        "title": "Watchtower, Ruritania",
        "game": "Watchtower",
        "banked_by": "house",
        "source": "Royal Ruritanian Gaming Board, Watchtower, first edition",
    }


def with_book(shelf: Path, *words: str) -> Ran:
    return run("--books", str(shelf), *words)


def test_several_folders_may_be_named(shelf: Path) -> None:
    other = shelf / "other"
    other.mkdir()
    (other / "second.toml").write_text(SIXTH_TEXT)
    listed = run("--books", str(shelf), "--books", str(other), "rulebooks", "--json").data
    assert [one["id"] for one in listed] == [*IDS[:-1], "second", IDS[-1], SIXTH]
    assert run("rulebooks", "--json", CROUPIER_BOOKS=f"{shelf}:{other}").data == listed


def test_a_named_folder_comes_before_the_environments(shelf: Path) -> None:
    other = shelf / "other"
    other.mkdir()
    (other / f"{SIXTH}.toml").write_text(swapped(SIXTH_TEXT, ("seats  = 5", "seats  = 6")))
    words = ("rulebooks", "show", SIXTH, "--json")
    digest = run("--books", str(shelf), *words, CROUPIER_BOOKS=str(other)).data["digest"]
    assert digest == sixth().digest
    assert run(*words, CROUPIER_BOOKS=str(other)).data["digest"] != digest


def test_without_the_folder_the_book_is_unknown() -> None:
    ran = run("rulebooks", "show", SIXTH)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"croupier: rulebook: there is no rulebook '{SIXTH}'")


def test_a_sixth_book_is_shown(shelf: Path) -> None:
    shown = with_book(shelf, "rulebooks", "show", SIXTH, "--json").data
    assert [wager["id"] for wager in shown["wagers"]] == ["watch", "crown"]
    assert [clause["id"] for clause in shown["clauses"]] == list(sixth().clauses)
    ran = with_book(shelf, "rulebooks", "show", SIXTH)
    assert (ran.code, ran.err) == (0, "")
    assert "Watchtower, Ruritania" in ran.out


def test_a_clause_of_a_sixth_book_is_shown(shelf: Path) -> None:
    ran = with_book(shelf, "rulebooks", "show", SIXTH, "6.b")
    assert (ran.code, ran.out) == (0, "6.b  Straight flush pays 4 to 1.\nKept: enforced.\n")


@pytest.mark.parametrize("swap", [False, True])
def test_a_sixth_book_is_compared(swap: bool, shelf: Path) -> None:
    ids = (FLORIDA, SIXTH) if swap else (SIXTH, FLORIDA)
    found = with_book(shelf, "rulebooks", "diff", *ids, "--json").data
    seats = next(one for one in found if one["topic"] == "seats")
    assert seats[SIXTH] == {"says": "The table has 5 seats.", "clause": "1"}


def test_a_sixth_book_is_checked(shelf: Path) -> None:
    file = shelf / f"{SIXTH}.toml"
    ran = run("rulebooks", "check", str(file))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{SIXTH} is a rulebook of 11 clauses.\n{sixth().digest}\n"
    file.write_text(swapped(SIXTH_TEXT, ("seats  = 5", "seats  = -5")))
    ran = run("rulebooks", "check", str(file))
    assert (ran.code, ran.err) == (1, "")
    message = "table.seats: must be a whole number of at least 0, not -5 (1)"
    assert " ".join(ran.out.split()).endswith(message)


def test_a_submission_for_a_sixth_book_is_written_and_checked(shelf: Path) -> None:
    mine = shelf / "mine" / "submission.toml"
    mine.parent.mkdir()
    assert with_book(shelf, "submission", "new", SIXTH, "-o", str(mine)).code == 0
    ran = with_book(shelf, "submission", "check", str(mine), "--json")
    assert ran.code == 1
    assert [breach["selection"] for breach in ran.data["breaches"]] == ["boxes", "checklist.8"]
    text = mine.read_text().replace("= false", "= true")
    mine.write_text(text.replace("# boxes =    (must be declared)", "boxes = 2"))
    assert with_book(shelf, "submission", "check", str(mine), "--json").data["valid"] is True


def test_a_folders_book_shadows_the_packages(shelf: Path) -> None:
    (shelf / f"{FLORIDA}.toml").write_text(swapped(text_of(FLORIDA), ("to = 200", "to = 201")))
    words = ("rulebooks", "show", FLORIDA, "--json")
    odds = [
        ran.data["paytables"][0]["rows"][0]["to"] for ran in (run(*words), with_book(shelf, *words))
    ]
    assert odds == ["200", "201"]


def test_a_faulty_book_does_not_hide_the_others(shelf: Path) -> None:
    deck, flush = ("cards  = 52", "cards  = 53"), ('"straight flush", to = 4', '"flusch", to = 4')
    (shelf / "b.toml").write_text(swapped(SIXTH_TEXT, deck))
    (shelf / "a.toml").write_text(swapped(SIXTH_TEXT, flush, ('closed = "7"', "")))
    (shelf / "c.toml").write_text("format =")
    found = [with_book(shelf, "rulebooks", "--json") for _ in range(2)]
    assert [one["id"] for one in json.loads(found[0].out)] == [*IDS, SIXTH]
    lines = found[0].err.splitlines()
    assert [line.split(": ")[1:3] for line in lines] == [
        ["a.toml:61", "paytable.beacon.A.rows[2].hand"],
        ["a.toml:90", "step.bets.closed"],
        ["b.toml:141", "deck.cards"],
        ["c.toml", "is not TOML"],
    ]
    assert {ran.code for ran in found} == {1}
    assert {ran.err for ran in found} == {found[0].err}
    assert with_book(shelf, "rulebooks", "show", SIXTH).code == 0


def test_check_plays_a_book_through(shelf: Path) -> None:
    text = swapped(SIXTH_TEXT, ('"wager.watch.settle.equal.does" = "lose"', '"table.seats" = 40'))
    (shelf / "wide.toml").write_text(text)
    ran = run("rulebooks", "check", str(shelf / "wide.toml"), "--json")
    assert ran.code == 1
    (problem,) = ran.data["problems"]
    assert problem["path"] == "selection.ties.option.lose"
    assert problem["clause"] == "6"
    assert text.splitlines()[problem["line"] - 1] == "[selection.ties.option.lose]"
    assert "deals 125 cards where all seats play" in problem["message"]
