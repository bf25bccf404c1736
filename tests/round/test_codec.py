"""Commands and events as JSON: what is written is read again, and nothing else is read."""

import json
import random
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import DECK, Card
from croupier.errors import ParseError
from croupier.round.codec import command_from, event_from, to_plain
from croupier.round.commands import Bet, Command, Declare, Face, Show
from croupier.round.events import (
    AwardFound,
    Banked,
    BetMade,
    BetsClosed,
    BetTakenDown,
    ByHand,
    CalledOff,
    CardCorrected,
    ChoiceCorrected,
    Chose,
    Closed,
    Confirmed,
    Dealt,
    Declared,
    Doubted,
    Event,
    MetersRead,
    Misread,
    Opened,
    PartSettled,
    SeatSettled,
    Shown,
    StakeCorrected,
    StubCounted,
    Validated,
)
from croupier.round.state import BankResult, Line
from tests.round.machine import TABLES, played
from tests.rules.books import DATA, each_book

GOLDEN = (DATA / "events-1.jsonl").read_text().splitlines()

# ---------------------------------------------------------------- there and back

TEXTS = st.text(max_size=8)
FACTS = st.one_of(
    st.integers(), st.booleans(), TEXTS, st.none(), st.lists(st.integers()).map(tuple)
)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type of a command or an event."""
    if kind is object:
        return FACTS
    simple = {int: st.integers(), str: TEXTS, Card: st.sampled_from(DECK), NoneType: st.none()}
    if kind in simple:
        return simple[kind]
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of([values(arg) for arg in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is Mapping:
        return st.dictionaries(values(args[0]), values(args[1]), max_size=3)
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(values(args[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, args))
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: values(hint) for name, hint in hints.items()})


COMMANDS = st.one_of([values(kind) for kind in get_args(Command)])
EVENTS = st.one_of([values(kind) for kind in get_args(Event)])


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(to_plain(value)))


@given(COMMANDS)
def test_every_command_is_read_as_it_was_written(command: Command) -> None:
    assert command_from(through_json(command)) == command


@given(EVENTS)
def test_every_event_is_read_as_it_was_written(event: Event) -> None:
    assert event_from(through_json(event)) == event


@each_book
def test_what_is_played_is_read_as_it_was_written(id: str) -> None:
    rng = random.Random(id)
    for table in range(len(TABLES[id])):
        play = played(id, table, rng)
        assert [event_from(through_json(event)) for event in play.events] == play.events
        for command in play.done:
            read = command_from(through_json(command))
            assert to_plain(read) == to_plain(command)
            if not isinstance(command, Declare):  # A list of positions is read as a tuple.
                assert read == command


# ---------------------------------------------------------------- old events

STORED: list[Event] = [
    Opened(
        round="7",
        rulebook="maryland-three-card-poker",
        digest="9f86d081884c7d65",
        meters={"progressive": 2_500_000_000, "progressive_minor": 250_123_456},
    ),
    Banked(seat=3, player="bob", funds=20_000),
    BetMade(seat=1, player="ann", wager="ante", cents=1_000),
    BetMade(seat=2, player="cat", wager="pair_plus", cents=713, hand=3),
    BetTakenDown(seat=2, wager="pair_plus"),
    BetsClosed(rises={"progressive": 140_000}, fees={1: 100, 7: 250}, action=7),
    BetsClosed(),
    Dealt(cards=((0, "seats", 1), (2, "bank", 0), (51, "six_card_box", 0))),
    Shown(position=51, card=Card("Th"), salt="c0ffee"),
    Chose(seat=1, step="play_or_fold", option="play"),
    Declared(
        kind="face_up_cards",
        facts={"positions": (4,), "count": 1},
        effects=("discard card",),
        clause="13.A",
    ),
    Declared(
        kind="stub_count",
        facts={"cards": 51, "misdealt": False},
        effects=("void", "remove deck"),
        clause="8.H(2)",
        ruling="M14",
    ),
    Confirmed(clause="8.C", by="dealer"),
    SeatSettled(
        seat=1,
        lines=(
            Line(1, "ante", 1_000, "win", 1_000, 1_000, "12.A", None, None, "higher"),
            Line(1, "envy", 0, "win", 10_000, 0, "12.E(5)", "M5", 4, "envy"),
        ),
        fee=100,
        meters={"progressive": 1_000_140_000},
    ),
    Closed(bank=BankResult(seat=3, funds=20_000, collected=500, paid=1_000, fee=200)),
    Closed(),
    MetersRead(meters={"progressive": 2_500_140_000}),
    CalledOff(because="its cards could not be read again", ruling="T6"),
    CalledOff("its cards could not be read again", "T6", "cards unreadable"),
    Opened(round="7", rulebook="maryland-three-card-poker", digest="0", counts=True),
    Confirmed(clause="11.D(7)(c)", by="floorperson", about="seat 1 progressive"),
    PartSettled(1, (Line(1, "envy", 0, "win", 10_000, 0, "12.E(5)", "M5", 4, "envy"),)),
    Shown(position=7, card=Card("Th"), source="scanned"),
    Doubted(position=8, card=Card("Th"), source="typed"),
    Misread(why="twice"),
    CardCorrected(position=7, was=Card("Th"), card=Card("9h")),
    StubCounted(stub=43, cards=52),
    AwardFound(2, "progressive", "mini royal", 250_014, "progressive", 1_000_006_789, True),
    Validated(2, "progressive", "reject", "a card was marked"),
    ByHand({"1": (Card("Th"), Card("9h"))}, {"1": {"play_or_fold": "play"}}, 43, None),
    StakeCorrected(2, "progressive", 0, 100, 50, {"progressive": 29_000}),
    ChoiceCorrected(2, "play_or_fold", "fold", "play"),
]


def test_stored_events_stay_readable() -> None:
    """The file is what the first version wrote. It is only added to: never change a line of it."""
    assert [event_from(json.loads(line)) for line in GOLDEN] == STORED


def test_every_event_is_stored_with_every_field() -> None:
    stored: dict[str, set[str]] = {}
    for line in GOLDEN:
        data = json.loads(line)
        stored.setdefault(data.pop("type"), set()).update(data)
    today = {kind.__name__: set(kind._fields) for kind in get_args(Event)}
    assert stored == today


# ---------------------------------------------------------------- strictness

SAMPLES = [json.loads(line) for line in GOLDEN]
FREE = ("facts",)
"""What an irregularity's facts may be is for the book to say, not for the reader."""


