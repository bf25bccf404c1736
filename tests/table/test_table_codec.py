"""A table's commands and events as JSON: what is written is what is read."""

import json

import pytest

from croupier.errors import ParseError
from croupier.round.codec import to_plain
from croupier.table.codec import command_from, event_from
from croupier.table.commands import Cut, Join, Receive, Recut, StartRound, TakeBank, Time
from croupier.table.evolve import replay
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.table.tables import House, others_of


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE, CALIFORNIA, SINGAPORE, FLORIDA])
def test_a_table_is_replayed_from_its_events_as_json(id: str) -> None:
    house = House(id).sit("ann", "bob")
    for _ in range(7):
        house.play()
        house.wait(3600)
    stored = json.dumps([to_plain(event) for event in house.history])
    events = [event_from(data) for data in json.loads(stored)]
    assert events == house.history
    assert replay(house.rules, events, others_of(id)) == house.table


@pytest.mark.parametrize(
    "command",
    [
        Join(3, "ann"),
        Receive(1, Time(100, 5)),
        Cut(1, 20),
        Recut(1, 25, "floorperson"),
        TakeBank(2, 50_000),
        StartRound("r1", Time(100, 5)),
    ],
)
def test_a_command_is_read_as_it_was_written(command: Join | Cut) -> None:
    assert command_from(json.loads(json.dumps(to_plain(command)))) == command


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"type": "Joined", "seat": True, "player": "ann"}, "Joined.seat"),
        ({"type": "Joined", "seat": 1, "player": "ann", "chips": 5}, "Joined.chips"),
        ({"type": "Joined", "seat": 1}, "Joined.player"),
        ({"type": "Joined", "seat": "1", "player": "ann"}, "Joined.seat"),
        ({"type": "Confirmed", "deck": 1, "clause": "4.A", "by": "cook"}, "Confirmed.by"),
        ({"type": "Sat", "seat": 1}, "type"),
        ([], "type"),
    ],
)
def test_anything_else_is_refused_by_its_field(data: object, field: str) -> None:
    with pytest.raises(ParseError) as told:
        event_from(data)
    assert told.value.field == field
