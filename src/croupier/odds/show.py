"""Notebook display of an analysis: a table of its figures, and a chart of its distribution."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from croupier import svg

if TYPE_CHECKING:
    from croupier.odds.analysis import Analysis

_BARS_MAX = 24


def analysis_html(one: "Analysis") -> str:
    """Return the figures, the strategy and every line's return as HTML."""
    bet = " + ".join(f"{units} {one.rules.wagers[w].label}" for w, units in one.bet.items())
    figures = [
        ("expected value", f"{one.expected_value} = {float(one.expected_value):+.6f}"),
        ("house edge", f"{float(one.house_edge):.4%}"),
        ("element of risk", f"{float(one.element_of_risk):.4%}"),
        ("average wagered", f"{float(one.average_wagered):.6f}"),
        ("standard deviation", f"{one.standard_deviation:.6f}"),
        ("hit frequency", f"{float(one.hit_frequency):.4%}"),
    ]
    figures += [
        (f"{id} breaks even", "never" if x is None else f"{float(x):,.2f}")
        for id, x in (one.break_even or {}).items()
    ]
    returns = [
        (
            part.line,
            part.says,
            part.pays,
            f"{part.combinations:,}",
            f"{float(part.probability):.6%}",
            f"{float(part.contribution):+.6f}",
        )
        for part in one.returns
    ]
    heads = ("line", "result", "pays", "combinations", "probability", "return")
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in one.strategy)
    title = f"{escape(one.rules.title)}: {escape(bet)}"
    return f"<h4>{title}</h4>{_table(figures)}{words}{_table(returns, heads)}"


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
    )


def distribution_svg(one: "Analysis") -> str:
    """Draw the distribution of the net; if there are many results, only the likeliest."""
    likely = sorted(one.distribution, key=lambda pair: -pair[1])[:_BARS_MAX]
    bars = [
        svg.Bar(f"{float(net):+g}", float(chance), f"{float(chance):.4%}")
        for net, chance in sorted(likely)
    ]
    return svg.bar_chart(bars, title="Net of a round in units, and how often it comes")
