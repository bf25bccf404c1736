"""A small client: signs in over HTTP, and plays at a table over its socket.

    async with Client("http://127.0.0.1:8000") as client:
        await client.guest()
        table = await client.table("maryland")
        await table.do("sit", seat=1)

A table keeps the scene up to date. A command that gets no answer is sent again, under the same
id, after a reconnection; so it has one effect however often the line breaks.
"""

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from http.client import HTTPException
from http.cookies import SimpleCookie
from types import TracebackType
from typing import Any, Self
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from croupier.errors import Refused
from croupier.server.scene import patched

WAIT_S = 20.0
TRIES = 8


class Client:
    """One person at one server."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.cookie = ""
        self.person: dict[str, Any] | None = None
        self.tables: list[TableClient] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        for table in self.tables:
            await table.close()

    async def guest(self) -> dict[str, Any]:
        """Come in as a guest with play chips."""
        return await self._enter("/api/guest")

    async def sign_up(self, name: str, password: str) -> dict[str, Any]:
        """Make an account; a guest keeps the chips."""
        return await self._enter("/api/sign-up", name=name, password=password)

    async def sign_in(self, name: str, password: str) -> dict[str, Any]:
        """Come in with a name and a password."""
        return await self._enter("/api/sign-in", name=name, password=password)

    async def _enter(self, path: str, **body: str) -> dict[str, Any]:
        person: dict[str, Any] = (await self.post(path, **body))["person"]
        self.person = person
        return person

    async def get(self, path: str) -> Any:
        """Return what a path of the API says."""
        return await asyncio.to_thread(self._asked, path, None)

    async def post(self, path: str, **body: Any) -> Any:
        """Ask for something that changes something."""
        return await asyncio.to_thread(self._asked, path, body)

    def _asked(self, path: str, body: dict[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Croupier": "1", "Content-Type": "application/json", "Cookie": self.cookie}
        request = Request(f"{self.address}{path}", data, headers)
        try:
            with urlopen(request, timeout=WAIT_S) as answer:
                given = SimpleCookie(answer.headers.get("Set-Cookie", ""))
                for name, morsel in given.items():
                    self.cookie = f"{name}={morsel.value}"
                return json.load(answer)
        except HTTPError as error:
            raise _refusal(error) from None
        except HTTPException:
            raise ConnectionError("the line broke") from None

    async def table(self, id: str, *, watch: bool = False) -> "TableClient":
        """Look at a table, and play at it unless only to watch."""
        table = TableClient(self, id, watch=watch)
        await table.connect()
        self.tables.append(table)
        return table


def _refusal(error: HTTPError) -> Refused | ConnectionError:
    try:
        said = json.load(error)["error"]
        return Refused(said["code"], said["message"], field=said["field"], clause=said["clause"])
    except HTTPException:
        return ConnectionError("the line broke")
    except (ValueError, KeyError, TypeError):
        return Refused("http", f"the server answered {error.code}", field=error.url)


class TableClient:
    """A table as one viewer sees it, kept up to date."""

    def __init__(self, client: Client, id: str, *, watch: bool) -> None:
        self.client, self.id, self.watch = client, id, watch
        self.felt: dict[str, Any] = {}
        self.scene: dict[str, Any] = {}
        self.own: dict[str, str] = {}
        self.clock: dict[str, Any] | None = None
        self.cents, self.v = 0, -1
        self.frames = 0
        self.on_frame: Callable[[str], None] = lambda _: None
        self._answers: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        """Of those who wait: what was said, or None where the line broke."""
        self._changed = asyncio.Event()
        self._socket: Any = None
        self._reader: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Open the socket; who was there before gets what they missed."""
        await self.close()
        query = {"last": self.v} if self.v >= 0 else {}
        if not self.watch:
            query["ticket"] = (await self.client.post("/api/ticket", table=self.id))["ticket"]
        address = self.client.address.replace("http", "ws", 1)
        url = f"{address}/api/tables/{self.id}/socket?{urlencode(query)}"
        self._socket = await connect(url, compression=None, max_size=None)
        self._take(await self._socket.recv())
        self._reader = asyncio.create_task(self._read())

    async def close(self) -> None:
        """Close the socket."""
        if self._reader:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
            self._reader = None
        if self._socket:
            await self._socket.close()
            self._socket = None

    @property
    def is_open(self) -> bool:
        """Whether frames still arrive."""
        return self._reader is not None and not self._reader.done()

    async def _read(self) -> None:
        try:
            with contextlib.suppress(WebSocketException):
                async for frame in self._socket:
                    self._take(frame)
        finally:  # Whoever waits is told, even where the reader was stopped.
            self._changed.set()
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_result(None)

    def _take(self, frame: str) -> None:
        self.on_frame(frame)
        self.frames += 1
        said = json.loads(frame)
        match said["type"]:
            case "welcome":
                self.own, self.clock = said["own"], said["clock"]
                if said["you"]:
                    self.cents = said["you"]["cents"]
                if said["scene"] is not None:
                    self.felt, self.scene, self.v = said["felt"], said["scene"], said["v"]
            case "news":
                if said["scene"].get("round", self.scene.get("round")) != self.scene.get("round"):
                    self.own = {}
                self.scene = patched(self.scene, said["scene"])
                self.v, self.clock = said["v"], said["clock"]
            case "own":
                self.own = said["own"]
            case "purse":
                self.cents = said["cents"]
            case "done" | "refused":
                answer = self._answers.get(said["id"])
                if answer and not answer.done():
                    answer.set_result(said)
        self._changed.set()

    async def do(self, type: str, **fields: Any) -> dict[str, Any]:
        """Ask for something, again if the line breaks, and return the answer or raise Refused."""
        message = {"type": type, "id": fields.pop("id", None) or secrets.token_hex(8), **fields}
        for tried in range(TRIES):
            try:
                return await self._ask(message)
            except (ConnectionError, TimeoutError, OSError, WebSocketException):
                if tried == TRIES - 1:
                    raise
                await asyncio.sleep(0.05 * 2**tried)
                with contextlib.suppress(OSError, TimeoutError, WebSocketException):
                    await self.connect()
        raise ConnectionError("the server does not answer")

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        if not self.is_open:
            raise ConnectionError("the line is broken")
        answer: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._answers[message["id"]] = answer
        try:
            await self._socket.send(json.dumps(message))
            async with asyncio.timeout(WAIT_S):
                said = await answer
        finally:
            if self._answers.get(message["id"]) is answer:  # It may have been asked again.
                del self._answers[message["id"]]
        if said is None:
            raise ConnectionError("the line broke")
        if said["type"] == "refused":
            fault = Refused(said["code"], said["message"])
            fault.field, fault.clause = said["field"], said["clause"]
            raise fault
        return said

    async def until(self, holds: Callable[["TableClient"], bool], wait_s: float = WAIT_S) -> None:
        """Wait until something holds of the table."""
        async with asyncio.timeout(wait_s):
            async for _ in self.changes():
                if holds(self):
                    return
            raise ConnectionError("the line broke")

    async def changes(self) -> AsyncIterator[None]:
        """Yield now, and whenever something arrived."""
        yield
        while self.is_open:
            self._changed.clear()
            yield
            await self._changed.wait()
