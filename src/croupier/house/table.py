"""One live table: a mailbox for what players and dealers ask, and what the table knows.

The loop of the books visits it: `decide` takes what is waiting, `settled` applies what was stored,
publishes it and replies. Nothing else changes where the table stands, so there is no lock. Who
looks on is not the table's business: listeners are told what it knows now, and what happened.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from croupier.errors import CroupierError, Refused, UserError
from croupier.fairness.commitment import Committed
from croupier.fairness.seal import MissingKey
from croupier.house import console, dealer, players, said
from croupier.house.asking import Employee, HasLost, StaffAsking
from croupier.house.books import Books, answer_to
from croupier.house.clock import Company, Notes, Wait, needs_deck
from croupier.house.config import TableConfig
from croupier.house.heard import Heard
from croupier.house.keeping import KEEP_EVERY, Recalled, to_keep
from croupier.house.lately import PastEvent, lately
from croupier.house.log import log_crash
from croupier.house.now import NOTHING_HAPPENED, Listen, Now, Told
from croupier.house.recall import missed_by
from croupier.house.seat_codes import seat_code
from croupier.house.standing import Act, new_standing, staked_meters
from croupier.house.turn import Ask, CommandId, Perform, Position, Reply, Stored, Turn
from croupier.ledger.events import MeterStarted
from croupier.ledger.found import PastHand, hand_at
from croupier.ledger.store import Answer, Lost, NotOwner, Request, Result
from croupier.money import micros
from croupier.round.events import Dealt
from croupier.round.order import is_read
from croupier.table.commands import Preview

MORE_TIMES_MAX = 10
SETTLING = ("Settle", "Read")
"""The commands that settle a seat, or may: the first card of the next seat settles this one."""
STOPPED = "an operator stopped dealing at this table"
METER_OUT = "its meter is out of operation; you can make the other wagers"


class Unreadable(CroupierError):
    """Raised if the deck of an open round is damaged or gone: the round can't be finished."""


TakingFloor = Callable[["Table", str], AbstractAsyncContextManager[int]]
"""Counts a table for somebody while the block lasts; yields how many others they have."""


