"""The value of other players' hands to a seat: Envy Bonuses.

Before the deal every hand in play is alike, so the expected value of one hand's envied rows counts
once for each other player; under a reading that lets players envy their own hand, it counts once
more (S1).
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from croupier.errors import UserError
from croupier.odds import counts
from croupier.odds.payoffs import place_cards
from croupier.odds.seats import EVERY, TURNS, codes_of, label, turned
from croupier.odds.seen import Drawn, SeenCounts
from croupier.round.judge import row_for
from croupier.rules.game import Envy
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEAT


def expected(
    rules: TableRules, bet: Mapping[str, Fraction], *, others: int, sight: SeenCounts | None = None
) -> Fraction:
    """Return the expected value of all Envy Bonuses of a bet, in units.

    Cards that were seen are in nobody's hand.
    """
    whole = Fraction(0)
    for envy in rules.envies.values():
        if envy.makers in bet:
            hands = others + envy.holders.own
            if hands:
                whole += hands * _one_hand(rules, (envy, bet[envy.makers]), sight)
    return whole


def _one_hand(
    rules: TableRules, envied: tuple[Envy, Fraction], sight: SeenCounts | None
) -> Fraction:
    """Return what one hand pays on average to a player who envies it."""
    envy, stake = envied
    table, ranking = rules.paytables[envy.paytable], rules.ranking
    places = [place for place in table.of if place != SEAT]
    size = 3 + sum(place_cards(rules, place) for place in places)
    seats = sight.seats if sight else EVERY
    if size == 3:
        codes = codes_of(seats.cards, ranking)
        times = np.rint(np.bincount(codes, seats.weights)).astype(np.int64)
    elif size == 5:
        every = bytes(range(256))
        drawn = Drawn(places[0], 2, ranking, every)
        counted = sight.counted(drawn) if sight else counts.pair(ranking, every)
        times = (seats.weights[:, None] * counted.rows[counted.row]).sum(axis=0)
    else:
        raise UserError(f"envy of hands of {size} cards can't be priced")
    cents, turns = 0, 1 if sight else TURNS
    for code in np.flatnonzero(times).tolist():
        for turn in range(turns):
            row = row_for(table, turned(label(code, size, ranking), turn), int(stake * 100))
            cents += int(times[code]) * (row.amount or 0 if row else 0)
    return Fraction(cents, 100 * turns * int(times.sum()))
