"""One thing that can be done at a table: who does it, by which clause, and the command."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from croupier.round import commands as in_round
from croupier.round.codec import to_plain
from croupier.table import commands as at_table
from croupier.table.commands import Of, Time

NO_TIME = Time(0, 0)
"""In a command on a desk: the server fills the time in."""


class NextStep(NamedTuple):
    """What comes next: who does it, by which clause, and the command; or who is awaited."""

    says: str
    by: tuple[str, ...]
    clause: str = ""
    of: Of = "round"
    command: in_round.Command | at_table.Command | None = None
    """None where nobody at the desk can go on."""
    takes: Mapping[str, str] | None = None
    """What has to be filled in: the field of the command, its kind, and the question."""

    def as_json(self) -> dict[str, Any]:
        command = to_plain(self.command) if self.command is not None else None
        if command is not None and self.takes:
            del command[self.takes["field"]]
        said = {"says": self.says, "by": [*self.by], "clause": self.clause or None}
        return {**said, "of": self.of, "command": command, "takes": self.takes}
