"""Cards seen too early: the same brute force, over all hands without them."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from tests.reference import hands, odds_ride, odds_three
from tests.reference.odds_cards import (
    FIVE_NAMES,
    FIVES,
    HANDS,
    THREE_TITLES,
    THREES,
    TWOS,
    Array,
    Groups,
    five_codes,
    three_code,
)
from tests.reference.odds_counts import (
    OUTCOMES,
    Cards,
    Rides,
    Situations,
    avoiding,
    indicator,
    outcomes,
)
from tests.reference.odds_figures import Result
from tests.reference.odds_rules import Game
from tests.reference.paytables import (
    CALIFORNIA,
    MARYLAND_ENVY,
    RIDE,
    RIDE_ENVY,
    RIDE_THREE_CARD_PROGRESSIVES,
    SINGAPORE,
    SINGAPORE_ENVY,
)


def places(seen: str) -> Cards:
    return tuple(map(hands.DECK.index, hands.parse(seen)))


def bits(cards: Cards) -> int:
    return sum(1 << card for card in cards)


def seats(seen: Cards) -> Iterator[Cards]:
    """Every hand of three cards without those that were seen, with a weight of one."""
    for cards in HANDS[THREES.bits & bits(seen) == 0].tolist():
        yield tuple(cards)


def holding(all_groups: Groups, cards: Cards, *, seen: Cards, without: Cards = ()) -> Array:
    """Return the indices of groups with all the seen cards and no other known card."""
    known = all_groups.bits & bits((*cards, *seen, *without))
    return np.flatnonzero(known == bits(seen))


def situations(game: Game, seen: Cards) -> Situations:
    """Three Card Poker, where cards of the bank were seen besides the one that a book shows."""
    asked = odds_three.asked(game)
    codes, counts = [], []
    for cards in seats(seen):
        bank = holding(THREES, cards, seen=seen)
        keys = outcomes(cards, bank, asked.order)
        sixes = FIVES if asked.six else 1
        if asked.six:
            keys = keys * FIVES + five_codes(cards, THREES, bank, wheel=asked.wheel)
        kinds = OUTCOMES * sixes
        if asked.shown:
            found = by_shown(THREES.cards[bank], keys, seen)
        elif asked.five:
            community = holding(TWOS, cards, seen=(), without=seen)
            first, second = TWOS.cards[community].T
            five = five_codes(cards, TWOS, community, wheel=asked.wheel)
            left = avoiding(THREES.cards[bank], keys, kinds)[first, second]
            found = (indicator(five) @ left).T.reshape(1, OUTCOMES, sixes, FIVES)
        else:
            found = np.bincount(keys, minlength=kinds).reshape(1, OUTCOMES, sixes, 1)
        codes += [three_code(cards)] * len(found)
        counts.append(found)
    return Situations(np.ones(len(codes), dtype=np.int64), np.array(codes), np.concatenate(counts))


def by_shown(bank: Array, keys: Array, seen: Cards) -> Array:
    """The deals by the card that the book shows, which is none of those that were seen."""
    found = np.zeros((52, OUTCOMES), dtype=np.int64)
    for held, key in zip(bank.tolist(), keys.tolist(), strict=True):
        for card in held:
            if card not in seen:
                found[card, key] += 1
    return found[found.any(axis=1)][:, :, None, None]


def rides(game: Game, seen: Cards) -> Rides:
    """Let It Ride, where the first community card, or both, were seen before bet 1."""
    six = "six_card_bonus" in game.stakes
    codes, counts = [], []
    for cards in seats(seen):
        community = holding(TWOS, cards, seen=seen)
        five = indicator(five_codes(cards, TWOS, community))
        found = five.sum(axis=1)[:, None]
        if six:
            boxes = holding(THREES, cards, seen=(), without=seen)
            first, second = TWOS.cards[community].T
            keys = five_codes(cards, THREES, boxes)
            found = five @ avoiding(THREES.cards[boxes], keys, FIVES)[first, second]
        codes.append(three_code(cards))
        counts.append(found)
    ones = np.ones(len(codes), dtype=np.int64)
    return Rides(ones, np.array(codes), np.stack(counts)[:, None])


def analyze(game: Game, seen: str) -> Result:
    """Return the figures of the best strategy for a player who has seen these cards."""
    known = places(seen)
    if game.book != RIDE:
        table = situations(game, known)
        return odds_three.evaluate(table, odds_three.best(game, table), game)
    found = rides(game, known)
    fives = found.counts.sum(axis=3)
    none = np.zeros(fives.shape[:2], dtype=np.bool_)
    plan = odds_ride.Plan(none[:, 0], none)
    if "let_it_ride" in game.stakes:
        plan = odds_ride.plan_of(game, fives)
    return odds_ride.evaluate(found, plan, game)


def envy(game: Game, seen: str) -> Fraction:
    """Return the envy for another player's hand, which has none of these cards."""
    known, size = places(seen), int(game.stakes["progressive"])
    won = deals = 0
    for cards in seats(known):
        if game.book == RIDE and game.letter("progressive") not in RIDE_THREE_CARD_PROGRESSIVES:
            community = holding(TWOS, cards, seen=known)
            for code in five_codes(cards, TWOS, community).tolist():
                won += RIDE_ENVY.get(FIVE_NAMES[code], {size: 0})[size]
                deals += 1
            continue
        title = THREE_TITLES[three_code(cards)][0]
        if game.book == SINGAPORE:
            won += SINGAPORE_ENVY.get(title, 0)
        else:
            won += MARYLAND_ENVY.get(title, {size: 0})[size]
        deals += 1
    return Fraction(won, deals)


def advise(game: Game, cards: str, seen: str, *, shown: str = "") -> dict[str, Fraction]:
    """The value of each choice at the first decision, with these cards of the bank seen too."""
    own, known = places(cards), places(seen)
    assert game.book != RIDE and bool(shown) == (game.book == CALIFORNIA)
    bank = holding(THREES, own, seen=(*known, *places(shown)))
    keys = outcomes(own, bank, game.reading.order)
    counts = np.bincount(keys, minlength=OUTCOMES).reshape(1, OUTCOMES, 1, 1)
    table = Situations(np.ones(1, dtype=np.int64), np.array([three_code(own)]), counts)
    values = {}
    for choice in ("play", "fold"):
        total, denominator = odds_three.totals(game, table, fold=choice == "fold")
        deals = int(counts.sum()) * denominator
        values[choice] = Fraction(int(total[0]), deals) / game.stakes["ante"]
    return values
