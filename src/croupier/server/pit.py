"""The pit: all live tables of a server, the cage where chips come from, and the checkpoints."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path

from croupier.errors import Refused, UserError
from croupier.ledger.accounts import Account
from croupier.ledger.audit import Posted, RulesOf
from croupier.ledger.checkpoints import Checkpoint, sign
from croupier.ledger.entries import at_stake
from croupier.ledger.events import Bought, LedgerEvent
from croupier.ledger.found import player_at
from croupier.ledger.journal import Head
from croupier.ledger.scribe import Happened, Scribe
from croupier.ledger.store import Claim, Request, Unavailable, View, Work
from croupier.ledger.stores.marks import RESTORES, write_high_water
from croupier.money import shown_cents
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars
from croupier.server.backroom import Backroom
from croupier.server.config import Config
from croupier.server.live import LiveTable
from croupier.server.log import log_crash
from croupier.server.messages import encode
from croupier.server.outbox import Viewer
from croupier.server.recall import check_kept, recall

CAGE = "cage"
"""The stream of chips that are bought, given and cashed in."""
CHECKPOINT_S = 60.0
CHECKPOINT_EVENTS = 1_000
LOOK_S = 1.0
ERA_CHARS = 8
ENDED = 4403
"""What the sockets of somebody are closed with whose session has ended."""


class Pit:
    """All tables, from the opening of the house to its closing."""

    def __init__(
        self, config: Config, room: Backroom, rules_of: RulesOf, *, signing: "Signing | None" = None
    ) -> None:
        self.config, self.room, self.rules_of = config, room, rules_of
        self.signing = signing
        self.tables: dict[str, LiveTable] = {}
        self._cage: Scribe = Scribe(CAGE, _no_rules)
        self._cage_lock, self._cage_unsure = asyncio.Lock(), False
        self._owners: dict[Account, str] = {}
        """Whose each pending award is."""
        self._shut_out: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._check_lock, self._checked = asyncio.Lock(), 0
        self._noted: dict[str, Head] = {}
        room.on_purse = self._tell_purse

    async def start(self, *, deals: bool = True) -> None:
        """Stand all tables up as the journal has them, and begin to deal."""
        await self.room.start()
        self.room.era = await self.room.read(_era)
        self._cage = await self.room.read(lambda view: self._cage.read(view.stream(CAGE)))
        for config in self.config.tables:
            recalled = await self.room.read(
                lambda view, id=config.id: recall(view, id, self.rules_of)  # type: ignore[misc]
            )
            table = LiveTable(config, self.room, recalled)
            await table.start()
            self.tables[table.id] = table
        for table in self.tables.values() if deals else ():
            self._tasks.append(asyncio.create_task(table.run(), name=f"table {table.id}"))
        if deals:
            self._tasks.append(asyncio.create_task(self._mind_seats(), name="seats"))
        if self.signing:
            self._tasks.append(asyncio.create_task(self._check(), name="checkpoints"))

    async def stop(self) -> int:
        """Stop dealing; every open round is stored as it stands. Return how many are open."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        for table in self.tables.values():
            async with table.idle():
                for viewer in table.viewers:
                    viewer.end()
        if self.signing and self.room.lost is None:
            try:
                await self.checkpoint()
                await self._note_high_water()
            except Exception as error:
                log_crash(error, missing="checkpoint")
        return sum(table.standing.in_play is not None for table in self.tables.values())

    def table(self, id: str) -> LiveTable:
        """Return a table, or refuse an id that none bears."""
        if id not in self.tables:
            raise UserError(f"there is no table {id!r}", field="table")
        return self.tables[id]

    # ------------------------------------------------------------ the cage

    async def issue(self, player: str) -> None:
        """Give play chips to a player who owns fewer than a guest starts with."""
        most = self.config.guest_chips_cents

        def due() -> LedgerEvent:
            owned = self.owned_cents(player)
            if owned >= most:
                message = (
                    f"you have {dollars(owned)}, bets and funds on the tables included; "
                    f"you can refill once you have less than {dollars(most)}"
                )
                raise Refused("enough_chips", message, field="purse")
            return Bought(player, most - owned)

        await self._at_cage(due)

    def owned_cents(self, player: str) -> int:
        """Return what a player owns: the purse, what lies on tables, and awards not yet paid."""
        rounds = [table.standing.in_play for table in self.tables.values()]
        staked = sum(at_stake(round).get(player, 0) for round in rounds if round)
        balances = self.room.balances()
        pending = [balances[a] for a in self.room.pending if self._owners.get(a) == player]
        return self.room.purse_cents(player) + staked + shown_cents(sum(pending))

    async def _learn_owners(self) -> None:
        """Look up whose awards are pending; the account names the round and the seat."""
        while unknown := self.room.pending - self._owners.keys():
            one = unknown.pop()
            round, seat, _ = one.removeprefix("pending:").rsplit("/", 2)
            self._owners[one] = await self.room.read(
                partial(player_at, round=round, seat=int(seat))
            )

    async def fill(self, player: str, cents: int) -> None:
        """Give a player of the house as many chips as it needs."""

        def due() -> LedgerEvent | None:
            missing = cents - self.room.purse_cents(player)
            return Bought(player, missing) if missing > 0 else None

        await self._at_cage(due)

    async def _at_cage(self, decide: Callable[[], LedgerEvent | None]) -> None:
        """Decide on what the purses hold when nothing else is under way, and store it."""
        # Whoever asks may go away meanwhile: what was begun is stored and noted all the same.
        await asyncio.shield(self._act_at_cage(decide))

    async def _act_at_cage(self, decide: Callable[[], LedgerEvent | None]) -> None:
        async with self._cage_lock:
            if self._cage_unsure:
                await self._catch_up_at_cage()
            await self._learn_owners()
            if (event := decide()) is None:
                return
            cage = self._cage
            draft = cage.draft([Happened("ledger", event)], time_ms=self.room.clocks.wall_ms())
            digest = sha256(draft.events[0].data).digest()
            claim = Claim(f"{CAGE}#{draft.scribe.number}", digest, CAGE, cage.head)
            self._cage_unsure = True
            request = Request(claim, (), lambda _: Work(draft.events, ""))
            [result] = await self.room.settled(lambda: [request])
            if isinstance(result, BaseException):
                raise result
            self._cage, self._cage_unsure = draft.scribe, False
            self.room.stored += 1
            self.room.posted(draft.events[0].entries)

    async def _catch_up_at_cage(self) -> None:
        """Learn what was stored although its storing seemed to fail."""
        cage = self._cage

        def look(view: View) -> tuple[Scribe, list[Posted]]:
            check_kept(view, cage)
            read = Scribe(CAGE, _no_rules).read(view.stream(CAGE))
            return read, list(view.posted(CAGE, after=cage.number))

        self._cage, posted = await self.room.read(look)
        self._cage_unsure = False
        self.room.stored += self._cage.number - cage.number
        self.room.posted(row.entry for row in posted)

    # ------------------------------------------------------------ viewers

    def _tell_purse(self, player: str) -> None:
        if theirs := self.room.viewers.get(player):
            frame = encode({"type": "purse", "cents": self.room.purse_cents(player)})
            for viewer in theirs:
                viewer.send(frame)

    def end(self, player: str) -> None:
        """Close all sockets of a player whose session has ended."""
        for viewer in self.room.viewers.get(player, ()):
            viewer.end(ENDED)

    async def shut_out(self, player: str, *, out: bool = True) -> None:
        """Take a player's seats, those with a hand in play when it is over; or no longer."""
        (self._shut_out.add if out else self._shut_out.discard)(player)
        if out:
            await self._free_seats()

    async def _mind_seats(self) -> None:
        """Free seats as time goes by, whether or not rounds are dealt."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self._free_seats()

    async def _free_seats(self) -> None:
        for table in self.tables.values():
            try:
                await table.free_seats(self._shut_out)
            except Refused:
                pass  # A hand was dealt there meanwhile: the next look finds it over.
            except Exception as error:
                log_crash(error, table=table.id)

    def viewers(self) -> list[Viewer]:
        return [viewer for table in self.tables.values() for viewer in table.viewers]

    # ------------------------------------------------------------ checkpoints

    @property
    def unsigned(self) -> int:
        """How many events were stored since the last checkpoint."""
        return self.room.stored - self._checked

    async def _check(self) -> None:
        """Sign where the journal is, every minute and every thousand events."""
        last_s = self.room.clocks.wait_s()
        while True:
            await asyncio.sleep(LOOK_S)
            await self._look_after()
            new = self.unsigned
            now_s = self.room.clocks.wait_s()
            if new >= CHECKPOINT_EVENTS or (new and now_s - last_s >= CHECKPOINT_S):
                last_s = now_s
                try:
                    # When the house closes, what was begun is finished all the same.
                    await asyncio.shield(self.checkpoint())
                except Exception as error:
                    log_crash(error, missing="checkpoint")

    async def _look_after(self) -> None:
        """See that the ledger is still there, and note outside of it how far it has come."""
        try:
            await self.room.away(self.room.store.check)
            await self._note_high_water()
        except Unavailable:
            pass  # It was noted, or is by whoever needs it.
        except Exception as error:
            log_crash(error, missing="high water")

    async def _note_high_water(self) -> None:
        signing, heads = self.signing, {t.id: t.scribe.head for t in self.tables.values()}
        heads[CAGE] = self._cage.head
        if signing and heads != self._noted:
            time_ms = self.room.clocks.wall_ms()
            await self.room.away(lambda: signing.note(heads, time_ms=time_ms))
            self._noted = heads

    async def checkpoint(self) -> None:
        """Sign the heads of all streams, and write them where they can be taken from."""
        # One after the other: each has the number after the last one's.
        async with self._check_lock:
            stored, signing, room = self.room.stored, self.signing, self.room
            if signing is None or stored == self._checked:
                return
            checkpoint = await room.away(lambda: signing.sign(room))
            await room.commit(partial(room.store.add_checkpoint, checkpoint))
            await room.away(lambda: signing.write(checkpoint))
            self._checked = stored


class Signing:
    """Signs checkpoints with a key, and writes them into a file beside the ledger."""

    def __init__(self, secret: bytes, file: Path) -> None:
        self.secret, self.file = secret, file

    def sign(self, room: Backroom) -> Checkpoint:
        """Sign the heads of all streams as they are now."""

        def look(view: View) -> tuple[int, Mapping[str, Head]]:
            return view.last_checkpoint() + 1, view.heads()

        number, heads = room.looked(look)
        return sign(self.secret, number, heads, time_ms=room.clocks.wall_ms())

    def note(self, heads: Mapping[str, Head], *, time_ms: int) -> None:
        """Note between two checkpoints how far streams have come."""
        write_high_water(self.file.parent, heads, time_ms=time_ms)

    def write(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint where it can be taken from."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(f"{checkpoint}\n")


def _era(view: View) -> str:
    """Return what tells rounds apart from those that a forced restore has lost."""
    restored = view.heads().get(RESTORES)
    return restored.hash.hex()[:ERA_CHARS] if restored else ""


def _no_rules(rulebook: str, _: object) -> TableRules:
    raise UserError(f"the cage has no table, and so no rules: {rulebook}")
