"""Rounds of all books that are dealt from decks that were committed to."""

import os
from functools import cache
from itertools import islice
from typing import Any

from croupier.cards import DECK
from croupier.fairness.commitment import Committed, commit
from croupier.fairness.shuffle import Entropy, shuffled
from croupier.round.commands import Choose, CloseBets, Deal, Face, Open, Settle, Show
from croupier.round.events import Shown
from croupier.round.record import record_of
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.round.games import OPENING, Game
from tests.rules.books import IDS, book

RULES = "ab" * 32
PLAYER = "ann"


def source(given: bytes) -> Entropy:
    """Entropy that is known, and ends where it does."""
    rest = iter(given)
    return lambda count: bytes(islice(rest, count))


def committed(secret: bytes = bytes(range(32)), *, round: str = "7") -> Committed:
    """A deck that is always the same, in the order of the cards' indices."""
    return Committed(round, RULES, DECK, secret)


@cache
def rules_of(id: str) -> TableRules:
    return resolve(book(id), {})


def play(number: int) -> tuple[Game, Committed]:
    """A round of one book after the other, dealt from a fresh deck to the end; some fold."""
    id = IDS[number % len(IDS)]
    rules = rules_of(id)
    deal = commit(shuffled(os.urandom), os.urandom, round=f"t1-{number}", rules=rules.digest)
    game = Game(Round(rules)).do(Open(deal.round), *OPENING[id], CloseBets(), Deal())
    while not game.round.closed:
        step, asked = game.round.step, game.round.asked
        if due := game.round.due:
            game.do(Show(tuple(Face(p, deal.deck[p], deal.salt(p)) for p in due)))
        elif asked and step:
            options = list(step.option)
            game.do(Choose(asked[0], options[(number // 5 + asked[0]) % len(options)]))
        else:
            game.do(Settle())
    return game, deal


def document(number: int) -> dict[str, Any]:
    """What one player may check a round with: the cards that were shown, and their own."""
    game, deal = play(number)
    shown = {event.position for event in game.events if isinstance(event, Shown)}
    own = {p for box in game.round.boxes.values() if box.player == PLAYER for p in box.cards}
    record = record_of(game.round.rules, {}, game.events)
    return deal.document(shown | own, record)
