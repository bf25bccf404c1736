"""Awards that wait for the floor: what each is, what was proposed about it, what releases it.

An award leaves its account once: to the player, or back to the meter. Two people reject, and two
validate from the table's `witnessed` up. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from croupier.errors import CroupierError
from croupier.ledger.accounts import Account, account
from croupier.ledger.entries import Entry
from croupier.ledger.events import (
    AwardDeclined,
    AwardProposed,
    AwardRejected,
    AwardValidated,
    LedgerEvent,
)

AWARD, RESET = "award", "reset"
"""Why a meter pays an award, and why the house fills it again."""
PENDING = "pending:"


class Award(NamedTuple):
    """An award as the journal of its table has it."""

    id: str
    """The round, the seat and the wager."""
    player: str
    meter: str
    micros: int
    reset_micros: int
    """What the house put into the meter in the same append."""
    needs_two: bool
    table: str = ""
    """The table where it was won."""
    at_table: bool = False
    """Whether its round is open, so that it is answered there."""
    validated: bool = False
    """Whether it was validated there, so that only the dealer has yet to pay it."""

    @property
    def account(self) -> Account:
        return account("pending", self.id)


def won_at(id: str) -> tuple[str, int, str]:
    """Return the round, the seat and the wager that an award's id names."""
    round, seat, wager = id.rsplit("/", 2)
    return round, int(seat), wager


class WrongAward(CroupierError):
    """Raised for an event about an award that can't follow those before it."""


def awards_in(
    entries: Iterable[Entry], players: Mapping[int, str], witnessed_cents: int | None
) -> Iterator[Award]:
    """Yield the awards that the entries of one event leave pending."""
    rows = list(entries)
    for at, entry in enumerate(rows):
        if entry.code != AWARD or not entry.credit.startswith(PENDING):
            continue
        after = rows[at + 1] if at + 1 < len(rows) else None
        filled = after is not None and after.code == RESET and after.credit == entry.debit
        id = entry.credit.removeprefix(PENDING)
        _, seat, _ = won_at(id)
        yield Award(
            id=id,
            player=players[seat],
            meter=entry.debit.removeprefix("meter:"),
            micros=entry.micros,
            reset_micros=after.micros if after and filled else 0,
            needs_two=witnessed_cents is not None and entry.micros >= witnessed_cents * 10_000,
        )


def proposals_after(
    open: Mapping[str, AwardProposed], event: LedgerEvent
) -> Mapping[str, AwardProposed]:
    """Return what waits for a second person after an event; raises WrongAward."""
    match event:
        case AwardProposed(award):
            if award in open:
                raise WrongAward(f"something is proposed about {award} already")
            return {**open, award: event}
        case AwardDeclined(award, _):
            _proposed(open, award)
        case AwardValidated(award, by=by, approved_by=second):
            if second or award in open:
                _check(open, award, "validate", by=by, second=second)
        case AwardRejected(award, by=by, approved_by=second):
            _check(open, award, "reject", by=by, second=second)
        case _:
            return open
    return {id: one for id, one in open.items() if id != award}


def _proposed(open: Mapping[str, AwardProposed], award: str) -> AwardProposed:
    if award not in open:
        raise WrongAward(f"nothing is proposed about {award}")
    return open[award]


def _check(
    open: Mapping[str, AwardProposed], award: str, does: str, *, by: str, second: str
) -> None:
    proposed = _proposed(open, award)
    if (proposed.does, proposed.by) != (does, by):
        raise WrongAward(f"something else is proposed about {award}")
    if not second or second == by:
        raise WrongAward(f"nobody else approved what {by} proposed about {award}")


def faults_of(
    awards: Mapping[str, Award], released: Iterable[tuple[str, LedgerEvent]]
) -> Iterator[str]:
    """Yield what is wrong with how awards were released, given all that tables left pending."""
    for at, event in released:
        match event:
            case AwardValidated(id, player, amount, _, second):
                award = awards.get(id)
                if award is None or (player, amount) != (award.player, award.micros):
                    yield f"{at}: {id} was validated as another award than it is"
                elif event.table not in ("", award.table):
                    yield f"{at}: {id} was paid at another table than it was won at"
                elif award.needs_two and not second:
                    yield f"{at}: {id} was validated by one person, and needs two"
            case AwardRejected(id, meter, amount, reset):
                award = awards.get(id)
                found = award and (award.meter, award.micros, award.reset_micros)
                if found != (meter, amount, reset):
                    yield f"{at}: {id} was rejected as another award than it is"
            case _:
                pass
