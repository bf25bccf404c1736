"""Every clause of every source is in its book, once, in order, said and kept."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from croupier.errors import Problems
from croupier.rules.overlay import exists
from croupier.rules.rulebook import parse_rulebook
from tests.rules.books import DATA, IDS, MARYLAND, book, each_book, swapped, text_of

COUNTS = {
    "california-three-card-poker": 55,
    "florida-three-card-poker": 17,
    "maryland-let-it-ride": 495,
    "maryland-three-card-poker": 402,
    "singapore-three-card-poker": 59,
}


def outline(id: str) -> list[str]:
    """The clauses of the source, in its order."""
    return (DATA / f"clauses/{id}.txt").read_text().split()


def astray(expected: Sequence[str], actual: Sequence[str]) -> list[str]:
    """What is missing, doubled, invented or out of order."""
    found = [f"{clause} is missing" for clause in expected if clause not in actual]
    found += [f"{clause} is invented" for clause in actual if clause not in expected]
    found += [f"{clause} is doubled" for clause, times in Counter(actual).items() if times > 1]
    if not found and list(expected) != list(actual):
        pairs = zip(expected, actual, strict=True)
        found.append(next(f"{b} stands where {a} belongs" for a, b in pairs if a != b))
    return found


@each_book
def test_a_book_has_every_clause_of_its_source_in_order(id: str) -> None:
    assert astray(outline(id), list(book(id).clauses)) == []


def test_there_are_1028_clauses() -> None:
    assert {id: len(book(id).clauses) for id in IDS} == COUNTS
    assert sum(COUNTS.values()) == 1028


@each_book
def test_every_clause_is_said_in_whole_sentences(id: str) -> None:
    unsaid = [
        f"{name}: {clause.says}"
        for name, clause in book(id).clauses.items()
        if len(clause.says) < 10
        or not clause.says.endswith((".", '."'))
        or clause.says != clause.says.strip()
        or not (clause.says[0].isupper() or clause.says[0] in "'\"“‘$")
    ]
    assert unsaid == []


@each_book
def test_no_two_clauses_of_a_chapter_are_said_alike_by_accident(id: str) -> None:
    """A sentence copied to the neighbouring clause is a slip of the hand."""
    pairs = pairwise(book(id).rules.clause.items())
    assert [a for (a, one), (_, other) in pairs if one.says == other.says] == []


def texts(data: object) -> Iterator[str]:
    """Every text in a part of a book."""
    match data:
        case str():
            yield data
        case dict():
            for value in data.values():
                yield from texts(value)
        case list():
            for value in data:
                yield from texts(value)


@each_book
def test_enforced_clauses_are_cited_or_name_what_keeps_them(id: str) -> None:
    data = book(id).data
    cited = set(texts({key: data[key] for key in data if key not in ("clause", "ruling")}))
    astray = [
        name
        for name, clause in book(id).clauses.items()
        if clause.kept == "enforced"
        and not (exists(data, clause.in_) if clause.in_ else name in cited)
    ]
    assert astray == []


@each_book
def test_guided_clauses_and_no_others_have_a_moment(id: str) -> None:
    clauses = book(id).clauses.items()
    assert [name for name, c in clauses if (c.kept == "guided") != (c.at is not None)] == []


@each_book
def test_every_book_has_all_three_ways_of_keeping_a_clause_but_the_shortest(id: str) -> None:
    kept = {clause.kept for clause in book(id).clauses.values()}
    assert kept == {"enforced", "declared"} | (set() if COUNTS[id] < 20 else {"guided"})


@each_book
def test_rulings_are_about_clauses_of_the_source(id: str) -> None:
    cited = {clause for ruling in book(id).rules.ruling.values() for clause in ruling.clauses}
    assert sorted(cited - set(outline(id))) == []


# ---------------------------------------------------------------- and each of these bites

DECLARED = (
    '"2.B(1)" = { kept = "declared", says = "The layout shows the operator\'s name or logo." }'
)


def clauses_of(text: str) -> list[str]:
    return list(parse_rulebook(text, id=MARYLAND, file="a.toml").clauses)


def test_a_clause_that_nothing_cites_is_missed() -> None:
    text = swapped(text_of(MARYLAND), (DECLARED, ""))
    assert astray(outline(MARYLAND), clauses_of(text)) == ["2.B(1) is missing"]


def test_an_invented_clause_is_found() -> None:
    text = swapped(text_of(MARYLAND), (DECLARED, DECLARED.replace("2.B(1)", "2.B(99)")))
    found = astray(outline(MARYLAND), clauses_of(text))
    assert found == ["2.B(1) is missing", "2.B(99) is invented"]


def test_clauses_out_of_order_are_found() -> None:
    text = text_of(MARYLAND)
    other = next(line for line in text.splitlines() if line.startswith('"2.B(2)"'))
    text = swapped(text, (f"{DECLARED}\n{other}", f"{other}\n{DECLARED}"))
    assert astray(outline(MARYLAND), clauses_of(text)) == ["2.B(2) stands where 2.B(1) belongs"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"12.B(2)(a)"', '"12.B(1)(a)"', "the clause '12.B(1)(a)' is in the book twice"),
        ('"12.B(2)(a)"', '"12.A"', "the clause '12.A' is in the book twice"),
    ],
)
def test_a_clause_that_two_rows_carry_is_found(old: str, new: str, expected: str) -> None:
    with pytest.raises(Problems) as caught:
        clauses_of(swapped(text_of(MARYLAND), (old, new)))
    assert [problem.message for problem in caught.value.problems] == [expected]


def test_a_row_that_carries_an_invented_clause_is_found() -> None:
    text = swapped(text_of(MARYLAND), ('"12.B(2)(a)"', '"12.B(2)(z)"'))
    found = astray(outline(MARYLAND), clauses_of(text))
    assert found == ["12.B(2)(a) is missing", "12.B(2)(z) is invented"]


def test_a_clause_written_twice_is_not_toml() -> None:
    with pytest.raises(Problems, match="is not TOML: Cannot overwrite a value"):
        clauses_of(swapped(text_of(MARYLAND), (DECLARED, f"{DECLARED}\n{DECLARED}")))
