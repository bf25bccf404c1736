"""Watches a table from outside and says when it breaks a rule.

It knows the true time and the rules from the books' own words, not from the code under test.
"""

from typing import Any

from croupier.table.commands import Time
from croupier.table.events import (
    BankPassed,
    BankTaken,
    Changed,
    Confirmed,
    Counted,
    CutMade,
    DeckRemoved,
    Event,
    Failed,
    FirstCardDealt,
    Joined,
    Left,
    Received,
    Restored,
    RoundEnded,
    RoundStarted,
    Secured,
    Shuffled,
)
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND
from tests.table.tables import BY_HAND, HOUR_S

OPENING = {"4.A", "4.B", "4.C", "4.C(1)", "4.C(2)", "4.C(3)"}
HOURS = {"hand": 4, "manual_shoe": 8, "automated_shoe": 8}


class Broken(AssertionError):
    """A rule of the book was broken; it says which."""


class Witness:
    """Sees every event with the true time at which it happened."""

    def __init__(self, id: str, selections: dict[str, Any]) -> None:
        self.id = id
        self.maryland = id.startswith("maryland")
        self.equip(selections)
        self.received_s: dict[int, int] = {}
        self.shuffled: dict[int, str] = {}
        self.cut: dict[int, bool] = {}
        self.unopened: dict[int, set[str]] = {}
        self.orders: set[int] = set()
        self.in_play = False
        self.last_deck = 0
        self.uncounted = 0
        self.open_devices: set[str] = set()
        self.seats: dict[int, str] = {}
        self.banker, self.running = "", 0
        self.passed: set[str] = set()

    def equip(self, selections: dict[str, Any]) -> None:
        defaults = {"shuffler": "plain", "dealing": "manual_shoe", "decks": 1, "cards": "plain"}
        self.has = {**defaults, **selections} if self.maryland else {}
        self.decks = self.has.get("decks", 2 if self.id == CALIFORNIA else 1)

    def hold(self, rule: str, holds: object) -> None:
        if not holds:
            raise Broken(rule)

    def saw(self, event: Event, true_s: int) -> None:
        match event:
            case Joined():
                self.seats[event.seat] = event.player
            case Left():
                del self.seats[event.seat]
                self.spread_if_idle()
            case Received():
                self.received_s[event.deck] = true_s
                fresh = self.has.get("cards") == "preshuffled"
                self.shuffled[event.deck] = "preshuffled" if fresh else ""
                self.cut[event.deck] = False
                opened = fresh or not self.maryland
                self.unopened[event.deck] = set() if opened else set(OPENING)
            case Confirmed():
                self.unopened[event.deck].discard(event.clause)
            case DeckRemoved():
                del self.received_s[event.deck]
            case Shuffled():
                self.no_open_device()
                by_hand = self.has.get("shuffler") == "none"
                self.shuffled[event.deck] = "by hand" if by_hand else "by machine"
                self.cut[event.deck] = False
                self.uncounted = 0 if event.counted else self.uncounted
            case CutMade():
                self.hold("5.F: at least ten cards in, one below", 10 <= (event.depth or 10) <= 51)
                self.cut[event.deck] = True
            case Counted():
                self.uncounted = 0
                self.shuffled[event.deck] = ""
            case Failed():
                self.open_devices.add(event.device)
                if event.usable:  # A jam that clears only brings a shuffle (13.F).
                    self.open_devices.discard(event.device)
            case Secured() | Restored():
                self.open_devices.discard(event.device)
            case Changed():
                self.no_open_device()
                self.equip(BY_HAND)
            case BankTaken():
                self.bank_taken(event)
            case BankPassed():
                self.passed.add(event.player)
            case RoundStarted():
                self.round_started(event)
            case FirstCardDealt():
                self.first_card(event, true_s)
            case RoundEnded():
                self.uncounted = 0 if event.counted else self.uncounted
                self.shuffled[event.deck] = ""
                self.in_play = False
                if event.void and self.id == CALIFORNIA:
                    self.running -= 1  # C6: a void round is none of the two.
                self.spread_if_idle()

    def spread_if_idle(self) -> None:
        """Cards of an idle table are spread, except in the approved device of 5.J."""
        spared = self.id == MARYLAND and self.has["shuffler"] == "device"
        if self.maryland and not spared and not self.seats and not self.in_play:
            self.shuffled = dict.fromkeys(self.shuffled, "")

    def no_open_device(self) -> None:
        self.hold("13.H: covered or marked before any other method", not self.open_devices)

    def round_started(self, event: RoundStarted) -> None:
        self.in_play = True
        self.no_open_device()
        if self.decks == 2:
            self.hold("3.B(4), deck/3.c: decks take turns", event.deck != self.last_deck)
        self.last_deck = event.deck
        self.uncounted += 1
        if self.has.get("shuffler") in ("none", "plain"):
            self.hold("8.F: the stub is counted every five rounds", self.uncounted <= 5)
        self.passed.clear()
        if event.banker:
            same = event.banker.player == self.banker
            self.running = self.running + 1 if same else 1
            self.banker = event.banker.player
            if self.id == CALIFORNIA:
                self.hold("round-of-play/10: two rounds running", self.running <= 2)

    def first_card(self, event: FirstCardDealt, true_s: int) -> None:
        self.no_open_device()
        self.hold("5.A: no order of cards is dealt twice", event.order not in self.orders)
        self.orders.add(event.order)
        self.hold("4.A: opened before it is dealt", not self.unopened[event.deck])
        how = self.shuffled[event.deck]
        self.hold("5.A: shuffled before every round", how)
        if self.maryland:
            hours = HOURS[str(self.has["dealing"])]
            age_s = true_s - self.received_s[event.deck]
            self.hold("3.C: changed in time", age_s <= hours * HOUR_S)
            if how != "by machine" and self.has["shuffler"] != "device":
                self.hold("5.E(2): cut before the deal", self.cut[event.deck])

    def bank_taken(self, event: BankTaken) -> None:
        """The designated player moves on unless all others waive (F6)."""
        if self.id == FLORIDA and event.player == self.banker:
            others = set(self.seats.values()) - {event.player}
            self.hold("6: the turn passes after every hand", others <= self.passed)


def read(true_s: int, offset_s: int, started_s: int) -> Time:
    """What the clocks show: the one on the wall may be off, the other began with the machine."""
    return Time(true_s + offset_s, true_s - started_s)
