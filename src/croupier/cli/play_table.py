"""The table of `croupier play`: the dealer's and the computer's part, without any output.

Randomness and clocks enter here and nowhere below. The cards are virtual: the program shuffles and
cuts them as the book requires, and the deck's order is fixed before bets close.
"""

import random
import time
from collections.abc import Iterator

from croupier.cards import DECK, Card
from croupier.errors import Refused, UserError
from croupier.round import bots
from croupier.round.bets import check_bet, fees, opening_stakes
from croupier.round.commands import Bet, CloseBets, Deal, TakeDown
from croupier.round.file import Played
from croupier.round.play import Play
from croupier.round.state import Box, Round
from croupier.rules.table_rules import TableRules
from croupier.table import commands as at_table
from croupier.table.dealer import chore
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import CutMade, Shuffled
from croupier.table.evolve import evolve as evolve_table
from croupier.table.rounds import end_of
from croupier.table.state import bank_order, cut, new_table

YOU = "you"


class Room:
    """A table where the player has the last seat and the computer all others."""

    def __init__(self, rules: TableRules, rng: random.Random, seat: int) -> None:
        self.rules = rules
        self.rng = rng
        self.seat = seat
        self.table = new_table(rules)
        self.stacks: dict[int, tuple[Card, ...]] = {}
        self.started = 0
        self.play = Play(Round(rules), {})
        for other in range(1, seat):
            self.do(at_table.Join(other, _name(other)))
        self.do(at_table.Join(seat, YOU))

    def do(self, command: at_table.Command) -> None:
        """Run a command at the table, outside of the round."""
        for event in decide_at_table(self.table, command):
            self.table = evolve_table(self.table, event)
            match event:
                case Shuffled(deck=deck):
                    self.stacks[deck] = self._shuffled()
                case CutMade(deck=deck, depth=int(depth)):
                    self.stacks[deck] = cut(self.stacks[deck], depth)

    @property
    def round(self) -> Round:
        return self.play.round

    # ------------------------------------------------------------ the dealer's part

    def start(self) -> None:
        """Start a round and open it for bets."""
        self._get_ready()
        self.started += 1
        self.do(at_table.StartRound(str(self.started), _now()))
        self.play = Play(Round(self.rules), {})
        self.play.do(*self.table.opening())
        self._others_bet()

    def deal(self) -> None:
        """Close the bets with a deck ready, and deal it."""
        self._get_ready()
        deck = self.table.round.deck if self.table.round else 0
        if self.rules.deck.shuffle is None:  # The book doesn't require it, but a dealer shuffles.
            self.stacks[deck] = self._shuffled()
        self.play.faces = dict(enumerate(self.stacks[deck]))
        self.play.do(CloseBets())
        self.do(at_table.DealFirstCard(_now()))
        self.play.do(Deal())

    def settle(self) -> Played:
        """Settle the round and record it at the table."""
        self.play.settle()
        self.do(end_of(self.round, self.play.events))
        return Played(self.round, tuple(self.play.events), self.round.faces)

    def _get_ready(self) -> None:
        """Shuffle the deck, and cut it where the book does."""
        least = self.rules.deck.cut.cards_min if self.rules.deck.cut else 1
        depth = self.rng.randint(least, self.rules.deck.cards - least)
        while next := chore(self.table, depth):
            self.do(next)

    def _shuffled(self) -> tuple[Card, ...]:
        cards = list(DECK)
        self.rng.shuffle(cards)
        return tuple(cards)

    # ------------------------------------------------------------ the computer's part

    def _others_bet(self) -> None:
        banker = self.round.banker
        for seat in range(1, self.seat):
            if banker and banker.seat == seat:
                continue
            for wager, cents in bots.bets(self.rules).items():
                self.play.do(Bet(seat, _name(seat), wager, cents, self.rules.hand_at(seat)))

    def sit_out(self, seat: int) -> None:
        """Remove all bets of a seat."""
        for wager in opening_stakes(self.rules, self.round.boxes[seat]):
            self.play.do(TakeDown(seat, wager))

    def choice(self, seat: int) -> str:
        """Return the computer's choice at a seat."""
        return bots.choose(self.round, seat, self.play.known_to(seat))

    def banker_due(self) -> int | None:
        """Return the seat whose turn it is to bank, after the computer's seats have had theirs."""
        while self.rules.banked_by == "player" and self.table.banker is None:
            turn = bank_order(self.table)[0]
            if turn == self.seat:
                return turn
            self.do(at_table.TakeBank(turn, bots.FUNDS))
        return None

    # ------------------------------------------------------------ the player's part

    @property
    def box(self) -> Box | None:
        return self.round.boxes.get(self.seat)

    @property
    def banks(self) -> bool:
        """Whether the player banks this round."""
        return self.round.banker is not None and self.round.banker.seat == self.seat

    @property
    def bets(self) -> dict[str, int]:
        """The player's wagers, with the size of one stake of each."""
        return opening_stakes(self.rules, self.box) if self.box else {}

    @property
    def staked(self) -> int:
        """The player's money on the layout that wasn't taken back."""
        stakes = self.box.stakes.values() if self.box else ()
        return sum(stake.cents for stake in stakes if stake.fate != "take back")

    def wagers(self) -> Iterator[str]:
        """Yield the wagers that the player may make now, one at a time as others are made."""
        names = [n for n, w in self.rules.wagers.items() if w.placed == "before the deal"]
        open = [name for name in names if self.closed(name) is None]
        for i, name in enumerate(open):
            there = {*self.bets, *open[i + 1 :]}
            needed = (set(c.needs) for c in self.rules.wagers[name].conditions if c.needs)
            if name in self.bets or all(needs & there for needs in needed):
                yield name

    def closed(self, name: str) -> Refused | None:
        """Return why a wager can't be made at this table at all, whatever its size."""
        sizes, limits = self.rules.wagers[name].sizes, self.rules.limits.get(name)
        try:
            check_bet(self.rules, name, sizes.of[0] if sizes else limits.min if limits else 1)
        except Refused as refused:
            return None if refused.code == "by_decision" else refused
        return None

    @property
    def charge(self) -> int:
        """What the house charges the player for the bets on the layout."""
        rake = self.rules.rake
        raked = rake.amount if rake and rake.payer != "designated_player" and self.box else 0
        return fees(self.round).get(self.seat, 0) + raked

    @property
    def bank_charge(self) -> int:
        """What the house charges a player who banks."""
        fee, rake = self.rules.fee, self.rules.rake
        raked = rake.amount if rake and rake.payer != "players" else 0
        return (fee.banker if fee else 0) + raked


def seat_of(error: UserError) -> int | None:
    """Return the seat that a refusal is about."""
    seat = (error.field or "").removeprefix("seat ").split(".")[0]
    return int(seat) if seat.isdigit() else None


def _name(seat: int) -> str:
    return f"computer {seat}"


def _now() -> at_table.Time:
    return at_table.Time(int(time.time()), int(time.monotonic()))
