"""A second pair of eyes on a round: what its events alone come to, written down independently.

It knows the five books by heart and asks the engine nothing, so that the invariants have something
to compare with.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from croupier.cards import Card
from croupier.round.events import (
    Banked,
    BetMade,
    BetsClosed,
    BetTakenDown,
    CalledOff,
    Chose,
    Closed,
    Dealt,
    Declared,
    Event,
    Opened,
    SeatSettled,
    Shown,
)
from croupier.round.state import Line
from croupier.rules.table_rules import TableRules
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

SPOTS = {"let_it_ride": ("bet_1", "bet_2", "bet_3")}
# What folding forfeits (M4, S2, C4, and the designated-player book's 4).
FORFEITS = {
    MARYLAND: {"ante", "pair_plus", "progressive", "five_card_progressive"},
    SINGAPORE: {"ante"},
    CALIFORNIA: {"ante", "pair_plus"},
    FLORIDA: {"ante", "pair_plus"},
    LET_IT_RIDE: set[str](),
}
# In which order a book settles what lies at a seat.
ORDER = {
    MARYLAND: "ante play ante_bonus pair_plus progressive envy six_card_bonus "
    "five_card_progressive envy",
    SINGAPORE: "ante play ante_bonus pair_plus progressive envy",
    CALIFORNIA: "ante play pair_plus",
    FLORIDA: "ante play pair_plus",
    LET_IT_RIDE: "bet_1 bet_2 bet_3 five_card_bonus three_card_bonus six_card_bonus progressive "
    "envy",
}
TURNS = {LET_IT_RIDE: ("bet_1", "bet_2")}
CENT = 10_000


@dataclass
class Ledger:
    """What the events of a round come to."""

    rules: TableRules
    players: dict[int, str] = field(default_factory=dict)
    hands: dict[int, int | None] = field(default_factory=dict)
    stakes: dict[int, dict[str, int]] = field(default_factory=dict)
    banker: Banked | None = None
    action: int | None = None
    locked: bool = False
    dealt: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Place and seat of each position."""
    found: list[int] = field(default_factory=list)
    """Positions of cards that were found face up."""
    faces: dict[int, Card] = field(default_factory=dict)
    chose: dict[int, list[str]] = field(default_factory=dict)
    folded: set[int] = field(default_factory=set)
    pulled: set[tuple[int, str]] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    void: bool = False
    settled: list[SeatSettled] = field(default_factory=list)
    meters: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    """What the meters showed when the round was opened."""
    fees: dict[int, int] = field(default_factory=dict)
    over: Closed | None = None
    faults: list[tuple[str, str]] = field(default_factory=list)
    """What should not have happened: the invariant and what broke it."""

    @property
    def book(self) -> str:
        return self.rules.rulebook

    @property
    def lines(self) -> Iterator[Line]:
        return (line for event in self.settled for line in event.lines)

    def fault(self, invariant: str, found: object) -> None:
        self.faults.append((invariant, str(found)))

    def take(self, event: Event) -> None:
        """Write an event down."""
        if self.over:
            self.fault("late", f"{event} after the end")
        match event:
            case Opened():
                self.meters, self.before = dict(event.meters), dict(event.meters)
            case Banked() | BetMade() | BetTakenDown():
                self._take_bet(event)
            case BetsClosed():
                self._close(event)
            case Dealt():
                self._deal(event)
            case Shown():
                self._show(event)
            case Chose():
                self._choose(event)
            case Declared():
                self._declare(event)
            case CalledOff():
                self.void = True
            case SeatSettled():
                self.settled.append(event)
                self._pay(event)
            case Closed():
                self.over = event

    # ------------------------------------------------------------ bets

    def _take_bet(self, event: Banked | BetMade | BetTakenDown) -> None:
        if self.locked:
            # W2: a bet counts if it came before "no more bets", and only then.
            self.fault("late", f"{event} after no more bets")
        match event:
            case Banked():
                self.banker = event
            case BetMade():
                self.players[event.seat] = event.player
                self.hands[event.seat] = event.hand
                for spot in SPOTS.get(event.wager, (event.wager,)):
                    self.stakes.setdefault(event.seat, {})[spot] = event.cents
            case BetTakenDown():
                for spot in SPOTS.get(event.wager, (event.wager,)):
                    del self.stakes[event.seat][spot]
                if not self.stakes[event.seat]:
                    del self.stakes[event.seat]

    def _close(self, event: BetsClosed) -> None:
        if self.locked:
            self.fault("late", "bets are closed twice")
        self.locked, self.action = True, event.action
        self.stakes = dict(sorted(self.stakes.items()))
        if dict(event.rises) != self.rises():
            self.fault("meters", f"a rise of {event.rises}, not {self.rises()}")
        for id, rise in self.rises().items():
            self.meters[id] += rise
        self.fees = {seat: fee for seat, fee in event.fees.items() if fee}
        if self.fees != self.flat_fees():
            self.fault("fees", f"{event.fees}, not {self.flat_fees()}")

    def rises(self) -> dict[str, int]:
        """What each meter rises by: its share of the rate on all wagers, rounded down (M8)."""
        result: dict[str, int] = {}
        for wager in {meter.wager: None for meter in self.rules.meters.values()}:
            staked = sum(spots.get(wager, 0) for spots in self.stakes.values())
            meters = [meter for meter in self.rules.meters.values() if meter.wager == wager]
            if not staked or meters[0].rate is None:
                continue
            whole = int(Fraction(staked * CENT) * meters[0].rate)
            for meter in meters:
                result[meter.id] = int(whole * meter.share)
            result[meters[0].id] = whole - sum(result[meter.id] for meter in meters[1:])
        return result

    def flat_fees(self) -> dict[int, int]:
        """What the house takes before the deal: a sum for each wager by its size (C7)."""
        brackets = self.rules.fee.brackets if self.rules.fee else ()
        if not brackets:
            return {}
        fees = {
            seat: sum(next(b.fee for b in brackets if cents <= b.up_to) for cents in spots.values())
            for seat, spots in self.stakes.items()
        }
        return {seat: fee for seat, fee in fees.items() if fee}

    # ------------------------------------------------------------ cards and decisions

    def _deal(self, event: Dealt) -> None:
        if self.dealt or not self.locked:
            self.fault("cards", "dealt twice, or before no more bets")
        positions = [position for position, _, _ in event.cards]
        free = [position for position in range(52) if position not in self.found]
        if positions != free[: len(positions)]:
            # C2: the next card of the deck each time, but for those found face up (13.A).
            self.fault("cards", f"dealt {positions}")
        self.dealt = {position: (place, seat) for position, place, seat in event.cards}
        counts: dict[str, int] = {}
        for place, seat in self.dealt.values():
            name = str(seat) if place == "seats" else place
            counts[name] = counts.get(name, 0) + 1
        if counts != self.counts():
            self.fault("cards", f"dealt {counts}, not {self.counts()}")

    def counts(self) -> dict[str, int]:
        """How many cards each place gets (C4)."""
        selected = self.rules.selections
        if selected.get("format") == "electronic":
            return {"community": 9, "bank": 3}
        counts = {str(seat): 3 for seat in self.stakes}
        if self.book != LET_IT_RIDE:
            five = any("five_card_progressive" in spots for spots in self.stakes.values())
            return counts | {"bank": 3} | ({"community": 2} if five else {})
        stack = str(selected.get("community_stack")) == "3" and selected["dealing"] not in (
            "manual_shoe",
            "hand",
        )
        box = selected.get("six_card_bonus", "none") != "none"
        return (
            counts
            | {"community": 2}
            | ({"discard": 1} if stack else {})
            | ({"six_card_box": 3} if box else {})
        )

    def at(self, place: str) -> list[int]:
        """The positions that lie at a place, in their order."""
        return [p for p, (where, _) in self.dealt.items() if where == place]

    def asked(self) -> list[tuple[int, int]]:
        """Which decisions are still to be taken, in turn: how many were before it, and the seat."""
        seats = sorted(self.stakes)
        if self.book == FLORIDA and self.banker:
            after = self.banker.seat  # F6: from the left of the button.
            seats = [s for s in seats if s > after] + [s for s in seats if s < after]
        turns = TURNS.get(self.book, ("ante",))
        return [
            (turn, seat)
            for turn, spot in enumerate(turns)
            for seat in seats
            if spot in self.stakes[seat]
            and seat not in self.left
            and len(self.chose.get(seat, ())) <= turn
        ]

    def _choose(self, event: Chose) -> None:
        asked = self.asked()
        if not self.dealt or not asked or asked[0][1] != event.seat:
            self.fault("turns", f"seat {event.seat} decides, and {asked} are asked")
            return
        self.chose.setdefault(event.seat, []).append(event.option)
        match event.option:
            case "play":
                self.stakes[event.seat]["play"] = self.stakes[event.seat]["ante"]
            case "fold":
                self.folded.add(event.seat)
            case "withdraw":
                self.pulled.add((event.seat, f"bet_{len(self.chose[event.seat])}"))
            case "ride":
                pass
            case _:
                self.fault("turns", f"seat {event.seat} chooses {event.option}")

    def _show(self, event: Shown) -> None:
        if event.position in self.faces or event.card in self.faces.values():
            self.fault("faces", f"{event} is shown twice")
        place, _ = self.dealt.get(event.position, ("", 0))
        if not self._is_time(place, event.position):
            self.fault("turns", f"{event.card} of {place or 'the stub'} is shown too early")
        self.faces[event.position] = event.card

    def _is_time(self, place: str, position: int) -> bool:
        """Whether a card of a place may be shown with these decisions still to be taken."""
        asked = self.asked()
        if place == "bank":
            # Dealing/2.a: one card of the player/dealer is turned up as it is delivered.
            first = self.book == CALIFORNIA and position == self.at("bank")[0]
            return first or not asked
        if place == "community" and self.book == LET_IT_RIDE:
            # W5: the first card after all decisions on bet 1, the second after those on bet 2.
            turn = self.at("community").index(position)
            return not asked or asked[0][0] > turn
        if place == "seats":
            return not asked and all(p in self.faces for p in self.at("bank"))
        return place in ("community", "six_card_box") and not asked

    def _declare(self, event: Declared) -> None:
        if "void" in event.effects:
            self.void = True
        if "discard card" in event.effects:
            self.found += event.facts.get("positions", ())  # type: ignore[arg-type]
        if "abandon seat" in event.effects:
            self.left.add(int(str(event.facts["seat"])))

    # ------------------------------------------------------------ meters

    def _pay(self, event: SeatSettled) -> None:
        """Let a seat's lines move the meters; each is paid what its meter shows now (P3)."""
        if self.void:
            if event.meters:
                self.fault("meters", f"a void round moves {event.meters}")
            return
        after = {**self.meters, **event.meters}
        wagers = {meter.wager: None for meter in self.rules.meters.values()}
        for wager in wagers:
            ids = [meter.id for meter in self.rules.meters.values() if meter.wager == wager]
            now = {id: self.meters.get(id, 0) for id in ids}
            lines = [line for line in event.lines if line.wager == wager]
            line = lines[0] if lines and lines[0].outcome == "win" else None
            ways = list(self._ways(wager, line, now)) if line else [(0, now)]
            seen = line.paid if line else 0, {id: after.get(id, 0) for id in ids}
            if seen not in ways:
                self.fault("meters", f"seat {event.seat}: {seen} from {now}")
        self.meters = after

    def _ways(
        self, wager: str, line: Line, now: dict[str, int]
    ) -> Iterator[tuple[int, dict[str, int]]]:
        """Every way in which a winning line may be paid, and what the meters show after it."""
        table = self.rules.paytables[self.rules.wagers[wager].paytable or ""]
        for row in table.rows:
            if row.meter and row.percent is not None:
                paid = int(Fraction(now[row.meter]) * row.percent / 100) // CENT
                reset = (self.rules.meters[row.meter].reset or 0) if row.percent == 100 else 0
                yield paid, {**now, row.meter: now[row.meter] + (reset - paid) * CENT}
            elif row.amount is not None:
                yield row.amount, now
            else:
                yield int(line.stake * (row.to or row.for_ or 0)), now
