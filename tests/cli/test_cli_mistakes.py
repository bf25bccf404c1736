"""Mistakes of the caller's: one sentence on standard error, the right exit code, no traceback."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ran, run, spawn
from tests.rules.books import FLORIDA, IDS, MARYLAND, SHIPPED, SIXTH_TEXT

KNOWN = ", ".join(IDS)


def check_refused(ran: Ran, sentence: str) -> None:
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"croupier: {sentence}\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nonsense",                         "No such command 'nonsense'."),
        ("rulebooks nonsense",               "No such command 'nonsense'."),
        ("--nonsense",                       "No such option: --nonsense"),
        ("rulebooks --nonsense",             "No such option: --nonsense"),
        ("rulebooks show --nonsense",        "No such option: --nonsense"),
        ("rulebooks show",                   "Missing argument 'ID'."),
        ("rulebooks diff",                   "Missing argument 'ID'."),
        (f"rulebooks diff {FLORIDA}",        "Missing argument 'ID'."),
        ("rulebooks check",                  "Missing argument 'file'."),
        ("submission new",                   "Missing argument 'ID'."),
        ("submission check",                 "Missing argument 'file'."),
        (f"rulebooks diff {FLORIDA} {FLORIDA} x",
                                             "Got unexpected extra argument(s) (x)"),
        (f"submission new {FLORIDA} -o",     "Option '-o' requires an argument."),
        ("rulebooks show nevada",
                                 f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"),
        ("practice nevada",
                                 f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"),
        ("submission new nevada",
                                 f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"),
        (f"rulebooks diff {FLORIDA} nevada",
                                 f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"),
        (f"rulebooks show {FLORIDA} 99",     f"clause: {FLORIDA} has no clause '99'; there is 9"),
        (f"rulebooks show {FLORIDA} 99 --json",
                                             f"clause: {FLORIDA} has no clause '99'; there is 9"),
        ("--books nowhere rulebooks",        "books: 'nowhere' is not a folder"),
        ("rulebooks check nowhere.toml",     "nowhere.toml: can't be read: "
                                             "No such file or directory"),
        ("submission check nowhere.toml",    "nowhere.toml: can't be read: "
                                             "No such file or directory"),
        ("submission check nowhere.toml --json",
                                             "nowhere.toml: can't be read: "
                                             "No such file or directory"),
        (f"submission new {FLORIDA} -o nowhere/x.toml",
                                             "nowhere/x.toml: can't be written: "
                                             "No such file or directory"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_refused_in_one_sentence(words: str, sentence: str) -> None:
    check_refused(run(*words.split()), sentence)


@pytest.mark.parametrize("command", ["rulebooks", "submission"])
def test_what_cannot_be_read_is_refused(command: str, tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(bytes(range(256)))
    check_refused(run(command, "check", str(binary)), f"{binary}: is not UTF-8 text")
    check_refused(
        run(command, "check", str(tmp_path)), f"{tmp_path}: can't be read: Is a directory"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rulebook = ", "submission: is not TOML: Invalid value (at end of document)"),
        ("", "rulebook: is missing"),
        ("rulebook = 5", "rulebook: must be text, not 5"),
        ('rulebook = "nevada"', f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"),
        (
            'rulebook = "x"\nzzz = 1',
            "zzz: unknown key; the keys are rulebook, selections, checklist",
        ),
        (f'rulebook = "{FLORIDA}"\nselections = 1', "selections: must be a table, not 1"),
        (f'rulebook = "{FLORIDA}"\nchecklist = []', "checklist: must be a table, not a list"),
    ],
)
def test_what_is_no_submission_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    check_refused(run("submission", "check", str(file)), sentence)


def test_a_file_is_no_folder_of_books(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(SIXTH_TEXT)
    check_refused(run("--books", str(file), "rulebooks"), f"books: {str(file)!r} is not a folder")
    ran = run("rulebooks", CROUPIER_BOOKS=str(file))
    check_refused(ran, f"books: {str(file)!r} is not a folder")


def test_a_faulty_book_of_a_folder_is_refused_by_what_uses_it(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("format = 2\ntitle = 1\n")
    ran = run("--books", str(tmp_path), "rulebooks", "show", "bad")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("croupier: ")
    assert "Traceback" not in ran.err
    assert "bad.toml:1: format: 2 is not one of 1" in ran.err


def test_a_faulty_book_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("format = 2\n")
    ran = run("--books", str(tmp_path), "rulebooks", "show", FLORIDA, "7")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("words", [(), ("submission",)])
def test_without_a_command_help_is_shown(words: tuple[str, ...]) -> None:
    """Help is an answer, so it goes to standard output; a mistake would be one sentence."""
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == run(*words, "--help").out


def test_a_submission_with_breaches_is_answered_with_no(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'rulebook = "{MARYLAND}"\n')
    ran = spawn("submission", "check", str(file))
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("ante_bonus: must be declared: the Ante Bonus paytable (12.B)\n")
    assert "\nadjacent_boxes: must be declared" in ran.out


def test_a_process_ends_as_a_call_does() -> None:
    for words in (["rulebooks"], ["rulebooks", "show", "nevada"], ["nonsense"]):
        assert spawn(*words) == run(*words)


# ---------------------------------------------------------------- pipes, colours, interruptions


@pytest.mark.parametrize("environment", [{}, {"TERM": "xterm-256color"}])
@pytest.mark.parametrize("words", [("show", FLORIDA), ("show", FLORIDA, "7"), ()])
def test_no_colour_goes_into_a_pipe(words: tuple[str, ...], environment: dict[str, str]) -> None:
    ran = spawn("rulebooks", *words, **environment)
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("words", ["rulebooks show", "submission new", "rulebooks show --json"])
def test_a_reader_who_leaves_early_sees_no_traceback(words: str) -> None:
    group, command, *options = words.split()
    call = [sys.executable, "-m", "croupier", group, command, MARYLAND, *options]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""
    # Zero if all of it went into the pipe before the reader left.
    assert process.returncode in (0, 128 + signal.SIGPIPE)


def test_a_closed_socket_ends_neither_a_command_nor_its_caller() -> None:
    """SIGPIPE stays ignored: bots, workers and callers of `main` write to sockets, too."""
    run("--version")
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises(BrokenPipeError):
        ours.send(b"anybody there?")


def test_an_interruption_ends_with_130(tmp_path: Path) -> None:
    fifo = tmp_path / "never.toml"
    os.mkfifo(fifo)
    call = [sys.executable, "-m", "croupier", "rulebooks", "check", str(fifo)]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Opening the pipe's other end waits until the command reads from it.
    with process, fifo.open("w"):
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert said.decode().strip() == "croupier: interrupted"


def test_the_books_that_ship_can_be_read_where_the_command_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "croupier", "rulebooks", "check", f"{FLORIDA}.toml"],
        cwd=SHIPPED,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
