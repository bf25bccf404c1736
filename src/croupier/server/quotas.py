"""Quotas: how much one person and one address may have stored, a minute and a day.

A command takes about 1.5 kB of the ledger. Within the rate of messages alone, one socket could
write 2.6 GB a day. Processes count for themselves, so with several of them a person who goes from
one to the other may write more, by as many times as there are processes.
"""

import time
from typing import NamedTuple

from croupier.server.attempts import Counts
from croupier.server.limits import Bucket, Buckets, Clock, Rate, TooMany, Tries, neighbourhood

DAY_S, MINUTE_S = 86_400, 60


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


def count_newcomer(held: Counts, address: str) -> None:
    """Count a new guest or account for an address, or refuse it.

    What is held is the time at which the address will have used up nothing.
    """
    key, now_s = f"newcomers {neighbourhood(address)}", held.now_s()
    ends_s = max(held[key].locked_until_s, now_s) + DAY_S / NEWCOMERS
    wait_s = ends_s - now_s - DAY_S
    if wait_s > 1e-3:
        message = f"your address may make {NEWCOMERS} guests and accounts a day"
        raise TooMany("quota", f"{message}; try again in {int(wait_s) + 1} seconds", wait_s=wait_s)
    held[key] = Tries(0, ends_s, now_s)


def _said(whose: str, most: int, per: str) -> str:
    return f"your {whose} may send {most:,} command{'' if most == 1 else 's'} a {per}"
