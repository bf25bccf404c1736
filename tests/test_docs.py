"""Holds the pages to what they are about: the rulebook format, the commands, the source tree."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, NewType, get_args, get_origin

import pytest

from croupier.rules import book, game, vocabulary
from croupier.rules.load import load
from croupier.rules.playable import DEALING
from tools.cli_reference import reference

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src/croupier"
FORMAT = (DOCS / "rulebook-format.md").read_text()
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]

SHAPES: dict[str, Any] = {
    name: shape
    for module in (game, book)
    for name, shape in vars(module).items()
    if is_dataclass(shape)
}
WORDS = {
    name: get_args(kind) for name, kind in vars(vocabulary).items() if get_origin(kind) is Literal
}
NAMES = [name for name, kind in vars(vocabulary).items() if isinstance(kind, NewType)]

HEADING = re.compile(r"^#{2,4} (\w+)\b.*$", re.MULTILINE)
# The first cell of a row is a key or a word; the third says whether a key is needed.
ROW = re.compile(r"^\| `([^`]+)` \|[^|]*\|([^|]*)\|", re.MULTILINE)
EXAMPLE = re.compile(r"\b(MD|LIR|SG|CA|FL) ([a-z\d][\w/.-]*\w(?:\(\w+\))*|\d)")
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def section(name: str) -> str:
    """The text of the format's page under the heading that begins with a name."""
    found = [heading for heading in HEADING.finditer(FORMAT) if heading[1] == name]
    assert len(found) == 1, f"{len(found)} headings begin with {name}"
    after = HEADING.search(FORMAT, found[0].end())
    return FORMAT[found[0].end() : after.start() if after else None]


def is_needed(item: "Field[Any]") -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def books() -> dict[str, str]:
    """The short names of books on the format's page, and their ids."""
    return dict(re.findall(r"^\| ([A-Z]+) \| `([\w-]+)` \|$", FORMAT, re.MULTILINE))


@pytest.mark.parametrize("name", SHAPES)
def test_every_key_is_explained_and_no_other(name: str) -> None:
    shape = SHAPES[name]
    inherited = {"clause", "ruling"} if shape is not game.Cited else set()
    cited = issubclass(shape, game.Cited) and shape is not game.Cited
    own = [f for f in fields(shape) if not cited or f.name not in inherited]
    expected = {f.name.rstrip("_"): is_needed(f) for f in own}
    explained = {key: default.strip() == "needed" for key, default in ROW.findall(section(name))}
    assert explained == expected


@pytest.mark.parametrize("name", SHAPES)
def test_cited_tables_are_said_to_be(name: str) -> None:
    cited = issubclass(SHAPES[name], game.Cited) and SHAPES[name] is not game.Cited
    assert bool(re.search(r"\bCited\.", section(name))) is cited


@pytest.mark.parametrize("name", WORDS)
def test_every_word_is_explained_and_no_other(name: str) -> None:
    text = section(name)
    explained = [word for word, _ in ROW.findall(text)]
    if name == "Rank":  # Thirteen words that need no explanation, in one sentence.
        explained = re.findall(r"`(\w)`", text)
    assert explained == list(WORDS[name])


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_name_is_explained(name: str) -> None:
    assert f"`{name}`" in section("Names")


def test_the_words_that_code_knows_by_heart_are_explained() -> None:
    places = vocabulary.SEAT, vocabulary.BANK, vocabulary.SEATS, vocabulary.DISCARD
    for word in (*places, vocabulary.NONE, DEALING):
        assert re.search(rf'`"?{word}"?`', FORMAT), word


def test_every_example_of_the_format_is_a_clause_of_its_book() -> None:
    clauses = {short: set(load(id).clauses) for short, id in books().items()}
    cited = EXAMPLE.findall(FORMAT)
    assert len(clauses) == 5
    assert len(cited) > 200
    assert [f"{short} {clause}" for short, clause in cited if clause not in clauses[short]] == []


def test_every_ruling_named_beside_an_example_is_one_of_its_book() -> None:
    named = re.findall(EXAMPLE.pattern + r", (?:the other reading of )?ruling (\w+)", FORMAT)
    rulings = {short: load(id).rules.ruling for short, id in books().items()}
    assert named
    assert [found for found in named if found[2] not in rulings[found[0]]] == []


def test_the_reference_of_the_command_line_is_what_help_says() -> None:
    written = (DOCS / "cli.md").read_text()
    assert written == reference(), "write it anew: tools/cli_reference.py > docs/cli.md"


def links(page: Path) -> Iterator[str]:
    """The links of a page that lead to a file or a heading here."""
    for target in LINK.findall(FENCED.sub("", page.read_text())):
        if "://" not in target:
            yield target


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made where pages are shown."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    return not file.exists() or (anchor != "" and anchor not in anchors(file))


def test_every_link_leads_somewhere() -> None:
    found = [(page, target) for page in PAGES for target in links(page)]
    assert found
    assert [f"{page.name}: {target}" for page, target in found if broken(page, target)] == []


def test_the_map_leads_to_every_page() -> None:
    pages = {page.name for page in DOCS.glob("*.md")} - {"index.md"}
    assert pages <= set(links(DOCS / "index.md"))


def test_the_map_of_the_source_has_every_room_and_every_file() -> None:
    internals = (DOCS / "internals.md").read_text()
    rooms = [path for path in PACKAGE.iterdir() if path.name not in ("__pycache__", "py.typed")]
    files = [path for room in rooms if room.is_dir() for path in room.glob("*.py")]
    assert [path.name for path in (*rooms, *files) if f"`{path.name}" not in internals] == []
