"""The codes on the felt, which tie a player's screen to a seat where the cards are real.

Faces are unknown until cards are turned up, so nobody can look at their hand from elsewhere: a
player with a screen sits at the felt and types the code that lies at the seat. A code follows from
the house's master key, the table and the seat. It is stored nowhere, all processes of a house agree
on it, and it changes with the key.
"""

import hmac
from collections.abc import Callable

from croupier.errors import Refused
from croupier.fairness.commitment import framed
from croupier.rules.table_rules import TableRules

ALPHABET = "23456789ACDEFHJKMNPQRTVWXY"
"""Digits and letters, without any that are easily confused."""
CHARS = 6
"""Enough that guessing within the quota of an address takes years."""

CodeOf = Callable[[int], str]
"""Returns the code of a seat of the table."""


def seat_code(key: bytes, table: str, seat: int) -> str:
    """Return the code of a seat."""
    bound = framed("seat code", table.encode(), str(seat).encode())
    number = int.from_bytes(hmac.digest(key, bound, "sha256"), "big")
    chars = []
    for _ in range(CHARS):
        number, at = divmod(number, len(ALPHABET))
        chars.append(ALPHABET[at])
    return "".join(chars)


def needs_code(rules: TableRules) -> bool:
    """Whether a player with a screen needs the code of a seat to sit there."""
    return "cards" in rules.things


def check_code(rules: TableRules, seat: int, given: str, code_of: CodeOf) -> None:
    """Refuse a seat at real cards without its code; case and spaces don't matter."""
    if not needs_code(rules):
        return
    typed = "".join(given.split()).upper()
    if hmac.compare_digest(typed.encode(), code_of(seat).encode()):
        return
    lies = f"the code that lies on the felt at seat {seat}"
    text = f"that isn't {lies}" if typed else f"give {lies}; from elsewhere you can only watch"
    raise Refused("seat_code", text, field="code", clause=seated_clause(rules))


def seated_clause(rules: TableRules) -> str | None:
    """Return the clause by which only people seated at the table bet, if the book has one.

    It is the clause kept by the table itself, besides the one that says how many seats there are.
    """
    kept = (id for id, one in rules.clauses.items() if one.in_ == "table")
    return next((id for id in kept if id != rules.table.clause), None)
