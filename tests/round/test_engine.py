"""The engine by itself: commands in, events out, and every refusal with its code and clause."""

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from croupier.cards import DECK, Card
from croupier.money import parse_money
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
from croupier.round.evolve import evolve, replay
from croupier.round.file import Played
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.round.state import Round
from tests.round.games import MAIN, STAYS, ahead, at, due, game, refused
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    ROOT,
    SINGAPORE,
    each_book,
)

FILES = sorted((ROOT / "tests/rounds").glob("*/*.toml"))
# ---------------------------------------------------------------- after "no more bets"

CLOSED = {
    MARYLAND: "7.E",
    LET_IT_RIDE: "7.D",
    SINGAPORE: "5.6",
    CALIFORNIA: "betting/2",
    FLORIDA: "3",
}


@pytest.mark.clause(MARYLAND, "7.D", "7.E")
@pytest.mark.clause(LET_IT_RIDE, "7.C", "7.D")
@pytest.mark.clause(SINGAPORE, "5.6", "5.7")
@pytest.mark.clause(CALIFORNIA, "betting/2", "bonus-bet/1")
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
    for command in late:
        told = refused(played, command)
        stands = isinstance(command, TakeDown) and id == SINGAPORE
        assert (told.code, told.clause) == ("bets_closed", "5.7" if stands else CLOSED[id])


@each_book
def test_bets_are_made_raised_and_withdrawn_before(id: str) -> None:
    played = at(id, "bet").do(
        Bet(2, "dan", MAIN[id], 700), Bet(2, "dan", MAIN[id], 800), TakeDown(2, MAIN[id])
    )
    assert played.round.boxes == at(id, "bet").round.boxes


# ---------------------------------------------------------------- refusals by their codes


class Told(NamedTuple):
    """A command at a stage of a book's game, and the code and clause of its refusal."""

    code: str
    id: str
    stage: str
    command: Command
    clause: str | None = None
    selections: Any = ()


CA, FL, LR, MD, SG = IDS
ANN = (1, "ann")
FEES = {"fees": [{"up_to": 5, "fee": 1}]}
LIMITS = {"limits": {"ante": [5, 500]}}
HAND, BY_HAND = {"dealing": "hand"}, {"shuffler": "none"}
ONE = {"progressive": "A"}
SHARED = {"format": "electronic"}
FACE = Face(0, Card("As"))
NUMBER, UP = "wrong_number_of_cards", "face_up_cards"
BANKS, M9 = "round-of-play/5", "11.F(2)"

