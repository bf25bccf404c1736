"""How the computer plays a seat: by a simple rule, posted at the table.

The rule takes the wagers and options from the table rules and sees only the cards that the seat may
see. It isn't the best strategy for any game.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import ceil

from croupier.cards import DECK, RANK_NAMES, RANKS, Card
from croupier.hands.hand import Hand
from croupier.hands.ranking import NAMES
from croupier.round.judge import row_for
from croupier.round.order import positions_of
from croupier.round.state import Box, Round
from croupier.rules.game import Step, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEAT, SEATS
from croupier.rules.words import dollars, listed

STAKE, FUNDS = 10_00, 1_000_00
"""A seat's bet where the table has no minimum, and its funds as banker."""
HIGH = "Q"
"""The lowest high card to stay in with where the bank has no qualifier of its own."""
KICKERS = "64"
"""The lowest kickers with that high card in a three-card hand: queen-six-four."""
MISSING_MAX = 3


# ---------------------------------------------------------------- bets


def bets(rules: TableRules) -> dict[str, int]:
    """Return a seat's bets in cents: the first wager, and the wagers that it needs."""
    made = needed(rules, lambda name: Fraction(_least(rules, name)))
    return {name: int(cents) for name, cents in made.items()}


def needed(rules: TableRules, size: Callable[[str], Fraction]) -> dict[str, Fraction]:
    """Return stakes on the first wager and on those that it needs, as large as they must be."""
    first = next(n for n, wager in rules.wagers.items() if wager.placed == "before the deal")
    made = {first: size(first)}
    for _ in rules.wagers:  # A wager that is needed may need others.
        for name in [*made]:
            for condition in rules.wagers[name].conditions:
                if condition.needs and not {*condition.needs} & made.keys():
                    made[condition.needs[0]] = size(condition.needs[0])
                elif condition.of and condition.at_most:
                    least = Fraction(ceil(made[name] / condition.at_most))
                    made[condition.of] = max(made.get(condition.of, size(condition.of)), least)
    return made


def _least(rules: TableRules, name: str) -> int:
    sizes, limits = rules.wagers[name].sizes, rules.limits.get(name)
    if sizes:
        return sizes.of[0]
    return limits.min if limits else STAKE


# ---------------------------------------------------------------- choices


def choose(round: Round, seat: int, known: Mapping[int, Card]) -> str:
    """Return the option that a seat takes; `known` holds the cards that it may see."""
    step = round.rules.sequence[round.at][1]
    stay, leave = _sides(step)
    if stay is None or leave is None:
        return next(iter(step.option))
    box = round.boxes[seat]
    own = positions_of(round, box)
    if not known.keys() >= set(own):
        # Real cards that nobody has read, of a player who is gone (M13): risk nothing more.
        return leave
    if step.option[leave].folds:
        hand = tuple(known[position] for position in own)
        return stay if _is_good(round.rules, hand) else leave
    return stay if _is_won(round, box, known) else leave


def _sides(step: Step) -> tuple[str | None, str | None]:
    """Return the option that stays in, and the one that folds or takes back the stake."""
    leave = [
        name
        for name, option in step.option.items()
        if option.folds or any(stake.fate != "keep" for stake in option.stakes.values())
    ]
    stay = [name for name in step.option if name not in leave]
    return (stay[0] if stay else None, leave[0] if leave else None)


def _is_good(rules: TableRules, cards: tuple[Card, ...]) -> bool:
    high = _high(rules)
    if len(cards) not in NAMES:  # These cards make a hand only with others.
        ranks = [card.rank for card in cards]
        return len({*ranks}) < len(ranks) or max(ranks) >= RANKS.index(high)
    hand = Hand(cards, rules.ranking)
    if len(cards) != 3 or high in RANKS[: RANKS.index(KICKERS[0]) + 1]:
        return hand.is_at_least_high(RANKS.index(high))
    least = Hand.of((f"{high}s", f"{KICKERS[0]}h", f"{KICKERS[1]}d"), rules.ranking)
    return not least.beats(hand)


def _has_three(rules: TableRules) -> bool:
    """Whether a seat's hand, its own or a shared one, has three cards."""
    dealt = sum(line.cards for line in rules.deal.cards if line.to == SEATS)
    return dealt in (0, 3)


def _high(rules: TableRules) -> str:
    qualifier = rules.bank.qualifier
    return (qualifier.high if qualifier else None) or HIGH


def _is_won(round: Round, box: Box, known: Mapping[int, Card]) -> bool:
    """Whether the stake in question wins by its paytable no matter which cards come."""
    rules, step = round.rules, round.step
    wager = _asked(rules, step) if step else None
    table = rules.paytables.get(wager.paytable or "") if wager else None
    if table is None:
        return False
    positions: list[int] = []
    for place in table.of:
        positions += positions_of(round, box) if place == SEAT else round.places.get(place, ())
    cards = [known[position] for position in positions if position in known]
    missing = len(positions) - len(cards)
    if missing > MISSING_MAX:
        return False
    unseen = [card for card in DECK if card not in known.values()]
    return all(
        row_for(table, Hand((*cards, *more), rules.ranking))
        for more in combinations(unseen, missing)
    )


def _asked(rules: TableRules, step: Step) -> Wager | None:
    return next((w for name, w in rules.wagers.items() if step.asks in rules.spots[name]), None)


# ---------------------------------------------------------------- the rule in words


def posted(rules: TableRules) -> str:
    """Describe the rule by which the computer plays its seats."""
    made = [
        f"{dollars(cents)} on {rules.wagers[name].label}" for name, cents in bets(rules).items()
    ]
    says = [f"each bets {listed(made)}", *dict.fromkeys(choices_say(rules))]
    if rules.banked_by == "player":
        says.append(f"takes the bank with {dollars(FUNDS)} when it is its turn")
    return f"The computer plays the other seats by this rule: {'; '.join(says)}."


def choices_say(rules: TableRules, *, unread: bool = False) -> Iterator[str]:
    """Yield how the rule decides each step that it can decide; `unread` for a hand nobody sees."""
    said = (_choice_says(rules, step, unread=unread) for step in rules.steps.values())
    return filter(None, said)


def _choice_says(rules: TableRules, step: Step, *, unread: bool) -> str:
    """Return how the rule decides a step, '' for a step without two sides."""
    stay, leave = _sides(step)
    if stay is None or leave is None:
        return ""
    option, other = step.option[stay].label, step.option[leave].label
    if unread:
        return f"“{other}”"
    if not step.option[leave].folds:
        return f"“{option}” when its cards win whatever comes, otherwise “{other}”"
    high = RANK_NAMES[RANKS.index(_high(rules))]
    kickers = "-".join(RANK_NAMES[RANKS.index(rank)] for rank in KICKERS)
    least = f"{high}-{kickers}" if _has_three(rules) else f"{high} high"
    return f"“{option}” with {least} or better, otherwise “{other}”"
