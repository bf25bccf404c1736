"""Holds the lines between the rooms: who imports whom, what stays pure, and what only data names.

Each gate is a function from source text to findings, so that it can be shown to bite.
"""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from croupier import __all__ as PUBLIC

SRC = Path(__file__).parent.parent / "src/croupier"
BOOKS = sorted((SRC / "rulebooks").glob("*.toml"))

# What a room may import, besides itself. A new room declares itself here.
WORDS = {"cards", "courts", "errors", "money", "reading", "recent", "svg"}
TO_HANDS = WORDS | {"hands"}
TO_RULES = TO_HANDS | {"rules"}
TO_ROUND = TO_RULES | {"round"}
ALL_BUT_DOORS = TO_ROUND | {
    "fairness", "ledger", "odds", "reports", "simulation", "table", "theory",
}  # fmt: skip
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "recent": set(),
    "money": {"errors"},
    "cards": {"errors", "svg"},  # A card draws itself in a notebook.
    "courts": set(),
    "svg": {"cards", "courts", "errors"},
    "reading": {"cards", "errors", "money"},
    "schemas": {"errors"},
    "hands": WORDS,
    "fairness": {"cards", "errors"},  # A deck can know neither bets nor players.
    "rules": TO_HANDS,
    "round": TO_RULES,
    "table": TO_ROUND,
    "client": {"errors", "fairness", "gallery", "recent"},  # It cuts the deck, and checks the deal.
    "gym": TO_ROUND,
    "odds": TO_ROUND,  # Counts; nothing here is drawn at random.
    "simulation": TO_ROUND | {"odds"},
    "ledger": TO_ROUND | {"fairness", "table"},  # An auditor follows the cut and the tray.
    "reports": TO_ROUND | {"odds"},  # A PAR sheet prints what the mathematics found.
    # Rounds of the journal, priced; correlations are counted over the cases of a simulator.
    "theory": TO_ROUND | {"ledger", "odds", "reports", "simulation"},
    "house": ALL_BUT_DOORS,  # A table does not know who looks on.
    "gallery": ALL_BUT_DOORS | {"house"},
    "web": set(),
    "server": ALL_BUT_DOORS | {"gallery", "house", "web"},
    "cli": ALL_BUT_DOORS | {"client", "gallery", "house", "schemas", "server"},
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
    "__init__.py": {"files"},  # `importlib`, to import public names when they are used.
    "errors.py": {"files"},  # The metadata of an installation, for the packages of an extra.
    "schemas/": {"files"},  # The schemas are files of the package.
    "rules/load.py": {"files"},  # The one place that reads rulebooks, from the package or a folder.
    "fairness/checker.py": {"files"},  # A program that players keep and run alone.
    "ledger/stores/": EVERYTHING,
    "client.py": EVERYTHING,
    "recent.py": {"process"},  # A lock, because threads share a cache.
    "house/": EVERYTHING,
    "gallery/outbox.py": {"network"},  # Frames that can wait go out by the event loop's timer.
    "server/": EVERYTHING,
    "cli/": EVERYTHING,
}
# These make a generator from a seed that is given; without one they ask the system.
SEEDED = {"Generator", "PCG64", "PCG64DXSM", "Philox", "SeedSequence", "default_rng"}

# Only the server speaks HTTP; what a casino does is the same over any other link.
FRAMEWORKS = {"fastapi", "httpx", "jinja2", "pydantic", "starlette", "uvicorn", "websockets"}
WITHOUT_FRAMEWORK = {"house", "gallery"}

EXACT = {"cards", "ledger", "money", "round", "rules", "table"}

# Tables of a rulebook whose keys are names that only data may know.
NAMING = ("bonus", "envy", "extra", "meter", "paytable", "ruling", "wager")
# Strings of the code that are names by coincidence, each with the reason: (path, string).
COINCIDENCES: dict[tuple[str, str], str] = {
    ("cli/__init__.py", "play"): "the name of a command",
}

# The casino's own words, as books, rounds, tables, ledgers and players say them. Where two of these
# modules share a name, the code reads it through its module: `round.Bet`, `table.Leave`.
VOCABULARIES = {
    "house/said.py",
    "ledger/acts.py",
    "ledger/events.py",
    "round/commands.py",
    "round/events.py",
    "rules/game.py",
    "table/commands.py",
    "table/events.py",
}
ALIAS = re.compile(r"[A-Z]\w*[a-z]\w*")
# Any other name that two modules define, with the reason.
SHARED_NAMES = {
    "Deck": "what a book says of a deck, and how one stands at a table",
    "Fault": "what is wrong with data, and what an HTTP answer says (a name of the API's schema)",
    "Rate": "what a book says of a fee, and what a limit allows a second",
    "Table": "what a book says of a table, its state, and a live one, each the subject of its room",
}


