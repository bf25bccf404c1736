"""The one bounded cache, which drops the least recently used entries."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping of at most `held_max` entries; a new one displaces the least recently used.

    Several threads may use it. What they make for one key at the same time is made by each.
    """

    def __init__(self, held_max: int) -> None:
        self._held_max = held_max
        self._values: dict[K, V] = {}  # The most recently used comes last.
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __getitem__(self, key: K) -> V:
        with self._lock:
            value = self._values[key] = self._values.pop(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            if len(self._values) > self._held_max:
                del self._values[next(iter(self._values))]

    def get(self, key: K) -> V | None:
        """Return the value of a key, if there is one."""
        try:
            return self[key]
        except KeyError:
            return None

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, making it if there is none."""
        try:
            return self[key]
        except KeyError:
            pass
        value = self[key] = make()
        return value

    def pop(self, key: K) -> V | None:
        """Remove an entry and return its value, if there is one."""
        with self._lock:
            return self._values.pop(key, None)

    def drop(self, which: Callable[[V], bool]) -> None:
        """Remove the entries whose values match."""
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if not which(value)}
