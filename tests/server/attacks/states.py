"""Takes a table through every state of its rounds, and stops in each."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from croupier.house.table import Table
from tests.server.attacks.houses import TABLE_IDS, House, Line, Visitor, stakes

SEATS = {"ann": 2, "bob": 4}
BANKER = "cat"


@dataclass
class Walk:
    """Two players at one table of a book, and where players bank a third who does."""

    house: House
    book: str
    players: dict[str, Visitor] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return TABLE_IDS[self.book]

    @property
    def table(self) -> Table:
        return self.house.table(self.id)

    @property
    def banked(self) -> bool:
        return self.table.config.rules.banked_by == "player"

    @property
    def seats(self) -> dict[str, int]:
        return {**SEATS, BANKER: 6} if self.banked else SEATS

    async def come_in(self) -> None:
        for name in self.seats:
            self.players[name] = await self.house.person(f"{name.title()} of {self.id}")
            self.lines[name] = await self.players[name].line(self.id)

    async def states(self) -> AsyncIterator[str]:
        """Yield in every state from an empty table to the end of a round."""
        yield "empty"
        for name, seat in self.seats.items():
            await self.lines[name].do("sit", seat=seat)
        if self.banked:
            yield "bank"
            await self._bank()
        await self.house.until_phase(self.id, "bets")
        yield "bets"
        await self.bet()
        yield "staked"
        for name in SEATS:
            await self.lines[name].do("ready", seat=SEATS[name])
        await self.house.until_phase(self.id, "decide")
        while (round := self.table.place.standing.round) is not None and not round.closed:
            if round.due or not round.asked:
                yield self.house.scene(self.id)["phase"]
                await self.house.dealt(self.id)
                continue
            seat = round.asked[0]
            yield f"asks {seat}"
            name = next(n for n, s in self.seats.items() if s == seat)
            option = self.house.scene(self.id)["choices"][0 if name == "ann" else -1]["option"]
            await self.lines[name].do("choose", seat=seat, option=option)
        yield "over"

    async def _bank(self) -> None:
        while (turn := self.house.scene(self.id)["bank_turn"]) != self.seats[BANKER]:
            name = next(n for n, seat in self.seats.items() if seat == turn)
            await self.lines[name].do("pass", seat=turn)
        await self.lines[BANKER].do("bank", seat=turn, funds=50_000)

    async def bet(self) -> None:
        rules = self.table.config.rules
        wagers = [n for n, w in rules.wagers.items() if w.placed == "before the deal"][:1]
        for at, name in enumerate(SEATS, 1):
            hand = {"hand": at} if self.house.galleries[self.id].felt["shared_hands"] else {}
            for wager, cents in stakes(rules, wagers).items():
                line = self.lines[name]
                await line.do("bet", seat=SEATS[name], wager=wager, cents=cents, **hand)
