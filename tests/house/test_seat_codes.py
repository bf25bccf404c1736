"""The codes on the felt: with one a player sits down at real cards; others only watch."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from croupier.house.seat_codes import ALPHABET, CHARS, check_code, seat_code, seated_clause
from croupier.rules.resolve import resolve
from tests.house.floor import KEY, OpenPit, Player, one_table, pit_at, play, refused, seated
from tests.house.staff import crew
from tests.house.test_config import faults, table
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
)

SHOE, FELT = 'things = ["dealer", "cards"]', 'things = ["dealer", "cards", "chips"]'
VIRTUAL = 'things = ["dealer"]'


def test_a_code_follows_from_key_table_and_seat() -> None:
    assert seat_code(KEY, "t", 1) == "JCDDW9", "codes that lie on the felt must stay"
    others = [(KEY, "t", 2), (KEY, "t1", 1), (KEY, "t", 11), (bytes(32), "t", 1)]
    codes = {seat_code(KEY, "t", 1), *(seat_code(*one) for one in others)}
    assert len(codes) == 5
    assert all(len(code) == CHARS and set(code) <= set(ALPHABET) for code in codes)
    assert set(ALPHABET).isdisjoint("01OILSZBGU"), "no letter is taken for a digit"


@pytest.mark.parametrize(
    ("id", "clause"),
    [
        (MARYLAND, "7.C"),
        (LET_IT_RIDE, "7.B"),
        (CALIFORNIA, "glossary/seated-positions"),
        (FLORIDA, None),
        (SINGAPORE, None),
    ],
)
def test_the_refusal_cites_the_clause_on_being_seated(id: str, clause: str | None) -> None:
    """Florida's and Singapore's books have no clause on who sits where they bet."""
    assert seated_clause(resolve(book(id), {})) == clause


@pytest.mark.parametrize("things", [SHOE, FELT])
def test_only_the_code_of_the_seat_lets_a_screen_sit_at_real_cards(
    tmp_path: Path, things: str
) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        ann, code = Player(pit, table, "ann"), table.seat_code(3)
        missing = await refused(ann.ask("sit", seat=3))
        assert (missing.code, missing.field, missing.clause) == ("seat_code", "code", "7.C")
        assert missing.message == (
            "give the code that lies on the felt at seat 3; from elsewhere you can only watch"
        )
        wrong = [table.seat_code(4), seat_code(KEY, "u", 3), code[:-1], f"{code}2", "é", "?" * 6]
        for other in wrong:
            error = await refused(ann.ask("sit", seat=3, code=other))
            assert (error.code, error.clause) == ("seat_code", "7.C")
            assert error.message == "that isn't the code that lies on the felt at seat 3"
        assert (await refused(ann.ask("sit", seat=8, code=code))).code == "no_such_seat"
        assert not table.place.standing.table.seats
        await ann.ask("sit", seat=3, code=f" {code[:3].lower()} {code[3:]}")
        assert table.place.standing.table.seats == {3: "ann"}

    play(tmp_path, one_table(MARYLAND, more=things), scenario)


@pytest.mark.parametrize("things", ["", VIRTUAL])
def test_virtual_cards_need_no_code(tmp_path: Path, things: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        await Player(pit, pit.tables["t"], "ann").ask("sit", seat=1)
        await Player(pit, pit.tables["t"], "bob").ask("sit", seat=2, code="whatever")
        assert pit.tables["t"].place.standing.table.seats == {1: "ann", 2: "bob"}

    play(tmp_path, one_table(MARYLAND, more=things), scenario)


def test_bots_are_not_seated_at_real_cards() -> None:
    """A bot has no code to type; with virtual cards it may sit where a dealer deals."""
    for things in (SHOE, FELT):
        (fault,) = faults(table(f"{things}\nbots = 1"))
        assert fault == (
            "table[1].bots: must be 0 with real cards: "
            "a bot can't sit at the felt and look at a hand (7.C)"
        )
    assert one_table(MARYLAND, more=f"{VIRTUAL}\nbots = 1").tables[0].bots == 1


def test_whom_the_dealer_seats_needs_no_code(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = await crew(pit)
        await dealer.do({"type": "SeatWalkIn", "seat": 2}, "table")
        assert 2 in pit.tables["t"].place.standing.table.seats

    play(tmp_path, one_table(MARYLAND, more=FELT), scenario)


def test_codes_hold_after_a_restart_and_change_with_the_key(tmp_path: Path) -> None:
    async def main() -> None:
        file, config = tmp_path / "ledger.db", one_table(MARYLAND, more=SHOE)
        async with pit_at(file, config) as pit:
            printed = pit.tables["t"].seat_code(2)
        async with pit_at(file, config, key=bytes(32)) as pit:
            late = Player(pit, pit.tables["t"], "ann")
            assert (await refused(late.ask("sit", seat=2, code=printed))).code == "seat_code"
        async with pit_at(file, config) as pit:
            await Player(pit, pit.tables["t"], "ann").ask("sit", seat=2, code=printed)

    asyncio.run(main())


def test_no_code_is_in_a_frame_or_in_the_journal(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        watching = Player(pit, table, "zoe")
        players = await seated(pit, 1, 2)
        dealer, floor = await crew(pit)
        for one in (watching, *players):
            await one.look()
        await refused(watching.ask("sit", seat=3, code="222222"))
        told: list[Any] = [one.frames for one in (watching, *players)]
        told += [await dealer.look(), await floor.look()]
        rows = await pit.books.read(lambda view: [row.data for row in view.stream("t")])
        text = f"{json.dumps(told)} {rows!r}"
        assert "Joined" in text and all(table.seat_code(n) not in text for n in range(1, 8))

    play(tmp_path, one_table(MARYLAND, more=FELT), scenario)


def test_a_check_says_nothing_of_the_code() -> None:
    rules = resolve(book(MARYLAND), {}, things=("dealer", "cards"))
    with pytest.raises(Exception, match="isn't the code") as error:
        check_code(rules, 1, "QQQQQQ", lambda _: "777777")
    assert "777777" not in str(error.value)
