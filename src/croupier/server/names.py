"""Which names people may have. Two names that look alike are one name."""

import re
import unicodedata

from croupier.errors import Refused
from croupier.ledger.looks import looks

CHARS_MIN, CHARS_MAX = 2, 20
READ_CHARS_MAX = 100
"""Longer input isn't even normalized: some characters have long normal forms."""
GUEST = "Guest"

# Latin letters with and without marks, except those that look like another: × ÷ ı ĸ ſ.
_SIGN = r"[0-9A-Za-zÀ-ÖØ-öø-İĴ-ķĹ-ž]"
_NAME = re.compile(rf"{_SIGN}+(?:(?:\. |[ '._-]){_SIGN}+)*")


def parse_name(text: str) -> str:
    """Parse a name, or refuse it."""
    name = unicodedata.normalize("NFKC", text[: READ_CHARS_MAX + 1].strip())
    if not CHARS_MIN <= len(name) <= CHARS_MAX:
        message = f"a name has {CHARS_MIN} to {CHARS_MAX} characters"
        raise Refused("bad_name", message, field="name")
    if not _NAME.fullmatch(name):
        message = "a name has Latin letters and digits, with a space or one of ' . _ - between them"
        raise Refused("bad_name", message, field="name")
    return name


def parse_new_name(text: str) -> str:
    """Parse a new account's name; refuse one that could pass for the house."""
    name = parse_name(text)
    if looks(name) in _HOUSE or looks(name).startswith(looks(GUEST)):
        raise Refused("bad_name", "this name is reserved", field="name")
    return name


OPERATOR = "Operator"
_WORDS = (OPERATOR, "Admin", "Auditor", "Bank", "Banker", "Cage", "Croupier", "Dealer", "Floor")
_HOUSE = frozenset(map(looks, (*_WORDS, "House", "Moderator", "Pit Boss", "Surveillance", "Staff")))
