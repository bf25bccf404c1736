"""People and their sessions: guests, accounts, signing in and out, and revoking rights.

A session token is 32 random bytes; the database stores its digest. Each sign-in makes a new one.
Taking a right away ends the sessions that have it, in the database first and then here, and
`on_ended` tells the tables.
"""

import asyncio
import time
from base64 import b32encode
from collections.abc import Callable, Iterable
from functools import partial
from secrets import randbelow, token_bytes
from typing import NamedTuple, TypeVar

from croupier.errors import Bug, Refused
from croupier.house.log import log
from croupier.ledger.acts import (
    AccountDisabled,
    AccountMade,
    GuestNamed,
    HouseAct,
    PasswordChanged,
    PersonCame,
    RolesSet,
    SessionEnded,
    fingerprint,
)
from croupier.ledger.roles import OPERATOR, PLAYER, check_roles, is_staff
from croupier.ledger.stores.jotting import jot
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Session
from croupier.recent import Recent
from croupier.server import names, registry
from croupier.server.attempts import Attempts, Counts, InDatabase, InMemory, TriedKeys, keys_of
from croupier.server.limits import Monotonic, TooMany
from croupier.server.onetime import digest, new_token
from croupier.server.passwords import Passwords
from croupier.server.quotas import count_newcomer
from croupier.server.registry import Newcomer, Person, SignedIn
from croupier.server.tokens import Tokens

DAY_MS = 24 * 3_600_000
PLAYERS_DAYS, STAFF_MS = 30, DAY_MS // 2
"""How long a session lasts. A guest has no other key to their chips; staff can do more
harm."""
STAFF_IDLE_MS, EXTENDED_MS = 15 * 60_000, 30_000
"""After so long without a request a staff session locks; it is extended only so often."""
HELD_MS = 2 * 60_000
"""How long a session is held at a time whose person works in an open round."""
TICKET_S, TICKETS_MAX = 30.0, 10_000
LINK_S, LINKS_MAX = 3_600.0, 100
CACHED_MAX, CACHED_S = 4_096, 10.0
"""How long a database answer is cached: another process may have ended a session."""
GUEST_TRIES = 12
ENDING = (AccountMade, PasswordChanged, RolesSet, AccountDisabled, SessionEnded)
"""Acts that end sessions of the person they are about."""
AGAIN_S, AGAINS_MAX = 60.0, 1_000

T = TypeVar("T")


class Entrance(NamedTuple):
    """A person who just signed in, and their session token."""

    token: str
    signed_in: SignedIn


