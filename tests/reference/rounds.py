"""Random valid round files: `random_round` for programs, or JSON lines on standard output.

python tests/reference/rounds.py BOOK N SEED
"""

import json
import random
import sys
from decimal import ROUND_UP, Decimal
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.reference.dealing import Place, plan
from tests.reference.model import CENT, ZERO, Json, money
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_RATES,
    PAYTABLES,
    PLAYER_BANKED,
    RIDE,
    SINGAPORE,
)
from tests.reference.random_cards import random_deck, random_places
from tests.reference.random_irregularities import add_irregularities
from tests.reference.random_selections import as_money, cents, meter_names, random_selections

SEATS = {MARYLAND: 7, SINGAPORE: 7, RIDE: 7, CALIFORNIA: 8, FLORIDA: 8}
ODD_STAKES = tuple(map(Decimal, ("7.13", "0.5", "12.35", "33.33", "1", "99.99")))
EVEN_STAKES = tuple(map(Decimal, (5, 10, 15, 25, 100)))
DEALINGS = ("manual_shoe", "hand", "automated_shoe")


def random_round(rulebook_id: str, rng: random.Random) -> Json:
    record: Json = {"rulebook": rulebook_id, "selections": random_selections(rulebook_id, rng)}
    numbers = rng.sample(range(1, SEATS[rulebook_id] + 1), rng.randint(1, SEATS[rulebook_id]))
    if rulebook_id in PLAYER_BANKED:
        # The bank has a seat of its own.
        numbers = numbers[:-1] or [numbers[0] % SEATS[rulebook_id] + 1]
    seats = [{"seat": number} for number in sorted(numbers)]
    record["seats"] = seats
    name_players(rng, seats)
    for seat in seats:
        place_wagers(rng, record, seat)
    if rulebook_id in PLAYER_BANKED:
        add_banker(rng, record)
    add_limits(rng, record)
    add_meters(rng, record)
    add_cards(rng, record)
    if rng.random() < 0.15:
        add_irregularities(rng, record)
    if rng.random() < 0.2:
        rng.shuffle(seats)
    if not record["selections"] and rng.random() < 0.5:
        del record["selections"]
    return record


def name_players(rng: random.Random, seats: list[Json]) -> None:
    """Some seats have no name, some players have several boxes."""
    for seat in seats:
        if rng.random() < 0.8:
            seat["player"] = f"p{seat['seat']}"
    while len(seats) > 1 and rng.random() < 0.35:
        count = min(len(seats), rng.choice((2, 2, 3)))
        start = rng.randrange(len(seats) - count + 1)
        boxes = seats[start : start + count] if rng.random() < 0.6 else rng.sample(seats, count)
        name = f"many{rng.randrange(1000)}"
        for seat in boxes:
            seat["player"] = name


def stake(rng: random.Random) -> Decimal:
    return rng.choice((*ODD_STAKES, *EVEN_STAKES, *EVEN_STAKES, cents(rng, 1, 500)))


def random_wagers(rng: random.Random, record: Json) -> dict[str, Decimal]:
    """The wagers of one seat."""
    book, selections = record["rulebook"], record["selections"]
    if book == RIDE:
        wagers = {"let_it_ride": stake(rng)}
    elif book == MARYLAND:
        wagers = maryland_wagers(rng, selections.get("version", "standard"))
    else:
        wagers = {"ante": stake(rng)}
        if rng.random() < 0.65:
            wagers["pair_plus"] = stake(rng)
            if book == SINGAPORE and rng.random() < 0.2:
                del wagers["ante"]
    if book in PLAYER_BANKED:
        return wagers
    for wager in ("five_card_bonus", "three_card_bonus", "six_card_bonus"):
        if selections.get(wager, "none") != "none" and rng.random() < 0.65:
            wagers[wager] = Decimal(1) if wager == "five_card_bonus" else stake(rng)  # L5.
    for wager in ("progressive", "five_card_progressive"):
        if may_wager(record, wager, wagers) and rng.random() < 0.75:
            wagers[wager] = rng.choice(sizes(selections, book, wager))
    return wagers


