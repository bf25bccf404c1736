"""The pit: all tables of a process with their dealers, from opening to closing."""

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial

from croupier.errors import Refused, UserError
from croupier.house import players
from croupier.house.acts import Acts
from croupier.house.automatic import AutomaticDealer
from croupier.house.books import Books
from croupier.house.cage import Cage
from croupier.house.config import Config
from croupier.house.keys import Keys, vouching_of
from croupier.house.log import log_crash
from croupier.house.recall import recall
from croupier.house.signing import Checkpoints, Signing
from croupier.house.table import Table
from croupier.ledger.acts import (
    AccountDisabled,
    DealingStopped,
    HouseAct,
    MeterStopped,
    RolesSet,
)
from croupier.ledger.audit import RulesOf
from croupier.ledger.store import Unavailable, View
from croupier.ledger.stores.marks import RESTORES
from croupier.ledger.verify import Verified, verify
from croupier.round.state import Round

LOOK_S = 1.0
"""How often to look for seats whose players are gone."""
AWAY_MS = 180_000
"""A player who has been away this long gives up the seat, whether or not rounds are dealt."""
ERA_CHARS = 8
PLAYER = "player"
"""The role without which nobody sits."""


class Pit:
    """The tables of a process."""

    def __init__(
        self, config: Config, books: Books, rules_of: RulesOf, *, signing: Signing | None = None
    ) -> None:
        self.config, self.books, self.rules_of = config, books, rules_of
        self.tables: dict[str, Table] = {}
        self.dealers: dict[str, AutomaticDealer] = {}
        self.cage = Cage(books, self.rounds, guest_cents=config.guest_chips_cents)
        self.checkpoints = Checkpoints(books, signing) if signing else None
        self._gone: dict[tuple[str, str], int] = {}
        """Since when players who sit at a table are away; a restart starts over."""
        self._disabled: set[str] = set()
        self._not_players: set[str] = set()
        """Whose roles were taken: nobody sits without the role of a player."""
        self.acts = Acts(books)
        self.acts.listeners.append(self._hear)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, *, deals: bool = True) -> None:
        """Open all tables as their journals left them, and begin to deal."""
        await self.books.start()
        if self.checkpoints:
            await self.checkpoints.start()
        self.books.era = await self.books.read(_era)
        await self.cage.start()
        for config in self.config.tables:
            found = partial(recall, stream=config.id, rules_of=self.rules_of)
            table = Table(config, self.books, await self.books.read(found))
            if "dealer" not in config.rules.things:
                self.dealers[table.id] = AutomaticDealer(table)
            await table.start()
            self.tables[table.id] = table
        await self.acts.start()
        self._tasks.append(asyncio.create_task(self._follow_acts(), name="acts"))
        if deals:
            for id, dealer in self.dealers.items():
                self._tasks.append(asyncio.create_task(dealer.run(), name=f"table {id}"))
            self._tasks.append(asyncio.create_task(self._mind_seats(), name="seats"))
        if self.checkpoints:
            self._tasks.append(asyncio.create_task(self.checkpoints.run(), name="checkpoints"))

    async def stop(self) -> int:
        """Stop dealing; every open round is stored as it stands. Return how many are open."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        await self.books.idle()
        if self.checkpoints:
            await self.checkpoints.stop()
        return len([*self.rounds()])

    def table(self, id: str) -> Table:
        """Return a table, or refuse an id that none has."""
        if id not in self.tables:
            raise UserError(f"there is no table {id!r}", field="table")
        return self.tables[id]

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds that are in play."""
        for table in self.tables.values():
            if round := table.place.standing.in_play:
                yield round

    def verified(self, view: View) -> Verified:
        """Verify the ledger with the keys of this house."""
        books = self.books
        if self.checkpoints is None:
            return verify(view, self.rules_of)
        keys = Keys(books.key, self.checkpoints.signing.secret, books.older_keys)
        vouched = vouching_of(keys)
        return verify(view, self.rules_of, key=vouched.key, opens=vouched.opens)

    # ------------------------------------------------------------ seats

    async def free_seat(self, table: Table, seat: int, *, by: str) -> str:
        """Free a seat for an operator, whom the journal names, and return whose it was."""
        player = table.place.standing.table.seats.get(seat)
        if player is None:
            raise Refused("nobody_there", f"nobody is sitting at seat {seat}", field="seat")
        await table.act(partial(players.clear, seat=seat, player=player, by=by))
        return player

    def bar(self, player: str, *, disabled: bool, plays: bool) -> None:
        """Take a player's seats, each as soon as no hand is in play there; or let them sit."""
        (self._disabled.add if disabled else self._disabled.discard)(player)
        (self._not_players.discard if plays else self._not_players.add)(player)

    async def free_seats(self) -> None:
        """Free the seats of players who may not sit any longer or have been away too long."""
        for table in self.tables.values():
            try:
                await self._free_seats_at(table)
            except Refused:
                pass  # A hand was dealt there meanwhile; it will be over next time.
            except Exception as error:
                log_crash(error, table=table.id)

    async def _free_seats_at(self, table: Table) -> None:
        now_ms, standing = self.books.clocks.wait_ms(), table.place.standing
        for seat, player in sorted(standing.table.seats.items()):
            key = table.id, player
            if player in table.notes.company.present:
                self._gone.pop(key, None)
                late = False
            else:
                late = now_ms - self._gone.setdefault(key, now_ms) >= AWAY_MS
            barred = player in self._disabled or player in self._not_players
            if (late or barred) and not players.hand_at(standing, seat):
                await table.act(partial(players.clear, seat=seat, player=player))
        seated = {*table.place.standing.table.seats.values()}
        for key in [key for key in self._gone if key[0] == table.id and key[1] not in seated]:
            del self._gone[key]

    # ------------------------------------------------------------ acts of operators

    async def _follow_acts(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.acts.look()
            except Unavailable:
                pass
            except Exception as error:
                log_crash(error, missing="acts")

    def _hear(self, act: HouseAct) -> None:
        """Do what an act of an operator asks of tables."""
        match act:
            case MeterStopped(meter, out):
                (self.books.out.add if out else self.books.out.discard)(meter)
                for table in self.tables.values():
                    table.look_again()
            case DealingStopped(id, stopped) if id in self.tables:
                self.tables[id].note_open(open=not stopped)
            case AccountDisabled(person, disabled):
                (self._disabled.add if disabled else self._disabled.discard)(person)
            case RolesSet(person, roles):
                (self._not_players.discard if PLAYER in roles else self._not_players.add)(person)
            case _:
                pass

    async def _mind_seats(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self.free_seats()


def _era(view: View) -> str:
    """Return what sets rounds apart from those that a forced restore has lost."""
    restored = view.heads().get(RESTORES)
    return restored.hash.hex()[:ERA_CHARS] if restored else ""
