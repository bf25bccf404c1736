"""Frees the seats of players who may not sit any longer, or have been away for too long."""

from collections.abc import Mapping
from functools import partial

from croupier.errors import Refused
from croupier.house import players
from croupier.house.books import Clocks
from croupier.house.log import log_crash
from croupier.house.table import Table
from croupier.ledger.acts import AccountDisabled, HouseAct, RoleGiven, RolesSet
from croupier.ledger.roles import PLAYER
from croupier.round.state import is_walk_in

AWAY_MS = 180_000
"""A player who has been away this long gives up the seat, whether or not rounds are dealt."""


class SeatMinder:
    """Minds the seats at the tables of a process."""

    def __init__(self, tables: Mapping[str, Table], clocks: Clocks) -> None:
        self._tables, self._clocks = tables, clocks
        self._away_since: dict[tuple[str, str], int] = {}
        """Since when players who sit at a table are away; a restart starts over."""
        self._disabled: set[str] = set()
        self._not_players: set[str] = set()
        """Whose roles were taken: nobody sits without the role of a player."""

    def hear(self, act: HouseAct) -> None:
        """Note who may not sit any longer, or may again, by an act of an operator."""
        match act:
            case AccountDisabled(person, disabled):
                (self._disabled.add if disabled else self._disabled.discard)(person)
            case RolesSet(person, roles):
                (self._not_players.discard if PLAYER in roles else self._not_players.add)(person)
            case RoleGiven(person):
                self._not_players.add(person)  # It is given instead of all others.
            case _:
                pass

    def bar(self, player: str, *, disabled: bool, plays: bool) -> None:
        """Take a player's seats, each as soon as no hand is in play there; or let them sit."""
        (self._disabled.add if disabled else self._disabled.discard)(player)
        (self._not_players.discard if plays else self._not_players.add)(player)

    async def free(self, table: Table, seat: int, *, by: str) -> str:
        """Free a seat for an operator, whom the journal names, and return its player."""
        player = table.place.standing.table.seats.get(seat)
        if player is None:
            raise Refused("nobody_there", f"nobody is sitting at seat {seat}", field="seat")
        await table.act(partial(players.clear, seat=seat, player=player, by=by))
        return player

    async def free_all(self) -> None:
        """Free every seat whose player may not sit any longer or has been away for too long."""
        for table in list(self._tables.values()):
            try:
                await self._free_at(table)
            except Refused:
                pass  # A hand was dealt there meanwhile; it will be over next time.
            except Exception as error:
                log_crash(error, table=table.id)

    async def _free_at(self, table: Table) -> None:
        now_ms, standing = self._clocks.wait_ms(), table.place.standing
        for seat, player in sorted(standing.table.seats.items()):
            if is_walk_in(player):
                continue  # Walk-ins have no screen: the dealer sees who has gone.
            key = table.id, player
            if player in table.notes.company.present:
                self._away_since.pop(key, None)
                late = False
            else:
                late = now_ms - self._away_since.setdefault(key, now_ms) >= AWAY_MS
            barred = player in self._disabled or player in self._not_players
            if (late or barred) and not players.hand_at(standing, seat):
                await table.act(partial(players.clear, seat=seat, player=player))
        seated = {*table.place.standing.table.seats.values()}
        for key in [*self._away_since]:
            if key[0] == table.id and key[1] not in seated:
                del self._away_since[key]
