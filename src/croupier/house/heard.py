"""Remembers messages that lead to no event, so that repeating one has no second effect.

The ledger remembers every message that leads to an event. The others, `ready` and `more_time`, are
forgotten with the process, and so are their effects.
"""

from croupier.errors import Refused
from croupier.house.turn import CommandId
from croupier.ledger.store import COMMAND_REUSED, Answer
from croupier.recent import Recent

HEARD_MAX = 1_000
"""How many messages a table remembers."""


class Heard:
    """The last such messages of a table, with their answers."""

    def __init__(self) -> None:
        self.answers: Recent[str, tuple[bytes, Answer]] = Recent(HEARD_MAX)
        """The digest of each message and its answer, by the message's id."""

    def answer_to(self, id: CommandId) -> Answer:
        """Return the answer to a message that was heard; refuse its id for a different one."""
        digest, answer = self.answers[id.id]
        if digest != id.digest:
            message = "this id was already used for a different command"
            raise Refused(COMMAND_REUSED, message, field="command")
        return answer

    def keep(self, id: CommandId, number: int) -> Answer:
        """Remember a message and return its answer."""
        answer = Answer("", number)
        self.answers[id.id] = id.digest, answer
        return answer
