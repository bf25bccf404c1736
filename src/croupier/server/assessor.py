"""Judges what a trainee does: each deviation from the book has its clause and its cost."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import structs

from croupier.errors import Refused
from croupier.gallery.payout import payout_of
from croupier.house.desk import desk_of
from croupier.house.proposals import preview, proposable
from croupier.house.standing import Standing
from croupier.house.table import Table
from croupier.money import format_money
from croupier.round import commands as in_round
from croupier.round.order import is_read
from croupier.round.state import Round
from croupier.rules.game import counts_stub
from croupier.server import drill, showing
from croupier.server.drill import ANSWER, Deviation
from croupier.server.mishaps import Happening, declared, happening, planned
from croupier.server.showing import Felt

NOT_DEALING = frozenset({"too_many", "unreadable"})
"""Refusals that say nothing about dealing."""
DECLARE, CHOOSE = in_round.Declare.__name__, in_round.Choose.__name__


class Assessor:
    """What one trainee did, and what goes wrong meanwhile."""

    def __init__(
        self, table: Table, felt: Felt, *, called: Callable[[Mapping[str, Any]], None]
    ) -> None:
        self.table, self.felt, self._called = table, felt, called
        self.deviations: list[Deviation] = []
        self.right = 0
        self.judged: set[tuple[str, int]] = set()
        """The seats whose payout was judged, by round: a win stops its seat, which comes again."""
        self.last = ""
        """What came of the last thing that was judged."""
        self.happening: Happening | None = None
        """What is wrong now."""
        self._missed: Happening | None = None
        self._done: set[str] = set()
        """Rounds in which something has gone wrong already, or won't."""
        self._seen = ""
        """The round that was looked at last."""
        self._expected: Mapping[str, Any] = {}
        """The next step when the trainee last did something."""
        self._pending: list[Deviation] = []
        """What the trainee is about to do wrongly, unless the table refuses it."""

    @property
    def standing(self) -> Standing:
        return self.table.place.standing

    @property
    def round(self) -> str:
        """The id of the round in play, or of the last one."""
        return self.standing.round.id if self.standing.round else ""

    # ------------------------------------------------------------ what happens

    def follow(self, standing: Standing) -> None:
        """Look at what happened: a round may be over, or something may go wrong in it."""
        round = standing.round
        if round is None:
            return
        if round.id != self._seen:  # A verdict on the last one would mislead.
            self._seen, self.last = round.id, ""
        if round.closed:
            self._end(round)
            return
        desk = desk_of(standing)
        self._look_at_stub(standing, round, desk)
        if self.happening is None and round.id not in self._done:
            self._go_wrong(standing, round, desk)

    def _end(self, round: Round) -> None:
        """Name what was never declared or noted in a round that is over."""
        there = self._missed or self.happening
        self._missed = self.happening = None
        if there is None or there.round != round.id:
            return
        cents = there.cost(_paid(round))
        free = "" if cents else "every seat got what the book gives it"
        self.deviate(Deviation(there.round, drill.missing(there), there.clause, cents, free))

    def _go_wrong(self, standing: Standing, round: Round, desk: Mapping[str, Any]) -> None:
        number = int(round.id.rpartition("-")[2])
        plan = planned(round.rules, self.felt.seed, number, self.felt.script.faulty)
        draws, approvers = self.felt.chance(round.id, "wrong"), self.table.config.approvers
        found = happening(plan, standing, desk, draws, approvers) if plan else None
        if plan is None or found:
            self._done.add(round.id)
        if found:
            self.last = ""  # A verdict on the last thing would mislead.
        self.happening = found

    def _look_at_stub(self, standing: Standing, round: Round, desk: Mapping[str, Any]) -> None:
        """Let the count of the stub find whether the cards were dealt as they should be."""
        command = desk["next"]["command"] or {}
        one = round.rules.irregularities.get(command.get("kind", ""))
        if one is None or not counts_stub(one) or command.get("type") != DECLARE or self.happening:
            return
        wrongly = self.felt.misdealt(round)
        says = "One hand has a card too many" if wrongly else "Every hand has its cards"
        facts = {**command["facts"], "misdealt": wrongly}
        approvers = self.table.config.approvers
        kind = command["kind"]
        self.happening = declared(standing, kind, facts, says, one.by, approvers)

    # ------------------------------------------------------------ what the trainee does

    def hear(self, text: str | bytes) -> str | bytes:
        """Judge what the trainee is about to do, and return it as the table understands it."""
        try:
            message = json.loads(text)
            command = message.get("command") or {}
        except (ValueError, AttributeError):
            return text
        desk = desk_of(self.standing)
        self._expected, self._pending = desk["next"], []
        match message.get("type"):
            case "call_floor" if message.get("on"):
                self._judge_call(desk)
            case "acts" if isinstance(message.get("commands"), list):
                self._pending = [*self._judge_choices(message["commands"])]
            case "act" | "propose" if isinstance(command, dict):
                self._judge(message.get("of"), command, desk)
                if ANSWER in command:
                    self._judge_payout(str(command.pop(ANSWER)))
                    return json.dumps(message)
        return text

    def refusal_of(self, text: str | bytes) -> Refused | None:
        """Return why an answer can't be judged, before anything is done."""
        try:
            command = json.loads(text).get("command") or {}
            if isinstance(command, dict) and ANSWER in command:
                drill.given_payout(str(command[ANSWER]))
        except Refused as refused:
            return refused
        except (ValueError, AttributeError):
            pass
        return None

    def told(self, frame: str) -> None:
        """Record a refused command, or one that the table did although it was wrong."""
        pending, self._pending = self._pending, []
        if frame.startswith('{"type":"done"'):
            for one in pending:
                self.deviate(one)
        if not frame.startswith('{"type":"refused"'):
            return
        refused = json.loads(frame)
        if refused["code"] not in NOT_DEALING:
            self.deviate(drill.out_of_order(refused, self._expected, round=self.round))

    def _judge_call(self, desk: Mapping[str, Any]) -> None:
        """Judge a call of the floor, which declares what the dealer may not."""
        there = self.happening
        if there and there.calls:
            self.happening = None
            self._called(there.command)
            self.last = f"Right, the floor declares it: {there.says}."
        elif there is None and not desk["proposals"] and "floorperson" not in desk["next"]["by"]:
            self.deviate(drill.needless_call(desk["next"], round=self.round))

    def _judge(self, of: Any, command: Mapping[str, Any], desk: Mapping[str, Any]) -> None:
        if command.get("type") == DECLARE:
            self._judge_declared(of, command)
            return
        there = self.happening
        if there and there.waits and there.is_named_by(of, command):
            self.last, self.happening = f"Right. {there.told}.", None
            return
        wrong = drill.unasked(command, desk, round=self.round)
        self._pending = [wrong] if wrong else [*self._entered(command, desk)]
        if there and of == "round" and not there.waits:
            self._missed, self.happening = there, None

    def _judge_declared(self, of: Any, command: Mapping[str, Any]) -> None:
        there = self.happening
        if there and there.calls:
            return  # The table refuses it: the floor declares this.
        if there and there.is_named_by(of, command):
            self.last, self.happening = f"Right. {there.told}.", None
            return
        if there and not there.waits:
            self._missed, self.happening = there, None
        with suppress(Refused):
            what = proposable("round", command)
            seen = preview(self.standing, what, self.table.config.approvers)
            cents = sum(seen.returns.values())
            free = "" if cents else "no money moved"
            says = f"It was: {there.says}" if there else "Declared what did not happen"
            self.deviate(Deviation(self.round, says, seen.clause or seen.ruling, cents, free))

    # ------------------------------------------------------------ real cards and chips

    def _entered(self, command: Mapping[str, Any], desk: Mapping[str, Any]) -> Iterator[Deviation]:
        """Yield what was entered differently from what was seen or said."""
        standing, round = self.standing, self.standing.in_play
        if not is_read(standing.table.rules):
            return
        kind, step = command.get("type"), desk["next"]
        if kind == in_round.Settle.__name__ or (desk["read"] and kind == in_round.Read.__name__):
            yield from self._misread()
        if round and kind == in_round.CloseBets.__name__:
            yield from drill.wrong_bets(round, self.felt.bets(standing), desk)
        if kind == CHOOSE:
            yield from self._judge_choices([command])
        next_ = showing.ahead(self.felt, desk, round) if round else None
        seen = [next_] if next_ else showing.sights(self.felt, standing, desk)
        if kind == (step["command"] or {}).get("type") or next_:
            yield from drill.wrong_entry(command, seen, step, round=self.round)

    def _judge_choices(self, commands: list[Any]) -> Iterator[Deviation]:
        """Yield the decisions that were entered differently from what the players said."""
        standing, round = self.standing, self.standing.in_play
        if round is None or round.step is None or not is_read(round.rules):
            return
        for one in (one for one in commands if isinstance(one, dict)):
            seat, given = one.get("seat", 0), str(one.get("option"))
            if seat not in round.asked or given not in round.step.option:
                continue
            said = self.felt.choice(round, seat)
            if given != said:
                nets = [self._net(standing, seat, option) for option in (said, given)]
                yield drill.wrong_choice(round, seat, (said, given), nets)

    def _net(self, standing: Standing, seat: int, option: str) -> int | None:
        """Return what a seat wins or loses by a decision, if all else goes by the book."""
        round = standing.in_play
        if round and seat != round.asked[0]:
            return None
        end = showing.played_out(self.felt, standing, in_round.Choose(seat, option, "dealer"))
        return sum(line.net for line in end.lines if line.seat == seat) if end else None

    def _misread(self) -> Iterator[Deviation]:
        """Yield a seat that is settled on a card that was misread."""
        round, meters = self.standing.in_play, self.table.meters()
        done = payout_of(round, meters)
        if round and done:
            right = payout_of(structs.replace(round, faces=self.felt.faces(round)), meters)
            if right and right["lines"] != done["lines"]:
                yield drill.settled_wrongly(done, right, round=round.id)

    # ------------------------------------------------------------ money

    def asks(self, settling: Mapping[str, Any] | None) -> bool:
        """Whether the trainee has yet to say what is taken and paid at a seat."""
        return settling is not None and (self.round, settling["seat"]) not in self.judged

    def _judge_payout(self, answer: str) -> None:
        settling = payout_of(self.standing.in_play, self.table.meters())
        if settling is None or not self.asks(settling):
            return
        self.judged.add((self.round, settling["seat"]))
        wrong = drill.judged_payout(settling, drill.given_payout(answer), round=self.round)
        if wrong is None:
            self.right += 1
            self.last = f"Right. {settling['says']}"
        else:
            self.deviate(wrong)

    def deviate(self, one: Deviation) -> None:
        """Note a deviation, and say it at once."""
        self.deviations.append(one)
        cost = f" It costs ${format_money(one.cents)}." if one.cents else ""
        cost = cost or (f" It costs nothing: {one.free}." if one.free else "")
        cited = f" ({one.clause})" if one.clause else ""
        self.last = f"{one.says}{cited}.{cost}"
        self.table.look_again()


def _paid(round: Round) -> dict[int, int]:
    """Return the cents that each seat of a round got."""
    paid: dict[int, int] = {}
    for line in round.lines:
        paid[line.seat] = paid.get(line.seat, 0) + line.paid + line.returned
    return paid
