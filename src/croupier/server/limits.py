"""Rate limits: token buckets, and locks that last longer with each failure.

Everything here is bounded: the entries idle the longest are dropped first.
"""

import time
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from croupier.errors import Refused
from croupier.recent import Recent

Monotonic = Callable[[], float]


class TooMany(Refused):
    """Raised when a caller asks too often; they may ask again later."""

    def __init__(self, code: str, message: str, *, wait_s: float) -> None:
        super().__init__(code, message)
        self.wait_s = wait_s


class Rate(NamedTuple):
    """How many tokens a bucket gains a second, and how many it can hold."""

    per_s: float
    burst: float


PARTS = 10
"""Processes that share a bucket tell each other only of use beyond a tenth of its rate and size."""


class Bucket:
    """A token bucket, full at first."""

    __slots__ = ("_clock", "_left", "_then", "rate", "untold", "was_empty")

    def __init__(self, rate: Rate, clock: Monotonic = time.monotonic) -> None:
        self.rate, self._clock = rate, clock
        self._left, self._then = float(rate.burst), clock()
        self.untold = 0.0
        """What was taken beyond a tenth of the rate and isn't reported to the others yet."""
        self.was_empty = False
        """Whether the last take was refused: the first refusal of many is the one to log."""

    def take(self, amount: float = 1) -> bool:
        """Take tokens, if there are enough."""
        now = self._clock()
        came = (now - self._then) * self.rate.per_s
        self._left, self._then = min(self.rate.burst, self._left + came), now
        self.untold = max(0.0, self.untold - came / PARTS)
        self.was_empty = self._left < amount
        if not self.was_empty:
            self._left -= amount
            self.untold += amount
        return not self.was_empty

    def wait_s(self, amount: float = 1) -> float:
        """Return how long until there are enough tokens."""
        return max(0.0, amount - self._left) / self.rate.per_s

    def share(self, left: float) -> None:
        """Leave no more than the house has, less what other processes don't know of yet."""
        self._left = min(self._left, left - self.untold)


HELD_MAX = 10_000


class Buckets:
    """One bucket for each key, such as an address."""

    def __init__(
        self, rate: Rate, *, clock: Monotonic = time.monotonic, held_max: int = HELD_MAX
    ) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: Recent[str, Bucket] = Recent(held_max)

    def __getitem__(self, key: str) -> Bucket:
        return self._buckets.get_or_make(key, lambda: Bucket(self._rate, self._clock))

    def __len__(self) -> int:
        return len(self._buckets)


FIRST_S, FORGOTTEN_S = 5.0, 3_600.0
"""How long the first lock lasts, and after how long failures are forgotten."""


class Tries(NamedTuple):
    """Failures of one key, when the last one was, and until when it is locked."""

    failures: int = 0
    locked_until_s: float = 0.0
    last_s: float = 0.0

    def wait_s(self, now_s: float) -> float:
        return max(0.0, self.locked_until_s - now_s)


class Lock(NamedTuple):
    """Locks a key after some failures, and for longer after each further one."""

    failures_max: int
    longest_s: float = 900.0

    def failed(self, tries: Tries, now_s: float) -> Tries:
        failures = (tries.failures if now_s - tries.last_s <= FORGOTTEN_S else 0) + 1
        more = failures - self.failures_max
        if more < 0:
            return Tries(failures, tries.locked_until_s, now_s)
        lasts_s = min(self.longest_s, FIRST_S * 2.0 ** min(more, 30))
        return Tries(failures, now_s + lasts_s, now_s)

    def taken_back(self, tries: Tries) -> Tries:
        """Return the tries without a failure that was counted too early."""
        failures = max(0, tries.failures - 1)
        until_s = tries.locked_until_s if failures >= self.failures_max else 0.0
        return Tries(failures, until_s, tries.last_s)


def is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed).is_loopback


def neighbourhood(address: str) -> str:
    """Return the unit of counting: one IPv4 address, or the /64 of one IPv6 subscriber."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, 64), strict=False))
