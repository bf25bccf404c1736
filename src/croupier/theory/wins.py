"""What the house won beside what it could expect: by table, wager and day, and over time.

`Wins` reads the journals of all tables once, and from then on only what is new in them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from math import sqrt
from typing import Literal, NamedTuple, assert_never

from croupier.ledger.accounts import HOUSE, kind_of
from croupier.ledger.acts import HOUSE_STREAM
from croupier.ledger.audit import RulesOf
from croupier.ledger.store import View
from croupier.money import micros
from croupier.theory.moments import Moments
from croupier.theory.pricing import PricedBet, Theory, WeighedHand
from croupier.theory.rounds import RoundReader, SettledHand, SettledRound

By = Literal["table", "wager", "day"]
IRREGULAR = "rounds with an irregularity"
PLAYER_BANKED = "rounds that a player banked"
OTHER_BOOK = "rounds by rules that the books here don't have"
OTHERS_HANDS = "bonuses for other players' hands"
NO_METER = "hands with a meter that shows nothing"
SLOTS_MAX = 512
MINUTE_MS = 60_000
OF_THE_HOUSE = ("inventory", "meter", "fees")


@dataclass
class Sums:
    """The totals of some rounds, in cents. The first half is everything, the second what is priced.

    Sums of different rounds may be added: what one round wins says nothing of another.
    """

    hands: int = 0
    """How many stakes, or for whole rounds how many hands."""
    handle: int = 0
    """All stakes, without those that players took back."""
    win: int = 0
    priced_handle: int = 0
    priced_win: int = 0
    expected: Fraction = Fraction(0)
    variance: float = 0.0

    def add(self, other: "Sums") -> None:
        self.hands += other.hands
        self.handle += other.handle
        self.win += other.win
        self.priced_handle += other.priced_handle
        self.priced_win += other.priced_win
        self.expected += other.expected
        self.variance += other.variance

    @property
    def standard_error(self) -> float:
        return sqrt(max(self.variance, 0.0))

    @property
    def z(self) -> float | None:
        """How many standard errors the priced win is above the expected one."""
        error = self.standard_error
        return float(self.priced_win - self.expected) / error if error else None


@dataclass
class RoundSums:
    """Whole rounds: their sums, fees, and what was left out of the theory."""

    sums: Sums = field(default_factory=Sums)
    rounds: int = 0
    void: int = 0
    fees: int = 0
    bounded: int = 0
    """Rounds whose variance is an upper bound, because their seats' correlation isn't counted."""
    left_out: dict[str, Sums] = field(default_factory=dict)
    """What the theory doesn't cover, by reason."""

    def leave_out(self, reason: str, sums: Sums) -> None:
        """Count hands that the theory doesn't cover."""
        self.sums.add(sums)
        self.left_out.setdefault(reason, Sums()).add(sums)

    def add(self, other: "RoundSums") -> None:
        self.sums.add(other.sums)
        self.rounds += other.rounds
        self.void += other.void
        self.fees += other.fees
        self.bounded += other.bounded
        for reason, sums in other.left_out.items():
            self.left_out.setdefault(reason, Sums()).add(sums)


class WagerKey(NamedTuple):
    """A wager of a book."""

    rulebook: str
    wager: str


class TableDay(NamedTuple):
    """Where a row of the report belongs."""

    table: str
    day: str


