"""A dealer who settles seat by seat gets the same result as settling everything at once."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs

from croupier.errors import Refused
from croupier.ledger.entries import Entry, Posting, Setting, post
from croupier.round.commands import Close, Declare, Face, Read, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import (
    Banked,
    BetMade,
    Declared,
    Event,
    MetersRead,
    Opened,
    PartSettled,
    SeatSettled,
    Shown,
)
from croupier.round.evolve import evolve
from croupier.round.play import Play
from croupier.round.settler import Settler
from croupier.round.settling import hidden_from, next_seat
from croupier.round.state import Round
from croupier.rules.vocabulary import Thing
from tests.reference.rounds import random_round
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, each_book

Settles = Callable[[Round, dict[int, Face], dict[str, int]], list[Event]]


def at_settlement(events: tuple[Event, ...], round: Round) -> tuple[Round, list[Event]]:
    """A round as it stands when its settlement begins, and what led there."""
    before: list[Event] = []
    for event in events:
        settles = round.stage and round.stage.do == "settle" and not isinstance(event, Declared)
        if round.void or settles:
            break
        before.append(event)
        round = evolve(round, event)
    return round, before


def seat_by_seat(round: Round, faces: dict[int, Face], readings: dict[str, int]) -> list[Event]:
    """Settle a round as a dealer does; before each seat, another one is refused."""
    play = Play(round, {})
    while (seat := next_seat(play.round)) is not None:
        if hidden := hidden_from(play.round, seat):
            play.do(Show(tuple(faces[position] for position in hidden)))
        assert wrong(play.round, Close()) == "not_yet"
        others = [other for other in round.boxes if other != seat]
        assert {wrong(play.round, Settle(seat=other)) for other in others} <= {"not_yet"}
        play.do(Settle({} if play.round.order else readings, seat))
    play.do(Close())
    return play.events


def as_read(round: Round) -> Round:
    """The round at a table with a real shoe, as if its clauses were kept without a word."""
    things: tuple[Thing, ...] = ("dealer", "cards", "chips")
    return structs.replace(round, rules=replace(round.rules, things=things, guided={}))


def read_by_seat(round: Round, faces: dict[int, Face], readings: dict[str, int]) -> list[Event]:
    """Settle a round with real cards: nothing but the cards that were read so far is known."""
    play = Play(as_read(round), {})
    while (seat := next_seat(play.round)) is not None:
        for position in hidden_from(play.round, seat):
            play.do(Read(faces[position].card))
            assert isinstance(play.events[-1], Shown) and play.events[-1].position == position
        play.do(Settle({} if play.round.order else readings, seat))
    play.do(Close())
    return play.events


def wrong(round: Round, command: Settle | Close) -> str:
    with pytest.raises(Refused) as refused:
        decide(round, command)
    return refused.value.code


def entries_of(rules_round: Round, events: list[Event]) -> Counter[tuple[str, str, str]]:
    """The sums that events move, by accounts and reason."""
    posting = Posting(Setting("t"), rules_round)
    sums: Counter[tuple[str, str, str]] = Counter()
    for event in events:
        if isinstance(event, Opened):
            event = event._replace(round="r1")
        elif isinstance(event, BetMade | Banked):  # Nobody has a name in some files.
            event = event._replace(player=f"p{event.player.strip()}")
        posting, entries = post(posting, event)
        for entry in entries:
            sums[key_of(entry)] += entry.micros
    return sums


def key_of(entry: Entry) -> tuple[str, str, str]:
    return str(entry.debit), str(entry.credit), entry.code


def compared(
    id: str, numbers: range, settler: Settler, settles: Settles = seat_by_seat
) -> Counter[str]:
    """Settle random rounds both ways; return how many there were, with what in them."""
    seen: Counter[str] = Counter()
    for number in numbers:
        file = random_round(id, random.Random(f"{id} {number}"))
        events = settler.played(file).events
        start = Round(settler.played(file).round.rules)
        round, before = at_settlement(events, start)
        if round.void or not round.boxes:
            continue
        after = events[len(before) :]
        faces = {event.position: event for event in after if isinstance(event, Shown)}
        readings = next((dict(e.meters) for e in after if isinstance(e, MetersRead)), {})
        steps = settles(round, faces, readings)
        once, turns = start, start
        for event in events:
            once = evolve(once, event)
        for event in (*before, *steps):
            turns = evolve(turns, event)
        assert Counter(turns.lines) == Counter(once.lines), (id, number)
        assert (turns.meters, turns.bank_result) == (once.meters, once.bank_result)
        assert sorted(turns.order) == sorted(once.order)
        assert entries_of(start, [*before, *steps]) == entries_of(start, [*events])
        seen["rounds"] += 1
        seen["parts"] += any(isinstance(event, PartSettled) for event in steps)
    return seen


@each_book
def test_seat_by_seat_comes_to_what_all_at_once_does(id: str) -> None:
    seen = compared(id, range(60), Settler(()))
    assert seen["rounds"] > 40
    assert seen["parts"] or id == FLORIDA, "no envy was paid, and no wager taken first"


@pytest.mark.long
@each_book
def test_seat_by_seat_over_ten_thousand_rounds(id: str) -> None:
    seen = compared(id, range(2_400), Settler(()))
    assert seen["rounds"] >= 2_000


@each_book
def test_cards_that_are_read_seat_by_seat_come_to_the_same(id: str) -> None:
    assert compared(id, range(40), Settler(()), read_by_seat)["rounds"] > 25


@pytest.mark.long
@each_book
def test_cards_that_are_read_over_ten_thousand_rounds(id: str) -> None:
    assert compared(id, range(2_400), Settler(()), read_by_seat)["rounds"] >= 2_000


@pytest.mark.clause(CALIFORNIA, "round-of-play/8")
def test_the_bank_takes_from_every_loser_before_it_pays() -> None:
    taken, settler = 0, Settler(())
    for number in range(60):
        file = random_round(CALIFORNIA, random.Random(f"{CALIFORNIA} {number}"))
        played = settler.played(file)
        round, before = at_settlement(played.events, Round(played.round.rules))
        if round.void:
            continue
        after = played.events[len(before) :]
        faces = {event.position: event for event in after if isinstance(event, Shown)}
        lines = [
            [line.outcome for line in event.lines]
            for event in seat_by_seat(round, faces, {})
            if isinstance(event, SeatSettled | PartSettled)
        ]
        lost = [all(o in ("lose", "forfeit") for o in outcomes) for outcomes in lines if outcomes]
        assert lost == sorted(lost, reverse=True), number
        taken += any(lost)
    assert taken > 10


# ---------------------------------------------------------------- undone

VOIDING: dict[str, Declare] = {
    MARYLAND: Declare("wrong_number_of_cards", {"where": 1}),
    LET_IT_RIDE: Declare("wrong_number_of_cards", {"where": 1}),
    SINGAPORE: Declare("foreign_card"),
    CALIFORNIA: Declare("misdeal"),
    FLORIDA: Declare("misdeal"),
}


def undone(id: str, number: int, settler: Settler) -> tuple[Counter[str], Counter[str]] | None:
    """Declare a random round void after some of its seats are settled.

    Return what every account has changed by, and what was paid from meters before that.
    """
    file = random_round(id, random.Random(f"{id} {number}"))
    played = settler.played(file)
    round, before = at_settlement(played.events, Round(played.round.rules))
    if round.void or not round.boxes:
        return None
    after = played.events[len(before) :]
    faces = {event.position: event for event in after if isinstance(event, Shown)}
    readings = next((dict(e.meters) for e in after if isinstance(e, MetersRead)), {})
    steps = seat_by_seat(round, faces, readings)
    ends = [at for at, e in enumerate(steps, 1) if isinstance(e, SeatSettled | PartSettled)]
    play = Play(Round(round.rules), {})
    play.take((*before, *steps[: random.Random(number).choice(ends)]))
    voids = VOIDING[id]
    if "where" in voids.facts:
        voids = Declare(voids.kind, {"where": min(round.boxes)})
    play.do(voids)
    void = play.round.void
    assert void and void.ruling and (void.ruling == "T13" or not void.clause)
    assert (play.round.lines, play.round.order) == ((), ())
    assert play.round.meters == play.round.meters_before
    play.do(Close())
    assert {line.outcome for line in play.round.lines} == {"void"}
    sums: Counter[str] = Counter()
    awards: Counter[str] = Counter()
    for (debit, credit, code), moved in entries_of(Round(round.rules), play.events).items():
        sums[debit] -= moved
        sums[credit] += moved
        awards[code] += moved
    return sums, awards


@each_book
def test_T13_a_void_undoes_the_seats_that_were_settled(id: str) -> None:
    settler, rounds, awards = Settler(()), 0, 0
    for number in range(80):
        if (found := undone(id, number, settler)) is not None:
            sums, paid = found
            assert not any(sums.values()), (id, number, sums)
            rounds, awards = rounds + 1, awards + bool(paid["award"])
    assert rounds > 40
    assert awards or id in (CALIFORNIA, FLORIDA), "no award went back to its meter"
