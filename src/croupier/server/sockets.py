"""Sockets at a table: one a viewer, with a ticket for who plays and without one for who watches."""

import asyncio
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from croupier.server.live import LiveTable
from croupier.server.outbox import Viewer
from croupier.server.people import People
from croupier.server.pit import Pit
from croupier.server.talk import Talk
from croupier.server.wire import EXTENSION, Wire

router = APIRouter()
CLOSE_S = 1.0
NO_TABLE, NO_TICKET, ELSEWHERE = 4404, 4401, 4409
TOO_SLOW = 1013


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
    talk = Talk(table, viewer, wire, rate=websocket.app.state.messages)
    room = table.room
    closing: asyncio.Task[None] | None = None

    def write() -> None:
        nonlocal closing
        if viewer.waiting and wire.has_room:
            wire.write(viewer.take())
        if (viewer.slow or viewer.ended) and closing is None:
            closing = asyncio.create_task(_close(websocket, wire, viewer))

    wire.listen(talk.hear, write)
    viewer.attach(partial(room.answers.put, write), write)
    try:
        # What does not come as one text comes this way, and what came before anybody listened.
        while (message := await websocket.receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            talk.hear(message.get("bytes") or b"" if text is None else text)
    finally:
        if closing is not None:
            await closing
        viewer.detach()


async def _close(websocket: WebSocket, wire: Wire, viewer: Viewer) -> None:
    """Close a socket; whoever does not take even that is cut."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await websocket.close(TOO_SLOW if viewer.slow else viewer.code)
    except TimeoutError:
        wire.cut()
    except (RuntimeError, WebSocketDisconnect):
        pass  # It is closed.
