"""What every store does, whichever database it is."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import Answer, Claim, Decide, Finish, Request, View, Work
from croupier.ledger.stores.statements import Session


class Store(Protocol):
    """A database with a ledger in it."""

    is_local: bool
    """Whether a commit waits for nothing but a disk of this machine."""

    def append(self, claim: Claim, work: Work) -> Answer:
        """Append what a command comes to, or return what was answered to it before."""

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        """Lock meters in the order of their ids, read them, decide, and append."""

    def writing(self) -> AbstractContextManager[Session]:
        """Run statements in one transaction, all of it or nothing."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """Read with statements that all see one moment."""

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        """Do what commands come to, each whole or not at all, short of waiting for the disk.

        None means that somebody else writes just now, and nothing was begun.
        """

    def reading(self) -> AbstractContextManager[View]:
        """Look at the ledger as it stands now."""

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint."""

    def backup(self, to: Path) -> None:
        """Write all of the ledger as it stands into a new SQLite file, while others append."""

    def restore(self, source: Path) -> None:
        """Fill an empty ledger from a backup."""

    def check(self) -> None:
        """Raise `Unavailable` if nothing can be stored now, `Lost` if nothing can be ever."""

    def close(self) -> None:
        """Let go of the database."""
