"""What every round needs of its table rules, computed once and cached."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from croupier.cards import RANKS, Card
from croupier.errors import Bug
from croupier.hands.hand import Hand
from croupier.hands.lookup import evaluator
from croupier.hands.ranking import least_high, least_pair
from croupier.money import odds
from croupier.round.judge import Judgement, fits, is_high_enough, judge, names_of, verdict_of
from croupier.round.stages import DealOrder, choices_of, stages_of
from croupier.round.state import Box, Line
from croupier.rules.game import Bonus, Envy, Paytable, Qualifier, Row, Unnamed, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT

PLANS_MAX, JUDGED_MAX, STAKED_MAX = 256, 10_000, 10_000
"""Cache sizes: plans and, per plan, judgements of a part and stakes of a seat."""

_STATES = ("always", "higher", "lower", "equal", "unopposed")
# The verdicts that look a hand up in a paytable.
_BY_TABLE = ("table", "push listed")


HeldCards = tuple[int, int, tuple[Card, ...]]
"""A hand for the settlement: its strength, kind and cards.

The kind is its class with the rank of its pair or larger set: all that paytable rows check except
suits.
"""


class Part:
    """A wager, a bonus or an envy, with the rules that settle it."""

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
        """"always" if the showdown doesn't matter, else empty."""
        verdicts = {state: getattr(settle, state, None) for state in _STATES}
        self.by_table = {s for s, v in verdicts.items() if v and self.table and v.does in _BY_TABLE}
        """The showdown states in which the paytable decides."""
        limit = self.what.payout_limit if isinstance(self.what, Wager) else None
        self.limit = limit if limit and limit.amount is not None else None
        """The declared payout limit of a hand, if any."""
        self.rows: tuple[Row | Unnamed | None, ...] = (*_rows(self.table), None)
        """The rows of the paytable, those of hands that it says lose, and None for the rest."""
        self._fitting: dict[int, tuple[int, ...]] = {}
        self._judged = lru_cache(maxsize=JUDGED_MAX)(self._judge)

    def fitting(self, held: HeldCards) -> tuple[int, ...]:
        """Return the indices of the rows that hands of this kind may fit, in order."""
        _, kind, cards = held
        fitting = self._fitting.get(kind)
        if fitting is None:
            hand = Hand(cards, self.rules.ranking)
            fitting = tuple(n for n, row in enumerate(self.rows) if self._may_fit(row, hand))
            self._fitting[kind] = fitting
        return fitting

    def _may_fit(self, row: Row | Unnamed | None, hand: Hand) -> bool:
        if isinstance(row, Row) and self.table:
            return row.hand in names_of(self.table, hand.name) and is_high_enough(row, hand)
        return row is not None and self.table is not None and row is _losing(self.table, hand.name)

    def find(self, held: HeldCards, stake: int) -> int:
        """Return the index of the first row that a hand fits, or -1."""
        for number in self.fitting(held):
            row = self.rows[number]
            if not isinstance(row, Row) or not (row.suits or row.stake is not None):
                return number
            if fits(row, Hand(held[2], self.rules.ranking), stake):
                return number
        return -1

    def judged(self, state: str, held: HeldCards | None, stake: int) -> Judgement:
        """Judge a stake; `held` is given where the paytable decides."""
        number = self.find(held, stake) if held else -1
        return self._judged(state, number, stake)

    def _judge(self, state: str, number: int, stake: int) -> Judgement:
        if isinstance(self.what, Envy):
            raise Bug("an envy has no stake to judge")
        verdict, row = verdict_of(self.what.settle, state), self.rows[number]
        owed = judge(self.what, self.table, verdict, stake=stake, row=row, state=state, pay=odds)
        owed = owed._replace(ruling=ruling_cited(self.rules, owed.ruling))
        # A bonus has no stake of its own to return.
        return owed._replace(returned=0) if isinstance(self.what, Bonus) else owed


def _rows(table: Paytable | None) -> tuple[Row | Unnamed, ...]:
    if table is None:
        return ()
    return (*table.rows, *(u for u in table.unnamed.values() if u.does == "lose"))


def _losing(table: Paytable, name: str) -> Unnamed | None:
    unnamed = table.unnamed.get(name)  # type: ignore[call-overload]
    return unnamed if unnamed and unnamed.does == "lose" else None


