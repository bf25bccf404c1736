"""Practice for dealers: a table of its own with scripted players, a scripted floor, and faults.

It is the real table, desk and console, around a ledger in memory: nothing of it is in the books of
the house. The deck follows from the seed, so the same practice can be dealt again.
"""

import asyncio
import json
import random
import secrets
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.gallery.payout import payout_of
from croupier.house import said
from croupier.house.books import Books, answer_to
from croupier.house.config import Config, parse_config
from croupier.house.console import Employee
from croupier.house.desk import desk_of
from croupier.house.now import Now, Told
from croupier.house.pit import Pit
from croupier.house.proposals import preview, proposable
from croupier.house.standing import Standing
from croupier.ledger.audit import RulesOf
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.money import format_money
from croupier.round import bots
from croupier.round.commands import Declare, Settle
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.server.bots import HousePlayer
from croupier.server.drill import (
    Deviation,
    Happening,
    given_payout,
    judged_payout,
    out_of_order,
    report_of,
    unasked,
)
from croupier.table.tray import CHIPS_CENTS

ID, TRAINEE, FLOOR = "practice", "trainee", "floor"
ROUNDS, ROUNDS_MAX = 5, 50
KEPT_MAX, IDLE_S = 12, 1800
ANSWER = "answer"
ELSEWHERE = "this house has several servers; practise with the command 'croupier practice'"
ASKED = "Take and pay, in dollars"
NOT_DEALING = frozenset({"too_many", "unreadable"})
"""Refusals that say nothing about dealing."""


class Script(NamedTuple):
    """How a scripted table behaves."""

    players: int = 3
    faulty: float = 0.4
    """How many of the rounds have something go wrong, where the book knows of anything."""
    side: float = 0.5
    """How many of the side wagers a scripted player makes."""
    chips_max: int = 7
    """How many chips of one colour a scripted player bets."""
    floor_s: float = 1.0
    """How long the scripted floorperson takes for an answer."""


SCRIPT = Script()


def seeded(seed: int) -> Callable[[int], bytes]:
    """Return a source of bytes that follows from a seed alone; never one to play for money with."""
    draws = random.Random(seed)
    return draws.randbytes


def practice_config(rulebook: str, rules_of: RulesOf) -> Config:
    """Return the one table of a practice."""
    what = f'id = "{ID}"\nrulebook = "{rulebook}"\nthings = ["dealer"]\npractice = true'
    return parse_config(f"[[table]]\n{what}\n{_selections(rulebook)}", rules_of, file=ID)


def _selections(rulebook: str) -> str:
    """Return the selections of the package's own table of a book, if it has one."""
    shipped = (files("croupier.server") / "tables.toml").read_text().split("[[table]]")
    own = next((one for one in shipped if f'"{rulebook}"' in one), "")
    return "".join(own.partition("[table.selections]")[1:])


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


