"""Properties of every analysis, whatever the book, selections, bet and meters."""

from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest

from croupier.cards import parse_cards
from croupier.errors import UserError
from croupier.odds.advice import advise
from croupier.odds.analysis import Analysis, analyses, analyze
from croupier.odds.bets import opening
from tests.odds.bets import CASES, CASES_LONG, analysis, ids, table
from tests.reference.odds_cases import Case
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)


def check_analysis(one: Analysis) -> None:
    """Check figures of an analysis that must agree with each other."""
    nets, chances = zip(*one.distribution, strict=True)
    value = one.expected_value - one.envy
    mean = sum(net * chance for net, chance in one.distribution)
    assert mean == value
    assert sum(chances) == 1
    assert min(chances) > 0
    assert list(nets) == sorted(set(nets))
    assert one.variance == sum(net * net * chance for net, chance in one.distribution) - mean**2
    assert isclose(one.standard_deviation, sqrt(one.variance))
    assert one.hit_frequency == sum(chance for net, chance in one.distribution if net > 0)
    check_returns(one, value)
    check_wagered(one)
    assert one.house_edge * sum(one.bet.values()) == -one.expected_value
    assert one.element_of_risk * one.average_wagered == -one.expected_value


def check_returns(one: Analysis, value: Fraction) -> None:
    assert sum(part.contribution for part in one.returns) == value
    lines = {part.line for part in one.returns}
    assert one.bet.keys() <= lines
    for line in lines:
        own = [part for part in one.returns if part.line == line]
        assert len({part.of for part in own}) == 1
        assert sum(part.combinations for part in own) == own[0].of
        assert sum(part.probability for part in own) == 1
        assert len({(part.says, part.pays) for part in own}) == len(own)


def check_wagered(one: Analysis) -> None:
    """Where a seat folds or plays, what it wagers on average follows from how often it folds."""
    wagered = [Fraction(path.wagered) / 100 for path in one.model.paths]
    assert min(wagered) <= one.average_wagered <= max(wagered)
    if len(wagered) == 2:
        folded = {part.probability for part in one.returns if part.says == "not made"}
        folds = folded.pop() if folded else Fraction(0)
        assert not folded
        assert one.average_wagered == min(wagered) * folds + max(wagered) * (1 - folds)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_every_figure_agrees_with_the_others(case: Case) -> None:
    check_analysis(analysis(case))


@pytest.mark.long
@pytest.mark.parametrize("case", CASES_LONG, ids=ids(CASES_LONG))
def test_every_figure_of_joint_deals_agrees_with_the_others(case: Case) -> None:
    check_analysis(analysis(case))


@each_book
def test_every_paytable_that_can_be_selected_is_among_the_cases(id: str) -> None:
    tried = {(name, str(value)) for case in CASES if case.book == id
             for name, value in case.selections.items()}  # fmt: skip
    for name, selection in book(id).rules.selection.items():
        if selection.takes == "paytable":
            letters = {(name, letter) for letter in selection.letters if letter != "none"}
            assert letters <= tried


# ---------------------------------------------------------------- stakes, meters, envy


@pytest.mark.parametrize(
    ("id", "selections", "bet"),
    [
        (MARYLAND, {}, {"ante": 1, "pair_plus": 1}),
        (CALIFORNIA, {}, {"ante": 1, "pair_plus": 1}),
        (FLORIDA, {}, {"ante": 1, "pair_plus": 1}),
        (LET_IT_RIDE, {"three_card_bonus": "B"}, {"let_it_ride": 1, "three_card_bonus": 1}),
        (MARYLAND, {"six_card_bonus": "C"}, {"ante": 1, "six_card_bonus": 1}),
    ],
)
@pytest.mark.parametrize("scale", [Fraction(10**12 + 39, 999_999_937), Fraction(10**15, 7)])
def test_figures_grow_with_the_stakes(
    id: str, selections: dict[str, str], bet: dict[str, int], scale: Fraction
) -> None:
    """Fractional stakes need Python's integers, and aren't rounded either."""
    rules = table(id, **selections)
    one = analyze(rules, bet)
    other = analyze(rules, {name: scale * units for name, units in bet.items()})
    assert (one.solved.priced.dtype, other.solved.priced.dtype) == (np.int64, object)
    assert other.expected_value == scale * one.expected_value
    assert other.distribution == tuple((scale * net, p) for net, p in one.distribution)
    assert other.variance == scale**2 * one.variance
    assert other.house_edge == one.house_edge
    assert other.strategy == one.strategy
    assert [part.contribution for part in other.returns] == [
        scale * part.contribution for part in one.returns
    ]
    check_analysis(other)


