"""`croupier play` at a terminal: cards that look like cards, the keys to leave, the pace."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.cli.running import settings
from tests.rules.books import MARYLAND


class Terminal:
    """A game at a terminal of its own."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.master, slave = pty.openpty()
        self.text = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "croupier", "play", *words],
            env=settings({"TERM": "xterm", "COLUMNS": "80", **environment}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def until(self, awaited: str, timeout_s: float = 30) -> str:
        """Read until a text has come, and return all that was shown."""
        end_s = time.monotonic() + timeout_s
        while awaited not in self.text and time.monotonic() < end_s:
            if not self._read():
                break
        assert awaited in self.text, self.text
        return self.text

    def _read(self) -> bool:
        if not select.select([self.master], [], [], 0.2)[0]:
            return self.process.poll() is None
        try:
            self.text += os.read(self.master, 4096).decode(errors="replace")
        except OSError:
            return False
        return True

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def answer(self, *pairs: tuple[str, str]) -> None:
        """Wait for each question, and answer it."""
        for question, answer in pairs:
            self.until(question)
            self.text = self.text.split(question, 1)[1]
            self.type(f"{answer}\n")

    def close(self) -> int:
        while self._read():
            pass
        os.close(self.master)
        return self.process.wait(timeout=60)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()


def test_cards_look_like_cards_at_a_terminal(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal(MARYLAND, "--seed", "1", "--seats", "7"))
    terminal.answer(("Ante [none]:", "10"), ("Pair Plus [none]:", "0"), ("Enter deals", ""))
    shown = terminal.until("Play (P) for $10 or Fold (F)?")
    assert "┌───┐┌───┐┌───┐" in shown
    assert "░░░" in shown
    assert re.search("\x1b\\[1;31m [♥♦] \x1b\\[0m", shown)
    terminal.type("\x04")
    code, text = terminal.close(), re.sub("\x1b\\[[0-9;]*m", "", terminal.text)
    assert code == 0
    assert "You leave the table." in text
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("words", "environment"),
    [(("--plain",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})],
)
def test_without_colour_cards_are_words(
    words: tuple[str, ...], environment: dict[str, str], terminals: list[Terminal]
) -> None:
    terminals.append(terminal := Terminal(MARYLAND, "--seed", "1", *words, **environment))
    terminal.answer(("Ante [none]:", "10"), ("Pair Plus [none]:", "0"), ("Enter deals", ""))
    shown = terminal.until("Play (P) for $10 or Fold (F)?")
    assert re.search(r"Dealer +\[\?\?\] \[\?\?\] \[\?\?\]", shown)
    assert "\x1b" not in shown
    terminal.answer(("Fold (F)?", "q"))
    assert terminal.close() == 0


def test_an_interrupt_leaves_with_130_after_the_balance(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal(MARYLAND, "--seed", "1"))
    terminal.answer(("Ante [none]:", "10"))
    terminal.until("Pair Plus [none]:")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.close() == 130
    assert "Balance $1,000, net $0" in terminal.text
    assert "Traceback" not in terminal.text


def test_rounds_at_a_terminal_start_five_seconds_apart(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal(MARYLAND, "--seed", "1"))
    first = (("Ante [none]:", "10"), ("Pair Plus [none]:", "0"), ("Enter deals", ""))
    terminal.answer(*first, ("Fold (F)?", "f"))
    began_s = time.monotonic()
    terminal.answer(("Ante [$10]:", ""), ("Pair Plus [none]:", ""), ("Enter deals", ""))
    assert "One moment" in terminal.until("Fold (F)?")
    assert time.monotonic() - began_s > 2
    terminal.type("q\n")
    assert terminal.close() == 0


def test_what_is_typed_while_a_round_waits_is_discarded(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal(MARYLAND, "--seed", "1"))
    first = (("Ante [none]:", "10"), ("Pair Plus [none]:", "0"), ("Enter deals", ""))
    terminal.answer(*first, ("Fold (F)?", "f"))
    terminal.answer(("Ante [$10]:", ""), ("Pair Plus [none]:", ""), ("Enter deals", ""))
    terminal.until("One moment")
    terminal.type("p\np")
    terminal.answer(("Fold (F)?", "f"))
    assert "forfeit" in terminal.until("in 2 rounds")
    terminal.type("q\n")
    assert terminal.close() == 0
