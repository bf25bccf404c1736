"""Coming in and going out: guests, accounts, sessions, tickets, and what operators do about them.

Nothing here knows tables. Where a new player gets chips, the pit is asked for them.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.security import APIKeyCookie
from pydantic import BaseModel, Field
from starlette.requests import HTTPConnection

from croupier.errors import Refused
from croupier.server.faults import RESPONSES
from croupier.server.log import log
from croupier.server.passwords import CHARS_MAX
from croupier.server.people import Entrance, People
from croupier.server.registry import OPERATOR, ROLES, Person, SignedIn
from croupier.server.strict import Body, StrictRoute

COOKIE = "croupier_session"
HOME = "/"
Declared = Annotated[str | None, Depends(APIKeyCookie(name=COOKIE, auto_error=False))]
"""Lets the OpenAPI say which routes need a session; who it is of is looked up in one place."""

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)


# ---------------------------------------------------------------- who asks


def people_of(connection: HTTPConnection) -> People:
    """Return the people of this server."""
    people: People = connection.app.state.people
    return people


def cookie_name(connection: HTTPConnection) -> str:
    """Return the cookie's name; over https browsers hold it to this host, for its prefix."""
    return f"__Host-{COOKIE}" if _is_secure(connection) else COOKIE


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme in ("https", "wss")


def token_of(connection: HTTPConnection) -> str:
    """Return the token that somebody came with, or nothing."""
    return connection.cookies.get(cookie_name(connection), "")


async def signed_in_of(connection: HTTPConnection) -> SignedIn | None:
    """Return who asks and by which session, if they are signed in."""
    token = token_of(connection)
    return await people_of(connection).signed_in(token) if token else None


async def person_of(connection: HTTPConnection) -> Person:
    """Return who asks, or refuse them."""
    return (await _must_be_in(connection)).person


async def _must_be_in(connection: HTTPConnection, _: Declared = None) -> SignedIn:
    one = await signed_in_of(connection)
    if one is None:
        log("not_signed_in", address=address_of(connection), path=connection.url.path)
        raise Refused("not_signed_in", "sign in first")
    return one


def needs(role: str) -> Callable[[HTTPConnection], Awaitable[Person]]:
    """Return a dependency that lets in only those with a role, by what the database says now."""

    async def has_role(connection: HTTPConnection, _: Declared = None) -> Person:
        person = await person_of(connection)
        if role not in person.roles:
            facts = {"address": address_of(connection), "path": connection.url.path}
            log("not_allowed", person=person.id, needs=role, **facts)
            raise Refused("not_allowed", f"only somebody with the role {role} may do that")
        return person

    return has_role


def address_of(connection: HTTPConnection) -> str:
    """Return where somebody asks from; the guard has looked behind our own proxies."""
    return connection.client.host if connection.client else ""


Maybe = Annotated[SignedIn | None, Depends(signed_in_of)]
Somebody = Annotated[SignedIn, Depends(_must_be_in)]
Operator = Annotated[Person, Depends(needs(OPERATOR))]


# ---------------------------------------------------------------- what is said


class Nothing(Body):
    """An empty object."""


class Credentials(Body):
    name: str = Field(max_length=100)
    password: str = Field(max_length=CHARS_MAX)


class PasswordChange(Body):
    old: str = Field(max_length=CHARS_MAX)
    new: str = Field(max_length=CHARS_MAX)


class TableWanted(Body):
    table: str = Field(min_length=1, max_length=100)


class NewRoles(Body):
    roles: list[Literal["player", "operator", "auditor"]] = Field(max_length=len(ROLES))


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


class Everybody(BaseModel):
    people: list[PersonSaid]


class TicketSaid(BaseModel):
    ticket: str


Id = Annotated[str, Path(pattern="^p-[a-z2-7]{10}$")]


# ---------------------------------------------------------------- coming in


@router.post("/api/guest")
async def guest(request: Request, response: Response, *, was: Maybe, _: Nothing) -> Me:
    """Come in without a name; who is in already stays who they are."""
    if was is not None:
        return Me(person=PersonSaid.of(was.person))
    entrance = await people_of(request).guest()
    await _issue_chips(request, entrance)
    return _welcome(request, response, entrance)


