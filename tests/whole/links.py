"""Links between the processes of a simulated house: real links over a simulated network.

A player may connect to any process. One that doesn't own the table passes the socket on to the one
that does, by the same code as in a real house, and relays what it answers.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from croupier.gallery.outbox import Viewer
from croupier.server.calls import Calls
from croupier.server.limits import Rate
from croupier.server.link import Link, Sealing
from croupier.server.owner import Owner
from croupier.server.sockets import UNREACHABLE, converse
from croupier.server.talk import Talk
from croupier.server.wire import wire_of
from tests.whole.loop import Process

if TYPE_CHECKING:
    from tests.whole.house import Node, World

KEY, NONCES = bytes(32), bytes(64)
DELAY_S = 0.001
UNLIMITED = Rate(1e12, 1e12)


class Pipe:
    """One direction of a connection, seen from its writing end."""

    def __init__(self, world: "World", of: Process) -> None:
        self._loop, self._of = world.loop, of
        self.reader = asyncio.StreamReader(loop=world.loop)
        self.transport = self
        self.closed = self.silent = False

    def write(self, data: bytes) -> None:
        if not (self.closed or self.silent):
            self._later(self.reader.feed_data, data)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._later(self.reader.feed_eof)

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return 0

    def _later(self, call: Any, *args: Any) -> None:
        """Call something at the other end, which may be asleep or dead by then."""
        self._loop.call_later(DELAY_S, call, *args, context=self._of.context)


class Cable:
    """A link from one process to another, with both ends."""

    def __init__(self, world: "World", here: "Node", there: "Node") -> None:
        self.nodes = here, there
        self.pipes = Pipe(world, there.process), Pipe(world, here.process)
        forth, back = self.pipes
        ends = [[Sealing(KEY, NONCES, way) for way in ("there", "back")] for _ in range(2)]
        writers: list[Any] = [forth, back]
        near = Link(back.reader, writers[0], sends=ends[0][0], receives=ends[0][1])
        far = Link(forth.reader, writers[1], sends=ends[1][1], receives=ends[1][0])
        self.calls = here.inside(lambda: Calls(near))
        there.inside(lambda: there.keep(asyncio.create_task(Owner(far, owner_of(there)).run())))

    @property
    def is_open(self) -> bool:
        return not any(pipe.closed or pipe.silent for pipe in self.pipes)

    def cut(self) -> None:
        for pipe in self.pipes:
            pipe.close()

    def hush(self) -> None:
        """Let nothing through any more; both ends must notice the silence."""
        for pipe in self.pipes:
            pipe.silent = True


def scope_of(table: str, player: str, last: int | None) -> Scope:
    """Return the request of a player for a table."""
    query = f"{player} {'' if last is None else last}".encode()
    path = f"/api/tables/{table}/socket"
    plain = {"type": "websocket", "scheme": "ws", "path": path, "query_string": query}
    return {**plain, "headers": [], "client": None, "server": None}


def owner_of(node: "Node") -> Any:
    """Return the application of a process: its tables' sockets, without sign-in."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()
        table = scope["path"].split("/")[3]
        if not (node.ready and node.pit.has(table) and table in node.galleries):
            await websocket.close(UNREACHABLE)
            return
        player, _, last = scope["query_string"].decode().partition(" ")
        viewer, wire = Viewer(player, player), wire_of(scope)
        assert wire
        talk = Talk(node.pit.tables[table], viewer, wire, rate=UNLIMITED)
        node.galleries.welcome(viewer, table, int(last) if last else None)
        try:
            await converse(websocket, viewer, talk.hear, put=node.galleries.mail.put)
        finally:
            if table in node.galleries:
                node.galleries.farewell(viewer, table)

    return app
