"""Questions about odds as people write them, and the documents that answer them.

Commands and pages both ask through here, so the same question gets the same document.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.words import plain

if TYPE_CHECKING:
    # For types only: reading a selection shouldn't load the mathematics.
    from croupier.cards import Card
    from croupier.odds.analysis import Analysis
    from croupier.odds.pricing import PricedRuling


def toml_value(text: str) -> Any:
    """Parse a text as a TOML value; return the text itself if it isn't one."""
    try:
        table = tomllib.loads(f"value = {text}", parse_float=Decimal)
    except (ValueError, RecursionError):  # TOML's errors, and numbers of thousands of digits.
        return text
    # A text of several lines could add keys of its own, so it isn't a value.
    return table["value"] if len(table) == 1 and "\n" not in text else text


def toml_text(value: Any) -> str:
    """Write a selection's value on one line, so that `toml_value` parses it again."""
    return value if isinstance(value, str) and toml_value(value) == value else _toml(value)


def _toml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value)
        case Mapping():
            pairs = (f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case Sequence():
            return f"[{', '.join(map(_toml, value))}]"
        case _:
            return str(value)


def answer(
    rules: TableRules,
    bet: Mapping[str, str] | None = None,
    *,
    meters: Mapping[str, str] | None = None,
    others: int = 0,
    strategy: str | None = None,
    seen: "Sequence[Card]" = (),
) -> "Sequence[Analysis]":
    """Return the analysis of a bet or, without one, of every wager on its own."""
    from croupier.odds.analysis import analyses, analyze

    if bet or strategy is not None:
        how = {"meters": meters, "others": others, "strategy": strategy, "seen": seen}
        return [analyze(rules, bet, **how)]  # type: ignore[arg-type]
    return analyses(rules, meters=meters, others=others, seen=seen)


def answer_json(rules: TableRules, found: "Iterable[Analysis]") -> dict[str, Any]:
    """Return the analyses of one table as JSON data."""
    return {
        "rulebook": rules.rulebook,
        "selections": plain(dict(rules.selections)),
        "analyses": [one.as_json() for one in found],
    }


def by_wager(found: "Iterable[Analysis]") -> dict[str, "Analysis"]:
    """Key each analysis by the wager it was made for: the last of those in its bet."""
    return {[*one.bet][-1]: one for one in found}


def prices_json(book: Rulebook, rulings: "Iterable[PricedRuling]") -> dict[str, Any]:
    """Return the priced rulings of a book as JSON data."""
    return {"rulebook": book.id, "rulings": [_ruling_json(ruling) for ruling in rulings]}


def _ruling_json(ruling: "PricedRuling") -> dict[str, Any]:
    return {
        "id": ruling.id,
        "clauses": list(ruling.clauses),
        "problem": ruling.problem,
        "readings": [
            {
                "says": reading.says,
                "chosen": reading.chosen,
                "bet": {name: str(units) for name, units in reading.bet.items()},
                "selections": plain(dict(reading.selections)),
                "expected_value": str(reading.expected_value),
            }
            for reading in ruling.readings
        ],
        "why": ruling.why,
    }
