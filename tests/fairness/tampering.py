"""Ways to change the document of a round, none of which may pass for proven.

Somebody who changes a record can make its seal fit again, so each change here does that too.
"""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from croupier.cards import DECK
from croupier.fairness.commitment import Commitment
from croupier.rules.rulebook import digest_of

Document = dict[str, Any]
Tampering = Callable[[Document, Random], None]


def tampered(document: Document, tampering: Tampering, rng: Random) -> Document:
    """The document, changed in one way; its record's seal fits what is in it."""
    changed = deepcopy(document)
    tampering(changed, rng)
    record = changed["record"]
    record["seal"] = digest_of({key: record[key] for key in record if key != "seal"})
    assert changed != document
    return changed


def other_card(card: str, rng: Random) -> str:
    return rng.choice([str(other) for other in DECK if str(other) != card])


def other_hex(text: str, rng: Random) -> str:
    at = rng.randrange(len(text))
    digit = rng.choice([digit for digit in "0123456789abcdef" if digit != text[at]])
    return text[:at] + digit + text[at + 1 :]


def shown(document: Document, rng: Random) -> Document:
    events: list[Document] = document["record"]["events"]
    return rng.choice([event for event in events if event["type"] == "Shown"])


def an_opened_card(document: Document, rng: Random) -> None:
    opened = rng.choice(document["opened"])
    opened["card"] = other_card(opened["card"], rng)


def a_position(document: Document, rng: Random) -> None:
    opened = rng.choice(document["opened"])
    opened["position"] = (opened["position"] + rng.randrange(1, 52)) % 52


def a_salt(document: Document, rng: Random) -> None:
    opened = rng.choice(document["opened"])
    opened["salt"] = other_hex(opened["salt"], rng)


def a_path(document: Document, rng: Random) -> None:
    path = rng.choice(document["opened"])["path"]
    at = rng.randrange(6)
    path[at] = other_hex(path[at], rng)


def the_length_of_a_path(document: Document, rng: Random) -> None:
    path = rng.choice(document["opened"])["path"]
    path.append(path[-1]) if rng.random() < 0.5 else path.pop()


def two_cards(document: Document, rng: Random) -> None:
    one, other = rng.sample(document["opened"], 2)
    one["card"], other["card"] = other["card"], one["card"]


def everywhere(document: Document, rng: Random) -> None:
    """A card in the opening and in the record as well."""
    event = shown(document, rng)
    event["card"] = other_card(event["card"], rng)
    for opened in document["opened"]:
        if opened["position"] == event["position"]:
            opened["card"] = event["card"]


def the_record(document: Document, rng: Random) -> None:
    event = shown(document, rng)
    event["card"] = other_card(event["card"], rng)


def a_position_of_the_record(document: Document, rng: Random) -> None:
    event = shown(document, rng)
    event["position"] = (event["position"] + rng.randrange(1, 52)) % 52


def a_proof_left_out(document: Document, rng: Random) -> None:
    event = shown(document, rng)
    kept = [o for o in document["opened"] if o["position"] != event["position"]]
    document["opened"] = kept


def a_proof_given_twice(document: Document, rng: Random) -> None:
    document["opened"].append(rng.choice(document["opened"]))


def the_root(document: Document, rng: Random) -> None:
    document["root"] = other_hex(document["root"], rng)


def the_root_and_commitment(document: Document, rng: Random) -> None:
    the_root(document, rng)
    _commit_again(document)


def the_commitment(document: Document, rng: Random) -> None:
    document["commitment"] = other_hex(document["commitment"], rng)


def the_round(document: Document, rng: Random) -> None:
    document["round"] += "1"
    _commit_again(document)


def the_rules(document: Document, rng: Random) -> None:
    document["rules"] = other_hex(document["rules"], rng)
    _commit_again(document)


def the_rules_of_the_record(document: Document, rng: Random) -> None:
    document["record"]["digest"] = other_hex(document["rules"], rng)


def a_second_opening(document: Document, rng: Random) -> None:
    events = document["record"]["events"]
    events.append({**events[0], "round": "other"})


def a_position_dealt_twice(document: Document, rng: Random) -> None:
    (dealt,) = (e for e in document["record"]["events"] if e["type"] == "Dealt")
    dealt["cards"].append(rng.choice(dealt["cards"]))


def the_shape(document: Document, rng: Random) -> None:
    """Something of a kind that is not expected there."""
    junk = rng.choice([None, True, 1, "x", [], {}, [1], {"a": 1}])
    place = rng.randrange(4)
    if place == 0:
        document[rng.choice(["format", "round", "rules", "root", "commitment"])] = junk
    elif place == 1:
        rng.choice(document["opened"])[rng.choice(["position", "card", "salt", "path"])] = (
            junk if junk != 1 and junk is not True else -1
        )
    elif place == 2:
        document["record"]["events"][0] = junk
    else:
        document["opened"].append(junk)


def a_key(document: Document, rng: Random) -> None:
    place = rng.choice([document, rng.choice(document["opened"])])
    if rng.random() < 0.5:
        place["more"] = 1
    else:
        del place[rng.choice([key for key in place if key != "record"])]


def _commit_again(document: Document) -> None:
    commitment = Commitment(document["round"], document["rules"], document["root"])
    document["commitment"] = commitment.digest


TAMPERINGS: tuple[Tampering, ...] = (
    an_opened_card,
    a_position,
    a_salt,
    a_path,
    the_length_of_a_path,
    two_cards,
    everywhere,
    the_record,
    a_position_of_the_record,
    a_proof_left_out,
    a_proof_given_twice,
    the_root,
    the_root_and_commitment,
    the_commitment,
    the_round,
    the_rules,
    the_rules_of_the_record,
    a_second_opening,
    a_position_dealt_twice,
    the_shape,
    a_key,
)
