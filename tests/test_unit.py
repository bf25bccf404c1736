"""The unit for systemd that the documentation shows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNIT = re.compile(r"```ini\n(\[Unit\].*?)```", re.DOTALL)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_unit_of_the_documentation(tmp_path: Path) -> None:
    """Once its paths are those of a clone, and its account is one that there is."""
    [unit] = UNIT.findall((ROOT / "docs/operating.md").read_text())
    file = tmp_path / "croupier.service"
    own = unit.replace("/srv/croupier", str(ROOT)).replace("User=croupier", "User=root")
    assert own.count(str(ROOT)) == 3
    file.write_text(own)
    found = _verified(file)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    file.write_text(own.replace("ExecStart=", "ExecStart=/nowhere").replace("UMask", "Umask"))
    found = _verified(file)
    assert found.returncode != 0 and "Umask" in found.stderr, "it would have said what is wrong"


def _verified(file: Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "verify", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
