"""What the floor may decide about an award that waits, and what a second person answers; pure.

The book gives the validation to a floorperson or above (ruling M21). From the table's `witnessed`
up it takes two people, and so does every rejection.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from croupier.errors import Refused
from croupier.ledger.awards import Award
from croupier.ledger.events import (
    AwardDeclined,
    AwardProposed,
    AwardRejected,
    AwardValidated,
    LedgerEvent,
)
from croupier.ledger.roles import FLOOR
from croupier.round.state import is_walk_in

NOTHING_PROPOSED = "this award has no open proposal; it may have been answered"


class Acting(NamedTuple):
    """A person who decides about awards, and their session."""

    person: str
    session: str


def check_away(award: Award, person: str, seated: Collection[str]) -> None:
    """Refuse the winner of an award, and players at its table."""
    if person == award.player or person in seated:
        raise Refused("plays_here", "you can't decide about an award at a table where you play")


def validated(award: Award, open: AwardProposed | None, by: Acting) -> LedgerEvent:
    """Pay the award, or propose it if it takes two people."""
    _check_free(award, open)
    if award.needs_two:
        return AwardProposed(award.id, "validate", *by, "")
    return _paid(award, by.person)


def _paid(award: Award, by: str, second: str = "") -> AwardValidated:
    """Return the payment of an award; a walk-in has no purse and gets chips."""
    table = award.table if is_walk_in(award.player) else ""
    return AwardValidated(award.id, award.player, award.micros, by, second, table)


def rejected(award: Award, open: AwardProposed | None, by: Acting, why: str) -> LedgerEvent:
    """Propose to reject the award."""
    _check_free(award, open)
    return AwardProposed(award.id, "reject", *by, why)


def approved(
    award: Award, open: AwardProposed | None, by: Acting, has_lost: Callable[[str, str], bool]
) -> LedgerEvent:
    """Do what another person proposed in another session, if they still have the role floor."""
    if open is None:
        raise Refused("no_such_proposal", NOTHING_PROPOSED, field="award")
    _check_second(open, by)
    if has_lost(open.by, FLOOR):
        message = "the person who proposed it isn't floor any more; decline it"
        raise Refused("changed", message, field="award")
    if open.does == "validate":
        return _paid(award, open.by, by.person)
    return AwardRejected(
        award=award.id,
        meter=award.meter,
        micros=award.micros,
        reset_micros=award.reset_micros,
        by=open.by,
        approved_by=by.person,
        why=open.why,
    )


def _check_second(open: AwardProposed, by: Acting) -> None:
    """Refuse the person and the session that proposed it."""
    if by.person == open.by:
        raise Refused("same_person", "another person has to approve what you proposed")
    if by.session == open.session:
        raise Refused("same_session", "it was proposed in this session; answer it in another one")


def declined(award: Award, open: AwardProposed | None, by: Acting, why: str) -> LedgerEvent:
    """Decline another person's proposal, or withdraw your own."""
    if open is None:
        raise Refused("no_such_proposal", NOTHING_PROPOSED, field="award")
    return AwardDeclined(award.id, by.person, why)


def _check_free(award: Award, open: AwardProposed | None) -> None:
    if award.at_table:
        raise Refused("award_open", "its round is open, so it is answered at its table")
    if open is not None:
        raise Refused("proposal_open", "a second person has to answer what is proposed first")
