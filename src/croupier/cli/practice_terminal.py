"""`croupier practice --terminal`: the same practice, a line at a time."""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from croupier.cli.output import tell
from croupier.errors import Refused, UserError
from croupier.gallery.outbox import Viewer
from croupier.house.dealer import POSTED
from croupier.ledger.audit import RulesOf
from croupier.money import parse_money
from croupier.round.order import positions_of
from croupier.round.settling import next_seat
from croupier.round.state import Round
from croupier.rules.vocabulary import BANK
from croupier.rules.words import dollars, listed
from croupier.server import talk
from croupier.server.practice import TRAINEE, Practice
from croupier.server.practices import Practices, PracticeWanted

PROMPT = "> "
HELP = """\
Enter does the next step. Where something is asked, type it: a card as Qh, what you take and pay as
25 35. A number does what is listed under it, and '7 ante 25' puts $25 on the Ante of seat 7.
i declares what went wrong, x calls the floor, and s does what is next with the resting deck. 'n 5'
notes that seat 5 contests what it was paid, and 'n 5 ante 25' that it was handed $25 on its Ante.
'z Qh' corrects the card that was read last.
? repeats this, q ends the practice."""
WAIT_S, WAITS_MAX = 0.05, 400
"""How often the table is looked at while others act, and how often at most."""


def deal(rules_of: RulesOf, wanted: PracticeWanted) -> dict[str, Any]:
    """Deal a practice in the terminal, and return its report."""

    async def run() -> dict[str, Any]:
        practices = Practices(rules_of)
        practice = await practices.open(wanted)
        try:
            await Terminal(practice).run()
            return practice.report()
        finally:
            await practices.close()

    return asyncio.run(run())


class Terminal:
    """A trainee who sees and types lines."""

    def __init__(self, practice: Practice) -> None:
        self.practice = practice
        self.viewer = Viewer(TRAINEE, "You", plays=False)
        self.viewer.roles = frozenset({"dealer"})
        self._asked = 0
        self._said = ""

    async def run(self) -> None:
        """Ask for one thing after another until the practice is over."""
        tell(HELP)
        while not self.practice.is_over:
            desk = await self._mine()
            if desk is None:
                return
            listed = [*choices(desk)]
            self._show(desk, listed)
            line = await _line()
            if line is None or line == "q":
                return
            try:
                await self._do(line, desk, listed)
            except UserError as error:
                tell(str(error))
        tell(self.practice.assessor.last)

    async def _mine(self) -> dict[str, Any] | None:
        """Wait until there is something for the dealer to do, and return the desk."""
        for _ in range(WAITS_MAX):
            desk = self.practice.gallery.desk()
            if self.practice.is_over:
                return desk
            mine = desk["next"]["command"] and "dealer" in desk["next"]["posts"]
            mine = mine or desk["spots"] or any(map(_is_mine, choices(desk)))
            if mine and not desk["stopped"]:
                return desk
            await asyncio.sleep(WAIT_S)
        tell("The table stands still.")
        return None

    def _show(self, desk: Mapping[str, Any], listed: list[dict[str, Any]]) -> None:
        """Say what came of the last thing, what comes next, and what is to be seen."""
        step, seen = desk["next"], desk["practice"]
        if seen["says"] != self._said:
            self._said = seen["says"]
            tell(self._said)
        clause = f" ({step['clause']})" if step["clause"] else ""
        tell(f"\n{step['says']}{clause}")
        for one in desk["manners"]:
            tell(f"  - {one['says']} ({one['clause']})")
        for one in lying(self.practice.table.place.standing.in_play):
            tell(f"  {one}")
        for line in (desk["settling"] or {}).get("lines", ()):
            sum = dollars(line[line["does"]])
            tell(f"  {line['does']} {sum}, {line['label']}: {line['because']} ({line['clause']})")
        for one in seen["sees"]:
            tell(f"  {'! ' if seen['wrong'] else ''}{one}.")
        for number, one in enumerate(listed, 1):
            tell(f"  {number}  {one['says']}")
        for one in desk["meanwhile"][:1]:
            tell(f"  s  {one['says']}")
        if step["takes"]:
            tell(f"{step['takes']['says']}")

    async def _do(self, line: str, desk: Mapping[str, Any], listed: list[dict[str, Any]]) -> None:
        step = desk["next"]
        if line == "?":
            tell(HELP)
        elif line == "x":
            await self._ask({"type": "call_floor", "on": True})
        elif line == "i":
            await self._declare(desk)
        elif line == "s" and desk["meanwhile"]:
            await self._rest(desk["meanwhile"][0])
        elif bet := bet_in(line, desk):
            await self._perform("round", bet)
        elif noted := noted_in(line, self.practice.assessor.round):
            await self._perform("table", noted)
        elif line.startswith("z ") and (last := desk["last_read"]):
            await self._perform("round", {**last["command"], "card": line[2:].strip()})
        elif step["takes"] and line:
            await self._perform(step["of"], {**step["command"], **entered(step["takes"], line)})
        elif line.isdecimal() and 0 < int(line) <= len(listed):
            one = listed[int(line) - 1]
            if "commands" in one:
                await self._ask({"type": "acts", "commands": one["commands"]})
            else:
                await self._perform(one["of"], one["command"])
        elif not line and step["command"] and not step["takes"]:
            await self._perform(step["of"], step["command"])
        else:
            tell("You aren't asked for that; type ? to see what you can type.")

    async def _rest(self, one: Mapping[str, Any]) -> None:
        """Do what comes next with the resting deck, and enter what it takes."""
        given: dict[str, Any] = {}
        for field in one["fields"]:
            tell(field["says"])
            given |= entered(field, await _line() or "")
        await self._perform(one["of"], {**one["command"], **given})

    async def _declare(self, desk: Mapping[str, Any]) -> None:
        """Ask what went wrong and its facts, and declare it."""
        kinds = desk["irregularities"]
        for number, one in enumerate(kinds, 1):
            tell(f"  {number}  {one['says']} ({', '.join(one['clauses'])})")
        chosen = await _number(len(kinds))
        if not chosen:
            return
        one, facts = kinds[chosen - 1], {}
        for ask in one["asks"]:
            tell(ask["says"])
            answers = ask["answers"]
            for number, answer in enumerate(answers or (), 1):
                tell(f"  {number}  {answer['says']}")
            given = await _number(len(answers) if answers else None)
            facts[ask["fact"]] = answers[given - 1]["value"] if answers else given
        command = {"type": "Declare", "kind": one["kind"], "facts": facts}
        await self._perform("round", command)

    async def _perform(self, of: str, command: Mapping[str, Any]) -> None:
        """Do something, or propose it where it takes two people."""
        asked = {"of": of, "command": dict(command)}
        answer = await self._ask({"type": "preview", **asked}, judged=False)
        two = bool(answer.get("preview", {}).get("approve"))
        how = {"type": "propose", "why": "practice"} if two else {"type": "act"}
        await self._ask({**how, **asked})

    async def _ask(self, message: dict[str, Any], *, judged: bool = True) -> dict[str, Any]:
        """Say something as a console does; say a refusal."""
        self._asked += 1
        text: str | bytes = json.dumps({"id": f"t{self._asked}", **message})
        if judged and (why := self.practice.assessor.refusal_of(text)):
            raise why
        heard = self.practice.hear(text) if judged else text
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        talk.answer(
            self.practice.table, self.viewer, heard, reply=lambda said: told.set_result(str(said))
        )
        frame = await told
        if judged:
            self.practice.told(frame)
        answer: dict[str, Any] = json.loads(frame)
        return answer


