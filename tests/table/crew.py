"""A dealer and a floorperson who keep the book through a round, and try every wrong way first."""

from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.round.commands import (
    Bet,
    Choose,
    Close,
    CloseBets,
    Command,
    Confirm,
    Deal,
    Declare,
    Read,
    Settle,
    Validate,
)
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.settling import hidden_from, next_seat
from croupier.round.state import Duty, Round
from croupier.table.commands import DealFirstCard
from croupier.table.rounds import end_of
from tests.table.tables import House

ACTS = ("first card", "count", "show")
COUNT = Declare("stub_count", {"cards": 52, "misdealt": False})


def validate(duty: Duty) -> Validate:
    """The command that validates the win that a duty is about."""
    _, seat, wager = duty.about.split(" ", 2)
    return Validate(int(seat), wager)


class Game:
    """A round at a table with a dealer, and what was due in it."""

    def __init__(self, house: House, *, deck: tuple[Card, ...] = DECK) -> None:
        self.house, self.deck = house, deck
        house.start()
        self.round = Round(house.table.rules)
        self.events: list[Event] = []
        self.seen: list[Duty] = []
        """Every duty that came due, in order."""
        self.do_only(*house.table.opening())

    def do(self, *commands: Command) -> "Game":
        """Do what is asked, and before each command what must precede it."""
        for command in commands:
            if not isinstance(command, Declare):
                self.keep(command)
            self.do_only(command)
        return self

    def do_only(self, *commands: Command) -> None:
        for command in commands:
            for event in decide(self.round, command):
                before = self.round.todo
                self.events.append(event)
                self.round = evolve(self.round, event)
                self.seen += [duty for duty in self.round.todo if duty not in before]

    def keep(self, wanted: Command) -> None:
        """Keep every clause that is due; a command that it must precede is refused first."""
        if self.round.void:
            return
        while duty := next((d for d in self.round.todo if self.act(d) not in ACTS[:1]), None):
            if self.act(duty) == "show":
                return  # Turning the cards is the confirmation.
            self.refused(wanted, "prompt_open", duty.clause)
            if self.act(duty) == "count":
                self.refused(Confirm(duty.clause, "dealer"), "done_by_act", duty.clause)
                self.do_only(COUNT)
                continue
            if self.act(duty) == "validate":
                confirm = Confirm(duty.clause, "floorperson", duty.about)
                self.refused(confirm, "done_by_act", duty.clause)
                self.do_only(validate(duty))
                continue
            won = [d for d in self.round.todo if d.about == duty.about and d is not duty]
            for later in won:
                if self.act(later) == "validate":
                    self.refused(validate(later), "prompt_open", duty.clause)
            self.confirm(duty)

    def confirm(self, duty: Duty) -> None:
        """Have a duty confirmed by each of its people, after the wrong ones have tried."""
        later = [d for d in self.round.todo if d.about == duty.about][1:]
        for other in later:
            self.refused(Confirm(other.clause, "dealer", other.about), "not_yet", duty.clause)
        for by in duty.by:
            wrong: Any = "dealer" if by == "floorperson" else "floorperson"
            self.refused(Confirm(duty.clause, wrong, duty.about), "wrong_person", duty.clause)
            self.do_only(Confirm(duty.clause, by, duty.about))
        self.refused(Confirm(duty.clause, duty.by[-1], duty.about), "not_due", None)

    def act(self, duty: Duty) -> str | None:
        return self.round.rules.clauses[duty.clause].act

    def refused(self, command: Command, code: str, clause: str | None) -> None:
        before = self.round
        with pytest.raises(Refused) as caught:
            self.do_only(command)
        assert (caught.value.code, caught.value.clause) == (code, clause), command
        assert self.round is before

    def bet(self, seat: int, **wagers: int) -> "Game":
        return self.do(*(Bet(seat, f"p{seat}", wager, c) for wager, c in wagers.items()))

    def close(self) -> "Game":
        """Close betting; the first card leaves the deck."""
        self.house.do(DealFirstCard(self.house.time))
        return self.do(CloseBets())

    def deal(self) -> "Game":
        return self.close().do(Deal())

    def deal_now(self) -> "Game":
        """Deal after betting was closed."""
        return self.do(Deal())

    def finish(self, *, option: str) -> "Game":
        while not self.round.closed:
            self.one_step(option=option)
        return self

    def one_step(self, *, option: str) -> None:
        """Do what comes next: return everything, decide, read one card, settle or close."""
        if self.round.void:
            self.do(Close())
        elif asked := self.round.asked if not self.round.due else ():
            self.do(Choose(asked[0], option))
        elif self.round.stage and self.round.stage.do == "settle":
            self.settle_next()
        else:
            self.read(self.round.due[0])

    def read(self, position: int) -> None:
        """Turn up a card and read it."""
        self.do(Read(self.deck[position]))

    def settle_next(self) -> None:
        """Turn up what the next seat needs, and settle it; then close the round."""
        seat = next_seat(self.round)
        if seat is None:
            self.do(Close())
        elif hidden := hidden_from(self.round, seat):
            self.read(hidden[0])
        else:
            self.do(Settle(seat=seat))

    def end(self) -> tuple[Any, ...]:
        return self.house.do(end_of(self.round, self.events))
