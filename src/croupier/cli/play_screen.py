"""What `croupier play` looks like: cards, paytables, settlements, and the questions it asks.

It knows terminals and words, and nothing of how a round goes. Without a terminal, or without
colour, everything is plain text.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from croupier.cards import SUIT_SYMBOLS, Card
from croupier.errors import UserError
from croupier.round.state import Line
from croupier.round.view import HIDDEN
from croupier.rules.describe import row_hand
from croupier.rules.game import Cited, Paytable, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars, payout_says

RED, BOLD, DIM = "31", "1", "2"
_COLUMNS_MAX, _GAP = 100, 3
_RED_SUITS = (1, 2)


class Left(Exception):
    """The player leaves the table."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Cards that lie together, whose they are, and what is said of them."""

    title: str
    cards: tuple[str, ...]
    note: str = ""


class Screen:
    """Speaks to the player on standard output, and listens on standard input."""

    def __init__(self, *, plain: bool) -> None:
        self.is_terminal = sys.stdout.isatty()
        dull = plain or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self.is_drawn = self.is_terminal and not dull and _can_draw(sys.stdout.encoding)
        self.is_live = self.is_terminal and sys.stdin.isatty()

    # ------------------------------------------------------------ words

    def say(self, text: str = "", *, indent: int = 0) -> None:
        """Print a text, wrapped to a terminal's width and left alone elsewhere."""
        if not self.is_terminal or not text:
            print(f"{' ' * indent}{text}" if text else "")
            return
        space = " " * indent
        for line in textwrap.wrap(
            text, self._columns(), initial_indent=space, subsequent_indent=space
        ):
            print(line)

    def heading(self, text: str) -> None:
        """Print a heading with a line of space above it."""
        print()
        print(self._painted(text, BOLD))

    def refuse(self, error: UserError, subject: str = "") -> None:
        """Say in one sentence what is wrong, and which clause says so."""
        text = f"{subject}: {error.message}" if subject else error.message
        clause = f" ({error.clause})" if error.clause else ""
        self.say(f"{text[:1].upper()}{text[1:]}{clause}.", indent=2)

    def ask(self, question: str) -> str:
        """Return the answer to a question; whoever ends the input leaves."""
        print(f"{question} ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            print()
            raise Left
        answer = line.strip()
        if not sys.stdin.isatty():
            print(answer)  # A terminal has shown it already.
        return answer

    def _columns(self) -> int:
        return min(shutil.get_terminal_size().columns, _COLUMNS_MAX)

    def _painted(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.is_drawn and codes else text

    # ------------------------------------------------------------ cards

    def lay(self, spreads: Sequence[Spread]) -> None:
        """Show cards: as boxes side by side, or as words one below the other."""
        print()
        if self.is_drawn:
            for row in _rows(spreads, self._columns()):
                self._lay_row(row)
            return
        width = max(len(spread.title) for spread in spreads)
        for spread in spreads:
            cards = " ".join(f"[{card}]" for card in spread.cards)
            print(f"  {spread.title:{width}}  {cards}  {spread.note}".rstrip())

    def _lay_row(self, row: Sequence[Spread]) -> None:
        """Print hands side by side: whose they are, four lines of cards, what is said of them."""
        blocks = [
            [
                self._painted(spread.title.ljust(_width(spread)), BOLD),
                *(line + " " * (_width(spread) - 5 * len(spread.cards)) for line in art),
                spread.note.ljust(_width(spread)),
            ]
            for spread in row
            for art in [self._art(spread.cards)]
        ]
        for parts in zip_longest(*blocks, fillvalue=""):
            print((" " * 2 + (" " * _GAP).join(parts)).rstrip())

    def _art(self, cards: Sequence[str]) -> list[str]:
        drawn = [self._card(card) for card in cards]
        return ["".join(lines) for lines in zip(*drawn, strict=True)]

    def _card(self, name: str) -> tuple[str, str, str, str]:
        if name == HIDDEN:
            back = f"│{self._painted('░░░', DIM)}│"
            return "┌───┐", back, back, "└───┘"
        card = Card(name)
        rank, codes = name[0].replace("T", "10"), (BOLD, RED) if card.suit in _RED_SUITS else ()
        return (
            "┌───┐",
            f"│{self._painted(rank.ljust(3), *codes)}│",
            f"│{self._painted(f' {SUIT_SYMBOLS[card.suit]} ', *codes)}│",
            "└───┘",
        )

    # ------------------------------------------------------------ rules and settlements

    def explain_wager(self, rules: TableRules, name: str) -> None:
        """Show what the book says of a wager, and its paytable."""
        wager = rules.wagers[name]
        verdicts = (wager.settle.always, wager.settle.higher, wager.settle.lower)
        cited: list[Cited | None] = [wager, *wager.conditions, wager.sizes, *verdicts]
        cited += [wager.settle.equal, wager.settle.unopposed]
        self.explain(rules, [said.clause for said in cited if said])
        for label, table in _tables(rules, name, wager):
            self.paytable(label, table)

    def explain(self, rules: TableRules, clauses: Sequence[str]) -> None:
        """Show what some clauses say, each once."""
        for id in dict.fromkeys(clauses):
            if id in rules.clauses:
                self.say(f"{id}: {rules.clauses[id].says}", indent=4)

    def paytable(self, label: str, table: Paytable) -> None:
        """Show a paytable with its clause."""
        self.say(f"{label} ({table.clause}):", indent=4)
        for row in table.rows:
            print(f"      {row_hand(row):42} {payout_says(table, row)}")

    def settled(self, label: str, line: Line, why: str) -> None:
        """Show one settled line: the money, and below it the reason and the clause."""
        stake = dollars(line.stake) if line.stake else ""
        print(f"  {label:30} {stake:>11}  {line.outcome:10} {signed(line.net):>12}")
        ruling = f", ruling {line.ruling}" if line.ruling else ""
        self.say(f"{why} ({line.clause}{ruling})", indent=6)


def signed(cents: int) -> str:
    """Write what was won or lost: +$10, -$2.50, $0."""
    return f"{'+' if cents > 0 else '-' if cents else ''}{dollars(abs(cents))}"


def _can_draw(encoding: str) -> bool:
    try:
        f"┌░{SUIT_SYMBOLS}".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _width(spread: Spread) -> int:
    return max(len(spread.title), 5 * len(spread.cards), len(spread.note))


def _rows(spreads: Sequence[Spread], columns: int) -> Iterator[list[Spread]]:
    """Yield as many hands at a time as fit side by side."""
    row: list[Spread] = []
    for spread in spreads:
        if row and 2 + sum(_width(s) + _GAP for s in row) + _width(spread) > columns:
            yield row
            row = []
        row.append(spread)
    yield row


def _tables(rules: TableRules, name: str, wager: Wager) -> Iterator[tuple[str, Paytable]]:
    """Yield the paytables that a wager, its bonuses and its envies are paid by."""
    judged = [(wager.label, wager.paytable or "")]
    judged += [(b.label, b.paytable) for b in rules.bonuses.values() if b.on == name]
    judged += [(e.label, e.paytable) for e in rules.envies.values() if e.makers == name]
    yield from ((label, rules.paytables[p]) for label, p in judged if p in rules.paytables)
