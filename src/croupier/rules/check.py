"""Check that the parts of a book fit together, beyond what the shapes can say.

Every check yields faults and continues. The reader has already left out faulty parts of the file,
so a check sees only complete shapes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from croupier.cards import RANKS
from croupier.hands.ranking import NAMES, Ranking
from croupier.reading.reader import DataPath, Fault, Reader, Reference, dotted, readable_parts
from croupier.rules.book import Clause, Rules
from croupier.rules.check_selections import fixed, selections, values
from croupier.rules.game import Paytable, Row, Settle, Step
from croupier.rules.overlay import Data, exists, keys_of, overlaid
from croupier.rules.playable import unplayable
from croupier.rules.possible import idle_paytables, impossible
from croupier.rules.reread import is_named, reread
from croupier.rules.vocabulary import (
    BANK,
    DISCARD,
    SEAT,
    SEATS,
    BookPath,
    ClauseId,
    FamilyId,
    LineId,
    MeterId,
    PlaceId,
    RulingId,
    SelectionId,
    SpotId,
    WagerId,
)


def read(data: Data) -> tuple[Rules | None, list[Fault]]:
    """Read a book's data and return it with every fault found."""
    reader = Reader()
    whole = reader.read(Rules, data)
    rules = whole or readable_parts(Rules, data)
    faults = reader.faults
    faults += [fault for check in _CHECKS for fault in check(rules)]
    faults += _overlays(rules, data, reader)
    faults += idle_paytables(rules, reader.references)
    faults += _unpriced(rules)
    faults += _decided_twice(rules)
    faults += _clauses(rules, data, reader.references)
    faults += _dangling(reader.references, data)
    # Playability is checked only if nothing but overlays is at fault: else parts may be missing.
    own = [fault for fault in faults if "sets" not in fault.at]
    return whole, faults if own else [*faults, *unplayable(rules)]


def idle_rulings(rules: Rules, data: Data) -> Iterator[Fault]:
    """Yield a fault for each ruling that decides nothing.

    A ruling decides something if a table names it, a choice changes it, it has another reading, or
    it is about people's conduct. Rulings common to all books are exempt: they say how books are
    read.
    """
    reader = Reader()
    reader.read(Rules, data)
    named = {reference.name for reference in reader.references if reference.kind is RulingId}
    for name, ruling in rules.ruling.items():
        kept = {rules.clause[id].kept for id in ruling.clauses if id in rules.clause}
        changed = ruling.common or ruling.selection or ruling.alternative
        if kept <= {"enforced"} and not changed and name not in named:
            message = "decides nothing: no table names it, and it has no other reading"
            yield Fault(("ruling", name), message)


# ---------------------------------------------------------------- names


def _dangling(references: list[Reference], data: Data) -> Iterator[Fault]:
    """Yield a fault for each name that refers to nothing in the book."""
    names = _names(data)
    for reference in references:
        if reference.kind is BookPath:
            if not exists(data, reference.name) and not _settable(data, reference):
                yield Fault(reference.at, f"nothing in the book stands at {reference.name!r}")
        elif reference.name not in names[reference.kind]:
            what = _WHAT[reference.kind]
            yield Fault(reference.at, f"{reference.name!r} is not a {what} of this book")


_WHAT: Mapping[object, str] = {
    ClauseId: "clause",
    RulingId: "ruling",
    WagerId: "wager",
    SpotId: "spot",
    LineId: "wager, bonus or envy",
    FamilyId: "family of paytables",
    MeterId: "meter",
    PlaceId: "place",
    SelectionId: "selection",
}


