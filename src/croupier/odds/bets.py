"""Parses the bets and meters that an analysis or advice is asked about."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from croupier.errors import UserError
from croupier.money import parse_fraction
from croupier.odds.payoffs import states_of
from croupier.odds.scope import check_scope
from croupier.rules.game import Condition, Table
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars, listed

Units = Fraction | int | str


def offered(rules: TableRules) -> list[str]:
    """Return the wagers that may be made before the deal, those with decisions first."""
    asked = _asked(rules)
    names = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    return sorted(names, key=lambda name: not asked & {*rules.spots[name]})


def opening(rules: TableRules) -> str:
    return offered(rules)[0]


def unit_of(rules: TableRules, name: str) -> Fraction:
    """Return one unit, or the smallest size of a wager that has fixed sizes."""
    sizes = rules.wagers[name].sizes
    return Fraction(min(sizes.of), 100) if sizes else Fraction(1)


def parse_bet(
    rules: TableRules, bet: Mapping[str, Units] | None, *, together: bool = True
) -> dict[str, Fraction]:
    """Parse a bet: wagers on offer, with stakes that one seat may make.

    Wagers of the main game must satisfy the table's conditions together, unless each wager is
    considered on its own (`together` is false). Side wagers alone are never refused.
    """
    check_scope(rules)
    if bet is None:
        name = opening(rules)
        return {name: unit_of(rules, name)}
    stakes = parse_stakes(rules, bet)
    if not _opens(rules, stakes):
        stakes = _with_what_it_depends_on(rules, stakes)
    elif together:
        _check_conditions(rules, stakes)
    return {name: stakes[name] for name in offered(rules) if name in stakes}


def parse_stakes(rules: TableRules, bet: Mapping[str, Units]) -> dict[str, Fraction]:
    """Parse wagers on offer, with stakes above zero and of an allowed size."""
    known = offered(rules)
    stakes: dict[str, Fraction] = {}
    for name, units in bet.items():
        if name not in known:
            raise UserError(
                f"this table doesn't offer it; it offers {listed(list(known))}", field=f"bet {name}"
            )
        stake = parse_fraction(units, f"bet {name}")
        if not stake:
            raise UserError("a stake is above zero", field=f"bet {name}")
        sizes = rules.wagers[name].sizes
        if sizes and stake * 100 not in sizes.of:
            message = f"is {' or '.join(map(dollars, sizes.of))} at this table"
            raise UserError(message, field=f"bet {name}", clause=sizes.clause)
        stakes[name] = stake
    if not stakes:
        raise UserError("nothing is bet", field="bet")
    return stakes


def _opens(rules: TableRules, stakes: Mapping[str, Fraction]) -> bool:
    """Whether a bet has a wager of the main game, or consists of side wagers."""
    main = [name for name in offered(rules) if _asked(rules) & {*rules.spots[name]}]
    return any(name in stakes for name in main or [opening(rules)])


def _asked(rules: TableRules) -> set[str | None]:
    """Return the spots that a seat decides about."""
    return {step.asks for step in rules.steps.values() if step.do == "decide"}


def _with_what_it_depends_on(rules: TableRules, stakes: dict[str, Fraction]) -> dict[str, Fraction]:
    """Add the wager that a contested side wager requires, at equal stakes."""
    whole = dict(stakes)
    for name in stakes:
        wager = rules.wagers[name]
        if len(states_of(wager.settle)) > 1:
            for condition in wager.conditions:
                for needed in condition.needs[:1]:
                    whole.setdefault(needed, stakes[name])
    return whole


def _check_conditions(rules: TableRules, stakes: Mapping[str, Fraction]) -> None:
    """Refuse wagers that the table doesn't take together."""
    for name in stakes:
        for condition in rules.wagers[name].conditions:
            for message in _broken(rules, stakes, (name, condition)):
                label = rules.wagers[name].label
                raise UserError(
                    f"the {label} {message}", field=f"bet {name}", clause=condition.clause
                )


def _broken(
    rules: TableRules, stakes: Mapping[str, Fraction], held: tuple[str, Condition]
) -> Iterator[str]:
    name, condition = held
    if condition.needs and not {*condition.needs} & stakes.keys():
        yield f"needs {listed([rules.wagers[w].label for w in condition.needs], last='or')}"
    if condition.of and condition.at_most is not None:
        times = condition.at_most
        if stakes[name] > times * stakes.get(condition.of, 0):
            most = "" if times == 1 else f"{times} times "
            yield f"must be at most {most}the {rules.wagers[condition.of].label}"


def parse_meters(
    rules: TableRules,
    given: Mapping[str, Units] | None,
    stakes: Mapping[str, Fraction],
    *,
    complete: bool = True,
) -> dict[str, Fraction]:
    """Return the value of every meter of the bet: as given, or its reset."""
    meters: dict[str, Fraction] = {}
    for id in (given or {}).keys() - rules.meters.keys():
        known = ", ".join(rules.meters) or "none"
        raise UserError(f"is not a meter of this table; it has {known}", field=f"meter {id}")
    for id, meter in rules.meters.items():
        if given and id in given:
            meters[id] = parse_fraction(given[id], f"meter {id}")
        elif meter.wager in stakes:
            if meter.reset is not None:
                meters[id] = Fraction(meter.reset, 100)
            elif complete:
                raise UserError("has no reset: say what it shows", field=f"meter {id}")
    return {id: amount for id, amount in meters.items() if rules.meters[id].wager in stakes}


def check_others(others: int, table: Table) -> int:
    """Return a number of other players; refuse one for whom the table has no seats."""
    if isinstance(others, bool) or not isinstance(others, int) or others < 0:
        raise UserError(f"{others!r} is not a number of players", field="others")
    if others >= table.seats:
        message = f"a table of {table.seats} seats has at most {table.seats - 1} other players"
        raise UserError(message, field="others", clause=table.clause)
    return others
