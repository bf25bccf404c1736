"""The people at a practice table besides the dealer; what they do follows from a seed."""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import tomli_w

from croupier.errors import Refused
from croupier.house import said
from croupier.house.asking import Employee
from croupier.house.books import answer_to
from croupier.house.config import Config, parse_config
from croupier.house.desk import desk_of
from croupier.house.table import Table
from croupier.ledger.audit import RulesOf
from croupier.reading.toml import parse_toml
from croupier.reports.answers import toml_text, toml_value
from croupier.round import bots
from croupier.round.state import NOTHING
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Thing
from croupier.table.commands import LetStand, SeatWalkIn
from croupier.table.tray import CHIPS_CENTS

ID, FLOOR = "practice", "floor"
VIRTUAL: tuple[Thing, ...] = ("dealer",)
SCREENS: tuple[Thing, ...] = ("dealer", "cards")
REAL: tuple[Thing, ...] = ("dealer", "cards", "chips")
Filled = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Returns the command of a step, with what the floorperson counts or reads."""


class Script(NamedTuple):
    """How a scripted table behaves."""

    players: int = 3
    screens: int = 0
    """How many of them have a screen where others are walk-ins; elsewhere all have one."""
    faulty: float = 0.4
    """How many of the rounds have something go wrong, where the book knows of anything."""
    side: float = 0.5
    """How many of the side wagers a scripted player makes."""
    repeats: float = 0.7
    """How many of the walk-ins bet as they usually do."""
    chips_max: int = 7
    """How many chips of one colour a scripted player bets."""
    floor_s: float = 1.0
    """How long the scripted floorperson takes for an answer."""


SCRIPT = Script()
FAULTS = round(100 * SCRIPT.faulty)
"""In how many rounds of a hundred something goes wrong."""


def seeded(seed: int) -> Callable[[int], bytes]:
    """Return a source of bytes that follows from a seed alone; never one to play for money with."""
    draws = random.Random(seed)
    return draws.randbytes


def things_of(*, real: bool, screens: bool) -> tuple[Thing, ...]:
    """Return what is at a practice table: `real` are cards and chips, `screens` the players'."""
    return REAL if real else SCREENS if screens else VIRTUAL


def practice_config(
    rulebook: str,
    rules_of: RulesOf,
    *,
    things: tuple[Thing, ...] = VIRTUAL,
    selections: Mapping[str, str] = NOTHING,
) -> Config:
    """Return the one table of a practice: as the package's own table of the book, if it has one.

    The `selections` come on top, as somebody writes them: other equipment, or another version of
    the game.
    """
    given = {**shipped(rulebook), **selections}
    chosen = {name: toml_value(text) for name, text in given.items()}
    table = {"id": ID, "rulebook": rulebook, "things": things, "practice": True}
    text = tomli_w.dumps({"table": [{**table, "selections": chosen}]})
    return parse_config(text, rules_of, file=ID)


def shipped(rulebook: str) -> Mapping[str, str]:
    """Return what the package's own table of a book selects, if there is one, as one writes it."""
    file = "tables.toml"
    tables = parse_toml((files("croupier.server") / file).read_text(), file)["table"]
    own = (one["selections"] for one in tables if one["rulebook"] == rulebook)
    return {name: toml_text(value) for name, value in next(own, {}).items()}


def script_bets(seed: str, rules: TableRules, script: Script = SCRIPT) -> dict[str, int]:
    """Return what a scripted player bets: the least that the table asks for, and more by chance."""
    draws, made = random.Random(seed), bots.bets(rules)
    chip = CHIPS_CENTS[1]
    sums = [chip * many for many in range(1, script.chips_max + 1)]
    for name, wager in rules.wagers.items():
        if wager.placed != "before the deal" or (name not in made and draws.random() > script.side):
            continue
        limits = rules.limits.get(name)
        least, most = (limits.min, limits.max) if limits else (0, sums[-1])
        fits = [cents for cents in sums if least <= cents <= most] or [max(least, sums[0])]
        made[name] = draws.choice([*wager.sizes.of] if wager.sizes else fits)
    return made


class ScriptedFloor:
    """A floorperson who taps in, comes when called, approves, and does the floor's steps."""

    def __init__(self, table: Table, trainee: str, script: Script, filled: Filled) -> None:
        self.table, self.trainee, self.script, self.filled = table, trainee, script, filled
        self._declares: Mapping[str, Any] | None = None
        """What the trainee has called the floor to declare."""
        self.moved = asyncio.Event()
        """Set when something happened at the table."""
        self._asked = 0

    async def run(self) -> None:
        """Work until cancelled."""
        await self.do(said.TapIn("", "floor"))
        while True:
            await self.moved.wait()
            self.moved.clear()
            await asyncio.sleep(self.script.floor_s)
            await self._work()

    def declare(self, command: Mapping[str, Any]) -> None:
        """Declare what the trainee has called the floor for."""
        self._declares = command

    async def seat(self, seats: Iterable[int]) -> None:
        """Seat walk-ins."""
        for seat in seats:
            command = {"type": SeatWalkIn.__name__, "seat": seat}
            await self.do(said.Do("", "table", command))

    async def _work(self) -> None:
        table = self.table
        for one in table.place.standing.table.proposals:
            if one.by.person == self.trainee:
                await self.do(said.Approve("", one.id))
        step = desk_of(table.place.standing)["next"]
        if step["command"] and step["posts"] == ["floor"]:
            await self.do(said.Do("", step["of"], self.filled(step)))
        for dispute in table.place.standing.table.disputes:
            let = {"type": LetStand.__name__, "dispute": dispute.id, "why": "it was right"}
            await self.do(said.Do("", "table", let))
        if table.notes.company.called:
            table.call_floor(_employee(FLOOR, "floor"), on=False)
        if command := self._declares:
            self._declares = None
            await self.do(said.Do("", "round", dict(command)))

    async def do(
        self, message: said.StaffCommand, person: str = FLOOR, role: str = "floor"
    ) -> None:
        """Perform an act of the script; skip it if it is refused."""
        self._asked += 1
        sent = message._replace(id=f"script-{self._asked}")
        digest = sha256(repr(sent).encode()).digest()
        by = _employee(person, role)
        with suppress(Refused):
            await answer_to(lambda reply: self.table.hear_staff(by, sent, digest, reply=reply))


def _employee(person: str, role: str) -> Employee:
    return Employee(person, frozenset({role}))
