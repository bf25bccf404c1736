"""The shuffle: entropy in, the order of a deck out.

There is no other input, so a deck can't depend on bets, balances, meters or players. Entropy is a
function that returns as many bytes as requested; the edges pass `os.urandom`. No byte is kept
between calls, so forked processes or restored snapshots share none.
"""

from collections.abc import Callable

from croupier.cards import DECK, Card
from croupier.errors import Bug

Entropy = Callable[[int], bytes]

WORDS = 256
"""The number of values of one word of entropy, a byte."""
REJECTED_MAX = 64
"""Fewer than half of all words are rejected; this many in a row happen once in 2 ** 64 draws."""


def take(entropy: Entropy, count: int) -> bytes:
    """Return `count` bytes of entropy, or fail if the source returns another number."""
    taken = entropy(count)
    if len(taken) != count:
        raise Bug(f"the source of entropy gave {len(taken)} bytes instead of {count}")
    return taken


def draw(entropy: Entropy, below: int) -> int:
    """Return a number from 0 to below `below`, each equally likely.

    A word beyond the last whole multiple of `below` is rejected and the next one taken, because
    plain remainders would favour small numbers.
    """
    if not 1 <= below <= WORDS:
        raise Bug(f"a draw below {below} does not fit a word of entropy")
    limit = WORDS - WORDS % below
    for _ in range(REJECTED_MAX):
        word = take(entropy, 1)[0]
        if word < limit:
            return word % below
    raise Bug("the source of entropy repeats itself")


def permuted(entropy: Entropy) -> tuple[int, ...]:
    """Return the 52 positions in a Fisher-Yates order, each order equally likely.

    From the last position down, each takes one of the remaining ones.
    """
    order = list(range(len(DECK)))
    for last in range(len(order) - 1, 0, -1):
        chosen = draw(entropy, last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def shuffled(entropy: Entropy) -> tuple[Card, ...]:
    """Return the 52 cards in an order of their own, each order equally likely."""
    return tuple(DECK[position] for position in permuted(entropy))