METERED = [
    (MARYLAND, {"progressive": "A"}, "progressive"),
    (MARYLAND, {"progressive": "C"}, "progressive"),
    (MARYLAND, {"five_card_progressive": "C"}, "five_card_progressive"),
    (SINGAPORE, {}, "progressive"),
    (LET_IT_RIDE, {"progressive": "A"}, "progressive"),
    (LET_IT_RIDE, {"progressive": "E"}, "progressive"),
]


@pytest.mark.parametrize(("id", "selections", "wager"), METERED)
def test_the_value_of_a_wager_alone_is_linear_in_each_meter(
    id: str, selections: dict[str, str], wager: str
) -> None:
    rules = table(id, **selections)
    meters = {meter: Fraction(1000) for meter in rules.meters}
    bet = {wager: analyses(rules, meters=meters)[-1].bet[wager]}
    base = analyze(rules, bet, meters=meters).expected_value
    for meter in rules.meters:
        values = [
            analyze(rules, bet, meters={**meters, meter: amount}).expected_value - base
            for amount in (2000, 3000, 10**12 + 1000)
        ]
        assert values[0] > 0
        assert [value / values[0] for value in values] == [1, 2, 10**9]


@pytest.mark.parametrize(("id", "selections", "wager"), METERED)
def test_at_its_break_even_a_meter_brings_the_value_to_zero(
    id: str, selections: dict[str, str], wager: str
) -> None:
    rules = table(id, **selections)
    meters = {meter: Fraction(1234) for meter in rules.meters}
    for others in (0, 5):
        for bet in ({wager}, {opening(rules), wager}):
            stakes = {name: Fraction(5, 2) if id == SINGAPORE else Fraction(1) for name in bet}
            found = analyze(rules, stakes, meters=meters, others=others)
            assert found.break_even is not None
            assert found.break_even.keys() == rules.meters.keys()
            for meter, amount in found.break_even.items():
                assert amount is not None
                if amount >= 0:
                    again = {**meters, meter: amount}
                    at = analyze(rules, stakes, meters=again, others=others)
                    assert at.expected_value == 0


@pytest.mark.parametrize("letter", "ABC")
def test_no_meter_changes_the_strategy(letter: str) -> None:
    """Only three suited cards or a pair can still win a meter, and those are played anyway."""
    rules = table(MARYLAND, five_card_progressive=letter)
    found = []
    for amount in (1, 10**12):
        meters = dict.fromkeys(rules.meters, amount)
        both = analyze(rules, {"ante": 1, "five_card_progressive": 1}, meters=meters)
        alone = analyze(rules, {"five_card_progressive": 1}, meters=meters)
        found.append((both.strategy, both.expected_value - alone.expected_value))
    assert found[0] == found[1]
    assert both.solved.priced.dtype is object


def test_a_side_wager_that_folding_loses_is_worth_playing_bad_hands_for() -> None:
    """The larger it is compared with the Ante, the more hands are played."""
    rules = table(MARYLAND, five_card_progressive="A")
    antes = (100, 10, 1, Fraction(1, 10), Fraction(1, 1000))
    bets = [{"ante": ante, "five_card_progressive": 1} for ante in antes]
    played = [
        (found.average_wagered - 1) / found.bet["ante"]
        for found in (analyze(rules, bet) for bet in bets)
    ]
    assert played == sorted(played)
    assert played[0] < played[2] < played[-1] == 2


