"""Messages that are wrong on purpose, made from right ones part by part.

A message is kept as pairs of texts, so that what no writer of JSON would write can be written. The
illegal ones are those that no state of any table may accept; the others only may be refused.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from croupier.rules.table_rules import TableRules

Pairs = list[tuple[str, str]]
TYPES = (
    *("sit", "leave", "bet", "take_down", "ready", "choose", "bank", "pass"),
    *("contribute", "reveal", "more_time", "ping"),
)
WHOLE = ("seat", "cents", "hand", "funds")
NOT_WHOLE = (
    *("true", "false", '"100"', '"1"', "1.0", "1e2", "100.5", "0.5", "NaN", "Infinity", "1E2"),
    *("-Infinity", "1e400", "-1e400", "-0", "-0.0", "9007199254740993", str(2**63), str(-(2**63))),
    *("9" * 5_000, "-" + "9" * 5_000, "[]", "{}", "[5]", '{"cents":5}', '""', '"٣"', '"１００"'),
    *("٣", "１００", "0x10", "01", "+1", "1_000", ".5", "5.", "1e", "5,00", "null", "undefined"),
    *("-1", "-500", "9007199254740991", "-9007199254740991", "99", "1000000007"),
)
"""No seat, no hand, and no sum that anybody could bet. (No hand at all is left out elsewhere.)"""
NOT_NAMES = (
    *("1", "null", "true", "[]", "{}", '""', '"no such thing"', '" "', '"\\u0000"', '"\\ud800"'),
    *('"\\udc00\\ud800"', '"a\\u0000b"', '"' + "x" * 5_000 + '"', '"__class__"', '"../../etc"'),
    *(
        '"\\u202eetna"',
        '"<script>"',
        '"\'; DROP TABLE events; --"',
        '"ａｎｔｅ"',
        '"\\ud83d\\ude00"',
    ),
)
NOT_IDS = (
    *('""', '" "', "1", "null", "true", "[]", '"' + "i" * 65 + '"', '"ü"', '"a b"', '"a\\nb"'),
    *('"\\u0000"', '"\\ud800"', '"' + "9" * 5_000 + '"', '"\\u007f"', '{"id":"x"}', '"１"'),
)
NOT_TYPES = (
    *(
        '"void"',
        '"settle"',
        '"show"',
        '"deal"',
        '"Bet"',
        '"BET"',
        '"bet "',
        '""',
        "null",
        "1",
        "[]",
    ),
    *(
        '{"type":"bet"}',
        '"declare"',
        '"shuffle"',
        '"__init__"',
        '"ｂｅｔ"',
        '"' + "t" * 9_000 + '"',
    ),
)
NOT_MESSAGES: tuple[str | bytes, ...] = (
    *("", " ", "null", "1", "[]", "{}", '"sit"', "[" * 10_000, "[" * 10_000 + "]" * 10_000),
    *('{"a":' * 10_000, "\ufeff{}", "\x00", "{" * 30, "true", "NaN", "}{", '{"id":"x1"}', "\ud800"),
    *(b"", b"\xff\xfe", b"\x00\x01\x02", b"\xc3\x28", b"{}", b'{"type":"sit"', b"\x80" * 100),
    *(
        '{"type":"sit","id":"\ud800","seat":1}',
        "{'type':'sit'}",
        "//",
        '{"type":"sit",}',
        "\x1b[31m",
    ),
)


class Table(NamedTuple):
    """What there is at a table to speak of."""

    rules: TableRules
    seats: tuple[int, ...]
    """Of the one who speaks."""
    others: tuple[int, ...]

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(name for step in self.rules.steps.values() for name in step.option)


class Sent(NamedTuple):
    """A text, what was done to it, and whether nobody may accept it."""

    text: str | bytes
    how: str
    illegal: bool


def right(table: Table, rng: random.Random, *, id: str, seat: int) -> dict[str, Any]:
    """Return a message that can be read, whether or not it fits the moment."""
    kind = rng.choice(TYPES)
    body: dict[str, Any] = {"type": kind, "id": id}
    if kind not in ("contribute", "reveal", "more_time", "ping"):
        body["seat"] = seat
    match kind:
        case "bet":
            body |= {"wager": rng.choice([*table.rules.wagers]), "cents": rng.choice((500, 1000))}
            body |= {"hand": rng.randint(1, 3)} if rng.random() < 0.3 else {}
        case "take_down":
            body["wager"] = rng.choice([*table.rules.wagers])
        case "choose":
            body["option"] = rng.choice(table.options)
        case "contribute":
            body |= {"round": f"{id}-1", "hash": rng.randbytes(32).hex()}
        case "reveal":
            body |= {"round": f"{id}-1", "value": rng.randbytes(16).hex()}
        case "bank":
            body["funds"] = rng.choice((100, 50_000))
    return body


def pairs_of(body: dict[str, Any]) -> Pairs:
    return [(json.dumps(key), json.dumps(value)) for key, value in body.items()]


def text_of(pairs: Pairs) -> str:
    return "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"


# ---------------------------------------------------------------- what nobody may accept


def _changed(pairs: Pairs, key: str, value: str) -> Pairs:
    return [(k, value if k == f'"{key}"' else v) for k, v in pairs]


def wrong_number(pairs: Pairs, rng: random.Random) -> Pairs | None:
    keys = [key for key in WHOLE if any(k == f'"{key}"' for k, _ in pairs)]
    if not keys:
        return None
    key, value = rng.choice(keys), rng.choice(NOT_WHOLE)
    return None if (key, value) == ("hand", "null") else _changed(pairs, key, value)


def wrong_name(pairs: Pairs, rng: random.Random) -> Pairs | None:
    keys = [key for key in ("wager", "option") if any(k == f'"{key}"' for k, _ in pairs)]
    return _changed(pairs, rng.choice(keys), rng.choice(NOT_NAMES)) if keys else None


def wrong_id(pairs: Pairs, rng: random.Random) -> Pairs:
    return _changed(pairs, "id", rng.choice(NOT_IDS))


def wrong_type(pairs: Pairs, rng: random.Random) -> Pairs:
    return _changed(pairs, "type", rng.choice(NOT_TYPES))


def missing_key(pairs: Pairs, rng: random.Random) -> Pairs | None:
    gone = rng.choice([key for key, _ in pairs])
    return None if gone == '"hand"' else [pair for pair in pairs if pair[0] != gone]


def extra_key(pairs: Pairs, rng: random.Random) -> Pairs:
    keys = ('"player"', '"role"', '"x"', '""', '"__proto__"', '"by"', '"\\u0000"', '"time"', '"v"')
    added = (rng.choice(keys), rng.choice((*NOT_WHOLE, *NOT_NAMES)))
    at = rng.randrange(len(pairs) + 1)
    return [*pairs[:at], added, *pairs[at:]]


def double_key(pairs: Pairs, rng: random.Random) -> Pairs:
    key, value = rng.choice(pairs)
    other = rng.choice((value, *NOT_WHOLE[:8]))
    return [*pairs, (key, other)] if rng.random() < 0.5 else [(key, other), *pairs]


BROKEN: tuple[Callable[[Pairs, random.Random], Pairs | None], ...] = (
    *(wrong_number, wrong_number, wrong_number, wrong_name, wrong_id, wrong_type),
    *(missing_key, extra_key, double_key),
)


def cut_short(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def with_more(text: str, rng: random.Random) -> str:
    return text + rng.choice(("x", text, "]", "}", ",", "\x00", "//", "null"))


def nested(text: str, rng: random.Random) -> str:
    return rng.choice((f"[{text}]", f'{{"message":{text}}}', "[" * 10_000 + text + "]" * 10_000))


TEXTS: tuple[Callable[[str, random.Random], str], ...] = (cut_short, with_more, nested)


def illegal(table: Table, rng: random.Random, id: str) -> Sent:
    """Return a message that no state of the table may accept."""
    while True:
        if rng.random() < 0.05:
            return Sent(rng.choice(NOT_MESSAGES), "no message", True)
        body = right(table, rng, id=id, seat=rng.choice(table.seats))
        if rng.random() < 0.1 and "seat" in body and body["type"] != "sit":
            stolen = {**body, "seat": rng.choice(table.others)}
            return Sent(json.dumps(stolen), "somebody else's seat", True)
        pairs = pairs_of(body)
        if rng.random() < 0.2:
            spoil = rng.choice(TEXTS)
            text: str | bytes = spoil(text_of(pairs), rng)
            how = spoil.__name__
        else:
            change = rng.choice(BROKEN)
            changed = change(pairs, rng)
            if changed is None:
                continue
            text, how = text_of(changed), change.__name__
        if isinstance(text, str) and rng.random() < 0.05:
            text = text.encode("utf-8", "surrogatepass")
        return Sent(text, how, True)


def anything(table: Table, rng: random.Random, id: str) -> Sent:
    """Return a message that may be right, or nearly, or broken at some byte."""
    seat = rng.choice((*table.seats, *table.others, 0, 1, 3, 5, 7, 8))
    text = json.dumps(right(table, rng, id=id, seat=seat))
    if rng.random() < 0.3:
        data = bytearray(text.encode())
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return Sent(bytes(data), "some bytes", False)
    return Sent(text, "as it is", False)


def illegals(table: Table, rng: random.Random, count: int) -> Iterator[Sent]:
    for number in range(count):
        yield illegal(table, rng, f"x{number}")
