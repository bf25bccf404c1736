"""The keys of a house, checked against what its ledger knows of them.

A ledger knows its keys by their ids. Keys are made once, for a ledger without events: with another
master key the cards of open rounds can't be read, and with another signing key auditors would
reject the next checkpoint.
"""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from croupier.errors import CroupierError, UserError
from croupier.fairness.commitment import Commitment
from croupier.fairness.seal import format_key, key_id, new_key, parse_key, unseal
from croupier.ledger.acts import KeysSet
from croupier.ledger.checkpoints import change_of_keys, is_signed, public_key, sign_text
from croupier.ledger.derived import Opens, SealedFor
from croupier.ledger.journal import decode
from croupier.ledger.store import View
from croupier.ledger.stores.formats import link_of, note_link
from croupier.ledger.stores.jotting import begin_house, begin_journal, put_keys
from croupier.ledger.stores.protocol import Store

MASTER, SIGNING, LINK = "master.key", "signing.key", "link.key"
OWNER_ONLY = 0o600
COMMAND_S = 30
ID_CHARS = 32
_KEY_FILE = re.compile(r"(master|signing)(-[0-9a-f]+)?\.key")
_DECK, _CLOSED = b'"type":"DeckCommitted"', b'"type":"Closed"'


class Keys(NamedTuple):
    """The key that decks are sealed with, and the key that checkpoints are signed with."""

    master: bytes
    signing: bytes
    older: tuple[bytes, ...] = ()
    """Master keys of the past, which still open decks."""


class KeyIds(NamedTuple):
    """What a ledger knows of its keys."""

    master: str
    """The id of the master key."""
    signing: str
    """The public half of the signing key."""


_IDS: dict[str, Callable[[bytes], str]] = {
    MASTER: key_id,
    SIGNING: lambda key: public_key(key).hex(),
}


def ids_of(keys: Keys) -> KeyIds:
    """Return the ids of keys."""
    return KeyIds(*(_IDS[name](key) for name, key in zip(_IDS, keys[:2], strict=True)))


def keys_of(folder: Path, store: Store, *, command: str = "") -> Keys:
    """Read a ledger's keys from its folder; refuse missing keys and those of another ledger.

    With a command, the keys in force are what it prints, and none are made.
    """
    with store.reading() as view:
        ids = view.house_keys()
        empty = not any(head.number for head in view.heads().values())
    known = KeyIds(*ids) if ids else None
    if known is None and empty and not command:
        return make_keys(folder, store)
    if known is not None:
        _finish_making(folder, known)
    keys = _held(folder, command)
    if known is None:
        with store.reading() as view:
            _check_fit(view, keys)
        _note(store, ids_of(keys))
        return keys
    for name, wanted, found in zip(_IDS, known, ids_of(keys), strict=True):
        if wanted != found:
            there = _beside(folder, name, wanted)
            message = f"this is the key {found}, and the ledger's is {wanted}{there}; {HELP}"
            raise UserError(message, field=name)
    with store.writing() as session:  # A ledger of an earlier version has no journal of its house.
        begin_journal(session, KeysSet(*known), time_ms=_now_ms())
    return keys


def _held(folder: Path | None, command: str) -> Keys:
    """Return the keys that a command prints, or whose files a folder holds.

    Those of the past are always in the folder.
    """
    older = older_in(folder) if folder else ()
    if command or folder is None:
        return Keys(key_from(command, MASTER), key_from(command, SIGNING), older)
    return Keys(_read(folder, MASTER), _read(folder, SIGNING), older)


def _beside(folder: Path, name: str, wanted: str) -> str:
    """Say where in the folder the key is that the ledger knows, if it is there."""
    beside = retired(name, wanted)
    if (folder / beside).exists():
        return f" (it is here as {beside}; rename it)"
    if (folder / name).exists() and _IDS[name](_read(folder, name)) == wanted:
        return f" (it is in the folder as {name}; let the command print that)"
    return ""


def key_from(command: str, name: str) -> bytes:
    """Return the key that a command prints when it is asked for one by its name."""
    try:
        words = [*shlex.split(command), name]
        ran = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or f"it took more than {COMMAND_S} seconds"
        raise UserError(f"can't get {name}: {why}", field="--key-command") from None
    if ran.returncode:
        said = ran.stderr.strip().splitlines()[-1:]
        why = ": ".join([f"it ended with exit code {ran.returncode}", *said])
        raise UserError(f"can't get {name}: {why}", field="--key-command")
    try:
        return parse_key(ran.stdout)
    except ValueError:
        message = f"what it printed for {name} is not a key file's text"
        raise UserError(message, field="--key-command") from None


