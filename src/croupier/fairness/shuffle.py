"""The shuffle: entropy in, the order of a deck out.

Nothing else comes in, so a deck cannot depend on bets, balances, meters or players. Entropy is a
function that returns as many bytes as it is asked for; the edges pass `os.urandom`. No byte is
kept between two calls, so processes that were forked or restored from one snapshot share none.
"""

from collections.abc import Callable

from croupier.cards import DECK, Card
from croupier.errors import Bug

Entropy = Callable[[int], bytes]

WORDS = 256
"""How many values one word of entropy, a byte, can have."""
REJECTED_MAX = 64
"""Fewer than half of all words are rejected; so many in a row come once in 2 ** 64 draws."""


def take(entropy: Entropy, count: int) -> bytes:
    """Return so many bytes of entropy; a source that gives another number is broken."""
    taken = entropy(count)
    if len(taken) != count:
        raise Bug(f"the source of entropy gave {len(taken)} bytes instead of {count}")
    return taken


def draw(entropy: Entropy, below: int) -> int:
    """Return a number from 0 up to `below`, each equally likely.

    A word beyond the last whole multiple of `below` is rejected and the next one taken: what is
    left falls on every number equally often, which the remainder of any word would not.
    """
    if not 1 <= below <= WORDS:
        raise Bug(f"a draw below {below} does not fit a word of entropy")
    limit = WORDS - WORDS % below
    for _ in range(REJECTED_MAX):
        word = take(entropy, 1)[0]
        if word < limit:
            return word % below
    raise Bug("the source of entropy repeats itself")


def shuffled(entropy: Entropy) -> tuple[Card, ...]:
    """Return the 52 cards in an order drawn by Fisher and Yates's method, each equally likely.

    From the last position down, each is given one of the cards not yet given to a later one.
    """
    deck = list(DECK)
    for last in range(len(deck) - 1, 0, -1):
        chosen = draw(entropy, last + 1)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return tuple(deck)
