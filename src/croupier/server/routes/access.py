"""Access: guests, accounts, sessions, tickets, and what operators do about them.

Nothing here knows tables; the pit gives new players their chips.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.security import APIKeyCookie
from pydantic import BaseModel, Field
from starlette.requests import HTTPConnection

from croupier.errors import Refused
from croupier.house.log import log
from croupier.ledger.acts import Proposed
from croupier.ledger.roles import OPERATOR, PLAYER, ROLES
from croupier.server.faults import RESPONSES
from croupier.server.guard import SAFE
from croupier.server.passwords import CHARS_MAX
from croupier.server.people import Entrance
from croupier.server.registry import Person, SignedIn
from croupier.server.sessions import STAFF_MS, locks
from croupier.server.state import state_of
from croupier.server.strict import Body, StrictRoute

COOKIE = "croupier_session"
HOME = "/house"
"""Where the operator's link leads."""
Declared = Annotated[str | None, Depends(APIKeyCookie(name=COOKIE, auto_error=False))]
"""Declares in OpenAPI which routes need a session; `signed_in_of` looks it up."""

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)


# ---------------------------------------------------------------- the caller


def cookie_name(connection: HTTPConnection) -> str:
    """Return the cookie's name; over https its prefix binds it to this host."""
    return f"__Host-{COOKIE}" if _is_secure(connection) else COOKIE


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme in ("https", "wss")


def token_of(connection: HTTPConnection) -> str:
    """Return the request's session token, or an empty string."""
    return connection.cookies.get(cookie_name(connection), "")


REFRESH = "x-croupier-refresh"
"""The header of a request that a page makes by itself."""


async def signed_in_of(connection: HTTPConnection) -> SignedIn | None:
    """Return the caller and their session, if signed in; a staff session is extended."""
    token, people = token_of(connection), state_of(connection).people
    one = await people.sessions.signed_in(token) if token else None
    # A page that looks again by itself doesn't keep a session from locking.
    by_itself = REFRESH in connection.headers or connection.url.path.endswith(".json")
    if one and not by_itself:
        await people.sessions.extend(one)
    return one


async def must_be_in(connection: HTTPConnection, _: Declared = None) -> SignedIn:
    """Return the caller and their session; refuse callers who aren't signed in."""
    one = await signed_in_of(connection)
    if one is None:
        log("not_signed_in", address=address_of(connection), path=connection.url.path)
        raise Refused("not_signed_in", "sign in first")
    return one


def session_with(*roles: str) -> Callable[[HTTPConnection], Awaitable[SignedIn]]:
    """Return a dependency that admits only callers with one of these roles, as of now."""

    async def has_role(connection: HTTPConnection, _: Declared = None) -> SignedIn:
        one = await must_be_in(connection)
        if one.person.roles.isdisjoint(roles):
            words = " or ".join(roles)
            facts = {"address": address_of(connection), "path": connection.url.path}
            log("not_allowed", person=one.person.id, needs=words, **facts)
            raise Refused("not_allowed", f"this takes the role {words}")
        return one

    return has_role


def needs(*roles: str) -> Callable[[HTTPConnection], Awaitable[Person]]:
    """Return a dependency that admits only people with one of these roles."""
    admitted = session_with(*roles)

    async def has_role(connection: HTTPConnection, _: Declared = None) -> Person:
        return (await admitted(connection)).person

    return has_role


def address_of(connection: HTTPConnection) -> str:
    """Return the caller's address; the guard has resolved our own proxies."""
    return connection.client.host if connection.client else ""


async def spend(connection: HTTPConnection) -> None:
    """Count a request that may store something towards the caller's quotas, or refuse it."""
    is_request = connection.scope["type"] == "http" and connection.scope["method"] not in SAFE
    if is_request and (quotas := state_of(connection).quotas) is not None:
        one = await signed_in_of(connection)
        quotas.allowance(one.person.id if one else "", address_of(connection)).take()


async def _count_newcomer(request: Request) -> None:
    """Refuse another guest or account from an address that has made many."""
    if state_of(request).quotas is not None:
        await state_of(request).people.count_newcomer(address_of(request))


Maybe = Annotated[SignedIn | None, Depends(signed_in_of)]
Somebody = Annotated[SignedIn, Depends(must_be_in)]
Operator = Annotated[Person, Depends(needs(OPERATOR))]
OperatorIn = Annotated[SignedIn, Depends(session_with(OPERATOR))]
Player = Annotated[Person, Depends(needs(PLAYER))]


