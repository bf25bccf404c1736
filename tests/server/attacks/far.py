"""Another node of a house, to which everybody connects: all it knows comes over a real link."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from websockets.exceptions import ConnectionClosedOK
from websockets.frames import Close

from croupier.server import link as links
from croupier.server.link import Link, LinkMessage, accept, dial, listening
from croupier.server.owner import Owner
from tests.server.attacks.houses import KEY, House, Line

GOING_AWAY = 1001
SILENCE_S = 60.0
"""Both ends share a loop here: while one computes, neither hears the other."""


class FarSocket:
    """A socket at the other node, as its client has it."""

    def __init__(self, link: Link, number: int) -> None:
        self._link, self._number = link, number
        self.told: asyncio.Queue[str | int] = asyncio.Queue()
        """Frames, and the code that the socket is closed with."""

    async def send(self, text: str) -> None:
        self._link.say("hear", self._number, text)

    async def recv(self) -> str:
        told = await self.told.get()
        if isinstance(told, int):
            raise ConnectionClosedOK(Close(told, ""), None)
        return told

    async def close(self) -> None:
        self._link.say("gone", self._number, 1000)
        self.told.put_nowait(1000)


class Far:
    """The other node."""

    def __init__(self, house: House, link: Link) -> None:
        self._house, self._link = house, link
        self._numbers = count(1)
        self._sockets: dict[int, FarSocket] = {}
        self._answers: dict[int, asyncio.Future[str]] = {}

    def hear(self, message: LinkMessage) -> None:
        """Hand out what the owner of the table tells this node."""
        match message:
            case ["say", list(numbers), list(frames)]:
                for number in numbers:
                    for frame in frames:
                        self._sockets[number].told.put_nowait(frame)
            case ["end", int(number), int(code), str()]:
                self._sockets[number].told.put_nowait(code)
            case ["answer", int(number), int() as status, list(headers), str(body)]:
                head = [f"{name}: {value}" for name, value in headers if name != "date"]
                self._answers[number].set_result("\n".join([str(status), *head, body]))

    def _scope(self, path: str, cookie: str) -> dict[str, Any]:
        path, _, query = path.partition("?")
        asked = {"method": "GET", "scheme": "http", "path": path, "query": query}
        headers = [("host", "127.0.0.1"), ("cookie", cookie)]
        return {**asked, "headers": headers, "client": ["192.0.2.7", 7], "server": None}

    async def knock(self, table: str, *, ticket: str = "", cookie: str = "") -> Line:
        """Open a socket at a table of the owner's."""
        number = next(self._numbers)
        made: Any = FarSocket(self._link, number)
        self._sockets[number] = made
        path = f"/api/tables/{table}/socket?ticket={ticket}"
        self._link.say("open", number, self._scope(path, cookie))
        line = Line(made, len(self._house.all_lines))
        self._house.all_lines.append(line)
        await line.came.wait()
        return line

    def lose(self) -> None:
        """The link has ended: what still waits for the owner waits in vain."""
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the link ended"))
        for socket in self._sockets.values():
            socket.told.put_nowait(GOING_AWAY)

    async def get(self, path: str, cookie: str) -> str:
        """Return the owner's answer to a request, but for the time that it was sent at."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._link.say("ask", number, self._scope(path, cookie), "")
        said = await answer
        assert not said.startswith("5"), (path, said)
        return f"{path}\n{said}"


class FarWire:
    """Somebody's pages, asked for at the other node."""

    def __init__(self, far: Far, cookie: str) -> None:
        self._far, self._cookie = far, cookie

    async def get(self, path: str) -> str:
        return await self._far.get(path, self._cookie)

    async def close(self) -> None:
        pass


@asynccontextmanager
async def linked(house: House) -> AsyncIterator[Far]:
    """Link another node to a house."""
    address = f"unix:{house.folder / 'link'}"

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if link := await accept(reader, writer, KEY):
            await Owner(link, house.app).run()

    server = await listening(address, take)
    link = await dial(address, KEY)
    far = Far(house, link)
    hearing = asyncio.create_task(link.listen(far.hear))
    hearing.add_done_callback(lambda _: far.lose())
    try:
        with patch.object(links, "SILENCE_S", SILENCE_S):
            yield far
    finally:
        await asyncio.gather(*(line.close() for line in house.all_lines))
        house.all_lines.clear()
        await asyncio.sleep(0)
        link.close()
        await hearing
        server.close()
        await server.wait_closed()
