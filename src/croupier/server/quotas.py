"""Quotas: how much one person and one address may have stored, a minute and a day.

A command takes about 1.5 kB of the ledger. Within the rate of messages alone, one socket could
write 2.6 GB a day. Processes count in memory. Where several serve one house, each tells the others,
through the database, whenever somebody has used up another tenth of a quota there. So few commands
are followed by a write, and nobody exceeds a quota by more than a tenth for each process.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from croupier.ledger.store import Unavailable
from croupier.rules.words import counted
from croupier.server.attempts import Counts
from croupier.server.limits import (
    PARTS,
    Bucket,
    Buckets,
    Monotonic,
    Rate,
    TooMany,
    Tries,
    neighbourhood,
)

DAY_S, MINUTE_S = 86_400, 60


Run = Callable[[Callable[[Counts], None]], Awaitable[None]]
"""Runs something on what the house has counted, in one transaction."""


class Quota(NamedTuple):
    """How many commands are allowed."""

    minute: int
    day: int


PERSON, ADDRESS = Quota(120, 20_000), Quota(1_200, 200_000)
"""About 30 MB of ledger a day for a person, and 300 MB for an address, which many may share."""
NEWCOMERS = 2_000
"""How many guests and accounts an address may make a day, in all processes together. Each brings
chips, a purse and rows that are kept for good."""


class Share(NamedTuple):
    """One of the buckets that a command is taken from, what it allows, and its key."""

    bucket: Bucket
    says: str
    key: str


class Allowance:
    """What one person may still write from one address."""

    def __init__(self, shares: list[Share], used: Callable[[Share], None]) -> None:
        self._shares, self._used = shares, used

    def take(self) -> None:
        """Count a command, or refuse it."""
        for share in self._shares:
            if not share.bucket.take():
                wait_s = share.bucket.wait_s()
                message = f"{share.says}; try again in {int(wait_s) + 1} seconds"
                raise TooMany("quota", message, wait_s=wait_s)
            if share.bucket.untold * PARTS >= share.bucket.rate.burst:
                self._used(share)


class Quotas:
    """The quotas of a server, counted by person and by address.

    With `share`, which runs something on the counts of the whole house, they are the house's.
    """

    def __init__(
        self, person: Quota = PERSON, address: Quota = ADDRESS, *, clock: Monotonic = time.monotonic
    ) -> None:
        self.share: Run | None = None
        self._used: dict[str, Bucket] = {}
        """Buckets of which the house has to be told."""
        self._telling: asyncio.Task[None] | None = None
        self._of = [
            (whose, per, _said(whose, most, per), Buckets(Rate(most / seconds, most), clock=clock))
            for whose, quota in (("account", person), ("address", address))
            for most, per, seconds in (
                (quota.minute, "minute", MINUTE_S),
                (quota.day, "day", DAY_S),
            )
        ]

    def allowance(self, person: str, address: str) -> Allowance:
        """Return what a person may write from an address; without a person, the address alone."""
        keys = {"account": person, "address": neighbourhood(address)}
        shares = [
            Share(buckets[keys[whose]], says, f"{whose} {per} {keys[whose]}")
            for whose, per, says, buckets in self._of
            if keys[whose]
        ]
        return Allowance(shares, self._note)

    def _note(self, used: Share) -> None:
        if self.share is not None:
            self._used[used.key] = used.bucket
            if self._telling is None or self._telling.done():
                self._telling = asyncio.create_task(self._tell(self.share), name="quotas")

    async def _tell(self, share: Run) -> None:
        """Report the use in this process, and learn what is left in the house."""
        while self._used:
            used, self._used = self._used, {}
            told = {key: bucket.untold for key, bucket in used.items()}
            try:
                until_s = await _shared(
                    share, {key: told[key] / bucket.rate.per_s for key, bucket in used.items()}
                )
            except Unavailable:
                return  # Nothing is stored meanwhile, either.
            for key, bucket in used.items():
                bucket.untold -= told[key]
                bucket.share(bucket.rate.burst - until_s[key] * bucket.rate.per_s)


async def _shared(share: Run, lasts_s: Mapping[str, float]) -> dict[str, float]:
    until_s: dict[str, float] = {}
    await share(lambda held: until_s.update(_added(held, lasts_s)))
    return until_s


def _added(held: Counts, lasts_s: Mapping[str, float]) -> dict[str, float]:
    """Add to the time for which each key has used up its quota, and return the new times.

    The count holds the moment at which a quota will be whole again.
    """
    now_s = held.now_s()
    keys = sorted(lasts_s)  # All processes lock rows in this order.
    found = {key: max(held[key].locked_until_s - now_s, 0.0) + lasts_s[key] for key in keys}
    for key, until_s in found.items():
        held[key] = Tries(0, now_s + until_s, now_s)
    return found


def count_newcomer(held: Counts, address: str) -> None:
    """Count a new guest or account for an address, or refuse it.

    The count holds the moment at which the address's quota will be whole again.
    """
    key, now_s = f"newcomers {neighbourhood(address)}", held.now_s()
    ends_s = max(held[key].locked_until_s, now_s) + DAY_S / NEWCOMERS
    wait_s = ends_s - now_s - DAY_S
    if wait_s > 1e-3:
        message = f"your address may make {NEWCOMERS} guests and accounts a day"
        raise TooMany("quota", f"{message}; try again in {int(wait_s) + 1} seconds", wait_s=wait_s)
    held[key] = Tries(0, ends_s, now_s)


def _said(whose: str, most: int, per: str) -> str:
    return f"your {whose} may send {counted(most, 'command')} a {per}"
