"""Plays one round in a whole house, and keeps every byte that anybody was sent, by the moment.

The deck is given, and what necessarily follows from it is held constant: the root of the commitment
and the paths up to it. Salts depend on a secret, which is the same one. So two runs whose decks
differ only in hidden cards must send the same bytes to a viewer who can't see the difference.
"""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from croupier.cards import DECK, Card
from croupier.fairness.commitment import DEPTH, Commitment, Committed
from croupier.fairness.cut import contribution_hash, order_of
from croupier.hands.hand import Hand
from croupier.house import books as house_books
from croupier.house import clock as house_clock
from croupier.house import dealer
from croupier.ledger.store import View
from croupier.round.play import own_faces
from croupier.round.state import Round
from croupier.server.doorway import Doorway
from croupier.theory.pricing import Theory
from tests.round.test_secrecy import twin_deck
from tests.server.attacks import houses
from tests.server.attacks.far import Far, FarWire, linked
from tests.server.attacks.houses import (
    NEVER_S,
    PASSWORD,
    TABLE_IDS,
    House,
    Line,
    Visitor,
    known_persons,
    open_house,
    rules_of_table,
    stakes,
    table_toml,
)

Deck = tuple[Card, ...]
ANN, BOB, CAT = "ann", "bob", "cat"
SPECTATOR, TAB, OPERATOR, AUDITOR = "spectator", "ann's other tab", "operator", "auditor"
SURVEILLANCE, FLOOR, DEALER = "surveillance", "floor", "dealer"
STAFF = (OPERATOR, AUDITOR, SURVEILLANCE, FLOOR, DEALER)
LOG, JOURNAL = "log", "journal"
PARTIES = (ANN, BOB, CAT, SPECTATOR, TAB, *STAFF, LOG, JOURNAL)
SEATS = {ANN: 2, BOB: 4, CAT: 6}
"""Cat banks, where players do; elsewhere she sits there and does not bet."""
SECRET = bytes(32)
CONTRIBUTIONS = {
    ANN: "ann's contribution to the players' cut",
    BOB: "bob's contribution to the cut, too",
}
HIGH_QUEEN = 10
THEORY = Theory()
"""What is priced once is known to every house."""


class Unsalted(PasswordHasher):
    """Gives a password one hash, so that the journals of two runs have the same hashes too."""

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        return super().hash(password, salt=bytes(16))


class Fixed(Committed):
    """A deck whose commitment says nothing about it."""

    @cached_property
    def commitment(self) -> Commitment:
        return Commitment(self.round, self.rules, self.levels[DEPTH][0].hex())

    @cached_property
    def levels(self) -> list[list[bytes]]:
        return Committed(self.round, self.rules, DECK, self.secret).levels


def before_the_cut(deck: Deck, round: str, rules: str) -> Deck:
    """Return the deck that the contributions cut into this one."""
    order = order_of(Fixed(round, rules, deck, SECRET).commitment, CONTRIBUTIONS.values())
    return tuple(deck[order.index(position)] for position in range(len(DECK)))


@contextmanager
def dealing(deck: Deck, *, cut: bool) -> Iterator[pytest.MonkeyPatch]:
    """Let this deck be dealt, with a commitment that does not depend on it."""

    def fixed(round: str, rules: str) -> Committed:
        cards = before_the_cut(deck, round, rules) if cut else deck
        return Fixed(round, rules, cards, SECRET)

    def commit(_: Any, __: Any, *, round: str, rules: str) -> Committed:
        return fixed(round, rules)

    def unseal(_: Any, __: Any, commitment: Commitment, *___: Any) -> Committed:
        return fixed(commitment.round, commitment.rules)

    with pytest.MonkeyPatch.context() as patch:
        known_persons(patch)
        patch.setattr(houses, "CHEAP", Unsalted(time_cost=1, memory_cost=8, parallelism=1))
        patch.setattr(dealer, "commit", commit)
        patch.setattr(house_books, "unseal", unseal)
        # A table cuts without whoever reveals late. Here nobody does, however busy the machine is.
        patch.setattr(house_clock, "CUT_MS", NEVER_S * 1000)
        yield patch


@dataclass
class Moment:
    """What everybody was sent since the moment before, and which positions they may have seen."""

    label: str
    said: dict[str, list[str]] = field(default_factory=dict)
    seen: dict[str, frozenset[int]] = field(default_factory=dict)


