"""Awards that wait for the floor: list, validate and reject them, and what a second person answers.

An award stays pending until it is released, whatever is restarted meanwhile.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from croupier.errors import Refused
from croupier.house.awards import (
    Acting,
    approved,
    check_away,
    declined,
    rejected,
    validated,
)
from croupier.house.log import log
from croupier.house.pit import Pit
from croupier.ledger.accounts import account
from croupier.ledger.awards import PENDING, Award, won_at
from croupier.ledger.events import AwardProposed, LedgerEvent
from croupier.ledger.found import award_found
from croupier.ledger.roles import AUDITOR, FLOOR, SURVEILLANCE
from croupier.money import format_micros
from croupier.rules.words import listed
from croupier.server.faults import RESPONSES
from croupier.server.registry import SignedIn
from croupier.server.routes.access import WHY_MAX, session_with
from croupier.server.state import state_of
from croupier.server.strict import Body, StrictRoute

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)
Floor = Annotated[SignedIn, Depends(session_with(FLOOR))]
Answering = Annotated[SignedIn, Depends(session_with(FLOOR, SURVEILLANCE, AUDITOR))]
AWARD_CHARS = 200


class AwardWanted(Body):
    award: str = Field(max_length=AWARD_CHARS)


class AwardAnswered(AwardWanted):
    why: str = Field(min_length=1, max_length=WHY_MAX)


class AwardApproved(AwardWanted):
    again: str = Field(max_length=100)


class AwardProposal(BaseModel):
    does: Literal["validate", "reject"]
    by: str
    why: str


class AwardSaid(BaseModel):
    award: str
    table: str
    round: str
    seat: int
    wager: str
    player: str
    dollars: str
    two_people: bool
    """Whether validating it takes two people."""
    at_table: bool
    """Whether its round is open, so that it is answered at its table."""
    validated: bool
    """Whether it was validated at its table, so that only the dealer has yet to pay it."""
    proposal: AwardProposal | None


class Awards(BaseModel):
    awards: list[AwardSaid]


# ---------------------------------------------------------------- looking


@router.get("/api/awards")
async def awards(request: Request, _: Answering) -> Awards:
    """List the awards that wait for the floor."""
    return Awards(awards=await waiting_awards(state_of(request).pit))


async def waiting_awards(pit: Pit, player: str = "") -> list[AwardSaid]:
    """Return the awards that wait, or only a player's."""
    pending = await pit.books.read(lambda view: view.balances("pending"))
    found = [await find_award(pit, a.removeprefix(PENDING)) for a, held in pending.items() if held]
    open = pit.cage.scribe.auditor.awards
    return [_said(pit, one, open.get(one.id)) for one in found if player in ("", one.player)]


async def find_award(pit: Pit, id: str) -> Award:
    return await pit.books.read(lambda view: award_found(view, id, pit.rules_of))


def table_of(pit: Pit, round: str) -> str:
    """Return the table that a round was played at, which its id begins with."""
    return max((id for id in pit.configs if round.startswith(f"{id}-")), key=len, default="")


def _said(pit: Pit, award: Award, open: AwardProposed | None) -> AwardSaid:
    round, seat, wager = won_at(award.id)
    return AwardSaid(
        award=award.id,
        table=table_of(pit, round),
        round=round,
        seat=seat,
        wager=wager,
        player=award.player,
        dollars=format_micros(award.micros)[:-4],
        two_people=award.needs_two,
        at_table=award.at_table,
        validated=award.validated,
        proposal=AwardProposal(does=open.does, by=open.by, why=open.why) if open else None,
    )


# ---------------------------------------------------------------- deciding

Decided = Callable[[Award, AwardProposed | None, Acting], LedgerEvent]


@router.post("/api/awards/validate")
async def validate(request: Request, by: Floor, wanted: AwardWanted) -> Awards:
    """Validate an award (11.D(7)(c)): it is paid, or proposed where it takes two people."""
    return await _decide(request, by, wanted.award, validated)


@router.post("/api/awards/reject")
async def reject(request: Request, by: Floor, wanted: AwardAnswered) -> Awards:
    """Propose to reject an award, and say why; once approved, it goes back to the meter."""
    return await _decide(request, by, wanted.award, partial(rejected, why=wanted.why))


@router.post("/api/awards/approve")
async def approve(request: Request, by: Answering, wanted: AwardApproved) -> Awards:
    """Approve what another person proposed, with `again` from `/api/again`."""
    await _check_second(request, by)
    await state_of(request).people.use_again(by, wanted.again)
    decided = partial(approved, has_lost=state_of(request).pit.posts.has_lost)
    return await _decide(request, by, wanted.award, decided)


@router.post("/api/awards/decline")
async def decline(request: Request, by: Answering, wanted: AwardAnswered) -> Awards:
    """Decline another person's proposal, or withdraw your own; the award stays open."""
    if FLOOR not in by.person.roles:
        await _check_second(request, by)
    return await _decide(request, by, wanted.award, partial(declined, why=wanted.why))


async def _check_second(request: Request, by: SignedIn) -> None:
    """Refuse a role that doesn't approve awards; if no one has such a role, the floor does."""
    approve, mine = {*state_of(request).pit.config.approvers.award}, {*by.person.roles}
    if approve & mine:
        return
    staff = await state_of(request).staff.everybody()
    if FLOOR not in mine or any(approve & {*one.roles} and not one.disabled for one in staff):
        roles = listed(sorted(approve), last="or")
        log("not_allowed", person=by.person.id, needs=roles, path=request.url.path)
        raise Refused("not_allowed", f"a person with the role {roles} has to approve this")


async def _decide(request: Request, by: SignedIn, id: str, decided: Decided) -> Awards:
    pit = state_of(request).pit
    of = account("pending", id) if id.strip() and id.isprintable() and id.count("/") >= 2 else None
    if of is None or not (await pit.books.read(lambda view: view.held([of]))).get(of):
        raise Refused("no_such_award", "no such award waits for the floor", field="award")
    award = await find_award(pit, id)
    round, _, _ = won_at(id)
    seated = await pit.everywhere.seated_at(table_of(pit, round))
    check_away(award, by.person.id, seated)
    who = Acting(by.person.id, by.session.hex())
    await pit.cage.release(award, lambda open: decided(award, open, who))
    log("award", award=id, by=by.person.id, path=request.url.path)
    return Awards(awards=await waiting_awards(pit))
