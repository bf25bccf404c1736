"""What each wager is owed, and by which clause.

The same functions write the lines of a played round and price the cases of the mathematics. Who
pays is decided afterwards, by `cover`.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from croupier.cards import RANKS, SUITS, Card
from croupier.errors import Bug
from croupier.hands import ALSO, Hand
from croupier.money import micros, odds, share
from croupier.round.order import seats_in
from croupier.round.state import Box, Line, Round, Stake
from croupier.rules.game import (
    Bonus,
    Envy,
    PayoutLimit,
    Paytable,
    Row,
    Settle,
    Verdict,
    Wager,
)
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT

# What became of a stake before the settlement, and how a line says so.
_FATES = {
    "forfeit": ("forfeit", "fold"),
    "take back": ("withdrawn", "pull"),
    "abandoned": ("lose", "left"),
}
# The verdicts for which a hand is looked up in a paytable.
_BY_TABLE = ("table", "push listed")


def row_for(table: Paytable, hand: Hand, stake: int = 0) -> Row | None:
    """Return the first row of a paytable that a hand fits, or None.

    A mini royal is a straight flush where a table does not list it, and so on (T2).
    """
    name = hand.name
    also = ALSO.get(name, ())
    for row in table.rows:
        if (
            (row.hand == name or row.hand in also)
            and (not row.suits or _suit(hand) in row.suits)
            and (row.least is None or (hand.set_rank or 0) >= RANKS.index(row.least))
            and (row.stake is None or row.stake == stake)
        ):
            return row
    return None


def _is_listed(table: Paytable, hand: Hand) -> bool:
    """Tell whether a paytable has a row for such hands, whatever else the row asks for."""
    name = hand.name
    also = ALSO.get(name, ())
    return any(row.hand == name or row.hand in also for row in table.rows)


def _suit(hand: Hand) -> str:
    return "" if hand.suit is None else SUITS[hand.suit]


def qualifies(rules: TableRules, bank: Hand) -> bool:
    """Tell whether the bank's hand plays."""
    qualifier = rules.bank.qualifier
    return qualifier is None or bank.is_at_least_high(RANKS.index(qualifier.high))


def showdown(hand: Hand, bank: Hand | None, *, opposed: bool) -> str:
    """Return how a hand stands against the bank's, which may not qualify."""
    if bank is None:
        return "always"
    if not opposed:
        return "unopposed"
    if hand.strength == bank.strength:
        return "equal"
    return "higher" if hand.strength > bank.strength else "lower"


def verdict_of(settle: Settle, state: str) -> Verdict:
    """Return the verdict of a wager for a state of the showdown."""
    verdict = settle.always or getattr(settle, state, None)
    if verdict is None:
        raise Bug(f"no verdict for {state}")
    return verdict


class Judgement(NamedTuple):
    """What a stake comes to: outcome, payout, what comes back, and who says so."""

    outcome: str
    paid: int
    returned: int
    clause: str
    ruling: str | None
    because: str
    meter: str | None = None
    part: Fraction = Fraction(0)


def judge(
    judged: Wager | Bonus,
    table: Paytable | None,
    verdict: Verdict,
    *,
    stake: int,
    row: Row | None,
    state: str,
) -> Judgement:
    """Judge one stake by the row of its paytable that the hand fits, where it has one.

    The state of the showdown is the reason wherever no paytable is asked.
    """
    match verdict.does:
        case "pay":
            paid = odds(stake, verdict.to) if verdict.to is not None else 0
            return Judgement("win", paid, stake, verdict.clause, verdict.ruling, state)
        case "lose":
            return Judgement("lose", 0, 0, verdict.clause, verdict.ruling, state)
        case "push":
            return Judgement("push", 0, stake, verdict.clause, verdict.ruling, state)
    if row is None or table is None:
        unlisted = verdict.unlisted or verdict
        return Judgement("lose", 0, 0, unlisted.clause, unlisted.ruling, "unlisted")
    if verdict.does == "push listed":
        return Judgement("push", 0, stake, verdict.clause, verdict.ruling, state)
    clause, ruling = row.clause or table.clause, row.ruling or verdict.ruling
    returned = _returned(judged, row, stake)
    if row.meter:
        part = (row.percent or Fraction(0)) / 100
        return Judgement("win", 0, returned, clause, ruling, "row", row.meter, part)
    return Judgement("win", _paid(row, stake), returned, clause, ruling, "row")


