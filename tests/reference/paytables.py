"""Every paytable of the five books, transcribed from the documents.

A line reads "hand: payout". Payouts: "5 to 1", "70 for 1", "$1000" and "100% of meter", where the
meter may also be called major, minor or mega.
"""

from decimal import Decimal
from typing import NamedTuple

MARYLAND = "maryland-three-card-poker"
CALIFORNIA = "california-three-card-poker"
SINGAPORE = "singapore-three-card-poker"
RIDE = "maryland-let-it-ride"
FLORIDA = "florida-three-card-poker"
BOOKS = (MARYLAND, CALIFORNIA, SINGAPORE, RIDE, FLORIDA)
PLAYER_BANKED = (CALIFORNIA, FLORIDA)


class Payout(NamedTuple):
    kind: str  # "odds", "sum" or "meter".
    amount: Decimal  # Times the stake, dollars, or percent of the meter.
    meter: str = ""  # "major", "minor", "mega", or nothing for an only meter.


Paytable = dict[str, Payout]


def payout(text: str) -> Payout:
    words = text.split()
    if words[0].startswith("$"):
        return Payout("sum", Decimal(words[0][1:]))
    if words[0].endswith("%"):
        return Payout("meter", Decimal(words[0][:-1]), words[2].replace("meter", ""))
    assert words[1] in {"to", "for"} and words[2] == "1"
    return Payout("odds", Decimal(words[0]))


def table(text: str) -> Paytable:
    lines = [line.split(":") for line in text.replace("\n", ",").split(",") if line.strip()]
    return {hand.strip(): payout(pays) for hand, pays in lines}


def odds(hands: str, numbers: str) -> Paytable:
    """Numbers "to 1" for hands that are listed in the same order."""
    pairs = zip(hands.split(", "), numbers.split(), strict=True)
    return {hand: Payout("odds", Decimal(number)) for hand, number in pairs}


PAIR_PLUS_HANDS = "straight flush, three of a kind, straight, flush, pair"
ANTE_BONUS_HANDS = "straight flush, three of a kind, straight"
SIX_CARD_HANDS = (
    "royal flush, straight flush, four of a kind, full house, flush, straight, three of a kind"
)
RIDE_HANDS = f"{SIX_CARD_HANDS}, two pair, pair of tens or better"

# Maryland 12.B.
MARYLAND_ANTE_BONUS = {
    "A": odds(ANTE_BONUS_HANDS, "5 4 1"),
    "B": odds(ANTE_BONUS_HANDS, "5 3 1"),
    "C": odds(ANTE_BONUS_HANDS, "4 3 1"),
}
# Maryland 12.C, which goes with the versions of 7.G (M3).
VERSION_ANTE_BONUS = odds("mini royal, straight flush, three of a kind", "50 8 6")

# Maryland 12.D.
MARYLAND_PAIR_PLUS = {
    "A": odds(PAIR_PLUS_HANDS, "35 25 6 4 1"),
    "B": odds(PAIR_PLUS_HANDS, "40 30 5 4 1"),
    "C": odds(PAIR_PLUS_HANDS, "40 30 6 3 1"),
    "D": odds(PAIR_PLUS_HANDS, "40 30 6 4 1"),
    "E": odds(PAIR_PLUS_HANDS, "40 25 6 4 1"),
}

# Maryland 12.E(1); Let It Ride 12.E(2) and (3) have A and B as their B and C (L2).
SPADES_METER_70 = """
    mini royal of spades: 100% of meter, mini royal: 500 for 1, straight flush: 70 for 1
    three of a kind: 60 for 1, straight: 6 for 1
"""
SPADES_METER_100 = """
    mini royal of spades: 100% of meter, mini royal: 500 for 1, straight flush: 100 for 1
    three of a kind: 90 for 1
"""
MARYLAND_PROGRESSIVE = {
    "A": table(SPADES_METER_70),
    "B": table(SPADES_METER_100),
    "C": table(
        """
        mini royal of spades: 100% of major, mini royal: 100% of minor
        straight flush: 70 for 1, three of a kind: 60 for 1, straight: 6 for 1
        """
    ),
}
# Maryland 12.E(5): spades, other suits, by the receiver's wager.
MARYLAND_ENVY = {
    "mini royal of spades": {1: 100, 5: 500},
    "mini royal": {1: 25, 5: 125},
}