class Staked:
    """The stakes of one seat: the paytables they depend on, and the lines cached for them."""

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
        """The parts whose paytables decide, each with the places of the hand and the stake."""
        self.lines: dict[tuple[str | int, ...], tuple[Line, ...]] = {}
        """The lines by case: the showdown state, and the row of each paytable."""


def _live(part: Part, box: Box) -> int:
    """Return the cents of a part's stake that is still to be judged, or 0."""
    stakes, what = box.stakes, part.what
    if isinstance(what, Bonus):
        return stakes[part.stake].cents if is_due(what, box) else 0
    staked = [stakes[spot] for spot in part.spots if spot in stakes]
    return next((stake.cents for stake in staked if stake.fate == "live"), 0)


def is_due(bonus: Bonus, box: Box) -> bool:
    """Whether both stakes of a bonus were made and not lost by folding or leaving."""
    stakes = [box.stakes.get(bonus.on), box.stakes.get(bonus.needs)]
    return all(stake is not None and stake.fate == "live" for stake in stakes)


def ruling_cited(rules: TableRules, ruling: str | None) -> str | None:
    """Return the ruling that a line names: none if all books share it."""
    return None if ruling is None or rules.rulings[ruling].common else ruling


class Plan:
    """The precomputed parts of one table's rules."""

    def __init__(self, rules: TableRules) -> None:
        self.rules = rules
        settle = next(step for step in rules.steps.values() if step.do == "settle")
        self.order = settle.order
        self.parts = tuple(Part(rules, name) for name in settle.lines)
        first = next(iter(rules.wagers.values()))
        self.main = rules.paytables[first.paytable].of if first.paytable else (SEAT,)
        """The places whose cards make the main hand, that of the first wager."""
        self.conditions = [
            (name, spots[0], {rules.spots[other][0] for other in condition.needs}, condition)
            for name, spots in rules.spots.items()
            for condition in rules.wagers[name].conditions
        ]
        """The conditions of wagers: wager, its spot, the spots it needs one of, and the condition.
        """
        self.metered = dict(_metered(rules))
        """The spots of wagers that raise meters, with the rate and each meter's share of it."""
        self.turned_up = [(line.to, line.shows) for line in rules.deal.cards if line.shows]
        """The places with cards turned up as they are dealt, and how many."""
        self.stages = stages_of(rules)
        self.choices = choices_of(rules)
        """The choices by the names of step and option."""
        lines = enumerate(rules.deal.cards)
        self.deal_if = [(i, line) for i, line in lines if line.if_staked]
        """The lines of the deal that require a wager, with their indices."""
        banks = sum(line.cards for line in rules.deal.cards if line.to == BANK)
        self.has_bank = banks > 0
        self.qualifying = _least(rules.bank.qualifier, banks) if rules.bank.qualifier else 0
        """The lowest strength with which the bank qualifies."""
        hands = evaluator(rules.ranking)
        self.strength, self.name = hands.strength, hands.name
        """Functions from a hand's cards to its strength and its name."""
        # A strength starts with the rank of the set, unless hands compare card by card.
        self._staked: dict[tuple[Any, ...], Staked | None] = {}
        self._kinds = {3: 0 if rules.ranking.card_by_card else 8, 5: 16, 6: 16}
        self.deals: dict[tuple[tuple[int, ...], tuple[int, ...]], DealOrder] = {}
        """Where the cards go, by the seats that play and the lines of the deal that are skipped."""

    def staked(self, box: Box) -> Staked | None:
        """Return a seat's cached stakes from their third appearance on; most recur."""
        key = box.seat, box.abandoned, *box.stakes.items()
        staked = self._staked.get(key)
        if staked is None:
            if len(self._staked) >= STAKED_MAX:
                self._staked.clear()
            self._staked[key] = Staked(self.parts, box) if key in self._staked else None
        return staked

    def held(self, cards: tuple[Card, ...]) -> HeldCards:
        strength = self.strength(cards)
        return strength, strength >> self._kinds[len(cards)], cards


def _least(qualifier: Qualifier, cards: int) -> int:
    """Return the lowest strength with which a bank's hand of this size qualifies (T3)."""
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


@lru_cache(maxsize=PLANS_MAX)
def plan_of(rules: TableRules) -> Plan:
    """Return the cached plan of table rules."""
    return Plan(rules)
