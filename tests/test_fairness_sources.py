"""Where chance may come from: neither the room nor the commands beside it know any generator."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src/croupier"
FILES = [*sorted((SRC / "fairness").glob("*.py")), SRC / "cli/rng.py"]

FORBIDDEN = {
    *("random", "numpy", "secrets", "uuid", "time", "datetime", "getpid", "getppid", "getrandom"),
    *("default_rng", "Random", "SystemRandom", "RandomState", "Generator", "seed", "urandom"),
    *("perf_counter", "monotonic", "times", "id", "hash", "SHUFFLE", "environ", "__import__"),
}
FIELDS = {"hash"}
"""Names that only a call makes suspicious; contributions have a field of this name."""
# The commands are an edge: there the entropy of the system comes in.
ALLOWED = {"rng.py": {"urandom"}}


def words(source: str) -> Iterator[tuple[int, str]]:
    """Every name that a source imports, reads or calls, with its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, part) for a in names for part in a.name.split("."))
            case ast.ImportFrom(module=module, names=names):
                yield from ((node.lineno, part) for part in (module or "").split("."))
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name) if name in FIELDS:
                continue
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield node.lineno, name


def chances(source: str, name: str) -> list[str]:
    """Generators, clocks and process numbers in a source."""
    forbidden = FORBIDDEN - ALLOWED.get(name, set())
    return sorted({f"{name}:{line}: {word}" for line, word in words(source) if word in forbidden})


def test_no_generator_clock_or_process_number_is_near_the_deal() -> None:
    assert len(FILES) >= 6
    assert [line for file in FILES for line in chances(file.read_text(), file.name)] == []


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import shuffle",
        "import numpy.random",
        "import numpy as np\nnp.random.default_rng(7)",
        "from time import time",
        "import os\nos.getpid()",
        "import os\nos.urandom(1)",
        "import secrets",
        "rng.seed(7)",
        "__import__(x)",
        "hash(x)",
    ],
)
def test_every_other_source_of_chance_is_found(source: str) -> None:
    assert chances(source, "shuffle.py") != []


def test_only_the_edge_may_ask_the_system() -> None:
    assert chances("import os\nos.urandom(1)", "rng.py") == []
    assert chances("import os\nos.getpid()", "rng.py") == ["rng.py:2: getpid"]
