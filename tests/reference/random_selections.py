"""Random selections of the operator, all of them valid."""

import random
from decimal import Decimal
from itertools import pairwise
from typing import Any

from tests.reference.model import CENT, Json
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_RATES,
    PAIR_PLUS_HANDS,
    PAYTABLES,
    RESETS,
    RIDE,
    SINGAPORE,
)

FIVE_CARD_ENVY_HANDS = ("royal flush", "straight flush", "four of a kind", "full house", "flush")


def as_money(rng: random.Random, amount: Decimal) -> int | str | Decimal:
    """An amount as files may write it."""
    whole = amount == int(amount)
    forms: list[int | str | Decimal] = [amount, f"{amount:.2f}", amount.quantize(CENT)]
    if whole:
        forms += [int(amount)] * 4 + [str(int(amount))]
    return rng.choice(forms)


def cents(rng: random.Random, low: int, high: int) -> Decimal:
    """Between two sums of dollars, often whole."""
    if rng.random() < 0.4:
        return Decimal(rng.randint(low, high))
    return Decimal(rng.randint(low * 100, high * 100)) / 100


def meter_names(book: str, wager: str, letter: str) -> list[str]:
    lines = PAYTABLES[book][wager][letter].values()
    return list(dict.fromkeys(line.meter for line in lines if line.kind == "meter"))


def random_rate(rng: random.Random, lowest: Decimal) -> Decimal:
    rates = ("0.01", "0.05", "0.14", "0.1425", "0.2", "0.25", "0.333333", "0.5", "0.2001", "1")
    return rng.choice([Decimal(rate) for rate in rates if Decimal(rate) >= lowest])


def random_shares(rng: random.Random, meters: list[str]) -> Json:
    cuts = sorted(rng.sample(range(1, 1000), len(meters) - 1))
    edges = [0, *cuts, 1000]
    parts = [Decimal(high - low) / 1000 for low, high in pairwise(edges)]
    return dict(zip(meters, parts, strict=True))


def random_amounts(rng: random.Random, lowest: dict[str, int]) -> Any:
    """A reset or an initial amount: one sum for all meters, or a table."""
    if list(lowest) == [""] or rng.random() < 0.3:
        low = max(lowest.values())
        return as_money(rng, cents(rng, low, 3 * low))
    kept = [meter for meter in lowest if rng.random() < 0.9] or list(lowest)
    return {m: as_money(rng, cents(rng, lowest[m], 3 * lowest[m])) for m in kept}


def select_progressive(rng: random.Random, selections: Json, book: str, *, wager: str) -> None:
    """A progressive with its rate, resets, shares and sizes of wagers."""
    letter = selections.get(wager, "A")
    meters = meter_names(book, wager, letter)
    by_book = {meter: RESETS[book, wager].get(meter, 500) for meter in meters}
    if wager == "five_card_progressive":
        by_book = dict.fromkeys(meters, 1)  # M7: any positive sum.
    lowest_rate = MARYLAND_RATES.get(letter) if (book, wager) == (MARYLAND, "progressive") else None
    if rng.random() < (0.9 if lowest_rate is None else 0.6):
        selections[f"{wager}_rate"] = random_rate(rng, lowest_rate or Decimal(0))
    if rng.random() < (0.95 if book == SINGAPORE else 0.5):
        selections[f"{wager}_reset"] = random_amounts(rng, by_book)
    if rng.random() < 0.3:
        selections[f"{wager}_initial"] = random_amounts(rng, by_book)
    if len(meters) > 1 and rng.random() < 0.6:
        selections[f"{wager}_shares"] = random_shares(rng, meters)
    if rng.random() < 0.6:
        sizes: list[Any] = [1, 5, [1, 5], [1, 5]]
        if book == SINGAPORE:
            sizes = ["2.50", Decimal("2.5"), 1, 5, 10]
        selections[f"{wager}_wager"] = rng.choice(sizes)


def letters(rng: random.Random, selections: Json, book: str, *, wagers: dict[str, float]) -> None:
    """Paytables, each named with a probability."""
    for wager, probability in wagers.items():
        if rng.random() < probability:
            selections[wager] = rng.choice(sorted(PAYTABLES[book][wager]))


