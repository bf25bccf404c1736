"""Players of the house, who fill seats so that nobody has to wait for company.

They play by the posted rule, see only what their seats may see, and ask the table for everything
as any other player does. They bet only while somebody else is seated: a journal of nothing but
the house's own play would help nobody.
"""

import asyncio
from hashlib import sha256

from croupier.errors import Refused
from croupier.round import bots
from croupier.round.settle import shared_place
from croupier.server.dealer import known_to
from croupier.server.live import LiveTable
from croupier.server.messages import Bank, Bet, Choose, Message, Ready, Sit
from croupier.server.outbox import Viewer
from croupier.server.pit import Pit
from croupier.table.state import bank_order

PREFIX = "bot-"
THINKS_S = 0.8


class HousePlayer:
    """One seat that the house fills."""

    def __init__(self, pit: Pit, table: LiveTable, seat: int) -> None:
        self.pit, self.table, self.seat = pit, table, seat
        self.player = f"{PREFIX}{table.id}-{seat}"
        self.name = f"House {seat}"
        self.viewer = Viewer(self.player, self.name)
        self._asked = 0

    async def run(self) -> None:
        """Sit down and play, until cancelled."""
        self.table.room.names[self.player] = self.name
        self.table.board.come(self.viewer)
        while True:
            try:
                await self._play()
            except Refused:
                await asyncio.sleep(THINKS_S)
            await self.viewer.frames()
            await asyncio.sleep(THINKS_S)

    async def _play(self) -> None:
        table = self.table
        if self.seat not in table.standing.table.seats:
            await self._ask(Sit("", self.seat))
        if table.standing.table.seats.get(self.seat) != self.player or not self._has_company():
            return
        round = table.standing.in_play
        if round is None:
            await self._bank()
        elif round.step and round.step.do == "bets":
            await self._bet()
        elif round.asked[:1] == (self.seat,) and not round.due and table.committed:
            known = known_to(round, self.seat, table.committed.deck)
            await self._ask(Choose("", self.seat, bots.choose(round, self.seat, known)))

    def _has_company(self) -> bool:
        seats = self.table.standing.table.seats.values()
        return any(not player.startswith(PREFIX) for player in seats)

    async def _bank(self) -> None:
        standing = self.table.standing
        if standing.table.banker is None and bank_order(standing.table)[:1] == (self.seat,):
            await self._fill(2 * bots.FUNDS)
            await self._ask(Bank("", self.seat, bots.FUNDS))

    async def _bet(self) -> None:
        standing = self.table.standing
        round = standing.round
        if round is None or self.seat in round.boxes or self.seat in self.table.ready:
            return
        if round.banker and round.banker.seat == self.seat:
            return
        name = shared_place(standing.rules)
        hand = (self.seat - 1) % standing.rules.places[name].hands + 1 if name else None
        stakes = bots.bets(standing.rules)
        await self._fill(4 * sum(stakes.values()))
        for wager, cents in stakes.items():
            await self._ask(Bet("", self.seat, wager, cents, hand))
        await self._ask(Ready("", self.seat))

    async def _fill(self, cents: int) -> None:
        """Take chips from the cage where a purse runs low."""
        if self.table.room.purse_cents(self.player) < cents:
            await self.pit.fill(self.player, cents)

    async def _ask(self, message: Message) -> None:
        """Ask the table for something, under an id that was never used."""
        self._asked += 1
        id = f"{self.table.scribe.number}.{self._asked}"
        body = repr(message).encode()
        await self.table.handle(self.player, message._replace(id=id), sha256(body).digest())


def house_players(pit: Pit) -> list[HousePlayer]:
    """Return the players of the house, from the last seat of each table down."""
    return [
        HousePlayer(pit, table, seat)
        for table in pit.tables.values()
        for seat in range(table.config.seats, table.config.seats - table.config.bots, -1)
    ]