@dataclass
class Run:
    """One round, moment by moment."""

    deck: Deck
    moments: list[Moment] = field(default_factory=list)
    bank: tuple[int, ...] = ()


class Play:
    """Plays the round of a run, and listens to everybody."""

    def __init__(
        self,
        house: House,
        book: str,
        deck: Deck,
        *,
        cut: bool,
        far: Far | None = None,
        attended: bool = False,
    ) -> None:
        self.house, self.run, self.cut, self.far = house, Run(deck), cut, far
        self.attended = attended
        """Whether a dealer deals, and not the program."""
        self.recalled: frozenset[int] = frozenset()
        """The positions of a hand that surveillance has recalled."""
        self.id, self.book = TABLE_IDS[book], book
        self.table = house.table(self.id)
        self.rules = self.table.config.rules
        self.visitors: dict[str, Visitor] = {}
        self.lines: dict[str, Line] = {}
        self.wires: dict[str, Wire | FarWire] = {}
        self._at = dict.fromkeys(PARTIES, 0)

    @property
    def round(self) -> Round:
        assert self.table.place.standing.round is not None
        return self.table.place.standing.round

    async def come_in(self) -> None:
        for name in (ANN, BOB, CAT):
            self.visitors[name] = await self.house.person(f"{name.title()} Ash")
        self.house.app.state.winnings.wins.theory = THEORY
        for name in STAFF:
            self.visitors[name] = await self.house.person(f"The {name}", name)
        self.visitors[SPECTATOR] = self.house.visitor()
        for name in (ANN, BOB, CAT, *STAFF):
            ticket = await self.visitors[name].ticket(self.id)
            self.lines[name] = await self._knock(ticket=ticket)
        self.lines[SPECTATOR] = await self._knock()
        for name in (ANN, BOB, SPECTATOR, *STAFF):
            cookie = self.visitors[name].cookie
            self.wires[name] = FarWire(self.far, cookie) if self.far else Wire(self.house, cookie)
        self.lines[TAB] = await self._knock(cookie=self.visitors[ANN].cookie)
        self.house.lines.seek(0)
        self.house.lines.truncate()
        for line in self.lines.values():
            await line.caught_up()
            line.frames.clear()

    async def _knock(self, *, ticket: str = "", cookie: str = "") -> Line:
        """Open a socket at the table, here or at the other node."""
        if self.far:
            return await self.far.knock(self.id, ticket=ticket, cookie=cookie)
        headers = {"Cookie": cookie} if cookie else {}
        line = await self.house.knock(self.id, ticket, additional_headers=headers)
        await line.came.wait()
        return line

    async def play(self) -> Run:
        """Play from the first chair to the last settlement, and a bit into the next round."""
        banked = self.rules.banked_by == "player"
        for name, seat in SEATS.items():
            await self.lines[name].do("sit", seat=seat)
        if self.attended:
            for name in (DEALER, FLOOR):
                await self.lines[name].do("tap_in", post=name)
        if banked:
            turn = self.house.scene(self.id)["bank_turn"]
            while turn != SEATS[CAT]:
                name = next(n for n, seat in SEATS.items() if seat == turn)
                await self.lines[name].do("pass", seat=turn)
                turn = self.house.scene(self.id)["bank_turn"]
            await self.lines[CAT].do("bank", seat=turn, funds=50_000)
        await self._until("bets")
        await self.moment("bets are open")
        await self._bet()
        if self.cut:
            await self._contribute()
        await self.moment("bets are made")
        for name in (ANN, BOB) if banked else (ANN, BOB, CAT):
            if not self.attended:
                await self.lines[name].do("ready", seat=SEATS[name])
        if self.cut:
            await self._reveal()
        await self._until("decide")
        self.run.bank = self.round.places.get("bank", ())
        await self.moment("dealt")
        while not self.round.closed:
            await self._go_on()
            await self.moment(self.house.scene(self.id)["phase"])
        if self.attended and {*self.round.boxes[SEATS[BOB]].cards} - self.round.faces.keys():
            await self._recall()
        return self.run

    async def _until(self, phase: str) -> None:
        """Go on until a phase that the table, or its dealer, gets to without the players."""
        if not self.attended:
            await self.house.until_phase(self.id, phase)
        while self.house.scene(self.id)["phase"] != phase:
            await self._step()

    async def _step(self) -> None:
        """Let the people at the table do the desk's next step."""
        frames = [json.loads(frame) for frame in await self.lines[DEALER].caught_up()]
        step = [frame["desk"]["next"] for frame in frames if frame["type"] == "desk"][-1]
        name = DEALER if "dealer" in step["by"] else FLOOR
        await self.lines[name].do("act", of=step["of"], command=step["command"])

    async def _recall(self) -> None:
        """Let surveillance recall the hand that bob has folded, and the floor approve it."""
        eye, floor = self.visitors[SURVEILLANCE], self.visitors[FLOOR]
        seat, path = SEATS[BOB], f"/api/tables/{self.id}"
        wanted = {"round": self.round.id, "seat": str(seat), "why": "bob says that he had a pair"}
        assert (await eye.post(f"{path}/recall", **wanted)).is_success
        await self.moment("recall proposed")
        again = (await floor.post("/api/again", password=PASSWORD)).json()["again"]
        said = await floor.post(f"{path}/proposals/1", answer="approve", again=again)
        assert said.is_success, said.text
        self.recalled = frozenset(self.round.boxes[seat].cards)
        await self.moment("recalled")

    async def _contribute(self) -> None:
        for name, value in CONTRIBUTIONS.items():
            hash = contribution_hash(self.round.id, self.visitors[name].id, value)
            await self.lines[name].do("contribute", round=self.round.id, hash=hash)

    async def _reveal(self) -> None:
        await self.house.until_phase(self.id, "dealing")
        await self.moment("bets are closed")
        for name, value in CONTRIBUTIONS.items():
            await self.lines[name].do("reveal", round=self.round.id, value=value)

    async def _bet(self) -> None:
        wagers = [n for n, w in self.rules.wagers.items() if w.placed == "before the deal"]
        shared = self.house.galleries[self.id].felt["shared_hands"]
        for at, name in enumerate((ANN, BOB), 1):
            hand = {"hand": at} if shared else {}
            least = stakes(self.rules, wagers if name == ANN else wagers[:2])
            for wager, cents in least.items():
                await self.lines[name].ask(
                    "bet", seat=SEATS[name], wager=wager, cents=cents, **hand
                )

    async def _go_on(self) -> None:
        """Let the one who is asked choose, ann to stay in and bob not; or the dealer go on."""
        if not self.round.asked or self.round.due:
            await (self._step() if self.attended else self.house.dealt(self.id))
            return
        seat = self.round.asked[0]
        name = next(n for n, s in SEATS.items() if s == seat)
        options = [choice["option"] for choice in self.house.scene(self.id)["choices"]]
        await self.lines[name].do("choose", seat=seat, option=options[0 if name == ANN else -1])

    # ------------------------------------------------------------ listening

    async def moment(self, label: str) -> None:
        """Provoke everybody's answers, and note all that was sent."""
        moment = Moment(label, seen=self._seen())
        await self._look_at_wins()
        # In whatever order the network serves them, no answer depends on another person's.
        await asyncio.gather(*(self._listen(name, moment) for name in self.lines))
        await asyncio.gather(*(self._look(name, moment) for name in self.wires))
        moment.said[LOG] = self._logged()
        moment.said[JOURNAL] = await self.house.pit.books.read(self._stored)
        self.run.moments.append(moment)

    async def _look_at_wins(self) -> None:
        """Let the page of the pit know what was won so far; otherwise that comes when it comes."""
        winnings = self.house.app.state.winnings
        winnings.look()
        await winnings.running

    async def _listen(self, name: str, moment: Moment) -> None:
        line = self.lines[name]
        await line.caught_up()
        for text in self._probes(name):
            await line.socket.send(text)
        await line.caught_up()
        moment.said[name] = line.frames[self._at[name] :]
        assert not [frame for frame in moment.said[name] if '"done","id":"x' in frame]
        self._at[name] = len(line.frames)

    async def _look(self, name: str, moment: Moment) -> None:
        for path in self._paths(name):
            moment.said[name].append(await self.wires[name].get(path))

    def _seen(self) -> dict[str, frozenset[int]]:
        public = frozenset(self.round.faces)
        ids = {name: self.visitors[name].id for name in SEATS}
        every = dict.fromkeys(range(len(DECK)), DECK[0])
        own = {n: frozenset(own_faces(self.round, id, every)) for n, id in ids.items()}
        own |= dict.fromkeys((SURVEILLANCE, FLOOR), self.recalled)
        return {party: public | own.get(party, frozenset()) for party in PARTIES}

    def _probes(self, name: str) -> list[str]:
        """Messages that are refused in every state of a round, the same whatever is dealt."""
        seat = SEATS.get(name, 1)
        wager = next(iter(self.rules.wagers))
        asked: list[dict[str, Any]] = [
            {"type": "sit", "seat": 2 if seat != 2 else 4},
            {"type": "bet", "seat": seat, "wager": wager, "cents": 3},
            {"type": "bet", "seat": 2 if seat != 2 else 4, "wager": wager, "cents": 500},
            {"type": "choose", "seat": seat, "option": "peek"},
            {"type": "choose", "seat": 2 if seat != 2 else 4, "option": "play"},
            {"type": "bank", "seat": seat, "funds": 10**12},
            {"type": "show", "seat": seat},
            {"type": "take_down", "seat": seat, "wager": "nothing"},
        ]
        if self.round.at > 0 and not self.round.closed and name in (ANN, BOB):
            asked.append({"type": "leave", "seat": seat})
        said = len(self.run.moments)
        texts = [json.dumps({**b, "id": f"x{name[0]}{said}.{n}"}) for n, b in enumerate(asked)]
        return [*texts, '{"type":', "[]"]

    def _paths(self, name: str) -> list[str]:
        id, round = self.id, self.round.id
        coach, desk = f"/api/coach?table={id}", f"/api/tables/{id}/desk"
        match name:
            case "spectator":
                paths = [f"/api/tables/{id}", f"/tables/{id}", f"/tables/{id}.json", "/api/tables"]
                return [*paths, f"/rounds/{round}", f"/rounds/{round}/steps.json", "/tables/none"]
            case "ann":
                paths = [f"/api/tables/{id}", f"/tables/{id}/text", "/api/history", "/api/purse"]
                paths += [f"/rounds/{round}.json", f"/rounds/{round}/openings", "/api/people"]
                return [*paths, f"/rounds/{round}/steps.json", "/api/ledger/balances"]
            case "operator":
                paths = [f"/api/tables/{id}", coach, "/api/people", f"/rounds/{round}/openings"]
                return [*paths, "/house", "/house.json"]
            case "auditor":
                paths = [f"/api/tables/{id}", "/api/ledger/verify", "/api/ledger/balances"]
                paths += [f"/api/ledger/history/layout:{round}", f"/rounds/{round}.json"]
                return [*paths, "/audit", "/audit.json", "/pit/wins", "/pit/wins.json"]
            case "floor":
                return ["/pit", "/pit.json", desk, f"/rounds/{round}", f"/tables/{id}/console"]
            case "surveillance":
                paths = ["/watch", "/watch.json", "/pit", "/pit.json", desk]
                return [*paths, f"/rounds/{round}", f"/rounds/{round}/steps.json"]
            case "dealer":
                return [desk, f"/api/tables/{id}", f"/rounds/{round}/steps.json"]
        return [f"/api/tables/{id}", coach] if not self.round.asked else [f"/api/tables/{id}"]

    def _logged(self) -> list[str]:
        text = self.house.lines.getvalue()
        new = text[self._at[LOG] :]
        self._at[LOG] = len(text)
        lines = [json.loads(line) for line in new.splitlines()]
        return sorted(json.dumps({k: line[k] for k in line if k != "time"}) for line in lines)

    def _stored(self, view: View) -> list[str]:
        rows = [repr(row) for stream in view.heads() for row in view.stream(stream)]
        new = rows[self._at[JOURNAL] :]
        self._at[JOURNAL] = len(rows)
        return new


