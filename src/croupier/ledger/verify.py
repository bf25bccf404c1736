"""Verifies a whole ledger as stored, and says what that proves and what it can't.

Hash chains and signed checkpoints show that the journal wasn't changed; everything else in the
database is computed from the journal again and compared.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from croupier.ledger.accounts import CAGE
from croupier.ledger.acts import HOUSE_STREAM, Register
from croupier.ledger.appointments import unsigned
from croupier.ledger.audit import Auditor, RulesOf, Totals, audit_stream
from croupier.ledger.awards import faults_of
from croupier.ledger.builds import approvals
from croupier.ledger.checkpoints import (
    Checkpoint,
    change_of_keys,
    is_signed,
    is_text_signed,
    marks_of,
)
from croupier.ledger.derived import (
    NAMED_MAX,
    Findings,
    Opens,
    Standings,
    check_derived,
    read_register,
)
from croupier.ledger.journal import Head, StreamFault, verify_stream
from croupier.ledger.store import View
from croupier.ledger.voids import Voids
from croupier.money import format_micros
from croupier.rules.words import counted

KEY_CHARS = 16
NO_VOIDS: Mapping[str, Voids] = {}
KEPT = "the last snapshot of each table"
UNSIGNED = (
    "that the history wasn't rewritten: no checkpoint signs it, and anybody can recompute hashes"
)


class Verified(NamedTuple):
    """What was checked, what that proves, and the faults found."""

    heads: Mapping[str, Head]
    events: int
    entries: int
    checkpoints: int
    faults: tuple[str, ...]
    signed: int
    """How many events a checkpoint signs."""
    proved: tuple[str, ...]
    unproved: tuple[str, ...]
    by_machine: int = 0
    """How many acts of handling cards older automatic tables recorded, though no person did them.
    """
    voids: Mapping[str, Voids] = NO_VOIDS
    """The public counts of void rounds, recomputed table by table."""

    @property
    def verifies(self) -> bool:
        """Whether nothing is wrong, and the history is signed."""
        return not self.faults and (self.signed > 0 or not self.events)

    def as_json(self) -> dict[str, Any]:
        heads = {s: {"number": h.number, "hash": h.hash.hex()} for s, h in self.heads.items()}
        return {
            "verifies": self.verifies,
            "events": self.events,
            "signed": self.signed,
            "entries": self.entries,
            "checkpoints": self.checkpoints,
            "confirmed_by_machine": self.by_machine,
            "voids": {table: one.as_json(table) for table, one in self.voids.items()},
            "heads": heads,
            "proved": [*self.proved],
            "unproved": [*self.unproved],
            "faults": [*self.faults],
        }


def verify(
    view: View,
    rules_of: RulesOf | None,
    *,
    checkpoints: Iterable[Checkpoint] = (),
    key: bytes | None = None,
    opens: Opens | None = None,
    standings: Standings | None = None,
) -> Verified:
    """Verify a ledger, recomputing what derives from the journal if the books are given.

    Checkpoints kept elsewhere are checked along with those in the ledger. `key` is a public key of
    the house, from outside of the ledger; `opens` opens sealed decks; `standings` recomputes
    table snapshots.
    """
    findings = Findings()
    given = tuple(checkpoints)
    stored = _stored(view, findings)
    kept = list({str(one): one for one in (*stored, *given)}.values())
    heads, marks = view.heads(), marks_of(kept)
    found: dict[str, Head] = {}
    broken: list[str] = []
    for stream in sorted(heads.keys() | marks.keys()):
        head, fault = verify_stream(stream, view.stream(stream), marks.get(stream, ()))
        found[stream] = head
        if fault is None and heads.get(stream) != head:
            fault = StreamFault(stream, head.number + 1, "the stream is said to end elsewhere")
        if fault:
            broken.append(str(fault))
    register = read_register(view, findings) if not broken else Register()
    anchor = key or (given[0].key if given else None)
    valid = _signed(kept, register, anchor, findings)
    if register.builds:
        _check_builds(register, findings)
    if register.given:
        faults = (
            f"{HOUSE_STREAM} event {number}: the role is not given with the house's key"
            for number in unsigned(register)
        )
        findings.note(faults, "every role that was given with the house's keys, by their signature")
    findings.note(broken, "the hash chain of every stream, from its first event")
    totals = Totals()
    voids: dict[str, Voids] = {}
    if not broken:
        counted = {stream: Voids().after(view.stream(stream)) for stream in found}
        voids = {stream: one for stream, one in counted.items() if one.rounds}
        _tell_signed(view, found, valid, anchor, findings)
        if rules_of is not None:
            _audit(view, found, rules_of, totals=totals, findings=findings)
            check_derived(view, found, register, findings=findings, opens=opens)
            if standings is None and view.kept():
                findings.unproved.append(f"{KEPT}: its check was left out")
            elif standings is not None and view.kept():
                findings.note(standings(view), KEPT)
    signed = _extent(valid)
    covered = sum(min(head.number, signed.get(s, 0)) for s, head in found.items())
    return Verified(
        heads=found,
        events=sum(head.number for head in found.values()),
        entries=totals.count,
        checkpoints=len(kept),
        faults=tuple(findings.faults),
        signed=covered,
        proved=tuple(findings.proved),
        unproved=tuple(findings.unproved),
        by_machine=totals.by_machine,
        voids=voids,
    )


# ---------------------------------------------------------------- signatures


def _stored(view: View, findings: Findings) -> list[Checkpoint]:
    """Return the ledger's own checkpoints; note those that are missing between others."""
    try:
        stored = view.checkpoints()
    except ValueError as error:
        findings.faults.append(str(error))
        return []
    missing = {*range(1, len(stored) + 1)} - {checkpoint.number for checkpoint in stored}
    findings.faults += [f"checkpoint {number} is missing" for number in sorted(missing)[:1]]
    return stored


