"""Practice for dealers: scripted rounds of every book, deviations with clause and cost."""

import asyncio
import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from croupier.cards import parse_cards
from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.gallery.payout import payout_of
from croupier.house.step import NO_TIME
from croupier.round.bots import bets as posted_bets
from croupier.round.codec import to_plain
from croupier.round.settling import hidden_from
from croupier.round.state import is_walk_in
from croupier.rules.resolve import resolve
from croupier.server import bots, practices, talk
from croupier.server.drill import Deviation, given_payout, judged_payout, report_of
from croupier.server.mishaps import Happening, kinds_of, planned
from croupier.server.practice import Practice
from croupier.server.practices import Practices, PracticeWanted, tag_of
from croupier.server.script import Script, practice_config, script_bets, things_of
from croupier.server.showing import TRAY, sights
from croupier.table.commands import DealFirstCard
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)
from tests.schemas.checking import faults
from tests.server.attacks.houses import rules_of

ONE_ROUND = PracticeWanted(rulebook=MARYLAND, rounds=1)
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
    void = Happening("r", "a misdeal", "C8", {}, returns={1: 20_00, 2: 10_00})
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

    async def do(self, of: str, command: dict[str, Any]) -> None:
        """Do something, alone or with the floor, as the preview says."""
        if command["type"] not in PREVIEWED:
            await self.say(type="act", of=of, command=command)
            return
        told = await self.say(type="preview", of=of, command=command)
        assert told["type"] == "previewed", told
        how = {"type": "propose", "why": "so"} if told["preview"]["approve"] else {"type": "act"}
        await self.say(**how, of=of, command=command)

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
            if at.is_over or until(desk):
                return
            await self.go_on(desk, answer, declares=declares)
        raise AssertionError(at.gallery.desk()["next"])

    async def go_on(
        self, desk: dict[str, Any], answer: Callable[[int, int], str], *, declares: bool
    ) -> None:
        """Do the one thing that is next: declare what went wrong, put bets down, or the step."""
        at, step = self.at, desk["next"]
        there = at.assessor.happening
        standing = at.table.place.standing
        round = standing.in_play
        bank = {round.banker.seat} if round and round.banker else set()
        bets = round is not None and round.step is not None and round.step.do == "bets"
        awaited = bets and round and standing.table.seats.keys() - round.boxes.keys() - bank
        if there and declares and there.calls:
            await self.say(type="call_floor", on=True)
            while at.table.place.standing.in_play and not at.table.place.standing.declared:
                await asyncio.sleep(0.005)  # The floor comes, and declares it.
        elif there and declares:
            about = {"about": "the sum"} if there.command["type"] == "Dispute" else {}
            await self.do(there.of, {**there.command, **about})
        elif desk["stopped"]:
            await asyncio.sleep(0.005)
        elif bet := self.bet(desk):
            await self.do("round", bet)
        elif (says := self.says()) is not None:
            await self.do("round", {"type": "Choose", "seat": says[0], "option": says[1]})
        elif step["command"] and "dealer" in step["posts"] and not awaited:
            command = dict(step["command"])
            if step["takes"] and step["takes"]["field"] == "answer":
                due = payout_of(standing.in_play, at.table.meters())
                assert due is not None
                command["answer"] = answer(due["take"], due["pay"])
            elif step["takes"]:
                (sight,) = (one for one in sights(at.felt, standing, desk) if one.field)
                command[sight.field] = str(sight.value) if sight.card else sight.value
            await self.do(step["of"], command)
        else:
            await asyncio.sleep(0.005)

    def says(self) -> tuple[int, str] | None:
        """Return what the walk-in says who is asked; others decide on their screens."""
        round = self.at.table.place.standing.in_play
        if round is None or not round.asked or round.todo or round.due:
            return None
        seat = round.asked[0]
        return (seat, self.at.felt.choice(round, seat)) if self.is_walk_in(seat) else None

    def is_walk_in(self, seat: int) -> bool:
        return is_walk_in(self.at.table.place.standing.table.seats.get(seat, ""))

    def bet(self, desk: dict[str, Any]) -> dict[str, Any] | None:
        """Return the next bet that a walk-in put down and that isn't entered."""
        told = self.at.felt.bets(self.at.table.place.standing)
        for spot in desk["spots"]:
            cents = told.get((spot["seat"], spot["wager"]), 0)
            if cents != spot["cents"]:
                return {**spot["put"], "cents": cents}
        return None


