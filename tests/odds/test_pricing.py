"""The prices of rulings: every reading resolved by hand, and rulings without a price."""

import re
import shlex
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from croupier.odds.analysis import analyze
from croupier.odds.pricing import NO_BET, NO_OTHER, PricedRuling, price
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import BookPath
from tests.cli.running import run
from tests.odds.bets import table
from tests.odds.small_book import dealt, small
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)

FOLD = "step.play_or_fold.option.fold.stakes"
PAIR_PLUS = "wager.pair_plus.settle"


@cache
def priced(id: str) -> dict[str, PricedRuling]:
    return {ruling.id: ruling for ruling in price(book(id))}


def value(id: str, bet: dict[str, Any], **how: Any) -> Fraction:
    """Return the expected value of a bet, with selections and an overlay on the book."""
    reading = {BookPath(path): value for path, value in how.pop("reading", {}).items()}
    return analyze(resolve(book(id), how, reading=reading), bet).expected_value


def readings(id: str, ruling: str) -> list[Fraction]:
    return [reading.expected_value for reading in priced(id)[ruling].readings]


@each_book
def test_every_ruling_is_there_in_the_order_of_the_book(id: str) -> None:
    rulings = book(id).rules.ruling
    assert list(priced(id)) == list(rulings)
    for name, ruling in priced(id).items():
        assert (ruling.clauses, ruling.problem) == (rulings[name].clauses, rulings[name].problem)


@each_book
def test_a_ruling_has_readings_only_if_one_of_them_changes_a_value(id: str) -> None:
    """Resolve again every reading that names no bet, or the same one."""
    for name, ruling in priced(id).items():
        given = book(id).rules.ruling[name]
        values = {(str(dict(r.bet)), r.expected_value) for r in ruling.readings}
        assert len(values) != 1, name
        if ruling.readings:
            assert [r.chosen for r in ruling.readings] == [True] + [False] * len(given.alternative)
            assert ruling.readings[0].says == given.choice
            assert [r.says for r in ruling.readings[1:]] == [a.says for a in given.alternative]
        elif given.bet:
            bet = {str(wager): units for wager, units in given.bet.items()}
            chosen = {str(k): v for k, v in given.selections.items()}
            found = {
                value(id, bet, **chosen, **{str(k): v for k, v in other.selections.items()},
                      reading=other.sets)
                for other in given.alternative
            }  # fmt: skip
            assert found <= {value(id, bet, **chosen)}


@pytest.mark.parametrize(
    ("id", "ruling", "expected"),
    [
        (MARYLAND, "M1", ["-330562/2544815", "-70366/363545"]),
        (MARYLAND, "M2", ["-686689/20358520", "-5132301/101792600"]),
        (
            MARYLAND,
            "M3",
            [
                *("-4833669/101792600", "-686689/20358520"),
                *("-6089059/101792600", "-4840987/101792600"),
            ],
        ),
        (SINGAPORE, "S7", ["-686689/20358520", "-11672431/50896300"]),
        (FLORIDA, "F7", ["-605757/3635450", "-17900667/101792600"]),
        (MARYLAND, "M4", ["-51249/313208", "-5253369/25448150"]),
        (MARYLAND, "M15", ["-686689/20358520", "-8094717/101792600"]),
        (MARYLAND, "M11", ["-330562/2544815", "-383987/2544815"]),
        (CALIFORNIA, "C1", ["-229314/12724075", "-489649/25448150"]),
        (CALIFORNIA, "C4", ["-157328/2544815", "-2492011/50896300", "-157328/2544815"]),
        (SINGAPORE, "S1", ["-227/221", "-223/221"]),
        (SINGAPORE, "S3", ["-227/221", "-1559/442"]),
        (LET_IT_RIDE, "L1", ["-2647/54145", "-1191/3185"]),
        (LET_IT_RIDE, "L2", ["-454/1105", "-379/1105"]),
        (LET_IT_RIDE, "L5", ["-2647/54145", "41127/216580"]),
        (FLORIDA, "F1", ["-7099023/50896300", "-7199391/50896300", "-7132479/50896300"]),
        (FLORIDA, "F2", ["-7099023/50896300", "-1549403/14541800"]),
        (FLORIDA, "F3", ["-7099023/50896300", "-484389/2544815"]),
    ],
)
def test_what_each_reading_is_worth(id: str, ruling: str, expected: list[str]) -> None:
    assert [str(value) for value in readings(id, ruling)] == expected