REFUSALS = [
    Told("round_over",       MD, "over",    Settle()),
    Told("round_over",       MD, "over",    Open("8")),
    Told("round_over",       CA, "over",    Declare("misdeal")),
    Told("already_open",     MD, "open",    Open("8")),
    Told("no_such_meter",    MD, "new",     Open("7", {"jackpot": 1})),
    Told("wrong_step",       MD, "new",     Bet(*ANN, "ante", 1000)),
    Told("wrong_step",       MD, "new",     CloseBets()),
    Told("wrong_step",       MD, "new",     Declare("shoe_fault")),
    Told("wrong_step",       MD, "bet",     Deal(),                               "7.D"),
    Told("wrong_step",       MD, "bet",     Choose(1, "play"),                    "7.D"),
    Told("wrong_step",       MD, "bet",     Settle(),                             "7.D"),
    Told("wrong_step",       MD, "closed",  CloseBets(),                          "8.E"),
    Told("wrong_step",       MD, "closed",  Choose(1, "play"),                    "8.E"),
    Told("wrong_step",       MD, "dealt",   Deal(),                               "11.B"),
    Told("wrong_step",       MD, "dealt",   Settle(),                             "11.B"),
    Told("wrong_step",       SG, "decided", Choose(1, "fold"),                    "3.12"),
    Told("no_such_seat",     MD, "open",    Bet(8, "ann", "ante", 1000),          "2.A"),
    Told("no_such_seat",     LR, "open",    Bet(0, "ann", "ante", 1000),          "2.A(1)"),
    Told("no_such_seat",     SG, "open",    Bet(8, "ann", "ante", 1000),          "2.2"),
    Told("no_such_seat",     CA, "open",    Bank(9, "bob", 1000),                 "players"),
    Told("no_such_seat",     FL, "open",    Bet(9, "bob", "ante", 1000),          "table"),
    Told("no_such_seat",     MD, "dealt",   Declare("abandoned", {"seat": 2})),
    Told("no_such_seat",     MD, "dealt",   Declare(NUMBER, {"where": 2})),
    Told("house_banks",      MD, "open",    Bank(1, "ann", 1000),                 "11.D(2)"),
    Told("house_banks",      LR, "open",    Bank(1, "ann", 1000),                 "11.D(3)"),
    Told("banker_bets",      CA, "bet",     Bet(3, "bob", "ante", 1000),          BANKS),
    Told("banker_bets",      FL, "bet",     Bank(1, "ann", 1000),                 "6"),
    Told("seat_taken",       MD, "bet",     Bet(1, "bob", "ante", 1000)),
    Told("no_shared_hands",  MD, "open",    Bet(*ANN, "ante", 1000, 1)),
    Told("no_such_hand",     MD, "open",    Bet(*ANN, "ante", 1000, 4),           M9, SHARED),
    Told("no_such_hand",     MD, "open",    Bet(*ANN, "ante", 1000),              M9, SHARED),
    Told("not_offered",      MD, "open",    Bet(*ANN, "progressive", 100)),
    Told("not_offered",      LR, "open",    Bet(*ANN, "bet_1", 100)),
    Told("by_decision",      MD, "bet",     Bet(*ANN, "play", 1000),              "1.B(6)"),
    Told("by_decision",      FL, "bet",     Bet(*ANN, "play", 1000),              "4.b"),
    Told("no_money",         MD, "open",    Bet(*ANN, "ante", 0)),
    Told("no_money",         MD, "open",    Bet(*ANN, "ante", -1)),
    Told("no_money",         CA, "open",    Bank(3, "bob", 0)),
    Told("wrong_size",       MD, "open",    Bet(*ANN, "progressive", 300),        "12.E(5)", ONE),
    Told("wrong_size",       SG, "open",    Bet(*ANN, "progressive", 200),        "3.5"),
    Told("outside_limits",   MD, "open",    Bet(*ANN, "ante", 499),               "T7", LIMITS),
    Told("outside_limits",   FL, "open",    Bet(*ANN, "ante", 50001),             "T7", LIMITS),
    Told("meter_undeclared", SG, "open",    Bet(*ANN, "progressive", 250),        "4.4"),
    Told("no_such_bet",      MD, "bet",     TakeDown(1, "pair_plus")),
    Told("no_such_bet",      MD, "bet",     TakeDown(2, "ante")),
    Told("nobody_bets",      MD, "open",    CloseBets(),                          "2.A"),
    Told("no_action",        MD, "bet",     CloseBets(1)),
    Told("bank_taken",       CA, "bet",     Bank(7, "zoe", 5000),              "round-of-play/5"),
    Told("no_action",        CA, "bet",     CloseBets(3)),
    Told("above_brackets",   CA, "bet",     CloseBets(),                          "fees", FEES),
    Told("no_decision",      MD, "dealt",   Choose(3, "play"),                    "11.B"),
    Told("no_decision",      MD, "dealt",   Choose(2, "play"),                    "11.B"),
    Told("not_your_turn",    MD, "dealt",   Choose(5, "play"),                    "11.B"),
    Told("not_your_turn",    SG, "dealt",   Choose(5, "play"),                    "3.7"),
    Told("not_your_turn",    LR, "dealt",   Choose(5, "ride"),                    "11.B"),
    Told("not_your_turn",    FL, "dealt",   Choose(1, "play"),                    "4"),
    Told("no_such_choice",   MD, "dealt",   Choose(1, "ride"),                    "11.B"),
    Told("no_such_choice",   LR, "dealt",   Choose(1, "fold"),                    "11.B"),
    Told("not_due",          MD, "new",     Show((FACE,))),
    Told("not_due",          MD, "closed",  Show((FACE,)),                        "8.E"),
    Told("not_due",          MD, "dealt",   Show((FACE,)),                        "11.B"),
    Told("not_due",          FL, "dealt",   Show((FACE,)),                        "4"),
    Told("no_such_kind",     MD, "dealt",   Declare("misdeal")),
    Told("unknown_fact",     MD, "dealt",   Declare("dealer_card_exposed", {"count": 1})),
    Told("no_device",        MD, "dealt",   Declare("shoe_fault"),                "13.G"),
    Told("no_device",        LR, "dealt",   Declare("shoe_fault"),                "13.G", HAND),
    Told("no_device",        MD, "dealt",   Declare("shuffler_fault"),            "13.F", BY_HAND),
    Told("bad_fact",         MD, "dealt",   Declare("stub_count", {"cards": 52}), "8.G"),
    Told("bad_fact",         SG, "dealt",   Declare("misdeal"),                   "5.3"),
    Told("bad_fact",         SG, "dealt",   Declare("misdeal", {"handled": False}), "5.3"),
    Told("bad_fact",         SG, "dealt",   Declare(NUMBER, {"where": 1}),        "5.4"),
    Told("bad_fact",         SG, "dealt",   Declare("cards_exposed", {"count": 0})),
    Told("bad_fact",         MD, "dealt",   Declare(UP, {"positions": []})),
    Told("bad_fact",         MD, "dealt",   Declare(UP, {"count": "1"})),
    Told("bad_fact",         MD, "dealt",   Declare(UP, {"positions": [53]})),
    Told("no_such_place",    MD, "dealt",   Declare(NUMBER, {"where": "community"})),
    Told("not_guided",       MD, "open",    Confirm("99.Z", "dealer")),
    Told("not_guided",       MD, "open",    Confirm("12.A", "dealer")),
    Told("not_due",          MD, "open",    Confirm("8.C", "dealer")),
]  # fmt: skip


