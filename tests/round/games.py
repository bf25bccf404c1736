"""Games that tests play by commands, and how far they have got."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.errors import Refused
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Open,
    Settle,
    Show,
)
from croupier.round.dealing import deal_plan
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import FELT, SEATS
from tests.rules.books import CALIFORNIA, FLORIDA, IDS, LET_IT_RIDE, MARYLAND, SINGAPORE, book


@dataclass
class Game:
    """A round that is played by commands, and everything that has happened in it."""

    round: Round
    events: list[Event] = field(default_factory=list)

    def do(self, *commands: Command) -> "Game":
        for command in commands:
            for event in decide(self.round, command):
                self.events.append(event)
                self.round = evolve(self.round, event)
        return self

    def show(self) -> "Game":
        """Show what is due; the deck is in the order of the cards' indices."""
        return self.do(Show(tuple(Face(p, DECK[p]) for p in self.round.due)))

    def choose(self, option: str) -> "Game":
        """Let all who are asked choose the same."""
        for seat in self.round.asked:
            self.do(Choose(seat, option))
        return self


def game(id: str, *, things: Any = FELT, **selections: Any) -> Game:
    return Game(Round(resolve(book(id), selections, things=things)))


OPENING: dict[str, list[Command]] = {
    MARYLAND: [Bet(1, "ann", "ante", 1000), Bet(3, "bob", "pair_plus", 500),
               Bet(5, "cat", "ante", 1000)],
    SINGAPORE: [Bet(1, "ann", "ante", 1000), Bet(3, "bob", "pair_plus", 500),
                Bet(5, "cat", "ante", 1000)],
    LET_IT_RIDE: [Bet(1, "ann", "let_it_ride", 1000), Bet(5, "cat", "let_it_ride", 1000)],
    CALIFORNIA: [Bank(3, "bob", 9000), Bet(1, "ann", "ante", 1000), Bet(5, "cat", "ante", 1000)],
    FLORIDA: [Bank(3, "bob", 9000), Bet(1, "ann", "ante", 1000), Bet(5, "cat", "ante", 1000)],
}  # fmt: skip
MAIN = dict.fromkeys(IDS, "ante") | {LET_IT_RIDE: "let_it_ride"}
STAYS = dict.fromkeys(IDS, "play") | {LET_IT_RIDE: "ride"}
STAGES = ("new", "open", "bet", "closed", "dealt", "decided", "shown", "over")


def at(id: str, stage: str, *, things: Any = FELT, **selections: Any) -> Game:
    """A game of a book at one of the stages."""
    played = game(id, things=things, **selections)
    for done in STAGES[1 : STAGES.index(stage) + 1]:
        match done:
            case "open":
                played.do(Open("7"))
            case "bet":
                played.do(*OPENING[id])
            case "closed":
                played.do(CloseBets())
            case "dealt":
                played.do(Deal())
            case "decided":
                while "decide" in ahead(played.round):
                    played.show().choose(STAYS[id])
            case "shown":
                while played.round.due:
                    played.show()
            case "over":
                played.do(Settle())
    return played


def ahead(round: Round) -> list[str]:
    """What is to be done from this step on."""
    return [step.do for _, step in round.rules.sequence[round.at :]]


def refused(played: Game, command: Command) -> Refused:
    before = played.round
    with pytest.raises(Refused) as caught:
        played.do(command)
    assert played.round == before
    return caught.value


def due(round: Round) -> str:
    """The places of the cards that are due, in order: seats by their numbers."""
    names = {p: str(seat) if place == SEATS else place for p, place, seat in deal_plan(round)}
    return " ".join(names[position] for position in round.due)