PREVIEWED = ("Declare", "Mispay", "CorrectPay", "Correct", "MoveChips")
"""What takes two people at times."""


def right(take: int, pay: int) -> str:
    return f"{take / 100:.2f} {pay / 100:.2f}"


def practised(id: str, *, seed: int, rounds: int, run: Any, faults: int = 100, **how: Any) -> Any:
    async def main() -> Any:
        all_ = Practices(rules_of, script=Script(floor_s=0.001))
        wanted = PracticeWanted(rulebook=id, seed=seed, rounds=rounds, faults=faults, **how)
        at = await all_.open(wanted)
        try:
            return await run(at)
        finally:
            await all_.close()

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "THINKS_S", 0.001)


@each_book
@pytest.mark.parametrize(("real", "screens"), [*product([False, True], [False, True])])
def test_a_dealer_who_keeps_to_the_book_has_no_deviation(
    id: str, real: bool, screens: bool
) -> None:
    seated: set[bool] = set()

    async def run(at: Practice) -> dict[str, Any]:
        trainee = Trainee(at)
        await trainee.deal(right)
        seated.update(trainee.is_walk_in(seat) for seat in at.table.place.standing.table.seats)
        return at.report()

    report = practised(id, seed=7, rounds=6, run=run, real=real, screens=screens)
    assert seated == ({True, False} if real and screens else {real})
    assert faults("practice", report) == []
    assert (report["rounds"], report["deviations"]) == (6, [])
    assert report["settled"] == report["right"]


def test_every_wrong_payout_is_in_the_report() -> None:
    async def run(at: Practice) -> dict[str, Any]:
        await Trainee(at).deal(lambda take, pay: right(take, pay + 1_00))
        return at.report()

    report = practised(MARYLAND, seed=7, rounds=2, run=run)
    assert faults("practice", report) == []
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

    report = practised(MARYLAND, seed=6, rounds=4, run=run, faults=0)
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
        return at.assessor.deviations

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
        return at.assessor.deviations

    noted, given = practised(MARYLAND, seed=1, rounds=1, run=run, faults=0)
    assert noted.says.startswith(
        "That wasn't the next step (Note a dispute). The book's next step: "
    )
    assert (noted.cents, noted.free) == (0, "no money moved")
    assert (given.cents, given.free) == (15_00, "")


def test_to_change_a_deck_early_and_to_close_the_table_is_no_deviation() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)

        def between(desk: dict[str, Any]) -> bool:
            return at.table.rounds == 1 and desk["next"]["says"] == "Open the round."

        await trainee.deal(right, until=between)
        for kind in ("Receive", "CloseTable"):
            found = (act["command"] for act in at.gallery.desk()["acts"] if act["of"] == "table")
            (command,) = (one for one in found if one["type"] == kind)
            await trainee.say(type="act", of="table", command=command)
        await trainee.deal(right, until=lambda desk: desk["life"] == "closed")
        tray = at.table.place.standing.table.tray
        assert tray.agreed != TRAY and tray.difference == 0
        assert at.assessor.deviations == []
        await trainee.say(type="act", of="table", command=command)
        return at.assessor.deviations

    (twice,) = practised(SINGAPORE, seed=1, rounds=2, run=run, faults=0, real=True)
    assert twice.says.startswith("Refused: ")


def test_the_address_of_a_practice_begins_with_its_node() -> None:
    async def main() -> None:
        there = Practices(rules_of, node=lambda: "there")
        at = await there.open(ONE_ROUND)
        assert at.token.startswith(tag_of("there")) and there.get(at.token) is at
        assert tag_of("there") != tag_of("here")
        await there.close()

    asyncio.run(main())


def test_a_void_of_a_good_round_is_a_deviation_and_costs_its_stakes() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=lambda desk: "decides" in desk["next"]["says"])
        command = {"type": "Declare", "kind": "misdeal", "facts": {}}
        await trainee.say(type="propose", of="round", command=command, why="a slip")
        return at.assessor.deviations

    (made_up,) = practised(CALIFORNIA, seed=1, rounds=1, run=run, faults=0)
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
    monkeypatch.setattr(practices, "KEPT_MAX", 1)

    async def main() -> None:
        all_ = Practices(rules_of)
        first = await all_.open(ONE_ROUND)
        with pytest.raises(Refused, match="taken"):
            await all_.open(ONE_ROUND)
        first.used_s -= practices.IDLE_S + 1
        second = await all_.open(ONE_ROUND)
        with pytest.raises(Refused, match="ended"):
            all_.get(first.token)
        assert all_.get(second.token) is second
        await all_.close()

    asyncio.run(main())