# ---------------------------------------------------------------- request and response bodies


class Nothing(Body):
    """An empty object."""


class Credentials(Body):
    name: str = Field(max_length=100)
    password: str = Field(max_length=CHARS_MAX)


class NameWanted(Body):
    name: str = Field(max_length=100)


class PasswordChange(Body):
    old: str = Field(max_length=CHARS_MAX)
    new: str = Field(max_length=CHARS_MAX)


class TableWanted(Body):
    table: str = Field(min_length=1, max_length=100)


AnyRole = Literal["player", "dealer", "floor", "surveillance", "auditor", "operator"]
WHY_MAX = 200


class NewRoles(Body):
    roles: list[AnyRole] = Field(max_length=len(ROLES))
    why: str = Field(default="", max_length=WHY_MAX)


class Shut(Body):
    disabled: bool


class PersonSaid(BaseModel):
    id: str
    name: str
    guest: bool
    roles: list[str]
    disabled: bool

    @classmethod
    def of(cls, person: Person) -> "PersonSaid":
        return cls(
            id=person.id,
            name=person.name,
            guest=not person.has_password,
            roles=sorted(person.roles),
            disabled=person.disabled,
        )


class Me(BaseModel):
    person: PersonSaid | None


class ProposalSaid(BaseModel):
    id: str
    preview: str
    """What is proposed, in words."""
    about: str
    by: str
    by_name: str
    why: str
    lapses_ms: int
    table: str = ""
    """A new table, as the tables file would have it."""

    @classmethod
    def of(cls, proposed: Proposed, by_name: str) -> "ProposalSaid":
        id, act, by, _, preview, why, lapses_ms = proposed
        about = str(act.get("person") or act.get("table", ""))
        said = {"id": id, "preview": preview, "about": about, "by": by, "why": why}
        return cls(**said, by_name=by_name, lapses_ms=lapses_ms, table=str(act.get("text", "")))


class RolesSaid(Me):
    proposal: ProposalSaid | None = None
    """What a second person has to approve first; without it, the roles are set."""


class Everybody(BaseModel):
    people: list[PersonSaid]


class TicketSaid(BaseModel):
    ticket: str


Id = Annotated[str, Path(pattern="^p-[a-z2-7]{10}$")]


# ---------------------------------------------------------------- signing in


@router.post("/api/guest")
async def guest(request: Request, response: Response, *, was: Maybe, _: Nothing) -> Me:
    """Sign in as a guest; a caller who is signed in already stays signed in."""
    if was is not None:
        return Me(person=PersonSaid.of(was.person))
    await _count_newcomer(request)
    entrance = await state_of(request).people.guest()
    await _issue_chips(request, entrance)
    return welcome(request, response, entrance)


@router.post("/api/sign-up")
async def sign_up(request: Request, response: Response, *, was: Maybe, wanted: Credentials) -> Me:
    """Create an account; a guest keeps the chips."""
    people = state_of(request).people
    if was is None:
        await _count_newcomer(request)
    entrance = await people.sign_up(wanted.name, wanted.password, as_guest=was)
    if was is None or was.person.id != entrance.signed_in.person.id:
        await _issue_chips(request, entrance)
        await people.sessions.sign_out(token_of(request))
    return welcome(request, response, entrance)


@router.post("/api/sign-in")
async def sign_in(request: Request, response: Response, given: Credentials) -> Me:
    """Sign in with name and password; this ends the previous session."""
    people = state_of(request).people
    entrance = await people.sign_in(given.name, given.password, address=address_of(request))
    await people.sessions.sign_out(token_of(request))
    return welcome(request, response, entrance)


@router.get("/operator", status_code=303, response_class=RedirectResponse)
async def operator(
    request: Request, link: Annotated[str, Query(max_length=100)] = ""
) -> RedirectResponse:
    """Sign in as the operator, with the link that was printed at startup."""
    if not link:
        message = "open the whole link that the server printed when it was started"
        raise Refused("bad_link", message, field="link")
    people = state_of(request).people
    entrance = await people.use_link(link)
    await people.sessions.sign_out(token_of(request))
    response = RedirectResponse(HOME, 303)
    welcome(request, response, entrance)
    return response


async def _issue_chips(request: Request, entrance: Entrance) -> None:
    await state_of(request).pit.cage.issue(entrance.signed_in.person.id)


