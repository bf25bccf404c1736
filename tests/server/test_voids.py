"""The public count of rounds that came to nothing, by clause and cause."""

import asyncio
from pathlib import Path

import pytest

from croupier.house import dealer
from croupier.ledger.journal import Record, StoredEvent, Vocabulary, encode
from croupier.ledger.voids import Voids
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import House, open_house, table_toml


async def bet(house: House) -> None:
    ann = await house.person("Ann Ash")
    line = await ann.line("maryland")
    await line.do("sit", seat=1)
    await house.until_phase("maryland", "bets")
    await line.do("bet", seat=1, wagers={"ante": 500})
    await line.do("ready", seat=1)
    await house.until_phase("maryland", "decide")


def test_a_round_that_is_called_off_is_counted_apart_and_verify_counts_the_same(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            http = house.visitor().http
            before = (await http.get("/api/tables/maryland/voids")).json()
            assert (before["rounds"], before["called_off"]) == (0, [])
            await bet(house)
            table = house.table("maryland")
            await table.act(lambda act: dealer.call_off(act, "interrupted", "the power failed"))
            said = (await http.get("/api/tables/maryland/voids")).json()
            [row] = said["called_off"]
            assert said["voids"] == [] and said["rounds"] == 1
            assert (row["clause"], row["ruling"], row["cause"]) == (None, "T6", "interrupted")
            assert (row["dealt"], row["count"], row["per_1000"]) == (True, 1, "1000.00")
            page = (await http.get("/tables/maryland/voids")).text
            assert "after the first card" in page and "T6" in page
            assert (await http.get("/tables/maryland/voids.json")).json()["rounds"] == 1
            lobby = (await http.get("/lobby.json")).json()["tables"][0]["voids"]
            assert lobby == {"rounds": 1, "voids": 0, "called_off": 1}
            assert "1 of 1" in (await http.get("/")).text
            found = (await house.verified()).voids["maryland"]
            assert found.as_json(said["table"]) == said
            missing = await http.get("/api/tables/nowhere/voids")
            assert missing.status_code == 404

    asyncio.run(main())


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (["Opened", "wrong", "Closed"], {("9.E", False): 1}),
        (["Opened", "Dealt", "wrong", "Closed"], {("9.E", True): 1}),
        (["Opened", "Dealt", "Closed", "Opened", "wrong", "Closed"], {("9.E", False): 1}),
        (["Opened", "Dealt", "harmless", "Closed"], {}),
    ],
)
def test_a_void_by_the_book_is_counted_before_and_after_the_deal(
    events: list[str], expected: dict[tuple[str, bool], int]
) -> None:
    stored: list[tuple[Vocabulary, dict[str, object]]] = []
    for word in events:
        plain: dict[str, object] = {"type": word}
        if word in ("wrong", "harmless"):
            effects = ["void"] if word == "wrong" else ["discard"]
            facts = {"kind": "wrong_number_of_cards", "effects": effects, "clause": "9.E"}
            plain = {"type": "Declared", "ruling": None, **facts}
        stored.append(("round", plain))
    found = counted(*stored)
    assert {(kind.clause, kind.dealt): n for kind, n in found.counts.items()} == expected
    assert found.rounds == events.count("Closed")


def counted(*events: tuple[Vocabulary, dict[str, object]]) -> Voids:
    """Count the events of a table, each with the vocabulary that it is of."""
    records = [Record("t", at, 0, "", of, said) for at, (of, said) in enumerate(events, 1)]
    stored = [StoredEvent(*record[:4], encode(record), b"") for record in records]
    return Voids().after(stored)


@pytest.mark.parametrize("last", ["Declared", "CalledOff"])
def test_no_more_rounds_are_void_than_there_were(last: str) -> None:
    """A void round counts as a round from then on, and when it is closed not again."""
    facts = {"kind": "misdeal", "effects": ["void"], "clause": "13.D", "ruling": None}
    events: list[tuple[Vocabulary, dict[str, object]]] = [
        ("round", {"type": "Opened"}),
        ("round", {"type": "Dealt"}),
        ("round", {"type": last, **facts}),
        ("round", {"type": "Closed"}),
    ]
    for upto in (3, 4):
        found = counted(*events[:upto])
        assert (found.rounds, sum(found.counts.values())) == (1, 1)
        assert [found.rate(count) for count in found.counts.values()] == ["1000.00"]


def test_a_misdeal_by_a_ruling_alone_is_a_void_of_the_book() -> None:
    """C8: the text has no clause on it, and the system called nothing off."""
    facts = {"kind": "misdeal", "facts": {}, "effects": ["void"], "clause": "", "ruling": "C8"}
    found = counted(
        ("table", {"type": "FirstCardDealt"}),
        ("round", {"type": "Declared", **facts}),
        ("round", {"type": "Closed"}),
    ).as_json("t")
    [row] = found["voids"]
    assert (row["clause"], row["ruling"], row["cause"]) == (None, "C8", "misdeal")
    assert (row["dealt"], row["count"], found["called_off"]) == (True, 1, [])


def test_only_declined_voids_are_counted_as_declined() -> None:
    def proposed(id: str, *, voids: bool) -> tuple[Vocabulary, dict[str, object]]:
        return "table", {"type": "Proposed", "id": id, "preview": {"voids": voids}}

    found = counted(
        proposed("1", voids=True),
        proposed("2", voids=False),
        ("table", {"type": "Declined", "id": "2"}),
        proposed("3", voids=True),
        ("table", {"type": "Declined", "id": "1"}),
    )
    assert (found.proposed, found.declined) == (2, 1)
