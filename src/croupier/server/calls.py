"""Conversations with one other node over one link; that node's `owner` answers them."""

import asyncio
from collections.abc import Iterable
from itertools import count
from typing import Any, NamedTuple

from starlette.types import Scope

from croupier.gallery.galleries import MOVED
from croupier.gallery.outbox import Viewer
from croupier.server.link import Link, LinkMessage
from croupier.server.wire import Wire

ANSWER_S = 10.0
"""How long a request waits for another node's answer."""


class Passed(NamedTuple):
    """What another node answered."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Calls:
    """Conversations with one other node over one link."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[Passed | None]] = {}
        self._viewers: dict[int, tuple[Viewer, Wire]] = {}
        self.listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            await self.link.listen(self._hear)
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_result(None)
            for viewer, _ in self._viewers.values():
                viewer.end(MOVED)

    def _hear(self, message: LinkMessage) -> None:
        match message:
            case ["say", list(numbers), list(frames)]:
                for number in numbers:
                    for viewer, _ in self._found(number):
                        for frame in frames:
                            viewer.send(frame)
            case ["hold" | "go on" as does, int(number)]:
                for _, wire in self._found(number):
                    wire.hold() if does == "hold" else wire.go_on()
            case ["end", int(number), int(code), str(_)]:
                for viewer, _ in self._found(number):
                    viewer.end(code)
            case ["answer", int(number), int(status), list(headers), str(body)]:
                answer = self._answers.get(number)
                if answer is not None and not answer.done():
                    said = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers]
                    answer.set_result(Passed(status, said, body.encode("latin-1")))

    def _found(self, number: int) -> Iterable[tuple[Viewer, Wire]]:
        found = self._viewers.get(number)
        return () if found is None else (found,)

    async def ask(self, scope: Scope, body: bytes = b"") -> Passed | None:
        """Pass a request on; None if there is no answer."""
        number = next(self._numbers)
        answer: asyncio.Future[Passed | None] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            self.link.say("ask", number, _plain(scope), body.decode("latin-1"))
            async with asyncio.timeout(ANSWER_S):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._answers[number]

    def open(self, scope: Scope, viewer: Viewer, wire: Wire) -> int:
        """Pass a socket on."""
        number = next(self._numbers)
        self._viewers[number] = viewer, wire
        self.link.say("open", number, _plain(scope))
        return number

    def hear(self, text: str | bytes, number: int) -> None:
        """Pass a message on."""
        said = text if isinstance(text, str) else text.decode("utf-8", "replace")
        self.link.say("hear", number, said)

    def gone(self, number: int) -> None:
        """Say that a socket was closed."""
        del self._viewers[number]
        self.link.say("gone", number, 1000)


def _plain(scope: Scope) -> dict[str, Any]:
    """Return a request as data."""
    return {
        "method": scope.get("method", "GET"),
        "scheme": scope["scheme"],
        "path": scope["path"],
        "query": scope["query_string"].decode("latin-1"),
        "headers": [(n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"]],
        "client": scope.get("client"),
        "server": scope.get("server"),
    }
