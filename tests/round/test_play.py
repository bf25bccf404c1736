"""The one loop that plays a round, and the one line between seen and hidden cards."""

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import croupier
from croupier.cards import DECK
from croupier.errors import Refused
from croupier.round.commands import Choose, CloseBets, Deal, Open, Show
from croupier.round.evolve import replay
from croupier.round.order import positions_of
from croupier.round.play import Play, own_faces
from tests.round.games import OPENING, STAYS, game
from tests.rules.books import LET_IT_RIDE, MARYLAND, each_book

SOURCES = Path(croupier.__file__).parent


def dealt(id: str, seed: int = 1) -> Play:
    deck = Random(seed).sample(DECK, len(DECK))
    play = Play(game(id).round, dict(enumerate(deck)))
    play.do(Open("7"), *OPENING[id], CloseBets(), Deal())
    return play


@each_book
def test_a_round_is_played_to_its_settlement(id: str) -> None:
    play = dealt(id)
    asked = []
    while (seat := play.to_decision()) is not None:
        asked.append(seat)
        play.do(Choose(seat, STAYS[id]))
    play.settle()
    assert asked
    assert play.round.closed
    assert replay(play.round.rules, play.events) == play.round


@each_book
def test_a_decision_is_asked_for_once_all_cards_due_are_up(id: str) -> None:
    play = dealt(id)
    seat = play.to_decision()
    assert play.round.due == ()
    assert seat == play.round.asked[0]
    before = play.round
    assert play.to_decision() == seat
    assert play.round is before


def test_hands_stay_face_down_until_the_settlement() -> None:
    play = dealt(MARYLAND)
    while (seat := play.to_decision()) is not None:
        play.do(Choose(seat, "play"))
    hands = {at for box in play.round.boxes.values() for at in box.cards}
    assert hands.isdisjoint(play.round.faces)
    play.settle()
    assert hands <= play.round.faces.keys()


def test_a_refused_command_leaves_what_was_done_before_it() -> None:
    play = Play(game(MARYLAND).round, {})
    with pytest.raises(Refused) as refused:
        play.do(Open("7"), *OPENING[MARYLAND], Deal())
    assert refused.value.code == "wrong_step"
    assert len(play.events) == 1 + len(OPENING[MARYLAND])
    assert play.round.boxes.keys() == {1, 3, 5}


def test_what_is_shown_carries_its_salt() -> None:
    play = dealt(LET_IT_RIDE)
    play.salt = lambda position: f"salt {position}"
    for seat in play.round.asked:
        play.do(Choose(seat, "ride"))
    show = play.due()
    assert isinstance(show, Show)
    assert [face.salt for face in show.faces] == [f"salt {at}" for at in play.round.due]


@each_book
def test_a_seat_knows_its_own_cards_and_those_turned_up(id: str) -> None:
    play = dealt(id)
    while (seat := play.to_decision()) is not None:
        for other, box in play.round.boxes.items():
            known = play.known_to(other)
            assert known.keys() == {*positions_of(play.round, box), *play.round.faces}
            assert known == {at: play.faces[at] for at in known}
        play.do(Choose(seat, STAYS[id]))


@each_book
def test_a_player_sees_the_cards_of_all_their_boxes_and_no_others(id: str) -> None:
    play = dealt(id)
    box = next(iter(play.round.boxes.values()))
    for player in {other.player for other in play.round.boxes.values()}:
        boxes = [other for other in play.round.boxes.values() if other.player == player]
        own = {at for other in boxes for at in positions_of(play.round, other)}
        assert own_faces(play.round, player, play.faces) == {at: play.faces[at] for at in own}
    assert own_faces(play.round, None, play.faces) == {}
    assert own_faces(play.round, "nobody here", play.faces) == {}
    hidden = {at: card for at, card in play.faces.items() if at not in box.cards}
    assert not own_faces(play.round, box.player, hidden).keys() & {*box.cards}


def functions(word: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function in the sources that have this word in them."""
    for file in sorted(SOURCES.rglob("*.py")):
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if word in text else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file.relative_to(SOURCES).as_posix()}:{node.name}", node


def merges_faces(node: ast.AST) -> bool:
    """Whether it builds a table of cards from those turned up and some more."""
    return isinstance(node, ast.Dict) and any(
        key is None and isinstance(value, ast.Attribute) and value.attr == "faces"
        for key, value in zip(node.keys, node.values, strict=True)
    )


def test_what_a_seat_knows_is_said_in_one_place() -> None:
    """Cards turned up and a player's own are joined by `known_to`, and nowhere else."""
    merging = {
        name for name, function in functions("faces") if any(map(merges_faces, ast.walk(function)))
    }
    assert merging == {
        "round/play.py:known_to",
        "round/evolve.py:evolve",
    }
    assert [name for name, _ in functions("known_to") if name.endswith(":known_to")] == [
        "round/play.py:known_to"
    ]


def test_the_loop_is_written_once() -> None:
    """Only `Play` makes the command that turns up what is due."""
    making = {
        name.partition(":")[0]
        for name, function in functions("Show")
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Show", "commands.Show")
    }
    # A record is checked by the command that each of its events must have come from.
    assert making == {"round/play.py", "round/record.py"}
