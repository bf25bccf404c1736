"""Walk-ins at a real felt, and rounds in which they bet and choose."""

from functools import partial
from typing import Any

from tests.house.floor import OpenPit, Player, seated
from tests.house.staff import Shoe, Staff, crew, one_step
from tests.house.staff import one_round as one_round_by

FELT = 'things = ["dealer", "cards", "chips"]'


def of_type(desk: dict[str, Any], type: str) -> list[dict[str, Any]]:
    """Return the acts of a desk that give a command."""
    return [one for one in desk["acts"] if one["command"]["type"] == type]


async def seat_walk_ins(staff: Staff, *seats: int) -> None:
    for seat in seats:
        await staff.do({"type": "SeatWalkIn", "seat": seat}, "table")


async def manned(pit: OpenPit, *walk_ins: int) -> tuple[list[Player], tuple[Staff, Staff], Shoe]:
    """Seat a player with a screen at seat 1 and walk-ins at others, with a crew and a shoe."""
    players = await seated(pit, 1)
    await players[0].look()
    dealer, floor = await crew(pit)
    await seat_walk_ins(dealer, *walk_ins)
    return players, (dealer, floor), Shoe(11)


async def walk_in_moves(pit: OpenPit, dealer: Staff, players: list[Any]) -> None:
    """Enter what walk-ins do, and let the player at seat 1 do the same on a screen."""
    scene = pit.scene()
    wagers = [w for w in players[0].felt["wagers"] if w["placed"] == "before the deal"]
    if scene["phase"] == "bets":
        banker = scene["banker"]["seat"] if scene["banker"] else None
        for seat in map(int, scene["seats"]):
            for wager in wagers:
                cents = int((wager["sizes"] or wager["limits"] or ["10.00"])[0].replace(".", ""))
                made = {"seat": seat, "wager": wager["wager"], "cents": cents}
                if seat == banker:
                    continue
                if seat == 1:
                    await players[0].ask("bet", **made)
                else:
                    await dealer.do({"type": "Bet", "player": "", **made})
    elif scene["phase"] == "decide":
        seat, option = scene["asked"], scene["choices"][0]["option"]
        if seat == 1:
            await players[0].ask("choose", seat=1, option=option)
        else:
            await dealer.do({"type": "Choose", "seat": seat, "option": option})
    else:
        await players[0].ask("bank", seat=1, funds=500_00)


async def step(pit: OpenPit, players: list[Any], staff: tuple[Staff, Staff], shoe: Shoe) -> None:
    next = (await staff[0].look())["next"]
    in_play = pit.tables["t"].place.standing.in_play
    type = next["command"]["type"] if next["command"] else ""
    early = type == "CloseBets" and in_play is not None and len(in_play.boxes) < 2
    if not type or early:
        await walk_in_moves(pit, staff[0], players)
    elif type == "TakeBank":
        await staff[0].do({**next["command"], "funds": 500_00}, "table")
    else:
        await one_step(pit, players, staff, shoe)


one_round = partial(one_round_by, step=step)
"""Plays a round in which walk-ins bet and choose."""
