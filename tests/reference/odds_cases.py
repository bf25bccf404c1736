"""Tables and bets to analyse both ways, from simple to far-fetched."""

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from tests.reference.odds_rules import PROGRESSIVES, exact
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    PAYTABLES,
    RIDE,
    SINGAPORE,
)
from tests.reference.random_selections import meter_names, random_selections


class Case(NamedTuple):
    book: str
    selections: Mapping[str, Any]
    bet: Mapping[str, Fraction]
    meters: Mapping[str, Fraction] = {}
    others: int = 0

    def __str__(self) -> str:
        words = [self.book.replace("-three-card-poker", ""), *map(_pair, self.selections.items())]
        words += ["bets", *map(_pair, self.bet.items()), *map(_pair, self.meters.items())]
        return " ".join([*words, f"others={self.others}"] if self.others else words)


def _pair(item: tuple[str, object]) -> str:
    return f"{item[0]}={item[1]}".replace(" ", "")


def numbers(text: str) -> dict[str, Fraction]:
    """Reads "ante=5/2 progressive=1"."""
    pairs = (word.split("=") for word in text.split())
    return {name: exact(amount) for name, amount in pairs}


def case(book: str, bet: str, meters: str = "", /, *, others: int = 0, **selections: Any) -> Case:
    """Make a case; a $5 progressive wager is declared, since tables take $1 by default."""
    stakes = numbers(bet)
    for wager in PROGRESSIVES:
        if book != SINGAPORE and stakes.get(wager) == 5:
            selections[f"{wager}_wager"] = 5
    return Case(book, selections, stakes, numbers(meters), others)


def every_letter() -> list[Case]:
    """Each paytable on its own, and beside the wager that opens the game."""
    found = []
    for book, wagers in PAYTABLES.items():
        opening = "let_it_ride" if book == RIDE else "ante"
        for wager, tables in wagers.items():
            for letter in tables:
                meters = ""
                if (book, wager) == (SINGAPORE, "progressive"):
                    meters = "progressive=40000"
                chosen: dict[str, Any] = {wager: letter}
                if wager in {"ante_bonus", "let_it_ride"}:
                    found.append(case(book, f"{opening}=1", **chosen))
                    continue
                size = "5/2" if meters else "1"
                found.append(case(book, f"{wager}={size}", meters, **chosen))
                if wager not in {"six_card_bonus", "five_card_progressive"} or letter == "A":
                    bet = f"{opening}=1 {wager}={size}"
                    found.append(case(book, bet, meters, **chosen))
    return found


AMENDED = {"mini royal": 100, "straight flush": "37.5", "three of a kind": 25, "straight": 5}
STEEP = {"straight flush": 500, "flush": "12.25", "pair": "0.5"}

