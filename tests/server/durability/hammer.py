"""Many tables that share one meter, from several threads, with decks that are made to win."""

import random
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from msgspec import structs

from croupier.cards import DECK, Card
from croupier.ledger.accounts import Account
from croupier.ledger.events import Bought, MeterStarted, TableSet
from croupier.ledger.scribe import Draft, Scribe
from croupier.ledger.store import Answer, Claim, Decide, Work
from croupier.ledger.stores.protocol import Store
from croupier.money import micros
from croupier.round.commands import Bet, Choose, CloseBets, Command, Deal, Face, Open, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import BetsClosed, Event, Opened, SeatSettled
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.words import plain
from tests.ledger.tables import PURSE, Till, of_ledger, of_round
from tests.rules.books import LET_IT_RIDE
from tests.server.durability.tables import rules_of

METER, ACCOUNT = "casino", Account("meter:casino")
INITIAL = 5_000_000_123
"""In micros: with less than a cent in it, which must never be lost."""
SELECTIONS = {"progressive": "A", "progressive_rate": Decimal("0.1737"), "progressive_reset": 1000}
THREADS = 4

# What the seats and the community hold: everybody else has cards that win nothing here.
ROYAL, FLUSH, SHARED = ("Qs", "Ks", "As"), ("7s", "8s", "9s"), ("Ts", "Js")
DULL = ("2h", "5d", "9c")
KINDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "none": (DULL, ("7c", "Jd")),
    "all": (ROYAL, DULL, SHARED),
    "tenth": (DULL, FLUSH, SHARED),
    "both": (ROYAL, FLUSH, SHARED),
    "turned": (FLUSH, ROYAL, SHARED),
}
SEATS = (1, 2)


@cache
def rules() -> TableRules:
    return rules_of(LET_IT_RIDE, SELECTIONS)


class Dealt(NamedTuple):
    """A round up to its settlement: as it stands, and its events."""

    round: Round
    events: tuple[Event, ...]


@cache
def dealt(kind: str, table: str) -> Dealt:
    """Play a round of a kind at a table up to where only its settlement is left."""
    round, events = Round(rules()), list[Event]()

    def do(command: Command) -> None:
        nonlocal round
        for event in decide(round, command):
            round = evolve(round, event)
            events.append(event)

    do(Open("r", dict.fromkeys(rules().meters, 0)))
    for seat in SEATS[: len(KINDS[kind]) - 1]:
        for wager in ("let_it_ride", "progressive"):
            do(Bet(seat, f"{table} p{seat}", wager, 1000 if wager == "let_it_ride" else 100))
    do(CloseBets())
    do(Deal())
    faces = _faces(round, KINDS[kind])
    while round.due or round.asked:
        if round.due:
            do(Show(tuple(Face(place, faces[place]) for place in round.due)))
        else:
            assert round.step
            do(Choose(round.asked[0], next(iter(round.step.option))))
    return Dealt(round, tuple(events))


def _faces(round: Round, hands: tuple[tuple[str, ...], ...]) -> dict[int, Card]:
    named = {str(card): card for card in DECK}
    places = [*(box.cards for _, box in sorted(round.boxes.items())), round.places["community"]]
    faces = {
        place: named[name]
        for cards, names in zip(places, hands, strict=True)
        for place, name in zip(cards, names, strict=True)
    }
    rest = iter(card for card in DECK if card not in faces.values())
    return {place: faces.get(place) or next(rest) for place in range(len(DECK))}


class Move(NamedTuple):
    """What somebody saw and did who had the meter."""

    round: str
    reading: int
    raised: int = 0
    paid: tuple[int, ...] = ()
    reset: int = 0

    @property
    def after(self) -> int:
        return self.reading + self.raised - sum(self.paid) + self.reset


class Settling(Protocol):
    def __call__(self, claim: Claim, meters: list[str], decide: Decide) -> Answer: ...


@dataclass
class Tally:
    """What was done under the meter's lock, in the order in which it was had."""

    moves: dict[str, tuple[int, Move]] = field(default_factory=dict)
    turn: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, command: str, move: Move) -> None:
        """Note a move; one that the database broke off is noted again when it is done again."""
        with self.lock:
            self.turn += 1
            self.moves[command] = self.turn, move

    def ordered(self) -> list[Move]:
        return [move for _, move in sorted(self.moves.values())]


