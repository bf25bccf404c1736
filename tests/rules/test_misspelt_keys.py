"""Every key of every book, misspelt in its text, is found at its place and on its line.

Many keys are misspelt in one copy of the text, each in a way of its own, so that the parsed copy
tells where each stands: those of one depth together, since a misspelt table hides what is in it.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from croupier.errors import Problem, Problems
from croupier.reading.reader import DataPath, dotted
from croupier.rules.rulebook import parse_rulebook
from tests.rules.books import IDS, SIXTH, SIXTH_TEXT, text_of

MARK = "_zq"

TOKEN = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<key>"[^"\n]*"|[A-Za-z0-9_-]+)(?=\s*=[^=])'
    r'|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<newline>\n)'
)
HEADER = re.compile(r"^\[\[?(.*?)\]\]?$", re.MULTILINE)
PART = re.compile(r'"[^"]*"|[^."\s]+')


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a text: where it is written, and how deep it stands."""

    spans: tuple[tuple[int, int], ...]
    depth: str


def keys_of(text: str) -> Iterator[Key]:
    """The keys of a text: the parts of headers, and what stands before an equals sign."""
    headers = {match.start(): match for match in HEADER.finditer(text)}
    named: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for header in headers.values():
        parts = list(PART.finditer(text, header.start(1), header.end(1)))
        for i, part in enumerate(parts):
            name = tuple(one[0] for one in parts[: i + 1])
            named.setdefault(name, []).append(part.span())
    for name, spans in named.items():  # a table that several headers name is misspelt in all
        yield Key(tuple(spans), f"header {len(name)}")
    position = depth = 0
    while token := TOKEN.search(text, position):
        position = token.end()
        if token.start() in headers:
            position = headers[token.start()].end()
        elif token["key"]:
            yield Key((token.span("key"),), f"value {depth}")
        else:
            depth += bool(token["open"]) - bool(token["close"])


def misspelt(text: str, keys: list[Key]) -> str:
    """The text with each of the keys misspelt, every one in its own way."""
    pieces, position = [], 0
    for end, i in sorted((span[1], i) for i, key in enumerate(keys) for span in key.spans):
        end -= text[end - 1] == '"'
        pieces += [text[position:end], f"{MARK}{i}_"]
        position = end
    return "".join([*pieces, text[position:]])


def places(data: Any, at: DataPath = ()) -> Iterator[DataPath]:
    """The places of all misspelt keys."""
    match data:
        case dict():
            for key, value in data.items():
                if MARK in key:
                    yield (*at, key)
                yield from places(value, (*at, key))
        case list():
            for i, value in enumerate(data):
                yield from places(value, (*at, i))


def placed(text: str, keys: list[Key]) -> dict[DataPath, Key]:
    """The keys by their places in the misspelt copy."""
    data = tomllib.loads(misspelt(text, keys), parse_float=Decimal)
    found = {place: keys[int(str(place[-1]).split(MARK)[1][:-1])] for place in places(data)}
    assert len(found) == len(keys)
    return found


def batches(text: str) -> Iterator[tuple[str, dict[DataPath, int]]]:
    """Copies of the text in which keys are misspelt, with their places and lines."""
    alike: dict[tuple[str, str], list[Key]] = {}
    every = list(keys_of(text))
    for depth in dict.fromkeys(key.depth for key in every):
        for place, key in placed(text, [key for key in every if key.depth == depth]).items():
            alike.setdefault((depth, kind(original(place))), []).append(key)
    for keys in (keys for (_, sort), keys in alike.items() if sort != "free"):
        at = placed(text, keys)
        lines = {place: text.count("\n", 0, key.spans[0][0]) + 1 for place, key in at.items()}
        yield misspelt(text, keys), lines


def original(place: DataPath) -> DataPath:
    return tuple(part.split(MARK)[0] if isinstance(part, str) else part for part in place)


def kind(place: DataPath) -> str:
    """Whether a key is a name, a part of an overlay or, mostly, a word of the format."""
    if fits(place, OVERLAID):
        return "overlaid"
    return "name" if fits(place, NAMES) else "free" if fits(place, FREE) else "key"


def problems_in(text: str) -> tuple[Problem, ...]:
    try:
        parse_rulebook(text, id="a", file="a.toml")
    except Problems as found:
        return found.problems
    return ()


# ---------------------------------------------------------------- names that a book gives itself

