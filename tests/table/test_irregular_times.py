"""B8: an irregularity is declared when and where it can happen, as the texts say."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, reduce
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from croupier.errors import Refused, UserError
from croupier.house.irregularities import irregularities
from croupier.house.proposals import Proposable, preview
from croupier.house.standing import Standing
from croupier.round.commands import Bet, Choose, Close, CloseBets, Deal, Declare
from croupier.round.decide import decide
from croupier.round.events import BetMade, Declared, Event
from croupier.round.evolve import evolve, replay
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from croupier.table.crew import APPROVERS
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import DeckRemoved
from croupier.table.rounds import end_of
from croupier.table.state import Deck, InPlay, new_table
from tests.round.games import OPENING, STAYS, at
from tests.rules.books import LET_IT_RIDE, MARYLAND, book, each_book
from tests.table.tables import STAKES, WAGERS

FILE = Path("tests/data/irregularities.toml")
TEXTS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(FILE.read_text("utf-8"))
STEPS = ("bet", "closed", "dealt", "decided", "shown", "settled")
KINDS: tuple[tuple[Thing, ...], ...] = (
    (),
    ("dealer",),
    ("dealer", "cards"),
    ("dealer", "cards", "chips"),
)
WHERE = ("shuffler", "dealing", "dealer_cards", "community_stack")
"""The selections of equipment that decide where cards are, and what can fail."""
MORE = {**WAGERS, LET_IT_RIDE: {**WAGERS[LET_IT_RIDE], "six_card_bonus": "A"}}
"""Wagers that bring cards to further places."""


class Moment(NamedTuple):
    """A round at one of its events, in the words of the texts."""

    when: str
    hidden: frozenset[str]
    """The places with a card that nobody has seen."""
    open: frozenset[int]
    """The seats that aren't settled."""
    round: Round


def equipments(id: str) -> Iterator[dict[str, Any]]:
    """Every equipment of a book that decides what can go wrong, without and with more wagers."""
    offered = book(id).rules.selection
    ways = [[(name, one) for one in offered[name].option] for name in WHERE if name in offered]
    for way in product(*ways):
        for more in ({}, MORE[id]) if id in MORE else ({},):
            selections = {**dict(way), **more}
            try:
                resolve(book(id), selections)
            except UserError:
                continue  # Such as cards in a shuffler where there is none.
            yield selections


@cache
def events_of(id: str, selections: tuple[tuple[str, Any], ...]) -> tuple[Event, ...]:
    """A whole round: every wager is made, and everybody stays in."""
    played = at(id, "open", **dict(selections))
    rules = played.round.rules
    for bet in OPENING[id]:
        played.do(bet)
    for wager in MORE.get(id, {}).keys() & rules.wagers.keys():
        needed = {one for condition in rules.wagers[wager].conditions for one in condition.needs}
        for other in sorted(needed - played.round.boxes[1].stakes.keys()):
            played.do(Bet(1, "ann", other, 1000))
        played.do(Bet(1, "ann", wager, STAKES[id].get(wager, 500)))
    played.do(CloseBets(), Deal())
    while played.round.stage and (played.round.due or played.round.asked):
        if played.round.due:
            played.show()
        else:
            played.do(Choose(played.round.asked[0], STAYS[id]))
    return tuple(played.events)


def moments(id: str, things: tuple[Thing, ...], selections: dict[str, Any]) -> Iterator[Moment]:
    """A round after each of its events from the first bet on, and while seats are settled."""
    events = events_of(id, tuple(selections.items()))
    rules = resolve(book(id), selections, things=things)
    first = next(n for n, event in enumerate(events) if isinstance(event, BetMade))
    for number in range(first + 1, len(events) + 1):
        round = replay(rules, events[:number])
        yield Moment(when_of(round), hidden_of(round), frozenset(round.boxes), round)
    for settled in range(1, len(round.boxes) + 1):
        order = tuple(sorted(round.boxes, reverse=True)[:settled])
        open = frozenset(round.boxes) - {*order}
        yield Moment("settled", frozenset(), open, structs.replace(round, order=order))


def when_of(round: Round) -> str:
    """The step of a round in the words of the texts."""
    ahead = [step.do for _, step in round.rules.sequence[round.at :]]
    if ahead[0] == "bets":
        return "bet"
    if ahead[0] == "deal":
        return "closed"
    if "decide" in ahead:
        return "dealt"
    return "decided" if "reveal" in ahead else "shown"


def hidden_of(round: Round) -> frozenset[str]:
    places = round.places.items()
    return frozenset(place for place, cards in places if {*cards} - round.faces.keys())