@pytest.mark.parametrize(
    ("id", "selections", "bet", "envy"),
    [
        # Four mini royals in 22,100 hands, the one of spades for more: 12.E(5), 4.4, 12.I(2).
        (MARYLAND, {"progressive": "A"}, {"progressive": 1}, Fraction(100 + 3 * 25, 22_100)),
        (
            MARYLAND,
            {"progressive": "C", "progressive_wager": 5},
            {"progressive": 5},
            Fraction(500 + 3 * 125, 22_100),
        ),
        (SINGAPORE, {}, {"progressive": Fraction(5, 2)}, Fraction(250 + 3 * 50, 22_100)),
        (LET_IT_RIDE, {"progressive": "B"}, {"progressive": 1}, Fraction(175, 22_100)),
        # 4 royal flushes and 36 straight flushes of five cards: 12.I(1).
        (
            LET_IT_RIDE,
            {"progressive": "A"},
            {"progressive": 1},
            Fraction(4 * 1000 + 36 * 300, 2_598_960),
        ),
        # M6: what the operator declares.
        (
            MARYLAND,
            {"five_card_progressive": "A", "five_card_envy": {"four of a kind": 10}},
            {"five_card_progressive": 1},
            Fraction(624 * 10, 2_598_960),
        ),
    ],
)
def test_every_other_player_adds_the_same_envy(
    id: str, selections: dict[str, Any], bet: dict[str, Fraction], envy: Fraction
) -> None:
    rules = table(id, **selections)
    meters = dict.fromkeys(rules.meters, 5000)
    found = [analyze(rules, bet, meters=meters, others=others) for others in range(7)]
    assert [one.envy for one in found] == [others * envy for others in range(7)]
    assert [one.expected_value - one.envy for one in found] == [found[0].expected_value] * 7
    assert len({one.distribution for one in found}) == 1


def test_envy_needs_the_wager() -> None:
    rules = table(MARYLAND, progressive="A")
    assert analyze(rules, {"ante": 1}, others=6).envy == 0


# ---------------------------------------------------------------- every wager on its own


@each_book
def test_every_wager_is_analysed_on_its_own_the_opening_one_first(id: str) -> None:
    found = analyses(table(id))
    assert [*found[0].bet] == ["let_it_ride" if id == LET_IT_RIDE else "ante"]
    lines = {LET_IT_RIDE: 1, MARYLAND: 2, CALIFORNIA: 2, FLORIDA: 2, SINGAPORE: 2}
    assert len(found) == lines[id]


def test_what_is_offered_is_what_the_selections_say() -> None:
    rules = table(
        LET_IT_RIDE, five_card_bonus="A", three_card_bonus="A", six_card_bonus="A", progressive="A"
    )
    assert [[*one.bet] for one in analyses(rules)] == [
        ["let_it_ride"],
        ["five_card_bonus"],
        ["three_card_bonus"],
        ["six_card_bonus"],
        ["progressive"],
    ]


def test_a_wager_whose_meter_has_no_reset_waits_for_the_meter() -> None:
    """S6: Singapore's jackpot has none."""
    rules = table(SINGAPORE)
    assert [[*one.bet] for one in analyses(rules)] == [["ante"], ["pair_plus"]]
    found = analyses(rules, meters={"progressive": 50_000})
    assert [[*one.bet] for one in found] == [["ante"], ["pair_plus"], ["progressive"]]
    assert found[2].bet == {"progressive": Fraction(5, 2)}
    with pytest.raises(UserError, match="meter progressive: has no reset"):
        analyze(rules, {"progressive": "2.50"})


def test_a_pair_plus_that_must_beat_the_bank_comes_with_its_ante() -> None:
    """F1 to F3: it can't be priced alone, so an equal Base Bet is added."""
    found = analyze(table(FLORIDA), {"pair_plus": 3})
    assert found.bet == {"ante": 3, "pair_plus": 3}
    assert [one.bet for one in analyses(table(FLORIDA))][1] == {"ante": 1, "pair_plus": 1}
    assert analyze(table(MARYLAND), {"pair_plus": 3}).bet == {"pair_plus": 3}