# Where a key is a name, misspelling it gives something another name. What refers to it then
# dangles; where nothing need refer to it, the reason says who would notice.
NAMES = {
    "wager.*":                    "must be settled by a step, which names it",
    "bonus.*":                    "must be settled by a step, which names it",
    "envy.*":                     "must be settled by a step, which names it",
    "place.*":                    "deals and paytables name it",
    "step.*.option.*.stakes.*":   "names a spot",
    "ruling.*.bet.*":             "names a wager",
    "ruling.*.selections.*":      "names a selection",
    "ruling.*.alternative.*.bet.*":        "names a wager",
    "ruling.*.alternative.*.selections.*": "names a selection",
    "ruling.*.alternative.*.sets.*":       "names a place in the book",
    "selection.*.option.*.sets.*":         "names a place in the book",
    "selection.*.option.*.if.*.*": "names a selection",
    "deck.*.if.*.*":              "names a selection",
    "clause.*.if.*.*":            "names a selection",
    "irregularity.*.if.*.*":      "names a selection",
    "rake.payers.*":              "is a word of the vocabulary",
    "paytable.*.*.unnamed.*":     "is a word of the vocabulary",
    "ruling.*.selections.*.*":    "names a hand of the paytable",
}  # fmt: skip
FREE = {
    "clause.*":                   "test_clauses compares the names with the source's",
    "ruling.*":                   "a ruling need not be cited; test_rulebooks has the list",
    "step.*":                     "any name will do; only clauses and overlays point at steps",
    "step.*.option.*":            "any name will do; test_rulebooks has the names of decisions",
    "irregularity.*":             "any name will do; test_rulebooks has the kinds",
    "selection.*":                "any name will do; test_rulebooks has the names",
    "selection.*.option.*":       "any name will do; test_rulebooks has the names",
    "deal.*":                     "selections name it where there are several",
    "paytable.*":                 "wagers name it",
    "paytable.*.*":               "selections name it where there are several",
}  # fmt: skip
OVERLAID = {
    "selection.*.option.*.sets.*.**":      "is read when the overlay is laid on",
    "ruling.*.alternative.*.sets.*.**":    "is read when the overlay is laid on",
}  # fmt: skip


def fits(place: DataPath, patterns: dict[str, str]) -> bool:
    return any(_fits(place, pattern.split(".")) for pattern in patterns)


def _fits(place: DataPath, pattern: list[str]) -> bool:
    if pattern[-1] == "**":
        pattern = pattern[:-1]
        place, rest = place[: len(pattern)], place[len(pattern) :]
        if not rest:
            return False
    pairs = zip(map(str, place), pattern, strict=False)
    return len(place) == len(pattern) and all(word in ("*", part) for part, word in pairs)


# ---------------------------------------------------------------- the tests


def missed(text: str) -> dict[str, list[str]]:
    """The misspelt keys of a book that nothing reports, with their lines, by their kind."""
    found: dict[str, list[str]] = {"key": [], "name": [], "overlaid": []}
    for copy, keys in batches(text):
        for place, line in unreported(problems_in(copy), keys):
            found[kind(place)].append(f"{line}: {dotted(place)}")
    return found


def unreported(
    found: tuple[Problem, ...], keys: dict[DataPath, int]
) -> Iterator[tuple[DataPath, int]]:
    unknown = {(p.path, p.line) for p in found if p.message.startswith("unknown key")}
    said = "\n".join(f"{problem.path} {problem.message}" for problem in found)
    for place, line in keys.items():
        name = str(place[-1])
        named = name in said or f"'{name.split(MARK)[0]}' is not a" in said
        if not ((dotted(place), line) in unknown if kind(place) == "key" else named):
            yield place, line


every_book = pytest.mark.parametrize("id", [*IDS, SIXTH])


@every_book
def test_every_misspelt_key_is_found_at_its_place_and_line(id: str) -> None:
    text = SIXTH_TEXT if id == SIXTH else text_of(id)
    assert missed(text) == {"key": [], "name": [], "overlaid": []}


def test_the_keys_of_a_text_are_all_found() -> None:
    text = '# a = 1\n[b."c.d"]\ne = { f = "g = 1", "h" = [{ i = 2 }] } # j = 3\n[[b.k]]\n'
    found = {text[slice(*key.spans[0])]: (key.depth, len(key.spans)) for key in keys_of(text)}
    assert found == {
        "b": ("header 1", 2),
        '"c.d"': ("header 2", 1),
        "k": ("header 2", 1),
        "e": ("value 0", 1),
        "f": ("value 1", 1),
        '"h"': ("value 1", 1),
        "i": ("value 3", 1),
    }


def count(data: Any) -> int:
    match data:
        case dict():
            return len(data) + sum(map(count, data.values()))
        case list():
            return sum(map(count, data))
    return 0


@every_book
def test_every_key_of_the_data_is_misspelt_once(id: str) -> None:
    text = SIXTH_TEXT if id == SIXTH else text_of(id)
    data = tomllib.loads(text)
    again = sum(len(r.get("alternative", ())) > 1 for r in data["ruling"].values())
    assert count(data) - len(list(keys_of(text))) <= again
