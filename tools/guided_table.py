"""Prints docs/guided.md: every guided clause, its moment, who keeps it, and what it blocks.

.venv/bin/python -m tools.guided_table > docs/guided.md
"""

import textwrap
from collections.abc import Iterable

from croupier.round.duties import BLOCKED
from croupier.rules.book import Clause
from croupier.rules.load import load, rulebook_ids
from croupier.rules.rulebook import Rulebook
from croupier.rules.vocabulary import Occasion
from tests.house.shifts import Kept, met

WIDTH = 100
READY = "Shuffle, StartRound, DealFirstCard"
AT_DECKS: dict[Occasion, str] = {
    "cards received": READY,
    "first player": READY,
    "looked": READY,
    "idle": READY,
    "deck change": READY,
    "settled": READY,
    "shuffle": "Cut, StartRound, DealFirstCard",
    "cut": "StartRound, DealFirstCard",
    "device fails": f"{READY}, Change",
}
"""What the duties of a deck or a device block, as `table/decide.py` checks them."""
HEAD = """\
# Guided clauses

On this page you find, for every clause that people keep at a table with a dealer, when it is due,
who keeps it, and what can't be done before it is kept.

- *Moment*: what brings it. It needs one of the things in brackets: real cards, or chips.
- *By*: who confirms it, in this order. A *manner* is shown while its moment lasts, a *notice* is
  told to players, and a *right* may be used; nobody confirms those.
- *Act*: the command that is the confirmation, so that nobody presses twice.
- *Blocks*: the commands that are refused with this clause until it is kept.
- *Too early*: what a scripted dealer and floorperson tried before the clause was kept, and was
  refused. The refusal cites the clause; where the act itself was missing, it cites the rule in
  brackets, which demands the act.
- *By others*: who else tried to keep it, and was refused. A clerk works at the table and confirms
  nothing; a stranger doesn't work there. Nobody can confirm a manner, a notice or a right.
- *Again*: what was tried after it was kept, and was refused; of a right, after the first card.
- *Runs*: in how many shifts it was met. The script knows only the next step of the desk and a list
  of cards. There are five shifts of Three Card Poker in Maryland and four of Let It Ride, by
  equipment, and one of each other book.

`tools/guided_table.py` generates this page from the books' data and from those shifts.
"""
COLUMNS = """\
| clause | says | moment | by | act | blocks | too early | by others | again | runs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | ---: |"""


def rows(book: Rulebook, seen: dict[str, list[Kept]]) -> list[str]:
    """Return the rows of a book's guided clauses."""
    guided = [(id, c) for id, c in book.rules.clause.items() if c.kept == "guided" and c.at]
    return [row(id, clause, seen.get(id, [])) for id, clause in guided]


def row(id: str, clause: Clause, seen: list[Kept]) -> str:
    moment = clause.at or "bets"
    needs = f" ({', '.join(clause.needs)})" if clause.needs else ""
    by = ", then ".join(clause.by) if clause.force == "task" else f"({clause.force})"
    blocks = ""
    if clause.force == "task":
        blocks = AT_DECKS.get(moment) or ", ".join(c.__name__ for c in BLOCKED.get(moment, ()))
    says = textwrap.shorten(clause.says, WIDTH, placeholder=" …").replace("|", "\\|")
    early = together(kept.early for kept in seen)
    others = together(kept.wrong for kept in seen)
    again = together(kept.again for kept in seen)
    tried = f"{early} | {others} | {again} | {len(seen)}"
    return f"| {id} | {says} | {moment}{needs} | {by} | {clause.act or ''} | {blocks} | {tried} |"


def together(many: Iterable[tuple[str, ...]]) -> str:
    """Return what was refused in any shift, each once."""
    return ", ".join(dict.fromkeys(one for some in many for one in some))


def page() -> str:
    """Return the whole page."""
    parts, seen = [HEAD], met()
    for id in rulebook_ids():
        book = load(id)
        if not (found := rows(book, seen[id])):
            parts.append(f"## {book.rules.title}\n\nThis book has no guided clause.\n")
            continue
        parts.append("\n".join((f"## {book.rules.title}\n", COLUMNS, *found, "")))
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
