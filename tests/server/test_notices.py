"""What a player has to know before the first bet is posted wherever a table is shown."""

import asyncio
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from croupier.reports.notices import Notice, notices_of
from croupier.rules.resolve import resolve
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book, each_book
from tests.server.attacks.houses import open_house

FEES = [{"up_to": 50, "fee": 1}, {"up_to": 200, "fee": 2}]
RAKE = {"payer": "designated_player", "amount": 1}


def posted(id: str, **selections: Any) -> dict[str, Notice]:
    return {notice.about: notice for notice in notices_of(resolve(book(id), selections))}


@each_book
def test_limits_and_the_qualifying_hand_are_posted(id: str) -> None:
    rules = resolve(book(id), {})
    found = posted(id)
    first = next(wager.label for wager in rules.wagers.values())
    assert first in found["limits"].says and "any amount" in found["limits"].says
    assert ("qualifier" in found) == (rules.bank.qualifier is not None)
    known = book(id).rules.clause
    unknown = [
        n for n in notices_of(rules) if n.clause not in known and n.ruling not in rules.rulings
    ]
    assert unknown == []


def test_limits_are_the_tables_own() -> None:
    limits = {"ante": [5, 500], "pair_plus": [5, 200]}
    found = posted(MARYLAND, limits=limits, progressive="A", progressive_wager=[1, 5])
    assert found["limits"].says == (
        "Ante $5 to $500, Pair Plus $5 to $200 and Three-Card Progressive Payout $1 or $5"
    )
    assert found["qualifier"].says == "Dealer Plays with Queen High or Better"
    assert "3 equal bets" in posted(LET_IT_RIDE)["limits"].says


@pytest.mark.clause(CALIFORNIA, "fees")
def test_fees_are_posted_with_their_brackets_and_the_bankers() -> None:
    found = posted(CALIFORNIA, fees=FEES, player_dealer_fee=2)["fee"]
    assert found.clause == "fees"
    assert found.says == (
        "$1 up to $50 and $2 up to $200 on each Ante and Bonus wager, taken before the deal; "
        "$2 a round from the player/dealer"
    )
    assert posted(CALIFORNIA)["fee"].says == "none"


@pytest.mark.clause(FLORIDA, "rake.c")
def test_a_rake_is_posted_with_who_pays_it() -> None:
    for payer, clause, who in (
        ("all", "rake.a", "each player and the designated player"),
        ("players", "rake.b", "each player"),
        ("designated_player", "rake.c", "the designated player"),
    ):
        found = posted(FLORIDA, rake={"payer": payer, "amount": 1})["rake"]
        assert (found.clause, found.says) == (clause, f"$1 a round from {who}")
    assert posted(FLORIDA)["rake"].says == "none"


def test_a_payout_limit_is_posted_or_that_there_is_none() -> None:
    found = posted(LET_IT_RIDE, payout_limit=50_000)["payout_limit"]
    assert (found.clause, found.says) == ("2.B(10)", "at most $50,000 a hand")
    assert posted(LET_IT_RIDE)["payout_limit"].says == "none"
    assert "payout_limit" not in posted(SINGAPORE)


def test_where_payoffs_end_is_posted_where_players_bank() -> None:
    assert "collections" in posted(CALIFORNIA)["payoff_limit"].says
    assert "never more" in posted(CALIFORNIA, payoff_limit="wager")["payoff_limit"].says
    assert "dead" in posted(FLORIDA)["payoff_limit"].says


def test_what_a_wager_needs_is_posted_with_its_clause() -> None:
    rules = resolve(book(MARYLAND), {"version": "7.G(3)"})
    needs = [notice for notice in notices_of(rules) if notice.about == "condition"]
    assert {notice.clause for notice in needs} == {"7.G(3)"}
    assert ("Ante", "At most 5 times the Pair Plus") in {(n.title, n.says) for n in needs}


TABLES = f"""
[[table]]
id = "ca"
rulebook = "{CALIFORNIA}"
[table.selections]
limits = {{ ante = [5, 200] }}
fees = [{{ up_to = 50, fee = 1 }}]

[[table]]
id = "fl"
rulebook = "{FLORIDA}"
[table.selections]
rake = {{ payer = "designated_player", amount = 1 }}

[[table]]
id = "ride"
rulebook = "{LET_IT_RIDE}"
[table.selections]
payout_limit = 50000
"""
SAID = {
    "ca": ("$5 to $200", "$1 up to $50", "queen high or better"),
    "fl": ("$1 a round from the designated player",),
    "ride": ("at most $50,000 a hand",),
}


@pytest.mark.clause(CALIFORNIA, "fees")
@pytest.mark.clause(FLORIDA, "rake.c")
def test_it_is_known_on_every_way_to_a_table(tmp_path: Path) -> None:
    """Felt, text table, lobby and JSON, to somebody who has not even come in."""

    async def main() -> None:
        async with open_house(tmp_path, TABLES) as house:
            asks = house.visitor().http
            for id, texts in SAID.items():
                line = await house.knock(id)
                await line.came.wait()
                ways = [
                    (await asks.get("/")).text,
                    (await asks.get("/lobby.json")).text,
                    (await asks.get("/api/tables")).text,
                    (await asks.get(f"/api/tables/{id}")).text,
                    (await asks.get(f"/tables/{id}")).text,
                    (await asks.get(f"/tables/{id}.json")).text,
                    (await asks.get(f"/tables/{id}/text")).text,
                    line.frames[0],
                ]
                for way in ways:
                    read = unescape(way).lower()
                    assert [text for text in texts if text.lower() not in read] == []

    asyncio.run(main())