def _names(data: Data) -> dict[object, set[str]]:
    """Return the names of every kind, from the raw data: a faulty wager still has a name."""

    def keys(section: str) -> dict[str, object]:
        table = data.get(section)
        return table if isinstance(table, dict) else {}

    wagers = keys("wager")
    spots: set[str] = set()
    for name, wager in wagers.items():
        own = _items(wager.get("spots")) if isinstance(wager, dict) else []
        spots.update(spot for spot in own or [name] if isinstance(spot, str))
    tables = [table for _, table in _paytables(data)]
    return {
        ClauseId: {*keys("clause"), *(row for _, row in row_clauses(data))},
        RulingId: set(keys("ruling")),
        WagerId: set(wagers),
        SpotId: spots,
        LineId: {*wagers, *keys("bonus"), *keys("envy")},
        FamilyId: set(keys("paytable")),
        MeterId: {id for table in tables for id in _texts(table.get("meters"), "id")},
        PlaceId: {SEAT, BANK, SEATS, DISCARD, *keys("place")},
        SelectionId: set(keys("selection")),
    }


def _items(value: object) -> list[Any]:
    """Return a list from the raw data, which may be anything else in its place."""
    return value if isinstance(value, list) else []


def _texts(tables: object, key: str) -> Iterator[str]:
    for table in _items(tables):
        if isinstance(table, dict) and isinstance(table.get(key), str):
            yield table[key]


def _paytables(data: Data) -> Iterator[tuple[DataPath, dict[str, Any]]]:
    families = data.get("paytable", {})
    for family, tables in families.items() if isinstance(families, dict) else ():
        for letter, table in tables.items() if isinstance(tables, dict) else ():
            if isinstance(table, dict):
                yield ("paytable", family, letter), table


def row_clauses(data: Data) -> Iterator[tuple[DataPath, str]]:
    """Yield the clauses given in the rows of paytables."""
    for at, table in _paytables(data):
        for i, row in enumerate(_items(table.get("rows"))):
            if isinstance(row, dict) and isinstance(row.get("clause"), str):
                yield (*at, "rows", i, "clause"), row["clause"]


def _settable(data: Data, reference: Reference) -> bool:
    """Whether a missing path may be set: it is a key of an existing table."""
    keys = keys_of(reference.name)
    table = ".".join(f'"{key}"' for key in keys[:-1])
    depth = 3 if is_named(keys[0]) else 2
    return "sets" in reference.at and len(keys) >= depth and exists(data, table)


# ---------------------------------------------------------------- paytables


def _rows(rules: Rules) -> Iterator[Fault]:
    for family, tables in rules.paytable.items():
        for letter, table in tables.items():
            at: DataPath = ("paytable", family, letter)
            orders = _orders(rules, cards_of(rules, table))
            if not orders[0]:
                yield Fault((*at, "of"), "no hand has that many cards")
            for i, row in enumerate(table.rows):
                yield from _payout(table, row, (*at, "rows", i))
                if row.hand not in orders[0]:
                    yield Fault((*at, "rows", i, "hand"), f"{row.hand!r} is not a hand of it")
                elif not any(_below(table.rows[:i], row, order) for order in orders):
                    yield Fault((*at, "rows", i), "stands below a row that it should be above")


def _orders(rules: Rules, cards: int) -> list[tuple[str, ...]]:
    """Return the orders that rows may stand in: the usual one, and that of the book's ranking."""
    usual = NAMES.get(cards, ())
    # Another order is known only once the ranking itself can be read.
    if not usual or not rules.ranking or rules.ranking.three_cards != "as five cards":
        return [usual]
    return [usual, Ranking(as_five_cards=True).names(cards)]


def _below(rows: Sequence[Row], row: Row, order: tuple[str, ...]) -> bool:
    """Whether a row may stand below all these rows."""
    return all(_above(earlier, row, order) for earlier in rows)


def cards_of(rules: Rules, table: Paytable) -> int:
    """Return the number of cards in the hands of a paytable."""
    deal = next(iter(rules.deal.values()), None)
    dealt = {SEAT: 0, BANK: 0}
    for line in deal.cards if deal else ():
        to = SEAT if line.to == SEATS else line.to
        dealt[to] = dealt.get(to, 0) + line.cards
    for name, place in rules.place.items():
        dealt[PlaceId(name)] = place.cards
    return sum(dealt.get(place, 0) for place in table.of)


