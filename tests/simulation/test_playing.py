"""Rounds through the engine: any book, by a posted or a named strategy, beside the exact value."""

import random
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, RANKS
from croupier.errors import Refused, UserError
from croupier.hands.hand import Hand
from croupier.rules.load import load_file
from croupier.rules.resolve import resolve
from croupier.simulation.playing import play_rounds
from tests.cli.running import run
from tests.odds.bets import table
from tests.odds.small_book import ID, LANTERN, WITH_LANTERN, dealt, text
from tests.odds.small_book import table as small
from tests.rules.books import CALIFORNIA, DATA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

ROUNDS = 1_500
FIVE = dealt(5, 5)
TWO_SHOWN = ('{ to = "bank", cards = 3', '{ to = "bank", cards = 3, shows = 2')
SINGAPORE_JACKPOT = {"progressive_rate": "0.14", "progressive_reset": 2500}


@pytest.mark.parametrize(
    ("id", "bet", "strategy", "how"),
    [
        (MARYLAND, {"ante": 1, "pair_plus": 1}, "best", {}),
        (MARYLAND, {"ante": 1}, "always play", {"ante_bonus": "B"}),
        (MARYLAND, {"ante": 1}, "mimic the dealer", {}),
        (MARYLAND, {"ante": 2}, "K-2-3", {"format": "electronic"}),
        (MARYLAND, {"ante": 1, "pair_plus": 1, "progressive": 1}, "best", {"progressive": "B"}),
        (SINGAPORE, {"ante": 1, "progressive": "2.50"}, "best", SINGAPORE_JACKPOT),
        (CALIFORNIA, {"ante": 1, "pair_plus": 1}, "best", {}),
        (FLORIDA, {"ante": 1, "pair_plus": 1}, "Q-6-4", {}),
        (LET_IT_RIDE, {"let_it_ride": 1, "five_card_bonus": 1}, "best", {"five_card_bonus": "A"}),
        (LET_IT_RIDE, {"let_it_ride": 1}, "always pull", {}),
    ],
)
def test_the_engine_agrees_with_the_exact_value(
    id: str, bet: dict[str, Any], strategy: str, how: dict[str, Any]
) -> None:
    found = play_rounds(table(id, **how), bet, rounds=ROUNDS, seed=11, strategy=strategy)
    assert found.exact and found.errors_apart is not None
    assert abs(found.errors_apart) < 4
    assert not found.is_outside
    # Every net that came is one that the mathematics knows.
    assert {net for net, _ in found.distribution} <= {net for net, _ in found.exact.distribution}
    assert sum(chance for _, chance in found.distribution) == 1


def test_a_wager_on_the_banks_hand() -> None:
    bet = {"watch": 1, "lantern": 1}
    found = play_rounds(small(*WITH_LANTERN), bet, rounds=ROUNDS, seed=3, strategy="best")
    assert found.errors_apart is not None and abs(found.errors_apart) < 4


def five_cards(seed: int, rounds: int) -> list[int]:
    """The same game of five cards, always staying, dealt without the engine."""
    rng, nets = random.Random(seed), []
    for _ in range(rounds):
        cards = rng.sample(DECK, 10)
        mine, bank = Hand(tuple(cards[:5])), Hand(tuple(cards[5:]))
        if bank.is_at_least_high(RANKS.index("Q")):
            nets.append(2 * (mine.beats(bank) - bank.beats(mine)))
        else:
            nets.append(1)
    return nets


def test_a_book_that_the_odds_do_not_cover_is_played() -> None:
    rules = small(*FIVE)
    stays = play_rounds(rules, rounds=3_000, seed=5, strategy="always stay")
    others = five_cards(5, 3_000)
    apart = float(stays.mean) - sum(others) / len(others)
    assert abs(apart) < 4 * sqrt(2) * stays.standard_error
    assert {net for net, _ in stays.distribution} - {0} == {-2, 1, 2}  # Ties are rare.
    assert stays.exact is None and stays.errors_apart is None
    leaves = play_rounds(rules, rounds=20, seed=5, strategy="always leave")
    assert leaves.mean == -1 and not leaves.standard_error
    # From a pair up is between the two, and better than either.
    pairs = play_rounds(rules, rounds=3_000, seed=5, strategy="2-2-5-4-3")
    assert pairs.mean > max(stays.mean, leaves.mean)
    assert play_rounds(rules, rounds=200, seed=5).task.strategy == "posted"


def test_two_cards_that_make_a_hand_only_with_others_are_played() -> None:
    rules = resolve(load_file(DATA / "books/river-stud.toml"), {})
    stays = play_rounds(rules, rounds=200, seed=5, strategy="always one")
    assert {net for net, _ in stays.distribution} >= {-3, 0, 3}
    found = play_rounds(rules, rounds=200, seed=5)
    assert found.task.strategy == "posted" and found.nets.keys() >= {-100, -300, 300}
    with pytest.raises(UserError, match="2 cards alone are no hand to compare"):
        play_rounds(rules, rounds=5, seed=1, strategy="Q-6")


def test_a_decision_with_two_cards_of_the_bank_up_is_played_by_the_posted_rule() -> None:
    rules = small(TWO_SHOWN)
    found = play_rounds(rules, rounds=200, seed=5)
    assert (found.task.strategy, found.exact) == ("posted", None)
    with pytest.raises(UserError, match="more than one card before them"):
        play_rounds(rules, rounds=5, seed=1, strategy="best")


