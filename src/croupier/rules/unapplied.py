"""Selections that are stated for a table where they can't apply.

A round file may have them, because it says what was there; in a submission each is a mistake, and
no table opens with one. Stating a default is none.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from croupier.errors import Breach
from croupier.rules.book import Rules, Selection
from croupier.rules.game import Wager
from croupier.rules.overlay import keys_of
from croupier.rules.selections import canonical, option_of
from croupier.rules.table_rules import Limits, TableRules, fits
from croupier.rules.vocabulary import BookPath
from croupier.rules.words import dollars, where


def unapplied(book: Rules, rules: TableRules, stated: Mapping[str, Any]) -> Iterator[Breach]:
    """Yield a breach for each stated selection, or part of one, that the table has no use for."""
    for name, given in stated.items():
        selection = book.selection[name]
        if str(rules.selections.get(name, given)) != _default(selection):
            for message in _unapplied(book, rules, selection, given):
                yield Breach(selection=name, message=message, clause=rules.cited[name])


def _default(selection: Selection) -> str:
    """Return a default as the table rules write it."""
    sizes = selection.takes == "sizes" and selection.default is not None
    return str(canonical(selection, selection.default) if sizes else selection.default)


def _unapplied(
    book: Rules, rules: TableRules, selection: Selection, given: object
) -> Iterator[str]:
    match selection.takes:
        case "option":
            name = option_of(selection, given)
            when = selection.option[name].if_
            if not fits(when, rules.selections):
                yield f"{name!r} can be chosen only {where(when)}"
        case "sizes" | "rate" | "reset" | "initial" | "shares":
            if selection.of not in rules.wagers:
                yield _not_offered(book.wager[selection.of or ""])
        case "payouts" if selection.sets and keys_of(selection.sets)[1] not in rules.paytables:
            yield "nothing on this table is paid by it"
        case "count" if selection.sets == BOXES and (rules.table.boxes_max or 0) > _seats(rules):
            yield f"this table has {_seats(rules)} seats to bet at"
        case "limits":
            for name, limits in rules.limits.items():
                yield from _limited(book.wager[name], rules.wagers.get(name), limits)


BOXES = BookPath("table.boxes_max")


def _seats(rules: TableRules) -> int:
    return rules.table.seats - (rules.banked_by == "player")


def _limited(wager: Wager, offered: Wager | None, limits: Limits) -> Iterator[str]:
    if offered is None:
        yield _not_offered(wager)
    elif offered.placed != "before the deal":
        yield f"{wager.label} is as large as a decision makes it, so it has no limits of its own"
    elif offered.sizes and not any(limits.min <= size <= limits.max for size in offered.sizes.of):
        sizes = " or ".join(map(dollars, offered.sizes.of))
        yield f"{wager.label} is {sizes} at this table, so these limits leave nothing to bet"


def _not_offered(wager: Wager) -> str:
    return f"{wager.label} is not offered at this table"
