"""Real shoes: a dealer who knows the desk's next step and a list of cards plays every book."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.house.recall import recall
from croupier.ledger.found import round_found
from croupier.ledger.journal import decode
from croupier.round.commands import Read
from croupier.round.rack import rack_of
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.shifts import Shift
from tests.house.staff import Shoe, crew, one_round, one_step, real, refusal, until
from tests.rules.books import LET_IT_RIDE, MARYLAND, book, each_book
from tests.table.tables import WAGERS


@each_book
def test_a_dealer_with_a_list_of_cards_plays_rounds_by_the_desk(id: str, tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2, 3), Shoe(7)
        staff = await crew(pit)
        for _ in range(6):
            await one_round(pit, players, staff, shoe)
            round = pit.tables["t"].place.standing.round
            assert round and round.closed and not round.void
            assert round.faces.items() <= shoe.cards.items()
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        assert {r.of for r in records} == {"ledger", "table", "round"}, "nothing is committed to"
        scene = pit.scene()
        assert scene["commitment"] is None and pit.tables["t"].deck is None
        assert scene["deck"]["dealer"] == "d1" and not scene["deck"]["provable"]
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == pit.tables["t"].place.standing

    play(tmp_path, real(id), scenario)


@each_book
def test_the_deal_lasts_from_the_first_card_until_the_dealer_has_dealt_all(
    id: str, tmp_path: Path
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2, 3), Shoe(7)
        staff = dealer, _ = await crew(pit)
        await until(pit, players, staff, shoe, "DealFirstCard")
        first, table = dealer.desk["next"], pit.tables["t"]
        why = await refusal(dealer.do({"type": "Deal"}))
        assert why.clause == first["clause"], "it isn't all dealt before the first card is"
        await dealer.do(first["command"], "table")
        round, desk = table.place.standing.in_play, await dealer.look()
        assert round and round.stage and round.stage.do == "deal" and not round.places
        assert desk["next"]["command"] == {"type": "Deal"} and desk["duties"] == []
        kinds = table.config.rules.irregularities.items()
        dealing = {
            kind
            for kind, one in kinds
            if "deal" in one.during and "cards" in one.needs and not (one.if_ or one.reading)
        }
        assert dealing == {*dealing} & {one["kind"] for one in desk["irregularities"]}
        why = await refusal(dealer.do(first["command"], "table"))
        assert why.code == "already_dealt"
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == table.place.standing
        await dealer.do({"type": "Deal"})
        round = table.place.standing.in_play
        assert round and round.places

    play(tmp_path, real(id), scenario)


@pytest.mark.parametrize("dealt", [False, True])
def test_a_card_found_face_up_while_dealing_is_read_before_the_deal_goes_on(
    dealt: bool, tmp_path: Path
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = dealer, _ = await crew(pit)
        await until(pit, players, staff, shoe, "Deal" if dealt else "DealFirstCard")
        await dealer.do({"type": "Declare", "kind": "face_up_cards", "facts": {"count": 1}})
        step = (await dealer.look())["next"]
        assert step["command"]["type"] == "Read"
        await one_step(pit, players, staff, shoe)
        left = "Deal" if dealt else "DealFirstCard"
        assert (await dealer.look())["next"]["command"]["type"] == left

    play(tmp_path, real(MARYLAND), scenario)


@each_book
def test_the_last_seats_settlement_ends_the_round(id: str, tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe, done = await seated(pit, 1, 2, 3), Shoe(7), []
        staff = await crew(pit)
        while pit.tables["t"].rounds < 2:
            done.append(await one_step(pit, players, staff, shoe))
        assert "Settle" in done and "Close" not in done

    play(tmp_path, real(id), scenario)


def test_nothing_knows_the_face_of_a_card_that_was_not_read(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = await crew(pit)
        await until(pit, players, staff, shoe, "Read")
        round = pit.tables["t"].place.standing.round
        assert round and round.next_position > 0 and round.faces == {}
        assert [await player.look() and player.own for player in players] == [{}, {}]
        why = await refusal(staff[0].do({"type": "Show", "faces": []}))
        assert (why.code, why.clause) == ("cards_there", "T12")

    play(tmp_path, real(MARYLAND), scenario)


def test_a_card_read_twice_stops_the_desk_and_two_alike_take_two_people(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = dealer, floor = await crew(pit)
        await until(pit, players, staff, shoe, "Read")
        card = str(shoe.cards[dealer.desk["reads"][0]["position"]])
        await one_step(pit, players, staff, shoe)
        await dealer.do({"type": "Read", "card": card, "source": "scanned"})
        desk = await dealer.look()
        assert desk["next"]["command"] == {"type": "Misread", "why": "twice"}
        assert [one["kind"] for one in desk["irregularities"]] == ["doubled_card"]
        await dealer.do(desk["next"]["command"])
        assert (await dealer.look())["next"]["command"]["type"] == "Read"
        await dealer.do({"type": "Read", "card": card})
        twice, two = (await dealer.look())["acts"][:2]
        assert twice["says"] == dealer.desk["next"]["does"] == "It was read twice"
        doubled = two["command"]
        assert (await refusal(dealer.do(doubled))).code == "needs_approval"
        await dealer.say("propose", of="round", command=doubled, why="two of them")
        await floor.say("approve", proposal="1")
        await one_step(pit, players, staff, shoe)
        table = pit.tables["t"].place.standing
        assert table.round and table.round.void and table.round.void.ruling == "M22"
        assert 1 not in table.table.decks, "the deck is removed"

    play(tmp_path, real(MARYLAND), scenario)


def test_a_seats_last_card_read_twice_settles_nobody(tmp_path: Path) -> None:
    """A scanner reads a card a second time, and the next seat's first card is awaited."""

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2, 3), Shoe(3)
        staff = dealer, _ = await crew(pit)
        table = pit.tables["t"]
        await until(pit, players, staff, shoe, "Settle")
        step, before = dealer.desk["next"], table.place.standing.in_play
        assert before and dealer.desk["read"] and dealer.desk["last_read"]
        last = {"type": "Read", "card": dealer.desk["last_read"]["card"], "source": "scanned"}
        await dealer.do(last)
        desk, round = await dealer.look(), table.place.standing.in_play
        assert round and round.order == before.order and round.doubt
        assert round.doubt[0] == before.due[0], "the next seat's card"
        assert desk["next"]["command"] == {"type": "Misread", "why": "twice"}
        assert [one["kind"] for one in desk["irregularities"]] == ["doubled_card"]
        await dealer.do(desk["next"]["command"])
        assert (await dealer.look())["next"] == step
        assert table.place.standing.in_play == before
        await one_round(pit, players, staff, shoe)
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == table.place.standing

    play(tmp_path, real(MARYLAND), scenario)


