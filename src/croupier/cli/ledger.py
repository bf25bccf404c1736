"""`croupier ledger`: verify the journal, look at accounts and rounds, back up and restore."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.output import AsJson, group, print_json, print_lines, print_table
from croupier.cli.settle import show_round
from croupier.errors import ParseError, UserError
from croupier.ledger.accounts import parse_account
from croupier.ledger.audit import Posted, RulesOf
from croupier.ledger.checkpoints import Checkpoint, parse_checkpoints, public_key, sign
from croupier.ledger.found import round_found
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.marks import LEDGER, marks_in
from croupier.ledger.stores.protocol import Store
from croupier.ledger.verify import verify as verified
from croupier.money import format_micros
from croupier.round.tell import tell
from croupier.rules.load import load, read_text
from croupier.rules.resolve import resolve

app = group("Verify a ledger, inspect accounts and rounds, back up and restore.")

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="FILE", help="The ledger's SQLite file, or a server's folder."),
]
Database = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="The ledger's PostgreSQL database.")
]
Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", metavar="FILE", help="Checkpoints kept on another machine."),
]
Key = Annotated[
    str,
    typer.Option("--key", metavar="HEX", help="The public key that signed the checkpoints."),
]
AccountName = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="An account, such as player:ada or house.")
]
KEY_BYTES = 32


@contextmanager
def opened(data: Path | None, database: str | None, *, make: bool = False) -> Iterator[Store]:
    """Open the ledger that the options name, and close it afterwards."""
    if (data is None) == (database is None):
        raise UserError("say where the ledger is: --data FILE or --database URL")
    if data is not None:
        store = open_sqlite(_file(data, make=make), make=make)
    else:
        store = open_postgres(str(database), make=make)
    try:
        yield store
    finally:
        store.close()


def _file(data: Path, *, make: bool) -> Path:
    """Return the ledger's file; in a server's folder it has a fixed name.

    A path that doesn't exist yet is a file if it looks like one, and a folder otherwise.
    """
    if make and not data.exists():
        folder = data.parent if data.suffix else data
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{folder} cannot be made: {error.strerror}"
            raise UserError(message, field="--data") from None
    return data / LEDGER if data.is_dir() else data


def rules_in(folders: tuple[Path, ...]) -> RulesOf:
    """Return a function that finds table rules among the books of the command line."""
    return lambda rulebook, selections, things: resolve(
        load(rulebook, folders), selections, things=things
    )


@app.command()
def verify(
    context: typer.Context,
    data: Data = None,
    database: Database = None,
    checkpoints: Checkpoints = None,
    key: Key = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Check the hash chains only; don't recompute entries.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify the journal and everything computed from it.

    Follows each stream's hash chain from its first event, compares checkpoints, recomputes every
    entry from the events and adds up the accounts. Names the first bad event and exits with 1 if
    anything is wrong.
    """
    kept = _checkpoints(checkpoints)
    rules_of = None if quick else rules_in(context.obj)
    with opened(data, database) as store, store.reading() as view:
        found = verified(view, rules_of, checkpoints=kept, key=_key(key))
    if as_json:
        heads = {s: {"number": h.number, "hash": h.hash.hex()} for s, h in found.heads.items()}
        print_json(
            {
                "verifies": not found.faults,
                "events": found.events,
                "entries": found.entries,
                "checkpoints": found.checkpoints,
                "confirmed_by_machine": found.by_machine,
                "heads": heads,
                "faults": [*found.faults],
            }
        )
    else:
        print_lines(*found.faults)
        counts = [
            counted(len(found.heads), "stream", "streams"),
            counted(found.events, "event", "events"),
            counted(found.entries, "entry", "entries"),
            counted(found.checkpoints, "checkpoint", "checkpoints"),
        ]
        print_lines(f"{', '.join(counts)}: {'FAILS' if found.faults else 'verifies'}")
        if found.by_machine:
            acts = counted(found.by_machine, "confirmation", "confirmations")
            print_lines(f"{acts} of procedure came from the machine, not from a person")
    if found.faults:
        raise typer.Exit(1)


