"""The engine by itself: commands in, events out, and every refusal with its code and clause."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from croupier.cards import DECK, Card
from croupier.cli.settle import Settler
from croupier.errors import Refused
from croupier.money import format_money, parse_money
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
from croupier.round.dealing import deal_plan
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve, replay
from croupier.round.file import Played
from croupier.round.order import to_ask, to_show
from croupier.round.result import result_of
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import SEATS
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    ROOT,
    SINGAPORE,
    book,
)

FILES = sorted((ROOT / "tests/rounds").glob("*/*.toml"))
each_book = pytest.mark.parametrize("id", IDS)


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
        return self.do(Show(tuple(Face(p, DECK[p]) for p in to_show(self.round))))

    def choose(self, option: str) -> "Game":
        """Let all who are asked choose the same."""
        for seat in to_ask(self.round):
            self.do(Choose(seat, option))
        return self


def game(id: str, **selections: Any) -> Game:
    return Game(Round(resolve(book(id), selections)))


OPENING = {
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
SIDES = {
    MARYLAND: {"progressive": "A", "six_card_bonus": "A"},
    LET_IT_RIDE: {"progressive": "B", "five_card_bonus": "A"},
}


def at(id: str, stage: str, **selections: Any) -> Game:
    """A game of a book at one of the stages."""
    played = game(id, **selections)
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
                while any(step.do == "decide" for _, step in played.round.rules.sequence[
                    played.round.at :
                ]):  # fmt: skip
                    played.show().choose(STAYS[id])
            case "shown":
                while to_show(played.round):
                    played.show()
            case "over":
                played.do(Settle())
    return played


def refused(played: Game, command: Command) -> Refused:
    before = played.round
    with pytest.raises(Refused) as caught:
        played.do(command)
    assert played.round == before
    return caught.value


# ---------------------------------------------------------------- after "no more bets"

CLOSED = {
    MARYLAND: "7.E",
    LET_IT_RIDE: "7.D",
    SINGAPORE: "5.6",
    CALIFORNIA: "betting/2",
    FLORIDA: "3",
}


@pytest.mark.parametrize("stage", ["closed", "dealt", "decided", "shown"])
@each_book
def test_nothing_is_made_raised_or_withdrawn_after_no_more_bets(id: str, stage: str) -> None:
    main, played = MAIN[id], at(id, stage)
    late: list[Command] = [
        Bet(2, "dan", main, 1000),
        Bet(1, "ann", main, 2000),
        Bet(1, "ann", main, 500),
        Bet(1, "ann", "pair_plus", 500),
        TakeDown(1, main),
        Bank(4, "dan", 9000),
        Bank(3, "bob", 99000),
    ]
    found = [(told.code, told.clause) for told in (refused(played, command) for command in late)]
    assert found == [("bets_closed", CLOSED[id])] * len(late)


@each_book
def test_bets_are_made_raised_and_withdrawn_before(id: str) -> None:
    played = at(id, "bet").do(
        Bet(2, "dan", MAIN[id], 700), Bet(2, "dan", MAIN[id], 800), TakeDown(2, MAIN[id])
    )
    assert played.round.boxes == at(id, "bet").round.boxes


# ---------------------------------------------------------------- refusals by their codes


class Told(NamedTuple):
    """A command at a stage of a book's game, and how it is refused."""

    code: str
    id: str
    stage: str
    command: Command
    clause: str | None = None
    selections: dict[str, Any] = {}  # noqa: RUF012


FEES = {"fees": [{"up_to": 5, "fee": 1}]}
LIMITS = {"limits": {"ante": [5, 500]}}
PROGRESSIVE = {"progressive": "A"}
SHARED = {"format": "electronic"}
FACE = Face(0, Card("As"))

