#!/usr/bin/env python3
"""Runs the two commands of a fresh clone in a fresh Debian: `sudo tools/bare_root.py FOLDER`.

The Debian in FOLDER has python3, pip, git and certificates, and nothing else; debootstrap makes it
if it is not there. What is committed here is cloned into it twice: as root, into a home that nobody
else may enter, and as a user who may install nothing. Each serves a page and closes, and each runs
`./test`, without a network: everything must have come with the set-up.

    tools/bare_root.py FOLDER --user root -- tests/pages -q     only root, and these of the tests

How packages are reached is taken from where this runs, through variables and files of settings that
are mounted, and is written nowhere.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SUITE = "bookworm"
PACKAGES = "python3,python3-pip,git,ca-certificates"
HOMES = {"root": "root", "player": "home/player"}
INSIDE = "--inside"
# The settings of pip, npm and their like, of proxies and of certificates; not the folders of this
# machine in which pip may find wheels.
PASSED_ON = re.compile(
    r"(?!pip_find_links)(pip|uv|npm_config|ssl_cert)_\w+"
    r"|\w+_proxy|node_extra_ca_certs|requests_ca_bundle",
    re.I,
)
MOUNTED = ("/dev", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs", "/etc/pip.conf")
SERVE = """
import re, signal, subprocess, sys, urllib.request
words = ["./croupier", "serve", "--port", "0"]
told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
with subprocess.Popen(words, text=True, **told) as p:
    said = ""
    for line in p.stdout:
        said += line
        if found := re.search(r"open: (http\\S+)", line):
            page = urllib.request.urlopen(found[1]).read().decode()
            p.send_signal(signal.SIGINT)
print(said)
sys.exit(not (p.returncode == 0 and "<html" in page and "Closed" in said.splitlines()[-1]))
"""


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--user", choices=HOMES, action="append")
    asked.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    words, tests = sys.argv[1:], list[str]()
    if "--" in words:
        words, tests = words[: words.index("--")], words[words.index("--") + 1 :]
    given = asked.parse_args(words)
    if os.geteuid() != 0:
        print("Making a Debian needs root: run this with sudo.", file=sys.stderr)
        return 2
    if not given.inside:  # Mounts and processes in a space of their own end with it.
        space = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--")
        return subprocess.run([*space, sys.executable, __file__, INSIDE, *sys.argv[1:]]).returncode
    root: Path = given.folder.resolve()
    if not (root / "usr/bin/git").exists():
        call("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root))
    mount(root)
    results = [
        (user, what, passed)
        for user in given.user or HOMES
        for what, passed in checked(root, user, tests)
    ]
    for user, what, passed in results:
        print(f"{user}: {what}: {'passed' if passed else 'FAILED'}")
    return int(not all(passed for _, _, passed in results))


def mount(root: Path) -> None:
    """Give the Debian what a machine gives it, and the settings of this one."""
    call("mount", "-t", "proc", "proc", str(root / "proc"))
    for source in MOUNTED:
        if Path(source).exists():
            target = root / source.lstrip("/")
            if not target.exists():
                target.touch()
            call("mount", "--rbind", source, str(target))


def checked(root: Path, user: str, tests: list[str]) -> Iterable[tuple[str, bool]]:
    """Clone, set up, serve and test as one user."""
    home = root / HOMES[user]
    if user != "root" and not home.exists():
        call("chroot", str(root), "useradd", "--create-home", user)
    home.chmod(0o700)
    clone = home / "croupier"
    shutil.rmtree(clone, ignore_errors=True)
    call("git", "clone", "--quiet", "--no-local", str(HERE), str(clone))
    call("chroot", str(root), "chown", "-R", f"{user}:", f"/{HOMES[user]}/croupier")
    for what, command, network in (
        ("./croupier serve", ["python3", "-c", SERVE], True),
        ("./setup test", ["./setup", "test"], True),
        ("./test " + " ".join(tests), ["./test", *tests], False),
    ):
        print(f"== {user}: {what}", flush=True)
        started, before = time.monotonic(), os.times()
        passed = run(root, user, command, network=network)
        took, after = time.monotonic() - started, os.times()
        cpu = sum(after[2:4]) - sum(before[2:4])
        print(f"== {user}: {what}: {took:.0f} s, {cpu:.0f} s of CPU", flush=True)
        yield what.strip(), passed


def run(root: Path, user: str, command: list[str], *, network: bool) -> bool:
    home = f"/{HOMES[user]}"
    settings = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    if registry := answer("npm", "config", "get", "registry"):
        settings["npm_config_registry"] = registry
    path = {"HOME": home, "USER": user, "PATH": "/usr/local/bin:/usr/bin:/bin"}
    there = ["sh", "-c", f'cd {home}/croupier && exec "$@"', "sh", *command]
    words = ["chroot", f"--userspec={user}:{user}", str(root), *there]
    if not network:
        alone = ["unshare", "--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        words = [*alone, *words]
    # These programs are looked for by the path that they are started with.
    words[0] = shutil.which(words[0]) or words[0]
    path["PATH"] += ":/usr/sbin:/sbin"
    return subprocess.run(words, env={**settings, **path}).returncode == 0


def answer(*command: str) -> str:
    """Return what a program of this machine says, if it is there."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def call(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
