"""One thing that can be done at a table: who does it, by which clause, and the command."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from croupier.round import commands as in_round
from croupier.round.codec import to_plain
from croupier.table import commands as at_table
from croupier.table.commands import Of, Time

StepField = Mapping[str, Any]
"""What somebody fills in: the part of the command, its kind, and the question."""
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
    takes: StepField | None = None
    """What has to be read or typed before it can be done."""
    fields: tuple[StepField, ...] = ()
    """What a form asks for; a step takes one thing, and a form may take several."""

    def as_json(self) -> dict[str, Any]:
        command = to_plain(self.command) if self.command is not None else None
        asked = (*self.fields, *((self.takes,) if self.takes else ()))
        left_open = {name for field in asked for name in _gives(field)}
        if command is not None:
            command = {name: value for name, value in command.items() if name not in left_open}
        said = {"says": self.says, "by": [*self.by], "clause": self.clause or None}
        return {**said, "of": self.of, "command": command, "takes": self.takes}

    def as_act(self, topic: str, posts: Iterable[str]) -> dict[str, Any]:
        """Return it as something that may be done besides the next step."""
        plain = self.as_json()
        takes = plain.pop("takes")
        fields = [*self.fields, *([takes] if takes else [])]
        return {**plain, "topic": topic, "posts": [*posts], "fields": fields}


def _gives(field: StepField) -> set[str]:
    """Return the parts of the command that a field fills in."""
    answers = field.get("answers", [])
    return {name for answer in answers for name in answer["gives"]} or {field["field"]}
