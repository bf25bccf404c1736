"""Compare every exact figure of the odds with an independent count of all deals.

The count is in tests/reference/odds_*.py; the first half of this file checks it by itself.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np
import phevaluator
import pytest

from croupier.cards import parse_cards
from croupier.odds.advice import advise
from croupier.odds.analysis import Analysis, analyses, analyze
from croupier.odds.pricing import price
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from tests.reference import hands, odds_analysis
from tests.reference.odds_analysis import game_of
from tests.reference.odds_cards import (
    FIVE_NAMES,
    FIVES,
    THREES,
    TWOS,
    Groups,
    classes,
    five_codes,
    names,
    places_without,
)
from tests.reference.odds_cases import LONG, QUICK, Case, case, is_long, random_case
from tests.reference.odds_counts import (
    OUTCOMES,
    Asked,
    contest_counts,
    outcomes,
    ride_counts,
    situations,
)
from tests.reference.odds_figures import Distribution, Figures
from tests.reference.odds_readings import READINGS
from tests.reference.odds_rules import STANDARD, Game, Reading
from tests.reference.paytables import (
    BOOKS,
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_ANTE_BONUS,
    RIDE,
    SINGAPORE,
)

FIGURES = (
    *("bet", "expected_value", "house_edge", "average_wagered", "element_of_risk", "variance"),
    *("hit_frequency", "distribution", "break_even"),
)

# The last of phevaluator's ranks, 1 the best, for each name.
LAST_RANKS = {
    **{"royal flush": 1, "straight flush": 10, "four of a kind": 166, "full house": 322},
    **{"flush": 1599, "straight": 1609, "three of a kind": 2467, "two pair": 3325},
    **{"pair": 6185, "high card": 7462},
}


def plain_name(code: int) -> str:
    """A place in `FIVE` as one of the ten names."""
    name = FIVE_NAMES[code].removesuffix(" of tens or better")
    return "royal flush" if name.startswith("super royal") else name


@pytest.mark.parametrize("groups", [TWOS, THREES], ids=["five", "six"])
def test_reference_names_hands(groups: Groups) -> None:
    """Compare the plain evaluator with phevaluator on every kind of hand in a sample."""
    rng = random.Random(5)
    met = set()
    high = [each for each in classes() if each.weight == 1 and each.cards[0] // 4 >= 7]
    for cards, _ in [*rng.sample(classes(), 60), *high[::3]]:
        places = places_without(groups, cards)
        codes = five_codes(cards, groups, places)
        best = np.argsort(-codes)[:30].tolist()
        for at in {*rng.sample(range(len(places)), 100), *best}:
            dealt = names((*cards, *groups.cards[places[at]].tolist()))
            titles = hands.six_card_titles if len(dealt) == 6 else hands.five_card_titles
            title = titles(dealt)[0]
            if title.startswith("super royal") and not title.endswith("diamonds"):
                title = "super royal"
            assert FIVE_NAMES[codes[at]] == title
            rank = phevaluator.evaluate_cards(*dealt)
            assert next(n for n, last in LAST_RANKS.items() if rank <= last) == plain_name(
                codes[at]
            )
            met.add(title)
    assert len(met) == (13 if groups is THREES else 11)


def test_reference_can_leave_out_the_ace_low_straight() -> None:
    """M11's other reading."""
    cards = tuple(hands.DECK.index(card) for card in ("As", "2s", "3s"))
    more = np.flatnonzero(TWOS.bits == sum(1 << hands.DECK.index(card) for card in ("4s", "5s")))
    assert FIVE_NAMES[five_codes(cards, TWOS, more)[0]] == "straight flush"
    assert FIVE_NAMES[five_codes(cards, TWOS, more, wheel=False)[0]] == "flush"


