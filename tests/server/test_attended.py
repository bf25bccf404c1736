"""A table with a dealer over real sockets: the desk, two people, and the page that shows it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.gallery.galleries import ENDED
from croupier.ledger.accounts import account
from croupier.server.sessions import EXTENDED_MS, STAFF_IDLE_MS
from croupier.table.life import sign_code
from tests.house.floor import sitting
from tests.rules.books import CALIFORNIA, MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks.houses import (
    PASSWORD,
    House,
    Line,
    Visitor,
    crashes,
    open_house,
    table_toml,
)


def attended(book: str) -> str:
    first, rest = table_toml(book).split("\n", 1)
    return f'{first}\nthings = ["dealer"]\n{rest}'


async def desk_of(line: Line) -> dict[str, Any]:
    """Return the last desk that a socket was sent."""
    frames = [json.loads(frame) for frame in await line.caught_up()]
    desk: dict[str, Any] = [frame["desk"] for frame in frames if frame["type"] == "desk"][-1]
    return desk


async def go_on(house: House, id: str, dealer: Line, players: list[Line]) -> None:
    """Do the next step of the desk; where it waits for the players, let them move."""
    step, scene = (await desk_of(dealer))["next"], house.scene(id)
    if step["command"] is not None:
        await dealer.do("act", of=step["of"], command=step["command"])
    elif scene["phase"] == "bets":
        banker = scene["banker"]["seat"] if scene["banker"] else None
        for seat, line in enumerate(players, 1):
            if seat != banker:
                await line.do("bet", seat=seat, wager="ante", cents=5_00)
    elif scene["phase"] == "decide":
        seat = scene["asked"]
        option = scene["choices"][0]["option"]
        await players[seat - 1].do("choose", seat=seat, option=option)
    else:
        turn = scene["bank_turn"]
        await players[turn - 1].do("bank", seat=turn, funds=200_00)


async def staffed(house: House, id: str) -> tuple[Line, Line, Visitor, list[Line]]:
    """Return the sockets of a dealer and a floorperson who tapped in, and of two players."""
    dealer, floor = await house.person("Dee Ash", "dealer"), await house.person("Flo Ash", "floor")
    lines = [await dealer.line(id), await floor.line(id)]
    await lines[0].do("tap_in", post="dealer")
    await lines[1].do("tap_in", post="floor")
    players = []
    for seat, name in enumerate(("Ann Elm", "Bob Elm"), 1):
        players.append(await (await house.person(name)).line(id))
        await players[-1].do("sit", **sitting(house.table(id), seat))
    return lines[0], lines[1], floor, players


def test_a_refusal_brings_the_desk_again_for_time_has_passed(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            dealer, _, _, players = await staffed(house, id)
            await dealer.caught_up()
            for line, staff in ((dealer, True), (players[0], False)):
                before = len([*filter(is_desk, await line.caught_up())])
                said = await line.ask("act", of="round", command={"type": "Deal"})
                assert said["type"] == "refused"
                after = len([*filter(is_desk, await line.caught_up())])
                assert after - before == staff

    def is_desk(frame: str) -> bool:
        return bool(json.loads(frame)["type"] == "desk")

    asyncio.run(main())


def test_a_round_is_dealt_over_sockets_and_a_void_takes_the_password_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            dealer, floor, flo, players = await staffed(house, id)
            for _ in range(60):
                if house.scene(id)["phase"] == "over":
                    break
                desk = (await flo.http.get(f"/api/tables/{id}/desk")).json()
                assert faults("desk", desk) == []
                await go_on(house, id, dealer, players)
            assert house.scene(id)["phase"] == "over" and not house.scene(id)["void"]
            while house.scene(id)["phase"] != "decide":
                await go_on(house, id, dealer, players)
            misdeal = {"type": "Declare", "kind": "misdeal", "facts": {}}
            await dealer.do("propose", of="round", command=misdeal, why="a card too many")
            said = await floor.ask("approve", proposal="1", again="made up")
            assert (said["type"], said["code"]) == ("refused", "password_again")
            again = (await flo.post("/api/again", password=PASSWORD)).json()["again"]
            approval = {"id": "yes", "proposal": "1", "again": again}
            said = await floor.ask("approve", **approval)
            assert said["type"] == "done" and await floor.ask("approve", **approval) == said
            other = {**approval, "proposal": "2"}
            assert (await floor.ask("approve", **other))["code"] == "command_reused"
            await go_on(house, id, dealer, players)
            assert house.scene(id)["void"]
            assert not any('"type":"desk"' in frame for frame in await players[0].caught_up())
            assert crashes(house) == []

    asyncio.run(main())


@pytest.mark.parametrize("is_open", [True, False])
def test_no_session_locks_while_its_round_is_open(tmp_path: Path, *, is_open: bool) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            house.people.sessions.tickets.held.clock = lambda: 0.0
            dee, ann = await house.person("Dee Ash", "dealer"), await house.person("Ann Elm")
            dealer, player = await dee.line(id), await ann.line(id)
            await dealer.do("tap_in", post="dealer")
            await player.do("sit", **sitting(house.table(id), 1))
            await player.do("bank", seat=1, funds=200_00)
            await (await (await house.person("Bob Elm")).line(id)).do("sit", seat=2)
            while is_open and house.scene(id)["phase"] != "bets":
                await go_on(house, id, dealer, [player])
            ticket = await dee.ticket(id)
            # It is looked at half a minute before it would lock.
            house.hands.people_s += (STAFF_IDLE_MS - EXTENDED_MS) / 1000 - 1
            line = await house.knock(id, ticket)
            for _ in range(3):
                await asyncio.sleep(1.2)
                house.hands.people_s += EXTENDED_MS / 1000 + 2
            if is_open:
                assert (await line.ask("ping"))["type"] == "done"
            else:
                assert await line.closed() == ENDED

    asyncio.run(main())


def test_an_operator_stops_a_dealer_after_the_round_and_lets_them_go_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            dealer, _, _, players = await staffed(house, id)
            boss = await house.person("Boss Ash", "operator")
            while house.scene(id)["phase"] != "bets":
                await go_on(house, id, dealer, players)
            await boss.post(f"/api/tables/{id}/dealing", open=False)
            while house.scene(id)["phase"] != "closed":
                await go_on(house, id, dealer, players)
            await players[0].do("bank", seat=1, funds=200_00)
            step = (await desk_of(dealer))["next"]
            assert step["command"] is None and "an operator stopped dealing" in step["says"]
            start = {"type": "StartRound", "round": "", "time": {"wall_s": 0, "up_s": 0}}
            refused = await dealer.ask("act", of="table", command=start)
            assert refused["code"] == "table_closed"
            await boss.post(f"/api/tables/{id}/dealing", open=True)
            await dealer.do("act", of="table", command=start)
            assert crashes(house) == []

    asyncio.run(main())


def test_the_desk_page_is_for_those_who_work_at_a_table(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, f"{attended(MARYLAND)}\n{table_toml(CALIFORNIA)}") as house:
            with_dealer, automatic = house.pit.tables
            dealer = await house.person("Dee Ash", "dealer")
            page = await dealer.http.get(f"/tables/{with_dealer}/console")
            assert page.status_code == 200 and 'id="desk"' in page.text
            assert (await dealer.http.get(f"/tables/{automatic}/console")).status_code == 404
            player = await house.person("Ann Elm")
            assert (await player.http.get(f"/tables/{with_dealer}/console")).status_code == 403

    asyncio.run(main())


def test_the_floor_and_operators_print_the_codes_of_a_real_felt(tmp_path: Path) -> None:
    async def main() -> None:
        felt = attended(MARYLAND).replace('["dealer"]', '["dealer", "cards", "chips"]')
        async with open_house(tmp_path, f"{felt}\n{attended(CALIFORNIA)}") as house:
            real, virtual = house.pit.tables
            codes = [house.table(real).seat_code(seat) for seat in range(1, 8)]
            for number, role in enumerate(("floor", "operator")):
                one = await house.person(f"Flo Ash {number}", role)
                paper = (await one.http.get(f"/tables/{real}/codes")).text
                shown = [f"{code[:3]} {code[3:]}" in paper for code in codes]
                assert shown == [True] * 7
                assert f"?seat=7&amp;code={codes[6]}" in paper and "7.C" in paper
                home = {"floor": f"/tables/{real}/console", "operator": "/house"}[role]
                linking = (await one.http.get(home)).text
                assert f"/tables/{real}/codes" in linking
                assert f"/tables/{virtual}/codes" not in linking
                none = await one.http.get(f"/tables/{virtual}/codes")
                assert (none.status_code, "need no code" in none.text) == (404, True)
            others = [await house.person("Dee Elm", "dealer"), await house.person("Ann Elm")]
            others.append(house.visitor())
            for one in others:
                kept = await one.http.get(f"/tables/{real}/codes")
                assert kept.status_code == 403 and not any(c[:3] in kept.text for c in codes)
            desk = (await others[0].http.get(f"/tables/{real}/console")).text
            assert "/by-hand" in desk and "/codes" not in desk, "a dealer is not sent there"

    asyncio.run(main())


def test_a_dealer_reads_real_cards_over_sockets_and_seats_a_walk_in(tmp_path: Path) -> None:
    """A dealer and a floorperson who know only the desk's next step and a list of cards."""

    async def main() -> None:
        felt = attended(MARYLAND).replace('["dealer"]', '["dealer", "cards", "chips"]')
        async with open_house(tmp_path, felt) as house:
            (id,) = house.pit.tables
            dealer, floor, flo, players = await staffed(house, id)
            seat = {"type": "SeatWalkIn", "seat": 3}
            await dealer.do("act", of="table", command=seat)
            for _ in range(200):
                scene = house.scene(id)
                if scene["phase"] == "over":
                    break
                if scene["phase"] == "bets" and "3" not in scene["boxes"]:
                    bet = {"type": "Bet", "seat": 3, "player": "", "wager": "ante", "cents": 5_00}
                    await dealer.do("act", of="round", command=bet)
                    await players[0].do("bet", seat=1, wager="ante", cents=5_00)
                elif scene["asked"] == 3:
                    choose = {"type": "Choose", "seat": 3, "option": "play"}
                    await dealer.do("act", of="round", command=choose)
                else:
                    await read_on(house, id, (dealer, floor), players)
            scene = house.scene(id)
            assert scene["phase"] == "over" and not scene["void"]
            assert scene["boxes"]["3"]["player"] == "w-1" and scene["boxes"]["3"]["lines"]
            assert scene["commitment"] is None and scene["deck"]["shuffled"]
            page = await flo.http.get(f"/rounds/{scene['round']}")
            assert page.status_code == 200 and "can't be proved" in page.text.replace("&#39;", "'")
            assert crashes(house) == []

    asyncio.run(main())


