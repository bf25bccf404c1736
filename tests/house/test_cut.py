"""The players' cut at a live table: contributions, reveals, those withheld, and crashes between."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import CroupierError, ParseError, Refused
from croupier.fairness import checker
from croupier.fairness.cut import CONTRIBUTIONS_MAX, contribution_hash, document_of, order_of
from croupier.house import dealer
from croupier.house.books import Books
from croupier.house.clock import CUT_MS
from croupier.ledger.audit import Auditor
from croupier.ledger.journal import Record, decode
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from croupier.round.codec import event_from
from croupier.round.record import record_of
from tests.house.floor import (
    FAST,
    KEY,
    Clock,
    OpenPit,
    Player,
    bet_all,
    deal_on,
    deal_until,
    one_table,
    opened,
    pit_at,
    play,
    refused,
    rules_of,
)
from tests.rules.books import IDS, MARYLAND, SINGAPORE

HOUSE = one_table(MARYLAND)


def value_of(player: Player) -> str:
    return f"the contribution of {player.id}, whoever they may be"


async def contribute(player: Player, **fields: Any) -> int:
    round = fields.pop("round", None) or player.pit.scene()["round"]
    hash = contribution_hash(round, player.id, value_of(player))
    return await player.ask("contribute", round=round, hash=fields.pop("hash", hash), **fields)


async def reveal(player: Player, **fields: Any) -> int:
    round = fields.pop("round", None) or player.pit.scene()["round"]
    value = fields.pop("value", value_of(player))
    return await player.ask("reveal", round=round, value=value, **fields)


async def events(pit: OpenPit, of: str = "") -> list[dict[str, Any]]:
    rows = await pit.books.read(lambda view: [decode(row.data) for row in view.stream("t")])
    return [{**record.event} for record in rows if not of or record.of == of]


async def kinds(pit: OpenPit, of: str = "") -> list[str]:
    return [event["type"] for event in await events(pit, of)]


async def bet(*players: Player) -> None:
    for player in players:
        await bet_all(player, int(player.id[1:]))


async def finish(pit: OpenPit) -> None:
    """Let the dealer choose for everybody, to the end of the round."""
    await deal_until(pit, "over")


# ---------------------------------------------------------------- a round with a cut


@pytest.mark.parametrize("id", IDS)
def test_contributions_permute_the_committed_deck(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await opened(pit, 1, 2, 3)
        banker = (pit.scene()["banker"] or {}).get("seat")
        await bet(*(player for player in players if player.id != f"p{banker}"))
        for player in players:
            await contribute(player)
        table = pit.tables["t"]
        deck, commitment = table.deck, table.place.standing.commitment
        assert deck and commitment
        assert await deal_on(pit) == "deal"
        assert pit.scene()["phase"] == "dealing"
        assert not pit.scene()["faces"]
        for player in players:
            assert not any(box["cards"] for box in pit.scene()["boxes"].values())
            await reveal(player)
        assert await deal_on(pit) == "cut"
        order = order_of(commitment, map(value_of, players))
        for player in players:
            await player.look()
            if player.id != f"p{banker}":
                cards = pit.scene()["boxes"][player.id[1:]]["cards"]
                known = {str(at): str(deck.deck[order[at]]) for at in cards}
                assert known.items() <= player.own.items()
        await finish(pit)
        standing = table.place.standing
        assert standing.round
        faces = standing.round.faces
        assert faces
        assert {at: str(deck.deck[order[at]]) for at in faces} == {
            at: str(card) for at, card in faces.items()
        }
        assert pit.scene()["cut"] == {
            "hashes": {
                p.id: contribution_hash(commitment.round, p.id, value_of(p)) for p in players
            },
            "values": {p.id: value_of(p) for p in players},
            "made": True,
            "contributed": 3,
            "withheld": 0,
        }
        plain = (await events(pit, "fairness"))[1:]
        assert [event["type"] for event in plain] == [
            *["Contributed"] * 3,
            *["Revealed"] * 3,
            "DeckCut",
        ]

    declared = "progressive_rate = 0.3\nprogressive_reset = 1000" if id == SINGAPORE else ""
    play(tmp_path, one_table(id, declared), scenario)


def test_the_document_of_a_cut_round_is_proven(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await closed(pit)
        await reveal(one)
        await finish(pit)
        table = pit.tables["t"]
        standing = table.place.standing
        assert standing.round and table.deck
        told = [event_from(event) for event in await events(pit, "round")]
        record = record_of(standing.table.rules, {}, told)
        document = document_of(table.deck, standing.cut, standing.round.faces, record)
        cards = checker.check(
            json.loads(json.dumps(document)),
            commitment=pit.scene()["commitment"],
            contribution=value_of(one),
        )
        assert len(cards) == len(standing.round.faces) > 0
        words = checker.report(document, contribution=value_of(two))[1]
        assert words == "NOT PROVEN: your contribution is not in its cut."
        assert "Contributions to the cut: 1 revealed, 1 withheld." in checker.report(document)[1]

    play(tmp_path, HOUSE, scenario)


def test_a_seat_that_is_passed_on_keeps_nobody_out_of_the_cut(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (honest,) = await opened(pit, 1)
        for number in range(CONTRIBUTIONS_MAX - 1):
            other = Player(pit, pit.tables["t"], f"other{number}")
            await pit.cage.fill(other.id, 1_000_00)
            await other.ask("sit", seat=2)
            await contribute(other)
            await other.ask("leave", seat=2)
        last = Player(pit, pit.tables["t"], "last")
        await pit.cage.fill(last.id, 1_000_00)
        await last.ask("sit", seat=2)
        fault = await refused(contribute(last))
        assert fault.code == "cut_full" and "had a seat before you" in str(fault)
        await contribute(honest)
        assert len(pit.scene()["cut"]["hashes"]) == CONTRIBUTIONS_MAX

    play(tmp_path, HOUSE, scenario)


def test_a_round_without_contributions_is_what_it_always_was(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await bet(one)
        before = len(await events(pit))
        assert await deal_on(pit) == "deal"
        assert await kinds(pit, "fairness") == ["DeckCommitted"]
        dealt = (await kinds(pit))[before:]
        assert [kind for kind in dealt if kind != "Confirmed"][:3] == [
            "BetsClosed",
            "FirstCardDealt",
            "Dealt",
        ]
        assert pit.scene()["phase"] == "decide"

    play(tmp_path, HOUSE, scenario)


# ---------------------------------------------------------------- time


def test_the_table_waits_two_seconds_for_a_withholder_and_not_at_all_otherwise(
    tmp_path: Path,
) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        one, two = await closed(pit)
        table = pit.tables["t"]

        def left_ms() -> int:
            due = table.notes.clock.due_ms
            assert due is not None
            return due - table.books.clocks.wait_ms()

        assert left_ms() == CUT_MS == 2_000
        clock.now_s += 0.5
        await reveal(one)
        assert left_ms() == 1_500  # A reveal gives nobody more time.
        await reveal(two)
        assert left_ms() <= 0

    play(tmp_path, HOUSE, scenario, clock=clock)


def test_a_lone_player_with_a_contribution_waits_only_for_the_own_reveal(tmp_path: Path) -> None:
    config = one_table(MARYLAND, timing=FAST)

    async def scenario(pit: OpenPit) -> None:
        one = await contributed(pit)
        await reveal(one)
        began = asyncio.get_running_loop().time()
        await until(lambda: pit.scene()["phase"] == "decide")
        assert asyncio.get_running_loop().time() - began < 1
        assert pit.scene()["cut"]["withheld"] == 0

    asyncio.run(at_real_time(tmp_path, config, scenario))


def test_a_table_goes_on_without_a_withholder_by_its_own_clock(tmp_path: Path) -> None:
    """How long it waits is counted above: here a busy machine may take its time."""

    async def scenario(pit: OpenPit) -> None:
        began = asyncio.get_running_loop().time()
        await contributed(pit)
        await until(lambda: pit.scene()["phase"] == "decide")
        assert asyncio.get_running_loop().time() - began > 1.9
        assert pit.scene()["cut"]["withheld"] == 1

    asyncio.run(at_real_time(tmp_path, HOUSE, scenario))


async def closed(pit: OpenPit) -> list[Player]:
    """Close the bets of two players who have contributed; return them."""
    one, two = await opened(pit, 1, 2)
    await bet(one, two)
    await contribute(one)
    await contribute(two)
    await deal_on(pit)
    return [one, two]


async def contributed(pit: OpenPit) -> Player:
    """Let the dealer close the bets of a player who has contributed; return the player."""
    pit.deal()
    (one,) = await opened_by_dealer(pit)
    await bet(one)
    await contribute(one)
    await one.ask("ready", seat=1)
    await until(lambda: pit.scene()["phase"] == "dealing")
    return one


async def at_real_time(folder: Path, config: Any, scenario: Any) -> None:
    store = SqliteStore(folder / "ledger.db", make=True)
    books = Books(store, KEY)
    pit = OpenPit(config, books)
    await pit.start(deals=False)
    try:
        await scenario(pit)
    finally:
        await pit.stop()
        books.close()
        store.close()


async def opened_by_dealer(pit: OpenPit) -> list[Player]:
    player = Player(pit, pit.tables["t"], "p1")
    await pit.cage.fill(player.id, 1_000_00)
    await player.ask("sit", seat=1)
    await until(lambda: pit.scene()["phase"] == "bets")
    return [player]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.005)


# ---------------------------------------------------------------- withheld, late, twice, foreign


def test_a_withheld_contribution_is_left_out_and_counted(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await opened(pit, 1, 2)
        for number in range(2):
            await bet(one, two)
            await contribute(one)
            await contribute(two)
            await deal_on(pit)
            await reveal(one)
            assert await deal_on(pit) == "cut"  # As after two seconds.
            assert (await refused(reveal(two))).code == "cut_made"
            await finish(pit)
            cut = pit.scene()["cut"]
            assert cut["values"] == {"p1": value_of(one)}
            assert (cut["contributed"], cut["withheld"]) == (2 * number + 2, number + 1)
            standing = pit.tables["t"].place.standing
            assert standing.commitment
            assert standing.cut.order == order_of(standing.commitment, [value_of(one)])
            await deal_until(pit, "bets")
        made = [event for event in await events(pit) if event["type"] == "DeckCut"]
        assert [event["withheld"] for event in made] == [["p2"], ["p2"]]

    play(tmp_path, HOUSE, scenario)


def test_the_deck_stays_as_it_is_if_everybody_withholds(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await bet(one)
        await contribute(one)
        await deal_on(pit)
        assert await deal_on(pit) == "cut"
        table = pit.tables["t"]
        assert table.deck and table.place.standing.cut.order == ()
        await one.look()
        assert one.own == {at: str(table.deck.deck[int(at)]) for at in one.own} != {}
        await finish(pit)

    play(tmp_path, HOUSE, scenario)


def test_what_comes_at_the_wrong_time_is_refused_with_a_code(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        stranger = Player(pit, pit.tables["t"], "p9")
        assert (await refused(contribute(stranger, round="t-1"))).code == "not_your_seat"
        one, two = await opened(pit, 1, 2)
        assert (await refused(contribute(stranger))).code == "not_your_seat"
        await bet(one, two)
        assert (await refused(contribute(one, round="t-0"))).code == "other_round"
        await contribute(one)
        assert (await refused(contribute(one))).code == "contributed"
        early = await refused(reveal(one))
        assert early.code == "bets_open"
        assert "until betting has closed" in early.message
        await deal_on(pit)
        assert (await refused(contribute(two))).code == "bets_closed"
        assert (await refused(reveal(two))).code == "not_contributed"
        assert (await refused(reveal(two, value=value_of(one)))).code == "not_contributed"
        assert (await refused(reveal(one, value=value_of(two)))).code == "wrong_value"
        assert (await refused(reveal(one, round="t-0"))).code == "other_round"
        await reveal(one)
        assert (await refused(reveal(one))).code == "revealed"
        await deal_on(pit)
        assert (await refused(reveal(one))).code == "cut_made"
        await finish(pit)
        assert (await refused(reveal(one))).code == "no_round"
        await deal_until(pit, "bets")
        # A reveal of the round before, played again.
        assert (await refused(reveal(one, round="t-1"))).code == "other_round"
        assert await kinds(pit, "fairness") == [
            "DeckCommitted",
            "Contributed",
            "Revealed",
            "DeckCut",
            "DeckCommitted",
        ]

    play(tmp_path, HOUSE, scenario)


def test_a_hash_copied_from_another_player_can_never_be_revealed(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await opened(pit, 1, 2)
        await bet(one, two)
        await contribute(one)
        await contribute(two, hash=pit.scene()["cut"]["hashes"]["p1"])
        await deal_on(pit)
        await reveal(one)
        assert (await refused(reveal(two, value=value_of(one)))).code == "wrong_value"
        await deal_on(pit)
        assert pit.scene()["cut"]["withheld"] == 1
        await finish(pit)

    play(tmp_path, HOUSE, scenario)


def test_the_same_id_contributes_and_reveals_once(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await bet(one)
        first = await contribute(one, id="mine")
        assert await contribute(one, id="mine") == first
        await deal_on(pit)
        second = await reveal(one, id="shown")
        assert await reveal(one, id="shown") == second
        await deal_on(pit)
        assert await reveal(one, id="shown") == second  # Even after the deal.
        reused = await refused(reveal(one, id="shown", value="x" * 40))
        assert reused.code == "command_reused"
        await finish(pit)

    play(tmp_path, HOUSE, scenario)


@pytest.mark.parametrize(
    ("type", "fields", "field"),
    [
        ("contribute", {"round": "t-1", "hash": "ab"}, "hash"),
        ("contribute", {"round": "t-1", "hash": "AB" * 32}, "hash"),
        ("contribute", {"round": "t-1", "hash": 7}, "Contribute.hash"),
        ("contribute", {"round": "t-1"}, "Contribute.hash"),
        ("reveal", {"round": "t-1", "value": "short"}, "value"),
        ("reveal", {"round": "t-1", "value": "x" * 129}, "value"),
        ("reveal", {"round": "t-1", "value": "x" * 32, "seat": 1}, "Reveal.seat"),
    ],
)
def test_sizes_and_fields_are_strict(
    tmp_path: Path, type: str, fields: dict[str, Any], field: str
) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        with pytest.raises(ParseError) as error:
            await one.ask(type, **fields)
        assert error.value.field == field

    play(tmp_path, HOUSE, scenario)


def test_a_round_whose_cards_cannot_be_dealt_after_the_close_is_called_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_old(*_: Any, **__: Any) -> None:
        raise Refused("deck_too_old", "the deck must be changed first")

    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        had = pit.books.purse_cents(one.id)
        await bet(one)
        await contribute(one)
        await deal_on(pit)
        await reveal(one)
        monkeypatch.setattr(dealer, "deal", too_old)
        assert await deal_on(pit) == "cut"
        assert "the deck must be changed first" in pit.scene()["void"]["says"]
        assert pit.books.purse_cents(one.id) == had

    play(tmp_path, HOUSE, scenario)


def test_a_player_who_leaves_may_still_reveal_and_is_counted_otherwise(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two, three = await opened(pit, 1, 2, 3)
        await bet(one)
        await contribute(two)
        await contribute(three)
        await two.ask("leave", seat=2)
        await three.ask("leave", seat=3)
        await deal_on(pit)
        await reveal(two)
        await deal_on(pit)
        assert pit.scene()["cut"]["values"] == {"p2": value_of(two)}
        assert pit.scene()["cut"]["withheld"] == 1
        await finish(pit)

    play(tmp_path, HOUSE, scenario)


# ---------------------------------------------------------------- crashes and audits


@pytest.mark.parametrize("crash", ["contributed", "closed", "half revealed", "revealed"])
def test_a_table_that_crashed_goes_on_with_the_same_contributions(
    tmp_path: Path, crash: str
) -> None:
    file, clock = tmp_path / "ledger.db", Clock()

    async def before() -> tuple[Any, ...]:
        async with pit_at(file, HOUSE, clock=clock) as pit:
            one, two = await opened(pit, 1, 2)
            await bet(one, two)
            await contribute(one)
            await contribute(two)
            if crash != "contributed":
                await deal_on(pit)
            if crash in ("half revealed", "revealed"):
                await reveal(one)
            if crash == "revealed":
                await reveal(two)
            standing = pit.tables["t"].place.standing
            return standing.cut, standing.commitment, pit.tables["t"].deck

    async def after(cut: Any, commitment: Any, deck: Any) -> None:
        async with pit_at(file, HOUSE, clock=clock) as pit:
            table = pit.tables["t"]
            assert (table.place.standing.cut, table.deck) == (cut, deck)
            one, two = (Player(pit, table, id) for id in ("p1", "p2"))
            if crash == "contributed":
                assert (await refused(contribute(one))).code == "contributed"
                await deal_on(pit)
            if crash in ("contributed", "closed"):
                await reveal(one)
            if crash != "revealed":
                await reveal(two)
            assert await deal_on(pit) == "cut"
            order = order_of(commitment, [value_of(one), value_of(two)])
            assert table.place.standing.cut.order == order
            await one.look()
            assert one.own == {at: str(deck.deck[order[int(at)]]) for at in one.own} != {}
            await finish(pit)
            found = await pit.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()

    asyncio.run(after(*asyncio.run(before())))


def test_a_round_resumed_after_its_cut_keeps_its_order(tmp_path: Path) -> None:
    file, clock = tmp_path / "ledger.db", Clock()

    async def before() -> dict[str, str]:
        async with pit_at(file, HOUSE, clock=clock) as pit:
            (one,) = await opened(pit, 1)
            await bet(one)
            await contribute(one)
            await deal_on(pit)
            await reveal(one)
            await deal_on(pit)
            await one.look()
            return one.own

    async def after(own: dict[str, str]) -> None:
        async with pit_at(file, HOUSE, clock=clock) as pit:
            one = Player(pit, pit.tables["t"], "p1")
            await one.look()
            assert one.own == own != {}
            assert pit.scene()["cut"]["contributed"] == 1
            await finish(pit)

    asyncio.run(after(asyncio.run(before())))


Forge = Callable[[list[Record]], list[Record]]


def changed(kind: str, **fields: Any) -> Forge:
    def forge(records: list[Record]) -> list[Record]:
        return [
            record._replace(event={**record.event, **fields})
            if record.event["type"] == kind
            else record
            for record in records
        ]

    return forge


def moved(kind: str, *, before: str) -> Forge:
    def forge(records: list[Record]) -> list[Record]:
        (one,) = (record for record in records if record.event["type"] == kind)
        others = [record for record in records if record is not one]
        at = next(n for n, record in enumerate(others) if record.event["type"] == before)
        return [*others[:at], one, *others[at:]]

    return forge


def left_out(kind: str) -> Forge:
    return lambda records: [record for record in records if record.event["type"] != kind]


FORGERIES: dict[str, Forge] = {
    "a value that nobody committed to": changed("Revealed", value="x" * 40),
    "a reveal by somebody else": changed("Revealed", player="p7"),
    "a hash of another round": changed("Contributed", round="t-9"),
    "a cut of another round": changed("DeckCut", round="t-9"),
    "a withheld one who is not": changed("DeckCut", withheld=["p1"]),
    "a reveal before betting closed": moved("Revealed", before="BetsClosed"),
    "a contribution after betting closed": moved("Contributed", before="Revealed"),
    "a reveal after the cut": moved("Revealed", before="FirstCardDealt"),
    "a cut after the deal": moved("DeckCut", before="Chose"),
    "no cut at all": left_out("DeckCut"),
    "no contribution": left_out("Contributed"),
}


def test_verify_finds_a_forged_cut(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await bet(one)
        await contribute(one)
        await deal_on(pit)
        await reveal(one)
        await finish(pit)

        rows = await pit.books.read(lambda view: list(view.stream("t")))
        records = [decode(row.data) for row in rows]

        def is_found(forge: Forge) -> bool:
            auditor = Auditor("t", rules_of)
            try:
                for record in forge(records):
                    auditor.entries(record)
            except CroupierError:
                return True
            return False

        assert not is_found(lambda records: records)
        assert [name for name, forge in FORGERIES.items() if not is_found(forge)] == []

    play(tmp_path, HOUSE, scenario)
