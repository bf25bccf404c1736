"""Practice for dealers: a table of its own with scripted players, a scripted floor, and faults.

It is the real table, desk and console, around a ledger in memory: nothing of it is in the books of
the house. The deck follows from the seed, so the same practice can be dealt again.
"""

import asyncio
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from croupier.gallery.galleries import Galleries
from croupier.house import said
from croupier.house.books import Books
from croupier.house.config import Config
from croupier.house.desk import desk_of
from croupier.house.now import Now, Told
from croupier.house.pit import Pit
from croupier.house.tasks import cancel
from croupier.ledger.audit import RulesOf
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.round.commands import Settle
from croupier.round.order import is_read
from croupier.round.state import about_seat
from croupier.rules.table_rules import TableRules
from croupier.server.assessor import Assessor
from croupier.server.bots import HousePlayer
from croupier.server.drill import ANSWER, report_of
from croupier.server.script import FLOOR, ID, Script, ScriptedFloor, script_bets, seeded
from croupier.server.showing import Felt, ahead, resting, sights
from croupier.table.life import has_tray

TRAINEE = "trainee"
ROUNDS, ROUNDS_MAX = 5, 50
ASKED = "Take and pay, in dollars"


class Practice:
    """One dealer's practice table."""

    def __init__(
        self,
        config: Config,
        rules_of: RulesOf,
        *,
        token: str,
        seed: int,
        rounds: int,
        hints: bool,
        script: Script,
    ) -> None:
        self.seed, self.rounds, self.hints, self.script = seed, rounds, hints, script
        self.token = token
        self.felt = Felt(seed, script)
        self._folder = tempfile.TemporaryDirectory(prefix="croupier-practice-")
        self._store = SqliteStore(Path(self._folder.name) / "ledger", make=True, vfs="memdb")
        self._books = Books(self._store, secrets.token_bytes(32), entropy=seeded(seed))
        self.pit = Pit(config, self._books, rules_of)
        self.galleries = Galleries(self.pit)
        self._tasks: list[asyncio.Task[None]] = []
        self.used_s = 0.0

    async def start(self) -> None:
        """Open the table, let the players sit down, and tap the dealer and the floor in."""
        await self.pit.start()
        self.galleries.open()
        table = self.table = self.pit.tables[ID]
        self.gallery = self.galleries[ID]
        self.gallery.overlay = self.overlay
        self.galleries.names.update({TRAINEE: "You", FLOOR: "Floor"})
        last = table.config.seats
        players = max(self.script.players, table.config.rules.table.seats_min)
        seats = range(last, last - players, -1)
        walk_ins = sorted(seats)[self.script.screens :] if has_tray(table.config.rules) else []
        floor = self.floor = ScriptedFloor(table, TRAINEE, self.script, self._filled)
        self.assessor = Assessor(table, self.felt, called=floor.declare)
        table.listeners.insert(0, self._follow)
        self._tasks.append(asyncio.create_task(floor.run()))
        await floor.do(said.TapIn("", "dealer"), TRAINEE, "dealer")
        await floor.seat(walk_ins)
        decides = self.felt.choice if is_read(table.config.rules) else None
        for seat in (seat for seat in seats if seat not in walk_ins):
            player = HousePlayer(self.galleries, table, seat, stakes=self._stakes, decides=decides)
            self._tasks.append(asyncio.create_task(player.run()))
        self.use()

    async def stop(self) -> None:
        """End the practice; nothing is kept."""
        await cancel(*self._tasks)
        await self.pit.stop()
        self.galleries.close()
        self._books.close()
        self._store.close()
        self._folder.cleanup()

    def use(self) -> None:
        """Note that a practice is in use."""
        self.used_s = asyncio.get_running_loop().time()

    # ------------------------------------------------------------ the script

    def _stakes(self, rules: TableRules, seat: int) -> dict[str, int]:
        return script_bets(f"{self.seed}/{self.table.rounds}/{seat}", rules, self.script)

    def _follow(self, now: Now, _: Told) -> None:
        self.floor.moved.set()
        self.assessor.follow(now.standing)

    def _filled(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Return the command of the floor's step, with what the floorperson counts."""
        standing = self.table.place.standing
        seen = sights(self.felt, standing, {**desk_of(standing), "next": step})
        return {**step["command"], **{one.field: one.value for one in seen if one.field}}

    # ------------------------------------------------------------ the trainee

    @property
    def is_over(self) -> bool:
        """Whether all rounds are dealt."""
        return self.table.rounds >= self.rounds and self.table.place.standing.in_play is None

    def overlay(self, desk: dict[str, Any]) -> dict[str, Any]:
        """Return the desk as a trainee sees it, who has to know what to pay."""
        step = desk["next"]
        settles = (step["command"] or {}).get("type") == Settle.__name__
        if self.is_over:
            over = "The practice is over. Your report is ready."
            step = {**step, "says": over, "command": None, "clause": None, "by": ["report"]}
        elif not self.hints and settles and self.assessor.asks(desk["settling"]):
            seat = desk["settling"]["seat"]
            takes = {"field": ANSWER, "kind": "text", "says": ASKED}
            asked = f"Seat {seat}: what do you take, and what do you pay?"
            step = {**step, "says": asked, "takes": takes, "about": about_seat(seat)}
            desk = {**desk, "settling": None, "read": None}
        shown = {
            **self._seen(desk),
            "says": self.assessor.last,
            "round": min(self.table.rounds, self.rounds),
            "of": self.rounds,
            "deviations": len(self.assessor.deviations),
        }
        return {**desk, "next": step, "practice": shown}

    def _seen(self, desk: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is to be seen at the table now, and the card that was turned up."""
        there, standing = self.assessor.happening, self.table.place.standing
        seen = [] if self.is_over or desk["stopped"] else sights(self.felt, standing, desk)
        if standing.in_play and (next_ := ahead(self.felt, desk, standing.in_play)):
            seen = [*seen, next_]
        seen = [*seen, *resting(desk)]
        if there and not there.waits:
            return {"sees": [there.told], "wrong": True, "card": None}
        says = [*([there.told] if there else []), *(one.says for one in seen)]
        card = next((one.card for one in seen if one.card), None)
        return {"sees": says, "wrong": there is not None, "card": card}

    def hear(self, text: str | bytes) -> str | bytes:
        """Judge what the trainee is about to do, and return it as the table understands it."""
        self.use()
        return self.assessor.hear(text)

    def told(self, frame: str) -> None:
        """Judge what the table answered."""
        self.assessor.told(frame)
        self.gallery.tell_desk()

    def report(self) -> dict[str, Any]:
        """Return the results, and every deviation from the book."""
        over = self.table.rounds - (self.table.place.standing.in_play is not None)
        return report_of(
            self.assessor.deviations,
            title=self.table.config.title,
            seed=self.seed,
            dealt=over,
            of=self.rounds,
            settled=len(self.assessor.judged),
            right=self.assessor.right,
        )
