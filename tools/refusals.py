"""Prints the reference of refusals, docs/refusals.md, from `croupier.errors.Code`.

.venv/bin/python tools/refusals.py > docs/refusals.md
"""

from croupier.errors import Code

INTRODUCTION = """\
# Refusals

After this page you can handle every refusal in a program. When Croupier refuses something, it says
why in one sentence and gives a code that programs can rely on: `error.code` of a `Refused` in
Python, `code` in an answer over HTTP, `code` in a `refused` frame of a socket. The sentence may
change from one release to the next; the code doesn't.

```python
>>> from croupier import DECK, Refused, deal, load, resolve
>>> rules = resolve(load("maryland-three-card-poker"), {"limits": {"ante": [5, 500]}})
>>> try:
...     deal(rules, {9: {"ante": 10}}, DECK)
... except Refused as error:
...     print(error.code, error.clause)
no_such_seat 2.A
```

Over HTTP, the body of every answer with a status from 400 on is
`{"error": {"code", "message", "field", "clause"}}`; `croupier schema error` prints its schema.
A question in an address, such as `/odds.json?…`, can have several faults: `faults` then lists them
all beside `error`, each with `field`, `message` and `clause`.
Where the web framework refuses a request before a route sees it, the code is the name of the
status, such as `method_not_allowed`.

This page is generated: `tools/refusals.py` prints it, and a test compares the two.

| code | HTTP | meaning |
| --- | ---: | --- |
"""


def reference() -> str:
    """Return the whole page."""
    rows = (f"| `{code}` | {code.status} | {code.says} |" for code in sorted(Code))
    return INTRODUCTION + "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