def welcome(request: Request, response: Response, entrance: Entrance) -> Me:
    """Set the cookie, which no script can read and no other site can send."""
    one, now_ms = entrance.signed_in, state_of(request).people.rows.now_ms()
    # A staff session is extended while it is used; its cookie lasts as long as it may.
    lasts_ms = STAFF_MS if locks(one.person) else one.ends_ms - now_ms
    response.set_cookie(
        cookie_name(request),
        entrance.token,
        max_age=lasts_ms // 1000,
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="strict",
    )
    return Me(person=PersonSaid.of(entrance.signed_in.person))


# ---------------------------------------------------------------- signed in


@router.get("/api/me")
async def me(was: Maybe) -> Me:
    """Return the caller."""
    return Me(person=PersonSaid.of(was.person) if was else None)


@router.post("/api/sign-out")
async def sign_out(request: Request, response: Response, _: Nothing) -> Me:
    """End this session, and close its sockets."""
    await state_of(request).people.sessions.sign_out(token_of(request))
    response.delete_cookie(
        cookie_name(request),
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="strict",
    )
    return Me(person=None)


@router.post("/api/password")
async def password(
    request: Request, response: Response, *, was: Somebody, change: PasswordChange
) -> Me:
    """Change the password; this ends every other session of this person."""
    address = address_of(request)
    people = state_of(request).people
    entrance = await people.change_password(was, change.old, change.new, address=address)
    return welcome(request, response, entrance)


@router.post("/api/name")
async def name(request: Request, was: Somebody, wanted: NameWanted) -> Me:
    """Give a guest another name, which the others at the tables see at once."""
    return Me(person=PersonSaid.of(await state_of(request).people.name_guest(was, wanted.name)))


@router.post("/api/ticket")
async def ticket(request: Request, was: Somebody, wanted: TableWanted) -> TicketSaid:
    """Return a ticket for one socket: valid once, for half a minute, for you at this table."""
    return TicketSaid(ticket=await state_of(request).people.sessions.give_ticket(was, wanted.table))


# ---------------------------------------------------------------- operators


@router.get("/api/people")
async def everybody(
    request: Request, _: Operator, after: Annotated[str, Query(max_length=20)] = ""
) -> Everybody:
    """List people in order of id: at most a thousand, after the given one."""
    found = await state_of(request).people.everybody(after)
    return Everybody(people=[PersonSaid.of(person) for person in found])


@router.post("/api/people/{id}/roles")
async def set_roles(request: Request, id: Id, *, by: OperatorIn, wanted: NewRoles) -> RolesSaid:
    """Replace a person's roles, or propose it where a staff role needs a second person.

    When roles are set, the person's sessions end; they sign in again with the new roles.
    """
    _refuse_oneself(by.person, id)
    proposed = await state_of(request).staff.set_roles(by, id, wanted.roles, why=wanted.why)
    await tell_tables(request)
    said = ProposalSaid.of(proposed, by.person.name) if proposed else None
    return RolesSaid(person=(await _now(request, id, by.person)).person, proposal=said)


@router.post("/api/people/{id}/disable")
async def disable(request: Request, id: Id, *, by: Operator, wanted: Shut) -> Me:
    """Lock a person out at once, seats included, or let them in again."""
    _refuse_oneself(by, id)
    await state_of(request).people.disable(id, disabled=wanted.disabled, by=by.id)
    await tell_tables(request)
    return await _now(request, id, by)


async def proposals_said(request: Request) -> list[ProposalSaid]:
    """Return the open proposals of the staff, with who made them."""
    people, said = state_of(request).people, []
    for one in await state_of(request).staff.waiting():
        proposer = await people.find(one.by)
        said.append(ProposalSaid.of(one, proposer.name if proposer else one.by))
    return said


async def tell_tables(request: Request) -> None:
    """Tell the tables now, and end the seats and posts of a person who may no longer have them."""
    pit = state_of(request).pit
    await pit.acts.look()
    await pit.mind()


async def _now(request: Request, id: str, by: Person) -> Me:
    log("changed_by", person=id, by=by.id, path=request.url.path)
    person = await state_of(request).people.find(id)
    return Me(person=PersonSaid.of(person) if person else None)


def _refuse_oneself(by: Person, id: str) -> None:
    if by.id == id:  # Operators can't lock themselves out by mistake, or hide by giving up a role.
        raise Refused("oneself", "you can't do this to your own account", field="id")