def maryland_wagers(rng: random.Random, version: str) -> dict[str, Decimal]:
    """Ante and Pair Plus as 7.F and the versions of 7.G allow."""
    if version == "standard":
        wagers = {"ante": stake(rng), "pair_plus": stake(rng)}
        left_out = rng.choice(("ante", "pair_plus", "pair_plus", "", "", "", ""))
        wagers.pop(left_out, None)
        return wagers
    ante = stake(rng)
    if version != "7.G(3)" and rng.random() < 0.3:
        return {"ante": ante}
    most = {"7.G(1)": 1, "7.G(2)": 2, "7.G(3)": 5}[version] * ante
    least = (ante / 5).quantize(CENT, ROUND_UP) if version == "7.G(3)" else CENT
    inside = Decimal(rng.randint(int(least * 100), int(most * 100))) / 100
    return {"ante": ante, "pair_plus": rng.choice((most, least, inside, inside, ante))}


def may_wager(record: Json, wager: str, wagers: dict[str, Decimal]) -> bool:
    """Whether the table takes such a wager: it is offered, with a rate and a reset (M7, S6)."""
    book, selections = record["rulebook"], record["selections"]
    if book == SINGAPORE:
        declared = {"progressive_rate", "progressive_reset"} <= selections.keys()
        return wager == "progressive" and declared and "ante" in wagers
    letter = selections.get(wager, "none")
    if letter == "none":
        return False
    by_book = book == MARYLAND and wager == "progressive" and letter in MARYLAND_RATES
    return by_book or f"{wager}_rate" in selections


def sizes(selections: Json, book: str, wager: str) -> list[Decimal]:
    default = "2.50" if book == SINGAPORE else 1
    declared = selections.get(f"{wager}_wager", default)
    return [money(size) for size in (declared if isinstance(declared, list) else [declared])]


def place_wagers(rng: random.Random, record: Json, seat: Json) -> None:
    wagers = random_wagers(rng, record)
    seat["wagers"] = {wager: as_money(rng, amount) for wager, amount in wagers.items()}
    if record["rulebook"] == RIDE:
        seat["decisions"] = rng.choices(("ride", "withdraw"), k=2)
    elif "ante" in wagers:
        seat["decisions"] = rng.choices(("play", "fold"), (3, 1))
    elif rng.random() < 0.3:
        seat["decisions"] = []


def add_banker(rng: random.Random, record: Json) -> None:
    book = record["rulebook"]
    taken = [seat["seat"] for seat in record["seats"]]
    free = [number for number in range(1, SEATS[book] + 1) if number not in taken]
    stakes = [amount for seat in record["seats"] for amount in seat["wagers"].values()]
    total = sum(map(money, stakes), ZERO)
    # What one seat stakes when it calls, so that funds often come out even.
    one = rng.choice(record["seats"])["wagers"]
    called = 2 * money(one["ante"]) + money(one.get("pair_plus", 0))
    funds = rng.choice(
        (
            called,
            called + rng.choice((CENT, -CENT)),
            Decimal(rng.randint(1, 30)),
            cents(rng, 1, int(total) + 1),
            cents(rng, 1, int(total) + 1),
            (total * rng.randint(1, 300) / 100).quantize(CENT) + 1,
            total,
            Decimal(rng.choice((200, 1000, 100000))),
        )
    )
    record["banker"] = {"seat": rng.choice(free), "funds": as_money(rng, funds)}
    if book == CALIFORNIA and rng.random() < 0.45:
        record["action"] = rng.choice(taken)