class People:
    """Accounts, guests and sessions. Its methods belong to one event loop."""

    def __init__(
        self,
        store: Store,
        *,
        passwords: Passwords | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        clock: Monotonic = time.monotonic,
    ) -> None:
        self._store, self.now_ms, self._clock = store, now_ms, clock
        self.passwords = passwords or Passwords()
        self.cache: Recent[bytes, tuple[SignedIn, float]] = Recent(CACHED_MAX)
        self._ends = 0  # Counts revocations.
        tokens = partial(Tokens, store=store, clock=clock)
        self._links = tokens("link", lasts_s=LINK_S, held_max=LINKS_MAX)
        self._agains = tokens("again", lasts_s=AGAIN_S, held_max=AGAINS_MAX)
        self.tickets = tokens("ticket", lasts_s=TICKET_S, held_max=TICKETS_MAX)
        """For each, a person, a session and a table, in words."""
        self._tries = InMemory(clock)
        self.attempts = Attempts(self.counting)
        self.on_ended: Callable[[str], None] = lambda person: None
        """Called with the id of a person one of whose sessions has ended."""
        self.on_named: Callable[[str, str], None] = lambda person, name: None
        """Called with the id of a person and their new name."""
        self.on_changed: Callable[[str], None] = lambda person: None
        """Called with the id of a person whose sessions have to be looked at again."""

    def close(self) -> None:
        self.passwords.close()

    # ------------------------------------------------------------ lookup

    async def signed_in(self, token: str) -> SignedIn | None:
        """Return whom a token belongs to."""
        key = digest(token)
        known, now = self.cache.pop(key), self._clock()
        if known and now - known[1] < CACHED_S and self.now_ms() < known[0].ends_ms:
            self.cache[key] = known
            return known[0]
        ends = -1
        while ends != self._ends:  # The session may have ended during the read.
            ends = self._ends
            found = await self.read(lambda rows: registry.signed_in(rows, key, self.now_ms()))
        self.cache.pop(key)
        if found:
            self.cache[key] = found, now
        return found

    async def extend(self, one: SignedIn, *, idle_ms: int = 0) -> None:
        """Keep a staff session from locking, because its person did something so long ago."""
        ends_ms = self.now_ms() - idle_ms + STAFF_IDLE_MS
        if not locks(one.person) or ends_ms - one.ends_ms < EXTENDED_MS:
            return
        times = {"ends_ms": ends_ms, "lasts_ms": STAFF_MS}
        await self.write(lambda rows: registry.extend_session(rows, one.session, **times))
        self.cache.pop(one.session)

    async def find(self, person: str) -> Person | None:
        return await self.read(lambda rows: registry.find(rows, person))

    async def everybody(self, after: str = "") -> list[Person]:
        """Return people in order of id, a page at a time."""
        return await self.read(lambda rows: registry.everybody(rows, after))

    # ------------------------------------------------------------ signing in

    async def guest(self) -> Entrance:
        """Create a guest, who gives no details."""

        def enter(rows: Session) -> str:
            for tried in range(GUEST_TRIES):
                name = f"{names.GUEST} {randbelow(10 ** (4 + tried // 3)):04}"
                newcomer = newcomer_named(name)
                if self.add(rows, newcomer):
                    return newcomer.id
            raise Bug("there is no number left for a guest")

        return await self._enter(await self.write(enter))

    async def sign_up(
        self, name: str, password: str, *, as_guest: SignedIn | None = None
    ) -> Entrance:
        """Create an account; a guest stays the same person, with the same chips."""
        wanted = names.parse_new_name(name)
        looks = names.looks(wanted)
        guest = as_guest.person if as_guest and not as_guest.person.has_password else None
        # Hashing is expensive, so check this first.
        await self._refuse_taken(looks, but=guest.id if guest else "")
        hashed = await self.passwords.hash(password)
        if guest is None:
            newcomer = newcomer_named(wanted, hashed)
            if not await self.write(lambda rows: self.add(rows, newcomer)):
                raise taken()
            return await self._enter(newcomer.id, hashed)

        def settle_in(rows: Session) -> None:
            if registry.lock(rows, guest.id).password_hash is not None:
                raise Refused("has_password", "you already have an account")
            registry.set_name(rows, guest.id, wanted, looks=looks)
            registry.set_password(rows, guest.id, hashed)
            registry.end_sessions(rows, guest.id)
            self.jot(rows, AccountMade(guest.id, wanted, fingerprint(hashed) or ""))

        try:
            await self.write(settle_in)
        except Exception:
            await self._refuse_taken(looks, but=guest.id)  # Another sign-up was quicker.
            raise
        self.ended(guest.id, "became an account")
        return await self._enter(guest.id, hashed)

    async def name_guest(self, one: SignedIn, name: str) -> Person:
        """Give a guest another name, by the rules of an account's; sessions go on."""
        wanted, person = names.parse_new_name(name), one.person
        looks = names.looks(wanted)

        def change(rows: Session) -> Person:
            known = registry.lock(rows, person.id)
            if known.password_hash is not None:
                raise Refused("has_password", "an account keeps its name")
            other = registry.known_as(rows, looks)
            if other is not None and other.person.id != person.id:
                raise taken()
            registry.set_name(rows, person.id, wanted, looks=looks)
            self.jot(rows, GuestNamed(person.id, wanted))
            return known.person._replace(name=wanted)

        try:
            named = await self.write(change)
        except Refused:
            raise
        except Exception:
            await self._refuse_taken(looks, but=person.id)  # Somebody else was quicker.
            raise
        self.hear(GuestNamed(person.id, wanted))
        return named

    async def sign_in(self, name: str, password: str, *, address: str) -> Entrance:
        """Check name and password; a refusal doesn't say which of the two was wrong."""
        try:
            looks = names.looks(names.parse_name(name))
        except Refused:
            looks = ""  # No such account; that must take as long as a wrong password.
        keys = keys_of(looks, address)
        await self.attempts.count(keys)
        known = await self.read(lambda rows: registry.known_as(rows, looks))
        hashed = known.password_hash if known and not known.person.disabled else None
        right = await self._matches(password, hashed, keys)
        if known is None or not right:
            log("sign_in_failed", name=name, address=address)
            raise _wrong()
        return await self._enter(known.person.id, hashed)

    async def _matches(self, password: str, hashed: str | None, keys: TriedKeys) -> bool:
        """Check a password; the attempt was counted as a failure beforehand."""
        try:
            right = await self.passwords.matches(password, hashed)
        except TooMany:  # Nothing was checked.
            await self.attempts.take_back(keys)
            raise
        if right:
            await self.attempts.forgive(keys)
        return right

    async def counting(self, work: Callable[[Counts], None]) -> None:
        """Run something on what the house has counted, in one transaction."""
        if self._store.tenure.is_shared:
            await self.write(lambda rows: work(InDatabase(rows)))
        else:
            work(self._tries)

    async def count_newcomer(self, address: str) -> None:
        """Refuse another guest or account from an address that has made many."""
        await self.counting(lambda held: count_newcomer(held, address))

    async def _refuse_taken(self, looks: str, *, but: str = "") -> None:
        """Refuse a name that another person has."""
        known = await self.read(lambda rows: registry.known_as(rows, looks))
        if known is not None and known.person.id != but:
            raise taken()

    async def _enter(self, person: str, hashed: str | None = None) -> Entrance:
        """Begin a session; `hashed` is the hash that the password was checked against."""
        token, now_ms = new_token(), self.now_ms()

        def enter(rows: Session) -> tuple[SignedIn, int]:
            known = registry.lock(rows, person)
            if known.person.disabled or known.password_hash != hashed:
                raise _wrong()  # It was changed during the check.
            one = SignedIn(known.person, digest(token), now_ms + lasts_ms(known.person))
            opened = {"now_ms": now_ms, "ends_ms": one.ends_ms}
            made_room = registry.open_session(rows, person, one.session, **opened)
            if made_room:
                self.jot(rows, SessionEnded(person))
            return one, made_room

        one, made_room = await self.write(enter)
        if made_room:
            self.ended(person, "signed in too often")
        log("signed_in", person=person, roles=" ".join(sorted(one.person.roles)))
        return Entrance(token, one)

    # ------------------------------------------------------------ links

    def operator_link(self) -> str:
        """Return a token that makes its bearer an operator, once."""
        return self._links.give_blocking(OPERATOR)

    async def give_link(self, person: str) -> str:
        """Return a token by which a person without a password sets one, once."""
        return await self._links.give(person)

    async def use_link(self, token: str) -> Entrance:
        """Sign in with the link that was printed at startup."""
        if await self._link(token) != OPERATOR:
            raise _bad_link()
        looks = names.looks(names.OPERATOR)
        newcomer = newcomer_named(names.OPERATOR, roles=(OPERATOR,))

        def operator(rows: Session) -> registry.Known | None:
            self.add(rows, newcomer)
            return registry.known_as(rows, looks)

        known = await self.write(operator)
        if known is None:
            raise Bug("there is no operator")
        return await self._enter(known.person.id, known.password_hash)

    async def set_first_password(self, token: str, password: str) -> Entrance:
        """Sign in with the link of a new staff member who has no password yet."""
        hashed = await self.passwords.hash(password)  # A weak one leaves the link as it is.
        person = await self._link(token)
        if person is None or person == OPERATOR:
            raise _bad_link()

        def settle_in(rows: Session) -> None:
            known = registry.lock(rows, person)
            if known.password_hash is not None:
                raise _bad_link()
            registry.set_password(rows, person, hashed)
            registry.end_sessions(rows, person)
            self.jot(rows, AccountMade(person, known.person.name, fingerprint(hashed) or ""))

        await self.write(settle_in)
        self.ended(person, "set a password")
        return await self._enter(person, hashed)

    async def _link(self, token: str) -> str | None:
        """Return whom a link is for, the first time."""
        found = await self._links.take(token)
        if found is None:
            log("link_refused")
        return found

    # ------------------------------------------------------------ the password again

    async def again(self, one: SignedIn, password: str, *, address: str) -> str:
        """Check a person's password again; the token lets this session do one thing, soon."""
        await self._checked(one.person, password, address=address, field="password")
        return await self._agains.give(f"{one.person.id} {one.session.hex()}")

    async def use_again(self, one: SignedIn, token: str) -> None:
        """Refuse a session that hasn't just entered its password, or has used it already."""
        if await self._agains.take(token) != f"{one.person.id} {one.session.hex()}":
            log("again_refused", person=one.person.id)
            message = (
                f"enter your password again; it is good for one act within {AGAIN_S:.0f} seconds"
            )
            raise Refused("password_again", message, field="again")

    # ------------------------------------------------------------ tickets

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
            one = await self._find_session(bytes.fromhex(session))
        return one

    # ------------------------------------------------------------ revoking rights

    async def sign_out(self, token: str) -> None:
        one = await self.signed_in(token)
        if one is None:
            return
        person, session = one.person.id, one.session

        def end(rows: Session) -> bool:
            ended = registry.end_session(rows, session)
            if ended:
                self.jot(rows, SessionEnded(person))
            return ended

        if await self.write(end):
            self.ended(person, "signed out")

    async def change_password(self, one: SignedIn, old: str, new: str, *, address: str) -> Entrance:
        """Change a person's password, which signs them out everywhere else."""
        person = one.person
        hashed = await self._checked(person, old, address=address, field="old")
        fresh = await self.passwords.hash(new)

        def change(rows: Session) -> None:
            if registry.lock(rows, person.id).password_hash != hashed:
                raise Refused("wrong_password", "the old password is wrong", field="old")
            registry.set_password(rows, person.id, fresh)
            self.jot(rows, PasswordChanged(person.id, fingerprint(fresh) or ""))

        await self._revoke(person.id, "changed the password", change)
        return await self._enter(person.id, fresh)

    async def _checked(self, person: Person, password: str, *, address: str, field: str) -> str:
        """Check the password of a person who is signed in, and return its hash."""
        looks = names.looks(person.name)
        keys = keys_of(looks, address)
        await self.attempts.count(keys)
        known = await self.read(lambda rows: registry.known_as(rows, looks))
        hashed = known.password_hash if known and known.person.id == person.id else None
        if not await self._matches(password, hashed, keys) or hashed is None:
            log("password_refused", person=person.id, address=address)
            which = "old password" if field == "old" else "password"
            raise Refused("wrong_password", f"the {which} is wrong", field=field)
        return hashed

    async def set_roles(self, person: str, roles: Iterable[str], *, by: str = "") -> None:
        """Replace a person's roles; they have to sign in again. The journal says who did it."""
        wanted = frozenset(roles)
        check_roles(wanted)
        act = RolesSet(person, tuple(sorted(wanted)), by)
        await self._revoke(person, roles_say(wanted), lambda rows: self.give_roles(rows, act))

    def give_roles(self, rows: Session, act: RolesSet) -> None:
        """Replace the roles of a locked person, within a transaction that ends their sessions."""
        registry.set_roles(rows, act.person, act.roles)
        self.jot(rows, act)

    async def disable(self, person: str, *, disabled: bool = True, by: str = "") -> None:
        """Lock a person out at once, or let them in again. The journal says who did it."""
        since = self.now_ms() if disabled else None
        said = "was shut out" if disabled else "was let in again"

        def change(rows: Session) -> None:
            registry.set_disabled(rows, person, since)
            self.jot(rows, AccountDisabled(person, disabled, by))

        await self._revoke(person, said, change)

    async def _revoke(self, person: str, said: str, change: Callable[[Session], None]) -> None:
        """Change a person and end all their sessions, in one transaction."""

        def revoke(rows: Session) -> None:
            registry.lock(rows, person)
            change(rows)
            registry.end_sessions(rows, person)

        await self.write(revoke)
        self.ended(person, said)

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

    async def ends_ms(
        self, session: bytes, *, idle_ms: int | None = None, held: bool = False
    ) -> int | None:
        """Return when a session ends, if it is valid; extend it if it was used so long ago.

        One that is held doesn't end: its person works in a round that is open.
        """
        one = await self._find_session(session)
        if one and idle_ms is not None:
            await self.extend(one, idle_ms=idle_ms)
            one = await self._find_session(session)
        if one and held:
            await self._hold(one)
            one = await self._find_session(session)
        return one.ends_ms if one else None

    async def _hold(self, one: SignedIn) -> None:
        """Let a session last a little longer, however long it has lasted."""
        ends_ms = self.now_ms() + HELD_MS
        if ends_ms > one.ends_ms:
            times = {"ends_ms": ends_ms, "lasts_ms": ends_ms}
            await self.write(lambda rows: registry.extend_session(rows, one.session, **times))
            self.cache.pop(one.session)

    async def _find_session(self, session: bytes) -> SignedIn | None:
        return await self.read(lambda rows: registry.signed_in(rows, session, self.now_ms()))

    async def sessions_of(self, person: str) -> frozenset[bytes]:
        """Return a person's valid sessions."""
        return await self.read(lambda rows: registry.sessions_of(rows, person, self.now_ms()))

    # ------------------------------------------------------------ the database

    def add(self, rows: Session, newcomer: Newcomer) -> bool:
        """Add a person, unless another's name looks the same."""
        if not registry.add(rows, newcomer, self.now_ms()):
            return False
        id, name, _, hashed, roles = newcomer
        self.jot(rows, PersonCame(id, name, roles, fingerprint(hashed)))
        return True

    def jot(self, rows: Session, act: HouseAct) -> None:
        jot(rows, act, time_ms=self.now_ms())

    async def read(self, read: Callable[[Session], T]) -> T:
        def run() -> T:
            with self._store.snapshot() as rows:
                return read(rows)

        return await asyncio.to_thread(run)

    async def write(self, write: Callable[[Session], T]) -> T:
        def run() -> T:
            with self._store.writing() as rows:
                return write(rows)

        return await asyncio.to_thread(run)


