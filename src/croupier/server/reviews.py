"""Reviews of a player's last rounds, read from the journal and kept for a while.

A review takes some milliseconds to tens of them, so it is made in a thread, a few players at a
time, and kept. Nothing is kept of a round that is still open.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from fastapi.concurrency import run_in_threadpool

from croupier.errors import Refused, UserError
from croupier.house.pit import Pit
from croupier.ledger.accounts import account
from croupier.ledger.found import FoundRound, round_found
from croupier.ledger.store import Moment, View
from croupier.recent import Recent
from croupier.server.opened import faces_of
from croupier.server.review import Review, review_of

KEPT_MAX = 2_048
AT_ONCE = 2
WAITING_MAX = 16
READ_AT_ONCE = 10


class ReviewPage(NamedTuple):
    """Some of a player's rounds, the latest first, and where the next page begins."""

    reviews: list[Review]
    more: Moment | None


class Reviews:
    """The reviews of a pit's players."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self._kept: Recent[tuple[str, str], Review] = Recent(KEPT_MAX)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def last(
        self, player: str, *, limit: int, before: Moment | None = None, since_ms: int = 0
    ) -> ReviewPage:
        """Return a player's last rounds that are over, a page at a time."""
        if self._waiting >= WAITING_MAX:
            raise Refused("too_many", "too many players look back right now; try again shortly")
        self._waiting += 1
        try:
            async with self._turns:
                return await self._last(player, limit, before=before, since_ms=since_ms)
        finally:
            self._waiting -= 1

    async def _last(
        self, player: str, limit: int, *, before: Moment | None, since_ms: int
    ) -> ReviewPage:
        of = account("player", player)
        moments = await self._pit.books.read(
            lambda view: view.moved_by(of, before=before, limit=limit + 1)
        )
        listed = [moment for moment in moments[:limit] if moment.time_ms >= since_ms]
        ids = [moment.subject for moment in listed]
        await self._learn(player, [id for id in ids if (id, player) not in self._kept])
        keys = [(id, player) for id in ids]
        reviews = [self._kept[key] for key in keys if key in self._kept]
        more = listed[-1] if len(moments) > limit and len(listed) == limit else None
        return ReviewPage(reviews, more)

    async def _learn(self, player: str, ids: Sequence[str]) -> None:
        """Make the reviews that aren't there yet."""
        pit = self._pit

        def read(view: View, *, some: Sequence[str]) -> list[tuple[FoundRound, bytes | None]]:
            found = []
            for id in some:
                try:
                    found.append((round_found(view, id, pit.rules_of), view.sealed(id)))
                except UserError:
                    continue  # Its book has changed since.
            return found

        for start in range(0, len(ids), READ_AT_ONCE):
            some = ids[start : start + READ_AT_ONCE]
            found = await pit.books.read(partial(read, some=some))
            for one, sealed in found:
                review = await run_in_threadpool(self._review, one, sealed, player)
                if review is not None:
                    self._kept[review.round, player] = review

    def _review(self, found: FoundRound, sealed: bytes | None, player: str) -> Review | None:
        """Make a review; the deck is opened only for a round that is over."""
        return review_of(found, faces_of(found, sealed, self._pit.books.unsealed), player)
