"""Real cards, as a dealer reads them (T12): positions first, faces when they are turned up."""

from typing import Any

import pytest
from msgspec import structs

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.round import events as happened
from croupier.round.codec import event_from, to_plain
from croupier.round.commands import (
    Close,
    Command,
    Correct,
    CountStub,
    Declare,
    Misread,
    Read,
    Settle,
)
from croupier.round.decide import decide
from croupier.round.faces import is_acted_on, lying, shown_next
from croupier.round.record import record_of, rounds_of
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)
from tests.table.crew import Game
from tests.table.tables import House

DOUBLED = {
    CALIFORNIA: ("misdeal", None),
    FLORIDA: ("misdeal", None),
    SINGAPORE: ("foreign_card", "5.1.1"),
    MARYLAND: ("doubled_card", "8.H(2)"),
    LET_IT_RIDE: ("doubled_card", "8.F(2)"),
}
STAKES: dict[str, dict[str, int]] = {LET_IT_RIDE: {"let_it_ride": 500}}


def dealt(id: str, selections: dict[str, Any] | None = None) -> Game:
    """Deal a round with two players, or with one and a banker."""
    house = House(id, selections or {}).sit("ann", "bob")
    game = Game(house)
    banker = game.round.banker.seat if game.round.banker else None
    for seat in {1, 2} - {banker}:
        game.bet(seat, **STAKES.get(id, {"ante": 500}))
    return game.deal()


def turning(id: str) -> Game:
    """Play until at least two cards are read and another one is due."""
    game = dealt(id)
    option = "ride" if id == LET_IT_RIDE else "play"
    while not (len(game.round.faces) >= 2 and shown_next(game.round)):
        game.one_step(option=option)
    return game


def refusal(round: Round, command: Command) -> tuple[str, str | None]:
    with pytest.raises(Refused) as caught:
        decide(round, command)
    return caught.value.code, caught.value.clause


def unread(round: Round) -> Card:
    return next(card for card in DECK if card not in round.faces.values())


@each_book
def test_a_card_that_is_read_fills_the_next_due_position(id: str) -> None:
    game = turning(id)
    due, before = shown_next(game.round), game.round.faces
    card = unread(game.round)
    assert decide(game.round, Read(card, "scanned")) == (
        happened.Shown(due[0], card, "", "scanned"),
    )
    game.keep(Read(card))
    game.do_only(Read(card))
    assert game.round.faces == {**before, due[0]: card}


@each_book
def test_a_round_that_was_read_is_settled_and_replays_from_its_record(id: str) -> None:
    house = House(id).sit("ann", "bob")
    game = Game(house)
    banker = game.round.banker.seat if game.round.banker else None
    for seat in {1, 2} - {banker}:
        game.bet(seat, **STAKES.get(id, {"ante": 500}))
    game.deal().finish(option="ride" if id == LET_IT_RIDE else "play")
    assert all(e.source == "typed" for e in game.events if isinstance(e, happened.Shown))
    events = tuple(event_from(to_plain(event)) for event in game.events)
    assert [*rounds_of(house.rules, events)][-1] == game.round
    record = record_of(house.rules, {}, events)
    assert {e["source"] for e in record["events"] if e["type"] == "Shown"} == {"typed"}


@each_book
def test_a_card_read_before_stops_the_hand_until_somebody_says_why(id: str) -> None:
    game = turning(id)
    seen = next(iter(game.round.faces.values()))
    game.keep(Read(seen))
    game.do_only(Read(seen))
    assert isinstance(game.events[-1], happened.Doubted)
    for command in (Read(unread(game.round)), Settle(seat=1), Close(), Misread("early")):
        assert refusal(game.round, command) == ("stopped", "T12")
    before = game.round.faces
    game.do_only(Misread("twice"))
    assert game.round.faces == before and game.round.doubt is None
    game.do_only(Read(unread(game.round)))
    assert len(game.round.faces) == len(before) + 1


@each_book
def test_M22_two_cards_alike_void_the_round(id: str) -> None:
    game = turning(id)
    seen = next(iter(game.round.faces.values()))
    game.keep(Read(seen))
    game.do_only(Read(seen))
    kind, clause = DOUBLED[id]
    game.do_only(Declare(kind, {}))
    assert game.round.void and (game.round.void.clause or None) == clause
    declared = game.events[-1]
    assert isinstance(declared, happened.Declared)
    removed = "remove deck" in declared.effects
    assert removed == (kind == "doubled_card")
    game.finish(option="").end()
    assert (1 in game.house.table.decks) != removed
    assert {line.outcome for line in game.round.lines} == {"void"}


