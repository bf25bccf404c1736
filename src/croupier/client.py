"""A small client: sign in over HTTP, and play at a table over its socket.

    async with Client("http://127.0.0.1:8000") as client:
        await client.guest()
        table = await client.table("maryland")
        await table.do("sit", seat=1)

A table keeps the scene up to date. If the connection breaks before a command is answered, the
client reconnects and sends it again under the same id, so it takes effect once. With `cut=True` it
contributes to the players' cut of every round, and `check_deal` proves that it did.
"""

import asyncio
import contextlib
import json
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from croupier.errors import Refused, UserError
from croupier.fairness import checker
from croupier.fairness.cut import contribution_hash, roll_of
from croupier.gallery.scene import patched
from croupier.recent import Recent

WAIT_S = 20.0
TRIES = 9
"""Enough, with the pauses between them, for another server to take a table over."""
BROKEN = "the connection broke"
VALUE_BYTES = 32
NOTED_MAX = 100
"""How many rounds a client remembers its contributions to."""


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS settings that all clients share; loading the certificates is slow."""
    return ssl.create_default_context()


class Client:
    """One person at one server."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        # Bots hold many clients, so none keeps a connection between two requests.
        self._http = httpx.AsyncClient(
            headers={"X-Croupier": "1"},
            timeout=WAIT_S,
            limits=httpx.Limits(max_keepalive_connections=0),
            follow_redirects=True,
            verify=_tls(),
        )
        self.person: dict[str, Any] | None = None
        self.tables: list[TableClient] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        for table in self.tables:
            await table.close()
        await self._http.aclose()

    async def guest(self) -> dict[str, Any]:
        """Sign in as a guest with play chips."""
        return await self._enter("/api/guest")

    async def sign_up(self, name: str, password: str) -> dict[str, Any]:
        """Create an account; a guest keeps the chips."""
        return await self._enter("/api/sign-up", name=name, password=password)

    async def sign_in(self, name: str, password: str) -> dict[str, Any]:
        """Sign in with a name and a password."""
        return await self._enter("/api/sign-in", name=name, password=password)

    async def _enter(self, path: str, **body: str) -> dict[str, Any]:
        person: dict[str, Any] = (await self.post(path, **body))["person"]
        self.person = person
        return person

    async def get(self, path: str) -> Any:
        return await self._request("GET", path)

    async def post(self, path: str, **body: Any) -> Any:
        return await self._request("POST", path, json=body)

    async def _request(self, method: str, path: str, **options: Any) -> Any:
        try:
            response = await self._http.request(method, f"{self.address}{path}", **options)
        except httpx.TimeoutException:
            raise TimeoutError("the server does not answer") from None
        except httpx.TransportError as error:
            raise ConnectionError(str(error) or BROKEN) from None
        if response.is_error:
            raise _refusal(response)
        return response.json()

    async def table(self, id: str, *, watch: bool = False, cut: bool = False) -> "TableClient":
        """Open a table, to play at it or only to watch; `cut` contributes to every cut."""
        table = TableClient(self, id, watch=watch, cut=cut)
        await table.connect()
        self.tables.append(table)
        return table


def _refusal(response: httpx.Response) -> Refused:
    try:
        said = response.json()["error"]
        return Refused(said["code"], said["message"], field=said["field"], clause=said["clause"])
    except (ValueError, KeyError, TypeError):
        message = f"the server answered {response.status_code}"
        return Refused("http", message, field=str(response.url))


class Noted(NamedTuple):
    """What a player notes of a round before anybody could know its deal."""

    commitment: str
    contribution: str
    roll: str = ""
    """The roll of all contributions, noted before this client revealed its own; '' until then."""


