"""Holds the lines between the rooms: who imports whom, what stays pure, and what only data names.

Each gate is a function from source text to findings, so that it can be shown to bite.
"""

import ast
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

SRC = Path(__file__).parent.parent / "src/croupier"
BOOKS = sorted((SRC / "rulebooks").glob("*.toml"))

# What a room may import, besides itself. A new room declares itself here.
WORDS = {"cards", "errors", "money", "svg"}
TO_HANDS = WORDS | {"hands"}
TO_RULES = TO_HANDS | {"rules"}
TO_ROUND = TO_RULES | {"round"}
ALL_BUT_DOORS = TO_ROUND | {"fairness", "ledger", "odds", "reports", "table"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "money": {"errors"},
    "cards": {"errors", "svg"},  # A card draws itself in a notebook.
    "svg": {"cards", "errors"},
    "hands": WORDS,
    "fairness": {"cards", "errors"},  # A deck can know neither bets nor players.
    "rules": TO_HANDS,
    "round": TO_RULES,
    "table": TO_ROUND,
    "client": {"errors", "server"},
    "gym": TO_ROUND,
    "odds": TO_ROUND,
    "ledger": TO_ROUND,
    "reports": TO_ROUND | {"odds"},  # A PAR sheet prints what the mathematics found.
    "web": set(),
    "server": ALL_BUT_DOORS | {"web"},
    "cli": ALL_BUT_DOORS | {"client", "server"},
    "__init__": ALL_BUT_DOORS,
    "__main__": {"cli"},
}

# The outside world, by kind. What is not named in MAY_TOUCH touches none of it.
WORLD = {
    "clock": {"sched", "time"},
    "chance": {"random", "secrets", "uuid"},
    "files": {"glob", "importlib", "io", "open", "os", "pathlib", "shutil", "tempfile"},
    "network": {"asyncio", "ftplib", "http", "select", "smtplib", "socket", "ssl", "urllib"},
    "database": {"apsw", "dbm", "psycopg", "shelve", "sqlite3"},
    "process": {"input", "multiprocessing", "signal", "subprocess", "threading"},
}
EVERYTHING = set(WORLD)
MAY_TOUCH = {
    "rules/load.py": {"files"},  # The one place that reads rulebooks, from the package or a folder.
    "fairness/checker.py": {"files"},  # A program that players keep and run alone.
    "ledger/stores/": EVERYTHING,
    "client.py": EVERYTHING,
    "server/": EVERYTHING,
    "cli/": EVERYTHING,
}
# These make a generator from a seed that is given; without one they ask the system.
SEEDED = {"Generator", "PCG64", "PCG64DXSM", "Philox", "SeedSequence", "default_rng"}

EXACT = {"cards", "ledger", "money", "round", "rules", "table"}

# Tables of a rulebook whose keys are names that only data may know.
NAMING = ("bonus", "envy", "extra", "meter", "paytable", "wager")
# Strings of the code that are names by coincidence, each with the reason: (path, string).
COINCIDENCES: dict[tuple[str, str], str] = {
    ("cli/__init__.py", "play"): "the name of a command",
}


def room_of(path: str) -> str:
    return PurePosixPath(path).parts[0].removesuffix(".py")


def imported(source: str, path: str) -> Iterator[tuple[int, str]]:
    """Every module that a source imports, with its line; relative imports are resolved."""
    package = ["croupier", *PurePosixPath(path).parent.parts]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = package[: len(package) - level + 1] if level else []
                base = ".".join([*start, *([module] if module else [])])
                # `from croupier import rules` names the room after the import.
                whole = base == "croupier"
                found = [f"{base}.{alias.name}" for alias in names] if whole else [base]
                yield from ((node.lineno, name) for name in found)