REFUSALS = [
    Told("round_over",       MARYLAND,    "over",    Settle()),
    Told("round_over",       MARYLAND,    "over",    Open("8")),
    Told("round_over",       CALIFORNIA,  "over",    Declare("misdeal")),
    Told("already_open",     MARYLAND,    "open",    Open("8")),
    Told("no_such_meter",    MARYLAND,    "new",     Open("7", {"jackpot": 1})),
    Told("wrong_step",       MARYLAND,    "new",     Bet(1, "ann", "ante", 1000)),
    Told("wrong_step",       MARYLAND,    "new",     CloseBets()),
    Told("wrong_step",       MARYLAND,    "new",     Declare("shoe_fault")),
    Told("wrong_step",       MARYLAND,    "bet",     Deal(),                   "7.D"),
    Told("wrong_step",       MARYLAND,    "bet",     Choose(1, "play"),        "7.D"),
    Told("wrong_step",       MARYLAND,    "bet",     Settle(),                 "7.D"),
    Told("wrong_step",       MARYLAND,    "closed",  CloseBets(),              "8.E"),
    Told("wrong_step",       MARYLAND,    "closed",  Choose(1, "play"),        "8.E"),
    Told("wrong_step",       MARYLAND,    "dealt",   Deal(),                   "11.B"),
    Told("wrong_step",       MARYLAND,    "dealt",   Settle(),                 "11.B"),
    Told("wrong_step",       SINGAPORE,   "decided", Choose(1, "fold"),        "3.12"),
    Told("no_such_seat",     MARYLAND,    "open",    Bet(8, "ann", "ante", 1000), "2.A"),
    Told("no_such_seat",     LET_IT_RIDE, "open",    Bet(0, "ann", "ante", 1000), "2.A(1)"),
    Told("no_such_seat",     CALIFORNIA,  "open",    Bank(9, "bob", 1000),     "players"),
    Told("no_such_seat",     MARYLAND,    "dealt",   Declare("abandoned", {"seat": 2})),
    Told("no_such_seat",     MARYLAND,    "dealt",   Declare("wrong_number_of_cards", {"where": 2})),
    Told("house_banks",      MARYLAND,    "open",    Bank(1, "ann", 1000),     "11.D(2)"),
    Told("house_banks",      LET_IT_RIDE, "open",    Bank(1, "ann", 1000),     "11.D(3)"),
    Told("banker_bets",      CALIFORNIA,  "bet",     Bet(3, "bob", "ante", 1000)),
    Told("banker_bets",      FLORIDA,     "bet",     Bank(1, "ann", 1000)),
    Told("seat_taken",       MARYLAND,    "bet",     Bet(1, "bob", "ante", 1000)),
    Told("no_shared_hands",  MARYLAND,    "open",    Bet(1, "ann", "ante", 1000, 1)),
    Told("no_such_hand",     MARYLAND,    "open",    Bet(1, "ann", "ante", 1000, 4), "11.F(2)", SHARED),
    Told("no_such_hand",     MARYLAND,    "open",    Bet(1, "ann", "ante", 1000), "11.F(2)", SHARED),
    Told("not_offered",      MARYLAND,    "open",    Bet(1, "ann", "progressive", 100)),
    Told("not_offered",      LET_IT_RIDE, "open",    Bet(1, "ann", "bet_1", 100)),
    Told("by_decision",      MARYLAND,    "bet",     Bet(1, "ann", "play", 1000), "1.B(6)"),
    Told("by_decision",      FLORIDA,     "bet",     Bet(1, "ann", "play", 1000), "4.b"),
    Told("no_money",         MARYLAND,    "open",    Bet(1, "ann", "ante", 0)),
    Told("no_money",         MARYLAND,    "open",    Bet(1, "ann", "ante", -1)),
    Told("no_money",         CALIFORNIA,  "open",    Bank(3, "bob", 0)),
    Told("wrong_size",       MARYLAND,    "open",    Bet(1, "ann", "progressive", 300), "12.E(5)", PROGRESSIVE),
    Told("wrong_size",       SINGAPORE,   "open",    Bet(1, "ann", "progressive", 200), "3.5"),
    Told("outside_limits",   MARYLAND,    "open",    Bet(1, "ann", "ante", 499), "7.A", LIMITS),
    Told("outside_limits",   FLORIDA,     "open",    Bet(1, "ann", "ante", 50001), "7", LIMITS),
    Told("meter_undeclared", SINGAPORE,   "open",    Bet(1, "ann", "progressive", 250), "4.4"),
    Told("no_such_bet",      MARYLAND,    "bet",     TakeDown(1, "pair_plus")),
    Told("no_such_bet",      MARYLAND,    "bet",     TakeDown(2, "ante")),
    Told("nobody_bets",      MARYLAND,    "open",    CloseBets(),              "2.A"),
    Told("no_action",        MARYLAND,    "bet",     CloseBets(1)),
    Told("no_action",        CALIFORNIA,  "bet",     CloseBets(3)),
    Told("above_brackets",   CALIFORNIA,  "bet",     CloseBets(),              "fees", FEES),
    Told("no_decision",      MARYLAND,    "dealt",   Choose(3, "play"),        "11.B"),
    Told("no_decision",      MARYLAND,    "dealt",   Choose(2, "play"),        "11.B"),
    Told("not_your_turn",    MARYLAND,    "dealt",   Choose(5, "play"),        "11.B"),
    Told("not_your_turn",    LET_IT_RIDE, "dealt",   Choose(5, "ride"),        "11.B"),
    Told("not_your_turn",    FLORIDA,     "dealt",   Choose(1, "play"),        "4"),
    Told("no_such_choice",   MARYLAND,    "dealt",   Choose(1, "ride"),        "11.B"),
    Told("no_such_choice",   LET_IT_RIDE, "dealt",   Choose(1, "fold"),        "11.B"),
    Told("not_due",          MARYLAND,    "new",     Show((FACE,))),
    Told("not_due",          MARYLAND,    "closed",  Show((FACE,)),            "8.E"),
    Told("not_due",          MARYLAND,    "dealt",   Show((FACE,)),            "11.B"),
    Told("not_due",          FLORIDA,     "dealt",   Show((FACE,)),            "4"),
    Told("cards_hidden",     CALIFORNIA,  "dealt",   Choose(1, "play")),
    Told("no_such_kind",     MARYLAND,    "dealt",   Declare("misdeal")),
    Told("unknown_fact",     MARYLAND,    "dealt",   Declare("shoe_fault", {"count": 1})),
    Told("bad_fact",         MARYLAND,    "dealt",   Declare("face_up_cards", {"count": "1"})),
    Told("bad_fact",         MARYLAND,    "dealt",   Declare("face_up_cards", {"positions": [53]})),
    Told("bad_fact",         MARYLAND,    "dealt",   Declare("wrong_number_of_cards", {"where": "bank"})),
    Told("not_guided",       MARYLAND,    "open",    Confirm("99.Z", "dealer")),
    Told("not_guided",       MARYLAND,    "open",    Confirm("12.A", "dealer")),
    Told("wrong_person",     MARYLAND,    "open",    Confirm("8.C(2)(a)", "player"), "8.C(2)(a)"),
]  # fmt: skip  # noqa: E501
