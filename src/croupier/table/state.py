"""The state of a table between, before and during its rounds: frozen values, made by `evolve`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from croupier.money import micros
from croupier.round.commands import Bank, Open
from croupier.round.state import Banker, Duty
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import NONE, Device, Occasion, Stack
from croupier.table.commands import Time
from croupier.table.crew import NO_CREW, Crew
from croupier.table.events import Disputed, Mispaid, Proposed
from croupier.table.past import NEW, DeckPast
from croupier.table.tray import NO_TRAY, Tray

SHUFFLER, CARDS = "shuffler", "cards"
"""The selections for how cards are shuffled, and how they reach the table."""
UNKNOWN_S = 10**9
"""The assumed duration when no clock can tell: longer than any deck may last."""
HOUR_S = 3600

Stacked = Stack | Literal["shuffled by machine"]
Life = Literal["closed", "counted", "open", "closing"]
"""How far a table with a dealer has been opened; an automatic table ignores it."""
T = TypeVar("T")


class Outage(NamedTuple):
    """A device out of order: the clause on its failure, and the one that secured it."""

    clause: str
    secured: str = ""
    doubted: bool = False
    """Whether nobody has said yet that it can't be used."""


class BankTurn(NamedTuple):
    """The last banker's seat, player and number of consecutive rounds."""

    seat: int
    player: str
    rounds: int


@dataclass(frozen=True)
class Deck:
    age_s: int = 0
    """As of the table's `time`."""
    todo: tuple[Duty, ...] = ()
    stack: Stacked | None = None
    """How it was made ready to deal; None until it is shuffled."""
    depth: int = 0
    """The depth of the cut, 0 if uncut."""
    order: int = 0


@dataclass(frozen=True)
class InPlay:
    id: str
    deck: int
    dealt: bool = False
    banker: Banker | None = None


@dataclass(frozen=True)
class Table:
    """The state of a table that outlasts a round."""

    rules: TableRules
    ways: Mapping[str, TableRules] = field(default_factory=dict)
    """The rules for each set of equipment that the table can use, by digest."""
    time: Time | None = None
    seats: Mapping[int, str] = field(default_factory=dict)
    decks: Mapping[int, Deck] = field(default_factory=dict)
    last_deck: int = 0
    orders: int = 0
    uncounted: int = 0
    """Rounds since the cards were counted, including the current one."""
    out: Mapping[Device, Outage] = field(default_factory=dict)
    meters: Mapping[str, int] = field(default_factory=dict)
    """Each meter's reading after the last round that wasn't void, in micros."""
    banker: Banker | None = None
    """The player who has taken the bank of the next round."""
    turn: BankTurn | None = None
    passed: tuple[str, ...] = ()
    round: InPlay | None = None
    crew: Crew = NO_CREW
    proposals: tuple[Proposed, ...] = ()
    """What waits for a second person, the oldest first."""
    proposed: int = 0
    """How many proposals there have been."""
    walk_ins: int = 0
    """How many walk-ins have been seated."""
    bets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What each walk-in bet in the last round: cents by wager."""
    mispaid: tuple[Mispaid, ...] = ()
    """What walk-ins were handed wrongly and hasn't been put right, the oldest first."""
    disputes: tuple[Disputed, ...] = ()
    """What is contested and waits for the floor, the oldest first."""
    disputed: int = 0
    """How many disputes there have been."""
    past: Mapping[int, DeckPast] = field(default_factory=dict)
    """The history of each real deck."""
    life: Life = "closed"
    tray: Tray = NO_TRAY

    @property
    def deck_turn(self) -> int:
        """The deck to deal next; two decks alternate (3.B(4), deck/3.c), void rounds included."""
        return self.last_deck % self.rules.deck.decks + 1

    @property
    def count_due(self) -> bool:
        """Whether the stub must be counted before another round starts.

        M27: by the rounds of the table or of the deck, whichever comes first.
        """
        count, deck = self.rules.deck.stub_count, self.round.deck if self.round else self.deck_turn
        uncounted = max(self.uncounted, self.past.get(deck, NEW).uncounted)
        return count is not None and uncounted >= count.every_rounds

    def age_s(self, deck: int, time: Time) -> int:
        """Return the age of a deck at a time, never less than its true age."""
        return self.decks[deck].age_s + elapsed_s(self.time, time)

    def opening(self) -> tuple[Open | Bank, ...]:
        """Return the commands that open the started round."""
        if self.round is None:
            return ()
        known = self.rules.meters
        meters = {id: m for id, m in self.meters.items() if id in known}
        # M20: the stub is counted inside the last round that may go without a count.
        first = Open(self.round.id, meters, self.count_due)
        banker = self.round.banker
        return (first, Bank(banker.seat, banker.player, banker.funds)) if banker else (first,)


