"""Explain in words why a line was settled as it was."""

from fractions import Fraction

from croupier.hands.hand import Hand
from croupier.round.judge import row_for, verdict_of
from croupier.round.settlement import Settlement
from croupier.round.state import Line, Round
from croupier.rules.game import Paytable
from croupier.rules.vocabulary import SEAT
from croupier.rules.words import dollars, hand_says, number, payout_says

_PLAIN = {
    "rejected": "two people found that this win isn't due",
    "fold": "forfeited by folding",
    "pull": "withdrawn by the player",
    "left": "the seat was abandoned",
    "uncovered": "the banker's money does not cover it; the stake comes back",
}


def _one(hand: str) -> str:
    """Give the name of a hand its article: 'a pair', but 'three of a kind'."""
    return hand if hand.startswith(("two ", "three ", "four ")) else f"a {hand}"


class Reasons:
    """Explains the lines of a settled round."""

    def __init__(self, round: Round) -> None:
        self.round = round
        self.settled = None if round.void else Settlement(round, round.meters)

    def why(self, line: Line) -> str:
        """Return the reason for a line as a short sentence."""
        if self.settled is None:
            return "the round is void: every stake comes back"
        if line.because in _PLAIN:
            return _PLAIN[line.because]
        if line.because == "limit":
            parts = self.settled.plan.parts
            limit = next(one.limit for one in parts if one.limit and line.wager in one.spots)
            return f"cut by {limit.clause} to the payout limit of the hand"
        if line.because == "envy":
            return f"seat {line.from_seat} holds {_one(self._name(line))}"
        if line.because in ("row", "unlisted"):
            return self._by_table(line)
        return self._showdown(line)

    def row(self, line: Line) -> tuple[str, int] | None:
        """Return the paytable and row that paid a line, or None."""
        if self.settled is None or line.because != "row":
            return None
        table, hand = self._judged(line)
        row = row_for(table, hand, line.stake)
        family = next(name for name, one in self.round.rules.paytables.items() if one is table)
        return (family, table.rows.index(row)) if row else None

    def _showdown(self, line: Line) -> str:
        settled = self.settled
        if settled is None or settled.bank is None:
            return ""
        bank, label = settled.bank, self.round.rules.bank.label
        hand = settled.hand(self.round.boxes[line.seat], (SEAT,))
        does = self._does(line)
        match line.because:
            case "unopposed":
                return f"{label} does not qualify ({bank.short}): {does}"
            case "higher":
                return f"{hand.words} beats {bank.words}: {does}"
            case "lower":
                return f"{bank.words} beats {hand.words}: {does}"
            case _:
                return f"{hand.words} ties: {does}"

    def _does(self, line: Line) -> str:
        """Describe what happened to a stake: 'Ante paid 1 to 1', 'Play returned'."""
        wager = self.round.rules.wagers[line.wager]
        if line.outcome != "win":
            return f"{wager.label} {'returned' if line.outcome == 'push' else 'collected'}"
        odds = Fraction(line.paid, line.stake)
        full = verdict_of(wager.settle, line.because).to
        part = "" if odds == full else f", as far as the money goes ({dollars(line.paid)})"
        return f"{wager.label} paid {number(full or odds)} to 1{part}"

    def _by_table(self, line: Line) -> str:
        table, hand = self._judged(line)
        row = row_for(table, hand, line.stake)
        if row is None:
            least = hand_says(table.rows[-1]) if table.rows else ""
            better = "" if least.endswith("or better") else " or better"
            takes = f"; it takes {_one(least)}{better}" if least else ""
            return f"{hand.words} does not pay{takes}"
        if line.outcome == "push":
            return f"{hand.words} is a push"
        return f"{hand.words} pays {payout_says(table, row)}"

    def _judged(self, line: Line) -> tuple[Paytable, Hand]:
        """Return the paytable of a line, and the hand that it judged."""
        rules = self.round.rules
        family = next(
            judged.paytable
            for part in (rules.wagers, rules.bonuses)
            for name, judged in part.items()
            if line.wager == name or line.wager in getattr(judged, "spots", ())
        )
        return rules.paytables[family or ""], self._of(line.seat, family or "")

    def _name(self, line: Line) -> str:
        rules = self.round.rules
        family = next(envy.paytable for envy in rules.envies.values() if envy.line == line.wager)
        return self._of(line.from_seat or 0, family).words

    def _of(self, seat: int, family: str) -> Hand:
        settled = self.settled
        table = self.round.rules.paytables[family]
        if settled is None:
            raise ValueError("a void round judges no hand")
        return settled.hand(self.round.boxes[seat], table.of)
