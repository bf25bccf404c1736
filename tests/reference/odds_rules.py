"""The net of each wager once the cards are known, by the documents and the rulings.

Everything is a Fraction of units; a unit is a dollar where a book pays a fixed sum. The other
readings of the rulings are set by `Reading`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.reference.odds_cards import FIVE_NAMES, THREE_TITLES
from tests.reference.odds_counts import (
    LOSE,
    TIE,
    UNOPPOSED,
    WIN,
    five_frequencies,
    three_frequencies,
)
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_ENVY,
    OBLIGED,
    PAYTABLES,
    RESETS,
    RIDE,
    RIDE_ENVY,
    RIDE_THREE_CARD_PROGRESSIVES,
    SINGAPORE,
    SINGAPORE_ENVY,
    VERSION_ANTE_BONUS,
    Payout,
    Paytable,
)

Stakes = dict[str, Fraction]
ZERO = Fraction(0)
THREE_DEALS = 22_100
FIVE_DEALS = 25_989_600

# T5: collected before the deal; what they pay does not come with the stake.
COLLECTED = {"progressive", "five_card_progressive", "five_card_bonus"}
PROGRESSIVES = ("progressive", "five_card_progressive")
ALWAYS = frozenset({WIN, LOSE, TIE, UNOPPOSED})

# What a folded hand loses: M4, S2, C4, designated player 4.a.
FORFEITS = {
    MARYLAND: frozenset({"pair_plus", "progressive", "five_card_progressive"}),
    SINGAPORE: frozenset(),
    CALIFORNIA: frozenset({"pair_plus"}),
    FLORIDA: frozenset({"pair_plus"}),
    RIDE: frozenset(),
}


@dataclass(frozen=True)
class Reading:
    """A reading of a book; by default that of the rulings."""

    order: str = "t1"  # T1; or "card by card", "as five cards".
    wheel: bool = True  # M11: whether A-2-3-4-5 is a straight.
    tie: str = "push"  # C1: what a tie does to Ante and Play; or "lose", "win".
    bonus_due: frozenset[int] = ALWAYS  # M2: the outcomes that pay the Ante Bonus.
    forfeits: frozenset[str] | None = None  # M4, S2, C4: instead of FORFEITS.
    # F1 to F3, C4: what an outcome does to Pair Plus, see `Game.pair_plus`.
    gates: Mapping[int, str] = field(default_factory=dict)
    # M1, M3, L1, L2: paytables instead of those of the book.
    tables: Mapping[str, Paytable] = field(default_factory=dict)
    own_envy: bool = False  # S1: a hand gives an Envy Bonus to its own player.
    bonus_returns: bool = False  # L5: the Five Card Bonus returns its stake.
    blind: bool = False  # L9: bet 2 is decided before a community card is turned.
    play_unopposed: str = "push"  # S7: what becomes of Play without a qualifying dealer; or "lose".
    mini_royal_by_name: bool = False  # F7: a mini royal is paid only where a table names it.
    three_card_envy: bool = True  # L7: whether three-card hands are envied.


STANDARD = Reading()


def exact(number: object) -> Fraction:
    """A number as files, selections and tests write it."""
    if isinstance(number, Fraction | int | Decimal):
        return Fraction(number)
    return Fraction(str(number))


def dependent(book: str, bet: Mapping[str, Fraction]) -> Stakes:
    """The bet, with the Ante that the designated-player book's Pair Plus needs to beat the bank."""
    stakes = {wager: exact(stake) for wager, stake in bet.items()}
    if book == FLORIDA and "ante" not in stakes:
        stakes["ante"] = stakes["pair_plus"]
    return stakes


