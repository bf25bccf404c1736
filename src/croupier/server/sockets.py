"""Sockets at a table: one a viewer, with a ticket for who plays and without one for who watches."""

import asyncio
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from croupier.errors import Refused, UserError
from croupier.server.limits import Bucket, Rate
from croupier.server.live import LiveTable
from croupier.server.log import log
from croupier.server.messages import Ping, done, id_in, message_from, refused
from croupier.server.outbox import Viewer
from croupier.server.people import People
from croupier.server.pit import Pit
from croupier.server.wire import EXTENSION, Wire

router = APIRouter()
MESSAGES = Rate(per_s=20, burst=60)
"""How often somebody may say something; who goes on regardless is cut."""
FLOOD = 200
CLOSE_S = 1.0
NO_TABLE, NO_TICKET, ELSEWHERE = 4404, 4401, 4409
TOO_SLOW, TOO_MANY = 1013, 1008


@router.websocket("/api/tables/{id}/socket")
async def socket(
    websocket: WebSocket,
    id: str,
    *,
    ticket: Annotated[str, Query(max_length=100)] = "",
    last: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> None:
    """Look at a table, and with a ticket play at it."""
    pit: Pit = websocket.app.state.pit
    people: People = websocket.app.state.people
    await websocket.accept()
    table = pit.tables.get(id)
    if table is None:
        await websocket.close(NO_TABLE, "there is no such table")
        return
    viewer = await _viewer(people, id, ticket)
    if viewer is None:
        await websocket.close(NO_TICKET, "the ticket was used before, or it is too old")
        return
    if viewer.player:
        pit.room.names[viewer.player] = viewer.name
        for other in list(table.viewers):
            if other.player == viewer.player:  # One live writer: the last one to come.
                other.end(ELSEWHERE)
    table.welcome(viewer, last)
    try:
        await _talk(websocket, table, viewer)
    finally:
        table.farewell(viewer)


async def _viewer(people: People, table: str, ticket: str) -> Viewer | None:
    """Return who comes with a ticket; without one somebody only watches."""
    if not ticket:
        return Viewer(None)
    person = await people.admit(ticket, table)
    return Viewer(person.id, person.name) if person else None


async def _talk(websocket: WebSocket, table: LiveTable, viewer: Viewer) -> None:
    """Read and write until one of both is over."""
    wire: Wire = websocket.scope["extensions"][EXTENSION]["wire"]
    closing: asyncio.Task[None] | None = None

    def write() -> None:
        nonlocal closing
        if viewer.waiting and wire.has_room:
            wire.write(viewer.take())
        if (viewer.slow or viewer.ended) and closing is None:
            closing = asyncio.create_task(_close(websocket, wire, viewer))

    wire.listen(write)
    viewer.attach(partial(table.room.mail.soon, write))
    try:
        # In a task of its own: the stock server and its layers need not be gone through each time.
        await asyncio.create_task(_read(websocket, table, viewer))
    finally:
        if closing is not None:
            await closing


async def _close(websocket: WebSocket, wire: Wire, viewer: Viewer) -> None:
    """Close a socket; whoever does not take even that is cut."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await websocket.close(TOO_SLOW if viewer.slow else viewer.code)
    except TimeoutError:
        wire.cut()
    except (RuntimeError, WebSocketDisconnect):
        pass  # It is closed.


async def _read(websocket: WebSocket, table: LiveTable, viewer: Viewer) -> None:
    bucket, over = Bucket(MESSAGES), 0
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if viewer.ended or viewer.slow:
            continue  # Who was shut out is not listened to, until the socket is closed.
        text = message.get("text")
        if text is None:
            text = message.get("bytes") or b""
        if not bucket.take():
            over += 1
            too_many = Refused("too_many", "that is too often; wait a little")
            viewer.send(refused(id_in(text), too_many))
            if over > FLOOD:
                log("socket_flood", player=viewer.player or "")
                viewer.end(TOO_MANY)
            continue
        viewer.send(await answer(table, viewer, text))


async def answer(table: LiveTable, viewer: Viewer, text: str | bytes) -> str:
    """Do what a message asks, and return what is answered."""
    try:
        message, digest = message_from(text)
        if isinstance(message, Ping):
            return done(message.id, table.scribe.number)
        if viewer.player is None:
            raise Refused("not_signed_in", "sign in first; who watches cannot play")
        return done(message.id, await table.handle(viewer.player, message, digest))
    except UserError as error:
        return refused(id_in(text), error)