class Table:
    """A table at which rounds are dealt."""

    def __init__(
        self,
        config: TableConfig,
        books: Books,
        recalled: Recalled,
        *,
        taking_floor: TakingFloor,
        has_lost: HasLost,
        on_unreadable: Callable[[], None],
    ) -> None:
        """Make a table as it was recalled.

        `on_unreadable` is called when a deck that was stored doesn't open.
        """
        self.id, self.config, self.books = config.id, config, books
        standing = (recalled.standing or new_standing(config.rules)).with_ways(config.others)
        self.place = Position(standing, recalled.scribe)
        self.rounds, self.setting = recalled.rounds, recalled.setting
        self.kept = recalled.kept
        """The number of the event after which this was last kept."""
        self.deck: Committed | None = None
        self.past: tuple[PastEvent, ...] = ()
        """The last events before this process took the table up, for its staff to read."""
        self.notes = Notes()
        self._told_clock = self.notes.clock
        self.listeners: list[Listen] = []
        self.on_wait: Callable[[], None] = lambda: None
        """Called when the table waits for something else, or for another time."""
        self._taking_floor, self._on_unreadable = taking_floor, on_unreadable
        self._has_lost = has_lost
        self.on_forgotten: Callable[[str], None] = lambda because: books.lose(Lost(because))
        """Called when something that was acknowledged is not in the ledger any more."""
        self.unsure = False
        """Whether something failed that may have been stored."""
        self._heard = Heard()
        self._inbox: list[Ask] = []
        self._turn: Turn | None = None
        self._held: list[tuple[Reply, Result]] = []
        """Replies that wait until the table has caught up with what they say."""

    # ------------------------------------------------------------ what it knows

    @property
    def number(self) -> int:
        """The number of the last event."""
        return self.place.scribe.head.number

    @property
    def next_round(self) -> str:
        """The id of the next round."""
        era = f"{self.books.era}-" if self.books.era else ""
        return f"{self.id}-{era}{self.rounds + 1}"

    def current(self) -> Now:
        """Return the whole state of the table."""
        standing, scribe = self.place
        metered = standing.table.rules.meters
        shown, closed = (self.meters(), self.closed_wagers()) if metered else ({}, {})
        return Now(scribe.head.number, standing, self.deck, self.notes, shown, closed)

    def meters(self) -> dict[str, int]:
        """Return what the table's meters show; one that can't be reached is left out."""
        meter, name = self.books.meter, self.config.meter
        shown = {id: meter(name(id)) for id in self.place.standing.table.rules.meters}
        return {id: value for id, value in shown.items() if value is not None}

    def closed_wagers(self) -> dict[str, str]:
        """Return the wagers that can't be made because their meter can't be reached."""
        meters, shown = self.place.standing.table.rules.meters, self.meters()
        return {meter.wager: METER_OUT for id, meter in meters.items() if id not in shown}

    def seat_code(self, seat: int) -> str:
        """Return the code that lies on the felt at a seat."""
        return seat_code(self.books.key, self.id, seat)

    # ------------------------------------------------------------ asking

    def ask(self, ask: Ask) -> None:
        """Do something once, however often it is asked, and reply when it is stored."""
        self._inbox.append(ask)
        self.books.ring(self)

    async def act(
        self, perform: Perform, *, meters: tuple[str, ...] = (), wait: Wait | None = None
    ) -> Answer:
        """Do something for the house, and wait until it is stored; or raise why it was refused."""
        return await answer_to(
            lambda reply: self.ask(Ask(perform, reply, meters=meters, wait=wait))
        )

    async def try_to(self, perform: Perform) -> None:
        """Do something for the house, unless the table refuses it because it has moved on."""
        try:
            await self.act(perform)
        except Refused:
            pass
        except Exception as error:
            log_crash(error, table=self.id)

    def hear(
        self, player: str, message: said.PlayerMessage, digest: bytes, *, reply: Reply
    ) -> None:
        """Do what a player asks, and reply with the number of the last event then."""
        id = CommandId(f"{player}/{message.id}", digest)
        if id.id in self._heard.answers:
            reply(self._heard.answer_to(id))
            return
        match message:
            case said.Ready(_, seat):
                self._note_ready(player, seat)
                reply(self._heard.keep(id, self.number))
            case said.MoreTime():
                self._give_time(player)
                reply(self._heard.keep(id, self.number))
            case said.Ping():
                reply(Answer("", self.number))
            case _:
                purse = partial(self.books.purse_cents, player)
                closed, code_of = self.closed_wagers, self.seat_code
                asking = players.Asking(player, self.config, purse, closed, code_of)
                perform = partial(players.perform, message=message, asking=asking)
                self.ask(Ask(perform, reply, id))

    def hear_staff(
        self,
        by: Employee,
        message: said.StaffCommand,
        digest: bytes,
        *,
        reply: Reply,
        floors: int = 0,
        past: PastHand | None = None,
    ) -> None:
        """Do what a staff member asks.

        `floors` is how many other tables somebody has who taps in as floorperson, and `past` the
        hand of an earlier round that a dispute or a wrong payment is about.
        """
        metered = isinstance(message, said.Do) and message.command.get("type") in SETTLING
        ids = staked_meters(self.place.standing) if metered else ()

        def perform(act: Act) -> None:
            asking = self._asking(by)._replace(floors=floors, past=past)
            console.perform(act, message, asking)

        names = tuple(self.config.meter(id) for id in ids)
        self.ask(Ask(perform, reply, CommandId(f"{by.person}/{message.id}", digest), names))

    def call_floor(self, by: Employee, *, on: bool) -> None:
        """Call the floor, or end the call; only staff of the table may."""
        if "floor" not in by.roles and not self.place.standing.table.crew.post_of(by.person):
            raise Refused("not_tapped_in", "tap in before you work at this table")
        self._note(self.notes.company._replace(called=by.person if on else ""))

    def preview(self, by: Employee, message: said.Preview) -> Preview:
        """Return what a command would do now; nothing happens."""
        return console.preview_of(self.place.standing, message, self._asking(by))

    def _asking(self, by: Employee) -> StaffAsking:
        """Return a staff member who asks, with what else the decision depends on."""
        return StaffAsking(
            person=by.person,
            roles=by.roles,
            config=self.config,
            time=self.books.clocks.time(),
            chance=self.books.chance,
            deck=self.deck,
            round=self.next_round,
            meters=self.meters,
            present=frozenset(self.notes.company.present),
            closed=self.closed_wagers,
            stopped=self.notes.company.stopped,
            has_lost=self._has_lost,
        )

    def take_floor(self, person: str) -> AbstractAsyncContextManager[int]:
        """Count this table for somebody who taps in as its floorperson while the block lasts.

        It yields how many other tables they have.
        """
        return self._taking_floor(self, person)

    async def has_answered(self, command: str) -> bool:
        """Whether a command was stored, so that asking it again has no second effect."""
        return await self.books.read(lambda view: view.answer(command)) is not None

    async def hand_of(self, command: Mapping[str, object]) -> PastHand | None:
        """Return the hand that a command is about, if there was one: its round may be long over."""
        round, seat = command.get("round"), command.get("seat")
        if not (isinstance(round, str) and isinstance(seat, int)):
            return None  # The round in play or the last one is meant, or the command is refused.
        try:
            return await self.books.read(partial(hand_at, round=round, seat=seat))
        except UserError:
            return None

    # ------------------------------------------------------------ notes

    def note_present(self, present: frozenset[str]) -> None:
        """Note which players have a socket open."""
        self._note(self.notes.company._replace(present=present))

    def note_open(self, *, open: bool, because: str = "") -> None:
        """Deal another round after this one, or don't, and say why."""
        stopped = "" if open else because or STOPPED
        self._note(self.notes.company._replace(stopped=stopped))

    def look_again(self) -> None:
        """Publish what changed without an event here, such as a meter."""
        self._publish(NOTHING_HAPPENED, self.books.clocks.wait_ms())

    def _note(self, company: Company) -> None:
        self.notes = self.notes._replace(company=company)
        self.look_again()

    def _note_ready(self, player: str, seat: int) -> None:
        players.check_seat(self.place.standing, seat, player)
        players.check_ready(self.place.standing, seat)
        company = self.notes.company
        self._note(company._replace(ready=company.ready | {seat}))

    def _give_time(self, player: str) -> None:
        """Give a player more time to decide (WCAG 2.2.1), at a practice table."""
        clock, round = self.notes.clock, self.place.standing.in_play
        seat = clock.wait.seat if clock.wait and clock.wait.does == "choose" else None
        box = round.boxes.get(seat) if round and seat else None
        if box is None or box.player != player:
            raise Refused("no_decision", "you have nothing to decide right now")
        if not self.config.practice:
            raise Refused("no_more_time", "only practice tables allow more time")
        if clock.more_times >= MORE_TIMES_MAX:
            raise Refused("no_more_time", f"you have already had more time {MORE_TIMES_MAX} times")
        longer = clock.longer(self.config.timing.decide_ms)
        self.notes = self.notes._replace(clock=longer)
        self.look_again()

    # ------------------------------------------------------------ the mailbox

    def decide(self, time_ms: int) -> list[Request]:
        """Decide the waiting asks, up to the first that has to read meters."""
        self._release()
        metered = (at for at, ask in enumerate(self._inbox, 1) if ask.meters)
        upto = next(metered, len(self._inbox))
        turn = Turn(self.config, self.place, self.notes.company, time_ms=time_ms)
        requests = turn.decide(self._inbox[:upto])
        del self._inbox[:upto]
        self._turn = turn
        return requests

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        """Apply what was stored, publish it, and reply."""
        if self._turn is None:
            return
        stored, replies, again, known, doubtful = self._turn.outcome(results)
        self._turn = None
        self._inbox[:0] = again
        self._held += replies
        if stored:
            self._apply(stored, wait_ms)
            self._publish(Told(stored), wait_ms)
        self.unsure = doubtful or known > self.number
        if known <= self.number:
            self._release()
        if self._inbox or self.unsure:
            self.books.ring(self)

    def fail(self, error: Exception) -> None:
        """Reply that the outcome is unknown, and catch up before the next turn."""
        self.unsure = True
        self._held = [(reply, error) for reply, _ in self._held]
        self._held += [(ask.reply, error) for ask in self._inbox]
        self._inbox.clear()
        self._release()

    def step_down(self) -> None:
        """Stop: another process has the table now, and waiting asks must be sent there."""
        self.listeners.clear()
        self.fail(NotOwner(f"another server has {self.id} now"))

    async def catch_up(self) -> None:
        """Catch up with the journal: events may have been stored without a reply."""
        known, rounds = self.number, self.rounds
        missed = await self.books.read(partial(missed_by, scribe=self.place.scribe))
        self.unsure = False
        if isinstance(missed, str):
            self.on_forgotten(missed)
            return
        if missed is None:
            return
        recalled, entries, sealed = missed
        standing = (recalled.standing or self.place.standing).with_ways(self.config.others)
        place = Position(standing, recalled.scribe)
        past = await self._read_past(place)
        self.place = place
        self.rounds, self.setting = recalled.rounds, recalled.setting
        if sealed is not None and standing.commitment is not None:
            try:
                self.deck = self.books.unsealed(sealed, standing.commitment)
            except (CroupierError, ValueError):
                self._on_unreadable()  # It is taken up again, as after a restart.
        if self.rounds > rounds:
            self._note_opened()
        self.books.posted(entries, events=self.number - known)
        told = Told(missed=range(known + 1, self.number + 1), past=past)
        self._publish(told, self.books.clocks.wait_ms())

    async def _read_past(self, place: Position) -> tuple[PastEvent, ...]:
        """Return the last events, if people work at this table."""
        standing, scribe = place
        rules = standing.table.rules
        if "dealer" not in rules.things:
            return ()
        found = partial(lately, stream=self.id, rules=rules, upto=scribe.number)
        return await self.books.read(found)

    def _apply(self, stored: Sequence[Stored], wait_ms: int) -> None:
        """Move to where the stored acts lead, and take over what they bring."""
        before = self.place
        for act, draft, place in stored:
            entries = [entry for event in draft.events for entry in event.entries]
            self.books.posted(entries, events=len(draft.events))
            self.setting = act.setting or self.setting
            if act.opened:
                self._keep(before)
                self.deck = act.deck
                self.rounds += 1
                self._note_opened()
            if any(isinstance(happened.event, Dealt) for happened in act.happened):
                self._note_dealt(wait_ms)
            before = place
        self.place = stored[-1].place
        company = self.notes.company
        if company.ready:
            standing = self.place.standing
            # A seat is ready no longer when its player leaves, or its bets can't stand.
            ready = frozenset(
                seat
                for seat in company.ready
                if seat in standing.table.seats and not players.lack_at(standing, seat)
            )
            self.notes = self.notes._replace(company=company._replace(ready=ready))

    def _keep(self, place: Position) -> None:
        """Store a snapshot of the table before a round, so that taking it up again is quick."""
        if place.scribe.number - self.kept < KEEP_EVERY:
            return
        kept = to_keep(Recalled(place.standing, self.setting, place.scribe, self.rounds))
        if kept is not None:
            self.kept = kept.head.number
            self.books.keep(self.id, kept)

    def _note_opened(self) -> None:
        """Note that a round has just been opened: nobody is ready yet."""
        self.notes = self.notes._replace(company=self.notes.company._replace(ready=frozenset()))

    def _note_dealt(self, wait_ms: int) -> None:
        """Note that cards have just been dealt: the next deal comes no sooner than it may."""
        not_before_ms = wait_ms + self.config.timing.round_min_ms
        clock = self.notes.clock._replace(not_before_ms=not_before_ms)
        self.notes = self.notes._replace(clock=clock)

    def _publish(self, told: Told, wait_ms: int) -> None:
        """Tell listeners what is known now, and what is waited for."""
        self.notes = self.notes.now(self.place.standing, self.config.timing, wait_ms)
        if self.notes.clock != self._told_clock:
            self._told_clock = self.notes.clock
            self.on_wait()
        now = self.current()
        for listen in self.listeners:
            listen(now, told)

    def _release(self) -> None:
        """Reply; an error in one reply doesn't stop the others."""
        held, self._held = self._held, []
        for reply, result in held:
            try:
                reply(result)
            except Exception as error:
                log_crash(error, table=self.id)

    # ------------------------------------------------------------ opening

    async def start(self) -> None:
        """Take the table up where its journal left it: rules, meters, and the open round."""
        if self.place.standing.in_play is None:
            await self.set_rules()
        for id, meter in self.config.rules.meters.items():
            name = self.config.meter(id)
            if meter.initial is not None and self.books.meter(name) is None:
                started = MeterStarted(name, micros(meter.initial))
                await self.act(partial(Act.in_ledger, event=started))
        if round := self.place.standing.round:
            await self.find_deck(round.id)
        self.past = await self._read_past(self.place)
        self.look_again()

    async def set_rules(self) -> bool:
        """Play by the rules of the configuration; return whether that changed anything."""
        setting, rules = self.config.table_set, self.config.rules
        if self.setting == setting:
            return False
        await self.act(lambda act: act.set_rules(rules, setting, self.config.others))
        return True

    async def find_deck(self, round: str) -> None:
        """Open the deck of the last round; raise `MissingKey` or `Unreadable` if it is needed."""
        commitment = self.place.standing.commitment
        if is_read(self.place.standing.table.rules):
            return  # The cards lie on the felt.
        sealed = await self.books.read(lambda view: view.sealed(round))
        try:
            if sealed is None or commitment is None:
                raise Refused("no_deck", f"the deck of {round} is not there")
            self.deck = self.books.unsealed(sealed, commitment)
        except MissingKey:
            if needs_deck(self.place.standing):
                raise
        except (CroupierError, ValueError) as error:
            if needs_deck(self.place.standing):
                raise Unreadable(str(error)) from error

    async def call_off(self) -> None:
        """Call off a round whose cards can't be read (T6)."""
        why = "its cards could not be read again"
        await self.act(partial(dealer.call_off, cause="cards unreadable", because=why))
