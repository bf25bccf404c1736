"""What `croupier ledger win` prints."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from croupier.cli.output import print_lines, print_table

HEADS = ("handle", "win", "priced", "expected", "±", "z", "")


def print_wins(report: Mapping[str, Any]) -> None:
    """Print a report for people: its rows, and what the theory leaves out."""
    whole = report["all"]
    rows = [_cells(row["label"], row) for row in report["rows"]]
    print_table([*rows, _cells("all together", whole)], (report["by"], *HEADS), whole=7)
    if whole["fees"] != "0.00":
        print_lines(f"fees and rake, in addition: {whole['fees']}")
    for left in whole["left_out"]:
        hands = f"{left['hands']:,} hands, " if left["hands"] else ""
        print_lines(
            f"left out of the theory: {left['because']} "
            f"({hands}handle {left['handle']}, win {left['win']})"
        )
    if report["awards_rejected"] != "0.000000":
        print_lines(f"awards that the floor rejected afterwards: {report['awards_rejected'][:-4]}")
    if whole["void"]:
        print_lines(f"void rounds, whose stakes were returned: {whole['void']:,}")
    if whole["rounds_bounded"]:
        print_lines(
            f"in {whole['rounds_bounded']:,} rounds the standard error is an upper bound: the odds "
            "don't count how their hands are correlated"
        )


def _cells(label: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    theory = row["theory"]
    cents = (f"{Decimal(theory[key]):.2f}" for key in ("expected", "standard_error"))
    z = "" if theory["z"] is None else f"{theory['z']:+.2f}"
    return label, row["handle"], row["win"], theory["win"], *cents, z, theory["says"]
