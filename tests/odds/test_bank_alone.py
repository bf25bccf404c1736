"""A wager on the bank's hand alone, without the seat's cards."""

from fractions import Fraction
from itertools import combinations

import pytest

from croupier.cards import DECK, RANKS, parse_cards
from croupier.errors import UserError
from croupier.hands.hand import Hand
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.simulation.simulation import simulate
from tests.odds.small_book import WITH_LANTERN, table
from tests.odds.test_analysis import check_analysis

PAYS = {"straight flush": 35, "three of a kind": 25, "straight": 6, "flush": 4, "pair": 1}
SHOWN = ('{ to = "bank", cards = 3', '{ to = "bank", cards = 3, shows = 1')
FORFEIT = ('lantern = { fate = "keep"', 'lantern = { fate = "forfeit"')
ROYAL = (
    '{ hand = "straight flush", to = 35 }',
    '{ hand = "mini royal", suits = "s", to = 100 }, { hand = "straight flush", to = 35 }',
)
BOTH = {"watch": 1, "lantern": 2}


def paid(bank: Hand) -> int:
    """Return the net of one unit on the bank's hand."""
    name = "straight flush" if bank.name == "mini royal" else bank.name
    return PAYS.get(name, -1)


def test_it_is_worth_what_its_paytable_pays_on_three_cards() -> None:
    found = analyze(table(*WITH_LANTERN), {"lantern": 1})
    hands = [Hand(cards) for cards in combinations(DECK, 3)]
    assert found.expected_value == Fraction(sum(map(paid, hands)), len(hands))
    assert found.expected_value == Fraction(-253, 5525)
    assert [(r.says, r.combinations, r.of) for r in found.returns][:2] == [
        ("straight flush", 48, 22_100),
        ("three of a kind", 52, 22_100),
    ]
    check_analysis(found)


def test_a_row_for_a_suit_counts_that_suit() -> None:
    plain, suited = (
        analyze(table(*WITH_LANTERN, *more), {"lantern": 1}).expected_value
        for more in ((), (ROYAL,))
    )
    assert suited - plain == Fraction(100 - 35, 22_100)


@pytest.mark.parametrize("more", [(), (FORFEIT,), (SHOWN,), (SHOWN, FORFEIT), (ROYAL, FORFEIT)])
def test_beside_a_wager_against_the_bank(more: tuple[tuple[str, str], ...]) -> None:
    """Both depend on the same three cards, so they are counted together."""
    rules = table(*WITH_LANTERN, *more)
    found = analyze(rules, BOTH)
    check_analysis(found)
    apart = (
        analyze(rules, {"watch": 1}).expected_value + analyze(rules, {"lantern": 2}).expected_value
    )
    if FORFEIT in more:
        assert found.expected_value < apart
    else:
        assert found.expected_value == apart
    dealt = simulate(rules, BOTH, rounds=100_000, seed=5)
    assert abs(dealt.errors_apart) < 4
    assert {net for net, _ in dealt.distribution} <= {net for net, _ in found.distribution}


@pytest.mark.parametrize("shown", ["", "Kd"])
def test_advice_goes_through_the_banks_hands(shown: str) -> None:
    rules = table(*WITH_LANTERN, *([SHOWN] if shown else []))
    mine, up = Hand.parse("Qs 6d 3c"), parse_cards(shown) if shown else ()
    rest = [card for card in DECK if card not in (*mine.cards, *up)]
    stay = leave = count = 0
    for more in combinations(rest, 3 - len(up)):
        bank = Hand((*up, *more))
        plays = bank.is_at_least_high(RANKS.index("Q"))
        stay += 2 * (mine.beats(bank) - bank.beats(mine)) if plays else 1
        stay, leave, count = stay + 2 * paid(bank), leave - 1 + 2 * paid(bank), count + 1
    found = advise(rules, mine.cards, shown=up, bet=BOTH)
    assert [choice.value for choice in found.choices] == [
        Fraction(stay, count),
        Fraction(leave, count),
    ]


def test_beside_a_six_card_bonus_it_is_refused() -> None:
    """Betting on the bank's hand and on six cards of seat and bank would need both counts."""
    tower = (
        ("[paytable.lantern.A]", """[wager.tower]
label    = "Tower"
paytable = "tower"
settle   = { always = { does = "table", clause = "1" } }
clause   = "1"

[paytable.tower.A]
of     = ["seat", "bank"]
clause = "1"
rows   = [{ hand = "flush", to = 9 }]

[selection.tower]
says    = "the Tower paytable"
takes   = "paytable"
family  = "tower"
letters = ["A"]
default = "A"
clause  = "1"

[paytable.lantern.A]"""),
        ('lantern = { fate', 'tower = { fate = "keep", clause = "1" }\nlantern = { fate'),
        ('"raise", "lantern"]', '"raise", "lantern", "tower"]'),
    )  # fmt: skip
    rules = table(*WITH_LANTERN, *tower)
    assert analyze(rules, {"tower": 1}).expected_value < 0
    with pytest.raises(UserError, match="wagers on the hand of Keeper alone and on six cards"):
        analyze(rules, {"lantern": 1, "tower": 1})


def test_rows_for_a_size_of_stake_pay_that_size() -> None:
    """A paytable may pay a $5 stake by other rows than a $1 stake."""
    rows = (
        '{ hand = "straight flush", to = 35 }',
        '{ hand = "straight flush", stake = 5, to = 70 }, { hand = "straight flush", to = 35 }',
    )
    rules = table(*WITH_LANTERN, rows)
    one, five = (analyze(rules, {"lantern": stake}).expected_value for stake in (1, 5))
    assert five - 5 * one == 5 * Fraction(35 * 48, 22_100)
