"""`croupier ledger`: verify the journal, look at accounts and rounds, back up and restore."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

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
from croupier.ledger.tenure import other_nodes
from croupier.ledger.verify import Verified
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
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FOLDER", help="The house's folder with its key files."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Check hash chains and signatures only.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify the journal and everything computed from it, and say what that proves.

    Follows each stream's hash chain from its first event, checks signed checkpoints, and computes
    from the events what else is stored: entries, balances, answers, decks, people and roles. Exits
    with 0 only if nothing is wrong and a checkpoint signs the history. Otherwise it exits with 1,
    and names the first bad event.
    """
    from croupier.house.keys import vouching
    from croupier.house.recall import wrong_standings

    kept = _checkpoints(checkpoints)
    rules_of = None if quick else rules_in(context.obj)
    folder = keys or (data if data and data.is_dir() else None)
    vouched = vouching(folder) if folder else None
    if keys and vouched is None:
        raise UserError(f"there are no keys in {keys}", field="--keys")
    given = _key(key) or (vouched.key if vouched else None)
    opens = vouched.opens if vouched else None
    with opened(data, database) as store, store.reading() as view:
        standings = partial(wrong_standings, rules_of=rules_of) if rules_of else None
        found = verified(
            view, rules_of, checkpoints=kept, key=given, opens=opens, standings=standings
        )
    if as_json:
        heads = {s: {"number": h.number, "hash": h.hash.hex()} for s, h in found.heads.items()}
        print_json(
            {
                "verifies": found.verifies,
                "events": found.events,
                "signed": found.signed,
                "entries": found.entries,
                "checkpoints": found.checkpoints,
                "confirmed_by_machine": found.by_machine,
                "voids": {table: one.as_json() for table, one in found.voids.items()},
                "heads": heads,
                "proved": [*found.proved],
                "unproved": [*found.unproved],
                "faults": [*found.faults],
            }
        )
    else:
        print_lines(*found.faults)
        print_lines(*(f"proved: {one}" for one in found.proved))
        print_lines(*(f"not proved: {one}" for one in found.unproved))
        counts = [
            counted(len(found.heads), "stream", "streams"),
            counted(found.events, "event", "events"),
            counted(found.entries, "entry", "entries"),
            counted(found.checkpoints, "checkpoint", "checkpoints"),
        ]
        print_lines(f"{', '.join(counts)}: {_verdict(found, quick=quick)}")
        if found.by_machine:
            acts = counted(found.by_machine, "confirmation", "confirmations")
            print_lines(f"{acts} of procedure came from the machine, not from a person")
        for table, one in found.voids.items():
            if one.counts:
                void = sum(count for _, count in one.rows(called_off=False))
                off = sum(count for _, count in one.rows(called_off=True))
                rounds = counted(one.rounds, "round", "rounds")
                print_lines(f"{table}: {rounds}, {void} void by the book, {off} called off")
    if not found.verifies:
        raise typer.Exit(1)


