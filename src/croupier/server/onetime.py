"""One-time tokens that expire soon. They live in memory, and only as digests."""

import time
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from typing import NamedTuple

from croupier.recent import Recent

TOKEN_BYTES = 32


def new_token() -> str:
    return token_urlsafe(TOKEN_BYTES)


def digest(token: str) -> bytes:
    """Return a token's digest, which is all that is stored; it doesn't reveal the token."""
    return sha256(token.encode("utf-8", "replace")).digest()


class Held(NamedTuple):
    value: str
    ends: float


class OneTime:
    """Hands out tokens for values; each token returns its value once."""

    def __init__(
        self, *, lasts_s: float, held_max: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lasts_s, self.clock = lasts_s, clock
        self._held: Recent[bytes, Held] = Recent(held_max)

    def give(self, value: str) -> str:
        """Return a token for a value; if too many are out, the oldest becomes invalid."""
        token, now = new_token(), self.clock()
        self._held.drop(lambda held: held.ends <= now)
        self._held[digest(token)] = Held(value, now + self._lasts_s)
        return token

    def take(self, token: str) -> str | None:
        """Return the value of a token, the first time and before it expires."""
        held = self._held.pop(digest(token))
        return held.value if held is not None and self.clock() < held.ends else None

    def drop(self, which: Callable[[str], bool]) -> None:
        """Invalidate the tokens of matching values."""
        self._held.drop(lambda held: which(held.value))
