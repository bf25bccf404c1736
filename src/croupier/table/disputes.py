"""Disputes about hands of a round, open until the floor answers.

A dispute stops nothing: the round goes on, the rack keeps its order, and money stays where it is.
The floor lets things stand and says why, or two people correct them.
"""

from croupier.errors import Refused
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.state import Table

ABOUT_MAX = 200
"""How long the words of a dispute may be."""


def dispute(table: Table, command: commands.Dispute) -> happened.Disputed:
    id, about = str(table.disputed + 1), _words(command.about, "about")
    return happened.Disputed(id, command.round, command.seat, command.player, about)


def let_stand(table: Table, command: commands.LetStand) -> happened.Stands:
    return happened.Stands(_open(table, command.dispute).id, _words(command.why, "why"))


def set_right(table: Table, command: commands.SetRight) -> happened.Corrected:
    one, why, cents = _open(table, command.dispute), _words(command.why, "why"), command.cents
    if cents < 0:
        raise Refused("no_money", "can't be negative", field="cents")
    if cents and table.rules.banked_by != "house":
        # A player's bank is never the tray.
        message = "a player banks here, so the house moves no money: enter 0 and say what they did"
        raise Refused("no_money", message, field="cents")
    handed = cents if command.to == "player" else -cents
    return happened.Corrected(one.id, one.round, one.seat, one.player, handed, why)


def _open(table: Table, id: str) -> happened.Disputed:
    for one in table.disputes:
        if one.id == id:
            return one
    raise Refused("no_such_dispute", f"no dispute {id!r} is open", field="dispute")


def _words(given: str, field: str) -> str:
    words = " ".join(given.split())
    if not 0 < len(words) <= ABOUT_MAX:
        message = f"say it in 1 to {ABOUT_MAX} characters"
        raise Refused("bad_fact", message, field=field)
    return words
