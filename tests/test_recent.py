"""The bounded cache: what was used last stays."""

import sys
from concurrent.futures import ThreadPoolExecutor

from croupier.recent import Recent


def test_the_least_recently_used_entry_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    recent["a"], recent["b"] = 1, 2
    assert recent["a"] == 1  # Now b is the one that was not used for longest.
    recent["c"] = 3
    assert ("a" in recent, "b" in recent, "c" in recent) == (True, False, True)
    recent["a"] = 4
    recent["d"] = 5
    assert (len(recent), "c" in recent, recent["a"]) == (2, False, 4)


def test_a_value_is_made_once_while_it_is_held() -> None:
    recent: Recent[str, list[int]] = Recent(1)
    recent.get_or_make("a", list).append(1)
    assert recent.get_or_make("a", list) == [1]
    recent.get_or_make("b", list)
    assert recent.get_or_make("a", list) == []


def test_entries_can_be_taken_out() -> None:
    recent: Recent[str, int] = Recent(9)
    for number, key in enumerate("abcd"):
        recent[key] = number
    assert (recent.pop("a"), recent.pop("a")) == (0, None)
    recent.drop(lambda value: value % 2 == 1)
    assert (len(recent), recent["c"]) == (1, 2)


def test_threads_may_share_a_cache() -> None:
    recent: Recent[int, int] = Recent(3)
    made = {key: key.__index__ for key in range(5)}

    def use(start: int) -> list[int]:
        keys = [(start + step) % 5 for step in range(20_000)]
        return [recent.get_or_make(key, made[key]) - key for key in keys]

    often_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert not any(any(found) for found in threads.map(use, range(4)))
    finally:
        sys.setswitchinterval(often_s)
    assert len(recent) <= 3
