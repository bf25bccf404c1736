"""The public count of rounds that came to nothing, by clause and cause, from a table's journal.

What the book voids is counted apart from what the system called off (ruling T6). Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

from croupier.ledger.journal import StoredEvent, decode

_WORDS = (
    "Opened",
    "FirstCardDealt",
    "Dealt",
    "Declared",
    "CalledOff",
    "Closed",
    "Proposed",
    "Declined",
)
_COUNTED = tuple(f'"type":"{word}"'.encode() for word in _WORDS)
PER = 1_000


class VoidKind(NamedTuple):
    """Why rounds came to nothing: by a clause or a ruling, or called off by the system."""

    clause: str
    """Empty where no clause says so: the ruling does, or the system called the round off."""
    ruling: str
    cause: str
    """The irregularity, or the cause of calling off."""
    dealt: bool
    """Whether the first card had been dealt."""
    called_off: bool = False


@dataclass(frozen=True)
class Voids:
    """The counts of one table, up to an event of its journal."""

    number: int = 0
    rounds: int = 0
    """Rounds that are over or void."""
    counts: Mapping[VoidKind, int] = field(default_factory=dict)
    proposed: int = 0
    declined: int = 0
    dealt: bool = False
    """Whether cards are dealt in the round that is in play, or were in the last one."""
    over: bool = False
    """Whether the last round is counted; it may still come to nothing (Singapore 5.4)."""
    asked: frozenset[str] = frozenset()
    """The proposals to void a round, by id."""

    def after(self, stored: Iterable[StoredEvent]) -> "Voids":
        """Return the counts after further events."""
        found, counts = self, Counter(self.counts)
        for row in stored:
            found = replace(found, number=row.number)
            if any(word in row.data for word in _COUNTED):
                record = decode(row.data)
                found = found._after(record.of, record.event, counts)
        return replace(found, counts=dict(counts))

    def _after(self, of: str, event: Mapping[str, Any], counts: Counter[VoidKind]) -> "Voids":
        ruling = event.get("ruling") or ""
        match of, event["type"]:
            case "round", "Opened":
                return replace(self, dealt=False, over=False)
            case ("table", "FirstCardDealt") | ("round", "Dealt"):
                return replace(self, dealt=True)
            case "round", "Declared" if "void" in event["effects"]:
                counts[VoidKind(event["clause"], ruling, event["kind"], self.dealt)] += 1
                return self._over()
            case "round", "CalledOff":
                cause = event.get("cause", "interrupted")
                counts[VoidKind("", ruling, cause, self.dealt, called_off=True)] += 1
                return self._over()
            case "round", "Closed":
                return self._over()
            case "table", "Proposed" if event["preview"]["voids"]:
                asked = self.asked | {event["id"]}
                return replace(self, proposed=self.proposed + 1, asked=asked)
            case "table", "Declined" if event["id"] in self.asked:
                return replace(self, declined=self.declined + 1)
        return self

    def _over(self) -> "Voids":
        """Count the last round, once: a void round counts before it is closed."""
        return replace(self, rounds=self.rounds + (not self.over), over=True)

    def rows(self, *, called_off: bool) -> list[tuple[VoidKind, int]]:
        """Return the book's voids or the calls-off, the most frequent first."""
        wanted = [(k, n) for k, n in self.counts.items() if k.called_off == called_off]
        return sorted(wanted, key=lambda row: (-row[1], row[0]))

    def as_json(self, table: str) -> dict[str, Any]:
        """Return the counts of a table as JSON data."""
        return {
            "table": table,
            "rounds": self.rounds,
            "voids": [self._row(*row) for row in self.rows(called_off=False)],
            "called_off": [self._row(*row) for row in self.rows(called_off=True)],
            "proposed": self.proposed,
            "declined": self.declined,
        }

    def _row(self, kind: VoidKind, count: int) -> dict[str, Any]:
        return {
            "clause": kind.clause or None,
            "ruling": kind.ruling or None,
            "cause": kind.cause,
            "dealt": kind.dealt,
            "count": count,
            "per_1000": self.rate(count),
        }

    def rate(self, count: int) -> str:
        """Return how often something comes in a thousand rounds, as text with two decimals."""
        return f"{Decimal(count * PER) / self.rounds:.2f}" if self.rounds else "0.00"
