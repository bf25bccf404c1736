"""Shifts by the desk's next step alone: every guided clause at its moment, and nothing is lost."""

from typing import Any

import pytest

from croupier.cards import DECK, parse_cards
from croupier.errors import Refused
from croupier.house import said
from croupier.house.desk import desk_of
from croupier.house.next_step import next_step
from croupier.house.standing import Standing
from croupier.round import commands as in_round
from croupier.round import events as happened
from croupier.round import irregularity
from croupier.round.codec import event_from
from croupier.round.codec import to_plain as plain
from croupier.round.record import rounds_of
from croupier.rules.vocabulary import BANK
from croupier.table import commands as at_table
from croupier.table.codec import event_from as table_event_from
from croupier.table.commands import DealFirstCard
from croupier.table.state import new_table
from tests.house.shifts import EQUIPMENT, Shift, met
from tests.house.test_forms import offered
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, book
from tests.table.tables import STAKES, WAGERS

FILL: dict[str, Any] = {"type": "MoveChips", "why": "fill", "cents": 100_00}
AUTOMATED = {**EQUIPMENT[3], **WAGERS[MARYLAND]}


@pytest.mark.parametrize("id", STAKES)
def test_every_guided_clause_is_met_at_its_moment_and_kept_once_by_the_right_people(
    id: str,
) -> None:
    """The script tries each too early, by others and again; all of it is refused."""
    guided = {name: c for name, c in book(id).clauses.items() if c.kept == "guided" and c.at}
    found = met()[id]
    assert guided.keys() - found.keys() == set()
    for name, many in found.items():
        clause = guided[name]
        for kept in many:
            assert kept.moment == clause.at, name
            assert kept.wrong, f"nobody else tried {name}"
            if clause.force == "task":
                assert kept.by == clause.by, name
                early = {*kept.early} - {"Confirm"}
                assert early, f"nothing was refused before {name} was kept"
                assert kept.again, f"{name} was never tried again"
        if clause.force == "right":
            assert {kept.by for kept in many if kept.by} == {clause.by}, name
            assert any(kept.again for kept in many), f"{name} was never tried too late"


def test_a_deck_that_grows_too_old_while_players_bet_is_changed_as_the_next_step() -> None:
    shift = Shift(MARYLAND, {**EQUIPMENT[0], **WAGERS[MARYLAND]})
    shift.until(lambda s: isinstance(next_step(s).command, DealFirstCard))
    step = shift.next_step()
    shift.time_s += 9 * 3600
    why = shift.refusal("d1", step.of, step.command)
    assert why and (why.code, why.clause) == ("deck_too_old", "3.C(2)")
    change = shift.next_step()
    assert (type(change.command), change.clause) == (at_table.Receive, "3.C(2)")
    shift.until(lambda s: s.table.round is not None and s.table.round.dealt)
    deck = shift.standing.table.decks[1]
    assert deck.age_s == 0, "the other deck is dealt"


@pytest.mark.parametrize(("bank", "plays"), [("2s 7h Qc", True), ("2s 7h Jc", False)])
def test_5b_play_wagers_go_on_top_of_the_ante_only_where_the_bank_qualifies(
    bank: str, plays: bool
) -> None:
    shift = Shift(CALIFORNIA, {})
    shift.until(lambda s: s.in_play and BANK in s.in_play.places)
    found, round = parse_cards(bank), shift.standing.in_play
    assert round is not None
    rest = (card for card in DECK if card not in found)
    theirs = dict(zip(round.places[BANK], found, strict=True))
    shift.cards = [theirs.get(position) or next(rest) for position in range(52)]
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "settle")
    assert ("round-of-play/5.b" in shift.kept) is plays
    # As older journals had it, somebody confirmed it whether the bank qualified or not.
    shift.play()
    told = [event for of, event in shift.events if of == "round"]
    reveal = 1 + max(n for n, one in enumerate(told) if isinstance(one, happened.Shown))
    done = [one for one in told if getattr(one, "clause", "") != "round-of-play/5.b"]
    assert len(told) - len(done) == plays
    if not plays:
        older = (*told[:reveal], happened.Confirmed("round-of-play/5.b", "dealer"), *told[reveal:])
        *_, last = rounds_of(shift.rules, older)
        assert last == shift.standing.round


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_a_card_with_the_back_of_the_other_deck_condemns_both(id: str) -> None:
    """M22: neither deck is whole."""
    shift = Shift(id, {**EQUIPMENT[1], **WAGERS[id]})
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    command = {"type": "Declare", "kind": "other_deck_card", "facts": {}}
    shift.tell("d1", said.Propose("x", "round", command, "a red back among the blue ones"))
    shift.tell("f1", said.Approve("x", "1"))
    round = shift.standing.in_play
    assert round and round.void and round.void.ruling == "M22"
    shift.until(lambda s: s.in_play is None)
    assert shift.standing.table.decks == {}
    step = next_step(shift.standing)
    assert step.says == "Bring deck 1 to the table."


