"""Reads the rounds of a table from its journal: who staked what, and what it came to.

Only the few events that matter are decoded, straight from their bytes; `ledger verify` is what
checks that they are sound.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import orjson

from croupier.errors import UserError
from croupier.ledger.audit import RulesOf, rules_set
from croupier.ledger.entries import Unlike
from croupier.ledger.events import TableSet, ledger_event_from
from croupier.ledger.journal import StoredEvent
from croupier.odds.bets import offered
from croupier.round.irregularity import is_late
from croupier.rules.table_rules import TableRules
from croupier.theory.pricing import StakedBet

_TYPE = re.compile(
    rb'"type":"(TableSet|Opened|Banked|BetMade|BetsClosed|MetersRead|Declared|CalledOff|'
    rb'StakeCorrected|AwardFound|Validated|SeatSettled|PartSettled|Closed|AwardRejected)"'
)
_OWN_HAND = b'"hand":null'
_WITHDRAWN = "withdrawn"
_MICROS = 1_000_000


class SettledLine(NamedTuple):
    """One line of a hand, in cents."""

    wager: str
    """The wager, bonus or envy; the spots of one wager are one line."""
    staked: int
    won: int
    """What the banker won on it; negative if it paid."""
    is_priced: bool
    """Whether the odds of the hand cover it; they don't cover what others' hands pay."""


class SettledHand(NamedTuple):
    """One seat of a round that is over."""

    seat: int
    hand: int | None
    """The number of the cards it bet on, where seats share hands."""
    bet: StakedBet
    lines: tuple[SettledLine, ...]


class SettledRound(NamedTuple):
    """A round that is over."""

    id: str
    time_ms: int
    rules: TableRules | None
    """None if the books here don't have them."""
    rulebook: str
    hands: tuple[SettledHand, ...]
    fees_cents: int
    meters: Mapping[str, Fraction]
    """What the meters showed when bets were settled, in dollars."""
    is_void: bool
    is_irregular: bool
    is_player_banked: bool


@dataclass
class OpenRound:
    """A round while it is read."""

    id: str
    rules: TableRules | None
    rulebook: str
    meters: dict[str, int]
    hands: dict[int, int | None] = field(default_factory=dict)
    fees: dict[int, int] = field(default_factory=dict)
    lines: dict[int, list[Mapping[str, Any]]] = field(default_factory=dict)
    """The settled lines, by seat."""
    waiting: dict[tuple[int, str], int] = field(default_factory=dict)
    """Wins that have left their meter, in cents, at seats that aren't settled yet (M21)."""
    void: bool = False
    irregular: bool = False
    banked: bool = False
    ended_ms: int = 0
    """When it ended; 0 while it is in play."""
    bank_fee: int = 0

    @property
    def may_be_void(self) -> bool:
        """Whether it can come to nothing although it is over, until the next one starts."""
        return self.rules is not None and not self.void and is_late(self.rules)

    @property
    def moved_cents(self) -> int:
        """What the house has won or collected in it so far."""
        own = () if self.banked or self.void else self.settled
        won = sum(line.won for hand in own for line in hand.lines)
        return sum(self.fees.values()) + won - sum(self.waiting.values())

    @property
    def settled(self) -> tuple[SettledHand, ...]:
        """The hands that were settled."""
        return tuple(_hand(self, seat, lines) for seat, lines in self.lines.items())

    def undo(self) -> None:
        """Make the round void, and forget the seats that were settled (T13)."""
        self.void = True
        self.lines.clear()
        self.waiting.clear()


