"""The chip tray of a table: what two people counted, each without the other's figure, and what
moved since. A difference is reported and never corrected.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from croupier.rules.vocabulary import Keeper

ChipsWhy = Literal["fill", "credit", "sale", "drop"]
"""Why chips or cash move: chips that the cage brought or that were sent back to it, or were sold
for cash at the table; and the cash of the drop box, which the cage collects."""
SIGNS: dict[ChipsWhy, int] = {"fill": 1, "credit": -1, "sale": -1, "drop": 0}
"""Whether chips come to the tray or leave it; cash does neither."""
CHIPS_CENTS = (100, 500, 2500, 10000, 50000)
"""The chips that there are."""
COINS_CENTS = (25, 50)
"""The coins that lie in a tray beside them."""
COUNTING: tuple[Keeper, ...] = ("dealer", "floorperson")
"""The two who count."""


class TrayFigure(NamedTuple):
    """What one person counted."""

    by: Keeper
    cents: int
    chips: Mapping[int, int] = {}
    """How many of each chip, by its cents; nothing if only the sum was given."""

    def agrees(self, other: "TrayFigure") -> bool:
        """Whether two figures are equal, chip by chip where both say so."""
        if self.chips and other.chips and _there(self.chips) != _there(other.chips):
            return False
        return self.cents == other.cents


def _there(chips: Mapping[int, int]) -> dict[int, int]:
    return {chip: many for chip, many in chips.items() if many}


class Tray(NamedTuple):
    """The chips in the tray, as far as they are known."""

    figures: tuple[TrayFigure, ...] = ()
    """The figures of the last count: one while the other person is counting."""
    agreed: int | None = None
    """The last sum that both counted, in cents."""
    moved: int = 0
    """What came since, less what left."""
    difference: int = 0
    """The last count less the journal's sum."""

    @property
    def expected(self) -> int | None:
        """The sum that the journal says is there; None before the first count."""
        return None if self.agreed is None else self.agreed + self.moved

    @property
    def missing(self) -> tuple[Keeper, ...]:
        """The people who have yet to count; both, if their figures differed."""
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
