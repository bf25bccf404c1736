"""Prints the reference of the command line, docs/cli.md, from what `--help` says.

.venv/bin/python tools/cli_reference.py > docs/cli.md
"""

from collections.abc import Iterator

from typer._click import Command, Context
from typer.core import TyperGroup
from typer.main import get_command

from croupier.cli import app

# What help is wrapped to in a window of 80 columns.
WIDTH = 78

INTRODUCTION = """\
# The command line

After this page you know every command and option. It is what `--help` prints:
`tools/cli_reference.py` generates the page, and a test compares the two.

In a clone, run `./croupier`; once installed, the program is `croupier`. Data goes to standard
output, everything else to standard error. With `--json`, a command prints one JSON document:

```console
$ ./croupier advise maryland-three-card-poker --cards "Qs 6d 3c" --json
{
  "choices": [
    {
      "choice": "play",
      "value": "-393/392"
    },
    {
      "choice": "fold",
      "value": "-1"
    }
  ],
  "best": "fold"
}
```

The exit code tells you how it went:

| code | meaning |
| ---: | --- |
| 0 | done |
| 1 | the answer is "no": a check fails, or nothing meets the target |
| 2 | the input or the call is wrong; standard output is empty |
| 3 | an optional package is missing; the message names it |
| 130 | interrupted |
| 141 | the reader of standard output closed it |
"""


def reference() -> str:
    """Return the whole page."""
    return "\n".join([INTRODUCTION, *sections(get_command(app), "croupier", None)])


def sections(command: Command, name: str, parent: Context | None) -> Iterator[str]:
    """Yield the help of a command, and of every command below it."""
    context = Context(
        command, parent, name, terminal_width=WIDTH, **(command.context_settings or {})
    )
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, TyperGroup):
        for below in command.list_commands(context):
            inner = command.get_command(context, below)
            if inner is not None:
                yield from sections(inner, below, context)


if __name__ == "__main__":
    print(reference(), end="")
