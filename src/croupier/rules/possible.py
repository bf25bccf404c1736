"""Check that everything a book says can come about.

A bet that nobody can make, a row that no hand or irregularity reaches, a meter that pays more than
it holds: the reader understands each of these, but none can be meant.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from croupier.reading.reader import DataPath, Fault, Reference
from croupier.rules.book import Rules
from croupier.rules.game import Facts, Paytable
from croupier.rules.vocabulary import FamilyId


def impossible(rules: Rules) -> Iterator[Fault]:
    """Yield a fault for everything in a book that can never happen."""
    for check in (_bets, _sizes, _tables, _charges, _reveals, _consequences):
        yield from check(rules)


def idle_paytables(rules: Rules, references: Iterable[Reference]) -> Iterator[Fault]:
    """Yield a fault for each family by which nothing is paid, as the book stands or overlaid."""
    used = {
        reference.name
        for reference in references
        if reference.kind is FamilyId and ("sets" in reference.at or reference.at[-1] == "paytable")
    }
    for family, tables in rules.paytable.items():
        if family not in used:
            at: DataPath = ("paytable", family, *list(tables)[:1])
            yield Fault(at, "no wager, bonus or envy goes by it")


def _bets(rules: Rules) -> Iterator[Fault]:
    for name, wager in rules.wager.items():
        for i, condition in enumerate(wager.conditions):
            if condition.at_most == 0:
                at: DataPath = ("wager", name, "conditions", i, "at_most")
                yield Fault(at, "leaves nothing to bet")
        if wager.returns and not wager.collected:
            message = "belongs to a wager that is collected before the deal; this one lies there"
            yield Fault(("wager", name, "returns"), message)


def _sizes(rules: Rules) -> Iterator[Fault]:
    """Check that a row for one size of stake is for a size that a wager can have."""
    going: list[tuple[str | None, str]] = [(w.paytable, id) for id, w in rules.wager.items()]
    going += [(bonus.paytable, bonus.on) for bonus in rules.bonus.values()]
    going += [(envy.paytable, envy.makers) for envy in rules.envy.values()]
    for family, tables in rules.paytable.items():
        wagers = [wager for paytable, wager in going if paytable == family]
        sizes = [_sizes_of(rules, wager) for wager in wagers]
        if not sizes or not all(sizes):  # Nothing goes by it, or a stake may have any size.
            continue
        possible = set().union(*sizes)
        for letter, table in tables.items():
            for i, row in enumerate(table.rows):
                if row.stake is not None and row.stake not in possible:
                    at: DataPath = ("paytable", family, letter, "rows", i, "stake")
                    yield Fault(at, "is no size that the wager can have")


def _sizes_of(rules: Rules, name: str) -> set[int]:
    """Return the sizes that a wager can have, none if it may have any."""
    wager = rules.wager.get(name)
    sizes: set[int] = {*wager.sizes.of} if wager and wager.sizes else set()
    for selection in rules.selection.values():
        if selection.takes == "sizes" and selection.of == name:
            if not selection.among:
                return set()
            sizes.update(selection.among)
    return sizes


def _tables(rules: Rules) -> Iterator[Fault]:
    for family, tables in rules.paytable.items():
        for letter, table in tables.items():
            yield from _meters(table, ("paytable", family, letter))


def _meters(table: Paytable, at: DataPath) -> Iterator[Fault]:
    for i, row in enumerate(table.rows):
        if row.percent is not None and row.percent > 100:
            yield Fault((*at, "rows", i, "percent"), "is more than the meter holds")
    if table.rate and table.rate.min is not None and table.rate.min > 1:
        yield Fault((*at, "rate", "min"), "is more than the whole wager")
    for i, meter in enumerate(table.meters):
        if meter.reset is not None and meter.reset < (meter.reset_min or 0):
            yield Fault((*at, "meters", i, "reset"), "is below its own 'reset_min'")


def _charges(rules: Rules) -> Iterator[Fault]:
    cover = rules.bank.cover if rules.bank else None
    if cover and cover.unit == "hand" and cover.in_part:
        message = "a hand that is covered as a whole or not at all is not paid in part"
        yield Fault(("bank", "cover", "in_part"), message)
    if rules.fee and not _rises([bracket.up_to for bracket in rules.fee.brackets]):
        yield Fault(("fee", "brackets"), "'up_to' must rise from one bracket to the next")
    if rules.rake and rules.rake.payer not in rules.rake.payers:
        message = f"'payers' has no clause by which {rules.rake.payer!r} may be charged"
        yield Fault(("rake", "payer"), message)


def _rises(sums: Sequence[int]) -> bool:
    return all(lower < higher for lower, higher in pairwise((0, *sums)))


def _reveals(rules: Rules) -> Iterator[Fault]:
    """Check that steps turn up no more cards at a place of the book than it holds."""
    turned: dict[str, int] = {}
    for name, step in rules.step.items():
        for place in step.shows if step.cards is not None else ():
            turned[place] = turned.get(place, 0) + (step.cards or 0)
            if place in rules.place and turned[place] > rules.place[place].cards:
                message = f"turns up more cards than are left at {place!r}"
                yield Fault(("step", name, "cards"), message)


def _consequences(rules: Rules) -> Iterator[Fault]:
    """Check that no consequence stands below one that always applies."""
    for name, irregularity in rules.irregularity.items():
        always = [row.when == Facts() for row in irregularity.rows]
        if True in always[:-1]:
            i = always.index(True) + 1
            at: DataPath = ("irregularity", name, "rows", i)
            yield Fault(at, "never applies: the row above it always does")
