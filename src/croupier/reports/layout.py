"""Fits a sign onto one sheet, with the number of columns that allows the largest type.

Letter widths are estimated generously, so that nothing needs to be measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil

from croupier.reports.sign import Panel, Sign

PAPERS = {
    "a4": (297.0, 210.0),
    "a3": (420.0, 297.0),
    "letter": (279.4, 215.9),
    "tabloid": (431.8, 279.4),
}
"""Width and height of a sheet in landscape, in millimetres."""

MARGIN_MM = 12.0
GAP_MM = 8.0
POINTS_MM = 72 / 25.4
SIZES_PT = [half / 2 for half in range(80, 13, -1)]
COLUMNS_MAX = 4
NOTE = 0.68
"""The size of notes, relative to rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """The space a font takes, in units of its size."""

    letter: float
    title: float
    row: float
    line: float
    note: float
    space: float
    header_pt: float
    footer_pt: float = 34.0


PAGE_TYPE = Type(
    letter=0.56, title=1.6, row=1.45, line=1.3, note=0.97, space=1.1, header_pt=92.0
)  # A browser may use a wide font.
PRINT_TYPE = Type(letter=0.47, title=1.3, row=1.22, line=1.1, note=0.74, space=1.2, header_pt=88.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """The sheet, the type size, and the panels of each column."""

    width_mm: float
    height_mm: float
    size_pt: float
    columns: tuple[tuple[Panel, ...], ...]


def layout_of(sign: Sign, *, paper: str, type: Type) -> Layout:
    """Return the layout with the largest type; what doesn't fit continues on the next sheet."""
    width_mm, height_mm = PAPERS[paper]
    height = (height_mm - 2 * MARGIN_MM) * POINTS_MM - type.header_pt - type.footer_pt
    cut: list[range] = []
    for size in SIZES_PT:
        for count in range(1, min(COLUMNS_MAX, len(sign.panels)) + 1):
            width = ((width_mm - 2 * MARGIN_MM) - GAP_MM * (count - 1)) / count * POINTS_MM / size
            if any(_crowded(panel, width, type) for panel in sign.panels):
                break  # More columns are narrower still.
            heights = [_height(panel, width, type) * size for panel in sign.panels]
            cut = _balanced(heights, count)
            if max(sum(heights[i] for i in column) for column in cut) <= height:
                return Layout(width_mm, height_mm, size, _columns(sign, cut))
    return Layout(width_mm, height_mm, SIZES_PT[-1], _columns(sign, cut))


def _columns(sign: Sign, cut: list[range]) -> tuple[tuple[Panel, ...], ...]:
    return tuple(tuple(sign.panels[i] for i in column) for column in cut)


def _lines(panel: Panel, row: tuple[str, ...], width: float) -> int:
    """Return how many lines of this many letters the first cell of a row takes."""
    cells = [max(map(len, column)) for column in zip(*panel.rows, strict=True)][1:]
    if panel.heads:
        cells = [max(c, ceil(len(h) * 0.7)) for c, h in zip(cells, panel.heads, strict=True)]
    room = width - sum(cells) - 2 * len(cells)
    return ceil(len(row[0]) / room) if room > 0 else len(row[0])


def _crowded(panel: Panel, width: float, type: Type) -> bool:
    """Whether a row would wrap more than once, or a short row or the title at all."""
    letters = width / type.letter
    lines = [(len(row[0]), _lines(panel, row, letters)) for row in panel.rows]
    broken = any(count > (2 if length > 16 else 1) for length, count in lines)
    return broken or len(panel.title) * 1.2 > letters - 8


def _height(panel: Panel, width: float, type: Type) -> float:
    """Return the height of a panel, in units of the type size."""
    letters = width / type.letter
    notes = sum(ceil(len(note) * NOTE / letters) for note in (*panel.notes, panel.about) if note)
    more = sum(_lines(panel, row, letters) - 1 for row in panel.rows)
    rows = len(panel.rows) + (0.7 if panel.heads else 0)
    return type.title + rows * type.row + more * type.line + notes * type.note + type.space


def _balanced(heights: Sequence[float], count: int) -> list[range]:
    """Split panels into columns, in order, so that the tallest is as short as possible."""

    def highest(cut: list[range]) -> float:
        return max(sum(heights[i] for i in column) for column in cut)

    return min(_cuts(len(heights), count), key=highest)


def _cuts(length: int, count: int) -> Iterator[list[range]]:
    for inner in combinations(range(1, length), count - 1):
        ends = [0, *inner, length]
        yield [range(start, end) for start, end in pairwise(ends)]
