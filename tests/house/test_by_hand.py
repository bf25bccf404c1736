"""Rounds in which the system failed: finished by hand, and entered later by two people."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.house import said
from croupier.house.desk import desk_of
from croupier.house.standing import Standing
from croupier.ledger.entries import Posting, Setting, post
from croupier.ledger.journal import decode
from croupier.ledger.verify import verify
from croupier.round.commands import CountStub
from croupier.round.record import rounds_of
from croupier.round.state import Round
from croupier.table.crew import Approvers
from tests.house.felt import FELT as WITH_CHIPS
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.shifts import FELT, Shift
from tests.house.staff import Shoe, crew, one_round, one_step, real, refusal
from tests.house.test_forms import offered
from tests.rules.books import MARYLAND, SINGAPORE, each_book
from tests.table.tables import WAGERS

SEED = 5
STOPS: dict[str, Callable[[Round], bool]] = {
    "bets": lambda round: len(round.boxes) + bool(round.banker) == 2,
    "deal": lambda round: _does(round, "deal"),
    "decide": lambda round: _does(round, "decide"),
    "half decided": lambda round: any(box.chose for box in round.boxes.values()),
    "cards turned": lambda round: bool(round.faces) and not _does(round, "bets"),
}


def _does(round: Round, do: str) -> bool:
    return round.stage is not None and round.stage.do == do


def halfway(id: str, stop: Callable[[Round], bool]) -> tuple[Shift, Round]:
    """Stop in a round, and return the same round played on by the book."""
    shift = Shift(id, WAGERS.get(id, {}), FELT)
    shift.cards = random.Random(SEED).sample(DECK, 52)
    shift.until(lambda standing: standing.in_play is not None)
    shift.rounds += 1
    shift.until(lambda standing: standing.in_play is not None and stop(standing.in_play))
    at, events = shift.standing, len(shift.events)
    shift.until(lambda standing: standing.in_play is None)
    whole = shift.standing.round
    assert whole is not None and not whole.void
    shift.standing, shift.events = at, shift.events[:events]
    return shift, whole


def form_of(whole: Round, at: Round) -> dict[str, Any]:
    """What people wrote on the form of a round: hands that were turned up, and decisions."""
    places = {**{str(seat): box.cards for seat, box in whole.boxes.items()}, **whole.places}
    cards = {
        name: [str(whole.faces[position]) for position in positions]
        for name, positions in places.items()
        if positions and all(position in whole.faces for position in positions)
    }
    chose = {str(seat): dict(box.chose) for seat, box in whole.boxes.items()}
    action = whole.action if _does(at, "bets") else None
    return {"type": "ByHand", "cards": cards, "chose": chose, "action": action}


def enter(shift: Shift, form: dict[str, Any]) -> None:
    """Let two people enter a form."""
    shift.tell("d1", said.Propose("x", "round", form, "the server was down"))
    shift.tell("f1", said.Approve("x", shift.standing.table.proposals[-1].id))


def in_play(shift: Shift) -> Round:
    assert shift.standing.in_play is not None
    return shift.standing.in_play


@pytest.mark.parametrize("stop", STOPS)
@each_book
def test_a_round_finished_by_hand_is_settled_as_if_by_the_book(id: str, stop: str) -> None:
    shift, whole = halfway(id, STOPS[stop])
    form = form_of(whole, in_play(shift))
    why = shift.refusal("d1", "round", form)
    assert why and why.code == "needs_approval"
    enter(shift, form)
    assert in_play(shift).by_hand and not in_play(shift).todo
    done: list[str] = []
    while shift.standing.in_play:
        done.append(type(shift.step().command).__name__)
    assert {*done} <= {"Settle", "Close", "Validate", "Confirm"}, "nothing else is asked"
    round = shift.standing.round
    assert round is not None
    assert (round.lines, round.meters, round.order) == (whole.lines, whole.meters, whole.order)
    assert round.faces == whole.faces
    told = tuple(event for of, event in shift.events if of == "round")
    assert [*rounds_of(round.rules, told)][-1] == round, "the record can be played again"
    posting = Posting(Setting("t"), Round(round.rules))
    for event in told:
        posting, _ = post(posting, event)
    assert posting.round == round


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no cards": (lambda form: form["cards"].pop("1"), "0 of the 3 cards of seat 1"),
    "a card too many": (lambda form: form["cards"]["1"].append("2c"), "4 of the 3 cards"),
    "one twice": (lambda form: form["cards"].update({"1": form["cards"]["2"]}), "twice"),
    "no such seat": (lambda form: form["cards"].update({"6": ["2c"]}), "seat 6 has 0 cards"),
    "undecided": (lambda form: form["chose"].pop("2"), "say what seat 2 decided"),
    "nobody decided": (
        lambda form: form["chose"].update({"6": {"x": "y"}}),
        "made no such decision",
    ),
    "no such option": (lambda form: form["chose"]["1"].update(play_or_fold="raise"), "raise"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_form_that_does_not_fit_is_refused(fault: str) -> None:
    shift, whole = halfway(MARYLAND, STOPS["deal"])
    form = form_of(whole, in_play(shift))
    spoil, says = FAULTS[fault]
    spoil(form)
    with pytest.raises(Refused, match=says):
        enter(shift, form)


def test_a_card_that_was_read_is_not_entered_otherwise() -> None:
    shift, whole = halfway(MARYLAND, lambda round: bool(round.order))
    form = form_of(whole, in_play(shift))
    read = {card: at for at, card in in_play(shift).faces.items()}
    unread = next(card for card in DECK if card not in whole.faces.values())
    name = next(
        name for name, cards in form["cards"].items() if Card(cards[0]) in read and name != "1"
    )
    form["cards"][name][0] = str(unread)
    with pytest.raises(Refused, match=f"was read, not the {unread.words}"):
        enter(shift, form)


def test_a_stub_that_was_counted_by_hand_counts() -> None:
    shift, whole = halfway(MARYLAND, STOPS["deal"])
    stub = 52 - whole.next_position
    enter(shift, {**form_of(whole, in_play(shift)), "stub": stub})
    assert in_play(shift).stub == 52
    while shift.standing.in_play:
        shift.step()
    assert shift.standing.table.uncounted == 0


def test_a_stub_that_is_short_voids_the_round_and_takes_who_a_void_takes() -> None:
    shift, whole = halfway(MARYLAND, STOPS["deal"])
    form = {**form_of(whole, in_play(shift)), "stub": 51 - whole.next_position}
    assert whole.rules.meters and in_play(shift).boxes[1].stakes.keys() & {"progressive"}
    shift.tell("d1", said.Propose("x", "round", form, "the server was down"))
    (proposed,) = shift.standing.table.proposals
    assert proposed.preview.voids and proposed.preview.approve == ("surveillance",)
    with pytest.raises(Refused, match="surveillance answers it, not floor"):
        shift.tell("f1", said.Approve("x", proposed.id))
    shift.tell("d1", said.Withdraw("x", proposed.id))
    shift.config = replace(shift.config, approvers=Approvers(void_turned=("floor",)))
    enter(shift, form)
    assert in_play(shift).void
    while shift.standing.in_play:
        shift.step()
    round = shift.standing.round
    assert round and {line.outcome for line in round.lines} == {"void"}


def test_a_form_repeats_nothing_that_was_entered_before() -> None:
    shift, whole = halfway(MARYLAND, STOPS["decide"])
    form = form_of(whole, in_play(shift))
    why = shift.refusal("d1", "round", {**form, "action": 1})
    assert why and why.field == "action"
    shift.act(lambda act: act.in_round(CountStub(52 - whole.next_position)))
    why = shift.refusal("d1", "round", {**form, "stub": 3})
    assert why and (why.field, why.message) == ("stub", "the stub was counted in this round")


def test_a_hand_that_stayed_face_down_is_not_told_to_everybody() -> None:
    shift, whole = halfway(MARYLAND, STOPS["decide"])
    form = form_of(whole, in_play(shift))
    form["chose"]["2"]["play_or_fold"] = "fold"
    why = shift.refusal("d1", "round", form)
    assert why and why.message == "leave seat 2 out: its cards are not turned up"
    del form["cards"]["2"]
    enter(shift, form)
    assert in_play(shift).boxes[2].folded


def test_the_desk_offers_the_form_until_every_card_is_known() -> None:
    shift, whole = halfway(MARYLAND, STOPS["deal"])
    (act,) = offered(desk_of(shift.standing), "ByHand")
    fields = {field["field"] for field in act["fields"]} - {""}
    assert fields == {"cards.1", "cards.2", "cards.bank", "cards.community", "stub"}
    gives = [answer["gives"] for field in act["fields"] for answer in field.get("answers", [])]
    assert {"chose.1.play_or_fold": "fold"} in gives
    enter(shift, form_of(whole, in_play(shift)))
    assert not offered(desk_of(shift.standing), "ByHand")
    why = shift.refusal("d1", "round", form_of(whole, in_play(shift)))
    assert why and (why.code, why.message) == (
        "wrong_step",
        "every card is known; settle the seats",
    )


def test_nobody_finishes_virtual_cards_by_hand() -> None:
    shift = Shift(SINGAPORE, WAGERS.get(SINGAPORE, {}), ("dealer",))
    assert not offered(desk_of(shift.standing), "ByHand")
    assert isinstance(shift.standing, Standing)


def test_the_journal_marks_it_and_verify_says_so(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(7)
        dealer, floor = staff = await crew(pit)
        table = pit.tables["t"]
        while not ((round := table.place.standing.in_play) and _does(round, "decide")):
            await one_step(pit, players, staff, shoe)
        hands = {str(seat): box.cards for seat, box in round.boxes.items()}
        places = {**hands, **round.places}
        form = {
            "type": "ByHand",
            "cards": {name: [str(shoe.cards[p]) for p in at] for name, at in places.items()},
            "chose": {seat: {"play_or_fold": "play"} for seat in hands},
        }
        assert (await refusal(floor.do(form))).code == "needs_approval"
        await dealer.say("propose", of="round", command=form, why="the server was down")
        (one,) = (await floor.look())["proposals"]
        await floor.say("approve", proposal=one["id"])
        await one_round_left(pit, players, staff, shoe)
        found = await pit.books.read(lambda view: verify(view, rules_of))
        (said,) = [line for line in found.unproved if "by hand" in line]
        assert said.endswith("which two people entered from a form: t-1") and not found.faults
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        (entered,) = [record for record in records if record.event["type"] == "ByHand"]
        assert (entered.who, entered.subject) == (("d1", "f1"), "t-1")
        await one_round(pit, players, staff, shoe)

    play(tmp_path, real(MARYLAND, WITH_CHIPS), scenario)


async def one_round_left(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
    while pit.tables["t"].place.standing.in_play:
        await one_step(pit, players, staff, shoe)
