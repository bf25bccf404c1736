"""`croupier settle`: what it prints for people and for programs, whatever it reads from."""

import io
import json
import os
import re
import select
import subprocess
import sys
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from croupier.cli import main
from croupier.cli.settle import lines_at_hand
from croupier.round.result import result_of
from croupier.round.settler import Settler

ROUNDS = Path(__file__).parents[1] / "rounds"
FILES = sorted(ROUNDS.glob("*/*.toml"))
BOOKS = sorted({file.parent.name for file in FILES})
MONEY = re.compile(r"-?\d+\.\d\d")

ROUND = """\
rulebook = "maryland-three-card-poker"

[selections]
progressive = "A"
six_card_bonus = "A"

[meters]
progressive = 2500

[dealer]
cards = "Jh 9d 4c"

[[seats]]
seat = 1
player = "ann"
cards = "As Ks Qs"
wagers = { ante = 10, pair_plus = "5.50", progressive = 1 }
decisions = ["play"]

[[seats]]
seat = 3
cards = "8d 7d 2h"
wagers = { ante = 10, progressive = 1, six_card_bonus = 2 }
decisions = ["fold"]
"""

LINE = ("wager", "stake", "outcome", "paid", "returned", "clause", "ruling")


def line(*cells: Any) -> dict[str, Any]:
    """A line of a settlement: the seven keys, and the seat that is envied where there is one."""
    keys = LINE if len(cells) == len(LINE) else (*LINE, "from_seat")
    return dict(zip(keys, cells, strict=True))


ANSWER = {
    "rulebook": "maryland-three-card-poker",
    "void": False,
    "dealer": {"cards": "Jh 9d 4c", "hand": "high card", "qualifies": False},
    "seats": [
        {
            "seat": 1,
            "player": "ann",
            "cards": "As Ks Qs",
            "hand": "mini royal",
            "lines": [
                line("ante", "10.00", "win", "10.00", "10.00", "11.D(3)(c)", None),
                line("play", "10.00", "push", "0.00", "10.00", "11.D(3)(c)", None),
                line("ante_bonus", "0.00", "win", "50.00", "0.00", "12.B(1)(a)", "M2"),
                line("pair_plus", "5.50", "win", "192.50", "5.50", "12.D(1)(a)", None),
                line("progressive", "1.00", "win", "2500.28", "0.00", "12.E(1)(a)(i)", None),
            ],
            "fees": "0.00",
            "net": "2751.78",
        },
        {
            "seat": 3,
            "player": None,
            "cards": "8d 7d 2h",
            "hand": "high card",
            "lines": [
                line("ante", "10.00", "forfeit", "0.00", "0.00", "11.B", None),
                line("progressive", "1.00", "forfeit", "0.00", "0.00", "11.C(2)", None),
                line("envy", "0.00", "win", "100.00", "0.00", "12.E(5)(a)(i)", "M5", 1),
                line("six_card_bonus", "2.00", "lose", "0.00", "0.00", "11.D(8)(a)", "M4"),
            ],
            "fees": "0.00",
            "net": "87.00",
        },
    ],
    "banker": None,
    "meters": {"progressive": "1000.00"},
    "order": [3, 1],
    "house": "-1338.78",
}

Settle = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(())


