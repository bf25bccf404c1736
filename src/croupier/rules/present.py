"""Rulebooks as plain data for programs and pages, and the differences between two."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from croupier.errors import UserError
from croupier.money import format_money, parse_money
from croupier.rules.book import Rules, Ruling, Selection
from croupier.rules.describe import Said, describe
from croupier.rules.game import Bonus, Envy, Paytable, Wager
from croupier.rules.rulebook import Rulebook
from croupier.rules.selections import may_be_none
from croupier.rules.vocabulary import NONE
from croupier.rules.words import dollars, listed, percent, plain
from croupier.rules.writer import write


def summary(book: Rulebook) -> dict[str, str]:
    """Return a book's entry in a list of books."""
    rules = book.rules
    return {
        "id": book.id,
        "title": rules.title,
        "game": rules.game,
        "banked_by": rules.banked_by,
        "source": rules.source,
    }


def in_full(book: Rulebook) -> dict[str, Any]:
    """Return everything in a book."""
    rules = book.rules
    return {
        **summary(book),
        "digest": book.digest,
        "wagers": _listed(Wager, rules.wager),
        "bonuses": _listed(Bonus, rules.bonus),
        "envies": _listed(Envy, rules.envy),
        "paytables": [
            {"family": family, "letter": letter, **write(Paytable, table)}
            for family, tables in rules.paytable.items()
            for letter, table in tables.items()
        ],
        "procedure": [
            {"part": said.part, "topic": said.topic, "says": said.text, "clause": said.clause}
            for said in describe(rules)
        ],
        "selections": [_selection(rules, name) for name in rules.selection],
        "rulings": _listed(Ruling, rules.ruling),
        "clauses": [
            {"id": name, "says": clause.says, "kept": clause.kept}
            for name, clause in book.clauses.items()
        ],
    }


def one_clause(book: Rulebook, name: str) -> dict[str, Any]:
    """Return one clause with its sub-clauses, its prompt, and the rulings about it."""
    clause = book.clauses.get(name)
    if clause is None:
        near = get_close_matches(name, book.clauses, 3)
        hint = f"; there is {listed(near)}" if near else ""
        raise UserError(f"{book.id} has no clause {name!r}{hint}", field="clause")
    below = [other for other in book.clauses if is_inside(other, name)]
    return {
        "id": name,
        "says": clause.says,
        "kept": clause.kept,
        "at": clause.at,
        "by": " and ".join(clause.by) if clause.kept == "guided" else None,
        "clauses": [{"id": other, "says": book.clauses[other].says} for other in below],
        "rulings": [
            {"id": id, "problem": ruling.problem, "choice": ruling.choice}
            for id, ruling in book.rules.ruling.items()
            if name in ruling.clauses
        ],
    }


def differences(one: Rulebook, other: Rulebook) -> Iterator[dict[str, Any]]:
    """Yield each topic on which two books differ, with both sentences."""
    for topic in side_by_side(one, other):
        if not topic.same:
            sides = zip((one.id, other.id), topic.sides, strict=True)
            yield {
                "part": topic.part,
                "topic": topic.topic,
                **{id: {"says": s.text, "clause": s.clause} if s else None for id, s in sides},
            }


class Topic(NamedTuple):
    """What two books say about one thing; None where one says nothing."""

    part: str
    topic: str
    sides: tuple[Said | None, Said | None]

    @property
    def same(self) -> bool:
        one, other = self.sides
        return bool(one and other and one.text == other.text)


def side_by_side(one: Rulebook, other: Rulebook) -> Iterator[Topic]:
    """Yield every topic of two books, with what each says about it."""
    first, second = ({(s.part, s.topic): s for s in describe(b.rules)} for b in (one, other))
    parts = list(dict.fromkeys(s.part for says in (first, second) for s in says.values()))
    # The same rule under different names, such as those of steps, is no difference.
    renamed = {(s.part, s.text): s for topic, s in second.items() if topic not in first}
    taken = set()
    for topic in sorted({**first, **second}, key=lambda topic: parts.index(topic[0])):
        mine, theirs = first.get(topic), second.get(topic)
        if mine and not theirs:
            theirs = renamed.get((mine.part, mine.text))
            taken |= {theirs} if theirs else set()
        elif theirs in taken:
            continue
        yield Topic(*topic, (mine, theirs))


def may_be(rules: Rules, name: str) -> str:
    """Describe the values that a selection may have."""
    selection = rules.selection[name]
    match selection.takes:
        case "option":
            return listed(list(selection.option), last="or")
        case "paytable":
            letters = [*selection.letters, *([] if selection.required else [NONE])]
            amends = ", or a table of hands and odds" if selection.amends else ""
            return listed(letters, last="or") + amends
        case "sizes":
            sizes = [dollars(size) for size in selection.among]
            return f"{listed(sizes, last='or')}, or a list of them" if sizes else "any sum"
        case "rate":
            return "a rate above 0 and at most 1" + _least_rates(rules, selection)
        case "reset" | "initial":
            return "a sum, or a table of sums by meter" + _least_sums(rules, selection)
        case "shares":
            return "a table of a share for each meter that adds up to 1"
        case "payouts":
            return "a table of hands and sums"
        case "limits":
            return "a table of wagers, each with its smallest and largest stake"
        case "count":
            return "a whole number"
        case "money":
            return f"a sum, or {NONE}" if may_be_none(selection) else "a sum"
        case "brackets":
            return "a list of tables of 'up_to' and 'fee'"
        case "rake":
            payers = listed(list(rules.rake.payers), last="or") if rules.rake else ""
            return f"a table of 'payer' ({payers}) and 'amount'"


def _listed(shape: Any, items: Any) -> list[dict[str, Any]]:
    return [{"id": name, **write(shape, item)} for name, item in items.items()]


def _selection(rules: Rules, name: str) -> dict[str, Any]:
    selection = rules.selection[name]
    return {
        "id": name,
        "says": selection.says,
        "default": _default(selection),
        "may_be": may_be(rules, name),
        "values": [*selection.option, *selection.letters] or None,
        "required": selection.required,
        "clause": selection.clause,
        "ruling": selection.ruling,
    }


def _default(selection: Selection) -> Any:
    """Return a default for JSON, sums with two decimals."""
    given = selection.default
    if selection.takes in ("sizes", "money") and given not in (None, NONE):
        return format_money(parse_money(given, selection.says))
    return plain(given)


def _of_wager(rules: Rules, selection: Selection) -> Iterator[tuple[str, Paytable]]:
    family = rules.wager[selection.of].paytable if selection.of else None
    yield from rules.paytable.get(family or "", {}).items()


def _least_rates(rules: Rules, selection: Selection) -> str:
    rates = [
        f"{percent(table.rate.min)} for {letter}"
        for letter, table in _of_wager(rules, selection)
        if table.rate and table.rate.min is not None
    ]
    return f", at least {listed(rates)}" if rates else ""


def _least_sums(rules: Rules, selection: Selection) -> str:
    sums = [
        f"{dollars(meter.reset_min)} for {letter}" + (f" {meter.name}" if meter.name else "")
        for letter, table in _of_wager(rules, selection)
        for meter in table.meters
        if meter.reset_min is not None
    ]
    return f", at least {listed(sums)}" if sums else ""


def is_inside(clause: str, outer: str) -> bool:
    """Whether a clause is part of another, judging by their ids."""
    rest = clause.removeprefix(outer)
    return rest != clause and rest[:1] in ("(", ".")
