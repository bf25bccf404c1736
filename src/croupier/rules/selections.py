"""The operator's selections: each kind of value, read strictly against the book.

A selection becomes either an overlay on the book's data, reread with everything else, or a value
that only has a meaning with a paytable's meters.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from croupier.errors import ParseError, quoted
from croupier.hands.ranking import NAMES
from croupier.money import Cents, format_money, parse_fraction, parse_money
from croupier.rules.book import Rules, Selection
from croupier.rules.check import cards_of
from croupier.rules.game import Meter, Paytable
from croupier.rules.overlay import keys_of
from croupier.rules.table_rules import Limits
from croupier.rules.vocabulary import NONE, BookPath
from croupier.rules.words import dollars, listed, number, percent

T = TypeVar("T")


class Unfit(Exception):
    """A value that a selection can't have: the reason and clause of each fault."""

    def __init__(self, message: str, clause: str | None = None, *more: "Unfit") -> None:
        super().__init__(message)
        self.faults: list[tuple[str, str | None]] = [(message, clause)]
        for unfit in more:
            self.faults += unfit.faults


def _all_of(readings: Iterable[Callable[[], T]]) -> list[T]:
    """Return the results of all readings, or raise all their faults together."""
    values, unfits = [], []
    for reading in readings:
        try:
            values.append(reading())
        except Unfit as unfit:
            unfits.append(unfit)
    if unfits:
        first, *rest = unfits
        raise Unfit(*first.faults[0], *rest)
    return values


# ---------------------------------------------------------------- options and letters


def option_of(selection: Selection, given: object) -> str:
    """Return the name of the option chosen."""
    name = str(given).lower() if isinstance(given, bool) else str(given)
    if isinstance(given, list | dict) or name not in selection.option:
        raise Unfit(f"{quoted(given)} is not one of {listed(list(selection.option), last='or')}")
    return name


def letter_of(selection: Selection, given: object) -> str:
    """Return the letter of the paytable chosen, or 'none'."""
    if given == NONE and selection.required:
        raise Unfit("must be offered, so it may not be 'none'")
    if given != NONE and given not in selection.letters:
        letters = listed([*selection.letters, *([] if selection.required else [NONE])], last="or")
        raise Unfit(f"{quoted(given)} is not a paytable of this book; choose {letters}")
    return str(given)


def amended_rows(rules: Rules, selection: Selection, given: Mapping[str, Any]) -> list[Any]:
    """Return paytable rows for payouts that the house posts itself: `{"pair" = 1}`."""
    table = rules.paytable[selection.family or ""][selection.letters[0]]
    if not given:
        raise Unfit("must list a hand", selection.clause)
    listed_hands = {row.hand for row in table.rows}
    names = tuple(n for n in NAMES[cards_of(rules, table)] if n in listed_hands)
    return _rows_of(given, names, _odds)


def payout_rows(rules: Rules, selection: Selection, given: object) -> list[Any]:
    """Return rows of fixed sums: `{"royal flush" = 1000}`."""
    if not isinstance(given, dict) or not given:
        raise Unfit("must be a table of hands and sums")
    _, family, letter, _ = keys_of(selection.sets or "")
    names = NAMES.get(cards_of(rules, rules.paytable[family][letter]))
    if names is None:
        raise Unfit("the other selections leave no hand that it could be paid for")
    return _rows_of(given, names, _sum)


def _rows_of(
    given: Mapping[str, Any], names: tuple[str, ...], read: Callable[[str, Any], dict[str, Any]]
) -> list[Any]:
    """Return a row for each hand, highest first."""

    def row(hand: str) -> dict[str, Any]:
        if hand not in names:
            known = listed(list(names))
            raise Unfit(f"{quoted(hand)} is not a hand of the table; they are {known}")
        return {"hand": hand, **read(hand, given[hand])}

    rows = _all_of(partial(row, hand) for hand in given)
    return sorted(rows, key=lambda row: names.index(row["hand"]), reverse=True)


def _odds(hand: str, given: Any) -> dict[str, Any]:
    if _fraction(given, hand) <= 0:
        raise Unfit(f"{hand}: {given} to 1 isn't a payout; leave the hand out")
    return {"to": given}