def _fated(seat: int, spot: str, stake: Stake) -> Line:
    """Return the line of a stake whose fate was sealed before the settlement."""
    outcome, because = _FATES[stake.fate]
    back = stake.cents if outcome == "withdrawn" else 0
    said = stake.clause, stake.ruling, None, because
    return Line(seat, spot, stake.cents, outcome, 0, back, *said)


def _limited(limit: PayoutLimit, lines: list[Line]) -> list[Line]:
    """Cut what a hand is paid to the limit, bet by bet (L6)."""
    left = limit.amount or 0
    for place, line in enumerate(lines):
        if line.paid > left:
            lines[place] = line._replace(paid=left, ruling=limit.ruling, because="limit")
        left -= lines[place].paid
    return lines


def _paid(row: Row, stake: int) -> int:
    if row.amount is not None:
        return row.amount
    times = row.to if row.to is not None else row.for_
    return odds(stake, times or Fraction(0))


def _returned(wager: Wager | Bonus, row: Row, stake: int) -> int:
    """What comes back of a winning stake: not one that the dealer collected, nor 'for 1' (T5)."""
    if isinstance(wager, Bonus):
        return 0  # It has no stake of its own.
    if wager.returns or row.to is not None:
        return stake
    return stake if row.amount is not None and not wager.collected else 0