QUICK = [
    *every_letter(),
    case(MARYLAND, "ante=5/2", ante_bonus="B"),
    case(MARYLAND, "ante=1", version="7.G(1)"),
    case(MARYLAND, "ante=1 pair_plus=1", version="7.G(1)", pair_plus="B"),
    case(MARYLAND, "ante=1/3 pair_plus=2/3", version="7.G(2)", pair_plus="C"),
    case(MARYLAND, "ante=5 pair_plus=1", version="7.G(3)", pair_plus="E"),
    case(MARYLAND, "ante=1/3 pair_plus=5/2", pair_plus="D"),
    case(
        MARYLAND, "ante=2 pair_plus=7 progressive=5", "progressive=12345.67", progressive="B"
    )._replace(others=3),
    case(MARYLAND, "progressive=1", others=3, progressive="A"),
    case(MARYLAND, "progressive=5", "progressive=9999.99", others=6, progressive="A"),
    case(MARYLAND, "progressive=1", others=6, progressive="B", progressive_reset=2500),
    case(MARYLAND, "progressive=5", others=6, progressive="C"),
    case(
        MARYLAND,
        "progressive=1",
        "progressive_minor=777.77",
        others=3,
        progressive="C",
        progressive_reset={"major": 5000, "minor": 1200},
    ),
    case(MARYLAND, "progressive=5", "progressive_minor=123456", progressive="C"),
    case(MARYLAND, "pair_plus=1 progressive=1", others=1, progressive="A"),
    case(MARYLAND, "six_card_bonus=5/2", six_card_bonus="A"),
    case(MARYLAND, "six_card_bonus=1/3", six_card_bonus="B"),
    case(MARYLAND, "ante=2 six_card_bonus=1/3", six_card_bonus="B"),
    case(MARYLAND, "ante=1 pair_plus=1 six_card_bonus=1", six_card_bonus="A", ante_bonus="C"),
    case(
        MARYLAND,
        "ante=1 pair_plus=1 progressive=5 six_card_bonus=1/3",
        "progressive=4321.09",
        others=6,
        six_card_bonus="A",
        progressive="A",
    ),
    case(
        MARYLAND,
        "ante=3 pair_plus=1 progressive=1 six_card_bonus=2",
        "progressive_major=31415.92 progressive_minor=271",
        others=2,
        six_card_bonus="D",
        progressive="C",
        version="7.G(1)",
    ),
    case(MARYLAND, "ante=1 six_card_bonus=1", format="electronic", six_card_bonus="F"),
    case(
        MARYLAND,
        "five_card_progressive=1",
        "five_card_progressive_major=12345.67 five_card_progressive_minor=89.01",
        five_card_progressive="B",
    ),
    case(MARYLAND, "five_card_progressive=5", five_card_progressive="C"),
    case(
        MARYLAND,
        "five_card_progressive=1",
        others=6,
        five_card_progressive="A",
        five_card_envy={"royal flush": 1000, "straight flush": "300.50", "pair": 1},
    ),
    case(
        MARYLAND,
        "ante=1 five_card_progressive=1",
        "five_card_progressive=1000000",
        five_card_progressive="A",
    ),
    case(
        MARYLAND,
        "ante=1 pair_plus=1 progressive=1 five_card_progressive=5",
        "five_card_progressive_mega=98765.43 five_card_progressive_minor=10",
        others=3,
        progressive="C",
        five_card_progressive="C",
        five_card_envy={"four of a kind": 20},
    ),
    case(
        MARYLAND,
        "ante=1/3 five_card_progressive=1",
        "five_card_progressive_minor=50000",
        five_card_progressive="C",
    ),
    case(
        MARYLAND,
        "pair_plus=1 five_card_progressive=1 progressive=5",
        progressive="A",
        five_card_progressive="B",
    ),
    case(CALIFORNIA, "ante=1/3 pair_plus=5/2"),
    case(CALIFORNIA, "ante=1 pair_plus=100"),
    case(CALIFORNIA, "ante=7 pair_plus=2", payoff_limit="wager"),
    case(SINGAPORE, "ante=1 pair_plus=3"),
    case(SINGAPORE, "progressive=5/2", "progressive=123456.78", others=3),
    case(SINGAPORE, "ante=5 progressive=5/2", others=6, progressive_reset=5000),
    case(SINGAPORE, "progressive=5", "progressive=1", progressive_wager=5),
    case(
        SINGAPORE,
        "ante=5/2 pair_plus=1/3 progressive=10",
        "progressive=250000",
        others=1,
        progressive_wager=10,
    ),
    case(SINGAPORE, "pair_plus=1 progressive=5/2", "progressive=20000"),
    case(FLORIDA, "ante=1"),
    case(FLORIDA, "ante=1 pair_plus=5/2"),
    case(FLORIDA, "ante=1/3 pair_plus=4", pair_plus_when_beaten="push"),
    case(FLORIDA, "pair_plus=2", pair_plus_when_beaten="push"),
    case(FLORIDA, "pair_plus=1", pair_plus=AMENDED),
    case(FLORIDA, "ante=1 pair_plus=1", pair_plus=AMENDED, pair_plus_when_beaten="push"),
    case(FLORIDA, "ante=1 pair_plus=20", pair_plus=STEEP),
    case(FLORIDA, "ante=2 pair_plus=9", pair_plus=STEEP, pair_plus_when_beaten="push"),
    case(FLORIDA, "ante=1 pair_plus=1", pair_plus={"pair": "0.01"}),
    case(RIDE, "let_it_ride=5/2", let_it_ride="B"),
    case(RIDE, "let_it_ride=1/3", let_it_ride="C"),
    *(
        case(RIDE, "let_it_ride=1", let_it_ride=letter, payout_limit=limit)
        for letter in "ABC"
        for limit in (1, "3.50", 20, 75)
    ),
    case(RIDE, "let_it_ride=5/2", payout_limit="12.34"),
    case(RIDE, "let_it_ride=1/3", payout_limit=1),
    case(RIDE, "let_it_ride=25", payout_limit=50000),
    case(
        RIDE,
        "let_it_ride=1 five_card_bonus=1 three_card_bonus=5/2 progressive=1",
        others=3,
        five_card_bonus="B",
        three_card_bonus="C",
        progressive="A",
    ),
    case(
        RIDE,
        "let_it_ride=10 five_card_bonus=1 progressive=5",
        "progressive_mega=54321.09 progressive_minor=0.01",
        others=6,
        five_card_bonus="G",
        progressive="E",
        payout_limit=1000,
    ),
    case(RIDE, "progressive=5", others=6, progressive="C"),
    case(RIDE, "progressive=1", others=3, progressive="B", progressive_reset=1500),
    case(
        RIDE,
        "progressive=5",
        "progressive_major=100000",
        others=6,
        progressive="D",
        progressive_reset={"major": 2000, "minor": 600},
    ),
    case(RIDE, "progressive=1", "progressive_minor=99999", others=6, progressive="F"),
    case(RIDE, "three_card_bonus=1/3", three_card_bonus="B"),
    case(RIDE, "three_card_bonus=1 progressive=1", three_card_bonus="A", progressive="B"),
    case(RIDE, "let_it_ride=2 six_card_bonus=1/3", six_card_bonus="A", payout_limit=100),
    case(
        RIDE,
        "let_it_ride=1 five_card_bonus=1 three_card_bonus=1 six_card_bonus=5/2 progressive=1",
        others=2,
        five_card_bonus="C",
        three_card_bonus="A",
        six_card_bonus="B",
        progressive="F",
    ),
    case(RIDE, "five_card_bonus=1 six_card_bonus=1", five_card_bonus="E", six_card_bonus="A"),
]