TESTS = Path(__file__).parent
# Folders of tests that belong to no single room, with the reason.
TESTS_OF_NO_ROOM = {
    "data": "rulebooks that tests of several rooms read",
    "pages": "pages are of server/ and web/; one server and one browser serve their tests",
    "reference": "the rules and the odds a second time, by another way, which uses no room",
    "rounds": "worked rounds, as files",
    "table_page": "the same for pages on which a round is played, in a house with its tables",
    "whole": "a whole house under faults from a seed",
}


def room_of(path: str) -> str:
    return PurePosixPath(path).parts[0].removesuffix(".py")


@lru_cache(maxsize=1)
def nodes(source: str) -> list[ast.AST]:
    """Everything in a source; a gate looks at one several times."""
    return list(ast.walk(ast.parse(source)))


def imported(source: str, path: str) -> Iterator[tuple[int, str]]:
    """Every module that a source imports, with its line; relative imports are resolved."""
    package = ["croupier", *PurePosixPath(path).parent.parts]
    for node in nodes(source):
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


def framed(source: str, path: str) -> list[str]:
    """Web frameworks where a table must not know of them."""
    if room_of(path) not in WITHOUT_FRAMEWORK:
        return []
    return [
        f"{path}:{line}: {name} is a web framework"
        for line, name in imported(source, path)
        if name.split(".")[0] in FRAMEWORKS
    ]


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
    for node in nodes(source):
        if isinstance(node, ast.Call):
            yield node.lineno, dotted(node.func), len(node.args) + len(node.keywords)


