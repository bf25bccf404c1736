"""What is said over a player's socket: one thing after the other, each answered before the next."""

from collections import deque
from collections.abc import Callable

from croupier.errors import Refused, UserError
from croupier.ledger.store import Answer, Result, Unavailable, Unsure
from croupier.server.backroom import friendly
from croupier.server.limits import Bucket, Rate
from croupier.server.live import LiveTable
from croupier.server.log import log, log_crash
from croupier.server.messages import Ping, done, id_in, message_from, refused
from croupier.server.outbox import Viewer
from croupier.server.wire import TOO_MANY, Wire

FLOOD = 200
"""Who says something so many times too often is cut."""
READ_AHEAD = 8
"""So many messages wait for their turn before no more are taken from the connection."""
CRASHED = 1011

UNAVAILABLE = Refused("unavailable", "nothing can be stored just now; try again in a moment")

Said = str | BaseException
"""The frame that answers a message, or what failed so that there is no answer."""


class Talk:
    """One socket's side of it: what was heard and is not yet answered."""

    def __init__(self, table: LiveTable, viewer: Viewer, wire: Wire, *, rate: Rate) -> None:
        self.table, self.viewer, self.wire = table, viewer, wire
        self._bucket, self._over = Bucket(rate), 0
        self._unanswered: deque[str | bytes] = deque()
        self._waits = self._takes = False
        """Whether an answer is waited for; whether messages are being taken just now."""

    def hear(self, text: str | bytes) -> None:
        """Take a message; it has its turn when those before it are answered."""
        self._unanswered.append(text)
        if not self._waits:
            self._take_all()
        elif len(self._unanswered) >= READ_AHEAD:
            self.wire.hold()

    def _take_all(self) -> None:
        """Take what was heard, until an answer has to be waited for."""
        self._takes = True
        while self._unanswered and not self._waits:
            self._take(self._unanswered.popleft())
        self._takes = False
        if not self._unanswered:
            self.wire.go_on()

    def _take(self, text: str | bytes) -> None:
        viewer = self.viewer
        if viewer.ended or viewer.slow:
            return  # Who was shut out is not listened to, until the socket is closed.
        if self._bucket.take():
            self._waits = True
            answer(self.table, viewer, text, reply=self._answered)
            return
        self._over += 1
        viewer.send(refused(id_in(text), Refused("too_many", "that is too often; wait a little")))
        if self._over > FLOOD:
            log("socket_flood", player=viewer.player or "")
            viewer.end(TOO_MANY)

    def _answered(self, said: Said) -> None:
        if isinstance(said, str):
            self.viewer.send(said)
        else:
            log_crash(said, table=self.table.id)
            self.viewer.end(CRASHED)
        self._waits = False
        if not self._takes:
            self._take_all()


def answer(
    table: LiveTable, viewer: Viewer, text: str | bytes, *, reply: Callable[[Said], None]
) -> None:
    """Do what a message asks, and reply at once, or when it is stored."""
    try:
        message, digest = message_from(text)
        if isinstance(message, Ping):
            reply(done(message.id, table.scribe.number))
            return
        if viewer.player is None:
            raise Refused("not_signed_in", "sign in first; who watches cannot play")
        id = message.id
        heard = viewer.player, message, digest
        table.hear(*heard, reply=lambda result: reply(_said(id, result)))
    except UserError as error:
        reply(refused(id_in(text), error))
    except Exception as error:
        reply(error)


def _said(id: str, result: Result) -> Said:
    if isinstance(result, Answer):
        return done(id, result.number)
    if isinstance(result, Refused):
        return refused(id, friendly(result))
    if isinstance(result, Unavailable) and not isinstance(result, Unsure):
        return refused(id, UNAVAILABLE)
    return refused(id, result) if isinstance(result, UserError) else result