class Wire:
    """A connection over which somebody asks for pages, and gets their bytes."""

    def __init__(self, house: House, cookie: str) -> None:
        self._house, self._cookie = house, cookie
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> str:
        """Return an answer as it came, but for the time that it was sent at."""
        head, reader = await self._asked(path)
        lines = [line for line in head.lower().split("\r\n") if not line.startswith("date:")]
        length = next(line for line in lines if line.startswith("content-length:"))
        body = await reader.readexactly(int(length.partition(":")[2]))
        assert not lines[0].startswith("http/1.1 5"), (path, body)
        return "\n".join([path, *lines, body.decode()])

    async def _asked(self, path: str) -> tuple[str, asyncio.StreamReader]:
        """Ask, and ask again on a new connection if the server had closed the idle one."""
        asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self._cookie}\r\n\r\n"
        kept = self._streams is not None
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._house.port)
        reader, writer = self._streams
        writer.write(asked.encode())
        try:
            return (await reader.readuntil(b"\r\n\r\n")).decode(), reader
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            if not kept or (isinstance(error, asyncio.IncompleteReadError) and error.partial):
                raise
            await self.close()
            return await self._asked(path)

    async def close(self) -> None:
        if self._streams:
            _, writer = self._streams
            self._streams = None
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


Mutant = Callable[[pytest.MonkeyPatch], None]


