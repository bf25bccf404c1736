"""The keys of a house: `croupier ledger rotate-keys`, `export-keys` and `restore-keys`."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.opening import ByName, Database, HouseFolder, KeyCommand, check_by, opened_closed
from croupier.cli.output import print_lines
from croupier.errors import UserError
from croupier.ledger.tenure import other_nodes
from croupier.rules.load import read_text
from croupier.rules.words import counted


class Approving(StrEnum):
    """The roles that approve what operators propose."""

    AUDITOR = "auditor"
    OPERATOR = "operator"


NewFile = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", metavar="FILE", help="Read the passphrase from a file; don't ask."
    ),
]


def rotate_keys(data: HouseFolder, database: Database = None, key_command: KeyCommand = "") -> None:
    """Give a closed house new keys.

    The change is signed with the old signing key and recorded in the journal. The old files stay
    under other names: decks that were sealed with the old master key need it. Keep a new copy. Keys
    that a command printed are written to the folder too, with the new ones.
    """
    from croupier.house.keys import MASTER, SIGNING, ids_of

    with opened_closed(data, database, key_command) as house:
        if others := other_nodes(house.store.tenure):
            are = f"{len(others)} servers of this house are" if others[1:] else "a server is"
            message = f"{are} still running with the old keys; close all servers first"
            raise UserError(message, field="--database")
        before = ids_of(house.keys)
        house.change_keys(time_ms=time.time_ns() // 1_000_000)
        after = ids_of(house.keys)
    for name, old, new in zip(("master", "signing"), before, after, strict=True):
        print_lines(f"the {name} key was {old} and is {new}")
    if key_command:
        print_lines(f"let the command print them: they are in {data} as {MASTER}, {SIGNING}")


def appoint(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Somebody who has an account.")],
    data: HouseFolder,
    role: Annotated[
        Approving, typer.Option("--role", help="The role they get; it replaces any others.")
    ],
    by: ByName = "",
    database: Database = None,
    key_command: KeyCommand = "",
) -> None:
    """Make somebody an operator or an auditor, with the keys of a closed house.

    This is the way out if the only other person who could approve has left. The act is signed with
    the house's key and recorded in the journal, and `ledger verify` counts it.
    """
    from croupier.server.appointing import appoint

    check_by(by)
    with opened_closed(data, database, key_command) as house:
        if other_nodes(house.store.tenure):
            raise UserError("close all servers of this house first", field="--database")
        now_ms = time.time_ns() // 1_000_000
        person = appoint(house.store, house.keys, name, role.value, by=by, time_ms=now_ms)
        house.signing().sign_now(house.store, time_ms=now_ms)
    print_lines(f"{person.name} is {role.value} now, and has no other role")


def link_key(data: HouseFolder, output: NewFile, key_command: KeyCommand = "") -> None:
    """Write a house's link key to a file, for `serve --web`.

    Servers encrypt the links between them with it. It is derived from the master key and opens
    no deck. `rotate-keys` changes it.
    """
    from croupier.fairness.seal import format_key
    from croupier.house.keys import MASTER, key_files, link_key

    _write_new(output, format_key(link_key(key_files(data, key_command)[MASTER])))
    print_lines(f"the link key is in {output.name}")


def export_keys(
    data: HouseFolder,
    output: NewFile,
    passphrase_file: PassphraseFile = None,
    key_command: KeyCommand = "",
) -> None:
    """Write a copy of a house's keys to a file, wrapped with a passphrase.

    Keep it apart from backups of the ledger, and the passphrase apart from both."""
    from croupier.house.keyfile import wrap
    from croupier.house.keys import MASTER, SIGNING, Keys, ids_of, key_files

    keys = key_files(data, key_command)
    ids = ids_of(Keys(keys[MASTER], keys[SIGNING]))
    text = wrap(keys, ids._asdict(), _passphrase(passphrase_file, new=True))
    _write_new(output, text)
    print_lines(f"{counted(len(keys), 'key')} written to {output.name}")


def restore_keys(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `export-keys`.")],
    data: HouseFolder,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Put the key files of a house back from a wrapped copy. No other key is replaced."""
    from croupier.house.keyfile import unwrap
    from croupier.house.keys import put_key_files

    keys = unwrap(read_text(source), _passphrase(passphrase_file))
    data.mkdir(parents=True, exist_ok=True)
    added = put_key_files(data, keys)
    print_lines(f"restored {', '.join(added)}" if added else "all keys are there already")


def _write_new(output: Path, text: str) -> None:
    """Write a file that only its owner reads; refuse to replace one."""
    from croupier.house.keys import write_private

    if output.exists():
        raise UserError(f"{output.name} exists already", field="--output")
    write_private(output, text)


def _passphrase(file: Path | None, *, new: bool = False) -> str:
    if file is not None:
        return read_text(file).rstrip("\r\n")
    said: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    return said
