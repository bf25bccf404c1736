"""What is given to a store of the ledger and what it answers, whichever database it is.

All that one command comes to is appended in one transaction, or none of it is. Whoever asks twice
with the same command id gets the same answer, and there is one effect.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from croupier.errors import CroupierError
from croupier.ledger.accounts import Account
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.entries import Entry
from croupier.ledger.journal import Head, Stored

# Why a command is refused.
COMMAND_REUSED = "command_reused"
STREAM_MOVED = "stream_moved"
NOT_ENOUGH = "not_enough_money"
NO_SUCH_METER = "no_such_meter"


class Unavailable(CroupierError):
    """The database does not answer now, and nothing was stored; it may be asked again."""


class Unsure(Unavailable):
    """The connection broke while something was being stored: it may be there or not."""


class Lost(Unavailable):
    """The ledger is not this server's any more, or not all of it is there: nothing may be added."""


class Claim(NamedTuple):
    """What a command wants to append to, and how it is known again."""

    command: str
    """Chosen by whoever sends the command, and sent again with every retry of it."""
    digest: bytes
    """The SHA-256 of the command's body: the same id with another body is refused."""
    stream: str
    expected: Head
    """The stream's head that the command was decided on: with another one it is refused."""


class NewEvent(NamedTuple):
    """A record to be stored, and the entries that follow from it."""

    data: bytes
    time_ms: int
    subject: str = ""
    entries: tuple[Entry, ...] = ()


class SealedDeck(NamedTuple):
    """The order of a round's cards, which nobody can read without the master key."""

    round: str
    sealed: bytes


class Work(NamedTuple):
    """All that a command comes to."""

    events: tuple[NewEvent, ...]
    answer: str
    emptied: tuple[Account, ...] = ()
    """The accounts that must stand at zero afterwards, such as the layout of a closed round."""
    sealed: tuple[SealedDeck, ...] = ()


class Answer(NamedTuple):
    """What was answered to a command, when it came first."""

    text: str
    number: int
    """Of the stream's last event after the command."""
    repeated: bool = False


Decide = Callable[[Mapping[str, int]], Work]
"""From what meters show, in micros, to what a command comes to. It may be called again, and from
another thread."""


class Request(NamedTuple):
    """A command for a store: what it claims, the meters it reads, and what then decides it."""

    claim: Claim
    meters: Sequence[str]
    decide: Decide


Result = Answer | BaseException
Finish = Callable[[], list[Result]]
"""Waits until the disk has what was done, and says of each command what came of it."""


class View(Protocol):
    """The ledger as it stood at one moment, however much is appended meanwhile."""

    def heads(self) -> dict[str, Head]:
        """Return how far each stream has come."""

    def stream(self, stream: str, *, after: int = 0) -> Iterator[Stored]:
        """Yield the records of a stream, those after one of them."""

    def about(self, subject: str) -> list[Stored]:
        """Return the records of a round, or those that set certain rules, in order."""

    def posted(self, stream: str, *, after: int = 0) -> Iterator[Posted]:
        """Yield the entries of a stream, in the order of its events."""

    def history(self, account: Account, *, limit: int) -> list[Posted]:
        """Return the last entries of an account, the latest first."""

    def balance(self, account: Account) -> int | None:
        """Return what an account comes to, in micros; None for one that there never was."""

    def balances(self, kind: str = "") -> dict[Account, int]:
        """Return what all accounts come to, or those of one kind."""

    def answer(self, command: str) -> Answer | None:
        """Return what was answered to a command."""

    def sealed(self, round: str) -> bytes | None:
        """Return the sealed deck of a round."""

    def checkpoints(self) -> list[Checkpoint]:
        """Return all checkpoints, in order."""

    def last_checkpoint(self) -> int:
        """Return the number of the last checkpoint; 0 if there is none."""
