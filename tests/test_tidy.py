"""Holds the limits of the house style and keeps leftovers out of every file.

Each rule is a function from text to findings, so that it can be shown to bite.
"""

import ast
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LINE_CHARS_MAX = 100
FUNCTION_LINES_MAX = 70

LEFTOVERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bbreakpoint\(")
MACHINE_PATHS = re.compile(r"(?<![\w.-])/(work|root|Users|home/[a-z]+)(?![\w-])")
REGISTRIES = re.compile(r"index-url|://[^/\s]*/simple\b", re.IGNORECASE)
# This file must name what it forbids.
SPARED = "tests/test_tidy.py"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    """Every file that is or could be committed; without git, every file that is not hidden."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return sorted(walked())
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return sorted(path for path in paths if path.is_file())


def walked() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name == ".ci" or name[0] not in "._"]
        yield from (Path(folder, name) for name in names)


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file that is text."""
    for path in files():
        data = path.read_bytes()
        if b"\0" not in data:
            yield str(path.relative_to(ROOT)), data.decode()


def is_code(path: str, text: str) -> bool:
    return path.endswith((".css", ".js", ".py", ".sh")) or text.startswith("#!")


def untidy(path: str, text: str) -> list[str]:
    """Rules for the text of any file."""
    found = []
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        found.append(f"{path}: must end with one newline")
    for number, line in enumerate(text.splitlines(), start=1):
        faults: dict[str, object] = {
            "a tab": "\t" in line,
            "trailing space": line != line.rstrip(),
            f"{len(line)} characters": is_code(path, text) and len(line) > LINE_CHARS_MAX,
        }
        if path != SPARED:
            faults["a leftover"] = LEFTOVERS.search(line)
            faults["a path of a machine"] = MACHINE_PATHS.search(line)
            faults["a registry"] = REGISTRIES.search(line)
        found += [f"{path}:{number}: {fault}" for fault, there in faults.items() if there]
    return found


def functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            yield node


def unwieldy(path: str, text: str) -> list[str]:
    """Rules for the functions of a Python file."""
    found = []
    for function in functions(text):
        where = f"{path}:{function.lineno}: {function.name}"
        if (lines := length(function)) > FUNCTION_LINES_MAX:
            found.append(f"{where} has {lines} lines")
        if called_by_name(function):
            continue
        found += [
            f"{where}: {parameter.arg} is a boolean and must be keyword-only"
            for parameter, default in positional(function)
            if is_boolean(parameter, default)
        ]
    return found


def length(function: Function) -> int:
    """Lines without decorators and docstring."""
    assert function.end_lineno
    lines = function.end_lineno - function.lineno + 1
    match function.body[0]:
        case ast.Expr(value=ast.Constant(value=str())) as docstring:
            assert docstring.end_lineno
            lines -= docstring.end_lineno - docstring.lineno + 1
    return lines


def called_by_name(function: Function) -> bool:
    """Whether pytest or Typer calls it, which pass parameters by their names."""
    decorators = " ".join(ast.unparse(node) for node in function.decorator_list)
    return function.name.startswith("test_") or bool(
        re.search(r"\bfixture\b|\bgiven\(|\.(command|callback)\b", decorators)
    )


def positional(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """Positional parameters with their defaults, without self and cls."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(parameters) - len(function.args.defaults)) + function.args.defaults
    pairs = list(zip(parameters, defaults, strict=True))
    return pairs[1:] if parameters and parameters[0].arg in {"self", "cls"} else pairs


def is_boolean(parameter: ast.arg, default: ast.expr | None) -> bool:
    hint = ast.unparse(parameter.annotation) if parameter.annotation else ""
    by_default = isinstance(default, ast.Constant) and isinstance(default.value, bool)
    return by_default or re.match(r"(Annotated\[)?bool\b", hint) is not None


def chatty(path: str, text: str) -> list[str]:
    """Only the command line prints."""
    if not path.startswith("src/") or path.startswith("src/croupier/cli/"):
        return []
    if "print" not in text:
        return []
    return [
        f"{path}:{node.lineno}: prints"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    ]


def toothless(path: str, text: str) -> list[str]:
    """Tests that can't fail."""
    if not Path(path).name.startswith("test_"):
        return []
    return [
        f"{path}:{function.lineno}: {function.name} asserts nothing"
        for function in functions(text)
        if function.name.startswith("test") and not any(map(asserts, ast.walk(function)))
    ]


def asserts(node: ast.AST) -> bool:
    match node:
        case ast.Assert():
            return True
        case ast.Call(func=called):
            name = ast.unparse(called)
            last = name.split(".")[-1]
            if name.startswith("expect("):  # Playwright's: it waits, then raises.
                return last.startswith(("to_", "not_to_"))
            return last.startswith(("assert", "check")) or name in {
                "pytest.fail",
                "pytest.raises",
                "pytest.warns",
            }
    return False


OURSELVES = {"self", "cls"}
PUBLIC = re.compile(r"_(replace|asdict|fields|repr_\w+_)$|__\w+__$")
"""Names that a library calls or offers although they begin like private ones."""


def prying(path: str, text: str) -> list[str]:
    """Tests that reach into what is private; a mutant names what it breaks, which is a string."""
    if not path.startswith("tests/"):
        return []
    return [
        f"{path}:{line}: reaches for {name}"
        for node in ast.walk(ast.parse(text))
        for line, name in reached(node)
        if name.startswith("_") and not PUBLIC.match(name)
    ]


def reached(node: ast.AST) -> list[tuple[int, str]]:
    """The names that a node takes from an object or a module of ours, with their line."""
    match node:
        case ast.Attribute(value=ast.Name(id=owner)) if owner in OURSELVES:
            return []
        case ast.Attribute(attr=name, lineno=line):
            return [(line, name)]
        case ast.ImportFrom(module=str(module), names=names, lineno=line) if module.startswith(
            ("croupier", "tests")
        ):
            return [(line, one.name) for one in names]
    return []


def findings(rule: Callable[[str, str], list[str]], suffix: str = "") -> list[str]:
    found = [rule(path, text) for path, text in texts() if path.endswith(suffix)]
    assert found
    return [line for lines in found for line in lines]


def test_files_are_tidy() -> None:
    assert findings(untidy) == []


def test_functions_are_small_and_plainly_called() -> None:
    assert findings(unwieldy, ".py") == []


def test_only_the_command_line_prints() -> None:
    assert findings(chatty, ".py") == []


def test_every_test_can_fail() -> None:
    assert findings(toothless, ".py") == []


def test_tests_reach_into_nothing_private() -> None:
    assert findings(prying, ".py") == []


def test_files_are_found_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = set(files())
    monkeypatch.setenv("PATH", "")
    assert {path for path in files() if path.suffix == ".py"} == {
        path for path in listed if path.suffix == ".py"
    }


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.md", "good\n", []),
        ("a.md", "", []),
        ("a.md", "no newline", ["a.md: must end with one newline"]),
        ("a.md", "two\n\n", ["a.md: must end with one newline"]),
        ("a.md", "a\tb\n", ["a.md:1: a tab"]),
        ("a.md", "a\nb \n", ["a.md:2: trailing space"]),
        ("a.md", "x" * 101 + "\n", []),
        ("a.py", "x" * 101 + "\n", ["a.py:1: 101 characters"]),
        ("run", "#!/bin/sh\n" + "x" * 101 + "\n", ["run:2: 101 characters"]),
        ("a.py", "# TODO: later\n", ["a.py:1: a leftover"]),
        ("a.py", "breakpoint()\n", ["a.py:1: a leftover"]),
        ("a.md", "docs/work/x, network and /workers\n", []),
        ("a.txt", "--extra-index-url x\n", ["a.txt:1: a registry"]),
        ("a.txt", "https://packages.example/simple\n", ["a.txt:1: a registry"]),
    ],
)
def test_tidiness_bites(path: str, text: str, expected: list[str]) -> None:
    assert untidy(path, text) == expected


