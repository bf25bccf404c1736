"""The automatic dealer, which asks its table for each act as any client does.

The table wakes it when it waits for something new. The dealer lets the time pass and asks for the
next act. Each ask names the wait that it belongs to, and is refused if a player was quicker.
"""

import asyncio
import contextlib
from functools import partial
from typing import assert_never

from croupier.errors import Bug, Refused
from croupier.fairness.commitment import Committed
from croupier.house import dealer, players
from croupier.house.clock import Wait
from croupier.house.log import log, log_crash
from croupier.house.standing import Act, staked_meters
from croupier.house.table import Table
from croupier.house.turn import OVERTAKEN, Perform
from croupier.ledger.store import NOT_ENOUGH, Unavailable
from croupier.table.commands import PassBank

RETRY_S = 1.0
AWAY_ROUNDS_MAX = 3
"""A player who has been away for more rounds than this in a row gives up the seat."""


class AutomaticDealer:
    """Deals round after round at one table."""

    def __init__(self, table: Table) -> None:
        self.table, self.books = table, table.books
        self._away: dict[int, int] = {}
        """For how many rounds the player at a seat has been away."""
        self._changed = asyncio.Event()
        table.on_wait = self.wake

    def wake(self) -> None:
        """Look at the clock again."""
        self._changed.set()

    async def run(self) -> None:
        """Deal until cancelled."""
        while True:
            try:
                await self._wait_and_do()
            except asyncio.CancelledError:
                raise
            except Refused as error:
                if error.code != OVERTAKEN:
                    log("dealer_waits", table=self.table.id, code=error.code)
                    await asyncio.sleep(RETRY_S)
            except Unavailable:
                await asyncio.sleep(RETRY_S)  # Nothing was stored, so nothing happened.
            except Exception as error:
                log_crash(error, table=self.table.id)
                await asyncio.sleep(RETRY_S)

    async def _wait_and_do(self) -> None:
        """Wait for the next step, and take it unless the table has moved on meanwhile."""
        self._changed.clear()
        due_ms = self.table.notes.clock.due_ms
        left_s = None if due_ms is None else (due_ms - self.books.clocks.wait_ms()) / 1000
        if left_s is None or left_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
                    return
        await self.do_next()

    async def do_next(self) -> Wait | None:
        """Take the step that the table waits for at once, and return it."""
        wait = self.table.notes.clock.wait
        if wait is not None:
            await self._do(wait)
        return wait

    async def _do(self, wait: Wait) -> None:
        seat = wait.seat or 0
        match wait.does:
            case "open":
                await self._open(wait)
            case "deal":
                await self._deal(wait)
            case "cut":
                await self._cut(wait)
            case "show":
                await self.table.act(partial(dealer.show, committed=self._deck()), wait=wait)
            case "choose":
                await self._choose(wait, seat)
            case "settle":
                await self._settle(wait)
            case "pass":
                await self.table.act(lambda act: act.at_table(PassBank(seat)), wait=wait)
            case _:
                assert_never(wait.does)

    async def _open(self, wait: Wait) -> None:
        table, books = self.table, self.books
        if await table.set_rules():
            return
        await self._clear_away()
        id = table.next_round

        def open_round(act: Act) -> None:
            time = books.clocks.time()
            dealer.open_round(act, id, time=time, meters=table.meters(), chance=books.chance)

        try:
            await table.act(open_round, wait=wait)
        except Refused as refused:
            banker = table.place.standing.table.banker
            if refused.code != NOT_ENOUGH or banker is None:
                raise
            # The banker's funds went elsewhere meanwhile: the next player may bank.
            await table.act(lambda act: act.at_table(PassBank(banker.seat)))

    async def _clear_away(self) -> None:
        """Free the seats of players who have been away for several rounds."""
        present = self.table.notes.company.present
        for seat, player in sorted(self.table.place.standing.table.seats.items()):
            self._away[seat] = 0 if player in present else self._away.get(seat, 0) + 1
            if self._away[seat] > AWAY_ROUNDS_MAX:
                del self._away[seat]
                await self.table.act(partial(players.clear, seat=seat, player=player))

    async def _deal(self, wait: Wait) -> None:
        """Close betting and deal; bets that can't stand go back to their players first."""
        time = self.books.clocks.time()
        close: Perform = partial(dealer.close, committed=self._deck(), time=time)
        try:
            await self.table.act(close, wait=wait)
        except Refused as refused:
            if refused.code == OVERTAKEN:
                raise
            await self.table.act(partial(players.put_right, refused=refused))

    async def _cut(self, wait: Wait) -> None:
        """Cut the deck by the contributions that were revealed, and deal."""
        deal: Perform = partial(dealer.deal, committed=self._deck(), time=self.books.clocks.time())
        try:
            await self.table.act(deal, wait=wait)
        except Refused as refused:
            if refused.code == OVERTAKEN:
                raise
            # Bets have closed, so nobody can take theirs back.
            why = f"the cards could not be dealt: {refused.message}"
            call_off = partial(dealer.call_off, cause="interrupted", because=why)
            await self.table.act(call_off, wait=wait)

    async def _choose(self, wait: Wait, seat: int) -> None:
        """Choose for a player by the posted rule, or fold for one who can't cover the wager."""
        choose = partial(dealer.choose_for, seat=seat, committed=self._deck())
        try:
            await self.table.act(partial(choose, rich=True), wait=wait)
        except Refused as refused:
            if refused.code != NOT_ENOUGH:
                raise
            await self.table.act(partial(choose, rich=False), wait=wait)

    async def _settle(self, wait: Wait) -> None:
        """Settle at what the meters show inside the transaction that pays from them."""
        ids = staked_meters(self.table.place.standing)
        names = tuple(self.table.config.meter(id) for id in ids)
        await self.table.act(lambda act: dealer.settle(act, act.readings), meters=names, wait=wait)

    def _deck(self) -> Committed:
        if self.table.deck is None:
            raise Bug(f"the deck of table {self.table.id} is not known")
        return self.table.deck
