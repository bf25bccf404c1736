"""Staff and two-person acts: one-time links, proposals and their answers, the password again."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import BaseModel, Field

from croupier.ledger.acts import NoteTaken
from croupier.ledger.roles import AUDITOR, OPERATOR, SURVEILLANCE
from croupier.server.faults import RESPONSES
from croupier.server.passwords import CHARS_MAX
from croupier.server.registry import SignedIn
from croupier.server.routes import access
from croupier.server.state import state_of
from croupier.server.strict import Body, StrictRoute

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)
Appointing = Annotated[SignedIn, Depends(access.session_with(OPERATOR, AUDITOR))]
Noting = Annotated[SignedIn, Depends(access.session_with(SURVEILLANCE, AUDITOR))]
ProposalId = Annotated[str, Path(pattern="^h-[0-9a-f]{16}$")]
ENTRY = "/staff?link="


class PasswordAgain(Body):
    password: str = Field(max_length=CHARS_MAX)


class AgainSaid(BaseModel):
    again: str
    """Send this with the act; it counts once, for a minute, in this session."""


class NewStaff(Body):
    name: str = Field(max_length=100)
    roles: list[access.AnyRole] = Field(min_length=1, max_length=6)
    why: str = Field(default="", max_length=access.WHY_MAX)


class InvitedSaid(BaseModel):
    person: access.PersonSaid
    link: str
    """The address where this person sets a password: it works once, within an hour."""
    proposal: access.ProposalSaid | None


class LinkSaid(BaseModel):
    link: str


class Enter(Body):
    link: str = Field(max_length=100)
    password: str = Field(max_length=CHARS_MAX)


class StaffSaid(BaseModel):
    staff: list[access.PersonSaid]
    proposals: list[access.ProposalSaid]


class Note(Body):
    about: str = Field(default="", max_length=100)
    says: str = Field(min_length=1, max_length=500)


class NoteSaid(BaseModel):
    about: str
    says: str


class Approval(Body):
    again: str = Field(max_length=100)


class WhyNot(Body):
    why: str = Field(min_length=1, max_length=access.WHY_MAX)


@router.post("/api/again")
async def again(request: Request, one: access.Somebody, given: PasswordAgain) -> AgainSaid:
    """Give your password again, for an act that needs a second person."""
    people, address = state_of(request).people, access.address_of(request)
    return AgainSaid(again=await people.again(one, given.password, address=address))


@router.get("/api/staff")
async def staff(request: Request, _: Appointing) -> StaffSaid:
    """List the staff, and the proposals that wait for a second person."""
    found = state_of(request).staff
    return StaffSaid(
        staff=[access.PersonSaid.of(person) for person in await found.everybody()],
        proposals=await access.proposals_said(request),
    )


@router.post("/api/staff")
async def invite(request: Request, by: access.OperatorIn, wanted: NewStaff) -> InvitedSaid:
    """Add staff; the link lets them set a password, and a second person approves the role."""
    made = await state_of(request).staff.invite(by, wanted.name, wanted.roles, why=wanted.why)
    proposal = access.ProposalSaid.of(made.proposal, by.person.name) if made.proposal else None
    link = f"{ENTRY}{made.link}"
    return InvitedSaid(person=access.PersonSaid.of(made.person), link=link, proposal=proposal)


@router.post("/api/staff/enter")
async def enter(request: Request, response: Response, given: Enter) -> access.Me:
    """Set the first password with a one-time link, and sign in."""
    people = state_of(request).people
    entrance = await people.set_first_password(given.link, given.password)
    await people.sessions.sign_out(access.token_of(request))
    return access.welcome(request, response, entrance)


@router.post("/api/staff/{id}/link")
async def link(
    request: Request, id: access.Id, *, by: access.OperatorIn, _: access.Nothing
) -> LinkSaid:
    """Make another link for a person who hasn't set a password yet."""
    return LinkSaid(link=f"{ENTRY}{await state_of(request).staff.link_again(by, id)}")


@router.post("/api/notes")
async def notes(request: Request, by: Noting, given: Note) -> NoteSaid:
    """Write something down, about a table, a round or an act; the journal keeps it."""
    await state_of(request).pit.acts.do(NoteTaken(by.person.id, given.about, given.says))
    return NoteSaid(about=given.about, says=given.says)


@router.post("/api/proposals/{id}/approve")
async def approve(
    request: Request, id: ProposalId, *, by: Appointing, given: Approval
) -> StaffSaid:
    """Approve another person's proposal, with `again` from `/api/again`."""
    await state_of(request).staff.approve(by, id, given.again)
    await access.tell_tables(request)
    await state_of(request).pit.take_new()
    return await staff(request, by)


@router.post("/api/proposals/{id}/decline")
async def decline(request: Request, id: ProposalId, *, by: Appointing, given: WhyNot) -> StaffSaid:
    """Decline another person's proposal, and say why."""
    await state_of(request).staff.decline(by, id, given.why)
    return await staff(request, by)


@router.post("/api/proposals/{id}/withdraw")
async def withdraw(
    request: Request, id: ProposalId, *, by: access.OperatorIn, _: access.Nothing
) -> StaffSaid:
    """Take back what you proposed."""
    await state_of(request).staff.withdraw(by, id)
    return await staff(request, by)