class Settlement:
    """Settles the seats of a round one after another; meters move from seat to seat."""

    def __init__(self, round: Round, meters: Mapping[str, int]) -> None:
        self.round = round
        self.rules = round.rules
        self.meters = dict(meters)
        step = next(step for step in self.rules.steps.values() if step.do == "settle")
        self.order = seats_in(round, step.order)
        self.names = step.lines
        self.places = {place: self._faces(cards) for place, cards in round.places.items()}
        bank = self.places.get(BANK)
        self.bank = Hand(bank, self.rules.ranking) if bank else None
        self.opposed = self.bank is not None and qualifies(self.rules, self.bank)
        self._hands: dict[tuple[int, tuple[str, ...]], Hand] = {}
        self._states: dict[int, str] = {}
        self._envied: dict[int, list[Box]] = {}

    def seat_lines(self, seat: int) -> list[Line]:
        """Return all lines of one seat, in the order of the book."""
        box, rules = self.round.boxes[seat], self.rules
        lines: list[Line] = []
        for name in self.names:
            if name in rules.wagers:
                if rules.spots[name][0] in box.stakes:
                    lines += self._wager_lines(box, name)
            elif name in rules.bonuses:
                lines += self._bonus_lines(box, name)
            else:
                lines += self._envy_lines(box, rules.envies[name])
        return lines

    # ------------------------------------------------------------ hands

    def _faces(self, positions: tuple[int, ...]) -> tuple[Card, ...]:
        faces = self.round.faces
        return tuple([faces[p] for p in positions if p in faces])

    def cards_of(self, box: Box) -> tuple[Card, ...]:
        """The cards that are a box's own, or the shared hand that it bets on (M9)."""
        if box.hand is not None:
            name = shared_place(self.rules)
            cards = self.rules.places[name].cards // self.rules.places[name].hands
            return self.places.get(name, ())[cards * (box.hand - 1) : cards * box.hand]
        return self._faces(box.cards)

    def hand(self, box: Box, of: tuple[str, ...]) -> Hand:
        key = box.seat, of
        hand = self._hands.get(key)
        if hand is None:
            cards: tuple[Card, ...] = ()
            for place in of:
                cards += self.cards_of(box) if place == SEAT else self.places.get(place, ())
            hand = self._hands[key] = Hand(cards, self.rules.ranking)
        return hand

    # ------------------------------------------------------------ wagers

    def _wager_lines(self, box: Box, name: str) -> list[Line]:
        """Return a line for each spot of a wager; its stakes are equal, so they are judged once."""
        wager, seat = self.rules.wagers[name], box.seat
        judged: Judgement | None = None
        lines: list[Line] = []
        for spot in self.rules.spots[name]:
            stake = box.stakes[spot]
            if stake.fate != "live":
                lines.append(_fated(seat, spot, stake))
                continue
            if judged is None:
                judged = self._judged(box, wager, stake.cents)
            outcome, paid, back, clause, ruling, because, meter, _ = judged
            if meter:
                paid = self._from_meter(judged)
            if ruling:
                ruling = self._said(ruling)
            said = clause, ruling, None, because
            lines.append(Line(seat, spot, stake.cents, outcome, paid, back, *said))
        limit = wager.payout_limit
        return lines if limit is None or limit.amount is None else _limited(limit, lines)

    def _judged(self, box: Box, judged: Wager | Bonus, stake: int) -> Judgement:
        """Judge a stake on a wager, or of the wager that a bonus is on."""
        verdict = judged.settle.always
        state = "always"
        if verdict is None:
            state = self._states.get(box.seat) or self.state(box)
            verdict = verdict_of(judged.settle, state)
        table = row = None
        if judged.paytable and verdict.does in _BY_TABLE:
            table = self.rules.paytables[judged.paytable]
            row = row_for(table, self.hand(box, table.of), stake)
        return judge(judged, table, verdict, stake=stake, row=row, state=state)

    def state(self, box: Box) -> str:
        """How the box's hand stands against the bank's."""
        state = showdown(self.hand(box, (SEAT,)), self.bank, opposed=self.opposed)
        self._states[box.seat] = state
        return state

    def _from_meter(self, judged: Judgement) -> int:
        """Pay a part of a meter as it stands now; the whole of it resets it at once (M8)."""
        id, part = str(judged.meter), judged.part
        paid = share(self.meters[id], part)
        self.meters[id] -= micros(paid)
        if part == 1:
            self.meters[id] += micros(self.rules.meters[id].reset or 0)
        return paid

    def _said(self, ruling: str | None) -> str | None:
        """A ruling that all books share is not named on a line."""
        common = ruling is not None and self.rules.rulings[ruling].common
        return None if common else ruling

    # ------------------------------------------------------------ without a stake of their own

    def _bonus_lines(self, box: Box, name: str) -> list[Line]:
        bonus = self.rules.bonuses[name]
        on = box.stakes.get(bonus.on)
        if on is None or bonus.needs not in box.stakes or box.abandoned:
            return []
        judged = self._judged(box, bonus, on.cents)
        if not judged.paid:
            return []
        said = judged.clause, self._said(judged.ruling), None, judged.because
        return [Line(box.seat, name, 0, "win", judged.paid, 0, *said)]

    def _envy_lines(self, box: Box, envy: Envy) -> list[Line]:
        stake = box.stakes.get(envy.makers)
        if stake is None or box.abandoned:
            return []
        table = self.rules.paytables[envy.paytable]
        lines: list[Line] = []
        for holder in self._holders(envy):
            if not self._is_envied(box, holder, envy):
                continue
            row = row_for(table, self.hand(holder, table.of), stake.cents)
            if row and row.amount:
                clause, ruling = row.clause or table.clause, self._said(envy.holders.ruling)
                said = clause, ruling, holder.seat, "envy"
                lines.append(Line(box.seat, envy.line, 0, "win", row.amount, 0, *said))
        return lines

    def _holders(self, envy: Envy) -> list[Box]:
        """Return the boxes, mostly none, with a hand that somebody may envy, in order."""
        found = self._envied.get(id(envy))
        if found is None:
            table = self.rules.paytables[envy.paytable]
            boxes = [self.round.boxes[seat] for seat in self.order]
            held = [box for box in boxes if _may_be_envied(box, envy)]
            found = [box for box in held if _is_listed(table, self.hand(box, table.of))]
            self._envied[id(envy)] = found
        return found

    def _is_envied(self, box: Box, holder: Box, envy: Envy) -> bool:
        """Whether a box gets envy for a holder's hand (M5, S1, S2; M9 for shared hands)."""
        if holder.player == box.player:
            return envy.holders.own
        own = {b.hand for b in self.round.boxes.values() if b.player == box.player}
        return holder.hand is None or holder.hand not in own


def _may_be_envied(holder: Box, envy: Envy) -> bool:
    holders = envy.holders
    if holder.abandoned or (holder.folded and not holders.folded):
        return False
    return holders.needs is None or holders.needs in holder.stakes


def shared_place(rules: TableRules) -> str:
    """Return the place whose cards are hands to bet on, or ''."""
    for name, place in rules.places.items():
        if place.hands:
            return name
    return ""


def void_lines(round: Round, seat: int) -> list[Line]:
    """Return the lines of a seat in a void round: every stake comes back."""
    if round.void is None:
        raise Bug("a round that is not void has no void lines")
    box, void = round.boxes[seat], round.void
    spots = [
        spot
        for step in round.rules.steps.values()
        for name in step.lines
        for spot in round.rules.spots.get(name, ())
        if spot in box.stakes
    ]
    return [
        Line(seat, s, box.stakes[s].cents, "void", 0, box.stakes[s].cents, void.clause, void.ruling)
        for s in spots
    ]
