"""One socket's conversation: messages in order, each answered before the next is taken."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from croupier.errors import Refused, UserError
from croupier.gallery.frames import encode, refused
from croupier.gallery.galleries import MOVED
from croupier.gallery.outbox import Viewer
from croupier.house import said
from croupier.house.asking import Employee
from croupier.house.log import log, log_crash
from croupier.house.table import Table
from croupier.ledger.found import PastHand
from croupier.ledger.store import NOT_ENOUGH, Answer, NotOwner, Result, Unavailable, Unsure
from croupier.round.codec import to_plain
from croupier.server.limits import Bucket, Rate
from croupier.server.messages import id_in, message_from
from croupier.server.quotas import Allowance
from croupier.server.wire import TOO_MANY, Wire
from croupier.table.commands import Dispute, Mispay, Recall

FLOOD = 200
"""A socket that exceeds its rate this many times is closed."""
READ_AHEAD = 8
"""How many unanswered messages are held before reading from the socket pauses."""
CRASHED = 1011
OF_PAST = (Dispute.__name__, Mispay.__name__, Recall.__name__)
"""The commands that may be about a hand of an earlier round, which is looked up first."""

SPENT = "a player has spent chips that this takes back; wait until they have them again, or"
ADVANCE = (
    "note a dispute, have an adjustment of that player's chips approved that advances what is "
    "missing, and then approve this"
)
EMPTY_PURSE = Refused(NOT_ENOUGH, "you don't have enough chips", field="purse")
TOO_FAST = Refused("too_many", "you are sending messages too fast; slow down")
UNAVAILABLE = Refused("unavailable", "the ledger is unavailable; try again in a moment")
UNSTORED = (said.Ping, said.Ready, said.MoreTime, said.CallFloor, said.Preview)
"""Messages answered without the ledger, and so only while the table is known to be ours."""

CheckAgain = Callable[[str], Awaitable[None]]
"""Refuses a token for the password given again that is used up, too old or another session's."""
Outcome = str | BaseException
"""The frame that answers a message, or the error that prevented one."""


