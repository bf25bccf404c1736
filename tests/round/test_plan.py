"""What a plan caches changes no result, and no kind of command or event is left out."""

from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from random import Random

import pytest

from croupier.cards import DECK
from croupier.hands.hand import Hand
from croupier.hands.ranking import Ranking
from croupier.round import plan
from croupier.round.commands import Bank, Bet, Open, Settle
from croupier.round.decide import decide, decide_bets
from croupier.round.evolve import evolve, replay
from tests.round.games import OPENING, at, game
from tests.round.test_codec import STORED
from tests.rules.books import MARYLAND, each_book


def test_events_of_two_kinds_are_never_equal() -> None:
    """Events are tuples, which do not tell one kind from another; what they hold does."""
    assert [(a, b) for a, b in combinations(STORED, 2) if a == b and type(a) is not type(b)] == []


@each_book
def test_a_round_goes_on_when_its_plan_was_forgotten(id: str) -> None:
    played, again = at(id, "shown"), at(id, "shown")
    plan.plan_of.cache_clear()
    assert replay(played.round.rules, played.events) == played.round
    assert played.do(Settle()).round.lines == again.do(Settle()).round.lines


@each_book
def test_judgements_that_were_forgotten_are_made_again(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = at(id, "over").round.lines
    monkeypatch.setattr(plan, "JUDGED_MAX", 0)
    monkeypatch.setattr(plan, "STAKED_MAX", 0)
    assert at(id, "over").round.lines == expected


@each_book
def test_lines_that_are_remembered_are_those_that_were_settled(id: str) -> None:
    """Stakes that lie at a seat for the third time come to lines that were settled before."""
    played = at(id, "shown")
    first, second, third = (decide(played.round, Settle()) for _ in range(3))
    assert first == second == third


@pytest.mark.parametrize("ranking", list(product((False, True), repeat=3)))
def test_hands_of_one_kind_are_alike_to_every_row_but_for_suits(ranking: tuple[bool, ...]) -> None:
    rules = replace(at(MARYLAND, "new").round.rules, ranking=Ranking(*ranking))
    held, rng = plan.Plan(rules).held, Random(1)
    kinds: dict[tuple[int, int], set[tuple[str, int | None]]] = {}
    for cards in [tuple(rng.sample(DECK, size)) for size in (3, 5, 6) for _ in range(2_000)]:
        hand = Hand(cards, rules.ranking)
        kind = len(cards), held(cards)[1]
        kinds.setdefault(kind, set()).add((hand.name, hand.set_rank))
    assert {kind: alike for kind, alike in kinds.items() if len(alike) > 1} == {}


@each_book
def test_bets_decided_together_are_those_decided_one_by_one(id: str) -> None:
    played = game(id).do(Open("7"), *[c for c in OPENING[id] if isinstance(c, Bank)])
    for bet in [c for c in OPENING[id] if isinstance(c, Bet)]:
        together = decide_bets(
            played.round, (bet.seat, bet.player, bet.hand), {bet.wager: bet.cents}
        )
        assert tuple(together) == decide(played.round, bet)
        assert reduce(evolve, together, played.round) == played.do(bet).round
