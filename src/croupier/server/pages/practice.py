"""Practice for dealers in the browser, without an account: the form, the console and the report."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response, WebSocket
from pydantic import BaseModel

from croupier.errors import Refused
from croupier.gallery.frames import refused
from croupier.gallery.outbox import Viewer
from croupier.rules.rulebook import Rulebook
from croupier.server.faults import RESPONSES
from croupier.server.messages import id_in
from croupier.server.pages.form import Field as FormField
from croupier.server.pages.form import form_of
from croupier.server.pages.question import Found, Question
from croupier.server.pages.render import document, page
from croupier.server.practice import ROUNDS, ROUNDS_MAX, TRAINEE, Practice
from croupier.server.practices import PracticeWanted
from croupier.server.script import FAULTS, ID, shipped
from croupier.server.sockets import NO_TABLE, accepted, converse
from croupier.server.state import state_of
from croupier.server.strict import StrictRoute
from croupier.server.talk import Talk
from croupier.server.wire import wire_of

router = APIRouter(include_in_schema=False)
api = APIRouter(route_class=StrictRoute, responses=RESPONSES)
Token = Annotated[str, Path(max_length=40)]


class PracticeOpened(BaseModel):
    practice: str
    """Where the console of the practice is."""


@router.get("/practice")
async def practice_page(request: Request) -> Response:
    """Show the form that begins a practice."""
    shelf = state_of(request).shelf
    books = [
        {"id": book.id, "title": book.rules.title, "fields": [*_equipment(book)]}
        for book in shelf.books()
    ]
    how = {"rounds": ROUNDS, "rounds_max": ROUNDS_MAX, "faults": FAULTS}
    return page(request, "practice", books=books, **how)


def _equipment(book: Rulebook) -> Iterator[FormField]:
    """Yield the fields of what a book lets a table choose between, besides paytables."""
    question = Question(book=book.id, select=shipped(book.id))
    form = form_of(Found(question=question, book=book, rules=None, faults=()), (), f"{book.id}.")
    yield from (one for one in (*form.rules, *form.more) if one.options)


@api.post("/api/practice")
async def begin(request: Request, given: PracticeWanted) -> PracticeOpened:
    """Open a practice table: a deck by seed, scripted players, and things that go wrong."""
    if given.rulebook not in state_of(request).shelf.ids():
        raise Refused("not_found", "there is no such rulebook", field="rulebook")
    practice = await state_of(request).practices.open(given)
    return PracticeOpened(practice=f"/practice/{practice.token}")


@router.get("/practice/{token}")
async def console_page(request: Request, token: Token) -> Response:
    """Show the console of a practice table."""
    practice = state_of(request).practices.get(token)
    me = {"id": TRAINEE, "roles": ["dealer"]}
    return page(
        request,
        "console",
        json=f"/practice/{token}/report.json",
        felt=practice.gallery.felt,
        me=me,
        practice=f"/practice/{token}",
        codes={},
        real="cards" in practice.table.config.rules.things,
    )


@router.get("/practice/{token}/report")
async def report_page(request: Request, token: Token) -> Response:
    """Show the results of a practice, and every deviation from the book."""
    practice = state_of(request).practices.get(token)
    link = f"/practice/{token}/report.json"
    book = practice.table.config.rules.rulebook
    values: dict[str, Any] = {"report": practice.report(), "book": book, "token": token}
    return page(request, "practice_report", json=link, **values)


@router.get("/practice/{token}/report.json")
async def report_json(request: Request, token: Token) -> Response:
    """Return the report of a practice."""
    return document(request, state_of(request).practices.get(token).report())


@router.websocket("/practice/{token}/socket")
async def socket(websocket: WebSocket, token: str) -> None:
    """Work at a practice table; its address is the only key to it."""
    if not await accepted(websocket):
        return
    try:
        practice = state_of(websocket).practices.get(token)
    except Refused as error:
        await websocket.close(NO_TABLE, error.message)
        return
    viewer = Viewer(TRAINEE, "You", plays=False)
    viewer.roles = frozenset({"dealer"})
    galleries = practice.galleries
    galleries.welcome(viewer, ID)
    try:
        await serve_socket(websocket, practice, viewer)
    finally:
        galleries.farewell(viewer, ID)


async def serve_socket(websocket: WebSocket, practice: Practice, viewer: Viewer) -> None:
    wire = wire_of(websocket.scope)
    if wire is None:
        return
    rate = state_of(websocket).messages
    talk = Talk(practice.table, viewer, wire, rate=rate, told=practice.told)

    def hear(text: str | bytes) -> None:
        if why := practice.assessor.refusal_of(text):
            viewer.send(refused(id_in(text), why))
        else:
            talk.hear(practice.hear(text))

    await converse(websocket, viewer, hear, put=practice.galleries.mail.put)
