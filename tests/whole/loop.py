"""An event loop in simulated time, on which processes can die and sleep.

Everything that a process does runs in its context. So it is enough to check a callback's process
before running it: callbacks of a dead process are dropped, and those of a sleeping process wait
until it wakes. Work for threads runs here too, at one moment after a delay.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from random import Random
from typing import Any

LATENCY_S = (0.000_2, 0.004)
"""The shortest and the longest time that the database takes."""


class Process:
    """Something that can be killed or put to sleep."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = self.asleep = False
        self.waiting: list[Due] = []
        self.context = _context_of(self)
        """The context for everything that reaches the process from outside."""


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


def _context_of(process: Process | None) -> Context:
    context = Context()
    context.run(PROCESS.set, process)
    return context


NOBODYS = _context_of(None)
"""The context for everything that belongs to no process."""


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
    """Runs callbacks in the order of simulated time, and never waits for anything.

    It does nothing else that a loop may do, so hours of a house pass in a minute.
    """

    def __init__(self, seed: str) -> None:
        self.now_s = 0.0
        super().__init__()
        self._now: deque[Due] = deque()
        self._later: list[tuple[float, int, Due]] = []
        self._count = 0
        self.rng = Random(seed)
        self.slow = 1.0
        """How many times slower than usual the database is."""
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
        """Run what is due, then advance to the next time that something is, until stopped."""
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
        """Wake a process, and let it do everything that it missed."""
        process.asleep = False
        waiting, process.waiting = process.waiting, []
        self._now += waiting

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        """Run a call to the database at one moment between now and its answer."""
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
        """Do nothing: there is no executor."""

    def forget(self) -> None:
        """Drop every callback that hasn't run."""
        self._later.clear()
        self._now.clear()
