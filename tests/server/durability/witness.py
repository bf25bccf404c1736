"""A witness of what was acknowledged, who holds the journal to it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from croupier.cards import Card
from croupier.fairness.commitment import Commitment
from croupier.fairness.seal import parse_key, unseal
from croupier.house.cage import CAGE
from croupier.ledger.accounts import account
from croupier.ledger.acts import HOUSE_STREAM, BuildChecked, KeysSet, PersonCame, acts_in
from croupier.ledger.journal import StoredEvent, decode
from croupier.ledger.roles import PLAYER
from croupier.ledger.store import View
from croupier.ledger.stores.protocol import Store
from croupier.ledger.verify import verify
from croupier.money import micros
from tests.server.durability.tables import rules_of

# The event that a command of a player's comes to, and by which fields it is known again.
EFFECTS = {
    "sit": ("Joined", ("seat",)),
    "leave": ("Left", ("seat",)),
    "bet": ("BetMade", ("seat", "wager", "cents")),
    "take_down": ("BetTakenDown", ("seat", "wager")),
    "choose": ("Chose", ("seat", "option")),
    "bank": ("BankTaken", ("seat", "funds")),
    "pass": ("BankPassed", ("seat",)),
}
BY_PLAYERS = ("BetMade", "Joined", "BankTaken")
"""What only a player's command brings about."""
UNDECIDED = ("too_many", "quota", "unavailable")
"""Refusals that say nothing of whether the command was done before."""


def undecided(said: dict[str, Any]) -> bool:
    """Tell whether the sender has to ask again after this answer."""
    return said["type"] == "refused" and said["code"] in UNDECIDED


@dataclass
class Sent:
    """A command, and every answer that decides it."""

    table: str
    body: dict[str, Any]
    frames: list[str] = field(default_factory=list)

    @property
    def done(self) -> int | None:
        """The number that it was acknowledged with."""
        said = [json.loads(frame) for frame in self.frames]
        return next((one["v"] for one in said if one["type"] == "done"), None)


