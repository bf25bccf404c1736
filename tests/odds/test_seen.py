"""The value of cards that a player has seen too early."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from croupier.cards import DECK, RANKS, parse_cards
from croupier.errors import UserError
from croupier.odds.advice import advise
from croupier.odds.analysis import Analysis, analyses, analyze
from croupier.odds.combinations import triples
from croupier.odds.seats import SEATS, WEIGHTS
from tests.cli.running import run
from tests.odds.bets import table
from tests.odds.small_book import WITH_LANTERN
from tests.odds.small_book import table as small
from tests.odds.test_analysis import check_analysis
from tests.reference import odds_seen
from tests.reference.odds_analysis import advise as brute_advise
from tests.reference.odds_analysis import game_of
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE


def seen(id: str, cards: str, bet: dict[str, Any], **how: Any) -> Analysis:
    others, meters = how.pop("others", 0), how.pop("meters", None)
    rules = table(id, **how)
    return analyze(rules, bet, seen=parse_cards(cards), others=others, meters=meters)


# ---------------------------------------------------------------- known figures


def test_one_card_of_the_dealers_is_worth_seven_points() -> None:
    """Suits are alike, so 13 cards stand for 52. Without one seen the Ante loses 3.3730 %."""
    values = [seen(MARYLAND, f"{rank}d", {"ante": 1}).expected_value for rank in RANKS]
    assert sum(values) / 13 == Fraction(443162, 12724075)
    assert f"{float(sum(values) / 13):.6f}" == "0.034829"


def test_the_card_that_california_shows_is_the_same_information() -> None:
    """A card seen in Maryland is worth as much as California's; only the Ante Bonus differs."""
    shown = analyze(table(CALIFORNIA), {"ante": 1}).expected_value
    bonus = [
        part for part in seen(MARYLAND, "2d", {"ante": 1}).returns if part.line == "ante_bonus"
    ]
    assert bonus and shown < Fraction(443162, 12724075)


def test_one_community_card_before_bet_1() -> None:
    values = [seen(LET_IT_RIDE, f"{rank}h", {"let_it_ride": 1}).expected_value for rank in RANKS]
    assert f"{100 * float(sum(values) / 13):.1f}" == "8.4"


def pairs_of_cards() -> list[tuple[str, int]]:
    """Yield one pair of cards of every kind, and the number of pairs like it."""
    found = [(f"{rank}s {rank}h", 6) for rank in RANKS]
    for one, other in combinations(RANKS, 2):
        found += [(f"{one}s {other}s", 4), (f"{one}s {other}h", 12)]
    return found


def test_both_community_cards_before_bet_1() -> None:
    rules = table(LET_IT_RIDE)
    whole = sum(
        times * analyze(rules, {"let_it_ride": 1}, seen=parse_cards(cards)).expected_value
        for cards, times in pairs_of_cards()
    )
    assert sum(times for _, times in pairs_of_cards()) == 1326
    assert f"{100 * float(whole / 1326):.1f}" == "40.4"


@pytest.mark.long
def test_all_three_cards_of_the_dealers() -> None:
    rules, whole = table(MARYLAND), Fraction(0)
    for cards, weight in zip(SEATS.tolist(), WEIGHTS.tolist(), strict=True):
        found = analyze(rules, {"ante": 1}, seen=[DECK[card] for card in cards])
        whole += weight * found.expected_value
    assert f"{100 * float(whole / 22_100):.1f}" == "37.9"


def test_all_three_cards_leave_nothing_to_chance() -> None:
    """With the dealer's hand in view, play exactly the hands that gain by it."""
    found = seen(MARYLAND, "Kd 7h 2c", {"ante": 1})
    assert {net for net, _ in found.distribution} == {-1, 0, 2, 3, 6, 7}
    assert found.strategy == ("Play K-7-2 or better.",)  # A tie comes back, a fold does not.
    check_analysis(found)


# ---------------------------------------------------------------- the brute force

CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (MARYLAND, "Kd 7h", {"ante": 1}, {}),
    (MARYLAND, "As", {"pair_plus": 1}, {"pair_plus": "C"}),
    (MARYLAND, "As Kd", {"ante": 1, "progressive": 1}, {"progressive": "C", "others": 5}),
    (LET_IT_RIDE, "Ts Js", {"let_it_ride": 1}, {}),
]
CASES_LONG: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (LET_IT_RIDE, "Ts Js", {"let_it_ride": 1, "five_card_bonus": 1}, {"five_card_bonus": "B"}),
    (MARYLAND, "Kd", {"ante": 1, "pair_plus": 1}, {"ante_bonus": "B"}),
    (MARYLAND, "Ad", {"ante": 1, "six_card_bonus": 1}, {"six_card_bonus": "B"}),
    (
        MARYLAND,
        "7d 7h",
        {"ante": 5, "five_card_progressive": 1},
        {"five_card_progressive": "A", "five_card_progressive_rate": "0.2"},
    ),
    (CALIFORNIA, "Kd", {"ante": 1, "pair_plus": 1}, {}),
    (LET_IT_RIDE, "Kd", {"let_it_ride": 1, "six_card_bonus": 1}, {"six_card_bonus": "A"}),
    (LET_IT_RIDE, "8s 7s", {"let_it_ride": 1, "six_card_bonus": 1}, {"six_card_bonus": "B"}),
    (MARYLAND, "As Ks Qs", {"ante": 1, "pair_plus": 2}, {}),
    (MARYLAND, "9d 8d", {"ante": 1, "six_card_bonus": 1}, {"six_card_bonus": "A"}),
    (SINGAPORE, "Qs Jh", {"ante": 2, "pair_plus": 1}, {}),
    (FLORIDA, "4c 4d", {"ante": 1, "pair_plus": 1}, {}),
    (CALIFORNIA, "5h 9c", {"ante": 1, "pair_plus": 1}, {}),
    (LET_IT_RIDE, "2c", {"let_it_ride": 1, "progressive": 1}, {"progressive": "B", "others": 6}),
    (LET_IT_RIDE, "Ah Kh", {"progressive": 5}, {"progressive": "A", "progressive_wager": 5}),
    (LET_IT_RIDE, "3d", {"let_it_ride": 25}, {"payout_limit": 1000}),
]


def check_against_the_brute_force(
    id: str, cards: str, bet: dict[str, Any], *, how: dict[str, Any]
) -> None:
    found = seen(id, cards, bet, **how)
    others = how.get("others", 0)
    selections = {name: value for name, value in how.items() if name != "others"}
    game = game_of(id, selections, bet, meters={k: str(v) for k, v in found.meters.items()})
    other = odds_seen.analyze(game, cards)
    assert dict(found.distribution) == other.distribution
    assert found.average_wagered == other.average_wagered
    envied = others * odds_seen.envy(game, cards) if others else 0
    assert found.expected_value == other.mean + envied
    check_analysis(found)


@pytest.mark.parametrize(("id", "cards", "bet", "how"), CASES)
def test_analysis_matches_the_brute_force(
    id: str, cards: str, bet: dict[str, Any], how: dict[str, Any]
) -> None:
    check_against_the_brute_force(id, cards, bet, how=dict(how))


@pytest.mark.long
@pytest.mark.timeout(1200)  # Two groups of cards, counted together twice over.
@pytest.mark.parametrize(("id", "cards", "bet", "how"), CASES_LONG)
def test_analysis_matches_the_brute_force_with_more_cards(
    id: str, cards: str, bet: dict[str, Any], how: dict[str, Any]
) -> None:
    check_against_the_brute_force(id, cards, bet, how=dict(how))


@pytest.mark.parametrize(
    ("id", "cards", "known", "shown"),
    [
        (MARYLAND, "Qs 6d 3c", "Kd", ""),
        (MARYLAND, "Qs 6d 3c", "Jd 4h 2c", ""),
        (CALIFORNIA, "Qs 6d 3c", "2d", "Jd"),
        (CALIFORNIA, "4s 6d 3c", "2d 9h", "Jd"),
        (FLORIDA, "As 6d 3c", "Ad Ah", ""),
    ],
)
def test_advice_matches_the_brute_force(id: str, cards: str, known: str, shown: str) -> None:
    game = game_of(id, {}, {"ante": 1})
    found = advise(
        table(id),
        parse_cards(cards),
        shown=parse_cards(shown) if shown else (),
        seen=parse_cards(known),
    )
    other = odds_seen.advise(game, cards, known, shown=shown)
    assert {choice.name: choice.value for choice in found.choices} == other


