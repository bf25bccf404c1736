"""A dealer and a floorperson who know only the desk's next step, and a list of cards.

Before each step that keeps a clause they try what might come later, and everything is refused.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from croupier.cards import DECK
from croupier.errors import Refused
from croupier.house import console, said
from croupier.house.config import TableConfig
from croupier.house.console import StaffAsking
from croupier.house.dealer import Chance
from croupier.house.desk import desk_of, next_step
from croupier.house.moments import moments_of
from croupier.house.standing import Act, Standing
from croupier.house.step import NextStep
from croupier.round import commands as in_round
from croupier.round.codec import to_plain
from croupier.round.commands import Bet, Choose
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from croupier.table import commands as at_table
from croupier.table.commands import Time
from croupier.table.life import sign_code
from croupier.table.prompts import DEVICE, due
from croupier.table.state import bank_order, new_table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book

FELT: tuple[Thing, ...] = ("dealer", "cards", "chips")
BY_HAND = {"shuffler": "none", "dealing": "manual_shoe"}
WAGERS: dict[str, dict[str, Any]] = {
    MARYLAND: {
        "progressive": "A",
        "five_card_progressive": "A",
        "five_card_progressive_rate": "0.2",
        "six_card_bonus": "A",
    },
    LET_IT_RIDE: {"progressive": "A", "progressive_rate": "0.14", "five_card_bonus": "A"},
}
STAKES: dict[str, dict[str, int]] = {
    MARYLAND: {"ante": 500, "progressive": 100, "five_card_progressive": 100},
    LET_IT_RIDE: {"let_it_ride": 500, "progressive": 100, "five_card_bonus": 100},
    CALIFORNIA: {"ante": 500},
    SINGAPORE: {"ante": 500},
    FLORIDA: {"ante": 500},
}
EQUIPMENT: tuple[dict[str, Any], ...] = (
    {"dealing": "manual_shoe", "shuffler": "none"},
    {"dealing": "manual_shoe", "shuffler": "counting", "decks": 2},
    {"dealing": "hand", "shuffler": "plain", "decks": 2},
    {"dealing": "automated_shoe", "shuffler": "plain"},
    {"dealing": "automated_shoe", "shuffler": "plain", "dealer_cards": "in_shuffler"},
)
"""Together they meet every condition of every guided clause."""
NO_CHANCE = Chance(lambda _: b"", b"")
AT_ONCE: dict[type, str] = {
    at_table.StartRound: "open",
    in_round.CloseBets: "close bets",
    at_table.Shuffle: "shuffle",
    at_table.Cut: "cut",
}
"""The commands that keep clauses without being asked to."""


class Kept(NamedTuple):
    """How a clause was kept: at its moment, by these people, after this was refused with it."""

    moment: str
    by: tuple[str, ...]
    refused: tuple[str, ...] = ()


class Shift:
    """A table on a felt, and what was kept at it."""

    def __init__(self, id: str, selections: dict[str, Any], things: tuple[Thing, ...] = FELT):
        self.id, self.time_s, self.rounds = id, 1_000_000, 0
        self.rules = resolve(book(id), selections, things=things)
        spared = {name: v for name, v in selections.items() if name in WAGERS.get(id, {})}
        ways = [{**spared, **BY_HAND}] if "shuffler" in selections else []
        self.others = [resolve(book(id), way, things=things) for way in ways]
        self.standing = Standing(new_table(self.rules, self.others))
        self.config = TableConfig(id="t", title="t", rules=self.rules, selections={}, seats=7)
        self.kept: dict[str, Kept] = {}
        self.shown: set[str] = set()
        """Clauses that nobody confirms, at their moment."""
        self.events: list[tuple[str, Any]] = []
        self.places: dict[int, Standing] = {}
        """Where the table stood after how many events."""
        self.option = 0
        for person, post in (("d1", "dealer"), ("f1", "floor")):
            self.act(lambda act, p=person, q=post: act.at_table(at_table.TapIn(p, q)))

    # ------------------------------------------------------------ doing

    def act(self, do: Any) -> None:
        act = Act(self.standing)
        act.readings = dict(self.standing.round.meters) if self.standing.round else {}
        do(act)
        self.standing = act.standing
        self.events += [(one.of, one.event) for one in act.happened]
        self.places[len(self.events)] = self.standing
        self.look()

    def tell(self, person: str, message: said.StaffCommand) -> None:
        role = "floor" if person == "f1" else "dealer"
        asking = StaffAsking(
            person,
            frozenset({role}),
            self.config,
            Time(self.time_s, self.time_s),
            NO_CHANCE,
            None,
            f"r{self.rounds + 1}",
            lambda: self.standing.table.meters,
        )
        self.act(lambda act: console.perform(act, message, asking))

    def say(self, person: str, of: Any, command: dict[str, Any]) -> None:
        self.tell(person, said.Do("x", of, command))

    def refusal(self, person: str, of: Any, command: Any) -> Refused | None:
        """Return why a command is refused; None if it would be done. It isn't."""
        before = self.standing, len(self.events)
        try:
            self.say(person, of, to_plain(command))
        except Refused as refused:
            assert self.standing is before[0], "a refusal changes nothing"
            return refused
        self.standing = before[0]
        del self.events[before[1] :]
        return None

    def look(self) -> None:
        """Note the clauses that are shown now and that nobody confirms."""
        rules = self.standing.table.rules
        for moment in moments_of(self.standing):
            for name in rules.guided.get(moment, ()):
                if rules.clauses[name].force != "task":
                    self.shown.add(name)

    # ------------------------------------------------------------ by the desk

    def step(self) -> NextStep:
        """Do the next step; whoever is awaited moves."""
        step = next_step(self.standing)
        if step.command is None:
            self.players_move(step)
            return step
        tasks = {duty.clause: duty for duty in self.duties()}
        tried = self.try_later(step) if step.clause in tasks else ()
        command = self.filled(step)
        for by in step.by[:1]:
            wrong, right = ("d1", "f1") if by == "floorperson" else ("f1", "d1")
            if command["type"] == "Confirm":
                why = self.refusal(wrong, step.of, step.command)
                assert why and (why.code, why.clause) == ("wrong_person", step.clause), step
            self.note(step, tried)
            self.say(right, step.of, command)
        return step

    def duties(self) -> tuple[Any, ...]:
        round = self.standing.in_play
        return (*due(self.standing.table), *(round.todo if round else ()))

    def note(self, step: NextStep, tried: tuple[str, ...]) -> None:
        """Note the clauses that a step keeps: its own, and those that its act keeps besides."""
        rules = self.standing.table.rules
        for duty in self.duties():
            clause = rules.clauses[duty.clause]
            if duty.clause == step.clause:
                by = self.kept[step.clause].by if step.clause in self.kept else ()
                both = (*by, *duty.by[:1]) if len(clause.by) > 1 else clause.by
                self.kept[duty.clause] = Kept(duty.moment, tuple(dict.fromkeys(both)), tried)
            elif type(step.command) in (in_round.Deal, in_round.CountStub) and clause.act in (
                "first card",
                "count",
            ):
                self.kept[duty.clause] = Kept(duty.moment, clause.by, tried)
        act = AT_ONCE.get(type(step.command))
        for moment, names in rules.guided.items():
            for name in names:
                if act and rules.clauses[name].act == act:
                    self.kept[name] = Kept(moment, rules.clauses[name].by)

    def try_later(self, step: NextStep) -> tuple[str, ...]:
        """Try what a dealer might do instead; return what is refused with the step's clause."""
        round, table = self.standing.in_play, self.standing.table
        about = self.about(step).removeprefix("deck ")
        number = int(about) if about.isdigit() else 1
        instead: list[tuple[str, Any]] = [
            ("table", at_table.Shuffle(number, 52 if table.rules.deck.machine_count else None)),
            ("table", at_table.StartRound("", Time(0, 0))),
            ("table", at_table.Change(self.rules.digest)),
        ]
        if round:
            seat = next(iter(round.asked or round.boxes), 1)
            options = round.step.option if round.step else {}
            instead = [
                ("round", in_round.Deal()),
                ("round", Choose(seat, next(iter(options), ""), "dealer")),
                ("round", in_round.Read(DECK[0])),
                *(("round", in_round.Settle(seat=seat)) for seat in round.boxes),
                ("round", in_round.Close()),
                ("round", in_round.Confirm(step.clause, "dealer", self.about(step))),
            ]
        why = {type(c).__name__: self.refusal("d1", of, c) for of, c in instead}
        return tuple(name for name, one in why.items() if one and one.clause == step.clause)

    def about(self, step: NextStep) -> str:
        return next(str(duty.about) for duty in self.duties() if duty.clause == step.clause)

    def filled(self, step: NextStep) -> dict[str, Any]:
        """Return the command with what a person reads, counts or turns up."""
        command, table, round = to_plain(step.command), self.standing.table, self.standing.in_play
        field = (step.takes or {}).get("field")
        if field == "card" and round:
            command["card"] = str(DECK[desk_of(self.standing)["reads"][0]["position"]])
        elif field == "stub" and round:
            command["stub"] = 52 - round.next_position
        elif field:
            values = {"sign": sign_code(table.rules), "cents": 5_000_00, "depth": 20, "cards": 52}
            command[field] = values[field]
        return command

    def players_move(self, step: NextStep) -> None:
        """Let the players sit down, bank, bet or decide."""
        table, round = self.standing.table, self.standing.in_play
        if round and round.asked:
            options = [*(round.step.option if round.step else {})]
            seat, option = round.asked[0], options[self.option % len(options)]
            self.act(lambda act: act.in_round(Choose(seat, option)))
        elif round:
            banker = round.banker.seat if round.banker else None
            for seat, player in table.seats.items():
                for wager, cents in self.stakes() if seat != banker else ():
                    shared = any(place.hands for place in table.rules.places.values())
                    bet = Bet(seat, player, wager, cents, seat if shared else None)
                    self.act(partial(Act.in_round, command=bet))
        elif len(table.seats) < 2:
            for seat in (1, 2):
                if seat not in table.seats:
                    self.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"p{s}")))
        elif table.rules.banked_by == "player":
            seat = bank_order(table)[0]
            self.act(lambda act: act.at_table(at_table.TakeBank(seat, 500_00)))
        else:
            raise AssertionError(step)

    def stakes(self) -> list[tuple[str, int]]:
        offered = self.standing.table.rules.wagers
        return [(wager, cents) for wager, cents in STAKES[self.id].items() if wager in offered]

    # ------------------------------------------------------------ a whole shift

    def until(self, stop: Any) -> None:
        for _ in range(400):
            if stop(self.standing):
                return
            self.step()
        raise AssertionError(f"it doesn't come to that: {next_step(self.standing)}")

    def play(self, rounds: int = 1) -> None:
        """Play rounds to their end."""
        for _ in range(rounds):
            self.until(lambda standing: standing.in_play is not None)
            self.rounds += 1
            self.until(lambda standing: standing.in_play is None)
            self.option += 1
            self.time_s += 60

    def use(self, type: str, **fields: Any) -> bool:
        """Do one of the other acts on the desk, by the right person; whether it is there."""
        for one in desk_of(self.standing)["acts"]:
            if one["command"]["type"] == type and fields.items() <= one["command"].items():
                command = {"depth": 30, **one["command"]} if type == "Recut" else one["command"]
                rights = ("Recut", "OrderShuffle")
                self.shown |= {one["clause"]} if type in rights else set()
                self.say("f1" if one.get("by") == ["floorperson"] else "d1", one["of"], command)
                return True
        return False

    def change_old_decks(self) -> None:
        """Let decks grow too old, where the book says when, and change them."""
        self.until(lambda standing: isinstance(next_step(standing).command, at_table.StartRound))
        self.time_s += 9 * 3600
        why = self.refusal("d1", "table", at_table.StartRound("", Time(0, 0)))
        if change := self.standing.table.rules.deal.change:
            assert why and (why.code, why.clause) == ("deck_too_old", change.clause)
            for number in [*self.standing.table.decks]:
                assert self.use("Receive", deck=number)

    def do_without(self, device: str) -> None:
        """Lose a device, cover it or mark it in turn, play on without it, and have it back."""
        if not self.use("Fail", device=device, usable=False):
            return
        clauses = [duty.clause for duty in due(self.standing.table) if duty.moment == DEVICE]
        for clause in clauses:
            if clause not in self.kept:
                tried = self.refusal("d1", "table", at_table.StartRound("", Time(0, 0)))
                assert tried and tried.code == "device_open" and tried.clause in clauses
                self.kept[clause] = Kept(DEVICE, ("dealer",), ("StartRound",))
                assert self.use("Secure", clause=clause)
                break
        self.play()
        assert self.use("Restore", device=device)
        assert self.use("Change", digest=self.rules.digest)
        self.play()

    def leave(self) -> None:
        for seat in [*self.standing.table.seats]:
            self.act(lambda act, s=seat: act.at_table(at_table.Leave(s)))


