"""What a table waits for and until when. Nothing here reads a clock: times are arguments.

A wait belongs to what is waited for. It keeps running while that stays the same, and starts over
with the next thing.
"""

from collections.abc import Mapping, Set
from typing import Any, Literal, NamedTuple

from croupier.house.standing import Standing
from croupier.table.state import bank_order

Does = Literal["open", "deal", "cut", "choose", "show", "settle", "pass"]

CUT_MS = 2_000
"""How long players have to reveal their contributions to the cut."""
SAID: dict[Does, str] = {"deal": "bets", "choose": "decide", "pass": "bank", "open": "pause"}
"""The waits that viewers see counted down, with the names they are sent under."""


class Timing(NamedTuple):
    """How long the parts of a round last, in milliseconds."""

    bets_ms: int = 20_000
    """From the first bet to "no more bets", unless everybody is ready before."""
    decide_ms: int = 30_000
    grace_ms: int = 30_000
    """The least time that a player who is away gets to decide."""
    show_ms: int = 1_200
    pause_ms: int = 5_000
    """From the settlement to the next round."""
    bank_ms: int = 20_000
    round_min_ms: int = 5_000
    """The least time between two deals."""


class Wait(NamedTuple):
    """What the dealer does next, after how long, and at which seat."""

    does: Does
    ms: int
    seat: int | None = None
    about: tuple[object, ...] = ()
    """What else the wait belongs to: a round, and how far it is."""

    @property
    def key(self) -> tuple[object, ...]:
        """What is waited for, however long it takes."""
        return self.does, self.seat, self.about


class Clock(NamedTuple):
    """A wait that has begun: since when it runs, and by how much it was extended."""

    wait: Wait | None = None
    since_ms: int = 0
    extra_ms: int = 0
    more_times: int = 0
    """How often more time was given."""
    not_before_ms: int = 0
    """The earliest time of the next deal."""

    def now(self, wait: Wait | None, ms: int) -> "Clock":
        """Return the clock for the table's current wait; a wait that has begun keeps running."""
        before = self.wait
        if wait is not None and before is not None and wait.key == before.key:
            return self if wait == before else self._replace(wait=wait)
        if wait is before:
            return self
        return Clock(wait, ms, not_before_ms=self.not_before_ms)

    def longer(self, ms: int) -> "Clock":
        """Return the clock with more time on it."""
        return self._replace(extra_ms=self.extra_ms + ms, more_times=self.more_times + 1)

    @property
    def due_ms(self) -> int | None:
        """When the wait is over; None if the table isn't waiting."""
        if self.wait is None:
            return None
        due = self.since_ms + self.wait.ms + self.extra_ms
        return max(due, self.not_before_ms) if self.wait.does == "deal" else due

    def countdown(self, ms: int) -> dict[str, Any] | None:
        """Return the countdown that viewers are sent, if the wait has one."""
        wait, due = self.wait, self.due_ms
        if wait is None or due is None or not wait.ms or wait.does not in SAID:
            return None
        left, total = max(due - ms, 0), wait.ms + self.extra_ms
        return {"for": SAID[wait.does], "left_ms": left, "of_ms": total, "seat": wait.seat}


class Company(NamedTuple):
    """Who is there: players with an open socket, and seats that need no more time to bet."""

    present: Set[str] = frozenset()
    ready: Set[int] = frozenset()
    stopped: str = ""
    """Why the table deals no other round after this one; '' if it does."""
    called: str = ""
    """Who has called the floor, at a table with a dealer; '' if nobody has."""

    @property
    def open(self) -> bool:
        """Whether the table deals another round after this one."""
        return not self.stopped


class Notes(NamedTuple):
    """The part of a table that no journal holds. Without it everyone is away, and waits start
    over."""

    company: Company = Company()
    clock: Clock = Clock()
    countdown: Mapping[str, Any] | None = None
    """The countdown that viewers were sent last."""

    def now(self, standing: Standing, timing: Timing, ms: int) -> "Notes":
        """Return the notes with the clock of what the table waits for now."""
        wait = next_wait(standing, timing, self.company)
        clock = self.clock.now(wait, ms)
        return Notes(self.company, clock, clock.countdown(ms))


def next_wait(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    """Return what the dealer does next, or None where only people can move the table on.

    A dealer who is a person has no clock: how long something takes is their courtesy.
    """
    if standing.table.rules.things:
        return None
    round = standing.round
    if round is None or round.closed:
        return _between(standing, timing, company)
    if round.void:
        return Wait("settle", 0)
    stage = round.stage
    if round.due:
        return Wait("show", timing.show_ms, about=(round.id, round.due))
    match stage.do if stage else None:
        case "bets":
            return _betting(standing, timing, company)
        case "deal":
            # Bets have closed: the deck is cut once every contribution is revealed.
            return Wait("cut", CUT_MS if standing.cut.withheld else 0, about=(round.id,))
        case "decide":
            return _deciding(standing, timing, company)
        case "settle":
            return Wait("settle", timing.show_ms, about=(round.id,))
    return None


def _between(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    table, rules = standing.table, standing.table.rules
    there = {seat for seat, player in table.seats.items() if player in company.present}
    if not company.open or not there or len(table.seats) < rules.table.seats_min:
        return None
    last = standing.round.id if standing.round else ""
    if rules.banked_by == "player" and table.banker is None:
        order = bank_order(table)
        return Wait("pass", timing.bank_ms, order[0], (last, table.passed)) if order else None
    pause_ms = timing.pause_ms if last and not _is_alone(standing, company) else 0
    return Wait("open", pause_ms, about=(last,))


def _betting(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    round, seats = standing.round, standing.table.seats
    if round is None or not round.boxes:
        return None
    banker = round.banker.seat if round.banker else None
    # A player who is alone keeps nobody waiting: bets stay open until the press of Deal.
    alone = _is_alone(standing, company)
    waiting = any(
        player in company.present and seat not in company.ready and seat != banker
        for seat, player in seats.items()
    )
    if waiting and alone:
        return None
    return Wait("deal", timing.bets_ms if waiting else 0, about=(round.id,))


def _is_alone(standing: Standing, company: Company) -> bool:
    """Whether all who sit here and are present are one player."""
    seats = standing.table.seats.values()
    return len({player for player in seats if player in company.present}) == 1


def _deciding(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    round = standing.round
    if round is None or not round.asked:
        return None
    seat = round.asked[0]
    present = round.boxes[seat].player in company.present
    ms = timing.decide_ms if present else max(timing.decide_ms, timing.grace_ms)
    return Wait("choose", ms, seat, about=(round.id, round.at))


def needs_deck(standing: Standing) -> bool:
    """Whether the open round still needs its deck: it can settle once all cards are shown."""
    round = standing.in_play
    return round is not None and bool(round.due or not round.stage or round.stage.do != "settle")
