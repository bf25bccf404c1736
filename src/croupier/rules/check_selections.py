"""Check what a book says of selections: their values, and every mention of a value."""

from collections.abc import Iterator
from decimal import Decimal

from croupier.errors import ParseError
from croupier.money import parse_money
from croupier.reading.reader import DataPath, Fault
from croupier.rules.book import Rules, Selection
from croupier.rules.playable import DEALING
from croupier.rules.vocabulary import ANY, NONE, When


def selections(rules: Rules) -> Iterator[Fault]:
    """Check that every selection is complete."""
    for name, selection in rules.selection.items():
        at: DataPath = ("selection", name)
        needs = {
            "option": ("option", "default"),
            "paytable": ("family", "letters", "default"),
            "limits": (),
        }.get(selection.takes)
        of_wager = selection.takes in ("sizes", "rate", "reset", "initial", "shares")
        for key in needs if needs is not None else ("of",) if of_wager else ("sets",):
            if not getattr(selection, key):
                yield Fault((*at, key), "is missing")
        values = (*selection.option, *selection.letters)
        if values and str(selection.default) not in (*values, NONE):
            yield Fault((*at, "default"), f"{selection.default!r} is not one of its values")
        yield from _letters(rules, selection, at)
    dealing = rules.selection.get(DEALING)
    for option in dealing.option if dealing else ():
        if option not in rules.deal:
            yield Fault(("selection", DEALING, "option", option), "there is no such deal")


def _letters(rules: Rules, selection: Selection, at: DataPath) -> Iterator[Fault]:
    tables = rules.paytable.get(selection.family or "", {})
    for letter in selection.letters:
        if selection.family in rules.paytable and letter not in tables:
            yield Fault((*at, "letters"), f"there is no paytable {selection.family}.{letter}")


def values(rules: Rules) -> Iterator[Fault]:
    """Check that every selection value the book mentions is a possible one."""
    for place, name, value in _spoken_of(rules):
        selection = rules.selection.get(name)
        if selection is None or selection.takes not in ("option", "paytable"):
            continue
        any_but_none = value == ANY and place[-1] == "if"
        if not any_but_none and value not in {*selection.option, *selection.letters, NONE}:
            yield Fault(place, f"{value!r} is not a value of {name!r}")
    for name, selection in rules.selection.items():
        for message in _unfit(selection):
            yield Fault(("selection", name, "default"), message)
    yield from fixed(rules)
    yield from _posted(rules)


def _unfit(selection: Selection) -> Iterator[str]:
    """Say why a default is none of the values that the selection takes."""
    match selection.takes, selection.default:
        case "money", "none":
            yield "leave it out: without a default there is none"
        case "sizes" | "money", str() | int() | Decimal() as default:
            try:
                cents = parse_money(default, "")
            except ParseError as error:
                yield error.message
            else:
                if selection.among and cents not in selection.among:
                    yield f"{default} is not one of its sizes"


def _posted(rules: Rules) -> Iterator[Fault]:
    """Check that payouts posted by a ruling name hands of the paytable they replace."""
    for id, ruling in rules.ruling.items():
        for name, value in ruling.selections.items():
            selection = rules.selection.get(name)
            tables = rules.paytable.get(selection.family or "", {}) if selection else {}
            hands = {row.hand for table in tables.values() for row in table.rows}
            for hand in value if isinstance(value, dict) and hands else ():
                if hand not in hands:
                    message = f"{hand!r} is not a hand of {name!r}"
                    yield Fault(("ruling", id, "selections", name, hand), message)


def fixed(rules: Rules) -> Iterator[Fault]:
    """Check that the values settled for other selections exist."""
    for name, selection in rules.selection.items():
        known = {NONE, *rules.paytable.get(selection.family or "", {}), *selection.option}
        known |= set(rules.deal) if name == DEALING else set()
        if selection.fixed and selection.fixed.value not in known:
            message = f"{selection.fixed.value!r} is not a value of {name!r}"
            yield Fault(("selection", name, "fixed"), message)


def _spoken_of(rules: Rules) -> Iterator[tuple[DataPath, str, str]]:
    """Yield place, selection and value for each one in conditions, needs and readings."""
    whens: list[tuple[DataPath, When]] = [
        (("clause", name, "if"), clause.if_) for name, clause in rules.clause.items()
    ]
    duties = ("cut", "stub_count", "machine_count") if rules.deck else ()
    for key in duties:
        if duty := getattr(rules.deck, key):
            whens.append((("deck", key, "if"), duty.if_))
    for name, irregularity in rules.irregularity.items():
        whens.append((("irregularity", name, "if"), irregularity.if_))
    for name, selection in rules.selection.items():
        for option, choice in selection.option.items():
            whens.append((("selection", name, "option", option, "if"), choice.if_))
    for place, when in whens:
        for one in when:
            yield from ((place, name, value) for name, values in one.items() for value in values)
    for name, selection in rules.selection.items():
        for option, choice in selection.option.items():
            for value in choice.needs.among if choice.needs else ():
                place = ("selection", name, "option", option, "needs")
                yield place, choice.needs.selection if choice.needs else "", value
    for id, ruling in rules.ruling.items():
        for i, reading in enumerate(ruling.alternative):
            for name, value in {**ruling.selections, **reading.selections}.items():
                if isinstance(value, dict) and name in rules.selection:
                    continue  # A table of payouts, where the house may amend the book's.
                yield ("ruling", id, "alternative", i, "selections"), name, str(value)