def _above(earlier: Row, row: Row, order: tuple[str, ...]) -> bool:
    """Whether a row may stand above another: its hand is higher, or no hand fits both."""
    if earlier.stake != row.stake or earlier.hand not in order:
        return True
    if earlier.hand != row.hand:
        return order.index(earlier.hand) > order.index(row.hand)
    if earlier.suits and row.suits:
        return not set(earlier.suits) & set(row.suits)
    if earlier.suits and not row.suits:
        return True  # The second row pays the other suits.
    ranks = [RANKS.index(least) if least else 0 for least in (earlier.least, row.least)]
    return not row.suits and ranks[0] > ranks[1]


def _payout(table: Paytable, row: Row, at: DataPath) -> Iterator[Fault]:
    payouts = [x for x in (row.to, row.for_, row.amount, row.percent) if x is not None]
    if len(payouts) != 1:
        yield Fault(at, "must pay exactly one of 'to', 'for', 'amount' and 'percent'")
    if (row.percent is None) != (row.meter is None):
        yield Fault(at, "'percent' and 'meter' belong together")
    if row.percent == 0 or row.for_ == 0:
        yield Fault(at, "pays nothing, and the stake is lost: leave the hand out")
    if row.meter and row.meter not in {meter.id for meter in table.meters}:
        yield Fault((*at, "meter"), f"{row.meter!r} is not a meter of this paytable")
    if not set(row.suits) <= set("shdc") or len(set(row.suits)) != len(row.suits):
        yield Fault((*at, "suits"), f"{row.suits!r} must consist of letters from 'shdc', each once")


def _meters(rules: Rules) -> Iterator[Fault]:
    for name, wager in rules.wager.items():
        for letter, table in rules.paytable.get(wager.paytable or "", {}).items():
            at = ("paytable", str(wager.paytable), letter)
            if table.meters and not table.rate:
                yield Fault((*at, "rate"), "is missing; the paytable has meters")
            paid = {row.meter for row in table.rows if row.percent is not None}
            for i, meter in enumerate(table.meters):
                if paid.isdisjoint({meter.id, None}):  # None is reported with its row.
                    yield Fault((*at, "meters", i), f"no row pays from the meter {meter.id!r}")
            if table.meters and not wager.collected:
                message = "is missing; the wager has a meter"
                yield Fault(("wager", name, "collected"), message)


# ---------------------------------------------------------------- wagers and steps


def _judged(rules: Rules) -> Iterator[Fault]:
    """Check that every wager, bonus and envy is settled, and each verdict is complete."""
    lines = {line for step in rules.step.values() for line in step.lines}
    for section, names in (("wager", rules.wager), ("bonus", rules.bonus), ("envy", rules.envy)):
        for name in names:
            if name not in lines:
                message = "nothing settles it: no step has it among its 'lines'"
                yield Fault((section, name), message)
    for name, wager in rules.wager.items():
        yield from _verdicts(wager.settle, ("wager", name), listed=bool(wager.paytable))
        for i, condition in enumerate(wager.conditions):
            if bool(condition.needs) == (condition.at_most is not None):
                yield Fault(("wager", name, "conditions", i), "must have 'needs' or 'at_most'")
            if (condition.at_most is None) != (condition.of is None):
                yield Fault(("wager", name, "conditions", i), "'at_most' goes with 'of'")
            if name in (*condition.needs, condition.of):
                message = f"{name!r} can't depend on itself"
                yield Fault(("wager", name, "conditions", i), message)
    for name, bonus in rules.bonus.items():
        yield from _verdicts(bonus.settle, ("bonus", name), listed=True)


