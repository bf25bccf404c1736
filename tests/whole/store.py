"""One ledger in memory for all processes of a house, with leases and a fence as on PostgreSQL."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from croupier.ledger import tenure
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import (
    Answer,
    Claim,
    Decide,
    Finish,
    Kept,
    NotOwner,
    Request,
    Result,
    Unavailable,
    Unsure,
    View,
    Work,
)
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Session
from croupier.ledger.tenure import Lease, Node, Roster, Tenure

Fault = Callable[[Collection[str]], str]
"""Decides what happens to a commit of streams: '' for nothing, or 'lost' or 'unheard'."""


class Register:
    """The rows of nodes and leases, by the clock of the database."""

    def __init__(self, time_s: Callable[[], float]) -> None:
        self.time_s = time_s
        self.expires_s: dict[str, float] = {}
        self.leases: dict[str, Lease] = {}
        self.floors = tenure.Freehold()
        self.drains: set[str] = set()

    def roster(self) -> Roster:
        now_s = self.time_s()
        alive = [name for name, ends in self.expires_s.items() if ends >= now_s]
        nodes = {name: Node(name, "", drains=name in self.drains) for name in alive}
        return Roster(nodes, dict(self.leases))

    def renew(self, name: str, *, comes: bool = False) -> bool:
        now_s = self.time_s()
        if not comes and self.expires_s.get(name, -1.0) < now_s:
            self.expires_s.pop(name, None)
            return False
        self.expires_s[name] = now_s + tenure.TTL_MS / 1000
        return True

    def claim(self, name: str, streams: Collection[str]) -> dict[str, int]:
        roster, taken = self.roster(), dict[str, int]()
        for stream in sorted(streams):
            lease = self.leases.get(stream, Lease(stream, "", 0))
            if lease.node == name or lease.node not in roster.nodes:
                self.leases[stream] = Lease(stream, name, lease.epoch + 1)
                taken[stream] = lease.epoch + 1
        return taken


class Tenancy:
    """The tenure of one process."""

    is_shared = True

    def __init__(self, register: Register, name: str) -> None:
        self._register, self._first, self._times = register, name, 0
        self.name, self.place = "", name
        self.owned: Mapping[str, int] = {}
        self.returns = 0
        self.on_release: Callable[[], None] = lambda: None
        """Never called: a hint may be lost, and the next look comes soon."""
        self._renewed_s = 0.0
        self.come()

    def come(self) -> None:
        self._times += 1
        self.name, self.owned = f"{self._first}.{self._times}", {}
        self._renewed_s = self._register.time_s()
        self._register.renew(self.name, comes=True)

    def renew(self) -> None:
        began_s = self._register.time_s()
        if self._register.renew(self.name):
            self._renewed_s = began_s
        else:
            self.come()

    def is_alive(self) -> bool:
        now_ms, then_ms = self._register.time_s() * 1000, self._renewed_s * 1000
        return tenure.may_write(int(now_ms), int(then_ms), tenure.TTL_MS)

    def may_write(self, stream: str) -> bool:
        return stream in self.owned and self.is_alive()

    def has_expired(self) -> bool:
        return not self.is_alive()

    def roster(self) -> Roster:
        return self._register.roster()

    def claim(self, streams: Collection[str]) -> set[str]:
        taken = self._register.claim(self.name, [s for s in streams if s not in self.owned])
        self.owned = {**self.owned, **taken}
        return set(taken)

    def release(self, streams: Collection[str]) -> None:
        for stream in streams:
            lease = self._register.leases.get(stream)
            if lease and lease.node == self.name:
                self._register.leases[stream] = lease._replace(node="")
        self.owned = {s: e for s, e in self.owned.items() if s not in streams}

    def drain(self) -> None:
        self._register.drains.add(self.name)

    def lose(self, stream: str, epoch: int | None) -> None:
        if self.owned.get(stream) == epoch:
            self.owned = {s: e for s, e in self.owned.items() if s != stream}

    def take_floor(self, stream: str, person: str, others: Collection[str], most: int) -> int:
        return self._register.floors.take_floor(stream, person, others, most)

    def keep_floors(self, stream: str, persons: Collection[str]) -> None:
        self._register.floors.keep_floors(stream, persons)


class SharedStore:
    """A process's access to the shared ledger; its leases fence what it writes."""

    is_local = False

    def __init__(
        self,
        inner: Store,
        register: Register,
        tenancy: Tenancy,
        *,
        fault: Fault = lambda _: "",
    ) -> None:
        self.inner, self._register, self._tenancy = inner, register, tenancy
        self.tenure: Tenure = tenancy
        self._fault = fault

    def check(self) -> None:
        if not self._tenancy.is_alive():
            raise Unavailable("the database does not answer")
        self.inner.check()

    def begin_all(self, requests: Sequence[Request]) -> Finish:
        return partial(self.settle_all, requests, self.tenure.name, dict(self.tenure.owned))

    def settle_all(
        self, requests: Sequence[Request], name: str, owned: Mapping[str, int]
    ) -> list[Result]:
        self.check()
        fault = self._fault([request.claim.stream for request in requests])
        if fault == "lost":
            raise Unsure("the connection broke before the commit")
        ours = [r for r in requests if self._is_ours(r.claim.stream, name, owned)]
        results = iter(self._commit(ours) if ours else ())
        if fault == "unheard":
            raise Unsure("the connection broke after the commit")
        mine = {id(request) for request in ours}
        return [
            next(results) if id(request) in mine else NotOwner("another server has it")
            for request in requests
        ]

    def _commit(self, requests: Sequence[Request]) -> list[Result]:
        while (finish := self.inner.begin_all(requests)) is None:
            pass
        return finish()

    def _is_ours(self, stream: str, name: str, owned: Mapping[str, int]) -> bool:
        lease = self._register.leases.get(stream)
        if lease is None and stream not in owned:
            return True
        return lease == Lease(stream, name, owned.get(stream, 0))

    def append(self, claim: Claim, work: Work) -> Answer:
        return self.settle(claim, (), lambda _: work)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        self.check()
        if not self._is_ours(claim.stream, self.tenure.name, self.tenure.owned):
            raise NotOwner("another server has it")
        return self.inner.settle(claim, meters, decide)

    def writing(self) -> AbstractContextManager[Session]:
        return self.inner.writing()

    def snapshot(self) -> AbstractContextManager[Session]:
        return self.inner.snapshot()

    def reading(self) -> AbstractContextManager[View]:
        self.check()
        return self.inner.reading()

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.inner.add_checkpoint(checkpoint)

    def keep(self, stream: str, kept: Kept) -> None:
        self.check()
        self.inner.keep(stream, kept)

    def backup(self, to: Path) -> None:
        self.inner.backup(to)

    def restore(self, source: Path) -> None:
        self.inner.restore(source)

    def close(self) -> None:
        self.inner.close()
