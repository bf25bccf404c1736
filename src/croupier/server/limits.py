"""How often is too often: buckets of tokens, and locks that last longer with each failure.

Everything here is bounded: what has been quiet for longest is forgotten first.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Generic, NamedTuple, TypeVar

from croupier.errors import Refused

Clock = Callable[[], float]
V = TypeVar("V")


class TooMany(Refused):
    """Somebody asks too often, and may ask again after a while."""

    def __init__(self, code: str, message: str, *, wait_s: float) -> None:
        super().__init__(code, message)
        self.wait_s = wait_s


class Rate(NamedTuple):
    """How much a bucket gets a second, and how much it can hold."""

    per_s: float
    burst: float


class Bucket:
    """Full at first; what is taken comes back at a steady rate."""

    __slots__ = ("_clock", "_left", "_rate", "_then", "was_empty")

    def __init__(self, rate: Rate, clock: Clock = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left, self._then = float(rate.burst), clock()
        self.was_empty = False
        """Whether the last one was refused: the first refusal of many is the one to log."""

    def take(self, amount: float = 1) -> bool:
        """Take something out, if there is as much."""
        now = self._clock()
        came = (now - self._then) * self._rate.per_s
        self._left, self._then = min(self._rate.burst, self._left + came), now
        self.was_empty = self._left < amount
        if not self.was_empty:
            self._left -= amount
        return not self.was_empty

    def wait_s(self, amount: float = 1) -> float:
        """Return after how long there will be as much."""
        return max(0.0, amount - self._left) / self._rate.per_s


class Recent(Generic[V]):
    """Values by key, for the keys that were asked for most recently."""

    def __init__(self, make: Callable[[], V], held_max: int) -> None:
        self._make, self._held_max = make, held_max
        self._values: dict[str, V] = {}  # The one that was asked for last comes last.

    def __getitem__(self, key: str) -> V:
        value = self._values.pop(key) if key in self._values else self._make()
        self._values[key] = value
        if len(self._values) > self._held_max:
            del self._values[next(iter(self._values))]
        return value

    def __len__(self) -> int:
        return len(self._values)


HELD_MAX = 10_000


class Buckets:
    """One bucket for each key, such as an address."""

    def __init__(
        self, rate: Rate, *, clock: Clock = time.monotonic, held_max: int = HELD_MAX
    ) -> None:
        self._buckets = Recent(lambda: Bucket(rate, clock), held_max)

    def __getitem__(self, key: str) -> Bucket:
        return self._buckets[key]

    def __len__(self) -> int:
        return len(self._buckets)


@dataclass(slots=True)
class Tries:
    failures: int = 0
    locked_until: float = 0.0
    last: float = 0.0


class Locks:
    """Locks a key after some failures, and for longer after each one more."""

    FIRST_S, LONGEST_S, FORGOTTEN_S = 5.0, 900.0, 3_600.0

    def __init__(
        self, failures_max: int, *, clock: Clock = time.monotonic, held_max: int = HELD_MAX
    ) -> None:
        self._failures_max, self._clock = failures_max, clock
        self._tries = Recent(Tries, held_max)

    def wait_s(self, key: str) -> float:
        """Return for how long a key is locked."""
        return max(0.0, self._tries[key].locked_until - self._clock())

    def fail(self, key: str) -> None:
        """Count a failure. It is counted before it is known, so that many at once count too."""
        tries, now = self._tries[key], self._clock()
        if now - tries.last > self.FORGOTTEN_S:
            tries.failures = 0
        tries.failures, tries.last = tries.failures + 1, now
        if (more := tries.failures - self._failures_max) >= 0:
            tries.locked_until = now + min(self.LONGEST_S, self.FIRST_S * 2.0 ** min(more, 30))

    def take_back(self, key: str) -> None:
        """Uncount a failure that was none."""
        tries = self._tries[key]
        tries.failures = max(0, tries.failures - 1)
        if tries.failures < self._failures_max:
            tries.locked_until = 0.0

    def forgive(self, key: str) -> None:
        """Forget all failures of a key."""
        tries = self._tries[key]
        tries.failures, tries.locked_until = 0, 0.0


def is_loopback(address: str) -> bool:
    """Whether somebody asks from the server's own machine."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed).is_loopback


def neighbourhood(address: str) -> str:
    """Return what is counted together: one IPv4 address, or the /64 that one subscriber has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, 64), strict=False))
