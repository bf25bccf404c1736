"""What is made public of a deck before the first wager of its round."""

from typing import NamedTuple


class DeckCommitted(NamedTuple):
    """A deck was shuffled and committed to: its cards can be no others from here on."""

    round: str
    rules: str
    root: str
    commitment: str
