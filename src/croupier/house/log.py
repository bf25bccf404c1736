"""The log: one JSON line an event, on stderr.

A line never holds a token, a password or a body: callers pass only facts that others may read. User
input is cut and escaped, so it can't forge a line or color one.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from traceback import extract_tb
from typing import TextIO

LOGGER = logging.getLogger("croupier.server")
LOGGERS = ("croupier.server", "croupier.ledger", "uvicorn", "psycopg")
TEXT_CHARS_MAX = 200
FRAMES_MAX = 12


counts: Counter[str] = Counter()
"""How often each event was logged, for monitoring."""


def log(event: str, **facts: object) -> None:
    """Log an event that an operator may want to know about."""
    counts[event] += 1
    LOGGER.info(event, extra={"facts": facts})


def log_crash(error: BaseException, **facts: object) -> None:
    """Log an internal error: its type and place, but not its message, which may quote secrets."""
    counts["crash"] += 1
    LOGGER.error("crash", extra={"facts": {**crash(error), **facts}})


def crash(error: BaseException) -> dict[str, object]:
    """Return the facts about an error that may be logged."""
    frames = extract_tb(error.__traceback__)[-FRAMES_MAX:]
    where = " < ".join(f"{PurePath(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return {"error": type(error).__name__, "where": where}


class JsonLines(logging.Formatter):
    """Formats a log record as one line of ASCII JSON."""

    def format(self, record: logging.LogRecord) -> str:
        facts: Mapping[str, object] = getattr(record, "facts", {})
        if record.exc_info and record.exc_info[1] is not None:
            facts = {**crash(record.exc_info[1]), **facts}
        when = self.formatTime(record, "%Y-%m-%dT%H:%M:%S")
        said = {
            "time": f"{when}.{int(record.msecs):03}",
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
            **facts,
        }
        line = json.dumps({key: _plain(value) for key, value in said.items()})
        return line.replace("\x7f", "\\u007f")  # The one control character that JSON lets through.


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= TEXT_CHARS_MAX else text[:TEXT_CHARS_MAX] + "…"


def log_to(stream: TextIO | None) -> logging.Handler:
    """Send log lines, including those of uvicorn and psycopg, to a stream or stderr."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == LOGGER.name else logging.WARNING)
    return handler
