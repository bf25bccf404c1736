"""A shift at a felt whose process is killed after its n-th commit, or in the middle of it.

python -m tests.house.killed FILE N [midst]
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from croupier.house.desk import desk_of
from croupier.house.table import Table
from croupier.ledger.store import Request, Result
from croupier.ledger.stores.sqlite import SqliteStore
from tests.house.felt import FELT, manned, one_round, step
from tests.house.floor import OpenPit, pit_at
from tests.house.staff import Shoe, real
from tests.house.test_forms import offered
from tests.house.test_tray import close, move
from tests.rules.books import MARYLAND

CONFIG = real(MARYLAND, FELT)
Finish = Callable[[], list[Result]]


class Dying(SqliteStore):
    """A store whose process dies with one of its commits."""

    left = 0
    in_the_midst = False

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        finish = super().begin_all(requests)
        if finish is None:
            return None
        Dying.left -= 1
        if Dying.left == 0 and Dying.in_the_midst:
            os.kill(os.getpid(), signal.SIGKILL)

        def finished() -> list[Result]:
            results = finish()
            if Dying.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return results

        return finished


async def shift(pit: OpenPit) -> None:
    """Work a shift: open, rounds, chips that move, two people who agree, a close.

    A card is corrected, a wrong payment put right, a round voided, and a deck changed.
    """
    players, staff, shoe = await manned(pit, 2)
    dealer, floor = staff
    await one_round(pit, players, staff, shoe)
    await move(dealer, floor, "fill", 700_00)
    await move(dealer, floor, "sale", 300_00)
    await dealer.do({"type": "Mispay", "seat": 2, "wager": "ante", "paid": 35_00}, "table")
    await correct(pit, players, staff, shoe)
    await one_round(pit, players, staff, shoe)
    await void(pit, players, staff, shoe)
    (another,) = offered(await dealer.look(), "Receive")
    await dealer.do(another["command"], "table")
    await one_round(pit, players, staff, shoe)
    await close(pit, dealer, floor)


async def reading(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
    """Go on until a card is to be read."""
    while not (await staff[0].look())["reads"]:
        await step(pit, players, staff, shoe)


async def correct(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
    """Put a wrong payment right, and read a card wrongly and correct it."""
    dealer, (wrong,) = staff[0], pit.tables["t"].place.standing.table.mispaid
    right = {"type": "CorrectPay", "round": wrong.round, "seat": 2, "wager": "ante"}
    await dealer.do(right, "table")
    await reading(pit, players, staff, shoe)
    position = dealer.desk["reads"][0]["position"]
    await dealer.do({"type": "Read", "card": str(shoe.cards[51]), "source": "typed"})
    card = str(shoe.cards[position])
    await dealer.do({"type": "Correct", "position": position, "card": card})


async def void(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
    """Void a round: somebody holds a wrong number of cards, and two people say so (13.D)."""
    (dealer, floor), table = staff, pit.tables["t"]
    await reading(pit, players, staff, shoe)
    wrong = {"type": "Declare", "kind": "wrong_number_of_cards", "facts": {"where": 2}}
    await dealer.say("propose", of="round", command=wrong, why="four cards at seat 2")
    (asked,) = (await dealer.look())["proposals"]
    await floor.say("approve", proposal=asked["id"])
    while table.place.standing.in_play:
        await step(pit, players, staff, shoe)
    assert table.place.standing.round and table.place.standing.round.void


def desks_of(table: Table) -> dict[int, Any]:
    """Return the desk after each event at which it is told, as it will be told."""
    found: dict[int, Any] = {}
    table.listeners.append(lambda now, _: found.update({now.number: desk_of(now.standing)}))
    return found


async def run(file: Path) -> None:
    async with pit_at(file, CONFIG, opens=Dying) as pit:
        await shift(pit)


if __name__ == "__main__":
    Dying.left, Dying.in_the_midst = int(sys.argv[2]), "midst" in sys.argv
    asyncio.run(run(Path(sys.argv[1])))
