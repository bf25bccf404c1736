"""The table of main figures in docs/odds.md, computed again."""

from croupier.odds.analysis import Analysis, analyses
from tests.odds.bets import table
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, ROOT, SINGAPORE

PAGE = (ROOT / "docs/odds.md").read_text()
BOOKS = (MARYLAND, LET_IT_RIDE, CALIFORNIA, SINGAPORE, FLORIDA)


def row(one: Analysis) -> str:
    bet = " + ".join(one.rules.wagers[name].label for name in one.bet)
    shares = (one.house_edge, one.element_of_risk)
    figures = [f"{100 * float(share):.4f} %" for share in shares]
    hits = f"{100 * float(one.hit_frequency):.4f} %"
    cells = (
        f"`{one.rules.rulebook}`",
        bet,
        str(one.expected_value),
        *figures,
        f"{one.standard_deviation:.4f}",
        hits,
    )
    return f"| {' | '.join(cells)} |"


def test_the_main_figures_are_those_of_the_books() -> None:
    starts = tuple(f"| `{id}`" for id in BOOKS)
    written = [line for line in PAGE.splitlines() if line.startswith(starts)]
    assert written == [row(one) for id in BOOKS for one in analyses(table(id))]
