"""Random play of every book, and the mutants of the engine that it must find."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.round.invariants import INVARIANTS, Broken
from tests.round.machine import Machine
from tests.round.mutants import MUTANTS, Mutant
from tests.rules.books import each_book


def run(examples: int, phases: tuple[Phase, ...] = tuple(Phase), **about: Any) -> None:
    """Play a machine of one book, which raises `Broken` as soon as something does not hold."""
    machine = type("Machine", (Machine,), about)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            phases=phases,
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


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.invariant}: {m.fault} ({m.id})")
def test_mutant_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(mutant.owner, mutant.attribute)
    monkeypatch.setattr(mutant.owner, mutant.attribute, mutant.make(original))
    with pytest.raises(Broken) as found:
        run(
            1_000, (Phase.generate,), id=mutant.id, table=mutant.table, only=mutant.invariant
        )
    assert found.value.invariant == mutant.invariant


def test_every_invariant_has_a_mutant_that_it_finds() -> None:
    assert {mutant.invariant for mutant in MUTANTS} == INVARIANTS
