"""Help of every command, and how little it loads."""

import json
import subprocess
import sys

import pytest

from croupier import __version__
from croupier.cli import COMMANDS
from tests.cli.running import run

SUBCOMMANDS = [
    "rulebooks", "rulebooks show", "rulebooks diff", "rulebooks check",
    "submission", "submission new", "submission check",
]  # fmt: skip


@pytest.mark.parametrize("words", ["", *COMMANDS, *SUBCOMMANDS])
def test_every_command_has_help(words: str) -> None:
    ran = run(*words.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: croupier {words}".rstrip())


def test_help_lists_every_command() -> None:
    listed = run("--help").out
    assert [name for name in COMMANDS if f"  {name} " not in listed] == []
    assert run("-h").out == listed


@pytest.mark.parametrize("words", SUBCOMMANDS)
def test_every_command_that_answers_has_json(words: str) -> None:
    groups = {"submission"}
    assert words in groups or "--json" in run(*words.split(), "--help").out


def test_the_version_is_said() -> None:
    ran = run("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"croupier {__version__}\n", "")


def loaded(*words: str) -> set[str]:
    """The modules that a call of the command line has loaded when it ends."""
    code = (
        "import atexit, json, sys; from croupier.cli import main; "
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr)); "
        f"sys.argv = {['croupier', *words]!r}; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("--version",)])
def test_help_loads_neither_numpy_nor_rich_nor_the_rules(words: tuple[str, ...]) -> None:
    modules = loaded(*words)
    assert "croupier.cli" in modules
    assert [
        name for name in ("numpy", "rich", "croupier.rules", "croupier.hands") if name in modules
    ] == []


@pytest.mark.parametrize(
    "words", [("rulebooks",), ("rulebooks", "--json"), ("rulebooks", "--help")]
)
def test_books_are_listed_without_numpy(words: tuple[str, ...]) -> None:
    assert "numpy" not in loaded(*words)