def inside(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value in a piece of plain data, with its path."""
    yield path, value
    if path[-1:] == FREE:
        return
    items = value.items() if isinstance(value, dict) else []
    for key, item in enumerate(value) if isinstance(value, list) else items:
        yield from inside(item, (*path, key))


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of plain data with one value replaced."""
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = put(data[path[0]], path[1:], value)
    return copy


def wrong_for(value: Any) -> list[Any]:
    """Values of other types, the likely slips among them."""
    match value:
        case None:
            return [True, 1.0, []]
        case bool():
            return [1, "true", None, []]
        case int():
            return [True, str(value), float(value), [value], {}]
        case str():
            return [1, True, None, [value], {"text": value}]
        case list():
            return [{}, None, "list", 0]
        case _:
            return [[], None, "table", 0]


WRONG = [
    (sample, path, wrong)
    for sample in SAMPLES
    for path, value in inside(sample)
    if path != ("type",)
    for wrong in wrong_for(value)
]


def test_values_of_other_types_are_refused() -> None:
    """A field that may be null takes no other type, and one that may not takes no null."""
    optional = {"hand", "action", "ruling", "from_seat", "bank", "meter"}
    read = []
    for sample, path, wrong in WRONG:
        if wrong is None and path[-1:] and path[-1] in optional:
            continue
        if refusal(put(sample, path, wrong)) is None:
            read.append((sample["type"], path, wrong))
    assert len(WRONG) > 300
    assert read == []


OPEN = {"facts", "meters", "rises", "fees", "cards", "chose", "1"}
"""Tables whose keys are not fixed."""


def refusal(data: Any) -> ParseError | None:
    try:
        event_from(data)
    except ParseError as error:
        return error
    return None


def test_a_key_that_is_missing_or_unknown_is_refused() -> None:
    for sample, event in zip(SAMPLES, STORED, strict=True):
        kind = type(event).__name__
        for path, value in inside(sample):
            # The lines and the bank are tables too.
            if isinstance(value, dict) and path and path[-1] not in OPEN:
                assert "unknown" in str(refusal(put(sample, path, {**value, "note": 1})))
        assert "unknown" in str(refusal({**sample, "note": 1}))
        needed = set(event._fields) - set(DEFAULTS.get(kind, ()))
        for key in needed:
            left = {name: value for name, value in sample.items() if name != key}
            assert "missing" in str(refusal(left)), f"{kind}.{key}"


# What was added or may be left out: an older event without it is read with the default.
DEFAULTS = {
    "CalledOff": ["cause"],
    "Confirmed": ["about"],
    "Opened": ["meters", "counts"],
    "BetMade": ["hand"],
    "BetsClosed": ["rises", "fees", "action"],
    "Shown": ["salt", "source"],
    "Chose": ["by"],
    "Declared": ["ruling"],
    "SeatSettled": ["fee", "meters"],
    "Closed": ["bank"],
}


def test_what_has_a_default_may_be_left_out() -> None:
    for sample in SAMPLES:
        for key in DEFAULTS.get(sample["type"], ()):
            left = {name: value for name, value in sample.items() if name != key}
            assert refusal(left) is None


# One encoding each: what is read is written again as it stood.
ODD: list[Any] = [
    {"type": "BetsClosed", "fees": {"01": 100}},
    {"type": "BetsClosed", "fees": {" 1": 100}},
    {"type": "BetsClosed", "fees": {"+1": 100}},
    {"type": "BetsClosed", "fees": {"1_0": 100}},
    {"type": "BetsClosed", "fees": {"1": 100, "01": 200}},
    {"type": "Shown", "position": 0, "card": "10h"},
    {"type": "Shown", "position": 0, "card": "T♥"},
    {"type": "Shown", "position": 0, "card": "th"},
    {"type": "Shown", "position": 0, "card": ""},
]


@pytest.mark.parametrize("data", ODD, ids=json.dumps)
def test_there_is_one_way_to_write_an_event(data: Any) -> None:
    assert refusal(data)


NEITHER: list[Any] = [
    *(None, 1, "Opened", [], {}, [{"type": "Closed"}], {"type": None}, {"type": "opened"}),
    *({"type": "Event"}, {"type": "Bet"}, {"type": 1}, {"type": []}, {"type": {}}),
]


@pytest.mark.parametrize("data", NEITHER, ids=json.dumps)
def test_what_is_neither_is_refused(data: Any) -> None:
    assert refusal(data)
    with pytest.raises(ParseError):
        command_from({"type": "Opened"} if data == {"type": "Bet"} else data)


COMMANDS_WRONG: list[Any] = [
    to_plain(Bet(1, "ann", "ante", 1000)) | {"cents": True},
    to_plain(Bet(1, "ann", "ante", 1000)) | {"cents": 10.5},
    to_plain(Bet(1, "ann", "ante", 1000)) | {"seat": "1"},
    to_plain(Bet(1, "ann", "ante", 1000)) | {"note": 1},
    {"type": "Bet", "seat": 1, "player": "ann", "wager": "ante"},
    to_plain(Show((Face(0, Card("As")),))) | {"faces": [{"position": 0}]},
    to_plain(Show((Face(0, Card("As")),))) | {"faces": [{"position": 0, "card": "Xx"}]},
    to_plain(Show((Face(0, Card("As")),))) | {"faces": {}},
    {"type": "Open", "round": "7", "meters": {"progressive": "1"}},
]


@pytest.mark.parametrize("data", COMMANDS_WRONG, ids=json.dumps)
def test_wrong_commands_are_refused(data: Any) -> None:
    with pytest.raises(ParseError):
        command_from(data)
