"""Provably fair dealing: the shuffle, the commitment, its seal at rest, and the checker.

Entropy and keys arrive as arguments; nothing here knows bets, players, meters or the clock.
"""

from croupier.fairness.commitment import commit
from croupier.fairness.shuffle import shuffled

__all__ = ["commit", "shuffled"]
