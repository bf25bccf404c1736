"""The coach of practice tables: what every choice is worth, and why, given what the player sees.

Questions are built only from what a seat may see. Working out the answer is slow and touches no
table, so it runs in a thread.
"""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from croupier.cards import Card
from croupier.errors import Refused, UserError
from croupier.house.dealer import play_of
from croupier.house.table import Table
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.odds.bets import opening
from croupier.odds.scope import outside
from croupier.odds.values import Situation, values_of
from croupier.odds.why import best_of, sum_says, why
from croupier.round.order import positions_of
from croupier.round.play import Play
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
    before: tuple[str, ...]
    """What the player has already chosen in this round."""

    @property
    def key(self) -> Hashable:
        seen = self.cards, self.shown, self.community, self.before
        return "coach", self.rules.digest, seen, self.bet, self.meters

    @property
    def situation(self) -> Situation:
        return Situation(self.cards, (*self.shown, *self.community), self.before)


def sight_of(table: Table, player: str) -> Sight:
    """Return what the deciding player sees; refuse any other player."""
    if not table.config.practice:
        raise Refused("no_coach", "only practice tables have a coach", field="table")
    reason = outside(table.config.rules)
    if reason:
        raise Refused("no_coach", f"the coach doesn't cover this game: {reason}", field="table")
    standing, deck = table.place.standing, table.deck
    round = standing.in_play
    seat = round.asked[0] if round and round.asked and not round.due else None
    if round is None or seat is None or deck is None or not round.step:
        raise Refused("no_decision", "you have nothing to decide right now")
    if round.boxes[seat].player != player:
        raise Refused("no_decision", "you have nothing to decide right now")
    return sight_at(play_of(standing, deck), seat, table.meters())


def sight_at(play: Play, seat: int, meters: Mapping[str, int]) -> Sight:
    """Return what a deciding seat sees; `meters` holds their readings in micros."""
    round = play.round
    box, known = round.boxes[seat], play.known_to(seat)
    community = next((p for p in round.rules.places if not round.rules.places[p].hands), "")
    bet = bet_of(round, box)
    return Sight(
        rules=round.rules,
        round=round.id,
        step=round.rules.sequence[round.at][0],
        seat=seat,
        cards=tuple(known[position] for position in positions_of(round, box)),
        shown=_up(round, str(BANK)),
        community=_up(round, community),
        bet=bet,
        meters=meters_of(round.rules, bet, meters),
        before=tuple(box.chose.values()),
    )


def _up(round: Round, place: str) -> tuple[Card, ...]:
    return tuple(round.faces[p] for p in round.places.get(place, ()) if p in round.faces)


def bet_of(round: Round, box: Box) -> tuple[tuple[str, Fraction], ...]:
    """Return the wagers placed before the deal, in dollars; several equal ones count once."""
    rules = round.rules
    placed = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    spots = {name: rules.spots.get(name, (name,))[0] for name in placed}
    staked = {name: spot for name, spot in spots.items() if spot in box.stakes}
    return tuple((name, box.stakes[spot].cents * CENTS) for name, spot in staked.items())


def meters_of(
    rules: TableRules, bet: tuple[tuple[str, Fraction], ...], shown: Mapping[str, int]
) -> tuple[tuple[str, Fraction], ...]:
    """Return in dollars what the meters of a bet show."""
    wagers = {wager for wager, _ in bet}
    ids = [id for id, meter in rules.meters.items() if meter.wager in wagers and id in shown]
    return tuple((id, shown[id] * MICROS) for id in ids)


def advice(sight: Sight) -> Callable[[], dict[str, Any]]:
    """Return a function that works out the advice, in dollars."""

    def work() -> dict[str, Any]:
        values, reason = _looked_up(sight) or _gone_through(sight)
        most = max(values.values())
        options = sight.rules.steps[sight.step].option
        return {
            "best": best_of(values),
            "reason": reason,
            "choices": [
                {
                    "option": name,
                    "label": option.label,
                    "value": _dollars(values[name]),
                    "cost": _dollars(most - values[name]),
                }
                for name, option in options.items()
            ],
        }

    return work


def _looked_up(sight: Sight) -> tuple[dict[str, Fraction], str] | None:
    """Return the value of each choice and the reason; None if the bet can't be analysed."""
    try:
        found = analyze(sight.rules, dict(sight.bet), meters=dict(sight.meters))
    except UserError:
        return None
    values = values_of(found.solved, sight.situation)
    return values, why(found.solved, sight.situation, values)


def _gone_through(sight: Sight) -> tuple[dict[str, Fraction], str]:
    """Return the value of each choice by enumerating all cards, and a plain reason."""
    found = advise(
        sight.rules,
        sight.cards,
        shown=sight.shown,
        community=sight.community,
        bet=dict(sight.bet),
        meters=dict(sight.meters),
    )
    unit = dict(sight.bet).get(opening(sight.rules), Fraction(1))
    values = {choice.name: choice.value * unit for choice in found.choices}
    label = sight.rules.steps[sight.step].option[found.best].label
    others = [found.cost[name] * unit for name in values if name != found.best]
    return values, f"{label}: it is better by {sum_says(min(others))} on average."


def _dollars(value: Fraction) -> str:
    """Write dollars to a hundredth of a cent, because mistakes are often small."""
    ten_thousandths = round(value * 10_000)
    sign = "-" if ten_thousandths < 0 else ""
    return f"{sign}{abs(ten_thousandths) // 10_000}.{abs(ten_thousandths) % 10_000:04}"


def with_subject(sight: Sight, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer together with what it is about.

    The value of a choice assumes that earlier choices were the best ones; the cost of a mistake
    always holds. So values are given only at the first decision of a round.
    """
    choices = [{**c, "value": None} if sight.before else c for c in answer["choices"]]
    about = {"round": sight.round, "step": sight.step, "seat": sight.seat}
    return {**about, **answer, "choices": choices}
