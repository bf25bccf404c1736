"""Quotas: how many commands one person and one address may have stored, a minute and a day.

A command takes about 1.5 kB of the ledger. Within the rate of messages alone, one socket could
write 2.6 GB a day. Processes count for themselves, so with several of them a person who goes from
one to the other may write more, by as many times as there are processes.
"""

import time
from typing import NamedTuple

from croupier.server.limits import Bucket, Buckets, Clock, Rate, TooMany, neighbourhood

DAY_S, MINUTE_S = 86_400, 60


class Quota(NamedTuple):
    """How many commands are allowed."""

    minute: int
    day: int


PERSON, ADDRESS = Quota(120, 20_000), Quota(1_200, 200_000)
"""About 30 MB of ledger a day for a person, and 300 MB for an address, which many may share."""


class Share(NamedTuple):
    """One of the buckets that a command is taken from, and what it allows."""

    bucket: Bucket
    says: str


class Allowance:
    """What one person may still write from one address."""

    def __init__(self, shares: list[Share]) -> None:
        self._shares = shares

    def take(self) -> None:
        """Count a command, or refuse it."""
        for bucket, says in self._shares:
            if not bucket.take():
                wait_s = bucket.wait_s()
                message = f"{says}; try again in {int(wait_s) + 1} seconds"
                raise TooMany("quota", message, wait_s=wait_s)


class Quotas:
    """The quotas of a server, counted by person and by address."""

    def __init__(
        self, person: Quota = PERSON, address: Quota = ADDRESS, *, clock: Clock = time.monotonic
    ) -> None:
        self._of = [
            (whose, _said(whose, most, per), Buckets(Rate(most / seconds, most), clock=clock))
            for whose, quota in (("account", person), ("address", address))
            for most, per, seconds in (
                (quota.minute, "minute", MINUTE_S),
                (quota.day, "day", DAY_S),
            )
        ]

    def allowance(self, person: str, address: str) -> Allowance:
        """Return what a person may write from an address; without a person, the address alone."""
        keys = {"account": person, "address": neighbourhood(address)}
        return Allowance(
            [Share(buckets[keys[whose]], says) for whose, says, buckets in self._of if keys[whose]]
        )


def _said(whose: str, most: int, per: str) -> str:
    return f"your {whose} may send {most:,} command{'' if most == 1 else 's'} a {per}"
