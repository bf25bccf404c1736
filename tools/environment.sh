# Sourced by ./croupier, ./test and ./setup, with $here their folder.

# Brings .venv up to date with the files of requirements/, with these groups in it.
# A finished environment holds copies of the files that it was made from, so that a later start
# costs one comparison and no Python.
environment() {
    if is_finished "$@"; then
        return
    fi
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        if suits "$python" 2>/dev/null; then
            "$python" "$here/tools/environment.py" "$@" || exit
            return
        fi
    done
    echo "croupier: To set up you need Python 3.11 or later with pip and venv" \
        "(on Debian: apt install python3 python3-pip)." >&2
    exit 3
}

is_finished() {
    for group in "$@"; do
        [ -e "$here/.venv/stamp/with-$group" ] || return
    done
    [ -x "$here/.venv/bin/python" ] &&
        diff -qr "$here/requirements" "$here/.venv/stamp/requirements" >/dev/null 2>&1
}

suits() {
    "$1" -c 'import sys
from importlib.util import find_spec
sys.exit(sys.version_info < (3, 11) or not find_spec("pip") or not find_spec("venv"))'
}