@pytest.mark.clause(MARYLAND, "1.B(6)", "2.A", "7.F(4)", "11.B")
@pytest.mark.clause(LET_IT_RIDE, "2.A(1)", "11.B")
@pytest.mark.clause(SINGAPORE, "3.7")
@pytest.mark.clause(CALIFORNIA, "players")
@pytest.mark.clause(FLORIDA, "4", "4.b")
@pytest.mark.parametrize("told", REFUSALS, ids=lambda told: f"{told.code}-{told.id}-{told.stage}")
def test_refused_with_code_and_clause(told: Told) -> None:
    answer = refused(at(told.id, told.stage, **dict(told.selections)), told.command)
    assert (answer.code, answer.clause) == (told.code, told.clause)


@pytest.mark.parametrize(
    ("id", "selections", "lacks"),
    [
        (SG, {}, "rate and reset"),
        (SG, {"progressive_rate": "1/4"}, "reset"),
        (MD, {"progressive": "C"}, "rate"),
    ],
)
def test_a_refused_progressive_names_what_is_not_declared(
    id: str, selections: dict[str, Any], lacks: str
) -> None:
    size = 250 if id == SG else 100
    answer = refused(at(id, "open", **selections), Bet(*ANN, "progressive", size))
    assert str(answer).split("declares the meter's ")[1].startswith(f"{lacks} (")


