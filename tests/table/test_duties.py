"""Guided clauses at a table with a dealer: each comes at its moment, and blocks what follows."""

from collections.abc import Iterator
from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.round.duties import AT_ONCE
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Thing
from croupier.table.commands import Confirm, Fail, Join, Leave, Receive, Restore, Secure, Shuffle
from croupier.table.events import Confirmed
from croupier.table.prompts import due
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, book, each_book
from tests.table.crew import Game
from tests.table.tables import AUTOMATED, BY_HAND, STAKES, WAGERS, House, refusal

EQUIPMENT: list[dict[str, Any]] = [
    {"dealing": "manual_shoe", "shuffler": "none"},
    {"dealing": "manual_shoe", "shuffler": "counting", "decks": 2},
    {"dealing": "hand", "shuffler": "plain", "decks": 2},
    {"dealing": "automated_shoe", "shuffler": "plain"},
    {"dealing": "automated_shoe", "shuffler": "plain", "dealer_cards": "in_shuffler"},
]
DEALT: tuple[Thing, ...] = ("dealer",)
OPTIONS = {MARYLAND: ("play", "fold"), LET_IT_RIDE: ("ride", "withdraw")}


def tables(id: str) -> Iterator[dict[str, Any]]:
    known = book(id).rules.selection
    for one in EQUIPMENT:
        if one.keys() <= known.keys():
            yield {**one, **WAGERS[id]}


def opened(house: House) -> set[str]:
    """Open a table as people do, and return the clauses that they confirmed."""
    seen: set[str] = set()
    house.sit("ann", "bob")
    while todo := due(house.table):
        duty = todo[0]
        clause = house.rules.clauses[duty.clause]
        number = int(duty.about.removeprefix("deck "))
        assert duty.moment == clause.at
        assert refusal(house, Shuffle(number)) == ("prompt_open", duty.clause)
        for by in clause.by:
            wrong: Any = "player" if by == "dealer" else "dealer"
            assert refusal(house, Confirm(number, duty.clause, wrong))[0] == "wrong_person"
            house.do(Confirm(number, duty.clause, by))
        assert refusal(house, Confirm(number, duty.clause, clause.by[-1]))[0] == "not_due"
        seen.add(duty.clause)
    return seen


def shift(id: str, selections: dict[str, Any]) -> tuple[TableRules, set[str]]:
    """Work a shift at a table: six rounds, an idle spell, a broken device; return what was done."""
    house = House(id, selections)
    for number in range(1, house.rules.deck.decks + 1):
        house.do(Receive(number, house.time))
    done = opened(house)
    for number in range(6):
        game = Game(house).bet(1, **STAKES[id]).bet(2, **STAKES[id]).deal()
        game.finish(option=OPTIONS[id][number % 2])
        done |= {duty.clause for duty in game.seen}
        game.end()
        done |= {duty.clause for duty in due(house.table)}
    for seat in (1, 2):
        house.do(Leave(seat))
    done |= {duty.clause for duty in due(house.table)}
    house.do(Join(1, "cat"))
    done |= {duty.clause for duty in due(house.table)}
    house.get_ready()
    done |= {event.clause for event in house.history if isinstance(event, Confirmed)}
    if house.rules.selections["shuffler"] != "none":
        for clause in ("13.H(1)", "13.H(2)"):
            house.do(Fail("shuffler"))
            assert refusal(house, Secure("shuffler", clause, "player"))[0] == "wrong_person"
            house.do(Secure("shuffler", clause, "dealer"), Restore("shuffler"))
            done.add(clause)
    return house.rules, done


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_every_guided_clause_comes_due_and_is_kept(id: str) -> None:
    all_done: set[str] = set()
    for selections in tables(id):
        rules, done = shift(id, selections)
        for names in rules.guided.values():
            for name in names:
                clause = rules.clauses[name]
                # What is told or allowed, and what the act itself brings, is nobody's duty.
                if clause.force != "task" or clause.act in AT_ONCE:
                    assert name not in done
                    all_done.add(name)
        all_done |= done
    guided = {name for name, clause in book(id).clauses.items() if clause.kept == "guided"}
    assert guided - all_done == set()
    assert all_done <= guided


