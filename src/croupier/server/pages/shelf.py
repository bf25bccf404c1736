"""The shelf behind the pages: caches books and answers.

Page handlers run in threads and wait here. The work goes to a few workers in two lanes, so that a
question that takes seconds doesn't hold up one that takes milliseconds.
"""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, RLock
from typing import Any, TypeVar

from croupier.errors import Problems
from croupier.recent import Recent
from croupier.rules.load import load, rulebook_ids
from croupier.rules.rulebook import Rulebook

T = TypeVar("T")

KEPT_MAX = 512
WAITING_MAX = 24
LIGHT_WORKERS, HEAVY_WORKERS = 3, 1


class Busy(Exception):
    """Raised when too many questions are waiting for the workers."""


class Answers:
    """Works out each question once, in worker threads, and caches the last few hundred answers."""

    def __init__(self, *, kept_max: int = KEPT_MAX, waiting_max: int = WAITING_MAX) -> None:
        self._kept: Recent[Hashable, Any] = Recent(kept_max)
        self._coming: dict[Hashable, Future[Any]] = {}
        self._lock = RLock()  # A worker that finishes at once reports from within `_job`.
        self._waiting = BoundedSemaphore(waiting_max)
        self._light = ThreadPoolExecutor(LIGHT_WORKERS, "light")
        self._heavy = ThreadPoolExecutor(HEAVY_WORKERS, "heavy")

    def get(self, key: Hashable, work: Callable[[], T], *, heavy: bool = False) -> T:
        """Return the result of the work, from the cache if it is there."""
        with self._lock:
            if key in self._kept:
                kept: T = self._kept[key]
                return kept
        if not self._waiting.acquire(blocking=False):
            raise Busy
        try:
            return self._job(key, work, self._heavy if heavy else self._light).result()
        finally:
            self._waiting.release()

    def close(self) -> None:
        """Cancel work that hasn't begun."""
        for lane in (self._light, self._heavy):
            lane.shutdown(wait=False, cancel_futures=True)

    def _job(self, key: Hashable, work: Callable[[], T], lane: ThreadPoolExecutor) -> Future[T]:
        with self._lock:
            job = self._coming.get(key)
            if job is None:
                job = self._coming[key] = lane.submit(work)
                job.add_done_callback(partial(self._arrived, key))
            return job

    def _arrived(self, key: Hashable, job: Future[Any]) -> None:
        with self._lock:
            self._coming.pop(key, None)
            if not job.cancelled() and job.exception() is None:
                self._kept[key] = job.result()


class Shelf:
    """The books on the shelf, and the answers about them."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = tuple(folders)
        self.answers = Answers()
        self._books: dict[str, Rulebook] = {}

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all valid books; a faulty one doesn't hide the others."""
        return tuple(book.id for book in self.books())

    def book(self, id: str) -> Rulebook:
        """Return a book, cached after the first read; the files bound the cache."""
        if id not in self._books:
            self._books[id] = load(id, self.folders)
        return self._books[id]

    def books(self) -> list[Rulebook]:
        found: list[Rulebook] = []
        for id in rulebook_ids(self.folders):
            with suppress(Problems):
                found.append(self.book(id))
        return found

    def close(self) -> None:
        self.answers.close()
