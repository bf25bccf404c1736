"""The cage: where players get their chips. It has a mailbox of its own, and its own stream."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from croupier.errors import Refused, UserError
from croupier.house.books import Books, answer_to
from croupier.house.recall import check_kept
from croupier.house.turn import Reply
from croupier.ledger.accounts import Account
from croupier.ledger.audit import Posted
from croupier.ledger.entries import at_stake
from croupier.ledger.events import Bought, LedgerEvent
from croupier.ledger.found import player_at
from croupier.ledger.scribe import Draft, Happened, Scribe
from croupier.ledger.store import Answer, Claim, Request, Result, View, Work
from croupier.money import shown_cents
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars

CAGE = "cage"
"""The stream of chips that are bought, given and cashed in."""
Decide = Callable[[], LedgerEvent | None]
"""Decides on what the purses hold; None is nothing to do."""


class _Ask(NamedTuple):
    decide: Decide
    reply: Reply


class Cage:
    """A mailbox that takes one ask a turn: the next is decided on the purses that it leaves."""

    def __init__(
        self, books: Books, rounds: Callable[[], Iterable[Round]], *, guest_cents: int
    ) -> None:
        self.books, self.guest_cents = books, guest_cents
        self.scribe = Scribe(CAGE, _no_rules)
        self._rounds = rounds
        """Returns the rounds that are in play, at all tables."""
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

        await self.act(decide)

    async def fill(self, player: str, cents: int) -> None:
        """Give a player of the house as many chips as it needs."""

        def decide() -> LedgerEvent | None:
            missing = cents - self.books.purse_cents(player)
            return Bought(player, missing) if missing > 0 else None

        await self.act(decide)

    async def act(self, decide: Decide) -> None:
        """Decide something on what the purses hold, and wait until it is stored."""
        await answer_to(partial(self._ask, decide))

    def _ask(self, decide: Decide, reply: Reply) -> None:
        self._inbox.append(_Ask(decide, reply))
        self.books.ring(self)

    def owned_cents(self, player: str) -> int:
        """Return what a player owns: the purse, what lies on tables, and awards not yet paid."""
        staked = sum(at_stake(round).get(player, 0) for round in self._rounds())
        balances = self.books.balances()
        pending = [balances[a] for a in self.books.pending if self._owners.get(a) == player]
        return self.books.purse_cents(player) + staked + shown_cents(sum(pending))

    # ------------------------------------------------------------ the mailbox

    @property
    def unsure(self) -> bool:
        """Whether a commit failed that may have succeeded, or a pending award has no owner yet."""
        return self._doubtful or not self.books.pending <= self._owners.keys()

    async def catch_up(self) -> None:
        """Read what was stored although it seemed to fail, and whose the pending awards are."""
        if self._doubtful:
            before = self.scribe
            self.scribe, posted = await self.books.read(partial(_missed_by, scribe=before))
            self._doubtful = False
            events = self.scribe.number - before.number
            self.books.posted((row.entry for row in posted), events=events)
        for one in self.books.pending - self._owners.keys():
            # The account names the round and the seat.
            round, seat, _ = one.removeprefix("pending:").rsplit("/", 2)
            owner = partial(player_at, round=round, seat=int(seat))
            self._owners[one] = await self.books.read(owner)

    def decide(self) -> list[Request]:
        while self._inbox:
            try:
                event = self._inbox[0].decide()
            except Exception as error:
                self._reply(error)
                continue
            if event is None:
                self._reply(Answer("", self.scribe.number))
                continue
            time_ms = self.books.clocks.wall_ms()
            draft = self.scribe.draft([Happened("ledger", event)], time_ms=time_ms)
            digest = sha256(draft.events[0].data).digest()
            claim = Claim(f"{CAGE}#{draft.scribe.number}", digest, CAGE, self.scribe.head)
            self._draft = draft
            return [Request(claim, (), partial(_work, draft))]
        return []

    def settled(self, results: Sequence[Result]) -> None:
        draft, self._draft = self._draft, None
        for result in results:
            if isinstance(result, Answer) and draft is not None:
                self.scribe = draft.scribe
                self.books.posted(draft.events[0].entries, events=1)
            else:
                self._doubtful = True
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
    check_kept(view, scribe)
    read = Scribe(CAGE, _no_rules).read(view.stream(CAGE))
    return read, list(view.posted(CAGE, after=scribe.number))


def _no_rules(rulebook: str, *_: object) -> TableRules:
    raise UserError(f"the cage has no table, and so no rules: {rulebook}")
