"""Kills a real server under load, again and again, and holds it to what it acknowledged."""

import asyncio
import random
import time
from typing import NamedTuple

from croupier.errors import quoted
from tests.server.durability.guests import Guest, Trigger
from tests.server.durability.houses import House
from tests.server.durability.tables import BOOKS
from tests.server.durability.witness import Witness

SEATS = {**dict.fromkeys(BOOKS, (1,)), "md1": (1, 2), "ca": (1, 2), "fl": (1, 2)}
LIFE_S = 300
"""How long a busy machine may take for anything, before that is a fault."""
ANSWERS_MAX, SENT_MAX = 25, 40
PARTS = [f"part-{number:02}" for number in range(1, 11)]
"""A thousand kills are ten tests of a hundred, so that a run can stop and go on with the next."""


class Outcome(NamedTuple):
    """What came of the kills."""

    kills: int
    acknowledged: int
    rounds: int
    compared: int
    rises: int
    """In how many rounds a meter rose."""
    faults: list[str]
    seconds: float
    seed: str

    def __str__(self) -> str:
        found = "; ".join(map(quoted, self.faults[:3]))
        return (
            f"{self.kills} kills, {self.acknowledged} acknowledged, {self.rounds} rounds, "
            f"{self.compared} views compared, meters rose in {self.rises} rounds, "
            f"{len(self.faults)} faults {found}, "
            f"seed {self.seed!r}, {self.seconds:.0f} s"
        )


def killed(house: House, kills: int, *, seed: str) -> Outcome:
    """Kill a server so many times; stop early where it was caught."""
    return asyncio.run(_killed(house, kills, seed=seed))


async def _killed(house: House, kills: int, *, seed: str) -> Outcome:
    began, rng, witness = time.monotonic(), random.Random(seed), Witness()
    await house.start()
    trigger = Trigger(house)
    guests = [Guest(trigger, witness, table=t, seat=s) for t in BOOKS for s in SEATS[t]]
    tasks = [asyncio.create_task(guest.play()) for guest in guests]
    done = 0
    try:
        while done < kills:
            done += 1
            on = rng.choice(("done", "sent"))
            trigger.arm(on, rng.randint(1, ANSWERS_MAX if on == "done" else SENT_MAX))
            await _died(trigger, tasks, house)
            async with asyncio.timeout(LIFE_S):
                for guest, task in zip(guests, tasks, strict=True):
                    while not guest.away.is_set():
                        assert not task.done() or task.result()
                        await asyncio.sleep(0.001)
            with house.ledger() as store:
                witness.look(store, house.key_file)
            if witness.faults:
                break
            await house.start()
        if not witness.faults:
            await _drained(trigger, guests, house)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for guest in guests:
            await guest.table.close()
    with house.ledger() as store:
        witness.close(store, house.key_file)
    witness.faults += house.crashes()
    acknowledged = sum(sent.done is not None for sent in witness.sent.values())
    counts = acknowledged, len(witness.closed), witness.compared, witness.rises
    return Outcome(done, *counts, witness.faults, time.monotonic() - began, seed)


async def _died(trigger: Trigger, tasks: list[asyncio.Task[None]], house: House) -> None:
    """Wait until the server was killed and is gone; a player who gives up is a fault of ours."""
    waiting = asyncio.create_task(trigger.down.wait())
    ended, _ = await asyncio.wait(
        [waiting, *tasks], timeout=LIFE_S, return_when=asyncio.FIRST_COMPLETED
    )
    for task in ended - {waiting}:
        task.result()
    if not ended:
        waiting.cancel()
        raise AssertionError(f"nothing happens any more: {house.complaints()[-2000:]}")
    await house.gone()


async def _drained(trigger: Trigger, guests: list[Guest], house: House) -> None:
    """Let every round come to its end, and close the house."""
    trigger.drains = True
    trigger.up.set()
    async with asyncio.timeout(LIFE_S):
        while not all(guest.is_settled for guest in guests):
            await asyncio.sleep(0.01)
    trigger.up.clear()
    assert "Closed" in await house.stop()
    async with asyncio.timeout(LIFE_S):
        for guest in guests:
            await guest.away.wait()  # A round may have been opened until then, and a bank put up.
            guest.witness.purses[guest.player] = guest.table.cents
