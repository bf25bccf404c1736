"""What a trainee sees and hears at a practice table with real cards and chips, step by step.

Cards, bets and decisions follow from a seed. The console is told none of it: the trainee reads the
cards, enters what players bet and say, and counts. Pure.
"""

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.house.next_step import next_step
from croupier.house.shoe import card_at
from croupier.house.standing import Act, Standing
from croupier.money import format_money
from croupier.round import bots
from croupier.round import commands as in_round
from croupier.round.faces import lying, shown_next
from croupier.round.order import positions_of
from croupier.round.state import Round, is_walk_in
from croupier.rules.words import dollars, listed
from croupier.server.script import Script, script_bets
from croupier.table.commands import Shuffle
from croupier.table.life import sign_code

TRAY = 50_000_00
"""What the tray holds when the table opens: enough for the highest wins at scripted stakes."""
SHORT_MAX = 5
"""How many cards a short deck may lack."""
STEPS_MAX = 200
"""A round has fewer steps than this."""


class Cue(NamedTuple):
    """What the trainee sees, and what is to be entered because of it."""

    says: str
    field: str = ""
    """The field of the next step that it fills."""
    value: Any = None
    """As the command takes it."""
    typed: str = ""
    """As the trainee types it."""
    card: str = ""


class Felt(NamedTuple):
    """The cards, chips and words of a scripted table."""

    seed: int
    script: Script

    def chance(self, *about: object) -> random.Random:
        """Return a source of chance that follows from the seed and what it is about."""
        return random.Random("/".join(map(str, (self.seed, *about))))

    def card(self, round: Round, position: int) -> Card:
        """Return the card that lies at a position of a round's deck."""
        return _deck(self.seed, round.id)[position]

    def faces(self, round: Round) -> dict[int, Card]:
        """Return the cards that were turned up, as they really are."""
        return {position: self.card(round, position) for position in round.faces}

    def short(self, round: Round) -> int:
        """Return how many cards the deck of a round lacks."""
        draws = self.chance(round.id, "short")
        return draws.randint(1, SHORT_MAX) if draws.random() < self.script.faulty / 2 else 0

    def misdealt(self, round: Round) -> bool:
        """Whether cards were misdealt, which the count of the stub shows."""
        return self.chance(round.id, "misdealt").random() < self.script.faulty / 4

    def bets(self, standing: Standing) -> dict[tuple[int, str], int]:
        """Return what each walk-in bets in this round; most bet the same every time."""
        round, table = standing.in_play, standing.table
        if round is None:
            return {}
        banker = round.banker.seat if round.banker else None
        seats = [seat for seat in sorted(table.seats) if seat != banker]
        told: dict[tuple[int, str], int] = {}
        for seat in (seat for seat in seats if is_walk_in(table.seats[seat])):
            repeats = self.chance(round.id, seat, "repeats").random() < self.script.repeats
            bet = f"{self.seed}/{seat}" if repeats else f"{self.seed}/{round.id}/{seat}"
            made = script_bets(bet, table.rules, self.script)
            told |= {(seat, wager): cents for wager, cents in made.items()}
        return told

    def choice(self, round: Round, seat: int) -> str:
        """Return what the player at a seat decides, who knows their own cards."""
        own = positions_of(round, round.boxes[seat])
        known = {position: self.card(round, position) for position in {*own, *round.faces}}
        return bots.choose(round, seat, known)


@lru_cache(maxsize=64)
def _deck(seed: int, round: str) -> tuple[Card, ...]:
    return tuple(random.Random(f"{seed}/{round}/deck").sample(DECK, len(DECK)))


# ---------------------------------------------------------------- what is seen


def sights(felt: Felt, standing: Standing, desk: Mapping[str, Any]) -> list[Cue]:
    """Return what the trainee sees for the desk's next step."""
    return [*_sights(felt, standing, desk)] if "cards" in standing.table.rules.things else []


