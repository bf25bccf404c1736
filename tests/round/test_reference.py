"""Random rounds, settled by the engine and by an independent reference, cent for cent."""

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from croupier.errors import UserError
from croupier.round import plan
from croupier.round.result import result_of
from croupier.round.settler import Settler
from tests.reference.rounds import random_round, to_json
from tests.reference.settlement import settle
from tests.reference.spoilt import spoilt_round
from tests.rules.books import each_book


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(())


def settled(settler: Settler, file: dict[str, Any]) -> dict[str, Any]:
    """What the engine makes of a round, without the clauses, which the reference does not cite."""
    try:
        result = result_of(settler.played(file))
    except UserError as error:
        return {"refused": str(error)}
    for seat in result["seats"]:
        for line in seat["lines"]:
            del line["clause"], line["ruling"]
    return result


def differences(settler: Settler, id: str, rounds: range) -> list[str]:
    """The rounds of a book that the two settle differently, each as JSON with what differs."""
    found = []
    for number in rounds:
        file = random_round(id, random.Random(f"{id} {number}"))
        expected, result = settle(file), settled(settler, file)
        # Twice through JSON, for both hold money as texts and seats as numbers.
        if json.dumps(expected, sort_keys=True) != json.dumps(result, sort_keys=True):
            parts = {k: [expected.get(k), v] for k, v in result.items() if expected.get(k) != v}
            found.append(f"round {number}: {to_json(file)}\n  differs in {parts}")
    return found


@each_book
def test_settled_as_the_reference_settles(id: str, settler: Settler) -> None:
    assert differences(settler, id, range(250)) == []


def accepted(settler: Settler, id: str, rounds: range) -> list[str]:
    """The spoilt rounds of a book that the engine settles all the same."""
    spoilt = (spoilt_round(id, random.Random(f"{id} {number}")) for number in rounds)
    return [f"{how}: {to_json(file)}" for how, file in spoilt if "void" in settled(settler, file)]


@each_book
def test_what_must_be_refused_is_refused(id: str, settler: Settler) -> None:
    assert accepted(settler, id, range(150)) == []


@pytest.mark.long
@each_book
def test_what_must_be_refused_is_refused_for_long(id: str, settler: Settler) -> None:
    assert accepted(settler, id, range(150, 5_150)) == []


@each_book
def test_settled_again_and_again_it_comes_to_the_same(id: str, settler: Settler) -> None:
    """What a plan remembers of stakes that lay there before makes no difference."""
    for number in range(120):
        file = random_round(id, random.Random(f"{id} {number}"))
        first, second, third = (settler.played(file) for _ in range(3))
        assert first.events == second.events == third.events


@pytest.mark.long
@each_book
def test_settled_as_the_reference_settles_for_long(id: str, settler: Settler) -> None:
    assert differences(settler, id, range(250, 10_250)) == []


@each_book
def test_a_wrong_payout_is_found(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cent too much at the odds of one payout, 3 to 1 and more, is seen."""

    def odds(stake_cents: int, times: Fraction) -> int:
        return stake_cents * times.numerator // times.denominator + (times >= 3)

    monkeypatch.setattr(plan, "odds", odds)
    # A settler of its own: what another one has judged before is remembered.
    assert differences(Settler(()), id, range(60)) != []
