"""The four failures of live dealing that are publicly known: each is refused here, or found.

A misdeal repaired in a forbidden way, a sign of other rules, a clause that the dealer did not know,
and a deck five cards short for 438 rounds.
"""

from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.house.step import NextStep
from croupier.round import commands as in_round
from croupier.round.commands import CountStub, Declare
from croupier.round.faces import lying
from croupier.table import commands as at_table
from croupier.table.commands import OpenTable
from croupier.table.events import TableOpened
from croupier.table.life import sign_code
from tests.house.floor import OpenPit, play, seated
from tests.house.shifts import Shift, equipments
from tests.house.staff import Shoe, crew, one_step, real, refusal, until
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND
from tests.table import tables
from tests.table.crew import Game
from tests.table.tables import BY_HAND, OPENING, TWO_DECKS, House, rules_of

SHORT = DECK[:47]
ROUNDS = 438
STAKE = {MARYLAND: {"ante": 500}, LET_IT_RIDE: {"let_it_ride": 500}}
OPTION = {MARYLAND: "play", LET_IT_RIDE: "ride"}


@pytest.mark.parametrize("type", ["Deal", "Settle", "Read"])
def test_a_misdeal_repaired_in_a_forbidden_way_is_refused(type: str, tmp_path: Path) -> None:
    """A card too many is taken from a hand and play goes on: no command of the desk does that."""

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1, 2), Shoe(3)
        staff = dealer, floor = await crew(pit)
        await until(pit, players, staff, shoe, "Read")
        wrong = {"type": "Declare", "kind": "wrong_number_of_cards", "facts": {"where": 1}}
        preview = (await dealer.say("preview", of="round", command=wrong))["preview"]
        assert (preview["clause"], preview["voids"]) == ("13.D", True), "a void, and nothing else"
        assert (await refusal(dealer.do(wrong))).code == "needs_approval"
        for repair in ("Dealt", "Shown", "TakeCard", "BetMade"):
            moved: dict[str, Any] = {"type": repair, "cards": [], "position": 0, "card": "As"}
            assert (await refusal(dealer.do(moved))).code == "unreadable"
        await dealer.say("propose", of="round", command=wrong, why="four cards at seat 1")
        fields: dict[str, dict[str, Any]] = {"Settle": {"seat": 1}, "Read": {"card": "As"}}
        command = fields.get(type, {})
        why = await refusal(dealer.do({"type": type, **command}))
        assert (why.code, why.clause) == ("stopped", "13.D")
        await floor.say("approve", proposal="1")
        await one_step(pit, players, staff, shoe)
        assert pit.scene()["void"]["clause"] == "13.D"

    play(tmp_path, real(MARYLAND), scenario)


@pytest.mark.parametrize(
    ("id", "clause"),
    [
        (MARYLAND, "2.B(5)"),
        (LET_IT_RIDE, "2.B(9)"),
        (CALIFORNIA, "bonus-bet/4"),
        (FLORIDA, "9"),
    ],
)
def test_a_sign_of_other_rules_keeps_the_table_closed(id: str, clause: str) -> None:
    house = House(id, {}, opened=False)
    house.do(*OPENING)
    other = rules_of(MARYLAND, BY_HAND)
    for wrong in (sign_code(other), "", sign_code(house.rules)[:8]):
        assert tables.refusal(house, OpenTable(wrong)) == ("wrong_sign", clause)
    (opened,) = house.do(OpenTable(sign_code(house.rules).upper() + " "))
    assert opened == TableOpened(sign_code(house.rules))


BY_THEMSELVES = {
    MARYLAND: {"4.C(1)", "5.F(2)", "8.C(2)(a)", "10.A(3)(a)", "11.D(1)", "11.E"},
    LET_IT_RIDE: {"4.A", "8.C(1)(d)", "8.D(4)", "11.B(1)(b)", "11.G(2)"},
    CALIFORNIA: {"dealing/3", "round-of-play/4", "round-of-play/7"},
}
"""Clauses that no act of the game keeps; Singapore's and Florida's books have none."""


@pytest.mark.parametrize(("id", "clauses"), BY_THEMSELVES.items())
def test_a_clause_that_the_dealer_does_not_know_is_named_and_cannot_be_skipped(
    id: str, clauses: set[str]
) -> None:
    """Whatever a dealer does who only knows the game, the clause comes first, and in words."""
    named: set[str] = set()
    for selections in equipments(id):
        shift, rounds = Shift(id, selections), 0
        while rounds < 2:
            step = shift.next_step()
            if isinstance(step.command, at_table.StartRound):
                rounds, shift.option = rounds + 1, shift.option + 1
            if isinstance(step.command, in_round.Confirm | at_table.Confirm):
                _go_on_without(shift, step)
                named.add(step.clause)
            shift.step()
    assert clauses <= named


def _go_on_without(shift: Shift, step: NextStep) -> None:
    """Try all that comes after a clause: it is refused with the words that the desk shows."""
    says, later = shift.rules.clauses[step.clause].says, shift.later(step)
    game = [one for one in later if not isinstance(one[1], in_round.Confirm | at_table.Change)]
    told = [shift.refusal("d1", of, command) for of, command in game]
    assert step.says == says
    assert all(told), f"the dealer went on without {step.clause}"
    assert [why for why in told if why and why.clause == step.clause and says in why.message]


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
@pytest.mark.parametrize("selections", [{}, BY_HAND, TWO_DECKS])
def test_a_deck_five_cards_short_is_found_within_five_rounds(
    id: str, selections: dict[str, Any]
) -> None:
    house = House(id, selections).sit("ann", "bob")
    rounds = 0
    while rounds < ROUNDS:
        rounds += 1
        game = Game(house, deck=SHORT)
        deck = house.table.round.deck if house.table.round else 0
        game.bet(1, **STAKE[id]).deal()
        if game.round.counts:
            # The stub is counted as it is, and the cards were dealt as they should be.
            game.do_only(CountStub(len(SHORT) - len(lying(game.round))))
            game.do_only(Declare("stub_count", {"misdealt": False}))
            assert game.round.void
            game.finish(option="").end()
            assert deck not in house.table.decks
            break
        game.finish(option=OPTION[id]).end()
    assert rounds == 5
