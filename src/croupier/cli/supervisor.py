"""Worker processes of one server: started by forking, watched, and ended together."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from types import FrameType

from croupier.errors import CroupierError, UserError
from croupier.house.log import log

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_S = 1.0
"""How long a worker that failed stays away, so that one which can't start doesn't spin."""


class CannotGoOn(UserError):
    """Raised in a worker when no worker of this house can go on."""


REFUSED, CLOSED = 2, 3
"""The exit codes of a worker that can't start, and of one that ends all workers."""


def supervised(workers: int, work: Callable[[int], int]) -> int:
    """Run workers until a signal ends them; start one that fails again. Return their sum.

    The first workers must all start, and one that is closed closes the others.
    """
    ends = closed = False
    begun: set[int] = set()
    """The workers that have been started again."""
    running: dict[int, tuple[int, int, float]] = {}
    """By process: the worker's number, the pipe it reports on, and when it was started."""

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal ends
        ends = True
        for pid in running:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)  # There is nobody to hand tables over to.

    def start(number: int) -> None:
        # A signal waits until the worker is known here, and has handlers of its own.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        try:
            if not ends:
                pid, report = _forked(number, work, alive)
                running[pid] = number, report, time.monotonic()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    alive = os.pipe()
    before = {sign: signal.signal(sign, stop) for sign in STOPS if _is_heard(sign)}
    try:
        for number in range(workers):
            start(number)
        rounds = 0
        while running:
            pid, status = os.wait()
            number, report, since_s = running.pop(pid)
            with os.fdopen(report) as said:
                rounds += int(said.read() or 0)
            if ends:
                continue
            code = os.waitstatus_to_exitcode(status)
            log("worker_ended", worker=number, status=code)
            if code == CLOSED or (code == REFUSED and number not in begun):
                closed = True
                stop(0, None)
                continue
            time.sleep(max(0.0, AGAIN_S - (time.monotonic() - since_s)))
            begun.add(number)
            start(number)
        if closed:
            raise UserError("all workers were closed, because one of them can't go on")
        return rounds
    finally:
        for end in alive:
            os.close(end)
        for sign, handler in before.items():
            signal.signal(sign, handler)


def _is_heard(sign: signal.Signals) -> bool:
    return signal.getsignal(sign) != signal.SIG_IGN


def _forked(number: int, work: Callable[[int], int], alive: tuple[int, int]) -> tuple[int, int]:
    """Start a worker; return its process and the pipe on which it reports its count.

    `alive` is a pipe that only the parent keeps open for writing, so that its end is noticed.
    """
    reads, writes = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(writes)
        return pid, reads
    status = 1
    try:
        os.close(reads)
        os.close(alive[1])
        for sign in STOPS:
            if _is_heard(sign):
                signal.signal(sign, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        Thread(target=_end_with_parent, args=(alive[0],), daemon=True).start()
        os.write(writes, str(work(number)).encode())
        status = 0
    except KeyboardInterrupt:
        status = 0
    except CroupierError as error:
        print(f"croupier: {error}", file=sys.stderr)
        status = CLOSED if isinstance(error, CannotGoOn) else REFUSED
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def _end_with_parent(alive: int) -> None:
    """Close as after Ctrl-C when the parent is gone; nothing else would stop this worker."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGINT)
