"""Runs the examples of the README and the other pages: what they show is what happens.

A page is worked through from top to bottom in a folder of its own. In a `console` block each line
that starts with `$ ` is a command, and what follows it is what the command prints. A `python`
block is a doctest. A `toml` block may stand for a file, `file=NAME`, or for changed lines of one,
`edit=NAME`. A line with nothing but `…` stands for one or more lines that are left out.
"""

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli import running

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```(\w+)(?: (\w+)=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = f"{shlex.quote(sys.executable)} -m croupier"
LEFT_OUT = "…"
WINDOW = {"COLUMNS": "80", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Block:
    """What stands between two fences: its language, what is to be done with it, and its text."""

    language: str
    does: str | None
    file: str
    text: str
    line: int


@dataclass
class Reader:
    """Somebody who does what a page says, in a folder, and remembers what went before."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    code: int = 0

    def follow(self, block: Block) -> list[str]:
        """Do what one block says and return what did not come out as it shows."""
        match block:
            case Block(language="console"):
                return list(self.type_in(block.text))
            case Block(language="python"):
                return list(self.interpret(block))
            case Block(language="toml", does="file"):
                path = self.folder / block.file
                path.parent.mkdir(exist_ok=True)
                path.write_text(block.text)
            case Block(language="toml", does="edit"):
                path = self.folder / block.file
                path.write_text(edited(path.read_text(), block.text))
        return []

    def type_in(self, text: str) -> Iterator[str]:
        for command, expected in commands(text):
            printed = self.call(command) if is_plain(command) else self.shell(command)
            if not matches(expected, printed):
                yield f"$ {command}\n{printed}"

    def call(self, command: str) -> str:
        """Call the program in this process, which takes a tenth of the time of starting it."""
        with contextlib.chdir(self.folder):
            ran = running.run(*shlex.split(command)[1:], **WINDOW)
        self.code = ran.code
        return ran.err + ran.out

    def shell(self, command: str) -> str:
        """Run a command in a shell of its own; `$?` is that of the one before."""
        done = subprocess.run(
            ["sh", "-c", f"(exit {self.code}); {command.replace('./croupier', PROGRAM)}"],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.code = done.returncode
        return done.stdout

    def interpret(self, block: Block) -> Iterator[str]:
        parser = doctest.DocTestParser()
        test = parser.get_doctest(block.text, self.names, "example", None, block.line)
        report: list[str] = []
        result = doctest.DocTestRunner(Checker(), verbose=False).run(
            test, out=report.append, clear_globs=False
        )
        self.names.update(test.globs)
        if result.failed or not result.attempted:
            yield "".join(report) or "there is no example in it"


class Checker(doctest.OutputChecker):
    """Compares what Python prints as `matches` does."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return matches(want, got)


def blocks(page: str) -> list[Block]:
    return [
        Block(found[1], found[2], found[3] or "", found[4], page.count("\n", 0, found.start()))
        for found in BLOCK.finditer(page)
    ]


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it is shown to print."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert parts[0] == "", f"a console block starts with a command, not with {parts[0]!r}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def matches(expected: str, printed: str) -> bool:
    """Whether the lines are the same, apart from space at their ends and what is left out."""
    pattern = ""
    for line in expected.splitlines():
        left_out = line.strip() == LEFT_OUT
        pattern += r"(?:.*\n)+" if left_out else re.escape(line.rstrip()) + "\n"
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return re.fullmatch(pattern, lines) is not None


def edited(text: str, changes: str) -> str:
    """The text with each line of the changes in place of the one that has the same key."""
    lines = text.splitlines()
    for change in changes.splitlines():
        key = change.split(" = ")[0]
        with_key = (line.removeprefix("# ").startswith(f"{key} =") for line in lines)
        (place,) = (place for place, found in enumerate(with_key) if found)
        lines[place] = change
    return "\n".join(lines) + "\n"


def is_plain(command: str) -> bool:
    """Whether a command is a call of the program that needs no shell and no other processes."""
    words = command.split()
    return words[0] == "./croupier" and "simulate" not in words and not set(command) & set("|<>$")


def environment() -> dict[str, str]:
    """The environment of every example: a window of 80 columns, no colours, our books alone."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CROUPIER_BOOKS", "FORCE_COLOR")}
    return {**kept, **WINDOW, "PYTHONUTF8": "1"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_do_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    found = [
        f"{page.name}:{block.line + 1}: {problem}"
        for block in blocks(page.read_text())
        for problem in reader.follow(block)
    ]
    assert found == [], "\n".join(found)


def test_the_readme_shows_both_the_command_line_and_python() -> None:
    languages = {block.language for block in blocks(PAGES[0].read_text())}
    assert {"console", "python"} <= languages


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a  \n", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n  …\nd\n", "a\nb\nd\n", True),
        ("a\n…\nd\n", "a\nd\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("a… b\n", "a, b\n", False),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_comparing_is_exact(expected: str, printed: str, *, same: bool) -> None:
    assert matches(expected, printed) is same


def test_a_wrong_example_is_found(tmp_path: Path) -> None:
    page = (
        "```console\n$ echo 1\n2\n$ (exit 3)\n$ echo $?\n3\n```\n\n```python\n>>> 1 + 1\n3\n```\n"
    )
    reader = Reader(tmp_path)
    console, python = (reader.follow(block) for block in blocks(page))
    assert console == ["$ echo 1\n1\n"]
    assert "Expected:\n    3\nGot:\n    2\n" in python[0]


def test_blocks_write_and_change_files(tmp_path: Path) -> None:
    page = "```toml file=a/b.toml\nx = 1\n# y =\n```\n\n```toml edit=a/b.toml\ny = 2\n```\n"
    reader = Reader(tmp_path)
    for block in blocks(page):
        reader.follow(block)
    assert (tmp_path / "a/b.toml").read_text() == "x = 1\ny = 2\n"
