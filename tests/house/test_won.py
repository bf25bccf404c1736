"""M21: at a table with a dealer a progressive win stops its seat until the floor answers it."""

import tomllib
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from croupier.cards import DECK, parse_cards
from croupier.errors import Bug, Refused
from croupier.fairness.events import event_from as fairness_event_from
from croupier.house import dealer as house_dealer
from croupier.house.awards import Acting, validated
from croupier.house.next_step import next_step
from croupier.house.standing import Standing, new_standing
from croupier.ledger.entries import Posting, Setting, post
from croupier.ledger.found import award_found
from croupier.ledger.journal import Record, decode
from croupier.ledger.store import View
from croupier.ledger.verify import verify
from croupier.round.codec import event_from
from croupier.round.commands import Bet, CloseBets, Command, Deal, Open
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.record import rounds_of
from croupier.round.state import Round
from croupier.rules.words import dollars
from croupier.table.codec import event_from as table_event_from
from croupier.table.crew import APPROVERS, Approvers
from croupier.theory.wins import Wins
from tests.house.floor import OpenPit, one_table, play, rules_of, seated
from tests.house.staff import SELECTIONS, Staff, crew, refusal
from tests.rules.books import LET_IT_RIDE, MARYLAND

METER, RESET = "meter:t/progressive", 1_000_000_000
ROYAL, RIDE = "As Ks Qs", "As Ks Qs Js Ts"
SETTLE, PAY = {"type": "Settle", "seat": 2}, {"type": "Validate", "seat": 2, "wager": "progressive"}
Scenario = Callable[["Pit"], Coroutine[Any, Any, None]]


class Pit:
    """A table at which seat 2 holds a hand, and everybody who works there."""

    def __init__(self, pit: OpenPit) -> None:
        self.pit = pit
        self.seen: list[tuple[int, Standing]] = []

    @property
    def round(self) -> Round:
        round = self.pit.tables["t"].place.standing.round
        assert round is not None
        return round

    def micros(self, account: str) -> int:
        return {str(of): held for of, held in self.pit.books.balances().items()}.get(account, 0)

    def cents(self, player: str) -> int:
        return self.pit.books.purse_cents(player)

    async def arrive(self, bets: dict[int, tuple[str, ...]]) -> None:
        """Play until the dealer settles seat 2, and every seat before it is settled."""
        self.players = await seated(self.pit, *bets)
        self.dealer, self.floor = await crew(self.pit)
        self.eye = Staff(self.pit, "s1", "surveillance")
        while True:
            step = (await self.dealer.look())["next"]
            if step["command"] == {**SETTLE, "meters": {}, "validated": None, "witnessed": None}:
                return
            if step["command"] is None:
                await self._move(bets)
            else:
                await self.dealer.do(step["command"], step["of"])

    async def _move(self, bets: dict[int, tuple[str, ...]]) -> None:
        scene = self.pit.scene()
        if scene["phase"] == "bets":
            for (seat, wagers), player in zip(bets.items(), self.players, strict=True):
                for wager in wagers:
                    cents = 1_00 if wager == "progressive" else 10_00
                    await player.ask("bet", seat=seat, wager=wager, cents=cents)
            return
        seat = scene["asked"]
        player = self.players[[*bets].index(seat)]
        await player.ask("choose", seat=seat, option=scene["choices"][0]["option"])

    async def finish(self) -> None:
        """Let the dealer do what is left."""
        while self.pit.tables["t"].place.standing.in_play:
            step = (await self.dealer.look())["next"]
            await self.dealer.do(step["command"], step["of"])

    def note(self) -> None:
        """Note how the table stands, to be compared with what the journal says."""
        table = self.pit.tables["t"]
        self.seen.append((table.number, table.place.standing))

    async def records(self) -> list[Record]:
        rows = await self.pit.books.read(lambda view: list(view.stream("t")))
        return [decode(row.data) for row in rows]


def positions(book: str, bets: dict[int, tuple[str, ...]], places: tuple[str, ...]) -> list[int]:
    """Where in the deck the cards of seat 2, and of some places, lie."""
    round = Round(rules_of(book, _selections(book), ("dealer",)))
    made = [
        Bet(seat, f"p{seat}", wager, 1_00 if wager == "progressive" else 10_00)
        for seat, wagers in bets.items()
        for wager in wagers
    ]
    commands: list[Command] = [Open("x"), *made, CloseBets(), Deal()]
    for command in commands:
        for event in decide(structs.replace(round, todo=()), command):
            round = evolve(round, event)
    return [*round.boxes[2].cards, *(p for place in places for p in round.places[place])]


