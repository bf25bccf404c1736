"""People: guests, accounts, signing in, passwords, and the rights that are given and taken."""

import time
from base64 import b32encode
from collections.abc import Callable, Iterable
from functools import partial
from secrets import randbelow, token_bytes
from typing import NamedTuple

from croupier.errors import Bug, Refused
from croupier.house.log import log
from croupier.ledger import acts
from croupier.ledger.looks import looks as looks_of
from croupier.ledger.roles import OPERATOR, PLAYER, check_roles
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Session
from croupier.server import attempts, names, registry
from croupier.server.attempts import Counts, InDatabase, InMemory, TriedKeys, keys_of
from croupier.server.limits import Monotonic, TooMany
from croupier.server.onetime import digest, new_token
from croupier.server.passwords import Passwords
from croupier.server.quotas import count_newcomer
from croupier.server.registry import Newcomer, Person, SignedIn
from croupier.server.rows import Rows
from croupier.server.sessions import UserSessions, lasts_ms
from croupier.server.tokens import Tokens

LINK_S, LINKS_MAX = 3_600.0, 100
GUEST_TRIES = 12
AGAIN_S, AGAINS_MAX = 60.0, 1_000


class Entrance(NamedTuple):
    """A person who just signed in, and their session token."""

    token: str
    signed_in: SignedIn


