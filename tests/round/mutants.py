"""The engine with one fault at a time, and the invariant that must find it.

A mutant stands in for one of the functions that everything goes through, so that the inside of the
engine may change: it spoils the events of `decide`, forgives a refusal, or spoils what `evolve`,
`view`, `choices` or a line's net come to.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from msgspec import structs

from croupier.cards import DECK
from croupier.errors import Refused
from croupier.money import micros
from croupier.round.commands import Bet, Command, Show
from croupier.round.events import (
    BetMade,
    BetsClosed,
    BetTakenDown,
    Chose,
    Closed,
    Dealt,
    Declared,
    Event,
    SeatSettled,
    Shown,
)
from croupier.round.state import Line, Round, Stake
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

Events = tuple[Event, ...]
Make = Callable[[Any], Any]
Spoil = Callable[[Round, Events], Events]


class Mutant(NamedTuple):
    """One fault: what it is, who finds it, where it is played, what it makes of a function."""

    fault: str
    invariant: str
    id: str
    target: str
    make: Make
    table: int = 0

    @property
    def place(self) -> tuple[Any, str]:
        """What holds the function, a module or a class, and its name."""
        module, *names = self.target.split(".")
        owner = import_module(f"croupier.round.{module}")
        for name in names[:-1]:
            owner = getattr(owner, name)
        return owner, names[-1]


def spoiled(spoil: Spoil) -> Make:
    """A `decide` whose events are spoiled."""

    def make(original: Callable[[Round, Command], Events]) -> Any:
        return lambda round, command: spoil(round, original(round, command))

    return make


def forgiven(code: str, event_of: Callable[[Round, Any], Event]) -> Make:
    """A `decide` that does what it should refuse with a code."""

    def make(original: Callable[[Round, Command], Events]) -> Any:
        def decide(round: Round, command: Command) -> Events:
            try:
                return original(round, command)
            except Refused as refused:
                if refused.code != code:
                    raise
                return (event_of(round, command),)

        return decide

    return make


# ---------------------------------------------------------------- what should be refused


def late_bet(round: Round, command: Any) -> Event:
    if not isinstance(command, Bet) or command.wager not in round.rules.wagers:
        raise Refused("bets_closed", "no more bets")
    return BetMade(command.seat, command.player, command.wager, command.cents, command.hand)


def closed_anyway(round: Round, command: Any) -> Event:
    return BetsClosed()


def out_of_turn(round: Round, command: Any) -> Event:
    name, step = round.rules.sequence[round.at]
    if command.option not in step.option:
        raise Refused("no_such_choice", "is not a choice")
    return Chose(command.seat, name, command.option)


def early_card(round: Round, command: Any) -> Event:
    if not isinstance(command, Show):
        raise Refused("not_due", "is not due now")
    face = command.faces[-1]
    if face.position not in round.places.get("bank", ()) or face.position in round.faces:
        raise Refused("not_due", "is not to be shown now")
    return Shown(face.position, face.card)


def refused_but_taken(original: Any) -> Any:
    def decide(round: Round, command: Command) -> Events:
        try:
            events: Events = original(round, command)
        except Refused:
            box = round.boxes.get(command.seat) if isinstance(command, Bet) else None
            if isinstance(command, Bet) and box and command.wager in box.stakes:
                box.stakes[command.wager] = Stake(command.cents)  # type: ignore[index]
            raise
        return events

    return decide


def falls_over(original: Any) -> Any:
    def decide(round: Round, command: Command) -> Events:
        if isinstance(command, Bet):
            round.rules.spots[command.wager]  # A wager that is not offered is a KeyError.
        events: Events = original(round, command)
        return events

    return decide


# ---------------------------------------------------------------- what happens to an event


def loses_what_is_taken_down(original: Any) -> Any:
    return lambda round, e: round if isinstance(e, BetTakenDown) else original(round, e)


def loses_every_fifth(original: Any) -> Any:
    seen = [0]

    def evolve(round: Round, event: Event) -> Round:
        seen[0] += isinstance(event, Chose)
        lost = isinstance(event, Chose) and seen[0] % 5 == 0
        after: Round = round if lost else original(round, event)
        return after

    return evolve


def asks_again(original: Any) -> Any:
    def evolve(round: Round, event: Event) -> Round:
        after: Round = original(round, event)
        return structs.replace(after, asked=round.asked) if isinstance(event, Chose) else after

    return evolve


def falls_over_later(original: Any) -> Any:
    def evolve(round: Round, event: Event) -> Round:
        if isinstance(event, BetTakenDown):
            raise KeyError(event.wager)
        after: Round = original(round, event)
        return after

    return evolve


def with_stakes(change: Callable[[Stake], Stake]) -> Make:
    """An `evolve` after which the stakes of the seat that decided or left are changed."""

    def make(original: Any) -> Any:
        def evolve(round: Round, event: Event) -> Round:
            after: Round = original(round, event)
            seat = event.seat if isinstance(event, Chose) else 0
            if isinstance(event, Declared) and "abandon seat" in event.effects:
                seat = int(str(event.facts["seat"]))
            if seat not in after.boxes:
                return after
            box = after.boxes[seat]
            stakes = {spot: change(stake) for spot, stake in box.stakes.items()}
            boxes = {**after.boxes, seat: structs.replace(box, stakes=stakes)}
            return structs.replace(after, boxes=boxes)

        return evolve

    return make


def raised(stake: Stake) -> Stake:
    return stake._replace(cents=2 * stake.cents)


def kept_by_folding(stake: Stake) -> Stake:
    return Stake(stake.cents) if stake.fate == "forfeit" else stake


def kept_by_leaving(stake: Stake) -> Stake:
    return Stake(stake.cents) if stake.fate == "abandoned" else stake


def names_a_card(round: Round, events: Events) -> Events:
    return tuple(
        event._replace(by=f"holds {DECK[event.seat]}") if isinstance(event, Chose) else event
        for event in events
    )


def another_face(round: Round, events: Events) -> Events:
    return tuple(
        e._replace(card=DECK[e.card - 1]) if isinstance(e, Shown) and e.card else e for e in events
    )


# ---------------------------------------------------------------- cards


def dealt(change: Callable[[Round, list[int]], Sequence[int]]) -> Make:
    """A `decide` that deals other positions."""

    def spoil(round: Round, events: Events) -> Events:
        if not events or not isinstance(events[0], Dealt):
            return events
        cards = events[0].cards
        positions = change(round, [position for position, _, _ in cards])
        pairs = zip(positions, cards, strict=True)
        return (Dealt(tuple((p, place, seat) for p, (_, place, seat) in pairs)),)

    return spoiled(spoil)


def same_again(round: Round, positions: list[int]) -> list[int]:
    return [*positions[:-1], positions[0]]


def found_ones_too(round: Round, positions: list[int]) -> Sequence[int]:
    return range(len(positions))


def bank_is_seen(original: Any) -> Any:
    def view(round: Round, player: str | None, faces: Any) -> Any:
        seen = original(round, player, faces)
        bank = round.places.get("bank", ())
        return {**seen, "bank": [str(faces[p]) for p in bank if p in faces]}

    return view


def next_one_is_offered(original: Any) -> Any:
    return lambda round: [{**choice, "seat": choice["seat"] + 1} for choice in original(round)]


# ---------------------------------------------------------------- money


def settled(change: Callable[[Round, SeatSettled, list[SeatSettled]], SeatSettled]) -> Make:
    """A `decide` that settles every seat differently; the bank pays what the lines say."""

    def spoil(round: Round, events: Events) -> Events:
        seats = [event for event in events if isinstance(event, SeatSettled)]
        if not seats:
            return events
        new = [change(round, event, seats) for event in seats]
        bank = events[-1].bank if isinstance(events[-1], Closed) else None
        if bank:
            paid = sum(line.paid for event in new for line in event.lines)
            bank = replace(bank, paid=paid)
        return (*new, Closed(bank))

    return spoiled(spoil)


def lines(change: Callable[[Round, Line], Line | None]) -> Make:
    """A `decide` that settles every line differently, or drops it."""

    def spoil(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
        new = [change(round, line) for line in event.lines]
        return event._replace(lines=tuple(line for line in new if line))

    return settled(spoil)


def only_what_lies(round: Round, line: Line) -> Line | None:
    dead = line.outcome == "void" and round.boxes[line.seat].stakes[line.wager].fate != "live"
    return None if dead else line


def half_returned(round: Round, line: Line) -> Line:
    return line._replace(returned=line.returned // 2)


def called_a_tie(round: Round, line: Line) -> Line:
    return line._replace(outcome="tie") if line.outcome == "push" else line


def paid_anyway(round: Round, line: Line) -> Line:
    return line._replace(outcome="win", paid=line.stake) if line.outcome == "uncovered" else line


def not_covered(round: Round, line: Line) -> Line:
    won = line.outcome == "win" and line.wager == "ante"
    return line._replace(outcome="uncovered", paid=0) if won else line


def backwards(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    return event._replace(lines=event.lines[::-1])


def fees_kept(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    return event._replace(fee=event.fee or round.boxes[event.seat].fee)


def rake_of_the_dead(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    dead = any(line.outcome == "uncovered" for line in event.lines)
    return event._replace(fee=event.fee or 100) if dead else event


def no_reset(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    resets = {id: micros(round.rules.meters[id].reset or 0) for id in event.meters}
    meters = {id: m - resets[id] if m >= resets[id] else m for id, m in event.meters.items()}
    return event._replace(meters=meters)


def from_the_snapshot(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    """The second winner is paid what the meter showed before the first."""
    before = [other for other in seats[: seats.index(event)] if other.meters.keys() & event.meters]
    if not before:
        return event
    (id,) = list(event.meters)[:1]
    wager, shown = round.rules.meters[id].wager, before[-1].meters.get(id, 1)
    return event._replace(
        lines=tuple(
            line._replace(paid=line.paid * round.meters[id] // shown)
            if line.wager == wager
            else line
            for line in event.lines
        ),
    )


def own_boxes_envied(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    box = round.boxes[event.seat]
    envied = {line.from_seat for other in seats for line in other.lines if line.from_seat}
    own = [seat for seat in envied if seat and round.boxes[seat].player == box.player]
    more = [Line(event.seat, "envy", 0, "win", 100, 0, "1", None, seat) for seat in own]
    return event._replace(lines=(*event.lines, *more))


def envied_once(round: Round, event: SeatSettled, seats: list[SeatSettled]) -> SeatSettled:
    names = [line.wager for line in event.lines]
    kept = [line for i, line in enumerate(event.lines) if "envy" not in (line.wager, *names[:i])]
    first = [line for line in event.lines if line.wager == "envy"][:1]
    return event._replace(lines=(*kept, *first))


def closes(change: Callable[[BetsClosed], BetsClosed]) -> Make:
    """A `decide` that closes bets differently."""
    return spoiled(
        lambda round, events: tuple(
            change(event) if isinstance(event, BetsClosed) else event for event in events
        )
    )


def risen_twice(event: BetsClosed) -> BetsClosed:
    return event._replace(rises={id: 2 * rise for id, rise in event.rises.items()})


def without_fees(event: BetsClosed) -> BetsClosed:
    return event._replace(fees={})


def only_paid(original: Any) -> Any:
    return property(lambda line: line.paid - line.stake)


DECIDE, EVOLVE = "decide.decide", "evolve.evolve"
LATE, ANYWAY = forgiven("bets_closed", late_bet), forgiven("needs_wager", closed_anyway)
RATIO = forgiven("ratio", closed_anyway)
SNAPSHOT = settled(from_the_snapshot)
FOLDS, LEAVES = with_stakes(kept_by_folding), with_stakes(kept_by_leaving)
TURN, EARLY = forgiven("not_your_turn", out_of_turn), forgiven("not_due", early_card)
MUTANTS = [
    Mutant("a late bet is taken",     "late",     MARYLAND,    DECIDE, LATE),
    Mutant("a late bet is taken",     "late",     SINGAPORE,   DECIDE, LATE),
    Mutant("riding raises stakes",    "stakes",   LET_IT_RIDE, EVOLVE, with_stakes(raised)),
    Mutant("playing raises stakes",   "stakes",   FLORIDA,     EVOLVE, with_stakes(raised)),
    Mutant("a taken bet is lost",     "stakes",   MARYLAND,    EVOLVE, loses_what_is_taken_down),
    Mutant("a side bet stands alone", "bets",     CALIFORNIA,  DECIDE, ANYWAY),
    Mutant("7.G is not looked at",    "bets",     MARYLAND,    DECIDE, RATIO, 2),
    Mutant("an event is lost",        "replay",   FLORIDA,     EVOLVE, loses_every_fifth),
    Mutant("a refused bet is taken",  "frozen",   MARYLAND,    DECIDE, refused_but_taken),
    Mutant("decide falls over",       "total",    SINGAPORE,   DECIDE, falls_over),
    Mutant("evolve falls over",       "total",    MARYLAND,    EVOLVE, falls_over_later),
    Mutant("a turn is taken",         "turns",    MARYLAND,    DECIDE, TURN),
    Mutant("a turn is taken",         "turns",    LET_IT_RIDE, DECIDE, TURN),
    Mutant("who decided is asked",    "turns",    SINGAPORE,   EVOLVE, asks_again),
    Mutant("the bank is shown early", "turns",    CALIFORNIA,  DECIDE, EARLY),
    Mutant("a decision names a card", "faces",    MARYLAND,    DECIDE, spoiled(names_a_card)),
    Mutant("another face is shown",   "faces",    LET_IT_RIDE, DECIDE, spoiled(another_face)),
    Mutant("the bank is seen by all", "views",    FLORIDA,     "view.view", bank_is_seen),
    Mutant("others are offered it",   "choices",  MARYLAND,    "view.choices", next_one_is_offered),
    Mutant("a card is dealt twice",   "cards",    SINGAPORE,   DECIDE, dealt(same_again)),
    Mutant("a found card is kept",    "cards",    MARYLAND,    DECIDE, dealt(found_ones_too)),
    Mutant("a fold keeps all",        "folds",    MARYLAND,    EVOLVE, FOLDS),
    Mutant("a fold keeps all",        "folds",    SINGAPORE,   EVOLVE, FOLDS),
    Mutant("who left still wins",     "folds",    LET_IT_RIDE, EVOLVE, LEAVES),
    Mutant("a meter rises twice",     "meters",   SINGAPORE,   DECIDE, closes(risen_twice)),
    Mutant("a meter is not reset",    "meters",   MARYLAND,    DECIDE, settled(no_reset)),
    Mutant("a snapshot is paid",      "meters",   LET_IT_RIDE, DECIDE, SNAPSHOT, 2),
    Mutant("own boxes are envied",    "envy",     MARYLAND,    DECIDE, settled(own_boxes_envied)),
    Mutant("envy is paid once",       "envy",     MARYLAND,    DECIDE, settled(envied_once)),
    Mutant("a bank pays too much",    "bank",     CALIFORNIA,  DECIDE, lines(paid_anyway)),
    Mutant("a bank pays too much",    "bank",     FLORIDA,     DECIDE, lines(paid_anyway)),
    Mutant("a bank pays too little",  "bank",     CALIFORNIA,  DECIDE, lines(not_covered)),
    Mutant("a dead hand pays rake",   "fees",     FLORIDA,     DECIDE, settled(rake_of_the_dead)),
    Mutant("no fee is taken",         "fees",     CALIFORNIA,  DECIDE, closes(without_fees)),
    Mutant("pulled bets are kept",    "void",     LET_IT_RIDE, DECIDE, lines(only_what_lies)),
    Mutant("folded bets are kept",    "void",     MARYLAND,    DECIDE, lines(only_what_lies)),
    Mutant("fees are kept",           "void",     CALIFORNIA,  DECIDE, settled(fees_kept)),
    Mutant("lines go backwards",      "order",    MARYLAND,    DECIDE, settled(backwards)),
    Mutant("folded bets are kept",    "order",    FLORIDA,     DECIDE, lines(only_what_lies)),
    Mutant("half comes back",         "outcomes", SINGAPORE,   DECIDE, lines(half_returned)),
    Mutant("a push is called a tie",  "outcomes", CALIFORNIA,  DECIDE, lines(called_a_tie)),
    Mutant("half comes back",         "money",    CALIFORNIA,  DECIDE, lines(half_returned)),
    Mutant("nets forget returns",     "money",    MARYLAND,    "state.Line.net", only_paid),
]  # fmt: skip
