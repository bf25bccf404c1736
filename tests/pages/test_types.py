"""The types of the page's modules, which stand in their comments, as `tsc` sees them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
NODE = Path(sys.executable).with_name("node")
TSC = ROOT / ".venv/node/node_modules/.bin/tsc"


def checked(project: Path) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), str(TSC), "-p", str(project)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_the_modules_hold_their_types() -> None:
    found = checked(ROOT / "jsconfig.json")
    assert (found.returncode, found.stdout) == (0, "")


def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text("/** @type {number} */\nexport const cents = '5';\n")
    settings = (ROOT / "jsconfig.json").read_text().replace("src/croupier/web/static", ".")
    (tmp_path / "jsconfig.json").write_text(settings)
    found = checked(tmp_path / "jsconfig.json")
    assert found.returncode != 0 and "TS2322" in found.stdout
