"""`croupier play`: whole games by script and at a terminal, whatever the book."""

import io
import json
import re
import subprocess
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.cli.running import Ran, run, settings
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    SIXTH,
    SIXTH_TEXT,
)
from tests.schemas.checking import faults

# What is typed, a word a line; a dot is Enter alone. Each script plays four rounds.
SCRIPTS = {
    MARYLAND: "10 5 . p  . . . f  20 0 . p  0 5 .",
    SINGAPORE: "10 5 . p  . . . f  20 0 . p  0 5 .",
    LET_IT_RIDE: "10 . l l  . . u l  . . u u  5 . l u",
    CALIFORNIA: "10 5 . p  . . . f  200 .  150 .",
    FLORIDA: "10 5 . p  200 .  . . . f  100 .",
}
SEATS = {MARYLAND: 3, SINGAPORE: 7, LET_IT_RIDE: 4, CALIFORNIA: 2, FLORIDA: 2}
METERED = ("--select", "progressive=A", "--select", "progressive_rate=0.14")


def typed(script: str) -> str:
    return "".join(f"{'' if word == '.' else word}\n" for word in script.split())


def spawn(script: str, *words: str) -> Ran:
    """Play in a process of its own, with the script as its input."""
    done = subprocess.run(
        [sys.executable, "-m", "croupier", "play", *words],
        env=settings({}),
        input=typed(script),
        capture_output=True,
        encoding="utf-8",
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def play(script: str, *words: str, **environment: str) -> Ran:
    """Play here, which is faster."""
    given = io.TextIOWrapper(io.BytesIO(typed(script).encode()))
    with patch.object(sys, "stdin", given):
        return run("play", *words, **environment)


def scripted(id: str, *words: str, seed: int = 7) -> Ran:
    """The scripted game of a book, in a process of its own."""
    return spawn(SCRIPTS[id], id, "--seats", str(SEATS[id]), "--seed", str(seed), *words)


game = cache(scripted)


def summary(ran: Ran) -> Any:
    assert ran.code == 0
    return json.loads(ran.out)


def own_net(result: Any, seat: int) -> Decimal:
    """What a round brought to a seat, as one that bets or as the banker."""
    nets = [Decimal(s["net"]) for s in result["seats"] if s["seat"] == seat]
    banker = result["banker"]
    banked = [Decimal(banker["net"])] if banker and banker["seat"] == seat else []
    assert len(nets + banked) <= 1
    return sum(nets + banked, Decimal(0))


# ---------------------------------------------------------------- whole games


@pytest.mark.parametrize("id", IDS)
def test_a_scripted_game_is_played_to_its_end(id: str) -> None:
    ran = game(id)
    assert (ran.code, ran.err) == (0, "")
    assert len(re.findall(r"^Settlement$", ran.out, re.MULTILINE)) == 4
    assert ran.out.index("Place your bets.") < ran.out.index("No more bets.")
    assert ran.out.index("No more bets.") < ran.out.index("Settlement")
    assert re.search(r"in 4 rounds, \d+ min\.\n\Z", ran.out)


@pytest.mark.parametrize("id", IDS)
def test_the_same_seed_gives_the_same_transcript(id: str) -> None:
    assert scripted(id).out == game(id).out
    assert game(id).out != game(id, seed=8).out


@pytest.mark.parametrize("id", IDS)
def test_the_balance_is_the_start_and_every_net_of_the_seat(id: str) -> None:
    told = summary(game(id, "--json", "--chips", "1234.50"))
    seat, results = told["seat"], told["results"]
    assert (told["rulebook"], seat, told["rounds"], len(results)) == (id, SEATS[id], 4, 4)
    nets = [own_net(result, seat) for result in results]
    assert any(nets)
    assert Decimal(told["balance"]) == Decimal("1234.50") + sum(nets)
    assert Decimal(told["net"]) == sum(nets)


@pytest.mark.parametrize("id", IDS)
def test_every_own_line_is_told_with_its_clause(id: str) -> None:
    ran = game(id)
    for result in summary(game(id, "--json"))["results"]:
        mine = [s for s in result["seats"] if s["seat"] == SEATS[id] or result["banker"]]
        clauses = {line["clause"] for s in mine for line in s["lines"]}
        assert [clause for clause in clauses if f"({clause}" not in ran.out] == []


@pytest.mark.parametrize("id", IDS)
def test_what_is_said_goes_to_standard_error_with_json(id: str) -> None:
    spoken, silent = game(id), game(id, "--json")
    assert silent.err == spoken.out


@pytest.mark.parametrize("id", IDS)
def test_the_record_of_the_last_round_replays(id: str, tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    told = summary(game(id, "--json", "--record", str(file)))
    replayed = run("replay", str(file), "--json").data
    assert replayed == told["results"][-1]
    assert faults("play", told) + faults("replay", replayed) == []
    stepped = run("replay", str(file), "--json", "--step").data
    assert faults("replay", stepped) + faults("record", json.loads(file.read_text())) == []
    assert {**replayed, "events": stepped["events"]} == stepped


def test_a_round_with_a_meter_and_decimal_selections_replays(tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    ran = play("10 5 1 . p", MARYLAND, "--seed", "1", *METERED, "--record", str(file))
    assert ran.code == 0
    assert "Three-Card Progressive Payout meter: $1,000.14" in ran.out
    assert run("replay", str(file), "--json").data["meters"] == {"progressive": "1000.14"}


def test_a_sixth_book_can_be_played(tmp_path: Path) -> None:
    (tmp_path / f"{SIXTH}.toml").write_text(SIXTH_TEXT)
    words = (SIXTH, "--seed", "1", "--seats", "2", "--select", "crown=A", "--select", "boxes=1")
    ran = play("10 1 . s", *words, CROUPIER_BOOKS=str(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    assert "Stay (S) or Leave (L)? s" in ran.out
    assert "“Stay” with jack-six-four or better, otherwise “Leave”" in ran.out


def test_twelve_rounds_pass_the_counts_of_the_stub() -> None:
    many = ("decks=2", "shuffler=none", "shuffler=counting", "cards=preshuffled")
    for selection in many:
        ran = play("10 5 . p " * 12, MARYLAND, "--select", selection, "--json", "--seats", "2")
        told = summary(ran)
        hands = {result["seats"][-1]["cards"] for result in told["results"]}
        assert (told["rounds"], len(hands)) == (12, 12)


def test_without_a_seed_the_cards_are_different_every_time() -> None:
    hands = {summary(play("10 . . f", MARYLAND, "--json"))["balance"] for _ in range(2)}
    assert hands == {"990.00"}
    outs = {play("10 . . f", MARYLAND).out for _ in range(3)}
    assert len(outs) == 3


def test_the_deck_lies_before_the_bets_close() -> None:
    """Whatever is bet, and however late, the cards are the same."""
    scripts = ("10 . . p", "? 25 5 c 10 5 . p", "400 100 . p")
    words = (MARYLAND, "--seed", "3", "--rounds", "1", "--json")
    results = [summary(play(script, *words))["results"][0] for script in scripts]
    assert len({result["seats"][0]["cards"] for result in results}) == 1


def test_shared_hands_are_chosen_and_bet_on() -> None:
    ran = play("4 2 10 . . p", MARYLAND, "--seed", "3", "--select", "format=electronic")
    assert (ran.code, ran.err) == (0, "")
    assert "Community hands: they are 1 to 3 (11.F(2))." in ran.out
    assert re.search(r"Hand 2, yours +\[\w\w\] \[\w\w\] \[\w\w\]", ran.out)
    assert re.search(r"Hand 1 +\[\?\?\]", ran.out)


# ---------------------------------------------------------------- refusals and help


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("3", r"Ante: \$3 is not from \$5 to \$500 \(T7\)\."),
        ("501", r"Ante: \$501 is not from \$5 to \$500 \(T7\)\."),
        ("-5", r"Ante: '?-5'? is negative\."),
        ("ten", r"Ante: 'ten' is not a sum like 10 or 10\.50, with at most two decimals\."),
        ("1.234", r"Ante: '1\.234' is not a sum .*\."),
        ("5000", r"Ante: your balance of \$1,000 does not cover \$5,000\."),
    ],
)
def test_a_refused_bet_is_told_in_a_sentence_and_tried_again(answer: str, says: str) -> None:
    limits = ("--select", "limits={ante=[5,500]}")
    ran = play(f"{answer} $10 . . f", MARYLAND, "--seed", "1", "--rounds", "1", *limits)
    assert (ran.code, ran.err) == (0, "")
    assert re.search(rf"^  {says}$", ran.out, re.MULTILINE)
    assert "Your bets: $10 on Ante." in ran.out
    assert "Balance $990" in ran.out


def test_bets_that_do_not_fit_together_are_asked_again() -> None:
    words = (MARYLAND, "--select", "version=7.G(1)", "--seed", "1", "--rounds", "1")
    ran = play("10 20 . 10 . f", *words)
    assert "Pair Plus is more than the Ante (7.G(1))." in ran.out
    assert "Your bets: $10 on Ante and $10 on Pair Plus." in ran.out


def test_a_round_needs_a_bet_when_nobody_else_plays() -> None:
    ran = play("0 0 10 0 . f", MARYLAND, "--seed", "1", "--rounds", "1")
    assert "No wager has been made" in ran.out
    assert "Balance $990" in ran.out


def test_a_round_goes_on_without_the_player_when_others_bet() -> None:
    told = summary(play("0 0 .", MARYLAND, "--seats", "2", "--json"))
    assert (told["rounds"], told["balance"]) == (1, "1000.00")
    assert [seat["seat"] for seat in told["results"][0]["seats"]] == [1]


def test_wagers_that_lack_their_condition_are_not_asked_for() -> None:
    ran = play("0 0", MARYLAND, *METERED)
    assert "Progressive Payout [" not in ran.out.replace(", $1", "")


def test_a_meter_that_is_not_declared_is_told_once_and_not_asked_for() -> None:
    ran = game(SINGAPORE)
    assert (
        ran.out.count("Progressive Jackpot: can't be made until the operator declares the meter's")
        == 1
    )
    assert "Progressive Jackpot, $2.50" not in ran.out


def test_a_question_mark_shows_clauses_and_the_posted_paytable() -> None:
    ran = play("? 10 ? 5", MARYLAND, "--select", "pair_plus=B")
    assert "7.F(1): Ante, followed by a Play of the same size" in ran.out
    assert "Ante Bonus (12.B(1)):" in ran.out
    assert "Pair Plus (12.D(2)):" in ran.out
    assert re.search(r"^ +straight flush +\d+ to 1$", ran.out, re.MULTILINE)


def test_a_wrong_key_is_refused_and_the_choices_are_told_again() -> None:
    ran = play("10 . x ? . ride ? F", MARYLAND, "--seed", "1", "--rounds", "1")
    assert "'x' isn't one of these keys." in ran.out
    assert "'ride' is not a choice: Play (P) for $10 or Fold (F) (11.B)." in ran.out
    assert ran.out.count("Play (P) for $10 or Fold (F)?") == 3
    assert ran.out.count("Ante Bonus (12.B(1)):") == 1


def test_chips_that_are_not_there_cannot_be_played() -> None:
    ran = play("10 . . p f", MARYLAND, "--seed", "1", "--chips", "15")
    assert "Play: your balance of $15 does not cover $20." in ran.out
    assert "Balance $5, net -$10" in ran.out


def test_a_fee_is_not_played_away() -> None:
    words = (CALIFORNIA, "--chips", "21", "--rounds", "1", "--select", "fees=[{up_to=100,fee=2}]")
    ran = play("10 . . p f", *words)
    assert "Play: your balance of $21 does not cover $22." in ran.out


def test_whoever_has_no_chips_left_is_not_sold_any() -> None:
    ran = play("10 . . f 10", MARYLAND, "--seed", "1", "--chips", "10")
    assert ran.code == 0
    assert "You have no chips left." in ran.out
    assert "Round 2" not in ran.out


def test_fees_must_be_covered_and_are_told() -> None:
    words = (CALIFORNIA, "--seed", "1", "--chips", "100", "--select", "fees=[{up_to=100,fee=2}]")
    ran = play("99 1 10 0 . f", *words)
    assert "Your balance of $100 does not cover $104." in ran.out
    assert "The house takes $2." in ran.out
    assert "Balance $88, net -$12" in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no-such-book",), "there is no rulebook"),
        ((MARYLAND, "--seats", "0"), "--seats: must be from 1 to 7"),
        ((CALIFORNIA, "--seats", "1"), "--seats: must be from 2 to 8 (players)"),
        ((MARYLAND, "--chips", "0"), "--chips: must be more than zero"),
        ((MARYLAND, "--chips", "many"), "--chips: 'many' is not a sum"),
        ((MARYLAND, "--rounds", "0"), "--rounds"),
        ((MARYLAND, "--seed", "x"), "--seed"),
        ((MARYLAND, "--select", "decks"), "--select: 'decks' must be written K=V"),
        ((MARYLAND, "--select", "decks=1", "--select", "decks=2"), "--select decks: appears twice"),
        ((MARYLAND, "--select", "pair_plus=Z"), "pair_plus: 'Z' is not a paytable"),
        ((MARYLAND, "--record", "."), "already exists"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_is_said(words: tuple[str, ...], says: str) -> None:
    ran = play("10", *words)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert says in ran.err


# ---------------------------------------------------------------- the bank


def test_the_bank_is_offered_when_it_is_the_players_turn() -> None:
    """California: two rounds running at most, then the next player's turn (C6)."""
    ran = game(CALIFORNIA)
    banks = re.findall(r"^(?:Seat 1 banks|You bank) with \$[\d,]+\.$", ran.out, re.MULTILINE)
    assert banks[:4] == ["Seat 1 banks with $1,000."] * 2 + [
        "You bank with $200.",
        "You bank with $150.",
    ]
    assert ran.out.count("It's your turn to be the player/dealer") == 2
    assert re.search(r"Player/dealer: you +\[\w\w\] \[\?\?\] \[\?\?\]", ran.out)
    assert ran.out.count("As player/dealer you collect") == 2


def test_every_hand_another_player_is_designated() -> None:
    told = summary(game(FLORIDA, "--json"))
    assert [result["banker"]["seat"] for result in told["results"]] == [1, 2, 1, 2]
    assert [result["banker"]["funds"] for result in told["results"]] == [
        "1000.00",
        "200.00",
        "1000.00",
        "100.00",
    ]


def test_a_turn_to_bank_that_is_passed_goes_to_the_next_player() -> None:
    """Florida with two players: the other one stays (F6)."""
    told = summary(play("10 . . f  .  . . . f", FLORIDA, "--seed", "1", "--json"))
    assert [result["banker"]["seat"] for result in told["results"]] == [1, 1]


def test_where_nobody_else_may_bank_no_round_is_dealt() -> None:
    ran = play("10 . . f  . . . f  . ? 2000 . 100 .", CALIFORNIA, "--seed", "1", "--rounds", "3")
    nobody = "Nobody else can bank, so no round is dealt until you do (round-of-play/10)."
    assert ran.out.count(nobody) == 2
    assert "round-of-play/8: The player/dealer collects all losing wagers first" in ran.out
    assert "Funds: your balance of $980 does not cover $2,000." in ran.out
    assert "You bank with $100." in ran.out


def test_a_banker_is_charged_the_declared_fee() -> None:
    words = (CALIFORNIA, "--seed", "1", "--rounds", "3", "--select", "player_dealer_fee=1")
    ran = play("10 . . f  . . . f  980 979 .", *words)
    assert "Funds: your balance of $980 does not cover $981." in ran.out
    assert ", and the house takes $1." in ran.out


# ---------------------------------------------------------------- leaving


@pytest.mark.parametrize(
    "script", ["q", "Q", "10 q", "10 5 q", "", "10", "10 5", "0 q"], ids=lambda text: text or "-"
)
def test_leaving_before_no_more_bets_costs_nothing(script: str) -> None:
    ran = play(script, MARYLAND, "--seed", "1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("You leave the table.\nBalance $1,000, net $0 in 0 rounds, 0 min.\n")


@pytest.mark.parametrize("script", ["10 5 .", "10 5 . q"])
def test_leaving_in_the_middle_of_a_round_gives_its_stakes_up(script: str) -> None:
    told = summary(play(script, MARYLAND, "--seed", "1", "--json"))
    assert (told["rounds"], told["given_up"], told["balance"]) == (0, "15.00", "985.00")


def test_a_stake_that_was_taken_back_is_not_given_up() -> None:
    told = summary(play("10 . u q", LET_IT_RIDE, "--seed", "1", "--json"))
    assert (told["given_up"], told["balance"]) == ("20.00", "980.00")


def test_no_record_is_written_without_a_round(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    assert play("10 q", MARYLAND, "--record", str(file)).code == 0
    assert not file.exists()


def test_odd_bytes_are_an_answer_like_any_other() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "croupier", "play", MARYLAND],
        env=settings({"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}),
        input=b"\xff\xfe\n\x1b[A\n10\nq\n",
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout.replace(b"\\x1b", b"")
    assert b"Ante: " in done.stdout


@pytest.mark.parametrize("id", IDS)
def test_a_pipe_gets_neither_colour_nor_drawings(id: str) -> None:
    out = game(id).out
    assert "\x1b" not in out
    assert not set("┌░♥") & set(out)


@pytest.mark.parametrize(
    ("id", "script", "parts"),
    [
        (MARYLAND, "10 0 . ?", ["11.B", "11.C", "11.C(1)", "11.C(2)", "11.C(3)"]),
        (LET_IT_RIDE, "10 . ?", ["11.B", "11.B(1)", "11.B(1)(a)", "11.B(1)(a)(i)", "11.B(2)"]),
        (SINGAPORE, "10 0 . ?", ["3.7", "3.8", "3.10"]),
        (FLORIDA, "10 0 . ?", ["4", "4.a", "4.b"]),
    ],
)
def test_help_at_a_decision_shows_the_clause_with_its_parts(
    id: str, script: str, parts: list[str]
) -> None:
    ran = play(script, id, "--seed", "1")
    shown = re.findall(r"^    (\S+): \S", ran.out.rpartition("? ?")[2], re.MULTILINE)
    assert [part for part in parts if shown.count(part) != 1] == []


def test_a_decision_names_the_bet_and_its_size() -> None:
    ran = play("10 . l u", LET_IT_RIDE, "--seed", "1", "--rounds", "1")
    asked = re.findall(r"^Bet .*\?", ran.out, re.MULTILINE)
    choices = "Let it ride (L) or Pull (U)?"
    assert asked == [f"Bet 1 ($10): {choices}", f"Bet 2 ($10): {choices}"]


def test_10_H_no_game_starts_with_what_cannot_apply_to_its_table() -> None:
    ran = play("", LET_IT_RIDE, "--select", "community_stack=3")
    assert (ran.code, ran.out) == (2, "")
    assert "community_stack: '3' can be chosen only where" in ran.err and "(10.H)" in ran.err


def test_a_card_that_is_discarded_is_not_shown() -> None:
    words = ("--select", "community_stack=3", "--select", "dealing=automated_shoe")
    ran = play("10 . l l", LET_IT_RIDE, "--seed", "1", "--rounds", "1", *words)
    assert ran.code == 0
    assert len(re.findall(r"Community cards +(\[..\] ?)+", ran.out)) == 3
    assert "Settlement" in ran.out
