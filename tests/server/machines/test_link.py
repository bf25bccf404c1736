"""The link between nodes: sealed, in order, and closed rather than wrong."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidTag

from croupier.house.keys import link_key
from croupier.ledger.tenure import Node, Roster
from croupier.server import link, passing
from croupier.server.link import Link, LinkMessage, Sealing, accept, dial, listening
from croupier.server.owner import EARLY_MAX, Owner
from croupier.server.passing import table_of
from croupier.server.wire import EXTENSION
from tests.schemas.checking import faults

LATER_S = 60.0
KEY, NONCES = link_key(bytes(range(32))), bytes(64)


def test_what_is_sealed_is_unsealed_once_and_in_order() -> None:
    there, back = Sealing(KEY, NONCES, "there"), Sealing(KEY, NONCES, "there")
    first, second = there.seal(b"one"), there.seal(b"two")
    assert b"one" not in first
    assert back.unseal(first) == b"one"
    with pytest.raises(InvalidTag):
        back.unseal(first)  # Said again.
    third = Sealing(KEY, NONCES, "there")
    with pytest.raises(InvalidTag):
        third.unseal(second)  # With one left out.


@pytest.mark.parametrize(
    "other",
    [
        Sealing(link_key(bytes(32)), NONCES, "there"),
        Sealing(KEY, bytes(63) + b"x", "there"),
        Sealing(KEY, NONCES, "back"),
    ],
)
def test_another_key_nonce_or_direction_opens_nothing(other: Sealing) -> None:
    with pytest.raises(InvalidTag):
        other.unseal(Sealing(KEY, NONCES, "there").seal(b"one"))


def linked(
    folder: Path, do: Callable[[Link, list[LinkMessage]], Awaitable[None]], key: bytes = KEY
) -> list[LinkMessage]:
    """Open a link, do something with it, and return what the other end heard."""
    heard: list[LinkMessage] = []
    said: list[LinkMessage] = []

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []

        async def take(reader: Any, writer: Any) -> None:
            end = await accept(reader, writer, KEY)
            assert end

            def hear(message: LinkMessage) -> None:
                heard.append(message)
                end.say("answer", message[1])

            tasks.append(asyncio.create_task(end.listen(hear)))

        address = f"unix:{folder}/link"
        server = await listening(address, take)
        near = await dial(address, key)
        tasks.append(asyncio.create_task(near.listen(said.append)))
        await do(near, said)
        near.close()
        server.close()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    return heard


def test_messages_arrive_in_order_and_are_answered(tmp_path: Path) -> None:
    async def talk(near: Link, said: list[LinkMessage]) -> None:
        for number in range(100):
            near.say("hear", number, "é" * number)
        while len(said) < 100:
            await asyncio.sleep(0)
        assert said == [["answer", number] for number in range(100)]

    assert linked(tmp_path, talk) == [["hear", n, "é" * n] for n in range(100)]


def test_a_node_with_another_key_is_not_heard(tmp_path: Path) -> None:
    async def talk(near: Link, _: list[LinkMessage]) -> None:
        near.say("hear", 1, "let me in")
        async with asyncio.timeout(LATER_S):
            while near.is_open:
                await asyncio.sleep(0.01)

    assert linked(tmp_path, talk, key=link_key(bytes(32))) == []


def test_a_node_that_says_nothing_any_more_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 0.2)
    monkeypatch.setattr(link, "PING_S", 0.05)

    async def run() -> None:
        heard = asyncio.Event()

        async def take(reader: Any, writer: Any) -> None:
            await accept(reader, writer, KEY)  # And nothing else, as if it slept.
            with suppress(OSError):
                await reader.read()
            writer.close()
            heard.set()

        server = await listening(f"unix:{tmp_path}/link", take)
        near = await dial(f"unix:{tmp_path}/link", KEY)
        async with asyncio.timeout(LATER_S):
            await near.listen(lambda _: None)
        assert not near.is_open
        server.close()
        await asyncio.wait_for(heard.wait(), LATER_S)

    asyncio.run(run())


class Told:
    """The other node's end of a link: says messages to an owner at once, and hears it out."""

    def __init__(self, *messages: LinkMessage) -> None:
        self._messages, self.said = messages, list[LinkMessage]()

    async def listen(self, hear: Callable[[LinkMessage], None]) -> None:
        before = asyncio.all_tasks()
        for message in self._messages:
            hear(message)
        for _ in range(100):  # Until everything is done that can be.
            await asyncio.sleep(0)
        self.talking = len(asyncio.all_tasks() - before)

    def say(self, *message: Any) -> None:
        self.said.append([*message])


def owned(*messages: LinkMessage) -> tuple[list[str], Told]:
    """Return what an owner's application heard of a socket, and the other end."""
    heard: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.sleep(0)  # As for a ticket to be redeemed.
        scope["extensions"][EXTENSION]["wire"].listen(heard.append, None)
        await receive()

    told: Any = Told(*messages)
    asyncio.run(Owner(told, app).run())
    return heard, told