def new_table(rules: TableRules, others: Iterable[TableRules] = ()) -> Table:
    """Return an empty table; `others` are its rules with other equipment, if a device fails."""
    ways = {way.digest: way for way in (rules, *others)}
    return Table(rules, ways=ways, decks=virtual_decks(rules), meters=initial_meters(rules))


def virtual_decks(rules: TableRules) -> dict[int, Deck]:
    """Return the decks of a table with virtual cards, which needn't be brought (T9)."""
    virtual = "cards" not in rules.things
    return {number: Deck() for number in range(1, rules.deck.decks + 1) if virtual}


def initial_meters(rules: TableRules) -> dict[str, int]:
    """Return the declared meter readings before the first round."""
    return {id: micros(m.initial) for id, m in rules.meters.items() if m.initial is not None}


def elapsed_s(before: Time | None, now: Time) -> int:
    """Return at least the seconds between two readings, never fewer.

    Setting the wall clock back can't make a deck younger: while the machine runs, the uptime clock
    decides. After a restart the wall clock does, unless it shows less than the time since the
    restart.
    """
    if before is None:
        return 0
    wall_s = now.wall_s - before.wall_s
    if now.up_s >= before.up_s:
        return max(wall_s, now.up_s - before.up_s)
    return wall_s if wall_s >= now.up_s else UNKNOWN_S


def uses(rules: TableRules, device: Device) -> bool:
    """Whether cards are shuffled or dealt with this device; virtual cards pass through none."""
    if "cards" not in rules.things:
        return False
    return device in rules.deal.devices or (device == "shuffler" and has_shuffler(rules))


def has_shuffler(rules: TableRules) -> bool:
    """Whether the operator chose a shuffler, which spares the cut of what it shuffles."""
    chosen: str = rules.selections.get(SHUFFLER, NONE)
    return chosen != NONE


def right(rules: TableRules, moment: Occasion) -> str | None:
    """Return the clause that gives a floorperson a right at this moment."""
    names = (name for name in rules.guided.get(moment, ()) if rules.clauses[name].force == "right")
    return next(names, None)


def about_deck(number: int) -> str:
    """Return what a deck's duties are about."""
    return f"deck {number}"


def is_cut_due(rules: TableRules, deck: Deck) -> bool:
    """Whether a deck stacked this way is cut before it is dealt."""
    return rules.deck.cut is not None and deck.stack in rules.deck.cut.of


def cut(cards: Sequence[T], depth: int) -> tuple[T, ...]:
    """Return the cards after a cut: the top `depth` cards go to the bottom."""
    return (*cards[depth:], *cards[:depth])


def has_banked_enough(table: Table, player: str) -> bool:
    """Whether a player, at any seat, has banked the maximum number of consecutive rounds."""
    rotation, last = table.rules.bank.rotation, table.turn
    if rotation is None or last is None or last.player != player:
        return False
    return last.rounds >= rotation.rounds_max


def bank_order(table: Table) -> tuple[int, ...]:
    """Return the seats that may bank the next round, in turn; the first is next.

    The bank moves clockwise between players, not seats. A player who has banked enough is left out,
    or comes last if the book lets a banker stay.
    """
    if table.rules.banked_by == "house":
        return ()
    after, last = (table.turn.seat, table.turn.player) if table.turn else (0, "")
    ring = sorted(table.seats, key=lambda seat: (seat <= after, seat))
    seats: dict[str, int] = {}
    for seat in ring:
        seats.setdefault(table.seats[seat], seat)
    own = [after if table.seats.get(after) == last else seats[last]] if last in seats else []
    others = [seat for player, seat in seats.items() if player != last]
    if has_banked_enough(table, last):
        rotation = table.rules.bank.rotation
        order = [*others, *(own if rotation and rotation.stays else ())]
    else:
        order = [*own, *others]
    return tuple(seat for seat in order if table.seats[seat] not in table.passed)
