"""What `croupier ledger shifts` prints."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from croupier.cli.output import print_lines, print_table
from croupier.ledger.chips import TrayShift
from croupier.money import format_money

SUMS = {
    "opening": "opening count",
    "fills": "fills",
    "credits": "credits",
    "drop": "drop",
    "closing": "closing count",
    "counted_win": "win by count",
    "journal_win": "win by the journal",
    "difference": "difference",
}


def shift_json(shift: TrayShift) -> dict[str, Any]:
    """Return one shift as JSON data."""
    sums = {name: _dollars(getattr(shift, name)) for name in SUMS}
    times = {"opened": _time(shift.opened_ms), "closed": _time(shift.closed_ms)}
    return {"table": shift.table, **times, **sums}


def print_shifts(shifts: Iterable[Mapping[str, Any]]) -> None:
    """Print shifts for people, a table of sums each."""
    found = [*shifts]
    for one in found:
        until = f"to {one['closed']}" if one["closed"] else "and still open"
        print_lines(f"{one['table']}, {one['opened']} {until}")
        print_table([(words, one[name]) for name, words in SUMS.items() if one[name]])
    if not found:
        print_lines("no table with a chip tray was opened")


def _dollars(cents: int | None) -> str | None:
    return None if cents is None else format_money(cents)


def _time(ms: int | None) -> str | None:
    if ms is None:
        return None
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%d %H:%M")
