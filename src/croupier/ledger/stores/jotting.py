"""Appends acts of the house to its stream, in the transaction that carries them out."""

from croupier.ledger.acts import (
    HOUSE_STREAM,
    AccountDisabled,
    HouseAct,
    KeysSet,
    PersonCame,
    fingerprint,
)
from croupier.ledger.journal import Record, encode
from croupier.ledger.stores.statements import MOVE, Session, locked_head
from croupier.round.codec import to_plain


def jot(session: Session, act: HouseAct, *, time_ms: int) -> None:
    """Append an act; its stream stays locked until the end of the transaction."""
    head = locked_head(session, HOUSE_STREAM)
    data = encode(Record(HOUSE_STREAM, head.number + 1, time_ms, "", "house", to_plain(act)))
    number, hash = head.after(data)
    session.run(
        "INSERT INTO events (stream, number, time_ms, subject, data, hash) "
        "VALUES (?, ?, ?, '', ?, ?)",
        (HOUSE_STREAM, number, time_ms, data, hash),
    )
    session.run(MOVE, (number, hash, HOUSE_STREAM))


BEGIN_HOUSE = (
    "INSERT INTO house (house, master, signing) VALUES (1, ?, ?) ON CONFLICT (house) DO NOTHING"
)


def begin_house(session: Session, keys: KeysSet, *, time_ms: int) -> bool:
    """Begin a house and its stream; False if somebody else has begun it."""
    if not session.run(BEGIN_HOUSE, (keys.master, keys.signing)):
        return False
    begin_journal(session, keys, time_ms=time_ms)
    return True


def put_keys(session: Session, keys: KeysSet, *, time_ms: int) -> None:
    """Put other keys in force."""
    session.run("UPDATE house SET master = ?, signing = ?", (keys.master, keys.signing))
    jot(session, keys, time_ms=time_ms)


def begin_journal(session: Session, keys: KeysSet, *, time_ms: int) -> None:
    """Begin the house's stream, if it has none: with its keys and all known people.

    Ledgers of earlier versions have people but no journal of them; they are taken over as they are.
    """
    if locked_head(session, HOUSE_STREAM).number:
        return
    jot(session, keys, time_ms=time_ms)
    roles: dict[str, list[str]] = {}
    for person, role in list(session.rows("SELECT person, role FROM roles ORDER BY person, role")):
        roles.setdefault(person, []).append(role)
    sql = "SELECT person, name, password_hash, disabled_ms FROM persons ORDER BY made_ms, person"
    for person, name, password_hash, disabled_ms in list(session.rows(sql)):
        has = tuple(roles.get(person, ()))
        came = PersonCame(person, name, has, fingerprint(password_hash), is_from_before=True)
        jot(session, came, time_ms=time_ms)
        if disabled_ms is not None:
            jot(session, AccountDisabled(person, disabled=True, by=""), time_ms=time_ms)
