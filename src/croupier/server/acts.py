"""Acts at a table: each is decided on the table as it stands, stored, and only then said.

Acts that wait for each other are done together: each is decided on the table as those before it
leave it, all are stored at once and said in one frame. If one of them turns out not to be stored,
those after it were decided on what is not so, and are decided again.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, NamedTuple

from croupier.errors import Refused
from croupier.fairness.seal import unseal
from croupier.ledger.scribe import Draft, Scribe
from croupier.ledger.store import STREAM_MOVED, Answer, Claim, Request, Result, Work
from croupier.round.events import Dealt
from croupier.server.backroom import Backroom, call, hand_over
from croupier.server.config import TableConfig
from croupier.server.players import lack_at
from croupier.server.recall import Recalled, missed_by
from croupier.server.sight import Sight
from croupier.server.standing import Act, Procedure, Standing
from croupier.server.tidings import tidings_of
from croupier.server.turns import Turns

Perform = Callable[[Act], None]
Reply = Callable[[Result], None]


class Asked(NamedTuple):
    """A command as its sender knows it again: its id, and the digest of its body."""

    id: str
    digest: bytes


class Ask(NamedTuple):
    """What is asked of a table, and who waits for the answer."""

    perform: Perform
    reply: Reply
    asked: Asked | None = None
    meters: tuple[str, ...] = ()


class Base(NamedTuple):
    """What an act is decided on."""

    config: TableConfig
    standing: Standing
    procedure: Procedure
    scribe: Scribe
    time_ms: int


class Trial:
    """An ask and what it comes to, on a table as those before it leave it."""

    __slots__ = ("act", "ask", "base", "draft")

    def __init__(self, ask: Ask, base: Base) -> None:
        self.ask, self.base = ask, base
        self.act: Act | None = None
        self.draft: Draft | None = None

    def decide(self, shown: Mapping[str, int]) -> Work:
        """Decide at what the meters show; if it is refused, nothing was done."""
        config, standing, procedure, scribe, time_ms = self.base
        act = Act(standing, procedure)
        if shown:
            names = {config.meter(id): id for id in standing.rules.meters}
            act.readings = {names[name]: micros for name, micros in shown.items()}
        self.ask.perform(act)
        draft = scribe.draft(act.happened, time_ms=time_ms)
        self.act, self.draft = act, draft
        return Work(draft.events, str(draft.scribe.number), draft.emptied, tuple(act.sealed))

    def request(self) -> Request:
        """Return what the store is asked for; a refusal is said only if it was not done before."""
        claim = self.claim
        if self.ask.meters:
            return Request(claim, self.ask.meters, self.decide)
        try:
            work = self.decide({})
        except Refused as refused:
            return Request(claim, (), partial(_refuse, refused))
        return Request(claim, (), lambda _: work)

    @property
    def claim(self) -> Claim:
        table, head = self.base.config.id, self.base.scribe.head
        id, digest = self.ask.asked or (f"{table}#{head.number + 1}", bytes(32))
        return Claim(id, digest, table, head)

    @property
    def after(self) -> Base:
        """How the table stands then."""
        act, draft, (config, *_, time_ms) = self.act, self.draft, self.base
        if act is None or draft is None:
            return self.base
        return Base(config, act.standing, act.procedure, draft.scribe, time_ms)


class Acts(Sight):
    """A table at which one thing after the other is done."""

    def __init__(self, config: TableConfig, room: Backroom, recalled: Recalled) -> None:
        super().__init__(config, room, recalled)
        self.rounds, self.setting = recalled.rounds, recalled.setting
        self.procedure = Procedure(self.standing.rules)
        self._turns = Turns()
        self._asks: list[Ask] = []
        self._asked = False
        """Whether a turn was asked for that is not over yet."""
        self._doing: list[Ask] = []
        self._trials: list[Trial] = []
        """What is being stored, and who has no answer yet."""
        self._looking: asyncio.Task[None] | None = None
        self._unsure = False
        """Whether something failed and may have been stored all the same."""

    async def act(
        self, perform: Perform, *, asked: Asked | None = None, meters: tuple[str, ...] = ()
    ) -> Answer:
        """Do something, and wait until it is stored; refused, it has changed nothing."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.ask(Ask(perform, partial(hand_over, answer), asked, meters))
        return await answer

    def ask(self, ask: Ask) -> None:
        """Do something once, whoever asks however often, and reply when it is stored.

        Whoever asks may go away meanwhile: what was begun is stored and said all the same.
        """
        self._asks.append(ask)
        if not self._asked:
            self._asked = True
            self._turns.take(self._begin)

    def idle(self) -> AbstractAsyncContextManager[None]:
        """Wait until nothing is under way, and let nothing begin meanwhile."""
        return self._turns.alone()

    async def _be_sure(self) -> None:
        """Know what the journal holds, before anything is decided on it."""
        if self._unsure:
            await self._catch_up()

    # ------------------------------------------------------------ one turn

    def _begin(self) -> None:
        """Let what is asked be decided when it can be stored, and not before."""
        if self._unsure:
            self._looking = asyncio.create_task(self._when_sure(self._begin))
        else:
            self.room.settle(self._due, self._settled)

    async def _when_sure(self, then: Callable[[], None]) -> None:
        """Go on when it is known what the journal holds."""
        try:
            await self._be_sure()
        except Exception as error:
            self._fail(error)
        else:
            then()

    def _next(self) -> list[Ask]:
        """Take what can be done together: after one that waits for its meters nothing is known."""
        metered = (at for at, ask in enumerate(self._asks, 1) if ask.meters)
        upto = next(metered, len(self._asks))
        together, self._asks = self._asks[:upto], self._asks[upto:]
        return together

    def _due(self) -> list[Request]:
        """Decide all that was asked until now."""
        self._doing = self._next()
        self._trials, requests = self._tried(self._doing)
        return requests

    def _settled(self, results: list[Result] | Exception) -> None:
        """Stand where what was stored leads to, and say what came of each act."""
        if isinstance(results, Exception):
            self._fail(results)
            return
        try:
            said, known = self._sorted_out(results)
        except Exception as error:
            self._fail(error)
            return
        say = partial(self._say, said)
        if known > self.scribe.number:
            self._unsure = True
            self._looking = asyncio.create_task(self._when_sure(say))
        else:
            say()

    def _sorted_out(self, results: list[Result]) -> tuple[list[tuple[Ask, Result]], int]:
        """Stand on what was stored; return what is to be said, and the last event known of."""
        stored: list[Trial] = []
        again: list[Ask] = []
        said: list[tuple[Ask, Result]] = []
        known, broken = 0, False
        for trial, result in zip(self._trials, results, strict=True):
            moved = isinstance(result, Refused) and result.code == STREAM_MOVED
            if moved and broken:
                again.append(trial.ask)  # It was decided on what is not so.
                continue
            said.append((trial.ask, result))
            if isinstance(result, Answer) and not result.repeated:
                stored.append(trial)
                continue
            broken |= trial.act is not None
            if isinstance(result, Answer):
                known = max(known, result.number)
            elif moved or not isinstance(result, Refused):
                # Another one writes this table's stream, or what failed was stored after all.
                self._doubt()
        self._asks[:0] = again
        self._doing = [ask for ask, _ in said]
        if stored:
            self._stand(stored)
        return said, known

    def _say(self, said: list[tuple[Ask, Result]]) -> None:
        """Reply to all, and let others have their turn."""
        for ask, result in said:
            call(ask.reply, result)
        self._over()

    def _fail(self, error: Exception) -> None:
        """Say that it is not known what came of what was asked."""
        self._doubt()
        for ask in self._doing or self._next():
            call(ask.reply, error)
        self._over()

    def _over(self) -> None:
        """Let others have their turn, and then what was asked meanwhile."""
        self._doing, self._trials = [], []
        self._asked = bool(self._asks)
        if self._asked:
            self._turns.take(self._begin)
        self._turns.over()

    def _doubt(self) -> None:
        """Look into the journal before anything else is done."""
        self._unsure = True
        self._wake.set()

    def _tried(self, together: list[Ask]) -> tuple[list[Trial], list[Request]]:
        """Decide each act on what those before it come to."""
        time_ms = self.room.clocks.wall_ms()
        base = Base(self.config, self.standing, self.procedure, self.scribe, time_ms)
        trials: list[Trial] = []
        requests: list[Request] = []
        for ask in together:
            trial = Trial(ask, base)
            try:
                requests.append(trial.request())
            except Exception as error:
                call(ask.reply, error)
                continue
            trials.append(trial)
            base = trial.after
        return trials, requests

    def _stand(self, stored: Sequence[Trial]) -> None:
        """Take what was stored for what is, and say it."""
        told: list[dict[str, Any]] = []
        dealt = False
        for trial in stored:
            act, draft = trial.act, trial.draft
            if act is None or draft is None:
                continue
            self.standing, self.procedure, self.scribe = act.standing, act.procedure, draft.scribe
            self.room.stored += len(draft.events)
            self.room.posted(entry for event in draft.events for entry in event.entries)
            told += tidings_of(act, draft)
            dealt |= any(isinstance(happened.event, Dealt) for happened in act.happened)
        if self.ready:
            # Who sits down next says it anew, and so does a seat whose bets no longer stand.
            seats = self.standing.table.seats
            self.ready = frozenset(
                seat for seat in self.ready if seat in seats and not lack_at(self.standing, seat)
            )
        self._tell(told)
        if dealt:
            for viewer in self.viewers:
                self._send_own(viewer)

    async def _catch_up(self) -> None:
        """Stand where the journal stands: something was stored that nobody heard of."""
        known = self.scribe.number
        missed = await self.room.read(partial(missed_by, scribe=self.scribe))
        self._unsure = False
        if missed is None:
            return
        recalled, entries, sealed = missed
        self.scribe, self.rounds, self.setting = recalled.scribe, recalled.rounds, recalled.setting
        self.standing = recalled.standing or self.standing
        self.procedure = Procedure(self.standing.rules)
        if sealed is not None and self.standing.commitment is not None:
            self.committed = unseal(sealed, self.room.key, self.standing.commitment)
        self.room.stored += self.scribe.number - known
        self.room.posted(entries)
        self._tell([{"n": number} for number in range(known + 1, self.scribe.number + 1)])
        for viewer in self.viewers:
            self._send_own(viewer)


def _refuse(refused: Refused, _: Mapping[str, int]) -> Work:
    raise refused