def test_the_desk_offers_an_act_that_keeps_a_clause_only_to_the_person_it_names() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    shift.until(lambda s: isinstance(next_step(s).command, at_table.Shuffle))
    assert desk_of(shift.standing)["next"]["posts"] == ["dealer"]
    why = shift.refusal("f1", "table", at_table.Shuffle(1))
    assert why and (why.code, why.clause) == ("wrong_person", "5.B")


def test_nobody_is_shown_the_figure_of_the_other_who_counts() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    shift.say("d1", "table", {"type": "CountTray", "by": "dealer", "cents": 123_45})
    desk = desk_of(shift.standing)
    assert "12345" not in str(desk) and desk["tray"]["counting"] == ["floorperson"]
    shift.say("f1", "table", {"type": "CountTray", "by": "dealer", "cents": 123_44})
    desk = desk_of(shift.standing)
    assert desk["tray"]["differed"] and "1234" not in str(desk)
    assert "again" in desk["next"]["says"]


def test_the_desk_takes_a_count_chip_by_chip() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    for person, post in (("d1", "dealer"), ("f1", "floor")):
        (act,) = offered(desk_of(shift.standing), "CountTray")
        assert act["posts"] == [post] and act["topic"] == "Chips"
        chips = {field["field"].removeprefix("chips."): 2 for field in act["fields"]}
        shift.say(person, "table", {**act["command"], "chips": chips})
    assert shift.standing.table.tray.agreed == 2 * 631_75
    assert not offered(desk_of(shift.standing), "CountTray")


def test_fills_and_credits_take_the_floor_and_the_dealer() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    shift.until(lambda s: s.table.life == "open")
    with pytest.raises(Refused) as caught:
        shift.say("f1", "table", FILL)
    assert caught.value.code == "needs_approval"
    shift.tell("f1", said.Propose("x", "table", FILL))
    assert shift.standing.table.tray.moved == 0
    with pytest.raises(Refused) as caught:
        shift.tell("f1", said.Approve("x", "1"))
    assert caught.value.code == "same_person"
    shift.tell("d1", said.Approve("x", "1"))
    assert shift.standing.table.tray.moved == 100_00
    shift.say("d1", "table", {**FILL, "why": "sale", "cents": 30_00})
    assert shift.standing.table.tray.expected == 5_000_00 + 70_00


def test_a_shift_comes_back_after_a_kill_at_every_event() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    shift.play(2)
    shift.change_old_decks()
    shift.tell("f1", said.Propose("x", "table", FILL, "low on reds"))
    shift.play()
    shift.use("CloseTable")
    shift.until(lambda s: s.table.life == "closed")
    # Another process reads the journal, event by event.
    standing = Standing(new_table(shift.rules, shift.others))
    for number, (of, event) in enumerate(shift.events, 1):
        read = event_from if of == "round" else table_event_from
        standing = standing.after(of, read(plain(event)))
        if number in shift.places:
            assert standing == shift.places[number], event
            assert desk_of(standing) == desk_of(shift.places[number])
    assert len(shift.places) > 100
    proposed = [one.table.proposals for one in shift.places.values()]
    assert () in proposed and any(proposed)


def test_a_settled_seat_that_an_older_version_abandoned_replays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shift = Shift(MARYLAND, EQUIPMENT[0])
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.until(lambda standing: bool(standing.in_play and standing.in_play.order))
    seat = shift.standing.in_play.order[0]  # type: ignore[union-attr]
    abandon = in_round.Declare("abandoned", {"seat": seat})
    with pytest.raises(Refused, match=f"seat {seat} is settled"):
        shift.act(lambda act: act.in_round(abandon))
    with monkeypatch.context() as older:
        older.setattr(irregularity, "open_seats", lambda round: tuple(round.boxes))
        shift.act(lambda act: act.in_round(abandon))
    shift.until(lambda standing: standing.in_play is None)
    events = tuple(event for of, event in shift.events if of == "round")
    *_, last = rounds_of(shift.rules, events)
    assert last.closed and last.boxes[seat].abandoned


