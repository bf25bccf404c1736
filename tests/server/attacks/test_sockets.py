"""Sockets under attack: opening one, speaking on it, being disconnected (S3, A1, T23, T34)."""

import asyncio
import contextlib
import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from croupier.gallery import gallery
from croupier.gallery.gallery import MISSED_MAX, Gallery
from croupier.gallery.outbox import FRAMES_MAX, Viewer
from croupier.gallery.scene import Scene, patched
from croupier.server import talk, wire
from croupier.server.limits import Rate
from croupier.server.rows import Rows
from croupier.server.sessions import TICKET_S
from croupier.server.talk import Talk
from tests.rules.books import MARYLAND, SINGAPORE
from tests.server.attacks.houses import House, Line, crashes, open_house, table_toml
from tests.server.attacks.states import Walk

NO_TICKET, ENDED, NO_TABLE, ELSEWHERE = 4401, 4403, 4404, 4409
TABLES = table_toml(MARYLAND) + table_toml(SINGAPORE)


def run(test: Callable[[House], Any], folder: Path, **options: Any) -> None:
    async def main() -> None:
        async with open_house(folder, TABLES, **options) as house:
            await test(house)
            assert crashes(house) == []

    asyncio.run(main())


# ---------------------------------------------------------------- opening one


def test_other_sites_cannot_open_one(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        ann = await house.person("Ann Ash")
        here, evil = f"http://127.0.0.1:{house.port}", "http://evil.example"
        for origin in (evil, "null", f"{here}.evil.example", here.replace("http:", "https:"), ""):
            ticket = await ann.ticket("maryland")
            with pytest.raises(InvalidStatus) as refused:
                await house.knock("maryland", ticket, additional_headers={"Origin": origin})
            assert refused.value.response.status_code == 403
        with pytest.raises(InvalidStatus) as refused:  # As a name that was bound to us would.
            await connect("ws://evil.example/api/tables/maryland/socket", sock=house.caller())
        assert refused.value.response.status_code in (403, 421)
        line = await house.knock(
            "maryland", await ann.ticket("maryland"), additional_headers={"Origin": here}
        )
        await line.do("ping")
        noted = [json.loads(text)["event"] for text in house.lines.getvalue().splitlines()]
        assert noted.count("wrong_origin") == 5

    run(attack, tmp_path)


def test_a_ticket_is_good_once_for_its_table_and_not_for_long(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        ticket = await ann.ticket("maryland")
        first = await house.knock("maryland", ticket)
        assert (await first.ask("ping"))["type"] == "done"
        for said in (ticket, "x", "%00", "made-up", ticket[:-1]):
            assert await (await house.knock("maryland", said)).closed() == NO_TICKET
        other = await ann.ticket("maryland")
        assert await (await house.knock("singapore", other)).closed() == NO_TICKET
        assert await (await house.knock("maryland", other)).closed() == NO_TICKET
        old = await ann.ticket("maryland")
        house.hands.people_s += TICKET_S
        assert await (await house.knock("maryland", old)).closed() == NO_TICKET
        shut, left = await bob.ticket("maryland"), await ann.ticket("maryland")
        await house.people.disable(bob.id)
        await ann.post("/api/sign-out")
        assert await (await house.knock("maryland", shut)).closed() == NO_TICKET
        assert await (await house.knock("maryland", left)).closed() == NO_TICKET
        assert await (await house.knock("no-such")).closed() == NO_TABLE
        assert (await bob.post("/api/ticket", table="maryland")).status_code == 401

    run(attack, tmp_path)


def test_a_session_that_ends_at_the_door_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the session and the socket, somebody signs out."""
    read = Rows.read
    leaving: list[str] = []

    async def attack(house: House) -> None:
        async def slowly(rows: Rows, look: Any) -> Any:
            found = await read(rows, look)
            if leaving:
                await house.people.disable(leaving.pop())
            return found

        ann = await house.person("Ann Ash")
        ticket = await ann.ticket("maryland")
        monkeypatch.setattr(Rows, "read", slowly)
        leaving.append(ann.id)
        assert await (await house.knock("maryland", ticket)).closed() == NO_TICKET
        assert not leaving

    run(attack, tmp_path)


# ---------------------------------------------------------------- whose it is


def test_a_second_socket_takes_over(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        first, bobs = await ann.line("maryland"), await bob.line("maryland")
        await first.do("sit", seat=2)
        second = await ann.line("maryland")
        assert await first.closed() == ELSEWHERE
        await house.until_phase("maryland", "bets")
        wager = next(iter(house.table("maryland").config.rules.wagers))
        await second.do("bet", seat=2, wager=wager, cents=500)
        await bobs.do("ping")
        writers = [v for v in house.galleries["maryland"].viewers if v.player == ann.id]
        assert len(writers) == 1
        # At another table, and to watch, the same person has sockets of their own.
        await (await ann.line("singapore")).do("ping")
        await (await ann.line("maryland", watch=True)).do("ping")
        await second.do("ping")

    run(attack, tmp_path)


def test_a_disabled_person_is_not_listened_to(tmp_path: Path) -> None:
    """Not even while the socket is still open because they do not read."""

    async def attack(house: House) -> None:
        ann, table = await house.person("Ann Ash"), house.table("maryland")
        out, again = Viewer(ann.id, "Ann Ash"), Viewer(ann.id, "Ann Ash")
        out.end(ENDED)
        for viewer, seat in ((out, 2), (out, 3), (again, 4)):
            said = json.dumps({"type": "sit", "id": f"s{seat}", "seat": seat})
            Talk(table, viewer, Mock(wire.Wire), rate=Rate(1, 1)).hear(said)
        assert '"done"' in (await again.frames())[0]
        assert table.place.standing.table.seats == {4: ann.id} and not out.waiting

    run(attack, tmp_path)


def test_the_end_of_a_session_closes_its_sockets(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        boss = await house.person("The Boss", "operator")
        names = ("Ann Ash", "Bob Ash", "Cat Ash", "Dan Ash")
        ann, bob, cat, dan = [await house.person(name) for name in names]
        lines = {one.id: await one.line("maryland") for one in (ann, bob, cat, dan)}
        also = await ann.line("singapore")
        watcher = await house.knock("maryland")
        assert (await ann.post("/api/sign-out")).status_code == 200
        shut = await boss.http.post(f"/api/people/{bob.id}/disable", json={"disabled": True})
        assert shut.json()["person"]["disabled"] is True
        await boss.http.post(f"/api/people/{cat.id}/roles", json={"roles": ["auditor"]})
        for one in (ann, bob, cat):
            assert await lines[one.id].closed() == ENDED
        assert await also.closed() == ENDED
        await lines[dan.id].do("ping")
        await watcher.do("ping")
        present = {viewer.player for viewer in house.galleries["maryland"].viewers}
        assert present == {dan.id, None}

    run(attack, tmp_path)


def test_a_command_under_way_survives_its_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stored is published and stands, though its sender was disconnected meanwhile."""

    async def attack(house: House) -> None:
        ann, table = await house.person("Ann Ash"), house.table("maryland")
        first, gate, stored = await ann.line("maryland"), asyncio.Event(), asyncio.Event()
        commit = house.pit.books.commit

        async def slowly(finish: Any) -> Any:
            results = await commit(finish)
            stored.set()
            await gate.wait()
            return results

        monkeypatch.setattr(house.pit.books, "commit", slowly)
        await first.socket.send(json.dumps({"type": "sit", "id": "s1", "seat": 2}))
        await stored.wait()
        monkeypatch.setattr(house.pit.books, "commit", commit)
        second = await ann.line("maryland")
        assert await first.closed() == ELSEWHERE
        gate.set()
        await house.until_phase("maryland", "bets")
        # The same command under the same id has the answer that it had, and no other effect.
        await second.do("sit", seat=2, id="s1")
        wager = next(iter(table.config.rules.wagers))
        await second.do("bet", seat=2, wager=wager, cents=500)
        assert table.place.standing.table.seats == {2: ann.id}

    run(attack, tmp_path)


def test_a_closed_socket_leaves_nothing_behind(tmp_path: Path) -> None:
    """Not even for the collector: thousands may come and go before it looks."""

    def left() -> list[str]:
        kinds = (Talk, Viewer, wire.Wire)
        return [type(one).__name__ for one in gc.get_objects() if type(one) in kinds]

    async def attack(house: House) -> None:
        ann = await house.person("Ann Ash")
        before = len(left())
        gc.disable()
        try:
            for _ in range(20):
                line = await ann.line("maryland")
                await line.do("ping")
                await line.socket.close()
            async with asyncio.timeout(60):
                while house.galleries["maryland"].viewers:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
            assert len(left()) <= before + 3, left()
        finally:
            gc.enable()

    run(attack, tmp_path)


# ---------------------------------------------------------------- too much


def test_a_flood_is_refused_and_then_cut(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        line, other = await ann.line("maryland"), await bob.line("maryland")
        for number in range(talk.FLOOD + 2_000):
            if line.code is not None:
                break
            with contextlib.suppress(ConnectionClosed):
                await line.socket.send(json.dumps({"type": "ping", "id": f"f{number}"}))
            await asyncio.sleep(0)
        assert await line.closed() == 1008
        codes = [json.loads(f).get("code", "done") for f in line.frames if '"id":"f' in f]
        assert codes[0] == "done" and codes.count("too_many") > talk.FLOOD / 2
        await other.do("ping")
        noted = [json.loads(text)["event"] for text in house.lines.getvalue().splitlines()]
        assert noted.count("socket_flood") == 1

    run(attack, tmp_path, messages=None)


def test_messages_are_read_in_whatever_pieces_they_come(tmp_path: Path) -> None:
    def masked(opcode: Opcode, text: str, *, fin: bool = True) -> bytes:
        return Frame(opcode, text.encode(), fin=fin).serialize(mask=True)

    async def attack(house: House) -> None:
        line = await (await house.person("Ann Ash")).line("maryland")
        pings = [json.dumps({"type": "ping", "id": f"p{n}"}) for n in range(8)]
        whole = [masked(Opcode.TEXT, ping) for ping in pings]
        pieces = [
            whole[0][:3],
            whole[0][3:],
            whole[1] + whole[2],
            whole[3][:-1],
            whole[3][-1:] + whole[4][:1],
            whole[4][1:],
            masked(Opcode.TEXT, pings[5][:4], fin=False),
            masked(Opcode.PING, "x"),
            masked(Opcode.CONT, pings[5][4:]),
            masked(Opcode.BINARY, pings[6]),
            whole[7],
        ]
        for piece in pieces:
            line.socket.transport.write(piece)
            await asyncio.sleep(0.02)
        async with asyncio.timeout(60):
            while not any('"p7"' in frame for frame in line.frames):
                await asyncio.sleep(0.01)
        done = [json.loads(frame)["id"] for frame in line.frames if '"done"' in frame]
        assert done == [f"p{n}" for n in range(8)]
        line.socket.transport.write(masked(Opcode.TEXT, "x", fin=False) + whole[0])
        assert await line.closed() == 1002

    run(attack, tmp_path)


def test_a_frame_that_is_too_large_closes_its_socket(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        ann = await house.person("Ann Ash")
        for large in ("x" * (16 * 1024 + 1), b"\x00" * (1024 * 1024), "[" * 20_000):
            line = await ann.line("maryland")
            await line.socket.send(large)
            assert await line.closed() == 1009
        line = await ann.line("maryland")
        room = 16 * 1024 - len('{"type":"ping","id":"p"}')
        said = await line.raw('{"type":"ping","id":"p"}' + " " * room, "p")
        assert said["type"] == "done"
        # In pieces it is as large as in one.
        await line.socket.send(["x" * 10_000, "x" * 10_000])
        assert await line.closed() == 1009

    run(attack, tmp_path)


def test_a_viewer_that_does_not_read_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frames that wait are bounded; others do not notice."""
    monkeypatch.setattr(wire, "WRITE_S", 0.5)

    async def attack(house: House) -> None:
        ann, table = await house.person("Ann Ash"), house.table("maryland")
        honest = await ann.line("maryland")
        deaf = await house.knock("maryland", max_queue=1, write_limit=1)
        await asyncio.sleep(0)
        deaf.reader.cancel()
        deaf.socket.transport.pause_reading()
        slow = next(v for v in house.galleries["maryland"].viewers if v.player is None)
        most = 0
        while not slow.slow:
            for _ in range(FRAMES_MAX // 8):
                slow.send("x" * 60_000)
                most = max(most, slow.waiting)
            await honest.do("ping")
            await asyncio.sleep(0)
        assert most <= FRAMES_MAX and slow.waiting == 0
        while slow in house.galleries["maryland"].viewers:
            table.look_again()
            await honest.do("ping")
        deaf.socket.transport.abort()
        house.all_lines.remove(deaf)
        await honest.do("sit", seat=2)

    run(attack, tmp_path)


# ---------------------------------------------------------------- coming back


class Page:
    """What a page holds of a table, from frames alone."""

    def __init__(self) -> None:
        self.scene: Scene = {}
        self.own: dict[str, str] = {}
        self.v = -1

    def take(self, frame: str) -> None:
        said = json.loads(frame)
        match said["type"]:
            case "welcome":
                self.own = said["own"]
                if said["scene"] is not None:
                    self.scene, self.v = said["scene"], said["v"]
            case "news":
                if said["scene"].get("round", self.scene["round"]) != self.scene["round"]:
                    self.own = {}
                self.scene, self.v = patched(self.scene, said["scene"]), said["v"]
            case "own":
                self.own = said["own"]

    @property
    def held(self) -> tuple[Any, ...]:
        scene = {k: v for k, v in self.scene.items() if k != "seats"}
        return scene, self.own, self.v


async def resynchronised(folder: Path) -> list[str]:
    """Come back from every version of two rounds, and say where something else is seen."""
    faults: list[str] = []
    async with open_house(folder, table_toml(SINGAPORE)) as house:
        walk = Walk(house, SINGAPORE)
        await walk.come_in()
        ann, line = walk.players["ann"], walk.lines["ann"]
        async for _ in walk.states():
            await line.caught_up()
        await house.dealt(walk.id)
        await walk.bet()
        for name, seat in walk.seats.items():
            await walk.lines[name].do("ready", seat=seat)
        await house.until_phase(walk.id, "decide")
        # What changes without an event has to arrive as well.
        house.pit.books.out |= {*house.pit.books.balances()} and {
            walk.table.config.meter(id) for id in walk.table.config.rules.meters
        }
        walk.table.note_open(open=False)
        frames = [*await line.caught_up()]
        for cut in range(1, len(frames), 3):
            page = Page()
            for frame in frames[:cut]:
                page.take(frame)
            back = await _back(ann, walk.id, page)
            fresh = Page()
            line = await ann.line(walk.id)
            for frame in await line.caught_up():
                fresh.take(frame)
            if page.held != fresh.held or not fresh.own:
                faults.append(f"after {cut}, {back}: {page.held} is not {fresh.held}")
            if page.scene["seats"].keys() != fresh.scene["seats"].keys():
                faults.append(f"after {cut}: other seats")
    return faults


async def _back(ann: Any, table: str, page: Page) -> str:
    line: Line = await ann.line(table, last=page.v)
    for frame in await line.caught_up():
        page.take(frame)
    return "anew" if line.welcome()["scene"] else "with what was missed"


def test_a_viewer_that_reconnects_sees_what_others_see(tmp_path: Path) -> None:
    assert asyncio.run(resynchronised(tmp_path)) == []


@pytest.mark.parametrize("mutant", ["forgets what has no event", "forgets own cards"])
def test_a_lossy_return_is_found(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mutant == "forgets own cards":
        welcome = Gallery.welcome

        def without_own(at: Gallery, viewer: Viewer, *args: Any, **cents: Any) -> None:
            welcome(at, viewer, *args, **cents)
            viewer.restart([frame for frame in viewer.take() if '"type":"own"' not in frame])

        monkeypatch.setattr(Gallery, "welcome", without_own)
    else:
        monkeypatch.setattr(gallery, "UNSAID", ("seats",))
    assert asyncio.run(resynchronised(tmp_path)) != []


def test_a_viewer_away_for_long_gets_the_whole_scene(tmp_path: Path) -> None:
    """A viewer who has missed hundreds of frames isn't disconnected for it."""

    async def attack(house: House) -> None:
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        line = await ann.line("maryland")
        v = line.welcome()["v"]
        other = await bob.line("maryland")
        for _ in range(MISSED_MAX // 2 + 2):
            await other.do("sit", seat=2)
            await other.do("leave", seat=2)
        back = await ann.line("maryland", last=v)
        await back.do("ping")
        assert back.welcome()["scene"] is not None
        soon = await ann.line("maryland", last=back.welcome()["v"])
        assert soon.welcome()["scene"] is None
        ahead = await ann.line("maryland", last=2**40)
        assert ahead.welcome()["scene"] is not None

    run(attack, tmp_path)


def test_spectators_come_and_go_unannounced(tmp_path: Path) -> None:
    """A hundred of them cost a hundred viewers nothing."""

    async def attack(house: House) -> None:
        ann = await house.person("Ann Ash")
        line = await ann.line("maryland")
        frames = len(await line.caught_up())
        for _ in range(100):
            await (await house.knock("maryland")).close()
        while len(house.galleries["maryland"].viewers) > 1:
            await asyncio.sleep(0.001)
        assert len(await line.caught_up()) == frames + 1

    run(attack, tmp_path)


def test_being_ready_leaves_with_the_player(tmp_path: Path) -> None:
    """The next player at a seat has to say that they are ready."""

    async def attack(house: House) -> None:
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        anns, bobs = await ann.line("maryland"), await bob.line("maryland")
        await anns.do("sit", seat=2)
        await house.until_phase("maryland", "bets")
        await anns.do("ready", seat=2)
        await anns.do("leave", seat=2)
        await bobs.do("sit", seat=2)
        assert house.scene("maryland")["seats"]["2"]["ready"] is False

    run(attack, tmp_path)
