"""The roles of a house: which exclude each other, and who approves them. Pure."""

from collections.abc import Collection

from croupier.errors import Refused

PLAYER, DEALER, FLOOR = "player", "dealer", "floor"
SURVEILLANCE, AUDITOR, OPERATOR = "surveillance", "auditor", "operator"
ROLES = (PLAYER, DEALER, FLOOR, SURVEILLANCE, AUDITOR, OPERATOR)
STAFF = frozenset(ROLES) - {PLAYER}
ALONE = frozenset({SURVEILLANCE, AUDITOR, OPERATOR})
"""Roles that can't be combined with others: they watch or administer those who run the game."""
APPOINTING = frozenset({OPERATOR, AUDITOR})
"""One of these approves a staff role that another operator proposes."""


def check_roles(roles: Collection[str]) -> None:
    """Refuse roles that don't exist, or that one person can't hold together."""
    if unknown := sorted(set(roles) - set(ROLES)):
        raise Refused("no_such_role", f"there is no role {unknown[0]}", field="roles")
    if len(set(roles)) > 1 and (alone := sorted(ALONE & set(roles))):
        message = f"the role {alone[0]} can't be held together with another one"
        raise Refused("roles_exclude", message, field="roles")


def appoints(before: Collection[str], after: Collection[str]) -> bool:
    """Whether a change of roles gives a staff role that wasn't there."""
    return bool(STAFF & (set(after) - set(before)))


def is_staff(roles: Collection[str]) -> bool:
    return bool(STAFF & set(roles))