@pytest.mark.parametrize("text", ["As Ks Qs", "9d Td Jd", "7s 7h 2c"])
def test_reference_counts_bank_and_community(text: str) -> None:
    """The joint counts are those of all deals, gone through one community at a time."""
    cards = tuple(sorted(hands.DECK.index(card) for card in hands.parse(text)))
    bank = places_without(THREES, cards)
    keys = outcomes(cards, bank, "t1") * FIVES + five_codes(cards, THREES, bank)
    community = places_without(TWOS, cards)
    codes = five_codes(cards, TWOS, community)
    found = np.zeros((OUTCOMES * FIVES, FIVES), dtype=np.int64)
    ride = np.zeros((52, FIVES, FIVES), dtype=np.int64)
    for place, code in zip(community, codes, strict=True):
        left = THREES.bits[bank] & TWOS.bits[place] == 0
        found[:, code] += np.bincount(keys[left], minlength=OUTCOMES * FIVES)
        boxes = np.bincount(keys[left] % FIVES, minlength=FIVES)
        for first in TWOS.cards[place]:
            ride[first, code] += boxes
    asked = Asked(six=True, five=True)
    assert (contest_counts(cards, asked) == found.reshape(OUTCOMES, FIVES, FIVES)).all()
    assert (ride_counts(cards, six=True) == ride).all()


@pytest.mark.long
@pytest.mark.parametrize("asked", [Asked(), Asked(six=True), Asked(five=True)], ids=str)
def test_reference_classes_stand_for_all_hands(asked: Asked) -> None:
    table = situations(asked)
    found = np.tensordot(table.weights, table.counts, axes=1)
    every = np.zeros_like(found)
    for cards in THREES.cards.tolist():
        every += contest_counts(tuple(cards), asked)
    assert (every == found).all()


def reference(each: Case, reading: Reading = STANDARD) -> Figures:
    return odds_analysis.analyze(game(each, reading), others=each.others)


def game(each: Case, reading: Reading = STANDARD) -> Game:
    return game_of(each.book, each.selections, each.bet, meters=each.meters, reading=reading)


# Public: the Wizard of Odds' pages on Three Card Poker, Let It Ride and their side wagers.
PUBLISHED = [
    (case(MARYLAND, "pair_plus=1", pair_plus="C"), "7.2760"),
    (case(MARYLAND, "pair_plus=1", pair_plus="D"), "2.3167"),
    (case(MARYLAND, "pair_plus=1", pair_plus="B"), "5.5747"),
    (case(MARYLAND, "six_card_bonus=1", six_card_bonus="C"), "10.2248"),
    (case(MARYLAND, "ante=1"), "3.3730"),
    (case(RIDE, "let_it_ride=1"), "3.5057"),
]


@pytest.mark.parametrize(("each", "percent"), PUBLISHED, ids=str)
def test_reference_has_the_published_edges(each: Case, percent: str) -> None:
    assert f"{float(reference(each).house_edge) * 100:.4f}" == percent


def test_reference_has_the_published_figures() -> None:
    ante = reference(case(MARYLAND, "ante=1"))
    assert ante.expected_value == Fraction(-686689, 20358520)
    assert f"{float(ante.element_of_risk):.6f}" == "0.020147"
    assert f"{float(ante.variance) ** 0.5:.4f}" == "1.6393"
    assert reference(case(RIDE, "let_it_ride=1")).expected_value == Fraction(-37963, 1082900)
    progressive = reference(case(MARYLAND, "progressive=1", progressive="B"))
    assert progressive.break_even == {"progressive": Fraction(11520)}
    # One card of the bank's seen, and a bonus of 5, 4 and 1.
    bonus = Reading(tables={"ante_bonus": MARYLAND_ANTE_BONUS["A"]})
    seen = reference(case(CALIFORNIA, "ante=1"), bonus)
    assert f"{float(seen.expected_value):.6f}" == "0.034829"
    assert f"{float(seen.hit_frequency):.6f}" == "0.542203"


def test_reference_has_the_published_threshold() -> None:
    ante = game(case(MARYLAND, "ante=1"))
    for cards, best in (("Qs 6d 4c", "play"), ("Qs 6d 3c", "fold"), ("Qs 5d 4c", "fold")):
        values = odds_analysis.advise(ante, cards)
        assert max(values, key=values.__getitem__) == best


@pytest.mark.parametrize("book", [MARYLAND, SINGAPORE, FLORIDA, CALIFORNIA])
def test_order_within_a_kind_has_no_price(book: str) -> None:
    """T1: nobody folds a pair or better, so another order helps as often as it hurts."""
    reading = READINGS[book]["T1"][0]
    assert reading
    for bet in ("ante=1", "ante=1 pair_plus=1"):
        each = case(book, bet)
        assert reference(each).expected_value == reference(each, reading).expected_value


# From here on the product stands beside the reference.


