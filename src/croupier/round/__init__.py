"""One round: commands, events, and the pure functions between them.

`decide` says what a command comes to, `evolve` what an event makes of a round, `replay` what a
history comes to. Chance, time and meter readings arrive in commands.
"""

from croupier.round.decide import decide
from croupier.round.evolve import evolve, replay
from croupier.round.state import Round

__all__ = ["Round", "decide", "evolve", "replay"]
