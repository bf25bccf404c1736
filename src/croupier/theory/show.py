"""Reports of actual against theory as JSON data and as a chart."""

from fractions import Fraction
from typing import Any

from croupier.money import format_micros, format_money
from croupier.reports.figures import MINUS, decimal
from croupier.svg import Axis, Plot, line_chart
from croupier.theory.wins import By, RoundSums, Series, Sums, WinRow, Wins

UNUSUAL, ALARMING = 2, 3
"""How many standard errors from the expected win are worth a look, and call for one."""
_UNITS = {"Days": 86_400_000, "Hours": 3_600_000, "Minutes": 60_000}


def wins_json(wins: Wins, by: By = "table", *, table: str | None = None) -> dict[str, Any]:
    """Return a report as JSON data: the rows, and all of them together."""
    return {
        "by": by,
        "table": table,
        "rows": [row_json(row) for row in wins.rows(by, table=table)],
        "all": tally_json(wins.house(table)),
        "awards_rejected": format_micros(wins.rejected_micros(table)),
    }


def row_json(row: WinRow) -> dict[str, Any]:
    """Return one row of a report as JSON data."""
    sums = sums_json(row.sums) if row.tally is None else tally_json(row.tally)
    return {"name": row.name, "label": row.label, **sums}


def tally_json(tally: RoundSums) -> dict[str, Any]:
    """Return the totals of rounds as JSON data."""
    return {
        "rounds": tally.rounds,
        "void": tally.void,
        **sums_json(tally.sums),
        "fees": format_money(tally.fees),
        "rounds_bounded": tally.bounded,
        "left_out": [
            {
                "because": reason,
                "hands": sums.hands,
                "handle": format_money(sums.handle),
                "win": format_money(sums.win),
            }
            for reason, sums in sorted(tally.left_out.items())
        ],
    }


def sums_json(sums: Sums) -> dict[str, Any]:
    """Return sums with their theory as JSON data; bands are those of the priced win."""
    error = Fraction(sums.standard_error)
    expected = sums.expected
    return {
        "hands": sums.hands,
        "handle": format_money(sums.handle),
        "win": format_money(sums.win),
        "theory": {
            "handle": format_money(sums.priced_handle),
            "win": format_money(sums.priced_win),
            "expected": _dollars(expected),
            "standard_error": _dollars(error),
            "z": None if sums.z is None else round(sums.z, 4),
            "bands": [
                {
                    "errors": times,
                    "low": _dollars(expected - times * error),
                    "high": _dollars(expected + times * error),
                }
                for times in (UNUSUAL, ALARMING)
            ],
            "says": verdict(sums),
        },
    }


def verdict(sums: Sums) -> str:
    """Say in a few words how far a win is from the expected one."""
    if sums.z is None:
        return "not priced"
    far = abs(sums.z)
    return "as expected" if far < UNUSUAL else "unusual" if far < ALARMING else "look into it"


def _dollars(cents: Fraction) -> str:
    """Write a value as programs read it: dollars to a hundredth of a cent."""
    return decimal(cents / 100, 4).replace(MINUS, "-").replace(",", "")


def wins_chart(series: Series, *, title: str) -> str | None:
    """Draw the win over time between its bands; None if no round is over."""
    running = series.running()
    if not running:
        return None
    start_ms = running[0][0] - series.width_ms
    end_ms, last = running[-1]
    unit = next((name for name, ms in _UNITS.items() if end_ms - start_ms > 2 * ms), "Minutes")
    points = [(0.0, Sums()), *(((at - start_ms) / _UNITS[unit], sums) for at, sums in running)]

    def expected(errors: int) -> tuple[tuple[float, float], ...]:
        """Return the expected win plus a number of standard errors."""
        return tuple(
            (at, (float(sums.expected) + errors * sums.standard_error) / 100) for at, sums in points
        )

    plots = [
        Plot("Win", tuple((at, sums.priced_win / 100) for at, sums in points)),
        Plot("Expected", expected(0)),
        Plot(f"{UNUSUAL} standard errors around it", expected(-UNUSUAL), upto=expected(UNUSUAL)),
    ]
    return line_chart(
        plots,
        title=title,
        desc=f"A win of {_dollars(Fraction(last.priced_win))} dollars, with "
        f"{_dollars(last.expected)} expected and a standard error of "
        f"{_dollars(Fraction(last.standard_error))}: {verdict(last)}.",
        x=Axis(f"{unit} since the first round"),
        y=Axis("Dollars", lambda at: f"{at:,g}".replace("-", MINUS)),
    )
