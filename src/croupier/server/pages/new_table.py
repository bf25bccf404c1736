"""The form in which an operator describes a new table; its fields come from the book.

What is filled in becomes a `[[table]]` as the tables file has it, and is checked as that is. Each
fault stands beside its field.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from croupier.errors import CroupierError, Problem, Problems
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.reports.answers import toml_value
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Thing
from croupier.rules.words import plain
from croupier.server.pages.errors import FieldFault
from croupier.server.pages.form import Field, form_of
from croupier.server.pages.question import Found, Question, filled_in

PLAIN = ("book", "id", "title", "seats", "things", "practice", "bots", "validated", "witnessed")
KINDS = ("select", "least", "most")
WORDS = ("id", "title", "rulebook")
"""The keys of a table that are always words."""
DEALT: tuple[tuple[tuple[Thing, ...], str], ...] = (
    ((), "the program, with virtual cards"),
    (("dealer",), "a dealer, with virtual cards"),
    (("dealer", "cards"), "a dealer, with real cards"),
    (("dealer", "cards", "chips"), "a dealer, with real cards and chips"),
)
_AT = "table[1]."


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForm:
    """The fields of a new table, and what it would be."""

    book: Rulebook
    basics: tuple[Field, ...]
    limits: tuple[Field, ...]
    awards: tuple[Field, ...]
    paytables: tuple[Field, ...]
    rules: tuple[Field, ...]
    more: tuple[Field, ...]
    text: str
    """The table as the tables file has it."""
    opens: str
    """Its title, if it can open."""
    faults: tuple[str, ...]
    """What is wrong and belongs to no field."""


def read_fields(items: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the fields that are filled in; refuse unknown, repeated and overlong ones."""
    return {name: " ".join(text.split()) for name, text in filled_in(items, KINDS, PLAIN)}


def table_form(pit: Pit, book: Rulebook, given: Mapping[str, str]) -> TableForm:
    """Return the form as it is filled in, checked if the table has an id."""
    given = _without_defaults(book, given)
    text = table_text(book, given)
    problems, title = _checked(pit, text) if "id" in given else ([], "")
    faults = [*_placed(problems, given)]
    select = {name: value for kind, name, value in _split(given) if kind == "select"}
    rules = _rules(book, select, given.get("things", ""))
    question = Question(book=book.id, select=select)
    form = form_of(Found(question=question, book=book, rules=rules, faults=faults), ())
    shown = rules or resolve(book)
    groups = {
        "basics": tuple(_basics(shown, given)),
        "limits": tuple(_limits(shown, given)),
        "awards": tuple(_awards(given)) if shown.meters else (),
    }
    groups = {
        name: tuple(replace(one, fault=_said(faults, one.name)) for one in fields)
        for name, fields in groups.items()
    }
    others = {name: getattr(form, name) for name in ("paytables", "rules", "more")}
    limits = f"select.{_limits_of(book)}"
    others["more"] = tuple(one for one in form.more if one.name != limits)
    fields = [one for group in (*groups.values(), *others.values()) for one in group]
    names = {one.name for one in fields}
    loose = tuple(_words(fault) for fault in faults if fault["field"] not in names)
    opens = "" if faults else title
    return TableForm(book=book, text=text, opens=opens, faults=loose, **groups, **others)


def _without_defaults(book: Rulebook, given: Mapping[str, str]) -> dict[str, str]:
    """Leave out what stands at its default, because a form sends every field that has options."""
    defaults = {
        f"select.{name}": str(plain(one.default))
        for name, one in book.rules.selection.items()
        if one.default is not None
    }
    return {name: text for name, text in given.items() if defaults.get(name) != text}


# ---------------------------------------------------------------- the text


def table_text(book: Rulebook, given: Mapping[str, str]) -> str:
    """Write the form's values in the format of a tables file."""
    lines = ["[[table]]", f"rulebook = {json.dumps(book.id)}"]
    for name in PLAIN:
        if name == "things" and "things" in given:
            lines.append(f"things = {json.dumps(given['things'].split())}")
        elif name not in ("book", "things") and name in given:
            lines.append(f"{name} = {_value(given[name], words=name in WORDS)}")
    chosen = [
        f"{json.dumps(name)} = {_value(value)}"
        for kind, name, value in _split(given)
        if kind == "select"
    ]
    if limits := [*_limit_texts(given)]:
        chosen.append(f"{_limits_of(book)} = {{ {', '.join(limits)} }}")
    return "\n".join([*lines, *(["[table.selections]", *chosen] if chosen else []), ""])


