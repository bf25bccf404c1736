"""Practice for dealers in the browser, without an account: the form, the console and the report."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response, WebSocket
from pydantic import BaseModel, Field

from croupier.errors import Refused
from croupier.gallery.frames import refused
from croupier.gallery.outbox import Viewer
from croupier.server.faults import RESPONSES
from croupier.server.messages import id_in
from croupier.server.pages.render import document, page
from croupier.server.pages.shelf import Shelf
from croupier.server.practice import ELSEWHERE, ID, ROUNDS, ROUNDS_MAX, TRAINEE, Practice, Practices
from croupier.server.sockets import NO_TABLE, converse
from croupier.server.strict import Body, StrictRoute
from croupier.server.talk import Talk
from croupier.server.wire import wire_of

router = APIRouter(include_in_schema=False)
api = APIRouter(route_class=StrictRoute, responses=RESPONSES)
SEED_MAX = 2**53
Token = Annotated[str, Path(max_length=40)]


class PracticeWanted(Body):
    rulebook: Annotated[str, Field(max_length=60)]
    seed: Annotated[int, Field(ge=0, le=SEED_MAX)] = 1
    rounds: Annotated[int, Field(ge=1, le=ROUNDS_MAX)] = ROUNDS
    hints: bool = False


class PracticeOpened(BaseModel):
    practice: str
    """Where the console of the practice is."""


def practices_of(request: Request | WebSocket) -> Practices:
    practices: Practices = request.app.state.practices
    return practices


@router.get("/practice")
async def practice_page(request: Request) -> Response:
    """Show the form that begins a practice."""
    shelf = Shelf.of(request)
    if not practices_of(request).is_alone():
        raise Refused("not_found", ELSEWHERE)
    books = [{"id": book.id, "title": book.rules.title} for book in shelf.books()]
    return page(request, "practice", books=books, rounds=ROUNDS, rounds_max=ROUNDS_MAX)


@api.post("/api/practice")
async def begin(request: Request, given: PracticeWanted) -> PracticeOpened:
    """Open a practice table: a deck by seed, scripted players, and things that go wrong."""
    if given.rulebook not in Shelf.of(request).ids():
        raise Refused("not_found", "there is no such rulebook", field="rulebook")
    practice = await practices_of(request).open(
        given.rulebook, seed=given.seed, rounds=given.rounds, hints=given.hints
    )
    return PracticeOpened(practice=f"/practice/{practice.token}")


@router.get("/practice/{token}")
async def console_page(request: Request, token: Token) -> Response:
    """Show the console of a practice table."""
    practice = practices_of(request).get(token)
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
    practice = practices_of(request).get(token)
    link = f"/practice/{token}/report.json"
    book = practice.table.config.rules.rulebook
    values: dict[str, Any] = {"report": practice.report(), "book": book, "token": token}
    return page(request, "practice_report", json=link, **values)


@router.get("/practice/{token}/report.json")
async def report_json(request: Request, token: Token) -> Response:
    """Return the report of a practice."""
    return document(request, practices_of(request).get(token).report())


@router.websocket("/practice/{token}/socket")
async def socket(websocket: WebSocket, token: str) -> None:
    """Work at a practice table; its address is the only key to it."""
    await websocket.accept()
    try:
        practice = practices_of(websocket).get(token)
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
    rate = websocket.app.state.messages
    talk = Talk(practice.table, viewer, wire, rate=rate, told=practice.told)

    def hear(text: str | bytes) -> None:
        if why := practice.refusal_of(text):
            viewer.send(refused(id_in(text), why))
        else:
            talk.hear(practice.hear(text))

    await converse(websocket, viewer, hear, put=practice.galleries.mail.put)
