"""The people who work at a table: who they are, and what they may do there."""

from typing import Literal, NamedTuple

Role = Literal["dealer", "floor", "surveillance", "auditor"]
"""What a person may be for a house; the server knows who is, and says so in commands."""


class Who(NamedTuple):
    """A person who acts, and the role they act in."""

    person: str
    role: Role
