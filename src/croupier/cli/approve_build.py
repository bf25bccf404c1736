"""`croupier approve-build`: approve the installed files for a house."""

import time

import typer

from croupier.cli.opening import ByName, Database, HouseFolder, KeyCommand, check_by, opened_closed
from croupier.cli.output import group, print_lines

app = group("Approve the installed files for a house.")


@app.command()
def approve_build(
    context: typer.Context,
    data: HouseFolder,
    database: Database = None,
    key_command: KeyCommand = "",
    by: ByName = "",
) -> None:
    """Approve every installed file and rulebook for a closed house.

    The list of files is signed with the house's signing key and recorded in the journal. From then
    on a table is closed while its rulebook or the program differs from it.
    """
    from croupier.house.build import Build, approve_build

    check_by(by)
    files = Build(context.obj).files()
    with opened_closed(data, database, key_command) as house:
        house.take_signing()
        now_ms = time.time_ns() // 1_000_000
        build = approve_build(house.store, house.keys, files, by=by, time_ms=now_ms)
        house.signing().sign_now(house.store, time_ms=now_ms)
    print_lines(f"approved {len(files):,} files: build {build.digest}")
