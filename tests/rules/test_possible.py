"""A book that says what can never happen is refused: none of it can be meant."""

import pytest

from croupier.errors import Problem
from tests.rules.books import CALIFORNIA, FLORIDA, SIXTH_TEXT, problems_of, sixth, swapped, text_of
from tests.rules.test_check import METER, ROYAL, Case, line_with

SIZED = 'label      = "Crown"\nsizes      = { of = [5], clause = "3" }'
NEVER: dict[str, Case] = {
    "a wager of nothing": (
        "at_most = 2", "at_most = 0", "wager.crown.conditions[2].at_most", "3", "at_most = 0",
        "leaves nothing to bet",
    ),
    "a stake that comes back from where it lies": (
        'label  = "Watch"', 'label  = "Watch"\nreturns = true', "wager.watch.returns", "2",
        "returns = true",
        "belongs to a wager that is collected before the deal; this one lies there",
    ),
    "a size that no wager has": (
        'label      = "Crown"', SIZED, "paytable.envy.A.rows[1].stake", "3", "stake = 1",
        "is no size that the wager can have",
    ),
    "more than a meter holds": (
        ROYAL, ROYAL.replace("100", "101"), "paytable.crown.A.rows[1].percent", "6",
        "percent = 101", "is more than the meter holds",
    ),
    "a rate of more than the wager": (
        "min = 0.1", "min = 1.1", "paytable.crown.A.rate.min", "3", "min = 1.1",
        "is more than the whole wager",
    ),
    "a reset below the lowest": (
        METER, METER.replace("reset = 50", "reset = 10"), "paytable.crown.A.meters[1].reset", "3",
        "reset = 10", "is below its own 'reset_min'",
    ),
    "more cards than lie there": (
        "[step.settle]",
        '[step.more]\ndo     = "reveal"\nclause = "6"\nshows  = ["pool"]\ncards  = 3\n\n'
        "[step.settle]",
        "step.more.cards", "6", "cards  = 3", "turns up more cards than are left at 'pool'",
    ),
    "a paytable by which nothing is paid": (
        "[paytable.envy.A]", '[paytable.spire.A]\nclause = "3"\nrows = []\n\n[paytable.envy.A]',
        "paytable.spire.A", "3", "[paytable.spire.A]", "no wager, bonus or envy goes by it",
    ),
    "a consequence below one that always applies": (
        'does = ["void"], clause = "4" }',
        'does = ["void"], clause = "4" }, { does = ["stand"], clause = "4" }',
        "irregularity.misdeal.rows[2]", "4", '["stand"]',
        "never applies: the row above it always does",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NEVER.values(), ids=NEVER.keys())
def test_what_can_never_happen_is_refused(case: Case) -> None:
    old, new, path, clause, anchor, message = case
    text = swapped(SIXTH_TEXT, (old, new))
    line = line_with(text, anchor)
    problem = Problem(message=message, file="sixth.toml", path=path, line=line, clause=clause)
    assert problems_of(text) == (problem,)


def test_a_row_may_be_for_any_size_that_a_selection_allows() -> None:
    sizes = '[selection.sizes]\nsays = "x"\ntakes = "sizes"\nof = "crown"\nclause = "3"\n'
    sized = swapped(SIXTH_TEXT, ('label      = "Crown"', SIZED))
    for among in ("", "among = [1]\n"):
        assert sixth(swapped(sized, ("[selection.crown]", f"{sizes}{among}[selection.crown]")))
    other = swapped(sized, ("[selection.crown]", f"{sizes}among = [2]\n[selection.crown]"))
    assert [p.message for p in problems_of(other)] == ["is no size that the wager can have"]


@pytest.mark.parametrize(
    ("id", "old", "new", "message"),
    [
        (
            CALIFORNIA,
            "brackets = []",
            "brackets = [{ up_to = 5, fee = 1 }, { up_to = 5, fee = 2 }]",
            "'up_to' must rise from one bracket to the next",
        ),
        (
            FLORIDA,
            'all = "rake.a", ',
            "",
            "'payers' has no clause by which 'all' may be charged",
        ),
        (
            FLORIDA,
            "in_part  = false",
            "in_part  = true",
            "a hand that is covered as a whole or not at all is not paid in part",
        ),
    ],
    ids=["fees", "rake", "cover"],
)
def test_charges_that_cannot_be_made_are_refused(id: str, old: str, new: str, message: str) -> None:
    assert message in [p.message for p in problems_of(swapped(text_of(id), (old, new)))]
