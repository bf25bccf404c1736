"""Roles given with the keys of a closed house, when nobody could approve one: signed acts. Pure."""

from collections.abc import Iterator

from croupier.ledger.acts import Register, RoleGiven
from croupier.ledger.builds import key_at
from croupier.ledger.checkpoints import is_text_signed, sign_text
from croupier.ledger.journal import canonical

PREFIX = b"croupier role 1 "


def given(secret: bytes, number: int, person: str, role: str, *, by: str) -> RoleGiven:
    """Sign a role for the event of this number; the signature is valid for no other event."""
    act = RoleGiven(person, role, "", by)
    return act._replace(signature=sign_text(secret, _text(number, act)).hex())


def unsigned(register: Register) -> Iterator[int]:
    """Yield the numbers of the acts that aren't signed with the key in force at their time."""
    for number, act in register.given:
        if not is_text_signed(key_at(register, number), act.signature, _text(number, act)):
            yield number


def _text(number: int, act: RoleGiven) -> bytes:
    return PREFIX + canonical([number, act.person, act.role, act.by]).encode()