def lying(round: Round | None) -> Iterator[str]:
    """Yield what lies on the table once seats are settled: shared cards, and the next seat's."""
    seat = next_seat(round) if round and round.stage and round.stage.do == "settle" else None
    if round is None or seat is None:
        return
    for place, cards in round.places.items():
        label = round.rules.bank.label if place == BANK else round.rules.places[place].label
        yield f"{label}: {_faces(round, cards)}"
    box = round.boxes[seat]
    bets = [
        f"{dollars(stake.cents)} on {round.rules.label(spot)}"
        for spot, stake in box.stakes.items()
        if stake.fate != "take back"
    ]
    out = ", abandoned" if box.abandoned else ", folded" if box.folded else ""
    yield f"Seat {seat}{out}: {_faces(round, positions_of(round, box))}; {listed(bets)}"


def _faces(round: Round, positions: tuple[int, ...]) -> str:
    """Write cards, those that lie face down as ??."""
    return " ".join(str(round.faces.get(position, "??")) for position in positions)


def choices(desk: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what can be done by its number: answers, decisions, shortcuts."""
    works = desk["next"]["command"]
    for act in desk["acts"]:
        if "topic" not in act and act["command"] != works:
            yield act
    yield from desk["shortcuts"]


def _is_mine(act: Mapping[str, Any]) -> bool:
    """Whether a dealer does something now; players who are there decide on their screens."""
    return "command" not in act or act["command"].get("by") != POSTED


def bet_in(line: str, desk: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the bet that a line such as '7 ante 25' makes, if it is one."""
    seat, *name, sum = line.split() if line.count(" ") > 1 else ("",) * 2
    for spot in desk["spots"]:
        if str(spot["seat"]) == seat and " ".join(name).lower() in _names(spot):
            return {**spot["put"], "cents": dollars_in(sum, "cents")}
    return None


def _names(spot: Mapping[str, Any]) -> tuple[str, str]:
    """Return what somebody may call a wager: as it is told, or as in a tables file."""
    return spot["label"].lower(), spot["wager"]


def dollars_in(text: str, field: str) -> int:
    """Read a sum as it is told: $50,000."""
    return parse_money(text.removeprefix("$").replace(",", ""), field)


def noted_in(line: str, round: str) -> dict[str, Any] | None:
    """Return what a line such as 'n 5' or 'n 5 ante 25' notes about a seat, if it is one."""
    match line.split():
        case ["n", seat] if seat.isdecimal():
            return {"type": "Dispute", "seat": int(seat), "round": round, "about": "the payment"}
        case ["n", seat, wager, paid] if seat.isdecimal():
            cents = dollars_in(paid, "paid")
            return {"type": "Mispay", "seat": int(seat), "wager": wager, "paid": cents}
    return None


def entered(takes: Mapping[str, Any], line: str) -> dict[str, Any]:
    """Return what was typed for a step, as its command has it."""
    match takes["kind"]:
        case "money":
            return {takes["field"]: dollars_in(line, takes["field"])}
        case "number":
            if not line.isdecimal():
                raise Refused("bad_fact", "type a whole number", field=takes["field"])
            return {takes["field"]: int(line)}
    return {takes["field"]: line}


async def _number(most: int | None) -> int:
    """Ask for a number; 0 is none."""
    line = await _line() or "0"
    number = int(line) if line.isdecimal() else 0
    return number if most is None or number <= most else 0


async def _line() -> str | None:
    """Read a line; None at the end of the input."""
    print(PROMPT, end="", file=sys.stderr, flush=True)
    line = await asyncio.to_thread(sys.stdin.readline)
    return line.strip() if line else None