@app.command()
def balance(
    account: Annotated[
        str, typer.Argument(metavar="[ACCOUNT]", help="One account. Default: all.")
    ] = "",
    data: Data = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show account balances. All of them together are zero."""
    with opened(data, database) as store, store.reading() as view:
        if account:
            name = parse_account(account)
            micros = view.balance(name)
            if micros is None:
                raise UserError(f"there is no account {account}", field="ACCOUNT")
            balances = {name: micros}
        else:
            balances = {name: micros for name, micros in view.balances().items() if micros}
    if as_json:
        print_json({name: format_micros(micros) for name, micros in balances.items()})
        return
    rows = [(str(name), format_micros(micros)) for name, micros in balances.items()]
    if not account:
        rows.append(("all together", format_micros(sum(balances.values()))))
    print_table([(name, f"{text:>24}") for name, text in rows])


@app.command()
def history(
    account: AccountName,
    data: Data = None,
    database: Database = None,
    limit: Annotated[int, typer.Option(min=1, help="Entries to show at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show an account's latest entries, newest first."""
    name = parse_account(account)
    with opened(data, database) as store, store.reading() as view:
        if view.balance(name) is None:
            raise UserError(f"there is no account {account}", field="ACCOUNT")
        posted = view.history(name, limit=limit)
    if as_json:
        print_json([_plain(row) for row in posted])
    else:
        _print_entries(posted)


@app.command("round")
def round_(
    context: typer.Context,
    round: Annotated[str, typer.Argument(metavar="ID", help="The round's id.")],
    data: Data = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show a round in full: its events, its settlement and its entries."""
    with opened(data, database) as store, store.reading() as view:
        found = round_found(view, round, rules_in(context.obj))
    if as_json:
        print_json(found.as_json())
        return
    for number, (at, event) in enumerate(found.told, 1):
        print_lines(f"{number:3}  {tell(at, event)}")
    if found.played.round.closed:
        show_round(found.played)
    _print_entries(found.entries)


@app.command()
def checkpoint(
    secret: Annotated[
        Path, typer.Option(metavar="FILE", help="The secret key; created if missing.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File to append it to."),
    ],
    data: Data = None,
    database: Database = None,
) -> None:
    """Sign the heads of all streams and append the checkpoint to a file.

    Keep that file where the operator of this machine can't write."""
    with opened(data, database) as store:
        with store.reading() as view:
            heads, known = view.heads(), view.checkpoints()
        number = max((c.number for c in known), default=0) + 1
        key = _secret(secret)
        if known and known[-1].key != public_key(key):
            message = f"is not the key {known[-1].key.hex()[:16]}… that signed the last checkpoint"
            raise UserError(message, field="--secret")
        signed = sign(key, number, heads, time_ms=time.time_ns() // 1_000_000)
        store.add_checkpoint(signed)
    with output.open("a", encoding="utf-8") as file:
        file.write(f"{signed}\n")
        file.flush()
        os.fsync(file.fileno())
    print_lines(f"checkpoint {signed.number}, signed with the key {signed.key.hex()}")


@app.command()
def backup(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The new SQLite file.")
    ],
    data: Data = None,
    database: Database = None,
) -> None:
    """Back up the whole ledger to a file. Tables can go on playing."""
    with opened(data, database) as store:
        store.backup(output)
    print_lines(f"written to {output.name}")


@app.command()
def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file written by `backup`.")],
    data: Data = None,
    database: Database = None,
    checkpoints: Checkpoints = None,
    key: Key = "",
    force: Annotated[
        bool, typer.Option("--force", help="Restore even if signed events are lost.")
    ] = False,
) -> None:
    """Fill an empty ledger from a backup.

    The backup must verify, and it must not be older than the last checkpoint or than what a
    server noted in its folder. --force restores an older one, and the journal records the loss.
    To open the ledger again, the server also needs its key files.
    """
    from croupier.ledger.stores.restoring import restore as restored

    kept = _checkpoints(checkpoints)
    now_ms = time.time_ns() // 1_000_000 if force else None
    if not source.exists():
        raise UserError(f"there is no file {source.name}", field="BACKUP")
    with opened(data, database, make=True) as store:
        rules_of = rules_in(context.obj)
        marks = marks_in(data) if data and data.is_dir() else []
        lost = restored(
            store,
            source,
            rules_of,
            checkpoints=kept,
            marks=marks,
            key=_key(key),
            forced_at_ms=now_ms,
        )
    for stream, count in lost.items():
        print_lines(f"{count:,} events of {stream} are lost; the journal says so")
    print_lines("restored")


def counted(number: int, one: str, more: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else more}"


def _checkpoints(file: Path | None) -> tuple[Checkpoint, ...]:
    return parse_checkpoints(read_text(file)) if file else ()


def _key(text: str) -> bytes | None:
    if not text:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ParseError(f"must be {2 * KEY_BYTES} digits from 0 to f", field="--key")
    return key


def _secret(file: Path) -> bytes:
    """Read the secret key from a file that only its owner may read, or create one."""
    if not file.exists():
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as made:
            made.write(f"{os.urandom(KEY_BYTES).hex()}\n")
    try:
        # A server writes the kind of key before the key.
        secret = bytes.fromhex(read_text(file).rpartition("-1 ")[2])
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        raise UserError(f"{file.name} holds no secret key", field="--secret")
    return secret


def _plain(row: Posted) -> dict[str, Any]:
    # "amount" is the older name of "dollars".
    return {**row.as_json(), "amount": format_micros(row.entry.micros)}


def _print_entries(posted: list[Posted]) -> None:
    rows = [
        (p.entry.id, p.entry.debit, p.entry.credit, format_micros(p.entry.micros), p.entry.code)
        for p in posted
    ]
    print_table(rows, ("entry", "from", "to", "amount", "because"))
