"""Forwards requests for other nodes' tables and practices, and gathers what all nodes know."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from croupier.gallery.outbox import Mail, Viewer
from croupier.house.log import log, log_crash
from croupier.house.pit import Pit
from croupier.house.tasks import Tasks, cancel
from croupier.ledger.tenure import Node
from croupier.server.calls import Calls, Passed
from croupier.server.faults import unreachable
from croupier.server.guard import whole_body
from croupier.server.link import accept, dial, listening
from croupier.server.owner import HERE, Owner
from croupier.server.practices import TAG, tag_of
from croupier.server.sockets import UNREACHABLE, accepted, converse
from croupier.server.wire import wire_of

_TABLE = re.compile(r"/(?:api/)?tables/([a-z0-9-]+)(?:\.json|/.*)?")
_PRACTICE = re.compile(rf"/practice/([0-9a-f]{{{TAG}}})[^/]+(?:/.*)?")
_COACH = "/api/coach"
CHANGES_HANDS_S, LOOK_S = 3.0, 0.1
"""How long a request waits for a table without an owner, and how often it looks for one."""
CANNOT_REACH = "the server that has this table can't be reached right now; try again in a moment"


def table_of(path: str, query: bytes) -> str | None:
    """Return the table that a request is about."""
    if path == _COACH:
        return next(iter(parse_qs(query.decode("latin-1")).get("table", ())), None)
    found = _TABLE.fullmatch(path)
    return found[1] if found else None


class Passing:
    """The application of a node: serves its own tables, and forwards requests for others'."""

    def __init__(self, app: Any, pit: Pit, *, key: bytes, address: str) -> None:
        self.app, self.pit, self._address = app, pit, address
        self._key = key
        self._calls: dict[str, Calls] = {}
        self._dialling: dict[str, asyncio.Lock] = {}
        self._unreached: set[str] = set()
        """The nodes that can't be reached, of which each was logged once."""
        self._owners = Tasks()
        self._mail = Mail()
        app.state.everywhere = self.everywhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with self._open():
                await self.app(scope, receive, send)
            return
        if node := self._practised_at(scope):
            await self._pass_on(await self._call(node), scope, receive, send)
            return
        table = table_of(scope["path"], scope["query_string"])
        if table not in self.pit.configs or self.pit.has(table):
            await self.app(scope, receive, send)
            return
        calls = None if HERE in scope.get("extensions", {}) else await self._way(table)
        if self.pit.has(table) or (calls is None and self.pit.closed.because(table)):
            await self.app(scope, receive, send)
            return
        await self._pass_on(calls, scope, receive, send)

    def _practised_at(self, scope: Scope) -> Node | None:
        """Return the other node that has the practice table of a request."""
        found = _PRACTICE.fullmatch(scope["path"])
        if found is None or HERE in scope.get("extensions", {}):
            return None
        nodes = self.pit.leases.roster.nodes.values()
        others = (node for node in nodes if node.name != self.pit.tenure.name)
        return next((node for node in others if tag_of(node.name) == found[1]), None)

    # ------------------------------------------------------------ links

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        """Listen for the links of other nodes, for as long as the application runs."""
        server = await listening(self._address, self._take) if self._address else None
        try:
            yield
        finally:
            if server:
                server.close()
            for calls in self._calls.values():
                calls.link.close()
            await cancel(
                *self._owners.running, *(calls.listening for calls in self._calls.values())
            )

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = await accept(reader, writer, self._key)
        if link is None:
            return
        self._owners.begin(Owner(link, self).run())

    async def _way(self, table: str) -> Calls | None:
        """Return the link to a table's owner; while the table changes hands, wait a moment."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CHANGES_HANDS_S):
                while not self.pit.has(table):
                    owner = self.pit.leases.roster.owner(table)
                    calls = await self._call(owner) if owner else None
                    if calls:
                        return calls
                    await asyncio.sleep(LOOK_S)
        return None

    async def _call(self, node: Node) -> Calls | None:
        """Return the link to another node; None if it can't be reached."""
        if node.name == self.pit.tenure.name or not node.address:
            return None
        async with self._dialling.setdefault(node.address, asyncio.Lock()):
            known = self._calls.get(node.address)
            if known and known.link.is_open:
                return known
            try:
                self._calls[node.address] = Calls(await dial(node.address, self._key))
            except (OSError, TimeoutError, EOFError) as error:
                if node.name not in self._unreached:
                    log("node_unreachable", node=node.name, because=str(error))
                nodes = self.pit.leases.roster.nodes.keys()
                self._unreached = (self._unreached | {node.name}) & nodes
                return None
            self._unreached.discard(node.name)
            return self._calls[node.address]

    # ------------------------------------------------------------ passing on

    async def _pass_on(
        self, calls: Calls | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if scope["type"] == "websocket":
            await self._socket(WebSocket(scope, receive, send), calls)
        else:
            await self._request(calls, scope, receive, send)

    async def _socket(self, websocket: WebSocket, calls: Calls | None) -> None:
        if not await accepted(websocket):
            return
        if calls is None:
            await websocket.close(UNREACHABLE, CANNOT_REACH)
            return
        wire = wire_of(websocket.scope)
        if wire is None:
            return  # The client has left since.
        viewer = Viewer(None)
        number = calls.open(websocket.scope, viewer, wire)
        try:
            hear = partial(calls.hear, number=number)
            await converse(websocket, viewer, hear, put=self._mail.put)
        finally:
            calls.gone(number)

    async def _request(
        self, calls: Calls | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        body = await whole_body(receive)
        answer = await calls.ask(scope, body or b"") if calls and body is not None else None
        if answer is None:
            await unreachable(Request(scope), CANNOT_REACH)(scope, receive, send)
            return
        start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
        await send(start)
        await send({"type": "http.response.body", "body": answer.body})

    async def everywhere(self, scope: Scope) -> list[bytes]:
        """Return what the other nodes answer to a request."""
        if HERE in scope.get("extensions", {}):
            return []
        return [answer.body for answer in await self._asked(scope) if answer.status == 200]

    async def _asked(self, scope: Scope) -> list[Passed]:
        async def ask(node: Node) -> Passed | None:
            calls = await self._call(node)
            return await calls.ask(scope) if calls else None

        others = [
            n for n in self.pit.leases.roster.nodes.values() if n.name != self.pit.tenure.name
        ]
        answers = await asyncio.gather(*map(ask, others), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                log_crash(answer)
        return [answer for answer in answers if isinstance(answer, Passed)]


async def nowhere(_: Scope) -> list[bytes]:
    """Return what other nodes answer where there are none."""
    return []
