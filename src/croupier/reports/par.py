"""The PAR sheet of a table: all its figures, how they were computed and how to check them.

The figures come from `odds` and are only formatted here. The one computation is summing columns, to
show that they add up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from croupier import __version__
from croupier.reports.checks import METHOD, Check, checks_of
from croupier.reports.figures import decimal, one_in, percent, root, short
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.words import edge_says, listed, plain

if TYPE_CHECKING:
    # For types only: making a sign shouldn't load the mathematics.
    from croupier.odds.analysis import Analysis
    from croupier.odds.pricing import PricedRuling
    from croupier.odds.returns import Return

CONFIDENCE = "90 %"
Z = Fraction(16449, 10000)
"""How many standard deviations on either side hold 90 % of a normal distribution."""
ROUNDS = (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRow:
    """One of the operator's selections, what it means, and where the book leaves it open."""

    id: str
    says: str
    value: str
    means: str
    default: bool
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: rounded, exact where it is a fraction, and its description."""

    id: str
    name: str
    value: str
    exact: str
    means: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineResult:
    """One result of a line."""

    says: str
    pays: str
    combinations: int
    probability: str
    one_in: str
    contribution: str
    exact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSheet:
    """All results of one line, and their sum."""

    id: str
    label: str
    of: int
    results: tuple[LineResult, ...]
    total: LineResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageRange:
    """The range of the house's average over a number of rounds, nine times out of ten."""

    rounds: str
    half_width: str
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Net:
    """One net result of a round."""

    net: str
    exact_net: str
    probability: str
    one_in: str
    exact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterSheet:
    """One meter: what it shows, and where the wager breaks even."""

    id: str
    name: str
    shows: str
    break_even: str
    exact: str
    points: tuple[tuple[float, float], ...]
    """Meter and expected value along a line from here past the break-even."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerSheet:
    """All figures of one wager."""

    title: str
    bet: str
    wagers: tuple[str, ...]
    figures: tuple[Figure, ...]
    lines: tuple[LineSheet, ...]
    spreads: tuple[AverageRange, ...]
    distribution: tuple[Net, ...]
    together: str
    """The sum of all lines: the expected value without envy."""
    envy: str
    """What other players' hands add to the expected value, if counted."""
    strategy: tuple[str, ...]
    meters: tuple[MeterSheet, ...]

    def value(self, id: str) -> str:
        """Return a figure as formatted."""
        return next(figure.value for figure in self.figures if figure.id == id)

    def name(self, id: str) -> str:
        """Return what a figure is called at this table."""
        return next(figure.name for figure in self.figures if figure.id == id)

    def exact(self, id: str) -> str:
        """Return a figure as a fraction."""
        return next(figure.exact for figure in self.figures if figure.id == id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSheet:
    """One reading of a ruling, and what the wager is worth under it."""

    says: str
    chosen: bool
    bet: str
    selections: str
    value: str
    exact: str
    difference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingSheet:
    """One ruling of the book, with the value of each reading."""

    id: str
    clauses: str
    problem: str
    choice: str
    readings: tuple[ReadingSheet, ...]
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Par:
    """A whole PAR sheet."""

    title: str
    game: str
    rulebook: str
    source: str
    book_digest: str
    rules_digest: str
    version: str
    date: str
    others: int
    selections: tuple[SelectionRow, ...]
    wagers: tuple[WagerSheet, ...]
    left_out: tuple[str, ...]
    rulings: tuple[RulingSheet, ...]
    method: tuple[str, ...]
    checks: tuple[Check, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the sheet as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What `odds` computed for a sheet."""

    analyses: Sequence["Analysis"]
    rulings: Sequence["PricedRuling"]
    meters: Mapping[str, str]
    """The meters that were given, as written."""
    others: int = 0


def par_of(book: Rulebook, rules: TableRules, found: Priced, *, date: str = "") -> Par:
    """Return the PAR sheet of a table; `date` is printed as given."""
    analysed = {name for analysis in found.analyses for name in analysis.bet}
    asked = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    return Par(
        title=rules.title,
        game=rules.game,
        rulebook=rules.rulebook,
        source=book.rules.source,
        book_digest=book.digest,
        rules_digest=rules.digest,
        version=__version__,
        date=date,
        others=found.others,
        selections=tuple(_selections(book, rules)),
        wagers=tuple(wager_sheet(analysis) for analysis in found.analyses),
        left_out=tuple(rules.wagers[name].label for name in asked if name not in analysed),
        rulings=tuple(ruling_sheet(book, ruling) for ruling in found.rulings),
        method=METHOD,
        checks=tuple(checks_of(book, rules, meters=found.meters, others=found.others)),
    )


def _selections(book: Rulebook, rules: TableRules) -> Iterator[SelectionRow]:
    defaults = resolve(book).selections
    for name, value in rules.selections.items():
        selection = book.rules.selection[name]
        if selection.of and selection.of not in rules.wagers:
            continue  # About a wager that isn't offered.
        option = selection.option.get(str(value))
        yield SelectionRow(
            id=name,
            says=selection.says,
            value=_shown(value),
            means=option.says if option else "",
            default=defaults.get(name) == value,
            clause=option.clause if option else rules.cited.get(name, selection.clause),
        )


def _shown(value: object) -> str:
    match plain(value):
        case dict() as table:
            return ", ".join(f"{key} {_shown(item)}" for key, item in table.items())
        case list() as items:
            return listed([_shown(item) for item in items])
        case other:
            return str(other)


# ---------------------------------------------------------------- one wager


def wager_sheet(analysis: "Analysis") -> WagerSheet:
    """Return all figures of one analysis, formatted."""
    rules, together = analysis.rules, _together(analysis)
    envy = analysis.expected_value - together
    return WagerSheet(
        title=listed([rules.wagers[name].label for name in analysis.bet]),
        bet=bet_says(rules, analysis.bet),
        wagers=tuple(analysis.bet),
        figures=tuple(_figures(analysis)),
        lines=tuple(_lines(analysis)),
        spreads=tuple(_spreads(analysis)),
        distribution=tuple(
            Net(
                net=short(net),
                exact_net=str(net),
                probability=decimal(p, 8),
                one_in=one_in(p),
                exact=str(p),
            )
            for net, p in analysis.distribution
        ),
        together=decimal(together, 8, signed=True),
        envy=decimal(envy, 8, signed=True) if envy else "",
        strategy=analysis.strategy,
        meters=tuple(_meters(analysis)),
    )


def _together(analysis: "Analysis") -> Fraction:
    return sum((one.contribution for one in analysis.returns), Fraction(0))


def bet_says(rules: TableRules, bet: Mapping[str, Fraction]) -> str:
    """Describe a bet: 1 unit on Ante and 1 unit on Pair Plus."""
    parts = [
        f"{short(units)} unit{'' if units == 1 else 's'} on {rules.wagers[name].label}"
        for name, units in bet.items()
    ]
    return listed(parts)


def _opening(analysis: "Analysis") -> Fraction:
    return sum(analysis.bet.values(), Fraction(0))


def _figures(analysis: "Analysis") -> Iterator[Figure]:
    bank = "house" if analysis.rules.banked_by == "house" else "banker"
    exact = {
        "expected_value": ("Expected value", "The player's average net per round, in units."),
        "house_edge": (
            edge_says(analysis.rules.banked_by),
            f"What the {bank} keeps of the opening wager on average.",
        ),
        "return": (
            "Return to player",
            "What comes back of the opening wager on average.",
        ),
        "average_wagered": ("Average wagered", "The average of all stakes in a round, in units."),
        "element_of_risk": (
            "Element of risk",
            f"What the {bank} keeps of all stakes on average.",
        ),
        "hit_frequency": ("Hit frequency", "The probability that a round ends with a win."),
    }
    shares = {"house_edge", "return", "element_of_risk", "hit_frequency"}
    for id, (name, means) in exact.items():
        value = 1 - analysis.house_edge if id == "return" else getattr(analysis, id)
        shown = percent(value) if id in shares else decimal(value)
        yield Figure(id=id, name=name, value=shown, exact=str(value), means=means)
    deviation = root(analysis.variance)
    yield Figure(
        id="variance",
        name="Variance",
        value=decimal(analysis.variance),
        exact=str(analysis.variance),
        means="Of the net result of one round, in units squared.",
    )
    yield Figure(
        id="standard_deviation",
        name="Standard deviation",
        value=decimal(deviation),
        exact=f"√({analysis.variance})",
        means="Of the net result of one round, in units: the square root of the variance.",
    )
    yield Figure(
        id="volatility",
        name="Volatility index",
        value=decimal(deviation * Z / _opening(analysis), 4),
        exact="",
        means=f"{decimal(Z, 4)} deviations divided by the opening wager: {CONFIDENCE} confidence.",
    )


def _spreads(analysis: "Analysis") -> Iterator[AverageRange]:
    """Yield the interval that holds the house's average with 90 %, by number of rounds."""
    one = root(analysis.variance) * Z / _opening(analysis)
    for rounds in ROUNDS:
        half = one / root(Fraction(rounds))
        yield AverageRange(
            rounds=f"{rounds:,}",
            half_width=percent(half, 3),
            low=percent(analysis.house_edge - half, 3),
            high=percent(analysis.house_edge + half, 3),
        )


def _lines(analysis: "Analysis") -> Iterator[LineSheet]:
    lines: dict[str, list[Return]] = {}
    for one in analysis.returns:
        lines.setdefault(one.line, []).append(one)
    for line, returns in lines.items():
        yield LineSheet(
            id=line,
            label=analysis.rules.label(line),
            of=returns[0].of,
            results=tuple(map(_result, returns)),
            total=_total(returns),
        )


def _result(one: "Return") -> LineResult:
    chance = Fraction(one.combinations, one.of)
    return LineResult(
        says=one.says,
        pays=one.pays,
        combinations=one.combinations,
        probability=decimal(chance, 8),
        one_in=one_in(chance),
        contribution=decimal(one.contribution, 8, signed=True),
        exact=str(one.contribution),
    )


def _total(returns: Iterable["Return"]) -> LineResult:
    listed = list(returns)
    combinations = sum(one.combinations for one in listed)
    whole = sum((one.contribution for one in listed), Fraction(0))
    return LineResult(
        says="total",
        pays="",
        combinations=combinations,
        probability=decimal(Fraction(combinations, listed[0].of), 8),
        one_in="",
        contribution=decimal(whole, 8, signed=True),
        exact=str(whole),
    )


def _meters(analysis: "Analysis") -> Iterator[MeterSheet]:
    for id, even in (analysis.break_even or {}).items():
        meter, shows = analysis.rules.meters[id], analysis.meters[id]
        yield MeterSheet(
            id=id,
            name=f"{meter.name} meter".strip(),
            shows=f"${decimal(shows, 2)}",
            break_even=f"${decimal(even, 2)}" if even is not None else "none",
            exact=str(even) if even is not None else "",
            points=_points(shows, even, analysis.expected_value),
        )


def _points(
    shows: Fraction, even: Fraction | None, value: Fraction
) -> tuple[tuple[float, float], ...]:
    """Return a line through the known points: the value here, and zero at the break-even."""
    if even is None or even == shows:
        return ()
    slope = -value / (even - shows)
    low, high = min(shows, even), max(shows, even)
    past = high + (high - low) / 2
    return tuple((float(at), float(slope * (at - even))) for at in (low, high, past))


# ---------------------------------------------------------------- rulings


def ruling_sheet(book: Rulebook, ruling: "PricedRuling") -> RulingSheet:
    """Return a priced ruling, formatted."""
    chosen = next((one.expected_value for one in ruling.readings if one.chosen), None)
    return RulingSheet(
        id=ruling.id,
        clauses=", ".join(ruling.clauses),
        problem=ruling.problem,
        choice=book.rules.ruling[ruling.id].choice,
        readings=tuple(
            ReadingSheet(
                says=one.says,
                chosen=one.chosen,
                bet=_bet(book, one.bet),
                selections=_shown(dict(one.selections)),
                value=decimal(one.expected_value),
                exact=str(one.expected_value),
                difference=""
                if one.chosen or chosen is None
                else decimal(one.expected_value - chosen, signed=True),
            )
            for one in ruling.readings
        ),
        why=ruling.why,
    )


def _bet(book: Rulebook, bet: Mapping[str, Fraction]) -> str:
    """Describe the bet that a ruling was priced with; this table may not offer it."""
    labels = {name: wager.label for name, wager in book.rules.wager.items()}
    return listed([f"{short(Fraction(units))} on {labels[name]}" for name, units in bet.items()])