def _verdict(found: Verified, *, quick: bool) -> str:
    if found.faults:
        return "FAILS"
    if not found.verifies:
        return "consistent, but NOT SIGNED"
    late = found.events - found.signed
    says = "hash chains hold" if quick else "verifies"
    return f"{says}, {counted(late, 'event', 'events')} unsigned" if late else says


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
def win(
    context: typer.Context,
    by: Annotated[
        Literal["table", "wager", "day"], typer.Option("--by", help="What each row is about.")
    ] = "table",
    table: Annotated[
        str | None, typer.Option("--table", metavar="ID", help="One table. Default: all.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="FILE", help="Also draw the win over time, as SVG."),
    ] = None,
    data: Data = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Compare what the house won with what the exact odds expect.

    Each hand is priced by the rules that it was played by and the meters of its round. The
    expectation assumes the best strategy, so players' mistakes raise the win above it. Exits with 1
    if the accounts of the house differ from what its rounds won.
    """
    from croupier.cli.ledger_win import print_wins
    from croupier.theory.show import wins_chart, wins_json
    from croupier.theory.wins import Wins

    wins = Wins(rules_in(context.obj))
    with opened(data, database) as store, store.reading() as view:
        wins.read(view)
        unexplained = wins.unexplained_micros(view)
    if table is not None and table not in wins.tables:
        raise UserError(f"no round was played at a table {table!r}", field="--table")
    report = {**wins_json(wins, by, table=table), "agrees_with_accounts": not unexplained}
    drawn = wins_chart(
        wins.over_time(table), title=f"Actual against theory: {table or 'the house'}"
    )
    if as_json:
        print_json(report)
    else:
        print_wins(report)
    if chart is not None:
        if drawn is None:
            raise UserError("no round is over yet, so there is nothing to draw", field="--chart")
        chart.write_text(drawn, "utf-8")
    if unexplained:
        difference = format_micros(unexplained)
        print_lines(f"the accounts of the house differ by {difference} from what its rounds won")
        raise typer.Exit(1)


@app.command()
def shifts(data: Data = None, database: Database = None, as_json: AsJson = False) -> None:
    """Add up each shift of tables with chip trays: counts, fills, credits, drop and win.

    The win by the two counts stands beside the journal's; a difference is named and never posted.
    """
    from croupier.cli.ledger_shifts import print_shifts, shift_json
    from croupier.ledger.chips import shifts_in

    with opened(data, database) as store, store.reading() as view:
        found = [s for stream in sorted(view.heads()) for s in shifts_in(view.stream(stream))]
    report = [shift_json(shift) for shift in found]
    if as_json:
        print_json(report)
    else:
        print_shifts(report)


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


# ---------------------------------------------------------------- keys

Folder = Annotated[
    Path, typer.Option("--data", metavar="FOLDER", help="The house's folder with its key files.")
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", metavar="FILE", help="Read the passphrase from a file; don't ask."
    ),
]


@app.command("rotate-keys")
def rotate_keys(data: Folder, database: Database = None) -> None:
    """Give a closed house new keys.

    The change is signed with the old signing key and recorded in the journal. The old files stay
    under other names: decks that were sealed with the old master key need it. Keep a new copy.
    """
    from croupier.house.folder import opened_house
    from croupier.house.keys import ids_of

    if not data.is_dir():
        raise UserError(f"there is no folder {data}", field="--data")
    with opened_house(data, database) as house:
        if others := other_nodes(house.store.tenure):
            are = f"{len(others)} servers of this house are" if others[1:] else "a server is"
            message = f"{are} still running with the old keys; close all servers first"
            raise UserError(message, field="--database")
        before = ids_of(house.keys)
        house.change_keys(time_ms=time.time_ns() // 1_000_000)
        after = ids_of(house.keys)
    for name, old, new in zip(("master", "signing"), before, after, strict=True):
        print_lines(f"the {name} key was {old} and is {new}")


@app.command("export-keys")
def export_keys(
    data: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Write a copy of a house's keys to a file, wrapped with a passphrase.

    Keep it apart from backups of the ledger, and the passphrase apart from both."""
    from croupier.house.keyfile import wrap
    from croupier.house.keys import MASTER, SIGNING, Keys, ids_of, key_files

    keys = key_files(data)
    ids = ids_of(Keys(keys[MASTER], keys[SIGNING]))
    text = wrap(keys, ids._asdict(), _passphrase(passphrase_file, new=True))
    if output.exists():
        raise UserError(f"{output.name} exists already", field="--output")
    with os.fdopen(os.open(output, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    print_lines(f"{counted(len(keys), 'key', 'keys')} written to {output.name}")


@app.command("restore-keys")
def restore_keys(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `export-keys`.")],
    data: Folder,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Put the key files of a house back from a wrapped copy. No other key is replaced."""
    from croupier.house.keyfile import unwrap
    from croupier.house.keys import put_key_files

    keys = unwrap(read_text(source), _passphrase(passphrase_file))
    data.mkdir(parents=True, exist_ok=True)
    added = put_key_files(data, keys)
    print_lines(f"restored {', '.join(added)}" if added else "all keys are there already")


def _passphrase(file: Path | None, *, new: bool = False) -> str:
    if file is not None:
        return read_text(file).rstrip("\r\n")
    said: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    return said


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
