"""People who work at a table: what lies on their desk, and rounds played by its next step."""

import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.table.life import sign_code
from tests.house.floor import (
    OpenPit,
    answered,
    bet_all,
    one_table,
)
from tests.rules.books import LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.schemas.checking import faults

SELECTIONS = {
    MARYLAND: 'progressive = "A"',
    LET_IT_RIDE: 'progressive = "A"\nprogressive_rate = "0.2"\nprogressive_reset = 1000',
    SINGAPORE: 'progressive_rate = "0.3"\nprogressive_reset = 1000',
}


class Staff:
    """Somebody who works at a table, and what lies on their desk."""

    def __init__(self, pit: OpenPit, person: str, *roles: str) -> None:
        self.pit, self.table, self.number = pit, pit.tables["t"], 0
        self.viewer = Viewer(person, person, plays=False)
        self.viewer.roles = frozenset(roles)
        self.desk: dict[str, Any] = {}
        pit.galleries.welcome(self.viewer, "t")

    async def say(self, type: str, **fields: Any) -> dict[str, Any]:
        """Say something and return the answer, or raise the refusal."""
        self.number += 1
        text = json.dumps({"type": type, "id": f"s{self.number}", **fields})
        frame: dict[str, Any] = json.loads(await answered(self.table, self.viewer, text))
        assert faults("frame", frame) == []
        if frame["type"] == "refused":
            raise Refused(frame["code"], frame["message"], clause=frame["clause"])
        return frame

    async def do(self, command: dict[str, Any], of: str = "round") -> None:
        await self.say("act", of=of, command=command)

    async def look(self) -> dict[str, Any]:
        """Read the last desk that arrived."""
        while self.viewer.waiting:
            for text in await self.viewer.frames():
                frame = json.loads(text)
                assert faults("frame", frame) == []
                self.desk = frame["desk"] if frame["type"] == "desk" else self.desk
        return self.desk


async def crew(pit: OpenPit) -> tuple[Staff, Staff]:
    dealer, floor = Staff(pit, "d1", "dealer"), Staff(pit, "f1", "floor")
    await dealer.say("tap_in", post="dealer")
    await floor.say("tap_in", post="floor")
    return dealer, floor


def attended(id: str) -> Any:
    return one_table(id, SELECTIONS.get(id, ""), more='things = ["dealer"]')


async def refusal(saying: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        await saying
    return refused.value


async def players_move(pit: OpenPit, players: list[Any], step: dict[str, Any]) -> None:
    """Let the players do what the desk waits for."""
    scene = pit.scene()
    if turn := scene["bank_turn"] if scene["phase"] not in ("bets", "decide") else None:
        await players[turn - 1].ask("bank", seat=turn, funds=500_00)
    elif scene["phase"] == "bets":
        for seat, player in enumerate(players, 1):
            if not scene["banker"] or scene["banker"]["seat"] != seat:
                await bet_all(player, seat)
    else:
        seat = scene["asked"]
        option = scene["choices"][0]["option"]
        await players[seat - 1].ask("choose", seat=seat, option=option)


async def go_on(pit: OpenPit, players: list[Any], dealer: Staff) -> None:
    """Let the dealer do the next step of the desk, or the players what it waits for."""
    step = (await dealer.look())["next"]
    if step["command"] is None:
        await players_move(pit, players, step)
    else:
        await dealer.do(step["command"], step["of"])


async def until_phase(pit: OpenPit, players: list[Any], dealer: Staff, phase: str) -> None:
    """Go on until the table is in a phase."""
    while pit.scene()["phase"] != phase:
        await go_on(pit, players, dealer)


REAL = 'things = ["dealer", "cards"]'


def real(id: str, things: str = REAL) -> Any:
    return one_table(id, SELECTIONS.get(id, ""), more=things)


class Shoe:
    """The cards of a shoe, which nobody but the one who turns them up knows."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.cards: dict[int, Card] = {}
        self.number = 0

    def shuffle(self) -> None:
        self.cards = dict(enumerate(self.chance.sample(DECK, 52)))
        self.number += 1


async def one_step(pit: OpenPit, players: list[Any], staff: tuple[Staff, Staff], shoe: Shoe) -> str:
    """Do the next step of the desk, and return what it was."""
    dealer, floor = staff
    step = (await dealer.look())["next"]
    if step["command"] is None:
        await players_move(pit, players, step)
        return "players"
    command = filled(pit, dealer, shoe)
    who = floor if step["by"] == ["floorperson"] else dealer
    await who.do(command, step["of"])
    return str(command["type"])


def filled(pit: OpenPit, dealer: Staff, shoe: Shoe) -> dict[str, Any]:
    """Return the command of the desk's next step with what people read, count or enter."""
    step = dealer.desk["next"]
    command = dict(step["command"])
    if command["type"] == "StartRound":
        shoe.shuffle()
    match (step["takes"] or {}).get("field"):
        case "card":
            command["card"] = str(shoe.cards[dealer.desk["reads"][0]["position"]])
        case "sign":
            command["sign"] = sign_code(pit.tables["t"].config.rules)
        case "cents":
            command["cents"] = 10_000_00
        case "stub":
            round = pit.tables["t"].place.standing.round
            command["stub"] = 52 - round.next_position if round else 0
        case "cards":
            command["cards"] = 52
    return command


Step = Callable[[OpenPit, list[Any], tuple[Staff, Staff], Shoe], Awaitable[object]]


async def until(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe, type: str) -> None:
    """Go on until the next step is of a type."""
    for _ in range(200):
        command = (await staff[0].look())["next"]["command"]
        if (command["type"] if command else "") == type:
            return
        await one_step(pit, players, staff, shoe)
    raise AssertionError(f"no {type} comes")


async def one_round(
    pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe, step: Step = one_step
) -> None:
    """Take one step after another until a round has been played."""
    before = pit.tables["t"].rounds
    for _ in range(400):
        if pit.tables["t"].rounds > before and not pit.tables["t"].place.standing.in_play:
            return
        await step(pit, players, staff, shoe)
    raise AssertionError("the round doesn't end")