def _selections(book: str) -> dict[str, Any]:
    return tomllib.loads(SELECTIONS[book])


THREE: dict[int, tuple[str, ...]] = {
    1: ("ante", "progressive"),
    2: ("ante", "progressive"),
    3: ("ante", "progressive"),
}


def at_the_win(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scenario: Scenario,
    *,
    book: str = MARYLAND,
    bets: dict[int, tuple[str, ...]] = THREE,
    hand: str = ROYAL,
    more: str = "",
    approvers: Approvers = APPROVERS,
    faults: list[str] | None = None,
) -> None:
    """Play to where seat 2, which holds a hand, is settled; then run a scenario."""
    cards = parse_cards(hand)
    places = ("community",) if len(cards) > 3 else ()
    spots = dict(zip(positions(book, bets, places), cards, strict=True))
    rest = iter(card for card in DECK if card not in cards)
    deck = tuple(spots[at] if at in spots else next(rest) for at in range(52))
    monkeypatch.setattr(house_dealer, "cut", lambda cards, _: cards)
    monkeypatch.setattr(house_dealer, "shuffled", lambda _: deck)

    async def run(pit: OpenPit) -> None:
        table = Pit(pit)
        await table.arrive(bets)
        await scenario(table)

    config = one_table(book, SELECTIONS[book], more=f'things = ["dealer"]\n{more}')
    house = replace(config, approvers=approvers)
    tables = tuple(house.of_house(table) for table in config.tables)
    play(tmp_path, replace(house, tables=tables), run, faults=faults)


def test_a_win_waits_apart_and_its_meter_is_reset_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        before, purse, number = table.micros(METER), table.cents("p2"), table.pit.tables["t"].number
        await table.dealer.do(SETTLE)
        (found,) = table.round.awards.values()
        assert (found.seat, found.hand, found.two) == (2, "mini royal", False)
        records = (await table.records())[number:]
        assert [r.event["type"] for r in records] == ["MetersRead", "AwardFound"]
        pending = table.micros(f"pending:{table.round.id}/2/progressive")
        assert (pending, table.micros(METER)) == (found.cents * 10_000, RESET + before % 10_000)
        assert table.cents("p2") == purse and 2 not in table.round.order
        scene = table.pit.scene()["attended"]
        assert (scene["dealer"], scene["awaits"], scene["clause"]) == (
            "d1",
            ["floorperson"],
            "11.D(7)(c)",
        )
        (shown,) = scene["awards"]
        assert scene["line"] == "seat 2 wins $1,000.42: the floor validates it"
        assert (shown["seat"], shown["answer"], shown["hand"]) == (2, None, "mini royal")
        for command in (SETTLE, PAY):
            why = await refusal(table.dealer.do(command))
            assert why.clause == "11.D(7)(c)"
        assert table.micros(METER) == RESET + before % 10_000, "found once"
        await table.floor.do(PAY)
        others = table.cents("p1") + table.cents("p3")
        await table.dealer.do(SETTLE)
        line = next(ln for ln in table.round.lines if (ln.seat, ln.wager) == (2, "progressive"))
        assert line.paid == found.cents
        paid = sum(ln.paid + ln.returned for ln in table.round.lines if ln.seat == 2)
        assert table.cents("p2") == purse + paid
        envy = [ln for ln in table.round.lines if ln.from_seat == 2]
        assert {ln.seat for ln in envy} == {1, 3}
        assert table.cents("p1") + table.cents("p3") == others + sum(ln.paid for ln in envy)
        assert table.pit.scene()["attended"]["line"] == "dealt by d1"
        await table.finish()
        told = [event_from(r.event) for r in await table.records() if r.of == "round"]
        rules = table.round.rules
        assert [*rounds_of(rules, tuple(told))][-1].closed, "the record can be played again"

    at_the_win(tmp_path, monkeypatch, scenario)


RIDERS: dict[int, tuple[str, ...]] = dict.fromkeys((2, 3), ("let_it_ride", "progressive"))