class Witness:
    """All that the players know, and how far the journal was followed."""

    def __init__(self) -> None:
        self.sent: dict[str, Sent] = {}
        """By the id of the command in the journal: `player/id`."""
        self.fresh: set[str] = set()
        """Commands that were answered since the journal was looked at."""
        self.faults: list[str] = []
        self.guests: set[str] = set()
        """The people who were told that they are guests."""
        self.came: set[str] = set()
        """Who came, as the journal has it."""
        self.commitments: dict[str, tuple[Commitment, bytes]] = {}
        self.staked: set[str] = set()
        self.closed: set[str] = set()
        self.void = self.rises = 0
        self.compared = 0
        """How often a view was held beside the one before the server died."""
        self.chips: dict[str, list[int]] = {}
        """By player: how often chips were asked for at the cage, and how often they were given."""
        self.purses: dict[str, int] = {}
        """What players saw in their purses at the end, in cents."""
        self._heads: dict[str, tuple[int, bytes]] = {}
        self._decks: dict[str, tuple[Card, ...]] = {}

    def expect(self, holds: object, fault: str) -> None:
        if not holds:
            self.faults.append(fault)

    # ------------------------------------------------------------ after each death

    def look(self, store: Store, key: Path) -> None:
        """Hold what is stored to what was seen so far."""
        with store.reading() as view, store.snapshot() as session:
            for stream in view.heads():
                since, _ = self._heads.get(stream, (0, b""))
                find = "SELECT number, command FROM commands WHERE stream = ? AND number > ?"
                commands = sorted(session.rows(find, (stream, since)))
                self._follow(view, stream, commands)
            lost = self.guests - self.came
            self.expect(not lost, f"guests whom the journal does not know: {sorted(lost)}")
            for round, (commitment, sealed) in self._news_of_decks(view):
                deck = unseal(sealed, parse_key(key.read_text()), commitment).deck
                self._decks[round] = deck
            total = sum(view.balances().values())
            self.expect(total == 0, f"all accounts come to {total}")
            for account, micros in view.balances("layout").items():
                round = account.partition(":")[2]
                self.expect(micros == 0 or round not in self.closed, f"{account} holds {micros}")
            self._hold(view, self.fresh)
            self.fresh.clear()

    def _follow(self, view: View, stream: str, commands: list[tuple[int, str]]) -> None:
        """Read what is new in a stream, command by command."""
        number, _ = self._heads.get(stream, (0, b""))
        new = list(view.stream(stream, after=number))
        if number and not new and view.heads()[stream].number < number:
            self.faults.append(f"{stream} ends before event {number}, which was there")
        at = number
        rows = iter(new)
        if stream == HOUSE_STREAM:
            self._acts(rows)
        for upto, command in commands:
            events = [decode(next(rows).data) for _ in range(upto - at)]
            at = upto
            for record in events:
                self._event(record.subject, record.event)
            self._effects(command, [dict(record.event) for record in events])
        self.expect(next(rows, None) is None, f"{stream} has events that no command brought")
        if new:
            self._heads[stream] = new[-1].number, new[-1].hash

    def _acts(self, rows: Iterator[StoredEvent]) -> None:
        """Read acts of the house, which no command brings: keys, checks of builds, new guests."""
        for number, act in acts_in(rows):
            match act:
                case KeysSet():
                    self.expect(number == 1, f"{act} is act {number}, and nobody asked")
                case BuildChecked(differs=differs):
                    self.expect(not differs, f"{differs} differ from the build")
                case PersonCame(person, roles=roles, is_from_before=False):
                    self.expect(person not in self.came, f"{person} came twice")
                    self.expect(roles == (PLAYER,), f"{person} came as {roles}")
                    self.came.add(person)
                case _:
                    self.faults.append(f"{act} is act {number}, and nobody asked")

    def _event(self, round: str, event: Any) -> None:
        match event["type"]:
            case "DeckCommitted":
                made = Commitment(event["round"], event["rules"], event["root"])
                self.expect(made.round not in self.commitments, f"{made.round} has two decks")
                self.commitments.setdefault(made.round, (made, b""))
            case "BetMade":
                self.staked.add(round)
            case "BetsClosed":
                self.rises += bool(event["rises"])
            case "Closed":
                self.closed.add(round)
            case "Declared" | "CalledOff":
                self.void += 1

    def _news_of_decks(self, view: View) -> Iterator[tuple[str, tuple[Commitment, bytes]]]:
        for round, (commitment, known) in list(self.commitments.items()):
            if round in self.closed and known:
                continue
            sealed = view.sealed(round) or b""
            self.expect(known in (b"", sealed), f"{round} has another deck than before")
            for row in view.about(round):
                self.expect(
                    f'"{commitment.digest}"'.encode() in row.data
                    or b'"type":"DeckCommitted"' not in row.data,
                    f"{round} has another commitment than before",
                )
            self.commitments[round] = commitment, sealed
            if sealed:
                yield round, self.commitments[round]

    def _effects(self, command: str, events: list[dict[str, Any]]) -> None:
        """A command of a player's has its own effect, once, and nobody else's has it."""
        sent = self.sent.get(command)
        kinds = [event["type"] for event in events]
        if sent is None:
            self.expect(not set(kinds) & {*BY_PLAYERS}, f"{command} did {kinds}, and nobody asked")
            byplayers = [e for e in events if e["type"] == "Chose" and e["by"] != "clock"]
            self.expect(not byplayers, f"{command} chose for a player")
            return
        kind, fields = EFFECTS[sent.body["type"]]
        mine = [event for event in events if event["type"] == kind]
        right = len(mine) == 1 and all(mine[0][name] == sent.body[name] for name in fields)
        self.expect(right, f"{command} was {sent.body}, and {mine} happened")

    def _hold(self, view: View, commands: Iterable[str]) -> None:
        """Whatever was acknowledged is stored, and whatever was refused is not."""
        for command in commands:
            sent, answer = self.sent[command], view.answer(command)
            stored, done = answer.number if answer else None, sent.done
            if done is not None:
                self.expect(stored == done, f"{command} was answered {done}, stored {stored}")
            elif sent.frames:
                self.expect(stored is None, f"{command} was refused and is stored: {sent.frames}")
            self.expect(len(set(sent.frames)) < 2, f"{command} has two answers: {sent.frames}")

    # ------------------------------------------------------------ at the end

    def close(self, store: Store, key: Path) -> None:
        """Verify everything, and see that every round has come to its end."""
        self.look(store, key)
        with store.reading() as view:
            self._hold(view, self.sent)
            self.faults += verify(view, rules_of).faults
            for stream, (number, hash) in self._heads.items():
                there = [row.hash for row in view.stream(stream, after=number - 1)]
                self.expect(there[:1] == [hash], f"event {number} of {stream} has changed")
            for round, deck in self._decks.items():
                self._faces(view, round, deck)
            self._purses(view)
            for kind in ("layout", "bank"):
                for account, micros in view.balances(kind).items():
                    ended = account.partition(":")[2] in self.closed
                    self.expect(not (ended and micros), f"{account} holds {micros}")
        unended = self.staked - self.closed
        self.expect(not unended, f"rounds that did not end: {sorted(unended)}")

    def _purses(self, view: View) -> None:
        """Players have what they were told, and chips as often as they were given them."""
        for player, cents in self.purses.items():
            held = view.balance(account("player", player))
            self.expect(held == micros(cents), f"{player} saw {cents} cents, and has {held} micros")
        events = [decode(row.data).event for row in view.stream(CAGE)]
        for player, (asked, given) in self.chips.items():
            bought = sum(event["player"] == player for event in events)
            fault = f"{player} asked {asked} times for chips, got {given}, and {bought} are stored"
            self.expect(given <= bought <= asked, fault)

    def _faces(self, view: View, round: str, deck: tuple[Card, ...]) -> None:
        """Every card that was shown is the one that was sealed before the first bet."""
        for row in view.about(round):
            event = decode(row.data).event
            if event["type"] == "Shown":
                place, card = event["position"], event["card"]
                self.expect(str(deck[place]) == card, f"{round} showed {card} at {place}")
