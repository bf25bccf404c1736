"""The cage: where players get their chips. It has a mailbox of its own, and its own stream."""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from croupier.errors import Refused
from croupier.house.books import Books, answer_to
from croupier.house.recall import forgotten
from croupier.house.turn import Reply
from croupier.ledger.accounts import Account, account
from croupier.ledger.audit import Posted, RulesOf, no_rules
from croupier.ledger.awards import PENDING, Award, won_at
from croupier.ledger.entries import at_stake
from croupier.ledger.events import AwardProposed, Bought, LedgerEvent
from croupier.ledger.found import player_at, round_found
from croupier.ledger.scribe import Draft, Happened, Scribe
from croupier.ledger.store import (
    STREAM_MOVED,
    Answer,
    Claim,
    Lost,
    Request,
    Result,
    View,
    Work,
)
from croupier.money import shown_cents
from croupier.round.state import Round
from croupier.rules.words import dollars

CAGE = "cage"
"""The stream of chips that are bought, given and cashed in."""
Decide = Callable[[], LedgerEvent | None]
"""Decides, given what the purses hold; None means that there is nothing to do."""


class _Ask(NamedTuple):
    player: str
    decide: Decide
    reply: Reply


class Cage:
    """A mailbox that takes one ask a turn: the next is decided on the purses that it leaves."""

    def __init__(
        self,
        books: Books,
        rounds: Callable[[], Iterable[Round]],
        rules_of: RulesOf,
        *,
        guest_cents: int,
    ) -> None:
        self.books, self.guest_cents = books, guest_cents
        self._rules_of = rules_of
        self.scribe = Scribe(CAGE, no_rules)
        self._rounds = rounds
        """Returns the rounds that are in play, at all tables of this process."""
        self._staked: dict[str, int] = {}
        """What players who ask have at stake; needed if other processes have tables too."""
        self._owners: dict[Account, str] = {}
        """Whose each pending award is."""
        self._inbox: list[_Ask] = []
        self._draft: Draft | None = None
        self._doubtful = False

    async def start(self) -> None:
        self.scribe = await self.books.read(lambda view: self.scribe.read(view.stream(CAGE)))

    # ------------------------------------------------------------ asking

    async def issue(self, player: str) -> None:
        """Give play chips to a player who owns fewer than a guest starts with."""
        most = self.guest_cents

        def decide() -> LedgerEvent:
            owned = self.owned_cents(player)
            if owned >= most:
                message = (
                    f"you have {dollars(owned)}, bets and funds on the tables included; "
                    f"you can refill once you have less than {dollars(most)}"
                )
                raise Refused("enough_chips", message, field="purse")
            return Bought(player, most - owned)

        await self.act(player, decide)

    async def fill(self, player: str, cents: int) -> None:
        """Give a player of the house as many chips as it needs."""

        def decide() -> LedgerEvent | None:
            missing = cents - self.books.purse_cents(player)
            return Bought(player, missing) if missing > 0 else None

        await self.act(player, decide)

    async def act(self, player: str, decide: Decide) -> None:
        """Decide something on what a player's purse holds, and wait until it is stored."""
        await answer_to(partial(self._ask, player, decide))

    async def release(
        self, award: Award, decide: Callable[[AwardProposed | None], LedgerEvent]
    ) -> None:
        """Decide about an award that is pending, given what is proposed about it."""

        def decided() -> LedgerEvent:
            if not self.books.balances().get(award.account):
                message = "this award isn't waiting any more, or never was"
                raise Refused("no_such_award", message, field="award")
            return decide(self.scribe.auditor.awards.get(award.id))

        await self.act(award.player, decided)

    def _ask(self, player: str, decide: Decide, reply: Reply) -> None:
        self._inbox.append(_Ask(player, decide, reply))
        self.books.ring(self)

    def owned_cents(self, player: str) -> int:
        """Return what a player owns: the purse, what lies on tables, and awards not yet paid."""
        staked = self._staked.get(player)
        if staked is None:
            staked = sum(at_stake(round).get(player, 0) for round in self._rounds())
        balances = self.books.balances()
        pending = [balances[a] for a in self.books.pending if self._owners.get(a) == player]
        return self.books.purse_cents(player) + staked + shown_cents(sum(pending))

    # ------------------------------------------------------------ the mailbox

    @property
    def unsure(self) -> bool:
        """Whether a commit failed that may have succeeded, or a pending award has no owner yet.

        Where other processes have tables, somebody's purse has to be looked up first.
        """
        look = self.books.store.tenure.is_shared and bool(self._inbox)
        return look or self._doubtful or not self.books.pending <= self._owners.keys()

    async def catch_up(self) -> None:
        """Read what commits that seemed to fail have stored, and whose awards are pending."""
        if self._doubtful:
            before = self.scribe
            self.scribe, posted = await self.books.read(partial(_missed_by, scribe=before))
            self._doubtful = False
            events = self.scribe.number - before.number
            self.books.posted((row.entry for row in posted), events=events)
        if self.books.store.tenure.is_shared:
            self._staked = {}
            asking = {ask.player for ask in self._inbox}
            held, self._staked = await self.books.read(partial(self._looked_up, players=asking))
            self.books.learn(held)
        pending = self.books.pending
        self._owners = {one: player for one, player in self._owners.items() if one in pending}
        for one in pending - self._owners.keys():
            round, seat, _ = won_at(one.removeprefix(PENDING))
            owner = partial(player_at, round=round, seat=seat)
            self._owners[one] = await self.books.read(owner)

    def _looked_up(
        self, view: View, players: Collection[str]
    ) -> tuple[dict[Account, int], dict[str, int]]:
        """Return what players and pending awards hold, and what each player has at stake."""
        purses = {player: account("player", player) for player in players}
        staked = {
            player: sum(
                at_stake(round_found(view, id, self._rules_of).played.round).get(player, 0)
                for id in view.rounds_with(purse)
            )
            for player, purse in purses.items()
        }
        return view.held([*purses.values()]) | view.balances("pending"), staked

    def decide(self, time_ms: int) -> list[Request]:
        shared = self.books.store.tenure.is_shared
        while self._inbox:
            if shared and self._inbox[0].player not in self._staked:
                return []  # This one came while another was looked up.
            try:
                event = self._inbox[0].decide()
            except Exception as error:
                self._reply(error)
                continue
            if event is None:
                self._reply(Answer("", self.scribe.number))
                continue
            draft = self.scribe.draft([Happened("ledger", event)], time_ms=time_ms)
            digest = sha256(draft.events[0].data).digest()
            id = f"{CAGE}#{draft.scribe.number} {self.books.store.tenure.name}".rstrip()
            claim = Claim(id, digest, CAGE, self.scribe.head)
            self._draft = draft
            return [Request(claim, (), partial(_work, draft))]
        return []

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        draft, self._draft = self._draft, None
        for result in results:
            if isinstance(result, Answer) and draft is not None:
                self.scribe = draft.scribe
                self.books.posted(draft.events[0].entries, events=1)
            else:
                self._doubtful = True
            if isinstance(result, Refused) and result.code == STREAM_MOVED:
                continue  # Another process was quicker: decide again on what it left.
            self._reply(result)
        if self._inbox or self._doubtful:
            self.books.ring(self)

    def fail(self, error: Exception) -> None:
        self._doubtful = True
        while self._inbox:
            self._reply(error)

    def _reply(self, result: Result) -> None:
        self._inbox.pop(0).reply(result)


def _work(draft: Draft, _: object) -> Work:
    return Work(draft.events, "")


def _missed_by(view: View, scribe: Scribe) -> tuple[Scribe, list[Posted]]:
    if because := forgotten(view, scribe.stream, scribe.head):
        raise Lost(because)
    read = copy(scribe).read(view.stream(CAGE, after=scribe.number))
    return read, list(view.posted(CAGE, after=scribe.number))
