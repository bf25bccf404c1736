"""The program that checks a deal, run as a player runs it: alone, in a process of its own."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from croupier.fairness import checker
from croupier.round.events import Shown
from tests.fairness.deals import PLAYER, committed, document, play
from tests.fairness.proofs import commitment_of, is_proven, openings_of
from tests.fairness.tampering import TAMPERINGS, Tampering, tampered, the_round

PROGRAM = Path(checker.__file__)
LINES_MAX = 190


def run(read: Any, *words: str, program: Path = PROGRAM) -> tuple[int, str, str]:
    """Exit code and words of the program, for documents on its standard input."""
    text = read if isinstance(read, str) else json.dumps(read)
    done = subprocess.run(
        [sys.executable, "-I", program, "-", *words],
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout, done.stderr


def tamperings(count: int) -> list[tuple[Tampering, dict[str, Any]]]:
    """Documents of different rounds, each changed in one way; all ways in turn."""
    rng = Random(5)
    ways = [TAMPERINGS[number % len(TAMPERINGS)] for number in range(count)]
    return [(way, tampered(document(n), way, rng)) for n, way in enumerate(ways)]


def test_the_program_is_short_and_imports_nothing_of_ours() -> None:
    source = PROGRAM.read_text()
    assert source.count("\n") <= LINES_MAX
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
    others = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    names = {a.name for node in imports for a in node.names} | {str(n.module) for n in others}
    assert names <= sys.stdlib_module_names
    assert "croupier." not in source


def test_rounds_of_every_book_are_proven(tmp_path: Path) -> None:
    # A copy in another folder: nothing of the package is beside it.
    program = tmp_path / "check_deal.py"
    program.write_text(PROGRAM.read_text())
    documents = [document(number) for number in range(500)]
    code, out, err = run(documents, program=program)
    assert (code, err) == (0, "")
    assert out.count("Proven: ") == 500
    assert "NOT" not in out


def test_tampered_rounds_are_rejected() -> None:
    changed = tamperings(420)
    code, out, _ = run([each for _, each in changed])
    verdicts = out.splitlines()
    passed = [
        way.__name__
        for (way, _), words in zip(changed, verdicts, strict=True)
        if not words.startswith("NOT PROVEN: ")
    ]
    assert (code, passed) == (1, [])


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_each_round_is_checked_in_a_process_of_its_own() -> None:
    accepted = sum(run(document(number))[0] == 0 for number in range(2_000))
    rejected = sum(run(changed)[0] == 1 for _, changed in tamperings(1_000))
    assert (accepted, rejected) == (2_000, 1_000)


def test_every_way_of_tampering_is_named_by_a_sentence() -> None:
    said = {way.__name__: checker.report(changed)[1] for way, changed in tamperings(21)}
    assert len(said) == len(TAMPERINGS) == 21
    assert said["two_cards"].endswith("is not what was committed to.")
    assert said["the_record"].endswith("which is not proven.")
    assert said["the_rules_of_the_record"].endswith("or was played by other rules.")
    assert said["a_proof_given_twice"] == "NOT PROVEN: a position was opened twice."
    assert said["the_commitment"].endswith("is not that of its round, rules and root.")


def test_a_record_that_was_changed_and_not_sealed_again_is_rejected() -> None:
    given = document(3)
    given["record"]["selections"]["seats"] = 7
    assert checker.report(given) == (None, "NOT PROVEN: the record does not match its seal.")


def test_a_round_dealt_from_another_deck_is_found_by_the_commitment_noted() -> None:
    # Somebody who swaps the whole deck can make everything fit, except what the player noted.
    noted, given = document(3)["commitment"], document(3)
    assert run(given)[0] == 0
    assert run(given, "--commitment", given["commitment"])[0] == 0
    assert run(given, "--commitment", noted) == (
        1,
        "NOT PROVEN: its commitment is not the one that you noted.\n",
        "",
    )


def test_it_agrees_with_our_own_code() -> None:
    rng = Random(7)
    for number in range(60):
        honest = document(number)
        for way in (None, *TAMPERINGS[:4]):
            given = tampered(honest, way, rng) if way else honest
            commitment = commitment_of(given)
            ours = all(is_proven(commitment, opening) for opening in openings_of(given))
            assert ours is (checker.report(given)[0] is not None) is (way is None)


def test_folded_hands_and_the_stub_stay_hidden() -> None:
    hidden_hands = 0
    for number in range(40):
        game, deal = play(number)
        given = document(number)
        seen = {event["position"] for event in given["record"]["events"] if "salt" in event}
        boxes = game.round.boxes.values()
        own = {p for box in boxes if box.player == PLAYER for p in box.cards}
        assert {opened["position"] for opened in given["opened"]} == seen | own
        shown = {event.position for event in game.events if isinstance(event, Shown)}
        hidden = set(range(52)) - shown - own
        text = json.dumps(deal.document(shown | own))
        assert [p for p in hidden if deal.salt(p) in text] == []
        hidden_hands += any(set(box.cards) <= hidden for box in boxes if box.cards)
    assert hidden_hands > 0  # Somebody else folded, and was not shown.


def test_it_says_where_each_card_was_dealt_to() -> None:
    code, out, _ = run(document(3))
    assert code == 0
    assert out.startswith("Round t1-3, commitment ")
    assert "  seat 1\n" in out
    assert "  bank\n" in out


def test_a_deal_without_a_record_is_checked_as_well() -> None:
    given = committed().document([0, 51])
    noted = given["commitment"]
    expected = f"Round 7, commitment {noted}\n   0  2s\n  51  Ac\nProven: 2 of 52 cards.\n"
    assert run(given, "--commitment", noted) == (0, expected, "")


@pytest.mark.parametrize(
    "text", ["", "nonsense", '{"round": 1, "round": 2}', "[" * 100_000, "9" * 5_000], ids=range(5)
)
def test_what_cannot_be_read_is_said_so(text: str) -> None:
    code, out, err = run(text)
    assert (code, out) == (2, "")
    assert err.startswith("- can't be read: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["[]", "{}", "7", "null", "[[]]"])
def test_what_is_no_document_is_not_proven(text: str) -> None:
    code, _, err = run(text)
    assert (code, err) == (1, "")


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    command = [sys.executable, "-I", str(PROGRAM), str(tmp_path / "nowhere.json")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere.json can't be read: " in done.stderr


def test_no_word_of_a_document_reaches_the_terminal_unchecked() -> None:
    rng = Random(1)
    escape = "\x1b[2JProven: 52 of 52 cards."

    def place(given: dict[str, Any], rng: Random) -> None:
        (dealt,) = (e for e in given["record"]["events"] if e["type"] == "Dealt")
        for card in dealt["cards"]:
            card[1:] = [escape, 0]

    def card(given: dict[str, Any], rng: Random) -> None:
        for event in given["record"]["events"]:
            if event["type"] == "Shown":
                event["card"] = escape

    def round(given: dict[str, Any], rng: Random) -> None:
        given["round"] = escape

    for way in (place, card, round, the_round):
        code, out, _ = run(tampered(document(3), way, rng))
        assert (code, out.startswith("NOT PROVEN: "), "\x1b" in out) == (1, True, False)
