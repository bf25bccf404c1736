"""A real Dask cluster deals the rounds, loses a worker in the middle, and the figures stand."""

import logging
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster

from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.simulation.simulation import BLOCK, simulate
from tests.cli.running import run
from tests.reference.paytables import MARYLAND


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


def test_a_worker_that_dies_changes_no_figure(cluster: LocalCluster) -> None:
    rules = resolve(load(MARYLAND), {})
    bet, rounds = {"ante": 1, "pair_plus": 1}, 16 * BLOCK
    done: list[int] = []
    with (
        Client(cluster) as client,  # type: ignore[no-untyped-call]
        client.get_executor() as executor,
    ):
        workers = client.run(os.getpid)

        def report(count: int) -> None:
            if not done:
                os.kill(next(iter(workers.values())), signal.SIGKILL)
            done.append(count)

        there = simulate(rules, bet, rounds=rounds, seed=5, executor=executor, report=report)
        after = client.run(os.getpid)
    here = simulate(rules, bet, rounds=rounds, seed=5)
    assert sum(done) == rounds
    assert set(after.values()) != set(workers.values())
    assert (there.mean, there.variance, there.counts) == (here.mean, here.variance, here.counts)


def test_the_command_hands_its_work_to_a_cluster(cluster: LocalCluster) -> None:
    words = ("simulate", MARYLAND, "--rounds", str(2 * BLOCK), "--seed", "5", "--json")
    there = run(*words, "--cluster", cluster.scheduler_address).data
    here = run(*words).data
    assert there["analyses"] == here["analyses"]


def test_no_scheduler_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier.cli.workers._WAIT_SECONDS", 0.2)
    ran = run("simulate", MARYLAND, "--cluster", "tcp://127.0.0.1:9")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("croupier: --cluster: no scheduler answers there")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = run("simulate", MARYLAND, "--cluster", "tcp://127.0.0.1:9")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("croupier: --cluster needs the extra 'cluster': ")
    assert ran.err.endswith("setup cluster\n")
