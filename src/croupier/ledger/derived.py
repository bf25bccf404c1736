"""Compares what a database keeps beside its journal with what the journal gives.

Balances and entries are the audit's. Here is the rest: the kinds of accounts, answers to commands,
sealed decks, people and their roles, the house's keys, and the triggers that guard the tables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from croupier.errors import CroupierError, ParseError
from croupier.ledger.accounts import kept_kind
from croupier.ledger.acts import HOUSE_STREAM, Register, acts_in
from croupier.ledger.asked import wrong_commands
from croupier.ledger.journal import Head, StoredEvent, decode
from croupier.ledger.looks import looks
from croupier.ledger.store import View
from croupier.rules.words import counted

_COMMITTED = b'"type":"DeckCommitted"'
NAMED_MAX = 5
"""How many of many faults of one kind are named."""


class SealedFor(NamedTuple):
    """A sealed deck, and the commitment in the journal that it must open to."""

    round: str
    rules: str
    root: str
    sealed: bytes


Opens = Callable[[SealedFor], bool]
"""Whether a sealed deck opens to its commitment; needs the master key."""


Standings = Callable[[View], Iterable[str]]
"""Recomputes table snapshots, and yields a fault for each that is stored differently."""


class Findings:
    """The findings: faults, what was proved, and what couldn't be."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.proved: list[str] = []
        self.unproved: list[str] = []

    def note(self, faults: Iterable[str], proved: str) -> None:
        """Note the faults of one kind, or that there are none."""
        found = list(faults)
        self.faults += found[:NAMED_MAX]
        if len(found) > NAMED_MAX:
            self.faults.append(f"and {len(found) - NAMED_MAX:,} more like it")
        if not found:
            self.proved.append(proved)


def read_register(view: View, findings: Findings) -> Register:
    """Return what the acts of the house add up to; note the first that can't have happened."""
    register, number = Register(), 0
    try:
        for row in view.stream(HOUSE_STREAM):
            for number, act in acts_in([row]):
                register.add(number, act, row.time_ms)
    except (CroupierError, LookupError, TypeError, ValueError) as error:
        at = f"{HOUSE_STREAM} event {number + isinstance(error, ParseError)}"
        findings.faults.append(f"{at}: can't have happened: {error}")
    return register


def check_derived(
    view: View,
    heads: Mapping[str, Head],
    register: Register,
    *,
    findings: Findings,
    opens: Opens | None,
) -> None:
    """Check everything that can be derived, apart from the money."""
    findings.note(_kinds(view), "the kinds of all accounts")
    _check_commands(view, heads, findings)
    _check_decks(view, heads, findings, opens)
    _check_people(view, register, findings)
    missing = (f"the trigger {name} is missing or was changed" for name in view.guards_missing())
    findings.note(missing, "the triggers that keep rows from being changed")


def _kinds(view: View) -> Iterator[str]:
    for account, kind in view.kinds().items():
        if kind != kept_kind(account):
            yield f"{account} is kept as an account of kind {kind}"


# ---------------------------------------------------------------- commands


def _check_commands(view: View, heads: Mapping[str, Head], findings: Findings) -> None:
    """Check the stored commands, as far as the events that they made tell."""
    faults: list[str] = []
    unknown = Counter[str]()
    without = {stream for stream, head in heads.items() if head.number} - {HOUSE_STREAM}
    for stream, kept in groupby(view.commands(), key=lambda one: one.stream):
        faults += wrong_commands(stream, kept, view.stream(stream), unknown)
        without.discard(stream)
    faults += [f"all commands of {stream} are missing" for stream in sorted(without)]
    findings.note(faults, "each command: its first and last event, its answer, and the house's own")
    if many := unknown["answer"]:
        findings.unproved.append(f"the answers to {counted(many, 'command')} that no server gave")
    if many := unknown["sender"]:
        count = counted(many, "command")
        findings.unproved.append(f"who sent {count}: their events name nobody, or there are none")
    findings.unproved.append(
        "what people sent: the journal has neither the ids that they gave their commands nor "
        "the digests of those"
    )
    findings.unproved.append(
        "that no command of a person is missing: one that made no event leaves no trace, nor does "
        "one whose events may be those of that person's next command, of the same millisecond"
    )