def expected(
    text: dict[str, Any], now: Moment, things: tuple[Thing, ...], selections: dict[str, Any]
) -> str:
    """What the texts say of a declaration: allowed, or why not."""
    needs = text.get("needs", "cards")
    if not things:
        return "no_people"
    if "device" in text and not has_device(text["device"], selections):
        return "no_device"
    if needs != "nothing" and needs not in things:
        return f"no_{needs}"
    in_shuffler = selections.get("dealer_cards") == "in_shuffler"
    when = text["in_shuffler" if in_shuffler and "in_shuffler" in text else "when"]
    is_hidden = "hidden" not in text or now.when == "closed" or {*text["hidden"]} & now.hidden
    is_open = {text.get("facts", {}).get("seat", 0)} <= now.open | {0}
    return "allowed" if now.when in when and is_hidden and is_open else "wrong_step"


def has_device(device: str, selections: dict[str, Any]) -> bool:
    if device == "shoe":
        return bool(selections.get("dealing") == "automated_shoe")
    return bool(selections["shuffler"] != "none")


@each_book
def test_every_kind_at_every_event_with_every_equipment(id: str) -> None:
    seen: set[tuple[str, str]] = set()
    for selections in equipments(id):
        for things in KINDS:
            for now in moments(id, things, selections):
                listed = {one["kind"]: one for one in irregularities(now.round)}
                for kind, text in TEXTS[id].items():
                    wanted = expected(text, now, things, selections)
                    declare = Declare(kind, text.get("facts", {}))
                    place = kind, now.when, things, selections
                    assert declared(now.round, declare) == wanted, place
                    if things:
                        assert (kind in listed) == (wanted == "allowed"), place
                    if wanted == "allowed":
                        by = [text["by"]] if "by" in text else ["dealer", "floorperson"]
                        assert listed[kind]["by"] == by
                        check_preview(now.round, declare)
                    seen |= {(kind, now.when), (kind, wanted)}
    assert seen >= {*product(TEXTS[id], (*STEPS, "allowed", "no_people"))}


@each_book
def test_only_what_the_text_says_can_be_declared_once_the_round_is_over(id: str) -> None:
    for selections, things in product(equipments(id), filter(None, KINDS)):
        *_, last = moments(id, things, selections)
        round = structs.replace(last.round, stage=None, closed=True)
        listed = {one["kind"] for one in irregularities(round)}
        for kind, text in TEXTS[id].items():
            if "device" in text and not has_device(text["device"], selections):
                continue
            late = "over" in text["when"]
            wanted = "no_cards" if "cards" not in things else "allowed" if late else "round_over"
            found = declared(round, Declare(kind, text.get("facts", {})))
            assert found == (wanted if late else "round_over"), (kind, things)
            assert (kind in listed) == (found == "allowed"), (kind, things)


def declared(round: Round, declare: Declare) -> str:
    """Whether something may be declared, or why not, with the clause that says so."""
    try:
        event, *_ = decide(round, declare)
    except Refused as refused:
        if refused.code not in ("round_over", "no_people", "no_such_seat"):
            rows = round.rules.irregularities[declare.kind].rows
            open = {round.rules.sequence[0][1].clause} if round.at == 0 else set()
            assert refused.clause in {row.clause or row.ruling for row in rows} | open
        return str(refused.code)
    assert isinstance(event, Declared)
    clause = TEXTS[round.rules.rulebook][declare.kind]["clause"]
    by_dealing = isinstance(clause, dict) and clause[round.rules.selections["dealing"]]
    assert (event.clause or event.ruling) == (by_dealing or clause)
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
    after = reduce(evolve, happened, round)
    assert told.voids == (after.void is not None)
    assert isinstance(event, Declared)
    assert (told.clause or told.ruling) == (event.clause or event.ruling)
    needs_two = told.voids and dealt
    assert bool(told.approve) == needs_two, "two people after the first card (T11)"
    if not told.voids:
        return
    end = reduce(evolve, decide(after, Close()), after)
    back: Counter[int] = Counter()
    for line in end.lines:
        back[line.seat] += line.returned + line.paid
    assert told.returns == dict(back)
    events = decide_at_table(table, end_of(end, happened))
    removed = {one.deck for one in events if isinstance(one, DeckRemoved)}
    assert (told.deck in ("removed", "all removed")) == bool(removed)
    assert (told.deck == "all removed") == ("remove all decks" in event.effects)
    if told.deck == "all removed":
        assert removed == {*table.decks}


def test_every_kind_of_every_book_is_in_the_texts() -> None:
    for id, texts in TEXTS.items():
        assert set(book(id).rules.irregularity) == set(texts)


def test_the_texts_are_read_by_the_clauses_of_the_books() -> None:
    for id, texts in TEXTS.items():
        clauses = [text["clause"] for text in texts.values()]
        cited = {one for c in clauses for one in (c.values() if isinstance(c, dict) else [c])}
        assert cited <= book(id).clauses.keys() | {"C8"}


def test_a_round_file_states_facts_without_a_time() -> None:
    for step in ("bet", "closed", "dealt", "decided", "shown"):
        assert at(MARYLAND, step).do(Declare("face_up_cards", {"count": 1})).round.irregular