def _signed(
    kept: list[Checkpoint], register: Register, anchor: bytes | None, findings: Findings
) -> list[Checkpoint]:
    """Return the checkpoints that are signed with the key in force at their time."""
    base = anchor or (kept[0].key if kept else b"")
    keys = [(number, bytes.fromhex(act.signing)) for number, act in register.keys] or [(0, base)]
    for (_, before), (number, act) in zip(keys, register.keys[1:], strict=False):
        if not is_text_signed(before, act.signature, change_of_keys(act.master, act.signing)):
            message = "the change of keys is not signed with the key before it"
            findings.faults.append(f"{HOUSE_STREAM} event {number}: {message}")
    if anchor and register.keys and anchor not in {key for _, key in keys}:
        said = f"the key {anchor.hex()[:KEY_CHARS]}… is none of this house's"
        findings.faults.append(said)
    valid = [c for c in kept if is_signed(c, _in_force(keys, c))]
    findings.faults += [
        f"checkpoint {c.number}: it is not signed with the key" for c in kept if c not in valid
    ]
    return valid


def _check_builds(register: Register, findings: Findings) -> None:
    """Check that each approved build is signed with the key in force at its time."""
    faults = [
        f"{HOUSE_STREAM} event {number}: the approved build is not signed with the house's key"
        for number, _, is_sound in approvals(register)
        if not is_sound
    ]
    findings.note(faults, "every approved build, by the house's signature")


def _in_force(keys: list[tuple[int, bytes]], checkpoint: Checkpoint) -> bytes:
    """Return the key that must have signed a checkpoint, by how far the house's acts were."""
    acts = checkpoint.heads[HOUSE_STREAM].number if HOUSE_STREAM in checkpoint.heads else 0
    return max((one for one in keys if one[0] <= acts), default=keys[0])[1]


def _extent(checkpoints: Iterable[Checkpoint]) -> dict[str, int]:
    """Return the last number of each stream that a checkpoint signs."""
    return {
        stream: max(head.number for head in heads)
        for stream, heads in marks_of(checkpoints).items()
    }


def _tell_signed(
    view: View,
    found: Mapping[str, Head],
    valid: list[Checkpoint],
    anchor: bytes | None,
    findings: Findings,
) -> None:
    """Say how far the history is signed, and who vouches for the key."""
    if not valid:
        if any(head.number for head in found.values()):
            findings.unproved.append(UNSIGNED)
        return
    last, signed = max(valid, key=lambda checkpoint: checkpoint.number), _extent(valid)
    key = f"{last.key.hex()[:KEY_CHARS]}…"
    findings.proved.append(f"nothing that checkpoints 1 to {last.number} sign was changed since")
    if anchor is None:
        findings.unproved.append(
            f"that the key {key} is the house's: only the ledger says so "
            "(give --key, --checkpoints kept elsewhere, or the house's folder)"
        )
    late = {s: (signed.get(s, 0), head.number) for s, head in found.items()}
    late = {stream: (since, to) for stream, (since, to) in late.items() if to > since}
    if late:
        events = sum(to - since for since, to in late.values())
        where = ", ".join(f"{s} from event {since + 1}" for s, (since, _) in late.items())
        findings.unproved.append(
            f"{counted(events, 'event')} after checkpoint {last.number}, which no checkpoint signs "
            f"yet: {where}{_bought(view, late)} (a server signs every minute, and when it closes)"
        )
    findings.unproved.append(
        f"that nothing later than checkpoint {last.number} was cut off"
        + ("" if anchor else ", nor that checkpoint itself")
    )


def _bought(view: View, late: Mapping[str, tuple[int, int]]) -> str:
    """Say how much the cage gave out in events that aren't signed."""
    rows = (row.entry for s, (since, _) in late.items() for row in view.posted(s, after=since))
    micros = sum(entry.micros for entry in rows if entry.debit == CAGE)
    return f"; chips for ${format_micros(micros)[:-4]} come from the cage there" if micros else ""


# ---------------------------------------------------------------- money


def _audit(
    view: View,
    heads: Mapping[str, Head],
    rules_of: RulesOf,
    *,
    totals: Totals,
    findings: Findings,
) -> None:
    """Recompute the entries of all streams into these totals."""
    faults: list[str] = []
    for stream in heads:
        auditor, posted = Auditor(stream, rules_of), view.posted(stream)
        fault = audit_stream(auditor, view.stream(stream), posted, totals=totals)
        if fault:
            faults.append(str(fault))
    findings.note(faults, "every entry, by the rules that the journal names")
    if not faults:  # Balances add up only if every entry was read.
        findings.note(totals.faults(view.balances()), "every balance")
        if totals.by_hand:
            count = counted(len(totals.by_hand), "round")
            named = ", ".join(totals.by_hand[:NAMED_MAX])
            findings.unproved.append(
                f"the cards and decisions of {count} finished by hand, which two people entered "
                f"from a form: {named}"
            )
        if totals.awards:
            gone = sum(not totals.micros.get(one.account) for one in totals.awards.values())
            count = f"how {gone:,} of {len(totals.awards):,} awards"
            findings.note(
                faults_of(totals.awards, totals.released),
                f"{count} that waited for the floor were released",
            )
