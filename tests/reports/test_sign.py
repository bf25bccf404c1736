"""A sign says what the table pays: every row of every paytable, and nothing else."""

import re
from typing import Any

import pytest

from croupier.reports.sign import Panel, Sign, sign_of
from croupier.rules.load import load_file
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars, hand_says, payout_says
from tests.reports.tables import FULL, every_letter, table
from tests.rules.books import CALIFORNIA, DATA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, each_book


def panel(sign: Sign, title: str) -> Panel:
    return next(panel for panel in sign.panels if panel.title == title)


def expected_rows(rules: TableRules) -> set[tuple[str, str, str]]:
    """Label, hand and payout of every row that somebody can win at this table."""
    rows = set()
    for part in (rules.wagers, rules.bonuses, rules.envies):
        for item in part.values():
            if not item.paytable:
                continue
            paytable = rules.paytables[item.paytable]
            maker = rules.wagers.get(getattr(item, "makers", ""))
            sizes = maker.sizes.of if maker and maker.sizes else ()
            for row in paytable.rows:
                if row.stake is None or row.stake in sizes:
                    hand = hand_says(row).lower()
                    rows.add((item.label, hand, payout_says(paytable, row)))
    return rows


@pytest.mark.parametrize(("id", "selections"), every_letter())
def test_every_row_that_can_be_won_is_posted_with_its_payout(
    id: str, selections: dict[str, Any]
) -> None:
    rules = table(id, selections)
    shown = {
        (panel.title, row[0].lower(), cell)
        for panel in sign_of(rules).panels
        for row in panel.rows
        for cell in row[1:]
    }
    wanted = expected_rows(rules)
    assert wanted
    assert wanted - shown == set()


@pytest.mark.parametrize(("id", "selections"), every_letter())
def test_nothing_is_posted_that_is_not_offered(id: str, selections: dict[str, Any]) -> None:
    rules = table(id, selections)
    judged: list[Any] = [*rules.wagers.values(), *rules.bonuses.values(), *rules.envies.values()]
    labels = {item.label for item in judged} | {"Limits", "Fees", "Rake"}
    titles = [panel.title for panel in sign_of(rules).panels]
    assert [t for t in titles if not set(t.split(" and ")) & labels] == []
    posted = {(p.title, row[0].lower()) for p in sign_of(rules).panels for row in p.rows}
    tables = {item.label for item in judged if item.paytable}
    wanted = {(label, hand) for label, hand, _ in expected_rows(rules)}
    assert {pair for pair in posted if pair[0] in tables} == wanted


def test_the_posted_sentence_is_the_books_own_where_it_has_one() -> None:
    assert sign_of(table(MARYLAND)).qualifier == "Dealer Plays with Queen High or Better"
    assert sign_of(table(SINGAPORE)).qualifier == "Dealer plays with queen high or better"
    assert sign_of(table(LET_IT_RIDE)).qualifier == ""


@each_book
def test_title_and_place_are_the_books(id: str) -> None:
    rules, sign = table(id), sign_of(table(id), house="The Grand")
    assert f"{sign.title}, {sign.place}" == rules.title
    assert (sign.house, sign.digest) == ("The Grand", rules.digest)


def test_wagers_against_the_bank_stand_side_by_side() -> None:
    contest = sign_of(table(MARYLAND)).panels[0]
    assert (contest.title, contest.heads) == ("Ante and Play", ("Ante", "Play"))
    assert contest.rows == (
        ("Beats the dealer", "1 to 1", "1 to 1"),
        ("Dealer does not qualify", "1 to 1", "returned"),
        ("Tie", "returned", "returned"),
    )


def test_envy_has_a_column_for_each_size_on_offer() -> None:
    both = panel(sign_of(table(MARYLAND, FULL[MARYLAND])), "Envy Bonus")
    assert both.heads == ("$1 wager", "$5 wager")
    assert both.rows[0] == ("Mini royal of spades", "$100", "$500")
    one = panel(sign_of(table(MARYLAND, {"progressive": "A"})), "Envy Bonus")
    assert (one.heads, one.rows[0]) == ((), ("Mini royal of spades", "$100"))


def test_meters_say_what_they_take_and_where_they_start_again() -> None:
    notes = panel(sign_of(table(MARYLAND, {"progressive": "A"})), "Three-Card Progressive Payout")
    assert "Meter rises by 14 % of each wager and resets to $1,000." in notes.notes
    several = panel(sign_of(table(MARYLAND, FULL[MARYLAND])), "Five-Card Progressive Payout")
    assert "The meters together rise by 30 % of each wager, in equal shares." in several.notes
    sums = FULL[SINGAPORE] | {"progressive_initial": 80000}
    started = panel(sign_of(table(SINGAPORE, sums)), "Progressive Jackpot").notes
    assert any("started at $80,000" in note for note in started)
    undeclared = panel(sign_of(table(SINGAPORE)), "Progressive Jackpot").notes
    assert not any("eter " in note for note in undeclared)


