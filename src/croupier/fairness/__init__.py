"""Provably fair dealing: the shuffle, the commitment, its seal at rest, and the checker.

Entropy and keys arrive as arguments; nothing here knows bets, players, meters or the clock.
"""

from croupier.fairness.commitment import commit
from croupier.fairness.cut import NO_CUT, contribution_hash, document_of, roll_of
from croupier.fairness.events import Contributed, DeckCut, Revealed
from croupier.fairness.shuffle import shuffled

__all__ = [
    "NO_CUT",
    "Contributed",
    "DeckCut",
    "Revealed",
    "commit",
    "contribution_hash",
    "document_of",
    "roll_of",
    "shuffled",
]