# Maryland 12.F.
SUPER_ROYALS = {
    "A": "super royal of diamonds: $1000000, super royal: $100000",
    "B": "super royal: $100000",
}
MARYLAND_SIX_CARD = {
    "A": table(SUPER_ROYALS["A"]) | odds(SIX_CARD_HANDS, "1000 200 50 20 15 10 5"),
    "B": table(SUPER_ROYALS["B"]) | odds(SIX_CARD_HANDS, "1000 200 50 20 15 10 5"),
    "C": odds(SIX_CARD_HANDS, "1000 200 50 25 20 10 5"),
    "D": odds(SIX_CARD_HANDS, "1000 200 100 20 15 9 8"),
    "E": odds(SIX_CARD_HANDS, "1000 200 100 20 15 10 7"),
    "F": odds(SIX_CARD_HANDS, "1000 200 50 25 15 10 5"),
}

# Maryland 12.G; Let It Ride 12.E has the same tables, and one that pays 10 for three of a kind.
FIVE_CARD_ONE_METER = table(
    """
    royal flush: 100% of meter, straight flush: 10% of meter, four of a kind: 300 for 1
    full house: 50 for 1, flush: 40 for 1, straight: 30 for 1, three of a kind: 9 for 1
    """
)
FIVE_CARD_TWO_METERS = table(
    """
    royal flush: 100% of major, straight flush: 100% of minor, four of a kind: 300 for 1
    full house: 50 for 1, flush: 40 for 1, straight: 30 for 1, three of a kind: 9 for 1
    """
)
FIVE_CARD_THREE_METERS = table(
    """
    royal flush: 100% of mega, straight flush: 100% of major, four of a kind: 100% of minor
    full house: 50 for 1, flush: 40 for 1, straight: 30 for 1, three of a kind: 9 for 1
    """
)
MARYLAND_FIVE_CARD = {
    "A": FIVE_CARD_ONE_METER,
    "B": FIVE_CARD_TWO_METERS,
    "C": FIVE_CARD_THREE_METERS,
}

# California bonus-bet/8; its royal flush is the mini royal (T2).
CALIFORNIA_BONUS = odds(f"mini royal, {PAIR_PLUS_HANDS}", "200 40 30 6 3 1")

# Singapore 4.2, 4.3 and 4.4.
SINGAPORE_ANTE_BONUS = odds(ANTE_BONUS_HANDS, "5 4 1")
SINGAPORE_PAIR_PLUS = odds(PAIR_PLUS_HANDS, "40 30 5 4 1")
SINGAPORE_JACKPOT = table(
    """
    mini royal of spades: 100% of meter, mini royal: $1250, straight flush: $175
    three of a kind: $150, straight: $15
    """
)
SINGAPORE_ENVY = {"mini royal of spades": 250, "mini royal": 50}

# Designated player 9.
FLORIDA_PAIR_PLUS = odds(f"mini royal, {PAIR_PLUS_HANDS}", "200 50 30 6 4 1")

# Let It Ride 12.A.
LET_IT_RIDE = {
    "A": odds(RIDE_HANDS, "1000 200 50 11 8 5 3 2 1"),
    "B": odds(RIDE_HANDS, "500 100 25 15 10 5 3 2 1"),
    "C": odds(RIDE_HANDS, "100 50 30 15 9 6 3 2 1"),
}


def sums(hands: str, numbers: str) -> Paytable:
    """Fixed dollars for hands that are listed in the same order."""
    return {hand: line._replace(kind="sum") for hand, line in odds(hands, numbers).items()}


# Let It Ride 12.B.
RIDE_HANDS_TWO_PAIR = f"{SIX_CARD_HANDS}, two pair"
RIDE_FIVE_CARD_BONUS = {
    "A": sums(RIDE_HANDS, "20000 2000 150 75 50 25 4 3 2"),
    "B": sums(RIDE_HANDS, "20000 2000 200 75 50 25 5 4 1"),
    "C": sums(RIDE_HANDS_TWO_PAIR, "20000 2000 100 75 50 25 9 6"),
    "D": sums(RIDE_HANDS, "10000 2000 200 75 50 25 5 4 1"),
    "E": sums(RIDE_HANDS_TWO_PAIR, "10000 2000 200 100 50 25 10 6"),
    "F": sums(RIDE_HANDS_TWO_PAIR, "10000 2000 100 75 50 25 9 6"),
    "G": sums(SIX_CARD_HANDS, "20000 2000 300 150 50 25 5"),
}

