"""Staff: people whom an operator makes by one-time link, and acts that need a second person.

An act is proposed, and approved by another person in another session who has just given the
password again. It is decided again at the approval. Proposals are acts of the house's journal; the
journal alone says which are open.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import NamedTuple, assert_never

from croupier.errors import Refused
from croupier.house.config import TableConfig
from croupier.house.log import log
from croupier.ledger.acts import (
    HOUSE_STREAM,
    Approved,
    Declined,
    HouseAct,
    Lapsed,
    LinkGiven,
    PersonCame,
    Proposed,
    RolesSet,
    TableOpened,
    Withdrawn,
    act_from,
)
from croupier.ledger.journal import decode
from croupier.ledger.roles import APPOINTING, OPERATOR, STAFF, appoints, check_roles
from croupier.ledger.stores.statements import Session, locked_head
from croupier.money import format_micros, format_money, micros
from croupier.round.codec import to_plain
from croupier.server import names, registry
from croupier.server.people import People, newcomer_named, roles_say, taken
from croupier.server.registry import Person, SignedIn

Proposable = RolesSet | TableOpened
"""What takes a second person."""
DIGEST_CHARS = 16
LAPSE_MS = 3_600_000
"""How long a proposal waits: as long as a link is good."""
_FOLLOWED = tuple(
    f'"type":"{act.__name__}"'.encode() for act in (Proposed, Approved, Declined, Withdrawn, Lapsed)
)
_INVITED = b'"roles":[],"type":"PersonCame"'


class Invited(NamedTuple):
    """A new staff member, and the link by which they set their password."""

    person: Person
    link: str
    proposal: Proposed | None


@dataclass(frozen=True)
class Waiting:
    """What is open after an event of the house's journal, and who was ever invited."""

    number: int
    open: Mapping[str, Proposed]
    invited: frozenset[str] = frozenset()
    """Those who came by an operator's link; nobody else comes without any role."""

    def after(self, rows: Session) -> "Waiting":
        """Return the open proposals."""
        sql = "SELECT number, data FROM events WHERE stream = ? AND number > ? ORDER BY number"
        number, open, invited = self.number, dict(self.open), self.invited
        for at, data in list(rows.rows(sql, (HOUSE_STREAM, self.number))):
            number = at
            if any(word in bytes(data) for word in (*_FOLLOWED, _INVITED)):
                match act_from(decode(bytes(data)).event):
                    case PersonCame(person, roles=(), is_from_before=False):
                        invited |= {person}
                    case Proposed() as proposed:
                        open[proposed.id] = proposed
                    case Approved(id) | Declined(id) | Withdrawn(id) | Lapsed(id):
                        open.pop(id, None)
                    case _:
                        pass  # A name can read like one of these.
        return Waiting(number, open, invited)