def _sights(felt: Felt, standing: Standing, desk: Mapping[str, Any]) -> Iterator[Cue]:
    round, step = standing.in_play, desk["next"]
    takes = (step["takes"] or {}).get("field")
    if round and round.step and round.step.do == "bets" and not round.void:
        yield from _bets(felt, standing, round)
    elif round and round.doubt:
        yield Cue(f"You look again: there is one {round.doubt[1].words}")
    elif round and takes == "card":
        yield _turned(felt, round, desk["reads"][0]["position"])
    elif round and takes == "stub":
        left = len(DECK) - len(lying(round)) - felt.short(round)
        yield Cue(f"You count {left} cards in the stub", "stub", left, str(left))
    elif round and round.asked and not round.void and step["command"] is None:
        yield from _says(felt, round)
    elif takes == "sign":
        code = sign_code(standing.table.rules)
        yield Cue(f"The sign shows {code}", "sign", code, code)
    elif takes == "cents":
        lies = standing.table.tray.expected
        yield _money("You count {} in the tray", "cents", TRAY if lies is None else lies)
    elif takes == "funds":
        yield _money(f"Seat {step['command']['seat']} puts up {{}}", "funds", bots.FUNDS)
    elif takes == "cards":
        by_machine = step["command"]["type"] == Shuffle.__name__
        counts = "The shuffler counts" if by_machine else "You count"
        yield Cue(f"{counts} {len(DECK)} cards", "cards", len(DECK), str(len(DECK)))


def resting(desk: Mapping[str, Any]) -> Iterator[Cue]:
    """Yield what the shuffler shows of the resting deck, which somebody enters."""
    if any(one["fields"] for one in desk["meanwhile"]):
        yield Cue(f"The shuffler counts {len(DECK)} cards in the resting deck")


def ahead(felt: Felt, desk: Mapping[str, Any], round: Round) -> Cue | None:
    """Return the card that may be read next already, which settles the seat before it."""
    return _turned(felt, round, desk["read"]["position"]) if desk["read"] else None


def _turned(felt: Felt, round: Round, position: int) -> Cue:
    card = felt.card(round, position)
    says = f"You turn up the {card.words}: {card_at(round, position)['place']}"
    return Cue(says, "card", card, str(card), card=str(card))


def _money(says: str, field: str, cents: int) -> Cue:
    return Cue(says.format(dollars(cents)), field, cents, format_money(cents))


def _bets(felt: Felt, standing: Standing, round: Round) -> Iterator[Cue]:
    """Yield the bets of each walk-in that aren't entered yet."""
    rules, told = standing.table.rules, felt.bets(standing)
    for seat in sorted({seat for seat, _ in told}):
        box = round.boxes.get(seat)
        lies = {name: staked(round, seat, name) for name in rules.wagers} if box else {}
        new = [
            f"{dollars(cents)} on {rules.wagers[wager].label}"
            for (at, wager), cents in told.items()
            if at == seat and lies.get(wager) != cents
        ]
        if new:
            yield Cue(f"Seat {seat} puts down {listed(new)}")


def staked(round: Round, seat: int, wager: str) -> int:
    """Return what is entered for a seat on a wager."""
    box, spot = round.boxes.get(seat), round.rules.spots[wager][0]
    return box.stakes[spot].cents if box and spot in box.stakes else 0


def _says(felt: Felt, round: Round) -> Iterator[Cue]:
    """Yield what the walk-ins whose turn it is say; other players decide on their screens."""
    option = round.step.option if round.step else {}
    for seat in takewhile(lambda seat: is_walk_in(round.boxes[seat].player), round.asked):
        yield Cue(f"Seat {seat} says: {option[felt.choice(round, seat)].label}")


# ---------------------------------------------------------------- how it would end


def played_out(felt: Felt, standing: Standing, first: in_round.Command) -> Round | None:
    """Play a round out by the book after a command, and return it; None if that fails."""
    act = Act(standing)
    act.readings = dict(standing.round.meters) if standing.round else {}
    try:
        act.in_round(first)
        for _ in range(STEPS_MAX):
            if act.round.closed:
                return act.round
            act.in_round(_next(felt, act))
    except Refused:
        pass
    return None


def _next(felt: Felt, act: Act) -> Any:
    """Return the round's next command, with what the felt shows."""
    round, step = act.round, next_step(act.standing)
    match step.command:
        case None if round.asked:
            return in_round.Choose(round.asked[0], felt.choice(round, round.asked[0]), "dealer")
        case in_round.Read():
            return in_round.Read(felt.card(round, shown_next(round)[0]))
        case in_round.CountStub():
            return in_round.CountStub(len(DECK) - len(lying(round)))
        case in_round.Settle(seat=seat):
            return in_round.Settle(dict(act.readings), seat)
        case command if step.of == "round" and command is not None:
            return command
    raise Refused("wrong_step", step.says)