def newcomer_named(
    name: str, hashed: str | None = None, roles: Iterable[str] = (PLAYER,)
) -> Newcomer:
    """Return a person to add, with a new id."""
    return Newcomer(_new_id(), name, names.looks(name), hashed, tuple(roles))


def _new_id() -> str:
    """Return an id of ten characters, enough to avoid collisions."""
    return f"p-{b32encode(token_bytes(7)).decode().lower()[:10]}"


def locks(person: Person) -> bool:
    """Whether a person's sessions lock when idle: that takes a password to come back with."""
    return is_staff(person.roles) and person.has_password


def lasts_ms(person: Person) -> int:
    """Return how long a session lasts if it is not extended."""
    if not is_staff(person.roles):
        return PLAYERS_DAYS * DAY_MS
    return STAFF_IDLE_MS if person.has_password else STAFF_MS


def roles_say(roles: Iterable[str]) -> str:
    return f"has the roles {' '.join(sorted(roles)) or 'none'}"


def _bad_link() -> Refused:
    return Refused("bad_link", "this link has been used or has expired", field="link")


def _wrong() -> Refused:
    return Refused("wrong_sign_in", "wrong name or password")


def taken() -> Refused:
    return Refused("name_taken", "this name is taken, or too similar to one that is", field="name")
