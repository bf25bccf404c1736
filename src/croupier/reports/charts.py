"""The charts of a PAR sheet, drawn by `croupier.svg` from the sheet's own data."""

from dataclasses import dataclass
from fractions import Fraction

from croupier.reports.figures import MINUS, one_in, percent, short
from croupier.reports.par import Par, WagerSheet
from croupier.svg import SANS, Axis, Bar, Plot, bar_chart, line_chart

BARS_MAX = 14
_RARE = Fraction(1, 10_000)

Group = tuple[Fraction, Fraction, Fraction]
"""The lowest and highest net of a bar, and its probability."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and its text alternative."""

    title: str
    desc: str
    svg: str


def edges_chart(par: Par, *, font: str = SANS) -> Chart:
    """Draw the edges of all wagers side by side."""
    edges = [(wager.title, Fraction(wager.exact("house_edge"))) for wager in par.wagers]
    bars = [
        Bar(title, float(edge), percent(edge, 2), "loss" if edge > 0 else "win")
        for title, edge in edges
    ]
    name = par.wagers[0].name("house_edge") if par.wagers else "Edge"
    return _bars(f"{name} of each wager", bars, font=font)


def spread_chart(wager: WagerSheet, *, font: str = SANS) -> Chart:
    """Draw the probability of each net result of a round; rare neighbours share a bar."""
    groups = _grouped([(Fraction(n.exact_net), Fraction(n.exact)) for n in wager.distribution])
    bars = [Bar(_span(low, high), float(p), _chance(p), _tone(low)) for low, high, p in groups]
    return _bars(f"{wager.title}: how likely each net result is, in units", bars, font=font)


def meter_chart(wager: WagerSheet, *, font: str = SANS) -> Chart | None:
    """Draw the expected value against each meter, with its break-even point."""
    plots = [
        Plot(meter.name, meter.points, ((float(Fraction(meter.exact)), 0.0, meter.break_even),))
        for meter in wager.meters
        if meter.points
    ]
    if not plots:
        return None
    title = f"{wager.title}: expected value against the meter"
    desc = "; ".join(f"zero at {meter.break_even} on the {meter.name}" for meter in wager.meters)
    x = Axis("what the meter shows", lambda value: f"${value:,.0f}")
    y = Axis("expected value, units", lambda value: f"{value:g}".replace("-", MINUS))
    svg = line_chart(plots, title=title, desc=f"{desc}.", x=x, y=y, font=font)
    return Chart(title, f"{desc}.", svg)


def _bars(title: str, bars: list[Bar], *, font: str) -> Chart:
    desc = "; ".join(f"{bar.label}: {bar.text}" for bar in bars) + "."
    return Chart(title, desc, bar_chart(bars, title=title, desc=desc, font=font))


def _grouped(nets: list[tuple[Fraction, Fraction]]) -> list[Group]:
    """Merge the rarest neighbours, never across zero, until the bars are few enough."""
    groups: list[Group] = [(net, net, p) for net, p in nets]
    while len(groups) > BARS_MAX:
        pairs = [
            (groups[i][2] + groups[i + 1][2], i)
            for i in range(len(groups) - 1)
            if _tone(groups[i][0]) == _tone(groups[i + 1][0])
        ]
        likely, i = min(pairs)
        groups[i : i + 2] = [(groups[i][0], groups[i + 1][1], likely)]
    return groups


def _span(low: Fraction, high: Fraction) -> str:
    return short(low, 2) if low == high else f"{short(low, 2)} to {short(high, 2)}"


def _chance(probability: Fraction) -> str:
    return one_in(probability) if probability < _RARE else percent(probability, 3)


def _tone(net: Fraction) -> str:
    return "win" if net > 0 else "loss" if net < 0 else "even"
