"""Who may write which stream, as pure decisions.

A house has nodes, the processes that serve it. Each stream (a table, the cage) is leased to one
node at a time, under an epoch that rises whenever it changes hands. Expiry decides who may take it
over; the epoch alone, compared in the transaction that appends, decides who may write.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple, Protocol

TTL_MS = 5_000
"""How long a node lives without renewing its row, by the database's clock."""
RENEWALS = 4
"""How many times a node renews its row within that time."""
CHECKPOINT = "#checkpoint"
"""The lease of the node that signs checkpoints: it is no stream."""
PATIENCE_MS = 3_000
"""How long a free stream waits for its heir before any node takes it."""


class Node(NamedTuple):
    """A process that serves the house."""

    name: str
    address: str
    """Where other nodes reach it."""
    drains: bool = False
    """Whether it hands everything over and takes nothing more."""


class Lease(NamedTuple):
    """Which node has a stream; `node` is '' if none has."""

    stream: str
    node: str
    epoch: int


class Roster(NamedTuple):
    """The nodes that are alive, and all leases, at one moment."""

    nodes: Mapping[str, Node]
    leases: Mapping[str, Lease]

    @property
    def heirs(self) -> list[str]:
        """Return the nodes that streams should belong to."""
        return [node.name for node in self.nodes.values() if not node.drains]

    def owner(self, stream: str) -> Node | None:
        """Return the living node that has a stream."""
        lease = self.leases.get(stream)
        return self.nodes.get(lease.node) if lease else None


EMPTY = Roster({}, {})


def heir(stream: str, nodes: Collection[str]) -> str:
    """Return the node that a stream should belong to: the one with the highest hash.

    Everybody computes the same. If a node comes or goes, only its own streams change hands.
    """
    return max(nodes, key=lambda node: (_rank(node, stream), node))


@lru_cache(10_000)
def _rank(node: str, stream: str) -> bytes:
    return sha256(f"{node} {stream}".encode()).digest()


def is_free(roster: Roster, stream: str) -> bool:
    """Whether no live node has a stream."""
    return roster.owner(stream) is None


def to_claim(
    roster: Roster, me: str, streams: Iterable[str], *, waited: Collection[str] = ()
) -> list[str]:
    """Return the free streams that a node should take: those that it inherits.

    `waited` are the streams that have been free for so long that their heir must be unable to.
    """
    heirs = roster.heirs
    return [
        stream
        for stream in streams
        if me in heirs
        and is_free(roster, stream)
        and (stream in waited or heir(stream, heirs) == me)
    ]


def to_take_back(roster: Roster, me: str, owned: Collection[str]) -> list[str]:
    """Return a node's streams that it doesn't know of, and which no other node can take.

    The answer to a claim may have been cut off, or a stream may have been given up too soon.
    """
    return [s for s, lease in roster.leases.items() if lease.node == me and s not in owned]


def to_lose(roster: Roster, me: str, owned: Mapping[str, int]) -> list[str]:
    """Return the streams that a node wrongly believes it owns, with their epochs.

    Another node took them over, or a standby was promoted, and no request has shown it yet.
    """
    leases = roster.leases
    return [s for s, epoch in owned.items() if leases.get(s) != Lease(s, me, epoch)]


def to_hand_over(roster: Roster, me: str, owned: Iterable[str]) -> list[str]:
    """Return a node's streams that should belong to another node, now that it has joined."""
    heirs = roster.heirs
    return [s for s in owned if heirs and me in roster.nodes and heir(s, heirs) != me]


def may_write(now_ms: int, renewed_ms: int, ttl_ms: int) -> bool:
    """Whether a node may still write, by its own clock and the time of its last renewal.

    It stops at two thirds, long before others may take over.
    """
    return 3 * (now_ms - renewed_ms) < 2 * ttl_ms


class Tenure(Protocol):
    """What a process may write, and which other processes there are. Most methods block."""

    name: str
    """The name of this node, or ''."""
    place: str
    """The name shared by all processes that run in this one's place, one after another; or ''."""
    is_shared: bool
    """Whether other processes may write the same ledger."""
    owned: Mapping[str, int]
    """The epochs of the streams that are this node's."""
    returns: int
    """How often the database came back after it was gone."""
    on_release: Callable[[], None]
    """Called in another thread when a node may have released streams; it may never be called."""

    def may_write(self, stream: str) -> bool:
        """Whether a stream is this node's, as far as it can know at this moment; doesn't block."""

    def has_expired(self) -> bool:
        """Whether others may soon take over whatever is this node's; doesn't block."""

    def roster(self) -> Roster:
        """Return the nodes and the leases as they are now."""

    def claim(self, streams: Collection[str]) -> set[str]:
        """Take streams that are free; return those that are now this node's."""

    def release(self, streams: Collection[str]) -> None:
        """Release streams to other nodes."""

    def drain(self) -> None:
        """Tell all nodes that this one hands everything over."""

    def lose(self, stream: str, epoch: int | None) -> None:
        """Note that a stream was not this node's in an epoch; it may have been claimed since."""

    def take_floor(self, stream: str, person: str, others: Collection[str], most: int) -> int:
        """Return at how many of these other tables a person counts as floorperson.

        If that is less than `most`, count this table too.
        """

    def keep_floors(self, stream: str, persons: Collection[str]) -> None:
        """Count a table for these persons only."""


def other_nodes(tenure: Tenure) -> list[str]:
    """Return the other processes that serve the house now."""
    return sorted(tenure.roster().nodes.keys() - {tenure.name})


class Freehold:
    """The tenure of the only process: it owns everything."""

    name, place, is_shared = "", "", False
    owned: Mapping[str, int] = {}
    returns = 0

    def __init__(self) -> None:
        self.on_release: Callable[[], None] = lambda: None
        self._floors: dict[str, set[str]] = {}

    def may_write(self, stream: str) -> bool:
        return True

    def has_expired(self) -> bool:
        return False

    def roster(self) -> Roster:
        return EMPTY

    def claim(self, streams: Collection[str]) -> set[str]:
        return set(streams)

    def release(self, streams: Collection[str]) -> None:
        pass

    def drain(self) -> None:
        pass

    def lose(self, stream: str, epoch: int | None) -> None:
        pass

    def take_floor(self, stream: str, person: str, others: Collection[str], most: int) -> int:
        taken = sum(person in self._floors.get(other, ()) for other in others)
        if taken < most:
            self._floors.setdefault(stream, set()).add(person)
        return taken

    def keep_floors(self, stream: str, persons: Collection[str]) -> None:
        self._floors[stream] = set(persons)