class Talk:
    """The messages of a socket that aren't answered yet."""

    def __init__(
        self,
        table: Table,
        viewer: Viewer,
        wire: Wire,
        *,
        rate: Rate,
        allowance: Allowance | None = None,
        check_again: CheckAgain | None = None,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self.table, self.viewer, self.wire = table, viewer, wire
        self._told = told
        """Called with every answer, before it is sent."""
        self._check_again = check_again
        self._allowance = allowance
        self._bucket, self._over = Bucket(rate), 0
        self._unanswered: deque[str | bytes] = deque()
        self.waits = self._takes = self._holds = False
        """Whether an answer is outstanding, messages are being taken, the socket isn't read."""

    def hear(self, text: str | bytes) -> None:
        """Take a message; it waits until those before it are answered."""
        self._unanswered.append(text)
        if not self.waits:
            self._take_all()
        elif len(self._unanswered) >= READ_AHEAD:
            self._holds = True
            self.wire.hold()

    def _take_all(self) -> None:
        """Answer messages until one has to wait."""
        self._takes = True
        while self._unanswered and not self.waits:
            self._take(self._unanswered.popleft())
        self._takes = False
        if self._holds and not self._unanswered:
            self._holds = False
            self.wire.go_on()

    def _take(self, text: str | bytes) -> None:
        viewer = self.viewer
        if viewer.ended or viewer.slow:
            return  # The socket is being closed.
        if self._bucket.take():
            self.waits = True
            answer(
                self.table,
                viewer,
                text,
                reply=self._answered,
                allowance=self._allowance,
                check_again=self._check_again,
            )
            return
        self._over += 1
        viewer.send(refused(id_in(text), TOO_FAST))
        if self._over > FLOOD:
            log("socket_flood", player=viewer.player or "")
            viewer.end(TOO_MANY)

    def _answered(self, outcome: Outcome) -> None:
        if isinstance(outcome, str):
            if self._told:
                self._told(outcome)
            self.viewer.send(outcome)
        elif isinstance(outcome, NotOwner):
            self.viewer.end(MOVED)  # Unanswered, so that it is asked again where the table is.
        else:
            log_crash(outcome, table=self.table.id)
            self.viewer.end(CRASHED)
        self.waits = False
        if not self._takes:
            self._take_all()


def answer(
    table: Table,
    viewer: Viewer,
    text: str | bytes,
    *,
    reply: Callable[[Outcome], None],
    allowance: Allowance | None = None,
    check_again: CheckAgain | None = None,
) -> None:
    """Do what a message asks, within the sender's allowance; reply at once, or when stored."""
    try:
        message, digest = message_from(text)
        if isinstance(message, UNSTORED) and not table.books.store.tenure.may_write(table.id):
            raise UNAVAILABLE
        if isinstance(message, said.Ping):
            reply(done(message.id, table.number))
            return
        if viewer.player is None:
            raise Refused("not_signed_in", "sign in to play; spectators can only watch")
        if isinstance(message, said.StaffCommand | said.Preview | said.CallFloor):
            if allowance:
                allowance.take()
            staff = _Staff(table, viewer, reply, check_again)
            staff.answer(message, digest)
            return
        if not viewer.plays:
            raise Refused("not_allowed", "your account doesn't have the role player; it can watch")
        if allowance and isinstance(message, said.Command):
            allowance.take()
        id = message.id

        def stored(result: Result) -> None:
            reply(frame_of(id, result))

        table.hear(viewer.player, message, digest, reply=stored)
    except UserError as error:
        reply(refused(id_in(text), error))
    except Exception as error:
        reply(error)


class _Staff(NamedTuple):
    """A staff member's conversation with a table."""

    table: Table
    viewer: Viewer
    reply: Callable[[Outcome], None]
    check_again: CheckAgain | None

    def answer(
        self, message: said.StaffCommand | said.Preview | said.CallFloor, digest: bytes
    ) -> None:
        """Carry out a request or preview it; an approval needs the password again."""
        viewer = self.viewer
        if not viewer.roles:
            raise Refused("not_allowed", "only people who work for the house may do that")
        viewer.used_s = asyncio.get_running_loop().time()
        by = Employee(viewer.player or "", viewer.roles)
        match message:
            case said.Preview():
                found = to_plain(self.table.preview(by, message))
                del found["type"]
                self.reply(encode({"type": "previewed", "id": message.id, "preview": found}))
            case said.CallFloor():
                self.table.call_floor(by, on=message.on)
                self.reply(done(message.id, self.table.number))
            case said.Approve() if self.check_again is not None:
                first = self._check_password(message, self.check_again)
                viewer.answering = asyncio.ensure_future(self._after(first, message, digest))
            case said.Do() | said.Propose() if message.command.get("type") in OF_PAST:
                hand = self.table.hand_of(message.command)
                viewer.answering = asyncio.ensure_future(self._after(hand, message, digest))
            case said.TapIn(post="floor"):
                viewer.answering = asyncio.ensure_future(self._take_floor(message, digest))
            case _:
                self._hear(message, digest)

    async def _check_password(self, message: said.Approve, check_again: CheckAgain) -> None:
        """Refuse a stale password, unless the approval is a repeat: it has its answer already."""
        if not await self.table.has_answered(f"{self.viewer.player}/{message.id}"):
            await check_again(message.again)

    async def _take_floor(self, message: said.TapIn, digest: bytes) -> None:
        """Let a person tap in as floorperson, counted until that is stored or refused."""
        heard: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        try:
            async with self.table.take_floor(self.viewer.player or "") as floors:
                self._replace(reply=heard.set_result)._hear(message, digest, floors=floors)
                outcome = await heard
        except Unavailable as error:
            outcome = frame_of(message.id, error)
        except Exception as error:
            outcome = error
        self.reply(outcome)

    async def _after(
        self, first: Awaitable[PastHand | None], message: said.StaffCommand, digest: bytes
    ) -> None:
        """Do what is asked once something else is done, or the hand that it is about is known."""
        try:
            self._hear(message, digest, past=await first)
        except UserError as error:
            self.reply(refused(message.id, error))
        except Exception as error:
            self.reply(error)

    def _hear(
        self,
        message: said.StaffCommand,
        digest: bytes,
        *,
        floors: int = 0,
        past: PastHand | None = None,
    ) -> None:
        def stored(result: Result) -> None:
            lacks = isinstance(result, Refused) and result.code == NOT_ENOUGH
            if lacks and isinstance(message, said.Approve):
                result = spent(self.table, message.proposal)
            self.reply(frame_of(message.id, result))

        by = Employee(self.viewer.player or "", self.viewer.roles)
        self.table.hear_staff(by, message, digest, reply=stored, floors=floors, past=past)


def spent(table: Table, proposal: str) -> Refused:
    """Refuse to take back what a player has spent, and say what would work.

    A void isn't up to that player: two people let the house advance the chips (T13).
    """
    standing = table.place.standing.table
    if any(one.preview.voids for one in standing.proposals if one.id == proposal):
        ruling = standing.rules.ruling_on("undone")
        return Refused(NOT_ENOUGH, f"{SPENT} {ADVANCE}", field="purse", clause=ruling)
    return Refused(NOT_ENOUGH, f"{SPENT} decline it", field="purse")


def done(id: str, number: int) -> str:
    """Answer a command that was stored."""
    return encode({"type": "done", "id": id, "v": number})


def frame_of(id: str, result: Result) -> Outcome:
    """Return the frame that answers a command, or the internal error."""
    match result:
        case Answer():
            return done(id, result.number)
        case Refused(code=code) if code == NOT_ENOUGH and (result.field or "").startswith(
            "player:"
        ):
            return refused(id, EMPTY_PURSE)
        case UserError():
            return refused(id, result)
        case Unavailable() if not isinstance(result, Unsure | NotOwner):
            return refused(id, UNAVAILABLE)
    return result