def floats(source: str, path: str) -> list[str]:
    """Floating point where money is: literals and conversions."""
    if room_of(path) not in EXACT:
        return []
    literals = [
        node.lineno
        for node in nodes(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]
    conversions = [line for line, name, _ in calls(source) if name == "float"]
    return [f"{path}:{line}: a float" for line in sorted([*literals, *conversions])]


def identities(source: str, path: str) -> list[str]:
    """Objects known by their ids: another object gets the same id once the first is gone."""
    return [f"{path}:{line}: id()" for line, name, _ in calls(source) if name == "id"]


def names_of(book: dict[str, Any]) -> set[str]:
    """The names of one book that only data may know."""
    names = {name.casefold() for table in NAMING for name in book.get(table, {})}
    # A key that is also a table of the format is one of its words (envy), which code may read.
    return names - set(book)


def named(source: str, path: str, *, names: set[str], parts: set[str]) -> list[str]:
    """Strings that are one of the names, or hold one of the parts."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    commands = {id(node) for node in command_names(tree)} if path.startswith("cli/") else set()
    spared = prose | commands
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) in spared or (path, node.value) in COINCIDENCES:
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


def namesakes(sources: Mapping[str, str]) -> list[str]:
    """Public classes, and aliases that others import, of one name in several modules.

    Vocabularies may share names among themselves.
    """
    taken = {
        (node.module, alias.name)
        for source in sources.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    places: dict[str, list[str]] = {}
    for path, source in sources.items():
        module = "croupier." + path.removesuffix(".py").replace("/", ".")
        for node in ast.parse(source).body:
            match node:
                case ast.ClassDef(name=name) if not name.startswith("_"):
                    places.setdefault(name, []).append(path)
                case ast.Assign(targets=[ast.Name(id=name)]) if (module, name) in taken:
                    if ALIAS.fullmatch(name):
                        places.setdefault(name, []).append(path)
    return [
        f"{name}: {', '.join(paths)}"
        for name, paths in sorted(places.items())
        if len(paths) > 1 and not set(paths) <= VOCABULARIES
    ]


def test_one_name_means_one_thing() -> None:
    files = sorted(SRC.rglob("*.py"))
    found = namesakes({str(file.relative_to(SRC)): file.read_text() for file in files})
    assert [line for line in found if line.split(":")[0] not in SHARED_NAMES] == []
    # A reason for a name that is no longer shared goes too.
    assert SHARED_NAMES.keys() == {line.split(":")[0] for line in found}


def test_namesakes_are_found() -> None:
    twice = {"odds/a.py": "class Row: ...\nclass _Own: ...", "ledger/b.py": "class Row: ..."}
    assert namesakes(twice | {"cli/c.py": "class _Own: ..."}) == ["Row: odds/a.py, ledger/b.py"]
    words = {"round/commands.py": "class Bet: ...", "house/said.py": "class Bet: ..."}
    assert namesakes(words) == []
    assert namesakes(words | {"odds/a.py": "class Bet: ..."}) != []
    alias = {"odds/a.py": "class Row: ...", "ledger/b.py": "Row = tuple[int]"}
    assert namesakes(alias) == []
    user = {"ledger/c.py": "from croupier.ledger.b import Row"}
    assert namesakes(alias | user) == ["Row: odds/a.py, ledger/b.py"]


def astray(source: str, path: str) -> list[str]:
    """A module of tests in the folder of a room that neither it nor its helpers come from."""
    room = room_of(path)
    if room in TESTS_OF_NO_ROOM:
        return []
    # What is imported from `croupier` itself may be of any room.
    homes = {f"croupier.{room}", f"tests.{room}", *map("croupier.{}".format, PUBLIC)}
    names = [".".join(name.split(".")[:2]) for _, name in imported(source, f"tests/{path}")]
    return [] if homes & {*names} else [f"{path} uses nothing of {room}"]


def test_tests_stand_where_their_room_stands() -> None:
    # Folders that were moved away leave compiled files behind.
    files = [file for file in TESTS.glob("*/**/*.*") if "__pycache__" not in file.parts]
    paths = {str(file.relative_to(TESTS)): file for file in files}
    rooms = {room_of(str(file.relative_to(SRC))) for file in SRC.rglob("*.py")}
    assert {*map(room_of, paths)} - rooms == TESTS_OF_NO_ROOM.keys()
    tests = [path for path in paths if PurePosixPath(path).match("test_*.py")]
    assert [line for path in tests for line in astray(paths[path].read_text(), path)] == []


def test_tests_that_went_astray_are_found() -> None:
    path = "odds/test_a.py"
    assert astray("from croupier.rules.load import load", path) == [f"{path} uses nothing of odds"]
    for home in ("from croupier.odds.a import b", "from tests.odds.a import b"):
        assert astray(home, path) == []
    assert astray("from croupier import analyze", path) == []


def test_rooms_import_only_downwards() -> None:
    assert findings(misdirected) == []


def test_pure_rooms_touch_nothing_outside() -> None:
    assert findings(impurities) == []


def test_house_and_gallery_know_no_web_framework() -> None:
    assert findings(framed) == []


def test_no_float_comes_near_money() -> None:
    assert findings(floats) == []


def test_only_data_names_books_games_wagers_payouts_and_rulings() -> None:
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
        (
            "odds/a.py",
            "from croupier.simulation import x",
            ["odds/a.py:1: odds may not import simulation"],
        ),
        ("simulation/a.py", "from croupier.odds import x", []),
        ("rules/a/b.py", "from ..c import x\nfrom ...hands import y", []),
        ("round/a.py", "from croupier.rules.model import x", []),
        ("cli/a.py", "from croupier import __version__, server", []),
        (
            "fairness/a.py",
            "from croupier.round import x",
            ["fairness/a.py:1: fairness may not import round"],
        ),
        (
            "house/a.py",
            "from croupier.gallery.scene import x",
            ["house/a.py:1: house may not import gallery"],
        ),
        ("gallery/a.py", "from croupier.house.standing import x", []),
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


def test_frameworks_bite() -> None:
    source = "from fastapi import FastAPI\nimport orjson"
    assert framed(source, "house/a.py") == ["house/a.py:1: fastapi is a web framework"]
    assert framed(source, "server/a.py") == []


def test_floats_bite() -> None:
    source = "a = 0.5\nb = float(c)\nd = 1\ne: float | None = None\n"
    assert floats(source, "money.py") == ["money.py:1: a float", "money.py:2: a float"]
    assert floats(source, "odds/a.py") == []


def test_nothing_is_known_by_its_id() -> None:
    assert findings(identities) == []
    assert identities("a = {id(b): b}\nid = c.id(d)", "odds/a.py") == ["odds/a.py:1: id()"]


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