def test_wagers_that_the_odds_do_not_price_together_are_played() -> None:
    """The bank's hand alone, and six cards with it."""
    joined = LANTERN.replace("lantern", "beacon").replace("Lantern", "Beacon")
    joined = joined.replace('["bank"]', '["seat", "bank"]')
    joined = joined.replace('  { hand = "three of a kind", to = 25 },\n', "")
    joined = joined.replace('  { hand = "straight", to = 6 },\n', "")
    joined = joined.replace("[step.bets]", LANTERN)
    rules = small(
        (WITH_LANTERN[0][0], joined),
        (WITH_LANTERN[1][0], 'beacon = { fate = "keep", clause = "1" }\n' + WITH_LANTERN[1][1]),
        (WITH_LANTERN[2][0], '["watch", "raise", "lantern", "beacon"]'),
    )
    bet = {"watch": 1, "lantern": 1, "beacon": 1}
    found = play_rounds(rules, bet, rounds=200, seed=5)
    assert (found.task.strategy, found.exact) == ("posted", None)
    with pytest.raises(UserError, match="can't be priced together"):
        play_rounds(rules, bet, rounds=5, seed=1, strategy="best")


def test_the_default_bet_is_as_large_as_its_conditions_ask() -> None:
    rules = small(
        *WITH_LANTERN,
        ('label  = "Watch"', f'label  = "Watch"\n{at_most("1/3", "lantern")}'),
        ('label    = "Lantern"', f'label    = "Lantern"\n{at_most(3, "watch")}'),
    )
    assert play_rounds(rules, rounds=5, seed=1).bet == {"watch": 1, "lantern": 3}


def at_most(times: int | str, of: str) -> str:
    return f'conditions = [{{ at_most = "{times}", of = "{of}", clause = "1" }}]'


@pytest.mark.parametrize(
    ("id", "bet"), [(LET_IT_RIDE, None), (MARYLAND, {"pair_plus": 1}), (CALIFORNIA, None)]
)
def test_the_best_strategy_is_followed_where_the_odds_find_it(
    id: str, bet: dict[str, Any] | None
) -> None:
    found = play_rounds(table(id), bet, rounds=20, seed=6)
    assert (found.task.strategy, found.exact is None) == ("best", False)
    posted = play_rounds(table(id), bet, rounds=20, seed=6, strategy="posted")
    assert (posted.task.strategy, posted.exact) == ("posted", None)


def test_a_seed_gives_the_same_rounds_in_any_process() -> None:
    rules = table(MARYLAND)
    alone = play_rounds(rules, rounds=1_100, seed=9, seats=2)
    with ThreadPoolExecutor(2) as team:
        together = play_rounds(rules, rounds=1_100, seed=9, seats=2, executor=team)
    assert (alone.nets, alone.totals) == (together.nets, together.totals)
    assert alone.nets != play_rounds(rules, rounds=1_100, seed=10, seats=2).nets
    assert sum(alone.nets.values()) == 2_200


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(UserError, match="the odds do not cover this table"):
        play_rounds(small(*FIVE), rounds=5, seed=1, strategy="best")
    with pytest.raises(UserError, match="a hand such as Q-6-4-3-2"):
        play_rounds(small(*FIVE), rounds=5, seed=1, strategy="Q-6-4")
    with pytest.raises(UserError, match="bet ante: is no whole number of cents"):
        play_rounds(table(MARYLAND), {"ante": "1/3"}, rounds=5, seed=1)
    with pytest.raises(Refused, match="needs Ante or Pair Plus"):
        play_rounds(table(MARYLAND, progressive="A"), {"progressive": 1}, rounds=5, seed=1)
    with pytest.raises(UserError, match="rounds"):
        play_rounds(table(MARYLAND), rounds=0, seed=1)
    with pytest.raises(UserError, match="seats: 8 is not from 1 to 7"):
        play_rounds(table(MARYLAND), rounds=5, seed=1, seats=8)
    with pytest.raises(UserError, match="seats: 8 is not from 1 to 7"):
        play_rounds(table(CALIFORNIA), rounds=5, seed=1, seats=8)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / f"{ID}.toml").write_text(text(*FIVE))
    words = ("--books", str(tmp_path), "simulate", ID, "--engine", "--rounds", "300", "--seed", "4")
    ran = run(*words, "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert "Every seat plays by the posted rule: “Stay” with queen high or better" in ran.out
    data = run(*words, "--strategy", "always stay", "--json", "--quiet").data
    assert [*data["analyses"][0]] == [
        *("bet", "strategy", "mean", "standard_error", "expected_value", "errors_apart"),
        "distribution",
    ]
    assert data["analyses"][0]["expected_value"] is None
    assert sum(row["count"] for row in data["analyses"][0]["distribution"]) == 300
    for more, says in (
        (("--session", "5"), "croupier: --rounds: can't be combined with --session\n"),
        (("--bank", "100"), "croupier: --engine: can't be combined with --bank\n"),
        (("--chart", "x.svg"), "croupier: --chart: needs one of --session, --meter-run, --bank\n"),
    ):
        bad = run(*words, *more)
        assert (bad.code, bad.out, bad.err) == (2, "", says)
