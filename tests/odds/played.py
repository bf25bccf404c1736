"""Rounds to compare the odds with: any cards, played through the engine."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from croupier.cards import DECK, Card, parse_cards
from croupier.errors import Refused
from croupier.round.bets import rises
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Open,
    Settle,
    Show,
)
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from tests.reference.dealing import Place
from tests.reference.random_cards import random_places
from tests.reference.random_selections import random_selections

FUNDS = 10**11
STAKE = 100_00
"""A stake so large that no odds of any book pay a fraction of a cent."""


@dataclass(frozen=True)
class Game:
    """A table, and the bet of each of its seats, in cents."""

    rules: TableRules
    bet: Mapping[str, int]
    seats: int = 1
    meters: Mapping[str, int] = field(default_factory=dict)
    """What meters show when they are paid, in cents."""


def random_game(book: str, seed: int, *, seats: int = 1) -> Game:
    """A table with random selections, and a bet of some of the wagers that it offers."""
    rng = random.Random(f"{book} {seed}")
    rules = random_rules(book, rng)
    offered = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    chosen = [name for name in offered if rng.random() < 0.8] or offered
    for names in (chosen, offered):
        bet = {name: stake(rng, rules, name) for name in names}
        game = Game(rules, bet, seats, {id: 1000_00 * rng.randint(1, 90) for id in rules.meters})
        try:
            bets_closed(game)
        except Refused:
            continue
        return game
    raise AssertionError(f"{book}: no bet with {rules.selections}")


def random_rules(book: str, rng: random.Random) -> TableRules:
    """Table rules with random selections, and every meter with a rate and a reset."""
    selections: dict[str, Any] = dict(random_selections(book, rng))
    rules = resolve(load(book), selections)
    for meter in rules.meters.values():
        if meter.rate is None:
            selections[f"{meter.wager}_rate"] = Decimal("0.25")
        if meter.reset is None:
            selections[f"{meter.wager}_reset"] = 20000
    return resolve(load(book), selections)


def stake(rng: random.Random, rules: TableRules, name: str) -> int:
    sizes = rules.wagers[name].sizes
    return rng.choice(sizes.of) if sizes else STAKE


def bets_closed(game: Game, meters: Mapping[str, int] | None = None) -> Round:
    """Return a round whose bets are closed; meters hold micros."""
    rules = game.rules
    commands: list[Command] = [Open("", meters or {})]
    if rules.banked_by == "player":
        commands.append(Bank(rules.table.seats, "banker", FUNDS))
    for seat in range(1, game.seats + 1):
        hand = rules.hand_at(seat)
        commands += [Bet(seat, f"p{seat}", name, n, hand) for name, n in game.bet.items()]
    return after(Round(rules), *commands, CloseBets())


def after(round: Round, *commands: Command) -> Round:
    for command in commands:
        for event in decide(round, command):
            round = evolve(round, event)
    return round


def meters_before(game: Game) -> dict[str, int]:
    """Return what meters must hold before bets close to show the game's amounts after."""
    rise = rises(bets_closed(game))
    return {id: cents * 10_000 - rise.get(id, 0) for id, cents in game.meters.items()}


def play(
    game: Game,
    cards: Mapping[Place, Sequence[Card]],
    chose: Mapping[int, Sequence[str]],
    *,
    meters: Mapping[str, int],
) -> Round:
    """Play a round to its end with these cards at the seats and the other places."""
    round = after(bets_closed(game, meters), Deal())
    faces: dict[int, Card] = {}
    for seat, box in round.boxes.items():
        faces.update(zip(box.cards, cards[seat] if box.cards else (), strict=True))
    for place, positions in round.places.items():
        if place in cards:
            faces.update(zip(positions, cards[place], strict=True))
    rest = iter([card for card in DECK if card not in faces.values()])
    choices = {seat: iter(options) for seat, options in chose.items()}
    while (due := round.due) or round.asked:
        if due:
            shown = [Face(p, faces[p] if p in faces else next(rest)) for p in due]
            round = after(round, Show(tuple(shown)))
        else:
            seat = round.asked[0]
            round = after(round, Choose(seat, next(choices[seat])))
    return after(round, Settle())


def random_deal(rng: random.Random, game: Game) -> dict[Place, tuple[Card, ...]]:
    """Deal cards to every place of the table, rare hands more often than by chance."""
    rules = game.rules
    shared = rules.shared
    sizes: dict[Place, int] = dict.fromkeys(range(1, game.seats + 1), 3)
    sizes |= {place: it.cards for place, it in rules.places.items() if not it.hands}
    if any(line.to == BANK for line in rules.deal.cards):
        sizes["dealer"] = 3
    if shared:
        sizes = dict.fromkeys(range(1, shared.hands + 1), 3) | {"dealer": 3}
    if rng.random() < 0.5:
        dealt = random_places(rng, sizes)
    else:
        deck = iter(rng.sample([str(card) for card in DECK], len(DECK)))
        dealt = {place: [next(deck) for _ in range(n)] for place, n in sizes.items()}
    cards: dict[Place, tuple[Card, ...]] = {
        BANK if place == "dealer" else place: parse_cards(" ".join(held))
        for place, held in dealt.items()
    }
    if shared:
        hands = range(1, shared.hands + 1)
        cards[rules.shared_place] = tuple(card for hand in hands for card in cards[hand])
    return cards
