"""Commands and events of a table as JSON; the encoding is the rounds' own."""

from typing import Any

from croupier.round.codec import one_of, to_plain
from croupier.table.commands import Command
from croupier.table.events import Event

__all__ = ["command_from", "event_from", "to_plain"]


def command_from(data: Any) -> Command:
    """Read a command from plain data."""
    command: Command = one_of(Command, data)
    return command


def event_from(data: Any) -> Event:
    """Read an event from plain data."""
    event: Event = one_of(Event, data)
    return event
