"""Search in a rulebook: its sentences, clauses, rulings and selections that have all the words."""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier.rules.describe import describe
from croupier.rules.rulebook import Rulebook
from croupier.rules.words import clause_says
from croupier.server.pages.render import anchor

WORDS_MAX = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, and the id of its place on the book's page."""

    kind: str
    label: str
    text: str
    place: str


def words_of(asked: str) -> tuple[str, ...]:
    """Return the different words of a search, in lower case."""
    return tuple(dict.fromkeys(asked.casefold().split()))[:WORDS_MAX]


def hits(book: Rulebook, asked: str) -> list[Hit]:
    """Return every passage of a book that has all words of a search."""
    words = words_of(asked)
    return [hit for hit in _passages(book) if words and _has(hit, words)]


def _has(hit: Hit, words: tuple[str, ...]) -> bool:
    text = f"{hit.label} {hit.text}".casefold()
    return all(word in text for word in words)


def _passages(book: Rulebook) -> Iterator[Hit]:
    """Yield all passages, those that most people look for first."""
    rules = book.rules
    for said in describe(rules):
        yield Hit("In short", said.part, said.text, said.part.lower())
    for name, selection in rules.selection.items():
        yield Hit("Selections", selection.says, name, f"selection-{name}")
    for name, ruling in rules.ruling.items():
        yield Hit("Rulings", name, f"{ruling.problem} {ruling.choice}", f"ruling-{name}")
    for name, clause in book.clauses.items():
        label = name if clause_says(name) == name else f"{clause_says(name)} ({name})"
        yield Hit("Clauses", label, clause.says, anchor(name))


def marked(text: str, asked: str) -> list[tuple[str, bool]]:
    """Cut a text into pieces, each with whether it is one of the words that were searched for."""
    words, low = words_of(asked), text.casefold()
    if len(low) != len(text):  # A letter that folds into two would shift every place after it.
        return [(text, False)]
    inside = bytearray(len(text))
    for word in words:
        at = low.find(word)
        while at >= 0:
            inside[at : at + len(word)] = b"\x01" * len(word)
            at = low.find(word, at + 1)
    pieces: list[tuple[str, bool]] = []
    for letter, found in zip(text, inside, strict=True):
        if pieces and pieces[-1][1] == bool(found):
            pieces[-1] = (pieces[-1][0] + letter, bool(found))
        else:
            pieces.append((letter, bool(found)))
    return pieces