class Staff:
    """Makes staff, and takes proposals with their answers."""

    def __init__(self, people: People, new_table: Callable[[str], TableConfig]) -> None:
        self._people = people
        self._new_table = new_table
        """Reads a new table, or refuses it."""
        self._waiting = Waiting(0, {})

    # ------------------------------------------------------------ looking

    async def everybody(self) -> list[Person]:
        """Return all people with a staff role."""
        return await self._people.rows.read(lambda rows: registry.staff(rows, STAFF))

    async def invited(self) -> list[Person]:
        """Return those who came by a link and whose first role still has to be approved."""
        about = {_proposed(one).about for one in await self.waiting()} & self._waiting.invited
        found = [await self._people.find(person) for person in sorted(about)]
        return [person for person in found if person is not None and not person.roles]

    async def waiting(self) -> list[Proposed]:
        """Return the proposals that can still be answered, the oldest first."""
        self._waiting = await self._people.rows.read(self._waiting.after)
        now_ms = self._people.rows.now_ms()
        return [one for one in self._waiting.open.values() if now_ms < one.lapses_ms]

    # ------------------------------------------------------------ proposing

    async def invite(self, by: SignedIn, name: str, roles: Iterable[str], *, why: str) -> Invited:
        """Add staff: an account without a password, a link to set one, and roles."""
        wanted = frozenset(roles)
        check_roles(wanted)
        newcomer = newcomer_named(names.parse_new_name(name), roles=())
        act = RolesSet(newcomer.id, tuple(sorted(wanted)), by.person.id)
        people = self._people

        def add(rows: Session) -> Proposed | None:
            if not people.add(rows, newcomer):
                raise taken()
            people.rows.jot(rows, LinkGiven(newcomer.id, by.person.id))
            return self._give_or_propose(rows, by, act, why)

        proposal = await people.rows.write(add)
        person = await people.find(newcomer.id)
        assert person is not None
        log("staff_invited", person=person.id, by=by.person.id)
        return Invited(person, await people.give_link(person.id), proposal)

    async def link_again(self, by: SignedIn, person: str) -> str:
        """Return another link for an invited person who hasn't set a password yet."""

        def check(rows: Session) -> None:
            if registry.lock(rows, person).password_hash is not None:
                raise Refused("has_password", "this account has a password already", field="id")
            if person not in self._waiting.after(rows).invited:
                message = "only somebody who was invited gets a link; a guest signs up instead"
                raise Refused("not_allowed", message, field="id")
            self._people.rows.jot(rows, LinkGiven(person, by.person.id))

        await self._people.rows.write(check)
        return await self._people.give_link(person)

    async def set_roles(
        self, by: SignedIn, person: str, roles: Iterable[str], *, why: str = ""
    ) -> Proposed | None:
        """Set roles at once, or return the proposal for a staff role."""
        wanted = frozenset(roles)
        check_roles(wanted)
        act = RolesSet(person, tuple(sorted(wanted)), by.person.id)
        proposal = await self._people.rows.write(
            lambda rows: self._give_or_propose(rows, by, act, why)
        )
        if proposal is None:
            self._people.sessions.ended(person, roles_say(wanted))
        return proposal

    def _give_or_propose(
        self, rows: Session, by: SignedIn, act: RolesSet, why: str
    ) -> Proposed | None:
        locked_head(rows, HOUSE_STREAM)
        before = registry.lock(rows, act.person).person
        if act.person != by.person.id and not APPOINTING & {*act.roles}:
            _check_not_last(rows, by.person.id, act.person)
        others = _others(rows, by.person.id, act.person)
        if not others or not appoints(before.roles, act.roles):
            self._do(rows, act)
            return None
        return self._propose(rows, by, act, preview=_preview(before, act), why=why)

    async def open_table(self, by: SignedIn, table: str, text: str) -> Proposed | None:
        """Open a new table at once, or return the proposal if somebody else could approve it."""
        preview, act = says_table(self._new_table(text)), TableOpened(table, text, by.person.id)

        def open(rows: Session) -> Proposed | None:
            locked_head(rows, HOUSE_STREAM)
            if not _others(rows, by.person.id):
                self._do(rows, act)
                return None
            return self._propose(rows, by, act, preview=preview, why="")

        return await self._people.rows.write(open)

    def _propose(
        self, rows: Session, by: SignedIn, act: Proposable, *, preview: str, why: str
    ) -> Proposed:
        open = self._waiting.after(rows).open.values()
        now_ms = self._people.rows.now_ms()
        if any(_about(one) == act.about for one in open if now_ms < one.lapses_ms):
            message = f"there is a proposal about {act.about} already; answer that first"
            raise Refused("proposal_open", message, field="id")
        proposed = Proposed(
            id=f"h-{token_hex(8)}",
            act=to_plain(act),
            by=by.person.id,
            session=by.session.hex(),
            preview=preview,
            why=why,
            lapses_ms=now_ms + LAPSE_MS,
        )
        self._people.rows.jot(rows, proposed)
        return proposed

    def _do(self, rows: Session, act: Proposable) -> None:
        match act:
            case RolesSet():
                self._people.give_roles(rows, act)
                registry.end_sessions(rows, act.person)
            case TableOpened():
                self._people.rows.jot(rows, act)
            case _:
                assert_never(act)

    # ------------------------------------------------------------ answering

    async def approve(self, by: SignedIn, id: str, again: str) -> None:
        """Carry out another person's proposal, if it is still possible."""
        await self._people.use_again(by, again)
        tables = await self._tables_now(id)

        def approve(rows: Session) -> Proposable | None:
            proposed = self._open(rows, id)
            if self._has_lapsed(rows, proposed):
                return None
            _check_second(rows, proposed, by)
            act = _proposed(proposed)
            if isinstance(act, RolesSet):
                check_roles(act.roles)
                now = _preview(registry.lock(rows, act.person).person, act)
            else:
                now = tables
            proposer = registry.lock(rows, proposed.by).person
            stands = OPERATOR in proposer.roles and not proposer.disabled
            if not stands or now != proposed.preview:
                message = "this has changed since it was proposed; propose it again"
                raise Refused("changed", message, field="id")
            self._people.rows.jot(rows, Approved(id, by.person.id))
            self._do(rows, act._replace(approved_by=by.person.id))
            return act

        act = await self._people.rows.write(approve)
        if act is None:
            raise _lapsed()
        log("approved", proposal=id, about=act.about, by=by.person.id)
        if isinstance(act, RolesSet):
            self._people.sessions.ended(act.person, "has other roles")

    async def _tables_now(self, id: str) -> str:
        """Return what a proposed table would be now, before a transaction has to wait for that."""
        open = {one.id: _proposed(one) for one in await self.waiting()}
        act = open.get(id)
        return says_table(self._new_table(act.text)) if isinstance(act, TableOpened) else ""

    async def decline(self, by: SignedIn, id: str, why: str) -> None:
        """Decline another person's proposal."""

        def answer(rows: Session, proposed: Proposed) -> HouseAct:
            _check_second(rows, proposed, by)
            return Declined(id, by.person.id, why)

        await self._answer(id, answer)

    async def withdraw(self, by: SignedIn, id: str) -> None:
        """Withdraw the proposer's own proposal."""

        def answer(_: Session, proposed: Proposed) -> HouseAct:
            if proposed.by != by.person.id:
                raise Refused("not_allowed", "only the person who proposed it may withdraw it")
            return Withdrawn(id, by.person.id)

        await self._answer(id, answer)

    async def _answer(self, id: str, answer: Callable[[Session, Proposed], HouseAct]) -> None:
        def run(rows: Session) -> bool:
            proposed = self._open(rows, id)
            if self._has_lapsed(rows, proposed):
                return False
            self._people.rows.jot(rows, answer(rows, proposed))
            return True

        if not await self._people.rows.write(run):
            raise _lapsed()

    def _open(self, rows: Session, id: str) -> Proposed:
        """Return an open proposal, locked until the transaction ends."""
        locked_head(rows, HOUSE_STREAM)
        proposed = self._waiting.after(rows).open.get(id)
        if proposed is None:
            message = "there is no such proposal, or it has been answered"
            raise Refused("no_such_proposal", message, field="id")
        return proposed

    def _has_lapsed(self, rows: Session, proposed: Proposed) -> bool:
        """Whether a proposal's time is over, which the journal then says."""
        if self._people.rows.now_ms() < proposed.lapses_ms:
            return False
        self._people.rows.jot(rows, Lapsed(proposed.id))
        return True