ANTE, BOTH = {"ante": 1}, {"ante": 1, "pair_plus": 1}


@pytest.mark.parametrize(
    ("id", "ruling", "bet", "how"),
    [
        (
            MARYLAND,
            "M2",
            ANTE,
            [
                {f"bonus.ante_bonus.settle.{state}.does": "lose" for state in lost}
                for lost in ([], ["lower", "equal", "unopposed"])
            ],
        ),
        (
            CALIFORNIA,
            "C1",
            ANTE,
            [{}, {f"wager.{wager}.settle.equal.does": "lose" for wager in ("ante", "play")}],
        ),
        (
            CALIFORNIA,
            "C4",
            BOTH,
            [{}, {f"{PAIR_PLUS}.unopposed.does": "push"}, {f"{FOLD}.pair_plus.fate": "keep"}],
        ),
        (
            FLORIDA,
            "F1",
            BOTH,
            [
                {},
                {f"wager.{w}.settle.equal.does": "lose" for w in ("ante", "play", "pair_plus")},
                {f"{PAIR_PLUS}.equal.does": "lose"},
            ],
        ),
        (FLORIDA, "F2", BOTH, [{}, {f"{PAIR_PLUS}.lower.does": "push listed"}]),
        (FLORIDA, "F3", BOTH, [{}, {f"{PAIR_PLUS}.unopposed.does": "push"}]),
    ],
)  # fmt: skip
def test_readings_match_other_tables_of_the_book(
    id: str, ruling: str, bet: dict[str, Any], how: list[dict[str, str]]
) -> None:
    assert readings(id, ruling) == [value(id, bet, reading=reading) for reading in how]


def test_readings_of_side_wagers() -> None:
    """M1, M4, M11, L1 and L5, from other tables of the book or from counts that are known."""
    six = {"six_card_bonus": 1}
    assert readings(MARYLAND, "M1")[0] == value(MARYLAND, six, six_card_bonus="A")
    # 4 super royals of 20,358,520 hands: one of diamonds for $1,000,000, three for $100,000; a
    # royal flush is paid 1,000 to 1.
    lost = Fraction(1_300_000 - 4 * 1000, 20_358_520)
    assert readings(MARYLAND, "M1")[0] - readings(MARYLAND, "M1")[1] == lost
    with_ante = {"ante": 1, "six_card_bonus": 1}
    other = value(
        MARYLAND,
        with_ante,
        six_card_bonus="A",
        reading={f"{FOLD}.six_card_bonus.fate": "forfeit"},
    )
    assert readings(MARYLAND, "M4")[1] == other
    # 1,098,240 pairs, 5 ranks of 13 from the ten up, get $2 by Paytable A.
    tens = Fraction(1_098_240 * 5, 13 * 2_598_960)
    assert readings(LET_IT_RIDE, "L1")[0] - readings(LET_IT_RIDE, "L1")[1] == tens * 2
    paid = analyze(table(LET_IT_RIDE, five_card_bonus="A"), {"five_card_bonus": 1})
    listed = sum(part.probability for part in paid.returns if part.says != "not listed")
    assert readings(LET_IT_RIDE, "L5")[1] - readings(LET_IT_RIDE, "L5")[0] == listed


def test_readings_of_progressives() -> None:
    """L2, S1 and S3, from the counts of three cards."""
    # Three more mini royals take a meter of $1,000 instead of $500.
    assert readings(LET_IT_RIDE, "L2")[1] - readings(LET_IT_RIDE, "L2")[0] == Fraction(
        3 * (1000 - 500), 22_100
    )
    # A mini royal of spades brings its holder $250 more, the other three $50.
    assert readings(SINGAPORE, "S1")[1] - readings(SINGAPORE, "S1")[0] == Fraction(400, 22_100)
    # Twice the stake for the same sums.
    assert readings(SINGAPORE, "S3")[0] - readings(SINGAPORE, "S3")[1] == Fraction(5, 2)
    assert [dict(r.bet) for r in priced(SINGAPORE)["S3"].readings] == [
        {"progressive": Fraction(5, 2)},
        {"progressive": 5},
    ]


