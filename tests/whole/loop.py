"""An event loop whose time is made up, and on which processes can die and sleep.

Everything that a process does runs in its context. So it is enough to look, before a callback runs,
at whose it is: of a process that was killed nothing runs any more, and what one that sleeps would
do waits until it is woken. Work for threads runs here too, after a while, at one moment.
"""

import asyncio
import contextvars
import heapq
import selectors
from collections.abc import Callable
from random import Random
from typing import Any

LATENCY_S = (0.000_2, 0.004)
"""How long the database takes for the least and the most."""


class Process:
    """Something that can be killed, and sent to sleep."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = self.asleep = False
        self.waiting: list[tuple[contextvars.Context, Callable[..., Any], tuple[Any, ...]]] = []


PROCESS: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)


class _Never(selectors.SelectSelector):
    """Waits for nothing: time is made up, and nobody writes to a socket."""

    def __init__(self, loop: "Loop") -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("nothing will ever happen again")
        self._loop.now_s += timeout
        return []


class Loop(asyncio.SelectorEventLoop):
    """Runs callbacks in the order of a made-up time."""

    def __init__(self, seed: str) -> None:
        self.now_s = 0.0
        super().__init__(_Never(self))
        self.rng = Random(seed)
        self.slow = 1.0
        """By how much the database is slower than usual."""
        self.ran = 0
        self.set_exception_handler(lambda *_: None)  # Tasks of dead processes are left behind.

    def time(self) -> float:
        return self.now_s

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.Handle:
        context = contextvars.copy_context() if context is None else context
        return super().call_soon(self._run, callback, args, context, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        context = contextvars.copy_context() if context is None else context
        return super().call_at(when, self._run, callback, args, context, context=context)

    def _run(self, callback: Any, args: tuple[Any, ...], context: contextvars.Context) -> None:
        process = PROCESS.get()
        self.ran += 1
        if process is None or not (process.dead or process.asleep):
            callback(*args)
        elif not process.dead:
            process.waiting.append((context, callback, args))

    def wake(self, process: Process) -> None:
        """Let a process that sleeps do everything that it would have done."""
        process.asleep = False
        waiting, process.waiting = process.waiting, []
        for context, callback, args in waiting:
            self.call_soon(callback, *args, context=context)

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
        heapq.heapify(self._scheduled)  # type: ignore[attr-defined]
        self._scheduled.clear()  # type: ignore[attr-defined]
        self._ready.clear()  # type: ignore[attr-defined]