class Win(NamedTuple):
    """A progressive win of a walk-in at seat 3, which waits for the floor."""

    id: str
    staff: tuple[Line, Line]
    flo: Visitor
    players: list[Line]
    cards: list[Card]
    round: str


FELT = attended(MARYLAND).replace('["dealer"]', '["dealer", "cards", "chips"]')


async def at_a_win(house: House) -> Win:
    (id,) = house.pit.tables
    dealer, floor, flo, players = await staffed(house, id)
    await dealer.do("act", of="table", command={"type": "SeatWalkIn", "seat": 3})
    table, staff = house.pit.tables[id], (dealer, floor)
    while house.scene(id)["phase"] != "bets":
        await read_on(house, id, staff, players)
    for wager, cents in (("ante", 5_00), ("progressive", 1_00)):
        bet = {"type": "Bet", "seat": 3, "player": "", "wager": wager, "cents": cents}
        await dealer.do("act", of="round", command=bet)
    while (await desk_of(dealer))["next"]["command"]:
        await read_on(house, id, staff, players)
    await dealer.do("act", of="round", command={"type": "Choose", "seat": 3, "option": "play"})
    round = table.place.standing.round
    assert round is not None
    royal = dict(zip(round.boxes[3].cards, parse_cards("As Ks Qs"), strict=True))
    rest = iter(card for card in DECK if card not in royal.values())
    cards = [royal[at] if at in royal else next(rest) for at in range(52)]
    while not any(found.answer == "" for found in round.awards.values()):
        await read_on(house, id, staff, players, cards)
        round = table.place.standing.round
        assert round is not None
    while (step := (await desk_of(dealer))["next"])["by"] != ["floorperson"]:
        await dealer.do("act", of=step["of"], command=step["command"])
    return Win(id, staff, flo, players, cards, round.id)


