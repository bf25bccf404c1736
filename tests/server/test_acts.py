"""Acts of operators are in the journal with their names, and last (S10); roles bind."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.fairness.seal import key_id
from croupier.gallery.galleries import ENDED
from croupier.ledger.acts import HOUSE_STREAM, HouseAct, Register, acts_in
from croupier.server.people import People
from croupier.server.sessions import DAY_MS, EXTENDED_MS, PLAYERS_DAYS, STAFF_IDLE_MS
from tests.rules.books import MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks import houses
from tests.server.attacks.houses import House, crashes, open_house, table_toml

METERED = table_toml(MARYLAND)


def run(folder: Path, *attacks: Callable[[House], Awaitable[None]]) -> None:
    """Let each happen in a house of its own, one after the other on one ledger."""

    async def main() -> None:
        for attack in attacks:
            async with open_house(folder, METERED) as house:
                await attack(house)
                assert crashes(house) == []

    asyncio.run(main())


def acts(house: House) -> list[HouseAct]:
    with house.pit.books.store.reading() as view:
        return [act for _, act in acts_in(view.stream(HOUSE_STREAM))]


def of_type(house: House, name: str) -> list[tuple[Any, ...]]:
    return [tuple(act) for act in acts(house) if type(act).__name__ == name]


def test_what_operators_do_is_in_the_journal_and_lasts(tmp_path: Path) -> None:
    ids: dict[str, str] = {}

    async def decide(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        ids.update(boss=boss.id, ann=ann.id, bob=bob.id)
        for seat, who in ((1, ann), (2, bob)):
            await (await who.line("maryland")).do("sit", seat=seat)
        meters = [name for name in house.pit.books.balances() if name.startswith("meter:")]
        meter = meters[0].removeprefix("meter:")
        ids["meter"] = meter
        assert (await boss.post(f"/api/meters/{meter}", out=True)).status_code == 200
        assert (await boss.post("/api/tables/maryland/dealing", open=False)).status_code == 200
        assert (await boss.post("/api/tables/maryland/seats/1/free")).status_code == 200
        assert (await boss.post(f"/api/people/{ann.id}/disable", disabled=True)).status_code == 200
        roles = await boss.post(f"/api/people/{bob.id}/roles", roles=["auditor"])
        assert roles.status_code == 200
        assert house.table("maryland").place.standing.table.seats == {}, "bob may not sit any more"

    async def look_again(house: House) -> None:
        boss = ids["boss"]
        assert of_type(house, "MeterStopped") == [(ids["meter"], True, boss)]
        assert of_type(house, "DealingStopped") == [("maryland", True, boss, "")]
        assert of_type(house, "AccountDisabled") == [(ids["ann"], True, boss)]
        assert of_type(house, "RolesSet")[-1] == (ids["bob"], ("auditor",), boss, "")
        with house.pit.books.store.reading() as view:
            events = [json.loads(row.data)["event"] for row in view.stream("maryland")]
        freed = {"type": "SeatFreed", "seat": 1, "player": ids["ann"], "by": boss}
        assert freed in events
        table = house.table("maryland")
        assert house.pit.books.out == {ids["meter"]} and "progressive" in table.closed_wagers()
        assert not table.notes.company.open
        person = await house.people.find(ids["ann"])
        assert person is not None and person.disabled

    run(tmp_path, decide, look_again)


def test_an_operator_is_told_of_a_missing_key_and_may_give_the_round_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def bet(house: House) -> None:
        ann = await house.person("Ann Ash")
        line = await ann.line("maryland")
        await line.do("sit", seat=1)
        await house.until_phase("maryland", "bets")
        await line.do("bet", seat=1, wager="ante", cents=500)

    async def give_up(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        [closed] = (await boss.http.get("/house.json")).json()["closed"]
        assert closed["locked"] and key_id(houses.KEY) not in closed["because"]
        page = (await boss.http.get("/house")).text
        assert "which isn&#39;t here" in page and "Call the round off" in page
        seen = (await house.visitor().http.get("/api/tables/maryland")).json()["error"]
        assert (seen["code"], seen["message"]) == ("no_deck", closed["because"])
        assert "deck_locked" in house.lines.getvalue()
        assert (await boss.post("/api/tables/maryland/call-off")).status_code == 200
        table = house.table("maryland")
        round = table.place.standing.round
        assert round and round.void and round.void.ruling == "T6"
        assert not table.notes.company.open
        found = (await boss.http.get("/house.json")).json()
        assert faults("house", found) == []
        assert [row["because"] for row in found["tables"]] == [closed["because"]]
        assert (
            found["closed"] == [] and "Closed by the house" in (await boss.http.get("/house")).text
        )
        assert (await boss.post("/api/tables/maryland/call-off")).status_code == 409
        assert (await boss.post("/api/tables/maryland/dealing", open=True)).status_code == 200
        assert table.notes.company.open

    run(tmp_path, bet)
    monkeypatch.setattr(houses, "KEY", bytes(range(1, 33)))
    run(tmp_path, give_up)


def test_the_journal_gives_the_people_again(tmp_path: Path) -> None:
    async def come_and_go(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        guest = house.visitor()
        await guest.post("/api/guest")
        await guest.post("/api/sign-up", name="Cat Ash", password="correct horse")
        ann = await house.person("Ann Ash")
        await ann.post("/api/password", old="correct horse battery", new="another horse")
        await boss.post(f"/api/people/{ann.id}/roles", roles=["player", "dealer"])
        register = Register()
        with house.pit.books.store.reading() as view:
            for number, act in acts_in(view.stream(HOUSE_STREAM)):
                register.add(number, act)
        known = {one.id: (one.name, one.roles) for one in await house.people.everybody()}
        derived = {id: (one.name, one.roles) for id, one in register.people.items()}
        assert derived == known and len(known) == 3

    run(tmp_path, come_and_go)


def test_an_account_without_the_role_of_a_player_only_watches(tmp_path: Path) -> None:
    """S10: an account without roles sat and bet."""

    async def try_to_play(house: House) -> None:
        table = house.table("maryland")
        for number, roles in enumerate((["operator"], ["auditor"], [])):
            one = await house.person(f"Person {number} Ash")
            await house.people.set_roles(one.id, roles)
            body = {"name": f"Person {number} Ash", "password": "correct horse battery"}
            assert (await one.post("/api/sign-in", **body)).status_code == 200
            line = await one.line("maryland")
            said = await line.ask("sit", seat=1)
            assert (said["type"], said["code"]) == ("refused", "not_allowed")
            assert (await line.ask("ping"))["type"] == "done", "it can watch"
            assert (await one.post("/api/chips")).status_code == 403
        assert table.place.standing.table.seats == {}

    run(tmp_path, try_to_play)


def test_somebody_seated_who_was_barred_meanwhile_loses_the_seat_at_the_start(
    tmp_path: Path,
) -> None:
    async def sit(house: House) -> None:
        ann = await house.person("Ann Ash")
        await (await ann.line("maryland")).do("sit", seat=1)
        house.pit.acts.listeners.clear()  # The house closes before its tables hear of it.
        await house.people.set_roles(ann.id, [])

    async def start(house: House) -> None:
        await house.pit.seats.free_all()
        assert house.table("maryland").place.standing.table.seats == {}

    run(tmp_path, sit, start)


def test_the_socket_of_an_expired_session_is_closed(tmp_path: Path) -> None:
    """S12: it played on."""

    async def wait(house: House) -> None:
        ann = await house.person("Ann Ash")
        ticket = await ann.ticket("maryland")
        # A second before the end.
        house.hands.people_s += PLAYERS_DAYS * DAY_MS / 1000 - 1
        house.people.sessions.tickets.held.clock = lambda: 0.0
        line = await house.knock("maryland", ticket)
        assert (await line.ask("ping"))["type"] == "done"
        house.hands.people_s += 1
        assert await line.closed() == ENDED

    run(tmp_path, wait)


@pytest.mark.parametrize("works", [True, False])
def test_a_dealer_who_works_is_not_locked_out(tmp_path: Path, works: bool) -> None:
    """A staff session is used by what is sent over the socket, too."""

    async def deal(house: House) -> None:
        ann = await house.person("Ann Ash", "dealer")
        ticket = await ann.ticket("maryland")
        house.people.sessions.tickets.held.clock = lambda: 0.0
        # The session is looked at half a minute before it ends.
        house.hands.people_s += (STAFF_IDLE_MS - EXTENDED_MS) / 1000 - 1
        line = await house.knock("maryland", ticket)
        if works:
            assert (await line.ask("tap_in", post="dealer"))["type"] == "refused"
        await asyncio.sleep(1.2)
        house.hands.people_s += EXTENDED_MS / 1000 + 2
        if works:
            assert (await line.ask("ping"))["type"] == "done"
            assert (await ann.http.get("/api/me")).json()["person"] is not None
        else:
            assert (await ann.http.get("/api/me")).json()["person"] is None

    run(tmp_path, deal)


def test_a_session_that_another_process_ended_loses_its_socket(tmp_path: Path) -> None:
    async def end(house: House) -> None:
        other = People(house.pit.books.store, passwords=house.people.passwords)
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        anns, bobs = await ann.line("maryland"), await bob.line("maryland")
        assert (await anns.ask("ping"))["type"] == "done"
        await other.set_roles(ann.id, ["player", "floor"], by="elsewhere")
        assert await anns.closed() == ENDED
        assert (await bobs.ask("ping"))["type"] == "done"
        assert (await ann.http.get("/api/me")).json()["person"] is None

    run(tmp_path, end)
