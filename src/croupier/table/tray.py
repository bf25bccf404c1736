"""The chip tray of a table: what two people counted, each without the other's figure, and what
moved since. A difference is named and never corrected.
"""

from typing import Literal, NamedTuple

from croupier.rules.vocabulary import Person

ChipsWhy = Literal["fill", "credit", "sale"]
"""Why chips move: brought by the cage, sent back to it, or sold at the table for cash."""
SIGNS: dict[ChipsWhy, int] = {"fill": 1, "credit": -1, "sale": -1}
"""Whether chips come to the tray or leave it."""
COUNTING: tuple[Person, ...] = ("dealer", "floorperson")
"""The two who count."""


class TrayFigure(NamedTuple):
    """What one person counted."""

    by: Person
    cents: int


class Tray(NamedTuple):
    """The chips in the tray, as far as they are known."""

    figures: tuple[TrayFigure, ...] = ()
    """The figures of the last count: one while the other person is counting."""
    agreed: int | None = None
    """The last sum that both counted, in cents."""
    moved: int = 0
    """What came since, less what left."""
    difference: int = 0
    """By how much the last count was above the journal's sum, or below it."""

    @property
    def expected(self) -> int | None:
        """The sum that the journal says is there; None before the first count."""
        return None if self.agreed is None else self.agreed + self.moved

    @property
    def missing(self) -> tuple[Person, ...]:
        """Who has still to count; both, where their figures differed."""
        counted = [figure.by for figure in self.figures]
        return COUNTING if len(counted) > 1 else tuple(p for p in COUNTING if p not in counted)

    @property
    def differed(self) -> bool:
        """Whether the last two figures were unequal, so that the tray is counted again."""
        return len(self.figures) > 1

    def after_figure(self, figure: TrayFigure) -> "Tray":
        """Return the tray after one person counted it; a third figure begins another count."""
        return self._replace(figures=(figure,) if self.differed else (*self.figures, figure))

    def after_count(self, cents: int) -> "Tray":
        """Return the tray after both counted the same sum."""
        expected = cents if self.expected is None else self.expected
        return Tray(agreed=cents, difference=cents - expected)

    def after_move(self, cents: int) -> "Tray":
        """Return the tray after chips came, or left if the sum is negative."""
        return self._replace(moved=self.moved + cents)


NO_TRAY = Tray()