def _sum(hand: str, given: Any) -> dict[str, Any]:
    if _money(given, hand) <= 0:
        raise Unfit(f"{hand}: must be more than zero")
    return {"amount": given}


# ---------------------------------------------------------------- overlays


def may_be_none(selection: Selection) -> bool:
    """Whether an operator may state 'none' for a sum."""
    return selection.takes == "money" and selection.default is None


def overlay_of(rules: Rules, name: str, given: Any) -> dict[BookPath, Any]:
    """Return what a value sets in the book's data, if its kind sets anything."""
    return dict(_overlay(rules, name, given))


def _overlay(rules: Rules, name: str, given: Any) -> Iterator[tuple[BookPath, Any]]:
    selection = rules.selection[name]
    match selection.takes:
        case "paytable" if selection.amends and isinstance(given, dict):
            table = f"paytable.{selection.family}.{selection.letters[0]}"
            yield BookPath(f"{table}.rows"), amended_rows(rules, selection, given)
        case "sizes":
            sizes = _sizes(selection, given)
            cited = {"clause": selection.clause, "ruling": selection.ruling}
            sets = {"of": sizes, **{key: value for key, value in cited.items() if value}}
            yield BookPath(f"wager.{selection.of}.sizes"), sets
        case "payouts" if selection.sets:
            yield selection.sets, payout_rows(rules, selection, given)
        case "rake" if selection.sets:
            if not isinstance(given, dict) or given.keys() != {"payer", "amount"}:
                raise Unfit("must be a table of 'payer' and 'amount'")
            for key, value in given.items():
                yield BookPath(f"{selection.sets}.{key}"), value
        case "brackets" if selection.sets:
            _rising(given)
            yield selection.sets, given
        case "money" if given == NONE and may_be_none(selection):
            return
        case "count" | "money" if selection.sets:
            if given == 0 and selection.default is None:
                raise Unfit("must be more than zero")
            yield selection.sets, given


def _sizes(selection: Selection, given: Any) -> list[Any]:
    sizes = given if isinstance(given, list) else [given]
    cents = [_money(size, "size") for size in sizes]
    if not cents or min(cents) == 0 or len(set(cents)) != len(cents):
        raise Unfit("must be a size, or a list of different sizes, each more than zero")
    allowed = [dollars(size) for size in selection.among]
    for size in cents:
        if selection.among and size not in selection.among:
            raise Unfit(f"a wager of {dollars(size)} is not one of {listed(allowed, last='or')}")
    return [size for _, size in sorted(zip(cents, sizes, strict=True))]


def _rising(given: Any) -> None:
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise Unfit("must be a list of tables of 'up_to' and 'fee'")
    sizes = [_in_bracket(n, bracket, "up_to") for n, bracket in enumerate(given, 1)]
    if sizes != sorted(set(sizes)):
        raise Unfit("'up_to' must rise from one bracket to the next")
    for n, bracket in enumerate(given, 1):
        _in_bracket(n, bracket, "fee")


def _in_bracket(position: int, bracket: Mapping[str, Any], key: str) -> Cents:
    try:
        return _money(bracket.get(key, 0), key)
    except Unfit as unfit:
        raise Unfit(f"[{position}].{unfit}") from None


def canonical(selection: Selection, given: Any) -> Any:
    """Return the canonical form of a value, so that digests don't depend on spelling."""
    match selection.takes:
        case "sizes":
            sizes = given if isinstance(given, list) else [given]
            return [format_money(cents) for cents in sorted(_money(size, "") for size in sizes)]
        case "money":
            return format_money(_money(given, ""))
        case "payouts":
            return {hand: format_money(_money(given[hand], "")) for hand in sorted(given)}
        case "paytable":
            return {hand: number(_fraction(given[hand], "")) for hand in sorted(given)}
        case "brackets":
            return [
                {key: format_money(_money(bracket[key], "")) for key in bracket}
                for bracket in given
            ]
        case "rake":
            return {"payer": given["payer"], "amount": format_money(_money(given["amount"], ""))}
        case _:
            return given


# ---------------------------------------------------------------- meters