def group(each: Case) -> str:
    """Cases of a group need the same counts, which one process then makes once."""
    kinds = [kind for kind in ("six_card_bonus", "five_card_progressive") if kind in each.bet]
    return " ".join([each.book, *kinds])


def figures_of(analysis: Analysis) -> dict[str, object]:
    found = {name: getattr(analysis, name) for name in FIGURES}
    for name in ("bet", "break_even"):
        found[name] = found[name] if found[name] is None else dict(found[name])
    return found


def analysis_of(each: Case) -> Analysis:
    rules = resolve(load(each.book), each.selections)
    return analyze(rules, each.bet, meters=each.meters, others=each.others)


def differences(each: Case, analysis: Analysis) -> list[str]:
    """Return what the product and the reference disagree about."""
    expected, found = reference(each), figures_of(analysis)
    return [
        f"{each}: {name} is {found[name]}, not {getattr(expected, name)}"
        for name in FIGURES
        if found[name] != getattr(expected, name)
    ]


def misreturned(each: Case, analysis: Analysis) -> list[str]:
    """Return the wagers whose returns don't add up to their distribution."""
    opening = {"play": "ante", "ante_bonus": "ante", "bet_1": "let_it_ride"}
    opening |= {"bet_2": "let_it_ride", "bet_3": "let_it_ride"}
    found: dict[str, Counter[Fraction]] = {wager: Counter() for wager in analysis.bet}
    means: Counter[str] = Counter()
    for line in analysis.returns:
        wager = opening.get(line.line, line.line)
        if wager == "envy":
            continue
        means[wager] += line.contribution  # type: ignore[assignment]
        if line.combinations:
            chance = Fraction(line.combinations, line.of)
            found[wager][line.contribution / chance] += chance  # type: ignore[assignment]
    wrong = []
    for wager, expected in odds_analysis.by_wager(game(each)).items():
        mean = sum((net * chance for net, chance in expected.items()), Fraction(0))
        one_line = wager not in {"ante", "let_it_ride"}
        if means[wager] != mean or (one_line and by_net(found[wager]) != expected):
            wrong.append(f"{each}: returns of {wager}")
    return wrong


def by_net(chances: Mapping[Fraction, Fraction | int]) -> Distribution:
    return {net: Fraction(chance) for net, chance in sorted(chances.items())}


def check(cases: Iterable[Case]) -> None:
    found = []
    for each in cases:
        analysis = analysis_of(each)
        found += differences(each, analysis) + misreturned(each, analysis)
    assert found == []


QUICK_RANDOM = [each for each in map(random_case, range(52)) if not is_long(each)][:40]
LONG_RANDOM = [random_case(seed) for seed in range(1000, 1400)]
ALL_QUICK = [*QUICK, *QUICK_RANDOM]