def test_a_practice_table_has_virtual_cards_and_a_dealer() -> None:
    (table,) = practice_config(MARYLAND, rules_of).tables
    assert table.rules.things == ("dealer",) and table.practice


@pytest.mark.parametrize("screens", [False, True])
def test_the_electronic_version_is_practised_by_what_is_selected(screens: bool) -> None:
    async def run(at: Practice) -> dict[str, Any]:
        await Trainee(at).deal(right)
        round = at.table.place.standing.round
        assert round is not None
        shared = [place for place in round.rules.places.values() if place.hands]
        assert shared and {box.hand for box in round.boxes.values()} == {1, 2, 3}
        return at.report()

    chosen = {"format": "electronic"}
    report = practised(MARYLAND, seed=7, rounds=4, run=run, screens=screens, selections=chosen)
    assert (report["rounds"], report["deviations"]) == (4, [])


# ---------------------------------------------------------------- real cards and chips


def with_slips(slip: Callable[[dict[str, Any], Practice], dict[str, Any] | None]) -> Any:
    """Return a run in which the trainee enters things differently from what they are."""

    class Slipping(Trainee):
        async def do(self, of: str, command: dict[str, Any]) -> None:
            await super().do(of, slip(dict(command), self.at) or command)

    async def run(at: Practice) -> list[Deviation]:
        await Slipping(at).deal(right)
        return at.assessor.deviations

    return run


def test_a_bet_that_is_entered_wrongly_costs_the_difference() -> None:
    def slip(command: dict[str, Any], at: Practice) -> dict[str, Any] | None:
        if command["type"] == "Bet" and command["wager"] == "ante":
            return {**command, "cents": command["cents"] + 5_00}
        return None

    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=lambda desk: bool(desk["spots"]))
        for bet in at.gallery.desk()["spots"]:
            told = at.felt.bets(at.table.place.standing).get((bet["seat"], bet["wager"]))
            if told:
                put = slip({**bet["put"], "cents": told}, at) or {**bet["put"], "cents": told}
                await trainee.do("round", put)
        await trainee.do("round", {"type": "CloseBets"})
        return at.assessor.deviations

    found = practised(SINGAPORE, seed=3, rounds=1, run=run, faults=0, real=True)
    assert len(found) == Script().players
    assert {(one.clause, one.cents) for one in found} == {("3.4", 5_00)}
    assert "on Ante; you entered $" in found[0].says


def test_a_decision_that_is_entered_wrongly_costs_what_it_changes() -> None:
    def slip(command: dict[str, Any], _: Practice) -> dict[str, Any] | None:
        if command["type"] == "Choose":
            return {**command, "option": "fold" if command["option"] == "play" else "play"}
        return None

    found = practised(MARYLAND, seed=3, rounds=1, run=with_slips(slip), faults=0, real=True)
    assert len(found) == Script().players and all(one.clause for one in found)
    assert all("; you entered " in one.says for one in found)
    assert any(one.cents for one in found)


def test_a_card_that_is_misread_is_named_and_costs_what_its_seat_is_paid_for_it() -> None:
    def slip(command: dict[str, Any], at: Practice) -> dict[str, Any] | None:
        round = at.table.place.standing.round
        if command["type"] != "Read" or round is None:
            return None
        others = [*parse_cards("Ac Ad Ah As Kc Kd Kh Ks Qc Qd Qh Qs")]
        free = next(card for card in others if card not in round.faces.values())
        return {**command, "card": str(free)}

    found = practised(SINGAPORE, seed=3, rounds=1, run=with_slips(slip), faults=0, real=True)
    read = [one for one in found if one.says.startswith("You enter ")]
    assert read and all("You turn up the " in one.says and one.clause for one in read)
    assert all(one.free for one in read)
    settled = [one for one in found if "misread" in one.says]
    assert settled and any(one.cents for one in settled)


