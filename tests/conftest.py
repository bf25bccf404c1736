"""What all tests share."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A shell starts what runs in its background with interrupts ignored, and everything that is started
# from there inherits it: programs under test would not hear the Ctrl-C that a test sends them.
signal.signal(signal.SIGINT, signal.default_int_handler)
# nohup does the same with hangups. A handler isn't inherited, so programs under test hear theirs,
# while the tests themselves go on when their terminal closes.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# Hundreds of processes are started here, and none must compile again what another has compiled.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test goes beyond the loopback, so none needs the authorities of the world: a client that reads
# all their certificates does little else. This folder has none.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)

# Ten thousand tests are made and all of them stay: there is no garbage to look for meanwhile, and
# none among them later.
gc.disable()

# The same examples every time, however busy the machine; `./test --long` looks for new ones.
# A busy machine is slow, and no test is at fault for it.
PATIENT = [HealthCheck.too_slow]
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=PATIENT)
settings.register_profile("long", deadline=None, max_examples=2_000, suppress_health_check=PATIENT)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker by which a test says which clauses of a book it shows."""
    config.addinivalue_line("markers", "clause(book, *ids): shows these clauses enforced")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run three tests on two cores: they wait for disks, sockets and browsers for half of it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) * 3 // 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-browser", action="store_true", help="leave out tests in a browser")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the browser tests where ./test finds no browser."""
    if config.getoption("--no-browser"):
        inside = {item for item in items if "browser" in getattr(item, "fixturenames", ())}
        config.hook.pytest_deselected(items=[*inside])
        items[:] = [item for item in items if item not in inside]


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no lease end by itself, however busy the machine is; nodes renew theirs as ever."""
    monkeypatch.setattr("croupier.ledger.tenure.TTL_MS", 600_000)
    monkeypatch.setattr("croupier.ledger.tenure.RENEWALS", 480)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Run one PostgreSQL for all tests of a process; each makes a database of its own there."""
    from tests.ledger.servers import postgres  # Most runs need none.

    with postgres() as where:
        yield where
