"""Workers for long computations: this process, a process pool or a cluster; and progress."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread

from croupier.errors import MissingExtra, UserError

WORKERS_MAX = 1024
_WAIT_SECONDS = 10


@contextmanager
def executor(workers: int, cluster: str | None) -> Iterator[Executor | None]:
    """Yield the executor to use; None to work in this process."""
    if cluster:
        with _cluster(cluster) as found:
            yield found
    elif workers > 1:
        # Don't fork: a copy of a process with NumPy's threads may hang.
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_serve)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    else:
        yield None


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve() -> None:
    """Leave Ctrl-C to the parent process, and end when it ends, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        # A worker waits on a pipe that it holds open itself, so it would wait forever.
        parent.join()
        os._exit(1)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Yield the workers of a Dask scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("cluster", "--cluster") from None
    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout=_WAIT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"no scheduler answers there: {error}", field="--cluster") from None
    # Workers may come and go: unfinished work is done again by another.
    with client, client.get_executor() as found:  # type: ignore[no-untyped-call]
        yield found


@contextmanager
def progress(total: int, *, what: str, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show progress on a terminal: the share done, the speed and the time left."""
    if quiet or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed or 0
            return Text(f"{speed:,.0f} {what}/s")

    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
