"""T6: a round that the system can't finish gives every stake back, and blames nobody."""

import pytest

from croupier.errors import Refused, UserError
from croupier.round.codec import event_from
from croupier.round.commands import Bet, CallOff, Choose, CloseBets, Declare, Settle
from croupier.round.events import CalledOff, Declared, SeatSettled
from croupier.round.record import record_of, rounds_of
from croupier.round.tell import tell
from croupier.rules.vocabulary import Thing
from tests.round.games import at
from tests.rules.books import MARYLAND, book, each_book

WHY = "its cards could not be read again"
OFF = CallOff("cards unreadable", WHY)
VIRTUAL: tuple[Thing, ...] = ()
stages = pytest.mark.parametrize("stage", ["bet", "closed", "dealt", "decided"])


@each_book
@stages
def test_every_stake_comes_back_and_the_ruling_is_cited(id: str, stage: str) -> None:
    played = at(id, stage, things=VIRTUAL).do(OFF, Settle())
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
    played = at(MARYLAND, "bet", things=VIRTUAL, progressive="A")
    played.do(Bet(1, "ann", "progressive", 100), CloseBets())
    assert played.round.meters != played.round.meters_before
    played.do(OFF, Settle())
    assert played.round.meters == played.round.meters_before


@each_book
def test_its_record_replays_and_another_cause_does_not(id: str) -> None:
    played = at(id, "dealt", things=VIRTUAL).do(OFF, Settle())
    rules, events = played.round.rules, tuple(played.events)
    assert record_of(rules, {}, events)["events"]
    assert [*rounds_of(rules, events)][-1] == played.round
    other = tuple(e._replace(ruling="T5") if isinstance(e, CalledOff) else e for e in events)
    with pytest.raises(UserError):
        [*rounds_of(rules, other)]


def test_it_is_done_once_in_a_round_that_is_open() -> None:
    with pytest.raises(Refused, match="isn't open"):
        at(MARYLAND, "new", things=VIRTUAL).do(OFF)
    played = at(MARYLAND, "dealt", things=VIRTUAL).do(OFF)
    with pytest.raises(Refused, match="void already"):
        played.do(OFF)
    assert played.round.asked == ()
    with pytest.raises(Refused):
        played.do(Choose(1, "play"))
    with pytest.raises(Refused):
        at(MARYLAND, "dealt").do(Declare("called_off"))


@each_book
@pytest.mark.parametrize("things", [("cards", "chips"), ("dealer", "cards")])
def test_with_cards_on_the_table_the_round_is_finished_by_hand(
    id: str, things: tuple[Thing, ...]
) -> None:
    with pytest.raises(Refused, match="finished by hand") as caught:
        at(id, "closed", things=things).do(OFF)
    assert (caught.value.code, caught.value.clause) == ("cards_there", "T6")


@each_book
def test_nobody_declares_anything_at_an_automatic_table(id: str) -> None:
    for kind in book(id).rules.irregularity:
        with pytest.raises(Refused, match="nobody is at this table") as caught:
            at(id, "closed", things=VIRTUAL).do(Declare(kind))
        assert caught.value.code == "no_people"


def test_the_event_says_the_cause_and_older_ones_read_as_interrupted() -> None:
    event = at(MARYLAND, "bet", things=VIRTUAL).do(OFF).events[-1]
    assert isinstance(event, CalledOff) and event.cause == "cards unreadable"
    old = {"type": "CalledOff", "because": WHY, "ruling": "T6"}
    assert event_from(old) == event._replace(cause="interrupted")


@each_book
def test_B8_what_happens_to_cards_cannot_happen_to_virtual_ones(id: str) -> None:
    """A dealer of virtual cards may declare what needs none: a seat that was left, a misdeal."""
    played = at(id, "closed", things=("dealer",))
    for kind, irregularity in book(id).rules.irregularity.items():
        if not irregularity.needs:
            assert kind in ("abandoned", "misdeal")
            continue
        with pytest.raises(Refused) as caught:
            played.do(Declare(kind))
        assert caught.value.code in ("no_cards", "no_chips", "no_device") and caught.value.clause
