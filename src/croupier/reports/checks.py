"""How the figures of a sheet were computed, and commands to check them."""

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
    "Nothing here is sampled or assumed. Every deal is counted, and all deals are equally likely; "
    "hands that differ only by suits are counted together. The table rules and the function that "
    "settle rounds at the table also price each deal, so these are the figures of the game that is "
    "dealt.",
    "The strategy is derived. At each decision it takes the choice with the highest expected value "
    "over all deals that the player can't tell apart; if two are worth the same, it takes the one "
    "that wagers less. No strategy is better, and the house edge is the lowest possible.",
    "Expected values, probabilities and variances are exact fractions; the decimals beside them "
    "are rounded to nearest. The contributions of all lines of a wager add up to its expected "
    "value. Fees, rake, rounding to the cent and a bank that runs short are not included.",
    "Volatility is computed from the exact deviation of one round: the half-width over n rounds is "
    "1.6449 deviations divided by the square root of n and by the opening wager. It holds if the "
    "average of n rounds is close to normal, which takes many rounds if large payouts are rare.",
    "A break-even is the amount of a meter at which the expected value is zero, with the other "
    "meters as given here.",
)
"""The method, in paragraphs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command, and what it shows."""

    command: str
    shows: str


def checks_of(
    book: Rulebook, rules: TableRules, *, meters: Mapping[str, str], others: int
) -> Iterator[Check]:
    """Yield the commands that reproduce the figures of a sheet."""
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
        shows="Rounds dealt at random, whose means agree with these figures within their error.",
    )
    yield Check(
        command=f"croupier price {rules.rulebook} --json",
        shows="What each ruling and its other readings are worth.",
    )


def selection_words(book: Rulebook, rules: TableRules) -> Iterator[str]:
    """Yield `K=V` for every selection that differs from the book's default, as for `--select`."""
    defaults = resolve(book).selections
    for name, value in rules.selections.items():
        if defaults.get(name) != value:
            yield f"{name}={_toml(plain(value))}"


def _toml(value: object) -> str:
    """Write a value as one line of TOML; a plain word needs no quotes."""
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
    """Quote a word for a shell where necessary."""
    return word if _BARE.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
