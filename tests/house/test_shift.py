"""Shifts by the desk's next step alone: every guided clause at its moment, and nothing is lost."""

from typing import Any

import pytest

from croupier.cards import DECK, parse_cards
from croupier.errors import Refused
from croupier.house import said
from croupier.house.desk import desk_of, next_step
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
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, book
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


def test_a_clause_that_the_dealer_does_not_know_is_named_and_refused_without() -> None:
    shift = Shift(MARYLAND, AUTOMATED)
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "deal")
    why = shift.refusal("d1", "round", in_round.Deal())
    step = next_step(shift.standing)
    assert why and (why.code, why.clause) == ("prompt_open", "10.A(3)(a)")
    assert step.clause == "10.A(3)(a)"
    said = book(MARYLAND).clauses["10.A(3)(a)"].says
    assert step.says == said and said in why.message
    while (step := shift.step()).clause.startswith("10.A(3)"):
        continue
    assert isinstance(step.command, DealFirstCard), "the deal is what comes then"


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
