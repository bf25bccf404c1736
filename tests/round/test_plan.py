"""What a plan remembers makes no difference, and no kind of command or event is left out."""

from itertools import combinations
from typing import get_args

import pytest

from croupier.round import plan
from croupier.round.commands import Command, Open, Settle
from croupier.round.events import Event
from croupier.round.evolve import replay
from tests.round.games import at, game
from tests.round.invariants import DECIDE, EVOLVE
from tests.round.test_codec import STORED
from tests.rules.books import FLORIDA, MARYLAND, each_book


def test_every_command_is_decided_and_every_event_evolved() -> None:
    assert set(DECIDE._DECIDES) == set(get_args(Command))
    assert set(EVOLVE._AFTER) == set(get_args(Event))


def test_events_of_two_kinds_are_never_equal() -> None:
    """Events are tuples, which do not tell one kind from another; what they hold does."""
    assert [(a, b) for a, b in combinations(STORED, 2) if a == b and type(a) is not type(b)] == []


@each_book
def test_a_round_goes_on_when_its_plan_was_forgotten(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "PLANS_MAX", 1)
    played, again = at(id, "shown"), at(id, "shown")
    game(MARYLAND if id == FLORIDA else FLORIDA).do(Open("8"))  # Another plan takes its place.
    assert replay(played.round.rules, played.events) == played.round
    assert played.do(Settle()).round.lines == again.do(Settle()).round.lines


@each_book
def test_judgements_that_were_forgotten_are_made_again(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = at(id, "over").round.lines
    monkeypatch.setattr(plan, "JUDGED_MAX", 0)
    assert at(id, "over").round.lines == expected