HELP = (
    "put the ledger's own key file back from where you keep it, or use `croupier ledger "
    "restore-keys`"
)


def retired(name: str, id: str) -> str:
    """Return the name of the file of a key that is in force no longer."""
    return f"{name.removesuffix('.key')}-{id[:ID_CHARS]}.key"


def link_key(master: bytes) -> bytes:
    """Return the link key of a house, which opens no deck."""
    return HKDF(SHA256(), 32, None, b"croupier link").derive(master)


def link_key_in(folder: Path, *, command: str) -> bytes:
    """Read the link key from a folder that doesn't need the master key."""
    if command:
        return key_from(command, LINK)
    if not (folder / LINK).exists():
        message = f"is missing from {folder}; `croupier ledger link-key` writes it from master.key"
        raise UserError(message, field=LINK)
    return _read(folder, LINK)


def note_link_key(store: Store, master: bytes) -> None:
    """Record the link key's id in the ledger."""
    with store.writing() as session:
        note_link(session, key_id(link_key(master)))


def check_link_key(store: Store, key: bytes) -> None:
    """Refuse another house's link key, and a master key where the link key is enough."""
    with store.reading() as view, store.snapshot() as session:
        known, wanted = view.house_keys(), link_of(session)
    if known and known[0] == key_id(key):
        message = "this is the master key, which opens decks; use `croupier ledger link-key`"
        raise UserError(message, field=LINK)
    if wanted and wanted != key_id(key):
        message = (
            f"this is the key {key_id(key)}, and the house's link key is {wanted}; write it with "
            "`croupier ledger link-key` where the house's keys are"
        )
        raise UserError(message, field=LINK)


def older_in(folder: Path) -> tuple[bytes, ...]:
    """Return the master keys of the past that a folder holds."""
    files = sorted(folder.glob(retired(MASTER, "*")))
    return tuple(_read(folder, file.name) for file in files)


def key_files(folder: Path, command: str) -> dict[str, bytes]:
    """Return all keys of a house, by the names of their files."""
    past = [file.name for name in _IDS for file in folder.glob(retired(name, "*"))]
    held = zip(_IDS, _held(folder, command)[:2], strict=True)
    return {**dict(held), **{name: _read(folder, name) for name in past}}


def put_key_files(folder: Path, keys: Mapping[str, bytes]) -> list[str]:
    """Write key files that are missing, and return their names; refuse to replace another key."""
    added: list[str] = []
    for name, key in keys.items():
        kind = _KEY_FILE.fullmatch(name)
        if kind is None:
            raise UserError(f"holds a key by the name {name!r}", field="FILE")
        id_of = _IDS[f"{kind[1]}.key"]
        if not (folder / name).exists():
            added.append(name)
        elif (found := id_of(_read(folder, name))) != id_of(key):
            message = f"this is the key {found}, and the copy has {id_of(key)}; move it away first"
            raise UserError(message, field=name)
    for name in added:
        _write(folder / name, format_key(keys[name]))
    return added


def _read(folder: Path, name: str) -> bytes:
    """Read a key file; refuse one that is missing or readable by others."""
    file = folder / name
    if not file.exists():
        message = f"is missing from {folder}, and the ledger can't go on without it; {HELP}"
        raise UserError(message, field=name)
    if file.stat().st_mode & 0o077:
        raise UserError("can be read by other users; run chmod 600 on it", field=name)
    try:
        return parse_key(file.read_text("utf-8"))
    except ValueError:
        raise UserError(f"is not a key; {HELP}", field=name) from None


# ---------------------------------------------------------------- new keys


def make_keys(folder: Path, store: Store) -> Keys:
    """Make keys for a new ledger.

    The files get their final names once the ledger knows the keys. Interrupted before that, keys
    are made again; interrupted after it, the next start renames them.
    """
    there = [name for name in _IDS if (folder / name).exists()]
    if there:
        raise UserError(f"the ledger is empty, but {there[0]} is that of another; {ANEW}")
    keys = Keys(new_key(os.urandom), new_key(os.urandom))
    for name, key in zip(_IDS, keys[:2], strict=True):
        _write(_new(folder, name), format_key(key))
    try:
        _note(store, ids_of(keys))
    except UserError:
        for name in _IDS:
            _new(folder, name).unlink()
        raise
    _finish_making(folder, ids_of(keys))
    return keys


ANEW = (
    "put the ledger back or restore a backup of it, or begin a new house in another folder "
    "and with an empty database"
)


def _new(folder: Path, name: str) -> Path:
    return folder / f"{name}.new"


