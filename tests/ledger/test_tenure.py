"""Who may take which stream, decided without a database."""

from collections import Counter

import pytest

from croupier.ledger.tenure import (
    Freehold,
    Lease,
    Node,
    Roster,
    heir,
    is_free,
    may_write,
    to_claim,
    to_hand_over,
    to_lose,
)

STREAMS = [f"t{n}" for n in range(200)]


def register(nodes: str, **leases: str) -> Roster:
    return Roster(
        {name: Node(name, "") for name in nodes},
        {stream: Lease(stream, node, 1) for stream, node in leases.items()},
    )


def test_a_stream_is_free_if_no_living_node_has_it() -> None:
    known = register("ab", t1="a", t2="dead", t3="")
    assert [is_free(known, s) for s in ("t1", "t2", "t3", "t4")] == [False, True, True, True]
    owner = known.owner("t1")
    assert owner and owner.name == "a"


def test_every_node_computes_the_same_heir_and_all_get_their_share() -> None:
    shares = Counter(heir(stream, ["c", "a", "b"]) for stream in STREAMS)
    assert shares == Counter(heir(stream, ["a", "b", "c"]) for stream in STREAMS)
    assert min(shares.values()) > len(STREAMS) / 3 / 2


def test_when_a_node_goes_only_its_own_streams_move() -> None:
    before = {stream: heir(stream, "abc") for stream in STREAMS}
    after = {stream: heir(stream, "ab") for stream in STREAMS}
    assert all(after[s] == node for s, node in before.items() if node != "c")


def test_free_streams_are_claimed_by_their_heirs_once() -> None:
    known = register("ab")
    claimed = [*to_claim(known, "a", STREAMS), *to_claim(known, "b", STREAMS)]
    assert sorted(claimed) == sorted(STREAMS)
    assert to_claim(register("ab", **dict.fromkeys(STREAMS, "a")), "b", STREAMS) == []


def test_a_stream_that_its_heir_does_not_take_is_anybodys() -> None:
    known = register("ab")
    theirs = [s for s in STREAMS if heir(s, "ab") == "b"]
    assert to_claim(known, "a", theirs) == []
    assert to_claim(known, "a", theirs, waited=theirs[:3]) == theirs[:3]


def test_a_node_declared_dead_takes_nothing_and_hands_nothing_over() -> None:
    known = register("b")
    assert to_claim(known, "a", STREAMS) == [] and to_hand_over(known, "a", STREAMS) == []


def test_streams_are_handed_over_to_their_heirs() -> None:
    known = register("ab", **dict.fromkeys(STREAMS, "a"))
    assert to_hand_over(known, "a", STREAMS) == [s for s in STREAMS if heir(s, "ab") == "b"]
    assert to_hand_over(register("a"), "a", STREAMS) == []


def test_a_node_loses_what_is_another_nodes_or_of_another_epoch() -> None:
    known = register("ab", mine="a", theirs="b", free="")
    assert to_lose(known, "a", {"mine": 1, "theirs": 1, "free": 1, "gone": 1}) == [
        "theirs",
        "free",
        "gone",
    ]
    assert to_lose(known, "a", {"mine": 2}) == ["mine"]


def test_a_node_that_drains_hands_everything_over_and_inherits_nothing() -> None:
    known = register("ab", **dict.fromkeys(STREAMS[:100], "a"))
    drains = Roster({**known.nodes, "a": Node("a", "", drains=True)}, known.leases)
    assert to_hand_over(drains, "a", STREAMS[:100]) == STREAMS[:100]
    assert to_claim(drains, "a", STREAMS[100:], waited=STREAMS[100:]) == []
    assert to_claim(drains, "b", STREAMS) == STREAMS[100:]
    alone = Roster({"a": drains.nodes["a"]}, known.leases)
    assert to_hand_over(alone, "a", STREAMS[:100]) == [], "nobody would take them"


@pytest.mark.parametrize(("late_ms", "may"), [(0, True), (3_333, True), (3_334, False)])
def test_a_node_writes_for_two_thirds_of_its_life(late_ms: int, may: bool) -> None:
    assert may_write(10_000 + late_ms, 10_000, 5_000) == may


def test_the_only_process_owns_everything() -> None:
    tenure = Freehold()
    assert tenure.claim(STREAMS) == set(STREAMS) and not tenure.is_shared
