"""Queries and updates of people and sessions, for both databases.

Each function runs within the caller's transaction. Before writing about a person, lock that
person's row, so that nobody can sign in while being locked out.
"""

from collections.abc import Iterable
from typing import NamedTuple

from croupier.errors import Refused
from croupier.ledger.stores.statements import Session, SqlRow
from croupier.server.limits import FORGOTTEN_S, Tries

SESSIONS_MAX = 10
"""How many sessions one person can have; a new one ends the oldest."""
PAGE = 1_000


class Person(NamedTuple):
    """A person the house knows. Knowing the id gives no rights."""

    id: str
    name: str
    roles: frozenset[str]
    has_password: bool
    """A guest has none, and is known only by a session."""
    disabled: bool


class SignedIn(NamedTuple):
    """A person and their session."""

    person: Person
    session: bytes
    """The digest of the token; only the person has the token itself."""
    ends_ms: int


class Known(NamedTuple):
    """A person with their password hash."""

    person: Person
    password_hash: str | None


_PERSON = (
    "SELECT persons.person, name, password_hash IS NOT NULL, disabled_ms IS NOT NULL, "
    "(SELECT string_agg(role, ' ') FROM roles WHERE roles.person = persons.person)"
)


def _person(row: SqlRow) -> Person:
    id, name, has_password, disabled, roles = row[:5]
    return Person(id, name, frozenset((roles or "").split()), bool(has_password), bool(disabled))


def find(session: Session, person: str) -> Person | None:
    rows = list(session.rows(f"{_PERSON} FROM persons WHERE person = ?", (person,)))
    return _person(rows[0]) if rows else None


def known_as(session: Session, looks: str) -> Known | None:
    """Return the person whose name looks like this."""
    rows = list(session.rows(f"{_PERSON}, password_hash FROM persons WHERE looks = ?", (looks,)))
    return Known(_person(rows[0]), rows[0][5]) if rows else None


def everybody(session: Session, after: str = "") -> list[Person]:
    """Return people in order of id, a page at a time."""
    sql = f"{_PERSON} FROM persons WHERE person > ? ORDER BY person LIMIT ?"
    return [_person(row) for row in list(session.rows(sql, (after, PAGE)))]


def signed_in(session: Session, digest: bytes, now_ms: int) -> SignedIn | None:
    """Return the person of a session, if it is valid."""
    sql = (
        f"{_PERSON}, ends_ms FROM sessions JOIN persons ON persons.person = sessions.person "
        "WHERE digest = ? AND ends_ms > ? AND disabled_ms IS NULL"
    )
    rows = list(session.rows(sql, (digest, now_ms)))
    return SignedIn(_person(rows[0]), digest, rows[0][5]) if rows else None


class Newcomer(NamedTuple):
    """A person to be added."""

    id: str
    name: str
    looks: str
    password_hash: str | None
    roles: tuple[str, ...]


