"""Nothing that people write can forge a line of the log."""

import io
import logging
from collections.abc import Iterator

import pytest

from croupier.house.log import JsonLines, log, log_crash
from tests.server.doors import events, logged


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with logged() as made:
        yield made


NASTY = 'Ada\r\n{"event": "signed_in"}\x1b[31m\u202e\x7f\x85\u2028\x00'


def test_nothing_that_people_write_makes_a_line_of_its_own(lines: io.StringIO) -> None:
    log("sign_in_failed", name=NASTY, **{"address": "x" * 1_000_000})
    text = lines.getvalue()
    assert len(text.splitlines()) == 1 and text.endswith("\n")
    assert all(" " <= sign <= "~" for sign in text[:-1])
    (line,) = events(lines)
    assert line["name"] == NASTY and len(line["address"]) < 300


def test_errors_are_noted_without_their_messages(lines: io.StringIO) -> None:
    try:
        raise ValueError("the password is 1234")
    except ValueError as error:
        log_crash(error, path="/")
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    assert [line["error"] for line in events(lines)] == ["ValueError"] * 2
    assert "1234" not in lines.getvalue()


def test_a_record_of_anybody_is_one_line() -> None:
    record = logging.LogRecord("a", logging.WARNING, "f", 1, "two\nlines %s", ("\x1b",), None)
    assert len(JsonLines().format(record).splitlines()) == 1