@dataclass(frozen=True)
class Game:
    """A book with its selections, the stakes of one seat and the amounts on the meters."""

    book: str
    selections: Mapping[str, Any]
    stakes: Stakes
    meters: dict[str, Fraction] = field(default_factory=dict)
    reading: Reading = STANDARD

    def letter(self, wager: str) -> str:
        default = "A" if wager in OBLIGED[self.book] else "none"
        return str(self.selections.get(wager, default))

    def paytable(self, wager: str) -> Paytable:
        if wager in self.reading.tables:
            return self.reading.tables[wager]
        if wager == "ante_bonus" and self.selections.get("version", "standard") != "standard":
            return VERSION_ANTE_BONUS  # M3.
        chosen = self.selections.get(wager)
        if isinstance(chosen, Mapping):
            return {hand: Payout("odds", Decimal(str(odds))) for hand, odds in chosen.items()}
        return PAYTABLES[self.book][wager][self.letter(wager)]

    def line(self, wager: str, titles: Sequence[str]) -> Payout | None:
        paytable = self.paytable(wager)
        if self.reading.mini_royal_by_name and "mini royal" in titles:
            titles = [title for title in titles if title != "straight flush"]
        return next((paytable[title] for title in titles if title in paytable), None)

    def with_meters(self, meters: Mapping[str, Fraction]) -> "Game":
        return replace(self, meters={**self.meters, **meters})

    def side(self, wager: str, titles: Sequence[str]) -> Fraction:
        """The net of a wager that is settled by its paytable."""
        stake, payout = self.stakes[wager], self.line(wager, titles)
        if payout is None:
            return -stake
        amount = Fraction(payout.amount)
        if payout.kind == "odds":
            amount *= stake
        if payout.kind == "meter":
            amount *= self.meters[meter_name(wager, payout.meter)] / 100
        returned = wager not in COLLECTED
        if wager == "five_card_bonus" and self.reading.bonus_returns:
            returned = True
        return amount if returned else amount - stake

    def contest(self, outcome: int) -> Fraction:
        """Ante and Play of a hand that stays in."""
        ante = self.stakes["ante"]
        tie = {"push": ZERO, "lose": -2 * ante, "win": 2 * ante}[self.reading.tie]
        unopposed = {"push": ante, "lose": ZERO}[self.reading.play_unopposed]
        return {WIN: 2 * ante, LOSE: -2 * ante, TIE: tie, UNOPPOSED: unopposed}[outcome]

    def ante_bonus(self, outcome: int, titles: Sequence[str]) -> Fraction:
        listed = "ante_bonus" in {*PAYTABLES[self.book], *self.reading.tables}
        if not listed or outcome not in self.reading.bonus_due:
            return ZERO
        payout = self.line("ante_bonus", titles)
        return ZERO if payout is None else Fraction(payout.amount) * self.stakes["ante"]

    def gate(self, outcome: int) -> str:
        if outcome in self.reading.gates:
            return self.reading.gates[outcome]
        if self.book == FLORIDA and "ante" in self.stakes:
            beaten = str(self.selections.get("pair_plus_when_beaten", "lose"))
            return {TIE: "return", LOSE: beaten}.get(outcome, "table")  # F1 and F2.
        return "table"

    def pair_plus(self, outcome: int, titles: Sequence[str]) -> Fraction:
        """Return its net by its table, unless the outcome of the contest prevents it.

        "lose": lost whatever the hand; "push": a hand on the table gets its stake back; "return":
        so does any hand; "paid or returned": by the table, but no hand loses.
        """
        stake, by_table = self.stakes["pair_plus"], self.side("pair_plus", titles)
        listed = self.line("pair_plus", titles) is not None
        return {
            "table": by_table,
            "lose": -stake,
            "push": ZERO if listed else -stake,
            "return": ZERO,
            "paid or returned": by_table if listed else ZERO,
        }[self.gate(outcome)]

    def forfeits(self, wager: str) -> bool:
        """Whether folding loses a side wager."""
        if self.reading.forfeits is not None:
            return wager in self.reading.forfeits
        return wager in FORFEITS[self.book]

    def envy(self) -> Fraction:
        """Return the envy that one hand of another player brings the seat."""
        total = ZERO
        if "progressive" in self.stakes:
            total += self.progressive_envy()
        declared = self.selections.get("five_card_envy") or {}
        if "five_card_progressive" in self.stakes and declared:
            counts = five_frequencies(wheel=self.reading.wheel)
            for name, count in zip(FIVE_NAMES, counts, strict=True):
                name = name.removesuffix(" of tens or better")
                total += exact(declared.get(name, 0)) * Fraction(count, FIVE_DEALS)
        return total

    def progressive_envy(self) -> Fraction:
        size = int(self.stakes["progressive"])
        if self.book == RIDE and self.letter("progressive") not in RIDE_THREE_CARD_PROGRESSIVES:
            by_name = dict(zip(FIVE_NAMES, five_frequencies(), strict=True))
            won = sum(sums[size] * by_name[name] for name, sums in RIDE_ENVY.items())
            return Fraction(won, FIVE_DEALS)
        if self.book == RIDE and not self.reading.three_card_envy:
            return ZERO
        won = 0
        for titles, count in zip(THREE_TITLES, three_frequencies(), strict=True):
            if self.book == SINGAPORE:
                won += SINGAPORE_ENVY.get(titles[0], 0) * count
            else:
                won += MARYLAND_ENVY.get(titles[0], {size: 0})[size] * count
        return Fraction(won, THREE_DEALS)


def meter_name(wager: str, meter: str) -> str:
    return f"{wager}_{meter}" if meter else wager


def opened(game: Game, shown: Mapping[str, object]) -> Game:
    """The game with an amount on each of its meters: as shown, else the reset."""
    meters = {}
    for wager in PROGRESSIVES:
        if wager not in game.stakes:
            continue
        lines = [line for line in game.paytable(wager).values() if line.kind == "meter"]
        for meter in dict.fromkeys(line.meter for line in lines):
            name = meter_name(wager, meter)
            meters[name] = exact(shown[name]) if name in shown else reset(game, wager, meter)
    return game.with_meters(meters)


def reset(game: Game, wager: str, meter: str) -> Fraction:
    """Return what the operator declares, or the least that the book allows."""
    declared = game.selections.get(f"{wager}_reset")
    if isinstance(declared, Mapping):
        declared = declared.get(meter)
    return exact(RESETS[game.book, wager][meter] if declared is None else declared)
