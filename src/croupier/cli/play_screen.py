"""The screen of `croupier play`: cards, paytables, settlements and prompts.

It knows terminals and words, but not how a round goes. Without a terminal or colour, everything is
plain text.
"""

import os
import shutil
import sys
import termios
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any

from croupier.cards import SUIT_SYMBOLS, Card
from croupier.errors import UserError
from croupier.hands.hand import Hand
from croupier.round.plan import plan_of
from croupier.round.state import Line, Round
from croupier.round.view import HIDDEN
from croupier.rules.describe import row_hand
from croupier.rules.game import Cited, Paytable, Place, Wager
from croupier.rules.present import is_inside
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT
from croupier.rules.words import dollars, listed, payout_says

RED, BOLD, DIM = "31", "1", "2"
_COLUMNS_MAX, _INDENT, _GAP, _CARD = 100, 2, 3, 5
"""Widths in columns: the screen, the margin, the gap between two hands, a card."""
_RED_SUITS = (1, 2)


class PlayerLeft(Exception):
    """Raised when the player leaves the table."""


@dataclass(frozen=True, slots=True)
class CardRow:
    """Cards that lie together, with their owner and a caption."""

    title: str
    cards: tuple[str, ...]
    note: str = ""


class Screen:
    """Prints to standard output and reads answers from standard input."""

    def __init__(self, *, plain: bool) -> None:
        self.is_terminal = sys.stdout.isatty()
        dull = plain or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self.is_drawn = self.is_terminal and not dull and _can_draw(sys.stdout.encoding)
        self.is_live = self.is_terminal and sys.stdin.isatty()
        self.is_spaced = False
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # A few missing suits are better than a crash.

    # ------------------------------------------------------------ words

    def say(self, text: str, *, indent: int = 0) -> None:
        """Print a text, wrapped on a terminal but not elsewhere."""
        space = " " * indent
        if not self.is_terminal:
            self._print(space + text)
            return
        wrapper = textwrap.TextWrapper(
            self._columns(), initial_indent=space, subsequent_indent=space
        )
        wrapper.break_on_hyphens = wrapper.break_long_words = False
        for line in wrapper.wrap(text):
            self._print(line)

    def heading(self, text: str) -> None:
        """Print a heading with an empty line above it."""
        self._space()
        self._print(self._painted(text, BOLD))

    def refuse(self, error: UserError, subject: str = "") -> None:
        """Say in one sentence what is wrong, with its clause."""
        text = f"{subject}: {error.message}" if subject else error.message
        clause = f" ({error.clause})" if error.clause else ""
        self.say(f"{text[:1].upper()}{text[1:]}{clause}.", indent=2)

    def ask(self, question: str) -> str:
        """Return the answer to a question; at the end of input, the player leaves."""
        print(f"{question} ", end="", flush=True)
        line = sys.stdin.buffer.readline().decode(errors="replace")
        answer = line.strip()
        if not line or not sys.stdin.isatty():  # A terminal has echoed the answer already.
            print("".join(filter(str.isprintable, answer)))
        self.is_spaced = False
        if not line:
            raise PlayerLeft
        return answer

    def pause(self, wait_s: float) -> None:
        """Wait, and discard what is typed meanwhile: it can't be meant for the next question."""
        time.sleep(wait_s)
        termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _print(self, line: str) -> None:
        print(line)
        self.is_spaced = not line

    def _space(self) -> None:
        """Print one empty line, unless there is one already."""
        if not self.is_spaced:
            self._print("")

    def _columns(self) -> int:
        return min(shutil.get_terminal_size().columns, _COLUMNS_MAX)

    def _painted(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.is_drawn and codes else text

    # ------------------------------------------------------------ cards

    def lay(self, groups: Sequence[Sequence[CardRow]]) -> None:
        """Show cards: as boxes side by side, group below group, or as words."""
        if self.is_drawn:
            for group in groups:
                for row in _rows(group, self._columns()):
                    self._lay_row(row)
            self._space()
            return
        spreads = [spread for group in groups for spread in group]
        width = max(len(spread.title) for spread in spreads)
        self._space()
        for spread in spreads:
            cards = " ".join(f"[{card}]" for card in spread.cards)
            self._print(f"  {spread.title:{width}}  {cards}  {spread.note}".rstrip())

    def _lay_row(self, row: Sequence[CardRow]) -> None:
        """Print hands side by side: the owners, four lines of cards, the captions."""
        self._space()
        self._print(
            _line(self._painted(spread.title.ljust(_width(spread)), BOLD) for spread in row)
        )
        arts = [self._art(spread.cards) for spread in row]
        gaps = [" " * (_width(spread) - _CARD * len(spread.cards)) for spread in row]
        for lines in zip(*arts, strict=True):
            self._print(_line(line + gap for line, gap in zip(lines, gaps, strict=True)))
        if any(spread.note for spread in row):
            self._print(_line(spread.note.ljust(_width(spread)) for spread in row))

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

    def sizes(self, rules: TableRules, name: str) -> str:
        """Return the limits of a wager, if it has any."""
        wager, limits = rules.wagers[name], rules.limits.get(name)
        hints = [f"{len(wager.spots)} equal bets of"] if wager.spots else []
        if wager.sizes:
            hints.append(listed([dollars(size) for size in wager.sizes.of], last="or"))
        elif limits:
            hints.append(f"{dollars(limits.min)} to {dollars(limits.max)}")
        elif hints:
            hints.append("any size")
        return f", {' '.join(hints)}" if hints else ""

    def explain_wager(self, rules: TableRules, name: str) -> None:
        """Show what the book says about a wager, and its paytable."""
        wager = rules.wagers[name]
        verdicts = (wager.settle.always, wager.settle.higher, wager.settle.lower)
        last = (wager.settle.equal, wager.settle.unopposed)
        self.explain(rules, [wager, *wager.conditions, wager.sizes, *verdicts, *last])
        for label, table in _tables(rules, name, wager):
            self.paytable(label, table)

    def explain(self, rules: TableRules, cited: Sequence[Cited | None]) -> None:
        """Show the clauses of some parts of the rules, with their sub-clauses."""
        outer = {part.clause for part in cited if part}
        for id, clause in rules.clauses.items():
            if id in outer or any(is_inside(id, one) for one in outer):
                self.say(f"{id}: {clause.says}", indent=4)

    def paytable(self, label: str, table: Paytable) -> None:
        self.say(f"{label} ({table.clause}):", indent=4)
        for row in table.rows:
            self._print(f"      {row_hand(row):42} {payout_says(table, row)}")

    def settled(self, label: str, line: Line, why: str) -> None:
        """Show one settled line: the money, and below it the reason and the clause."""
        stake = dollars(line.stake) if line.stake else ""
        self._print(f"  {label:30} {stake:>11}  {line.outcome:10} {signed(line.net):>12}")
        ruling = f", ruling {line.ruling}" if line.ruling else ""
        self.say(f"{why} ({line.clause}{ruling})", indent=6)


# ---------------------------------------------------------------- cards on the table


def spreads(round: Round, seen: Mapping[str, Any], seat: int) -> list[list[CardRow]]:
    """Return the cards that a seat's player sees: those in the middle, then the seats'."""
    return [_middle(round, seen, seat), _hands(round, seen, seat)]


def _middle(round: Round, seen: Mapping[str, Any], seat: int) -> list[CardRow]:
    rules = round.rules
    found: list[CardRow] = []
    for place, cards in seen["places"].items():
        if place == BANK:
            whose = f": seat {round.banker.seat}" if round.banker else ""
            title = f"{rules.bank.label}{': you' if whose == f': seat {seat}' else whose}"
            found.append(CardRow(title, tuple(cards), _bank_says(rules, cards)))
        elif rules.places[place].hands:
            found += _shared_hands(round, rules.places[place], cards, seat)
        else:
            found.append(CardRow(rules.places[place].label, tuple(cards)))
    return found


def _hands(round: Round, seen: Mapping[str, Any], seat: int) -> list[CardRow]:
    shared = [seen["places"].get(p, []) for p in plan_of(round.rules).main if p != SEAT]
    return [
        CardRow(
            "You" if box["seat"] == seat else f"Seat {box['seat']}",
            tuple(box["cards"]),
            "folded" if box["folded"] else _words(round.rules, sum(shared, box["cards"])),
        )
        for box in seen["boxes"]
        if box["cards"]
    ]


def _shared_hands(round: Round, place: Place, cards: Sequence[str], seat: int) -> Iterator[CardRow]:
    size = place.hand_size
    own = round.boxes[seat].hand if seat in round.boxes else None
    for hand in range(1, place.hands + 1):
        held = list(cards[size * (hand - 1) : size * hand])
        title = f"Hand {hand}{', yours' if hand == own else ''}"
        yield CardRow(title, tuple(held), _words(round.rules, held))


def _bank_says(rules: TableRules, cards: Sequence[str]) -> str:
    words, qualifier = _words(rules, cards), rules.bank.qualifier
    if not words or qualifier is None:
        return words
    hand = Hand.of(cards, rules.ranking)
    plays = hand.strength >= plan_of(rules).qualifying
    return words if plays else f"{words}, does not qualify"


def _words(rules: TableRules, cards: Sequence[str]) -> str:
    """Name a hand, once all its cards are known."""
    return "" if HIDDEN in cards or not cards else Hand.of(cards, rules.ranking).words


# ---------------------------------------------------------------- formatting


def signed(cents: int) -> str:
    """Format a win or loss: +$10, -$2.50, $0."""
    return f"{'+' if cents > 0 else '-' if cents else ''}{dollars(abs(cents))}"


def _can_draw(encoding: str) -> bool:
    try:
        f"┌░{SUIT_SYMBOLS}".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _line(parts: Iterable[str]) -> str:
    return (" " * _INDENT + (" " * _GAP).join(parts)).rstrip()


def _width(spread: CardRow) -> int:
    return max(len(spread.title), _CARD * len(spread.cards), len(spread.note))


def _rows(spreads: Sequence[CardRow], columns: int) -> Iterator[list[CardRow]]:
    """Yield as many hands at a time as fit side by side."""
    row: list[CardRow] = []
    for spread in spreads:
        if row and _INDENT + sum(_width(s) + _GAP for s in row) + _width(spread) > columns:
            yield row
            row = []
        row.append(spread)
    if row:
        yield row


def _tables(rules: TableRules, name: str, wager: Wager) -> Iterator[tuple[str, Paytable]]:
    """Yield the paytables of a wager, its bonuses and its envies."""
    judged = [(wager.label, wager.paytable or "")]
    judged += [(b.label, b.paytable) for b in rules.bonuses.values() if b.on == name]
    judged += [(e.label, e.paytable) for e in rules.envies.values() if e.makers == name]
    yield from ((label, rules.paytables[p]) for label, p in judged if p in rules.paytables)
