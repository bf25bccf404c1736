"""One turn of a table: everything that was asked at one time, decided.

Each act is decided on the table as the ones before it leave it, and all are stored together. If one
of them turns out not to be stored, those after it were decided on what never happened, and are
asked again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from croupier.errors import Refused
from croupier.house.clock import Company, Wait, next_wait
from croupier.house.config import TableConfig
from croupier.house.standing import Act, Standing
from croupier.ledger.asked import NO_BODY
from croupier.ledger.scribe import Draft, Scribe
from croupier.ledger.store import STREAM_MOVED, Answer, Claim, Request, Result, Work
from croupier.money import DOLLARS_MAX, micros

OVERTAKEN = "overtaken"
MICROS_MAX = micros(DOLLARS_MAX * 100)
Perform = Callable[[Act], object]
Reply = Callable[[Result], None]


class CommandId(NamedTuple):
    """How a sender identifies a command: its id, and the digest of its body."""

    id: str
    digest: bytes


class Ask(NamedTuple):
    """Something that a table is asked to do, and where the reply goes."""

    perform: Perform
    reply: Reply
    id: CommandId | None = None
    meters: tuple[str, ...] = ()
    """The meters to read inside the transaction; such an ask ends its turn."""
    wait: Wait | None = None
    """What was waited for; the ask is refused if something else is due by then."""


class Position(NamedTuple):
    """What a turn is decided on."""

    standing: Standing
    scribe: Scribe


class Stored(NamedTuple):
    """An act, and what the journal holds of it."""

    act: Act
    draft: Draft
    place: Position
    """Where the table stands then."""


class Outcome(NamedTuple):
    """What came of a turn."""

    stored: Sequence[Stored]
    replies: Sequence[tuple[Reply, Result]]
    again: Sequence[Ask]
    """What has to be asked again."""
    known: int
    """The highest event number that an answer names; the table may not have heard of it yet."""
    doubtful: bool
    """Whether something failed that may have been stored."""


class Turn:
    """Decides what a table is asked at one time."""

    def __init__(
        self, config: TableConfig, place: Position, company: Company, *, time_ms: int
    ) -> None:
        self.config, self.place, self.company, self.time_ms = config, place, company, time_ms
        self._asks: list[Ask] = []
        self._decided: dict[int, Stored] = {}
        """What was decided about each ask, by its place in the turn."""
        self._crashed: list[tuple[Reply, Result]] = []

    def decide(self, asks: Sequence[Ask]) -> list[Request]:
        """Return what to store for each ask; one that crashes is left out."""
        requests: list[Request] = []
        for ask in asks:
            at = len(requests)
            try:
                requests.append(self._request(ask, at))
            except Exception as error:
                self._crashed.append((ask.reply, error))
                continue
            self._asks.append(ask)
            if at in self._decided:
                self.place = self._decided[at].place
        return requests

    def _request(self, ask: Ask, at: int) -> Request:
        """Return what the store is asked for.

        A refusal is left to the store to raise, after it has seen that the command is a new one.
        """
        head = self.place.scribe.head
        id, digest = ask.id or (f"{self.config.id}#{head.number + 1}", NO_BODY)
        claim = Claim(id, digest, self.config.id, head)
        if ask.meters:
            return Request(claim, ask.meters, partial(self._work, ask, at))
        try:
            work = self._work(ask, at, {})
        except Refused as refused:
            return Request(claim, (), partial(_refuse, refused))
        return Request(claim, (), lambda _: work)

    def _work(self, ask: Ask, at: int, shown: Mapping[str, int]) -> Work:
        """Decide an ask with its meters' readings; a refused ask changes nothing."""
        standing, scribe = self.place
        if ask.wait is not None:
            due = next_wait(standing, self.config.timing, self.company)
            if due is None or due.key != ask.wait.key:
                raise Refused(OVERTAKEN, "the table has moved on")
        act = Act(standing)
        if shown:
            names = {self.config.meter(id): id for id in standing.table.rules.meters}
            act.readings = {names[name]: micros for name, micros in shown.items()}
        ask.perform(act)
        if ask.id is None and not act.happened:
            # Its id is that of its first event. Stored, it would be the answer to the next act.
            raise Refused(OVERTAKEN, "there is nothing left to do")
        draft = scribe.draft(act.happened, time_ms=self.time_ms, who=act.who)
        _check_sums(draft)
        place = Position(act.standing, draft.scribe)
        self._decided[at] = Stored(act, draft, place)
        answer = str(draft.scribe.head.number)
        return Work(draft.events, answer, draft.emptied, tuple(act.sealed))

    def outcome(self, results: Sequence[Result]) -> Outcome:
        """Sort results into stored events, replies to send, and asks to retry."""
        stored: list[Stored] = []
        replies = self._crashed
        again: list[Ask] = []
        known, broken, doubtful = 0, False, False
        for at, (ask, result) in enumerate(zip(self._asks, results, strict=True)):
            moved = isinstance(result, Refused) and result.code == STREAM_MOVED
            if moved and broken:
                again.append(ask)
                continue
            replies.append((ask.reply, result))
            if isinstance(result, Answer):
                if not result.repeated:
                    stored.append(self._decided[at])
                    continue
                known = max(known, result.number)
            elif moved or not isinstance(result, Refused):
                # Somebody else writes this stream, or a commit failed that may have succeeded.
                doubtful = True
            broken |= at in self._decided
        return Outcome(stored, replies, again, known, doubtful)


def _check_sums(draft: Draft) -> None:
    """Refuse a sum that no store could hold: its commit would fail, and all others in it."""
    for event in draft.events:
        for entry in event.entries:
            if entry.micros > MICROS_MAX:
                message = f"no sum is above {DOLLARS_MAX:,} dollars"
                raise Refused("no_money", message, field="cents")


def _refuse(refused: Refused, _: Mapping[str, int]) -> Work:
    raise refused