class Table:
    """A table of the hammer, which plays its rounds with two commands each."""

    def __init__(self, store: Store, name: str, tally: Tally) -> None:
        self.till, self.name, self.tally = Till(store, name), name, tally
        self.till.scribe = Scribe(name, rules_of)
        self.settle: Settling = store.settle
        (meter,) = rules().meters
        names = {meter: METER}
        self.till.put(*of_ledger(TableSet(LET_IT_RIDE, plain(SELECTIONS), rules().digest, names)))
        for seat in SEATS:
            self.till.put(*of_ledger(Bought(f"{name} p{seat}", PURSE)))

    def play(self, number: int, kind: str) -> None:
        """Raise the meter by a round's bets, and settle the round at what the meter shows then."""
        name = f"{self.name}-{number}"
        round, (opened, *rest) = dealt(kind, self.name)
        assert isinstance(opened, Opened)
        events: tuple[Event, ...] = (opened._replace(round=name), *rest)
        (rises,) = (event.rises for event in events if isinstance(event, BetsClosed))
        raised = sum(rises.values())
        self._do(f"{name} bets", lambda shown: (events, Move(name, shown, raised)))
        round = structs.replace(round, id=name)

        def settled(shown: int) -> tuple[tuple[Event, ...], Move]:
            done = tuple(decide(round, Settle(dict.fromkeys(round.rules.meters, shown))))
            return done, _paid(round, done, shown)

        self._do(f"{name} settles", settled)

    def _do(self, command: str, work: Any) -> None:
        drafts: list[Draft] = []

        def decided(shown: Mapping[str, int]) -> Work:
            events, move = work(shown[METER])
            self.tally.note(command, move)
            draft = self.till.scribe.draft(of_round(events), time_ms=number_of(command))
            drafts[:] = [draft]
            return Work(draft.events, "", draft.emptied)

        scribe = self.till.scribe
        claim = Claim(command, sha256(b"").digest(), scribe.stream, scribe.head)
        self.settle(claim, [METER], decided)
        self.till.scribe = drafts[0].scribe


def number_of(command: str) -> int:
    return 1_700_000_000_000 + len(command)


def _paid(round: Round, events: tuple[Event, ...], shown: int) -> Move:
    """Work out from lines and meters, seat by seat, what came out of the meter and went in."""
    (meter,) = round.rules.meters
    paid, reset, stands = [], 0, shown
    for event in events:
        if isinstance(event, SeatSettled) and meter in event.meters:
            lines = [line for line in event.lines if line.wager == "progressive" and line.paid]
            won = sum(micros(line.paid) for line in lines)
            paid.append(won)
            reset += event.meters[meter] - (stands - won)
            stands = event.meters[meter]
    return Move(round.id, shown, 0, tuple(paid), reset)


def hammer(store: Store, rounds: int, *, tables: int, seed: str, settle: Any = None) -> Tally:
    """Let tables play at once, each its share of the rounds."""
    tally = Tally()
    Till(store, "meters").put(*of_ledger(MeterStarted(METER, INITIAL)))
    made = [Table(store, f"t{number}", tally) for number in range(tables)]
    kinds = list(KINDS)

    def play(table: Table) -> None:
        rng = random.Random(f"{seed} {table.name}")
        table.settle = settle or store.settle
        for number in range(rounds // tables):
            kind = rng.choice(kinds) if rng.random() < 0.2 else "none"
            table.play(number, kind)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(play, made))
    return tally


def faults(store: Store, tally: Tally) -> list[str]:
    """Hold the meter to what was done with it: one thing after the other, to the last micro."""
    found, stands = [], INITIAL
    moves = tally.ordered()
    for move in moves:
        if move.reading != stands:
            found.append(f"{move.round} saw {move.reading}, and the meter stood at {stands}")
        stands = move.after
    raised, reset = sum(move.raised for move in moves), sum(move.reset for move in moves)
    paid = sum(sum(move.paid) for move in moves)
    with store.reading() as view:
        there = view.balance(ACCOUNT)
        total = sum(view.balances().values())
    if there != INITIAL + raised - paid + reset:
        found.append(f"the meter is {there}: {INITIAL} + {raised} - {paid} + {reset}")
    if total:
        found.append(f"all accounts come to {total}")
    return found
