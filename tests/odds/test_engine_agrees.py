"""The engine settles rounds and the odds price them: the two agree line by line."""

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from croupier.cards import RANKS, Card
from croupier.hands.arrays import three_cards
from croupier.odds.combinations import pairs, triples, turned_triples
from croupier.odds.counts import STATES
from croupier.odds.paths import Path, leaves, tree
from croupier.odds.payoffs import Payoffs, PricedLine, cards_of, judged, rows_by_code
from croupier.odds.seats import codes_of
from croupier.round.state import Round
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.simulation.simulator import SimulationTask, Simulator
from tests.odds.played import Game, meters_before, play, random_deal, random_game
from tests.reference.dealing import Place
from tests.reference.paytables import CALIFORNIA, FLORIDA, MARYLAND, RIDE, SINGAPORE

BOOKS = (MARYLAND, CALIFORNIA, SINGAPORE, FLORIDA, RIDE)
ROUNDS, ROUNDS_LONG = 100, 600
SELECTIONS, SELECTIONS_LONG = range(12), range(100, 140)

Deal = Mapping[Place, Sequence[Card]]


# ---------------------------------------------------------------- the engine's lines


def settled(rules: TableRules, round: Round, seat: int) -> dict[str, int]:
    """Return the net of every wager and bonus of a seat in cents, zeros left out."""
    names = {spot: name for name, spots in rules.spots.items() for spot in spots}
    names |= {bonus: bonus for bonus in rules.bonuses}
    nets: dict[str, int] = {}
    for line in round.lines:
        if line.seat == seat:
            nets[names[line.wager]] = nets.get(names[line.wager], 0) + line.net
    return {name: net for name, net in nets.items() if net}


# ---------------------------------------------------------------- the lines of the odds


def high_of(rules: TableRules) -> int:
    qualifier = rules.bank.qualifier
    return RANKS.index(qualifier.high) if qualifier and qualifier.high else -2


def states(rules: TableRules, deals: Sequence[Deal]) -> list[str]:
    """Return the state of seat 1 against the bank in each deal: higher, lower, and so on."""
    if BANK not in deals[0]:
        return ["always"] * len(deals)
    mine = three_cards(np.array([deal[1] for deal in deals], np.uint8), rules.ranking)
    bank = three_cards(np.array([deal[BANK] for deal in deals], np.uint8), rules.ranking)
    plays = (bank >> 12 > 0) | (bank >> 8 & 15 >= high_of(rules) + 2)
    found = np.select([~plays, mine > bank, mine < bank], [3, 0, 1], 2)
    return [STATES[state] for state in found]


def rows(rules: TableRules, one: PricedLine, deals: Sequence[Deal]) -> list[int]:
    """The row of the paytable that seat 1 fits, in each deal; -1 is none."""
    if one.table is None:
        return [-1] * len(deals)
    held = [(*deal[1], *(deal[one.place] if one.place else ())) for deal in deals]
    cards = np.array(held, np.uint8)
    by_code = rows_by_code(one.table, cards_of(rules, one), rules.ranking)[0]
    found: list[int] = by_code[codes_of(cards, rules.ranking)].tolist()
    return found


def priced(game: Game, paths: Sequence[Path], deals: Sequence[Deal]) -> list[dict[str, Fraction]]:
    """Price every line of seat 1 in each deal on its path, by the payoff tables."""
    rules = game.rules
    pays = Payoffs(rules, {id: Fraction(cents, 100) for id, cents in game.meters.items()})
    found: list[dict[str, Fraction]] = [{} for _ in deals]
    standing = states(rules, deals)
    for one in judged(rules, paths):
        tables: dict[int, tuple[Any, Any]] = {id(path): pays.nets(one, path) for path in paths}
        fits = rows(rules, one, deals)
        for number, path in enumerate(paths):
            net, table = tables[id(path)]
            if table:
                state = 0 if len(table) == 1 else one.states.index(standing[number])
                net += table[state][fits[number]]
            if net:
                found[number][one.name] = net
    return found


def check_lines(book: str, seed: int, rounds: int) -> None:
    """Settle and price random deals of one random table, on random ways through the round."""
    game = random_game(book, seed)
    rng = random.Random(seed)
    every = list(leaves(tree(game.rules, {n: Fraction(c, 100) for n, c in game.bet.items()})))
    paths = [rng.choice(every) for _ in range(rounds)]
    deals = [random_deal(rng, game) for _ in range(rounds)]
    meters = meters_before(game)
    expected = priced(game, paths, deals)
    for path, deal, lines in zip(paths, deals, expected, strict=True):
        round = play(game, deal, {1: path.chose}, meters=meters)
        assert settled(game.rules, round, 1) == lines, (game.rules.selections, game.bet, deal)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("seed", SELECTIONS)