def work(id: str, selections: dict[str, Any]) -> Shift:
    """Work a shift: open, six rounds, orders of the floor, an idle spell, faults, a close."""
    shift = Shift(id, selections)
    shift.play(6)
    shift.until(lambda standing: isinstance(next_step(standing).command, at_table.StartRound))
    for type in ("Recut", "OrderShuffle", "Idle"):
        shift.use(type)
    shift.play()
    shift.leave()
    shift.play()
    if shift.use("Fail", device="shuffler", usable=True):
        shift.play()
    for _ in range(2):
        shift.do_without("shuffler")
    shift.change_old_decks()
    shift.play()
    shift.use("CloseTable")
    shift.until(lambda standing: standing.table.life == "closed")
    return shift


def shifts() -> Iterator[Shift]:
    """Work a shift with every equipment of every book."""
    for id in STAKES:
        known = book(id).rules.selection
        many = [one for one in EQUIPMENT if one.keys() <= known.keys()] or [{}]
        for one in many:
            yield work(id, {**one, **WAGERS.get(id, {})})


def runs() -> dict[str, Counter[str]]:
    """Return in how many shifts each guided clause of each book was kept or shown."""
    found: dict[str, Counter[str]] = {id: Counter() for id in STAKES}
    for shift in shifts():
        found[shift.id].update({*shift.kept, *shift.shown})
    return found
