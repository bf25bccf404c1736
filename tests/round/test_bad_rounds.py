"""Bad round files: each is refused with one sentence that names the field, and nothing else.

The good rounds are in tests/data/bad-rounds/good.toml, the ways to spoil them in cases.txt. A
spoilt round reaches the command as text, so that what only a file can hold (NaN, a number of
thousands of digits) is met where it would be.
"""

import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from croupier.cli import main
from croupier.errors import UserError
from croupier.round.result import result_of
from croupier.round.settler import Settler
from tests.rules.books import ROOT, book, each_book

DATA = Path(__file__).parents[1] / "data/bad-rounds"
GOOD: dict[str, dict[str, Any]] = tomllib.loads(
    (DATA / "good.toml").read_text(), parse_float=Decimal
)
KINDS_MIN = 80
SENTENCE_CHARS_MAX = 1_000
"""A message quotes what is wrong, and cuts what is absurdly long."""

_STEP = re.compile(r'(\w+)|\[(\d+)\]|("(?:[^"\\]|\\.)*")|\.')
_DECK = GOOD["deck"]["deck"]
_FILLED = {
    "{51}": _DECK.removesuffix(" Ac"),
    "{52}": _DECK,
    "{53}": f"{_DECK} Ac",
    "{doubled}": _DECK.replace("Kc Ac", "Kc Kc"),
    "{lower}": _DECK.lower(),
    "{digits}": "9" * 5_000,
    "{long}": "a" * 5_000,
}


class Raw(str):
    """A piece of JSON that stands in a file as it is."""


class Case(NamedTuple):
    """A line of cases.txt."""

    name: str
    good: str
    change: str
    field: str
    clause: str


def cases() -> Iterator[Case]:
    for line in (DATA / "cases.txt").read_text().splitlines():
        if line and not line.startswith(("#", "==")):
            yield Case(*(cell.strip() for cell in line.split("|")))


CASES = list(cases())


def spoilt(case: Case) -> str:
    """The text of a good round with the changes of a case."""
    round = json.loads(written(GOOD[case.good]))
    for change in case.change.split("; "):
        path, _, value = change.partition(" =")
        for word, filling in _FILLED.items():
            value = value.replace(word, filling)
        put(round, keys(path), value.strip())
    return written(round)


def keys(path: str) -> list[str | int]:
    """The keys of a path like `seats[1].cards`; people count from 1."""
    return [
        word or (int(place) - 1 if place else json.loads(quoted))
        for word, place, quoted in _STEP.findall(path)
        if word or place or quoted
    ]


def put(round: Any, path: list[str | int], value: str) -> None:
    *ways, last = path
    for key in ways:
        # A table that the good round does without is begun.
        round = round.setdefault(key, {}) if isinstance(round, dict) else round[key]
    if not value:
        del round[last]
    elif isinstance(round, list) and last == len(round):
        round.append(Raw(value))
    else:
        round[last] = Raw(value)


