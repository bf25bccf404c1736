"""An event loop whose time is made up, and on which processes can die and sleep.

Everything that a process does runs in its context. So it is enough to look, before a callback runs,
at whose it is: of a process that was killed nothing runs any more, and what one that sleeps would
do waits until it is woken. Work for threads runs here too, after a while, at one moment.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from random import Random
from typing import Any

LATENCY_S = (0.000_2, 0.004)
"""How long the database takes for the least and the most."""


class Process:
    """Something that can be killed, and sent to sleep."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = self.asleep = False
        self.waiting: list[Due] = []
        self.context = _context_of(self)
        """In which everything is done that comes to it from outside."""


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


def _context_of(process: Process | None) -> Context:
    context = Context()
    context.run(PROCESS.set, process)
    return context


NOBODYS = _context_of(None)
"""In which everything is done that no process does."""


class Due:
    """A callback that will run; the loop's handle."""

    __slots__ = ("args", "callback", "context")

    def __init__(
        self, callback: Callable[..., Any] | None, args: tuple[Any, ...], context: Context
    ) -> None:
        self.callback, self.args, self.context = callback, args, context

    def cancel(self) -> None:
        self.callback, self.args = None, ()

    def cancelled(self) -> bool:
        return self.callback is None


class Loop(asyncio.SelectorEventLoop):
    """Runs callbacks in the order of a made-up time; it never waits for anything.

    It does nothing else that a loop may do, so that hours of a house pass in a minute.
    """

    def __init__(self, seed: str) -> None:
        self.now_s = 0.0
        super().__init__()
        self._now: deque[Due] = deque()
        self._later: list[tuple[float, int, Due]] = []
        self._count = 0
        self.rng = Random(seed)
        self.slow = 1.0
        """By how much the database is slower than usual."""
        self.set_exception_handler(lambda *_: None)  # Tasks of dead processes are left behind.

    def time(self) -> float:
        return self.now_s

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Due:
        due = Due(callback, args, copy_context() if context is None else context)
        self._now.append(due)
        return due

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> Due:
        due = Due(callback, args, copy_context() if context is None else context)
        self._count = count = self._count + 1
        heappush(self._later, (when, count, due))
        return due

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Any, *args: Any, context: Any = None
    ) -> Due:
        due = Due(callback, args, copy_context() if context is None else context)
        self._count = count = self._count + 1
        heappush(self._later, (self.now_s + delay, count, due))
        return due

    def get_debug(self) -> bool:
        return False  # Every future and task asks for it.

    def _run_once(self) -> None:
        """Run what is due, and go on to the next time at which something is, until stopped."""
        now, later, take = self._now, self._later, self._now.popleft
        while not self._stopping:  # type: ignore[attr-defined]
            while now:
                due = take()
                if (callback := due.callback) is None:
                    continue
                context = due.context
                process = context.get(PROCESS)
                if process is None or not (process.dead or process.asleep):
                    try:
                        context.run(callback, *due.args)
                    except Exception as error:
                        self.call_exception_handler(
                            {"message": "a callback failed", "exception": error}
                        )
                elif not process.dead:
                    process.waiting.append(due)
            if not later:
                raise RuntimeError("nothing will ever happen again")
            when = later[0][0]
            if when > self.now_s:
                self.now_s = when
            while later and later[0][0] <= self.now_s:
                now.append(heappop(later)[2])

    def wake(self, process: Process) -> None:
        """Let a process that sleeps do everything that it would have done."""
        process.asleep = False
        waiting, process.waiting = process.waiting, []
        self._now += waiting

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        """Do something that waits for the database, at one moment between now and its answer."""
        done = self.create_future()

        def answer(result: Any, error: BaseException | None) -> None:
            if done.cancelled():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)

        def run() -> None:
            try:
                result, error = func(*args), None
            except BaseException as raised:
                result, error = None, raised
            self.call_later(self._latency_s(), answer, result, error)

        self.call_later(self._latency_s(), run)
        return done

    def _latency_s(self) -> float:
        return self.rng.uniform(*LATENCY_S) * self.slow

    async def shutdown_default_executor(self, *_: Any) -> None:
        """There is none."""

    def forget(self) -> None:
        """Drop everything that would still happen."""
        self._later.clear()
        self._now.clear()
