"""Equipment at a served table: a shuffler fails, and the table goes on without it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.outbox import Viewer
from croupier.house.config import parse_config
from croupier.house.recall import recall
from croupier.ledger.found import round_found
from croupier.ledger.journal import decode
from croupier.round.codec import to_plain
from tests.house.floor import OpenPit, Player, one_table, pit_at, play, rules_of, seated
from tests.house.staff import Shoe, Staff, crew, one_round, one_step, real, refusal, until
from tests.house.test_config import faults, table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND

FELT = 'things = ["dealer", "cards", "chips"]'
WITHOUT = '[[table.instead]]\nshuffler = "none"\ndealing = "manual_shoe"\n'
SELECTED = 'shuffler = "plain"\ndealing = "automated_shoe"\nprogressive = "A"\n'
CONFIG = one_table(MARYLAND, f"{SELECTED}{WITHOUT}", more=FELT)


async def act(staff: Staff, type: str, **fields: Any) -> None:
    """Do one of the other acts on the desk."""
    for one in (await staff.look())["acts"]:
        if one["command"]["type"] == type and fields.items() <= one["command"].items():
            await staff.do(one["command"], one["of"])
            return
    raise AssertionError(f"no {type} is offered")


def test_a_shuffler_that_fails_is_marked_replaced_and_restored(tmp_path: Path) -> None:
    """13.H: it is covered or marked before the table shuffles by hand; the floor changes it."""

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        dealer, floor = staff = await crew(pit)
        at = pit.tables["t"]
        digest, other = at.config.rules.digest, at.config.others[0].digest
        await one_round(pit, players, staff, shoe)
        await act(dealer, "Fail", device="shuffler", usable=False)
        change = {"type": "Change", "digest": other}
        assert (await refusal(floor.do(change, "table"))).code == "device_open"
        await until(pit, players, staff, shoe, "Secure")
        await dealer.look()
        # What comes next covers it; the sign is an answer beside that.
        beside = [one["clause"] for one in dealer.desk["acts"] if "topic" not in one]
        assert (dealer.desk["next"]["clause"], beside) == ("13.H(1)", ["13.H(2)"])
        await act(dealer, "Secure", clause="13.H(2)")
        await until(pit, players, staff, shoe, "Change")
        assert (await refusal(dealer.do(change, "table"))).code == "wrong_person"
        unknown = {"type": "Change", "digest": "0" * 64}
        assert (await refusal(floor.do(unknown, "table"))).code == "no_such_rules"
        seats, tray = at.place.standing.table.seats, at.place.standing.table.tray
        (player,), seen = players, at.number
        await player.look()
        assert player.felt["digest"] == digest
        await one_step(pit, players, staff, shoe)
        assert at.place.standing.table.rules.digest == other
        assert await player.look() == pit.scene()
        assert player.felt["digest"] == other, "an open page shows the rules in force"
        back = Viewer("p1", "p1")
        pit.galleries.welcome(back, "t", seen)
        assert json.loads((await back.frames())[0])["felt"]["digest"] == other, "so does one later"
        pit.galleries.farewell(back, "t")
        assert (at.place.standing.table.seats, at.place.standing.table.tray) == (seats, tray)
        await one_round(pit, players, staff, shoe)
        kinds = [e["type"] for e in await events(pit)]
        assert kinds.count("CutMade") == 1, "what is shuffled by hand is cut (5.F)"
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == at.place.standing
        found = await pit.books.read(lambda view: round_found(view, "t-2", rules_of))
        assert found.played.round.rules.digest == other
        await act(floor, "Restore", device="shuffler")
        await act(floor, "Change", digest=digest)
        await one_round(pit, players, staff, shoe)
        assert at.place.standing.table.rules.digest == digest
        assert await player.look() == pit.scene()
        assert player.felt["digest"] == digest

    async def events(pit: OpenPit) -> list[Any]:
        rows = await pit.books.read(lambda view: [*view.stream("t")])
        return [decode(row.data).event for row in rows]

    play(tmp_path, CONFIG, scenario)


def test_a_table_that_goes_on_without_a_device_comes_back_so(tmp_path: Path) -> None:
    async def run() -> None:
        file, shoe = tmp_path / "ledger.db", Shoe(11)
        async with pit_at(file, CONFIG) as pit:
            players = await seated(pit, 1)
            staff = await crew(pit)
            await one_round(pit, players, staff, shoe)
            await act(staff[0], "Fail", device="shuffler", usable=False)
            await until(pit, players, staff, shoe, "Secure")
            await one_step(pit, players, staff, shoe)
            await until(pit, players, staff, shoe, "Change")
            await one_step(pit, players, staff, shoe)
            before = pit.tables["t"].place.standing
        async with pit_at(file, CONFIG) as pit:
            assert pit.tables["t"].place.standing == before
            dealer, floor = Staff(pit, "d1", "dealer"), Staff(pit, "f1", "floor")
            dealer.number = floor.number = 1_000  # Ids of commands are used once.
            players = [Player(pit, pit.tables["t"], "p1")]
            await one_round(pit, players, (dealer, floor), shoe)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (f"{WITHOUT}", "is for tables with real cards, which use devices"),
        (f'{FELT}\n[[table.instead]]\nshuffler = "steam"\n', "shuffler"),
        (f'{FELT}\n[[table.instead]]\nprogressive = "A"\n', "only the equipment may differ"),
    ],
)
def test_other_equipment_that_cannot_be_is_refused_with_its_place(more: str, said: str) -> None:
    (fault,) = faults(table(more))
    assert "instead" in fault and said in fault


@pytest.mark.parametrize(
    ("book", "instead"),
    [
        (LET_IT_RIDE, "payout_limit = 25000"),
        (CALIFORNIA, "player_dealer_fee = 2"),
        (FLORIDA, 'pair_plus_when_beaten = "push"'),
    ],
)
def test_what_is_paid_is_no_equipment(book: str, instead: str) -> None:
    needed = "payout_limit = 50000\n" if book == LET_IT_RIDE else ""
    text = f"[table.selections]\n{needed}[[table.instead]]\n{instead}\n"
    (fault,) = faults(table(f"{FELT}\n{text}", book=book))
    assert "only the equipment may differ" in fault


def test_a_table_without_other_equipment_writes_what_it_always_wrote() -> None:
    (config,) = parse_config(table(), rules_of).tables
    assert "equipment" not in to_plain(config.table_set)


def test_5A3_a_floorperson_without_a_post_orders_a_shuffle(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        staff, table = await crew(pit), pit.tables["t"]
        await until(pit, await seated(pit, 1), staff, Shoe(3), "StartRound")
        assert table.place.standing.table.decks[1].stack
        above = Staff(pit, "f2", "floor")
        await above.do({"type": "OrderShuffle", "deck": 1, "by": "dealer"}, "table")
        assert not table.place.standing.table.decks[1].stack

    play(tmp_path, real(MARYLAND), scenario)
