"""The value of every choice with given cards, looked up in an analysis.

It gives the same values as `advise`, which goes through all cards that may follow. Once the counts
of a table are there, a lookup takes milliseconds.
"""

from fractions import Fraction
from typing import NamedTuple

from croupier.cards import Card
from croupier.errors import Bug
from croupier.odds.paths import Decision
from croupier.odds.seats import class_of
from croupier.odds.solve import Choices, Model, Solved


class Situation(NamedTuple):
    """What a seat knows when it decides: its cards, the exposed ones, and what it chose before."""

    cards: tuple[Card, ...]
    up: tuple[Card, ...] = ()
    before: tuple[str, ...] = ()

    def decision(self, model: Model) -> Decision:
        """Return the decision that the earlier choices lead to."""
        node = model.root
        for name in self.before:
            if isinstance(node, Decision):
                node = dict(node.options)[name]
        if not isinstance(node, Decision):
            raise Bug(f"nothing is to be decided after {self.before}")
        return node

    def key(self, step: str) -> str:
        """Return the key of the decision among an analysis's choices."""
        return ".".join((*self.before, step))


def values_of(solved: Solved, at: Situation) -> dict[str, Fraction]:
    """Return the value in dollars of every option, all wagers included."""
    model, node = solved.model, at.decision(solved.model)
    of = class_of(at.cards)
    turn = of.turn % len(model.turns)
    main, sees = model.main, bool(model.shown and node.sees.get(model.shown))
    entry, parts = of.number, model.total * solved.priced.scale
    if main and sees and main.counted.where is not None:
        entry = main.counted.where[entry, of.view(at.up[0])]
        parts //= main.counted.views
    work: tuple[object, object, Choices] = solved.path_values(turn), None, {}
    values = {}
    for name, child in node.options:
        found, by_seat = solved.best_from(child, work, (*at.before, name))
        if not sees and not by_seat:
            found = solved.seat_sums(found)
        values[name] = Fraction(int(found[entry]), parts)
    return values
