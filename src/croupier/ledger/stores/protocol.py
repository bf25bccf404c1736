"""The interface of every store."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import Answer, Claim, Decide, Finish, Kept, Request, View, Work
from croupier.ledger.stores.statements import Session
from croupier.ledger.tenure import Tenure


class Store(Protocol):
    """A database with a ledger in it."""

    is_local: bool
    """Whether a commit waits only for a disk of this machine."""
    tenure: Tenure
    """Which streams this process may write."""

    def append(self, claim: Claim, work: Work) -> Answer:
        """Append what a command writes, or return its earlier answer."""

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        """Lock meters in order of id, read them, decide, and append."""

    def writing(self) -> AbstractContextManager[Session]:
        """Run statements in one atomic transaction."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """Read with statements that all see one snapshot."""

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        """Execute commands, each atomically, up to the point of waiting for the disk.

        None means that another writer is active and nothing was begun.
        """

    def reading(self) -> AbstractContextManager[View]:
        """Read a snapshot of the ledger."""

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint."""

    def keep(self, stream: str, kept: Kept) -> None:
        """Store a table's snapshot, unless a later one is stored."""

    def backup(self, to: Path) -> None:
        """Write a snapshot of the whole ledger to a new SQLite file, while others append."""

    def restore(self, source: Path) -> None:
        """Fill an empty ledger from a backup."""

    def check(self) -> None:
        """Raise `Unavailable` if nothing can be stored now, `Lost` if nothing ever can again."""

    def close(self) -> None:
        """Close the database."""
