"""A book is played through: what the books of the package pass, and what the proof finds."""

from collections.abc import Callable
from typing import Any

import pytest

from croupier.reading.reader import Fault, dotted
from croupier.round import settling
from croupier.round.cover import covered as right
from croupier.round.proof import faults_at, faults_in
from croupier.round.settlement import Settlement
from croupier.round.state import BankResult, Line
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from tests.round.test_other_books import BANKED, HARBOUR, LATER, TWICE
from tests.rules.books import MARYLAND, SIXTH_TEXT, book, each_book, sixth, swapped, text_of

SETS = 'sets   = { "wager.watch.settle.equal.does" = "lose" }'


def found_in(text: str) -> list[tuple[str, str]]:
    book = parse_rulebook(text, id="tried", file="tried.toml")
    return [(dotted(fault.at), fault.message) for fault in faults_in(book)]


@each_book
def test_every_book_of_the_package_plays_through(id: str) -> None:
    assert faults_in(book(id)) == []


@pytest.mark.parametrize("text", [SIXTH_TEXT, HARBOUR, BANKED, TWICE])
def test_other_books_play_through(text: str) -> None:
    assert found_in(text) == []


def test_a_hand_that_forfeits_without_folding_is_still_envied_and_shown() -> None:
    text = swapped(text_of(MARYLAND), ("folds  = true\n", ""), (", collects = true", ""))
    assert found_in(text) == []


# ---------------------------------------------------------------- what only playing shows

FAULTY = {
    "an option that hides the bank": (
        (SETS, 'sets   = { "step.reveal.shows" = ["pool"] }'),
        "selection.ties.option.lose",
        "ties: makes a table that can't be played: "
        "wager.watch.settle goes by the bank's cards, and no step turns all of them up",
    ),
    "an option that deals too many cards": (
        (SETS, 'sets   = { "table.seats" = 40 }'),
        "selection.ties.option.lose",
        "ties: makes a table that can't be played: "
        "deal.shoe deals 125 cards where all seats play, and the deck has 52",
    ),
    "a reading that can't be played": (
        ('sets = { "wager.watch.settle.equal" =', 'sets = { "step.reveal.shows" = ["pool"], '
         '"wager.watch.settle.equal" ='),
        "ruling.W1.alternative[2]",
        "selections: makes a table that can't be played: "
        "wager.watch.settle goes by the bank's cards, and no step turns all of them up",
    ),
    "a ruling that nothing names": (
        ("[ruling.W1]", '[ruling.W2]\nclauses = ["6"]\nproblem = "It is silent."\n'
         'choice = "So are we."\n\n[ruling.W1]'),
        "ruling.W2",
        "decides nothing: no table names it, and it has no other reading",
    ),
    "a step with nothing to turn up": (
        ("[step.settle]", '[step.again]\ndo = "reveal"\nshows = ["bank"]\nclause = "6"\n\n'
         "[step.settle]"),
        "step.again",
        "no round reaches it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_playing_shows_what_reading_does_not(name: str) -> None:
    swap, path, message = FAULTY[name]
    text = swapped(SIXTH_TEXT, swap)
    sixth(text)  # It can be read.
    assert found_in(text) == [(path, message)]


def test_a_decision_that_nobody_is_left_for_is_found() -> None:
    back = 'stakes = { guard = { fate = "take back", clause = "5" } }'
    hold = 'key    = "H"\nclause = "5"'
    third = LATER.replace("step.again", "step.third")
    text = swapped(TWICE, (hold, f"{hold}\n{back}"), ("[step.reveal]", third))
    assert found_in(text) == [("step.third", "no round reaches it")]


# ---------------------------------------------------------------- an engine that does wrong


def found_at(**selections: Any) -> set[str]:
    rules = resolve(sixth(), {"crown": "A", **selections})
    return {fault.message for fault in faults_at(rules, set())}


def lines_are(monkeypatch: pytest.MonkeyPatch, change: Callable[[list[Line]], list[Line]]) -> None:
    right = Settlement.seat_lines
    monkeypatch.setattr(
        Settlement, "seat_lines", lambda self, seat: tuple(change(list(right(self, seat))))
    )


def test_a_right_engine_passes() -> None:
    assert found_at() == set()


def test_a_stake_that_is_settled_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines_are(monkeypatch, lambda lines: [*lines, lines[0]])
    assert "'watch' is settled for 10.00 more than lay there" in found_at()


def test_a_stake_that_is_forgotten_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines_are(monkeypatch, lambda lines: [line for line in lines if line.wager != "crown"])
    assert found_at() == {"a stake of 10.00 on 'crown' is not settled"}


def test_a_bonus_that_is_paid_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lines_are(monkeypatch, lambda lines: [*lines, *(x for x in lines if x.wager == "beacon")])
    assert found_at() == {"'beacon' is paid 2 times"}


def test_a_loss_that_pays_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(lines: list[Line]) -> list[Line]:
        return [line._replace(paid=1) if line.outcome == "lose" else line for line in lines]

    lines_are(monkeypatch, change)
    assert "'crown' comes to a 'lose' that does not add up" in found_at()


def test_a_banker_who_takes_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def covered(*given: Any) -> tuple[list[Line], BankResult]:
        lines, bank = right(*given)
        more = BankResult(bank.seat, bank.funds, bank.collected + 100, bank.paid, bank.fee)
        return lines, more

    monkeypatch.setattr(settling, "covered", covered)
    banked = parse_rulebook(BANKED, id="banked", file="banked.toml")
    assert {fault.message for fault in faults_at(resolve(banked), set())} == {
        "the banker does not collect what is lost and pay what is won",
        "seats, banker, meters and house do not add up to nothing",
    }


def test_a_round_that_fails_is_a_fault_of_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(lines: list[Line]) -> list[Line]:
        raise KeyError("watch")

    lines_are(monkeypatch, change)
    assert list(faults_at(resolve(sixth()), set())) == [
        Fault(("step", "settle"), "a round can't be played through: 'watch'")
    ]


def test_cards_that_are_not_up_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from croupier.round import proof

    monkeypatch.setattr(proof, "_positions", lambda round, box, place: ())
    assert "'watch' is judged by cards of 'bank' that are not up" in found_at()
