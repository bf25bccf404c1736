"""The tape names persons, and only them; and it says what they did."""

from typing import Any

import pytest

from croupier.ledger.journal import Record, StoredEvent, Vocabulary, encode
from croupier.ledger.tape import Proposals, TapeRow, Wanted, tape

DECLARE = {"type": "Declare", "kind": "wrong_number_of_cards", "facts": {"where": 2}}
SAID: tuple[tuple[Vocabulary, dict[str, Any], str], ...] = (
    ("round", {"type": "Declared", "kind": "face_up_cards", "clause": "13.A"}, "face up cards"),
    (
        "table",
        {"type": "Proposed", "command": DECLARE, "why": "four cards", "preview": {"voids": True}},
        "wrong number of cards: four cards",
    ),
    ("table", {"type": "TappedIn", "person": "d1", "post": "dealer"}, "dealer"),
    ("table", {"type": "HandRecalled", "round": "t-1", "seat": 2, "cards": []}, "seat 2"),
    ("table", {"type": "Declined", "id": "1", "why": "nobody saw it"}, "nobody saw it"),
    (
        "round",
        {"type": "Validated", "seat": 3, "answer": "reject", "why": "x"},
        "seat 3: reject: x",
    ),
    ("house", {"type": "RolesSet", "person": "p-1", "roles": ["dealer", "floor"]}, "dealer, floor"),
    ("house", {"type": "NoteTaken", "by": "p-2", "about": "t", "says": "look"}, "look"),
    ("round", {"type": "Shown", "position": 4, "card": "Kd"}, "Kd"),
    ("round", {"type": "BetMade", "seat": 2, "wager": "pair_plus"}, "seat 2: pair plus"),
    ("table", {"type": "Failed", "device": "shuffler"}, "shuffler"),
    ("round", {"type": "Chose", "seat": 1, "option": "fold", "by": "posted"}, "seat 1: fold"),
)


def told(
    of: Vocabulary, event: dict[str, Any], *who: str, known: Proposals | None = None
) -> list[TapeRow]:
    data = encode(Record("t", 1, 0, "t-1", of, event, who))
    return [*tape([StoredEvent("t", 1, 0, "t-1", data, bytes(32))], proposals=known)]


@pytest.mark.parametrize(("of", "event", "says"), SAID, ids=[event["type"] for _, event, _ in SAID])
def test_the_tape_says_what_was_done(of: Vocabulary, event: dict[str, Any], says: str) -> None:
    (row,) = told(of, event, "d1")
    assert row.says == row.as_json()["says"] == says
    assert row.proposer == ""


ANSWERS: tuple[tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]], ...] = (
    ({"type": "Approved", "by": {"person": "f1", "role": "floor"}}, ("f1",), ("f1",)),
    ({"type": "Withdrawn", "by": {"person": "d1", "role": "dealer"}}, ("d1",), ("d1",)),
    ({"type": "Lapsed", "time": {}}, (), ()),
    # The next proposal says that an earlier one has lapsed.
    ({"type": "Lapsed", "time": {}}, ("f2",), ()),
)


@pytest.mark.parametrize(("answer", "who", "persons"), ANSWERS)
def test_an_answer_says_what_was_proposed_and_by_whom(
    answer: dict[str, Any], who: tuple[str, ...], persons: tuple[str, ...]
) -> None:
    """Also if it is read later; nobody made a proposal lapse but the house."""
    by = {"person": "d1", "role": "dealer"}
    propose = {"type": "Proposed", "id": "1", "command": DECLARE, "why": "four cards", "by": by}
    known: Proposals = {}
    (asked,) = told("table", propose, "d1", known=known)
    (row,) = told("table", {**answer, "id": "1"}, *who, known=known)
    assert (asked.proposer, row.proposer) == ("", "d1")
    assert (row.says, row.persons) == ("wrong number of cards: four cards", persons)
    assert known == {}
    assert Wanted(person="d1").has(row)


def test_an_answer_in_the_house_says_what_was_proposed() -> None:
    propose = {"type": "Proposed", "id": "a", "by": "p-1", "preview": "Flo: floor", "why": "pit 1"}
    known: Proposals = {}
    told("house", propose, known=known)
    (row,) = told("house", {"type": "Lapsed", "id": "a"}, known=known)
    assert (row.says, row.proposer, row.persons) == ("Flo: floor: pit 1", "p-1", ())


def test_the_clock_and_a_post_are_nobody() -> None:
    by_clock = {"type": "Chose", "seat": 1, "step": "s", "option": "fold", "by": "clock"}
    assert told("round", by_clock) == []
    confirmed = {"type": "Confirmed", "clause": "4.A", "by": "floorperson"}
    assert told("round", confirmed) == [], "the machine's, in an older journal"
    (row,) = told("round", {**by_clock, "by": "posted"}, "d1")
    assert row.persons == ("d1",)
    (row,) = told("round", {"type": "CalledOff", "cause": "interrupted", "because": "x"})
    assert row.persons == ()
    (row,) = told("house", {"type": "RolesSet", "person": "p-1", "by": "p-2", "approved_by": "p-3"})
    assert row.persons == ("p-2", "p-3", "p-1")
