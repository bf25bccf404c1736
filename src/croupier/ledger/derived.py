"""Compares what a database keeps beside its journal with what the journal gives.

Balances and entries are the audit's. Here is the rest: the kinds of accounts, answers to commands,
sealed decks, people and their roles, the house's keys, and the triggers that guard the tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from croupier.errors import CroupierError, ParseError
from croupier.ledger.accounts import CAGE, kept_kind
from croupier.ledger.acts import HOUSE_STREAM, Register, acts_in
from croupier.ledger.journal import Head, StoredEvent, decode
from croupier.ledger.store import View

SILENT = frozenset({str(CAGE), "restores"})
"""Streams of the house whose commands are answered with nothing."""
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
"""Computes again where tables stood, and yields what is kept otherwise."""


class Findings:
    """What was found out: faults, what was proved, and what could not be."""

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
    """Return what the acts of the house come to; note the first that can't have happened."""
    register, number = Register(), 0
    try:
        for number, act in acts_in(view.stream(HOUSE_STREAM)):
            register.add(number, act)
    except (CroupierError, LookupError, TypeError, ValueError) as error:
        at = f"{HOUSE_STREAM} event {number + isinstance(error, ParseError)}"
        findings.faults.append(f"{at}: cannot have happened: {error}")
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
    _check_answers(view, heads, findings)
    _check_decks(view, heads, findings, opens)
    _check_people(view, register, findings)
    missing = (f"the trigger {name} is missing or was changed" for name in view.guards_missing())
    findings.note(missing, "the triggers that keep rows from being changed")


def _kinds(view: View) -> Iterator[str]:
    for account, kind in view.kinds().items():
        if kind != kept_kind(account):
            yield f"{account} is kept as an account of kind {kind}"


# ---------------------------------------------------------------- commands


def _check_answers(view: View, heads: Mapping[str, Head], findings: Findings) -> None:
    """Check that each command ends at an event of its stream, and that its answer says which."""
    faults: list[str] = []
    others = 0
    for command, stream, number, answer in view.commands():
        if not 0 <= number <= (heads[stream].number if stream in heads else 0):
            faults.append(f"command {command} ends at event {number} of {stream}, which is missing")
        elif stream in SILENT:
            if answer:
                faults.append(f"the answer to command {command} was changed")
        elif "/" in command or command.startswith(f"{stream}#"):
            if answer != str(number):
                faults.append(f"the answer to command {command} was changed")
        else:
            others += 1
    findings.note(faults, "where each command ended, and what it was answered")
    if others:
        count = f"{others:,} commands" if others > 1 else "1 command"
        findings.unproved.append(f"the answers to {count} that no server gave")
    findings.unproved.append("the ids and digests of commands: the journal doesn't hold them")


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


_FACTS = {"name": "name", "roles": "roles", "password": "password", "disabled": "being disabled"}


def _check_people(view: View, register: Register, findings: Findings) -> None:
    there, journaled = view.people(), register.people
    if not journaled and not view.heads().get(HOUSE_STREAM):
        if there:
            findings.unproved.append(
                f"{len(there):,} people and their roles: this journal doesn't speak of them yet"
            )
        return
    faults: list[str] = []
    for person in sorted(there.keys() | journaled.keys()):
        is_there, said = there.get(person), journaled.get(person)
        if said is None:
            faults.append(f"{person} is among the people, and never came by the journal")
        elif is_there is None:
            faults.append(f"{person} is missing from the people")
        else:
            faults += [
                f"the journal says otherwise of {person}'s {what}"
                for field, what in _FACTS.items()
                if getattr(is_there, field) != getattr(said, field)
            ]
    findings.note(faults, f"{len(there):,} people with their names, roles and passwords")
    if register.from_before:
        count = len(register.from_before)
        findings.unproved.append(
            f"how {count:,} people came: they were found there when the journal of people began"
        )
    if alone := register.appointed_alone:
        given = "1 staff role was" if alone == 1 else f"{alone:,} staff roles were"
        findings.unproved.append(
            f"that two people agreed: {given} given by one person alone, when nobody else could"
        )
    if count := len(register.given):
        roles = "1 role was" if count == 1 else f"{count:,} roles were"
        findings.unproved.append(f"that two people agreed: {roles} given with the house's keys")
    if alone := register.opened_alone:
        opened = "1 new table was" if alone == 1 else f"{alone:,} new tables were"
        findings.unproved.append(f"that two people agreed: {opened} opened by one person alone")
    keys = register.keys[-1][1] if register.keys else None
    if keys and view.house_keys() != (keys.master, keys.signing):
        findings.faults.append("the house's keys are others than the journal says")
