"""The coach of practice tables: what every choice is worth, from the cards that its player sees.

Whatever the coach is asked about is gathered here from what a seat may see, and nothing else. The
working out takes a while and touches no table, so it is done in a thread.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, NamedTuple

from croupier.cards import Card
from croupier.errors import Refused
from croupier.odds import advise
from croupier.odds.bets import opening
from croupier.odds.scope import outside
from croupier.round.order import positions_of
from croupier.round.state import Box, Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.server.dealer import known_to
from croupier.server.live import LiveTable

CENTS = Fraction(1, 100)
MICROS = Fraction(1, 1_000_000)


class Sight(NamedTuple):
    """What a player who has to decide sees: cards, what is up, and what lies on the spots."""

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
    """Whether something was decided before in this round."""

    @property
    def key(self) -> Hashable:
        """What the answer depends on."""
        seen = self.cards, self.shown, self.community
        return "coach", self.rules.digest, seen, self.bet, self.meters


def sight_of(table: LiveTable, player: str) -> Sight:
    """Return what a player sees who has to decide now, or refuse whoever has not."""
    if not table.config.practice:
        raise Refused("no_coach", "only practice tables have a coach", field="table")
    reason = outside(table.config.rules)
    if reason:
        raise Refused("no_coach", f"the coach does not know this game: {reason}", field="table")
    round, committed = table.standing.in_play, table.committed
    seat = round.asked[0] if round and round.asked and not round.due else None
    if round is None or seat is None or committed is None or not round.step:
        raise Refused("no_decision", "there is nothing that you have to decide now")
    box = round.boxes[seat]
    if box.player != player:
        raise Refused("no_decision", "there is nothing that you have to decide now")
    known = known_to(round, seat, committed.deck)
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
    """Return what was bet before the deal, in dollars; of several equal bets, one."""
    rules = round.rules
    placed = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    spots = {name: rules.spots.get(name, (name,))[0] for name in placed}
    staked = {name: spot for name, spot in spots.items() if spot in box.stakes}
    return tuple((name, box.stakes[spot].cents * CENTS) for name, spot in staked.items())


def _meters(table: LiveTable, wagers: set[str]) -> tuple[tuple[str, Fraction], ...]:
    rules, shown = table.standing.rules, table.meters()
    ids = [id for id, meter in rules.meters.items() if meter.wager in wagers and id in shown]
    return tuple((id, shown[id] * MICROS) for id in ids)


def advice(sight: Sight) -> Callable[[], dict[str, Any]]:
    """Return what works out the advice, in dollars."""

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
    """Write dollars to a hundredth of a cent: mistakes are often small."""
    ten_thousandths = round(value * 10_000)
    sign = "-" if ten_thousandths < 0 else ""
    return f"{sign}{abs(ten_thousandths) // 10_000}.{abs(ten_thousandths) % 10_000:04}"


def said(sight: Sight, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with what it is about.

    What choices are worth holds if earlier ones were the best; what a mistake costs holds always.
    So a value is said at the first decision of a round only.
    """
    choices = [{**c, "value": None} if sight.chose else c for c in answer["choices"]]
    about = {"round": sight.round, "step": sight.step, "seat": sight.seat}
    return {**about, "best": answer["best"], "choices": choices}
