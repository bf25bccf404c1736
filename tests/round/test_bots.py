"""The simple rule by which the computer plays a seat."""

from dataclasses import replace
from fractions import Fraction

import pytest

from croupier.cards import Card, parse_cards
from croupier.round import bots
from croupier.round.commands import Bet, CloseBets, Command, Deal, Open
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.game import Condition
from croupier.rules.load import load_file
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.vocabulary import WagerId
from tests.rules.books import DATA, FLORIDA, LET_IT_RIDE, MARYLAND, book


def known(round: Round, cards: str) -> dict[int, Card]:
    """A seat's cards, then those of the middle, at the positions where they were dealt."""
    positions = [*round.boxes[1].cards, *round.places.get("community", ())]
    return dict(zip(positions, parse_cards(cards), strict=False))


def dealt(id: str) -> Round:
    return dealt_by(book(id))


def dealt_by(rulebook: Rulebook) -> Round:
    """A round with the computer's bets at seat 1, dealt."""
    rules = resolve(rulebook, {})
    round = Round(rules)
    bets = [Bet(1, "one", wager, cents) for wager, cents in bots.bets(rules).items()]
    commands: list[Command] = [Open("1"), *bets, CloseBets(), Deal()]
    for command in commands:
        for event in decide(round, command):
            round = evolve(round, event)
    return round


@pytest.mark.parametrize(
    ("cards", "option"),
    [
        ("Qs 6d 4c", "play"),
        ("Qs 6d 3c", "fold"),
        ("Qs 7d 2c", "play"),
        ("Js Td 8c", "fold"),
        ("As 3d 2h", "play"),
        ("2s 2d 3h", "play"),
        ("Ks 3d 2h", "play"),
    ],
)
def test_the_computer_plays_queen_six_four_or_better(cards: str, option: str) -> None:
    round = dealt(MARYLAND)
    assert bots.choose(round, 1, known(round, cards)) == option


@pytest.mark.parametrize(
    ("cards", "option"),
    [
        ("Ts Td 4c", "ride"),
        ("9s 9d 4c", "withdraw"),
        ("As Ks Qs", "withdraw"),  # Three to a royal is a hope, not a hand.
        ("2s 2d 2c", "ride"),
        ("Ts 4d 2c Th", "ride"),
        ("Ts 4d 2c 4h", "withdraw"),
    ],
)
def test_the_computer_lets_ride_what_has_won_already(cards: str, option: str) -> None:
    round = dealt(LET_IT_RIDE)
    assert bots.choose(round, 1, known(round, cards)) == option


@pytest.mark.parametrize(
    ("cards", "option"),
    [("Qs 2d", "one"), ("Js Td", "fold"), ("2s 2d", "one"), ("As Kd", "one")],
)
def test_the_computer_plays_queen_high_or_a_pair_of_two_cards(cards: str, option: str) -> None:
    round = dealt_by(load_file(DATA / "books/river-stud.toml"))
    assert bots.choose(round, 1, known(round, cards)) == option


def test_the_rule_is_posted_in_the_words_of_the_book() -> None:
    assert bots.posted(resolve(book(FLORIDA), {"limits": {"ante": [25, 100]}})) == (
        "The computer plays the other seats by this rule: each bets $25 on Base Bet; "
        "“Call” with queen-six-four or better, otherwise “Fold”; "
        "takes the bank with $1,000 when it is its turn."
    )


def test_the_computer_bets_what_its_wager_needs() -> None:
    rules = resolve(book(MARYLAND), {"version": "7.G(3)"})
    assert bots.bets(rules) == {"ante": 10_00, "pair_plus": 10_00}


def test_the_computer_bets_as_much_as_its_wager_needs() -> None:
    rules = resolve(book(MARYLAND), {"limits": {"pair_plus": [5, 50]}})
    ante = rules.wagers["ante"]
    twice = Condition(clause=ante.clause, at_most=Fraction(2), of=WagerId("pair_plus"))
    wagers = {**rules.wagers, "ante": replace(ante, conditions=(twice,))}
    assert bots.bets(replace(rules, wagers=wagers)) == {"ante": 10_00, "pair_plus": 5_00}
    half = replace(twice, at_most=Fraction("0.3"))
    wagers = {**rules.wagers, "ante": replace(ante, conditions=(half,))}
    assert bots.bets(replace(rules, wagers=wagers)) == {"ante": 10_00, "pair_plus": 33_34}