@router.post("/api/sign-up")
async def sign_up(request: Request, response: Response, *, was: Maybe, wanted: Credentials) -> Me:
    """Make an account; a guest keeps the chips."""
    people = people_of(request)
    entrance = await people.sign_up(wanted.name, wanted.password, as_guest=was)
    if was is None or was.person.id != entrance.signed_in.person.id:
        await _issue_chips(request, entrance)
        await people.sign_out(token_of(request))
    return _welcome(request, response, entrance)


@router.post("/api/sign-in")
async def sign_in(request: Request, response: Response, given: Credentials) -> Me:
    """Sign in with name and password; whatever session there was before is over."""
    people = people_of(request)
    entrance = await people.sign_in(given.name, given.password, address=address_of(request))
    await people.sign_out(token_of(request))
    return _welcome(request, response, entrance)


@router.get("/operator", status_code=303, response_class=RedirectResponse)
async def operator(
    request: Request, link: Annotated[str, Query(max_length=100)]
) -> RedirectResponse:
    """Come in as the operator, by the link that was printed at the start."""
    people = people_of(request)
    entrance = await people.use_link(link)
    await people.sign_out(token_of(request))
    response = RedirectResponse(HOME, 303)
    _welcome(request, response, entrance)
    return response


async def _issue_chips(request: Request, entrance: Entrance) -> None:
    pit = getattr(request.app.state, "pit", None)
    if pit is not None:
        await pit.issue(entrance.signed_in.person.id)


def _welcome(request: Request, response: Response, entrance: Entrance) -> Me:
    """Give the cookie, which no script can read and no other site can send."""
    lasts_ms = entrance.signed_in.ends_ms - people_of(request).now_ms()
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


# ---------------------------------------------------------------- being in


@router.get("/api/me")
async def me(was: Maybe) -> Me:
    """Say who asks."""
    return Me(person=PersonSaid.of(was.person) if was else None)


@router.post("/api/sign-out")
async def sign_out(request: Request, response: Response, _: Nothing) -> Me:
    """End this session, and close its sockets."""
    await people_of(request).sign_out(token_of(request))
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
    """Change the password; every other session of this person is over."""
    address = address_of(request)
    people = people_of(request)
    entrance = await people.change_password(was, change.old, change.new, address=address)
    return _welcome(request, response, entrance)


@router.post("/api/ticket")
async def ticket(request: Request, was: Somebody, wanted: TableWanted) -> TicketSaid:
    """Give a ticket for one socket: good once, for half a minute, for this person at this table."""
    return TicketSaid(ticket=people_of(request).give_ticket(was, wanted.table))


# ---------------------------------------------------------------- operators


@router.get("/api/people")
async def everybody(
    request: Request, _: Operator, after: Annotated[str, Query(max_length=20)] = ""
) -> Everybody:
    """List persons in the order of their ids, at most a thousand after the one that is named."""
    found = await people_of(request).everybody(after)
    return Everybody(people=[PersonSaid.of(person) for person in found])


@router.post("/api/people/{id}/roles")
async def set_roles(request: Request, id: Id, *, by: Operator, wanted: NewRoles) -> Me:
    """Say what a person may do. Their sessions end: they sign in again with what they are now."""
    _refuse_oneself(by, id)
    await people_of(request).set_roles(id, wanted.roles)
    return await _now(request, id, by)


@router.post("/api/people/{id}/disable")
async def disable(request: Request, id: Id, *, by: Operator, wanted: Shut) -> Me:
    """Shut a person out at once, seats included, or let them in again."""
    _refuse_oneself(by, id)
    await people_of(request).disable(id, disabled=wanted.disabled)
    if (pit := getattr(request.app.state, "pit", None)) is not None:
        await pit.shut_out(id, out=wanted.disabled)
    return await _now(request, id, by)


async def _now(request: Request, id: str, by: Person) -> Me:
    log("changed_by", person=id, by=by.id, path=request.url.path)
    person = await people_of(request).find(id)
    return Me(person=PersonSaid.of(person) if person else None)


def _refuse_oneself(by: Person, id: str) -> None:
    if by.id == id:  # Nobody locks themselves out by mistake, or hides by giving up a role.
        raise Refused("oneself", "somebody else must do that", field="id")
