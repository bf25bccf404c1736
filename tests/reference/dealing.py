"""Deals a round from a deck by each book's procedure."""

from copy import deepcopy

from tests.reference.hands import parse
from tests.reference.model import Json
from tests.reference.paytables import CALIFORNIA, FLORIDA, MARYLAND, PLAYER_BANKED, RIDE

DISCARD = "discard"
Place = int | str


def clockwise(numbers: list[int], start: int) -> list[int]:
    """The seats in order, from the first one at or after the start."""
    numbers = sorted(numbers)
    return [n for n in numbers if n >= start] + [n for n in numbers if n < start]


def plan(record: Json) -> list[Place]:
    """Where each card of the deck goes, the top card first: a seat or a place of the table."""
    book, dealing = record["rulebook"], record.get("dealing")
    seats: list[Place] = sorted(seat["seat"] for seat in record["seats"])
    if book == RIDE:
        return plan_ride(record, seats)
    if book in PLAYER_BANKED:
        # California dealing/2.a, designated player `rules` and F6: the bank's left first.
        banker = record["banker"]["seat"]
        order = clockwise([seat["seat"] for seat in record["seats"]], banker + 1)
        return in_threes([*order, "banker"])
    if book != MARYLAND or dealing == "automated_shoe":
        # Singapore 3.6 and S4; Maryland 10.B.
        places = in_threes([*seats, "dealer"])
    else:
        # Maryland 8.E(1) and 9.C(2): one card at a time.
        places = [*seats, "dealer"] * 3
    if any("five_card_progressive" in seat["wagers"] for seat in record["seats"]):
        places += ["community"] * 2  # M10.
    return places


def in_threes(places: list[Place]) -> list[Place]:
    return [place for place in places for _ in range(3)]


def plan_ride(record: Json, seats: list[Place]) -> list[Place]:
    """Let It Ride 8.D, 9.B, 9.C and 10.B."""
    selections = record.get("selections") or {}
    offered = selections.get("six_card_bonus", "none") != "none"
    box: list[Place] = ["six_card_box"] * 3 if offered else []  # L4.
    one: list[Place] = ["community"]
    if record.get("dealing") == "automated_shoe":
        # L8: of a stack of three the third is discarded.
        spare: list[Place] = [DISCARD] if selections.get("community_stack") == 3 else []
        return [*box, *one, *one, *spare, *in_threes(seats)]
    return [*box, *seats, *one, *seats, *one, *seats]


def face_up_positions(record: Json) -> list[int]:
    """Where cards lay face up in the deck, 1 being the top."""
    return [
        position
        for wrong in record.get("irregularities") or []
        if wrong["kind"] == "face_up_cards"
        for position in wrong.get("positions", [])
    ]


def dealt(record: Json) -> Json:
    """The round with its cards on their places."""
    if "deck" not in record:
        return record
    check_dealing(record)
    result = deepcopy(record)
    cards = parse(result.pop("deck"))
    if len(set(cards)) != 52:
        raise ValueError("deck: 52 different cards")
    # Maryland 13.A: a card found face up is not used.
    face_up = face_up_positions(record)
    cards = [card for place, card in enumerate(cards, start=1) if place not in face_up]
    places: dict[Place, list[str]] = {}
    for place, card in zip(plan(record), cards, strict=False):
        places.setdefault(place, []).append(card)
    for seat in result["seats"]:
        seat["cards"] = " ".join(places.pop(seat["seat"]))
    places.pop(DISCARD, None)
    for place, held in places.items():
        result[str(place)] = {**(result.get(str(place)) or {}), "cards": " ".join(held)}
    return result


def check_dealing(record: Json) -> None:
    dealing = record.get("dealing")
    if (record.get("selections") or {}).get("format") == "electronic":
        raise ValueError("deck: the electronic version is not dealt from a deck")
    if record["rulebook"] == CALIFORNIA and dealing not in (None, "automated_shoe"):
        raise ValueError("dealing")
    if record["rulebook"] in (MARYLAND, RIDE) and dealing is None:
        raise ValueError("dealing is needed with a deck")


def settlement_order(record: Json) -> list[int]:
    """The order in which the seats are settled."""
    numbers = [seat["seat"] for seat in record["seats"]]
    if record["rulebook"] not in (CALIFORNIA, FLORIDA):
        return sorted(numbers, reverse=True)  # From the dealer's right: Maryland 11.D(3), S4.
    # C6, F6: from the action seat, else from the first occupied seat left of the bank.
    return clockwise(numbers, record.get("action") or record["banker"]["seat"] + 1)
