"""Holds docs/guided.md: the page says what the books' data say, and no moment is forgotten."""

from pathlib import Path

from croupier.round.duties import AT_ONCE, BLOCKED
from croupier.rules.load import load, rulebook_ids
from tools.guided_table import AT_DECKS, page

ROOT = Path(__file__).parent.parent


def test_the_page_of_guided_clauses_is_current() -> None:
    anew = "write it anew: .venv/bin/python -m tools.guided_table > docs/guided.md"
    assert (ROOT / "docs/guided.md").read_text() == page(), anew


def test_every_task_blocks_something_or_is_done_by_its_act() -> None:
    for id in rulebook_ids():
        for name, clause in load(id).rules.clause.items():
            if clause.kept == "guided" and clause.force == "task" and clause.act not in AT_ONCE:
                assert clause.at in AT_DECKS or clause.at in BLOCKED, (id, name)
