"""Strategies by name: always one option, as the bank must, or from a hand up."""

import re
from collections.abc import Callable

import numpy as np

from croupier.cards import RANKS
from croupier.errors import UserError, quoted
from croupier.hands.arrays import three_cards
from croupier.hands.ranking import strength_of_ranks
from croupier.odds.paths import Decision, Node, Path, decisions
from croupier.odds.seats import SEATS, plays
from croupier.odds.solve import Choices, Model, Numbers
from croupier.rules.game import Option

BEST, ALWAYS, MIMIC = "best", "always ", "mimic"
_HAND = re.compile(r"([2-9TJQKA]|10)-([2-9TJQKA]|10)-([2-9TJQKA]|10)( or better)?", re.IGNORECASE)


def parse_strategy(text: str, model: Model) -> list[Choices] | None:
    """Read a strategy: `best`, `always fold`, `mimic the dealer`, `Q-6-4`; None is the best one.

    From a hand up, the option that wagers more is taken, and below it the one that wagers less.
    """
    said = text.strip()
    if said.lower() == BEST:
        return None
    if not any(decisions(model.root)):
        raise UserError("there is nothing to decide with this bet", field="strategy")
    if said.lower().startswith(ALWAYS):
        name = said[len(ALWAYS) :].strip().lower()
        return [_every(model, lambda node: np.full(len(SEATS), _option(model, node, name)))]
    raises = _raises(said, model)
    return [_every(model, lambda node: np.where(raises, len(node.options) - 1, 0))]


def _raises(said: str, model: Model) -> Numbers:
    """Return which classes of seats take the option that wagers more."""
    strengths = three_cards(SEATS, model.ranking)
    if said.lower().startswith(MIMIC):
        if model.rules.bank.qualifier is None:
            raise UserError("there is no bank's hand to mimic", field="strategy")
        return np.asarray(plays(strengths, model.high))
    hand = _HAND.fullmatch(said)
    if not hand:
        raise UserError(
            f"{quoted(said)} is not one of best, always OPTION, mimic the dealer, "
            "or a hand such as Q-6-4",
            field="strategy",
        )
    ranks = [RANKS.index(rank.upper().replace("10", "T")) for rank in hand.groups()[:3]]
    least = strength_of_ranks(ranks, suited=False, ranking=model.ranking)
    chosen: Numbers = strengths >= least
    return chosen


def _option(model: Model, node: Decision, name: str) -> int:
    options = model.rules.steps[node.step].option
    for number, (id, _) in enumerate(node.options):
        if name in (id, options[id].label.lower()):
            return number
    words = ", ".join(_named(options[id], id) for id, _ in node.options)
    raise UserError(f"{quoted(name)} is no option; there are {words}", field="strategy")


def _named(option: Option, id: str) -> str:
    return id if option.label.lower() == id else f"{id} ({option.label})"


def _every(model: Model, choose: Callable[[Decision], Numbers]) -> Choices:
    """Return the choices at every decision, for every entry where a card is seen."""
    chosen: Choices = {}

    def walk(node: Node, before: tuple[str, ...]) -> None:
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