@pytest.mark.parametrize(
    ("selections", "says"),
    [
        ({}, "The meters together rise by 20 % of each wager, in equal shares."),
        (
            {"progressive_shares": {"mega": "1/2", "major": "1/3", "minor": "1/6"}},
            "The meters together rise by 20 % of each wager, "
            "shared mega 50 %, major 1/3 and minor 1/6.",
        ),
        (
            {"progressive_rate": "1/3"},
            "The meters together rise by 1/3 of each wager, in equal shares.",
        ),
    ],
)
def test_no_percentage_on_a_sign_is_a_fraction(selections: dict[str, Any], says: str) -> None:
    chosen = {"progressive": "E", "progressive_rate": "20%", **selections}
    notes = panel(sign_of(table(LET_IT_RIDE, chosen)), "Progressive Payout").notes
    assert says in notes
    assert "Mega meter resets to $10,000." in notes
    assert not any(re.search(r"/\d+ %", note) for note in notes)


@pytest.mark.parametrize(
    ("id", "title", "rows"),
    [
        (MARYLAND, "Limits", (("Ante", "$5 to $500"),)),
        (
            CALIFORNIA,
            "Fees",
            (("Wager up to $100", "$1"), ("Wager up to $500", "$2"),
             ("Player/dealer, a round", "$3")),
        ),
        (FLORIDA, "Rake", (("Each player and the designated player", "$1 a round"),)),
    ],
)  # fmt: skip
def test_limits_fees_and_rake_are_posted(id: str, title: str, rows: object) -> None:
    assert panel(sign_of(table(id, FULL[id])), title).rows == rows
    assert not any(p.title == title for p in sign_of(table(id)).panels)


@pytest.mark.parametrize(
    ("payer", "says"),
    [("players", "Each player"), ("designated_player", "The designated player")],
)
def test_rake_says_who_pays_it(payer: str, says: str) -> None:
    rules = table(FLORIDA, {"rake": {"payer": payer, "amount": 2}})
    assert panel(sign_of(rules), "Rake").rows == ((says, f"{dollars(200)} a round"),)


def test_the_payout_limit_is_posted_where_it_is_declared() -> None:
    with_limit = panel(sign_of(table(LET_IT_RIDE, FULL[LET_IT_RIDE])), "Let It Ride")
    assert "Payout limit: $50,000 a hand." in with_limit.notes
    without = panel(sign_of(table(LET_IT_RIDE)), "Let It Ride")
    assert not any("imit" in note for note in without.notes)


def test_a_paytable_that_the_bank_can_spoil_says_so() -> None:
    notes = panel(sign_of(table(FLORIDA)), "Pair Plus").notes
    assert "Lost if beaten by the designated player." in notes
    assert "Stake returned if the hand ties with the designated player." in notes
    pushed = panel(sign_of(table(FLORIDA, FULL[FLORIDA])), "Pair Plus").notes
    assert "Stake of a listed hand returned if beaten by the designated player." in pushed


def test_folding_is_said_of_each_side_wager() -> None:
    sign = sign_of(table(MARYLAND, FULL[MARYLAND]))
    assert "Lost if you fold." in panel(sign, "Pair Plus").notes
    assert "Kept if you fold." in panel(sign, "Six Card Bonus").notes


def test_conditions_of_a_version_are_posted() -> None:
    notes = panel(sign_of(table(MARYLAND, {"version": "7.G(2)"})), "Pair Plus").notes
    assert notes[:2] == ("Only with an Ante.", "At most 2 times the Ante.")
    both = sign_of(table(MARYLAND, {"version": "7.G(3)"})).panels[0]
    assert "Ante: at most 5 times the Pair Plus." in both.notes


def test_a_bank_that_does_not_qualify_is_no_hand_that_does() -> None:
    rules = resolve(load_file(DATA / "books/island-stud.toml"))
    sign = sign_of(rules)
    assert sign.qualifier == "Dealer plays with ace-king or better"
    notes = panel(sign, "Bet").notes
    assert "Paid by this table if the hand beats the dealer." in notes
    assert (
        "Stake returned if the hand ties with the dealer or the dealer does not qualify." in notes
    )
