"""Ends the posts of people who lost the role for them, and knows whose proposals no longer count.

A round whose dealer goes like this waits for another one, who taps in at an empty post.
"""

from collections.abc import Mapping
from functools import partial

from croupier.house.standing import Act
from croupier.house.table import Table
from croupier.ledger.acts import AccountDisabled, HouseAct, RoleGiven, RolesSet
from croupier.table.commands import TapOut
from croupier.table.crew import POSTS, ROLE_FOR


class PostMinder:
    """Minds the posts at the tables of a process."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._disabled: set[str] = set()
        self._roles: dict[str, frozenset[str]] = {}
        """The roles of those whose roles were set; nothing is known of others."""

    def hear(self, act: HouseAct) -> None:
        """Note who has which roles, by an act of an operator or with the keys of the house."""
        match act:
            case AccountDisabled(person, disabled):
                (self._disabled.add if disabled else self._disabled.discard)(person)
            case RolesSet(person, roles):
                self._roles[person] = frozenset(roles)
            case RoleGiven(person, role):
                self._roles[person] = frozenset({role})
            case _:
                pass

    def has_lost(self, person: str, role: str) -> bool:
        """Whether somebody who acted in a role may not act in it any longer."""
        return person in self._disabled or role not in self._roles.get(person, (role,))

    async def end_all(self) -> None:
        """Tap everybody out who lost the role for their post."""
        for table in list(self._tables.values()):
            for post in POSTS:
                person = table.place.standing.table.crew.at(post)
                if person and self.has_lost(person, ROLE_FOR[post]):
                    tap = TapOut(person, dismissed=True)  # Refused if they have gone meanwhile.
                    await table.try_to(partial(Act.at_table, command=tap))
