"""The requests and results of ledger stores, for any database.

Everything a command writes is appended in one transaction or not at all. Sending the same command
id again returns the same answer and has no further effect.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from croupier.errors import Code, CroupierError
from croupier.ledger.accounts import Account
from croupier.ledger.acts import Registered
from croupier.ledger.asked import KeptCommand
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.entries import Entry
from croupier.ledger.journal import Head, StoredEvent

# Why a command is refused.
COMMAND_REUSED = Code.COMMAND_REUSED
STREAM_MOVED = Code.STREAM_MOVED
NOT_ENOUGH = Code.NOT_ENOUGH_MONEY
NO_SUCH_METER = Code.NO_SUCH_METER


class Unavailable(CroupierError):
    """Raised when the database doesn't respond and nothing was stored; try again later."""


class Unsure(Unavailable):
    """Raised when the connection broke during a commit, which may or may not have happened."""


class Lost(Unavailable):
    """Raised when another server has the ledger, or part of it is missing: nothing may be added."""


class NotOwner(Unavailable):
    """Raised when another process has the stream now, and nothing was stored; ask there."""


class Claim(NamedTuple):
    """The stream that a command appends to, and the command's identity."""

    command: str
    """The sender's id for the command, the same in every retry."""
    digest: bytes
    """The SHA-256 of the command's body; the same id with another body is refused."""
    stream: str
    expected: Head
    """The stream's head when the command was decided; if it has moved, the command is refused."""


class NewEvent(NamedTuple):
    """A record to be stored, and its entries."""

    data: bytes
    time_ms: int
    subject: str = ""
    entries: tuple[Entry, ...] = ()


class SealedDeck(NamedTuple):
    """The order of a round's cards, unreadable without the master key."""

    round: str
    sealed: bytes


class Work(NamedTuple):
    """Everything a command writes."""

    events: tuple[NewEvent, ...]
    answer: str
    emptied: tuple[Account, ...] = ()
    """The accounts that must then be at zero, such as the layout of a closed round."""
    sealed: tuple[SealedDeck, ...] = ()


class Answer(NamedTuple):
    """The first answer to a command."""

    text: str
    number: int
    """The number of the stream's last event after the command."""
    repeated: bool = False


Decide = Callable[[Mapping[str, int]], Work]
"""Maps the meters' values, in micros, to what a command writes. May be called again, and from
another thread."""


class Request(NamedTuple):
    """A command for a store: its claim, the meters it reads, and the function that decides it."""

    claim: Claim
    meters: Sequence[str]
    decide: Decide


Result = Answer | BaseException
Finish = Callable[[], list[Result]]
"""Waits for the commit and returns the result of each command."""


class Kept(NamedTuple):
    """A snapshot of a table at an event of its journal, so that only later events have to be read.

    It says nothing that doesn't follow from the journal; `verify` recomputes it.
    """

    head: Head
    data: str


class Moment(NamedTuple):
    """A subject of the journal, such as a round, and the time of one of its events."""

    time_ms: int
    subject: str


class View(Protocol):
    """A snapshot of the ledger, unaffected by later commits."""

    def heads(self) -> dict[str, Head]:
        """Return the head of each stream."""

    def stream(self, stream: str, *, after: int = 0) -> Iterator[StoredEvent]:
        """Yield the records of a stream after a number."""

    def about(self, subject: str) -> list[StoredEvent]:
        """Return the records of a round, or those that set certain rules, in order."""

    def posted(self, stream: str, *, after: int = 0) -> Iterator[Posted]:
        """Yield the entries of a stream, in the order of its events."""

    def history(self, account: Account, *, limit: int) -> list[Posted]:
        """Return the last entries of an account, the latest first."""

    def moved_by(self, account: Account, *, before: Moment | None, limit: int) -> list[Moment]:
        """Return the last subjects that moved an account, and when last, the latest first.

        `before` is the last one of the page before, if any.
        """

    def balance(self, account: Account) -> int | None:
        """Return an account's balance in micros; None if it never existed."""

    def balances(self, kind: str = "") -> dict[Account, int]:
        """Return all balances, or those of one kind of account."""

    def held(self, accounts: Collection[Account]) -> dict[Account, int]:
        """Return the balances of those accounts that exist."""

    def rounds_with(self, account: Account) -> list[str]:
        """Return the open rounds that an account has put money into."""

    def answer(self, command: str) -> Answer | None:
        """Return the answer to an earlier command."""

    def sealed(self, round: str) -> bytes | None:
        """Return the sealed deck of a round."""

    def checkpoints(self, *, after: int = 0) -> list[Checkpoint]:
        """Return the checkpoints after a number, in order."""

    def kinds(self) -> dict[Account, str]:
        """Return the kind that each account is kept as."""

    def commands(self) -> Iterator[KeptCommand]:
        """Yield commands stream by stream, in the order of their last events."""

    def decks(self) -> Iterator[tuple[str, bytes]]:
        """Yield the sealed decks, with their rounds."""

    def people(self) -> dict[str, Registered]:
        """Return all people, by id."""

    def house_keys(self) -> tuple[str, str] | None:
        """Return the ids of the keys in force: master and signing."""

    def guards_missing(self) -> list[str]:
        """Return the triggers that are missing or other than the schema has them."""

    def last_checkpoint(self) -> Checkpoint | None:
        """Return the last checkpoint."""

    def kept(self) -> dict[str, Kept]:
        """Return the last snapshot of each table, by its stream."""
