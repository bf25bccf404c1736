"""House players: they fill seats so that players needn't wait for company.

They play by the posted rule, see only what their seats may see, and ask the table like any other
player. They bet only while somebody else is seated or deals; a journal of nothing but house play
helps nobody.
"""

import asyncio
from collections.abc import Callable
from hashlib import sha256

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.gallery.outbox import Viewer
from croupier.house.books import answer_to
from croupier.house.dealer import play_of
from croupier.house.said import Bank, Bet, Choose, PlayerMessage, Ready, Sit
from croupier.house.standing import Standing
from croupier.house.table import Table
from croupier.round import bots
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.table.state import bank_order

PREFIX = "bot-"
THINKS_S = 0.8


class HousePlayer:
    """One seat that the house fills."""

    def __init__(
        self,
        galleries: Galleries,
        table: Table,
        seat: int,
        *,
        stakes: Callable[[TableRules, int], dict[str, int]] = lambda rules, _: bots.bets(rules),
        decides: Callable[[Round, int], str] | None = None,
    ) -> None:
        self.galleries, self.table, self.seat = galleries, table, seat
        self.player = f"{PREFIX}{table.id}-{seat}"
        self.name = f"House {seat}"
        self.viewer = Viewer(self.player, self.name)
        self._asked = 0
        self._stakes = stakes
        """What the seat bets."""
        self._decides = decides
        """What the seat decides with real cards, which the program doesn't know."""

    async def run(self) -> None:
        """Sit down and play until cancelled."""
        self.galleries.names[self.player] = self.name
        self.galleries[self.table.id].come(self.viewer)
        while True:
            try:
                await self._play()
            except Refused:
                await asyncio.sleep(THINKS_S)
            await self.viewer.frames()
            await asyncio.sleep(THINKS_S)

    async def _play(self) -> None:
        table = self.table
        if self.seat not in table.place.standing.table.seats:
            await self._ask(Sit("", self.seat, table.seat_code(self.seat)))
        standing = table.place.standing
        if standing.table.seats.get(self.seat) != self.player or not self._has_company():
            return
        round = standing.in_play
        if round is None:
            await self._bank()
        elif round.step and round.step.do == "bets":
            await self._bet()
        elif round.asked[:1] == (self.seat,) and not round.due and not round.todo:
            await self._ask(Choose("", self.seat, self._choice(standing, round)))

    def _choice(self, standing: Standing, round: Round) -> str:
        """Return what the seat decides on the cards that it may see."""
        if self._decides or self.table.deck is None:
            return self._decides(round, self.seat) if self._decides else ""
        known = play_of(standing, self.table.deck).known_to(self.seat)
        return bots.choose(round, self.seat, known)

    def _has_company(self) -> bool:
        """Whether a person plays or deals here."""
        table = self.table.place.standing.table
        return bool(table.crew.dealer) or any(
            not player.startswith(PREFIX) for player in table.seats.values()
        )

    async def _bank(self) -> None:
        standing = self.table.place.standing
        if standing.table.banker is None and bank_order(standing.table)[:1] == (self.seat,):
            await self._fill(2 * bots.FUNDS)
            await self._ask(Bank("", self.seat, bots.FUNDS))

    async def _bet(self) -> None:
        standing = self.table.place.standing
        round = standing.round
        if round is None or self.seat in round.boxes or self.seat in self.table.notes.company.ready:
            return
        if round.banker and round.banker.seat == self.seat:
            return
        hand = standing.table.rules.hand_at(self.seat)
        stakes = self._stakes(standing.table.rules, self.seat)
        await self._fill(4 * sum(stakes.values()))
        for wager, cents in stakes.items():
            await self._ask(Bet("", self.seat, wager, cents, hand))
        await self._ask(Ready("", self.seat))

    async def _fill(self, cents: int) -> None:
        """Get chips from the cage when the purse runs low."""
        if self.table.books.purse_cents(self.player) < cents:
            await self.galleries.pit.cage.fill(self.player, cents)

    async def _ask(self, message: PlayerMessage) -> None:
        """Ask the table for something under a new id."""
        self._asked += 1
        sent = message._replace(id=f"{self.table.number}.{self._asked}")
        digest = sha256(repr(message).encode()).digest()
        await answer_to(lambda reply: self.table.hear(self.player, sent, digest, reply=reply))


def house_players(galleries: Galleries, table: Table) -> list[HousePlayer]:
    """Return the players of the house at a table, from its last seat down."""
    return [
        HousePlayer(galleries, table, seat)
        for seat in range(table.config.seats, table.config.seats - table.config.bots, -1)
    ]
