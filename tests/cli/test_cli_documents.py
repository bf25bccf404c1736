"""`croupier sign` and `croupier report`: where documents go, and what is refused."""

import io
import json
from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.cli.running import run
from tests.rules.books import FLORIDA, IDS, MARYLAND, SINGAPORE

COMMANDS = ("sign", "report")


@pytest.mark.parametrize("id", IDS)
def test_a_sign_is_html_on_standard_output(id: str) -> None:
    ran = run("sign", id)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("<!DOCTYPE html>\n")
    assert ran.out.endswith("</html>\n")


def test_selections_reach_the_sign() -> None:
    select = ("--select", "pair_plus=D", "--select", "limits={ante = [5, 500]}")
    data = run("sign", MARYLAND, *select, "--house", "The Grand", "--json").data
    panels = {panel["title"]: panel for panel in data["panels"]}
    assert panels["Pair Plus"]["rows"][0] == ["Straight flush", "40 to 1"]
    assert panels["Limits"]["rows"] == [["Ante", "$5 to $500"]]
    assert data["house"] == "The Grand"


SUBMITTED = f"""
rulebook = "{FLORIDA}"
[selections]
pair_plus = {{ pair = 2, flush = 3 }}
"""


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(SUBMITTED)
    return file


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_is_made_of_a_submission(command: str, submission: Path) -> None:
    one = run(command, str(submission), "--json").data
    assert (
        one == run(command, FLORIDA, "--select", "pair_plus={pair = 2, flush = 3}", "--json").data
    )
    amended = run(command, str(submission), "--select", "pair_plus={pair = 3}", "--json").data
    assert amended == run(command, FLORIDA, "--select", "pair_plus={pair = 3}", "--json").data
    assert amended != one


@pytest.mark.parametrize("command", COMMANDS)
def test_a_submission_that_does_not_state_what_it_must_makes_no_document(
    command: str, submission: Path
) -> None:
    submission.write_text(SUBMITTED.replace("pair_plus", "# pair_plus"))
    ran = run(command, str(submission))
    assert (ran.code, ran.out) == (2, "")
    says = (
        "pair_plus: must be declared: the Pair Plus paytable, or the payouts that the house posts"
    )
    assert says in ran.err
    missing = run(command, "nowhere.toml")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == "croupier: nowhere.toml: can't be read: No such file or directory\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_is_written_to_a_file(command: str, tmp_path: Path) -> None:
    for name, start in (("a.html", b"<!DOCTYPE html>"), ("a.pdf", b"%PDF-")):
        file = tmp_path / name
        file.write_text("what was there before")
        ran = run(command, FLORIDA, "-o", str(file))
        assert (ran.code, ran.out, ran.err) == (0, "", f"croupier: wrote {file}\n")
        assert file.read_bytes().startswith(start)
        again = file.read_bytes()
        run(command, FLORIDA, "--output", str(file))
        assert file.read_bytes() == again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.pdf"]


def test_the_report_has_the_figures_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "par.pdf"
    run("report", FLORIDA, "-o", str(file), "--paper", "letter", "--date", "2026-01-31")
    reader = PdfReader(io.BytesIO(file.read_bytes()))
    text = reader.pages[0].extract_text()
    assert "8.6580 %" in text
    assert "2026-01-31" in text
    assert (reader.pages[0].mediabox.width, reader.pages[0].mediabox.height) == (612, 792)


def test_the_report_is_data_too() -> None:
    data = run("report", FLORIDA, "--json").data
    assert data["rulebook"] == FLORIDA
    assert [wager["wagers"] for wager in data["wagers"]] == [["ante"], ["ante", "pair_plus"]]
    assert data["wagers"][0]["figures"][0]["exact"] == "-8813253/101792600"


def test_meters_and_others_reach_the_report() -> None:
    alone = run("report", SINGAPORE, "--meter", "progressive=40000", "--json").data
    assert (alone["left_out"], alone["others"]) == ([], 0)
    (meter,) = alone["wagers"][-1]["meters"]
    assert meter["shows"] == "$40,000.00"
    envied = run(
        "report", SINGAPORE, "--meter", "progressive=40000", "--others", "3", "--json"
    ).data
    assert envied["wagers"][-1]["envy"].startswith("+0.")
    commands = [check["command"] for check in envied["checks"]]
    assert any("--meter progressive=40000 --others 3" in command for command in commands)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "a.txt"), "-o: 'a.txt' must end in .html or .pdf"),
        (("-o", "pdf"), "-o: 'pdf' must end in .html or .pdf"),
        (("-o", "missing/a.html"), "missing/a.html: can't be written: No such file or directory"),
        (("-o", "a.html", "--json"), "-o: --json goes to standard output; leave out -o"),
        (("--paper", "napkin"), "--paper: 'napkin' is not one of a4"),
        (("--select", "pair_plus=Z"), "pair_plus: 'Z'"),
    ],
)
def test_mistakes_are_one_sentence(
    command: str, words: tuple[str, ...], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    ran = run(command, FLORIDA, *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"croupier: {message}")
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--date", "31.1.2026"), "--date: '31.1.2026' is not a date like 2026-01-31"),
        (("--others", "-1"), "others: -1 is not a number of players"),
        (("--meter", "progressive"), "--meter: 'progressive' must be written NAME=AMOUNT"),
        (("--meter", "a=1", "--meter", "a=2"), "--meter a: appears twice"),
        (("--meter", "nothing=1"), "meter nothing: is not a meter of this table"),
        (("--meter", "progressive=much"), "meter progressive: 'much' is not"),
    ],
)
def test_mistakes_about_figures_are_one_sentence(words: tuple[str, ...], message: str) -> None:
    ran = run("report", SINGAPORE, *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"croupier: {message}")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_book_is_refused(command: str) -> None:
    ran = run(command, "nowhere")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("croupier: rulebook: there is no rulebook 'nowhere'")


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.html").mkdir()
    ran = run("sign", FLORIDA, "-o", str(tmp_path / "a.html"))
    assert (ran.code, ran.out) == (2, "")
    assert "can't be written" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_sign_loads_neither_numpy_nor_the_mathematics() -> None:
    from tests.cli.test_cli_help import loaded

    modules = loaded("sign", FLORIDA, "--json")
    assert not {"numpy", "jinja2", "typst", "croupier.odds"} & modules
    assert json.loads(run("sign", FLORIDA, "--json").out)["rulebook"] == FLORIDA
