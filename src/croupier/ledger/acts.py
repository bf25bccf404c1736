"""Acts of the house outside of its tables: who is who, what operators do, which keys are in force.

They are events of one stream, `#house`, and move no money. Each is appended in the transaction that
changes the tables it is about, so people and roles can be derived from the journal again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, assert_never

from croupier.errors import CroupierError
from croupier.ledger.journal import StoredEvent, decode
from croupier.reading import reader_of, run

HOUSE_STREAM = "#house"
"""No table can have this name."""


class PersonCame(NamedTuple):
    """Somebody became known: a guest, an account, or the operator by the printed link."""

    person: str
    name: str
    roles: tuple[str, ...]
    password: str | None
    """The SHA-256 of the password's hash, which tells whether the hash was replaced."""
    is_from_before: bool = False
    """Whether they were found in the database when this journal began."""


class AccountMade(NamedTuple):
    """A guest became an account, with a name and a password; their sessions ended."""

    person: str
    name: str
    password: str


class GuestNamed(NamedTuple):
    """A guest chose another name."""

    person: str
    name: str


class PasswordChanged(NamedTuple):
    """A person changed the password, which ended their sessions."""

    person: str
    password: str


class RolesSet(NamedTuple):
    """An operator set somebody's roles, which ended their sessions."""

    person: str
    roles: tuple[str, ...]
    by: str


class AccountDisabled(NamedTuple):
    """An operator locked somebody out, or let them in again."""

    person: str
    disabled: bool
    by: str


class SessionEnded(NamedTuple):
    """Somebody signed out, or signed in so often that an old session gave way."""

    person: str


class MeterStopped(NamedTuple):
    """An operator took a meter out of operation, or put it back."""

    meter: str
    out: bool
    by: str


class DealingStopped(NamedTuple):
    """An operator had a table stop dealing after its round, or resume."""

    table: str
    stopped: bool
    by: str


class KeysSet(NamedTuple):
    """The keys that are in force from here on."""

    master: str
    """The id of the master key."""
    signing: str
    """The public half of the signing key."""
    signature: str = ""
    """By the signing key before it, over both ids; empty for a house's first keys."""


HouseAct = (
    PersonCame
    | AccountMade
    | GuestNamed
    | PasswordChanged
    | RolesSet
    | AccountDisabled
    | SessionEnded
    | MeterStopped
    | DealingStopped
    | KeysSet
)
_ACT = reader_of(HouseAct)


def act_from(data: Any) -> HouseAct:
    """Parse an act from plain data."""
    act: HouseAct = run(_ACT, data)
    return act


def acts_in(stored: Iterable[StoredEvent]) -> Iterator[tuple[int, HouseAct]]:
    """Yield acts with their numbers."""
    for row in stored:
        yield row.number, act_from(decode(row.data).event)


def fingerprint(password_hash: str | None) -> str | None:
    """Return what the journal holds of a password's hash."""
    return None if password_hash is None else sha256(password_hash.encode()).hexdigest()


class NotPossible(CroupierError):
    """Raised for an act that can't follow those before it."""


@dataclass(frozen=True)
class Registered:
    """A person, as the journal has them."""

    name: str
    roles: frozenset[str]
    password: str | None
    disabled: bool = False


@dataclass
class Register:
    """What acts come to."""

    people: dict[str, Registered] = field(default_factory=dict)
    from_before: set[str] = field(default_factory=set)
    """Whom the journal took over as it found them."""
    meters_out: set[str] = field(default_factory=set)
    tables_stopped: set[str] = field(default_factory=set)
    keys: list[tuple[int, KeysSet]] = field(default_factory=list)
    """The keys in order, each with the number of its act."""

    def add(self, number: int, act: HouseAct) -> None:
        """Add the next act; raises NotPossible."""
        match act:
            case PersonCame(person, name, roles, password, is_from_before):
                if person in self.people:
                    raise NotPossible(f"{person} came before")
                self.people[person] = Registered(name, frozenset(roles), password)
                if is_from_before:
                    self.from_before.add(person)
            case AccountMade(person, name, password):
                self._change(person, name=name, password=password)
            case GuestNamed(person, name):
                self._change(person, name=name)
            case PasswordChanged(person, password):
                self._change(person, password=password)
            case RolesSet(person, roles, _):
                self._change(person, roles=frozenset(roles))
            case AccountDisabled(person, disabled, _):
                self._change(person, disabled=disabled)
            case SessionEnded(person):
                self._change(person)
            case MeterStopped(meter, out, _):
                (self.meters_out.add if out else self.meters_out.discard)(meter)
            case DealingStopped(table, stopped, _):
                (self.tables_stopped.add if stopped else self.tables_stopped.discard)(table)
            case KeysSet():
                self.keys.append((number, act))
            case _:
                assert_never(act)

    def _change(self, person: str, **changes: Any) -> None:
        known = self.people.get(person)
        if known is None:
            raise NotPossible(f"nobody has heard of {person}")
        self.people[person] = Registered(**{**vars(known), **changes})