def _verdicts(settle: Settle, at: DataPath, *, listed: bool) -> Iterator[Fault]:
    states = {
        "higher": settle.higher,
        "lower": settle.lower,
        "equal": settle.equal,
        "unopposed": settle.unopposed,
    }
    given = [name for name, verdict in states.items() if verdict]
    if (settle.always is None) != (len(given) == len(states)) or (settle.always and given):
        yield Fault((*at, "settle"), "must have 'always' or all of " + ", ".join(states))
    for name, verdict in {"always": settle.always, **states}.items():
        if verdict and (verdict.does == "pay") != (verdict.to is not None):
            yield Fault((*at, "settle", name), "'to' goes with \"pay\" and with nothing else")
        if verdict and verdict.to == 0:
            yield Fault((*at, "settle", name, "to"), "pays nothing; say 'push' if that is meant")
        if verdict and verdict.does in ("table", "push listed") and not listed:
            yield Fault((*at, "settle", name), "there is no paytable to go by")


def _steps(rules: Rules) -> Iterator[Fault]:
    kinds = [step.do for step in rules.step.values()]
    if kinds[:2] != ["bets", "deal"] or kinds[-1:] != ["settle"] or kinds.count("settle") != 1:
        yield Fault(("step",), "must begin with bets and deal, and end with the only settle")
    for name, step in rules.step.items():
        yield from _step(step, ("step", name))
        for choice, option in step.option.items():
            at: DataPath = ("step", name, "option", choice)
            if (option.places is None) != (option.equals is None):
                yield Fault(at, "'places' and 'equals' belong together")
    placed = {option.places for step in rules.step.values() for option in step.option.values()}
    for name, wager in rules.wager.items():
        if wager.placed == "by decision" and name not in placed:
            yield Fault(("wager", name), "is placed by decision, but no option places it")


def _step(step: Step, at: DataPath) -> Iterator[Fault]:
    needs = {
        "bets": ("closed",),
        "deal": (),
        "decide": ("asks", "order", "option"),
        "reveal": ("shows",),
        "settle": ("order", "lines"),
    }[step.do]
    for key in needs:
        if not getattr(step, key):
            yield Fault((*at, key), "is missing")


def _bank(rules: Rules) -> Iterator[Fault]:
    for key in ("cover", "rotation") if rules.bank else ():
        is_given = getattr(rules.bank, key) is not None
        if is_given and rules.banked_by == "house":
            yield Fault(("bank",), f"{key!r} belongs to a book that a player banks")
        if not is_given and rules.banked_by == "player":
            yield Fault(("bank", key), "is missing; a book that a player banks needs it")


# ---------------------------------------------------------------- overlays and clauses


def _overlays(rules: Rules, data: Data, reader: Reader) -> Iterator[Fault]:
    """Apply every choice and every reading alone, and reread what it touches."""
    known = set(reader.references)
    for at, sets in _all_sets(rules):
        unknown = [path for path in sets if keys_of(path)[0] not in data]
        if unknown or not sets:
            continue  # Reported as a dangling name.
        changed, again = reread(rules, overlaid(data, sets), sets)
        for fault in (*again.faults, *fixed(changed)):
            if fault not in reader.faults:  # Not a fault that exists without the overlay.
                yield Fault(at, f"sets {dotted(fault.at)}: {fault.message}")
        reader.references += (x._replace(at=at) for x in again.references if x not in known)


def _all_sets(rules: Rules) -> Iterator[tuple[DataPath, Mapping[BookPath, Any]]]:
    for name, selection in rules.selection.items():
        for option, choice in selection.option.items():
            yield ("selection", name, "option", option, "sets"), choice.sets
    for name, ruling in rules.ruling.items():
        for i, reading in enumerate(ruling.alternative):
            yield ("ruling", name, "alternative", i, "sets"), reading.sets


def _decided_twice(rules: Rules) -> Iterator[Fault]:
    """Yield a fault for each ruling on a question that another one decides."""
    decided: dict[str, str] = {}
    for name, ruling in rules.ruling.items():
        if ruling.decides and (other := decided.setdefault(ruling.decides, name)) != name:
            message = f"{other!r} decides {ruling.decides!r} already"
            yield Fault(("ruling", name, "decides"), message)


