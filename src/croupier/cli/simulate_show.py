"""What `croupier simulate` prints for people."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from croupier.cli.bets import percent
from croupier.cli.output import print_heading, print_lines, print_table
from croupier.rules.table_rules import TableRules

if TYPE_CHECKING:
    from croupier.simulation.banking import BankRun
    from croupier.simulation.histogram import Histogram
    from croupier.simulation.meter_runs import MeterRun
    from croupier.simulation.playing import PlayedRounds
    from croupier.simulation.sessions import Sessions
    from croupier.simulation.simulation import Simulation

_LISTED_MAX = 24
_INTERVAL = 1.96  # Standard errors on either side that hold 95 % of all means.


def bet_words(rules: TableRules, bet: dict[str, Fraction]) -> str:
    """Describe a bet in the book's own words."""
    return " + ".join(f"{units} {rules.wagers[name].label}" for name, units in bet.items())


def show_simulation(found: Sequence["Simulation"]) -> None:
    """Print means with their intervals and the exact values beside them."""
    rows = [
        (
            f"{float(one.mean):+.6f}",
            f"± {_INTERVAL * one.standard_error:.6f}",
            f"{float(one.expected_value):+.6f}",
            f"{one.errors_apart:+.2f}",
            bet_words(one.exact.rules, dict(one.exact.bet)),
        )
        for one in found
    ]
    print_table(rows, ("mean", "95 %", "exact", "standard errors apart", "bet"), whole=4)
    if len(found) == 1 and len(found[0].distribution) <= _LISTED_MAX:
        _show_distribution(found[0])


def show_played(found: "PlayedRounds") -> None:
    """Print the mean of rounds played through the engine beside any exact value."""
    from croupier.round.bots import choices_say
    from croupier.simulation.playing import POSTED

    rules, exact = found.task.rules, found.exact
    rows = [
        (
            f"{float(found.mean):+.6f}",
            f"± {_INTERVAL * found.standard_error:.6f}",
            f"{float(exact.expected_value):+.6f}" if exact else "",
            "" if found.errors_apart is None else f"{found.errors_apart:+.2f}",
            bet_words(rules, dict(found.bet)),
        )
    ]
    print_table(rows, ("mean", "95 %", "exact", "standard errors apart", "bet"), whole=4)
    said = "; ".join(dict.fromkeys(choices_say(rules)))
    if found.task.strategy == POSTED and said:
        print_lines(f"Every seat plays by the posted rule: {said}.")


def _show_distribution(one: "Simulation") -> None:
    exact = dict(one.exact.distribution)
    whole = one.rounds * one.seats
    rows = [
        (
            str(net),
            f"{int(chance * whole):,}",
            percent(float(chance)),
            percent(float(exact[net])) if net in exact else "",
        )
        for net, chance in one.distribution
    ]
    print_heading("Distribution")
    print_table(rows, ("net", "times", "of all", "exact"))


def show_sessions(found: "Sessions") -> None:
    rules = found.analysis.rules
    print_heading(f"{found.count:,} sessions of {found.rounds:,} rounds")
    rows = [
        ("bet", bet_words(rules, dict(found.analysis.bet))),
        ("mean", f"{float(found.results.mean):+,.2f}"),
        ("expected with unlimited money", f"{float(found.expected):+,.2f}"),
        ("standard deviation", f"{found.results.standard_deviation:,.2f}"),
        ("ahead", percent(float(found.ahead))),
        ("even", percent(float(found.even))),
    ]
    risk = found.risk_of_ruin
    if risk is not None:
        rows.append((f"ruined with a bankroll of {found.bankroll}", percent(float(risk))))
    if found.ruined:
        middle = found.ruined.quantile(Fraction(1, 2))
        rows.append(("half of them within", f"{middle} rounds"))
    print_table(rows)
    _show_quantiles("net", found.results)


def show_meters(runs: Sequence["MeterRun"]) -> None:
    for run in runs:
        print_heading(f"{run.meter.id}: {run.amounts.count:,} runs")
        rows = [
            ("wagers per hit", f"{float(1 / run.hit):,.1f}"),
            ("rise per wager", f"${float(run.rise):,.6f}".rstrip("0").rstrip(".")),
            ("mean wagers until hit", f"{float(run.wagers.mean):,.1f}"),
            ("mean amount when hit", f"${float(run.amounts.mean):,.2f}"),
        ]
        if run.paid_in_part:
            rows.append(("wagers per partial payout", f"{float(1 / run.paid_in_part):,.1f}"))
        print_table(rows)
        _show_quantiles("dollars when hit", run.amounts)


def show_bank(found: "BankRun") -> None:
    funds = f"${Fraction(found.funds, 100)}"
    print_heading(f"{found.rounds:,} rounds of a {funds} bank against {found.seats} seats")
    error = _INTERVAL * found.standard_error
    print_table(
        [
            ("each bets", bet_words(found.analysis.rules, dict(found.analysis.bet))),
            ("bank's net per round", f"${float(found.results.mean):+,.4f} ± {error:,.4f}"),
            ("exact value if all were covered", f"${float(found.expected):+,.4f}"),
            ("standard deviation", f"${found.results.standard_deviation:,.2f}"),
            ("runs short", percent(found.short / found.rounds)),
            ("unpaid to winners per round", f"${float(found.unpaid):,.4f}"),
        ]
    )
    print_lines("The net includes the house's charges; the exact value doesn't.")
    _show_quantiles("dollars per round", found.results)


def _show_quantiles(what: str, spread: "Histogram") -> None:
    from croupier.simulation.histogram import QUANTILES

    rows = [
        ("least", _number(spread.least)),
        *((f"{float(part):.0%}", _number(spread.quantile(part))) for part in QUANTILES),
        ("most", _number(spread.most)),
    ]
    print_table(rows, ("quantile", what))


def _number(value: Fraction) -> str:
    return f"{float(value):,.2f}"
