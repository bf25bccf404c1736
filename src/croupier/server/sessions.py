"""Sessions: whom a token belongs to, how long it lasts, and the end of it in every process.

A session token is 32 random bytes; the database stores its digest. Taking a right away ends the
sessions that have it, in the database first and then here, and `on_ended` tells the tables.
"""

from collections.abc import Callable

from croupier.house.log import log
from croupier.ledger.acts import (
    AccountDisabled,
    AccountMade,
    GuestNamed,
    HouseAct,
    PasswordChanged,
    RolesSet,
    SessionEnded,
)
from croupier.ledger.roles import is_staff
from croupier.ledger.stores.statements import Session
from croupier.recent import Recent
from croupier.server import registry
from croupier.server.limits import Monotonic
from croupier.server.onetime import digest
from croupier.server.registry import Person, SignedIn
from croupier.server.rows import Rows
from croupier.server.tokens import Tokens

DAY_MS = 24 * 3_600_000
PLAYERS_DAYS, STAFF_MS = 30, DAY_MS // 2
"""How long a session lasts. A guest has no other key to their chips; staff can do more
harm."""
STAFF_IDLE_MS, EXTENDED_MS = 15 * 60_000, 30_000
"""After so long without a request a staff session locks; it is extended only so often."""
HELD_MS = 2 * 60_000
"""For how long at a time to hold the session of a person who works in an open round."""
TICKET_S, TICKETS_MAX = 30.0, 10_000
CACHED_MAX, CACHED_S = 4_096, 10.0
"""How long a database answer is cached: another process may have ended a session."""
ENDING = (AccountMade, PasswordChanged, RolesSet, AccountDisabled, SessionEnded)
"""Acts that end sessions of the person they are about."""


class UserSessions:
    """The sessions of a house, and the tickets that they are given for sockets."""

    def __init__(self, rows: Rows, clock: Monotonic) -> None:
        self._rows, self._clock = rows, clock
        self.cache: Recent[bytes, tuple[SignedIn, float]] = Recent(CACHED_MAX)
        self._ends = 0  # Counts revocations.
        store = rows.store
        self.tickets = Tokens("ticket", store, lasts_s=TICKET_S, held_max=TICKETS_MAX, clock=clock)
        """For each, a person, a session and a table, in words."""
        self.on_ended: Callable[[str], None] = lambda person: None
        """Called with the id of a person one of whose sessions has ended."""
        self.on_named: Callable[[str, str], None] = lambda person, name: None
        """Called with the id of a person and their new name."""
        self.on_changed: Callable[[str], None] = lambda person: None
        """Called with the id of a person whose sessions have to be looked at again."""

    async def signed_in(self, token: str) -> SignedIn | None:
        """Return whom a token belongs to."""
        key = digest(token)
        known, now = self.cache.pop(key), self._clock()
        if known and now - known[1] < CACHED_S and self._rows.now_ms() < known[0].ends_ms:
            self.cache[key] = known
            return known[0]
        ends = -1
        while ends != self._ends:  # The session may have ended during the read.
            ends = self._ends
            found = await self.find(key)
        self.cache.pop(key)
        if found:
            self.cache[key] = found, now
        return found

    async def extend(self, one: SignedIn, *, idle_ms: int = 0) -> None:
        """Keep a staff session from locking: its person did something `idle_ms` ago."""
        ends_ms = self._rows.now_ms() - idle_ms + STAFF_IDLE_MS
        if not locks(one.person) or ends_ms - one.ends_ms < EXTENDED_MS:
            return
        times = {"ends_ms": ends_ms, "lasts_ms": STAFF_MS}
        await self._rows.write(lambda rows: registry.extend_session(rows, one.session, **times))
        self.cache.pop(one.session)

    async def ends_ms(
        self, session: bytes, *, idle_ms: int | None = None, held: bool = False
    ) -> int | None:
        """Return when a session ends, or None if it isn't valid.

        `idle_ms` is how long ago it was last used, which extends it. A `held` session doesn't end:
        its person works in an open round.
        """
        one = await self.find(session)
        if one and idle_ms is not None:
            await self.extend(one, idle_ms=idle_ms)
            one = await self.find(session)
        if one and held:
            await self._hold(one)
            one = await self.find(session)
        return one.ends_ms if one else None

    async def _hold(self, one: SignedIn) -> None:
        """Let a session last a little longer, however long it has lasted."""
        ends_ms = self._rows.now_ms() + HELD_MS
        if ends_ms > one.ends_ms:
            times = {"ends_ms": ends_ms, "lasts_ms": ends_ms}
            await self._rows.write(lambda rows: registry.extend_session(rows, one.session, **times))
            self.cache.pop(one.session)

    async def find(self, session: bytes) -> SignedIn | None:
        """Return whose session it is, if it is valid."""
        return await self._rows.read(
            lambda rows: registry.signed_in(rows, session, self._rows.now_ms())
        )

    async def of(self, person: str) -> frozenset[bytes]:
        """Return a person's valid sessions."""
        return await self._rows.read(
            lambda rows: registry.sessions_of(rows, person, self._rows.now_ms())
        )

    async def give_ticket(self, signed_in: SignedIn, table: str) -> str:
        """Return a token for one socket at a table, valid once and for half a minute."""
        return await self.tickets.give(f"{signed_in.person.id} {signed_in.session.hex()} {table}")

    async def admit(self, token: str, table: str) -> SignedIn | None:
        """Return whom a ticket admits to a table, if their session is still valid."""
        ticket = await self.tickets.take(token)
        if ticket is None:
            return None
        _, session, bound_to = ticket.split(" ")
        if bound_to != table:
            return None
        ends = -1
        while ends != self._ends:  # The session may have ended meanwhile.
            ends = self._ends
            one = await self.find(bytes.fromhex(session))
        return one

    async def sign_out(self, token: str) -> None:
        one = await self.signed_in(token)
        if one is None:
            return
        person, session = one.person.id, one.session

        def end(rows: Session) -> bool:
            ended = registry.end_session(rows, session)
            if ended:
                self._rows.jot(rows, SessionEnded(person))
            return ended

        if await self._rows.write(end):
            self.ended(person, "signed out")

    def ended(self, person: str, said: str) -> None:
        """Drop a person's cached sessions, and tell the tables."""
        self._forget(person)
        self.tickets.held.drop(lambda ticket: ticket.startswith(f"{person} "))
        log("sessions_ended", person=person, because=said)
        self.on_ended(person)

    def hear(self, act: HouseAct) -> None:
        """Check the sockets of a person whose session may have ended, in any process.

        A guest who has another name keeps sockets and sessions.
        """
        if isinstance(act, GuestNamed):
            self._forget(act.person)
            self.on_named(act.person, act.name)
        if isinstance(act, ENDING):
            self._forget(act.person)
            self.on_changed(act.person)

    def _forget(self, person: str) -> None:
        """Drop what is cached of a person; reads in progress, of any person, start again."""
        self._ends += 1
        self.cache.drop(lambda known: known[0].person.id == person)


def locks(person: Person) -> bool:
    """Whether a person's sessions lock when idle: that takes a password to come back with."""
    return is_staff(person.roles) and person.has_password


def lasts_ms(person: Person) -> int:
    """Return how long a session lasts if it is not extended."""
    if not is_staff(person.roles):
        return PLAYERS_DAYS * DAY_MS
    return STAFF_IDLE_MS if person.has_password else STAFF_MS