def rate_of(table: Paytable, given: Any) -> Fraction | None:
    """Return the rate of progression, by default the book's minimum."""
    least = table.rate.min if table.rate else None
    clause = table.rate.clause if table.rate else None
    if given is None:
        return least
    rate = _fraction(given, "rate")
    if not 0 < rate <= 1:
        raise Unfit(f"{given} is not a rate above 0 and at most 1", clause)
    if least is not None and rate < least:
        raise Unfit(f"{percent(rate)} is below the minimum rate of {percent(least)}", clause)
    return rate


def check_number(takes: str, given: Any) -> None:
    """Refuse a value that isn't a number, without a paytable to check it against."""
    for value in given.values() if isinstance(given, dict) else [given]:
        _money(value, takes) if takes in ("reset", "initial") else _fraction(value, takes)


def sums_of(
    table: Paytable, given: Any, default: Mapping[str, Cents | None] | None = None
) -> dict[str, Cents | None]:
    """Return a sum for each meter, by default its reset in the book."""
    sums = _by_meter(table, given)
    standing = default or {meter.id: meter.reset for meter in table.meters}
    given_ids = [meter.id for meter in table.meters if meter.id in sums]
    meters = (meter for meter in table.meters if meter.id in sums)
    cents = _all_of(partial(_meter_sum, meter, sums[meter.id]) for meter in meters)
    return {**standing, **dict(zip(given_ids, cents, strict=True))}


def shares_of(table: Paytable, given: Any) -> dict[str, Fraction]:
    """Return each meter's share of the rise, by default equal ones (M8)."""
    if given is None:
        return {meter.id: Fraction(1, len(table.meters)) for meter in table.meters}
    shares = _by_meter(table, given)
    if not isinstance(given, dict) or len(shares) != len(table.meters):
        names = listed([meter.name or meter.id for meter in table.meters])
        raise Unfit(f"must be a table of a share for each of {names}")
    parts = {meter: _fraction(share, "share") for meter, share in shares.items()}
    if sum(parts.values()) != 1:
        raise Unfit(f"the shares add up to {number(sum(parts.values(), Fraction(0)))}, not to 1")
    return parts


def _by_meter(table: Paytable, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        return {} if given is None else {meter.id: given for meter in table.meters}
    ids = {meter.name or meter.id: meter.id for meter in table.meters}
    for name in given:
        if name not in ids:
            known = listed(list(ids))
            raise Unfit(f"{quoted(name)} is not a meter of the paytable, which has {known}")
    return {ids[name]: value for name, value in given.items()}


def _meter_sum(meter: Meter, given: Any) -> Cents:
    cents = _money(given, meter.id)
    if cents == 0:
        raise Unfit(f"{meter.id}: must be more than zero", meter.clause)
    if meter.reset_min is not None and cents < meter.reset_min:
        least = dollars(meter.reset_min)
        raise Unfit(f"{dollars(cents)} is below the minimum amount of {least}", meter.clause)
    return cents


# ---------------------------------------------------------------- limits


def limits_of(rules: Rules, given: Any) -> dict[str, Limits]:
    """Return the limits of each wager named: `{ante = [5, 500]}`."""
    if not isinstance(given, dict):
        raise Unfit("must be a table of wagers, each with its smallest and largest stake")
    limits = _all_of(partial(_limit, rules, wager, pair) for wager, pair in given.items())
    return dict(zip(given, limits, strict=True))


def _limit(rules: Rules, wager: str, pair: Any) -> Limits:
    if wager not in rules.wager:
        raise Unfit(f"{quoted(wager)} is not a wager of this book")
    if not isinstance(pair, list) or len(pair) != 2:
        raise Unfit(f"{wager}: must be a list of the smallest and the largest stake")
    low, high = (_money(item, wager) for item in pair)
    if not 0 < low <= high:
        raise Unfit(f"{wager}: {dollars(low)} to {dollars(high)} leaves nothing to bet")
    return Limits(min=low, max=high)


# ---------------------------------------------------------------- numbers


def _money(given: Any, field: str) -> Cents:
    try:
        return Cents(parse_money(given, field))
    except ParseError as error:
        raise Unfit(str(error)) from None


def _fraction(given: Any, field: str) -> Fraction:
    if isinstance(given, list | dict):
        raise Unfit(f"{quoted(given)} is not a number")
    try:
        return parse_fraction(given, field)
    except ParseError as error:
        raise Unfit(str(error)) from None