def add(session: Session, newcomer: Newcomer, now_ms: int) -> bool:
    """Add a person, unless another's name looks the same."""
    sql = (
        "INSERT INTO persons (person, name, looks, password_hash, made_ms) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    )
    *who, roles = newcomer
    if not session.run(sql, (*who, now_ms)):
        return False
    _add_roles(session, newcomer.id, roles)
    return True


def _add_roles(session: Session, person: str, roles: Iterable[str]) -> None:
    rows = [(person, role) for role in sorted(roles)]
    session.run_many("INSERT INTO roles (person, role) VALUES (?, ?)", rows)


def lock(session: Session, person: str) -> Known:
    """Return a person, locked until the end of the transaction."""
    sql = f"SELECT password_hash FROM persons WHERE person = ?{session.locking}"
    hashes = [row[0] for row in list(session.rows(sql, (person,)))]
    found = find(session, person)
    if not hashes or found is None:
        raise Refused("no_such_person", "there is no such person", field="id")
    return Known(found, hashes[0])


def open_session(session: Session, person: str, digest: bytes, *, now_ms: int, ends_ms: int) -> int:
    """Begin a session of a locked person; drop expired sessions and, if need be, the oldest."""
    session.run("DELETE FROM sessions WHERE ends_ms <= ?", (now_ms,))
    sql = "SELECT digest FROM sessions WHERE person = ? ORDER BY made_ms DESC, digest"
    too_many = [row[0] for row in list(session.rows(sql, (person,)))][SESSIONS_MAX - 1 :]
    for old in too_many:
        session.run("DELETE FROM sessions WHERE digest = ?", (old,))
    add = "INSERT INTO sessions (digest, person, made_ms, ends_ms) VALUES (?, ?, ?, ?)"
    session.run(add, (digest, person, now_ms, ends_ms))
    return len(too_many)


def sessions_of(session: Session, person: str, now_ms: int) -> frozenset[bytes]:
    """Return the digests of a person's valid sessions; a disabled person has none."""
    sql = (
        "SELECT digest FROM sessions JOIN persons ON persons.person = sessions.person "
        "WHERE sessions.person = ? AND ends_ms > ? AND disabled_ms IS NULL"
    )
    return frozenset(bytes(row[0]) for row in list(session.rows(sql, (person, now_ms))))


def extend_session(session: Session, digest: bytes, *, ends_ms: int, lasts_ms: int) -> None:
    """Let a session end later, but not later than it may last in all."""
    last = "made_ms + ?"
    sql = (
        f"UPDATE sessions SET ends_ms = CASE WHEN ? < {last} THEN ? ELSE {last} END "
        "WHERE digest = ?"
    )
    session.run(sql, (ends_ms, lasts_ms, ends_ms, lasts_ms, digest))


def staff(session: Session, roles: Iterable[str]) -> list[Person]:
    """Return all people with one of these roles, disabled or not."""
    wanted = sorted(roles)
    sql = (
        f"{_PERSON} FROM persons WHERE person IN (SELECT person FROM roles WHERE role IN "
        f"({', '.join('?' * len(wanted))})) ORDER BY name"
    )
    return [_person(row) for row in list(session.rows(sql, wanted))]


def end_session(session: Session, digest: bytes) -> bool:
    return session.run("DELETE FROM sessions WHERE digest = ?", (digest,)) > 0


def end_sessions(session: Session, person: str) -> None:
    session.run("DELETE FROM sessions WHERE person = ?", (person,))


def give_token(session: Session, digest: bytes, kind: str, *, value: str, lasts_s: float) -> None:
    """Keep a one-time token, and drop those that have expired; only PostgreSQL has these."""
    session.run("DELETE FROM tokens WHERE ends < clock_timestamp()")
    ends = "clock_timestamp() + ? * interval '1 second'"
    sql = f"INSERT INTO tokens (digest, kind, value, ends) VALUES (?, ?, ?, {ends})"
    session.run(sql, (digest, kind, value, lasts_s))


def take_token(session: Session, digest: bytes, kind: str) -> str | None:
    """Return the value of a token, the first time and before it expires."""
    sql = (
        "DELETE FROM tokens WHERE digest = ? AND kind = ? AND ends >= clock_timestamp() "
        "RETURNING value"
    )
    return next((str(value) for (value,) in session.rows(sql, (digest, kind))), None)


def now_s(session: Session) -> float:
    """Return the database's time, which is the same for every process."""
    sql = "SELECT extract(epoch FROM clock_timestamp())::float8"
    return float(next(iter(session.rows(sql)))[0])


def locked_tries(session: Session, digest: bytes) -> Tries:
    """Return what was counted for a key, which nobody else changes in this transaction."""
    session.run("INSERT INTO tries (digest) VALUES (?) ON CONFLICT DO NOTHING", (digest,))
    sql = "SELECT failures, locked_until_s, last_s FROM tries WHERE digest = ? FOR UPDATE"
    return Tries(*next(iter(session.rows(sql, (digest,)))))


def set_tries(session: Session, digest: bytes, tries: Tries) -> None:
    """Store a key's count, and drop those that are too old to matter."""
    sql = "UPDATE tries SET failures = ?, locked_until_s = ?, last_s = ? WHERE digest = ?"
    session.run(sql, (*tries, digest))
    sql = "DELETE FROM tries WHERE locked_until_s < ? AND last_s < ? AND digest <> ?"
    now = now_s(session)
    session.run(sql, (now, now - FORGOTTEN_S, digest))


def set_password(session: Session, person: str, password_hash: str) -> None:
    session.run("UPDATE persons SET password_hash = ? WHERE person = ?", (password_hash, person))


def set_name(session: Session, person: str, name: str, *, looks: str) -> None:
    """Change a person's name; the database refuses one that is taken."""
    session.run("UPDATE persons SET name = ?, looks = ? WHERE person = ?", (name, looks, person))


def set_roles(session: Session, person: str, roles: Iterable[str]) -> None:
    session.run("DELETE FROM roles WHERE person = ?", (person,))
    _add_roles(session, person, roles)


def set_disabled(session: Session, person: str, since_ms: int | None) -> None:
    """Lock a person out, or let them in again."""
    session.run("UPDATE persons SET disabled_ms = ? WHERE person = ?", (since_ms, person))