def _unpriced(rules: Rules) -> Iterator[Fault]:
    """Yield a fault for each reading that can't be played and doesn't say why it has no price."""
    for name, ruling in rules.ruling.items():
        for i, reading in enumerate(ruling.alternative):
            if not (reading.sets or reading.selections or ruling.why):
                message = "sets nothing and selects nothing, and the ruling has no 'why'"
                yield Fault(("ruling", name, "alternative", i), message)


def _clauses(rules: Rules, data: Data, references: list[Reference]) -> Iterator[Fault]:
    seen: set[str] = set(rules.clause)
    for at, clause in row_clauses(data):
        if clause in seen:
            yield Fault(at, f"the clause {clause!r} is in the book twice")
        seen.add(clause)
    cited = {
        reference.name
        for reference in references
        if reference.kind is ClauseId and reference.at[0] not in ("clause", "ruling")
    }
    for name, said in rules.clause.items():
        at = ("clause", name)
        if said.kept == "enforced" and not said.in_ and name not in cited:
            yield Fault(at, "is enforced, but nothing in the book cites it; say in what with 'in'")
        if said.kept != "guided" and said.at is not None:
            yield Fault(at, "'at' belongs to a guided clause and to no other")
        if said.kept == "guided" and said.at is None:
            yield Fault((*at, "at"), "is missing; a guided clause says when it is due")
        yield from _guided(rules, name, said)


_GUIDED = (
    *("force", "by", "needs", "act", "on"),
    *("if_staked", "after", "unless", "if_plays", "collects"),
)
"""The keys that say who keeps a guided clause, and when."""


def _guided(rules: Rules, name: str, said: Clause) -> Iterator[Fault]:
    """Check the keys of a guided clause."""
    given = [key for key in _GUIDED if getattr(said, key) != said.defaults[key]]
    if said.kept != "guided":
        yield from (
            Fault(("clause", name, key), "belongs to a guided clause and to no other")
            for key in given
        )
        return
    if not 1 <= len(said.by) <= 2 or len(set(said.by)) != len(said.by):
        yield Fault(("clause", name, "by"), "must be one person, or two different ones")
    if ("player" in said.by) != (said.force == "notice"):
        message = "what a player does is a notice, and a notice is for a player"
        yield Fault(("clause", name, "force"), message)
    if said.act and said.force != "task":
        yield Fault(("clause", name, "act"), "only a task is done by an act")
    if said.if_plays and not (said.at == "reveal" and rules.bank and rules.bank.qualifier):
        message = "is for a moment 'reveal', in a book whose bank may not qualify"
        yield Fault(("clause", name, "if_plays"), message)
    if said.collects and not (said.at == "decided" and said.on in _folds(rules)):
        message = "is for a moment 'decided', 'on' a choice that folds"
        yield Fault(("clause", name, "collects"), message)
    if said.on and said.on not in _occasions(rules):
        message = f"{said.on!r} is not a step, an option of one ('step.option') or a wager"
        yield Fault(("clause", name, "on"), message)


def _occasions(rules: Rules) -> set[str]:
    """Return what `on` may name: steps, their options, and wagers."""
    options = {f"{step}.{name}" for step, made in rules.step.items() for name in made.option}
    return {*rules.step, *options, *rules.wager}


def _folds(rules: Rules) -> set[str]:
    """Return the choices that fold, as `on` names them."""
    return {
        f"{step}.{name}"
        for step, made in rules.step.items()
        for name, option in made.option.items()
        if option.folds
    }


def _irregularities(rules: Rules) -> Iterator[Fault]:
    """Check that a clause or a ruling backs every consequence of an irregularity."""
    for name, irregularity in rules.irregularity.items():
        for i, row in enumerate(irregularity.rows):
            if row.clause is None and row.ruling is None:
                at = ("irregularity", name, "rows", i)
                yield Fault(at, "needs a 'clause', or a 'ruling' where no clause says so")


_CHECKS = (
    _rows,
    _meters,
    _judged,
    _steps,
    _bank,
    selections,
    values,
    _irregularities,
    impossible,
)