def test_side_wagers_alone_are_never_forfeited() -> None:
    rules = table(MARYLAND, progressive="A")
    both = analyze(rules, {"pair_plus": 1, "progressive": 1})
    apart = [analyze(rules, {name: 1}).expected_value for name in ("pair_plus", "progressive")]
    assert both.expected_value == sum(apart)
    assert both.strategy == ()
    assert both.average_wagered == 2


def test_folding_costs_no_side_wager_that_pays() -> None:
    """Every hand on the Pair Plus table is played, so the two wagers add up."""
    rules = table(MARYLAND)
    both = analyze(rules, {"ante": 1, "pair_plus": 1})
    apart = [analyze(rules, {name: 1}).expected_value for name in ("ante", "pair_plus")]
    assert both.expected_value == sum(apart)


def test_of_two_equal_choices_the_one_that_wagers_less_is_taken() -> None:
    """Let It Ride: 4-5-6-7 of mixed suits rides or not for the same; it is pulled."""
    found = analyze(table(LET_IT_RIDE))
    bet_2 = found.strategy[1]
    assert "four cards that fit two straights with at least one from the ten up" in bet_2


# ---------------------------------------------------------------- how it looks


def test_an_analysis_shows_itself_in_a_notebook() -> None:
    found = analyze(table(MARYLAND, progressive="B"), {"ante": 1, "progressive": 1})
    html = found._repr_html_()
    label = found.rules.wagers["progressive"].label
    assert f"<h4>Three Card Poker, Maryland: 1 Ante + 1 {label}</h4>" in html
    assert "Play Q-6-4 or better." in html
    assert "progressive breaks even" in html
    assert found._repr_svg_().startswith("<svg")
    edge = float(found.house_edge)
    assert repr(found) == (
        f"<Analysis of 1 ante + 1 progressive: {edge:.4%} of maryland-three-card-poker>"
    )


def test_arrays_are_the_distribution_in_floats() -> None:
    found = analyze(table(MARYLAND))
    nets, chances = found.arrays()
    assert nets.tolist() == [float(net) for net, _ in found.distribution]
    assert chances.tolist() == [float(chance) for _, chance in found.distribution]


def test_three_lines_of_python_are_enough() -> None:
    import croupier

    rules = croupier.resolve(croupier.load(MARYLAND), {"pair_plus": "B"})
    assert str(croupier.analyze(rules, {"pair_plus": 1}).expected_value) == "-308/5525"
    assert [*croupier.analyses(rules)[0].bet] == ["ante"]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("bet", "message"),
    [
        ({}, "bet: nothing is bet"),
        ({"ante": 0}, "bet ante: a stake is above zero"),
        ({"ante": -1}, "bet ante: "),
        ({"ante": "x"}, "bet ante: "),
        ({"ante": "1/0"}, "bet ante: "),
        ({"ante": 0.5}, "bet ante: "),
        ({"ante": True}, "bet ante: "),
        ({"play": 1}, "bet play: this table doesn't offer it; it offers ante and pair_plus"),
        (
            {"progressive": 1},
            "bet progressive: this table doesn't offer it; it offers ante and pair_plus",
        ),
    ],
)
def test_bad_bets_are_refused(bet: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        analyze(table(MARYLAND), bet)
    assert str(caught.value).startswith(message)


def test_a_wager_of_the_wrong_size_is_refused_with_its_clause() -> None:
    with pytest.raises(UserError) as caught:
        analyze(table(MARYLAND, progressive="A"), {"progressive": 2})
    assert str(caught.value).startswith("bet progressive: is $1 at this table")
    assert caught.value.clause


@pytest.mark.parametrize("others", [-1, 1.0, True, "2"])
def test_bad_numbers_of_players_are_refused(others: Any) -> None:
    with pytest.raises(UserError, match=r"others: .* is not a number of players"):
        analyze(table(MARYLAND), others=others)


@pytest.mark.parametrize(
    ("meters", "message"),
    [
        ({"jackpot": 1}, "meter jackpot: is not a meter of this table; it has progressive"),
        ({"progressive": -1}, "meter progressive: "),
        ({"progressive": "x"}, "meter progressive: "),
    ],
)
def test_bad_meters_are_refused(meters: dict[str, Any], message: str) -> None:
    rules = table(MARYLAND, progressive="A")
    for call in (lambda: analyze(rules, meters=meters), lambda: analyses(rules, meters=meters)):
        with pytest.raises(UserError) as caught:
            call()
        assert str(caught.value).startswith(message)


# ---------------------------------------------------------------- the same bet at another table

KEPT: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, int]]] = {
    "another letter": (MARYLAND, {}, {"pair_plus": "C"}, {"pair_plus": 1}),
    "two lines": (
        MARYLAND,
        {"six_card_bonus": "C"},
        {"six_card_bonus": "F", "pair_plus": "E"},
        {"pair_plus": 2, "six_card_bonus": 1},
    ),
    "suits": (
        MARYLAND,
        {"progressive": "A"},
        {"progressive": "A", "progressive_reset": 5000},
        {"progressive": 1},
    ),
}
ANEW: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, int]]] = {
    "other hands are listed": (
        MARYLAND,
        {"progressive": "A"},
        {"progressive": "B"},
        {"progressive": 1},
    ),
    "something is decided": (MARYLAND, {}, {"ante_bonus": "C"}, {"ante": 1}),
    "the bank's hand matters": (
        FLORIDA,
        {},
        {"pair_plus_when_beaten": "push"},
        {"pair_plus": 1},
    ),
}


