"""Forms of a desk: what people enter besides the next step, filled in from its fields alone."""

from pathlib import Path
from typing import Any

from croupier.house.desk import keys_of
from croupier.house.forms import TOPICS
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from tests.house.felt import FELT, one_round, step
from tests.house.floor import OpenPit, Player, play, seated
from tests.house.staff import Shoe, Staff, crew, one_step, real, refusal, until
from tests.rules.books import FLORIDA, LET_IT_RIDE, MARYLAND, book

TYPED: dict[str, Any] = {
    "money": 25_00,
    "number": 52,
    "card": "2c",
    "text": "",
    "cards": ["As", "Kd", "Qc"],
}


def offered(desk: dict[str, Any], type: str) -> list[dict[str, Any]]:
    return [one for one in desk["acts"] if one["command"]["type"] == type]


def filled(act: dict[str, Any], at: int = 0, **typed: Any) -> dict[str, Any]:
    """Return a command as a page makes it: from the act's fields, and nothing else."""
    command = dict(act["command"])
    for field in act["fields"]:
        if "answers" in field:
            command |= field["answers"][min(at, len(field["answers"]) - 1)]["gives"]
        else:
            value = typed.get(field["field"], field.get("value") or TYPED[field["kind"]])
            command[field["field"]] = value
    return command


async def enter(staff: Staff, type: str, at: int = 0, **typed: Any) -> None:
    (act, *_) = offered(await staff.look(), type)
    await staff.do(filled(act, at, **typed), act["of"])


async def a_round_with_a_walk_in(
    pit: OpenPit,
) -> tuple[tuple[Staff, Staff], list[Player], Shoe]:
    """Play a round of a player and a walk-in; return dealer and floor, the player and the shoe."""
    dealer, floor = await crew(pit)
    shoe, players = Shoe(3), await seated(pit, 1)
    await players[0].look()
    await until(pit, players, (dealer, floor), shoe, "StartRound")
    await enter(dealer, "SeatWalkIn")
    await one_round(pit, players, (dealer, floor), shoe)
    return (dealer, floor), players, shoe


def test_walk_ins_are_seated_bet_and_leave_by_what_the_desk_offers(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = staff = await crew(pit)
        shoe, table = Shoe(3), pit.tables["t"]
        await until(pit, [], staff, shoe, "")
        assert not offered(await dealer.look(), "Bet")
        await enter(dealer, "SeatWalkIn", at=1)
        await enter(dealer, "SeatWalkIn", at=0)
        assert sorted(table.place.standing.table.seats) == [1, 2]
        await until(pit, [], staff, shoe, "StartRound")
        await one_step(pit, [], staff, shoe)
        await enter(dealer, "Bet", cents=20_00)
        (box,) = table.place.standing.in_play.boxes.values()  # type: ignore[union-attr]
        assert (box.player, [s.cents for s in box.stakes.values()]) == ("w-2", [20_00])
        await enter(dealer, "TakeDown")
        assert not offered(await dealer.look(), "TakeDown")
        await enter(dealer, "Leave")
        assert [*table.place.standing.table.seats] == [2]

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_mispay_and_its_correction_are_on_the_desk(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (dealer, _), *_ = await a_round_with_a_walk_in(pit)
        table = pit.tables["t"]
        (act,) = offered(await dealer.look(), "Mispay")
        places = [one["gives"] for one in act["fields"][0]["answers"]]
        assert {"seat": 2, "wager": "ante"} in places
        await dealer.do(filled(act, paid=77_00), "table")
        (wrong,) = table.place.standing.table.mispaid
        assert wrong.paid == 77_00
        (again,) = offered(await dealer.look(), "Mispay")
        assert len(again["fields"][0]["answers"]) == len(places) - 1
        (right,) = offered(dealer.desk, "CorrectPay")
        assert "$77" in right["says"] and right["fields"] == []
        await dealer.do(right["command"], "table")
        assert table.place.standing.table.mispaid == ()

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_card_is_corrected_and_a_hand_of_any_round_recalled(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        staff, players, shoe = await a_round_with_a_walk_in(pit)
        (dealer, floor), table = staff, pit.tables["t"]
        (act,) = offered(await floor.look(), "Recall")
        assert act["clause"] == "11.E" and act["posts"] == ["floor"]
        assert act["fields"][0]["value"] == "t-1"
        await floor.do(filled(act, at=1), "table")
        assert (await refusal(dealer.do(filled(act), "table"))).code == "wrong_person"
        for _ in range(60):  # Until two cards of the next round were read.
            if table.place.standing.in_play and len(table.place.standing.in_play.faces) == 2:
                break
            await step(pit, players, staff, shoe)
        desk = await dealer.look()
        last, (correct,) = desk["last_read"], offered(desk, "Correct")
        faces = table.place.standing.in_play.faces  # type: ignore[union-attr]
        assert str(faces[last["position"]]) == last["card"] and last["key"] == "Z"
        spare = next(str(card) for card in shoe.cards.values() if card not in faces.values())
        assert correct["fields"][0]["answers"][0]["gives"] == {"position": last["position"]}
        await dealer.do(filled(correct, card=spare))
        now = table.place.standing.in_play
        assert now and str(now.faces[last["position"]]) == spare
        await dealer.do({**last["command"], "card": last["card"]})
        assert table.place.standing.round.faces == faces  # type: ignore[union-attr]

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_walk_in_banks_with_dollars(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = staff = await crew(pit)
        await until(pit, [], staff, Shoe(1), "")
        await enter(dealer, "SeatWalkIn")
        await enter(dealer, "SeatWalkIn")
        await until(pit, [], staff, Shoe(1), "TakeBank")
        step = (await dealer.look())["next"]
        assert step["takes"]["kind"] == "money" and "funds" not in step["command"]
        assert [one["says"] for one in offered(dealer.desk, "PassBank")] == ["Seat 1 passes"]

    play(tmp_path, real(FLORIDA, FELT), scenario)


def test_every_key_of_a_desk_is_told_once() -> None:
    felt = resolve(book(MARYLAND), {}, things=("dealer", "cards", "chips"))
    keys = [one["key"] for one in keys_of(felt)]
    assert {"N", "D", "Y", "Z", "R", "A", "P", "F"} <= {*keys} and len({*keys}) == len(keys)
    virtual: tuple[Thing, ...] = ("dealer",)
    ride = resolve(book(LET_IT_RIDE), {}, things=virtual)
    assert [one["key"] for one in keys_of(ride)] == ["N", "D", "Y"]
    assert {*TOPICS.values()} == {"Walk-ins", "Chips", "Cards", "Disputes", "By hand", "Table"}
