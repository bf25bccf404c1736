"""How the figures of a sheet were found, and how they can be checked: commands to run."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.words import plain

_BARE = re.compile(r"[A-Za-z0-9_./=-]+")

METHOD = (
    "Nothing here is sampled or assumed. Every deal is counted, hands that differ only by suits "
    "together; every deal is as likely as any other. What each deal pays is said by the same table "
    "rules and the same function that settle rounds at the table, so the figures are those of the "
    "game that is dealt.",
    "The strategy is derived: at each decision the choice with the higher expected value is taken, "
    "over all deals that the player cannot tell apart; where two are worth the same, the one that "
    "wagers less. The strategy is therefore the best there is, and the house edge the least.",
    "Expected value, probabilities and variance are exact fractions; what is printed beside them "
    "is rounded to the nearest. The contributions of all lines of a wager add up to its expected "
    "value. Fees, rake, rounding to the cent and a bank that runs short are not part of them.",
    "Volatility is reckoned from the exact deviation of one round: the half-width over n rounds is "
    "1.6449 deviations divided by the root of n and by the opening wager. It holds as far as "
    "the average of n rounds is close to normal, which for rare large payouts takes many rounds.",
    "A break-even is the amount of a meter at which the expected value is zero, the other meters "
    "as they stand here.",
)
"""How the figures were found, in paragraphs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command, and what it shows."""

    command: str
    shows: str


def checks_of(
    book: Rulebook, rules: TableRules, *, meters: Mapping[str, str], others: int
) -> Iterator[Check]:
    """Yield the commands that answer with the figures of a sheet."""
    select = "".join(f" --select {_quoted(word)}" for word in selection_words(book, rules))
    meter = "".join(f" --meter {_quoted(f'{id}={amount}')}" for id, amount in meters.items())
    with_others = f" --others {others}" if others else ""
    yield Check(
        command=f"croupier rulebooks show {rules.rulebook} --json",
        shows="The book in full, with its digest, clauses and rulings.",
    )
    yield Check(
        command=f"croupier analyze {rules.rulebook}{select}{meter}{with_others} --json",
        shows="Every exact figure of the wagers.",
    )
    yield Check(
        command=f"croupier simulate {rules.rulebook} --rounds 1000000 --seed 1{select}",
        shows="The same figures from rounds that the engine deals and settles, within their error.",
    )
    yield Check(
        command=f"croupier price {rules.rulebook} --json",
        shows="What each ruling and each other reading of it is worth.",
    )


def selection_words(book: Rulebook, rules: TableRules) -> Iterator[str]:
    """Yield `K=V` for every selection that is not the book's default, as `--select` reads them."""
    defaults = resolve(book).selections
    for name, value in rules.selections.items():
        if defaults.get(name) != value:
            yield f"{name}={_toml(plain(value))}"


def _toml(value: object) -> str:
    """Write a value as TOML does in one line; a plain word needs no quotes."""
    match value:
        case dict():
            pairs = (f"{json.dumps(str(key))} = {_item(item)}" for key, item in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case list():
            return f"[{', '.join(map(_item, value))}]"
        case str():
            return value
        case _:
            return json.dumps(value)


def _item(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _toml(value)


def _quoted(word: str) -> str:
    """Quote a word for a shell where it needs it."""
    return word if _BARE.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
