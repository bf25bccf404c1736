"""The owner's end of a link: requests and sockets of other nodes, answered as if they were here."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import ASGIApp, Scope
from starlette.types import Message as ASGIMessage

from croupier.house.log import log_crash
from croupier.house.tasks import Tasks
from croupier.server.link import Link, LinkMessage
from croupier.server.wire import EXTENSION

HERE = "croupier.here"
"""Marks a request that another node forwarded: it isn't forwarded again."""
CRASHED = 1011
ABORTED = 1006
EARLY_MAX = 60
"""How many messages may arrive before the conversation listens; one more closes the socket."""


class FarWire:
    """A viewer's socket at another node."""

    def __init__(self, owner: "Owner", number: int) -> None:
        self._owner, self._number = owner, number
        self.writable = asyncio.Event()
        self.writable.set()  # The other node cuts off viewers who read too slowly.
        self._listener: Callable[[str], None] | None = None
        self._early: list[str] = []

    def listen(self, hear: Callable[[str], None], _: Callable[[], None]) -> None:
        self._listener = hear
        early, self._early = self._early, []
        for text in early:
            hear(text)

    def hear(self, text: str) -> None:
        """Take a message, and keep it until the conversation listens."""
        if self._listener:
            self._listener(text)
        elif len(self._early) < EARLY_MAX:
            self._early.append(text)
        else:
            self.cut()

    def write(self, frames: Sequence[str]) -> None:
        self._owner.send(self._number, frames)

    def hold(self) -> None:
        self._owner.link.say("hold", self._number)

    def go_on(self) -> None:
        self._owner.link.say("go on", self._number)

    def cut(self) -> None:
        self._owner.link.say("end", self._number, ABORTED, "")


class Owner:
    """Answers the requests and sockets that one other node forwards."""

    def __init__(self, link: Link, app: ASGIApp) -> None:
        self.link, self._app = link, app
        self._wires: dict[int, FarWire] = {}
        self._ends: dict[int, asyncio.Future[int]] = {}
        self._frames: dict[int, list[str]] = {}
        self._tasks = Tasks()

    async def run(self) -> None:
        """Answer until the link closes, which ends the conversations of its viewers."""
        try:
            await self.link.listen(self._hear)
        finally:
            for end in self._ends.values():
                if not end.done():
                    end.set_result(ABORTED)

    def _hear(self, message: LinkMessage) -> None:
        match message:
            case ["ask", int(number), dict(scope), str(body)]:
                self._tasks.begin(
                    self._answer(number, _scope(scope, "http"), body.encode("latin-1"))
                )
            case ["open", int(number), dict(scope)]:
                # Made before the task runs: the client's first words may be the very next message.
                self._wires[number] = FarWire(self, number)
                self._ends[number] = asyncio.get_running_loop().create_future()
                self._tasks.begin(self._talk(number, _scope(scope, "websocket")))
            case ["hear", int(number), str(text)]:
                if wire := self._wires.get(number):
                    wire.hear(text)
            case ["gone", int(number), int(code)]:
                end = self._ends.get(number)
                if end is not None and not end.done():
                    end.set_result(code)

    def send(self, number: int, frames: Sequence[str]) -> None:
        """Send frames to a viewer, together with the others of this turn of the event loop."""
        if not self._frames:
            asyncio.get_running_loop().call_soon(self._flush)
        self._frames.setdefault(number, []).extend(frames)

    def _flush(self) -> None:
        same: dict[tuple[str, ...], list[int]] = {}
        for number, waiting in self._frames.items():
            same.setdefault(tuple(waiting), []).append(number)
        self._frames = {}
        for frames, numbers in same.items():
            self.link.say("say", numbers, frames)

    async def _talk(self, number: int, scope: Scope) -> None:
        wire, end = self._wires[number], self._ends[number]
        scope["extensions"][EXTENSION] = {"wire": wire}
        connected = False

        async def receive() -> ASGIMessage:
            nonlocal connected
            if not connected:
                connected = True
                return {"type": "websocket.connect"}
            return {"type": "websocket.disconnect", "code": await end}

        async def send(message: ASGIMessage) -> None:
            if message["type"] == "websocket.close":
                self._flush()
                code = message.get("code", 1000)
                self.link.say("end", number, code, message.get("reason") or "")
                if not end.done():
                    end.set_result(code)

        try:
            await self._app(scope, receive, send)
        except Exception as error:
            log_crash(error, path=scope["path"])
            self.link.say("end", number, CRASHED, "")
        finally:
            self._wires.pop(number, None)
            self._ends.pop(number, None)
            self._frames.pop(number, None)

    async def _answer(self, number: int, scope: Scope, body: bytes) -> None:
        status, headers, parts = 500, list[tuple[bytes, bytes]](), list[bytes]()
        asked = False

        async def receive() -> ASGIMessage:
            nonlocal asked
            if asked:
                await asyncio.Event().wait()
            asked = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: ASGIMessage) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], [*message.get("headers", ())]
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        try:
            await self._app(scope, receive, send)
        except Exception as error:
            log_crash(error, path=scope["path"])
        said = [(n.decode("latin-1"), value.decode("latin-1")) for n, value in headers]
        self.link.say("answer", number, status, said, b"".join(parts).decode("latin-1"))


def _scope(plain: dict[str, Any], type: str) -> Scope:
    """Return a request as the other node got it."""
    headers = [(n.encode("latin-1"), value.encode("latin-1")) for n, value in plain["headers"]]
    client = tuple(plain["client"]) if plain["client"] else None
    path = plain["path"]
    return {
        "type": type,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": plain["method"],
        "scheme": plain["scheme"],
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": plain["query"].encode("latin-1"),
        "headers": headers,
        "client": client,
        "server": tuple(plain["server"]) if plain["server"] else None,
        "subprotocols": [],
        "state": {},
        "extensions": {HERE: {}},
    }
