"""Commands and events of a table as JSON, encoded like those of a round."""

from typing import Any

from croupier.reading.reader import reader_of, run
from croupier.table.commands import Command
from croupier.table.events import Event

_COMMAND, _EVENT = reader_of(Command), reader_of(Event)


def command_from(data: Any) -> Command:
    command: Command = run(_COMMAND, data)
    return command


def event_from(data: Any) -> Event:
    event: Event = run(_EVENT, data)
    return event
