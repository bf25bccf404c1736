"""Plays a book through, and says what does not add up.

Every path of options is played at a full table with every set of wagers that may be made, for each
value of each selection and each reading of a ruling, on decks in fixed orders. Nothing may fail,
every stake is settled once, every hand that is judged lies face up, the money adds up, and every
step is come to.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, cycle, islice, product

from croupier.cards import DECK, Card
from croupier.errors import Breaches, Bug
from croupier.money import format_money, shown_cents
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Open,
    Settle,
    Show,
)
from croupier.round.decide import decide
from croupier.round.evolve import evolve_all
from croupier.round.file import Played
from croupier.round.order import positions_of
from croupier.round.plan import plan_of
from croupier.round.result import result_of
from croupier.round.settle import shared_place
from croupier.round.state import Box, Line, Round
from croupier.rules.check import idle_rulings
from croupier.rules.game import Envy
from croupier.rules.reader import Fault, Place
from croupier.rules.resolve import Unplayable, resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.trials import trials
from croupier.rules.vocabulary import BANK, SEAT

STAKE, POOR, RICH = 1_000, 2_500, 10_000_000
"""What is staked where the sizes are free, and what a banker puts up, in cents."""
DECKS = 20
"""How many rounds are played at a table at least, each with another order of the cards."""
SETS_MAX = 64
"""How many sets of wagers are played of a table that offers very many."""

Path = Mapping[str, str]
"""An option for each step that asks."""


def faults_in(book: Rulebook) -> list[Fault]:
    """Return everything that playing a book shows to be wrong; the same thing once."""
    found: dict[tuple[Place, str], Fault] = {}
    seen: set[str] = set()
    reached: set[str] = set()
    for fault in idle_rulings(book.rules, book.data):
        found[fault.at, ""] = fault
    for trial in trials(book):
        try:
            rules = resolve(book, trial.selections, reading=trial.reading)
        except Breaches as breaches:
            # A book may forbid what is tried here, but not leave a table that cannot be played.
            if trial.must or isinstance(breaches, Unplayable):
                found.setdefault(((), str(breaches)), Fault(trial.at, str(breaches)))
            continue
        if rules.digest in seen:
            continue
        seen.add(rules.digest)
        for fault in faults_at(rules, reached):
            words = f" where {trial.says}" if trial.says else ""
            found.setdefault((fault.at, fault.message), Fault(fault.at, fault.message + words))
    if not found:
        unreached = [name for name in book.rules.step if name not in reached]
        return [Fault(("step", name), "no round comes to it") for name in unreached]
    return list(found.values())


def faults_at(rules: TableRules, reached: set[str]) -> Iterator[Fault]:
    """Yield what is wrong with the rounds of one table, and note the steps that they come to."""
    seats = rules.table.seats - (rules.banked_by == "player")
    paths, sets = _paths(rules), _bets(rules)
    if not sets:
        yield Fault(("wager",), "no bet can be made")
        return
    ways = list(product(paths, sets))
    full = [ways[i : i + seats] for i in range(0, len(ways), seats)]
    full[-1] = list(islice(cycle([*full[-1], *ways]), seats))
    for number, each in enumerate(islice(cycle(full), max(DECKS, len(full)))):
        try:
            trial = _Trial(rules, each, number)
            yield from trial.faults()
            reached |= trial.reached
        except Exception as error:  # Whatever a book brings about, it is the book's fault.
            at: Place = ("step", trial.at)
            said = str(error) or type(error).__name__
            yield Fault(at, f"a round cannot be played through: {said}")
            return


def _paths(rules: TableRules) -> list[Path]:
    asking = {name: step.option for name, step in rules.steps.items() if step.do == "decide"}
    return [dict(zip(asking, options, strict=True)) for options in product(*asking.values())]


def _bets(rules: TableRules) -> list[dict[str, int]]:
    """Return the sets of wagers that a seat may make, the largest first."""
    names = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    metered = {m.wager for m in rules.meters.values() if m.rate is None or m.reset is None}
    names = [name for name in names if name not in metered]
    subsets = (subset for size in range(len(names), 0, -1) for subset in combinations(names, size))
    made = (bet for subset in subsets if (bet := _bet(rules, subset)))
    return list(islice(made, SETS_MAX))


def _bet(rules: TableRules, names: Sequence[str]) -> dict[str, int]:
    """Return stakes on these wagers, or nothing if they may not be made together."""
    stakes: dict[str, int] = {}
    for name in names:
        limits, sizes = rules.limits.get(name), rules.wagers[name].sizes
        stakes[name] = sizes.of[0] if sizes else limits.min if limits else STAKE
    for name in names:
        for condition in rules.wagers[name].conditions:
            if condition.needs and not set(condition.needs) & stakes.keys():
                return {}
            if condition.of:
                most = int((condition.at_most or 0) * stakes.get(condition.of, 0))
                if not most or (rules.wagers[name].sizes and stakes[name] > most):
                    return {}
                stakes[name] = min(stakes[name], most)
    return stakes


class _Trial:
    """One round, played by the ways of its seats, and what was staked in it."""

    def __init__(
        self, rules: TableRules, ways: Sequence[tuple[Path, Mapping[str, int]]], number: int
    ) -> None:
        self.rules, self.number = rules, number
        self.deck = _deck(number)
        self.round = Round(rules)
        self.made: list[tuple[int, str, int]] = []
        """Seat, spot and cents of every stake that was made, whatever the round makes of it."""
        self.reached: set[str] = set()
        banks = rules.banked_by == "player"
        self.ways = dict(enumerate(ways, 2 if banks else 1))
        self.banker = Bank(1, "banker", POOR if number % 2 else RICH) if banks else None

    @property
    def at(self) -> str:
        return self.round.stage.name if self.round.stage else next(iter(self.rules.steps))

    def faults(self) -> Iterator[Fault]:
        self._open()
        while (stage := self.round.stage) and stage.do != "settle":
            self.reached.add(stage.name)
            before = self.round
            self._go_on()
            if self.round is before:
                raise Bug("the round stands still")
        self._show()
        yield from self._hidden()
        at, meters = self.at, self.round.meters_before
        self.reached.add(at)
        self._do(Settle())
        yield from (Fault(("step", at), fault) for fault in self._wrong(meters))

    def _do(self, command: Command) -> None:
        self.round = evolve_all(self.round, decide(self.round, command))

    def _open(self) -> None:
        self._do(Open("proof"))
        self.reached.add(self.at)
        if self.banker:
            self._do(self.banker)
        place = shared_place(self.rules)
        hands = self.rules.places[place].hands if place else 0
        for seat, (_, bets) in self.ways.items():
            hand = seat % hands + 1 if hands else None
            for wager, cents in bets.items():
                self._do(Bet(seat, f"player {seat}", wager, cents, hand))
                self.made += [(seat, spot, cents) for spot in self.rules.spots[wager]]
        self._do(CloseBets())

    def _go_on(self) -> None:
        """Do what the step is there for."""
        if self.round.due:
            self._show()
        elif self.round.asked:
            seat = self.round.asked[0]
            name = self.ways[seat][0][self.at]
            self._place(seat, name)
            self._do(Choose(seat, name))
        elif self.round.stage and self.round.stage.do == "deal":
            self._do(Deal())

    def _place(self, seat: int, name: str) -> None:
        option = self.rules.steps[self.at].option[name]
        if option.places and option.equals:
            cents = next(c for s, spot, c in self.made if (s, spot) == (seat, option.equals))
            self.made.append((seat, option.places, cents * option.times))

    def _show(self) -> None:
        if self.round.due:
            self._do(Show(tuple(Face(p, self.deck[p]) for p in self.round.due)))

    # ------------------------------------------------------------ what is looked at

    def _hidden(self) -> Iterator[Fault]:
        """A hand that is judged has all its cards, face up."""
        round = self.round
        for part in plan_of(self.rules).parts:
            for box in round.boxes.values():
                stake = box.stakes.get(part.stake)
                if stake is None or stake.fate != "live":
                    continue
                against = () if part.state or isinstance(part.what, Envy) else (BANK,)
                for place in (*part.of, *against):
                    cards = _positions(round, box, place)
                    if not cards or any(position not in round.faces for position in cards):
                        message = f"{part.name!r} is judged by cards of {place!r} that are not up"
                        yield Fault(("step", self.at), message)

    def _wrong(self, before: Mapping[str, int]) -> Iterator[str]:
        lines = self.round.lines
        settled = Counter((x.seat, x.wager, x.stake) for x in lines if x.stake)
        made = Counter(self.made)
        for _, spot, cents in settled - made:
            yield f"{spot!r} is settled for {format_money(cents)} more than lay there"
        for _, spot, cents in made - settled:
            yield f"a stake of {format_money(cents)} on {spot!r} is not settled"
        bonuses = Counter((x.seat, x.wager, x.from_seat) for x in lines if not x.stake)
        for (_, name, _), times in bonuses.items():
            if times > 1:
                yield f"{name!r} is paid {times} times"
        for line in lines:
            if not _adds_up(line):
                yield f"{line.wager!r} comes to a {line.outcome!r} that does not add up"
        yield from self._sum(before)

    def _sum(self, before: Mapping[str, int]) -> Iterator[str]:
        """Seats, banker, meters and house come to nothing."""
        round, lines = self.round, self.round.lines
        result = result_of(Played(round, (), dict(enumerate(self.deck))))
        moved = sum(map(shown_cents, round.meters.values())) - sum(
            map(shown_cents, before.values())
        )
        nets = sum(x.paid + x.returned - x.stake for x in lines)
        fees = sum(box.fee for box in round.boxes.values())
        bank = round.bank_result
        if bank:
            lost = sum(x.stake for x in lines if x.outcome in ("lose", "forfeit"))
            if (bank.collected, bank.paid) != (lost, sum(x.paid for x in lines)):
                yield "the banker does not collect what is lost and pay what is won"
            if bank.paid > bank.funds + bank.collected:
                yield "the banker pays more than there is"
            fees, nets = fees + bank.fee, nets + bank.collected - bank.paid
        if result["house"] != format_money(fees - nets - moved) or (bank and nets):
            yield "seats, banker, meters and house do not add up to nothing"
        if any(micros < 0 for micros in round.meters.values()):
            yield "a meter pays more than it shows"


def _adds_up(line: Line) -> bool:
    match line.outcome:
        case "win":
            return line.paid >= 0 and line.returned in (0, line.stake)
        case "lose" | "forfeit":
            return line.paid == line.returned == 0
        case "push" | "withdrawn" | "uncovered":
            return line.paid == 0 and line.returned == line.stake
    return False


def _positions(round: Round, box: Box, place: str) -> tuple[int, ...]:
    return positions_of(round, box) if place == SEAT else round.places.get(place, ())


def _deck(number: int) -> tuple[Card, ...]:
    """Return a deck in one of many orders: some by suit and by rank, the others mixed."""
    if number == 0:
        return tuple(sorted(DECK, key=lambda card: (card.suit, -card.rank)))
    if number == 1:
        return DECK[::-1]
    return tuple(sorted(DECK, key=lambda card: sha256(f"{number} {card}".encode()).digest()))