def written(value: Any) -> str:
    match value:
        case Raw():
            return str(value)
        case dict():
            pairs = (f"{json.dumps(key)}: {written(item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
        case Decimal():
            return str(value)
        case _:
            return json.dumps(value)


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(())


Refusal = Callable[..., str]


@pytest.fixture
def refusal(
    settler: Settler, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refusal:
    """What `croupier settle` says of a bad round, without its name before it."""
    monkeypatch.setattr("croupier.cli.settle.Settler", lambda folders: settler)

    def refuse(text: str = "", file: str = "-") -> str:
        monkeypatch.setattr(sys, "argv", ["croupier", "settle", file])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return sentence(left.value.code, out, err)

    return refuse


def sentence(code: object, out: str, err: str) -> str:
    """The one sentence that a refusal is, or a failure."""
    chars, lines = len(err), len(err.splitlines())
    assert chars <= SENTENCE_CHARS_MAX
    assert (code, out, lines) == (2, "", 1)
    assert err.startswith("croupier: ")
    assert err.endswith("\n")
    assert "Traceback" not in err
    return err.removeprefix("croupier: ").rstrip("\n")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_round_is_refused_in_one_sentence(case: Case, refusal: Refusal) -> None:
    said = refusal(spoilt(case))
    assert case.field in said
    if case.clause != "-":
        assert said.endswith(f" ({case.clause})")


def test_there_are_enough_bad_rounds() -> None:
    changes = {(case.good, case.change) for case in CASES}
    assert len(changes) >= KINDS_MIN
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("good", GOOD)
def test_what_is_spoilt_was_good(good: str, settler: Settler) -> None:
    assert result_of(settler.played(GOOD[good]))["void"] is False


# ---------------------------------------------------------------- files that are no rounds

FILES = [
    # name                         file         text                                says
    ("empty, TOML",                "r.toml",    "",                                  "rulebook"),
    ("empty, JSON",                "r.json",    "",                                  "valid JSON"),
    ("empty, standard input",      "-",         "",                                  "valid JSON"),
    ("blank, standard input",      "-",         " \n",                               "valid JSON"),
    ("not TOML",                   "r.toml",    "rulebook: maryland",                "r.toml"),
    ("not JSON",                   "r.json",    "{'rulebook': 1}",                   "valid JSON"),
    ("TOML as JSON",               "r.json",    'rulebook = "x"',                    "valid JSON"),
    ("TOML on standard input",     "-",         'rulebook = "x"',                    "valid JSON"),
    ("JSON as TOML",               "r.toml",    '{"rulebook": "x"}',                 "r.toml"),
    ("half of a JSON file",        "r.json",    '{"rulebook": ',                     "valid JSON"),
    ("two JSON documents",         "-",         "{} {}",                             "valid JSON"),
    ("a byte order mark",          "-",         "\ufeff{}",                          "valid JSON"),
    ("a list",                     "-",         "[]",                                "table"),
    ("a text",                     "-",         '"maryland"',                        "table"),
    ("a number",                   "-",         "7",                                 "table"),
    ("null",                       "-",         "null",                              "table"),
    ("NaN",                        "-",         "NaN",                               "NaN"),
    ("a doubled key, TOML",        "r.toml",    "rulebook = 'a'\nrulebook = 'b'",    "r.toml"),
    ("a doubled key, JSON",        "-",         '{"rulebook": "a", "rulebook": ""}', "rulebook"),
    ("a doubled key, deep",        "-",         '{"seats": [{"a": 1, "a": 2}]}',     "'a'"),
    ("deep JSON, lists",           "-",         "[" * 100_000,                       "deep"),
    ("deep JSON, tables",          "-",         '{"a":' * 100_000,                   "deep"),
    ("deep JSON, closed",          "-",         "[" * 50_000 + "]" * 50_000,         "deep"),
    ("deep TOML",                  "r.toml",    "a = " + "[" * 50_000,               "r.toml"),
    ("deep TOML, closed",          "r.toml",    f"a = {'[' * 5000}{']' * 5000}",     "r.toml"),
    ("NaN in TOML",                "r.toml",    "{ante}nan",                         "ante"),
    ("infinity in TOML",           "r.toml",    "{ante}-inf",                        "ante"),
    ("a date in TOML",             "r.toml",    "{ante}2024-02-29",                  "ante"),
    ("an hour in TOML",            "r.toml",    "{ante}07:32:00",                    "ante"),
    ("a huge number in TOML",      "r.toml",    "{ante}" + "9" * 5_000,              "r.toml"),
    ("a huge number, hexadecimal", "r.toml",    "{ante}0x" + "f" * 5_000,            "ante"),
    ("a huge seat, hexadecimal",   "r.toml",    "{seat}0x" + "f" * 5_000,            "seat"),
    ("a huge action",              "r.toml",    "{action}0x" + "f" * 5_000,          "action"),
    ("a long rulebook",            "-",         '{"rulebook": "{long}"}',            "rulebook"),
    ("a long key",                 "-",         '{maryland, "{long}": 1}',           "unknown key"),
    ("a long doubled key",         "-",         '{"{long}": 1, "{long}": 2}',        "twice"),
    ("a long decision",            "-",         '{bare, "decisions": ["{long}"]}]}', "decisions"),
    ("a long kind",                "-",         "{maryland, {kinds: {long}}}",       "irregularit"),
]  # fmt: skip

TOML = """\
rulebook = "maryland-three-card-poker"
[[seats]]
decisions = ["play"]
cards = "As Ks Qs"
"""
BANKED = """\
rulebook = "florida-three-card-poker"
banker = { seat = 1, funds = 5 }
seats = [{ seat = 2, wagers = { ante = 1 } }]
"""
LONG = "x" * 10**6
WORDS = {
    "{ante}": f"{TOML}seat = 1\nwagers.ante = ",
    "{seat}": f"{TOML}wagers.ante = 5\nseat = ",
    "{action}": f"{BANKED}action = ",
    "{maryland": written(GOOD["maryland"]).removesuffix("}"),
    "{bare": written(GOOD["bare"]).partition(', "decisions"')[0],
    "{kinds: {long}}": '"irregularities": [{"kind": "{long}"}]',
    "{long}": LONG,
}


@pytest.mark.parametrize(("name", "file", "text", "says"), FILES, ids=[row[0] for row in FILES])
def test_what_is_no_round_is_refused_in_one_sentence(
    name: str, file: str, text: str, says: str, refusal: Refusal, tmp_path: Path
) -> None:
    for word, filling in WORDS.items():
        text = text.replace(word, filling)
    if file != "-":
        (tmp_path / file).write_text(text)
        assert says in refusal(file=str(tmp_path / file))
    else:
        assert says in refusal(text)


@pytest.mark.parametrize("line", ["[" * 10**7, '"' + "x" * 10**7 + '"', "1" * 10**7, "x" * 10**7])
def test_a_line_of_ten_megabytes_is_refused(line: str, refusal: Refusal) -> None:
    assert "round" in refusal(line)


DEEP = [
    '"side": {deep}',
    '"dealing": {deep}',
    '"selections": {"side": {deep}}',
    '"selections": {"pair_plus": {deep}}',
    '"selections": {"limits": {"ante": {deep}}}',
    '"meters": {"progressive": {deep}}',
    '"seats": [{"seat": 1, "wagers": {"ante": {deep}}}]',
    '"seats": [{"seat": 1, "wagers": {"ante": 1}}], "irregularities":'
    ' [{"kind": "wrong_number_of_cards", "where": {deep}}]',
]


@pytest.mark.parametrize("where", DEEP)
def test_no_depth_is_read_and_not_survived(where: str, refusal: Refusal) -> None:
    """A file that Python reads with its last strength is not to fail a moment later."""
    for depth in (10, 100, *range(850, 1_000)):
        text = where.replace("{deep}", "[" * depth + "]" * depth)
        assert refusal(f'{{"rulebook": "maryland-three-card-poker", {text}}}')


def test_a_folder_is_no_round(refusal: Refusal, tmp_path: Path) -> None:
    assert str(tmp_path) in refusal(file=str(tmp_path))


def test_a_file_that_is_not_there_is_refused(refusal: Refusal, tmp_path: Path) -> None:
    assert "nowhere.toml" in refusal(file=str(tmp_path / "nowhere.toml"))


@pytest.mark.parametrize("file", ["r.toml", "r.json"])
def test_a_file_that_is_not_text_is_refused(file: str, refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(b'rulebook = "\xff"')
    assert file in refusal(file=str(tmp_path / file))


# ---------------------------------------------------------------- a process of its own

ABROAD = [
    "a card twice in a hand",
    "a rank in lower case",
    "a deck of 51",
    "NaN for a stake",
    "a stake of thousands of digits",
    "a progressive by itself",
    "7.G(3): an ante above five pair pluses",
    "seat 8 in Maryland",
    "a banker who bets",
    "a missing decision, Maryland",
    "an unknown kind",
    "an abandoned list of seats",
    "a foreign key at the top",
    "several breaches: the first",
]


@pytest.mark.parametrize("name", ABROAD)
def test_a_process_refuses_as_well(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    assert case.field in process(spoilt(case).encode())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (b"", "round"),
        (b"[" * 200_000, "round"),
        (b'{"rulebook": "\xff"}', "UTF-8"),
        (b'{"rulebook": "\\ud800"}', "rulebook"),
        (b'{"\\ud800": 1, "rulebook": "maryland-three-card-poker"}', "unknown key"),
    ],
)
def test_a_process_refuses_what_is_hardly_text(given: bytes, says: str) -> None:
    assert says in process(given)


def process(given: bytes) -> str:
    """The sentence with which a process of its own refuses what it reads."""
    done = subprocess.run(
        [sys.executable, "-m", "croupier", "settle", "-"],
        input=given,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    return sentence(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("good", "are"),
    [
        ("florida", "misdeal is"),
        ("singapore", "misdeal, wrong_number_of_cards, cards_exposed, late_wager and withdrawn_"
         "wager are"),
        ("ride", "shuffler_fault, shoe_fault, stub_count and abandoned are"),
    ],
)  # fmt: skip
def test_an_unknown_kind_is_answered_with_those_that_a_file_may_name(
    good: str, are: str, settler: Settler
) -> None:
    with pytest.raises(UserError) as refused:
        settler.played({**GOOD[good], "irregularities": [{"kind": "nonsense"}]})
    assert refused.value.message.endswith(are)


@each_book
def test_the_page_of_round_files_lists_every_kind(id: str) -> None:
    page = (ROOT / "docs/round-files.md").read_text()
    section = page[page.index("\n### Irregularities") : page.index("In a void round every")]
    listed = set(re.findall(r"^\| `(\w+)`|`(\w+_exposed)` \|", section, re.MULTILINE))
    kinds = book(id).rules.irregularity
    named = {kind for pair in listed for kind in pair if kind}
    assert {kind for kind in kinds if not kinds[kind].reading} <= named
    assert not {kind for kind in kinds if kinds[kind].reading} & named


@pytest.mark.parametrize(
    ("good", "change"),
    [
        ("maryland", "community = {}"),
        ("bare", 'six_card_box = {"cards": null}'),
        ("deck", "dealer = {}"),
        ("maryland", 'community.cards = ""; irregularities = [{"kind": "dealer_card_exposed"}]'),
        ("deck", 'dealer.cards = ""; irregularities = [{"kind": "dealer_card_exposed"}]'),
        ("bare", 'six_card_box.cards = ""; irregularities = [{"kind": "community_card_exposed"}]'),
    ],
)
def test_a_place_without_cards_and_a_void_round_without_any_are_settled(
    good: str, change: str, settler: Settler
) -> None:
    file = json.loads(spoilt(Case("", good, change, "", "")))
    assert settler.played(file).round.void is not None or "irregularities" not in file
