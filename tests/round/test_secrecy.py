"""What is hidden changes nothing that anybody sees (C10).

Each round is played a second time, with a deck that agrees on all that a viewer may see at some
moment and has all other cards elsewhere. Until those are shown, everything that leaves the engine
is the same to the byte: views, choices, refusals, events, what is told and what is prompted.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import pytest

from croupier.cards import Card
from croupier.errors import Refused
from croupier.hands.hand import Hand
from croupier.round import view as views
from croupier.round.codec import to_plain
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Confirm,
    Deal,
    Declare,
    Face,
    Open,
    Settle,
    Show,
    TakeDown,
)
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.round.tell import tell
from tests.round.invariants import DECIDE, STRANGER, Play, own_positions
from tests.round.machine import TABLES, played
from tests.rules.books import CALIFORNIA, IDS, LET_IT_RIDE, each_book

Deck = Mapping[int, Card]
ROUNDS = 3
"""How many rounds are played at each table."""


class Peek:
    """The deck of the round that is played, for mutants alone: the engine is never told it."""

    deck: ClassVar[Deck] = {}


def dealt_round(id: str, table: int, seed: int) -> Play:
    """A round with its deck, whose commands can be played again."""
    rng = random.Random(f"{id} {table} {seed}")
    while not (play := played(id, table, rng)).ledger.dealt:
        pass
    return play


def again(play: Play, deck: Deck) -> Iterator[Play]:
    """Play the same commands with another deck, and yield the round after each."""
    Peek.deck = deck
    twin = Play(play.rules, only="total")
    twin.deck = dict(deck)
    yield twin
    for command in play.done:
        if isinstance(command, Show):
            faces = tuple(face._replace(card=deck[face.position]) for face in command.faces)
            command = Show(faces)
        twin.do(command)
        yield twin


def twin_deck(deck: Deck, seen: set[int], rng: random.Random) -> dict[int, Card]:
    """A deck with the cards that are seen where they were, and all others somewhere else."""
    hidden = [position for position in deck if position not in seen]
    cards = [deck[position] for position in hidden]
    turn = rng.randrange(1, len(hidden))
    rng.shuffle(cards)
    moved = cards[turn:] + cards[:turn]
    return {**deck, **dict(zip(hidden, moved, strict=True))}


# ---------------------------------------------------------------- everything that leaves it


def probes(round: Round) -> Iterator[Command]:
    """Commands to be refused or done, the same ones whatever lies hidden."""
    yield from (Open("8"), Deal(), CloseBets(), CloseBets(9), Settle(), Settle({"jackpot": 1}))
    yield from (Bank(8, "dan", 100), Confirm("99.Z", "dealer"), Declare("misdeal"))
    yield from (Declare("stub_count", {"cards": 51, "misdealt": False}), Declare("shoe_fault"))
    yield Declare("face_up_cards", {"positions": [3]})
    for wager in round.rules.wagers:
        yield from (Bet(1, "ann", wager, 100), Bet(9, "ann", wager, 100), TakeDown(1, wager))
    for seat in [*round.boxes, 9]:
        yield from (Choose(seat, option) for option in ("play", "ride", "raise"))
        yield Declare("abandoned", {"seat": seat})
    for position in range(0, 52, 5):
        yield Show((Face(position, Card("2c")),))


def answer(round: Round, command: Command) -> Any:
    try:
        return [to_plain(event) for event in DECIDE.decide(round, command)]
    except Refused as refused:
        return [refused.code, str(refused), refused.field, refused.clause]


def leaves(twin: Play, viewer: str | None) -> dict[str, str]:
    """Everything that a viewer can get out of the engine, as bytes."""
    round, deck = twin.round, twin.deck
    told, so_far = [], Round(twin.rules)
    for event in twin.events:
        so_far = evolve(so_far, event)
        told.append(tell(so_far, event))
    everything = {
        "view": views.view(round, viewer, deck),
        "choices": views.choices(round),
        "events": [to_plain(event) for event in twin.events],
        "told": told,
        "todo": round.todo,
        "answers": [answer(round, command) for command in probes(round)],
    }
    return {name: json.dumps(value) for name, value in everything.items()}


def leaks(play: Play, rng: random.Random) -> Iterator[str]:
    """Where a twin round lets something out, at any moment, for any viewer."""
    bank = [play.ledger.banker.player] if play.ledger.banker else []
    viewers = sorted({*play.ledger.players.values(), *bank, STRANGER})
    for moment, prefix in enumerate(again(play, play.deck)):
        if not play.deck:
            return
        for viewer in (None, *viewers):
            seen = {*prefix.ledger.faces, *own_positions(prefix.ledger, viewer)}
            if len(seen) > 50:
                continue
            Peek.deck = play.deck
            mine = leaves(prefix, viewer)
            deck = twin_deck(play.deck, seen, rng)
            *_, twin = (t for _, t in zip(range(moment + 1), again(play, deck), strict=False))
            theirs = leaves(twin, viewer)
            for name in mine:
                if mine[name] != theirs[name]:
                    yield f"{name} of {viewer} after {moment}: {mine[name]} or {theirs[name]}"


def hidden_beside_shown(play: Play) -> bool:
    """Whether there was a moment with one card of a place up and another still down."""
    return any(
        0 < sum(position in prefix.ledger.faces for position in prefix.ledger.at(place)) < 2
        for prefix in again(play, play.deck)
        for place in ("bank", "community")
        if prefix.round.step and prefix.round.step.do == "decide"
    )


@each_book
def test_nothing_hidden_gets_out(id: str) -> None:
    half_open = False
    for table in range(len(TABLES[id])):
        for seed in range(ROUNDS):
            play = dealt_round(id, table, seed)
            half_open = half_open or hidden_beside_shown(play)
            assert list(leaks(play, random.Random(seed))) == []
    # California's turned-up card, and Let It Ride's first community card, were among it.
    assert half_open == (id in (CALIFORNIA, LET_IT_RIDE))


@each_book
def test_what_was_hidden_comes_out_in_the_end(id: str) -> None:
    """The twins are not the same round: once the cards are shown, they settle differently."""
    play = next(p for p in (dealt_round(id, 0, seed) for seed in range(9)) if not p.ledger.void)
    deck = twin_deck(play.deck, set(), random.Random(1))
    *_, mine = again(play, play.deck)
    before = leaves(mine, None)
    *_, theirs = again(play, deck)
    assert before["events"] != leaves(theirs, None)["events"]


# ---------------------------------------------------------------- mutants


def sorts_the_bank(original: Any) -> Any:
    """The bank's cards are laid out by their ranks: where the card that is up lies tells."""

    def view(round: Round, player: str | None, faces: Deck) -> Any:
        seen = original(round, player, faces)
        bank = round.places.get("bank", ())
        cards = dict(zip(bank, seen["places"].get("bank", ()), strict=True))
        laid = [cards[position] for position in sorted(bank, key=lambda p: faces[p])]
        return {**seen, "places": {**seen["places"], "bank": laid}}

    return view