def test_a_card_that_a_seat_decided_on_is_corrected_by_two_people(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = dealer, floor = await crew(pit)
        table = pit.tables["t"]
        await until(pit, players, staff, shoe, "Read")
        await one_step(pit, players, staff, shoe)
        (position,) = table.place.standing.round.faces  # type: ignore[union-attr]
        unread = [card for card in DECK if card not in shoe.cards.values()][:1] or [shoe.cards[51]]
        correct = {"type": "Correct", "position": position, "card": str(unread[0])}
        await dealer.do(correct)
        back = {**correct, "card": str(shoe.cards[position])}
        while "bet_2" not in table.place.standing.round.boxes[1].chose:  # type: ignore[union-attr]
            await one_step(pit, players, staff, shoe)
        assert (await refusal(dealer.do(back))).code == "needs_approval"
        await dealer.say("propose", of="round", command=back, why="misread")
        assert (await refusal(dealer.say("approve", proposal="1"))).code == "same_person"
        await floor.say("approve", proposal="1")
        faces = table.place.standing.round.faces  # type: ignore[union-attr]
        assert faces[position] == shoe.cards[position]
        await one_round(pit, players, staff, shoe)

    play(tmp_path, real(LET_IT_RIDE), scenario)


def test_the_desk_asks_for_the_stub_and_tells_no_number(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(5)
        staff = await crew(pit)
        for _ in range(4):
            await one_round(pit, players, staff, shoe)
        await until(pit, players, staff, shoe, "CountStub")
        step = staff[0].desk["next"]
        asked.append(step)
        declare = {
            "type": "Declare",
            "kind": "stub_count",
            "facts": {"cards": 52, "misdealt": False},
        }
        assert (await refusal(staff[0].do(declare))).code == "no_count"
        await one_step(pit, players, staff, shoe)
        asked.append((await staff[0].look())["next"])
        await one_round(pit, players, staff, shoe)

    play(tmp_path, real(MARYLAND), scenario)
    assert asked[0]["command"] == {"type": "CountStub"}
    assert asked[0]["takes"]["field"] == "stub"
    assert (asked[0]["clause"], "face down on the layout" in asked[0]["says"]) == ("8.F", True)
    assert asked[1]["command"]["facts"] == {"misdealt": False}
    assert (asked[1]["clause"], "into the discard rack" in asked[1]["says"]) == ("8.G", True)
    assert not any("43" in str(step) for step in asked)


def test_shared_cards_are_read_after_the_seats_own_by_the_clause_that_turns_them_up() -> None:
    """M25: for the first seat whose wagers need them, when the five-card wagers are settled."""
    shift = Shift(MARYLAND, {"dealing": "manual_shoe", **WAGERS[MARYLAND]})
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "settle")
    turned: list[tuple[str, str]] = []
    while isinstance((step := shift.next_step()).command, Read):
        turned.append((step.says.removeprefix("Turn up and read ").split(",")[0], step.clause))
        shift.step()
    community = book(MARYLAND).rules.place["community"].label
    assert turned == [("seat 2", "11.D(3)(a)")] * 3 + [(community, "11.D(9)(b)")] * 2


@pytest.mark.parametrize(
    ("stub", "answer", "clause"),
    [(36, "Yes", "8.H(2)"), (36, "No", "8.H"), (43, "Yes", "8.G"), (43, "No", "8.H(1)")],
)
def test_a_counted_stub_is_answered_with_yes_or_no(
    stub: int, answer: str, clause: str, tmp_path: Path
) -> None:
    """Whatever was counted, both answers lie on the desk, and neither asks for a number again."""

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(5)
        staff = dealer, floor = await crew(pit)
        for _ in range(4):
            await one_round(pit, players, staff, shoe)
        await until(pit, players, staff, shoe, "CountStub")
        await dealer.do({"type": "CountStub", "stub": stub})
        desk = await dealer.look()
        (kind,) = (one for one in desk["irregularities"] if one["kind"] == "stub_count")
        assert [ask["fact"] for ask in kind["asks"]] == ["misdealt"]
        acts = [one for one in desk["acts"] if one["command"]["type"] == "Declare"]
        assert [one["says"].split(",")[0] for one in acts] == ["Yes", "No"]
        (act,) = (one for one in acts if one["says"].startswith(answer))
        assert act["clause"] == clause
        told = (await dealer.say("preview", of="round", command=act["command"]))["preview"]
        assert told["clause"] == clause
        if told["voids"]:
            assert (await refusal(dealer.do(act["command"]))).code == "needs_approval"
            await dealer.say("propose", of="round", command=act["command"], why="counted")
            await floor.say("approve", proposal="1")
        else:
            await dealer.do(act["command"])
        assert (await dealer.look())["next"]["command"] != act["command"]

    play(tmp_path, real(MARYLAND), scenario)


def test_11E_any_hand_of_a_past_round_is_found_in_the_rack(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = dealer, floor = await crew(pit)
        table = pit.tables["t"]
        played: list[tuple[Any, int, dict[int, Card]]] = []
        for _ in range(2):
            while not (table.place.standing.in_play and table.place.standing.in_play.asked):
                await one_step(pit, players, staff, shoe)
            seat = pit.scene()["asked"]
            while (await dealer.look())["next"]["command"]:
                await one_step(pit, players, staff, shoe)
            await players[seat - 1].ask("choose", seat=seat, option="fold")
            cards = dict(shoe.cards)
            while table.place.standing.in_play:
                await one_step(pit, players, staff, shoe)
            played.append((table.place.standing.round, seat, cards))
        for round, folded, cards in played:
            found = await pit.books.read(partial(round_found, id=round.id, rules_of=rules_of))
            rack = {one.place: one for one in rack_of(found.told)}
            assert sorted(p for one in rack.values() for p in one.positions) == [*range(9)]
            assert rack[f"seat {folded}, folded"].cards == ("??",) * 3
            other = rack[f"seat {3 - folded}"]
            assert other.cards == tuple(str(cards[p]) for p in other.positions)
            assert next(iter(rack)) == f"seat {folded}, folded"
        recall = {"type": "Recall", "round": "t-1", "seat": 1, "cards": ["As", "Kd", "2c"]}
        assert (await refusal(dealer.do(recall, "table"))).code == "wrong_person"
        doubled = {**recall, "cards": ["As", "As"]}
        assert (await refusal(floor.do(doubled, "table"))).code == "card_doubled"
        for field, wrong in (("round", "t-3"), ("round", "u-1"), ("round", "t-"), ("seat", 9)):
            refused = await refusal(floor.do({**recall, field: wrong}, "table"))
            assert refused.code == f"no_such_{field}"
        await floor.do(recall, "table")
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        kept = [r.event for r in records if r.event["type"] == "HandRecalled"]
        assert kept == [{**recall, "type": "HandRecalled"}] and records[-1].who == ("f1",)

    play(tmp_path, real(MARYLAND), scenario)


def test_only_the_posted_choice_is_made_for_an_unread_hand(tmp_path: Path) -> None:
    """M13: a player whose screen is gone risks nothing more, and the journal says who chose why."""

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(7)
        dealer, _ = staff = await crew(pit)
        await until(pit, players, staff, shoe, "CloseBets")
        await until(pit, players, staff, shoe, "")
        seat = pit.scene()["asked"]
        command = {"type": "Choose", "seat": seat, "option": "fold"}
        assert (await refusal(dealer.do(command))).code == "player_decides"
        pit.galleries.farewell(players[seat - 1].viewer, "t")
        assert "posted choice for you: “Fold”. It risks nothing more" in players[0].felt["default"]
        desk = await dealer.look()
        assert "Fold" in desk["next"]["says"]
        (act,) = [one for one in desk["acts"] if one["command"]["type"] == "Choose"]
        assert act["command"]["option"] == "fold"
        why = await refusal(dealer.do({**command, "option": "play"}))
        assert (why.code, why.clause) == ("player_decides", "11.C")
        await dealer.do(act["command"])
        assert pit.tables["t"].place.standing.round.boxes[seat].folded  # type: ignore[union-attr]
        stored = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        (chose,) = [one for one in stored if one.event["type"] == "Chose"]
        assert (chose.event["by"], chose.who) == ("posted", ("d1",))

    play(tmp_path, real(MARYLAND), scenario)
