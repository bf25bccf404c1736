"""The coach: what it says is what the mathematics says of the cards that a player sees."""

import asyncio
import dataclasses
from fractions import Fraction
from typing import Any

import pytest

from croupier.errors import Refused, UserError
from croupier.house.table import Table
from croupier.odds.advice import advise
from croupier.server import coach
from croupier.server.coach import Sight, advice, sight_of, with_subject
from tests.table_page.recording import ME, OTHER, Player, quick_pit


async def at_decision(table_id: str, check: Any) -> None:
    """Bring a table to the first decision of ME, and look at it there."""
    async with quick_pit() as galleries:
        table = galleries.pit.tables[table_id]
        await galleries.pit.cage.issue(ME)
        player = Player(galleries, table, ME, seat=2)
        galleries.welcome(player.viewer, table_id)
        await player.ask(type="sit", seat=2)
        while player.scene.get("phase") != "bets":
            await player.follow()
        with pytest.raises(Refused, match="nothing to decide right now"):
            sight_of(table, ME)
        await player.act(player.scene)
        while player.scene["phase"] != "decide":
            await player.follow()
        await check(table, player)


def test_values_are_those_of_the_odds() -> None:
    async def check(table: Table, _: Player) -> None:
        sight = sight_of(table, ME)
        found = with_subject(sight, advice(sight)())
        bet, meters = dict(sight.bet), dict(sight.meters)
        other = advise(sight.rules, sight.cards, bet=bet, meters=meters)
        assert found["best"] == other.best
        assert len(bet) == 4 and len(meters) == 1
        unit = next(iter(bet.values()))
        for choice, told in zip(other.choices, found["choices"], strict=True):
            assert abs(Fraction(told["value"]) - choice.value * unit) <= Fraction(1, 10_000)
            cost = other.cost[choice.name] * unit
            assert abs(Fraction(told["cost"]) - cost) <= Fraction(1, 10_000)
        assert min(Fraction(told["cost"]) for told in found["choices"]) == 0
        label = next(one["label"] for one in found["choices"] if one["option"] == found["best"])
        assert found["reason"].startswith(f"{label}: it is better by $")
        assert found["reason"].endswith(", the lowest hand to play.") or "just" in found["reason"]

    asyncio.run(at_decision("maryland", check))


def test_only_what_the_player_sees_is_looked_at() -> None:
    async def check(table: Table, _: Player) -> None:
        round, committed = table.place.standing.in_play, table.deck
        assert round and committed
        sight = sight_of(table, ME)
        mine = tuple(committed.deck[p] for p in round.boxes[2].cards)
        assert sight.cards == mine
        assert sight.shown == sight.community == ()
        # Whatever else lies in the deck makes no difference.
        rest = [p for p in range(52) if p not in round.boxes[2].cards]
        turned = list(committed.deck)
        for p, q in zip(rest, reversed(rest), strict=True):
            turned[p] = committed.deck[q]
        table.deck = dataclasses.replace(committed, deck=tuple(turned))
        assert sight_of(table, ME) == sight

    asyncio.run(at_decision("maryland", check))


def test_at_a_second_decision_a_cost_is_said_and_no_value() -> None:
    async def check(table: Table, player: Player) -> None:
        first = sight_of(table, ME)
        assert all(c["value"] is not None for c in with_subject(first, advice(first)())["choices"])
        await player.ask(type="choose", seat=2, option=player.scene["choices"][1]["option"])
        while player.scene["step"] == first.step or player.scene["phase"] != "decide":
            await player.follow()
        sight = sight_of(table, ME)
        found = with_subject(sight, advice(sight)())
        assert len(sight.community) == 1
        assert found["step"] != first.step
        assert all(c["value"] is None and c["cost"] for c in found["choices"])

    asyncio.run(at_decision("ride", check))


def test_nobody_asks_for_somebody_else() -> None:
    async def check(table: Table, _: Player) -> None:
        assert isinstance(sight_of(table, ME), Sight)
        with pytest.raises(Refused, match="nothing to decide right now"):
            sight_of(table, OTHER)
        table.config = dataclasses.replace(table.config, practice=False)
        with pytest.raises(Refused, match="only practice tables"):
            sight_of(table, ME)

    asyncio.run(at_decision("maryland", check))


def test_a_bet_that_is_not_analysed_has_values_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def check(table: Table, _: Player) -> None:
        sight = sight_of(table, ME)
        known = advice(sight)()

        def refuse(*_: Any, **__: Any) -> Any:
            raise UserError("wagers on three groups of cards can't be priced")

        monkeypatch.setattr(coach, "analyze", refuse)
        found = advice(sight)()
        assert found["choices"] == known["choices"]
        assert found["reason"].endswith(" on average.")

    asyncio.run(at_decision("maryland", check))
