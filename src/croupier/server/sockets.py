"""The socket of a table. Players bring a ticket; spectators need none."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from croupier.errors import Refused
from croupier.gallery.frames import REFUSED
from croupier.gallery.galleries import ENDED, MOVED
from croupier.gallery.outbox import Put, Viewer
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger.roles import PLAYER, STAFF
from croupier.ledger.store import Unavailable
from croupier.server.people import People
from croupier.server.sessions import EXTENDED_MS
from croupier.server.state import state_of
from croupier.server.talk import Talk
from croupier.server.wire import EXTENSION, Wire, wire_of

router = APIRouter()
CLOSE_S = 1.0
NO_TABLE, NO_TICKET, ELSEWHERE = 4404, 4401, 4409
TOO_SLOW = UNREACHABLE = 1013


@router.websocket("/api/tables/{id}/socket")
async def socket(
    websocket: WebSocket,
    id: str,
    *,
    ticket: Annotated[str, Query(max_length=100)] = "",
    last: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    felt: Annotated[str, Query(max_length=100)] = "",
) -> None:
    """Watch a table, or play at it with a ticket."""
    state = state_of(websocket)
    galleries, people = state.galleries, state.people
    if not await accepted(websocket):
        return
    table = galleries.pit.tables.get(id)
    if table is None:
        closed = galleries.pit.closed.because(id)
        await _refuse(websocket, NO_TABLE, closed or "there is no such table")
        return
    try:
        viewer = await _viewer(people, galleries.pit, id, ticket)
        if viewer is not None and viewer.player:
            await galleries.pit.books.hear_of_purse(viewer.player)
    except Unavailable:
        await _refuse(websocket, UNREACHABLE, "the ledger is unavailable; try again in a moment")
        return
    if viewer is None:
        await _refuse(websocket, NO_TICKET, "the ticket was used before, or it is too old")
        return
    if galleries.pit.tables.get(id) is not table or id not in galleries:
        await _refuse(websocket, MOVED, "another server has this table now, or will have it soon")
        return
    if viewer.player:
        galleries.call(viewer.player, viewer.name)
        for other in list(galleries[id].viewers):
            if other.player == viewer.player:  # A player has one socket per table: the newest.
                other.end(ELSEWHERE)
    galleries.welcome(viewer, id, last, felt_tag=felt)
    try:
        await serve_socket(websocket, table, viewer)
    finally:
        if viewer.expiry:
            viewer.expiry.cancel()
        galleries.farewell(viewer, id)


async def accepted(websocket: WebSocket) -> bool:
    """Open a socket; return False if its client has gone away before that."""
    try:
        await websocket.accept()
    except OSError:
        return False
    return True


async def _refuse(websocket: WebSocket, code: int, why: str) -> None:
    """Close a socket, unless the client has done so."""
    with suppress(RuntimeError, WebSocketDisconnect):
        await websocket.close(code, why)


async def _viewer(people: People, pit: Pit, table: str, ticket: str) -> Viewer | None:
    """Return the viewer that a ticket is for; without a ticket, a spectator."""
    if not ticket:
        return Viewer(None)
    one = await people.sessions.admit(ticket, table)
    if one is None:
        return None
    person = one.person
    plays = PLAYER in person.roles
    viewer = Viewer(person.id, person.name, session=one.session, plays=plays)
    viewer.roles = person.roles & STAFF
    _expire(people, pit, viewer, one.ends_ms)
    return viewer


def _expire(people: People, pit: Pit, viewer: Viewer, ends_ms: int) -> None:
    """Close a socket when its session ends; by then the session may have been extended.

    What staff send at a table counts as use of their session, which is extended before it ends.
    While a round is open where they have a post, it doesn't end.
    """
    loop = asyncio.get_running_loop()

    async def look() -> None:
        idle_ms = None if viewer.used_s is None else int((loop.time() - viewer.used_s) * 1000)
        held = pit.plays_with(viewer.player or "")
        ends_ms = await people.sessions.ends_ms(viewer.session, idle_ms=idle_ms, held=held)
        if ends_ms is None:
            viewer.end(ENDED)
        elif not viewer.ended:
            _expire(people, pit, viewer, ends_ms)

    def due() -> None:
        viewer.looking = loop.create_task(look())

    left_ms = max(ends_ms - people.rows.now_ms(), 0)
    if left_ms > EXTENDED_MS:
        left_ms -= EXTENDED_MS
    viewer.expiry = loop.call_later(left_ms / 1000, due)


async def serve_socket(websocket: WebSocket, table: Table, viewer: Viewer) -> None:
    """Hear and answer until the socket is closed."""
    wire = wire_of(websocket.scope)
    if wire is None:
        return
    state = state_of(websocket)
    address = websocket.client.host if websocket.client else ""
    allowance = state.quotas.allowance(viewer.player or "", address) if state.quotas else None
    check = partial(_check_again, state.people, viewer)
    rate = state.messages
    gallery = state.galleries[table.id]

    def told(frame: str) -> None:
        if frame.startswith(REFUSED):
            gallery.show_desk(viewer)  # A deck may have become too old since it was sent.

    talk = Talk(
        table,
        viewer,
        wire,
        rate=rate,
        allowance=allowance,
        check_again=check if viewer.roles else None,
        told=told if viewer.roles else None,
    )
    await converse(websocket, viewer, talk.hear, put=state.galleries.mail.put)


async def _check_again(people: People, viewer: Viewer, token: str) -> None:
    """Refuse a session that hasn't just entered its password."""
    one = await people.sessions.find(viewer.session)
    if one is None:
        raise Refused("not_signed_in", "sign in first")
    await people.use_again(one, token)


async def converse(
    websocket: WebSocket,
    viewer: Viewer,
    hear: Callable[[str | bytes], None],
    *,
    put: Put,
) -> None:
    """Read and write until the socket is closed."""
    wire: Wire = websocket.scope["extensions"][EXTENSION]["wire"]  # It was there just now.
    closing: asyncio.Task[None] | None = None

    def close() -> None:
        nonlocal closing
        if closing is None:
            closing = asyncio.create_task(_close(websocket, wire, viewer))

    wire.listen(hear, viewer.flush)
    viewer.attach(wire, put=put, close=close)
    try:
        # Only messages that aren't one short text arrive here, and those sent before `listen`.
        while (message := await websocket.receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            hear(message.get("bytes") or b"" if text is None else text)
    finally:
        if closing is not None:
            await closing
        viewer.detach()


async def _close(websocket: WebSocket, wire: Wire, viewer: Viewer) -> None:
    """Close a socket; drop the connection if the client doesn't read the closing frame."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await websocket.close(TOO_SLOW if viewer.slow else viewer.code)
    except TimeoutError:
        wire.cut()
    except (RuntimeError, WebSocketDisconnect):
        pass  # It is closed already.
