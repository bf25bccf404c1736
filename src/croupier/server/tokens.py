"""The one-time tokens of a house: in memory, or in the database if several processes serve it."""

import asyncio

from croupier.ledger.stores.protocol import Store
from croupier.server import registry
from croupier.server.limits import Monotonic
from croupier.server.onetime import OneTime, digest, new_token


class Tokens:
    """Tokens of one kind; each gives its value back once, in whichever process it is shown."""

    def __init__(
        self, kind: str, store: Store, *, lasts_s: float, held_max: int, clock: Monotonic
    ) -> None:
        self._kind, self._store, self._lasts_s = kind, store, lasts_s
        self.held = OneTime(lasts_s=lasts_s, held_max=held_max, clock=clock)
        """Those in memory: all of them if no other process serves the house."""

    async def give(self, value: str) -> str:
        """Return a token for a value."""
        if not self._store.tenure.is_shared:
            return self.held.give(value)
        return await asyncio.to_thread(self.give_blocking, value)

    def give_blocking(self, value: str) -> str:
        """Return a token for a value, before there is an event loop."""
        if not self._store.tenure.is_shared:
            return self.held.give(value)
        token = new_token()
        with self._store.writing() as rows:
            lasts_s = self._lasts_s
            registry.give_token(rows, digest(token), self._kind, value=value, lasts_s=lasts_s)
        return token

    async def take(self, token: str) -> str | None:
        """Return the value of a token, the first time and before it expires."""
        if not self._store.tenure.is_shared:
            return self.held.take(token)
        return await asyncio.to_thread(self._take_from_database, token)

    def _take_from_database(self, token: str) -> str | None:
        with self._store.writing() as rows:
            return registry.take_token(rows, digest(token), self._kind)