# What takes more than one command to be refused: code, book, selections, commands, clause.
VERSION, TWO = "version", {"adjacent_boxes": 2}
TOGETHER: list[tuple[str, str, dict[str, Any], list[Command], str | None]] = [
    ("needs_wager", MD, ONE, [Bet(*ANN, "progressive", 100)], "7.F(4)(a)"),
    ("needs_wager", MD, {VERSION: "7.G(3)"}, [Bet(*ANN, "ante", 100)], "7.G(3)"),
    ("ratio", MD, {VERSION: "7.G(1)"}, [Bet(*ANN, "ante", 100), Bet(*ANN, "pair_plus", 101)],
        "7.G(1)"),
    ("ratio", MD, {VERSION: "7.G(2)"}, [Bet(*ANN, "ante", 100), Bet(*ANN, "pair_plus", 201)],
        "7.G(2)"),
    ("ratio", MD, {VERSION: "7.G(3)"}, [Bet(*ANN, "ante", 501), Bet(*ANN, "pair_plus", 100)],
        "7.G(3)"),
    ("needs_wager", SG, {"progressive_rate": "1/4", "progressive_reset": 100},
        [Bet(*ANN, "pair_plus", 100), Bet(*ANN, "progressive", 250)], "3.5"),
    ("needs_wager", CA, {}, [Bank(3, "bob", 100), Bet(*ANN, "pair_plus", 100)], "betting/4"),
    ("needs_wager", FL, {}, [Bank(3, "bob", 100), Bet(*ANN, "pair_plus", 100)], "2"),
    ("needs_wager", LR, {"five_card_bonus": "A"}, [Bet(*ANN, "five_card_bonus", 100)], "7.E(3)"),
    ("needs_wager", LR, {"three_card_bonus": "A"}, [Bet(*ANN, "three_card_bonus", 1)], "7.E(4)"),
    ("needs_wager", LR, {"six_card_bonus": "A"}, [Bet(*ANN, "six_card_bonus", 1)], "7.E(5)"),
    ("no_banker", CA, {}, [Bet(*ANN, "ante", 100)], "round-of-play/5"),
    ("no_banker", FL, {}, [Bet(*ANN, "ante", 100)], "6"),
    ("too_many_boxes", MD, TWO, [Bet(seat, "ann", "ante", 1) for seat in (1, 2, 3)], "7.H"),
    ("boxes_apart", MD, TWO, [Bet(seat, "ann", "ante", 1) for seat in (1, 3)], "7.H"),
    ("boxes_apart", LR, TWO, [Bet(seat, "ann", "let_it_ride", 1) for seat in (1, 3)], "7.F"),
]  # fmt: skip


@pytest.mark.clause(MARYLAND, "7.F(4)(a)", "7.G", "7.G(1)", "7.G(2)", "7.G(3)", "7.H")
@pytest.mark.clause(LET_IT_RIDE, "7.E(3)", "7.E(4)", "7.E(5)", "7.F")
@pytest.mark.clause(SINGAPORE, "3.5")
@pytest.mark.clause(CALIFORNIA, "betting/4", "glossary/ante", "glossary/bonus-bet")
@pytest.mark.clause(FLORIDA, "2")
@pytest.mark.parametrize(("code", "id", "selections", "commands", "clause"), TOGETHER)
def test_bets_that_do_not_fit_together_are_not_closed(
    code: str, id: str, selections: dict[str, Any], commands: list[Command], clause: str
) -> None:
    played = game(id, **selections).do(Open("7"), *commands)
    answer = refused(played, CloseBets())
    assert (answer.code, answer.clause) == (code, clause)


UNREACHED = {"too_few", "no_consequence"}
"""No book of ours leads there: a banker and one bet are two, and every list of rows has a last."""


def test_every_code_has_a_case() -> None:
    engine = ROOT / "src/croupier/round"
    codes = {
        code
        for file in engine.glob("*.py")
        for code in re.findall(r'(?:Refused\(|code = )\s*"(\w+)"', file.read_text())
    }
    elsewhere = {
        "award_open",
        "bets_closed",
        "card_doubled",
        "cards_hidden",
        "cards_there",
        "done_by_act",
        "no_cards",
        "no_chips",
        "no_count",
        "no_people",
        "no_such_award",
        "not_allowed",
        "not_yet",
        "player_decides",
        "prompt_open",
        "stopped",
        "void",
        "wrong_person",
    }
    covered = {told.code for told in REFUSALS} | {row[0] for row in TOGETHER} | elsewhere
    assert codes - UNREACHED == covered


