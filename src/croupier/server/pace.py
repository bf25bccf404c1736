"""What the automatic dealer does next, and how long it waits for it. Nothing here is a clock.

A wait belongs to what is waited for: it begins when that begins, and begins anew with the next.
"""

from collections.abc import Set
from typing import Literal, NamedTuple

from croupier.server.standing import Standing
from croupier.table.commands import Time
from croupier.table.state import HOUR_S, bank_order

Does = Literal["open", "call off", "deal", "choose", "show", "settle", "pass"]

AGE_MARGIN_S = 600
"""An empty round is called off so long before its deck grows too old to be dealt."""


class Timing(NamedTuple):
    """How long the parts of a round last, in milliseconds."""

    bets_ms: int = 20_000
    """From the first bet to 'no more bets', unless all are ready before."""
    decide_ms: int = 30_000
    grace_ms: int = 30_000
    """How long a player who is away is waited for at least."""
    show_ms: int = 1_200
    pause_ms: int = 5_000
    """From the settlement to the next round."""
    bank_ms: int = 20_000
    round_min_ms: int = 5_000
    """No round is shorter than this, from its opening to the next one's."""


class Wait(NamedTuple):
    """What the dealer does next, after how long, and whom it waits for."""

    does: Does
    ms: int
    seat: int | None = None
    about: tuple[object, ...] = ()
    """What the wait belongs to, besides what is done and at which seat."""

    @property
    def key(self) -> tuple[object, ...]:
        """What is waited for, however long."""
        return self.does, self.seat, self.about


class Company(NamedTuple):
    """Who is there: players whose sockets are open, and seats that need no more time to bet."""

    present: Set[str]
    ready: Set[int]
    open: bool = True
    """Whether the table deals another round when this one is over."""


def next_wait(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    """Return what the dealer waits for, or None where only players can bring it on."""
    round = standing.in_play
    if round is None:
        return _between(standing, timing, company)
    if round.void:
        return Wait("settle", 0)
    stage = round.stage
    if round.due:
        return Wait("show", timing.show_ms, about=(round.id, round.due))
    match stage.do if stage else None:
        case "bets":
            return _betting(standing, timing, company)
        case "decide":
            return _deciding(standing, timing, company)
        case "settle":
            return Wait("settle", timing.show_ms, about=(round.id,))
    return None


def _between(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    table, rules = standing.table, standing.rules
    there = {seat for seat, player in table.seats.items() if player in company.present}
    if not company.open or not there or len(table.seats) < rules.table.seats_min:
        return None
    last = standing.round.id if standing.round else ""
    if rules.banked_by == "player" and table.banker is None:
        order = bank_order(table)
        return Wait("pass", timing.bank_ms, order[0], (last, table.passed)) if order else None
    return Wait("open", timing.pause_ms if last else 0, about=(last,))


def _betting(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    round, seats = standing.round, standing.table.seats
    if round is None or not round.boxes:
        return None
    banker = round.banker.seat if round.banker else None
    waiting = any(
        player in company.present and seat not in company.ready and seat != banker
        for seat, player in seats.items()
    )
    return Wait("deal", timing.bets_ms if waiting else 0, about=(round.id,))


def _deciding(standing: Standing, timing: Timing, company: Company) -> Wait | None:
    round = standing.round
    if round is None or not round.asked:
        return None
    seat = round.asked[0]
    present = round.boxes[seat].player in company.present
    ms = timing.decide_ms if present else max(timing.decide_ms, timing.grace_ms)
    return Wait("choose", ms, seat, about=(round.id, round.at))


def is_stale(standing: Standing, time: Time) -> bool:
    """Whether a round that nobody bets in lies with a deck that will soon be too old."""
    round, table = standing.in_play, standing.table
    hours = standing.rules.deal.change_hours
    if round is None or round.boxes or table.round is None or hours is None:
        return False
    return table.age_s(table.round.deck, time) > hours * HOUR_S - AGE_MARGIN_S


def needs_deck(standing: Standing) -> bool:
    """Whether a round is open whose cards are not all known yet: the rest it can settle without."""
    round = standing.in_play
    return round is not None and bool(round.due or not round.stage or round.stage.do != "settle")
