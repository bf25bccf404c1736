"""The other readings of the rulings, as parameters of the brute force.

Each book's rulings with the readings that it does not follow, in the order of the book's data.
`None` is a reading that selections or the bet express already, or that touches no value here.
"""

from tests.reference.odds_counts import TIE, UNOPPOSED, WIN
from tests.reference.odds_rules import FORFEITS, Reading
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_ANTE_BONUS,
    MARYLAND_SIX_CARD,
    RIDE,
    RIDE_FIVE_CARD_BONUS,
    SINGAPORE,
    Paytable,
    table,
)


def less(paytable: Paytable, *words: str) -> Paytable:
    """A paytable without the lines whose hand begins with one of the words."""
    return {hand: line for hand, line in paytable.items() if not hand.startswith(words)}


CARD_BY_CARD = Reading(order="card by card")
# L2: any ace, king and queen of one suit take the meter.
ANY_MINI_ROYAL = table(
    """
    mini royal: 100% of meter, straight flush: 70 for 1, three of a kind: 60 for 1
    straight: 6 for 1
    """
)

READINGS: dict[str, dict[str, list[Reading | None]]] = {
    MARYLAND: {
        "T1": [CARD_BY_CARD],
        "M1": [Reading(tables={"six_card_bonus": less(MARYLAND_SIX_CARD["A"], "super royal")})],
        "M2": [Reading(bonus_due=frozenset({WIN}))],
        "M3": [
            Reading(tables={"ante_bonus": MARYLAND_ANTE_BONUS["A"]}),
            Reading(bonus_due=frozenset({WIN})),
            Reading(bonus_due=frozenset({WIN, UNOPPOSED})),
        ],
        "M4": [Reading(forfeits=FORFEITS[MARYLAND] | {"six_card_bonus"})],
        "M7": [None],
        "M5": [None, None],
        "M11": [Reading(wheel=False)],
        "M15": [None],
    },
    CALIFORNIA: {
        "T1": [Reading(order="as five cards")],
        "C1": [Reading(tie="lose")],
        "C4": [Reading(gates={UNOPPOSED: "return"}), Reading(forfeits=frozenset())],
    },
    SINGAPORE: {
        "T1": [CARD_BY_CARD],
        "S1": [Reading(own_envy=True)],
        "S2": [Reading(forfeits=frozenset({"pair_plus", "progressive"})), None],
        "S3": [None],
        "S7": [Reading(play_unopposed="lose")],
    },
    RIDE: {
        "L1": [Reading(tables={"five_card_bonus": less(RIDE_FIVE_CARD_BONUS["A"], "pair")})],
        "L2": [Reading(tables={"progressive": ANY_MINI_ROYAL})],
        "L3": [None],
        "L5": [Reading(bonus_returns=True)],
        "L6": [None],
        "L7": [Reading(three_card_envy=False), None],
        "M7": [None],
        "L9": [Reading(blind=True)],
    },
    FLORIDA: {
        "T1": [CARD_BY_CARD],
        "F1": [Reading(tie="lose", gates={TIE: "lose"}), Reading(gates={TIE: "lose"})],
        "F2": [None],
        "F3": [Reading(gates={UNOPPOSED: "return"})],
        "F7": [Reading(mini_royal_by_name=True)],
    },
}
