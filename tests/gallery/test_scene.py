"""Patches of a scene, and the news that is kept for viewers who come back."""

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from croupier.gallery.gallery import KEPT, News
from croupier.gallery.outbox import FRAMES_MAX, Viewer
from croupier.gallery.scene import patch_of, patched

_seats = st.dictionaries(
    st.sampled_from("1234567"), st.dictionaries(st.sampled_from("ab"), st.integers())
)
scenes = st.fixed_dictionaries(
    {
        "phase": st.sampled_from(["bets", "over"]),
        "round": st.none() | st.text(max_size=3),
        "seats": _seats,
        "boxes": _seats,
        "faces": st.dictionaries(st.text(max_size=2), st.text(max_size=2)),
    }
)


@given(scenes, scenes)
def test_a_patch_makes_the_next_scene_of_the_last(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    patch = patch_of(before, after)
    assert patched(before, patch) == after
    assert all(before[key] != after[key] for key in patch)


def test_a_patch_of_seats_brings_only_those_that_changed() -> None:
    before = {"boxes": {"1": {"a": 1}, "2": {"a": 2}, "3": {}}}
    after = {"boxes": {"1": {"a": 1}, "2": {"a": 3}}}
    assert patch_of(before, after) == {"boxes": {"2": {"a": 3}, "3": None}}


def test_news_is_kept_for_a_while() -> None:
    news = News(10)
    assert news.since(10) == [] and news.since(9) is None and news.since(11) is None
    for number in range(11, 11 + KEPT + 5):
        news.keep(number, f"frame {number}")
    last = 10 + KEPT + 5
    assert news.since(last) == [] and news.since(last + 1) is None
    assert news.since(last - 2) == [f"frame {last - 1}", f"frame {last}"]
    assert news.since(15) is not None and news.since(14) is None


def test_a_slow_reader_is_cut_and_keeps_nothing() -> None:

    async def scenario() -> None:
        viewer = Viewer(None)
        for number in range(FRAMES_MAX):
            viewer.send(str(number))
        assert not viewer.slow and viewer.waiting == FRAMES_MAX
        viewer.send("one more")
        assert viewer.slow and viewer.waiting == 0
        assert await viewer.frames() == []

    asyncio.run(scenario())


def test_what_waits_is_sent_before_a_socket_is_closed() -> None:

    async def scenario() -> None:
        viewer = Viewer("p")
        viewer.send("last")
        viewer.end(4403)
        assert await viewer.frames() == ["last"]
        assert await viewer.frames() == [] and viewer.code == 4403

    asyncio.run(scenario())
