# Sourced by ./croupier and ./test, with $here their folder.

# Brings .venv up to date with what pyproject.toml asks for the group $1.
# A finished environment holds copies of the files it was made from, so that a later start
# costs two comparisons and no Python.
environment() {
    stamp="$here/.venv/stamp"
    if [ -x "$here/.venv/bin/python" ] && [ -e "$stamp/with-$1" ] &&
        cmp -s "$here/pyproject.toml" "$stamp/pyproject.toml" &&
        cmp -s "$here/constraints.txt" "$stamp/constraints.txt"
    then
        return
    fi
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        if suits "$python" 2>/dev/null; then
            "$python" "$here/tools/environment.py" "$1" || exit
            return
        fi
    done
    echo "croupier: Python 3.11 or later with pip and venv is needed to set up" \
        "(on Debian: apt install python3 python3-pip)." >&2
    exit 3
}

suits() {
    "$1" -c 'import sys
from importlib.util import find_spec
sys.exit(sys.version_info < (3, 11) or not find_spec("pip") or not find_spec("venv"))'
}
