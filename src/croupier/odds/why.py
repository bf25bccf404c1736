"""Why a choice is the best one with given cards, in a sentence."""

from fractions import Fraction
from math import log10

import numpy as np

from croupier.cards import RANK_NAMES
from croupier.hands.hand import Hand
from croupier.odds.paths import Decision
from croupier.odds.solve import Model, Solved
from croupier.odds.values import Situation
from croupier.odds.words import (
    MADE,
    NUMBERS,
    asked_table,
    by_card,
    features_of,
    kind_says,
    label_of,
    listed_ranks,
    lowest_says,
    threshold,
)

_FIGURES = 2
"""How many figures of a small sum are said."""


def why(solved: Solved, at: Situation, values: dict[str, Fraction]) -> str:
    """Say which option is best, by how much, and what in the cards makes it so."""
    model, node = solved.model, at.decision(solved.model)
    best = best_of(values)
    label = label_of(model, node.step, best)
    gain = max(values.values()) - max([v for name, v in values.items() if name != best])
    if model.main and model.main.contested:
        taken = [name for name, _ in node.options].index(best)
        reason = _against_the_bank(solved, at, taken)
    else:
        reason = _by_paytable(model, node, at)
    worth = f"is better by {sum_says(gain)} on average" if gain else "costs nothing and risks less"
    return f"{label}: it {worth}{reason}."


def best_of(values: dict[str, Fraction]) -> str:
    """Return the best option; among equals, the first, which wagers less."""
    return max(values, key=lambda name: values[name])


def sum_says(dollars: Fraction) -> str:
    """Write a sum in dollars, small ones with two figures: $0.026, $1.40."""
    places = 2
    if 0 < abs(dollars) < 1:
        places = max(_FIGURES - 1 - int(log10(abs(dollars)) // 1), 2)
    units = round(abs(dollars) * 10**places)
    whole, rest = divmod(units, 10**places)
    return f"${whole:,}.{rest:0{places}}"


def _against_the_bank(solved: Solved, at: Situation, taken: int) -> str:
    """Compare the hand with the lowest one that wagers more."""
    model, node = solved.model, at.decision(solved.model)
    chosen = np.stack([by_card(model, choices[at.key(node.step)]) for choices in solved.choices])
    against = ""
    if model.shown and node.sees.get(model.shown):
        rank = at.up[0].rank
        chosen = np.where((model.seats.rest >> 2)[None] == rank, chosen, -1)
        article = "an" if RANK_NAMES[rank][0] in "ae" else "a"
        against = f" against {article} {RANK_NAMES[rank]}"
    hand = Hand(at.cards, model.ranking)
    level = len(node.options) - 1  # The option that wagers most that some hands take.
    while level > 1 and not (chosen >= level).any():
        level -= 1
    least = threshold(model, np.where(chosen < 0, -1, chosen >= level))
    if least is None:
        return f", as with every hand{against}"
    lowest = lowest_says(model, least)
    play = label_of(model, node.step, node.options[level][0]).lower()
    name = hand.short if hand.name in ("high card", "pair") else f"a {hand.name}"
    above = hand.strength >= least
    link = "because" if above == (taken >= level) else "although"  # Suits make exceptions.
    if hand.strength == least:
        return f", {link} {name} is just the lowest hand to {play}{against}"
    side = "above" if above else "below"
    return f", {link} {name} is {side} {lowest}, the lowest hand to {play}{against}"


def _by_paytable(model: Model, node: Decision, at: Situation) -> str:
    """Name what the cards are on the way to."""
    table = asked_table(model, node)
    if table is None:
        return ""
    cards = np.array([[*at.cards, *at.up]], np.uint8)
    paid = tuple(listed_ranks(table, name) for name in MADE)
    pays, suited, straights, high, _ = features_of(cards, paid)[0].tolist()
    if pays:
        return ", because your hand already pays"
    kind = kind_says(cards.shape[1], suited, straights)
    if not (high and any(paid[0])):
        return f", with {kind}"
    return f", with {kind} and {NUMBERS[high]} from the {RANK_NAMES[paid[0].index(True)]} up"