def _check_not_last(rows: Session, by: str, person: str) -> None:
    """Refuse to leave a single operator, who could then appoint without approval."""
    able = {one.id for one in registry.staff(rows, APPOINTING)}
    if person in able and not able - {by, person}:
        message = (
            "this is the only other person who can approve what you do; "
            "have somebody else appointed first"
        )
        raise Refused("not_allowed", message, field="id")


def _check_second(rows: Session, proposed: Proposed, by: SignedIn) -> None:
    """Refuse an answer unless it is by another person, in another session, with the right role."""
    if by.person.id == proposed.by:
        raise Refused("same_person", "another person has to answer what you proposed")
    if by.session.hex() == proposed.session:
        raise Refused("same_session", "it was proposed in this session; answer it in another one")
    if by.person.id == _about(proposed):
        raise Refused("oneself", "you can't decide about your own account")
    if not registry.lock(rows, by.person.id).person.roles & APPOINTING:
        raise Refused("not_allowed", "only another operator or an auditor may answer this")


def _others(rows: Session, *but: str) -> set[str]:
    """Return who could approve what somebody does."""
    return {one.id for one in registry.staff(rows, APPOINTING)} - {*but}


def _proposed(proposed: Proposed) -> Proposable:
    act = act_from(proposed.act)
    assert isinstance(act, RolesSet | TableOpened)
    return act


def _about(proposed: Proposed) -> str:
    return _proposed(proposed).about


def says_table(config: TableConfig) -> str:
    """Say what a new table would be: the rules, what its meters start with, whom awards wait for.

    Whatever changes one of these changes the sentence.
    """
    rules = config.rules
    starts = [
        f"the meter {config.meter(id)} starts at ${format_micros(micros(meter.initial))[:-4]}"
        for id, meter in rules.meters.items()
        if meter.initial is not None
    ]
    sums = (("awards wait", config.validated_cents), ("two people", config.witnessed_cents))
    waits = [f"{what} from ${format_money(cents)}" for what, cents in sums if cents is not None]
    said = "; ".join([*starts, *waits])
    by = f"by {rules.rulebook}, rules {rules.digest[:DIGEST_CHARS]}"
    return f"A new table {config.id}, {config.title}, {by}{f': {said}' if said else ''}"


def _preview(person: Person, act: RolesSet) -> str:
    """Describe an act by its values before and after."""
    before, after = (
        " and ".join(sorted(roles)) or "no role" for roles in (person.roles, act.roles)
    )
    return f"{person.name}: {before} becomes {after}"


def _lapsed() -> Refused:
    return Refused("lapsed", "this lapsed before it was answered; propose it again", field="id")