def test_a_round_file_and_virtual_cards_know_no_doubled_card() -> None:
    things: Any
    for things in (("cards", "chips"), ("dealer",)):
        rules = resolve(book(MARYLAND), things=things)
        game = Round(rules)
        assert refusal(game, Read(DECK[0])) == ("no_cards", "T9")
        assert refusal(game, Misread("early")) == ("no_cards", "T9")
        assert refusal(game, CountStub(40)) == ("no_cards", "T9")
        assert refusal(game, Correct(0, DECK[0])) == ("no_cards", "T9")
    game = structs.replace(dealt(MARYLAND).round, rules=resolve(book(MARYLAND)))
    assert refusal(game, Declare("doubled_card", {})) == ("no_cards", "8.H(2)")


@each_book
def test_a_card_read_before_its_time_is_refused_and_noted_without_its_face(id: str) -> None:
    house = House(id).sit("ann", "bob")
    game = Game(house)
    banker = game.round.banker.seat if game.round.banker else None
    for seat in {1, 2} - {banker}:
        game.bet(seat, **STAKES.get(id, {"ante": 500}))
    game.close()
    assert game.round.due == ()
    assert refusal(game.round, Read(DECK[0]))[0] in ("not_due", "prompt_open")
    game.do_only(Misread("early"))
    assert to_plain(game.events[-1]) == {"type": "Misread", "why": "early"}
    assert game.round.faces == {}


def test_13A_a_card_found_face_up_is_read_and_discarded() -> None:
    house = House(MARYLAND).sit("ann")
    game = Game(house).bet(1, ante=500).close()
    game.do_only(Declare("face_up_cards", {"count": 1}))
    game.keep(Read(DECK[5]))
    with pytest.raises(Refused) as caught:
        game.do(*(), Close())
    assert caught.value.code in ("wrong_step", "prompt_open")
    game.do_only(Read(DECK[5]))
    assert game.round.faces == {0: DECK[5]} and game.round.discarded == (0,)
    game.deal_now()
    assert 0 not in game.round.boxes[1].cards
    assert lying(game.round) == tuple(range(7))


def test_a_card_is_corrected_alone_until_a_seat_has_decided_on_it() -> None:
    game = dealt(LET_IT_RIDE)
    while not game.round.faces:
        game.one_step(option="ride")
    (position,) = game.round.faces
    was, other = game.round.faces[position], unread(game.round)
    assert not is_acted_on(game.round, position)
    assert refusal(game.round, Correct(position, was)) == ("card_doubled", "T12")
    assert refusal(game.round, Correct(40, other)) == ("not_due", "T12")
    game.do_only(Correct(position, other))
    assert game.events[-1] == happened.CardCorrected(position, was, other)
    assert game.round.faces == {position: other}
    while "bet_2" not in game.round.boxes[1].chose:
        game.one_step(option="ride")
    assert is_acted_on(game.round, position)


def test_a_card_that_a_seat_was_settled_on_stays() -> None:
    game = dealt(MARYLAND)
    while not game.round.order:
        game.one_step(option="play")
    (seat,) = game.round.order
    own, bank = game.round.boxes[seat].cards[0], game.round.places["bank"][0]
    for position in (own, bank):
        assert refusal(game.round, Correct(position, unread(game.round))) == ("wrong_step", "T12")
    other = next(box for box in game.round.boxes.values() if box.seat != seat)
    while other.cards[0] not in game.round.faces:
        game.one_step(option="play")
    game.do_only(Correct(other.cards[0], unread(game.round)))


@pytest.mark.parametrize(
    ("stub", "misdealt", "clause", "deck"),
    [
        (43, False, "8.G", True),
        (43, True, "8.H(1)", True),
        (38, False, "8.H(2)", False),
        (44, True, "8.H", False),
    ],
)
def test_the_dealer_enters_the_stub_and_the_program_adds_the_rest(
    stub: int, misdealt: bool, clause: str, deck: bool
) -> None:
    house = House(MARYLAND, {"shuffler": "none"}).sit("ann", "bob")
    for _ in range(4):
        Game(house).bet(1, ante=500).deal().finish(option="fold").end()
    game = Game(house).bet(1, ante=500).bet(2, ante=500).deal()
    assert game.round.counts
    assert refusal(game.round, CountStub(-1))[0] == "bad_fact"
    game.do_only(CountStub(stub))
    assert game.events[-1] == happened.StubCounted(stub, stub + 9)
    assert refusal(game.round, CountStub(43))[0] == "wrong_step"
    false = Declare("stub_count", {"cards": 52 if stub != 43 else 51, "misdealt": misdealt})
    assert refusal(game.round, false)[0] == "bad_fact"
    game.do_only(Declare("stub_count", {"misdealt": misdealt}))
    declared = game.events[-1]
    assert isinstance(declared, happened.Declared) and declared.clause == clause
    game.finish(option="fold").end()
    assert (1 in house.table.decks) == deck


def test_a_book_that_counts_no_stub_takes_no_count() -> None:
    assert refusal(dealt(SINGAPORE).round, CountStub(40))[0] == "no_count"