def test_every_line_is_settled_as_it_is_priced(book: str, seed: int) -> None:
    check_lines(book, seed, ROUNDS)


@pytest.mark.long
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("seed", SELECTIONS_LONG)
def test_every_line_of_many_rounds_is_settled_as_it_is_priced(book: str, seed: int) -> None:
    check_lines(book, seed, ROUNDS_LONG)


# ---------------------------------------------------------------- the simulation's nets

HANDS: dict[tuple[int, ...], int] = {
    hand: number for number, hand in enumerate(combinations(range(52), 3))
}
PAIRS = {tuple(pair): number for number, pair in enumerate(pairs().cards.tolist())}
TURNED = {
    (hand[0], frozenset(hand)): number
    for number, hand in enumerate(turned_triples().cards.tolist())
}


def number_of(cards: Sequence[Card], *, shown: bool) -> int:
    """Return the index of two or three cards among all that can be drawn."""
    if len(cards) == 2:
        return PAIRS[tuple(map(int, cards))]
    if shown:
        return TURNED[int(cards[0]), frozenset(map(int, cards))]
    return HANDS[tuple(sorted(map(int, cards)))]


def check_simulated(game: Game, seed: int, rounds: int) -> None:
    """Settle random deals played by the strategy, and look them up in the simulation's tables."""
    rules, rng = game.rules, random.Random(seed)
    meters = meters_before(game)
    bet = {name: Fraction(cents, 100) for name, cents in game.bet.items()}
    shown = {id: Fraction(cents, 100) for id, cents in game.meters.items()}
    simulator = Simulator(SimulationTask(rules, bet, shown, None, game.seats))
    deals = [random_deal(rng, game) for _ in range(rounds)]
    hands = [
        np.array([number_of(deal[hand], shown=False) for deal in deals])
        for hand in range(1, len(simulator.boxes) + 1)
    ]
    numbers = {
        place.group.place: np.array(
            [number_of(deal[place.group.place], shown=place.is_shown) for deal in deals]
        )
        for place in simulator.places
    }
    found = simulator.priced(hands, numbers)
    metered = {meter.wager for meter in rules.meters.values()}
    for number, deal in enumerate(deals):
        by_seat = [found[seat % len(found)] for seat in range(game.seats)]
        chose = {seat: paths[number].chose for seat, (paths, _) in enumerate(by_seat, 1)}
        round = play(game, deal, chose, meters=meters)
        if sum(line.wager in metered and line.paid > 0 for line in round.lines) > 1:
            continue  # A meter that is paid twice in a round is less at the second seat.
        nets = dict.fromkeys(chose, 0)
        for line in round.lines:
            nets[line.seat] += line.net
        expected = {
            seat: Fraction(int(net[number]) * 100, simulator.scale)
            for seat, (_, net) in enumerate(by_seat, 1)
        }
        assert nets == expected, (rules.selections, game.bet, deal)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("seed", range(200, 204))
def test_rounds_by_the_strategy_net_what_is_simulated(book: str, seed: int) -> None:
    seats = 1 + 2 * (seed % 2)
    check_simulated(random_game(book, seed, seats=seats), seed, ROUNDS)


def test_envy_at_three_seats_is_what_is_simulated() -> None:
    """M5, M6: a hand in play earns the others envy; a folded hand doesn't."""
    selections = {
        "progressive": "A",
        "five_card_progressive": "A",
        "five_card_progressive_rate": "0.25",
        "five_card_progressive_reset": 10_000,
        "five_card_envy": {"pair": 3, "flush": 20, "straight flush": 100},
    }
    bet = {"ante": 100_00, "progressive": 1_00, "five_card_progressive": 1_00}
    meters = {"progressive": 5000_00, "five_card_progressive": 40000_00}
    rules = resolve(load(MARYLAND), selections)
    check_simulated(Game(rules, bet, 3, meters), 1, 4 * ROUNDS)


def test_triples_are_numbered_in_order() -> None:
    assert [tuple(hand) for hand in triples().cards.tolist()] == list(HANDS)
