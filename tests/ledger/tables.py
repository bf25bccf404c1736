"""Tables whose rounds the tests put into a store, command by command."""

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from croupier.cards import DECK
from croupier.ledger.events import Bought, MeterStarted, TableSet
from croupier.ledger.scribe import Draft, Happened, Scribe
from croupier.ledger.store import Answer, Claim, SealedDeck, Work
from croupier.ledger.stores.protocol import Store
from croupier.round.commands import Bet, Choose, CloseBets, Command, Deal, Face, Open, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.file import Played
from croupier.round.settler import Settler
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.ledger.rounds import events_of, played, random_file
from tests.rules.books import MARYLAND, book

TIME = 1_700_000_000_000
PURSE = 100_000_000_00


@cache
def settler() -> Settler:
    return Settler(())


def rules_of(rulebook: str, selections: Any, things: Any = ()) -> TableRules:
    return resolve(book(rulebook), selections, things=things)


class Till:
    """A stream of a store, and the scribe that writes it."""

    def __init__(self, store: Store, stream: str) -> None:
        self.store = store
        self.scribe = Scribe(stream, rules_of)
        self.commands = 0

    def draft(self, happened: Iterable[Happened]) -> tuple[Claim, Work, Draft]:
        """Return what is to be appended next."""
        draft = self.scribe.draft(happened, time_ms=TIME)
        command = f"{self.scribe.stream}-{self.commands}"
        body = b"".join(event.data for event in draft.events)
        claim = Claim(command, sha256(body).digest(), self.scribe.stream, self.scribe.head)
        work = Work(draft.events, f"answer to {command}", draft.emptied)
        return claim, work, draft

    def put(self, *happened: Happened, sealed: tuple[SealedDeck, ...] = ()) -> Answer:
        claim, work, draft = self.draft(happened)
        answer = self.store.append(claim, work._replace(sealed=sealed))
        self.scribe, self.commands = draft.scribe, self.commands + 1
        return answer


def of_ledger(*events: Any) -> list[Happened]:
    return [Happened("ledger", event) for event in events]


def of_round(events: Iterable[Event]) -> list[Happened]:
    return [Happened("round", event) for event in events]


def table_set(rules: TableRules, selections: dict[str, Any]) -> TableSet:
    return TableSet(rules.rulebook, selections, rules.digest)


def random_history(id: str, seed: str) -> Iterator[list[Happened]]:
    """Yield the commands of a table that plays one random round of a book."""
    done: Played | None = None
    file: dict[str, Any] = {}
    while done is None:
        seed += "+"
        file = random_file(id, seed)
        done = played(settler(), file)
    rules, events = done.round.rules, events_of(done, f"r-{sha256(seed.encode()).hexdigest()[:8]}")
    yield of_ledger(table_set(rules, settler().selections(file)))
    for meter, micros in done.round.meters_before.items():
        if micros:
            yield of_ledger(MeterStarted(f"{id}/{meter}", micros))
    banker = [done.round.banker.player] if done.round.banker else []
    for player in dict.fromkeys([*(box.player for box in done.round.boxes.values()), *banker]):
        yield of_ledger(Bought(player, PURSE))
    settled = [e for e in events if type(e).__name__ in ("MetersRead", "SeatSettled", "Closed")]
    for event in events[: -len(settled)]:
        yield of_round([event])
    yield of_round(settled)


class Dealer:
    """Plays rounds of one book with its own rules at a table of a few players."""

    def __init__(self, till: Till, *, seats: int = 2, players: str = "") -> None:
        self.till, self.rules = till, rules_of(MARYLAND, {})
        self.bets = [Bet(s, f"{players}p{s}", "ante", 1_000) for s in range(1, seats + 1)]
        till.put(*of_ledger(table_set(self.rules, {})))
        for bet in self.bets:
            till.put(*of_ledger(Bought(bet.player, PURSE)))

    def commands(self, name: str, seed: str) -> Iterator[list[Happened]]:
        """Yield what happens in one round, command by command."""
        rng = random.Random(seed)
        faces = rng.sample(DECK, len(DECK))
        round = Round(self.rules)

        def happened(command: Command) -> list[Happened]:
            nonlocal round
            events = decide(round, command)
            for event in events:
                round = evolve(round, event)
            return of_round(events)

        opening: list[Command] = [Open(name), *self.bets, CloseBets(), Deal()]
        for command in opening:
            yield happened(command)
        while round.due or round.asked:
            if round.due:
                yield happened(Show(tuple(Face(p, faces[p]) for p in round.due)))
            else:
                option = rng.choice(("play", "fold"))
                yield happened(Choose(round.asked[0], option))
        yield happened(Settle())

    def play(self, name: str, seed: str) -> None:
        for happened in self.commands(name, seed):
            self.till.put(*happened)


JACKPOT = {"progressive": "A", "progressive_reset": 1000}
WINNING = [card for card in DECK if str(card) in ("As", "Ks", "Qs")]


def jackpot_round(till: Till, name: str) -> Round:
    """Play a round at a table with a shared meter, to where its seat wins all of the meter."""
    rules = rules_of(MARYLAND, JACKPOT)
    (meter,) = rules.meters
    player = f"p {name}"
    till.put(*of_ledger(TableSet(MARYLAND, JACKPOT, rules.digest, {meter: "casino"})))
    till.put(*of_ledger(Bought(player, PURSE)))
    round = Round(rules)

    def do(command: Command) -> None:
        nonlocal round
        events = decide(round, command)
        for event in events:
            round = evolve(round, event)
        till.put(*of_round(events))

    do(Open(name, {meter: 0}))
    for command in (Bet(1, player, "ante", 1000), Bet(1, player, "progressive", 100)):
        do(command)
    do(CloseBets())
    do(Deal())
    others = iter(card for card in DECK if card not in WINNING)
    own = dict(zip(round.boxes[1].cards, WINNING, strict=True))
    while round.due or round.asked:
        if round.due:
            do(Show(tuple(Face(p, own.get(p) or next(others)) for p in round.due)))
        else:
            do(Choose(round.asked[0], "play"))
    return round


def settle_shared(till: Till, round: Round, meter: str) -> Answer:
    """Settle a round by what a shared meter shows at that moment, in the same transaction."""
    drafts: list[Draft] = []

    def decided(shown: Mapping[str, int]) -> Work:
        readings = dict.fromkeys(round.rules.meters, shown[meter])
        draft = till.scribe.draft(of_round(decide(round, Settle(readings))), time_ms=TIME)
        drafts.append(draft)
        return Work(draft.events, "settled", draft.emptied)

    command = f"settle {round.id}"
    claim = Claim(command, sha256(b"").digest(), till.scribe.stream, till.scribe.head)
    answer = till.store.settle(claim, [meter], decided)
    till.scribe = drafts[-1].scribe
    return answer
