"""Acts of the house outside of its tables: who is who, what operators do, which keys are in force.

They are events of one stream, `#house`, and move no money. Each is appended in the transaction that
changes the tables it is about, so people and roles can be derived from the journal again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, assert_never

from croupier.errors import CroupierError
from croupier.ledger.journal import StoredEvent, decode
from croupier.ledger.roles import APPOINTING, appoints
from croupier.reading.reader import later, reader_of, run

HOUSE_STREAM = "#house"
"""No table can have this name."""


class PersonCame(NamedTuple):
    """A person became known: a guest, an account, or the operator by the printed link."""

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


@later("approved_by")
class RolesSet(NamedTuple):
    """An operator set a person's roles, which ended their sessions."""

    person: str
    roles: tuple[str, ...]
    by: str
    approved_by: str = ""
    """The second person, who approved a staff role."""

    @property
    def about(self) -> str:
        return self.person


class RoleGiven(NamedTuple):
    """Somebody with the keys of the closed house gave a role, so that there is a second person."""

    person: str
    role: str
    signature: str
    """By the signing key in force, over the number of this act and what it says."""
    by: str = ""
    """Who did it, by name; having the keys is what counts."""


class LinkGiven(NamedTuple):
    """An operator made a one-time link, by which a person without a password sets one."""

    person: str
    by: str


class Proposed(NamedTuple):
    """A person proposed an act that needs a second one."""

    id: str
    act: Mapping[str, Any]
    """The act as it will be stored, without its approver."""
    by: str
    session: str
    """The digest of the session that proposed it."""
    preview: str
    """What the act does, in words; if this changes before the approval, the act is refused."""
    why: str
    lapses_ms: int


class Approved(NamedTuple):
    """A second person approved a proposal; the act itself follows at once."""

    id: str
    by: str


class Declined(NamedTuple):
    """A second person declined a proposal."""

    id: str
    by: str
    why: str


class Withdrawn(NamedTuple):
    """The person who proposed something took it back."""

    id: str
    by: str


class Lapsed(NamedTuple):
    """A proposal wasn't answered in time."""

    id: str


class NoteTaken(NamedTuple):
    """Surveillance or an auditor wrote something down, about a table, a round or an act."""

    by: str
    about: str
    says: str


class AccountDisabled(NamedTuple):
    """An operator disabled a person's account, or enabled it again."""

    person: str
    disabled: bool
    by: str


class SessionEnded(NamedTuple):
    """A person signed out, or signed in so often that an old session was ended."""

    person: str


class MeterStopped(NamedTuple):
    """An operator took a meter out of operation, or put it back."""

    meter: str
    out: bool
    by: str


class DealingStopped(NamedTuple):
    """An operator had a table stop dealing after its round, or resume.

    Without a person the house itself stopped, because the cards of a round can't be read.
    """

    table: str
    stopped: bool
    by: str
    because: str = ""


@later("approved_by")
class TableOpened(NamedTuple):
    """An operator opened a table that isn't in the tables file; it stays from then on."""

    table: str
    text: str
    """The table as the tables file would have it."""
    by: str
    approved_by: str = ""
    """The second person, who approved it."""

    @property
    def about(self) -> str:
        return self.table


class BackupMade(NamedTuple):
    """An operator made a backup of the ledger, which holds everything before this."""

    file: str
    by: str


class KeysSet(NamedTuple):
    """The keys that are in force from here on."""

    master: str
    """The id of the master key."""
    signing: str
    """The public half of the signing key."""
    signature: str = ""
    """By the signing key before it, over both ids; empty for a house's first keys."""


class BuildApproved(NamedTuple):
    """The files of the program and its rulebooks that the house has approved."""

    digest: str
    """The SHA-256 of the list of files."""
    files: Mapping[str, str]
    """The SHA-256 of each file, by its path."""
    signature: str
    """By the signing key in force, over the digest."""
    by: str = ""
    """Who approved it, by name; having the keys is what counts."""


class BuildChecked(NamedTuple):
    """A process compared its own files with the approved ones."""

    digest: str
    """The digest of the files that it found."""
    approved: str
    """The digest that was approved last, '' if none was."""
    differs: tuple[str, ...] = ()
    """The first files that differ, each with what is wrong."""
    differing: int = 0
    """How many differ."""
    node: str = ""
    """The process, where there are several."""


