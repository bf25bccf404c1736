"""The form of the odds page: fields for a book's selections, wagers and meters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from croupier.errors import UserError
from croupier.money import format_money
from croupier.odds.bets import offered
from croupier.odds.seen import place_seen
from croupier.rules.book import Choice, Rules, Selection
from croupier.rules.game import Paytable
from croupier.rules.present import may_be
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, NONE
from croupier.rules.words import dollars, number, plain
from croupier.server.pages.question import Found

_NOT_OFFERED = "not offered"
_AMENDED = "as this table has it"
# The parts of a book that decide how a round is played and paid, and keys in them that don't.
_OF_PLAY = {"wager", "bonus", "envy", "paytable", "ranking", "step"}
_NOT_OF_PLAY = {"collected", "clause"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One form field: its name in the query string, label, value and options."""

    name: str
    label: str
    value: str
    options: tuple[tuple[str, str], ...] = ()
    default: str = ""
    hint: str = ""
    clause: str = ""
    numeric: bool = False
    fault: str = ""

    @property
    def is_used(self) -> bool:
        """Whether it is filled in, other than by default, or has a fault."""
        return bool(self.fault) or self.value not in ("", self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """All fields, in groups."""

    books: tuple[tuple[str, str], ...]
    book: str
    prefix: str
    paytables: tuple[Field, ...]
    rules: tuple[Field, ...]
    more: tuple[Field, ...]
    bets: tuple[Field, ...]
    meters: tuple[Field, ...]
    others: Field | None
    strategy: Field | None
    seen: Field | None


def form_of(asked: Found, books: Iterable[Rulebook], prefix: str = "") -> Form:
    """Return the form for a question; if the question is faulty, with the book's default rules."""
    rules = asked.rules or resolve(asked.book)
    fields: dict[str, list[Field]] = {"paytables": [], "rules": [], "more": []}
    for name, selection in asked.book.rules.selection.items():
        known = selection.of is None or selection.of in rules.wagers
        if known or name in asked.question.select:
            fields[_group(selection)].append(_selection(asked, name, prefix))
    return Form(
        books=tuple((book.id, book.rules.title) for book in books),
        book=asked.book.id,
        prefix=prefix,
        bets=tuple(_bets(asked, rules)),
        meters=tuple(_meters(asked, rules, prefix)),
        others=_others(asked, prefix) if asked.book.rules.envy else None,
        strategy=_strategy(asked, rules),
        seen=_seen(asked, rules),
        **{group: tuple(found) for group, found in fields.items()},
    )


# ---------------------------------------------------------------- selections


def _group(selection: Selection) -> str:
    if selection.takes == "paytable":
        return "paytables"
    return "rules" if any(map(_is_of_play, selection.option.values())) else "more"


def _is_of_play(choice: Choice) -> bool:
    """Whether an option changes how a round is played or paid."""
    parts = [path.split(".") for path in choice.sets]
    return any(part[0] in _OF_PLAY and part[-1] not in _NOT_OF_PLAY for part in parts)


def _selection(asked: Found, name: str, prefix: str) -> Field:
    rules = asked.book.rules
    selection = rules.selection[name]
    default = "" if selection.default is None else str(plain(selection.default))
    value = asked.question.select.get(name, "")
    options = [*_options(rules, selection)]
    label = selection.says.removeprefix("the ")
    return Field(
        name=f"{prefix}select.{name}",
        label=label[0].upper() + label[1:],
        value=value or (default if options else ""),
        options=_with(value, options, _AMENDED) if options else (),
        default=default,
        hint="" if options else may_be(rules, name),
        clause=selection.clause,
        numeric=selection.takes in ("count", "money", "rate"),
        fault=asked.fault(f"select.{name}"),
    )


def _options(rules: Rules, selection: Selection) -> Iterator[tuple[str, str]]:
    match selection.takes:
        case "option":
            yield from ((name, choice.says) for name, choice in selection.option.items())
        case "paytable":
            tables = rules.paytable[selection.family or ""]
            for letter in selection.letters:
                yield letter, _letter_says(letter, tables[letter])
            if not selection.required:
                yield NONE, _NOT_OFFERED
        case "sizes" if selection.among:
            sizes = [_size(cents) for cents in selection.among]
            yield from zip(sizes, map(dollars, selection.among), strict=True)
            yield f"[{', '.join(sizes)}]", " and ".join(map(dollars, selection.among))


def _letter_says(letter: str, table: Paytable) -> str:
    """Describe a paytable the way players do, by its payouts: A: 40-30-6-4-1."""
    odds = [row.to if row.to is not None else row.for_ for row in table.rows]
    known = [number(value) for value in odds if value is not None]
    return f"{letter}: {'-'.join(known)}" if known and len(known) == len(odds) else letter


# ---------------------------------------------------------------- bets, meters, the rest


def _bets(asked: Found, rules: TableRules) -> Iterator[Field]:
    for name in offered(rules):
        wager, value = rules.wagers[name], asked.question.bet.get(name, "")
        sizes = wager.sizes.of if wager.sizes else ()
        options = [("", "no bet"), *((_size(cents), dollars(cents)) for cents in sizes)]
        yield Field(
            name=f"bet.{name}",
            label=wager.label,
            value=value,
            options=_with(value, options) if sizes else (),
            hint=f"the size of each of the {len(wager.spots)} equal bets" if wager.spots else "",
            numeric=True,
            fault=asked.fault(f"bet.{name}"),
        )


def _size(cents: int) -> str:
    """Write an amount as a field holds it: 5 or 2.50."""
    return format_money(cents).removesuffix(".00")


def _with(
    value: str, options: Iterable[tuple[str, str]], table: str = ""
) -> tuple[tuple[str, str], ...]:
    """Add a value that isn't among the options, so that the form shows what was asked."""
    listed = dict(options)
    if not value or value in listed:
        return (*listed.items(),)
    return (*listed.items(), (value, table if value.startswith("{") else value))


def _meters(asked: Found, rules: TableRules, prefix: str) -> Iterator[Field]:
    for id, meter in rules.meters.items():
        reset = None if meter.reset is None else dollars(meter.reset)
        label = rules.wagers[meter.wager].label
        yield Field(
            name=f"{prefix}meter.{id}",
            label=f"{label}, {meter.name} meter shows" if meter.name else f"{label} meter shows",
            value=asked.question.meter.get(id, ""),
            hint=f"it resets to {reset}" if reset else "in dollars; it has no reset amount",
            numeric=True,
            fault=asked.fault(f"meter.{id}"),
        )


def _others(asked: Found, prefix: str) -> Field:
    return Field(
        name=f"{prefix}others",
        label="Other players",
        value=asked.question.others,
        hint="an Envy Bonus pays you for their hands",
        numeric=True,
        fault=asked.fault("others"),
    )


def _strategy(asked: Found, rules: TableRules) -> Field | None:
    if not any(step.do == "decide" for step in rules.steps.values()):
        return None
    return Field(
        name="strategy",
        label="Strategy",
        value=asked.question.strategy,
        hint="the best one, or ‘mimic the dealer’, ‘always …’ or the lowest hand that you play",
        fault=asked.fault("strategy"),
    )


def _seen(asked: Found, rules: TableRules) -> Field | None:
    try:
        place = place_seen(rules)
    except UserError:
        return None
    label = rules.bank.label if place == BANK else rules.places[place].label
    return Field(
        name="seen",
        label="Cards that you have seen",
        value=asked.question.seen,
        hint=f"hidden ones of the {label.lower()} that were exposed, such as Kd",
        fault=asked.fault("seen"),
    )
