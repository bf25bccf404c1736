"""The practice tables of a process: a few at a time."""

import asyncio
from collections.abc import Callable, Mapping
from hashlib import sha256
from secrets import token_urlsafe
from typing import Annotated

from pydantic import Field

from croupier.errors import Refused
from croupier.ledger.audit import RulesOf
from croupier.server.practice import ROUNDS, ROUNDS_MAX, Practice
from croupier.server.script import FAULTS, SCRIPT, Script, practice_config, things_of
from croupier.server.strict import Body

KEPT_MAX, IDLE_S = 12, 1800
TAG = 8
"""How many characters of a practice's address name its node."""
SEED_MAX = 2**53
SELECTIONS_MAX = 30

Word = Annotated[str, Field(max_length=60)]


def tag_of(node: str) -> str:
    """Return how the address of a practice begins, by the node that has it."""
    return sha256(node.encode()).hexdigest()[:TAG]


class PracticeWanted(Body):
    rulebook: Annotated[str, Field(max_length=60)]
    seed: Annotated[int, Field(ge=0, le=SEED_MAX)] = 1
    rounds: Annotated[int, Field(ge=1, le=ROUNDS_MAX)] = ROUNDS
    hints: bool = False
    real: bool = False
    """With real cards and chips, and walk-ins."""
    screens: bool = False
    """With real cards, and players at screens; if `real` as well, with one among the walk-ins."""
    selections: Mapping[Word, Word] = Field(default={}, max_length=SELECTIONS_MAX)
    """Other equipment, or another version of the game, in the words of the book."""
    faults: Annotated[int, Field(ge=0, le=100)] = FAULTS


class Practices:
    """The practice tables of a process: a few; idle ones are closed."""

    def __init__(
        self,
        rules_of: RulesOf,
        *,
        script: Script = SCRIPT,
        node: Callable[[], str] = lambda: "",
    ) -> None:
        self._rules_of, self.script, self._node = rules_of, script, node
        self._open: dict[str, Practice] = {}

    async def open(self, wanted: PracticeWanted) -> Practice:
        """Open a practice table, or refuse one more than there may be.

        Other processes of the house know by its address who has it.
        """
        now_s = asyncio.get_running_loop().time()
        for token, one in [*self._open.items()]:
            if now_s - one.used_s > IDLE_S:
                await self._open.pop(token).stop()
        if len(self._open) >= KEPT_MAX:
            raise Refused("too_many", "all practice tables are taken; try again later")
        things = things_of(real=wanted.real, screens=wanted.screens)
        config = practice_config(
            wanted.rulebook, self._rules_of, things=things, selections=wanted.selections
        )
        made = Practice(
            config,
            self._rules_of,
            token=tag_of(self._node()) + token_urlsafe(12),
            seed=wanted.seed,
            rounds=wanted.rounds,
            hints=wanted.hints,
            script=self.script._replace(screens=int(wanted.screens), faulty=wanted.faults / 100),
        )
        self._open[made.token] = made
        await made.start()
        return made

    def get(self, token: str) -> Practice:
        """Return a practice table, or refuse one that has ended."""
        if token not in self._open:
            raise Refused("not_found", "this practice has ended; begin another one")
        return self._open[token]

    async def close(self) -> None:
        """End all of them."""
        while self._open:
            await self._open.popitem()[1].stop()
