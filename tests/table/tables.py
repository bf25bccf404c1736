"""What the tests of a table share: the books' tables, and a dealer who plays rounds at them."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.table.commands import (
    Command,
    CountTray,
    DealFirstCard,
    EndRound,
    Join,
    OpenTable,
    StartRound,
    TakeBank,
    TapIn,
    Time,
)
from croupier.table.decide import decide
from croupier.table.events import Event
from croupier.table.evolve import evolve
from croupier.table.life import sign_code
from croupier.table.state import Table, bank_order, new_table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book
from tests.table.script import chore

HOUR_S = 3600
OPENING: tuple[Command, ...] = (
    TapIn("d1", "dealer"),
    TapIn("f1", "floor"),
    CountTray("dealer", 50_000_00),
    CountTray("floorperson", 50_000_00),
)
"""What comes before a table with a tray opens."""
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
BY_HAND = {"shuffler": "none"}
TWO_DECKS = {"decks": 2}
PRESHUFFLED = {"cards": "preshuffled"}
COUNTING = {"shuffler": "counting"}
DEVICE = {"shuffler": "device"}
FROM_THE_HAND = {"dealing": "hand"}
AUTOMATED = {"dealing": "automated_shoe"}
MANY: dict[str, tuple[str, dict[str, Any]]] = {
    f"{id.removeprefix('maryland-')}{''.join(f' {value}' for value in selections.values())}": (
        id,
        selections,
    )
    for id in (MARYLAND, LET_IT_RIDE)
    for selections in (
        {},
        BY_HAND,
        FROM_THE_HAND | TWO_DECKS,
        AUTOMATED | TWO_DECKS,
        AUTOMATED | COUNTING,
        PRESHUFFLED,
        PRESHUFFLED | BY_HAND,
        DEVICE | TWO_DECKS,
    )
} | {"california": (CALIFORNIA, {}), "florida": (FLORIDA, {}), "singapore": (SINGAPORE, {})}
"""Tables of all kinds of equipment."""


def rules_of(id: str, selections: dict[str, Any] | None = None) -> TableRules:
    return _rules(id, tuple((selections or {}).items()))


@cache
def _rules(id: str, selections: tuple[tuple[str, Any], ...]) -> TableRules:
    return resolve(book(id), dict(selections), things=("dealer", "cards", "chips"))


def others_of(id: str) -> tuple[TableRules, ...]:
    """The rules for when a device has failed: a manual shoe, shuffled by hand."""
    return (rules_of(id, BY_HAND),) if id in (MARYLAND, LET_IT_RIDE) else ()


@dataclass
class House:
    """A table, its history, and the clocks on its wall."""

    id: str
    selections: dict[str, Any] = field(default_factory=dict)
    wall_s: int = 1_000_000
    up_s: int = 5_000
    rounds: int = 0
    opened: bool = True

    def __post_init__(self) -> None:
        self.rules = rules_of(self.id, self.selections)
        self.table: Table = new_table(self.rules, others_of(self.id))
        self.history: list[Event] = []
        if self.opened:
            self.do(*OPENING, OpenTable(sign_code(self.rules)))

    @property
    def time(self) -> Time:
        return Time(self.wall_s, self.up_s)

    def wait(self, seconds: int) -> None:
        self.wall_s += seconds
        self.up_s += seconds

    def do(self, *commands: Command) -> tuple[Event, ...]:
        """Do what is asked, and return the events of the last command."""
        events: tuple[Event, ...] = ()
        for command in commands:
            events = decide(self.table, command)
            for event in events:
                self.history.append(event)
                self.table = evolve(self.table, event)
        return events

    def sit(self, *players: str) -> "House":
        for seat, player in enumerate(players, 1):
            self.do(Join(seat, player))
        return self

    def get_ready(self, *, until: str = "", depth: int = 20) -> "House":
        """Do what people have to until a round can start, or something of this name is next."""
        while (next := chore(self.table, self.time, depth)) and type(next).__name__ != until:
            self.do(next)
        return self

    def bank(self) -> None:
        if self.table.rules.banked_by == "player" and not self.table.banker:
            self.do(TakeBank(bank_order(self.table)[0], 100_00))

    def start(self) -> tuple[Event, ...]:
        """Get ready and start a round."""
        self.get_ready()
        self.bank()
        self.rounds += 1
        return self.do(StartRound(f"r{self.rounds}", self.time))

    def end(self, **how: Any) -> tuple[Event, ...]:
        assert self.table.round
        return self.do(EndRound(self.table.round.id, **how))

    def play_on(self) -> None:
        """Get ready again, and deal the first card of the started round."""
        self.get_ready()
        self.do(DealFirstCard(self.time))

    def play(self, **how: Any) -> int:
        """Play a round and return the number of its deck."""
        self.start()
        assert self.table.round
        deck = self.table.round.deck
        self.do(DealFirstCard(self.time))
        self.end(**how)
        return deck


def refusal(house: House, command: Command) -> tuple[str, str | None]:
    """The code and the clause with which a command is refused."""
    before = house.table
    with pytest.raises(Refused) as caught:
        house.do(command)
    assert house.table == before
    return caught.value.code, caught.value.clause
