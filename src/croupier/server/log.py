"""One JSON line for each notable thing, on stderr.

A line never holds a token, a password or a body: who calls `log` gives facts that may be read by
others. What people wrote is cut and escaped, so that it can neither make a line nor colour one.
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
"""How often each thing was noted, for a monitor."""


def log(event: str, **facts: object) -> None:
    """Note something that an operator may want to know."""
    counts[event] += 1
    LOGGER.info(event, extra={"facts": facts})


def log_crash(error: BaseException, **facts: object) -> None:
    """Note an error of ours: what kind and where, but not its message, which may quote secrets."""
    counts["crash"] += 1
    LOGGER.error("crash", extra={"facts": {**crash(error), **facts}})


def crash(error: BaseException) -> dict[str, object]:
    """Return what may be said about an error."""
    frames = extract_tb(error.__traceback__)[-FRAMES_MAX:]
    where = " < ".join(f"{PurePath(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return {"error": type(error).__name__, "where": where}


class JsonLines(logging.Formatter):
    """Formats whatever is logged as one line of ASCII."""

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


def log_to(stream: TextIO | None = None) -> logging.Handler:
    """Send the lines, those of uvicorn and psycopg too, to a stream, or else to stderr."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == LOGGER.name else logging.WARNING)
    return handler
