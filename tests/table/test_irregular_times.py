"""B8: an irregularity is declared at the steps where it can happen, by what the texts say."""

from typing import Any

import pytest

from croupier.errors import Refused
from croupier.round.commands import Declare
from croupier.round.decide import decide
from croupier.round.evolve import replay
from croupier.round.state import Round
from croupier.rules.resolve import resolve
from tests.round.games import at
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book

ALL: Any = ("dealer", "cards", "chips")
STEPS = ("bet", "closed", "dealt", "decided", "shown")
FACTS: dict[str, dict[str, Any]] = {
    "face_up_cards": {"count": 1},
    "cards_exposed": {"count": 2},
    "wrong_number_of_cards": {"where": 1},
    "stub_count": {"cards": 52, "misdealt": False},
    "abandoned": {"seat": 1},
}
SINGAPORES: dict[str, dict[str, Any]] = {
    "misdeal": {"handled": True},
    "wrong_number_of_cards": {"where": 1, "reconstructable": False},
}
# Read from the books: betting is open, the deal, the decisions, the bank's cards, all cards seen.
DEALING = ("closed",)
ON = ("closed", "dealt", "decided", "shown")
UNSEEN = ("closed", "dealt", "decided")
WHEN: dict[tuple[str, str], tuple[str, ...]] = {
    (MARYLAND, "face_up_cards"): DEALING,  # 13.A: while the cards are being dealt
    (MARYLAND, "card_drawn_in_error"): DEALING,  # 13.C
    (MARYLAND, "wrong_number_of_cards"): ON,  # 13.D
    (MARYLAND, "dealer_card_exposed"): UNSEEN,  # 13.E: before the dealer reveals them
    (MARYLAND, "stub_count"): ("dealt", "decided", "shown"),  # 8.E(3): after the deal
    (MARYLAND, "abandoned"): ON,  # 7.C(2): during a round of play
    (MARYLAND, "shuffler_fault"): STEPS,  # 13.F: it may be shuffling the other deck
    (MARYLAND, "doubled_card"): ON,  # M22: as a count of 8.H(2), whenever it turns up
    (LET_IT_RIDE, "doubled_card"): ON,
    (LET_IT_RIDE, "face_up_cards"): DEALING,
    (LET_IT_RIDE, "community_card_exposed"): UNSEEN,  # 13.E
    (LET_IT_RIDE, "wrong_number_of_cards"): ON,
    (LET_IT_RIDE, "stub_count"): ("dealt", "decided", "shown"),
    (LET_IT_RIDE, "abandoned"): ON,
    (LET_IT_RIDE, "card_drawn_in_error"): DEALING,
    (LET_IT_RIDE, "shuffler_fault"): STEPS,
    (SINGAPORE, "misdeal"): ("closed", "dealt"),  # 5.3: whether or not cards were handled
    (SINGAPORE, "foreign_card"): STEPS,  # 5.1: in the course of a game
    (SINGAPORE, "wrong_deck_count"): STEPS,  # 5.2
    (SINGAPORE, "cards_exposed"): DEALING,  # 5.5: during the deal
    (SINGAPORE, "wrong_number_of_cards"): ON,  # 5.4: until the next game
    (CALIFORNIA, "misdeal"): ON,  # C8
    (FLORIDA, "misdeal"): ON,
}


def facts_of(id: str, kind: str) -> dict[str, Any]:
    given = SINGAPORES if id == SINGAPORE else {}
    return given.get(kind) or FACTS.get(kind, {})


def round_at(id: str, step: str, **selections: Any) -> Round:
    """A round with a dealer, as far as a round on a felt has come."""
    played = at(id, step, **selections)
    return replay(resolve(book(id), selections, things=ALL), played.events)


def may(round: Round, id: str, kind: str) -> bool:
    try:
        decide(round, Declare(kind, facts_of(id, kind)))
    except Refused as refused:
        assert refused.code == "wrong_step" and refused.clause
        return False
    return True


@pytest.mark.parametrize(("id", "kind"), WHEN)
def test_an_irregularity_is_declared_when_it_can_happen(id: str, kind: str) -> None:
    found = [step for step in STEPS if may(round_at(id, step), id, kind)]
    assert found == [*WHEN[id, kind]]


def test_every_kind_is_in_the_table_or_needs_an_automated_shoe() -> None:
    for id in (MARYLAND, LET_IT_RIDE, SINGAPORE, CALIFORNIA, FLORIDA):
        kinds = {kind for book_id, kind in WHEN if book_id == id}
        assert set(book(id).rules.irregularity) - kinds <= {"shoe_fault"}


@pytest.mark.parametrize(
    ("more", "steps"),
    [({}, ["closed"]), ({"dealer_cards": "in_shuffler"}, ["closed", "dealt", "decided"])],
)
def test_13G_a_shoe_fails_in_the_deal_or_while_it_holds_the_dealers_cards(
    more: dict[str, str], steps: list[str]
) -> None:
    selections = {"dealing": "automated_shoe", **more}
    found = [s for s in STEPS if may(round_at(MARYLAND, s, **selections), MARYLAND, "shoe_fault")]
    assert found == steps


def test_a_round_file_states_facts_without_a_time() -> None:
    for step in STEPS:
        assert at(MARYLAND, step).do(Declare("face_up_cards", {"count": 1})).round.irregular