@pytest.mark.parametrize(
    ("book", "bets", "hand", "more"),
    [
        (MARYLAND, THREE, ROYAL, ""),
        (LET_IT_RIDE, RIDERS, RIDE, "validated = 50"),
        (LET_IT_RIDE, RIDERS, "9s 8s 7s 6s 5s", "validated = 50"),
    ],
    ids=["whole meter and envy", "whole meter", "a tenth of the meter"],
)
@pytest.mark.parametrize("answer", ["pay", "defer"])
def test_the_desk_shows_what_a_validated_win_pays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    book: str,
    bets: dict[int, tuple[str, ...]],
    hand: str,
    more: str,
    answer: str,
) -> None:
    async def scenario(table: Pit) -> None:
        first = (await table.dealer.look())["settling"]
        assert table.dealer.desk["next"]["does"] == first["does"] == "Check the win first"
        assert "before anything is paid" in first["says"] and table.dealer.desk["read"] is None
        await table.dealer.do(SETTLE)
        (found,) = table.round.awards.values()
        assert found.meter == "progressive" and found.cents
        waiting = await table.dealer.look()
        assert waiting["settling"] is None
        mine = [ln["wait"] for ln in first["lines"] if ln["seat"] == 2 and ln["does"] == "wait"]
        assert mine == [waiting["awards"][0]["cents"]] == [found.cents], "it isn't paid yet"
        check, pays, *envies = waiting["awards"][0]["checks"]
        assert (check["by"], check["done"]) == (["floorperson"], False)
        assert pays["says"] == f"Then pay seat 2 {dollars(found.cents)}."
        envy = {ln["seat"]: ln["wait"] for ln in first["lines"] if ln["seat"] != 2}
        paid = [f"Then envy: seat {seat} gets {dollars(cents)}." for seat, cents in envy.items()]
        assert [one["says"] for one in envies] == paid
        assert check["clause"] == waiting["next"]["clause"]
        await table.floor.do({**PAY, "answer": answer})
        assert (await table.dealer.look())["awards"] == []
        second = table.dealer.desk["settling"]
        settled, purse = len(table.round.lines), table.cents("p2")
        await table.dealer.do(SETTLE)
        lines = table.round.lines[settled:]
        told = [(ln["seat"], ln["pay"] + ln["wait"], ln["leave"]) for ln in second["lines"]]
        assert told == [(ln.seat, ln.paid, ln.returned) for ln in lines]
        assert table.cents("p2") == purse + second["pay"] + second["leave"]
        waits = [ln["wait"] for ln in second["lines"] if ln["does"] == "wait"]
        assert waits == ([] if answer == "pay" else [found.cents])
        assert second["does"] == ""
        assert second["pay"] == first["pay"] + (found.cents if answer == "pay" else 0)
        await table.finish()

    at_the_win(tmp_path, monkeypatch, scenario, book=book, bets=bets, hand=hand, more=more)


def test_two_people_validate_a_large_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        assert [one.two for one in table.round.awards.values()] == [True]
        assert (await refusal(table.floor.do(PAY))).code == "needs_approval"
        why = await refusal(table.dealer.say("propose", of="round", command=PAY, why=""))
        assert (why.code, why.clause) == ("wrong_person", "11.D(7)(c)")
        await table.floor.say("propose", of="round", command=PAY, why="seen")
        (asked,) = (await table.floor.look())["proposals"]
        assert (asked["preview"]["clause"], asked["preview"]["ruling"]) == ("11.D(7)(c)", None)
        assert asked["preview"]["says"].startswith("As floorperson or above, validate")
        assert (await refusal(table.floor.say("approve", proposal="1"))).code == "same_person"
        assert (await refusal(table.dealer.say("approve", proposal="1"))).code == "wrong_person"
        await table.eye.say("approve", proposal="1")
        (record,) = [r for r in await table.records() if r.event["type"] == "Validated"]
        assert record.who == ("f1", "s1")
        for count in (0, 1):
            found = await table.pit.books.read(lambda view: verify(view, rules_of))
            assert (
                f"how {count} of 1 awards that waited for the floor were released" in found.proved
            )
            await table.finish()

    at_the_win(tmp_path, monkeypatch, scenario, more="witnessed = 500")


def test_a_floorperson_without_a_post_validates_unless_they_play_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        player = Staff(table.pit, "p2", "floor", "player")
        assert (await refusal(player.do(PAY))).code == "plays_here"
        other = Staff(table.pit, "f2", "floor")
        assert (await refusal(other.do({"type": "Close"}))).code == "not_tapped_in"
        await other.do(PAY)
        (record,) = [r for r in await table.records() if r.event["type"] == "Validated"]
        assert record.who == ("f2",)
        await table.finish()

    at_the_win(tmp_path, monkeypatch, scenario)


