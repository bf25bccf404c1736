"""The command line: one file a command; here is what they share at the top.

Data goes to standard output, everything else to standard error. A mistake of the caller's ends in
one sentence and exit code 2, never in a traceback. A command's file is imported when the command
is called, so that one command does not pay for the others.
"""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from typer._click import Command, Context
from typer._click.exceptions import NoArgsIsHelpError
from typer._click.formatting import HelpFormatter
from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException

from croupier import __version__
from croupier.cli.output import say
from croupier.errors import MissingExtra, Problems, UserError

BOOKS = "CROUPIER_BOOKS"
INTERRUPTED = 130

COMMANDS = {
    "rulebooks": "List the rulebooks, show one, compare two, check a file.",
    "submission": "Write a rules submission, or check one.",
    "play": "Play a book in the terminal, for play chips.",
    "settle": "Settle a round file, every line with its clause.",
    "replay": "Show a recorded round, event by event or settled.",
    "analyze": "Work out the exact figures of every wager, or of a bet.",
    "advise": "Say what every choice is worth with given cards.",
    "price": "Price every ruling of a book, reading by reading.",
    "compare": "Price two books or two sets of selections side by side.",
    "choose": "Find the selections that give a house edge.",
    "simulate": "Deal rounds and hold them against the exact values.",
    "report": "Make the PAR sheet of a table, HTML or PDF.",
    "sign": "Make the sign that a table must post, HTML or PDF.",
    "serve": "Open live tables to players in a browser.",
    "bots": "Play at the tables of a server, over the network.",
    "ledger": "Verify a ledger, look at accounts and rounds, back up.",
    "check-deal": "Check which cards of a deal are proven.",
    "rng": "Put out random bytes or shuffles, for a test lab.",
}


class Commands(TyperGroup):
    """The commands by name; each is the `app` of the file that bears its name."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        if cmd_name not in COMMANDS:
            return None
        file = cmd_name.replace("-", "_")
        return typer.main.get_command(import_module(f"croupier.cli.{file}").app)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,  # Help through Rich would cost more time than an answer.
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: object) -> None:
    if value:
        typer.echo(f"croupier {__version__}")
        raise typer.Exit


@app.callback()
def top(
    context: typer.Context,
    books: Annotated[
        list[Path] | None,
        typer.Option(help=f"A folder with more rulebooks (may be repeated; also ${BOOKS})."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Deal, settle, price and audit casino poker games by the book."""
    named = [Path(folder) for folder in os.environ.get(BOOKS, "").split(os.pathsep) if folder]
    context.obj = (*(books or ()), *named)


def main() -> None:
    """Run the command line and leave with its exit code."""
    # Whoever reads our output may have seen enough: then we end, as other programs do.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        code = app(standalone_mode=False, prog_name="croupier")
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer makes an exit code of Ctrl-C.
            say("interrupted")
    except Problems as found:
        for problem in found.problems:
            say(str(problem))
        code = found.exit_code
    except (UserError, MissingExtra) as error:
        say(str(error))
        code = error.exit_code
    except NoArgsIsHelpError as asked:
        print(asked.format_message())
        code = 0
    except TyperException as error:
        say(error.format_message())
        code = UserError.exit_code
    except (Abort, KeyboardInterrupt):
        say("interrupted")
        code = INTERRUPTED
    sys.exit(code)