class Series:
    """Sums over time, in slots that widen so that there are never too many."""

    def __init__(self) -> None:
        self.width_ms = MINUTE_MS
        self.slots: dict[int, Sums] = {}

    def add(self, time_ms: int, sums: Sums) -> None:
        self.slots.setdefault(time_ms // self.width_ms, Sums()).add(sums)
        while len(self.slots) > SLOTS_MAX:
            self.widen()

    def widen(self) -> None:
        """Join every two slots."""
        self.width_ms *= 2
        before, self.slots = self.slots, {}
        for slot, sums in before.items():
            self.slots.setdefault(slot // 2, Sums()).add(sums)

    def join(self, other: "Series") -> None:
        """Add another series, in the wider slots of both."""
        while self.width_ms < other.width_ms:
            self.widen()
        for slot, sums in other.slots.items():
            self.add(slot * other.width_ms, sums)

    def running(self) -> list[tuple[int, Sums]]:
        """Return the sums up to the end of each slot, with its time."""
        whole, found = Sums(), []
        for slot in sorted(self.slots):
            whole.add(self.slots[slot])
            found.append(((slot + 1) * self.width_ms, Sums(**vars(whole))))
        return found


class WinRow(NamedTuple):
    """One row of a report."""

    name: str
    label: str
    sums: Sums
    tally: RoundSums | None
    """None where single wagers are listed."""


class Wins:
    """Reads the journals of a ledger, and adds up what its rounds came to."""

    def __init__(self, rules_of: RulesOf, theory: Theory | None = None) -> None:
        self.rules_of, self.theory = rules_of, theory or Theory()
        self.tallies: dict[TableDay, RoundSums] = {}
        self.wagers: dict[tuple[TableDay, WagerKey], Sums] = {}
        self.labels: dict[WagerKey, str] = {}
        self.series: dict[str, Series] = {}
        self._readers: dict[str, RoundReader] = {}

    def read(self, view: View, told: Callable[[int], None] = lambda events: None) -> None:
        """Read what is new in the journals of all tables, and tell how far this is, in events."""
        for stream, (reader, head) in self._readers_in(view).items():
            if (number := reader.number) >= head:
                continue
            for round in reader.read(view.stream(stream, after=number)):
                self._add(stream, round)
                told(reader.number - number)
                number = reader.number
            told(reader.number - number)

    def unread(self, view: View) -> int:
        """Return how many events are new in the journals of all tables."""
        return sum(head - reader.number for reader, head in self._readers_in(view).values())

    def _readers_in(self, view: View) -> dict[str, tuple[RoundReader, int]]:
        """Return the reader of every table's journal, and the number of its last event."""
        heads = {s: head.number for s, head in view.heads().items() if s != HOUSE_STREAM}
        readers = self._readers
        return {
            s: (readers.setdefault(s, RoundReader(self.rules_of)), head)
            for s, head in heads.items()
        }

    # ------------------------------------------------------------ one round

    def _add(self, table: str, round: SettledRound) -> None:
        place = TableDay(table, _day(round.time_ms))
        tally = RoundSums(rounds=1)
        if round.is_void:
            tally = RoundSums(void=1)
        elif round.is_player_banked:
            tally.fees = round.fees_cents
            handle = sum(line.staked for hand in round.hands for line in hand.lines)
            # What these hands win or lose is the banker's.
            tally.leave_out(PLAYER_BANKED, Sums(hands=len(round.hands), handle=handle))
        else:
            tally.fees = round.fees_cents
            self._add_hands(place, round, tally)
        self.tallies.setdefault(place, RoundSums()).add(tally)
        self.series.setdefault(table, Series()).add(round.time_ms, tally.sums)

    def _add_hands(self, place: TableDay, round: SettledRound, tally: RoundSums) -> None:
        """Add the hands of a round that the house banked."""
        weighed: list[tuple[SettledHand, WeighedHand]] = []
        for hand in round.hands:
            priced = self._priced(round, hand)
            if isinstance(priced, str):
                tally.leave_out(priced, self._add_lines(place, round, hand, {}))
                continue
            weights = priced.weights(round.meters)
            expected: dict[str, Fraction] = {}
            columns = zip(priced.moments.columns, priced.moments.means, weights, strict=True)
            for column, mean, times in columns:
                if times:
                    expected[column.line] = expected.get(column.line, Fraction(0)) - mean * times
            tally.sums.add(self._add_lines(place, round, hand, expected))
            for line in hand.lines:
                if not line.is_priced:
                    own = Sums(handle=line.staked, win=line.won)
                    tally.left_out.setdefault(OTHERS_HANDS, Sums()).add(own)
            weighed.append((hand, WeighedHand(priced.moments, weights, hand.hand)))
        variance = self.theory.variance(_by_cards(weighed))
        tally.sums.variance += variance.whole
        tally.bounded += not variance.is_counted
        for name, own_variance in variance.lines.items():
            if own_variance:
                self._wager(place, round, name).variance += own_variance

    def _priced(self, round: SettledRound, hand: SettledHand) -> PricedBet | str:
        """Return the price of a hand's bet, or why it has none."""
        if round.rules is None:
            return OTHER_BOOK
        if round.is_irregular:
            return IRREGULAR
        priced = self.theory.priced(round.rules, hand.bet)
        if isinstance(priced, PricedBet) and priced.meters - round.meters.keys():
            return NO_METER
        return priced

    def _add_lines(
        self, place: TableDay, round: SettledRound, hand: SettledHand, expected: dict[str, Fraction]
    ) -> Sums:
        """Add the lines of a hand to their wagers, and return their totals."""
        whole = Sums(hands=1)
        lines = {line.wager for line in hand.lines if line.is_priced}
        for name in expected.keys() - lines:  # Such as a wager that a fold left unmade.
            own = Sums(expected=expected[name])
            self._wager(place, round, name).add(own)
            whole.add(own)
        for line in hand.lines:
            own = Sums(handle=line.staked, win=line.won)
            if line.is_priced and line.wager in expected:
                own.priced_handle, own.priced_win = line.staked, line.won
                own.expected = expected[line.wager]
            wager = self._wager(place, round, line.wager)
            wager.add(own)
            wager.hands += line.staked > 0
            whole.add(own)
        return whole

    def _wager(self, place: TableDay, round: SettledRound, name: str) -> Sums:
        """Return the sums of a wager at a table on a day."""
        key = WagerKey(round.rulebook, name)
        if key not in self.labels:
            self.labels[key] = round.rules.label(name) if round.rules else name
        return self.wagers.setdefault((place, key), Sums())

    # ------------------------------------------------------------ reports

    @property
    def tables(self) -> set[str]:
        """The tables at which a round has ended."""
        return {place.table for place in self.tallies}

    def house(self, table: str | None = None) -> RoundSums:
        """Return all rounds, or those of one table."""
        whole = RoundSums()
        for place, tally in self.tallies.items():
            if table in (None, place.table):
                whole.add(tally)
        return whole

    def rejected_micros(self, table: str | None = None) -> int:
        """Return the awards that the floor rejected; the win counts them as paid."""
        readers = self._readers.items()
        return sum(reader.rejected_micros for name, reader in readers if table in (None, name))

    def rows(self, by: By, *, table: str | None = None) -> list[WinRow]:
        """Return a row for each table, wager or day; of one table if it is named."""
        match by:
            case "table":
                return self._rounds(lambda place: place.table, table)
            case "day":
                return self._rounds(lambda place: place.day, table)
            case "wager":
                sums: dict[WagerKey, Sums] = {}
                for (place, key), own in self.wagers.items():
                    if table in (None, place.table):
                        sums.setdefault(key, Sums()).add(own)
                named = sorted(sums.items())
                return [WinRow("/".join(key), self.labels[key], own, None) for key, own in named]
            case _:
                assert_never(by)

    def _rounds(self, name_of: Callable[[TableDay], str], table: str | None) -> list[WinRow]:
        tallies: dict[str, RoundSums] = {}
        for place, own in self.tallies.items():
            if table in (None, place.table):
                tallies.setdefault(name_of(place), RoundSums()).add(own)
        return [WinRow(name, name, tally.sums, tally) for name, tally in sorted(tallies.items())]

    def over_time(self, table: str | None = None) -> Series:
        """Return the sums over time, of all tables or of one."""
        whole = Series()
        for name, series in self.series.items():
            if table in (None, name):
                whole.join(series)
        return whole

    def unexplained_micros(self, view: View) -> int:
        """Return by how much the accounts of the house differ from what its rounds won.

        Stakes that are lost, payouts, fees and meters move between the house and its players only
        in rounds, so these accounts come to what all rounds won. Read the same snapshot before.
        """
        balances = view.balances()
        own = (one for name, one in balances.items() if kind_of(name) in OF_THE_HOUSE)
        there = sum(own) + balances.get(HOUSE, 0)
        whole = self.house()
        open_rounds = (reader.open for reader in self._readers.values() if reader.open)
        moved = sum(round.moved_cents for round in open_rounds)
        return there - micros(whole.sums.win + whole.fees + moved) - self.rejected_micros()


def _by_cards(hands: Iterable[tuple[SettledHand, WeighedHand]]) -> list[WeighedHand]:
    """Join the bets of seats that bet on the same cards, by the same strategy."""
    joined: dict[tuple[int, int | None, Moments], WeighedHand] = {}
    for hand, weighed in hands:
        own = 0 if hand.hand is not None else hand.seat
        key = own, hand.hand, weighed.moments
        known = joined.get(key)
        if known is not None:
            both = zip(known.weights, weighed.weights, strict=True)
            weighed = known._replace(weights=tuple(a + b for a, b in both))
        joined[key] = weighed
    return list(joined.values())


def _day(time_ms: int) -> str:
    """Return the date of a time, in UTC."""
    return datetime.fromtimestamp(time_ms // 1000, UTC).date().isoformat()
