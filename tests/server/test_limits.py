"""Buckets, locks, and what is counted together."""

import pytest

from croupier.server.limits import FORGOTTEN_S, Bucket, Buckets, Lock, Rate, Tries, neighbourhood
from tests.server.doors import Clock


def test_a_bucket_fills_again() -> None:
    clock = Clock()
    bucket = Bucket(Rate(2, 3), clock)
    assert [bucket.take() for _ in range(5)] == [True] * 3 + [False] * 2
    assert bucket.wait_s() == 0.5
    clock.now += 0.5
    assert [bucket.take(), bucket.take()] == [True, False]
    clock.now += 1_000
    assert [bucket.take() for _ in range(4)] == [True] * 3 + [False]


def test_what_is_counted_is_bounded() -> None:
    buckets = Buckets(Rate(0.001, 1), held_max=100)
    assert not all(buckets["first"].take() for _ in range(2))
    for number in range(99):
        buckets[str(number)].take()
    assert not buckets["first"].take()
    for number in range(1_000):
        buckets[str(number)].take()
    assert len(buckets) == 100
    assert buckets["first"].take()


def test_a_lock_is_forgotten_after_an_hour() -> None:
    lock, tries = Lock(3), Tries()
    for _ in range(4):
        tries = lock.failed(tries, 7.0)
    assert tries.wait_s(7.0) == 10
    later_s = 7.0 + FORGOTTEN_S + 1
    assert lock.failed(tries, later_s).wait_s(later_s) == 0


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::/64"),
        ("2001:db8:0:0:ffff::7", "2001:db8::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_neighbours_are_counted_together(address: str, counted: str) -> None:
    assert neighbourhood(address) == counted