def says_whether_it_qualifies(original: Any) -> Any:
    def view(round: Round, player: str | None, faces: Deck) -> Any:
        cards = tuple(faces[p] for p in round.places.get("bank", ()))
        plays = bool(cards) and Hand(cards, round.rules.ranking).is_at_least_high(10)
        return {**original(round, player, faces), "qualifies": plays}

    return view


def is_longer_with_an_ace(original: Any) -> Any:
    """Nothing is named, but the length of the frame tells."""

    def view(round: Round, player: str | None, faces: Deck) -> Any:
        places = [p for positions in round.places.values() for p in positions]
        padding = " " * sum(faces[p].rank == 12 for p in places)
        return {**original(round, player, faces), "padding": padding}

    return view


def refuses_with_a_face(original: Any) -> Any:
    def decide(round: Round, command: Command) -> Any:
        try:
            return original(round, command)
        except Refused as refused:
            hidden = [p for box in round.boxes.values() for p in box.cards if p not in round.faces]
            if not hidden:
                raise
            message = f"{refused.message}, for {Peek.deck[hidden[0]]} lies there"
            raise Refused(refused.code, message) from None

    return decide


def notes_the_strength(original: Any) -> Any:
    """An event that holds no face, but what it is worth."""

    def decide(round: Round, command: Command) -> Any:
        events = original(round, command)
        if isinstance(command, Choose) and round.places:
            place = next(iter(round.places.values()))
            (event,) = events
            return (event._replace(by=f"player {Peek.deck[place[-1]].rank}"),)
        return events

    return decide


LEAKS: list[tuple[str, Callable[[Any], Any], list[str]]] = [
    ("view", sorts_the_bank, [CALIFORNIA]),
    ("view", says_whether_it_qualifies, [id for id in IDS if id != LET_IT_RIDE]),
    ("view", is_longer_with_an_ace, list(IDS)),
    ("decide", refuses_with_a_face, list(IDS)),
    ("decide", notes_the_strength, list(IDS)),
]


@pytest.mark.parametrize(
    ("function", "mutant", "id"),
    [(function, mutant, id) for function, mutant, ids in LEAKS for id in ids],
)
def test_a_leak_is_found(
    function: str, mutant: Callable[[Any], Any], id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = [dealt_round(id, 0, seed) for seed in range(6)]
    module = views if function == "view" else DECIDE
    monkeypatch.setattr(module, function, mutant(getattr(module, function)))
    found = (leak for play in rounds for leak in leaks(play, random.Random(1)))
    assert next(found, None) is not None
