"""B8: an irregularity is declared when and where it can happen, as the texts say."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.house.desk import irregularities
from croupier.house.proposals import Proposable, preview
from croupier.house.standing import Standing
from croupier.round.commands import Close, Declare
from croupier.round.decide import decide
from croupier.round.events import Declared
from croupier.round.evolve import evolve_all, replay
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from croupier.table.commands import EndRound
from croupier.table.crew import APPROVERS
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import DeckRemoved
from croupier.table.state import Deck, InPlay, new_table
from tests.round.games import at
from tests.rules.books import LET_IT_RIDE, MARYLAND, book, each_book

FILE = Path("tests/data/irregularities.toml")
TEXTS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(FILE.read_text("utf-8"))
STEPS = ("bet", "closed", "dealt", "decided", "shown", "settled")
KINDS: tuple[tuple[Thing, ...], ...] = (
    (),
    ("dealer",),
    ("dealer", "cards"),
    ("dealer", "cards", "chips"),
)
WITH_DEVICES = {"dealing": "automated_shoe", "shuffler": "plain"}
BY_HAND = {"dealing": "manual_shoe", "shuffler": "none"}


def equipments(id: str) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """The equipments of a book that decide what can go wrong, and their devices."""
    if id in (MARYLAND, LET_IT_RIDE):
        yield BY_HAND, set()
        yield WITH_DEVICES, {"shuffler", "shoe"}
    else:
        yield {}, set()


def round_at(id: str, step: str, things: tuple[Thing, ...], selections: dict[str, Any]) -> Round:
    """A round as far as it has come, with these things to handle."""
    played = at(id, "shown" if step == "settled" else step, **selections)
    round = replay(resolve(book(id), selections, things=things), played.events)
    return round._replace(order=tuple(round.boxes)) if step == "settled" else round


def expected(text: dict[str, Any], step: str, things: tuple[Thing, ...], devices: set[str]) -> str:
    """What the texts say of a declaration: allowed, or why not."""
    needs = text.get("needs", "cards")
    if not things:
        return "no_people"
    if "device" in text and text["device"] not in devices:
        return "no_device"
    if needs != "nothing" and needs not in things:
        return f"no_{needs}"
    if step not in text["when"]:
        return "wrong_step"
    return "allowed"


@each_book
def test_every_kind_at_every_step_with_every_equipment(id: str) -> None:
    seen: Counter[str] = Counter()
    for selections, devices in equipments(id):
        for things in KINDS:
            for step in STEPS:
                round = round_at(id, step, things, selections)
                listed = {one["kind"]: one for one in irregularities(round)}
                for kind, text in TEXTS[id].items():
                    wanted = expected(text, step, things, devices)
                    declare = Declare(kind, text.get("facts", {}))
                    assert declared(round, declare, text["clause"]) == wanted, (kind, step, things)
                    if things:
                        assert (kind in listed) == (wanted == "allowed"), (kind, step, things)
                    if wanted == "allowed":
                        by = [text["by"]] if "by" in text else ["dealer", "floorperson"]
                        assert listed[kind]["by"] == by
                        check_preview(round, declare)
                    seen[wanted] += 1
    assert seen["allowed"] and seen["wrong_step"] and seen["no_people"]


def declared(round: Round, declare: Declare, clause: str | list[str]) -> str:
    """Whether something may be declared, or why not, with the clause that says so."""
    try:
        decide(round, declare)
    except Refused as refused:
        before_it = round.at == 0 and "seat" in declare.facts  # Nobody has a closed bet yet.
        rows = round.rules.irregularities[declare.kind].rows
        own = {clause} if isinstance(clause, str) else {*clause}  # By how the cards are dealt.
        cited = own if refused.code == "wrong_step" else {row.clause for row in rows}
        assert refused.code == "no_people" or before_it or refused.clause in cited
        return str(refused.code)
    return "allowed"


def check_preview(round: Round, declare: Declare) -> None:
    """What a declaration is said to do is what happens."""
    table = new_table(round.rules)
    decks = table.decks or {1: Deck()}
    dealt = round.at > 0
    table = replace(table, decks=decks, round=InPlay(round.id, 1, dealt=dealt))
    told = preview(Standing(table, round), Proposable("round", declare), APPROVERS)
    happened = decide(round, declare)
    (event,) = happened
    after = evolve_all(round, happened)
    assert told.voids == (after.void is not None)
    assert isinstance(event, Declared)
    assert (told.clause or told.ruling) == (event.clause or event.ruling)
    needs_two = told.voids and dealt
    assert bool(told.approve) == needs_two, "two people after the first card (T11)"
    if not told.voids:
        return
    end = evolve_all(after, decide(after, Close()))
    back: Counter[int] = Counter()
    for line in end.lines:
        back[line.seat] += line.returned + line.paid
    assert told.returns == dict(back)
    events = decide_at_table(table, EndRound.of(end, happened))
    assert (told.deck == "removed") == any(isinstance(one, DeckRemoved) for one in events)


def test_every_kind_of_every_book_is_in_the_texts() -> None:
    for id, texts in TEXTS.items():
        assert set(book(id).rules.irregularity) == set(texts)


def test_the_texts_are_read_by_the_clauses_of_the_books() -> None:
    for id, texts in TEXTS.items():
        clauses = [text["clause"] for text in texts.values()]
        cited = {one for c in clauses for one in ([c] if isinstance(c, str) else c)}
        assert cited <= book(id).clauses.keys() | {"C8"}


@pytest.mark.parametrize(
    ("more", "steps"),
    [({}, ["closed"]), ({"dealer_cards": "in_shuffler"}, ["closed", "dealt", "decided"])],
)
def test_13G_a_shoe_fails_in_the_deal_or_while_it_holds_the_dealers_cards(
    more: dict[str, str], steps: list[str]
) -> None:
    selections = {"dealing": "automated_shoe", **more}
    found = [
        step
        for step in STEPS
        if declared(round_at(MARYLAND, step, KINDS[-1], selections), Declare("shoe_fault"), "13.G")
        == "allowed"
    ]
    assert found == steps


def test_a_round_file_states_facts_without_a_time() -> None:
    for step in STEPS[:-1]:
        assert at(MARYLAND, step).do(Declare("face_up_cards", {"count": 1})).round.irregular
