"""The PostgreSQL of the tests runs wherever the clone is."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

from tests.ledger.servers import PACKAGE, PROGRAMS, copied


def test_a_copy_of_the_programs_has_their_libraries(tmp_path: Path) -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.origin
    packages = copied(Path(spec.origin).parent.parent, tmp_path)
    for name in ("initdb", "postgres"):
        program = [str(packages / PROGRAMS / "bin" / name), "--version"]
        done = subprocess.run(program, capture_output=True, text=True, check=True)
        assert f"{name} (PostgreSQL) 18." in done.stdout
