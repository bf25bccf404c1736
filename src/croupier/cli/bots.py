"""`croupier bots`: players over the network, to fill tables or to load-test them."""

import asyncio
import contextlib
import time
from typing import Annotated, Any

import typer

from croupier.cli.output import AsJson, group, print_json, print_lines, say
from croupier.client import Client, TableClient
from croupier.errors import Refused, UserError

app = group("Fill tables with bots over the network.")
STAKE_CENTS = 10_00
SEATS_MAX = 1_000
CLOSED = 1
"""The exit code when the server goes away before the bots do."""


class Bot:
    """Plays one seat: always bets, and always takes the first choice that it can afford."""

    def __init__(self, client: Client, table: TableClient, seat: int) -> None:
        self.client, self.table, self.seat = client, table, seat
        self.rounds = self.commands = 0
        self._seen: Any = None

    async def play(self) -> None:
        """Play until cancelled, or until the server is gone."""
        while True:
            if str(self.seat) not in self.table.scene["seats"]:
                await self._do("sit", seat=self.seat)
            await self._watch()
            await self.table.come_again()

    async def _watch(self) -> None:
        """Play until the socket closes."""
        async for _ in self.table.changes():
            scene = self.table.scene
            seen = [scene[k] for k in ("round", "phase", "step", "asked", "bank_turn")]
            if seen == self._seen:
                continue
            self._seen = seen
            await self._move(scene)

    async def _move(self, scene: dict[str, Any]) -> None:
        banker = scene["banker"]
        if scene["phase"] == "over":
            self.rounds += 1
        if scene["bank_turn"] == self.seat:
            await self._do("bank", seat=self.seat, funds=max(self.table.cents // 2, 1))
        elif scene["phase"] == "bets" and not (banker and banker["seat"] == self.seat):
            await self._bet()
        elif scene["phase"] == "decide" and scene["asked"] == self.seat:
            for choice in scene["choices"]:
                if await self._do("choose", seat=self.seat, option=choice["option"]):
                    return

    async def _bet(self) -> None:
        stakes = self._stakes()
        if self.table.cents < 10 * sum(stakes.values()):
            with contextlib.suppress(Refused):
                await self.client.post("/api/chips")
        hand = self.seat % (self.table.felt["shared_hands"] or 1) + 1
        where = {"hand": hand} if self.table.felt["shared_hands"] else {}
        await self._do("bet", seat=self.seat, wagers=stakes, **where)
        await self._do("ready", seat=self.seat)

    def _stakes(self) -> dict[str, int]:
        """Return the smallest bet on the first wager, with a wager that it requires."""
        wagers = {wager["wager"]: wager for wager in self.table.felt["wagers"]}
        first = next(iter(wagers.values()))
        return {
            name: int(wagers[name]["limits"][0].replace(".", ""))
            if wagers[name]["limits"]
            else STAKE_CENTS
            for name in (first["wager"], *first["needs"][:1])
        }

    async def _do(self, type: str, **fields: Any) -> bool:
        self.commands += 1
        try:
            await self.table.do(type, **fields)
        except Refused:
            return False
        return True


@app.command()
def bots(
    address: Annotated[str, typer.Argument(metavar="URL", help="The server's address.")],
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="ID", help="Table to play at; repeatable. Default: all."),
    ] = None,
    seats: Annotated[int, typer.Option("--seats", help="Seats to fill at each table.")] = 2,
    seconds: Annotated[
        float, typer.Option("--seconds", help="How long to play; 0 means until Ctrl-C.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Play at a server's tables. Each bot is a guest with its own socket."""
    if not 1 <= seats <= SEATS_MAX:
        raise UserError(f"must be from 1 to {SEATS_MAX}", field="--seats")
    try:
        played = asyncio.run(fill(address, table or [], seats=seats, seconds=seconds))
    except (OSError, ValueError) as error:
        raise UserError(f"{address} does not answer: {error}", field="URL") from None
    if as_json:
        print_json(played)
    else:
        print_lines(
            f"{played['bots']} bots, {played['rounds']} rounds and {played['commands']} commands "
            f"in {played['seconds']:.1f} s"
        )
    if played["closed"]:
        say(f"{address} closed the tables")
        raise typer.Exit(CLOSED)


async def fill(address: str, tables: list[str], *, seats: int, seconds: float) -> dict[str, Any]:
    """Fill seats of tables, play, and return the totals."""
    async with contextlib.AsyncExitStack() as stack:
        players: list[Bot] = []
        rows = (await Client(address).get("/api/tables"))["tables"]
        wanted = [row for row in rows if not tables or row["table"] in tables]
        if unknown := set(tables) - {row["table"] for row in rows}:
            raise UserError(f"there is no table {sorted(unknown)[0]!r}", field="--table")
        for row in wanted:
            for seat in range(1, min(seats, row["seats"]) + 1):
                client = await stack.enter_async_context(Client(address))
                await client.guest()
                at = await client.table(row["table"], cut=True)
                players.append(Bot(client, at, seat))
        began = time.monotonic()
        tasks = [asyncio.create_task(player.play()) for player in players]
        _, playing = await asyncio.wait(tasks, timeout=seconds or None)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return {
            "bots": len(players),
            "rounds": sum(player.rounds for player in players),
            "commands": sum(player.commands for player in players),
            "seconds": time.monotonic() - began,
            "closed": not playing,
        }
