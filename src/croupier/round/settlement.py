"""Settle the seats of a round, one after another, into the lines of a book.

`settle` judges each stake; `cover` decides afterwards how much a player-banker pays.
"""

from collections.abc import Iterator, Mapping

from croupier.cards import Card
from croupier.errors import Bug
from croupier.hands.hand import Hand
from croupier.money import micros, share
from croupier.round.judge import Judgement
from croupier.round.order import may_be_envied, positions_of, seats_in
from croupier.round.plan import HeldCards, Part, is_due, plan_of, ruling_cited
from croupier.round.state import Box, FoundAward, Line, Round, Stake
from croupier.rules.game import Bonus, Envy, PayoutLimit, Row
from croupier.rules.vocabulary import BANK, SEAT

REJECTED = "rejected"
"""Why a progressive win that the floor rejected pays nothing."""
FOLDED = "fold"
"""Why a stake that was given up by folding is lost."""
# The fate of a stake before the settlement, and the outcome of its line.
_FATES = {
    "forfeit": ("forfeit", FOLDED),
    "take back": ("withdrawn", "pull"),
    "abandoned": ("lose", "left"),
}


def _fated(seat: int, spot: str, stake: Stake) -> Line:
    """Return the line of a stake decided before the settlement."""
    outcome, because = _FATES[stake.fate]
    back = stake.cents if outcome == "withdrawn" else 0
    why = stake.clause, stake.ruling, None, because
    return Line(seat, spot, stake.cents, outcome, 0, back, *why)


def _owed(seat: int, wager: str, stake: int, owed: Judgement) -> Line:
    """Return the line of a judged stake."""
    outcome, paid, returned, clause, ruling, because, _, _ = owed
    return Line(seat, wager, stake, outcome, paid, returned, clause, ruling, None, because)


def _answered(line: Line, found: FoundAward, ruling: str | None) -> Line:
    """Return the line of a progressive win that the floor answered, at what it was found to be."""
    if found.answer == "reject":
        ended = line._replace(outcome="lose", paid=0, returned=0)
        return ended._replace(ruling=ruling, because=REJECTED)
    return line._replace(paid=found.cents)


def _limited(limit: PayoutLimit, lines: list[Line]) -> list[Line]:
    """Cut a hand's payouts to the limit, bet by bet (L6)."""
    left = limit.amount or 0
    for place, line in enumerate(lines):
        if line.paid > left:
            lines[place] = line._replace(paid=left, ruling=limit.ruling, because="limit")
        left -= lines[place].paid
    return lines


