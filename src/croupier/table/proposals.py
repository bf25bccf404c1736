"""Acts that take two people: one proposes, another one approves.

A proposal keeps what its command would do. It is decided again when it is approved, and refused if
that has changed in the meantime. What the book demands stands until somebody answers it; anything
else lapses.
"""

from typing import assert_never

from croupier.errors import Refused
from croupier.rules.words import listed
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.commands import Preview, Time
from croupier.table.crew import Who
from croupier.table.events import Event
from croupier.table.state import Table, elapsed_s

LAPSES_S = 120
"""How long a proposal that the book doesn't demand stays open."""

ProposalCommand = (
    commands.Propose | commands.Approve | commands.Withdraw | commands.Decline | commands.Lapse
)


def decide_proposal(table: Table, command: ProposalCommand) -> tuple[Event, ...]:
    """Return the events of proposing something, or of answering a proposal; or refuse it."""
    match command:
        case commands.Propose():
            return _propose(table, command)
        case commands.Approve(id, by, time, preview):
            proposal = _open(table, id, time)
            _check_answers(table, proposal, by)
            _check_unchanged(proposal, preview)
            return (happened.Approved(id, by),)
        case commands.Withdraw(id, by):
            proposal = _open(table, id)
            _check_own(proposal, by)
            return (happened.Withdrawn(id, by),)
        case commands.Decline(id, by, why):
            _check_answers(table, _open(table, id), by)
            return (happened.Declined(id, by, why),)
        case commands.Lapse(id, time):
            if not has_lapsed(_open(table, id), time):
                raise Refused("not_due", "this proposal hasn't lapsed", field="id")
            return (happened.Lapsed(id, time),)
    assert_never(command)


def _propose(table: Table, command: commands.Propose) -> tuple[Event, ...]:
    preview, by, playing = command.preview, command.by, table.round
    if not preview.approve:
        raise Refused("one_person", "this takes one person; do it without a proposal", field="of")
    check_stranger(table, by.person)
    _check_proposes(table, preview, by)
    round, kind = playing.id if playing else "", str(command.command.get("type"))
    lapsed: list[Event] = []
    for other in table.proposals:
        if (other.kind, other.round) != (kind, round):
            continue
        if not has_lapsed(other, command.time):
            message = f"proposal {other.id} of the same kind has to be answered first"
            raise Refused("proposal_open", message, field="command")
        lapsed.append(happened.Lapsed(other.id, command.time))
    id = str(table.proposed + 1)
    place = id, command.of, command.command, command.why, by, command.time, round
    return (*lapsed, happened.Proposed(*place, preview))


def _check_proposes(table: Table, preview: Preview, by: Who) -> None:
    if by.role not in preview.propose:
        message = f"{listed([*preview.propose], last='or')} proposes this, not {by.role}"
        raise Refused("wrong_person", message, clause=_two_people(table))


def _check_own(proposal: happened.Proposed, by: Who) -> None:
    if by.person != proposal.by.person:
        message = "only the person who proposed it can withdraw it; decline it instead"
        raise Refused("wrong_person", message, field="id")


def _open(table: Table, id: str, time: Time | None = None) -> happened.Proposed:
    """Return an open proposal, or refuse the answer to one that isn't open or has lapsed."""
    proposal = next((one for one in table.proposals if one.id == id), None)
    if proposal is None:
        raise Refused("no_such_proposal", f"no proposal {id!r} is open", field="id")
    if time is not None and has_lapsed(proposal, time):
        message = f"it lapsed after {LAPSES_S} seconds; it has to be proposed again"
        raise Refused("lapsed", message, field="id")
    return proposal


def has_lapsed(proposal: happened.Proposed, time: Time) -> bool:
    """Whether a proposal has waited too long; one that the book demands never has."""
    return not proposal.preview.stands and elapsed_s(proposal.time, time) >= LAPSES_S


def _check_answers(table: Table, proposal: happened.Proposed, by: Who) -> None:
    """Refuse an answer by the proposer, by a role that doesn't give one, or by a player here."""
    _check_other(table, proposal, by)
    check_stranger(table, by.person)
    _check_role(table, proposal, by)


def _check_other(table: Table, proposal: happened.Proposed, by: Who) -> None:
    if by.person == proposal.by.person:
        message = "another person has to answer it; you may withdraw it"
        raise Refused("same_person", message, field="id", clause=_two_people(table))


def _check_role(table: Table, proposal: happened.Proposed, by: Who) -> None:
    if by.role not in proposal.preview.approve:
        message = f"{listed([*proposal.preview.approve], last='or')} answers it, not {by.role}"
        raise Refused("wrong_person", message, field="id", clause=_two_people(table))
    deals = by.role != "dealer" or by.person == table.crew.dealer
    if not deals and proposal.kind != commands.TapIn.__name__:  # A clerk is relieved too.
        message = "the dealer of this table answers it"
        raise Refused("wrong_person", message, field="id", clause=_two_people(table))


def _check_unchanged(proposal: happened.Proposed, preview: Preview) -> None:
    if preview != proposal.preview:
        message = "the table has changed since, so this would do something else; propose it again"
        raise Refused("changed", message, field="id")


def _two_people(table: Table) -> str | None:
    """Return the book's ruling that an act takes two people."""
    return table.rules.ruling_on("two people")


def check_stranger(table: Table, person: str) -> None:
    """Refuse to let a player of this table work at it."""
    if person in table.seats.values():
        message = "you are playing at this table, so you can't work at it"
        raise Refused("plays_here", message)


def is_stopped(table: Table) -> bool:
    """Whether a round waits for an answer to a proposal to void it."""
    return any(proposal.preview.voids for proposal in table.proposals)


def check_not_stopped(table: Table) -> None:
    """Refuse to go on with a round while a proposal to void it is open."""
    for proposal in table.proposals:
        if proposal.preview.voids:
            message = f"the round waits for an answer to proposal {proposal.id}: that it is void"
            raise Refused("stopped", message, clause=proposal.preview.clause or None)