def add_limits(rng: random.Random, record: Json) -> None:
    """Limits that the wagers keep, and a number of adjacent boxes that the players keep."""
    selections = record["selections"]
    if rng.random() < 0.2:
        ranges: dict[str, list[Decimal]] = {}
        for seat in record["seats"]:
            for wager, amount in seat["wagers"].items():
                ranges.setdefault(wager, []).append(money(amount))
        selections["limits"] = {
            wager: [as_money(rng, min(amounts)), as_money(rng, max(amounts) + 100)]
            for wager, amounts in ranges.items()
            if wager in {"ante", "pair_plus", "let_it_ride", "six_card_bonus", "three_card_bonus"}
        }
    if record["rulebook"] in (MARYLAND, RIDE) and rng.random() < 0.3:
        boxes: dict[Any, list[int]] = {}
        for seat in record["seats"]:
            boxes.setdefault(seat.get("player", seat["seat"]), []).append(seat["seat"])
        adjacent = all(max(held) - min(held) < len(held) for held in boxes.values())
        if adjacent and selections.get("format") != "electronic":
            most = max(len(held) for held in boxes.values())
            selections["adjacent_boxes"] = rng.randint(most, 7)


def add_meters(rng: random.Random, record: Json) -> None:
    book, meters = record["rulebook"], {}
    for wager in ("progressive", "five_card_progressive"):
        letter = record["selections"].get(wager, "A" if book == SINGAPORE else "none")
        if letter == "none" or wager not in PAYTABLES[book]:
            continue
        for meter in meter_names(book, wager, letter):
            if rng.random() < 0.6:
                name = f"{wager}_{meter}" if meter else wager
                amount = rng.choice((cents(rng, 50, 900), cents(rng, 1000, 60000)))
                meters[name] = as_money(rng, amount)
    if meters:
        record["meters"] = meters


def add_cards(rng: random.Random, record: Json) -> None:
    book, selections = record["rulebook"], record["selections"]
    electronic = selections.get("format") == "electronic"
    from_deck = not electronic and rng.random() < 0.25
    if from_deck or rng.random() < 0.3:
        record["dealing"] = "automated_shoe" if book == CALIFORNIA else rng.choice(DEALINGS)
        if from_deck and book in (SINGAPORE, FLORIDA) and rng.random() < 0.5:
            del record["dealing"]
    layout: dict[Place, int] = {}
    for place in plan({**record, "dealing": "hand"}):
        layout[place] = layout.get(place, 0) + 1
    if electronic:
        add_electronic_cards(rng, record)
        return
    places = random_places(rng, layout)
    if from_deck:
        record["deck"] = " ".join(random_deck(rng, places, plan(record)))
        return
    for seat in record["seats"]:
        seat["cards"] = " ".join(places.pop(seat["seat"]))
    for place, cards in places.items():
        record.setdefault(str(place), {})["cards"] = " ".join(cards)
    if book == CALIFORNIA and rng.random() < 0.3:
        record["banker"]["shown"] = rng.choice(record["banker"]["cards"].split())


def add_electronic_cards(rng: random.Random, record: Json) -> None:
    """M9: nine community cards; the seats of one player are on different hands."""
    places = random_places(rng, {1: 3, 2: 3, 3: 3, "dealer": 3})
    record["dealer"] = {"cards": " ".join(places.pop("dealer"))}
    record["community"] = {"cards": " ".join(card for n in (1, 2, 3) for card in places[n])}
    used: dict[str, list[int]] = {}
    for seat in record["seats"]:
        mine = used.setdefault(seat.get("player", ""), [])
        free = [hand for hand in (1, 2, 3) if hand not in mine or "player" not in seat]
        if not free:
            del seat["player"]
            free = [1, 2, 3]
        seat["hand"] = rng.choice(free)
        mine.append(seat["hand"])


def to_json(value: Any) -> str:
    """JSON in which decimals are numbers with the digits that they have."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {to_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def main() -> None:
    book, count, seed = sys.argv[1:]
    rng = random.Random(seed)
    for _ in range(int(count)):
        print(to_json(random_round(book, rng)))


if __name__ == "__main__":
    main()