class RoundReader:
    """Reads one table's journal on, event by event.

    A round that the book may still void is yielded when the next one opens (Singapore 5.4).
    """

    def __init__(self, rules_of: RulesOf) -> None:
        self.rules_of = rules_of
        self.number = 0
        """The number of the last event that was read."""
        self.open: OpenRound | None = None
        self.rejected_micros = 0
        """Awards of rounds that were over, which the floor rejected afterwards."""
        self._rules: TableRules | None = None

    def read(self, stored: Iterable[StoredEvent]) -> Iterator[SettledRound]:
        """Yield the rounds that end in the next records."""
        for row in stored:
            self.number = row.number
            found = _TYPE.search(row.data)
            if found is None or (found[1] == b"BetMade" and _OWN_HAND in row.data):
                continue
            event = orjson.loads(row.data)["event"]
            kind, round = event["type"], self.open
            if kind == "Closed" and round is not None:
                round.ended_ms = row.time_ms
                round.bank_fee = event["bank"]["fee"] if event["bank"] else 0
            if round is not None and round.ended_ms and (kind == "Opened" or not round.may_be_void):
                yield _closed(round)
                self.open = None
            if kind != "Closed":
                self._follow(event)

    def _follow(self, event: Mapping[str, Any]) -> None:
        kind, round = event["type"], self.open
        if kind == "TableSet":
            self._rules = self._set(event)
        elif kind == "AwardRejected":
            self.rejected_micros += event["micros"]
        elif kind == "Opened":
            book, shown = event["rulebook"], dict(event["meters"])
            self.open = OpenRound(event["round"], self._rules, book, shown)
        elif round is None:
            return
        elif kind == "BetMade":
            round.hands[event["seat"]] = event["hand"]
        elif kind == "Banked":
            round.banked = True
        elif kind == "BetsClosed":
            round.fees = {int(seat): cents for seat, cents in event["fees"].items()}
            for id, rise in event["rises"].items():
                round.meters[id] = round.meters.get(id, 0) + rise
        elif kind == "StakeCorrected":
            round.fees[event["seat"]] = event["fee"]
            for id, rise in event["rises"].items():
                round.meters[id] = round.meters.get(id, 0) + rise
        elif kind == "MetersRead":
            round.meters.update(event["meters"])
        elif kind == "Declared":
            round.irregular = True
            if "void" in event["effects"]:
                round.undo()
        elif kind == "CalledOff":
            round.undo()
        elif kind == "AwardFound":
            round.waiting[event["seat"], event["wager"]] = event["cents"] if event["meter"] else 0
        elif kind == "Validated" and event["answer"] == "reject":
            round.waiting.pop((event["seat"], event["wager"]), None)
        elif kind in ("SeatSettled", "PartSettled"):
            seat = event["seat"]
            round.waiting = {of: cents for of, cents in round.waiting.items() if of[0] != seat}
            round.fees[seat] = event.get("fee", round.fees.get(seat, 0))
            round.lines.setdefault(seat, []).extend(event["lines"])

    def _set(self, event: Mapping[str, Any]) -> TableRules | None:
        """Return the rules that a table was set to, or None if the books here lack them."""
        setting = ledger_event_from(event)
        if not isinstance(setting, TableSet):
            return None
        try:
            return rules_set(setting, self.rules_of)
        except (UserError, Unlike):
            return None


def _closed(round: OpenRound) -> SettledRound:
    return SettledRound(
        id=round.id,
        time_ms=round.ended_ms,
        rules=round.rules,
        rulebook=round.rulebook,
        hands=round.settled,
        fees_cents=sum(round.fees.values()) + round.bank_fee,
        meters={id: Fraction(micros, _MICROS) for id, micros in round.meters.items()},
        is_void=round.void,
        is_irregular=round.irregular,
        is_player_banked=round.banked,
    )


def _hand(round: OpenRound, seat: int, lines: Iterable[Mapping[str, Any]]) -> SettledHand:
    """Sum the lines of a seat by wager."""
    rules = round.rules
    spots_of = rules.spots if rules else {}
    wager_of = {spot: name for name, spots in spots_of.items() for spot in spots}
    stakes: dict[str, int] = {}
    sums: dict[tuple[str, bool], SettledLine] = {}
    for line in lines:
        spot, stake = line["wager"], line["stake"]
        name = wager_of.get(spot, spot)
        stakes.setdefault(name, stake)
        key = name, line["from_seat"] is None
        known = sums.get(key) or SettledLine(name, 0, 0, is_priced=key[1])
        sums[key] = known._replace(
            staked=known.staked + (0 if line["outcome"] == _WITHDRAWN else stake),
            won=known.won + stake - line["returned"] - line["paid"],
        )
    names = offered(rules) if rules else []
    bet = tuple((name, stakes[name]) for name in names if name in stakes)
    return SettledHand(seat, round.hands.get(seat), bet, tuple(sums.values()))
