"""T6: a round that the system cannot finish gives every stake back, and blames nobody."""

import pytest

from croupier.errors import Refused, UserError
from croupier.round.commands import Bet, CallOff, Choose, CloseBets, Declare, Settle
from croupier.round.events import CalledOff, Declared, SeatSettled
from croupier.round.order import to_ask
from croupier.round.record import record_of, rounds_of
from croupier.round.tell import tell
from tests.round.games import at
from tests.rules.books import MARYLAND, book, each_book

WHY = "its cards could not be read again"
stages = pytest.mark.parametrize("stage", ["bet", "closed", "dealt", "decided"])


@each_book
@stages
def test_every_stake_comes_back_and_the_ruling_is_cited(id: str, stage: str) -> None:
    played = at(id, stage).do(CallOff(WHY), Settle())
    round = played.round
    assert round.closed and round.void
    assert (round.void.kind, round.void.clause, round.void.ruling) == ("", "", "T6")
    lines = [line for e in played.events if isinstance(e, SeatSettled) for line in e.lines]
    assert lines and all(line.outcome == "void" and line.net == 0 for line in lines)
    assert {(line.clause, line.ruling) for line in lines} == {("", "T6")}
    assert "T6" in book(id).rules.ruling, "the book has what is cited"
    assert not any(isinstance(event, Declared) for event in played.events)
    [event] = [event for event in played.events if isinstance(event, CalledOff)]
    assert tell(round, event) == f"The system calls the round off: {WHY} (ruling T6)."


def test_no_meter_moves() -> None:
    played = at(MARYLAND, "bet", progressive="A")
    played.do(Bet(1, "ann", "progressive", 100), CloseBets())
    assert played.round.meters != played.round.meters_before
    played.do(CallOff(WHY), Settle())
    assert played.round.meters == played.round.meters_before


@each_book
def test_its_record_replays_and_another_cause_does_not(id: str) -> None:
    played = at(id, "dealt").do(CallOff(WHY), Settle())
    rules, events = played.round.rules, tuple(played.events)
    assert record_of(rules, {}, events)["events"]
    assert [*rounds_of(rules, events)][-1] == played.round
    other = tuple(e._replace(ruling="T5") if isinstance(e, CalledOff) else e for e in events)
    with pytest.raises(UserError):
        [*rounds_of(rules, other)]


def test_it_is_done_once_in_a_round_that_is_open() -> None:
    with pytest.raises(Refused, match="isn't open"):
        at(MARYLAND, "new").do(CallOff(WHY))
    played = at(MARYLAND, "dealt").do(CallOff(WHY))
    with pytest.raises(Refused, match="void already"):
        played.do(CallOff(WHY))
    assert to_ask(played.round) == ()
    with pytest.raises(Refused):
        played.do(Choose(1, "play"))
    with pytest.raises(Refused):
        at(MARYLAND, "dealt").do(Declare("called_off"))
