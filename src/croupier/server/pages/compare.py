"""Two books or two tables side by side: what they say, the wagers they offer, their figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from croupier.reports.charts import Chart
from croupier.reports.figures import percent
from croupier.reports.par import Figure
from croupier.rules.present import Topic
from croupier.rules.table_rules import TableRules
from croupier.server.pages.question import OddsAnswer
from croupier.svg import Bar, bar_chart

FIGURES = ("house_edge", "element_of_risk", "standard_deviation", "hit_frequency")
_SHARES = {"house_edge", "element_of_risk", "hit_frequency"}
SIDES = ("A", "B")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of one wager at two tables; None where the wager isn't offered."""

    wager: str
    name: str
    values: tuple[str | None, ...]
    difference: str


class Compared:
    """One part of two books: what both say differently, what only one says, what is the same."""

    def __init__(self, part: str, topics: Sequence[Topic], *, all: bool) -> None:
        self.part = part
        self.alike = sum(topic.same for topic in topics)
        both = [topic for topic in topics if None not in topic.sides]
        self.both = [topic for topic in both if all or not topic.same]
        self.only = [
            [topic.sides[i] for topic in topics if topic.sides[1 - i] is None] for i in (0, 1)
        ]

    @property
    def has_any(self) -> bool:
        return bool(self.both or any(self.only))


def rows_of(
    tables: Sequence[TableRules], answers: Sequence[OddsAnswer], *, all: bool = True
) -> dict[str, list[FigureRow]]:
    """Return the figures of every wager that either table offers, by the wager's label.

    Unless all are asked for, figures that are the same at both are left out.
    """
    found: dict[str, list[FigureRow]] = {}
    for name in dict.fromkeys(name for answer in answers for name in answer.sheets):
        label = next(rules.wagers[name].label for rules in tables if name in rules.wagers)
        rows = [_row(label, id, _figures(answers, name, id)) for id in FIGURES]
        if kept := [row for row in rows if all or len({*row.values}) > 1]:
            found[label] = kept
    return found


def edges_chart(tables: Sequence[TableRules], answers: Sequence[OddsAnswer]) -> Chart:
    """Draw the edges of both tables, wager by wager."""
    bars = []
    for name in dict.fromkeys(name for answer in answers for name in answer.sheets):
        for side, rules, answer in zip(SIDES, tables, answers, strict=True):
            if name in answer.sheets:
                edge = Fraction(answer.sheets[name].exact("house_edge"))
                label = f"{side}: {rules.wagers[name].label}"
                tone = "loss" if edge > 0 else "win"
                bars.append(Bar(label, float(edge), percent(edge, 2), tone))
    title = "Edge of each wager at both tables"
    desc = "; ".join(f"{bar.label} {bar.text}" for bar in bars) + "."
    return Chart(title, desc, bar_chart(bars, title=title, desc=desc))


def _figures(answers: Sequence[OddsAnswer], name: str, id: str) -> Iterator[Figure | None]:
    for answer in answers:
        sheet = answer.sheets.get(name)
        yield next((figure for figure in sheet.figures if figure.id == id), None) if sheet else None


def _row(label: str, id: str, figures: Iterator[Figure | None]) -> FigureRow:
    one, other = figures
    names = dict.fromkeys(figure.name for figure in (one, other) if figure)
    difference = ""
    if one and other and id in _SHARES:
        change = Fraction(other.exact) - Fraction(one.exact)
        difference = percent(change, signed=True).replace(" %", " points") if change else "same"
    values = tuple(figure.value if figure else None for figure in (one, other))
    return FigureRow(label, " / ".join(names) or id, values, difference)