def misdirected(source: str, path: str) -> list[str]:
    """Imports that run against the direction of the rooms."""
    room = room_of(path)
    if room not in MAY_IMPORT:
        return [f"{path}: the room {room} is not declared"]
    found = []
    for line, name in imported(source, path):
        if name.split(".")[0] != "croupier":
            continue
        target = name.split(".")[1] if "." in name else "__init__"
        # The version is all that the package itself offers to its rooms.
        if target not in MAY_IMPORT[room] | {room, "__init__", "__version__"}:
            found.append(f"{path}:{line}: {room} may not import {target}")
    return found


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value)}.{attr}"
    return ""


def impurities(source: str, path: str) -> list[str]:
    """Clock, chance, files, network, databases and processes where they do not belong."""
    allowed = set[str]().union(*(MAY_TOUCH[place] for place in MAY_TOUCH if path.startswith(place)))
    touched = [(line, name.split(".")[0], name) for line, name in imported(source, path)]
    touched += [(line, name, f"{name}()") for line, name, _ in calls(source) if "." not in name]
    kinds = {name: kind for kind in EVERYTHING - allowed for name in WORLD[kind]}
    found = [
        f"{path}:{line}: {what} is {kinds[name]}" for line, name, what in touched if name in kinds
    ]
    for line, name, arguments in calls(source):
        last = name.split(".")[-1]
        seeded = last in SEEDED and arguments > 0
        faults = {
            "clock": last in {"now", "today", "utcnow"},
            "chance": (".random." in f".{name}" or last == "default_rng") and not seeded,
            "files": last == "__import__",
        }
        found += [
            f"{path}:{line}: {name}() is {kind}" for kind in faults.keys() - allowed if faults[kind]
        ]
    return sorted(set(found))


def calls(source: str) -> Iterator[tuple[int, str, int]]:
    """Line, dotted name and number of arguments of every call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield node.lineno, dotted(node.func), len(node.args) + len(node.keywords)


def floats(source: str, path: str) -> list[str]:
    """Floating point where money is: literals and conversions."""
    if room_of(path) not in EXACT:
        return []
    literals = [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]
    conversions = [line for line, name, _ in calls(source) if name == "float"]
    return [f"{path}:{line}: a float" for line in sorted([*literals, *conversions])]


def names_of(book: dict[str, Any]) -> set[str]:
    """The names of one book that only data may know."""
    names = {name for table in NAMING for name in book.get(table, {})}
    # A key that is also a table of the format is one of its words (envy), which code may read.
    return names - set(book)


def named(source: str, path: str, *, names: set[str], parts: set[str]) -> list[str]:
    """Strings that are one of the names, or hold one of the parts."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    commands = {id(node) for node in command_names(tree)} if path.startswith("cli/") else set()
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) in prose | commands or (path, node.value) in COINCIDENCES:
            continue
        text = node.value.casefold()
        if text in names or any(part.casefold() in text for part in parts):
            found.append(f"{path}:{node.lineno}: {node.value!r} is for data to say")
    return found


