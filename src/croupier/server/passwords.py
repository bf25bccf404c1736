"""Password hashes: argon2id, few at a time, and never more than a short queue of them.

A hash takes a core and 19 MiB for some time, so whoever could ask for any number of them could
stop the tables.
"""

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from croupier.errors import Refused
from croupier.server.limits import TooMany
from croupier.server.onetime import new_token

CHARS_MIN, CHARS_MAX = 8, 200
THREADS = 2
UNDER_WAY_MAX = 16
BUSY_S = 2.0

T = TypeVar("T")


def hasher() -> PasswordHasher:
    """Return what makes the hashes: 19 MiB, two passes, one lane."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


class Passwords:
    """Makes and checks password hashes in threads of its own."""

    def __init__(
        self, *, made_by: PasswordHasher | None = None, under_way_max: int = UNDER_WAY_MAX
    ) -> None:
        self._hasher = made_by or hasher()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._places = BoundedSemaphore(under_way_max)
        self._nobodys = self._hasher.hash(new_token())
        self.started = 0
        """How many were begun."""

    async def hash(self, password: str) -> str:
        """Return the hash of a password that somebody wants to have."""
        if not CHARS_MIN <= len(password) <= CHARS_MAX:
            message = f"a password has {CHARS_MIN} to {CHARS_MAX} characters"
            raise Refused("bad_password", message, field="password")
        return await self._run(lambda: self._hasher.hash(_same(password)))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Return whether a password is the right one; that there is none takes as long to say."""
        if len(password) > CHARS_MAX:
            return False

        def verify() -> bool:
            try:
                return self._hasher.verify(hashed or self._nobodys, _same(password))
            except (VerificationError, InvalidHashError):
                return False

        return await self._run(verify) and hashed is not None

    async def _run(self, work: Callable[[], T]) -> T:
        if not self._places.acquire(blocking=False):
            message = "too many passwords are being checked: try again in a moment"
            raise TooMany("busy", message, wait_s=BUSY_S)
        self.started += 1
        future = self._pool.submit(work)
        # Whoever waits may go away: the place is free only when the thread is.
        future.add_done_callback(lambda _: self._places.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _same(password: str) -> str:
    """Return what is hashed: keyboards write the same sign in different ways."""
    return unicodedata.normalize("NFKC", password)
