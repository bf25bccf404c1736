"""Verifies a whole ledger as stored: chains, checkpoints, entries and balances."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from croupier.ledger.audit import Auditor, RulesOf, Totals, audit_stream
from croupier.ledger.checkpoints import Checkpoint, is_signed, marks_of
from croupier.ledger.journal import Head, StreamFault, verify_stream
from croupier.ledger.store import View


class Verified(NamedTuple):
    """What was checked, and the faults found."""

    heads: Mapping[str, Head]
    events: int
    entries: int
    checkpoints: int
    faults: tuple[str, ...]
    by_machine: int = 0
    """How many acts of handling cards older automatic tables recorded, though no person did them.
    """


def verify(
    view: View,
    rules_of: RulesOf | None,
    *,
    checkpoints: Iterable[Checkpoint] = (),
    key: bytes | None = None,
) -> Verified:
    """Verify a ledger, recomputing its entries if the books are given.

    Checkpoints kept elsewhere are checked along with those in the ledger. Without a key, the first
    checkpoint's key is trusted, so anybody able to write the ledger could have signed them too.
    """
    faults: list[str] = []
    kept = _checkpoints(view, checkpoints, faults)
    faults += [
        f"checkpoint {c.number}: it is not signed with the key" for c in _unsigned(kept, key)
    ]
    heads, marks = view.heads(), marks_of(kept)
    found: dict[str, Head] = {}
    broken = False
    for stream in sorted(heads.keys() | marks.keys()):
        head, fault = verify_stream(stream, view.stream(stream), marks.get(stream, ()))
        found[stream] = head
        if fault is None and heads.get(stream) != head:
            fault = StreamFault(stream, head.number + 1, "the stream is said to end elsewhere")
        if fault:
            broken = True
            faults.append(str(fault))
    events, totals = sum(head.number for head in found.values()), Totals()
    if rules_of is not None and not broken:
        faults += _audit(view, found, rules_of, totals)
    return Verified(found, events, totals.count, len(kept), tuple(faults), totals.by_machine)


def _checkpoints(view: View, given: Iterable[Checkpoint], faults: list[str]) -> list[Checkpoint]:
    try:
        stored = view.checkpoints()
    except ValueError as error:
        faults.append(str(error))
        stored = []
    return list({str(checkpoint): checkpoint for checkpoint in (*stored, *given)}.values())


def _unsigned(checkpoints: list[Checkpoint], key: bytes | None) -> list[Checkpoint]:
    trusted = checkpoints[0].key if key is None and checkpoints else key
    return [c for c in checkpoints if trusted is None or not is_signed(c, trusted)]


def _audit(view: View, heads: Mapping[str, Head], rules_of: RulesOf, totals: Totals) -> list[str]:
    """Recompute the entries of all streams into these totals, and return the faults."""
    faults = []
    for stream in heads:
        auditor, posted = Auditor(stream, rules_of), view.posted(stream)
        fault = audit_stream(auditor, view.stream(stream), posted, totals=totals)
        if fault:
            faults.append(str(fault))
    # Balances add up only if every entry was read.
    return faults or list(totals.faults(view.balances()))
