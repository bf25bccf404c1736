"""A table as it stands between, before and during its rounds: frozen values, made by `evolve`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from croupier.money import micros
from croupier.round.commands import Bank, Open
from croupier.round.state import Banker
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import NONE, Device, Moment, Stack
from croupier.table.commands import Time

SHUFFLER, CARDS = "shuffler", "cards"
"""The selections that say how cards are shuffled, and how they reach the table."""
"""The way of dealing that a device does."""
UNKNOWN_S = 10**9
"""How long a time is taken to be that no clock can tell: longer than any deck may last."""
HOUR_S = 3600

Stacked = Stack | Literal["shuffled by machine"]
T = TypeVar("T")


class Task(NamedTuple):
    """A guided clause that is to be confirmed of a deck, and the moment that brought it up."""

    moment: Moment
    clause: str


class Outage(NamedTuple):
    """A device out of order: the clause on its failure, and the one by which it was secured."""

    clause: str
    secured: str = ""


class Turn(NamedTuple):
    """Who banked the last round, where, and how many rounds running."""

    seat: int
    player: str
    rounds: int


@dataclass(frozen=True)
class Deck:
    """A deck at the table."""

    age_s: int = 0
    """As of the table's last time."""
    todo: tuple[Task, ...] = ()
    stack: Stacked | None = None
    """How it became a stack to deal from; None while it has still to be shuffled."""
    depth: int = 0
    """How deep it was cut, 0 if it was not."""
    order: int = 0


@dataclass(frozen=True)
class InPlay:
    """The round that is being played."""

    id: str
    deck: int
    dealt: bool = False
    banker: Banker | None = None


@dataclass(frozen=True)
class Table:
    """What lasts between the rounds of one table."""

    rules: TableRules
    ways: Mapping[str, TableRules] = field(default_factory=dict)
    """The rules for every equipment that the table may be run with, by their digests."""
    time: Time | None = None
    seats: Mapping[int, str] = field(default_factory=dict)
    decks: Mapping[int, Deck] = field(default_factory=dict)
    last_deck: int = 0
    orders: int = 0
    uncounted: int = 0
    """Rounds since cards were counted, the present one included."""
    out: Mapping[Device, Outage] = field(default_factory=dict)
    meters: Mapping[str, int] = field(default_factory=dict)
    """What each meter showed at the end of the last round that was not void, in micros."""
    banker: Banker | None = None
    """Who has taken the bank of the next round."""
    turn: Turn | None = None
    passed: tuple[str, ...] = ()
    round: InPlay | None = None

    @property
    def deck_turn(self) -> int:
        """The deck to be dealt next; two take turns (3.B(4), deck/3.c), void rounds or not."""
        return self.last_deck % self.rules.deck.decks + 1

    @property
    def count_due(self) -> bool:
        """Whether the stub has to be counted before another round starts."""
        count = self.rules.deck.stub_count
        return count is not None and self.uncounted >= count.every_rounds

    def age_s(self, deck: int, time: Time) -> int:
        """Return how old a deck is at a time, never less than it truly is."""
        return self.decks[deck].age_s + elapsed_s(self.time, time)

    def opening(self) -> tuple[Open | Bank, ...]:
        """Return the commands that open the round which was started."""
        if self.round is None:
            return ()
        known = self.rules.meters
        first = Open(self.round.id, {id: m for id, m in self.meters.items() if id in known})
        banker = self.round.banker
        return (first, Bank(banker.seat, banker.player, banker.funds)) if banker else (first,)


def new_table(rules: TableRules, others: Iterable[TableRules] = ()) -> Table:
    """Return an empty table; `others` are its rules with other equipment, for when one fails."""
    ways = {way.digest: way for way in (rules, *others)}
    return Table(rules, ways=ways, meters=initial_meters(rules))


def initial_meters(rules: TableRules) -> dict[str, int]:
    """Return what the meters show before the first round, where it was declared."""
    return {id: micros(m.initial) for id, m in rules.meters.items() if m.initial is not None}


def elapsed_s(before: Time | None, now: Time) -> int:
    """Return the seconds between two readings, or more, but never less.

    A wall clock that was put back cannot make a deck younger: while the machine runs, its other
    clock tells. After a new start the wall clock is asked, and is not believed where it shows less
    than the time since that start.
    """
    if before is None:
        return 0
    wall_s = now.wall_s - before.wall_s
    if now.up_s >= before.up_s:
        return max(wall_s, now.up_s - before.up_s)
    return wall_s if wall_s >= now.up_s else UNKNOWN_S


def uses(rules: TableRules, device: Device) -> bool:
    """Whether cards are shuffled, or dealt, by this device."""
    chosen = rules.selections.get(SHUFFLER, NONE) != NONE
    return device in rules.deal.devices or (device == "shuffler" and chosen)


def is_cut_due(rules: TableRules, deck: Deck) -> bool:
    """Whether a stack of this kind is cut before it is dealt."""
    return rules.deck.cut is not None and deck.stack in rules.deck.cut.of


def cut(cards: Sequence[T], depth: int) -> tuple[T, ...]:
    """Return the cards as they lie after a cut so deep: the top of the stack goes underneath."""
    return (*cards[depth:], *cards[:depth])


def has_banked_enough(table: Table, player: str) -> bool:
    """Whether a player, wherever they sit now, has banked all the rounds running that one may."""
    rotation, last = table.rules.bank.rotation, table.turn
    if rotation is None or last is None or last.player != player:
        return False
    return last.rounds >= rotation.rounds_max


def bank_order(table: Table) -> tuple[int, ...]:
    """Return the seats that may bank the next round, in turn; the first one's turn is now.

    The bank moves clockwise, and it is players who bank, not seats: whoever has banked enough is
    left out, or comes last where the book lets a banker stay.
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
