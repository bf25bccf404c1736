"""What people did, and what tables won; each request reads only what is new."""

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any

from croupier.house.pit import Pit
from croupier.ledger.journal import START, Head
from croupier.ledger.store import Unavailable, View
from croupier.ledger.tape import Proposals, TapeRow, Wanted, tape
from croupier.theory.pricing import Stopped
from croupier.theory.show import tally_json, wins_chart, wins_json
from croupier.theory.wins import By, Wins

KEPT = 20_000
"""How many acts a page can look through; an export reads all of them."""

ANYTHING = Wanted()


class ActsTape:
    """The last acts of the house, in the order of their times."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self._heads: dict[str, Head] = {}
        self._proposals: dict[str, Proposals] = {}
        self._rows: deque[TapeRow] = deque(maxlen=KEPT)
        self._lock = asyncio.Lock()

    async def rows(self, wanted: Wanted = ANYTHING, *, limit: int = KEPT) -> list[TapeRow]:
        """Return the last acts that are wanted, the newest first."""
        async with self._lock:
            new = await self._pit.books.read(self._further)
            self._rows.extend(sorted(new, key=lambda row: (row.time_ms, row.number)))
        found = [row for row in reversed(self._rows) if wanted.has(row)]
        return found[:limit]

    def _further(self, view: View) -> list[TapeRow]:
        """Read new events; streams without any aren't touched."""
        new: list[TapeRow] = []
        for stream, head in view.heads().items():
            known = self._heads.get(stream, START)
            if head.number > known.number:
                rows = view.stream(stream, after=known.number)
                proposals = self._proposals.setdefault(stream, {})
                new += tape(rows, previous=known.hash, proposals=proposals)
                self._heads[stream] = head
        return new


class Winnings:
    """What tables won, beside what the odds expect; computed in a thread."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self.wins = Wins(pit.rules_of)
        self._lock = asyncio.Lock()
        self.running: asyncio.Task[None] | None = None
        self.tables: dict[str, dict[str, Any]] = {}
        """As of the last look, by table."""
        self.whole: dict[str, Any] | None = None
        """All of them together."""

    def look(self) -> dict[str, dict[str, Any]]:
        """Return what the last look found, and look again: pricing new rules takes seconds."""
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._refresh(), name="winnings")
        return self.tables

    async def _refresh(self) -> None:
        async with self._lock:
            with suppress(Stopped):
                self.tables, self.whole = await self._pit.books.read(self._by_table)

    def stop(self) -> None:
        """Break off what is being priced, which can take longer than a server has to close."""
        self.wins.theory.stop()

    def _by_table(self, view: View) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        wins = self.wins
        wins.read(view)
        return {t: tally_json(wins.house(t)) for t in wins.tables}, tally_json(wins.house())

    async def report(self, by: By, table: str | None) -> dict[str, Any]:
        """Return a report up to now, with a chart over time."""
        async with self._lock:
            try:
                return await self._pit.books.read(partial(self._report, by=by, table=table))
            except Stopped:
                raise Unavailable("this server is closing") from None

    def _report(self, view: View, by: By, table: str | None) -> dict[str, Any]:
        self.wins.read(view)
        title = "Win against theory"
        chart = wins_chart(self.wins.over_time(table), title=title)
        return {**wins_json(self.wins, by, table=table), "chart": chart}
