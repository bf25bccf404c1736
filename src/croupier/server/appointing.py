"""Gives a role with the keys of a closed house, so that there is a second person again."""

from croupier.errors import Refused
from croupier.house.keys import Keys
from croupier.ledger.acts import HOUSE_STREAM
from croupier.ledger.appointments import given
from croupier.ledger.looks import looks as looks_of
from croupier.ledger.stores.jotting import jot
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import locked_head
from croupier.server import names, registry
from croupier.server.registry import Person


def appoint(store: Store, keys: Keys, name: str, role: str, *, by: str, time_ms: int) -> Person:
    """Give somebody who has an account a role that approves, and journal it; return the person."""
    looks = looks_of(names.parse_name(name))
    with store.writing() as rows:
        number = locked_head(rows, HOUSE_STREAM).number + 1
        known = registry.known_as(rows, looks)
        if known is None or known.password_hash is None or known.person.disabled:
            message = f"nobody called {name} has an account that is in use; they sign up first"
            raise Refused("no_such_person", message, field="name")
        person = registry.lock(rows, known.person.id).person
        registry.set_roles(rows, person.id, [role])
        registry.end_sessions(rows, person.id)
        jot(rows, given(keys.signing, number, person.id, role, by=by), time_ms=time_ms)
    return person
