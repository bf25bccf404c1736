"""Round files that must be refused: random valid rounds, each spoilt in one way."""

import random
from collections.abc import Callable

from tests.reference.model import Json
from tests.reference.paytables import (
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    PLAYER_BANKED,
    RIDE,
    SINGAPORE,
)
from tests.reference.random_irregularities import has_automated_shoe, in_the_middle
from tests.reference.rounds import random_round

MARYLANDS = (MARYLAND, RIDE)
Spoil = Callable[[Json, random.Random], bool]
"""Spoils a round in place; returns False if it can't spoil this one."""


def spoilt_round(book: str, rng: random.Random) -> tuple[str, Json]:
    """Return how a round was spoilt, and the round."""
    while True:
        record = random_round(book, rng)
        record.setdefault("selections", {})
        spoil = rng.choice(SPOILS)
        if spoil(record, rng):
            return spoil.__name__, record


def declare(record: Json, *wrongs: Json) -> bool:
    record["irregularities"] = [*record.get("irregularities", []), *wrongs]
    return True


def a_shoe_that_is_not_there(record: Json, _: random.Random) -> bool:
    if record["rulebook"] not in MARYLANDS or has_automated_shoe(record):
        return False
    return declare(record, {"kind": "shoe_fault"})


def a_shuffler_that_is_not_there(record: Json, _: random.Random) -> bool:
    if record["rulebook"] not in MARYLANDS or record.get("dealing") == "hand":
        return False
    record["selections"]["shuffler"] = "none"
    record["selections"].pop("decks", None)
    return declare(record, {"kind": "shuffler_fault"})


def a_fact_that_decides_is_missing(record: Json, rng: random.Random) -> bool:
    if record["rulebook"] in MARYLANDS:
        return declare(record, {"kind": "stub_count", "cards": rng.choice((51, 52))})
    if record["rulebook"] != SINGAPORE:
        return False
    where = rng.choice(["dealer", *(seat["seat"] for seat in record["seats"])])
    missing: list[Json] = [
        {"kind": "misdeal"},
        {"kind": "misdeal", "handled": False},
        {"kind": "misdeal", "reconstructable": rng.random() < 0.5},
        {"kind": "wrong_number_of_cards", "where": where},
        {"kind": "wrong_number_of_cards", "where": where, "noticed_late": False},
    ]
    return declare(record, rng.choice(missing))


def nothing_named(record: Json, rng: random.Random) -> bool:
    nothing: Json = {
        MARYLAND: {"kind": "face_up_cards"},
        RIDE: {"kind": "face_up_cards"},
        SINGAPORE: {"kind": "cards_exposed"},
    }.get(record["rulebook"], {})
    if not nothing:
        return False
    if nothing["kind"] == "face_up_cards" and rng.random() < 0.5:
        return declare(record, {**nothing, "positions": []})
    return declare(record, {**nothing, "count": 0})


def a_kind_of_another_book(record: Json, rng: random.Random) -> bool:
    kinds = {
        MARYLAND: ("community_card_exposed", "misdeal", "cards_exposed", "foreign_card"),
        RIDE: ("dealer_card_exposed", "misdeal", "wrong_deck_count"),
        SINGAPORE: ("face_up_cards", "shoe_fault", "stub_count", "abandoned"),
        CALIFORNIA: ("wrong_number_of_cards", "shoe_fault", "foreign_card"),
        FLORIDA: ("wrong_number_of_cards", "shoe_fault", "abandoned"),
    }
    return declare(record, {"kind": rng.choice(kinds[record["rulebook"]])})


def a_fact_too_many(record: Json, rng: random.Random) -> bool:
    facts: Json = {"handled": True, "count": 1, "where": 1, "note": "jam"}
    name = rng.choice(list(facts))
    kind = {MARYLAND: "card_drawn_in_error", RIDE: "card_drawn_in_error"}
    kind |= {SINGAPORE: "foreign_card", CALIFORNIA: "misdeal", FLORIDA: "misdeal"}
    return declare(record, {"kind": kind[record["rulebook"]], name: facts[name]})


def a_wrong_number_where_no_cards_are(record: Json, _: random.Random) -> bool:
    if record["rulebook"] != MARYLAND or in_the_middle(record):
        return False
    return declare(record, {"kind": "wrong_number_of_cards", "where": "community"})


def cards_in_the_middle_for_nobody(record: Json, _: random.Random) -> bool:
    if record["rulebook"] != MARYLAND or in_the_middle(record) or "deck" in record:
        return False
    cards = " ".join(seat.get("cards", "") for seat in [*record["seats"], record.get("dealer", {})])
    free = [rank + suit for rank in "23456789TJQKA" for suit in "shdc" if rank + suit not in cards]
    record["community"] = {"cards": " ".join(free[:2])}
    return True


def no_way_to_deal_a_deck(record: Json, _: random.Random) -> bool:
    if record["rulebook"] not in MARYLANDS or "deck" not in record:
        return False
    return bool(record.pop("dealing"))


def no_word_for_a_way_to_deal(record: Json, rng: random.Random) -> bool:
    record["dealing"] = rng.choice(("shoe", "manual", "", "electronic", 1, None))
    return True


def an_action_where_there_is_none(record: Json, _: random.Random) -> bool:
    record["action"] = record["seats"][0]["seat"]
    return bool(record["rulebook"] != CALIFORNIA)


def a_card_shown_where_none_is(record: Json, rng: random.Random) -> bool:
    if record["rulebook"] not in PLAYER_BANKED:
        return False
    cards = record["banker"].get("cards", "As").split()
    record["banker"]["shown"] = rng.choice(cards) if record["rulebook"] == FLORIDA else ""
    return True


def a_wager_that_is_too_small(record: Json, _: random.Random) -> bool:
    seat = record["seats"][0]
    wager = "let_it_ride" if record["rulebook"] == RIDE else "ante"
    record["selections"]["limits"] = {wager: [1000, 2000]}
    return wager in seat["wagers"]


SPOILS: tuple[Spoil, ...] = (
    a_shoe_that_is_not_there,
    a_shuffler_that_is_not_there,
    a_fact_that_decides_is_missing,
    nothing_named,
    a_kind_of_another_book,
    a_fact_too_many,
    a_wrong_number_where_no_cards_are,
    cards_in_the_middle_for_nobody,
    no_way_to_deal_a_deck,
    no_word_for_a_way_to_deal,
    an_action_where_there_is_none,
    a_card_shown_where_none_is,
    a_wager_that_is_too_small,
)
