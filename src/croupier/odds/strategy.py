"""Named strategies: always one option, mimicking the bank, or raising from a hand up."""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from croupier.cards import RANKS
from croupier.errors import UserError, quoted
from croupier.hands.arrays import three_cards
from croupier.hands.ranking import NAMES, strength_of_ranks
from croupier.odds.paths import Decision, Path, PathNode, decisions
from croupier.odds.solve import Choices, Model, Numbers
from croupier.round.plan import plan_of
from croupier.rules.game import Option
from croupier.rules.table_rules import TableRules

BEST, ALWAYS, MIMIC = "best", "always ", "mimic"
_EXAMPLE = "Q64328"
_RANK = "(?:[2-9TJQKA]|10)"
_HAND = re.compile(rf"({_RANK}(?:-{_RANK})+)( or better)?", re.IGNORECASE)


class NamedStrategy(NamedTuple):
    """A named strategy: always one option, or the one that wagers more from a strength up."""

    option: str = ""
    least: int = 0

    def of(self, node: Decision, rules: TableRules) -> str:
        """Return the option that is always taken, by its name in a decision."""
        options = rules.steps[node.step].option
        for id, _ in node.options:
            if self.option in (id, options[id].label.lower()):
                return id
        words = ", ".join(_label(options[id], id) for id, _ in node.options)
        raise UserError(f"{quoted(self.option)} is no option; there are {words}", field="strategy")


def named_strategy(text: str, rules: TableRules, cards: int) -> NamedStrategy:
    """Parse `always fold`, `mimic the dealer`, or a hand of this many cards: `Q-6-4`."""
    said = text.strip()
    if said.lower().startswith(ALWAYS):
        return NamedStrategy(option=said[len(ALWAYS) :].strip().lower())
    if said.lower().startswith(MIMIC):
        if rules.bank.qualifier is None:
            raise UserError("there is no bank's hand to mimic", field="strategy")
        return NamedStrategy(least=plan_of(rules).qualifying)
    if cards not in NAMES:
        raise UserError(
            f"{quoted(said)} is not one of best or always OPTION; "
            f"{cards} cards alone are no hand to compare",
            field="strategy",
        )
    hand = _HAND.fullmatch(said)
    ranks = [RANKS.index(r.upper().replace("10", "T")) for r in hand[1].split("-")] if hand else []
    if len(ranks) != cards:
        example = "-".join(_EXAMPLE[:cards])
        raise UserError(
            f"{quoted(said)} is not one of best, always OPTION, mimic the dealer, "
            f"or a hand such as {example}",
            field="strategy",
        )
    return NamedStrategy(least=strength_of_ranks(ranks, suited=False, ranking=rules.ranking))


def parse_strategy(text: str, model: Model) -> list[Choices] | None:
    """Parse a strategy: `best`, `always fold`, `mimic the dealer`, `Q-6-4`; None is the best one.

    From a hand up, it takes the option that wagers more, and below it the one that wagers less.
    """
    if text.strip().lower() == BEST:
        return None
    if not any(decisions(model.root)):
        raise UserError("there is nothing to decide with this bet", field="strategy")
    seats, rules = model.seats.cards, model.rules
    named = named_strategy(text, rules, seats.shape[1])
    if not named.option:
        raises = three_cards(seats, model.ranking) >= named.least
        return [_every(model, lambda node: np.where(raises, len(node.options) - 1, 0))]

    def always(node: Decision) -> Numbers:
        number = [name for name, _ in node.options].index(named.of(node, rules))
        return np.full(len(seats), number)

    return [_every(model, always)]


def _label(option: Option, id: str) -> str:
    return id if option.label.lower() == id else f"{id} ({option.label})"


def _every(model: Model, choose: Callable[[Decision], Numbers]) -> Choices:
    """Return the choices at every decision, for every entry where a card is exposed."""
    chosen: Choices = {}

    def walk(node: PathNode, before: tuple[str, ...]) -> None:
        if isinstance(node, Path):
            return
        by_seat = choose(node)
        sees = bool(model.shown and node.sees.get(model.shown))
        entries = model.main.counted.seat if model.main and sees else None
        chosen[".".join((*before, node.step))] = by_seat if entries is None else by_seat[entries]
        for name, child in node.options:
            walk(child, (*before, name))

    walk(model.root, ())
    return chosen
