"""Test a book by playing it, and report what doesn't add up.

Every path of options is played at a full table with every allowed set of wagers, for each value of
each selection and each reading of a ruling, on decks in fixed orders. Nothing may fail, every stake
is settled once, every judged hand is face up, the money adds up, and every step is reached.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate, combinations, cycle, islice, product

from croupier.cards import DECK, Card
from croupier.errors import Breaches, Bug
from croupier.money import format_money, shown_cents
from croupier.reading.reader import DataPath, Fault
from croupier.round import commands
from croupier.round.evolve import evolve
from croupier.round.file import Played
from croupier.round.order import positions_of
from croupier.round.plan import plan_of
from croupier.round.play import Play
from croupier.round.result import result_of
from croupier.round.state import Box, Line, Round
from croupier.rules.check import idle_rulings
from croupier.rules.game import Envy
from croupier.rules.resolve import Unplayable, resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.trials import trials
from croupier.rules.vocabulary import BANK, SEAT

STAKE, POOR, RICH = 1_000, 2_500, 10_000_000
"""The stake where sizes are free, and the funds of a poor and a rich banker, in cents."""
DECKS = 20
"""The least number of rounds per table, each with a different order of the cards."""
SETS_MAX = 64
"""The most sets of wagers played at a table that offers very many."""

Path = Mapping[str, str]
"""The option for each decision step."""


def faults_in(book: Rulebook) -> list[Fault]:
    """Return every fault that playing a book reveals, without duplicates."""
    found: dict[tuple[DataPath, str], Fault] = {}
    seen: set[str] = set()
    reached: set[str] = set()
    for fault in idle_rulings(book.rules, book.data):
        found[fault.at, ""] = fault
    for trial in trials(book):
        try:
            rules = resolve(book, trial.selections, reading=trial.reading)
        except Breaches as breaches:
            # A book may forbid selections tried here, but must not leave an unplayable table.
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
        return [Fault(("step", name), "no round reaches it") for name in unreached]
    return list(found.values())


def faults_at(rules: TableRules, reached: set[str]) -> Iterator[Fault]:
    """Yield the faults of one table's rounds, and record the steps that they reach."""
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
        except Exception as error:  # Any failure is the book's fault.
            at: DataPath = ("step", trial.at)
            said = str(error) or type(error).__name__
            yield Fault(at, f"a round can't be played through: {said}")
            return


def _paths(rules: TableRules) -> list[Path]:
    asking = {name: step.option for name, step in rules.steps.items() if step.do == "decide"}
    return [dict(zip(asking, options, strict=True)) for options in product(*asking.values())]


def _bets(rules: TableRules) -> list[dict[str, int]]:
    """Return the sets of wagers that a seat may make, largest first."""
    names = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    metered = {m.wager for m in rules.meters.values() if m.rate is None or m.reset is None}
    names = [name for name in names if name not in metered]
    subsets = (subset for size in range(len(names), 0, -1) for subset in combinations(names, size))
    made = (bet for subset in subsets if (bet := _bet(rules, subset)))
    return list(islice(made, SETS_MAX))


def _bet(rules: TableRules, names: Sequence[str]) -> dict[str, int]:
    """Return stakes on these wagers, or nothing if they can't be made together."""
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
    """One round, played along its seats' paths, and the stakes made in it."""

    def __init__(
        self, rules: TableRules, ways: Sequence[tuple[Path, Mapping[str, int]]], number: int
    ) -> None:
        self.rules, self.number = rules, number
        self.play = Play(Round(rules), dict(enumerate(_deck(number))))
        self.made: list[tuple[int, str, int]] = []
        """Seat, spot and cents of every stake made, independent of the round's own account."""
        banks = rules.banked_by == "player"
        self.ways = dict(enumerate(ways, 2 if banks else 1))
        self.banker = commands.Bank(1, "banker", POOR if number % 2 else RICH) if banks else None

    @property
    def round(self) -> Round:
        return self.play.round

    @property
    def reached(self) -> set[str]:
        """The steps that the round reached, from its history."""
        rounds = accumulate(self.play.events, evolve, initial=Round(self.rules))
        return {round.stage.name for round in rounds if round.stage}

    @property
    def at(self) -> str:
        return self.round.stage.name if self.round.stage else next(iter(self.rules.steps))

    def faults(self) -> Iterator[Fault]:
        self._open()
        while (seat := self.play.to_decision()) is not None:
            option = self.ways[seat][0][self.at]
            self._place(seat, option)
            self.play.do(commands.Choose(seat, option))
        if self.round.stage is None or self.round.stage.do != "settle":
            raise Bug("the round stands still")
        self.play.show()
        yield from self._hidden()
        at, meters = self.at, self.round.meters_before
        self.play.settle()
        yield from (Fault(("step", at), fault) for fault in self._wrong(meters))

    def _open(self) -> None:
        self.play.do(commands.Open("proof"))
        if self.banker:
            self.play.do(self.banker)
        for seat, (_, bets) in self.ways.items():
            hand = self.rules.hand_at(seat)
            for wager, cents in bets.items():
                self.play.do(commands.Bet(seat, f"player {seat}", wager, cents, hand))
                self.made += [(seat, spot, cents) for spot in self.rules.spots[wager]]
        self.play.do(commands.CloseBets(), commands.Deal())

    def _place(self, seat: int, name: str) -> None:
        option = self.rules.steps[self.at].option[name]
        if option.places and option.equals:
            cents = next(c for s, spot, c in self.made if (s, spot) == (seat, option.equals))
            self.made.append((seat, option.places, cents * option.times))

    # ------------------------------------------------------------ what is checked

    def _hidden(self) -> Iterator[Fault]:
        """Yield a fault for each judged hand that isn't complete and face up."""
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
        """Yield a fault if seats, banker, meters and house don't sum to zero."""
        round, lines = self.round, self.round.lines
        result = result_of(Played(round, (), self.play.faces))
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
    """Return a deck in one of many orders: some sorted by suit and rank, the others mixed."""
    if number == 0:
        return tuple(sorted(DECK, key=lambda card: (card.suit, -card.rank)))
    if number == 1:
        return DECK[::-1]
    return tuple(sorted(DECK, key=lambda card: sha256(f"{number} {card}".encode()).digest()))