@pytest.mark.parametrize("place", ["work", "root/x", "Users/ada", "home/ada/x"])
def test_paths_of_machines_are_found(place: str) -> None:
    assert untidy("a.md", f"in `/{place}`\n") == ["a.md:1: a path of a machine"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b, c, d): pass", []),
        ("@app.command()\ndef f(a, b, c, d, e: bool = False): pass", []),
        ("@pytest.fixture\ndef f(a: bool): pass", []),
        ("def f(*, a: bool): pass", []),
        ("def f(a: bool): pass", ["a.py:1: f: a is a boolean and must be keyword-only"]),
        ("def f(a=True): pass", ["a.py:1: f: a is a boolean and must be keyword-only"]),
        ("def f(a: list[bool], b: int = 0): pass", []),
        ("def f():\n" + "    x\n" * 69, []),
        ("def f():\n" + "    x\n" * 70, ["a.py:1: f has 71 lines"]),
        ('def f():\n    """One.\n\n    Two."""\n' + "    x\n" * 69, []),
    ],
)
def test_limits_of_functions_bite(source: str, expected: list[str]) -> None:
    assert unwieldy("a.py", source) == expected


def test_printing_bites() -> None:
    assert chatty("src/croupier/odds/a.py", "x\nprint(x)") == ["src/croupier/odds/a.py:2: prints"]
    assert chatty("src/croupier/cli/a.py", "print(x)") == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("assert x", []),
        ("with pytest.raises(E): x", []),
        ("check_books(x)", []),
        ('expect(page.locator("a")).not_to_be_visible()', []),
        ("expect(page)", ["test_a.py:1: test_x asserts nothing"]),
        ("np.testing.assert_array_equal(x, y)", []),
        ("x()", ["test_a.py:1: test_x asserts nothing"]),
    ],
)
def test_toothless_tests_are_found(body: str, expected: list[str]) -> None:
    assert toothless("test_a.py", f"def test_x():\n    {body}") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("self._books", []),
        ("self.pit._books", ["tests/a.py:1: reaches for _books"]),
        ("from croupier.house.folder import _place", ["tests/a.py:1: reaches for _place"]),
        ("from tests.house.floor import _books", ["tests/a.py:1: reaches for _books"]),
        ("from typer._click import Command", []),
        ("round._replace(at=1), Round._fields, hand._repr_svg_()", []),
        ('monkeypatch.setattr(Books, "_commit", never)', []),
    ],
)
def test_prying_is_found(source: str, expected: list[str]) -> None:
    assert prying("tests/a.py", source) == expected
    assert prying("src/croupier/a.py", source) == []