class Settlement:
    """Settles seats one after another; meters carry over from seat to seat."""

    def __init__(self, round: Round, meters: Mapping[str, int]) -> None:
        self.round, self.rules, self.meters = round, round.rules, meters
        self.plan = plan = plan_of(round.rules)
        self.order = seats_in(round, plan.order)
        lying = round.places.get(BANK, ())
        bank = self._faces(lying)  # Hidden, or only partly read, if the round is void.
        self._bank = plan.held(bank) if bank and len(bank) == len(lying) else None
        self._held: dict[tuple[int, tuple[str, ...]], HeldCards] = {}
        self._states: dict[int, str] = {}
        self._envied: dict[str, list[tuple[Box, HeldCards]]] = {}

    def seat_lines(self, seat: int) -> tuple[Line, ...]:
        """Return all lines of one seat, in the order of the book.

        The same stakes in the same case give the same lines, so these are cached, unless a meter
        pays or there is a hand to envy.
        """
        box = self.round.boxes[seat]
        staked = self.plan.staked(box)
        if staked is None:
            return self._lines(box)
        for part, envy in staked.envies:
            if self._holders(part, envy):
                return self._lines(box)
        case: list[str | int] = [self._state(box)] if staked.contested else []
        for part, of, cents in staked.asks:
            case.append(part.find(self._held.get((seat, of)) or self.held(box, of), cents))
        key, before = tuple(case), self.meters
        lines = staked.lines.get(key)
        if lines is None:
            lines = self._lines(box)
            if self.meters is before:
                staked.lines[key] = lines
        return lines

    def own_lines(self, seat: int) -> tuple[Line, ...]:
        """Return the lines of one seat but for envy, which the other hands decide."""
        return self._lines(self.round.boxes[seat], envies=False)

    def envy_for(self, seat: int) -> dict[int, tuple[Line, ...]]:
        """Return what each seat is paid for envying one hand, in order."""
        paid: dict[int, tuple[Line, ...]] = {}
        for envy, to, lines in self._envies(seat):
            found = self.round.awards.get((seat, envy.makers))
            if found is None or found.answer != "reject":  # Else the hand isn't what it seemed.
                paid[to] = (*paid.get(to, ()), *lines)
        return paid

    def envied_by(self, seat: int) -> frozenset[str]:
        """Return the wagers that are paid to others for envying one hand."""
        return frozenset(envy.makers for envy, _, _ in self._envies(seat))

    def _envies(self, seat: int) -> Iterator[tuple[Envy, int, list[Line]]]:
        """Yield what others are paid for envying one hand."""
        holder = self.round.boxes[seat]
        for part in self.plan.parts:
            envy = part.what
            if not isinstance(envy, Envy) or not may_be_envied(holder, envy):
                continue
            held = self.held(holder, part.of)
            makers = [self.round.boxes[s] for s in self.order] if part.fitting(held) else []
            for box in makers:
                makes = part.stake in box.stakes and not box.abandoned
                if makes and (lines := self._envy_of(box, part, envy, [(holder, held)])):
                    yield envy, box.seat, lines

    def _lines(self, box: Box, *, envies: bool = True) -> tuple[Line, ...]:
        stakes = box.stakes
        lines: list[Line] = []
        for part in self.plan.parts:
            if part.stake in stakes:
                if part.spots:
                    lines += self._wager_lines(box, part)
                elif isinstance(part.what, Bonus):
                    lines += self._bonus_lines(box, part, part.what)
                elif isinstance(part.what, Envy) and envies and not box.abandoned:
                    holders = self._holders(part, part.what)
                    lines += self._envy_of(box, part, part.what, holders)
        return tuple(lines)

    # ------------------------------------------------------------ hands

    def _faces(self, positions: tuple[int, ...]) -> tuple[Card, ...]:
        faces = self.round.faces
        try:
            return tuple([faces[position] for position in positions])
        except KeyError:  # Not all of them were shown.
            return tuple([faces[position] for position in positions if position in faces])

    @property
    def bank(self) -> Hand | None:
        """The bank's hand, if any."""
        return Hand(self._bank[2], self.rules.ranking) if self._bank else None

    def hand(self, box: Box, of: tuple[str, ...]) -> Hand:
        """Return the hand that the cards of some places make for a box."""
        return Hand(self.held(box, of)[2], self.rules.ranking)

    def held(self, box: Box, of: tuple[str, ...]) -> HeldCards:
        """Return the same hand with only what settling needs, cached."""
        key, round = (box.seat, of), self.round
        if key not in self._held:
            positions: tuple[int, ...] = ()
            for place in of:
                if place == SEAT:
                    positions += positions_of(round, box)
                else:
                    positions += round.places.get(place, ())
            self._held[key] = self.plan.held(self._faces(positions))
        return self._held[key]

    # ------------------------------------------------------------ wagers

    def _wager_lines(self, box: Box, part: Part) -> list[Line]:
        """Return a line for each spot of a wager; its stakes are equal, so they are judged once."""
        seat, stakes = box.seat, box.stakes
        judged: Judgement | None = None
        lines: list[Line] = []
        for spot in part.spots:
            stake = stakes[spot]
            if stake.fate != "live":
                lines.append(_fated(seat, spot, stake))
                continue
            if judged is None:
                judged = self._judged(box, part, stake.cents)
            line = _owed(seat, spot, stake.cents, judged)
            if stake.ruling and not line.ruling:  # The ruling that kept it in play.
                line = line._replace(ruling=stake.ruling)
            if (found := self.round.awards.get((seat, spot))) is not None:
                line = _answered(line, found, self.rules.ruling_on("validation"))
            elif judged.meter:
                line = line._replace(paid=self._from_meter(judged))
            lines.append(line)
        return _limited(part.limit, lines) if part.limit else lines

    def _judged(self, box: Box, part: Part, stake: int) -> Judgement:
        """Judge a stake on a wager, or on the wager that a bonus pays on."""
        seat = box.seat
        state = part.state or self._states.get(seat) or self._state(box)
        held = None
        if state in part.by_table:
            held = self._held.get((seat, part.of)) or self.held(box, part.of)
        return part.judged(state, held, stake)

    def _state(self, box: Box) -> str:
        """Return the state of the showdown between the box and the bank, which may not qualify."""
        if self._bank is None:
            return "always"
        bank, hand = self._bank[0], self.held(box, (SEAT,))[0]
        if bank < self.plan.qualifying:
            state = "unopposed"
        else:
            state = "higher" if hand > bank else "lower" if hand < bank else "equal"
        self._states[box.seat] = state
        return state

    def meter_of(self, line: Line) -> str | None:
        """Return the meter that paid a line: the one named in its paytable row."""
        if line.outcome != "win" or self.round.void:
            return None
        for part in self.plan.parts:
            if line.wager in part.spots:
                return self._judged(self.round.boxes[line.seat], part, line.stake).meter
        return None

    def _from_meter(self, judged: Judgement) -> int:
        """Pay part of a meter as it stands now; paying all of it resets it at once (M8)."""
        id, part = str(judged.meter), judged.part
        paid = share(self.meters[id], part)
        left = self.meters[id] - micros(paid)
        if part == 1:
            left += micros(self.rules.meters[id].reset or 0)
        self.meters = {**self.meters, id: left}
        return paid

    # ------------------------------------------------------------ without a stake of their own

    def _bonus_lines(self, box: Box, part: Part, bonus: Bonus) -> list[Line]:
        if not is_due(bonus, box):
            return []
        judged = self._judged(box, part, box.stakes[bonus.on].cents)
        return [_owed(box.seat, part.name, 0, judged)] if judged.paid else []

    def _envy_of(
        self, box: Box, part: Part, envy: Envy, holders: list[tuple[Box, HeldCards]]
    ) -> list[Line]:
        """Return the lines of a box that envies these hands."""
        table = part.table
        if table is None:
            return []
        lines: list[Line] = []
        for holder, held in holders:
            if not self._is_envied(box, holder, envy):
                continue
            row = part.rows[part.find(held, box.stakes[envy.makers].cents)]
            if isinstance(row, Row) and row.amount:
                ruling = ruling_cited(self.rules, envy.holders.ruling)
                why = row.clause or table.clause, ruling, holder.seat, "envy"
                lines.append(Line(box.seat, envy.line, 0, "win", row.amount, 0, *why))
        return lines

    def _holders(self, part: Part, envy: Envy) -> list[tuple[Box, HeldCards]]:
        """Return the boxes, usually none, with a hand that others may envy, in order."""
        found = self._envied.get(part.name)
        if found is None:
            boxes = [self.round.boxes[seat] for seat in self.order]
            hands = [(box, self.held(box, part.of)) for box in boxes if may_be_envied(box, envy)]
            found = [(box, held) for box, held in hands if part.fitting(held)]
            self._envied[part.name] = found
        return found

    def _is_envied(self, box: Box, holder: Box, envy: Envy) -> bool:
        """Whether a box gets envy for a holder's hand (M5, S1, S2; M9 for shared hands)."""
        if holder.player == box.player:
            return envy.holders.own
        own = {b.hand for b in self.round.boxes.values() if b.player == box.player}
        return holder.hand is None or holder.hand not in own


def void_lines(round: Round, seat: int) -> list[Line]:
    """Return the lines of a seat in a void round, with every stake returned."""
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
