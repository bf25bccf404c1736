"""Random play of every book, and the mutants of the engine that it must find."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from croupier.cards import DECK
from croupier.round.commands import Bet, CloseBets, Command, Deal, Declare, Open, Settle
from croupier.round.view import view
from tests.round.games import OPENING, at, game, refused
from tests.round.invariants import INVARIANTS, Broken, Play
from tests.round.machine import Machine, rules_of
from tests.round.mutants import MUTANTS, Mutant
from tests.rules.books import FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, each_book


def run(examples: int, *, begins: int | None = None, **about: Any) -> None:
    """Play a machine of one book, which raises `Broken` as soon as something does not hold.

    Where it begins decides how long it takes until a mutant is found, and nothing else.
    """
    machine = type("Machine", (Machine,), about)
    run_state_machine_as_test(
        machine if begins is None else seed(begins)(machine),
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            phases=[Phase.generate],  # A broken invariant tells its round; it needs no smaller one.
            report_multiple_bugs=False,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def check_everything_holds(id: str, examples: int) -> None:
    run(examples, id=id)


@each_book
def test_everything_holds_whatever_is_asked(id: str) -> None:
    check_everything_holds(id, 60)


@pytest.mark.long
@each_book
def test_everything_holds_whatever_is_asked_for_long(id: str) -> None:
    check_everything_holds(id, 3_000)


# Rounds that broke something once: book, and what is asked for after three seats have bet.
FOUND: list[tuple[str, list[Command]]] = [
    # A void round still offered choices, which it then refused.
    (MARYLAND, [CloseBets(), Deal(), Declare("dealer_card_exposed"), Settle()]),
    (SINGAPORE, [CloseBets(), Deal(), Declare("foreign_card"), Settle()]),
    (FLORIDA, [CloseBets(), Deal(), Declare("misdeal"), Settle()]),
    # A card that lies in a hand went to the discard rack as well (13.A is about the deck).
    (MARYLAND, [CloseBets(), Deal(), Declare("face_up_cards", {"positions": [1]})]),
    (LET_IT_RIDE, [CloseBets(), Deal(), Declare("face_up_cards", {"positions": [1]})]),
    # The same card was found face up twice.
    (MARYLAND, [CloseBets(), *[Declare("face_up_cards", {"positions": [1]})] * 2, Deal()]),
    # So many cards were found, one after the other, that the rest was not enough for a deal.
    (MARYLAND, [
        CloseBets(), *(Declare("face_up_cards", {"positions": [p]}) for p in range(1, 48)), Deal(),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("id", "commands"), FOUND)
def test_what_broke_once_holds(id: str, commands: list[Command]) -> None:
    play = Play(rules_of(id, 1))
    play.deck = dict(enumerate(DECK))
    for command in [Open("7"), *OPENING[id]]:
        assert play.do(command)
    for command in commands:
        play.do(command)
    assert not play.broken


def test_a_reading_below_nothing_is_refused() -> None:
    """As it is when the round is opened: a winner would have to pay."""
    played = at(MARYLAND, "shown", progressive="A")
    assert refused(played, Settle({"progressive": -1})).code == "no_money"


def test_a_void_round_shows_the_meters_as_they_were() -> None:
    """No meter moves, so nobody sees the rise of a round that was given back."""
    bets = Bet(1, "ann", "ante", 1000), Bet(1, "ann", "progressive", 100)
    played = game(MARYLAND, progressive="A").do(Open("7"), *bets, CloseBets(), Deal())
    played.do(Declare("dealer_card_exposed"), Settle())
    assert view(played.round, None, {})["meters"] == {"progressive": "1000.00"}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.invariant}: {m.fault} ({m.id})")
def test_mutant_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name = mutant.place
    monkeypatch.setattr(owner, name, mutant.make(getattr(owner, name)))
    with pytest.raises(Broken) as found:
        run(2_000, begins=3, id=mutant.id, table=mutant.table, only=mutant.invariant)
    assert found.value.invariant == mutant.invariant


def test_every_invariant_has_a_mutant_that_it_finds() -> None:
    assert {mutant.invariant for mutant in MUTANTS} == INVARIANTS