def command_names(tree: ast.Module) -> Iterator[ast.expr]:
    """What is given to `.command(…)` and `.add_typer(…)`: the names of commands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func).endswith((".command", ".add_typer")):
            yield from node.args[:1]
            yield from (word.value for word in node.keywords if word.arg == "name")


def findings(gate: Callable[[str, str], list[str]]) -> list[str]:
    """What a gate finds in the whole package."""
    files = sorted(SRC.rglob("*.py"))
    assert files
    return [line for file in files for line in gate(file.read_text(), str(file.relative_to(SRC)))]


def test_rooms_import_only_downwards() -> None:
    assert findings(misdirected) == []


def test_pure_rooms_touch_nothing_outside() -> None:
    assert findings(impurities) == []


def test_no_float_comes_near_money() -> None:
    assert findings(floats) == []


def test_only_data_names_books_games_wagers_and_payouts() -> None:
    assert BOOKS
    books = [tomllib.loads(path.read_text()) for path in BOOKS]
    names = set[str]().union(*map(names_of, books))
    parts = {path.stem for path in BOOKS} | {
        book[key] for book in books for key in ("game", "title")
    }
    assert findings(lambda source, path: named(source, path, names=names, parts=parts)) == []


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("cards.py", "import croupier.rules.model", ["cards.py:1: cards may not import rules"]),
        ("rules/a.py", "from croupier import odds", ["rules/a.py:1: rules may not import odds"]),
        ("rules/a.py", "from ..round import x", ["rules/a.py:1: rules may not import round"]),
        ("rules/a.py", "from .. import round", ["rules/a.py:1: rules may not import round"]),
        ("odds/a.py", "from croupier.table.a import x", ["odds/a.py:1: odds may not import table"]),
        ("rules/a/b.py", "from ..c import x\nfrom ...hands import y", []),
        ("round/a.py", "from croupier.rules.model import x", []),
        ("cli/a.py", "from croupier import __version__, server", []),
        (
            "fairness/a.py",
            "from croupier.round import x",
            ["fairness/a.py:1: fairness may not import round"],
        ),
        ("attic/a.py", "", ["attic/a.py: the room attic is not declared"]),
    ],
)
def test_direction_bites(path: str, source: str, expected: list[str]) -> None:
    assert misdirected(source, path) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("round/a.py", "import time", ["round/a.py:1: time is clock"]),
        ("round/a.py", "datetime.now()", ["round/a.py:1: datetime.now() is clock"]),
        ("odds/a.py", "from random import choice", ["odds/a.py:1: random is chance"]),
        ("odds/a.py", "np.random.rand(3)", ["odds/a.py:1: np.random.rand() is chance"]),
        ("odds/a.py", "np.random.default_rng(seed)", []),
        ("odds/a.py", "default_rng()", ["odds/a.py:1: default_rng() is chance"]),
        ("rules/a.py", "import os.path", ["rules/a.py:1: os.path is files"]),
        ("rules/a.py", "open(x)", ["rules/a.py:1: open() is files"]),
        ("rules/a.py", "__import__(x)", ["rules/a.py:1: __import__() is files"]),
        ("rules/load.py", "from pathlib import Path\nimport importlib.resources", []),
        ("rules/load.py", "import time", ["rules/load.py:1: time is clock"]),
        ("fairness/shuffle.py", "import os", ["fairness/shuffle.py:1: os is files"]),
        ("ledger/a.py", "import sqlite3", ["ledger/a.py:1: sqlite3 is database"]),
        ("ledger/stores/a.py", "import sqlite3", []),
        ("svg.py", "import socket", ["svg.py:1: socket is network"]),
        ("hands/a.py", "import subprocess", ["hands/a.py:1: subprocess is process"]),
        ("cli/a.py", "import os, time\nopen(x)", []),
    ],
)
def test_purity_bites(path: str, source: str, expected: list[str]) -> None:
    assert impurities(source, path) == expected


def test_floats_bite() -> None:
    source = "a = 0.5\nb = float(c)\nd = 1\ne: float | None = None\n"
    assert floats(source, "money.py") == ["money.py:1: a float", "money.py:2: a float"]
    assert floats(source, "odds/a.py") == []


def test_names_bite() -> None:
    source = '''"""A docstring may say mikado."""
a = "mikado"
b = f"a round of Spillikins with {a}"
match a:
    case "see-spillikins-here":
        pass
c = "mikado and more"
app.command("mikado")(a)
'''
    found = named(source, "cli/a.py", names={"mikado"}, parts={"spillikins"})
    assert [line.split(":")[1] for line in found] == ["2", "3", "5"]
    assert named('x.command("mikado")', "odds/a.py", names={"mikado"}, parts=set()) != []


def test_words_of_the_format_are_not_names() -> None:
    book: dict[str, Any] = {
        "wager": {"mikado": {}, "envy": {}},
        "envy": {"five": {}},
        "seat": {"left": {}},
    }
    assert names_of(book) == {"mikado", "five"}
