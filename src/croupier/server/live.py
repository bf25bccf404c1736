"""One live table: who sits there, what they do, and the automatic dealer between them."""

import asyncio
import contextlib
from collections.abc import Set
from functools import partial

from croupier.errors import Bug, CroupierError, Refused
from croupier.fairness.commitment import Committed
from croupier.fairness.seal import unseal
from croupier.ledger.events import MeterStarted
from croupier.ledger.store import NOT_ENOUGH, Answer, Unavailable
from croupier.money import micros
from croupier.server import dealer, players
from croupier.server.acts import Acts, Ask, Asked, Perform, Reply
from croupier.server.backroom import Backroom, friendly, hand_over
from croupier.server.config import TableConfig
from croupier.server.felt import felt_of
from croupier.server.log import log, log_crash
from croupier.server.messages import Message, MoreTime, Ready, refused
from croupier.server.pace import Wait, is_stale, needs_deck, next_wait
from croupier.server.recall import Recalled
from croupier.server.scene import Seen
from croupier.server.standing import Act
from croupier.table.commands import PassBank

IDLE_S = 60.0
"""How often a dealer looks whether the deck of an empty round grows old."""
RETRY_S = 1.0
OVERTAKEN = "overtaken"
MORE_TIMES_MAX = 10
AWAY_ROUNDS_MAX = 3
"""Who is away for so many rounds running gives the seat up."""
AWAY_MS = 180_000
"""Who is away for so long gives the seat up, whether or not rounds are dealt meanwhile."""