# ---------------------------------------------------------------- decks


def commitments(stored: Iterable[StoredEvent]) -> Iterator[Mapping[str, str]]:
    """Yield the commitments to decks in a stream."""
    for row in stored:
        if _COMMITTED in row.data:
            yield decode(row.data).event


def _check_decks(
    view: View, heads: Mapping[str, Head], findings: Findings, opens: Opens | None
) -> None:
    """Check that each committed round has one deck, and with the master key that it is that one."""
    committed = {e["round"]: e for stream in heads for e in commitments(view.stream(stream))}
    faults: list[str] = []
    count = 0
    for round, sealed in view.decks():
        event = committed.pop(round, None)
        if event is None:
            faults.append(f"there is a deck of round {round}, which was never committed to")
        elif opens and not opens(SealedFor(round, event["rules"], event["root"], sealed)):
            faults.append(f"the deck of round {round} is not the one that was committed to")
        count += 1
    faults += [f"the deck of round {round} is missing" for round in committed]
    if opens or not count:
        findings.note(faults, "each deck is the one that was committed to")
    else:
        findings.note(faults, "each round that was committed to has a sealed deck")
        findings.unproved.append(
            f"what is in {count:,} sealed decks: that takes the master key (--data FOLDER)"
        )


# ---------------------------------------------------------------- people and keys


LATE_MS = 60_000
"""How much later than its row the event of a change of people may be; they are written together."""
_FACTS = {"name": "name", "roles": "roles", "password": "password", "disabled": "being disabled"}


def _check_people(view: View, register: Register, findings: Findings) -> None:
    there, journaled = view.people(), register.people
    if not journaled and not view.heads().get(HOUSE_STREAM):
        if there:
            findings.unproved.append(
                f"{len(there):,} people and their roles: this journal doesn't cover them yet"
            )
        return
    faults: list[str] = []
    for person in sorted(there.keys() | journaled.keys()):
        is_there, said = there.get(person), journaled.get(person)
        if said is None:
            faults.append(f"{person} is in the table of people, but not in the journal")
        elif is_there is None:
            faults.append(f"{person} is missing from the people")
        else:
            faults += [
                f"the journal says something else about {person}'s {what}"
                for field, what in _FACTS.items()
                if getattr(is_there, field) != getattr(said, field)
            ]
            if is_there.looks != looks(is_there.name):
                faults.append(f"{person} is found under another name than their own")
            when = [(is_there.made_ms, said.made_ms), (is_there.disabled_ms, said.disabled_ms)]
            if any(a and b and abs(a - b) > LATE_MS for a, b in when):
                faults.append(
                    f"the journal has another time at which {person} joined or was disabled"
                )
    facts = "people with their names, roles and passwords, and when they joined, to the minute"
    findings.note(faults, f"{len(there):,} {facts}")
    findings.unproved.append("who is signed in: the journal has no sessions")
    if register.from_before:
        count = len(register.from_before)
        findings.unproved.append(
            f"how {count:,} people joined: they were there before the journal of people began"
        )
    if alone := register.appointed_alone:
        given = counted(alone, "staff role was", "staff roles were")
        findings.unproved.append(
            f"that two people agreed: {given} given by one person alone, when nobody else could"
        )
    if count := len(register.given):
        roles = counted(count, "role was", "roles were")
        findings.unproved.append(f"that two people agreed: {roles} given with the house's keys")
    if alone := register.opened_alone:
        opened = counted(alone, "new table was", "new tables were")
        findings.unproved.append(f"that two people agreed: {opened} opened by one person alone")
    keys = register.keys[-1][1] if register.keys else None
    if keys and view.house_keys() != (keys.master, keys.signing):
        findings.faults.append("the house's keys are not those in the journal")
