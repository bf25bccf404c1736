"""Let It Ride at one seat: two decisions, three bets, and the wagers beside them."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from tests.reference.odds_cards import FIVE_TITLES, THREE_TITLES, Array, Flags, three_code
from tests.reference.odds_counts import Cards, Rides, ride_counts, rides
from tests.reference.odds_figures import (
    Distribution,
    Evaluate,
    Numbers,
    Result,
    as_chances,
    safe,
    scaled,
)
from tests.reference.odds_rules import Game, exact
from tests.reference.paytables import RIDE_THREE_CARD_PROGRESSIVES


def bets(game: Game, five: int, riding: int) -> Fraction:
    """Return the net of the bets that ride; their total payout may be limited (L6)."""
    stake = game.stakes["let_it_ride"]
    payout = game.line("let_it_ride", FIVE_TITLES[five])
    if payout is None:
        return -riding * stake
    paid = riding * Fraction(payout.amount) * stake
    limit = game.selections.get("payout_limit")
    return paid if limit is None else min(paid, exact(limit))


def sides(game: Game, three: int, *, five: int, six: int) -> Fraction:
    """The net of all other wagers, by the codes of three, five and six cards."""
    titles = {
        "five_card_bonus": FIVE_TITLES[five],
        "three_card_bonus": THREE_TITLES[three],
        "six_card_bonus": FIVE_TITLES[six],
        "progressive": FIVE_TITLES[five],
    }
    if game.letter("progressive") in RIDE_THREE_CARD_PROGRESSIVES:
        titles["progressive"] = THREE_TITLES[three]
    others = [wager for wager in game.stakes if wager != "let_it_ride"]
    return sum((game.side(wager, titles[wager]) for wager in others), Fraction(0))


@dataclass(frozen=True, eq=False)
class Plan:
    """Whether bet 1 rides with each hand, and bet 2 with each hand and first community card."""

    first: Flags
    second: Flags

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def key(self) -> tuple[bytes, bytes]:
        return self.first.tobytes(), self.second.tobytes()


def values(game: Game, fives: Numbers) -> tuple[Numbers, int]:
    """The nets summed over the second community card, for one, two and three bets that ride.

    The axes: how many bets ride, less one; the hand; the first community card.
    """
    table = [[bets(game, five, riding) for five in range(len(FIVE_TITLES))] for riding in (1, 2, 3)]
    whole, denominator = scaled(np.array(table, dtype=object))
    # No sum goes over more than 49 first and 48 second cards.
    kind = safe(whole, 49 * 48)
    return np.stack([fives.astype(kind) @ row.astype(kind) for row in whole]), denominator


def plan_of(game: Game, fives: Numbers) -> Plan:
    """Return the best plan; if both choices are worth the same, the bet is withdrawn."""
    by_riding, _ = values(game, fives)
    if game.reading.blind:
        return blind_plan(by_riding)
    # What follows from bet 1 withdrawn, and from bet 1 that rides.
    seconds = [by_riding[1] > by_riding[0], by_riding[2] > by_riding[1]]
    totals = [np.maximum(by_riding[n], by_riding[n + 1]).sum(axis=1) for n in (0, 1)]
    first = totals[1] > totals[0]
    return Plan(first, np.where(first[:, None], seconds[1], seconds[0]))


def blind_plan(by_riding: Numbers) -> Plan:
    """L9's other reading: both bets are decided by the seat's three cards alone."""
    riding = by_riding.sum(axis=2).argmax(axis=0)
    second = np.broadcast_to((riding == 2)[:, None], by_riding.shape[1:])
    return Plan(riding >= 1, second)


def choose(game: Game) -> Evaluate:
    table = rides(six="six_card_bonus" in game.stakes)
    fives = rides(six=False).counts[..., 0]
    if "let_it_ride" not in game.stakes:
        none = np.zeros(fives.shape[:2], dtype=np.bool_)
        return partial(evaluate, table, Plan(none[:, 0], none))
    return partial(evaluate, table, plan_of(game, fives))


@lru_cache(maxsize=8)
def deals_by_plan(table: Rides, plan: Plan) -> dict[tuple[int, int], Array]:
    """Count deals by code of three cards and bets that ride, and codes of five and six cards."""
    found = {}
    for three in range(len(THREE_TITLES)):
        for riding in (1, 2, 3):
            chosen = 1 + plan.first[:, None] + plan.second == riding
            chosen &= (table.codes == three)[:, None]
            hands, cards = np.nonzero(chosen)
            picked = table.counts[hands, cards].astype(np.int64)
            found[three, riding] = np.tensordot(table.weights[hands], picked, axes=1)
    return found


def evaluate(table: Rides, plan: Plan, game: Game) -> Result:
    playing = "let_it_ride" in game.stakes
    found: Counter[Fraction] = Counter()
    rode, deals = 0, 0
    for (three, riding), counts in deals_by_plan(table, plan).items():
        deals += int(counts.sum())
        rode += riding * int(counts.sum())
        for five, six in zip(*np.nonzero(counts), strict=True):
            total = sides(game, three, five=five, six=six)
            if playing:
                total += bets(game, five, riding)
            found[total] += int(counts[five, six])
    wagered = sum((s for wager, s in game.stakes.items() if wager != "let_it_ride"), Fraction(0))
    if playing:
        wagered += game.stakes["let_it_ride"] * Fraction(rode, deals)
    return Result(as_chances(found), wagered)


def by_wager(game: Game) -> dict[str, Distribution]:
    """Return the net of each wager by itself; none affects another (7.E(7))."""
    alone = {wager: replace(game, stakes={wager: stake}) for wager, stake in game.stakes.items()}
    return {wager: choose(each)(each).distribution for wager, each in alone.items()}


def advice(game: Game, cards: Cards, community: int | None) -> dict[str, Fraction]:
    """What each choice is worth with these cards, all wagers counted, in units of one bet.

    With a community card the choice is that of bet 2, and bet 1 was decided in the best way.
    """
    counts = ride_counts(cards, six="six_card_bonus" in game.stakes)
    fives = ride_counts(cards, six=False)[None, ..., 0]
    plan = plan_of(game, fives)
    by_riding, denominator = values(game, fives)
    if community is None:
        seen = list(range(52))
        ways = [np.maximum(by_riding[n], by_riding[n + 1]).sum() for n in (0, 1)]
    else:
        seen = [community]
        ways = [by_riding[n + int(plan.first[0])][0, community] for n in (0, 1)]
    ways = [Fraction(int(way), int(fives[0, seen].sum()) * denominator) for way in ways]
    deals = int(counts[seen].sum())
    beside = Fraction(0)
    for five, six in zip(*np.nonzero(counts[seen].sum(axis=0)), strict=True):
        times = int(counts[seen][:, five, six].sum())
        beside += times * sides(game, three_code(cards), five=five, six=six) / deals
    stake = game.stakes["let_it_ride"]
    return {"ride": (ways[1] + beside) / stake, "withdraw": (ways[0] + beside) / stake}
