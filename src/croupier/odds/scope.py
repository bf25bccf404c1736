"""What these odds model, and what they refuse to price.

Three cards a seat, against three of the bank where a showdown decides; a paytable on the seat's
cards, alone or with two or three more from one place, or on three cards of the bank or a place.
Anything else is refused in a sentence rather than priced as a different game.
"""

from collections.abc import Iterator
from fractions import Fraction

from croupier.errors import UserError
from croupier.odds.paths import decisions, tree
from croupier.odds.payoffs import states_of
from croupier.odds.seats import ROYALS
from croupier.rules.game import Bonus, Envy, Paytable, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT, SEATS

DECK_CARDS, HAND_CARDS = 52, 3
_JOINED = (2, 3)
"""How many cards of another place may join a seat's in a paytable's hand."""
_ENVIED = 5
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

MORE_SEEN = "players decide with more than one card before them besides their own"
"""The case without a strategy; the choices with given cards still have exact values."""


class NotModelled(UserError):
    """A table or a bet that the odds don't model, though it can be played."""


def check_scope(rules: TableRules) -> None:
    """Refuse table rules of which the odds model no wager and no decision exactly."""
    if reason := next(_reasons(rules), None):
        raise not_covered(reason)


def not_covered(reason: str) -> NotModelled:
    return NotModelled(f"the odds do not cover this table: {reason}")


def outside(rules: TableRules) -> str | None:
    """Say which part of these table rules the odds don't model, if any."""
    views = _views(rules)
    if len(views) > 1 or any(cards != 1 for _, cards in views):
        return next(_reasons(rules), MORE_SEEN)
    return next(_reasons(rules), None)


def _reasons(rules: TableRules) -> Iterator[str]:
    dealt = _dealt(rules)
    if rules.deck.cards != DECK_CARDS:
        yield f"its deck has {rules.deck.cards} cards"
    if sum(step.do == "deal" for step in rules.steps.values()) != 1:
        yield "cards are dealt more than once in a round"
    if dealt[SEAT] != HAND_CARDS:
        yield f"a seat has {_cards(dealt[SEAT])}, and only hands of three are modelled"
    judged: list[Wager | Bonus] = [*rules.wagers.values(), *rules.bonuses.values()]
    if any(len(states_of(what.settle)) > 1 for what in judged) and dealt[BANK] != HAND_CARDS:
        bank = f"{_cards(dealt[BANK])} of {rules.bank.label}"
        yield f"three cards are played against {bank}, and only three against three are modelled"
    for what in judged:
        if what.paytable:
            yield from _paytable(what, rules.paytables[what.paytable], dealt)
    for envy in rules.envies.values():
        yield from _envied(envy, rules.paytables[envy.paytable], dealt)


def _dealt(rules: TableRules) -> dict[str, int]:
    """Return how many cards a seat, the bank and every other place gets."""
    dealt: dict[str, int] = {SEAT: 0, BANK: 0, **dict.fromkeys(rules.places, 0)}
    for line in rules.deal.cards:
        to = SEAT if line.to == SEATS else line.to
        dealt[to] = dealt.get(to, 0) + line.cards
    if rules.shared:
        del dealt[rules.shared_place]
        dealt[SEAT] += rules.shared.hand_size
    return dealt


def _views(rules: TableRules) -> set[tuple[str, int]]:
    """Return how many cards of which places are exposed at the decisions of a seat."""
    every = {n: Fraction(1) for n, w in rules.wagers.items() if w.placed == "before the deal"}
    return {view for decision in decisions(tree(rules, every)) for view in decision.sees.items()}


def _paytable(what: Wager | Bonus, table: Paytable, dealt: dict[str, int]) -> Iterator[str]:
    others = [place for place in table.of if place != SEAT]
    cards = [dealt.get(place, 0) for place in others]
    if SEAT in table.of and not (not others or (len(others) == 1 and cards[0] in _JOINED)):
        size = dealt[SEAT] + sum(cards)
        yield f"{what.label} looks at {_cards(size)} from {_NUMBERS[len(table.of)]} places"
    if len(states_of(what.settle)) > 1 and others and others != [BANK]:
        yield f"{what.label} asks for a showdown and for cards of another place"
    if SEAT not in table.of and cards != [HAND_CARDS]:
        yield f"{what.label} looks at {_cards(sum(cards))}, none of them the seat's"
    if any(row.suits and row.hand not in ROYALS for row in table.rows):
        yield f"{what.label} pays by the suit of a hand that is no royal flush"
    if isinstance(what, Wager) and len(what.spots) > 1 and any(row.meter for row in table.rows):
        yield f"{what.label} has several stakes that are paid from one meter"


def _envied(envy: Envy, table: Paytable, dealt: dict[str, int]) -> Iterator[str]:
    size = sum(dealt.get(place, 0) for place in table.of)
    if SEAT not in table.of or size not in (HAND_CARDS, _ENVIED):
        yield f"{envy.label} looks at {_cards(size)}"


def _cards(count: int) -> str:
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} card{'' if count == 1 else 's'}"
