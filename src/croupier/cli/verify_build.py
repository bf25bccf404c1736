"""`croupier verify-build`: compare the installed files with those that the house approved."""

import typer

from croupier.cli.opening import Database, DataFolder, opened
from croupier.cli.output import AsJson, group, print_json, print_lines

app = group("Compare the installed files with the approved ones.", no_args_is_help=False)


@app.command()
def verify_build(
    context: typer.Context,
    data: DataFolder = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Compare every installed file and rulebook with the build that the house approved.

    Exits with 0 if they are the same, and with 1 if a file was changed, removed or added, or if
    nobody has approved a build.
    """
    from croupier.house.build import Build

    with opened(data, database) as store, store.reading() as view:
        state = Build(context.obj).compare(view)
    found = state.as_json()
    if as_json:
        del found["checked_ms"]
        print_json(found)
    else:
        print_lines(*(str(one) for one in state.differs))
        if state.ignored:
            print_lines(f"approvals that the house's key did not sign: {state.ignored:,}")
        print_lines(f"build {state.digest}", state.says)
    if not found["is_approved"]:
        raise typer.Exit(1)
