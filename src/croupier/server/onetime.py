"""Tokens that are good once and not for long. They live in memory; of a token only its digest."""

import time
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from typing import Generic, NamedTuple, TypeVar

TOKEN_BYTES = 32

T = TypeVar("T")


def new_token() -> str:
    """Return a secret that nobody can guess."""
    return token_urlsafe(TOKEN_BYTES)


def digest(token: str) -> bytes:
    """Return what is kept of a token: it cannot be turned back, and is no use to who reads it."""
    return sha256(token.encode("utf-8", "replace")).digest()


class Held(NamedTuple, Generic[T]):
    value: T
    ends: float


class OneTime(Generic[T]):
    """Gives a token for something, and that something once for the token."""

    def __init__(
        self, *, lasts_s: float, held_max: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lasts_s, self._held_max, self._clock = lasts_s, held_max, clock
        self._held: dict[bytes, Held[T]] = {}  # The oldest first.

    def give(self, value: T) -> str:
        """Return a token for something; where too many are out, the oldest is good no more."""
        token, now = new_token(), self._clock()
        for old in [key for key, held in self._held.items() if held.ends <= now]:
            del self._held[old]
        while len(self._held) >= self._held_max:
            del self._held[next(iter(self._held))]
        self._held[digest(token)] = Held(value, now + self._lasts_s)
        return token

    def take(self, token: str) -> T | None:
        """Return what a token was given for, the first time and before it ends."""
        held = self._held.pop(digest(token), None)
        return held.value if held is not None and self._clock() < held.ends else None

    def drop(self, which: Callable[[T], bool]) -> None:
        """Make the tokens for some things good no more."""
        self._held = {key: held for key, held in self._held.items() if not which(held.value)}