def _value(text: str, *, words: bool = False) -> str:
    """Write a value: as it is if it is one of TOML's, else as a text."""
    is_value = not words and not isinstance(toml_value(text), str)
    return text if is_value else json.dumps(text, ensure_ascii=False)


def _limit_texts(given: Mapping[str, str]) -> Iterator[str]:
    wagers = dict.fromkeys(id for kind, id, _ in _split(given) if kind in ("least", "most"))
    for wager in wagers:
        pair = [given[name] for kind in ("least", "most") if (name := f"{kind}.{wager}") in given]
        yield f"{json.dumps(wager)} = [{', '.join(map(_value, pair))}]"


def _split(given: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for name, value in given.items():
        kind, dot, id = name.partition(".")
        if dot:
            yield kind, id, value


def _limits_of(book: Rulebook) -> str:
    """Return the selection of a book that sets limits."""
    return next((name for name, one in book.rules.selection.items() if one.takes == "limits"), "")


def _rules(book: Rulebook, select: Mapping[str, str], things: str) -> TableRules | None:
    """Return the rules as far as they are selected; None while a selection is wrong."""
    chosen = {name: toml_value(value) for name, value in select.items()}
    dealt = next((of for of, _ in DEALT if " ".join(of) == things), ())
    try:
        return resolve(book, chosen, things=dealt)
    except CroupierError:
        return None


# ---------------------------------------------------------------- faults


def _checked(pit: Pit, text: str) -> tuple[list[Problem], str]:
    """Return the faults of a table, or its title if it has none."""
    try:
        (found,) = parse_config(text, pit.rules_of).tables
    except Problems as error:
        return [*error.problems], ""
    if found.id in pit.configs:
        return [Problem(message=f"there is a table {found.id} already", path=f"{_AT}id")], ""
    return [], found.title


def _placed(problems: Iterable[Problem], given: Mapping[str, str]) -> Iterator[FieldFault]:
    """Yield each fault with the field that it belongs to."""
    for one in problems:
        path, message = (one.path or "").removeprefix(_AT), one.message
        field = path.replace("selections.", "select.", 1)
        wager, colon, rest = message.partition(": ")
        if colon and {f"least.{wager}", f"most.{wager}"} & given.keys():
            field, message = f"least.{wager}", rest
        yield {"field": field, "message": message, "clause": one.clause}


def _said(faults: Iterable[FieldFault], name: str) -> str:
    return "; ".join(_words(fault) for fault in faults if fault["field"] == name)


def _words(fault: FieldFault) -> str:
    return f"{fault['message']} ({fault['clause']})" if fault["clause"] else f"{fault['message']}"


# ---------------------------------------------------------------- fields


def _basics(rules: TableRules, given: Mapping[str, str]) -> Iterator[Field]:
    seats = range(max(1, rules.table.seats_min), rules.table.seats + 1)
    yes_no = (("", "no"), ("true", "yes"))
    yield _field(given, "id", "Name in addresses", hint="of a-z, 0-9 and -, such as high-limits")
    yield _field(given, "title", "Title for players", hint="without one, the title of the book")
    dealt = tuple((" ".join(things), says) for things, says in DEALT)
    yield _field(given, "things", "Who deals", options=dealt)
    numbers = tuple((str(seat), str(seat)) for seat in reversed(seats))
    yield _field(given, "seats", "Seats", options=numbers)
    yield _field(given, "bots", "Seats that the house fills for company", numeric=True)
    yield _field(given, "practice", "For practice only", options=yes_no)


def _limits(rules: TableRules, given: Mapping[str, str]) -> Iterator[Field]:
    for id, wager in rules.wagers.items():
        if wager.placed == "before the deal" and wager.sizes is None:
            yield _field(given, f"least.{id}", f"{wager.label}, smallest", numeric=True)
            yield _field(given, f"most.{id}", f"{wager.label}, largest", numeric=True)


def _awards(given: Mapping[str, str]) -> Iterator[Field]:
    waits = "in dollars; the floor validates awards from this sum up"
    yield _field(given, "validated", "Floor validates awards from", hint=waits, numeric=True)
    two = "in dollars; from this sum up it takes two people"
    yield _field(given, "witnessed", "Two people validate from", hint=two, numeric=True)


def _field(
    given: Mapping[str, str],
    name: str,
    label: str,
    *,
    options: tuple[tuple[str, str], ...] = (),
    hint: str = "",
    numeric: bool = False,
) -> Field:
    value = given.get(name, "")
    return Field(name=name, label=label, value=value, options=options, hint=hint, numeric=numeric)