SLOWEST = "maryland-let-it-ride six_card_bonus"
"""Six cards of Let It Ride are counted with those of Three Card Poker in `./test --long`."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name == SLOWEST else name
        for name in sorted({group(each) for each in ALL_QUICK})
    ],
)
def test_figures_match_a_count_of_all_deals(name: str) -> None:
    check(each for each in ALL_QUICK if group(each) == name)


@pytest.mark.long
def test_figures_of_five_and_six_cards_together() -> None:
    check(LONG)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({group(each) for each in LONG_RANDOM}))
def test_figures_of_many_random_tables(name: str) -> None:
    check(each for each in LONG_RANDOM if group(each) == name)


def break_even_cases() -> list[Case]:
    """Some of the cases, each with a meter at its break-even."""
    found = []
    for each in QUICK[::8]:
        for meter, amount in (reference(each).break_even or {}).items():
            if amount is not None and amount >= 0:
                found.append(each._replace(meters={**each.meters, meter: amount}))
    return found


def test_nothing_is_won_or_lost_at_a_break_even_meter() -> None:
    cases = break_even_cases()
    assert len(cases) > 4
    assert {analysis_of(each).expected_value for each in cases} == {0}


OFFERS = [
    (case(MARYLAND, ""), ["ante", "pair_plus"]),
    (case(CALIFORNIA, ""), ["ante", "pair_plus"]),
    (case(SINGAPORE, ""), ["ante", "pair_plus"]),
    (case(SINGAPORE, "", "progressive=12345.67", others=2), ["ante", "pair_plus", "progressive"]),
    (case(SINGAPORE, "", progressive_reset=9000), ["ante", "pair_plus", "progressive"]),
    (case(FLORIDA, "", pair_plus_when_beaten="push"), ["ante", "ante pair_plus"]),
    (case(RIDE, "", let_it_ride="C"), ["let_it_ride"]),
    (
        case(
            MARYLAND,
            "",
            "progressive_minor=2222 five_card_progressive=3333",
            others=5,
            version="7.G(2)",
            progressive="C",
            progressive_wager=5,
            five_card_progressive="A",
            six_card_bonus="B",
        ),
        ["ante", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive"],
    ),
    (
        case(
            RIDE,
            "",
            "progressive_mega=33333.33",
            others=4,
            five_card_bonus="F",
            three_card_bonus="B",
            progressive="E",
            payout_limit=40,
        ),
        ["let_it_ride", "five_card_bonus", "three_card_bonus", "progressive"],
    ),
]
SLOW_OFFER = (
    case(RIDE, "", three_card_bonus="B", six_card_bonus="A"),
    ["let_it_ride", "three_card_bonus", "six_card_bonus"],
)


@pytest.mark.parametrize(
    ("each", "wagers"), [*OFFERS, pytest.param(*SLOW_OFFER, marks=pytest.mark.long)], ids=str
)
def test_every_wager_on_its_own(each: Case, wagers: list[str]) -> None:
    rules = resolve(load(each.book), each.selections)
    found = analyses(rules, meters=each.meters, others=each.others)
    assert sorted(" ".join(sorted(one.bet)) for one in found) == sorted(wagers)
    assert list(found[0].bet) == wagers[:1]
    wrong = [differences(each._replace(bet=dict(one.bet)), one) for one in found]
    assert wrong == [[] for _ in wagers]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("players", [0, 6])
def test_rulings_are_priced_by_their_readings(book: str, players: int) -> None:
    """Every reading has the right value; without readings, no reading changes a value."""
    for ruling in price(load(book), others=players):
        others = READINGS[book].get(ruling.id, [])
        if ruling.readings:
            assert [one.chosen for one in ruling.readings] == [True] + [False] * len(others)
            for one, reading in zip(ruling.readings, [STANDARD, *others], strict=True):
                each = Case(book, one.selections, one.bet, others=players)
                expected = reference(each, reading or STANDARD).expected_value
                assert (ruling.id, one.says, one.expected_value) == (ruling.id, one.says, expected)
        for reading in [] if ruling.readings else others:
            each = case(book, "ante=1 pair_plus=1")
            if book == RIDE:
                each = case(book, "progressive=1", progressive="B")
            value = reference(each).expected_value
            assert reference(each, reading or STANDARD).expected_value == value


def advised(seed: int) -> tuple[Case, dict[str, str]]:
    """A random table, and random cards as a player may see them."""
    rng = random.Random(seed)
    each = random_case(rng.randrange(10**9))
    while not each.bet.keys() & {"ante", "let_it_ride"}:
        each = random_case(rng.randrange(10**9))
    *cards, other = rng.sample(hands.DECK, 4)
    seen = {"cards": " ".join(cards)}
    if each.book == CALIFORNIA:
        seen["shown"] = other
    if each.book == RIDE and rng.random() < 0.6:
        seen["community"] = other
    return each, seen


def check_advice(found: Iterable[tuple[Case, dict[str, str]]]) -> None:
    for each, seen in found:
        expected = odds_analysis.advise(game(each), **seen)
        rules = resolve(load(each.book), each.selections)
        parsed = {name: parse_cards(text) for name, text in seen.items()}
        own = parsed.pop("cards")
        advice = advise(rules, own, bet=each.bet, meters=each.meters, **parsed)
        values = {choice.name: choice.value for choice in advice.choices}
        best = max(reversed(expected), key=expected.__getitem__)
        assert (str(each), seen, values, advice.best) == (str(each), seen, expected, best)


def test_advice_has_the_value_of_every_choice() -> None:
    found = map(advised, range(50))
    check_advice(each for each in found if "six_card_bonus" not in each[0].bet)


def test_advice_beside_a_six_card_bonus() -> None:
    found = map(advised, range(50))
    beside = (each for each in found if "six_card_bonus" in each[0].bet)
    check_advice(each for each in beside if each[0].book == MARYLAND)


@pytest.mark.long
def test_advice_at_many_random_tables() -> None:
    check_advice(map(advised, range(1000, 1300)))
