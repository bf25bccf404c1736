"""Surveillance recalls virtual hands of rounds that are over; a folded one takes two people."""

import asyncio
from pathlib import Path
from typing import Any

from croupier.house.dealer import play_of
from croupier.ledger.journal import decode
from tests.rules.books import CALIFORNIA, MARYLAND
from tests.server.attacks.houses import House, Line, Visitor, open_house, table_toml
from tests.server.test_attended import attended, go_on, staffed
from tests.server.test_staff import again, code_of


async def folded_round(
    house: House, seat: int = 1
) -> tuple[str, Line, Visitor, Visitor, list[str]]:
    """Play a round in which a seat folds; return who works there, and the folded hand."""
    (id,) = house.pit.tables
    dealer, _, flo, players = await staffed(house, id)
    eye = await house.person("Eva Ash", "surveillance")
    while house.scene(id)["phase"] != "decide" or house.scene(id)["asked"] != seat:
        await go_on(house, id, dealer, players)
    open_round = f"{id}-1"
    why = await recalled(eye, id, open_round, seat)
    assert code_of(why) in ("no_such_round", "round_open")
    table = house.table(id)
    assert table.deck is not None
    standing = table.place.standing
    known = play_of(standing, table.deck).known_to(seat)
    own_cards = standing.round.boxes[seat].cards if standing.round else ()
    await players[seat - 1].do("choose", seat=seat, option="fold")
    while house.scene(id)["phase"] != "over":
        await go_on(house, id, dealer, players)
    return id, dealer, flo, eye, sorted(str(known[position]) for position in own_cards)


async def recalled(eye: Visitor, id: str, round: str, seat: int) -> Any:
    body = {"round": round, "seat": str(seat), "why": "the player says it was a pair"}
    return await eye.post(f"/api/tables/{id}/recall", **body)


async def own(who: Visitor, round: str) -> list[str]:
    """Return the cards of a round that are shown to somebody beside those that all saw."""
    steps = (await who.http.get(f"/rounds/{round}/steps.json")).json()
    return sorted(steps["own"].values())


def test_a_folded_hand_is_recalled_by_surveillance_and_the_floor(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, _, flo, eye, hand = await folded_round(house, 2)
            round, path = f"{id}-1", f"/api/tables/{id}/proposals/1"
            auditor = await house.person("Ada Ash", "auditor")
            assert code_of(await recalled(flo, id, round, 2)) == "not_allowed"
            assert code_of(await recalled(eye, id, f"{id}-7", 2)) == "no_such_round"
            assert (await recalled(eye, id, round, 2)).status_code == 200
            assert await own(eye, round) == await own(flo, round) == []
            (asked,) = (await flo.http.get("/pit.json")).json()["requests"]
            assert (asked["does"], asked["round"]) == ("recall seat 2", round)
            assert asked["approve"] == ["floor"]
            mine = await eye.post(path, answer="approve", again=await again(eye))
            assert code_of(mine) == "same_person"
            said = await flo.post(path, answer="approve", again=await again(flo))
            assert said.status_code == 200, said.text
            assert await own(eye, round) == await own(flo, round) == hand
            assert await own(auditor, round) == []
            proved = (await eye.http.get(f"/rounds/{round}/openings")).json()
            assert {*hand} <= {one["card"] for one in proved["opened"]}
            rows = await house.pit.books.read(lambda view: list(view.stream(id)))
            last = decode(rows[-1].data)
            assert last.event == {
                "type": "HandRecalled", "round": round, "seat": 2, "cards": [], "hidden": True
            }  # fmt: skip
            assert {*last.who} == {eye.id, flo.id}
            (row,) = (await eye.http.get("/watch.json")).json()["tables"]
            assert row["virtual"]
            assert (await house.verified()).faults == ()

    asyncio.run(main())


def test_a_hand_that_was_turned_up_is_recalled_by_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(MARYLAND)) as house:
            id, dealer, _, eye, _ = await folded_round(house)
            assert (await recalled(eye, id, f"{id}-1", 2)).status_code == 200
            rows = await house.pit.books.read(lambda view: list(view.stream(id)))
            last = decode(rows[-1].data)
            assert (last.event["type"], last.who) == ("HandRecalled", (eye.id,))
            command = {"type": "Recall", "round": f"{id}-1", "seat": 2}
            said = await dealer.ask("act", of="table", command=command)
            assert (said["type"], said["code"]) == ("refused", "wrong_person")
            named = {**command, "cards": ["As", "Kd", "2c"]}
            line = await eye.line(id)
            said = await line.ask("act", of="table", command=named)
            assert (said["type"], said["code"]) == ("refused", "no_cards")

    asyncio.run(main())


def test_a_hand_of_an_automatic_table_is_recalled_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            (id,) = house.pit.tables
            eye = await house.person("Eva Ash", "surveillance")
            ann = await house.person("Ann Elm")
            line = await ann.line(id)
            await line.do("sit", seat=1)
            await house.until_phase(id, "bets")
            await line.do("bet", seat=1, wager="ante", cents=5_00)
            await line.do("ready", seat=1)
            await house.until_phase(id, "decide")
            await line.do("choose", seat=1, option="fold")
            while house.scene(id)["round"] == f"{id}-1" and house.scene(id)["phase"] != "over":
                await house.dealt(id)
            hand = await own(ann, f"{id}-1")
            assert (await recalled(eye, id, f"{id}-1", 1)).status_code == 200
            flo = await house.person("Flo Ash", "floor")
            path = f"/api/tables/{id}/proposals/1"
            said = await flo.post(path, answer="approve", again=await again(flo))
            assert said.status_code == 200, said.text
            assert len(hand) == 3 and await own(flo, f"{id}-1") == hand

    asyncio.run(main())