def test_advice_with_community_cards_seen() -> None:
    """Bet 1 with the first card, and bet 2 with both: what is known is not drawn."""
    rules = table(LET_IT_RIDE)
    cards, first, second = (parse_cards(text) for text in ("Ts 9s 2s", "3s", "4s"))
    sure = advise(rules, cards, community=first, seen=second)
    assert {c.name: c.value for c in sure.choices} == {"ride": 24, "withdraw": 16}
    assert {c.name: c.value for c in advise(rules, cards, seen=(*first, *second)).choices} == {
        "ride": 24,
        "withdraw": 16,
    }
    # With the first card seen, both bets are decided with what bet 2 would be decided with.
    found = advise(rules, cards, seen=first)
    later = brute_advise(game_of(LET_IT_RIDE, {}, {"let_it_ride": 1}), "Ts 9s 2s", community="3s")
    each = later["withdraw"]
    assert {c.name: c.value for c in found.choices} == {"ride": 3 * each, "withdraw": 2 * each}


def test_advice_adds_up_to_the_analysis() -> None:
    """Over all hands, the best choice with cards seen is worth what the analysis says."""
    rules, known = table(MARYLAND), parse_cards("Qd 8h 3c")
    whole, hands = Fraction(0), 0
    for cards in triples().cards[::40].tolist():
        held = tuple(DECK[card] for card in cards)
        if not {*held} & {*known}:
            best = advise(rules, held, seen=known)
            whole, hands = whole + max(c.value for c in best.choices), hands + 1
    exact = analyze(rules, seen=known)
    assert hands > 400
    assert (
        abs(float(whole / hands - exact.expected_value)) < 5 * exact.standard_deviation / hands**0.5
    )


def test_every_wager_on_its_own() -> None:
    found = analyses(small(*WITH_LANTERN), seen=parse_cards("As Ah"))
    assert [[*one.bet] for one in found] == [["watch"], ["lantern"]]
    # Two aces make a pair; of the other fifty cards two make it three of a kind.
    assert found[1].expected_value == Fraction(48 * 1 + 2 * 25, 50)
    for one in found:
        check_analysis(one)


# ---------------------------------------------------------------- what can't be seen


@pytest.mark.parametrize(
    ("id", "cards", "says"),
    [
        (MARYLAND, "As Ks Qs Js", "seen: 4 are too many: there are 3"),
        (LET_IT_RIDE, "As Ks Qs", "seen: 3 are too many: there are 2"),
        (
            CALIFORNIA,
            "As Ks Qs",
            "seen: 3 are too many: there are 2 besides the one that is shown",
        ),
    ],
)
def test_seeing_more_cards_than_there_are_is_refused(id: str, cards: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        analyze(table(id), seen=parse_cards(cards))
    assert str(caught.value) == says


def test_a_card_is_in_one_place() -> None:
    rules = table(MARYLAND)
    with pytest.raises(UserError, match="As appears twice"):
        advise(rules, parse_cards("As 6d 3c"), seen=parse_cards("As"))
    with pytest.raises(UserError, match=r"seen: \S+ appears twice"):
        analyze(rules, seen=[DECK[51], DECK[51]])


def test_the_commands() -> None:
    data = run("analyze", MARYLAND, "--bet", "ante=1", "--seen", "Kd", "--json").data
    assert data["analyses"][0]["expected_value"] == str(
        seen(MARYLAND, "Kd", {"ante": 1}).expected_value
    )
    ran = run("advise", MARYLAND, "--cards", "Qs 6d 3c", "--seen", "Jd 4h 2c")
    assert ran.code == 0 and "Play (best)  +1.000000  1" in ran.out
    bad = run("advise", MARYLAND, "--cards", "Qs 6d 3c", "--seen", "Jx")
    assert (bad.code, bad.out) == (2, "")
    assert bad.err.startswith("croupier: --seen: ")
