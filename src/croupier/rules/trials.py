"""The tables for testing a book: each value of each selection, each reading of a ruling."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from croupier.reading.reader import DataPath
from croupier.rules.book import Rules, Selection
from croupier.rules.rulebook import Rulebook
from croupier.rules.vocabulary import NONE, BookPath

SUM, LIMIT, FEE, RATE = 1_000, 50, 1, 1
"""Values for what a book leaves open: a meter's reset, a payout limit, a fee, a meter's rate."""


class Trial(NamedTuple):
    """Selections to resolve a book with, their source, and whether they must be accepted."""

    at: DataPath
    says: str
    selections: Mapping[str, Any]
    reading: Mapping[BookPath, Any] = {}
    must: bool = False


def trials(book: Rulebook) -> Iterator[Trial]:
    """Yield the defaults, everything offered, then every value added to each, and every reading."""
    rules = book.rules
    declared: dict[str, Any] = dict(_declared(rules))
    offered: dict[str, Any] = {**declared, **dict(_offered(rules))}
    yield Trial(("selection",), "", declared, must=True)
    yield Trial(("selection",), "everything is offered", offered)
    for name, selection in rules.selection.items():
        for value in values_of(rules, selection):
            at: DataPath = ("selection", name)
            if selection.takes == "option":
                at = (*at, "option", value)
            for base in (declared, offered):
                yield Trial(at, f"{name} is {value}", {**base, name: value})
    for id, ruling in rules.ruling.items():
        for i, reading in enumerate(ruling.alternative):
            chosen: dict[str, Any] = {**declared}
            for given in (ruling.selections, reading.selections):
                chosen |= {str(name): value for name, value in given.items()}
            at = ("ruling", id, "alternative", i)
            yield Trial(at, f"{id} is read otherwise", chosen, reading.sets, must=True)


def values_of(rules: Rules, selection: Selection) -> list[Any]:
    """Return possible values of a selection: all of them, if they can be listed."""
    match selection.takes:
        case "option":
            return list(selection.option)
        case "paytable":
            return [*selection.letters, *([] if selection.required else [NONE])]
        case "sizes":
            return [size // 100 for size in selection.among if size % 100 == 0]
        case "rake":
            payers = rules.rake.payers if rules.rake else {}
            return [{"payer": payer, "amount": FEE} for payer in payers]
        case _:
            return []


def _declared(rules: Rules) -> Iterator[tuple[str, Any]]:
    """Yield values that the operator must declare before a wager can be made."""
    for name, selection in rules.selection.items():
        if selection.default is not None:
            continue
        if selection.takes == "rate":
            yield name, RATE
        elif selection.takes == "reset":
            yield name, max([SUM, *(cents // 100 + 1 for cents in _least(rules, selection))])


def _least(rules: Rules, selection: Selection) -> Iterator[int]:
    family = rules.wager[selection.of].paytable if selection.of else None
    for table in rules.paytable.get(family or "", {}).values():
        yield from (meter.reset_min for meter in table.meters if meter.reset_min is not None)


def _offered(rules: Rules) -> Iterator[tuple[str, Any]]:
    """Yield a value for everything that is off by default."""
    for name, selection in rules.selection.items():
        match selection.takes:
            case "paytable" if selection.default == NONE:
                yield name, selection.letters[0]
            case "brackets":
                yield name, [{"up_to": 10**6, "fee": FEE}]
            case "rake" if rules.rake:
                yield name, {"payer": next(iter(rules.rake.payers)), "amount": FEE}
            case "money":
                yield name, LIMIT
