"""T11: acts that take two people are proposed by one and approved by another."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from croupier.errors import Refused
from croupier.house import dealer, proposals
from croupier.house import standing as at_standing
from croupier.house.dealer import Chance
from croupier.house.proposals import Proposable, preview, proposable
from croupier.house.recall import recall
from croupier.house.standing import Act, Standing, new_standing
from croupier.ledger.journal import decode
from croupier.ledger.verify import verify
from croupier.round.commands import Bet, CallOff, Choose, CloseBets, Declare
from croupier.table import commands as at_table
from croupier.table import proposals as at_proposals
from croupier.table.commands import Preview, TakeBank, Time
from croupier.table.crew import APPROVERS, Approvers, Role, Who
from tests.house.floor import KEY, OpenPit, one_table, pit_at, rules_of
from tests.rules.books import CALIFORNIA

NOW, LATER = Time(1_000, 1_000), Time(1_120, 1_120)
DEALER, FLOOR = Who("d1", "dealer"), Who("f1", "floor")
CHANCE = Chance(Random(7).randbytes, KEY)
VOID = Proposable("round", Declare("misdeal"))


def open_table(act: Act) -> None:
    """Open a table for a crew of its own."""
    for post in ("dealer", "floor"):
        act.at_table(at_table.TapIn(f"{post} 0", post))
    act.at_table(at_table.OpenTable())


def table_at(step: str) -> Standing:
    """A table with a banker and two players, whose round is at a step."""
    act = Act(new_standing(rules_of(CALIFORNIA, {}, ("dealer",))))
    open_table(act)
    for seat in (1, 2, 3):
        act.at_table(at_table.Join(seat, f"p{seat}"))
    act.at_table(TakeBank(1, 500_00))
    dealer.open_round(act, "r1", time=NOW, meters=act.standing.table.meters, chance=CHANCE)
    for seat, cents in ((2, 20_00), (3, 30_00)):
        act.in_round(Bet(seat, f"p{seat}", "ante", cents))
    if step == "deal":
        act.in_round(CloseBets())
    elif step != "bets":
        assert act.deck is not None
        dealer.close(act, act.deck, time=NOW)
    assert act.round.stage is not None and act.round.stage.do == step
    return act.standing


def proposed(standing: Standing, *, by: Who = DEALER) -> Standing:
    act = Act(standing)
    proposals.propose(act, VOID, "two cards to seat 2", by=by, time=NOW, approvers=APPROVERS)
    return act.standing


def answer(standing: Standing, by: Who = FLOOR, time: Time = NOW) -> Act:
    act = Act(standing)
    proposals.approve(act, "1", by=by, time=time, approvers=APPROVERS)
    return act


def refusal(do: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        do()
    return caught.value


def test_a_void_after_the_first_card_happens_when_a_second_person_approves_it() -> None:
    before = table_at("decide")
    standing = proposed(before)
    assert standing.round == before.round, "nothing has happened yet"
    act = answer(standing)
    assert [type(h.event).__name__ for h in act.happened] == ["Approved", "Declared"]
    assert act.who == ("d1", "f1")
    assert act.round.void and act.standing.table.proposals == ()


def test_a_preview_says_what_happens_and_changes_nothing() -> None:
    standing = table_at("decide")
    told = preview(standing, VOID, APPROVERS)
    assert (told.ruling, told.deck, told.voids, told.stands) == ("C8", "stays", True, True)
    assert (told.propose, told.approve) == (("dealer", "floor"), ("floor",))
    act = answer(proposed(standing))
    dealer.settle(act, {})
    lines = act.round.lines
    assert told.returns == {s: sum(ln.returned for ln in lines if ln.seat == s) for s in (2, 3)}
    assert told.returns == {2: 20_00, 3: 30_00}


def test_before_the_first_card_one_person_is_enough() -> None:
    act = Act(table_at("deal"))
    assert preview(act.standing, VOID, APPROVERS).approve == ()
    proposals.check_alone(act.standing, VOID, APPROVERS)
    why = refusal(
        lambda: proposals.propose(act, VOID, "", by=DEALER, time=NOW, approvers=APPROVERS)
    )
    assert why.code == "one_person"


def test_nobody_voids_a_round_alone() -> None:
    standing = table_at("decide")
    why = refusal(lambda: proposals.check_alone(standing, VOID, APPROVERS))
    assert (why.code, why.clause) == ("needs_approval", "C8")


def test_the_house_says_who_approves() -> None:
    standing, act = table_at("decide"), Act(table_at("decide"))
    approvers = Approvers(void=("auditor",))
    assert preview(standing, VOID, approvers).approve == ("auditor",)
    proposals.propose(act, VOID, "seen", by=DEALER, time=NOW, approvers=approvers)
    auditor = Who("a1", "auditor")
    assert refusal(lambda: answer(act.standing, auditor)).code == "changed", "by other approvers"
    for by, code in ((FLOOR, "wrong_person"), (Who("d1", "auditor"), "same_person")):
        why = refusal(partial(proposals.approve, act, "1", by=by, time=NOW, approvers=approvers))
        assert why.code == code
    proposals.approve(act, "1", by=auditor, time=NOW, approvers=approvers)
    assert act.round.void and act.who == ("d1", "a1")


TEETH: dict[str, tuple[Who, str]] = {
    "the same person": (Who("d1", "floor"), "same_person"),
    "another role": (Who("s1", "surveillance"), "wrong_person"),
    "another dealer": (Who("d2", "dealer"), "wrong_person"),
    "somebody who plays here": (Who("p2", "floor"), "plays_here"),
}


@pytest.mark.parametrize("case", TEETH)
def test_an_approval_is_refused_to(case: str) -> None:
    who, code = TEETH[case]
    standing = proposed(table_at("decide"))
    assert refusal(lambda: answer(standing, who)).code == code
    decline = at_table.Decline("1", who, "no")
    assert refusal(lambda: Act(standing).at_table(decline)).code == code


def test_a_proposal_is_refused_to_a_player_here_and_to_other_roles() -> None:
    standing = table_at("decide")
    assert refusal(lambda: proposed(standing, by=Who("p3", "dealer"))).code == "plays_here"
    assert refusal(lambda: proposed(standing, by=Who("a1", "auditor"))).code == "wrong_person"


def test_an_open_void_stops_the_round_until_it_is_answered() -> None:
    standing = proposed(table_at("decide"))
    assert standing.round is not None
    choose = Choose(standing.round.asked[0], "fold")
    assert refusal(lambda: Act(standing).in_round(choose)).code == "stopped"
    Act(standing).in_round(CallOff("interrupted", "the machine stopped"))
    act = Act(standing)
    act.at_table(at_table.Decline("1", FLOOR, "the hand is complete"))
    act.in_round(choose)


def test_only_the_proposer_withdraws() -> None:
    standing = proposed(table_at("decide"))
    withdraw = at_table.Withdraw("1", FLOOR)
    assert refusal(lambda: Act(standing).at_table(withdraw)).code == "wrong_person"
    act = Act(standing)
    act.at_table(at_table.Withdraw("1", DEALER))
    assert refusal(lambda: answer(act.standing)).code == "no_such_proposal"


def test_one_proposal_of_a_kind_is_open_in_a_round() -> None:
    standing = proposed(table_at("decide"))
    # The void itself stops the round, so that a second one can't even be previewed.
    assert refusal(lambda: proposed(standing, by=FLOOR)).code == "stopped"
    table, again = asked(standing), replace(ADJUSTMENT, time=Time(1_119, 1_119))
    assert refusal(lambda: Act(table).at_table(again)).code == "proposal_open"
    act = Act(table)
    act.at_table(replace(ADJUSTMENT, time=LATER))
    assert [type(h.event).__name__ for h in act.happened] == ["Lapsed", "Proposed"]


def test_a_proposal_that_would_do_something_else_by_now_is_refused() -> None:
    standing = proposed(table_at("decide"))
    round = standing.round
    assert round is not None
    other = replace(standing, round=structs.replace(round, boxes={2: round.boxes[2]}))
    assert refusal(lambda: answer(other)).code == "changed"
    over = replace(standing, round=structs.replace(round, closed=True))
    assert refusal(lambda: answer(over)).code == "changed"


def test_sent_twice_it_happens_once() -> None:
    act = answer(proposed(table_at("decide")))
    assert refusal(lambda: answer(act.standing)).code == "no_such_proposal"


# ---------------------------------------------------------------- what the book doesn't demand

APPROVES: tuple[Role, ...] = ("auditor",)
ADJUSTMENT = at_table.Propose(
    "ledger",
    {"type": "MeterStarted", "meter": "m", "micros": 5},
    "the meter was set by hand",
    FLOOR,
    NOW,
    Preview("digest", propose=("floor",), approve=APPROVES),
)


def asked(standing: Standing) -> Standing:
    act = Act(standing)
    act.at_table(ADJUSTMENT)
    return act.standing


def test_what_the_book_does_not_demand_lapses_after_two_minutes() -> None:
    standing = asked(table_at("bets"))
    lapse = at_table.Lapse("1", Time(1_119, 1_119))
    assert refusal(lambda: Act(standing).at_table(lapse)).code == "not_due"
    approve = at_table.Approve("1", Who("a1", "auditor"), LATER, ADJUSTMENT.preview)
    assert refusal(lambda: Act(standing).at_table(approve)).code == "lapsed"
    act = Act(standing)
    act.at_table(replace(lapse, time=LATER))
    assert act.standing.table.proposals == ()
    void = proposed(table_at("decide"))
    assert refusal(lambda: Act(void).at_table(replace(lapse, time=LATER))).code == "not_due"
    assert answer(void, time=Time(9_000, 9_000)).round.void


def nothing(*_: object) -> None:
    """A check that finds nothing."""


def other_table() -> Standing:
    """A table at which a proposed void would return less by now."""
    standing = proposed(table_at("decide"))
    assert standing.round is not None
    return replace(
        standing, round=structs.replace(standing.round, boxes={2: standing.round.boxes[2]})
    )


def withdrawn_by_another() -> None:
    Act(proposed(table_at("decide"))).at_table(at_table.Withdraw("1", FLOOR))


def gone_on() -> None:
    standing = proposed(table_at("decide"))
    assert standing.round is not None
    Act(standing).in_round(Choose(standing.round.asked[0], "fold"))


def late() -> None:
    approve = at_table.Approve("1", Who("a1", "auditor"), LATER, ADJUSTMENT.preview)
    Act(asked(table_at("bets"))).at_table(approve)


MUTANTS: dict[str, tuple[Any, str, Any, Callable[[], object]]] = {
    "a person approves what they proposed": (
        at_proposals,
        "_check_other",
        nothing,
        lambda: answer(proposed(table_at("decide")), Who("d1", "floor")),
    ),
    "any role approves": (
        at_proposals,
        "_check_role",
        nothing,
        lambda: answer(proposed(table_at("decide")), Who("d2", "dealer")),
    ),
    "any role proposes": (
        at_proposals,
        "_check_proposes",
        nothing,
        lambda: proposed(table_at("decide"), by=Who("a1", "auditor")),
    ),
    "a player approves": (
        at_proposals,
        "check_stranger",
        nothing,
        lambda: answer(proposed(table_at("decide")), Who("p2", "floor")),
    ),
    "a player proposes": (
        at_proposals,
        "check_stranger",
        nothing,
        lambda: proposed(table_at("decide"), by=Who("p2", "dealer")),
    ),
    "what has changed is approved": (
        at_proposals,
        "_check_unchanged",
        nothing,
        lambda: answer(other_table()),
    ),
    "it isn't decided again": (
        proposals,
        "preview",
        lambda *_: preview(table_at("decide"), VOID, APPROVERS),
        lambda: answer(other_table()),
    ),
    "anybody withdraws": (at_proposals, "_check_own", nothing, withdrawn_by_another),
    "nothing lapses": (at_proposals, "has_lapsed", lambda *_: False, late),
    "the round goes on": (at_standing, "check_not_stopped", nothing, gone_on),
    "one person is enough": (
        proposals,
        "two_people",
        lambda *_: proposals.ALONE,
        lambda: proposals.check_alone(table_at("decide"), VOID, APPROVERS),
    ),
}


@pytest.mark.parametrize("fault", MUTANTS)
def test_each_check_has_teeth(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, mutant, does = MUTANTS[fault]
    assert refusal(does).code
    monkeypatch.setattr(module, name, mutant)
    does()


# ---------------------------------------------------------------- the journal


async def _void_proposed(pit: OpenPit) -> None:
    """Bring a table to a decision and propose that the round is void."""
    table = pit.tables["t"]
    for seat in (1, 2):
        await pit.cage.fill(f"p{seat}", 1_000_00)
        join = at_table.Join(seat, f"p{seat}")
        await table.act(partial(Act.at_table, command=join))
    await table.act(partial(Act.at_table, command=TakeBank(1, 500_00)))
    await table.act(open_table)

    def begin(act: Act) -> None:
        dealer.open_round(act, "t-1", time=NOW, meters={}, chance=CHANCE)
        act.in_round(Bet(2, "p2", "ante", 20_00))

    await table.act(begin)
    deck = table.deck
    assert deck is not None
    await table.act(partial(dealer.close, committed=deck, time=NOW))
    await table.act(
        partial(proposals.propose, what=VOID, why="seen", by=DEALER, time=NOW, approvers=APPROVERS)
    )


def test_a_proposal_comes_back_from_the_journal_with_who_made_it(tmp_path: Path) -> None:
    config = one_table(CALIFORNIA, more='things = ["dealer"]')

    async def scenario() -> None:
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            await _void_proposed(pit)
            live = pit.tables["t"].place.standing
        # The process is gone; another one takes the table up.
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            table = pit.tables["t"]
            assert table.place.standing.table == live.table
            assert [one.id for one in table.place.standing.table.proposals] == ["1"]
            await table.act(
                partial(proposals.approve, id="1", by=FLOOR, time=NOW, approvers=APPROVERS)
            )
            await table.act(partial(dealer.settle, meters={}))
            rows = await pit.books.read(lambda view: [decode(r.data) for r in view.stream("t")])
            who = {str(row.event["type"]): row.who for row in rows if row.who}
            assert who == {"Proposed": ("d1",), "Approved": ("d1", "f1"), "Declared": ("d1", "f1")}
            found = await pit.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()
            again = await pit.books.read(partial(recall, stream="t", rules_of=rules_of))
            assert again.standing == table.place.standing
            assert pit.books.purse_cents("p2") == 1_000_00

    asyncio.run(scenario())


def test_a_command_is_read_from_a_proposal_as_it_was_proposed() -> None:
    declare = Declare("face_up_cards", {"positions": (3, 4)})
    what = Proposable("round", declare)
    assert proposable("round", what.plain) == what