@each_book
def test_without_a_dealer_nothing_is_due(id: str) -> None:
    assert resolve(book(id), things=()).guided == {}
    assert resolve(book(id), things=("cards", "chips")).guided == {}


def test_virtual_cards_leave_the_announcements_and_the_floor() -> None:
    selections = WAGERS[MARYLAND]
    rules = resolve(book(MARYLAND), selections, things=DEALT)
    names = {name for names in rules.guided.values() for name in names}
    assert {"8.C", "11.D(7)(c)", "5.A(3)", "7.C(1)"} <= names
    assert not names & {"4.A", "4.C(2)", "5.F(1)", "8.C(2)(a)", "8.G", "11.E", "13.H(1)"}


def test_4A_takes_two_people_in_order() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann")
    house.do(Receive(1, house.time))
    assert refusal(house, Confirm(1, "4.A", "floorperson")) == ("wrong_person", "4.A")
    house.do(Confirm(1, "4.A", "dealer"))
    assert due(house.table)[0].by == ("floorperson",)
    assert refusal(house, Confirm(1, "4.A", "dealer")) == ("wrong_person", "4.A")
    assert refusal(house, Confirm(1, "4.B", "dealer")) == ("not_yet", "4.A")
    house.do(Confirm(1, "4.A", "floorperson"))
    assert due(house.table)[0].clause == "4.B"


def test_M24_after_an_idle_spell_the_cards_are_looked_at_before_they_are_washed() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann")
    Game(house).bet(1, ante=500).deal().finish(option="play").end()
    house.do(Leave(1), Join(1, "bob"))
    assert [duty.clause for duty in due(house.table)] == [
        "11.E", "5.H(1)", "5.H(2)", "5.H(3)", "4.C(1)", "4.C(2)", "4.C(3)"
    ]  # fmt: skip


def test_M20_the_stub_is_counted_in_every_fifth_round_before_a_decision() -> None:
    house = House(MARYLAND).sit("ann")
    for number in range(1, 11):
        game = Game(house).bet(1, ante=500).deal()
        moments = {duty.moment for duty in game.round.todo}
        assert ("stub count" in moments, "dealt" in moments) == (number % 5 == 0, number % 5 != 0)
        game.finish(option="play").end()


@pytest.mark.parametrize(("deck", "won"), [(DECK, True), (DECK[1::2] + DECK[::2], False)])
def test_11D7_a_progressive_hand_is_validated_before_it_is_paid(
    deck: tuple[Card, ...], won: bool
) -> None:
    house = House(MARYLAND, {"progressive": "A"} | AUTOMATED).sit("ann")
    game = Game(house, deck=deck).bet(1, ante=500, progressive=100).deal().finish(option="play")
    found = [duty for duty in game.seen if duty.moment == "progressive won"]
    names = ["11.D(7)(a)", "11.D(7)(b)", "11.D(7)(c)"] if won else []
    assert [duty.clause for duty in found] == names
    assert {duty.about for duty in found} == ({"seat 1 progressive"} if won else set())


def test_what_nobody_staked_and_nobody_chose_is_not_due() -> None:
    house = House(MARYLAND, {"progressive": "A"}).sit("ann", "bob")
    game = Game(house).bet(1, ante=500).deal().finish(option="play")
    assert not {duty.clause for duty in game.seen} & {"8.C(2)(a)", "11.D(1)"}
    game.end()
    game = Game(house).bet(1, ante=500, progressive=100).deal().finish(option="fold")
    assert {"8.C(2)(a)", "8.C(2)(b)", "8.C(2)(c)", "11.D(1)"} <= {d.clause for d in game.seen}


def test_california_stacks_the_play_wager_when_the_bank_is_shown() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    game = Game(house).bet(2, ante=500).deal().finish(option="play")
    assert [duty.clause for duty in game.seen] == ["dealing/3", "round-of-play/5.b"]
