"""A dealer and a floorperson who know only the desk's next step, and a list of cards.

Before each step that keeps a clause they try what might come later, and everything is refused.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.house import console, said
from croupier.house.asking import StaffAsking
from croupier.house.authority import KEEPS
from croupier.house.config import TableConfig
from croupier.house.dealer import Chance
from croupier.house.desk import desk_of
from croupier.house.moments import moments_of
from croupier.house.next_step import next_step
from croupier.house.shift import others
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
from tests.rules.books import book
from tests.table.tables import STAKES, WAGERS

FELT: tuple[Thing, ...] = ("dealer", "cards", "chips")
BY_HAND = {"shuffler": "none", "dealing": "manual_shoe"}
EQUIPMENT: tuple[dict[str, Any], ...] = (
    {"dealing": "manual_shoe", "shuffler": "none"},
    {"dealing": "manual_shoe", "shuffler": "counting", "decks": 2},
    {"dealing": "hand", "shuffler": "plain", "decks": 2},
    {"dealing": "automated_shoe", "shuffler": "plain"},
    {"dealing": "automated_shoe", "shuffler": "plain", "dealer_cards": "in_shuffler"},
)
"""Together they meet every condition of every guided clause."""
NO_CHANCE = Chance(lambda _: b"", b"")
LATER: dict[type, tuple[type, ...]] = {
    at_table.Shuffle: (at_table.Cut, at_table.StartRound),
    at_table.Cut: (at_table.StartRound,),
    at_table.StartRound: (in_round.CloseBets,),
    in_round.CloseBets: (at_table.DealFirstCard, in_round.Deal),
}
"""What comes after the acts that bring the moment of their own clauses."""
ONCE = ("Read", "Show")
"""The commands that are given again for the next card; what they kept isn't due any more."""


class Kept(NamedTuple):
    """How a clause was kept: at its moment, by these people, and what was refused."""

    moment: str
    by: tuple[str, ...]
    early: tuple[str, ...] = ()
    """What was refused before it was kept, citing it or the rule that it is a part of."""
    wrong: tuple[str, ...] = ()
    """Who else tried to keep it and was refused."""
    again: tuple[str, ...] = ()
    """What was refused after it, because it was kept."""