@pytest.mark.parametrize("id", [id for id in IDS if id != LET_IT_RIDE])
@pytest.mark.parametrize("order", ["card by card", "as five cards"])
def test_no_order_of_pairs_and_better_changes_a_value(id: str, order: str) -> None:
    """T1's other readings change the order of hands from a pair up, and of nothing else.

    All of these are played, and a bank that holds one plays too. Seat and bank are dealt alike:
    for every deal in which the seat gains by another order there is one with the hands exchanged,
    in which it loses as much. What a hand is called stays, so no paytable is touched.
    """
    assert readings(id, "T1") == []
    reading = {"ranking.three_cards": order}
    for bet in (ANTE, BOTH) if id != FLORIDA else (ANTE,):
        assert value(id, bet, reading=reading) == value(id, bet)
    one, other = (
        analyze(resolve(book(id), {}, reading={BookPath(k): v for k, v in sets.items()}), ANTE)
        for sets in ({}, reading)
    )
    assert one.strategy == other.strategy
    assert one.average_wagered == other.average_wagered


@each_book
def test_a_ruling_without_a_price_says_why(id: str) -> None:
    """A ruling with other readings that can be played has a bet to compare them by."""
    for name, ruling in priced(id).items():
        given = book(id).rules.ruling[name]
        assert bool(ruling.readings) == (ruling.why is None), name
        assert ruling.why not in (NO_BET, NO_OTHER), name
        if given.alternative and not given.bet:
            # It decides when or by whom something is done, or something without a value.
            assert ruling.why and re.search("not part of these values|, and not ", ruling.why), name


@pytest.mark.parametrize(
    ("id", "ruling", "why"),
    [
        (MARYLAND, "M13", "It decides what follows when something goes wrong"),
        (LET_IT_RIDE, "M13", "It decides what follows when something goes wrong"),
        (SINGAPORE, "S4", "It decides in which order seats are asked and settled"),
        (FLORIDA, "F4", "It decides what a bank that runs short pays"),
    ],
)
def test_the_reason_for_no_price_follows_from_what_the_readings_set(
    id: str, ruling: str, why: str
) -> None:
    assert priced(id)[ruling].why == f"{why}, which is not part of these values."


def test_C3_the_command_that_shows_a_bank_that_runs_short() -> None:
    why = priced(CALIFORNIA)["C3"].why or ""
    command, select = re.findall("'(.*?)'", why)
    words = [*shlex.split(command)[1:], "--rounds", "500", "--seed", "1", "--json"]
    one, other = (run(*words, *more).data["bank"] for more in ((), shlex.split(select)))
    assert Fraction(other["short"]) > Fraction(one["short"]) > 0


def test_readings_that_change_nothing_name_the_bet() -> None:
    assert priced(CALIFORNIA)["T1"].why == "No reading changes the value of Ante."
    alone = "With no other players to envy, no reading changes the value of "
    assert priced(MARYLAND)["M5"].why == alone + "Three-Card Progressive Payout."
    found = {ruling.id: ruling.why for ruling in price(book(MARYLAND), others=2)}
    with_two = "With 2 others who make the same bet, no reading changes the value of "
    assert found["M5"] == with_two + "Three-Card Progressive Payout."


def test_a_book_that_is_not_modelled_has_rulings_without_a_price() -> None:
    """A book of five cards is read and played; its rulings have no price and say why."""
    ruling = """
[ruling.H1]
clauses = ["1"]
problem = "Ties are not mentioned."
choice  = "A tie is a push."
bet     = { watch = 1 }
[[ruling.H1.alternative]]
says = "The Keeper wins ties."
sets = { "wager.watch.settle.equal.does" = "lose" }

[clause]"""
    named = (
        'equal     = { does = "push", clause = "1" }',
        'equal     = { does = "push", clause = "1", ruling = "H1" }',
    )
    three, five = (
        price(small(("\n[clause]", ruling), named, *more))[0] for more in ((), dealt(5, 5))
    )
    assert len(three.readings) == 2 and three.why is None
    assert five.readings == ()
    assert five.why and five.why.startswith("Its readings can't be compared: the odds do not cover")


def test_the_stake_of_a_reading_is_all_that_is_bet() -> None:
    found = priced(CALIFORNIA)["C4"].readings[0]
    assert found.stake == 2
    assert found.selections == {}
