"""The coach of practice tables: what every choice is worth, given the cards the player sees.

Questions are built only from what a seat may see. Working out the answer is slow and touches no
table, so it runs in a thread.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, NamedTuple

from croupier.cards import Card
from croupier.errors import Refused
from croupier.house.dealer import play_of
from croupier.house.table import Table
from croupier.odds import advise
from croupier.odds.bets import opening
from croupier.odds.scope import outside
from croupier.round.order import positions_of
from croupier.round.state import Box, Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK

CENTS = Fraction(1, 100)
MICROS = Fraction(1, 1_000_000)


class Sight(NamedTuple):
    """What a player who has to decide sees: their cards, the exposed cards and their wagers."""

    rules: TableRules
    round: str
    step: str
    seat: int
    cards: tuple[Card, ...]
    shown: tuple[Card, ...]
    community: tuple[Card, ...]
    bet: tuple[tuple[str, Fraction], ...]
    meters: tuple[tuple[str, Fraction], ...]
    chose: bool
    """Whether the player has already decided something in this round."""

    @property
    def key(self) -> Hashable:
        seen = self.cards, self.shown, self.community
        return "coach", self.rules.digest, seen, self.bet, self.meters


def sight_of(table: Table, player: str) -> Sight:
    """Return what the deciding player sees; refuse any other player."""
    if not table.config.practice:
        raise Refused("no_coach", "only practice tables have a coach", field="table")
    reason = outside(table.config.rules)
    if reason:
        raise Refused("no_coach", f"the coach doesn't cover this game: {reason}", field="table")
    round, deck = table.place.standing.in_play, table.deck
    seat = round.asked[0] if round and round.asked and not round.due else None
    if round is None or seat is None or deck is None or not round.step:
        raise Refused("no_decision", "you have nothing to decide right now")
    box = round.boxes[seat]
    if box.player != player:
        raise Refused("no_decision", "you have nothing to decide right now")
    known = play_of(round, deck).known_to(seat)
    community = next((p for p in round.rules.places if not round.rules.places[p].hands), "")
    bet = _bet(round, box)
    return Sight(
        rules=round.rules,
        round=round.id,
        step=round.rules.sequence[round.at][0],
        seat=seat,
        cards=tuple(known[position] for position in positions_of(round, box)),
        shown=_up(round, str(BANK)),
        community=_up(round, community),
        bet=bet,
        meters=_meters(table, {wager for wager, _ in bet}),
        chose=bool(box.chose),
    )


def _up(round: Round, place: str) -> tuple[Card, ...]:
    return tuple(round.faces[p] for p in round.places.get(place, ()) if p in round.faces)


def _bet(round: Round, box: Box) -> tuple[tuple[str, Fraction], ...]:
    """Return the wagers placed before the deal, in dollars; several equal ones count once."""
    rules = round.rules
    placed = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    spots = {name: rules.spots.get(name, (name,))[0] for name in placed}
    staked = {name: spot for name, spot in spots.items() if spot in box.stakes}
    return tuple((name, box.stakes[spot].cents * CENTS) for name, spot in staked.items())


def _meters(table: Table, wagers: set[str]) -> tuple[tuple[str, Fraction], ...]:
    rules, shown = table.place.standing.rules, table.meters()
    ids = [id for id, meter in rules.meters.items() if meter.wager in wagers and id in shown]
    return tuple((id, shown[id] * MICROS) for id in ids)


def advice(sight: Sight) -> Callable[[], dict[str, Any]]:
    """Return a function that works out the advice, in dollars."""

    def work() -> dict[str, Any]:
        found = advise(
            sight.rules,
            sight.cards,
            shown=sight.shown,
            community=sight.community,
            bet=dict(sight.bet),
            meters=dict(sight.meters),
        )
        unit = dict(sight.bet).get(opening(sight.rules), Fraction(1))
        return {
            "best": found.best,
            "choices": [
                {
                    "option": choice.name,
                    "label": choice.label,
                    "value": _dollars(choice.value * unit),
                    "cost": _dollars(found.cost[choice.name] * unit),
                }
                for choice in found.choices
            ],
        }

    return work


def _dollars(value: Fraction) -> str:
    """Write dollars to a hundredth of a cent, because mistakes are often small."""
    ten_thousandths = round(value * 10_000)
    sign = "-" if ten_thousandths < 0 else ""
    return f"{sign}{abs(ten_thousandths) // 10_000}.{abs(ten_thousandths) % 10_000:04}"


def said(sight: Sight, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer together with what it is about.

    The value of a choice assumes that earlier choices were the best ones; the cost of a mistake
    always holds. So values are given only at the first decision of a round.
    """
    choices = [{**c, "value": None} if sight.chose else c for c in answer["choices"]]
    about = {"round": sight.round, "step": sight.step, "seat": sight.seat}
    return {**about, "best": answer["best"], "choices": choices}
