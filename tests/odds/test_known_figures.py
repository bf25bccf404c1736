"""Figures that others have published, each with the page that has it.

The pages are those of the Wizard of Odds, by their titles: "Three Card Poker", "Let It Ride",
"6 Card Bonus" and "Poker Probabilities".
"""

from fractions import Fraction
from math import comb

import pytest

from croupier.cards import parse_cards
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from croupier.rules.table_rules import TableRules
from tests.odds.bets import percent, table
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, swapped, text_of

# No book shows a card of the bank's and pays a bonus on the Ante, so this one is California's text
# with Maryland's bonus written in.
BONUS = """
[bonus.ante_bonus]
label    = "Ante Bonus"
on       = "ante"
needs    = "play"
clause   = "bonus-bet/8"
paytable = "ante_bonus"
settle   = { always = { does = "table", clause = "bonus-bet/8" } }

[paytable.ante_bonus.A]
clause = "bonus-bet/8"
rows = [
  { hand = "straight flush",  to = 5 },
  { hand = "three of a kind", to = 4 },
  { hand = "straight",        to = 1 },
]

[selection.ante_bonus]
says     = "the Ante Bonus paytable"
takes    = "paytable"
family   = "ante_bonus"
letters  = ["A"]
default  = "A"
required = true
clause   = "bonus-bet/8"

[paytable.pair_plus.A]
"""


def california_with_a_bonus() -> TableRules:
    text = swapped(
        text_of(CALIFORNIA),
        ("[paytable.pair_plus.A]\n", BONUS),
        ('["ante", "play", "pair_plus"]', '["ante", "play", "ante_bonus", "pair_plus"]'),
    )
    return resolve(parse_rulebook(text, id="a-card-shown", file="a-card-shown.toml"), {})


def test_ante_and_play_with_a_bonus_of_5_4_1() -> None:
    """ "Three Card Poker": house edge, element of risk, deviation and the rule Q-6-4."""
    found = analyze(table(MARYLAND))
    assert found.expected_value == Fraction(-686_689, 20_358_520)
    assert percent(found.house_edge) == "3.3730"
    assert percent(found.element_of_risk) == "2.0147"
    assert round(found.standard_deviation, 4) == 1.6393
    assert found.strategy == ("Play Q-6-4 or better.",)


@pytest.mark.parametrize(
    ("letter", "edge"),
    [("A", "3.3730"), ("B", "3.6083"), ("C", "3.8255")],
)
def test_ante_and_play_by_their_bonus(letter: str, edge: str) -> None:
    """ "Three Card Poker": the bonus pays 5/4/1, 5/3/1 and 4/3/1."""
    assert percent(analyze(table(MARYLAND, ante_bonus=letter)).house_edge) == edge


@pytest.mark.parametrize(("strategy", "edge"), [("mimic", "3.45"), ("always play", "7.65")])
def test_strategies_that_are_not_the_best(strategy: str, edge: str) -> None:
    """ "Three Card Poker": raising on every queen high costs 3.45 %, always raising 7.65 %."""
    found = analyze(table(MARYLAND), strategy=strategy)
    assert percent(found.house_edge, 2) == edge


@pytest.mark.parametrize(("cards", "value"), [("Qs 6h 4d", "-0.993378"), ("Qs 6h 3d", "-1.002551")])
def test_the_hands_on_both_sides_of_the_rule(cards: str, value: str) -> None:
    """ "Three Card Poker": the values of raising on Q-6-4 and on Q-6-3."""
    found = advise(table(MARYLAND), parse_cards(cards))
    assert {choice.name: f"{float(choice.value):.6f}" for choice in found.choices} == {
        "play": value,
        "fold": "-1.000000",
    }


def test_one_card_of_the_dealer_is_seen() -> None:
    """ "Three Card Poker", on dealers who show a card: the player has an edge of 3.4829 %."""
    found = analyze(california_with_a_bonus())
    assert percent(found.house_edge) == "-3.4829"
    assert percent(found.hit_frequency) == "54.2203"
    assert found.strategy == (
        "Against an ace play A-9-2 or better.",
        "Against a king play K-9-2 or better.",
        "Against a queen play Q-9-2 or better.",
        "Against a jack or lower play every hand.",
    )


def test_let_it_ride() -> None:
    """ "Let It Ride": house edge and element of risk with the usual paytable."""
    found = analyze(table(LET_IT_RIDE))
    assert found.expected_value == Fraction(-37_963, 1_082_900)
    assert percent(found.house_edge) == "3.5057"
    assert percent(found.element_of_risk, 2) == "2.86"


@pytest.mark.parametrize(
    ("pays", "edge"),
    [
        ((40, 30, 6, 3, 1), "7.2760"),
        ((40, 30, 6, 4, 1), "2.3167"),
        ((40, 30, 5, 4, 1), "5.5747"),
    ],
)
def test_pair_plus(pays: tuple[int, ...], edge: str) -> None:
    """ "Three Card Poker": the edge by what a straight flush down to a pair pay."""
    tables = {letter: table(MARYLAND, pair_plus=letter) for letter in "ABCDE"}
    found = [
        analyze(rules, {"pair_plus": 1})
        for rules in tables.values()
        if tuple(row.to for row in rules.paytables["pair_plus"].rows) == pays
    ]
    assert [percent(one.house_edge) for one in found] == [edge]


def test_six_card_bonus() -> None:
    """ "6 Card Bonus": the edge where 1000/200/50/25/20/10/5 is paid."""
    tables = [table(MARYLAND, six_card_bonus=letter) for letter in "ABCDEF"]
    pays = [1000, 200, 50, 25, 20, 10, 5]
    found = [
        percent(analyze(rules, {"six_card_bonus": 1}).house_edge)
        for rules in tables
        if [row.to for row in rules.paytables["six_card_bonus"].rows] == pays
    ]
    assert found == ["10.2248"]


def test_a_progressive_of_paytable_b_breaks_even_at_11520() -> None:
    """One hand of 22,100 takes the meter, so it must hold what the others leave of the stakes.

    With the counts of "Three Card Poker": 3 other mini royals for 500, 44 straight flushes for 100
    and 52 threes of a kind for 90.
    """
    left = comb(52, 3) - 3 * 500 - 44 * 100 - 52 * 90
    found = analyze(table(MARYLAND, progressive="B"), {"progressive": 1})
    assert left == 11_520
    assert found.break_even == {"progressive": Fraction(left)}
    assert found.envy == 0