REJECT = {**PAY, "answer": "reject", "why": "the hand was dealt twice"}


def test_in_a_house_without_surveillance_another_floorperson_approves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        other = Staff(table.pit, "f2", "floor")
        await table.dealer.do(SETTLE)
        await table.floor.say("propose", of="round", command=REJECT, why="seen")
        assert (await refusal(table.floor.say("approve", proposal="1"))).code == "same_person"
        assert (await refusal(table.eye.say("approve", proposal="1"))).code == "wrong_person"
        await other.say("approve", proposal="1")
        (record,) = [r for r in await table.records() if r.event["type"] == "Validated"]
        assert (record.who, record.event["answer"]) == (("f1", "f2"), "reject")
        await table.finish()

    at_the_win(tmp_path, monkeypatch, scenario, approvers=Approvers(award=("floor",)))


def test_two_people_reject_a_win_and_it_goes_back_to_its_meter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        before = table.micros(METER)
        await table.dealer.do(SETTLE)
        assert (await refusal(table.floor.do(REJECT))).code == "needs_approval"
        silent = await refusal(
            table.floor.say("propose", of="round", command={**REJECT, "why": " "}, why="x")
        )
        assert (silent.code, silent.message) == ("bad_fact", "say why the award is rejected")
        await table.floor.say("propose", of="round", command=REJECT, why="seen")
        await table.eye.say("decline", proposal="1", why="look again")
        await table.floor.say("propose", of="round", command=REJECT, why="seen again")
        await table.eye.say("approve", proposal="2")
        assert table.micros(METER) == before and table.round.meters["progressive"] == before
        await table.dealer.do(SETTLE)
        (line,) = [ln for ln in table.round.lines if ln.wager == "progressive" and ln.seat == 2]
        assert (line.outcome, line.paid, line.ruling) == ("lose", 0, "M21")
        assert not any(ln.from_seat == 2 for ln in table.round.lines), "nobody envies it"
        await table.finish()
        assert table.micros(f"pending:{table.round.id}/2/progressive") == 0

    at_the_win(tmp_path, monkeypatch, scenario)


def test_a_deferred_win_stays_pending_and_the_round_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        id = f"{table.round.id}/2/progressive"
        award = await table.pit.books.read(lambda view: award_found(view, id, rules_of))
        acting = Acting("f1", "session")
        with pytest.raises(Refused, match="answered at its table"):
            validated(award, None, acting)
        await table.floor.do({**PAY, "answer": "defer"})
        purse = table.cents("p2")
        await table.finish()
        (line,) = [ln for ln in table.round.lines if ln.wager == "progressive" and ln.seat == 2]
        others = [ln for ln in table.round.lines if ln.seat == 2 and ln is not line]
        assert table.cents("p2") == purse + sum(ln.paid + ln.returned for ln in others)
        award = await table.pit.books.read(lambda view: award_found(view, id, rules_of))
        assert (award.player, award.micros) == ("p2", line.paid * 10_000)
        await table.pit.cage.release(award, lambda open: validated(award, open, acting))
        assert table.micros(f"pending:{id}") == 0

    at_the_win(tmp_path, monkeypatch, scenario)


def test_an_envied_hand_without_the_wager_is_validated_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bets = {**THREE, 2: ("ante",)}

    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        (found,) = table.round.awards.values()
        assert (found.cents, found.meter) == (0, None)
        assert (await refusal(table.floor.do({**PAY, "answer": "defer"}))).code == "not_allowed"
        await table.floor.do(PAY)
        await table.dealer.do(SETTLE)
        assert {ln.seat for ln in table.round.lines if ln.from_seat == 2} == {1, 3}
        await table.finish()

    at_the_win(tmp_path, monkeypatch, scenario, bets=bets)


@pytest.mark.parametrize("answered", [False, True])
def test_T13_a_void_gives_a_win_back_to_its_meter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        if answered:
            await table.floor.do(PAY)
            await table.dealer.do(SETTLE)
        # Declared as the system does: nothing that the book knows happens to virtual cards.
        await table.pit.tables["t"].act(
            lambda act: house_dealer.call_off(act, "interrupted", "a test")
        )
        assert [table.cents(f"p{seat}") for seat in THREE] == [1_000_00] * 3
        assert table.micros(METER) == RESET
        assert table.micros(f"pending:{table.round.id}/2/progressive") == 0

    at_the_win(tmp_path, monkeypatch, scenario)