class People:
    """Accounts and guests. Its methods belong to one event loop."""

    def __init__(
        self,
        store: Store,
        *,
        passwords: Passwords | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        clock: Monotonic = time.monotonic,
    ) -> None:
        self.rows = Rows(store, now_ms)
        self.sessions = UserSessions(self.rows, clock)
        self.passwords = passwords or Passwords()
        tokens = partial(Tokens, store=store, clock=clock)
        self._links = tokens("link", lasts_s=LINK_S, held_max=LINKS_MAX)
        self._agains = tokens("again", lasts_s=AGAIN_S, held_max=AGAINS_MAX)
        self._tries = InMemory(clock)

    def close(self) -> None:
        self.passwords.close()

    async def find(self, person: str) -> Person | None:
        return await self.rows.read(lambda rows: registry.find(rows, person))

    async def everybody(self, after: str = "") -> list[Person]:
        """Return people in order of id, a page at a time."""
        return await self.rows.read(lambda rows: registry.everybody(rows, after))

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

        return await self._enter(await self.rows.write(enter))

    async def sign_up(
        self, name: str, password: str, *, as_guest: SignedIn | None = None
    ) -> Entrance:
        """Create an account; a guest stays the same person, with the same chips."""
        wanted = names.parse_new_name(name)
        looks = looks_of(wanted)
        guest = as_guest.person if as_guest and not as_guest.person.has_password else None
        # Hashing is expensive, so check this first.
        await self._refuse_taken(looks, but=guest.id if guest else "")
        hashed = await self.passwords.hash(password)
        if guest is None:
            newcomer = newcomer_named(wanted, hashed)
            if not await self.rows.write(lambda rows: self.add(rows, newcomer)):
                raise taken()
            return await self._enter(newcomer.id, hashed)

        def settle_in(rows: Session) -> None:
            if registry.lock(rows, guest.id).password_hash is not None:
                raise Refused("has_password", "you already have an account")
            registry.set_name(rows, guest.id, wanted, looks=looks)
            registry.set_password(rows, guest.id, hashed)
            registry.end_sessions(rows, guest.id)
            self.rows.jot(rows, acts.AccountMade(guest.id, wanted, acts.fingerprint(hashed) or ""))

        try:
            await self.rows.write(settle_in)
        except Exception:
            await self._refuse_taken(looks, but=guest.id)  # Another sign-up was quicker.
            raise
        self.sessions.ended(guest.id, "became an account")
        return await self._enter(guest.id, hashed)

    async def name_guest(self, one: SignedIn, name: str) -> Person:
        """Give a guest another name, by the rules of an account's; sessions go on."""
        wanted, person = names.parse_new_name(name), one.person
        looks = looks_of(wanted)

        def change(rows: Session) -> Person:
            known = registry.lock(rows, person.id)
            if known.password_hash is not None:
                raise Refused("has_password", "an account keeps its name")
            other = registry.known_as(rows, looks)
            if other is not None and other.person.id != person.id:
                raise taken()
            registry.set_name(rows, person.id, wanted, looks=looks)
            self.rows.jot(rows, acts.GuestNamed(person.id, wanted))
            return known.person._replace(name=wanted)

        try:
            named = await self.rows.write(change)
        except Refused:
            raise
        except Exception:
            await self._refuse_taken(looks, but=person.id)  # Somebody else was quicker.
            raise
        self.sessions.hear(acts.GuestNamed(person.id, wanted))
        return named

    async def sign_in(self, name: str, password: str, *, address: str) -> Entrance:
        """Check name and password; a refusal doesn't say which of the two was wrong."""
        try:
            looks = looks_of(names.parse_name(name))
        except Refused:
            looks = ""  # No such account; that must take as long as a wrong password.
        keys = keys_of(looks, address)
        await self.counting(partial(attempts.count, keys=keys))
        known = await self.rows.read(lambda rows: registry.known_as(rows, looks))
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
            await self.counting(partial(attempts.take_back, keys=keys))
            raise
        if right:
            await self.counting(partial(attempts.forgive, keys=keys))
        return right

    async def counting(self, work: Callable[[Counts], None]) -> None:
        """Run something on what the house has counted, in one transaction."""
        if self.rows.is_shared:
            await self.rows.write(lambda rows: work(InDatabase(rows)))
        else:
            work(self._tries)

    async def count_newcomer(self, address: str) -> None:
        """Refuse another guest or account from an address that has made many."""
        await self.counting(partial(count_newcomer, address=address))

    async def _refuse_taken(self, looks: str, *, but: str) -> None:
        """Refuse a name that another person has."""
        known = await self.rows.read(lambda rows: registry.known_as(rows, looks))
        if known is not None and known.person.id != but:
            raise taken()

    async def _enter(self, person: str, hashed: str | None = None) -> Entrance:
        """Begin a session; `hashed` is the hash that the password was checked against."""
        token, now_ms = new_token(), self.rows.now_ms()

        def enter(rows: Session) -> tuple[SignedIn, int]:
            known = registry.lock(rows, person)
            if known.person.disabled or known.password_hash != hashed:
                raise _wrong()  # It was changed during the check.
            one = SignedIn(known.person, digest(token), now_ms + lasts_ms(known.person))
            opened = {"now_ms": now_ms, "ends_ms": one.ends_ms}
            made_room = registry.open_session(rows, person, one.session, **opened)
            if made_room:
                self.rows.jot(rows, acts.SessionEnded(person))
            return one, made_room

        one, made_room = await self.rows.write(enter)
        if made_room:
            self.sessions.ended(person, "signed in too often")
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
        looks = looks_of(names.OPERATOR)
        newcomer = newcomer_named(names.OPERATOR, roles=(OPERATOR,))

        def operator(rows: Session) -> registry.Known | None:
            self.add(rows, newcomer)
            return registry.known_as(rows, looks)

        known = await self.rows.write(operator)
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
            self.rows.jot(
                rows, acts.AccountMade(person, known.person.name, acts.fingerprint(hashed) or "")
            )

        await self.rows.write(settle_in)
        self.sessions.ended(person, "set a password")
        return await self._enter(person, hashed)

    async def _link(self, token: str) -> str | None:
        """Return whom a link is for, the first time."""
        found = await self._links.take(token)
        if found is None:
            log("link_refused")
        return found

    # ------------------------------------------------------------ the password again

    async def again(self, one: SignedIn, password: str, *, address: str) -> str:
        """Check a password again; the token lets this session do one thing within a minute."""
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

    async def change_password(self, one: SignedIn, old: str, new: str, *, address: str) -> Entrance:
        """Change a person's password, which signs them out everywhere else."""
        person = one.person
        hashed = await self._checked(person, old, address=address, field="old")
        fresh = await self.passwords.hash(new)

        def change(rows: Session) -> None:
            if registry.lock(rows, person.id).password_hash != hashed:
                raise Refused("wrong_password", "the old password is wrong", field="old")
            registry.set_password(rows, person.id, fresh)
            self.rows.jot(rows, acts.PasswordChanged(person.id, acts.fingerprint(fresh) or ""))

        await self._revoke(person.id, "changed the password", change)
        return await self._enter(person.id, fresh)

    async def _checked(self, person: Person, password: str, *, address: str, field: str) -> str:
        """Check the password of a person who is signed in, and return its hash."""
        looks = looks_of(person.name)
        keys = keys_of(looks, address)
        await self.counting(partial(attempts.count, keys=keys))
        known = await self.rows.read(lambda rows: registry.known_as(rows, looks))
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
        act = acts.RolesSet(person, tuple(sorted(wanted)), by)
        await self._revoke(person, roles_say(wanted), lambda rows: self.give_roles(rows, act))

    def give_roles(self, rows: Session, act: acts.RolesSet) -> None:
        """Replace the roles of a locked person, within a transaction that ends their sessions."""
        registry.set_roles(rows, act.person, act.roles)
        self.rows.jot(rows, act)

    async def disable(self, person: str, *, disabled: bool = True, by: str = "") -> None:
        """Lock a person out at once, or let them in again. The journal says who did it."""
        since = self.rows.now_ms() if disabled else None
        said = "was shut out" if disabled else "was let in again"

        def change(rows: Session) -> None:
            registry.set_disabled(rows, person, since)
            self.rows.jot(rows, acts.AccountDisabled(person, disabled, by))

        await self._revoke(person, said, change)

    async def _revoke(self, person: str, said: str, change: Callable[[Session], None]) -> None:
        """Change a person and end all their sessions, in one transaction."""

        def revoke(rows: Session) -> None:
            registry.lock(rows, person)
            change(rows)
            registry.end_sessions(rows, person)

        await self.rows.write(revoke)
        self.sessions.ended(person, said)

    def add(self, rows: Session, newcomer: Newcomer) -> bool:
        """Add a person, unless another's name looks the same."""
        if not registry.add(rows, newcomer, self.rows.now_ms()):
            return False
        id, name, _, hashed, roles = newcomer
        self.rows.jot(rows, acts.PersonCame(id, name, roles, acts.fingerprint(hashed)))
        return True


def newcomer_named(
    name: str, hashed: str | None = None, roles: Iterable[str] = (PLAYER,)
) -> Newcomer:
    """Return a person to add, with a new id."""
    return Newcomer(new_id(), name, looks_of(name), hashed, tuple(roles))


def new_id() -> str:
    """Return an id of ten characters, enough to avoid collisions."""
    return f"p-{b32encode(token_bytes(7)).decode().lower()[:10]}"


def roles_say(roles: Iterable[str]) -> str:
    return f"has the roles {' '.join(sorted(roles)) or 'none'}"


def _bad_link() -> Refused:
    return Refused("bad_link", "this link has been used or has expired", field="link")


def _wrong() -> Refused:
    return Refused("wrong_sign_in", "wrong name or password")


def taken() -> Refused:
    return Refused("name_taken", "this name is taken, or too similar to one that is", field="name")