def test_a_void_before_a_hand_is_turned_up_leaves_the_desk_its_next_step() -> None:
    """No hand is compared in a void round, so cards that were never turned up aren't missed."""
    shift = Shift(FLORIDA, {})
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "settle")
    command = {"type": "Declare", "kind": "misdeal", "facts": {}}
    shift.tell("d1", said.Propose("x", "round", command, "a card too many"))
    shift.tell("f1", said.Approve("x", "1"))
    round = shift.standing.in_play
    assert round and round.void
    assert any(not {*box.cards} <= {*round.faces} for box in round.boxes.values())
    assert desk_of(shift.standing)["next"]["command"] == {"type": "Close"}
    shift.until(lambda s: s.in_play is None)


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_a_seat_that_is_abandoned_before_its_cards_are_turned_up_holds_up_nobody(id: str) -> None:
    """Its wagers are lost, so the clauses about turning up and settling its hand aren't due."""
    shift = Shift(id, {**EQUIPMENT[0], **WAGERS[id]})
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "settle")
    round = shift.standing.in_play
    assert round is not None
    seat = next(seat for seat in round.boxes if f"seat {seat}" in {d.about for d in round.todo})
    shift.say("f1", "round", {"type": "Declare", "kind": "abandoned", "facts": {"seat": seat}})
    left = shift.standing.in_play
    assert left is not None and f"seat {seat}" not in {duty.about for duty in left.todo}
    assert left.todo, "the other seat's are still due"
    shift.until(lambda s: s.in_play is None)


def test_the_resting_deck_is_shuffled_while_the_round_goes_on() -> None:
    """3.B: two decks alternate, and nothing of the round waits for the one that rests."""
    shift = Shift(MARYLAND, {**EQUIPMENT[1], **WAGERS[MARYLAND]})
    shift.play()
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    table, before = shift.standing.table, next_step(shift.standing)
    assert table.round is not None
    other = 3 - table.round.deck
    assert table.decks[other].stack is None
    for _ in range(20):
        (resting, *more) = desk_of(shift.standing)["meanwhile"] or [None]
        if resting is None:
            break
        assert not more and resting["key"] == "S" and next_step(shift.standing) == before
        command = {**resting["command"], **{f["field"]: 52 for f in resting["fields"]}}
        person = "f1" if resting["by"] == ["floorperson"] else "d1"
        shift.say(person, "table", command)
    assert shift.standing.table.decks[other].stack is not None
    assert not shift.standing.table.decks[other].todo
    shift.until(lambda s: s.table.round is not None and s.table.round.deck == other)
    assert desk_of(shift.standing)["meanwhile"] == []
    shift.play(2)


def test_what_the_resting_deck_was_left_without_comes_before_its_own_round() -> None:
    shift = Shift(MARYLAND, {**EQUIPMENT[1], **WAGERS[MARYLAND]})
    shift.play()
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    assert [one["command"]["type"] for one in desk_of(shift.standing)["meanwhile"]] == ["Shuffle"]
    shift.until(lambda s: s.in_play is None)
    assert desk_of(shift.standing)["meanwhile"] == []
    shift.until(lambda s: isinstance(next_step(s).command, at_table.Shuffle))


def test_nobody_passes_the_bank_of_a_table_that_is_not_open() -> None:
    shift = Shift(CALIFORNIA, {})
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    assert shift.standing.table.life == "closed"
    assert not offered(desk_of(shift.standing), "PassBank")
    shift.until(lambda s: isinstance(next_step(s).command, at_table.TakeBank))
    assert len(offered(desk_of(shift.standing), "PassBank")) == 1


@pytest.mark.parametrize("id", [LET_IT_RIDE, MARYLAND])
def test_decisions_are_offered_once_nothing_of_the_book_comes_before_them(id: str) -> None:
    shift = Shift(id, {**EQUIPMENT[0], **WAGERS[id]})
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    assert next_step(shift.standing).command is not None, "something comes first"
    while next_step(shift.standing).command is not None:
        assert not offered(desk_of(shift.standing), "Choose")
        shift.step()
    assert len(offered(desk_of(shift.standing), "Choose")) == 2