@pytest.mark.parametrize("answer", ["pay", "defer", "reject", "void"])
def test_the_win_of_the_house_agrees_with_its_accounts_while_an_award_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    async def scenario(table: Pit) -> None:
        wins = Wins(rules_of)

        async def agrees() -> None:
            def unexplained(view: View) -> int:
                wins.read(view)
                return wins.unexplained_micros(view)

            assert await table.pit.books.read(unexplained) == 0

        await agrees()
        await table.dealer.do(SETTLE)
        await agrees()
        if answer == "reject":
            await table.floor.say("propose", of="round", command=REJECT, why="seen")
            await table.eye.say("approve", proposal="1")
        elif answer != "void":
            await table.floor.do({**PAY, "answer": answer})
        await agrees()
        if answer == "void":
            await table.pit.tables["t"].act(
                lambda act: house_dealer.call_off(act, "interrupted", "a test")
            )
        else:
            await table.dealer.do(SETTLE)
        await agrees()
        await table.finish()
        await agrees()

    at_the_win(tmp_path, monkeypatch, scenario)


def test_where_no_clause_asks_only_a_sum_of_the_house_stops_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bets = {2: ("let_it_ride", "progressive"), 3: ("let_it_ride", "progressive")}

    async def stops(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        step = (await table.dealer.look())["next"]
        assert (step["by"], step["clause"]) == (["floorperson"], "M21")
        why = await refusal(table.dealer.do(SETTLE))
        assert (why.code, why.clause) == ("award_open", "M21")
        await table.floor.do(step["command"])
        await table.finish()

    async def pays(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        assert 2 in table.round.order and not table.round.awards
        await table.finish()

    for number, (scenario, more) in enumerate(((stops, "validated = 500"), (pays, ""))):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = {"book": LET_IT_RIDE, "bets": bets, "hand": RIDE, "more": more}
        at_the_win(folder, monkeypatch, scenario, **options)  # type: ignore[arg-type]


def test_after_a_kill_at_any_event_of_a_win_the_journal_gives_the_table_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Pit) -> None:
        table.note()
        await table.dealer.do(SETTLE)
        table.note()
        for reject, answer in ((REJECT, "decline"), (PAY, "approve")):
            await table.floor.say("propose", of="round", command=reject, why="seen")
            table.note()
            proposal = table.pit.tables["t"].place.standing.table.proposals[0].id
            why = {"why": "no"} if answer == "decline" else {}
            await table.eye.say(answer, proposal=proposal, **why)
            table.note()
        await table.dealer.do(SETTLE)
        table.note()
        await table.finish()
        table.note()
        folded = fold(await table.records())
        for number, live in table.seen:
            again = folded[number]
            assert again == live
            assert next_step(again) == next_step(live)
        # Between the events of one append nobody looks, and still every event can be folded.
        assert [*folded] == [*range(1, len(folded) + 1)]

    at_the_win(tmp_path, monkeypatch, scenario, more="witnessed = 500")


def fold(records: list[Record]) -> dict[int, Standing]:
    """How the table stands after each event of its journal."""
    standing = new_standing(rules_of(MARYLAND, _selections(MARYLAND), ("dealer",)))
    readers: dict[str, Callable[[Any], Any]] = {
        "round": event_from,
        "table": table_event_from,
        "fairness": fairness_event_from,
        "ledger": lambda plain: plain,
    }
    folded: dict[int, Standing] = {}
    for record in records:
        standing = standing.after(record.of, readers[record.of](record.event))
        folded[record.number] = standing
    return folded


def test_a_win_paid_without_validation_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    async def scenario(table: Pit) -> None:
        await table.dealer.do(SETTLE)
        await table.floor.do(PAY)
        await table.finish()
        told.extend(event_from(r.event) for r in await table.records() if r.of == "round")

    at_the_win(tmp_path, monkeypatch, scenario)
    rules = rules_of(MARYLAND, _selections(MARYLAND), ("dealer",))
    for skipped in (("Validated",), ("AwardFound", "Validated")):
        posting = Posting(Setting("t"), Round(rules))
        with pytest.raises(Bug, match="nobody validated it"):
            for event in told:
                if type(event).__name__ not in skipped:
                    posting, _ = post(posting, event)