# Wrong in every way that comes after: the first one is told. By descending precedence.
PRECEDENCE = [
    ("bets_closed",    "closed", Bet(9, "bob", "jackpot", 0)),
    ("no_such_seat",   "bet",    Bet(9, "bob", "jackpot", 0)),
    ("seat_taken",     "bet",    Bet(1, "bob", "jackpot", 0)),
    ("no_shared_hands", "bet",   Bet(2, "bob", "jackpot", 0, 1)),
    ("not_offered",    "bet",    Bet(1, "ann", "jackpot", 0)),
    ("by_decision",    "bet",    Bet(1, "ann", "play", 0)),
    ("no_money",       "bet",    Bet(1, "ann", "progressive", 0)),
    ("wrong_size",     "bet",    Bet(1, "ann", "progressive", 300)),
    ("outside_limits", "bet",    Bet(1, "ann", "progressive", 100)),
    ("wrong_step",     "closed", Choose(9, "raise")),
    ("no_decision",    "dealt",  Choose(9, "raise")),
    ("not_your_turn",  "dealt",  Choose(5, "raise")),
    ("no_such_choice", "dealt",  Choose(1, "raise")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "stage", "command"), PRECEDENCE)
def test_the_first_reason_to_refuse_is_told(code: str, stage: str, command: Command) -> None:
    # A rate that nobody declared is the last reason of all.
    rules = {"progressive": "C", "limits": {"progressive": [5, 5]}}
    assert refused(at(MARYLAND, stage, **rules), command).code == code


# ---------------------------------------------------------------- cards in their time


# What is due once a step has been reached and everything due before it was shown.
DUE = {
    MD: [("decide", ""), ("reveal", "bank bank bank"), ("settle", "5 5 5 3 3 3 1 1 1")],
    SG: [("decide", ""), ("reveal", "bank bank bank"), ("settle", "5 5 5 3 3 3 1 1 1")],
    LR: [("decide", ""), ("reveal", "community"), ("decide", ""), ("reveal", "community"),
         ("settle", "5 5 5 1 1 1")],
    CA: [("decide", "bank"), ("reveal", "bank bank"), ("reveal", "5 5 5 1 1 1"), ("settle", "")],
    FL: [("decide", ""), ("reveal", "bank bank bank"), ("settle", "5 5 5 1 1 1")],
}  # fmt: skip


@each_book
def test_cards_are_due_step_by_step_and_no_other_is_shown(id: str) -> None:
    played, found = at(id, "dealt"), []
    while step := played.round.step:
        found.append((str(step.do), due(played.round)))
        for position in sorted(set(range(52)) - set(played.round.due)):
            assert refused(played, Show((Face(position, DECK[position]),))).code == "not_due"
        played.show()
        if step.do == "decide":
            played.choose(STAYS[id])
        elif step.do == "settle":
            played.do(Settle())
    assert found == DUE[id]


@each_book
def test_hidden_cards_are_not_settled(id: str) -> None:
    played = at(id, "decided")
    while ahead(played.round)[0] != "settle":
        assert refused(played, Settle()).code == "wrong_step"
        played.show()
    if hidden := played.round.due:
        assert refused(played, Settle()).code == "cards_hidden"
        played.do(Show(tuple(Face(p, DECK[p]) for p in hidden[1:])))
        assert refused(played, Settle()).message == "a card has yet to be shown"
    assert played.show().do(Settle()).round.closed


def test_the_bank_s_card_is_up_before_anyone_decides() -> None:
    """Dealing/2.a: it is turned as the stacks are delivered; round-of-play/3 comes after."""
    played = at(CALIFORNIA, "dealt")
    assert refused(played, Choose(1, "play"))
    assert played.show().choose("play").round.step