def test_any_floorperson_validates_a_win_in_the_pit(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, FELT) as house:
            win = await at_a_win(house)
            fay = await house.person("Fay Ash", "floor")
            door = f"/api/tables/{win.id}/validate"
            assert door in (await fay.http.get("/pit")).text
            sue = await house.person("Sue Ash", "surveillance")
            assert door not in (await sue.http.get("/pit")).text
            assert (await sue.post(door, seat=3, wager="progressive")).status_code == 403
            assert (await fay.post(door, seat=2, wager="progressive")).status_code == 404
            said = await fay.post(door, seat=3, wager="progressive")
            assert said.status_code == 200, said.text
            round = house.table(win.id).place.standing.round
            assert round and [one.answer for one in round.awards.values()] == ["pay"]
            assert crashes(house) == []

    asyncio.run(main())


def test_a_deferred_win_of_a_walk_in_is_released_in_the_pit_and_handed_out_by_the_cage(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with open_house(tmp_path, FELT) as house:
            win = await at_a_win(house)
            table = house.table(win.id)
            defer = {"type": "Validate", "seat": 3, "wager": "progressive", "answer": "defer"}
            await win.staff[1].do("act", of="round", command=defer)
            while house.scene(win.id)["phase"] != "over":
                await read_on(house, win.id, win.staff, win.players, win.cards)
            tray = table.place.standing.table.tray
            award = f"{win.round}/3/progressive"
            page = await win.flo.http.get("/pit")
            assert page.status_code == 200 and win.round in page.text
            (waits,) = (await win.flo.http.get("/api/awards")).json()["awards"]
            assert (waits["award"], waits["player"]) == (award, "w-1")
            held = dict(house.pit.books.balances())
            said = await win.flo.post("/api/awards/validate", award=award)
            assert said.status_code == 200 and said.json()["awards"] == []
            now = house.pit.books.balances()
            pending, walkin = account("pending", award), account("walkin", f"{win.id}/1")
            assert now[walkin] - held[walkin] == held[pending] > 0
            assert not now.get(pending)
            assert table.place.standing.table.tray == tray, "the cage hands it out"
            assert crashes(house) == []

    asyncio.run(main())


def test_a_round_finished_by_hand_is_marked_on_its_page(tmp_path: Path) -> None:
    async def main() -> None:
        real = attended(MARYLAND).replace('["dealer"]', '["dealer", "cards"]')
        async with open_house(tmp_path, f"{real}\n{attended(CALIFORNIA)}") as house:
            id, virtual = house.pit.tables
            dealer, floor, flo, players = await staffed(house, id)
            blank = (await flo.http.get(f"/tables/{id}/by-hand")).text
            rules = house.pit.tables[id].config.rules
            labels = [wager.label for wager in rules.wagers.values()]
            assert sign_code(rules) in blank and labels[0] in blank and "Play or Fold" in blank
            assert (await flo.http.get(f"/tables/{virtual}/by-hand")).status_code == 404
            while house.scene(id)["phase"] != "decide":
                await read_on(house, id, (dealer, floor), players)
            round = house.pit.tables[id].place.standing.round
            assert round is not None and round.stage is not None
            places = {**{str(s): box.cards for s, box in round.boxes.items()}, **round.places}
            form = {
                "type": "ByHand",
                "cards": {name: [str(DECK[p]) for p in at] for name, at in places.items() if at},
                "chose": {str(seat): {round.stage.name: "play"} for seat in round.boxes},
            }
            await dealer.do("propose", of="round", command=form, why="the server was down")
            again = (await flo.post("/api/again", password=PASSWORD)).json()["again"]
            await floor.do("approve", proposal="1", again=again)
            while house.scene(id)["phase"] != "over":
                await read_on(house, id, (dealer, floor), players)
            page = (await flo.http.get(f"/rounds/{round.id}")).text
            assert "finished it by hand" in page and "The rest was played by hand" in page
            assert crashes(house) == []

    asyncio.run(main())


async def read_on(
    house: House,
    id: str,
    staff: tuple[Line, Line],
    players: list[Line],
    cards: Sequence[Card] = DECK,
) -> None:
    """Do the next step; the person who does it fills in cards, counts and sums."""
    desk = await desk_of(staff[0])
    step = desk["next"]
    if step["takes"] is None and step["by"] != ["floorperson"]:
        await go_on(house, id, staff[0], players)
        return
    rules = house.pit.tables[id].config.rules
    position = desk["reads"][0]["position"] if desk["reads"] else 0
    card = str(cards[position])
    filled = {"card": card, "cents": 9_000_00, "sign": sign_code(rules), "cards": 52}
    takes = {step["takes"]["field"]: filled[step["takes"]["field"]]} if step["takes"] else {}
    who = staff[step["by"] == ["floorperson"]]
    await who.do("act", of=step["of"], command={**step["command"], **takes})
