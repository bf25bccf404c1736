"""What a desk says beside the next step: payouts, manners, questions, countdowns, the tape."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.payout import chips_of, payout_of
from croupier.house import said
from croupier.house.desk import desk_of, parent_of
from croupier.house.moments import countdowns, manners
from croupier.house.next_step import next_step
from croupier.house.questions import QUESTIONS, questions_of
from croupier.house.standing import Standing, new_standing
from croupier.round.awards import open_awards
from croupier.round.commands import CorrectChoice, Deal, Settle
from croupier.round.settling import next_seat
from croupier.round.state import Line, Round
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from croupier.table import commands as at_table
from croupier.table.commands import DealFirstCard, StartRound, Time
from croupier.table.state import Deck, InPlay
from tests.house.floor import OpenPit, one_table, play, seated
from tests.house.shifts import Shift
from tests.house.staff import (
    SELECTIONS,
    Shoe,
    attended,
    crew,
    one_round,
    one_step,
    players_move,
    until,
)
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, book, each_book
from tests.table.tables import WAGERS

REAL: tuple[Thing, ...] = ("dealer", "cards", "chips")


def test_a_sum_is_broken_down_into_the_fewest_chips_and_a_coin() -> None:
    assert chips_of(640_50) == [(500_00, 1), (100_00, 1), (25_00, 1), (5_00, 3), (50, 1)]
    assert chips_of(0) == []
    assert all(sum(chip * many for chip, many in chips_of(c)) == c for c in range(0, 9999, 7))


def moves(round: Round, line: Line) -> tuple[int, int, int, int]:
    """Return what is taken now, was taken before the deal, is paid, and is left."""
    wager, lost = round.rules.wagers.get(line.wager), max(line.stake - line.returned, 0)
    before = lost if wager and wager.collected else 0
    return lost - before, before, line.paid, line.returned


def test_8C2c_progressive_chips_in_the_tray_are_not_taken_again_at_the_settlement() -> None:
    shift = Shift(MARYLAND, {"dealing": "manual_shoe", **WAGERS[MARYLAND]})
    shift.until(lambda s: s.in_play is not None and "8.C(2)(c)" in shift.kept)
    shift.until(lambda s: s.in_play and isinstance(next_step(s).command, Settle))
    settling = payout_of(shift.standing.in_play, shift.standing.table.meters)
    assert settling is not None
    lines = {line["spot"]: line for line in settling["lines"]}
    mine = lines["progressive"]
    assert (mine["does"], mine["take"], mine["collected"]) == ("collected", 0, mine["stake"])
    assert mine["chips"] == [] and mine["stake"] > 0
    taken = [line for line in lines.values() if line["take"]]
    assert settling["take"] == sum(line["stake"] for line in taken)


FOLDS = pytest.mark.parametrize(
    ("id", "selections", "clause"),
    [
        (CALIFORNIA, {}, "round-of-play/4"),
        (MARYLAND, {"dealing": "manual_shoe", **WAGERS[MARYLAND]}, "11.D(1)"),
    ],
)


def ante(shift: Shift) -> tuple[str, str]:
    """Return what the desk says of the Ante of the seat settled next, and why."""
    settling = payout_of(shift.standing.in_play, shift.standing.table.meters)
    assert settling is not None
    assert settling["take"] == sum(line["take"] for line in settling["lines"])
    (line,) = (line for line in settling["lines"] if line["spot"] == "ante")
    assert line[line["does"]] == line["stake"] > 0
    return line["does"], line["because"]


@FOLDS
def test_forfeited_wagers_that_were_collected_are_not_taken_again_at_the_settlement(
    id: str, selections: dict[str, Any], clause: str
) -> None:
    shift = Shift(id, selections)
    shift.until(lambda s: s.in_play and s.in_play.step and s.in_play.step.do == "decide")
    shift.option = 1  # They fold.
    shift.until(lambda s: s.in_play and isinstance(next_step(s).command, Settle))
    assert clause in shift.kept
    assert ante(shift) == ("collected", "forfeited by folding")


@FOLDS
def test_wagers_of_a_fold_that_is_entered_after_they_were_collected_are_taken(
    id: str, selections: dict[str, Any], clause: str
) -> None:
    shift = Shift(id, selections)
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.until(lambda s: s.in_play and s.in_play.step and s.in_play.step.do == "decide")
    shift.option = 1
    shift.until(lambda s: s.in_play and isinstance(next_step(s).command, Settle))
    round = shift.standing.in_play
    assert round is not None and clause in shift.kept
    turn = next_seat(round)
    assert turn is not None
    ((step, fold),) = round.boxes[turn].chose.items()
    for option in ("play", fold):
        shift.act(lambda act, o=option: act.in_round(CorrectChoice(turn, step, o)))
    while not isinstance(next_step(shift.standing).command, Settle):
        shift.step()
    assert ante(shift) == ("take", "forfeited by folding")


@each_book
def test_the_payout_on_the_desk_is_what_settling_the_seat_does(id: str, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2, 3)
        dealer, floor = await crew(pit)
        for _ in range(300):
            desk = await dealer.look()
            step, table = desk["next"], pit.tables["t"]
            if step["command"] is None:
                await players_move(pit, players, step)
                continue
            settling = desk["settling"]
            right = floor if step["by"] == ["floorperson"] else dealer
            await right.do(step["command"], step["of"])
            round = table.place.standing.round
            if step["command"]["type"] == "Settle" and round and not open_awards(round):
                seen.append(settling)
                assert settling is not None
                moved = round.lines[-len(settling["lines"]) :]
                told = [
                    (ln["take"], ln["collected"], ln["pay"], ln["leave"])
                    for ln in settling["lines"]
                ]
                assert told == [moves(round, ln) for ln in moved]
                assert all(line["because"] for line in settling["lines"])
                assert settling["says"].startswith(f"Seat {step['command']['seat']}: ")
            if table.rounds == 2 and table.place.standing.in_play is None:
                break
        await dealer.look()
        assert dealer.desk["tape"][-1]["says"] == "The round is over."
        assert dealer.desk["tape"][-1]["who"] == ["d1"]

    play(tmp_path, attended(id), scenario)
    assert len(seen) >= 4


def test_M25_the_six_card_box_stays_hidden_where_nobody_bets_on_it(tmp_path: Path) -> None:
    async def bets(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
        awaited = (await staff[0].look())["next"]["command"] is None
        if not awaited or pit.scene()["phase"] != "bets":
            await one_step(pit, players, staff, shoe)
            return
        for seat, player in enumerate(players, 1):
            await player.ask("bet", seat=seat, wager="let_it_ride", cents=10_00)

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        await one_round(pit, players, await crew(pit), shoe, bets)
        round = pit.tables["t"].place.standing.round
        assert round and round.closed and not round.void and len(round.faces) == 8
        box = {*round.places["six_card_box"]}
        assert len(box) == 3 and not box & round.faces.keys()

    selections = f'{SELECTIONS[LET_IT_RIDE]}\nsix_card_bonus = "A"'
    play(tmp_path, one_table(LET_IT_RIDE, selections, more='things = ["dealer"]'), scenario)


def test_the_action_button_is_placed_at_a_table_with_virtual_cards_too(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2, 3), Shoe(3)
        staff = dealer, _ = await crew(pit)
        await until(pit, players, staff, shoe, "CloseBets")
        boxes = [*pit.scene()["boxes"]]
        acts = [one["command"] for one in dealer.desk["acts"] if "action" in one["command"]]
        assert [command["action"] for command in acts] == [int(seat) for seat in boxes]
        await dealer.do(acts[-1])
        round = pit.tables["t"].place.standing.round
        assert round and round.action == acts[-1]["action"]

    play(tmp_path, attended(CALIFORNIA), scenario)


def cited(selections: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """Return what the desk cites for each irregularity while players decide."""
    shift = Shift(MARYLAND, selections)
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    found = desk_of(shift.standing)["irregularities"]
    return {one["kind"]: (one["clause"], one["clauses"]) for one in found}


def test_an_irregularity_cites_all_that_may_follow_and_what_usually_does() -> None:
    number = "wrong_number_of_cards"
    assert cited(WAGERS[MARYLAND])[number] == ("13.D", ["8.H(1)", "13.D"])
    assert cited({})[number] == ("13.D", ["13.D"]), "no community card is dealt"


def test_no_payout_is_shown_while_a_card_that_decides_it_is_hidden() -> None:
    assert payout_of(None, {}) is None
    assert payout_of(Round(resolve(book(MARYLAND), {})), {}) is None


@pytest.mark.parametrize(
    ("clause", "parent"), [("8.C(2)(a)", "8.C(2)"), ("8.C(2)", "8.C"), ("1.A", None)]
)
def test_a_clause_knows_what_it_is_a_part_of(clause: str, parent: str | None) -> None:
    assert parent_of(resolve(book(MARYLAND), {"progressive": "A"}), clause) == parent


def test_manners_are_shown_while_their_moment_lasts() -> None:
    closed = new_standing(resolve(book(MARYLAND), {}, things=REAL))
    assert [*manners(closed)] == []
    bare = replace(closed, table=replace(closed.table, life="open"))
    assert [*manners(bare)] == [], "there are no cards to lay out"
    standing = replace(bare, table=replace(bare.table, decks={1: Deck()}))
    between = {line["clause"]: line["force"] for line in manners(standing)}
    assert between == {"5.H": "manner"}  # Nobody plays yet.
    two = new_standing(resolve(book(MARYLAND), {"decks": 2}, things=REAL)).table
    seated = Standing(replace(two, seats={1: "p1"}))
    assert [*manners(seated)] == [], "no deck rests while none has come (3.B(3))"
    one = replace(two, seats={1: "p1"}, life="open", decks={1: Deck()})
    assert [*manners(Standing(one))] == [], "somebody plays, and the other deck is yet to come"


def shown(id: str, selections: dict[str, Any], name: str) -> list[str]:
    """Return the clauses of the steps beside which a manner is shown, until a second round."""
    shift, found, rounds = Shift(id, selections), [], 0
    while rounds < 2:
        step = shift.next_step()
        if name in [line["clause"] for line in manners(shift.standing)]:
            found.append(step.clause)
        rounds += isinstance(step.command, StartRound)
        shift.step()
    return found


@pytest.mark.parametrize(
    ("id", "name", "beside"),
    [
        (MARYLAND, "8.C(2)", ["8.C(2)(a)", "8.C(2)(b)", "8.C(2)(c)"]),
        (MARYLAND, "5.H", ["2.A"]),  # The cards are laid out, and players have to sit down.
        (LET_IT_RIDE, "11.G", ["11.G(1)", "11.G(2)"]),
    ],
)
def test_a_manner_is_shown_beside_its_own_steps(id: str, name: str, beside: list[str]) -> None:
    """Neither while the table opens nor once it is done."""
    assert shown(id, {"dealing": "manual_shoe", **WAGERS[id]}, name) == beside


def test_rights_are_shown_only_while_they_can_be_used() -> None:
    standing = new_standing(resolve(book(MARYLAND), {"shuffler": "none"}, things=REAL))
    decks = {"unshuffled": Deck(), "shuffled": Deck(stack="shuffled by hand")}
    decks["cut"] = replace(decks["shuffled"], depth=20)

    def rights(deck: str, **more: Any) -> list[str]:
        table = replace(standing.table, life="open", decks={1: decks[deck]}, **more)
        lines = manners(replace(standing, table=table))
        return [line["clause"] for line in lines if line["force"] == "right"]

    assert rights("unshuffled", seats={1: "p1"}) == [], "the round is over"
    assert rights("shuffled") == ["5.A(3)"]
    assert rights("cut") == rights("cut", round=InPlay("r1", 1)) == ["5.A(3)", "5.G"]
    assert rights("cut", round=InPlay("r1", 1, dealt=True)) == []
    virtual = new_standing(resolve(book(MARYLAND), {"shuffler": "none"}, things=REAL[:1]))
    dealt = replace(virtual.table, life="open", decks={1: decks["cut"]}, seats={1: "p1"})
    assert not [one for one in manners(replace(virtual, table=dealt)) if one["force"] == "right"]


def test_a_deck_is_counted_down_from_its_true_age() -> None:
    rules = resolve(book(MARYLAND), {}, things=REAL)
    table = new_standing(rules).table
    assert [one["says"] for one in countdowns(table, Time(0, 0))] == ["Stub count"]
    aged = type(table)(
        rules, time=Time(1000, 1000), decks={1: Deck(age_s=60, stack="shuffled by hand")}
    )
    (deck, stub) = countdowns(aged, Time(1600, 1600))
    assert (deck["of"] - deck["left"], deck["unit"], deck["clause"]) == (660, "seconds", "3.C(2)")
    assert (stub["left"], stub["of"]) == (5, 5)
    virtual = new_standing(resolve(book(MARYLAND), {}, things=REAL[:1])).table
    assert [*countdowns(virtual, Time(0, 0))] == []


@each_book
def test_every_fact_of_every_irregularity_is_asked_in_words(id: str) -> None:
    rules = resolve(book(id), {}, things=REAL)
    for one in rules.irregularities.values():
        asked = {ask["fact"]: ask for ask in questions_of(Round(rules), one)}
        # A table counts cards, and declares a fault before a later round would notice it.
        assert {*one.takes} - asked.keys() <= {"positions", "noticed_late"}
        assert {ask["says"] for ask in asked.values()} <= {*QUESTIONS.values()}


@pytest.mark.parametrize(
    ("id", "selections", "says"),
    [
        (MARYLAND, {"dealing": "manual_shoe"}, "1 card each to seat 1, seat 2 and Dealer, 3 times"),
        (MARYLAND, {"dealing": "automated_shoe"}, "3 cards each to seat 1, seat 2 and Dealer"),
        (
            LET_IT_RIDE,
            {"dealing": "hand", "six_card_bonus": "A", "five_card_bonus": "A"},
            "3 cards to Six Card Bonus cards; "
            "then 1 card each to seat 1, seat 2 and Community cards, 2 times; "
            "then 1 card each to seat 1 and seat 2",
        ),
        (LET_IT_RIDE, {"dealing": "automated_shoe"}, "2 cards to Community cards; then 3 cards"),
        (CALIFORNIA, {}, "3 cards each to seat 2 and Player/dealer"),
    ],
)
def test_the_desk_says_to_whom_real_cards_are_dealt_and_how_many_at_a_time(
    id: str, selections: dict[str, Any], says: str
) -> None:
    shift = Shift(id, selections)
    for _ in range(60):
        step, desk = shift.next_step(), desk_of(shift.standing)
        told = [one for one in desk["manners"] if one["says"].startswith(says)]
        deals = isinstance(step.command, DealFirstCard | Deal)
        assert bool(told) is deals, (step, desk["manners"])
        if isinstance(step.command, Deal):
            assert told[0]["clause"] == shift.rules.deal.clause
            return
        shift.step()
    raise AssertionError("nothing is dealt")


def test_withdrawn_bets_are_not_among_what_is_left_on_the_felt() -> None:
    """11.B(1)(b): the player has taken the chips, so none of them lie there at the settlement."""
    shift = Shift(LET_IT_RIDE, {"dealing": "manual_shoe"})
    shift.option = 1  # They withdraw Bets 1 and 2.
    shift.until(lambda s: s.in_play and isinstance(next_step(s).command, Settle))
    settling = payout_of(shift.standing.in_play, {})
    assert settling is not None
    assert [line["spot"] for line in settling["lines"]] == ["bet_3"]
    assert settling["leave"] + settling["take"] == settling["lines"][0]["stake"]


@pytest.mark.parametrize(("id", "clause"), [(CALIFORNIA, "round-of-play/10"), (FLORIDA, "6")])
def test_the_bank_is_offered_by_the_clause_on_its_turns(id: str, clause: str) -> None:
    shift = Shift(id, {})
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    for _ in range(30):
        step, desk = shift.next_step(), desk_of(shift.standing)
        passes = [one for one in desk["acts"] if one["command"]["type"] == "PassBank"]
        if isinstance(step.command, at_table.TakeBank):
            assert step.clause == clause and [one["clause"] for one in passes] == [clause]
            return
        assert not passes, f"nobody passes at: {step.says}"
        shift.step()
    raise AssertionError("nobody is asked to bank")


@pytest.mark.parametrize(
    ("id", "order"), [(MARYLAND, [2, 1]), (LET_IT_RIDE, [2, 1]), (CALIFORNIA, [2])]
)
def test_the_desk_lists_seats_in_the_order_of_their_settlement(id: str, order: list[int]) -> None:
    shift = Shift(id, {})
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "decide")
    assert desk_of(shift.standing)["order"] == []
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "settle")
    assert desk_of(shift.standing)["order"] == order


def test_a_step_of_one_seat_is_about_that_seat_alone() -> None:
    """11.B(1)(b): while a seat's chips are pushed back, nobody else decides."""
    shift = Shift(LET_IT_RIDE, {"dealing": "manual_shoe"})
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.option = 1
    shift.until(lambda s: s.in_play and any(box.chose for box in s.in_play.boxes.values()))
    assert desk_of(shift.standing)["next"]["about"] == "seat 1"
    shift.step()
    step = desk_of(shift.standing)["next"]
    assert step["about"] == "seat 2"
    assert step["says"] == "Ask seat 2 about Bet 1: Let it ride or Pull?"


