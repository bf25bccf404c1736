"""`croupier rng` and `croupier check-deal`, as their users call them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.cards import DECK, parse_cards
from croupier.fairness import checker
from tests.cli.running import Ran, run, spawn
from tests.fairness.deals import document
from tests.schemas.checking import faults


def raw(count: str) -> bytes:
    command = [sys.executable, "-m", "croupier", "rng", "raw", "--bytes", count]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.mark.parametrize("count", [0, 1, 200_000])
def test_raw_bytes_are_as_many_as_asked_for(count: int) -> None:
    assert len(raw(str(count))) == count


def test_raw_bytes_never_come_again() -> None:
    one, other = raw("100000"), raw("100000")
    assert one != other
    assert len(set(one)) == len(set(other)) == 256


def test_shuffles_are_whole_decks_and_all_different() -> None:
    ran = run("rng", "shuffles", "--count", "300")
    decks = [parse_cards(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err, len(set(decks))) == (0, "", 300)
    assert all(sorted(deck) == list(DECK) for deck in decks)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_shuffles_are_printed_as_one_document_too(count: int) -> None:
    data = run("rng", "shuffles", "--count", str(count), "--json").data
    assert [len(parse_cards(deck)) for deck in data["shuffles"]] == [52] * count


def test_shuffles_come_from_the_function_that_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: b"\0" * count)
    ran = run("rng", "shuffles", "--count", "1")
    assert parse_cards(ran.out) == (*DECK[1:], DECK[0])


@pytest.mark.parametrize("words", ["rng shuffles --count 1 --seed 7", "rng raw --bytes 1 --seed 7"])
def test_there_is_no_seed(words: str) -> None:
    assert run(*words.split()) == Ran(2, "", "croupier: No such option: --seed\n")


@pytest.mark.parametrize("words", ["rng shuffles", "rng raw", "rng shuffles --count -1"])
def test_a_number_is_needed(words: str) -> None:
    ran = run(*words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_a_deal_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "deal.json"
    given = document(3)
    file.write_text(json.dumps(given))
    ran = run("check-deal", str(file), "--commitment", given["commitment"])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == checker.report(given, commitment=given["commitment"])[1] + "\n"
    said = run("check-deal", str(file), "--json").data
    assert faults("check-deal", said) == []
    (answer,) = said
    assert answer["proven"] is True
    assert answer["commitment"] == given["commitment"]
    assert [card["card"] for card in answer["cards"]] == [o["card"] for o in given["opened"]]


def test_a_deal_that_is_not_proven_is_answered_with_no(tmp_path: Path) -> None:
    file = tmp_path / "deal.json"
    file.write_text(json.dumps(document(3)))
    ran = run("check-deal", str(file), "--commitment", "ab" * 32)
    message = "NOT PROVEN: its commitment is not the one that you noted."
    assert ran == Ran(1, f"{message}\n", "")
    said = run("check-deal", str(file), "--commitment", "ab" * 32, "--json").data
    assert said == [{"proven": False, "message": message}]
    assert faults("check-deal", said) == []


@pytest.mark.parametrize("text", ["", "[", '{"a": 1, "a": 2}', "[" * 100_000], ids=range(4))
def test_a_deal_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "deal.json"
    file.write_text(text)
    ran = run("check-deal", str(file))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "can't be read: " in ran.err


def test_a_list_of_no_documents_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deals.json"
    file.write_text("[]")
    assert run("check-deal", str(file)) == Ran(2, "", f"croupier: {file}: holds no document\n")


def test_a_document_is_needed() -> None:
    ran = run("check-deal")
    message = "croupier: FILE: is missing; name a document, or - for standard input\n"
    assert ran == Ran(2, "", message)


def test_the_program_can_be_kept(tmp_path: Path) -> None:
    ran = spawn("check-deal", "--program")
    program, file = tmp_path / "check_deal.py", tmp_path / "deal.json"
    program.write_text(ran.out)
    file.write_text(json.dumps(document(3)))
    done = subprocess.run([sys.executable, "-I", program, file], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Proven: " in done.stdout
