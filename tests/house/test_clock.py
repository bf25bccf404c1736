"""The clock of a table: a wait keeps running while it lasts, and the next one starts over."""

from croupier.house.clock import Clock, Wait

DEAL = Wait("deal", 20_000, about=("t-1",))
CHOOSE = Wait("choose", 30_000, seat=2, about=("t-1", 3))


def test_a_wait_that_goes_on_keeps_running() -> None:
    clock = Clock().now(DEAL, 1_000)
    assert clock.due_ms == 21_000
    assert clock.now(DEAL, 9_000) is clock
    assert clock.now(DEAL._replace(ms=0), 9_000).due_ms == 1_000  # Everybody is ready.


def test_another_wait_starts_over_without_what_was_added() -> None:
    longer = Clock().now(CHOOSE, 1_000).longer(30_000)
    assert (longer.due_ms, longer.more_times) == (61_000, 1)
    after = longer.now(CHOOSE._replace(seat=3), 5_000)
    assert (after.due_ms, after.extra_ms, after.more_times) == (35_000, 0, 0)
    assert longer.now(None, 5_000).due_ms is None


def test_no_deal_comes_before_its_time() -> None:
    clock = Clock(not_before_ms=7_000)
    assert clock.now(Wait("deal", 0), 1_000).due_ms == 7_000
    assert clock.now(Wait("deal", 9_000), 1_000).due_ms == 10_000
    assert clock.now(Wait("open", 0), 1_000).due_ms == 1_000
    assert clock.now(DEAL, 1_000).not_before_ms == 7_000


def test_viewers_see_only_waits_that_somebody_can_end() -> None:
    clock = Clock().now(CHOOSE, 1_000).longer(10_000)
    assert clock.countdown(6_000) == {
        "for": "decide",
        "left_ms": 35_000,
        "of_ms": 40_000,
        "seat": 2,
    }
    assert clock.countdown(90_000) == {"for": "decide", "left_ms": 0, "of_ms": 40_000, "seat": 2}
    assert Clock().now(Wait("show", 1_200), 0).countdown(0) is None
    assert Clock().now(DEAL._replace(ms=0), 0).countdown(0) is None
    assert Clock().countdown(0) is None
