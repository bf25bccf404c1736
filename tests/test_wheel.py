"""The wheel, as `pip install` would use it: built, installed in a clean environment and run."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BOOKS = sorted(path.stem for path in (ROOT / "src/croupier/rulebooks").glob("*.toml"))


def run(*command: str | Path, cwd: Path) -> str:
    # PYTHONPATH must not lend the clean environment what the wheel lacks.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_installed_wheel_lists_the_books(tmp_path: Path) -> None:
    environment, empty = tmp_path / "environment", tmp_path / "empty"
    empty.mkdir()
    # The backend is called as it stands in our environment, so that nothing is downloaded. For
    # the same reason the dependencies come from the wheels that the set-up of ./test put aside;
    # pip still takes from them only what the metadata of our wheel asks for, so a dependency
    # that is used and not declared is missing here.
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("croupier-*.whl")
    base = os.path.realpath(sys.executable)
    run(base, "-I", "-m", "venv", "--without-pip", environment, cwd=empty)
    pip = (base, "-m", "pip", "--python", environment / "bin/python", "install", "--quiet")
    run(*pip, "--no-index", "--find-links", ROOT / ".venv/wheels", wheel, cwd=empty)

    listed = json.loads(run(environment / "bin/croupier", "rulebooks", "--json", cwd=empty))
    assert [book["id"] for book in listed] == BOOKS
    assert len(BOOKS) == 5
    assert list(environment.glob("lib/python*/site-packages/croupier/py.typed"))
    # The templates of documents are inside too.
    assert run(environment / "bin/croupier", "sign", BOOKS[0], cwd=empty).endswith("</html>\n")
    # And so are the tables of the ledger.
    (packages,) = environment.glob("lib/python*/site-packages")
    assert len(list(packages.glob("croupier/ledger/stores/sql/*/0001-*.sql"))) == 2
