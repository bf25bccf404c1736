"""Records: what was played plays again, and what was changed is refused."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.errors import UserError
from croupier.money import micros
from croupier.reading.json import parse_json
from croupier.round.commands import Bet, Choose, CloseBets, Deal, Face, Open, Settle, Show
from croupier.round.file import Played
from croupier.round.record import events_of, open_record, record_of, rounds_of, things_of
from croupier.round.settler import Settler
from croupier.round.state import Round
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import digest_of
from croupier.rules.table_rules import as_edition
from croupier.rules.words import plain
from tests.cli.running import run
from tests.round.games import game
from tests.round.machine import TABLES, played
from tests.round.test_worked_rounds import FILES, read
from tests.rules.books import MARYLAND, book, each_book

Record = dict[str, Any]


def file_of(path: Path) -> dict[str, Any]:
    """A worked round without what it says about itself."""
    return {k: v for k, v in read(path).items() if k not in ("says", "cites", "expect")}


@pytest.fixture(scope="module")
def worked() -> list[tuple[str, Played]]:
    settler = Settler(())
    return [(f"{f.parent.name}/{f.stem}", settler.played(file_of(f))) for f in FILES]


def recorded(round: Round, events: Any) -> Record:
    """The record of a round as it is read from a file again."""
    record = record_of(round.rules, plain(round.rules.selections), events)
    data: Record = parse_json(json.dumps(record), field="record")
    return data


def replayed(record: Record) -> Round:
    """Open a record and play it again, as `croupier replay` does."""
    record = open_record(record)
    id = record["rulebook"]
    rules = resolve(book(id) if isinstance(id, str) else load(id), record["selections"])
    *_, last = rounds_of(rules, events_of(rules, record))
    return last


def refusal(record: Record) -> str | None:
    try:
        replayed(record)
    except UserError as error:
        return str(error)
    return None


def sealed(record: Record) -> Record:
    """A record with the seal that fits what it says now."""
    body = {key: value for key, value in record.items() if key != "seal"}
    return {**body, "seal": digest_of(body)}


# ---------------------------------------------------------------- what was played plays again


def test_the_record_of_every_worked_round_replays(worked: list[tuple[str, Played]]) -> None:
    refused = {}
    for name, round in worked:
        record = recorded(round.round, round.events)
        found = refusal(record)
        if found or replayed(record) != round.round:
            refused[name] = found or "becomes another round"
    assert len(worked) > 300
    assert refused == {}


@each_book
def test_the_record_of_any_round_replays(id: str) -> None:
    rng = random.Random(id)
    for table in [*range(len(TABLES[id]))] * 5:
        play = played(id, table, rng)
        if play.round.closed:
            assert replayed(recorded(play.round, play.events)) == play.round


# Every process of a run comes here, and to read all files takes a second.
DEALT = [p for p in FILES if "dealing" in p.read_text() and "dealing" in file_of(p)][::6]


@pytest.mark.parametrize("path", DEALT, ids=lambda path: path.stem)
def test_a_record_that_settle_writes_is_one_that_replay_reads(path: Path, tmp_path: Path) -> None:
    """Where the file says how it was dealt, too."""
    file, record = tmp_path / "round.json", tmp_path / "record.json"
    file.write_text(json.dumps(plain(file_of(path))))
    settled = run("settle", str(file), "--record", str(record), "--json")
    assert settled.code == 0
    again = run("replay", str(record), "--json")
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["house"] == json.loads(settled.out)["house"]


def test_a_round_paid_from_a_shared_meter_replays() -> None:
    """Readings arrive with the settlement, so what was read is part of what happened."""
    bets = Bet(1, "ann", "ante", 1000), Bet(1, "ann", "progressive", 100)
    table = game(MARYLAND, progressive="A")
    table.do(Open("7"), *bets, CloseBets(), Deal(), Choose(1, "play"))
    spades = {p: DECK[4 * (12 - i)] for i, p in enumerate(table.round.boxes[1].cards)}
    while due := table.round.due:
        table.do(Show(tuple(Face(p, spades.get(p, DECK[p])) for p in due)))
    table.do(Settle({"progressive": micros(500_000)}))
    assert [line.paid for line in table.round.lines if line.wager == "progressive"] == [500_000]
    assert replayed(recorded(table.round, table.events)) == table.round


# ---------------------------------------------------------------- what was changed is refused

Change = Callable[[list[Any], random.Random], bool]
"""Changes the events of a record in place; says whether there was something to change."""


def pick(events: list[Any], rng: random.Random, *kinds: str) -> Any:
    """One of the events of these kinds, or None."""
    among = [event for event in events if event["type"] in kinds]
    return rng.choice(among) if among else None


def is_void(events: list[Any]) -> bool:
    return any("void" in event.get("effects", ()) for event in events)


def line_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick([e for e in events if e.get("lines")], rng, "SeatSettled")
    line = rng.choice(event["lines"])
    key = rng.choice(list(line))
    line[key] = 1 + (line[key] or 0) if isinstance(line[key], int) else f"{line[key]}?"
    if key in ("from_seat", "seat"):
        line[key] = 99
    return True


def lines_moved(events: list[Any], rng: random.Random) -> bool:
    event = pick([e for e in events if len(e.get("lines", ())) > 1], rng, "SeatSettled")
    if event:
        event["lines"].append(event["lines"].pop(0))
    return bool(event)


def seat_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick(events, rng, "SeatSettled")
    key = rng.choice(("seat", "fee", "meters"))
    event[key] = {"progressive": 1} if key == "meters" else event[key] + 1
    return True


def bank_changed(events: list[Any], rng: random.Random) -> bool:
    bank = events[-1]["bank"]
    if bank:
        bank[rng.choice(list(bank))] += 1
    else:
        events[-1]["bank"] = {"seat": 8, "funds": 1, "collected": 0, "paid": 0, "fee": 0}
    return True


def close_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick(events, rng, "BetsClosed")
    event[rng.choice(("rises", "fees"))] = {"1": 1}
    return True


def bet_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick(events, rng, "BetMade")
    key = rng.choice(("cents", "wager", "seat"))
    event[key] = "jackpot" if key == "wager" else event[key] + 97
    return True


def deal_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick(events, rng, "Dealt")
    if not event:
        return False
    cards = event["cards"]
    i, j = rng.sample(range(len(cards)), 2)
    match rng.randrange(4):
        case 0:
            cards[i][0], cards[j][0] = cards[j][0], cards[i][0]
        case 1:
            cards[i][0] = rng.choice([p for p in range(52) if p != cards[i][0]])
        case 2:
            cards[i][1] = "stub"
        case 3:
            del cards[i]
    return True


def card_changed(events: list[Any], rng: random.Random) -> bool:
    """Another position, or the face of another card; a card that lies elsewhere unseen is legal."""
    shown = [event for event in events if event["type"] == "Shown"]
    if len(shown) < 2:
        return False
    one, other = rng.sample(shown, 2)
    key = rng.choice(("position", "card"))
    one[key] = other[key]
    return True


def choice_changed(events: list[Any], rng: random.Random) -> bool:
    """Another option, seat or step; in a void round decisions decide nothing."""
    event = pick(events, rng, "Chose")
    if not event or is_void(events):
        return False
    other = {"play": "fold", "fold": "play", "ride": "withdraw", "withdraw": "ride"}
    key = rng.choice(("option", "seat", "step"))
    event[key] = {"option": other[event["option"]], "seat": 99, "step": "bets"}[key]
    return True


def irregularity_changed(events: list[Any], rng: random.Random) -> bool:
    event = pick(events, rng, "Declared")
    if event:
        key = rng.choice(("kind", "effects", "clause", "ruling"))
        event[key] = ["stand", "void"] if key == "effects" else "99.Z"
    return bool(event)


def opening_changed(events: list[Any], rng: random.Random) -> bool:
    events[0][rng.choice(("digest", "rulebook"))] = "another"
    return True


ONCE = ("Opened", "BetsClosed", "Dealt", "Shown", "SeatSettled", "Closed")


def dropped(events: list[Any], rng: random.Random) -> bool:
    """Any event but an irregularity, which may have had no consequence."""
    kinds = (*ONCE, "Banked", "BetMade", *(() if is_void(events) else ("Chose",)))
    events.remove(pick(events, rng, *kinds))
    return True


def doubled(events: list[Any], rng: random.Random) -> bool:
    """Any event that can happen only once; a bet can be made again at the same size."""
    kinds = (*ONCE, *(() if is_void(events) else ("Chose",)))
    event = pick(events, rng, *kinds)
    events.insert(events.index(event), deepcopy(event))
    return True


def reordered(events: list[Any], rng: random.Random) -> bool:
    """Two neighbours change places; bets, and cards that are due at once, have no order."""
    free = {"BetMade", "Banked", "Declared"} | ({"Chose"} if is_void(events) else set())
    places = [
        i
        for i, (one, other) in enumerate(pairwise(events))
        if not ({one["type"], other["type"]} <= free or "Declared" in (one["type"], other["type"]))
        and not (one["type"] == other["type"] == "Shown")
        and not (is_void(events) and "Chose" in (one["type"], other["type"]))
    ]
    if not places:
        return False
    i = rng.choice(places)
    events[i], events[i + 1] = events[i + 1], events[i]
    return True


def truncated(events: list[Any], rng: random.Random) -> bool:
    del events[rng.randrange(len(events)) :]
    return True


CHANGES: list[Change] = [
    *(line_changed, lines_moved, seat_changed, bank_changed, close_changed, bet_changed),
    *(deal_changed, card_changed, choice_changed, irregularity_changed, opening_changed),
    *(dropped, doubled, reordered, truncated),
]
SOUND = 200


@pytest.fixture(scope="module")
def records(worked: list[tuple[str, Played]]) -> list[Record]:
    """The records of worked rounds that replay."""
    found = [recorded(round.round, round.events) for _, round in worked]
    return [record for record in found if refusal(record) is None]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_record_is_refused_with_its_seal_and_without(
    change: Change, records: list[Record]
) -> None:
    """Each of these changes makes a round that the rules do not make, so a new seal is no help.

    Names, salts, the number of the round, a meter that nobody won and a card that changes no
    outcome may be different: that is another round, as legal as this one. Only the seal, and the
    commitments to the deck, tell it from the one that was played.
    """
    rng = random.Random(change.__name__)
    done = 0
    while done < SOUND // len(CHANGES) + 1:
        record = rng.choice(records)
        events = deepcopy(record["events"])
        if not change(events, rng) or events == record["events"]:
            continue
        done += 1
        tampered = {**record, "events": events}
        assert "seal" in str(refusal(tampered))
        found = refusal(sealed(tampered))
        assert found, f"{record['events']} became {events}"
        assert "\n" not in found


HEADS: list[tuple[str, Any]] = [
    ("format", 2),
    ("format", "1"),
    ("rulebook", "sixth-street"),
    ("digest", "0" * 64),
    ("selections", {"version": "7.G(1)"}),
    ("selections", {"jackpot": 1}),
    ("events", []),
    ("note", "mine"),
]


@pytest.mark.parametrize(("key", "value"), HEADS)
def test_a_record_with_another_head_is_refused(key: str, value: Any, records: list[Record]) -> None:
    record = next(record for record in records if record["rulebook"] == MARYLAND)
    assert refusal({**record, key: value})
    assert refusal(sealed({**record, key: value}))


# What is no record at all, though its seal fits: each is one sentence and no crash.
NONSENSE: list[tuple[str, Any]] = [
    ("format", True),
    ("rulebook", None),
    ("rulebook", ["maryland-three-card-poker"]),
    ("selections", None),
    ("selections", []),
    ("events", None),
    ("events", 5),
    ("events", {"type": "Opened"}),
    ("events", [None]),
    ("events", [{"type": []}]),
    ("events", [{"type": {}}]),
    ("events", [{"type": "Opened"}]),
]


@pytest.mark.parametrize(("key", "value"), NONSENSE)
def test_what_is_no_record_is_refused(key: str, value: Any, records: list[Record]) -> None:
    assert refusal(sealed({**records[0], key: value}))


FACTS: list[dict[str, Any]] = [
    {"positions": 5},
    {"positions": ["a"]},
    {"positions": [None]},
    {"positions": {"1": 1}},
    {"count": None},
    {"seat": [1]},
]


@pytest.mark.parametrize("facts", FACTS)
def test_facts_that_make_no_sense_are_refused(facts: dict[str, Any], records: list[Record]) -> None:
    record = deepcopy(
        next(r for r in records if any(e.get("kind") == "face_up_cards" for e in r["events"]))
    )
    next(e for e in record["events"] if e.get("kind") == "face_up_cards")["facts"] = facts
    assert refusal(sealed(record))


@pytest.mark.parametrize(("key", "value"), [("step", "jackpot"), ("option", "raise"), ("seat", 99)])
def test_a_decision_that_nobody_has_is_refused_in_a_void_round_too(
    key: str, value: Any, records: list[Record]
) -> None:
    record = deepcopy(
        next(r for r in records if is_void(r["events"]) and '"Chose"' in json.dumps(r["events"]))
    )
    next(event for event in record["events"] if event["type"] == "Chose")[key] = value
    assert refusal(sealed(record))


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("rulebook", 5, "record.rulebook: must be text, not 5"),
        ("selections", [], "record.selections: must be a table, not a list"),
        ("events", {}, "record.events: must be a list, not a table"),
    ],
)
def test_a_field_of_another_type_is_told_in_words(
    worked: list[tuple[str, Played]], field: str, value: object, says: str
) -> None:
    played = worked[0][1]
    record = recorded(played.round, played.events)
    assert refusal(sealed({**record, field: value})) == says


# ---------------------------------------------------------------- before progressive wins stopped

OLDER = Path("tests/data/record-before-awards.json")


def older_round(change: Callable[[list[Any]], object] = lambda _: None) -> Round:
    """Play a round that a dealer settled before M21 stopped its seats, with its events changed."""
    record = parse_json(OLDER.read_text(), field="record")
    change(record["events"])
    record["seal"] = digest_of({key: value for key, value in record.items() if key != "seal"})
    rules = resolve(book(MARYLAND), record["selections"], things=things_of(open_record(record)))
    edition = as_edition(rules, record["digest"])
    assert edition is not None
    *_, last = rounds_of(edition, events_of(edition, record))
    return last


def test_a_round_with_a_win_that_was_confirmed_before_M21_plays_again() -> None:
    round = older_round()
    (win,) = [ln for ln in round.lines if ln.wager == "progressive" and ln.outcome == "win"]
    assert (round.closed, win.seat, win.paid) == (True, 2, 1_000_28)
    assert {ln.seat for ln in round.lines if ln.from_seat == 3} == {1, 2}, "only envied"


def without_confirmation(events: list[Any]) -> None:
    events[:] = [event for event in events if event["type"] != "Confirmed"]


def paying_more(events: list[Any]) -> None:
    settled = [event for event in events if event["type"] == "SeatSettled" and event["seat"] == 2]
    (line,) = [ln for ln in settled[0]["lines"] if ln["wager"] == "progressive"]
    line["paid"] += 1


@pytest.mark.parametrize("change", [without_confirmation, paying_more])
def test_such_a_round_is_refused_if_its_win(change: Callable[[list[Any]], None]) -> None:
    with pytest.raises(UserError, match="does not follow"):
        older_round(change)
