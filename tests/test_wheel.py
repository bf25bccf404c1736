"""The wheel, installed with pip in an empty environment: it does the whole main job."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parent.parent
BOOKS = sorted(path.stem for path in (ROOT / "src/croupier/rulebooks").glob("*.toml"))
# PYTHONPATH must not lend the empty environment what the wheel lacks.
ENV = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=ENV, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel in it, and what the wheel asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = folder / "environment"
    # The backend is called as it stands in our environment, so that nothing is downloaded. For
    # the same reason the dependencies come from the wheels that the set-up of ./test put aside;
    # pip still takes from them only what the metadata of our wheel asks for, so a dependency
    # that is used and not declared is missing here.
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("croupier-*.whl")
    base = os.path.realpath(sys.executable)
    run(base, "-I", "-m", "venv", "--without-pip", environment, cwd=folder)
    pip = (base, "-m", "pip", "--python", environment / "bin/python", "install", "--quiet")
    local = ("--no-compile", "--no-index", "--find-links", ROOT / ".venv/wheels")
    run(*pip, *local, wheel, cwd=folder)
    return environment


def test_it_has_the_books_and_all_files(environment: Path, tmp_path: Path) -> None:
    listed = json.loads(run(environment / "bin/croupier", "rulebooks", "--json", cwd=tmp_path))
    assert [book["id"] for book in listed] == BOOKS
    assert len(BOOKS) == 5
    (packages,) = environment.glob("lib/python*/site-packages")
    assert (packages / "croupier/py.typed").exists()
    assert len(list(packages.glob("croupier/ledger/stores/*.sql"))) == 2


def test_it_writes_a_sign_as_pdf(environment: Path, tmp_path: Path) -> None:
    run(environment / "bin/croupier", "sign", BOOKS[0], "-o", "sign.pdf", cwd=tmp_path)
    assert (tmp_path / "sign.pdf").read_bytes().startswith(b"%PDF-")


def test_it_serves_tables(environment: Path, tmp_path: Path) -> None:
    words = [str(environment / "bin/croupier"), "serve", "--port", "0"]
    said = []
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"is open: (\S+)", line):
                with urlopen(found[1]) as page:
                    assert "<html" in page.read().decode()
                process.send_signal(signal.SIGINT)
    assert process.returncode == 0, said
    assert any(line.startswith("Closed") for line in said)


def test_it_names_the_command_that_brings_an_extra(environment: Path, tmp_path: Path) -> None:
    words = [
        str(environment / "bin/croupier"),
        "ledger",
        "verify",
        "--database",
        "postgresql://x/y",
    ]
    done = subprocess.run(words, cwd=tmp_path, env=ENV, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (psycopg,) = extras["optional-dependencies"]["postgres"]
    assert done.stderr.endswith(f"pip install '{psycopg}'\n")
    assert all(
        psycopg in (ROOT / "docs" / page).read_text() for page in ("ledger.md", "operating.md")
    )
