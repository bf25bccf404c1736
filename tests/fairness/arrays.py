"""The shuffle over whole arrays of entropy, and shuffles with a fault for the tests to find.

Each row of `words` is the entropy of one deck, a byte a word. `fisher_yates` is the algorithm of
`croupier.fairness.shuffle`, step by step; a test shows that the two agree word for word.
"""

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Shuffle = Callable[[Bytes], Bytes]

WORDS_A_DECK = 128
"""A deck takes 51 words and about 5 more for those rejected; so many are never used up."""
CARDS = 52


def words_of_the_system(count: int) -> Bytes:
    """Fresh entropy for so many decks."""
    return np.frombuffer(os.urandom(count * WORDS_A_DECK), np.uint8).reshape(count, WORDS_A_DECK)


class Drawing:
    """Draws from every row of words at once, and how many words each row has given."""

    def __init__(self, words: Bytes) -> None:
        self.words = words
        self.rows = np.arange(len(words))
        self.used = np.zeros(len(words), np.intp)

    def draw(self, below: int) -> npt.NDArray[np.intp]:
        """A number below for each row, by rejection."""
        limit = 256 - 256 % below
        word = self.words[self.rows, self.used].astype(np.intp)
        self.used += 1
        while len(again := np.flatnonzero(word >= limit)):
            word[again] = self.words[again, self.used[again]]
            self.used[again] += 1
        return word % below

    def remainder(self, below: int) -> npt.NDArray[np.intp]:
        """A number below for each row, as the remainder of any word: uneven."""
        word = self.words[self.rows, self.used].astype(np.intp)
        self.used += 1
        return word % below

    def decks(self) -> Bytes:
        """A new deck for each row."""
        return np.tile(np.arange(CARDS, dtype=np.uint8), (len(self.words), 1))

    def swap(self, decks: Bytes, place: int, chosen: npt.NDArray[np.intp]) -> None:
        """Swap the card at one place with the chosen one, in each row."""
        card = decks[:, place].copy()
        decks[:, place] = decks[self.rows, chosen]
        decks[self.rows, chosen] = card


def fisher_yates(words: Bytes) -> Bytes:
    """The shuffle that is dealt from."""
    return counted(words)[0]


def counted(words: Bytes) -> tuple[Bytes, npt.NDArray[np.intp]]:
    """Shuffled decks, and how many words each took."""
    drawing = Drawing(words)
    decks = drawing.decks()
    for last in range(CARDS - 1, 0, -1):
        drawing.swap(decks, last, drawing.draw(last + 1))
    return decks, drawing.used


def naive(words: Bytes) -> Bytes:
    """Every card is swapped with any other: 52 ** 52 ways onto 52! orders."""
    drawing = Drawing(words)
    decks = drawing.decks()
    for place in range(CARDS):
        drawing.swap(decks, place, drawing.draw(CARDS))
    return decks


def sattolo(words: Bytes) -> Bytes:
    """One too few to choose from: no card stays, and all orders are single cycles."""
    drawing = Drawing(words)
    decks = drawing.decks()
    for last in range(CARDS - 1, 0, -1):
        drawing.swap(decks, last, drawing.draw(last))
    return decks


def modulo(words: Bytes) -> Bytes:
    """The remainder of any byte: low numbers come too often."""
    drawing = Drawing(words)
    decks = drawing.decks()
    for last in range(CARDS - 1, 0, -1):
        drawing.swap(decks, last, drawing.remainder(last + 1))
    return decks


def sorted_by_key(words: Bytes) -> Bytes:
    """Cards sorted by a random byte each: equal keys leave cards in their order."""
    return np.argsort(words[:, :CARDS], axis=1, kind="stable").astype(np.uint8)


def seeded(words: Bytes) -> Bytes:
    """The right shuffle from a generator with a seed of 32 bits: few orders, and they return."""
    seeds = words[:, :4].copy().view(np.uint32).astype(np.uint64)
    steps = np.arange(1, WORDS_A_DECK // 8 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = seeds + steps
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return fisher_yates((mixed ^ (mixed >> np.uint64(31))).view(np.uint8))