async def played(
    folder: Path,
    book: str,
    deck: Deck,
    *,
    mutant: Mutant | None = None,
    cut: bool = False,
    far: bool = False,
    attended: bool = False,
) -> Run:
    """Play a round with a deck, which is in this order after the players' cut if there is one.

    If everybody is far, they stand at the door of another node. At an attended table a dealer
    deals.
    """
    chance = random.Random(7)
    folder.mkdir()
    with dealing(deck, cut=cut) as patch:
        if mutant:
            mutant(patch)
        patient = Doorway(request_s=NEVER_S, write_s=NEVER_S)  # However busy the machine is.
        text = table_toml(book)
        if attended:
            text = text.replace("practice = true", 'things = ["dealer"]')
        opened = open_house(folder, text, entropy=chance.randbytes, doorway=patient)
        async with opened as house, linked(house) if far else nullcontext() as node:
            play = Play(house, book, deck, cut=cut, far=node, attended=attended)
            await play.come_in()
            run = await play.play()
            for wire in play.wires.values():
                await wire.close()
            return run


# ---------------------------------------------------------------- decks that differ


def first_deck(book: str) -> Deck:
    """Return a deck of a book's own."""
    cards = list(DECK)
    random.Random(book).shuffle(cards)
    return tuple(cards)