def _write(file: Path, text: str) -> None:
    file.unlink(missing_ok=True)
    write_private(file, text)


def write_private(file: Path, text: str) -> None:
    """Write a new file that only its owner may read, and wait until it is on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(file, flags, OWNER_ONLY), "w") as made:
        made.write(text)
        made.flush()
        os.fsync(made.fileno())


def _finish_making(folder: Path, known: KeyIds) -> None:
    """Rename new key files to their final names, if they are the ledger's."""
    for (name, id_of), wanted in zip(_IDS.items(), known, strict=True):
        file, new = folder / name, _new(folder, name)
        if not new.exists() or id_of(_read(folder, new.name)) != wanted:
            continue
        if file.exists():
            file.rename(folder / retired(name, id_of(_read(folder, name))))
        new.rename(file)


COPY = f"copy {MASTER} and {SIGNING} from its data folder to this one and start again"


def _note(store: Store, known: KeyIds) -> None:
    with store.writing() as session:
        if not begin_house(session, KeysSet(*known), time_ms=_now_ms()):
            raise UserError(f"another server has just begun this house; {COPY}", field=MASTER)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


# ---------------------------------------------------------------- other keys


def change_keys(folder: Path, store: Store, old: Keys) -> Keys:
    """Replace the keys of a ledger; the change is signed with the old key, and journaled.

    The old files stay under other names: the old master key opens the decks it sealed. If a command
    printed the old keys, their files are made. Interrupted before the ledger knows the new keys,
    nothing has changed; after it, the next start finishes.
    """
    for (name, id_of), key in zip(_IDS.items(), old[:2], strict=True):
        if not ((folder / name).exists() and _read(folder, name) == key):
            _write(folder / retired(name, id_of(key)), format_key(key))
    keys = Keys(new_key(os.urandom), new_key(os.urandom), (old.master, *old.older))
    for name, key in zip(_IDS, keys[:2], strict=True):
        _write(_new(folder, name), format_key(key))
    ids = ids_of(keys)
    signature = sign_text(old.signing, change_of_keys(*ids)).hex()
    with store.writing() as session:
        put_keys(session, KeysSet(*ids, signature), time_ms=_now_ms())
    _finish_making(folder, ids)
    return keys


class Vouching(NamedTuple):
    """What the keys of a folder add to what a ledger says of itself."""

    key: bytes
    """The public half of the signing key."""
    opens: Opens


def vouching(folder: Path | None, command: str = "") -> Vouching | None:
    """Return what keys can vouch for, or None if there is no command and the folder has none."""
    if not command and not (folder and all((folder / name).exists() for name in _IDS)):
        return None
    return vouching_of(_held(folder, command))


def vouching_of(keys: Keys) -> Vouching:
    """Return what keys can vouch for."""

    def opens(deck: SealedFor) -> bool:
        commitment = Commitment(deck.round, deck.rules, deck.root)
        return _opens(deck.sealed, commitment, keys.master, *keys.older)

    return Vouching(public_key(keys.signing), opens)


# ---------------------------------------------------------------- a ledger of an earlier version


def _check_fit(view: View, keys: Keys) -> None:
    """Refuse keys that can't be this ledger's, where it doesn't know their ids yet."""
    checkpoints = view.checkpoints()
    if checkpoints and not is_signed(checkpoints[-1], public_key(keys.signing)):
        message = f"the ledger's last checkpoint is signed with another key; {HELP}"
        raise UserError(message, field=SIGNING)
    decks = [deck for stream in view.heads() if (deck := _last_deck(view, stream))]
    opens = [
        (_opens(view.sealed(deck.round), deck, keys.master), is_open) for deck, is_open in decks
    ]
    if any(is_open and not fits for fits, is_open in opens) or (
        opens and not any(fits for fits, _ in opens)
    ):
        message = f"does not open the decks that are sealed in the ledger; {HELP}"
        raise UserError(message, field=MASTER)


def _last_deck(view: View, stream: str) -> tuple[Commitment, bool] | None:
    """Return what the last deck of a table is committed to, and whether its round is open."""
    found: tuple[Commitment, bool] | None = None
    for row in view.stream(stream):
        if _DECK in row.data:
            event = decode(row.data).event
            found = Commitment(event["round"], event["rules"], event["root"]), True
        elif found and _CLOSED in row.data:
            found = found[0], False
    return found


def _opens(sealed: bytes | None, commitment: Commitment, key: bytes, *older: bytes) -> bool:
    """Whether a sealed deck opens to its commitment with one of these keys."""
    try:
        unseal(sealed or b"", key, commitment, *older)
    except CroupierError:
        return False
    return True
