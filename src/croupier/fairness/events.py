"""What is published about a deck before the first wager of its round."""

from typing import NamedTuple


class DeckCommitted(NamedTuple):
    """A deck was shuffled and committed to; its cards can no longer change."""

    round: str
    rules: str
    root: str
    commitment: str
