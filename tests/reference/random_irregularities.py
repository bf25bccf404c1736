"""Random irregularities of every kind, and what they leave out of a round file."""

import random

from tests.reference.irregularities import KINDS, is_void
from tests.reference.model import Json
from tests.reference.paytables import MARYLAND, RIDE, SINGAPORE


def random_irregularity(rng: random.Random, record: Json) -> Json:
    book = record["rulebook"]
    kind = rng.choice(sorted(KINDS[book]))
    wrong: Json = {"kind": kind}
    seats = [seat["seat"] for seat in record["seats"]]
    if kind == "face_up_cards":
        if "deck" in record and rng.random() < 0.9:
            # Mostly among the cards that are dealt.
            highest = rng.choice((12, 20, 52))
            wrong["positions"] = rng.sample(range(1, highest + 1), rng.choice((1, 1, 1, 2, 3)))
        else:
            wrong["count"] = rng.choice((2, 3)) if "deck" in record else rng.choice((1, 1, 2, 3))
    elif kind == "wrong_number_of_cards":
        wrong["where"] = rng.choice([*seats, *places(record)])
        if book == SINGAPORE:
            wrong["reconstructable"] = rng.random() < 0.5
            add_flags(rng, wrong, ("noticed_late",))
            if wrong.get("noticed_late") and rng.random() < 0.5:
                del wrong["reconstructable"]  # It stands all the same.
    elif kind == "cards_exposed":
        wrong["count"] = rng.choice((1, 1, 2, 3))
    elif kind == "misdeal" and book == SINGAPORE:
        wrong["handled"] = rng.random() < 0.5
        if not wrong["handled"] or rng.random() < 0.5:
            wrong["reconstructable"] = rng.random() < 0.5
    elif kind == "stub_count":
        wrong["cards"] = rng.choice((52, 52, 52, 51, 53))
        wrong["misdealt"] = rng.random() < 0.5
    elif kind == "abandoned":
        wrong["seat"] = rng.choice(seats)
    return wrong


def places(record: Json) -> list[str]:
    """Places of the table where a book looks for a wrong number of cards."""
    if record["rulebook"] == MARYLAND and in_the_middle(record):
        return ["dealer", "community"]  # M19.
    if record["rulebook"] != RIDE:
        return ["dealer"]
    offered = record["selections"].get("six_card_bonus", "none") != "none"
    return ["community", "six_card_box"] if offered else ["community"]


def in_the_middle(record: Json) -> bool:
    """Whether community cards are dealt: on an electronic table, or if one of them is bet on."""
    staked = any("five_card_progressive" in seat["wagers"] for seat in record["seats"])
    return staked or record["selections"].get("format") == "electronic"


def add_flags(rng: random.Random, wrong: Json, names: tuple[str, ...]) -> None:
    for name in names:
        if rng.random() < 0.6:
            wrong[name] = rng.random() < 0.5


def add_irregularities(rng: random.Random, record: Json) -> None:
    """Declares one or two, shortens decisions of abandoned seats and strips void rounds."""
    wrongs = [random_irregularity(rng, record) for _ in range(rng.choice((1, 1, 1, 1, 2)))]
    if len(wrongs) == 2 and wrongs[0]["kind"] == wrongs[1]["kind"]:
        if wrongs[0]["kind"] == "cards_exposed" or "count" in {**wrongs[0], **wrongs[1]}:
            wrongs[1]["count"] = wrongs[0]["count"] = 1  # One after another (S8, 13.B).
            wrongs[0].pop("positions", None)
            wrongs[1].pop("positions", None)
        else:
            wrongs.pop()
    record["irregularities"] = wrongs
    for wrong in wrongs:
        if wrong["kind"] == "shoe_fault" and not has_automated_shoe(record):
            wrong["kind"] = "shuffler_fault"  # Only an automated shoe can fail (13.G).
        if wrong["kind"] == "abandoned":
            seat = next(seat for seat in record["seats"] if seat["seat"] == wrong["seat"])
            shorten(rng, seat)
    if is_void(record):
        strip(rng, record)


def has_automated_shoe(record: Json) -> bool:
    electronic = record["selections"].get("format") == "electronic"
    return record.get("dealing") == "automated_shoe" and not electronic


def shorten(rng: random.Random, seat: Json) -> None:
    """Shorten the decisions of a player who left before making all of them."""
    decisions = seat.get("decisions")
    if not decisions or rng.random() < 0.3:
        return
    kept = decisions[: rng.randrange(len(decisions))]
    if kept or rng.random() < 0.5:
        seat["decisions"] = kept
    else:
        del seat["decisions"]


def strip(rng: random.Random, record: Json) -> None:
    """Drop cards and decisions of a void round, which may lack them."""
    if rng.random() < 0.4:
        for place in ("deck", "dealer", "community", "six_card_box"):
            record.pop(place, None)
        for holder in [*record["seats"], record.get("banker", {})]:
            holder.pop("cards", None)
            holder.pop("shown", None)
    if rng.random() < 0.4:
        for seat in record["seats"]:
            seat.pop("decisions", None)
