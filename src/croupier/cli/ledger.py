"""`croupier ledger`: verify the journal, look at accounts and rounds, back up and restore."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from croupier.cli import ledger_format, ledger_keys
from croupier.cli.opening import Database, DataFolder, KeyCommand, opened, rules_in
from croupier.cli.output import AsJson, group, print_json, print_lines, print_table
from croupier.cli.settle import show_round
from croupier.errors import ParseError, UserError
from croupier.ledger.accounts import parse_account
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint, parse_checkpoints, public_key, sign
from croupier.ledger.found import round_found
from croupier.ledger.stores.marks import marks_in
from croupier.ledger.verify import Verified
from croupier.ledger.verify import verify as verified
from croupier.money import format_micros
from croupier.round.tell import tell
from croupier.rules.load import read_text
from croupier.rules.words import counted

app = group("Verify a ledger, inspect accounts and rounds, back up and restore.")

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


@app.command()
def verify(
    context: typer.Context,
    data: DataFolder = None,
    database: Database = None,
    checkpoints: Checkpoints = None,
    key: Key = "",
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FOLDER", help="The house's folder with its key files."),
    ] = None,
    key_command: KeyCommand = "",
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
    vouched = vouching(folder, key_command)
    if keys and vouched is None:
        raise UserError(f"there are no keys in {keys}", field="--keys")
    opens, own = (vouched.opens, vouched.key) if vouched else (None, None)
    with opened(data, database) as store, store.reading() as view:
        standings = partial(wrong_standings, rules_of=rules_of) if rules_of else None
        found = verified(
            view, rules_of, checkpoints=kept, key=_key(key) or own, opens=opens, standings=standings
        )
    if as_json:
        print_json(found.as_json())
    else:
        print_lines(*found.faults)
        print_lines(*(f"proved: {one}" for one in found.proved))
        print_lines(*(f"not proved: {one}" for one in found.unproved))
        counts = [
            counted(len(found.heads), "stream"),
            counted(found.events, "event"),
            counted(found.entries, "entry", "entries"),
            counted(found.checkpoints, "checkpoint"),
        ]
        print_lines(f"{', '.join(counts)}: {_verdict(found, quick=quick)}")
        if found.by_machine:
            acts = counted(found.by_machine, "confirmation")
            print_lines(f"{acts} of procedure came from the machine, not from a person")
        for table, one in found.voids.items():
            if one.counts:
                void = sum(count for _, count in one.rows(called_off=False))
                off = sum(count for _, count in one.rows(called_off=True))
                rounds = counted(one.rounds, "round")
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
    return f"{says}, {counted(late, 'event')} unsigned" if late else says


@app.command()
def balance(
    account: Annotated[
        str, typer.Argument(metavar="[ACCOUNT]", help="One account. Default: all.")
    ] = "",
    data: DataFolder = None,
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
    data: DataFolder = None,
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
    data: DataFolder = None,
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
    data: DataFolder = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Compare what the house won with what the exact odds expect.

    Each hand is priced by the rules that it was played by and the meters of its round. The
    expectation assumes the best strategy, so players' mistakes raise the win above it. Exits with 1
    if the accounts of the house differ from what its rounds won.
    """
    from croupier.cli.ledger_win import print_wins
    from croupier.cli.workers import progress
    from croupier.theory.show import wins_chart, wins_json
    from croupier.theory.wins import Wins

    wins = Wins(rules_in(context.obj))
    with opened(data, database) as store, store.reading() as view:
        with progress(wins.unread(view), what="events", quiet=as_json) as told:
            wins.read(view, told)
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
def shifts(data: DataFolder = None, database: Database = None, as_json: AsJson = False) -> None:
    """Add up each shift of tables with chip trays: counts, fills, credits, drop and win.

    The win by the two counts is shown beside the journal's; a difference is never posted.
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
    data: DataFolder = None,
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
    data: DataFolder = None,
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
    data: DataFolder = None,
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
    from croupier.house.keys import write_private

    if not file.exists():
        write_private(file, f"{os.urandom(KEY_BYTES).hex()}\n")
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


app.command("raise-format")(ledger_format.raise_format)
app.command("rotate-keys")(ledger_keys.rotate_keys)
app.command("appoint")(ledger_keys.appoint)
app.command("link-key")(ledger_keys.link_key)
app.command("export-keys")(ledger_keys.export_keys)
app.command("restore-keys")(ledger_keys.restore_keys)