class TableClient:
    """A table as one viewer sees it, kept up to date."""

    def __init__(self, client: Client, id: str, *, watch: bool, cut: bool = False) -> None:
        self.client, self.id, self.watch, self.cut = client, id, watch, cut
        self.noted: Recent[str, Noted] = Recent(NOTED_MAX)
        """What this client noted of the last rounds that it contributed to."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.felt: dict[str, Any] = {}
        self.scene: dict[str, Any] = {}
        self.own: dict[str, str] = {}
        self.clock: dict[str, Any] | None = None
        self.cents, self.v = 0, -1
        self.frames = 0
        self.on_frame: Callable[[str], None] = lambda _: None
        self._answers: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        """The future each command waits on: its answer, or None if the connection breaks."""
        self._changed = asyncio.Event()
        self._socket: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._coming = asyncio.Lock()

    async def connect(self) -> None:
        """Open the socket; after a reconnection the server sends what was missed."""
        await self._hang_up()
        query = {"last": self.v} if self.v >= 0 else {}
        if not self.watch:
            query["ticket"] = (await self.client.post("/api/ticket", table=self.id))["ticket"]
        address = self.client.address.replace("http", "ws", 1)
        url = f"{address}/api/tables/{self.id}/socket?{urlencode(query)}"
        self._socket = await connect(url, compression=None, max_size=None)
        self._take(await self._socket.recv())
        self._reader = asyncio.create_task(self._read())

    async def close(self) -> None:
        for task in [*self._tasks]:
            task.cancel()
        await self._hang_up()

    async def _hang_up(self) -> None:
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
        return self._reader is not None and not self._reader.done()

    async def _read(self) -> None:
        try:
            with contextlib.suppress(WebSocketException):
                async for frame in self._socket:
                    self._take(frame)
        finally:  # Wake commands that are waiting, even if the reader was cancelled.
            self._changed.set()
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_result(None)

    def _take(self, frame: str) -> None:
        self.on_frame(frame)
        self.hear(json.loads(frame))

    def hear(self, said: dict[str, Any]) -> None:
        """Apply a frame from the table."""
        self.frames += 1
        match said["type"]:
            case "welcome":
                self.clock = said["clock"]
                if said["you"]:
                    self.cents = said["you"]["cents"]
                if said["scene"] is not None:
                    self.felt, self.scene, self.v = said["felt"], said["scene"], said["v"]
                if said["v"] == self.v:
                    # Otherwise missed news comes first: it may open another round, to which these
                    # cards belong. They are sent again after the news.
                    self.own = said["own"]
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
        if self.cut and said["type"] in ("welcome", "news") and self.scene:
            self._follow_cut()
        self._changed.set()

    # ------------------------------------------------------------ the players' cut

    def _follow_cut(self) -> None:
        """Contribute to a round while its bets are open, and reveal it once they are closed."""
        scene, player = self.scene, (self.client.person or {}).get("id", "")
        round, cut, noted = scene["round"], scene["cut"], self.noted.get(scene["round"])
        seated = any(seat["player"] == player for seat in scene["seats"].values())
        if scene["phase"] == "bets" and seated and noted is None and player not in cut["hashes"]:
            noted = Noted(scene["commitment"], secrets.token_hex(VALUE_BYTES))
            self.noted[round] = noted
            hash = contribution_hash(round, player, noted.contribution)
            self._send(self.do("contribute", round=round, hash=hash))
        elif scene["phase"] == "dealing" and noted and not noted.roll and player in cut["hashes"]:
            self.noted[round] = noted._replace(roll=roll_of(cut["hashes"].values()))
            self._send(self.do("reveal", round=round, value=noted.contribution))

    def _send(self, command: Coroutine[Any, Any, object]) -> None:
        """Send a command in the background; if it is refused, the contribution is left out."""

        async def send() -> None:
            with contextlib.suppress(Refused, ConnectionError, TimeoutError):
                await command

        task = asyncio.create_task(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def check_deal(self, round: str) -> list[dict[str, Any]]:
        """Return the proven cards of a round that is over, or raise what is wrong with its deal.

        What was noted of the round is checked too: its commitment, that no contribution was added,
        and that this client's own one is in the cut.
        """
        document = await self.client.get(f"/rounds/{round}/openings?record=true")
        noted = self.noted.get(round)
        known = noted._asdict() if noted and noted.roll else {}
        cards, words = checker.report(document, **known)
        if cards is None:
            raise UserError(words, field=round)
        return cards

    async def do(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a command, again if the connection breaks; return its answer or raise Refused."""
        message = {"type": type, "id": fields.pop("id", None) or secrets.token_hex(8), **fields}
        for tried in range(TRIES):
            lost = self._socket
            try:
                return await self.ask(message)
            except (ConnectionError, TimeoutError, OSError, WebSocketException):
                if tried == TRIES - 1:
                    raise
                await self._connect_again(lost, tried)
        raise ConnectionError("the server does not answer")

    async def come_again(self) -> None:
        """Open the socket again after it was closed, as when another server has the table now."""
        for tried in range(TRIES - 1):
            if self.is_open:
                return
            await self._connect_again(self._socket, tried)
        if self.is_open:
            return
        raise ConnectionError("the server does not answer")

    async def _connect_again(self, lost: Any, tried: int) -> None:
        """Replace a lost socket, unless another command has done so meanwhile."""
        await asyncio.sleep(0.05 * 2**tried)
        async with self._coming:
            if self._socket is not lost:
                return
            with contextlib.suppress(OSError, TimeoutError, WebSocketException):
                try:
                    await self.connect()
                except Refused as refused:
                    # Another server may be taking the table over, and everybody comes at once.
                    if refused.code not in ("unavailable", "too_many"):
                        raise

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a command once and return its answer, or raise Refused or ConnectionError."""
        if not self.is_open:
            raise ConnectionError("the connection is closed")
        answer: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._answers[message["id"]] = answer
        try:
            await self._socket.send(json.dumps(message))
            async with asyncio.timeout(WAIT_S):
                said = await answer
        finally:
            if self._answers.get(message["id"]) is answer:  # It may have been sent again.
                del self._answers[message["id"]]
        if said is None:
            raise ConnectionError(BROKEN)
        if said["type"] == "refused":
            fault = Refused(said["code"], said["message"])
            fault.field, fault.clause = said["field"], said["clause"]
            raise fault
        return said

    async def until(self, holds: Callable[["TableClient"], bool], wait_s: float = WAIT_S) -> None:
        """Wait until a predicate holds for the table."""
        async with asyncio.timeout(wait_s):
            async for _ in self.changes():
                if holds(self):
                    return
            raise ConnectionError(BROKEN)

    async def changes(self) -> AsyncIterator[None]:
        """Yield now, and after each frame that arrives."""
        yield
        while self.is_open:
            self._changed.clear()
            yield
            await self._changed.wait()
