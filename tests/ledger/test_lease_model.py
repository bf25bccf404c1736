"""The lease protocol under a seeded scheduler: the right one never errs, each mutant soon does."""

from collections import Counter

import pytest

from tests.ledger.lease_model import Protocol, World, faults_in

RIGHT = Protocol()
MUTANTS = {
    "the epoch is read without a lock": RIGHT._replace(locked=False),
    "the fence is a number": RIGHT._replace(lease=False, hash=False),
    "a hash without a lease": RIGHT._replace(lease=False),
    "the lease is locked in the first transaction only": RIGHT._replace(every=False),
    "a take-over doesn't raise the epoch": RIGHT._replace(raised=False),
}
SEEDS, SEEDS_LONG = 12, 500
FALLS_WITHIN = 12
"""Seeds within which every mutant falls."""


def searched(protocol: Protocol, seeds: range) -> tuple[dict[int, list[str]], Counter[str]]:
    """Return the faults of the histories that have any, by seed, and what happened in all."""
    bad, seen = dict[int, list[str]](), Counter[str]()
    for seed in seeds:
        world = World(seed, protocol).run()
        seen += world.seen
        seen["taken"] += sum(map(len, world.taken.values()))
        seen["acknowledged"] += len(world.acknowledged)
        if found := faults_in(world):
            bad[seed] = found
    return bad, seen


def check_reached(seen: Counter[str], seeds: int) -> None:
    """Something was there to go wrong, in the mean of all histories."""
    least = {"taken": 10, "acknowledged": 30, "pauses": 10, "kills": 2, "cuts": 3, "Broken": 5}
    assert [name for name, count in least.items() if seen[name] < count * seeds] == []
    assert seen["alive"] >= seeds  # Nodes that were declared dead while they were alive.
    assert seen["Refused"] >= seeds // 4  # Stale owners whose appends the fence refused.


def test_the_right_protocol_has_no_bad_history() -> None:
    bad, seen = searched(RIGHT, range(SEEDS))
    assert bad == {}
    check_reached(seen, SEEDS)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_each_mutant_falls_within_a_dozen_seeds(mutant: str) -> None:
    assert any(faults_in(World(seed, MUTANTS[mutant]).run()) for seed in range(FALLS_WITHIN))


def test_a_seed_is_a_history() -> None:
    one, two = (World(7, RIGHT).run() for _ in range(2))
    assert one.database.journal == two.database.journal
    assert (one.acknowledged, one.seen, one.taken) == (two.acknowledged, two.seen, two.taken)
    assert World(8, RIGHT).run().acknowledged != one.acknowledged


def test_the_checker_finds_what_was_changed_in_a_right_history() -> None:
    world = World(7, RIGHT).run()
    events = world.database.journal["maryland"]
    assert faults_in(world) == [] and len(events) > 5
    kept = list(events)
    for changed in (
        kept[:3] + kept[4:],
        [*kept[:3], kept[3]._replace(decided_on=1), *kept[4:]],
        [*kept, kept[-1]._replace(epoch=-1)],
        [*kept[:-1], kept[-1]._replace(command=kept[0].command)],
        kept[:-1],
    ):
        events[:] = changed
        assert faults_in(world) != []


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_five_hundred_histories_of_each_protocol() -> None:
    bad, seen = searched(RIGHT, range(SEEDS_LONG))
    print(f"right: {len(bad)} of {SEEDS_LONG} bad; {dict(seen)}")
    assert bad == {}
    check_reached(seen, SEEDS_LONG)
    for name, mutant in MUTANTS.items():
        found, _ = searched(mutant, range(SEEDS_LONG))
        states = sum("another state" in fault for faults in found.values() for fault in faults)
        print(f"{name}: {len(found)} of {SEEDS_LONG} bad; {states} decided on another state")
        assert len(found) > SEEDS_LONG // 10
