"""The command line: one module for each command; this one has what they share.

Data goes to standard output, everything else to standard error. A caller's mistake ends in one
sentence and exit code 2, never in a traceback. A command's module is imported when the command is
called, so that no command pays for the others.
"""

import os
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
STDOUT = 1
INTERRUPTED = 130
PIPE_CLOSED = 141
"""What a shell reports of a program that SIGPIPE ended."""

COMMANDS = {
    "rulebooks": "List rulebooks, show one, compare two, or check a file.",
    "submission": "Write a rules submission or check one.",
    "play": "Play in the terminal for play chips.",
    "settle": "Settle a round; every line cites its clause.",
    "replay": "Replay a recorded round and show its settlement.",
    "analyze": "Compute the exact odds of every wager, or of one bet.",
    "advise": "Show what each choice is worth with given cards.",
    "price": "Show what each ruling of a book is worth.",
    "compare": "Compare the odds of two books or two sets of selections.",
    "choose": "Find selections that give a target house edge.",
    "simulate": "Simulate rounds and compare them with the exact values.",
    "report": "Write a table's PAR sheet as HTML or PDF.",
    "sign": "Write the sign a table must post as HTML or PDF.",
    "serve": "Open live tables for people to play in a browser.",
    "practice": "Practise dealing by the book, in a browser.",
    "bots": "Play at a server's tables over the network.",
    "ledger": "Verify a ledger, inspect it, back it up, restore it.",
    "verify-build": "Compare the installed files with the approved ones.",
    "approve-build": "Approve the installed files for a house.",
    "check-deal": "Check which cards of a deal are proven.",
    "schema": "Print the JSON Schema of an output.",
    "rng": "Print random bytes or shuffles for a test lab.",
}


class Commands(TyperGroup):
    """The commands by name; each is the `app` of the module of that name."""

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
    rich_markup_mode=None,  # Rendering help with Rich would take longer than an answer.
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
        typer.Option(help=f"A folder with more rulebooks; repeatable. Also ${BOOKS}."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Deal, settle, price and audit casino poker games by the book."""
    named = [Path(folder) for folder in os.environ.get(BOOKS, "").split(os.pathsep) if folder]
    context.obj = (*(books or ()), *named)


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        code = app(standalone_mode=False, prog_name="croupier")
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer turns Ctrl-C into an exit code.
            say("interrupted")
    except Problems as found:
        for line in found.problems if found.problems[0].file else (found,):
            say(str(line))
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
    except (BrokenPipeError, SystemExit):
        # The reader of our output is gone, which Typer and Rich turn into an exit of their own.
        # What is still buffered must not be written when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
        code = PIPE_CLOSED
    sys.exit(code)