@pytest.mark.parametrize(
    ("id", "cited", "back"),
    [(CALIFORNIA, "C8", "$5 to seat 2"), (LET_IT_RIDE, "13.D", "$10 to seat 1 and $10 to seat 2")],
)
def test_a_void_round_is_returned_seat_by_seat_by_its_clause_or_ruling(
    id: str, cited: str, back: str
) -> None:
    """Chips that a player has withdrawn already aren't returned again."""
    shift = Shift(id, {})
    shift.option = 1
    shift.until(lambda s: s.in_play and s.in_play.stage and s.in_play.stage.do == "reveal")
    wrong = {"misdeal": {}} if id == CALIFORNIA else {"wrong_number_of_cards": {"where": 1}}
    ((kind, facts),) = wrong.items()
    shift.tell("d1", said.Propose("x", "round", {"type": "Declare", "kind": kind, "facts": facts}))
    shift.tell("f1", said.Approve("x", "1"))
    step = shift.next_step()
    assert (step.clause, step.says) == (cited, f"The round is void: return {back}.")


@pytest.mark.clause(CALIFORNIA, "fees")
def test_fees_are_collected_before_the_deal_and_not_again_at_the_settlement() -> None:
    shift = Shift(CALIFORNIA, {"fees": [{"up_to": 100, "fee": 2}], "player_dealer_fee": 1})
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.until(lambda s: isinstance(next_step(s).command, DealFirstCard))
    says = "Collect the fees before the deal: $2 from seat 2 and $1 from seat 1."
    first = desk_of(shift.standing)["manners"][0]
    assert (first["clause"], first["says"]) == ("fees", says)
    shift.until(lambda s: s.in_play and isinstance(next_step(s).command, Settle))
    assert "Collect" not in str(desk_of(shift.standing)["manners"])
    settling = payout_of(shift.standing.in_play, {})
    assert settling is not None and settling["fee"] == 0
    assert shift.standing.in_play.boxes[2].fee == 2_00  # type: ignore[union-attr]


def test_virtual_cards_are_turned_up_place_by_place(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe, said = await seated(pit, 1, 2), Shoe(1), []
        staff = await crew(pit)
        for _ in range(2):
            await until(pit, players, staff, shoe, "Show")
            said.append(staff[0].desk["next"]["says"])
            await one_step(pit, players, staff, shoe)
        assert said == ["Turn the cards up: Dealer.", "Turn the cards up: seat 2."]

    play(tmp_path, attended(MARYLAND), scenario)
