"""What players and those who work at a table say to it: messages, each with its sender's id.

The same id with the same body is the same command, however often it is sent.
"""

from collections.abc import Mapping
from typing import NamedTuple

from croupier.round.state import NOTHING
from croupier.table.commands import Of
from croupier.table.crew import Post


class Sit(NamedTuple):
    """Take a seat."""

    id: str
    seat: int
    code: str = ""
    """The code on the felt, where the cards are real."""


class Leave(NamedTuple):
    """Give a seat up."""

    id: str
    seat: int


class Bet(NamedTuple):
    """Make a wager, or change its size; or make several at once, all or none of them."""

    id: str
    seat: int
    wager: str = ""
    cents: int = 0
    hand: int | None = None
    wagers: Mapping[str, int] = NOTHING
    """Cents by wager, instead of one wager and its cents."""


class TakeDown(NamedTuple):
    """Take a wager back before bets close."""

    id: str
    seat: int
    wager: str


class Ready(NamedTuple):
    """Say that betting is done at a seat."""

    id: str
    seat: int


class Choose(NamedTuple):
    """Take a decision."""

    id: str
    seat: int
    option: str


class Bank(NamedTuple):
    """Take the bank of the next round and put up funds."""

    id: str
    seat: int
    funds: int


class Pass(NamedTuple):
    """Pass the turn to bank."""

    id: str
    seat: int


class Contribute(NamedTuple):
    """Commit to a contribution to the cut of a round, by its hash."""

    id: str
    round: str
    hash: str


class Reveal(NamedTuple):
    """Reveal the contribution after bets have closed."""

    id: str
    round: str
    value: str


class MoreTime(NamedTuple):
    """Ask for more time to decide, at a practice table."""

    id: str


class Ping(NamedTuple):
    """Check that the server is there."""

    id: str


class TapIn(NamedTuple):
    """Take a post at a table with a dealer."""

    id: str
    post: Post


class TapOut(NamedTuple):
    """Leave a post."""

    id: str


class Do(NamedTuple):
    """Give a command of the round or the table, as plain data with its type."""

    id: str
    of: Of
    command: Mapping[str, object]


class DoAll(NamedTuple):
    """Give several commands of the round at once, all or none: a shortcut of the desk."""

    id: str
    commands: tuple[Mapping[str, object], ...]


class Propose(NamedTuple):
    """Propose a command that a second person has to approve."""

    id: str
    of: Of
    command: Mapping[str, object]
    why: str = ""


class Approve(NamedTuple):
    """Approve a proposal; `again` is the token for the password given again."""

    id: str
    proposal: str
    again: str = ""


class Withdraw(NamedTuple):
    """Take back your own proposal."""

    id: str
    proposal: str


class Decline(NamedTuple):
    """Refuse to approve a proposal."""

    id: str
    proposal: str
    why: str = ""


class Preview(NamedTuple):
    """Ask what a command would do, without doing it."""

    id: str
    of: Of
    command: Mapping[str, object]


class CallFloor(NamedTuple):
    """Call the floor to the table, or end the call."""

    id: str
    on: bool = True


StaffCommand = TapIn | TapOut | Do | DoAll | Propose | Approve | Withdraw | Decline
"""Messages of people who work at a table."""
Command = Sit | Leave | Bet | TakeDown | Choose | Bank | Pass | Contribute | Reveal
"""Messages that lead to events."""
PlayerMessage = Command | Ready | MoreTime | Ping
"""Messages of players."""
Message = PlayerMessage | StaffCommand | CallFloor | Preview
