"""Tasks that run in the background."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Tasks that end by themselves, held until then: the event loop alone doesn't keep them."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], name: str | None = None) -> None:
        """Do something in the background."""
        task = asyncio.create_task(work, name=name)
        self.running.add(task)
        task.add_done_callback(self.running.discard)


async def cancel(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await task