@pytest.mark.parametrize(("field", "said"), [("cents", "in the tray"), ("stub", "in the stub")])
def test_a_count_that_is_entered_wrongly_is_named(field: str, said: str) -> None:
    slips = iter([1])

    def slip(command: dict[str, Any], _: Practice) -> dict[str, Any] | None:
        return {**command, field: command[field] + next(slips, 0)} if field in command else None

    async def run(at: Practice) -> list[Deviation]:
        found: list[Deviation] = await with_slips(slip)(at)
        return found

    found = practised(MARYLAND, seed=3, rounds=5, run=run, faults=0, real=True)
    (wrong, *_) = found
    assert "You count" in wrong.says and said in wrong.says and wrong.free


def test_a_step_that_is_skipped_is_refused_and_named_with_its_clause() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=confirms)
        clauses.append(at.gallery.desk()["next"]["clause"])
        await trainee.say(type="act", of="table", command=to_plain(DealFirstCard(NO_TIME)))
        return at.assessor.deviations

    clauses: list[str] = []

    def confirms(desk: dict[str, Any]) -> bool:
        step = desk["next"]
        return bool(step["of"] == "round" and (step["command"] or {}).get("type") == "Confirm")

    (skipped,) = practised(MARYLAND, seed=3, rounds=1, run=run, faults=0, real=True)
    assert skipped.says.startswith("Refused: ") and skipped.free
    assert [skipped.clause] == clauses and clauses[0]


def test_a_call_of_the_floor_that_nothing_asks_for_is_named() -> None:
    async def run(at: Practice) -> list[Deviation]:
        trainee = Trainee(at)
        await trainee.deal(right, until=lambda desk: "do you take" in desk["next"]["says"])
        await trainee.say(type="call_floor", on=True)
        return at.assessor.deviations

    (needless,) = practised(CALIFORNIA, seed=1, rounds=1, run=run, faults=0)
    assert needless.says.startswith("Nothing asked for the floor") and needless.clause


def test_what_only_the_floor_declares_is_missed_if_nobody_calls_it() -> None:
    async def run(at: Practice) -> list[Deviation]:
        plan = {n: planned(at.table.config.rules, 5, n, 1.0) for n in range(1, 4)}
        assert "abandoned" in [one.kind for one in plan.values() if one]
        await Trainee(at).deal(right, declares=False)
        return at.assessor.deviations

    found = practised(LET_IT_RIDE, seed=5, rounds=3, run=run)
    (missed, *_) = [one for one in found if "abandoned" in one.says]
    assert missed.says.startswith("The floor was not called: ") and missed.clause == "7.B(2)"


def test_a_walk_in_who_was_handed_too_much_costs_it_until_it_is_noted() -> None:
    async def run(at: Practice) -> list[Deviation]:
        await Trainee(at).deal(right, declares=False)
        return at.assessor.deviations

    found = practised(FLORIDA, seed=5, rounds=6, run=run, real=True)
    handed = [one for one in found if "was handed" in one.says]
    assert handed and all(one.clause and one.cents > 0 for one in handed)
    assert all(one.says.startswith("Not noted: ") for one in handed)


@each_book
@pytest.mark.parametrize("real", [False, True])
def test_everything_that_can_go_wrong_at_a_table_comes_in_turn(id: str, real: bool) -> None:
    things = things_of(real=real, screens=False)
    (table,) = practice_config(id, rules_of, things=things).tables
    kinds = kinds_of(table.rules)
    assert kinds[: -2 if real else -1] == [k for k in table.rules.irregularities if k in kinds]
    assert not real or len(kinds) > 2
    plans = [planned(table.rules, 7, number, 1.0) for number in range(len(kinds))]
    assert sorted(one.kind for one in plans if one) == sorted(kinds)
    assert planned(table.rules, 7, 1, 0.0) is None


def test_a_short_deck_is_counted_and_voids_the_round() -> None:
    voids: list[str] = []

    async def run(at: Practice) -> list[Deviation]:
        def follow(now: Any, _: Any) -> None:
            round = now.standing.round
            if round and round.closed and round.void and round.stub is not None:
                voids.append(round.void.clause)

        at.table.listeners.append(follow)
        await Trainee(at).deal(right)
        return at.assessor.deviations

    for seed in range(4):
        assert practised(MARYLAND, seed=seed, rounds=10, run=run, real=True) == []
    assert "8.H(2)" in voids