@pytest.mark.parametrize("case", [*KEPT, *ANEW])
def test_value_at_another_table_equals_an_analysis_there(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    anew = []

    def noted(*asked: Any, **options: Any) -> Analysis:
        anew.append(asked)
        return analyze(*asked, **options)

    monkeypatch.setattr("croupier.odds.analysis.analyze", noted)
    id, here, there, bet = (KEPT | ANEW)[case]
    one = analyze(table(id, **here), bet, others=3)
    other = analyze(table(id, **there), bet, meters=one.meters)
    assert one.value_at(other.rules) == other.expected_value
    assert bool(anew) == (case in ANEW)
    assert one.value_at(one.rules) == one.expected_value - one.envy


# ---------------------------------------------------------------- what the table does not take


@pytest.mark.parametrize(
    ("version", "bet", "says"),
    [
        (
            "7.G(1)",
            {"ante": 1, "pair_plus": 10},
            "bet pair_plus: the Pair Plus must be at most the Ante (7.G(1))",
        ),
        (
            "7.G(2)",
            {"ante": 1, "pair_plus": "2.01"},
            "bet pair_plus: the Pair Plus must be at most 2 times the Ante (7.G(2))",
        ),
        ("7.G(3)", {"ante": 1}, "bet ante: the Ante needs Pair Plus (7.G(3))"),
        (
            "7.G(3)",
            {"ante": 6, "pair_plus": 1},
            "bet ante: the Ante must be at most 5 times the Pair Plus (7.G(3))",
        ),
    ],
)
def test_a_bet_that_the_table_does_not_take_is_refused(
    version: str, bet: dict[str, Any], says: str
) -> None:
    rules = table(MARYLAND, version=version)
    for ask in (
        lambda: analyze(rules, bet),
        lambda: advise(rules, parse_cards("Qs 6d 3c"), bet=bet),
    ):
        with pytest.raises(UserError) as caught:
            ask()
        assert str(caught.value) == says


def test_a_single_wager_may_be_analysed_without_those_it_needs() -> None:
    """Every wager without a bet, and side wagers without a wager of the main game."""
    rules = table(MARYLAND, version="7.G(3)", progressive="A")
    assert [[*one.bet] for one in analyses(rules)] == [["ante"], ["pair_plus"], ["progressive"]]
    assert analyze(rules).bet == {"ante": 1}
    assert analyze(rules, {"pair_plus": 9, "progressive": 1}).bet["pair_plus"] == 9
    assert analyze(rules, {"ante": 1, "pair_plus": 5}).bet == {"ante": 1, "pair_plus": 5}