OPENED: dict[str, Any] = {"method": "GET", "scheme": "ws", "path": "/", "query": "", "headers": []}
OPENED |= {"client": None, "server": None}


def test_what_a_client_says_before_it_is_welcomed_is_heard() -> None:
    heard, told = owned(["open", 1, OPENED], ["hear", 1, "sit"], ["hear", 1, "bet"])
    assert (heard, told.talking) == (["sit", "bet"], 1)


def test_a_client_that_leaves_before_its_conversation_begins_is_gone() -> None:
    _, told = owned(["open", 1, OPENED], ["gone", 1, 1000])
    assert told.talking == 0


def test_a_client_that_says_too_much_before_it_is_welcomed_is_cut() -> None:
    _, told = owned(["open", 1, OPENED], *([["hear", 1, "sit"]] * (EARLY_MAX + 1)))
    assert told.said == [["end", 1, 1006, ""]]


@pytest.mark.parametrize(
    ("path", "query", "table"),
    [
        ("/api/tables/t-1/socket", b"ticket=x", "t-1"),
        ("/api/tables/t-1", b"", "t-1"),
        ("/tables/t-1.json", b"", "t-1"),
        ("/tables/t-1/text", b"", "t-1"),
        ("/api/coach", b"table=t-1", "t-1"),
        ("/api/tables", b"", None),
        ("/rounds/t-1-5", b"", None),
        ("/", b"", None),
    ],
)
def test_a_request_is_passed_on_by_the_table_it_is_about(
    path: str, query: bytes, table: str | None
) -> None:
    assert table_of(path, query) == table


def test_a_node_that_cannot_be_reached_is_logged_once_until_it_was_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    monkeypatch.setattr(passing, "log", lambda event, **_: logged.append(event))
    there = Node("there", f"unix:{tmp_path}/link")
    roster = Roster({there.name: there}, {})
    pit: Any = SimpleNamespace(
        leases=SimpleNamespace(roster=roster), tenure=SimpleNamespace(name="here")
    )
    app = SimpleNamespace(state=SimpleNamespace())

    async def run() -> None:
        whole = passing.Passing(app, pit, key=bytes(32), address="")
        scope: Any = {"type": "http", "scheme": "http", "path": "/", "query_string": b""}
        scope["headers"] = []
        for _ in range(5):
            assert await whole.everywhere(scope) == []
        assert logged == ["node_unreachable"]

        async def take(reader: Any, writer: Any) -> None:
            await accept(reader, writer, KEY)
            writer.close()

        server = await listening(there.address, take)
        assert await whole.everywhere(scope) == []  # The link ends before it answers.
        assert logged == ["node_unreachable"]
        server.close()
        await server.wait_closed()
        (tmp_path / "link").unlink(missing_ok=True)
        for _ in range(5):
            assert await whole.everywhere(scope) == []
        assert logged == ["node_unreachable"] * 2

    asyncio.run(run())


def a_pit_without_tables() -> SimpleNamespace:
    """Return a pit whose only table no process has."""
    return SimpleNamespace(
        configs={"t": None},
        has=lambda table: False,
        leases=SimpleNamespace(roster=Roster({}, {})),
        closed=SimpleNamespace(because=lambda table: None),
        tenure=None,
    )


def test_a_table_that_cannot_be_reached_is_a_page_or_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "CHANGES_HANDS_S", 0.05)
    pit: Any = a_pit_without_tables()
    app: Any = SimpleNamespace(state=SimpleNamespace())
    node = passing.Passing(app, pit, key=bytes(32), address="")

    async def ask(path: str) -> httpx.Response:
        transport = httpx.ASGITransport(node)
        async with httpx.AsyncClient(transport=transport, base_url="http://h") as http:
            return await http.get(path, headers={"Accept": "text/html"})

    page, data = asyncio.run(ask("/tables/t")), asyncio.run(ask("/tables/t.json"))
    assert page.status_code == data.status_code == 503
    assert "<h1>We can&#39;t answer right now</h1>" in page.text
    assert faults("error", data.json()) == []
    assert "retry-after" in data.headers


@pytest.mark.parametrize("stays", [True, False])
def test_a_player_may_leave_while_a_table_changes_hands(
    stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passing, "CHANGES_HANDS_S", 0.05)
    pit: Any = a_pit_without_tables()
    app: Any = SimpleNamespace(state=SimpleNamespace())
    node = passing.Passing(app, pit, key=bytes(32), address="")
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        if not stays:
            raise ConnectionResetError
        sent.append(message)

    scope: Any = {"type": "websocket", "path": "/api/tables/t/socket", "query_string": b""}
    asyncio.run(node({**scope, "headers": []}, receive, send))
    told = [message["type"] for message in sent]
    assert told == (["websocket.accept", "websocket.close"] if stays else [])
