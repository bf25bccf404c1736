"""Practice for dealers: scripted rounds of every book, deviations with clause and cost."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.gallery.payout import payout_of
from croupier.round.bots import bets as posted_bets
from croupier.round.settling import hidden_from
from croupier.rules.resolve import resolve
from croupier.server import bots, practice, talk
from croupier.server.drill import Deviation, Happening, given_payout, judged_payout, report_of
from croupier.server.practice import Practice, Practices, Script, practice_config, script_bets
from tests.rules.books import CALIFORNIA, MARYLAND, book, each_book
from tests.server.attacks.houses import rules_of

SETTLING = {
    "seat": 4,
    "take": 25_00,
    "pay": 35_00,
    "lines": [
        {"clause": "11.D(3)(d)(i)", "ruling": None, "take": 25_00, "pay": 0},
        {"clause": "12.D(1)(e)", "ruling": None, "take": 0, "pay": 35_00},
    ],
}


def test_a_payout_is_two_sums_in_dollars() -> None:
    assert given_payout("25 $35.50") == (25_00, 35_50)
    for text in ("", "25", "25 35 1", "take 25"):
        with pytest.raises(Refused) if len(text.split()) != 2 else pytest.raises(Exception):
            given_payout(text)


def test_a_wrong_payout_is_named_with_its_clause_and_cost() -> None:
    assert judged_payout(SETTLING, (25_00, 35_00), round="r") is None
    short = judged_payout(SETTLING, (25_00, 30_00), round="r")
    assert short is not None
    assert (short.clause, short.cents) == ("12.D(1)(e)", 5_00)
    assert short.says.endswith("the book takes $25 and pays $35")
    taken = judged_payout(SETTLING, (20_00, 35_00), round="r")
    assert taken is not None
    assert (taken.clause, taken.cents) == ("11.D(3)(d)(i)", 5_00)


def test_a_void_that_nobody_declared_costs_what_the_seats_won_and_lost() -> None:
    void = Happening("r", "misdeal", {}, "a misdeal", "C8", {1: 20_00, 2: 10_00})
    assert void.cost({1: 0, 2: 30_00}) == 40_00
    assert void.cost({1: 20_00, 2: 10_00}) == 0
    report = report_of(
        [Deviation("r", "x", None, 1_50)], title="t", seed=1, dealt=1, of=2, settled=4, right=3
    )
    assert (report["costs"], report["rounds"], report["right"]) == ("1.50", 1, 3)


@each_book
def test_scripted_bets_follow_from_the_seed_and_differ(id: str) -> None:
    rules = resolve(book(id), {})
    bets = [script_bets(f"{number}", rules) for number in range(20)]
    assert bets == [script_bets(f"{number}", rules) for number in range(20)]
    assert len({tuple(one.items()) for one in bets}) > 1
    assert all(posted_bets(rules).keys() <= one.keys() for one in bets)


class Trainee:
    """A dealer who practises, and knows only the desk and what the script shows."""

    def __init__(self, at: Practice) -> None:
        self.at, self.number = at, 0
        self.viewer = Viewer("trainee", "You", plays=False)
        self.viewer.roles = frozenset({"dealer"})

    async def say(self, **message: Any) -> dict[str, Any]:
        self.number += 1
        text = self.at.hear(json.dumps({"id": f"t{self.number}", **message}))
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        talk.answer(self.at.table, self.viewer, text, reply=lambda said: told.set_result(str(said)))
        frame = await told
        self.at.told(frame)
        found: dict[str, Any] = json.loads(frame)
        return found

    async def deal(
        self,
        answer: Callable[[int, int], str],
        *,
        declares: bool = True,
        until: Callable[[dict[str, Any]], bool] = lambda _: False,
    ) -> None:
        """Deal until the practice is over, or until a desk is as wanted."""
        at = self.at
        for _ in range(4000):
            desk = at.gallery.desk()
            step, there = desk["next"], at.happening
            if at.is_over or until(desk):
                return
            if there and declares and there.calls:
                await self.say(type="call_floor", on=True)
                await asyncio.sleep(0.05)  # The floor comes, and declares it.
            elif there and declares:
                command = {"type": "Declare", "kind": there.kind, "facts": there.facts}
                message = {"of": "round", "command": command}
                told = await self.say(type="preview", **message)
                two = bool(told["preview"]["approve"])
                await self.say(
                    **({"type": "propose", "why": "so"} if two else {"type": "act"}), **message
                )
            elif step["command"] and "dealer" in step["posts"]:
                command = dict(step["command"])
                if step["takes"]:
                    due = payout_of(at.table.place.standing.in_play, at.table.meters())
                    assert due is not None
                    command["answer"] = answer(due["take"], due["pay"])
                await self.say(type="act", of=step["of"], command=command)
            else:
                await asyncio.sleep(0.005)
        raise AssertionError(at.gallery.desk()["next"])


def right(take: int, pay: int) -> str:
    return f"{take / 100:.2f} {pay / 100:.2f}"


def practised(id: str, *, seed: int, rounds: int, run: Any, faulty: float = 1.0) -> Any:
    async def main() -> Any:
        all_ = Practices(rules_of, script=Script(faulty=faulty, floor_s=0.001))
        at = await all_.open(id, seed=seed, rounds=rounds, hints=False)
        try:
            return await run(at)
        finally:
            await all_.close()

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "THINKS_S", 0.001)


@each_book
def test_a_dealer_who_keeps_to_the_book_has_no_deviation(id: str) -> None:
    async def run(at: Practice) -> dict[str, Any]:
        await Trainee(at).deal(right)
        return at.report()

    report = practised(id, seed=7, rounds=2, run=run)
    assert (report["rounds"], report["deviations"]) == (2, [])
    assert report["settled"] == report["right"]


def test_every_wrong_payout_is_in_the_report() -> None:
    async def run(at: Practice) -> dict[str, Any]:
        await Trainee(at).deal(lambda take, pay: right(take, pay + 1_00))
        return at.report()

    report = practised(MARYLAND, seed=7, rounds=2, run=run)
    wrong = [one for one in report["deviations"] if "you take" in one["says"]]
    assert report["right"] == 0 and len(wrong) == report["settled"] > 0
    assert all(one["clause"] and one["cents"] == 1_00 for one in wrong)
    assert report["costs"] == f"{len(wrong)}.00"


def test_a_seat_that_a_win_stops_is_judged_once() -> None:
    """It is settled once its win is validated (11.D(7)), and the payout is on the desk by then."""
    found: list[int] = []

    async def run(at: Practice) -> dict[str, Any]:
        def follow(now: Any, _: Any) -> None:
            round = now.standing.round
            if round and round.closed:
                found.append(len(round.awards))

        at.table.listeners.append(follow)
        await Trainee(at).deal(right)
        return at.report()

    report = practised(MARYLAND, seed=6, rounds=4, run=run, faulty=0)
    assert sum(found) > 0
    assert report["settled"] == report["right"] == 4 * Script().players


def test_what_goes_wrong_and_is_not_declared_is_named_with_what_it_costs() -> None:
    async def run(at: Practice) -> dict[str, Any]:
        await Trainee(at).deal(right, declares=False)
        return at.report()

    report = practised(CALIFORNIA, seed=3, rounds=3, run=run)
    missed = [one for one in report["deviations"] if one["says"].startswith("Not declared")]
    assert missed and all(one["clause"] for one in missed)
    assert any(one["cents"] > 0 for one in missed)


def test_what_the_table_refuses_is_a_deviation() -> None:
    async def run(at: Practice) -> list[Deviation]:
        await Trainee(at).say(type="act", of="round", command={"type": "Deal"})
        return at.deviations

    (refused,) = practised(MARYLAND, seed=1, rounds=1, run=run)
    assert refused.says.startswith("Refused: ") and refused.cents == 0
    assert refused.free == "the table refused it, so no money moved"
    assert refused.clause and "the book has: " in refused.says


def test_what_nobody_asked_for_is_a_deviation_and_costs_what_it_gives_away() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=lambda desk: "do you take" in desk["next"]["says"])
        seat = min(at.table.place.standing.table.seats)
        dispute = {"type": "Dispute", "seat": seat, "round": "practice-1", "about": "a slip"}
        await trainee.say(type="act", of="table", command=dispute)
        right_ = {"type": "SetRight", "dispute": "1", "why": "so", "cents": 15_00, "to": "player"}
        await trainee.say(type="propose", of="table", command=right_, why="so")
        return at.deviations

    noted, given = practised(MARYLAND, seed=1, rounds=1, run=run, faulty=0.0)
    assert noted.says.startswith(
        "That wasn't the next step (Note a dispute). The book's next step: "
    )
    assert (noted.cents, noted.free) == (0, "no money moved")
    assert (given.cents, given.free) == (15_00, "")


def test_behind_several_servers_practice_is_not_offered() -> None:
    async def main() -> None:
        with pytest.raises(Refused, match="croupier practice"):
            await Practices(rules_of, is_alone=lambda: False).open(
                MARYLAND, seed=1, rounds=1, hints=True
            )

    asyncio.run(main())


def test_a_void_of_a_good_round_is_a_deviation_and_costs_its_stakes() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=lambda desk: "decides" in desk["next"]["says"])
        command = {"type": "Declare", "kind": "misdeal", "facts": {}}
        await trainee.say(type="propose", of="round", command=command, why="a slip")
        return at.deviations

    (made_up,) = practised(CALIFORNIA, seed=1, rounds=1, run=run, faulty=0.0)
    assert made_up.says == "Declared what did not happen"
    assert made_up.clause and made_up.cents > 0


def test_the_same_seed_deals_the_same_cards() -> None:
    async def run(at: Practice) -> list[str]:
        await Trainee(at).deal(right)
        round = at.table.place.standing.round
        assert round is not None
        assert not hidden_from(round, next(iter(round.boxes)))
        deck = at.table.deck
        assert deck is not None
        return [str(card) for card in deck.deck]

    one, same, other = (practised(MARYLAND, seed=seed, rounds=1, run=run) for seed in (5, 5, 6))
    assert one == same != other


def test_there_are_only_so_many_practice_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "KEPT_MAX", 1)

    async def main() -> None:
        all_ = Practices(rules_of)
        first = await all_.open(MARYLAND, seed=1, rounds=1, hints=True)
        with pytest.raises(Refused, match="taken"):
            await all_.open(MARYLAND, seed=1, rounds=1, hints=True)
        first.used_s -= practice.IDLE_S + 1
        second = await all_.open(MARYLAND, seed=1, rounds=1, hints=True)
        with pytest.raises(Refused, match="ended"):
            all_.get(first.token)
        assert all_.get(second.token) is second
        await all_.close()

    asyncio.run(main())


def test_a_practice_table_has_virtual_cards_and_a_dealer() -> None:
    (table,) = practice_config(MARYLAND, rules_of).tables
    assert table.rules.things == ("dealer",) and table.practice