def twins(run: Run, book: str, *, many: bool = False) -> Iterator[Deck]:
    """Yield decks with everything elsewhere that somebody has not seen at some moment."""
    dealt = next(at for at, moment in enumerate(run.moments) if moment.label == "dealt")
    looks = [(SPECTATOR, dealt), (ANN, dealt), (SPECTATOR, -1)]
    if many:
        looks += [(BOB, len(run.moments) // 2 + 1), (SPECTATOR, len(run.moments) // 2 + 1)]
    wanted = {run.moments[at].seen[party] for party, at in looks}
    for number, seen in enumerate(sorted(wanted, key=sorted)):
        yield twin_of(run, set(seen), random.Random(f"{book} {number}"), book=book)


def twin_of(run: Run, seen: set[int], rng: random.Random, *, book: str) -> Deck:
    """Return a deck with all cards elsewhere that are not seen, and another kind of bank."""
    cards = dict(enumerate(run.deck))
    for _ in range(100):
        moved = twin_deck(cards, seen, rng)
        deck = tuple(moved[position] for position in range(len(DECK)))
        if not run.bank or seen & set(run.bank):
            return deck
        if plays(book, run.deck, run.bank) != plays(book, deck, run.bank):
            return deck
    raise AssertionError("the bank is always the same")


def plays(book: str, deck: Deck, bank: tuple[int, ...]) -> bool:
    """Whether the bank's cards are queen-high or better, which many books ask of it."""
    hand = Hand(tuple(deck[position] for position in bank), rules_of_table(book).ranking)
    return hand.is_at_least_high(HIGH_QUEEN)


def differences(mine: Run, theirs: Run) -> Iterator[str]:
    """Say what somebody was told that depends on cards which they have not seen."""
    moved = {p for p, card in enumerate(mine.deck) if theirs.deck[p] != card}
    for party in PARTIES:
        for one, other in zip(mine.moments, theirs.moments, strict=False):
            if moved & (one.seen[party] | other.seen[party]):
                break
            if one.label != other.label:
                yield f"{party}: {one.label} or {other.label}"
                break
            said, heard = one.said.get(party, []), other.said.get(party, [])
            for this, that in zip(said, heard, strict=False):
                if this != that:
                    yield f"{party}, {one.label}: {_around(this, that)}"
            if len(said) != len(heard):
                yield f"{party}, {one.label}: {len(said)} or {len(heard)} frames"


def _around(this: str, that: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(this, that, strict=False)) if a != b), 0)
    return f"{this[max(at - 60, 0) : at + 40]!r} or {that[max(at - 60, 0) : at + 40]!r}"