def test_a_face_is_shown_once() -> None:
    played = at(MARYLAND, "decided")
    first, second, third = played.round.due
    ace, king = Card("As"), Card("Kd")
    doubled = Show((Face(first, ace), Face(second, ace)))
    assert refused(played, doubled).code == "card_doubled"
    played.do(Show((Face(first, ace),)))
    assert refused(played, Show((Face(second, ace),))).code == "card_doubled"
    assert refused(played, Show((Face(first, king),))).code == "not_due"
    assert refused(played, Show((Face(second, king), Face(second, Card("2c"))))).code == "not_due"
    assert played.round.due == (second, third)


def test_a_void_round_does_nothing_but_give_back() -> None:
    played = at(MARYLAND, "dealt").do(Declare("dealer_card_exposed"))
    late: list[Command] = [Choose(1, "play"), Deal(), CloseBets(), Bet(*ANN, "ante", 5)]
    told = [refused(played, command) for command in late]
    assert {(answer.code, answer.clause) for answer in told} == {("void", "13.E")}
    assert played.round.due == ()
    lines = played.do(Settle()).round.lines
    assert [(line.outcome, line.net) for line in lines] == [("void", 0)] * 3


def test_one_player_banks() -> None:
    played = at(CALIFORNIA, "bet")
    assert refused(played, Bank(4, "dan", 9000))


def test_an_abandoned_seat_bets_no_more() -> None:
    """A seat is abandoned by leaving during a round (7.C(2)), which betting is not yet."""
    assert refused(at(MARYLAND, "bet"), Declare("abandoned", {"seat": 1}))


# ---------------------------------------------------------------- every worked round


@pytest.fixture(scope="module")
def worked() -> list[Played]:
    """Every worked round, played once for the tests that look at all of them."""
    settler = Settler(())
    return [settler.played(read(file)) for file in FILES]


def read(file: Path) -> dict[str, Any]:
    data = tomllib.loads(file.read_text(), parse_float=Decimal)
    return {key: value for key, value in data.items() if key not in ("says", "cites", "expect")}


def test_replay_gives_the_round_that_was_played(worked: list[Played]) -> None:
    assert len(worked) > 300
    assert [p.events for p in worked if replay(p.round.rules, p.events) != p.round] == []


def test_every_prefix_of_events_replays(worked: list[Played]) -> None:
    for played in worked[::25]:
        round = Round(played.round.rules)
        for count, event in enumerate(played.events, 1):
            round = evolve(round, event)
            assert round == replay(played.round.rules, played.events[:count])


def test_money_is_conserved_in_every_worked_round(worked: list[Played]) -> None:
    """Nets, bank, house and the meters' change are nothing; fees alone leave a player's bank."""
    for played in worked:
        result, rules = result_of(played), played.round.rules
        nets = [cents(seat["net"]) for seat in result["seats"]]
        for seat in result["seats"]:
            lines = sum(
                cents(line["paid"]) + cents(line["returned"]) - cents(line["stake"])
                for line in seat["lines"]
            )
            assert cents(seat["net"]) == lines - cents(seat["fees"])
        given = played.file.meters if played.file else {}
        before = {id: given.get(id, 0) // 10_000 if id in given else rules.meters[id].initial or 0
                  for id in result["meters"]}  # fmt: skip
        moved = sum(cents(shown) for shown in result["meters"].values()) - sum(before.values())
        bank = cents(result["banker"]["net"]) if result["banker"] else 0
        assert sum(nets) + bank + moved + cents(result["house"]) == 0
        if result["banker"]:
            charged = sum(cents(seat["fees"]) for seat in result["seats"])
            won = cents(result["banker"]["collected"]) - cents(result["banker"]["paid"])
            assert cents(result["house"]) == charged + won - bank


def cents(text: str) -> int:
    return -parse_money(text[1:], "sum") if text[0] == "-" else parse_money(text, "sum")
