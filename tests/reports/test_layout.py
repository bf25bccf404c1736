"""A sign fits its sheet, in order, and in larger type on larger paper."""

from typing import Any

import pytest

from croupier.reports.layout import PAGE_TYPE, PAPERS, PRINT_TYPE, Type, layout_of
from croupier.reports.sign import Panel, Sign, sign_of
from tests.reports.tables import FULL, every_letter, table
from tests.rules.books import MARYLAND, each_book


@pytest.mark.parametrize("type", [PAGE_TYPE, PRINT_TYPE])
@pytest.mark.parametrize(("id", "selections"), every_letter())
def test_every_panel_has_its_place_in_order(
    id: str, selections: dict[str, Any], type: Type
) -> None:
    sign = sign_of(table(id, selections))
    layout = layout_of(sign, paper="a4", type=type)
    assert tuple(panel for column in layout.columns for panel in column) == sign.panels
    assert all(layout.columns)
    assert layout.size_pt >= 8


@each_book
def test_larger_paper_has_larger_type(id: str) -> None:
    sign = sign_of(table(id, FULL[id]))
    sizes = {paper: layout_of(sign, paper=paper, type=PRINT_TYPE).size_pt for paper in PAPERS}
    assert sizes["a3"] > sizes["a4"]
    assert sizes["tabloid"] > sizes["letter"]


def test_fewer_wagers_have_larger_type() -> None:
    few, many = sign_of(table(MARYLAND)), sign_of(table(MARYLAND, FULL[MARYLAND]))
    sizes = [layout_of(sign, paper="a4", type=PRINT_TYPE).size_pt for sign in (few, many)]
    assert sizes[0] > 2 * sizes[1] > 16


def test_what_fits_no_sheet_is_still_laid_out() -> None:
    panels = tuple(
        Panel(title=f"{i}", clause="", rows=tuple((f"hand {j}", "1 to 1") for j in range(90)))
        for i in range(6)
    )
    sign = Sign(
        title="", place="", house="", rulebook="", digest="", qualifier="", panels=panels, notes=()
    )
    layout = layout_of(sign, paper="a4", type=PRINT_TYPE)
    assert sum(map(len, layout.columns)) == len(panels)