# These need the joint count of the bank's cards and the community cards.
LONG = [
    case(
        MARYLAND,
        "ante=1 six_card_bonus=1 five_card_progressive=1",
        six_card_bonus=six,
        five_card_progressive=five,
    )
    for six in "ABCDEF"
    for five in "ABC"
] + [
    case(
        MARYLAND,
        "ante=1/3 pair_plus=5/2 progressive=5 six_card_bonus=2 five_card_progressive=1",
        f"progressive=1234.56 five_card_progressive={amount}",
        others=6,
        progressive="A",
        six_card_bonus="A",
        five_card_progressive="A",
        five_card_envy={"royal flush": 500},
    )
    for amount in (1, 20000, 777777.77)
]
LONG += [
    case(RIDE, f"let_it_ride={stake}", let_it_ride=letter, payout_limit=limit)
    for letter in "ABC"
    for limit in (2, 9, 25, 60, 500, "1234.56")
    for stake in ("1", "5/2", "25")
]


def stake(rng: random.Random) -> Fraction:
    simple = [Fraction(1), Fraction(1), Fraction(5), Fraction(5, 2), Fraction(1, 3)]
    return rng.choice([*simple, Fraction(rng.randint(1, 400), rng.randint(1, 12))])


def amount(rng: random.Random) -> Fraction:
    return Fraction(rng.choice((rng.randint(1, 10**5), rng.randint(10**5, 10**8))), 100)


def sizes(book: str, selections: Mapping[str, Any], wager: str) -> list[Fraction]:
    """Return the sizes that a progressive wager may have."""
    declared = selections.get(f"{wager}_wager", "2.50" if book == SINGAPORE else 1)
    return [exact(size) for size in (declared if isinstance(declared, list) else [declared])]


def random_bet(rng: random.Random, book: str, selections: Mapping[str, Any]) -> dict[str, Fraction]:
    """Some of the wagers that the selections offer, as a seat may make them."""
    opening = "let_it_ride" if book == RIDE else "ante"
    optional = [wager for wager in PAYTABLES[book] if wager not in {opening, "ante_bonus"}]
    bet = {opening: stake(rng)}
    for wager in optional:
        obliged = wager == "pair_plus" or (book, wager) == (SINGAPORE, "progressive")
        if selections.get(wager, "A" if obliged else "none") == "none" or rng.random() < 0.35:
            continue
        if "progressive" in wager:
            bet[wager] = rng.choice(sizes(book, selections, wager))
        else:
            bet[wager] = Fraction(1) if wager == "five_card_bonus" else stake(rng)
    version = selections.get("version", "standard")
    if version == "7.G(3)":
        bet["pair_plus"] = bet["ante"] * Fraction(rng.randint(2, 50), 10)
    elif version != "standard" and "pair_plus" in bet:
        bet["pair_plus"] = bet["ante"] * Fraction(rng.randint(1, 10), 10)
    elif len(bet) > 1 and rng.random() < 0.25:
        del bet[opening]
    return bet


def random_case(seed: int) -> Case:
    """A random table, a random bet, and random amounts on some of the meters."""
    rng = random.Random(seed)
    book = rng.choice((MARYLAND, MARYLAND, MARYLAND, RIDE, RIDE, CALIFORNIA, SINGAPORE, FLORIDA))
    selections = random_selections(book, rng)
    bet = random_bet(rng, book, selections)
    meters = {}
    for wager in bet:
        if "progressive" in wager:
            for meter in meter_names(book, wager, str(selections.get(wager, "A"))):
                if book == SINGAPORE or rng.random() < 0.6:
                    meters[f"{wager}_{meter}" if meter else wager] = amount(rng)
    return Case(book, selections, bet, meters, rng.choice((0, 0, 1, 3, 6)))


def is_long(found: Case) -> bool:
    """Whether it needs the joint count of bank and community cards."""
    return {"six_card_bonus", "five_card_progressive"} <= found.bet.keys() and found.book != RIDE