class Practice:
    """One dealer's practice table."""

    def __init__(
        self,
        config: Config,
        rules_of: RulesOf,
        *,
        seed: int,
        rounds: int,
        hints: bool = False,
        script: Script = SCRIPT,
    ) -> None:
        self.seed, self.rounds, self.hints, self.script = seed, rounds, hints, script
        self._expected: Mapping[str, Any] = {}
        """The next step when the trainee last did something."""
        self._unasked: Deviation | None = None
        """What the trainee is about to do that isn't the next step."""
        self.token = secrets.token_urlsafe(12)
        self.deviations: list[Deviation] = []
        self.right = 0
        self._judged: set[tuple[str, int]] = set()
        """The seats whose payout was judged, by round: a win stops its seat, which comes again."""
        self.last = ""
        """What came of the last thing that was judged."""
        self.happening: Happening | None = None
        self._missed: Happening | None = None
        self._told_floor: Happening | None = None
        self._done: set[str] = set()
        """Rounds in which something has gone wrong already, or won't."""
        self._folder = tempfile.TemporaryDirectory(prefix="croupier-practice-")
        self._store = SqliteStore(Path(self._folder.name) / "ledger", make=True, vfs="memdb")
        self._books = Books(self._store, secrets.token_bytes(32), entropy=seeded(seed))
        self.pit = Pit(config, self._books, rules_of)
        self.galleries = Galleries(self.pit)
        self._tasks: list[asyncio.Task[None]] = []
        self._moved = asyncio.Event()
        self._asked = 0
        self.used_s = 0.0

    async def start(self) -> None:
        """Open the table, let the players sit down, and tap the dealer and the floor in."""
        await self.pit.start()
        self.galleries.open()
        table = self.table = self.pit.tables[ID]
        self.gallery = self.galleries[ID]
        self.gallery.overlay = self.overlay
        self.galleries.names.update({TRAINEE: "You", FLOOR: "Floor"})
        table.listeners.insert(0, self._follow)
        last = table.config.seats
        players = max(self.script.players, table.config.rules.table.seats_min)
        for seat in range(last, last - players, -1):
            player = HousePlayer(self.galleries, table, seat, stakes=self._stakes)
            self._tasks.append(asyncio.create_task(player.run()))
        self._tasks.append(asyncio.create_task(self._be_the_floor()))
        await self._staff(TRAINEE, "dealer", said.TapIn("", "dealer"))
        self.use()

    async def stop(self) -> None:
        """End the practice; nothing is kept."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
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

    async def _staff(self, person: str, role: str, message: said.StaffCommand) -> None:
        """Perform an act of the script; skip it if it is refused."""
        self._asked += 1
        sent = message._replace(id=f"script-{self._asked}")
        digest = sha256(repr(sent).encode()).digest()
        by = Employee(person, frozenset({role}))
        with suppress(Refused):
            await answer_to(lambda reply: self.table.hear_staff(by, sent, digest, reply=reply))

    async def _be_the_floor(self) -> None:
        """Act as the floorperson: tap in, come when called, approve, and do the floor's steps."""
        await self._staff(FLOOR, "floor", said.TapIn("", "floor"))
        while True:
            await self._moved.wait()
            self._moved.clear()
            await asyncio.sleep(self.script.floor_s)
            standing = self.table.place.standing
            for one in standing.table.proposals:
                if one.by.person == TRAINEE:
                    await self._staff(FLOOR, "floor", said.Approve("", one.id))
            step = desk_of(self.table.place.standing)["next"]
            if step["command"] and step["posts"] == ["floor"]:
                await self._staff(FLOOR, "floor", said.Do("", step["of"], step["command"]))
            if self.table.notes.company.called:
                self.table.call_floor(Employee(FLOOR, frozenset({"floor"})), on=False)
            if there := self._told_floor:
                self._told_floor = None
                facts = dict(there.facts)
                command = {"type": Declare.__name__, "kind": there.kind, "facts": facts}
                await self._staff(FLOOR, "floor", said.Do("", "round", command))

    def _follow(self, now: Now, _: Told) -> None:
        """Look at what happened: a round may be over, or something may go wrong in it."""
        self._moved.set()
        round = now.standing.round
        if round is None:
            return
        if round.closed and self._missed and self._missed.round == round.id:
            missed, self._missed = self._missed, None
            cents = missed.cost(_paid(round))
            free = "" if cents else "every seat got what the book gives it"
            self._deviate(missed.round, f"Not declared: {missed.says}", missed.clause, cents, free)
        if round.closed and self.happening and self.happening.round == round.id:
            self.happening = None
        if not round.closed and round.id not in self._done:
            self._go_wrong(now.standing, round)

    def _go_wrong(self, standing: Standing, round: Round) -> None:
        """Let something go wrong in the round, by the seed: at the decisions or the settlement."""
        draws = random.Random(f"{self.seed}/{round.id}")
        wrong, moment = draws.random() < self.script.faulty, draws.choice(("decide", "settle"))
        if not wrong or round.void:
            self._done.add(round.id)
            return
        if round.stage is None or round.stage.do != moment:
            return
        found = [one for one in desk_of(standing)["irregularities"] if _can_answer(one)]
        if not found:
            return
        self._done.add(round.id)
        one = draws.choice(found)
        answers = {ask["fact"]: draws.choice(ask["answers"]) for ask in one["asks"]}
        facts = {fact: answer["value"] for fact, answer in answers.items()}
        command = {"type": Declare.__name__, "kind": one["kind"], "facts": facts}
        try:
            seen = preview(standing, proposable("round", command), self.table.config.approvers)
        except Refused:
            return
        where = ", ".join(answer["says"] for answer in answers.values())
        says = f"{where}: {one['says']}" if where else one["says"]
        calls = not seen.approve and "dealer" not in one["by"]
        clause = seen.clause or seen.ruling
        self.happening = Happening(
            round.id, one["kind"], facts, says, clause=clause, returns=seen.returns, calls=calls
        )

    # ------------------------------------------------------------ the trainee

    @property
    def is_over(self) -> bool:
        """Whether all rounds are dealt."""
        return self.table.rounds >= self.rounds and self.table.place.standing.in_play is None

    def overlay(self, desk: dict[str, Any]) -> dict[str, Any]:
        """Return the desk as a dealer sees it who practises: what to pay is for them to know."""
        step = desk["next"]
        if self.is_over:
            over = "The practice is over. Your report is ready."
            step = {**step, "says": over, "command": None, "clause": None, "by": ["report"]}
        elif not self.hints and _settles(step["command"]) and self._is_asked(desk["settling"]):
            seat = desk["settling"]["seat"]
            takes = {"field": ANSWER, "kind": "text", "says": ASKED}
            asked = f"Seat {seat}: what do you take, and what do you pay?"
            step = {**step, "says": asked, "takes": takes, "about": f"seat {seat}"}
            desk = {**desk, "settling": None}
        shown = {
            "sees": self.happening.says if self.happening else None,
            "says": self.last,
            "round": min(self.table.rounds, self.rounds),
            "of": self.rounds,
            "deviations": len(self.deviations),
        }
        return {**desk, "next": step, "practice": shown}

    def _is_asked(self, settling: Mapping[str, Any] | None) -> bool:
        """Whether the trainee has yet to say what is taken and paid at a seat."""
        return settling is not None and (self._round, settling["seat"]) not in self._judged

    def hear(self, text: str | bytes) -> str | bytes:
        """Judge what the trainee is about to do, and return it as the table understands it."""
        self.use()
        try:
            message = json.loads(text)
            command = message.get("command") or {}
        except (ValueError, AttributeError):
            return text
        if message.get("type") == "call_floor" and self.happening and self.happening.calls:
            self._told_floor, self.happening = self.happening, None
            self.last = f"Right, the floor declares it: {self._told_floor.says}."
        if message.get("type") not in ("act", "propose") or not isinstance(command, dict):
            return text
        desk = desk_of(self.table.place.standing)
        self._expected, self._unasked = desk["next"], None
        if command.get("type") == Declare.__name__:
            self._judge_declared(command)
        else:
            self._unasked = unasked(command, desk, round=self._round)
            if self.happening and message.get("of") == "round":
                self._missed, self.happening = self.happening, None
        if ANSWER in command:
            answer = str(command.pop(ANSWER))
            self._judge_payout(answer)
            return json.dumps(message)
        return text

    def refusal_of(self, text: str | bytes) -> Refused | None:
        """Return why an answer can't be judged, before anything is done."""
        try:
            command = json.loads(text).get("command") or {}
            if isinstance(command, dict) and ANSWER in command:
                given_payout(str(command[ANSWER]))
        except Refused as refused:
            return refused
        except (ValueError, AttributeError):
            pass
        return None

    def told(self, frame: str) -> None:
        """Record a refused command, or one that wasn't the next step."""
        if frame.startswith('{"type":"done"') and self._unasked:
            self._deviate(*self._unasked)
            self._unasked = None
        if not frame.startswith('{"type":"refused"'):
            return
        refused = json.loads(frame)
        if refused["code"] not in NOT_DEALING:
            self._deviate(*out_of_order(refused, self._expected, round=self._round))

    @property
    def _round(self) -> str:
        round = self.table.place.standing.round
        return round.id if round else ""

    def _judge_payout(self, answer: str) -> None:
        settling = payout_of(self.table.place.standing.in_play, self.table.meters())
        if settling is None or not self._is_asked(settling):
            return
        self._judged.add((self._round, settling["seat"]))
        wrong = judged_payout(settling, given_payout(answer), round=self._round)
        if wrong is None:
            self.right += 1
            self.last = f"Right. {settling['says']}"
        else:
            self._deviate(*wrong)

    def _judge_declared(self, command: Mapping[str, Any]) -> None:
        there = self.happening
        if there and there.calls:
            return  # The table refuses it: the floor declares this.
        self.happening = None
        kind, facts = command.get("kind"), dict(command.get("facts") or {})
        if there and (kind, facts) == (there.kind, dict(there.facts)):
            self.last = f"Right. {there.says}"
            return
        if there:
            self._missed = there
        standing = self.table.place.standing
        with suppress(Refused):
            seen = preview(standing, proposable("round", command), self.table.config.approvers)
            cents = sum(seen.returns.values())
            says = "Declared what did not happen" if not there else f"It was: {there.says}"
            self._deviate(self._round, says, seen.clause or seen.ruling, cents)

    def _deviate(
        self, round: str, says: str, clause: str | None, cents: int = 0, free: str = ""
    ) -> None:
        self.deviations.append(Deviation(round, says, clause, cents, free))
        cost = f" It costs ${format_money(cents)}." if cents else ""
        cost = cost or (f" It costs nothing: {free}." if free else "")
        self.last = f"{says}{f' ({clause})' if clause else ''}.{cost}"
        self.table.look_again()
        self.gallery.tell_desk()

    def report(self) -> dict[str, Any]:
        """Return the results, and every deviation from the book."""
        over = self.table.rounds - (self.table.place.standing.in_play is not None)
        return report_of(
            self.deviations,
            title=self.table.config.title,
            seed=self.seed,
            dealt=over,
            of=self.rounds,
            settled=len(self._judged),
            right=self.right,
        )


