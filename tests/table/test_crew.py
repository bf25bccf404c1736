"""The people at a table: who taps in, hands over and taps out."""

from dataclasses import replace
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.table.commands import Join, TapIn, TapOut, Time
from croupier.table.crew import NO_CREW, Crew, check_post
from croupier.table.decide import decide
from croupier.table.evolve import evolve
from croupier.table.state import InPlay, Table, new_table
from tests.house.floor import rules_of
from tests.rules.books import MARYLAND

NOW = Time(1_000, 1_000)


def table(*, things: Any = ("dealer",), **crew: str) -> Table:
    return replace(new_table(rules_of(MARYLAND, {}, things)), crew=Crew(**crew))


def after(table: Table, *commands: Any) -> Table:
    for command in commands:
        for event in decide(table, command):
            table = evolve(table, event)
    return table


def code(table: Table, command: Any) -> str:
    with pytest.raises(Refused) as refused:
        decide(table, command)
    return refused.value.code


def test_people_tap_in_and_out() -> None:
    crew = after(table(), TapIn("ann", "dealer"), TapIn("bo", "clerk"), TapIn("cy", "floor")).crew
    assert crew == Crew("ann", "bo", "cy")
    assert after(table(dealer="ann"), TapOut("ann")).crew == NO_CREW


def test_nobody_taps_in_at_an_automatic_table() -> None:
    assert code(table(things=()), TapIn("ann", "dealer")) == "no_people"


def test_nobody_works_where_they_play_or_at_two_posts() -> None:
    seated = after(table(), Join(1, "ann"))
    assert code(seated, TapIn("ann", "dealer")) == "plays_here"
    for post in ("dealer", "clerk", "floor"):
        assert code(table(**{post: "ann"}), Join(1, "ann")) == "plays_here"
    assert after(table(dealer="ann"), TapOut("ann"), Join(1, "ann")).seats == {1: "ann"}
    assert code(table(dealer="ann"), TapIn("ann", "floor")) == "tapped_in"
    assert code(table(), TapIn("bo", "clerk")) == "no_dealer"
    assert code(table(), TapOut("bo")) == "not_tapped_in"


def test_a_handover_is_agreed_to_by_the_outgoing_dealer_or_the_floor() -> None:
    there = table(dealer="ann", floor="cy")
    for agreed in ("", "dee", "bo"):
        assert code(there, TapIn("dee", "dealer", agreed)) == "needs_approval"
    for agreed in ("ann", "cy"):
        assert after(there, TapIn("dee", "dealer", agreed)).crew.dealer == "dee"


def test_a_floorperson_is_relieved_by_any_other_who_agrees() -> None:
    there = table(dealer="ann", floor="cy")
    for agreed in ("", "dee"):
        assert code(there, TapIn("dee", "floor", agreed)) == "needs_approval"
    for agreed in ("cy", "eve"):
        assert after(there, TapIn("dee", "floor", agreed)).crew.floor == "dee"


def test_the_dealer_neither_leaves_nor_hands_over_while_cards_are_dealt() -> None:
    playing = replace(table(dealer="ann", floor="cy"), round=InPlay("r1", 1, dealt=True))
    assert code(playing, TapIn("dee", "dealer", "ann")) == "round_open"
    assert code(playing, TapOut("ann")) == "round_open"
    assert after(playing, TapOut("cy")).crew.floor == ""
    assert after(playing, TapOut("ann", dismissed=True)).crew.dealer == ""


def test_only_the_right_post_does_something() -> None:
    crew = Crew("ann", "bo", "cy")
    assert check_post(crew, "ann", ("dealer", "floor")) == "dealer"
    with pytest.raises(Refused) as refused:
        check_post(crew, "bo", ("dealer", "floor"))
    assert str(refused.value) == "the dealer or the floorperson does this, not the clerk"
    with pytest.raises(Refused) as refused:
        check_post(crew, "eve", ("dealer",))
    assert refused.value.code == "not_tapped_in"