class LiveTable(Acts):
    """A table at which a server deals."""

    def __init__(self, config: TableConfig, room: Backroom, recalled: Recalled) -> None:
        super().__init__(config, room, recalled)
        self.away: dict[int, int] = {}
        self._gone: dict[str, int] = {}
        """Since when players who sit here are away; after a restart they are away anew."""

    # ------------------------------------------------------------ players

    async def handle(self, player: str, message: Message, digest: bytes) -> int:
        """Do what a player asks, and return the number of the last event then."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.hear(player, message, digest, reply=partial(hand_over, answer))
        try:
            return (await answer).number
        except Refused as refused:
            raise friendly(refused) from None

    def hear(self, player: str, message: Message, digest: bytes, *, reply: Reply) -> None:
        """Do what a player asks, and reply with the number of the last event then."""
        match message:
            case Ready(_, seat):
                players.check_seat(self.standing, seat, player)
                players.check_ready(self.standing, seat)
                self.ready |= {seat}
                self.say_scene()
                reply(Answer("", self.scribe.number))
            case MoreTime():
                self._give_time(player)
                reply(Answer("", self.scribe.number))
            case _:
                purse = partial(self.room.purse_cents, player)
                asking = players.Asking(player, self.config, purse, self.closed_wagers)
                perform = partial(players.perform, message=message, asking=asking)
                asked = Asked(f"{player}/{message.id}", digest)
                self.ask(Ask(perform, reply, asked))

    def _give_time(self, player: str) -> None:
        """Give a player more time to decide (WCAG 2.2.1), at a practice table."""
        round, wait = self.standing.in_play, self._wait
        mine = wait and wait.does == "choose" and round and wait.seat in round.boxes
        if not mine or not wait or not round or round.boxes[wait.seat or 0].player != player:
            raise Refused("no_decision", "there is nothing that you have to decide now")
        if not self.config.practice:
            raise Refused("no_more_time", "only practice tables give more time")
        if self._more_times >= MORE_TIMES_MAX:
            raise Refused("no_more_time", f"more time was given {MORE_TIMES_MAX} times")
        self._more_times += 1
        self._extra_ms += self.config.timing.decide_ms
        self._wake.set()
        self.say_scene()

    # ------------------------------------------------------------ the dealer

    async def start(self) -> None:
        """Take up the table where its journal left it: rules, meters, and the open round."""
        if self.standing.in_play is None and self.setting != self.config.table_set:
            await self._set_rules()
        await self._start_meters()
        if round := self.standing.round:
            await self._unseal(round.id)
        self.felt = felt_of(self.config)
        self._seen = Seen(self.standing, self.company, self.scene())

    async def _set_rules(self) -> None:
        setting = self.config.table_set
        await self.act(lambda act: act.set_rules(self.config.rules, setting))
        self.setting = setting

    async def _start_meters(self) -> None:
        for id, meter in self.config.rules.meters.items():
            name = self.config.meter(id)
            if meter.initial is not None and self.room.meter(name) is None:
                started = MeterStarted(name, micros(meter.initial))
                await self.act(partial(_start_meter, event=started))

    async def _unseal(self, id: str) -> None:
        """Find the cards of the last round again; a round that still needs them is called off."""
        commitment = self.standing.commitment
        sealed = await self.room.read(lambda view: view.sealed(id))
        try:
            if sealed is None or commitment is None:
                raise Refused("no_deck", f"the deck of {id} is not there")
            self.committed = unseal(sealed, self.room.key, commitment)
        except (CroupierError, ValueError) as error:
            if needs_deck(self.standing):
                log_crash(error, called_off=id)
                why = "its cards could not be read again"
                await self.act(partial(dealer.call_off, because=why))

    async def run(self) -> None:
        """Deal round after round, until cancelled."""
        while True:
            self._wake.clear()
            try:
                await self._step()
            except asyncio.CancelledError:
                raise
            except Refused as error:
                if error.code != OVERTAKEN:
                    log("dealer_waits", table=self.id, code=error.code)
                    await asyncio.sleep(RETRY_S)
            except Unavailable:
                await asyncio.sleep(RETRY_S)  # What was not stored did not happen.
            except Exception as error:
                log_crash(error, table=self.id)
                await asyncio.sleep(RETRY_S)

    async def _step(self) -> None:
        """Wait for what is next, and do it if nothing came between."""
        if self._unsure:
            async with self.idle():
                await self._be_sure()
        self._look()
        wait = self._wait
        left_s = IDLE_S if wait is None else (self._due_ms() - self.room.clocks.wait_ms()) / 1000
        if left_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._wake.wait()
                    return
        await (self._do(wait) if wait else self._idle_look())

    async def _idle_look(self) -> None:
        """Call an empty round off whose deck grows too old."""
        if is_stale(self.standing, self.room.clocks.time()):
            why = "nobody bet before its deck was due to be changed"
            await self.act(partial(dealer.call_off, because=why))

    async def _do(self, wait: Wait) -> None:
        match wait.does:
            case "open":
                await self._open()
            case "deal":
                await self._deal()
            case "show":
                committed = self._deck()
                await self._dealer_does(lambda act: dealer.show(act, committed))
            case "choose":
                await self._choose(wait.seat or 0)
            case "settle":
                await self._settle()
            case "pass":
                seat = wait.seat or 0
                await self._dealer_does(lambda act: act.at_table(PassBank(seat)))

    async def _open(self) -> None:
        if self.setting != self.config.table_set:
            await self._set_rules()
            return
        await self._clear_away()
        committed: list[Committed] = []
        era = f"{self.room.era}-" if self.room.era else ""
        id = f"{self.id}-{era}{self.rounds + 1}"

        def perform(act: Act) -> None:
            time, chance = self.room.clocks.time(), self.room.chance
            shown = self.meters()
            committed[:] = [dealer.open_round(act, id, time=time, meters=shown, chance=chance)]

        self.ready = frozenset()
        try:
            answer = await self._dealer_does(perform)
        except Refused as refused:
            banker = self.standing.table.banker
            if refused.code != NOT_ENOUGH or banker is None:
                raise
            # The funds went elsewhere meanwhile: the turn goes on to the next.
            await self.act(lambda act: act.at_table(PassBank(banker.seat)))
            return
        if not answer.repeated:  # Otherwise the round was opened before, with its own deck.
            self.rounds += 1
            self.committed = committed[0]
        self.opened_ms = self.room.clocks.wait_ms()

    async def _clear_away(self) -> None:
        """Free the seats of players who have been away for some rounds."""
        present = self.company.present
        for seat, player in sorted(self.standing.table.seats.items()):
            self.away[seat] = 0 if player in present else self.away.get(seat, 0) + 1
            if self.away[seat] > AWAY_ROUNDS_MAX:
                del self.away[seat]
                await self.act(partial(players.clear, seat=seat, player=player))

    async def free_seats(self, shut_out: Set[str] = frozenset()) -> None:
        """Free the seats of players who are away for long, or were shut out."""
        present, now = self.company.present, self.room.clocks.wait_ms()
        seats = self.standing.table.seats
        gone = {player for player in seats.values() if player not in present}
        self._gone = {player: self._gone.get(player, now) for player in gone}
        late = {player for player, since in self._gone.items() if now - since >= AWAY_MS}
        for seat, player in sorted(seats.items()):
            if player in late | shut_out and not players.hand_at(self.standing, seat):
                await self.act(partial(players.clear, seat=seat, player=player))

    async def free_seat(self, seat: int) -> str:
        """Free a seat for an operator, and return whose it was."""
        player = self.standing.table.seats.get(seat)
        if player is None:
            raise Refused("nobody_there", f"nobody sits at seat {seat}", field="seat")
        await self.act(partial(players.clear, seat=seat, player=player))
        return player

    async def _deal(self) -> None:
        """Close the bets and deal; a bet that does not fit goes back to its player first."""
        committed = self._deck()
        time = self.room.clocks.time()
        try:
            await self._dealer_does(lambda act: dealer.deal(act, committed, time=time))
        except Refused as error:
            if error.code == OVERTAKEN:
                raise
            why = error
            returned: list[players.Returned | None] = []

            def put_right(act: Act) -> None:
                returned[:] = [players.put_right(act, why)]

            await self.act(put_right)
            if returned[0]:
                self._tell_returned(*returned[0])

    def _tell_returned(self, player: str, why: Refused) -> None:
        """Tell a player that bets came back, and by which clause they could not stand."""
        message = f"your bets were returned when betting closed: {why.message}"
        said = Refused(why.code, message, field=why.field, clause=why.clause)
        for viewer in self.viewers:
            if viewer.player == player:
                viewer.send(refused(None, said))

    async def _choose(self, seat: int) -> None:
        committed = self._deck()
        for rich in (True, False):
            try:
                chosen = partial(dealer.choose_for, seat=seat, committed=committed, rich=rich)
                await self._dealer_does(chosen)
                return
            except Refused as refused:
                if refused.code != NOT_ENOUGH:
                    raise

    async def _settle(self) -> None:
        """Settle at what the meters show in the very transaction that pays from them."""
        round = self.standing.in_play
        names = () if round and round.void else self._staked_meters()
        await self._dealer_does(lambda act: dealer.settle(act, act.readings), meters=names)

    def _staked_meters(self) -> tuple[str, ...]:
        round, rules = self.standing.in_play, self.standing.rules
        if round is None:
            return ()
        staked = {spot for box in round.boxes.values() for spot in box.stakes}
        ids = [i for i, m in rules.meters.items() if staked & {*rules.spots.get(m.wager, ())}]
        return tuple(self.config.meter(id) for id in ids)

    def _deck(self) -> Committed:
        if self.committed is None:
            raise Bug(f"the deck of table {self.id} is not known")
        return self.committed

    async def _dealer_does(self, perform: Perform, *, meters: tuple[str, ...] = ()) -> Answer:
        """Do what the dealer waited for, unless a player was quicker."""
        waited = self._wait

        def in_time(act: Act) -> None:
            now = next_wait(act.standing, self.config.timing, self.company)
            if waited is not None and (now is None or now.key != waited.key):
                raise Refused(OVERTAKEN, "somebody was quicker")
            perform(act)

        return await self.act(in_time, meters=meters)


def _start_meter(act: Act, event: MeterStarted) -> None:
    act.in_ledger(event)