def _settles(command: Mapping[str, Any] | None) -> bool:
    return command is not None and command["type"] == Settle.__name__


def _can_answer(one: Mapping[str, Any]) -> bool:
    return all(ask["answers"] for ask in one["asks"])


def _paid(round: Round) -> dict[int, int]:
    """Return the cents that each seat of a round got."""
    paid: dict[int, int] = {}
    for line in round.lines:
        paid[line.seat] = paid.get(line.seat, 0) + line.paid + line.returned
    return paid


class Practices:
    """The practice tables of a process: a few; idle ones are closed."""

    def __init__(
        self,
        rules_of: RulesOf,
        *,
        script: Script = SCRIPT,
        is_alone: Callable[[], bool] = lambda: True,
    ) -> None:
        self._rules_of, self.script, self.is_alone = rules_of, script, is_alone
        self._open: dict[str, Practice] = {}

    async def open(self, rulebook: str, *, seed: int, rounds: int, hints: bool) -> Practice:
        """Open a practice table, or refuse one more than there may be.

        Behind several processes the next request may reach another one, which doesn't have it.
        """
        if not self.is_alone():
            raise Refused("not_found", ELSEWHERE)
        now_s = asyncio.get_running_loop().time()
        for token, one in [*self._open.items()]:
            if now_s - one.used_s > IDLE_S:
                await self._open.pop(token).stop()
        if len(self._open) >= KEPT_MAX:
            raise Refused("too_many", "all practice tables are taken; try again later")
        config = practice_config(rulebook, self._rules_of)
        how: Any = {"seed": seed, "rounds": rounds, "hints": hints, "script": self.script}
        made = Practice(config, self._rules_of, **how)
        self._open[made.token] = made
        await made.start()
        return made

    def get(self, token: str) -> Practice:
        """Return a practice table, or refuse one that has ended."""
        if token not in self._open:
            raise Refused("not_found", "this practice has ended; begin another one")
        return self._open[token]

    async def close(self) -> None:
        """End all of them."""
        while self._open:
            await self._open.popitem()[1].stop()