@pytest.fixture
def settle(
    settler: Settler, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Settle:
    """Run `croupier settle` here: exit code, standard output, standard error."""
    monkeypatch.setattr("croupier.cli.settle.Settler", lambda folders: settler)

    def run(*args: object, given: str = "", columns: int = 200) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["croupier", "settle", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def read(file: Path) -> dict[str, Any]:
    """A worked round without what is expected of it."""
    data = tomllib.loads(file.read_text(), parse_float=Decimal)
    return {key: value for key, value in data.items() if key not in ("says", "cites", "expect")}


def as_json(round: Any) -> str:
    return json.dumps(round, default=str)


def worked(book: str, start: str) -> dict[str, Any]:
    """The worked round of a book whose name starts like this."""
    return read(next(file for file in FILES if file.match(f"{book}*/{start}*")))


# ---------------------------------------------------------------- --json


def test_json_is_the_whole_settlement_in_its_order(settle: Settle, tmp_path: Path) -> None:
    (tmp_path / "round.toml").write_text(ROUND)
    code, out, err = settle(tmp_path / "round.toml", "--json")
    assert (code, err) == (0, "")
    # As texts, so that the order of the keys counts.
    assert json.dumps(json.loads(out)) == json.dumps(ANSWER)


@pytest.mark.parametrize("book", BOOKS)
def test_json_has_one_shape_and_money_is_text(book: str, settler: Settler) -> None:
    for file in (ROUNDS / book).glob("*.toml"):
        result = result_of(settler.played(read(file)))
        assert list(result) == list(ANSWER)
        money = [result["house"], *result["meters"].values()]
        if result["dealer"]:
            assert list(result["dealer"]) == ["cards", "hand", "qualifies"]
        if result["banker"]:
            assert list(result["banker"]) == ["seat", "funds", "collected", "paid", "net"]
            money += list(result["banker"].values())[1:]
        for seat in result["seats"]:
            assert list(seat) == ["seat", "player", "cards", "hand", "lines", "fees", "net"]
            money += [seat["fees"], seat["net"]]
            for settled in seat["lines"]:
                envied = ["from_seat"] if settled["wager"] == "envy" else []
                assert list(settled) == [*LINE, *envied]
                money += [settled[key] for key in ("stake", "paid", "returned")]
        assert [text for text in money if not MONEY.fullmatch(text)] == []


def test_a_house_banked_book_without_a_dealer_has_none(settler: Settler) -> None:
    assert result_of(settler.played(worked("maryland-let", "001")))["dealer"] is None


def test_a_banker_stands_in_its_own_table(settler: Settler) -> None:
    result = result_of(settler.played(worked("california", "47")))
    banker = ("seat", "funds", "collected", "paid", "net")
    assert result["banker"] == dict(
        zip(banker, (8, "500.00", "10.00", "45.00", "-35.00"), strict=True)
    )
    assert result["dealer"] == {"cards": "Jh 5d 4c", "hand": "high card", "qualifies": False}


def test_a_player_named_like_a_seat_is_nobody_else(settler: Settler) -> None:
    """Seat 3 has no name; being called by its number doesn't make it somebody else."""
    round = tomllib.loads(ROUND)
    round["seats"][0]["player"] = "seat 3"
    result = result_of(settler.played(round))
    assert "envy" in [settled["wager"] for settled in result["seats"][1]["lines"]]


# ---------------------------------------------------------------- where a round is read from


@pytest.mark.parametrize("name", ["round.toml", "round.json", "round", "-"])
def test_the_answer_is_the_same_from_everywhere(name: str, settle: Settle, tmp_path: Path) -> None:
    text = ROUND if name in ("round.toml", "round") else as_json(tomllib.loads(ROUND))
    (tmp_path / name).write_text(text)
    file = name if name == "-" else tmp_path / name
    code, out, err = settle(file, "--json", given=text)
    assert (code, json.loads(out), err) == (0, ANSWER, "")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "FILE"),
        (("--json",), "FILE"),
        (("--lines", "round.toml"), "FILE"),
        (("--deep",), "--deep"),
        (("a.toml", "b.toml"), "b.toml"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(args: tuple[str, ...], says: str, settle: Settle) -> None:
    code, out, err = settle(*args)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("croupier: ")
    assert says in err


# ---------------------------------------------------------------- --lines


def answers(out: str) -> list[Any]:
    return [json.loads(text) for text in out.splitlines()]


def test_lines_are_answered_one_each_in_their_order(settle: Settle, settler: Settler) -> None:
    rounds = [read(file) for file in FILES[::7]]
    code, out, err = settle("--lines", given="".join(as_json(r) + "\n" for r in rounds))
    assert (code, err) == (0, "")
    assert answers(out) == [result_of(settler.played(round)) for round in rounds]


def test_lines_go_on_after_an_error(settle: Settle) -> None:
    good = as_json(tomllib.loads(ROUND))
    short = as_json(tomllib.loads(ROUND.replace("As Ks Qs", "As Ks")))
    undecided = as_json(tomllib.loads(ROUND.replace('["fold"]', "[]")))
    given = [good, "{", "", "[]", short, undecided, "null", good]
    code, out, err = settle("--lines", given="\n".join(given))
    assert (code, err) == (0, "")
    got = answers(out)
    assert [got[0], got[-1]] == [ANSWER, ANSWER]
    assert all(list(answer) == ["error", "clause"] for answer in got[1:-1])
    assert [answer["clause"] for answer in got[1:-1]] == [None, None, None, None, "11.B", None]
    assert got[4]["error"] == "seats[1].cards: must be 3 cards, not 2"
    assert got[5]["error"] == "seats[2].decisions: lacks a decision (11.B)"


def test_lines_may_be_called_with_a_dash_and_for_json(settle: Settle) -> None:
    given = as_json(tomllib.loads(ROUND)) + "\n"
    assert settle("--lines", "-", given=given) == settle("--lines", "--json", given=given)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_lines_are_the_same_however_they_come(size: int) -> None:
    """Lines that are whole are given before the rest of the next one is waited for."""

    class Trickle(io.BytesIO):
        def read1(self, _: int | None = -1) -> bytes:
            return super().read1(size)

    for given in (b"", b"\n", b"a\nbc\n\nd", b"\n\nabc\r\n", b"abcdefgh"):
        lines = [line for lines in lines_at_hand(Trickle(given)) for line in lines]
        assert lines == list(io.BytesIO(given))


def test_no_lines_have_no_answers(settle: Settle) -> None:
    assert settle("--lines") == (0, "", "")


@pytest.mark.parametrize(
    ("selections", "clause"),
    [
        ({"pair_plus": "F"}, "12.D"),
        ({"progressive": "A", "progressive_rate": 0.13}, "12.E(3)(a)"),
        ({"side": 1}, None),
    ],
)
def test_lines_tell_the_clause_of_a_breach(
    selections: dict[str, Any], clause: str | None, settle: Settle
) -> None:
    _, out, _ = settle("--lines", given=as_json(tomllib.loads(ROUND) | {"selections": selections}))
    [answer] = answers(out)
    assert answer["clause"] == clause


def test_lines_do_not_stumble_over_what_cannot_be_read() -> None:
    good = as_json(tomllib.loads(ROUND))
    bad = [b'{"rulebook": "\xff"}', b"9" * 5_000, b"[" * 200_000, b'{"\\ud800": 1}']
    code, out, err = process(b"\n".join([*bad, good.encode()]), "--lines")
    assert (code, err) == (0, "")
    assert [list(answer) for answer in answers(out)] == [["error", "clause"]] * 4 + [list(ANSWER)]


def test_a_name_that_is_no_text_does_not_end_the_lines() -> None:
    """JSON can write half of a pair of surrogates; UTF-8 can't."""
    good = as_json(tomllib.loads(ROUND))
    odd = good.replace("ann", r"\ud800")
    code, out, err = process(f"{odd}\n{good}\n".encode(), "--lines")
    assert (code, err, len(answers(out))) == (0, "", 2)


def process(given: bytes, *args: str) -> tuple[int, str, str]:
    """Run `croupier settle` in a process of its own, which speaks UTF-8 strictly."""
    done = subprocess.run(
        [sys.executable, "-m", "croupier", "settle", *args],
        input=given,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_line_is_answered_before_the_next_is_asked() -> None:
    """A program may ask, wait for the answer, and ask again."""
    command = [sys.executable, "-m", "croupier", "settle", "--lines"]
    buffered = {key: text for key, text in os.environ.items() if key != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, env=buffered) as asked:
        assert asked.stdin
        assert asked.stdout
        asked.stdin.write(as_json(tomllib.loads(ROUND)).encode() + b"\n")
        answered, _, _ = select.select([asked.stdout], [], [], 10)
        asked.stdin.close()
        assert json.loads(asked.stdout.read()) == ANSWER
    assert answered


# ---------------------------------------------------------------- for people


def plain(text: str) -> str:
    """Printed text with every run of spaces as one."""
    return " ".join(text.split())


def test_people_see_every_line_with_its_clause_and_reason(settle: Settle, tmp_path: Path) -> None:
    (tmp_path / "round.toml").write_text(ROUND)
    code, out, err = settle(tmp_path / "round.toml")
    assert (code, err) == (0, "")
    shown = [plain(text) for text in out.splitlines()]
    wanted = [
        "Dealer: Jh 9d 4c high card does not qualify",
        "Seat 1: As Ks Qs mini royal, net 2751.78",
        "ante 10.00 win paid 10.00 back 10.00",
        "Dealer does not qualify (J-9-4): Ante paid 1 to 1 (11.D(3)(c))",
        "play 10.00 push paid 0.00 back 10.00",
        "Dealer does not qualify (J-9-4): Play returned (11.D(3)(c))",
        "ante_bonus 0.00 win paid 50.00 back 0.00",
        "mini royal in spades pays 5 to 1 (12.B(1)(a), ruling M2)",
        "progressive 1.00 win paid 2500.28 back 0.00",
        "ante 10.00 forfeit paid 0.00 back 0.00",
        "forfeited by folding (11.B)",
        "envy 0.00 win paid 100.00 back 0.00",
        "seat 1 holds a mini royal in spades (12.E(5)(a)(i), ruling M5)",
        "progressive 1000.00",
        "House -1338.78",
    ]
    assert [text for text in wanted if text not in shown] == []
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("book", "start", "says"),
    [
        ("maryland-three", "102", "Dealer does not qualify ("),
        ("maryland-three", "109", "ties: Ante returned"),
        ("maryland-three", "306", "beats"),
        ("singapore", "02", "collected"),
        ("maryland-three", "301", "does not pay; it takes a pair or better"),
        ("maryland-three", "805", "does not pay; it takes three of a kind or better"),
        ("maryland-let", "017", "withdrawn by the player"),
        (
            "maryland-let",
            "024",
            "cut by 2.B(10) to the payout limit of the hand (12.A(1)(a), ruling L6)",
        ),
        ("maryland-let", "142", "the seat was abandoned"),
        ("maryland-let", "121", "the round is void: every stake comes back"),
        ("california", "05", "Player/dealer does not qualify ("),
        ("california", "28", "the banker's money does not cover it; the stake comes back"),
        ("california", "48", "California — void"),
        ("florida", "05", "Designated player does not qualify ("),
        ("florida", "47", "Banker at seat"),
        ("singapore", "39", "holds a mini royal in"),
    ],
)
def test_people_are_told_why(book: str, start: str, says: str, settle: Settle) -> None:
    code, out, err = settle("-", given=as_json(worked(book, start)))
    assert (code, err) == (0, "")
    assert says in plain(out)


@pytest.mark.parametrize("book", BOOKS)
def test_a_narrow_terminal_cuts_nothing_off(book: str, settle: Settle, settler: Settler) -> None:
    """Eighty columns are what a terminal and a pipe have; no clause may end in dots there."""
    for file in sorted((ROUNDS / book).glob("*.toml"))[::9]:
        round = read(file)
        _, out, _ = settle("-", given=as_json(round), columns=80)
        lines = [settled for seat in result_of(settler.played(round))["seats"]
                 for settled in seat["lines"]]  # fmt: skip
        words = {settled[key] for settled in lines for key in ("wager", "clause")}
        assert sorted(word for word in words if word not in out) == []
        assert "…" not in out
