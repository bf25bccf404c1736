"""A dealer and a floorperson who know only the desk's next step play rounds of every book."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, parse_cards
from croupier.house import dealer as house_dealer
from croupier.house.lapses import close_lapsed
from croupier.house.recall import recall
from croupier.ledger.acts import AccountDisabled, HouseAct, RoleGiven, RolesSet
from croupier.ledger.events import CashedIn
from croupier.ledger.journal import decode
from croupier.table.crew import Crew
from tests.house.floor import (
    Clock,
    OpenPit,
    Player,
    bet_all,
    one_table,
    play,
    rules_of,
    seated,
)
from tests.house.staff import (
    SELECTIONS,
    Staff,
    attended,
    crew,
    go_on,
    players_move,
    refusal,
    until_phase,
)
from tests.rules.books import CALIFORNIA, MARYLAND, each_book

LATER: tuple[dict[str, Any], ...] = (
    {"type": "CloseBets"},
    {"type": "Deal"},
    {"type": "Show", "faces": []},
    {"type": "Settle", "seat": 1},
    {"type": "Settle", "seat": 2},
    {"type": "Settle", "seat": 3},
    {"type": "Close"},
)
"""What a dealer might press at the wrong moment."""
PLAYS = "plays_here"


@each_book
def test_rounds_are_played_by_the_next_step_alone(id: str, tmp_path: Path) -> None:
    refusals: Counter[str] = Counter()

    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2, 3)
        dealer, floor = await crew(pit)
        for _ in range(3):
            await one_round(pit, players, dealer, floor)
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        handled = [r for r in records if r.of in ("round", "table") and not r.who]
        assert handled == [], "somebody did each of these"
        again = await pit.books.read(
            lambda view: recall(view, "t", rules_of)  # A kill, and another process.
        )
        assert again.standing == pit.tables["t"].place.standing

    async def one_round(pit: OpenPit, players: list[Any], dealer: Staff, floor: Staff) -> None:
        before = pit.tables["t"].rounds
        for _ in range(200):
            step = (await dealer.look())["next"]
            round = pit.tables["t"].place.standing.in_play
            if round is None and pit.tables["t"].rounds > before:
                return
            if step["command"] is None:
                await players_move(pit, players, step)
                continue
            number = pit.tables["t"].number
            for command in LATER:
                if command["type"] != step["command"]["type"] and round is not None:
                    why = await refusal(dealer.do(command))
                    refusals[why.code] += 1
                    assert pit.tables["t"].number == number, (command, step)
            right, wrong = (floor, dealer) if step["by"] == ["floorperson"] else (dealer, floor)
            if step["command"]["type"] == "Confirm":
                why = await refusal(wrong.do(step["command"], step["of"]))
                assert (why.code, why.clause) == ("wrong_person", step["clause"])
            await right.do(step["command"], step["of"])
        raise AssertionError(f"the round doesn't end: {step}")

    play(tmp_path, attended(id), scenario)
    assert refusals["wrong_step"] > 0 and refusals["not_yet"] > 0


def test_a_progressive_hand_waits_for_the_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    royal = parse_cards("As Ks Qs")
    deck = [card for card in DECK if card not in royal]
    # One player and the dealer get their cards in turn, so these are all the player's.
    arranged = (royal[0], deck[0], royal[1], deck[1], royal[2], *deck[2:])
    three = (*royal, *deck)
    monkeypatch.setattr(house_dealer, "cut", lambda cards, _: cards)
    paid: list[str] = []

    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1)
        dealer, floor = await crew(pit)
        for _ in range(40):
            step = (await dealer.look())["next"]
            if pit.tables["t"].rounds and not pit.tables["t"].place.standing.in_play:
                break
            if step["command"] is None:
                await players_move(pit, players, step)
            elif step["clause"] == "11.D(7)(c)":
                assert step["by"] == ["floorperson"]
                settle = {"type": "Settle", "seat": 1}
                why = await refusal(dealer.do(settle))
                assert (why.code, why.clause) == ("prompt_open", "11.D(7)(c)")
                why = await refusal(dealer.do(step["command"]))
                assert (why.code, why.clause) == ("wrong_person", "11.D(7)(c)")
                await floor.do(step["command"])
                paid.append(step["clause"])
            else:
                await dealer.do(step["command"], step["of"])

    for number, cards in enumerate((arranged, three)):
        monkeypatch.setattr(house_dealer, "shuffled", lambda _, cards=cards: cards)
        folder = tmp_path / str(number)
        folder.mkdir()
        play(folder, attended(MARYLAND), scenario)
    assert paid == ["11.D(7)(c)"]


def test_a_void_is_previewed_proposed_and_approved_over_the_desk(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2)
        dealer, floor = await crew(pit)
        await until_phase(pit, players, dealer, "decide")
        assert [one["kind"] for one in dealer.desk["irregularities"]] == ["misdeal"]
        misdeal = {"of": "round", "command": {"type": "Declare", "kind": "misdeal", "facts": {}}}
        assert (await refusal(dealer.say("act", **misdeal))).code == "needs_approval"
        told = (await dealer.say("preview", **misdeal))["preview"]
        assert (told["voids"], told["approve"], told["ruling"]) == (True, ["floor"], "C8")
        await dealer.say("propose", why="two cards", **misdeal)
        assert (await dealer.look())["next"]["by"] == ["floor"]
        assert (await refusal(dealer.say("approve", proposal="1"))).code == "same_person"
        (request,) = (await floor.look())["proposals"]
        assert request["preview"]["returns"] == told["returns"]
        await floor.say("approve", proposal="1")
        step = (await dealer.look())["next"]
        assert step["command"]["type"] == "Close"
        await dealer.do(step["command"])
        assert pit.scene()["void"]
        assert pit.books.purse_cents("p1") == pit.books.purse_cents("p2") == 1_000_00

    play(tmp_path, attended(CALIFORNIA), scenario)


def test_only_the_floor_declares_a_seat_abandoned(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2)
        dealer, floor = await crew(pit)
        await until_phase(pit, players, dealer, "decide")
        assert [one["by"] for one in (await dealer.look())["irregularities"]] == [["floorperson"]]
        left = {"type": "Declare", "kind": "abandoned", "facts": {"seat": 1}}
        why = await refusal(dealer.do(left))
        assert (why.code, why.clause) == ("wrong_person", "7.C(2)")
        await floor.do(left)
        round = pit.tables["t"].place.standing.round
        assert round and round.boxes[1].abandoned

    play(tmp_path, attended(MARYLAND), scenario)


def test_other_rules_leave_the_crew_and_what_was_proposed(tmp_path: Path) -> None:
    async def before(pit: OpenPit) -> None:
        await seated(pit, 1)
        _, floor = await crew(pit)
        meter = {"type": "MeterAdjusted", "meter": "t/progressive", "micros": 5, "why": "x"}
        await floor.say("propose", of="ledger", command=meter, why="")

    async def after(pit: OpenPit) -> None:
        table = pit.tables["t"].place.standing.table
        assert table.rules.selections["pair_plus"] == "B" and not table.seats
        assert (table.crew.dealer, table.crew.floor) == ("d1", "f1")
        assert [one.id for one in table.proposals] == ["1"] and table.proposed == 1

    play(tmp_path, attended(MARYLAND), before)
    selections = f'{SELECTIONS[MARYLAND]}\npair_plus = "B"'
    play(tmp_path, one_table(MARYLAND, selections, more='things = ["dealer"]'), after)


def test_two_people_adjust_a_meter_and_what_nobody_answers_lapses(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        await seated(pit, 1)
        dealer, floor = await crew(pit)
        auditor = Staff(pit, "a1", "auditor")
        meter = {"type": "MeterAdjusted", "meter": "t/progressive", "micros": -25_000_000}
        adjust: dict[str, Any] = {"of": "ledger", "command": {**meter, "why": "set too high"}}
        shows = dict(pit.tables["t"].meters())["progressive"]
        assert (await refusal(floor.say("act", **adjust))).code == "needs_approval"
        assert (await refusal(dealer.say("propose", why="", **adjust))).code == "wrong_person"
        other = {"of": "ledger", "command": {**meter, "why": "x", "meter": "x"}}
        assert (await refusal(floor.say("propose", why="", **other))).code == "no_such_meter"
        for _ in range(2):
            await floor.say("propose", why="", **adjust)
            (one,) = (await floor.look())["proposals"]
            assert one["preview"]["adjusts"] == -25_000_000
            assert one["preview"]["approve"] == ["auditor"]
            clock.now_s += 119
            await close_lapsed(pit.tables, pit.books.clocks)
            assert pit.tables["t"].place.standing.table.proposals
            clock.now_s += 1
            await close_lapsed(pit.tables, pit.books.clocks)
            assert pit.tables["t"].place.standing.table.proposals == ()
        await floor.say("propose", why="", **adjust)
        assert (await refusal(dealer.say("approve", proposal="3"))).code == "wrong_person"
        await auditor.say("approve", proposal="3")
        assert dict(pit.tables["t"].meters())["progressive"] == shows - 25_000_000
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        assert [r.who for r in records if r.event["type"] == "MeterAdjusted"] == [("f1", "a1")]
        assert [r.event["type"] for r in records].count("Lapsed") == 2

    play(tmp_path, attended(MARYLAND), scenario, clock=clock)


def test_T13_a_void_undoes_the_seats_that_were_settled(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2, 3)
        dealer, floor = await crew(pit)
        for _ in range(400):
            round = pit.tables["t"].place.standing.in_play
            if round is None:
                before = [pit.books.purse_cents(f"p{seat}") for seat in (1, 2, 3)]
            elif any(line.returned for line in round.lines):
                break
            await go_on(pit, players, dealer)
        assert round and round.lines and not round.closed
        misdeal = {"type": "Declare", "kind": "misdeal", "facts": {}}
        await dealer.say("propose", why="two decks", of="round", command=misdeal)
        (request,) = (await floor.look())["proposals"]
        given = {str(line.seat): 0 for line in round.lines}
        for line in round.lines:
            given[str(line.seat)] += line.paid + line.returned
        undoes = {seat: cents for seat, cents in given.items() if cents}
        assert request["preview"]["undoes"] == undoes
        # What a player was paid and doesn't have any more can't go back to the table.
        for player in [f"p{seat}" for seat in undoes][:1]:
            held = pit.books.purse_cents(player)
            await pit.cage.act(player, partial(CashedIn, player, held))
            why = await refusal(floor.say("approve", proposal="1"))
            assert (why.code, why.clause) == ("not_enough_money", "T13")
            await pit.cage.fill(player, held)
        await floor.say("approve", proposal="1")
        await dealer.do({"type": "Close"})
        assert [pit.books.purse_cents(f"p{seat}") for seat in (1, 2, 3)] == before

    play(tmp_path, attended(CALIFORNIA), scenario)


def test_a_handover_is_agreed_to_by_the_dealer_who_is_relieved(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        await seated(pit, 1)
        dealer, _ = await crew(pit)
        relief = Staff(pit, "d2", "dealer")
        assert (await refusal(relief.do({"type": "Deal"}))).code == "not_tapped_in"
        await relief.say("tap_in", post="dealer")
        assert (await dealer.look())["crew"]["dealer"] == "d1"
        other = Staff(pit, "d3", "dealer")
        assert (await refusal(other.say("approve", proposal="1"))).code == "wrong_person"
        await dealer.say("approve", proposal="1")
        assert (await relief.look())["crew"]["dealer"] == "d2"
        assert (await refusal(dealer.do({"type": "Deal"}))).code == "not_tapped_in"

    play(tmp_path, attended(MARYLAND), scenario)


def test_a_handover_names_who_approved_it_and_waits_from_no_more_bets_on(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1)
        dealer, floor = await crew(pit)
        relieved = Staff(pit, "d2", "dealer")
        await relieved.say("tap_in", post="dealer")
        await floor.say("approve", proposal="1")
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        taps = [r for r in records if r.event["type"] == "TappedIn"]
        assert (taps[-1].event["agreed"], taps[-1].who) == ("f1", ("d2", "f1"))
        await dealer.say("tap_in", post="dealer")
        while pit.scene()["phase"] != "bets":
            step = (await relieved.look())["next"]
            await relieved.do(step["command"], step["of"])
        await bet_all(players[0], 1)
        await relieved.do({"type": "CloseBets"})
        assert (await refusal(relieved.say("approve", proposal="2"))).code == "round_open"
        assert (await refusal(relieved.say("tap_out"))).code == "round_open"
        assert (await refusal(relieved.say("tap_in", post="dealer"))).code == "tapped_in"
        assert (await relieved.look())["crew"]["dealer"] == "d2"

    play(tmp_path, attended(MARYLAND), scenario)


def test_losing_the_role_ends_the_post_and_another_dealer_finishes_the_round(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1)
        dealer, floor = await crew(pit)
        await until_phase(pit, players, dealer, "decide")
        pit.posts.hear(RolesSet("f1", ("floor", "dealer"), "boss"))
        pit.posts.hear(RolesSet("d1", ("floor",), "boss"))
        await pit.mind()
        assert (await floor.look())["crew"] == {"dealer": "", "clerk": "", "floor": "f1"}
        assert floor.desk["next"]["says"] == "A dealer has to tap in."
        await Staff(pit, "d2", "dealer").say("tap_in", post="dealer")
        pit.posts.hear(AccountDisabled("f1", disabled=True, by="boss"))
        await pit.mind()
        assert pit.tables["t"].place.standing.table.crew == Crew("d2", "", "")

    play(tmp_path, attended(MARYLAND), scenario)


def test_another_floorperson_relieves_one_who_is_gone(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = await crew(pit)
        relief = Staff(pit, "f2", "floor")
        await relief.say("tap_in", post="floor")
        assert (await refusal(dealer.say("approve", proposal="1"))).code == "wrong_person"
        assert (await refusal(relief.say("approve", proposal="1"))).code == "same_person"
        await Staff(pit, "f3", "floor").say("approve", proposal="1")
        assert (await relief.look())["crew"]["floor"] == "f2"

    play(tmp_path, attended(MARYLAND), scenario)


@pytest.mark.parametrize("act", [RolesSet("f1", (), "boss"), RoleGiven("f1", "auditor", "")])
def test_nothing_is_approved_that_somebody_proposed_who_lost_the_role(
    act: HouseAct, tmp_path: Path
) -> None:
    async def scenario(pit: OpenPit) -> None:
        _, floor = await crew(pit)
        meter = {"type": "MeterAdjusted", "meter": "t/progressive", "micros": 5, "why": "x"}
        await floor.say("propose", of="ledger", command=meter, why="")
        pit.posts.hear(act)
        auditor = Staff(pit, "a1", "auditor")
        assert (await refusal(auditor.say("approve", proposal="1"))).code == "changed"
        await auditor.say("decline", proposal="1", why="f1 is gone")

    play(tmp_path, attended(MARYLAND), scenario)


def test_a_dealer_who_sits_in_an_older_journal_only_taps_out(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = await crew(pit)
        assert (await refusal(Player(pit, pit.tables["t"], "d1").ask("sit", seat=1))).code == PLAYS
        place = pit.tables["t"].place
        seated_there = replace(place.standing.table, seats={1: "d1"})
        standing = replace(place.standing, table=seated_there)
        pit.tables["t"].place = place._replace(standing=standing)
        assert (await refusal(dealer.do({"type": "OpenTable"}, "table"))).code == PLAYS
        await dealer.say("tap_out")

    play(tmp_path, attended(MARYLAND), scenario)


def test_a_role_is_checked_at_the_tap_and_a_player_has_no_desk(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (player,) = await seated(pit, 1)
        dealer, floor = await crew(pit)
        eye = Staff(pit, "s1", "surveillance")
        assert (await eye.look())["crew"]["dealer"] == "d1"
        assert (await refusal(eye.say("tap_in", post="dealer"))).code == "not_allowed"
        assert (await refusal(eye.do({"type": "Deal"}))).code == "not_tapped_in"
        assert (await refusal(player.ask("tap_in", post="dealer"))).code == "not_allowed"
        command = {"type": "Shuffle", "deck": 1}
        why = await refusal(dealer.do(command, "table"))
        assert (why.code, why.clause) == ("no_cards", "T9"), "the program shuffles"
        command = {"type": "Join", "seat": 2, "player": "d1"}
        assert (await refusal(dealer.do(command, "table"))).code == "not_allowed"
        await player.look()
        assert not any(frame["type"] == "desk" for frame in player.frames)
        told = [one for f in player.frames for one in f.get("events", ()) if "event" in one]
        assert not any(one["event"]["type"] == "TappedIn" for one in told)
        await floor.say("tap_out")
        others = [f"other-{number}" for number in range(pit.tables["t"].config.floor_tables)]
        for other in others:
            pit.books.store.tenure.keep_floors(other, {"f1"})
        await floor.say("tap_in", post="floor")  # The house has none of them any longer.
        await floor.say("tap_out")
        pit.configs.update(dict.fromkeys(others, pit.configs["t"]))
        assert (await refusal(floor.say("tap_in", post="floor"))).code == "too_many_tables"

    play(tmp_path, attended(MARYLAND), scenario)


def test_only_the_posted_choice_is_made_for_a_player_who_is_gone(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1)
        dealer, _ = await crew(pit)
        await until_phase(pit, players, dealer, "decide")
        (act, *_) = (await dealer.look())["acts"]
        assert (await refusal(dealer.do(act["command"]))).code == "player_decides"
        pit.galleries.farewell(players[0].viewer, "t")
        await dealer.do(act["command"])
        assert pit.scene()["phase"] != "decide"
        stored = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        (chose,) = [one for one in stored if one.event["type"] == "Chose"]
        assert (chose.event["by"], chose.who) == ("posted", ("d1",))

    play(tmp_path, attended(MARYLAND), scenario)


def test_desks_are_the_same_to_the_byte_where_only_unseen_cards_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_dealer, "cut", lambda cards, _: cards)
    said: dict[str, dict[str, list[str]]] = {}

    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2)
        dealer, floor = await crew(pit)
        eye = Staff(pit, "s1", "surveillance")
        frames = said.setdefault(name, {})
        while pit.scene()["phase"] != "reveal":
            for who in (dealer, floor, eye):
                texts = await who.viewer.frames() if who.viewer.waiting else []
                desks = [text for text in texts if '"type":"desk"' in text]
                frames.setdefault(who.viewer.name, []).extend(desks)
                who.desk = json.loads(desks[-1])["desk"] if desks else who.desk
            if dealer.desk["next"]["command"] is None:
                await players_move(pit, players, dealer.desk["next"])
            else:
                await dealer.do(dealer.desk["next"]["command"], dealer.desk["next"]["of"])

    for name, deck in {"one": DECK, "two": DECK[::-1]}.items():
        monkeypatch.setattr(house_dealer, "shuffled", lambda _, deck=deck: deck)
        (tmp_path / name).mkdir()
        play(tmp_path / name, attended(MARYLAND), scenario)
    assert said["one"] == said["two"]
    assert {who: len(frames) > 5 for who, frames in said["one"].items()} == {
        "d1": True,
        "f1": True,
        "s1": True,
    }