HouseAct = (
    PersonCame
    | AccountMade
    | GuestNamed
    | PasswordChanged
    | RolesSet
    | RoleGiven
    | LinkGiven
    | Proposed
    | Approved
    | Declined
    | Withdrawn
    | Lapsed
    | NoteTaken
    | AccountDisabled
    | SessionEnded
    | MeterStopped
    | DealingStopped
    | TableOpened
    | BackupMade
    | KeysSet
    | BuildApproved
    | BuildChecked
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
    looks: str = ""
    """The key of the name's looks, from the table of people; the journal has only names."""
    made_ms: int | None = None
    """When they came; None if the journal doesn't say."""
    disabled_ms: int | None = None
    """When they were disabled."""


@dataclass
class Register:
    """What the acts of the house add up to: people, keys, builds, proposals."""

    people: dict[str, Registered] = field(default_factory=dict)
    from_before: set[str] = field(default_factory=set)
    """The people who were there before the journal began."""
    meters_out: set[str] = field(default_factory=set)
    tables_stopped: set[str] = field(default_factory=set)
    keys: list[tuple[int, KeysSet]] = field(default_factory=list)
    """The keys in order, each with the number of its act."""
    builds: list[tuple[int, BuildApproved]] = field(default_factory=list)
    """The approved builds in order, each with the number of its act."""
    proposals: dict[str, Proposed] = field(default_factory=dict)
    """What waits for a second person."""
    appointed_alone: int = 0
    """How often an operator gave a staff role while nobody else could have approved it."""
    given: list[tuple[int, RoleGiven]] = field(default_factory=list)
    """The roles that were given with the house's keys, each with the number of its act."""
    opened_alone: int = 0
    """How many new tables one operator opened alone."""
    _approved: dict[str, str] = field(default_factory=dict)
    """Who approved the acts that follow, by the person or the table they are about."""

    def add(self, number: int, act: HouseAct, time_ms: int | None = None) -> None:
        """Add the next act, and when it was, if that is asked; raises NotPossible."""
        match act:
            case PersonCame(person, name, roles, password, is_from_before):
                if person in self.people:
                    raise NotPossible(f"{person} is there already")
                came_ms = None if is_from_before else time_ms
                self.people[person] = Registered(name, frozenset(roles), password, made_ms=came_ms)
                if is_from_before:
                    self.from_before.add(person)
            case AccountMade(person, name, password):
                self._change(person, name=name, password=password)
            case GuestNamed(person, name):
                self._change(person, name=name)
            case PasswordChanged(person, password):
                self._change(person, password=password)
            case RolesSet():
                self._set_roles(act)
            case RoleGiven(person, role):
                self._change(person, roles=frozenset({role}))
                self.given.append((number, act))
            case LinkGiven(person, _):
                self._change(person)
            case Proposed(id, proposed, by):
                if id in self.proposals:
                    raise NotPossible(f"{id} was proposed before")
                act_from(proposed)
                self._known(by)
                self.proposals[id] = act
            case Approved(id, by):
                self._approve(self._answered(id), by)
            case Declined(id, by):
                self._check_second(self._answered(id), by)
            case Withdrawn(id, by):
                if self._answered(id).by != by:
                    raise NotPossible(f"{by} withdrew what somebody else had proposed")
            case Lapsed(id):
                self._answered(id)
            case NoteTaken(by):
                self._known(by)
            case AccountDisabled(person, disabled, by):
                taken_over = not by and person in self.from_before
                since_ms = time_ms if disabled and not taken_over else None
                self._change(person, disabled=disabled, disabled_ms=since_ms)
            case SessionEnded(person):
                self._change(person)
            case MeterStopped(meter, out, _):
                (self.meters_out.add if out else self.meters_out.discard)(meter)
            case DealingStopped(table, stopped):
                (self.tables_stopped.add if stopped else self.tables_stopped.discard)(table)
            case TableOpened():
                self._open_table(act)
            case BackupMade(by=by):
                self._known(by)
            case KeysSet():
                self.keys.append((number, act))
            case BuildApproved():
                self.builds.append((number, act))
            case BuildChecked():
                pass
            case _:
                assert_never(act)

    def _set_roles(self, act: RolesSet) -> None:
        """Set roles; a staff role was approved, or there was no one else to approve it."""
        before = self._known(act.person).roles
        if act.approved_by:
            self._check_approved(act.person, act.approved_by)
        elif act.by and appoints(before, act.roles):
            self.appointed_alone += 1
        self._change(act.person, roles=frozenset(act.roles))

    def _open_table(self, act: TableOpened) -> None:
        self._known(act.by)
        if act.approved_by:
            self._check_approved(act.table, act.approved_by)
        else:
            self.opened_alone += 1

    def _check_approved(self, about: str, by: str) -> None:
        if self._approved.pop(about, None) != by:
            raise NotPossible(f"nobody approved what was done about {about}")

    def _answered(self, id: str) -> Proposed:
        """Close a proposal, and return it."""
        proposed = self.proposals.pop(id, None)
        if proposed is None:
            raise NotPossible(f"{id} isn't waiting for an answer")
        return proposed

    def _approve(self, proposed: Proposed, by: str) -> None:
        self._check_second(proposed, by)
        act = act_from(proposed.act)
        if isinstance(act, RolesSet | TableOpened):
            self._approved[act.about] = by

    def _check_second(self, proposed: Proposed, by: str) -> None:
        if by == proposed.by:
            raise NotPossible(f"{by} answered their own proposal")
        known = self._known(by)
        if known.disabled or not known.roles & APPOINTING:
            raise NotPossible(f"{by} may not answer proposals")

    def _known(self, person: str) -> Registered:
        known = self.people.get(person)
        if known is None:
            raise NotPossible(f"there is no person {person}")
        return known

    def _change(self, person: str, **changes: Any) -> None:
        self.people[person] = Registered(**{**vars(self._known(person)), **changes})
