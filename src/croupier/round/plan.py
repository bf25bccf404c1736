"""What is worked out of table rules once, and asked in every round.

A plan says nothing that the rules do not say, only sooner.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from croupier.cards import RANKS, Card
from croupier.errors import Bug
from croupier.hands import Hand, evaluator, least_high, least_pair
from croupier.money import odds
from croupier.round.settle import fits, is_high_enough, judge, names_of, verdict_of
from croupier.round.stages import Dealing, choices_of, stages_of
from croupier.round.state import Box, Line
from croupier.rules.game import Bonus, Envy, Paytable, Qualifier, Row, Unnamed, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT

PLANS_MAX, JUDGED_MAX, STAKED_MAX = 256, 10_000, 10_000
"""How many plans are kept, and of each how many judgements of a part and stakes of a seat."""

_STATES = ("always", "higher", "lower", "equal", "unopposed")
# The verdicts for which a hand is looked up in a paytable.
_BY_TABLE = ("table", "push listed")


Held = tuple[int, int, tuple[Card, ...]]
"""A hand as the settlement knows it: its strength, its kind, its cards.

The kind is its class with the rank of its pair or larger set: all that rows ask of it but suits.
"""

Rows = tuple[tuple[Row, bool], ...]
"""Rows of a paytable that a hand may fit, in order, and whether it surely does."""


class Judged(NamedTuple):
    """What a stake comes to."""

    line: tuple[Any, ...]
    """The fields of its line, from the stake on."""
    paid: int
    meter: str | None
    part: Fraction


class Part:
    """A wager, a bonus or an envy, and what its lines are settled by."""

    def __init__(self, rules: TableRules, name: str) -> None:
        self.rules, self.name = rules, name
        self.what: Wager | Bonus | Envy
        self.spots = rules.spots.get(name, ())
        if name in rules.wagers:
            self.what, self.stake = rules.wagers[name], self.spots[0]
        elif name in rules.bonuses:
            self.what, self.stake = rules.bonuses[name], rules.bonuses[name].on
        else:
            self.what, self.stake = rules.envies[name], rules.envies[name].makers
        self.table = rules.paytables[self.what.paytable] if self.what.paytable else None
        self.of = self.table.of if self.table else (SEAT,)
        settle = None if isinstance(self.what, Envy) else self.what.settle
        self.state = "always" if settle and settle.always else ""
        """The state of the showdown where that does not matter."""
        verdicts = {state: getattr(settle, state, None) for state in _STATES}
        self.by_table = {s for s, v in verdicts.items() if v and self.table and v.does in _BY_TABLE}
        """The states in which the paytable is asked."""
        limit = self.what.payout_limit if isinstance(self.what, Wager) else None
        self.limit = limit if limit and limit.amount is not None else None
        """The most that a hand is paid, where one is declared."""
        self._rows: dict[int, Rows] = {}
        self._judged: dict[tuple[str, int, int], Judged] = {}

    def rows(self, held: Held) -> Rows:
        """Return the rows that a hand may fit; they are remembered by its kind."""
        _, kind, cards = held
        rows = self._rows.get(kind)
        if rows is None:
            hand = Hand(cards, self.rules.ranking)
            names = names_of(self.table, hand.name) if self.table else ()
            listed = self.table.rows if self.table else ()
            rows = self._rows[kind] = tuple(
                (row, not row.suits and row.stake is None)
                for row in listed
                if row.hand in names and is_high_enough(row, hand)
            )
        return rows

    def row(self, held: Held, stake: int) -> Row | Unnamed | None:
        """Return the first row of the paytable that a hand fits, or None, as for most hands.

        Of a hand that no row names the paytable may say that it loses, and then that is returned.
        """
        rows = self._rows.get(held[1])
        for row, surely in self.rows(held) if rows is None else rows:
            if surely or fits(row, Hand(held[2], self.rules.ranking), stake):
                return row
        if self.table and self.table.unnamed:
            return _losing(self.table, Hand(held[2], self.rules.ranking).name)
        return None

    def judged(self, state: str, held: Held | None, stake: int) -> Judged:
        """Return what a stake comes to; what was asked before is remembered.

        The hand is asked for where the paytable is.
        """
        row = self.row(held, stake) if held else None
        key = state, id(row), stake
        judged = self._judged.get(key)
        if judged is None:
            if len(self._judged) >= JUDGED_MAX:
                self._judged.clear()
            judged = self._judged[key] = self._judge(state, row, stake)
        return judged

    def _judge(self, state: str, row: Row | Unnamed | None, stake: int) -> Judged:
        if isinstance(self.what, Envy):
            raise Bug("an envy has no stake to judge")
        verdict = verdict_of(self.what.settle, state)
        owed = judge(self.what, self.table, verdict, stake=stake, row=row, state=state, pay=odds)
        ruling = said(self.rules, owed.ruling)
        line = (stake, *owed[:3], owed.clause, ruling, None, owed.because)
        if isinstance(self.what, Bonus):  # No stake of its own lies there, and none comes back.
            line = (0, owed.outcome, owed.paid, 0, *line[4:])
        return Judged(line, owed.paid, owed.meter, owed.part)


def _losing(table: Paytable, name: str) -> Unnamed | None:
    unnamed = table.unnamed.get(name)  # type: ignore[call-overload]
    return unnamed if unnamed and unnamed.does == "lose" else None


class Staked:
    """The stakes of one seat: what they ask of its hands, and the lines that they came to."""

    def __init__(self, parts: Iterable[Part], box: Box) -> None:
        played = [(part, cents) for part in parts if (cents := _live(part, box))]
        self.envies = [
            (part, part.what)
            for part in parts
            if isinstance(part.what, Envy) and part.stake in box.stakes
        ]
        self.contested = any(not part.state for part, _ in played)
        """Whether the showdown matters."""
        self.asks = [(part, part.of, cents) for part, cents in played if part.by_table]
        """The parts whose paytables are asked, about the hand of which places, for which stake."""
        self.lines: dict[tuple[str | int, ...], tuple[Line, ...]] = {}
        """The lines by case: the state of the showdown, and the row of each paytable."""


def _live(part: Part, box: Box) -> int:
    """Return the cents of a stake that is still to be judged for a part, 0 if there is none."""
    stakes, what = box.stakes, part.what
    if isinstance(what, Bonus):
        return stakes[part.stake].cents if is_due(what, box) else 0
    staked = [stakes[spot] for spot in part.spots if spot in stakes]
    return next((stake.cents for stake in staked if stake.fate == "live"), 0)


def is_due(bonus: Bonus, box: Box) -> bool:
    """Whether both stakes of a bonus were made and not given up since, by a fold or by leaving."""
    stakes = [box.stakes.get(bonus.on), box.stakes.get(bonus.needs)]
    return all(stake is not None and stake.fate == "live" for stake in stakes)


def said(rules: TableRules, ruling: str | None) -> str | None:
    """Return what a line names of a ruling: nothing of one that all books share."""
    return None if ruling is None or rules.rulings[ruling].common else ruling


class Plan:
    """What every round asks of its table rules."""

    def __init__(self, rules: TableRules) -> None:
        self.rules = rules
        settle = next(step for step in rules.steps.values() if step.do == "settle")
        self.order = settle.order
        self.parts = tuple(Part(rules, name) for name in settle.lines)
        first = next(iter(rules.wagers.values()))
        self.main = rules.paytables[first.paytable].of if first.paytable else (SEAT,)
        """The places whose cards make the hand of the main game: its first wager's."""
        self.conditions = [
            (name, spots[0], {rules.spots[other][0] for other in condition.needs}, condition)
            for name, spots in rules.spots.items()
            for condition in rules.wagers[name].conditions
        ]
        """What wagers need beside them: a wager, its spot, the spots that it needs one of."""
        self.metered = dict(_metered(rules))
        """The spots of wagers that raise meters, with the rate, and each meter's share of it."""
        self.turned_up = [(line.to, line.shows) for line in rules.deal.cards if line.shows]
        """Of which places how many cards are turned up as they are dealt."""
        self.stages = stages_of(rules)
        self.choices = choices_of(rules)
        """What may be chosen, by the names of the step and the option."""
        lines = enumerate(rules.deal.cards)
        self.deal_if = [(i, line) for i, line in lines if line.if_staked]
        """The lines of the deal for which a wager must have been made, with their places."""
        banks = sum(line.cards for line in rules.deal.cards if line.to == BANK)
        self.has_bank = banks > 0
        self.qualifying = _least(rules.bank.qualifier, banks) if rules.bank.qualifier else 0
        """The least strength with which the bank's hand plays."""
        hands = evaluator(rules.ranking)
        self.strength, self.name = hands.strength, hands.name
        """The strength of a hand's cards, and what it is called."""
        # The first rank in a strength is that of the set, unless hands compare card by card.
        self._staked: dict[tuple[Any, ...], Staked | None] = {}
        self._kinds = {3: 0 if rules.ranking.card_by_card else 8, 5: 16, 6: 16}
        self.deals: dict[tuple[tuple[int, ...], tuple[int, ...]], Dealing] = {}
        """Where the cards go, by the seats that play and the lines of the deal left out."""

    def staked(self, box: Box) -> Staked | None:
        """Return the stakes of a seat if they have lain there before, for they often do again."""
        key = box.seat, box.abandoned, *box.stakes.items()
        if key not in self._staked:
            if len(self._staked) >= STAKED_MAX:
                self._staked.clear()
            self._staked[key] = None
        elif self._staked[key] is None:
            self._staked[key] = Staked(self.parts, box)
        return self._staked[key]

    def held(self, cards: tuple[Card, ...]) -> Held:
        """Return a hand as it is settled by."""
        strength = self.strength(cards)
        return strength, strength >> self._kinds[len(cards)], cards


def _least(qualifier: Qualifier, cards: int) -> int:
    """Return the least strength of a hand of so many cards with which the bank plays (T3)."""
    if qualifier.pair:
        return least_pair(RANKS.index(qualifier.pair), cards)
    kicker = RANKS.index(qualifier.kicker) if qualifier.kicker else None
    return least_high(RANKS.index(qualifier.high or RANKS[0]), cards, kicker)


def _metered(rules: TableRules) -> Iterator[tuple[str, tuple[Fraction, dict[str, Fraction]]]]:
    for name, spots in rules.spots.items():
        meters = [meter for meter in rules.meters.values() if meter.wager == name]
        rates = [meter.rate for meter in meters if meter.rate is not None]
        if rates:
            yield spots[0], (rates[0], {meter.id: meter.share for meter in meters})


_plans: dict[int, Plan] = {}


def plan_of(rules: TableRules) -> Plan:
    """Return the plan of table rules, the same one whenever it is asked for."""
    plan = _plans.get(id(rules))
    if plan is None:
        if len(_plans) >= PLANS_MAX:
            _plans.clear()
        # A plan holds its rules, so as long as it is here no others have their identity.
        plan = _plans[id(rules)] = Plan(rules)
    return plan