class Shift:
    """A table on a felt, and what was kept at it."""

    def __init__(self, id: str, selections: dict[str, Any], things: tuple[Thing, ...] = FELT):
        self.id, self.time_s, self.rounds = id, 1_000_000, 0
        self.rules = resolve(book(id), selections, things=things)
        spared = {name: v for name, v in selections.items() if name in WAGERS.get(id, {})}
        ways = [{**spared, **BY_HAND}] if "shuffler" in selections else []
        self.others = [resolve(book(id), way, things=things) for way in ways]
        self.standing = Standing(new_table(self.rules, self.others))
        self.config = TableConfig(
            id="t",
            title="t",
            rules=self.rules,
            selections={},
            seats=7,
            others=tuple(self.others),
            instead=({},) * len(self.others),
        )
        self.cards: Sequence[Card] = DECK
        """What every deck is, from the top."""
        self.kept: dict[str, Kept] = {}
        self.shown: dict[str, Kept] = {}
        """Clauses that nobody confirms, at their moment."""
        self.events: list[tuple[str, Any]] = []
        self.places: dict[int, Standing] = {}
        """Where the table stood after how many events."""
        self.rights: dict[str, dict[str, Any]] = {}
        """What a floorperson asked for, by the clause that gives the right."""
        self.option = 0
        for person, post in (("d1", "dealer"), ("f1", "floor"), ("c1", "clerk")):
            self.act(lambda act, p=person, q=post: act.at_table(at_table.TapIn(p, q)))

    # ------------------------------------------------------------ doing

    def act(self, do: Any) -> None:
        act = self.trial(do)
        self.standing = act.standing
        self.events += [(one.of, one.event) for one in act.happened]
        self.places[len(self.events)] = self.standing
        self.look()

    def trial(self, do: Any) -> Act:
        """Return what would happen."""
        act = Act(self.standing)
        act.readings = dict(self.standing.round.meters) if self.standing.round else {}
        do(act)
        return act

    def telling(self, person: str, message: said.StaffCommand) -> Any:
        role = "floor" if person == "f1" else "dealer"
        asking = StaffAsking(
            person=person,
            roles=frozenset({role}),
            config=self.config,
            time=Time(self.time_s, self.time_s),
            chance=NO_CHANCE,
            deck=None,
            round=f"r{self.rounds + 1}",
            meters=lambda: self.standing.table.meters,
        )
        return lambda act: console.perform(act, message, asking)

    def tell(self, person: str, message: said.StaffCommand) -> None:
        self.act(self.telling(person, message))

    def say(self, person: str, of: Any, command: dict[str, Any]) -> None:
        self.tell(person, said.Do("x", of, command))

    def refusal(self, person: str, of: Any, command: Any) -> Refused | None:
        """Return why a command is refused; None if it would be done. It isn't."""
        plain = command if isinstance(command, dict) else to_plain(command)
        try:
            self.trial(self.telling(person, said.Do("x", of, plain)))
        except Refused as refused:
            return refused
        return None

    def look(self) -> None:
        """Note the clauses that are shown now and that nobody confirms, though they try."""
        rules, of = self.standing.table.rules, "round" if self.standing.in_play else "table"
        for moment in moments_of(self.standing) if self.standing.table.crew.clerk else ():
            for name in rules.guided.get(moment, ()):
                if rules.clauses[name].force == "task" or name in self.shown:
                    continue
                deck = next(iter(self.standing.table.decks), 1)
                confirm: Any = in_round.Confirm(name, "dealer", "")
                if of == "table":
                    confirm = at_table.Confirm(deck, name, "dealer")
                for person in ("d1", "f1"):
                    why = self.refusal(person, of, confirm)
                    assert why and why.code in ("not_due", "not_guided"), (name, why)
                self.shown[name] = Kept(moment, (), wrong=("dealer", "floorperson"))

    # ------------------------------------------------------------ by the desk

    def next_step(self) -> NextStep:
        """Return the desk's next step by the clock."""
        return next_step(self.standing, Time(self.time_s, self.time_s))

    def step(self) -> NextStep:
        """Do the next step; the person it waits for moves."""
        step = self.next_step()
        if step.command is None:
            self.players_move(step)
            return step
        about, by = self.about(step), step.by[0]
        new = {n: c for n, c in self.keeping(step).items() if by not in self.kept_by(n)}
        if new:
            shown = {one["clause"] for one in desk_of(self.standing)["manners"]}
            assert new.keys() <= {step.clause, *shown}, f"nobody is told of {new.keys() - shown}"
        early = self.try_later(step) if new else ()
        wrong = self.try_by_others(step) if new else ()
        command = self.filled(step)
        self.say("f1" if by == "floorperson" else "d1", step.of, command)
        open_ = [(duty.clause, duty.about) for duty in self.duties()]
        for name, moment in new.items():
            if type(step.command).__name__ in ONCE and (name, about) in open_:
                continue  # There are more cards to turn up.
            again = self.try_again(step, name, about)
            old = self.kept.get(name, Kept(moment, ()))
            by_all = (*old.by, by)
            self.kept[name] = Kept(moment, by_all, early, (*old.wrong, *wrong), again)
        return step

    def kept_by(self, name: str) -> tuple[str, ...]:
        return self.kept[name].by if name in self.kept else ()

    def duties(self) -> tuple[Any, ...]:
        round = self.standing.in_play
        return (*due(self.standing.table), *(round.todo if round else ()))

    def keeping(self, step: NextStep) -> dict[str, str]:
        """Return the clauses that a step keeps, with their moments: its own, or those of its act.

        A clause that is due tells its moment; an act may bring the moment of its own.
        """
        rules, act = self.standing.table.rules, KEEPS.get(type(step.command))
        own = {d.clause: d.moment for d in self.duties() if d.clause == step.clause}
        acts = {d.clause: d.moment for d in self.duties() if rules.clauses[d.clause].act == act}
        brought = {
            name: moment
            for moment, names in rules.guided.items()
            for name in names
            if type(step.command) in LATER and rules.clauses[name].act == act
        }
        return {**own, **(acts if act else {}), **brought}

    def try_later(self, step: NextStep) -> tuple[str, ...]:
        """Try what comes after a step's clauses; return what is refused with them.

        Where the act itself is missing, the rule that demands it is cited, and named here.
        """
        mine, found = {*self.keeping(step)}, {}
        for of, command in self.later(step):
            why = self.refusal("d1", of, command)
            if type(step.command) in LATER:
                assert why and why.clause, f"{command} was done before {step.clause}"
            if why and (why.clause in mine or type(step.command) in LATER):
                own = why.clause in mine
                found[type(command).__name__] = "" if own else f" ({why.clause})"
        return tuple(f"{name}{cited}" for name, cited in found.items())

    def later(self, step: NextStep) -> list[tuple[str, Any]]:
        """Return what a dealer might do too early."""
        round, table = self.standing.in_play, self.standing.table
        about = self.about(step).removeprefix("deck ")
        number = int(about) if about.isdigit() else getattr(step.command, "deck", 1)
        found: list[tuple[str, Any]] = [
            ("table", at_table.Shuffle(number, 52 if table.rules.deck.machine_count else None)),
            ("table", at_table.Cut(number)),
            ("table", at_table.StartRound("", Time(0, 0))),
            ("table", at_table.Change(self.rules.digest)),
        ]
        if round or isinstance(step.command, at_table.StartRound):
            seat = next(iter(round.asked or round.boxes), 1) if round else 1
            options = round.step.option if round and round.step else {}
            found = [
                ("round", in_round.CloseBets()),
                ("table", at_table.DealFirstCard(Time(0, 0))),
                ("round", in_round.Deal()),
                ("round", Choose(seat, next(iter(options), ""), "dealer")),
                ("round", in_round.Read(DECK[0])),
                *(("round", in_round.Settle(seat=s)) for s in (round.boxes if round else ())),
                ("round", in_round.Close()),
                ("round", in_round.Confirm(step.clause, "dealer", self.about(step))),
            ]
        wanted = LATER.get(type(step.command))
        return [one for one in found if wanted is None or type(one[1]) in wanted]

    def try_by_others(self, step: NextStep) -> tuple[str, ...]:
        """Let everybody else try a step; return who they are. Each is refused with the clause."""
        mine, refused = {*self.keeping(step)}, []
        others = {"dealer": "d1", "floorperson": "f1", "clerk": "c1", "a stranger": "x1"}
        for who, person in others.items():
            reads = isinstance(step.command, in_round.Read | in_round.Show) and person != "x1"
            if who == step.by[0] or reads:
                continue  # Anybody who works here reads cards.
            why = self.refusal(person, step.of, self.filled(step))
            assert why and why.code in ("wrong_person", "not_tapped_in"), (step, who, why)
            assert why.clause in mine or person in ("c1", "x1"), (step, who, why)
            refused.append(who)
        return tuple(refused)

    def try_again(self, step: NextStep, name: str, about: str) -> tuple[str, ...]:
        """Keep a clause a second time; return what was refused."""
        right = "f1" if step.by[0] == "floorperson" else "d1"
        kind = type(step.command).__name__
        if kind in ONCE:
            kind, command = "Confirm", to_plain(in_round.Confirm(name, "dealer", about))
        else:
            command = self.filled(step)
        why = self.refusal(right, step.of, command)
        assert why, f"{kind} was done twice for {name}"
        return (kind,)

    def about(self, step: NextStep) -> str:
        """Return what the next step is about: a deck, a device, a seat; '' for the whole table."""
        found = (str(duty.about) for duty in self.duties() if duty.clause == step.clause)
        return next(found, "")

    def filled(self, step: NextStep) -> dict[str, Any]:
        """Return the command with what a person reads, counts or turns up."""
        command, table, round = to_plain(step.command), self.standing.table, self.standing.in_play
        field = (step.takes or {}).get("field")
        if field == "card" and round:
            command["card"] = str(self.cards[desk_of(self.standing)["reads"][0]["position"]])
        elif field == "stub" and round:
            command["stub"] = 52 - round.next_position
        elif field:
            values = {
                "sign": sign_code(table.rules),
                "cents": 5_000_00,
                "depth": 20,
                "cards": 52,
                "funds": 500_00,
            }
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
            self.until(is_dealt)
            self.try_rights_late()
            self.until(lambda standing: standing.in_play is None)
            self.option += 1
            self.time_s += 60

    def use(self, type: str, **fields: Any) -> bool:
        """Do one of the other acts on the desk, by the right person; whether it is there."""
        for one in desk_of(self.standing)["acts"]:
            if one["command"]["type"] == type and fields.items() <= one["command"].items():
                command = {"depth": 30, **one["command"]} if type == "Recut" else one["command"]
                if type in ("Recut", "OrderShuffle"):
                    self.try_right(one["clause"], command)
                self.say("f1" if one.get("by") == ["floorperson"] else "d1", one["of"], command)
                return True
        return False

    def try_right(self, name: str, command: dict[str, Any]) -> None:
        """Let others try what only a floorperson may ask for, and everybody when it is too late."""
        for person in ("d1", "c1", "x1"):
            why = self.refusal(person, "table", command)
            assert why and why.code in ("wrong_person", "not_tapped_in"), (name, person, why)
        wrong = "dealer", "clerk", "a stranger"
        self.shown[name] = self.shown[name]._replace(by=("floorperson",), wrong=wrong)
        self.rights[name] = command

    def try_rights_late(self) -> None:
        """Let the floorperson ask while the cards are out: it is too late."""
        for name, command in self.rights.items():
            why = self.refusal("f1", "table", {**command, "deck": self.standing.table.last_deck})
            assert why, f"{name} was asked for while the cards were out"
            self.shown[name] = self.shown[name]._replace(again=(command["type"],))

    def change_old_decks(self) -> None:
        """Let decks grow too old, where the book says when, and change them."""
        self.until(lambda standing: isinstance(next_step(standing).command, at_table.StartRound))
        self.time_s += 9 * 3600
        why = self.refusal("d1", "table", at_table.StartRound("", Time(0, 0)))
        if change := self.standing.table.rules.deal.change:
            assert why and (why.code, why.clause) == ("deck_too_old", change.clause)
            old, brought = [*self.standing.table.decks], []
            while not isinstance((step := self.step()).command, at_table.StartRound):
                if isinstance(step.command, at_table.Receive):
                    assert step.clause == change.clause
                    brought.append(step.command.deck)
            assert brought == old

    def do_without(self, device: str) -> None:
        """Lose a device, cover it or mark it in turn, play on without it, and have it back."""
        if not self.use("Fail", device=device, usable=False):
            return
        clauses = [duty.clause for duty in due(self.standing.table) if duty.moment == DEVICE]
        for clause in clauses:
            if clause not in self.kept:
                self.secure(clause, [*clauses])
                break
        self.play()
        assert self.use("Restore", device=device)
        assert self.use("Change", digest=self.rules.digest)
        self.play()

    def secure(self, clause: str, either: list[str]) -> None:
        """Cover a device or mark it; either will do, and nothing goes on before."""
        early = at_table.StartRound("", Time(0, 0)), at_table.Change(self.others[0].digest)
        for command in early:
            why = self.refusal("d1" if command is early[0] else "f1", "table", command)
            assert why and why.code == "device_open" and why.clause in either, why
        step = next(s for s in others(self.standing.table) if s.clause == clause)
        wrong = self.try_by_others(step)
        self.say("d1", "table", to_plain(step.command))
        again = self.refusal("d1", "table", step.command)
        assert again and again.code == "not_due"
        done = tuple(type(command).__name__ for command in early)
        self.kept[clause] = Kept(DEVICE, ("dealer",), done, wrong, ("Secure",))

    def leave(self) -> None:
        for seat in [*self.standing.table.seats]:
            self.act(lambda act, s=seat: act.at_table(at_table.Leave(s)))


def is_dealt(standing: Standing) -> bool:
    return standing.table.round is None or standing.table.round.dealt


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


def equipments(id: str) -> Iterator[dict[str, Any]]:
    """Yield the selections of a book's tables with every equipment."""
    known = book(id).rules.selection
    for one in [one for one in EQUIPMENT if one.keys() <= known.keys()] or [{}]:
        yield {**one, **WAGERS.get(id, {})}


def shifts() -> Iterator[Shift]:
    """Work a shift with every equipment of every book."""
    for id in STAKES:
        for selections in equipments(id):
            yield work(id, selections)


@cache
def worked() -> tuple[Shift, ...]:
    """Work all shifts once."""
    return tuple(shifts())


def met() -> dict[str, dict[str, list[Kept]]]:
    """Return how each guided clause of each book was kept or shown, shift by shift."""
    found: dict[str, dict[str, list[Kept]]] = {id: {} for id in STAKES}
    for shift in worked():
        for name, kept in {**shift.kept, **shift.shown}.items():
            found[shift.id].setdefault(name, []).append(kept)
    return found