def maryland(rng: random.Random) -> Json:
    selections: Json = {}
    if rng.random() < 0.45:
        selections["version"] = rng.choice(("standard", "7.G(1)", "7.G(2)", "7.G(3)"))
    if selections.get("version", "standard") == "standard":
        letters(rng, selections, MARYLAND, wagers={"ante_bonus": 0.6})
    letters(
        rng,
        selections,
        MARYLAND,
        wagers={"pair_plus": 0.7, "progressive": 0.7, "six_card_bonus": 0.6},
    )
    if rng.random() < 0.2:
        selections["format"] = "electronic"
    else:
        letters(rng, selections, MARYLAND, wagers={"five_card_progressive": 0.6})
    for wager in ("progressive", "five_card_progressive"):
        if wager in selections:
            select_progressive(rng, selections, MARYLAND, wager=wager)
        elif rng.random() < 0.1:
            selections[wager] = "none"
    if selections.get("five_card_progressive", "none") != "none" and rng.random() < 0.6:
        listed = rng.sample(FIVE_CARD_ENVY_HANDS, rng.randint(1, len(FIVE_CARD_ENVY_HANDS)))
        selections["five_card_envy"] = {h: as_money(rng, cents(rng, 1, 900)) for h in listed}
    return selections


def singapore(rng: random.Random) -> Json:
    selections: Json = {}
    letters(
        rng,
        selections,
        SINGAPORE,
        wagers={"ante_bonus": 0.2, "pair_plus": 0.2, "progressive": 0.3},
    )
    select_progressive(rng, selections, SINGAPORE, wager="progressive")
    return selections


def ride(rng: random.Random) -> Json:
    selections: Json = {}
    letters(
        rng,
        selections,
        RIDE,
        wagers={
            "let_it_ride": 0.7,
            "five_card_bonus": 0.6,
            "three_card_bonus": 0.6,
            "six_card_bonus": 0.6,
            "progressive": 0.8,
        },
    )
    if "progressive" in selections:
        select_progressive(rng, selections, RIDE, wager="progressive")
    if rng.random() < 0.4:
        limit = rng.choice((cents(rng, 1, 100), cents(rng, 50, 5000), Decimal(75000)))
        selections["payout_limit"] = as_money(rng, limit)
    if rng.random() < 0.3:
        selections["community_stack"] = 3
    return selections


def california(rng: random.Random) -> Json:
    selections: Json = {}
    letters(rng, selections, CALIFORNIA, wagers={"pair_plus": 0.2})
    if rng.random() < 0.6:
        selections["payoff_limit"] = rng.choice(("wager", "wager", "wager_and_collections"))
    if rng.random() < 0.5:
        selections["player_dealer_fee"] = as_money(rng, cents(rng, 0, 5))
    if rng.random() < 0.6:
        # The last bracket holds the largest stake that this generator makes.
        tops = [*sorted(rng.sample(range(5, 400), rng.randint(0, 3))), 10000]
        selections["fees"] = [
            {"up_to": as_money(rng, Decimal(top)), "fee": as_money(rng, cents(rng, 0, 4))}
            for top in tops
        ]
    return selections


def florida(rng: random.Random) -> Json:
    selections: Json = {}
    choice = rng.random()
    if choice < 0.2:
        selections["pair_plus"] = "A"
    elif choice < 0.6:
        listed = ["mini royal", *PAIR_PLUS_HANDS.split(", ")]
        rng.shuffle(listed)
        count = rng.choice((len(listed), len(listed), rng.randint(1, len(listed))))
        odds = [rng.choice((1, 4, Decimal("1.5"), Decimal("6.25"), 40, 200)) for _ in listed]
        selections["pair_plus"] = dict(list(zip(listed, odds, strict=True))[:count])
    if rng.random() < 0.5:
        selections["pair_plus_when_beaten"] = rng.choice(("lose", "push", "push"))
    if rng.random() < 0.7:
        payer = rng.choice(("all", "players", "designated_player"))
        selections["rake"] = {"payer": payer, "amount": as_money(rng, cents(rng, 1, 5))}
    return selections


BY_BOOK = {
    MARYLAND: maryland,
    CALIFORNIA: california,
    SINGAPORE: singapore,
    RIDE: ride,
    FLORIDA: florida,
}


def random_selections(book: str, rng: random.Random) -> Json:
    return BY_BOOK[book](rng)
