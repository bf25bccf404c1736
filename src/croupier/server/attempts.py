"""Wrong passwords: counted by name with address, by name and by address, and locked after some.

One process counts in memory. Where several serve one house they count in its database, by its
clock, so that going from one to the other gives nobody more attempts.
"""

from typing import NamedTuple, Protocol

from croupier.ledger.stores.statements import Session
from croupier.recent import Recent
from croupier.server import registry
from croupier.server.limits import Lock, Monotonic, TooMany, Tries, neighbourhood
from croupier.server.onetime import digest

PAIR, ADDRESS = Lock(failures_max=3), Lock(failures_max=10)
"""Wrong passwords for one name from one address, and from one address for any names."""
NAME = Lock(failures_max=100, longest_s=60.0)
"""Wrong passwords for one name from everywhere. Where the name has signed in before, this lock
doesn't apply, or strangers could keep its owner out."""
HOME_S = 30 * 86_400.0
"""How long an address counts as one from which a name has signed in."""
HELD_MAX = 40_000


class Counts(Protocol):
    """The counts so far, by key."""

    def now_s(self) -> float: ...

    def __getitem__(self, key: str) -> Tries: ...

    def __setitem__(self, key: str, tries: Tries) -> None: ...


class InMemory:
    """Counts of one process; those looked at the longest ago are dropped first."""

    def __init__(self, clock: Monotonic) -> None:
        self.now_s = clock
        self._tries: Recent[str, Tries] = Recent(HELD_MAX)

    def __getitem__(self, key: str) -> Tries:
        return self._tries.get_or_make(key, Tries)

    def __setitem__(self, key: str, tries: Tries) -> None:
        self._tries[key] = tries


class InDatabase:
    """Counts of all processes of a house, each row locked until the transaction ends."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def now_s(self) -> float:
        return registry.now_s(self._session)

    def __getitem__(self, key: str) -> Tries:
        return registry.locked_tries(self._session, digest(key))

    def __setitem__(self, key: str, tries: Tries) -> None:
        registry.set_tries(self._session, digest(key), tries)


class TriedKeys(NamedTuple):
    """The keys of an attempt, in the order in which rows are locked."""

    address: str
    home: str
    name: str
    pair: str


def keys_of(looks: str, address: str) -> TriedKeys:
    near = neighbourhood(address)
    pair = f"{looks} {near}"
    return TriedKeys(f"address {near}", f"home {pair}", f"name {looks}", f"pair {pair}")


def count(held: Counts, keys: TriedKeys) -> None:
    """Refuse an attempt that comes too soon after wrong ones, or count it as a failure for now.

    It counts before the outcome is known, so that simultaneous attempts count too.
    """
    now_s = held.now_s()
    address, home, name, pair = (held[key] for key in keys)
    everywhere_s = 0.0 if home.wait_s(now_s) else name.wait_s(now_s)
    wait_s = max(address.wait_s(now_s), everywhere_s, pair.wait_s(now_s))
    if wait_s > 0:
        message = f"too many wrong passwords; wait {int(wait_s) + 1} seconds"
        raise TooMany("locked", message, wait_s=wait_s)
    held[keys.address] = ADDRESS.failed(address, now_s)
    held[keys.name] = NAME.failed(name, now_s)
    held[keys.pair] = PAIR.failed(pair, now_s)


def take_back(held: Counts, keys: TriedKeys) -> None:
    """Take back an attempt whose password wasn't checked."""
    held[keys.address] = ADDRESS.taken_back(held[keys.address])
    held[keys.name] = NAME.taken_back(held[keys.name])
    held[keys.pair] = PAIR.taken_back(held[keys.pair])


def forgive(held: Counts, keys: TriedKeys) -> None:
    """Forget the failures at this address for a person who gave the right password."""
    held[keys.address] = ADDRESS.taken_back(held[keys.address])
    held[keys.home] = Tries(locked_until_s=held.now_s() + HOME_S)
    held[keys.name] = NAME.taken_back(held[keys.name])
    held[keys.pair] = Tries()
