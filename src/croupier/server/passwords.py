"""Password hashes: argon2id, a few at a time, with a short queue.

A hash keeps a core busy and takes 19 MiB, so unlimited requests for hashes could stall the tables.
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
    """Return the hasher: 19 MiB, two passes, one lane."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


class Passwords:
    """Makes and checks password hashes in separate threads."""

    def __init__(
        self, *, made_by: PasswordHasher | None = None, under_way_max: int = UNDER_WAY_MAX
    ) -> None:
        self._hasher = made_by or hasher()
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._places = BoundedSemaphore(under_way_max)
        self._nobodys = self._hasher.hash(new_token())
        self.started = 0
        """How many hashes were begun."""

    async def hash(self, password: str) -> str:
        """Return the hash of a new password."""
        if not CHARS_MIN <= len(password) <= CHARS_MAX:
            message = f"a password has {CHARS_MIN} to {CHARS_MAX} characters"
            raise Refused("bad_password", message, field="password")
        return await self._run(lambda: self._hasher.hash(_same(password)))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Return whether a password is right; a missing account takes as long to reject."""
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
            message = "the server is busy checking passwords; try again in a moment"
            raise TooMany("busy", message, wait_s=BUSY_S)
        self.started += 1
        future = self.pool.submit(work)
        # The caller may be cancelled; the slot is free only once the thread is.
        future.add_done_callback(lambda _: self._places.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)


def _same(password: str) -> str:
    """Return the normalized password: keyboards enter the same character in different ways."""
    return unicodedata.normalize("NFKC", password)
