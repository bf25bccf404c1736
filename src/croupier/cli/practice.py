"""`croupier practice`: deal practice rounds at a table of your own, in a browser."""

import secrets
import webbrowser
from typing import Annotated, Any

import typer

from croupier.cli.opening import rules_in
from croupier.cli.output import AsJson, group, print_json, tell
from croupier.cli.selections import Select, parse_selections
from croupier.cli.serve import LOOPBACK, listening, remembered, run_server, stop_like_ctrl_c
from croupier.errors import UserError
from croupier.ledger.audit import RulesOf
from croupier.rules.load import load

SEED_BITS = 32

app = group("Practise dealing by the book, in a browser.", no_args_is_help=False)


@app.command()
def practice(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="A rulebook's id.")],
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**53, help="Deal the cards of this seed again.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Rounds to deal.")] = 5,
    hints: Annotated[bool, typer.Option("--hints", help="Show what to take and pay.")] = False,
    real: Annotated[
        bool, typer.Option("--real", help="Real cards and chips: you read, enter and count.")
    ] = False,
    screens: Annotated[
        bool,
        typer.Option(
            "--screens",
            help="Real cards, with players at screens; with --real, one beside the walk-ins.",
        ),
    ] = False,
    select: Select = None,
    faults: Annotated[
        int, typer.Option(min=0, max=100, help="In how many rounds of 100 something goes wrong.")
    ] = 40,
    port: Annotated[int, typer.Option("--port", "-p", help="Port; 0 picks a free one.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Practise here, a line at a time.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Practise dealing: scripted players bet and decide, and now and then something goes wrong.

    Prints the address of your console, on this machine only, or deals here with --terminal. Ctrl-C,
    or q there, ends the practice and prints the report: every deviation from the book with its
    clause and what it costs. Nothing is kept.
    """
    stop_like_ctrl_c()
    from croupier.reports.answers import toml_text
    from croupier.server.practices import PracticeWanted
    from croupier.server.script import practice_config, things_of

    load(id, context.obj)  # An unknown id is the caller's mistake, not one of the tables file.
    rules_of = remembered(rules_in(context.obj))
    # A book that can't be dealt is named before anything opens.
    chosen = {name: toml_text(value) for name, value in parse_selections(select or ()).items()}
    things = things_of(real=real, screens=screens)
    practice_config(id, rules_of, things=things, selections=chosen)
    drawn = secrets.randbits(SEED_BITS) if seed is None else seed
    how: Any = {"rounds": rounds, "hints": hints, "real": real, "faults": faults}
    how |= {"screens": screens, "selections": chosen}
    wanted = PracticeWanted(rulebook=id, seed=drawn, **how)
    if terminal:
        from croupier.cli.practice_terminal import deal

        report = deal(rules_of, wanted)
    else:
        report = _in_browser(context, rules_of, wanted, port=port, open_page=open_page)
    if as_json:
        print_json(report)
    else:
        _print(report)


def _in_browser(
    context: typer.Context, rules_of: RulesOf, wanted: Any, *, port: int, open_page: bool
) -> dict[str, Any]:
    """Serve the console of one practice until it is ended, and return its report."""
    from croupier.server.doorway import Server, serve_config
    from croupier.server.guard import Guard
    from croupier.server.practice_app import practice_app

    with listening(LOOPBACK, port) as listener:
        page = f"http://{LOOPBACK}:{listener.getsockname()[1]}"

        def opened(path: str) -> None:
            tell(f"Your console: {page}{path}")
            dealt = f"Seed {wanted.seed}, {wanted.rounds} rounds"
            tell(f"{dealt}. Ctrl-C ends the practice and prints the report.")
            if open_page:
                webbrowser.open(f"{page}{path}")

        made = practice_app(rules_of, wanted, folders=context.obj, opened=opened)
        server = Server(serve_config(Guard(made), host=LOOPBACK, port=port))
        run_server(server, listener)
    report: dict[str, Any] | None = getattr(made.state, "report", None)
    if report is None:
        raise UserError("the practice could not be opened; the log says why")
    return report


def _print(report: dict[str, Any]) -> None:
    print(f"{report['title']}, seed {report['seed']}: {report['rounds']} of {report['of']} rounds.")
    if report["settled"]:
        print(f"Seats settled by the book: {report['right']} of {report['settled']}.")
    for one in report["deviations"]:
        clause = f" ({one['clause']})" if one["clause"] else ""
        print(f"{one['round']}: {one['says']}{clause}: ${one['dollars']}")
    print(f"Deviations: {len(report['deviations'])}, at a cost of ${report['costs']}.")