# Let It Ride 12.C.
RIDE_THREE_CARD_BONUS = {
    "A": odds(PAIR_PLUS_HANDS, "40 30 6 4 1"),
    "B": odds(PAIR_PLUS_HANDS, "40 30 5 4 1"),
    "C": odds(PAIR_PLUS_HANDS, "40 30 6 3 1"),
}

# Let It Ride 12.D.
RIDE_SIX_CARD = {
    "A": table(SUPER_ROYALS["A"]) | odds(SIX_CARD_HANDS, "1000 200 50 20 15 10 5"),
    "B": table(SUPER_ROYALS["B"]) | odds(SIX_CARD_HANDS, "1000 200 50 20 15 10 5"),
}

# Let It Ride 12.E; B and C go by the player's three cards only.
RIDE_PROGRESSIVE = {
    "A": FIVE_CARD_ONE_METER,
    "B": table(SPADES_METER_70),
    "C": table(SPADES_METER_100),
    "D": FIVE_CARD_TWO_METERS,
    "E": FIVE_CARD_THREE_METERS | table("three of a kind: 10 for 1"),
    "F": FIVE_CARD_THREE_METERS,
}
RIDE_THREE_CARD_PROGRESSIVES = "BC"
# Let It Ride 12.I and 12.J.
RIDE_ENVY = {
    "royal flush": {1: 1000, 5: 5000},
    "straight flush": {1: 300, 5: 1500},
}

PAYTABLES: dict[str, dict[str, dict[str, Paytable]]] = {
    MARYLAND: {
        "ante_bonus": MARYLAND_ANTE_BONUS,
        "pair_plus": MARYLAND_PAIR_PLUS,
        "progressive": MARYLAND_PROGRESSIVE,
        "six_card_bonus": MARYLAND_SIX_CARD,
        "five_card_progressive": MARYLAND_FIVE_CARD,
    },
    CALIFORNIA: {"pair_plus": {"A": CALIFORNIA_BONUS}},
    SINGAPORE: {
        "ante_bonus": {"A": SINGAPORE_ANTE_BONUS},
        "pair_plus": {"A": SINGAPORE_PAIR_PLUS},
        "progressive": {"A": SINGAPORE_JACKPOT},
    },
    RIDE: {
        "let_it_ride": LET_IT_RIDE,
        "five_card_bonus": RIDE_FIVE_CARD_BONUS,
        "three_card_bonus": RIDE_THREE_CARD_BONUS,
        "six_card_bonus": RIDE_SIX_CARD,
        "progressive": RIDE_PROGRESSIVE,
    },
    FLORIDA: {"pair_plus": {"A": FLORIDA_PAIR_PLUS}},
}

# What a book obliges has paytable A by default, the rest is not offered by default.
OBLIGED = {
    MARYLAND: {"ante_bonus", "pair_plus"},
    CALIFORNIA: {"pair_plus"},
    SINGAPORE: {"ante_bonus", "pair_plus", "progressive"},
    RIDE: {"let_it_ride"},
    FLORIDA: {"pair_plus"},
}

# Maryland 12.E(3)(a): the least rate, which is also the default.
MARYLAND_RATES = {"A": Decimal("0.14"), "B": Decimal("0.20")}

# The least reset of each meter: Maryland 12.E(3)(b) and M7, Let It Ride 12.F(2).
RESETS = {
    (MARYLAND, "progressive"): {"": 1000, "major": 1000, "minor": 1000},
    (MARYLAND, "five_card_progressive"): {"": 1000, "major": 1000, "minor": 250, "mega": 10000},
    (RIDE, "progressive"): {"": 1000, "major": 1000, "minor": 250, "mega": 10000},
    (SINGAPORE, "progressive"): {},
}
