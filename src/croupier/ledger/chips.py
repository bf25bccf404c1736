"""Chips that move at a table outside of its rounds: their entries, and what its tray should hold.

Events of older journals aren't posted, so they have no entries.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from croupier.errors import CroupierError
from croupier.ledger.accounts import CAGE, Account, account, purse_of
from croupier.ledger.entries import Move
from croupier.ledger.journal import StoredEvent, decode
from croupier.money import micros
from croupier.round.state import Round, is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.table import events as happened
from croupier.table.codec import event_from
from croupier.table.events import Event
from croupier.table.evolve import tray_after
from croupier.table.rounds import chips_won, deferred_cents
from croupier.table.tray import ChipsWhy, Tray

ABOUT = (
    "ChipsMoved",
    "Corrected",
    "Mispaid",
    "PayCorrected",
    "RoundEnded",
    "RoundUndone",
    "TrayCounted",
    "TrayAgreed",
)
"""The events of a table that say something of its tray."""
_ENDS = happened.RoundEnded | happened.RoundUndone
_LIFE = ("TableOpened", "TableClosed")
_OF_TABLE = b'"of":"table"}'


class WrongTray(CroupierError):
    """Raised for an event about a tray that can't follow those before it."""


def chips_moves(table: str, event: object) -> Iterator[Move]:
    """Yield the moves of an event at a table."""
    match event:
        case happened.ChipsMoved(why, cents, posted=True):
            yield Move(*_ends(table, why), micros(cents), why)
        case happened.Mispaid(posted=True):
            yield _handed(table, event.player, event.paid - event.due, "mispaid")
        case happened.PayCorrected(posted=True):
            yield _handed(table, event.player, event.cents, "corrected")
        case happened.Corrected():
            yield _handed(table, event.player, event.cents, "corrected")


def _ends(table: str, why: ChipsWhy) -> tuple[Account, Account]:
    """Return where chips come from and go to; those that are sold go for cash."""
    tray = account("tray", table)
    match why:
        case "fill":
            return CAGE, tray
        case "credit":
            return tray, CAGE
        case "sale":
            return tray, account("drop", table)
        case "drop":
            return account("drop", table), CAGE


def _handed(table: str, player: str, cents: int, code: str) -> Move:
    """Return the move of a sum that a player was handed beyond what was due, or gave back.

    A walk-in is handed chips from the tray; others are paid the way their wagers are.
    """
    from_ = account("tray" if is_walk_in(player) else "inventory", table)
    purse = purse_of(table, player)
    ends = (from_, purse) if cents > 0 else (purse, from_)
    return Move(*ends, micros(abs(cents)), code)


def audited(tray: Tray, plain: Mapping[str, Any], rules: TableRules, round: Round | None) -> Tray:
    """Return the tray after an event about it, or raise WrongTray if it says another sum."""
    event = event_from(plain)
    if isinstance(event, happened.TrayAgreed) and event.expected != tray.expected:
        raise WrongTray(f"the tray should hold {tray.expected} cents, not {event.expected}")
    if isinstance(event, happened.TrayCounted) and event.chips:
        cents = sum(chip * many for chip, many in event.chips.items())
        if event.cents != cents:
            raise WrongTray(f"the chips come to {cents} cents, not {event.cents}")
    if isinstance(event, _ENDS) and round and round.id == event.round:
        won = chips_won(round)
        # Older journals count a deferred award as handed out.
        if event.chips not in (won, won - deferred_cents(round)):
            raise WrongTray(f"the tray won {won} cents in this round, not {event.chips}")
    return tray_after(tray, event, rules)


# ---------------------------------------------------------------- shifts


class TrayShift(NamedTuple):
    """What a tray came to from one opening of its table to the next closing, in cents."""

    table: str
    opened_ms: int
    closed_ms: int | None
    """None while the table is open."""
    opening: int
    fills: int = 0
    credits: int = 0
    drop: int = 0
    won: int = 0
    """What walk-ins lost in rounds, less what they won."""
    handed: int = 0
    """What was handed out wrongly, less what was put right."""
    closing: int | None = None

    @property
    def counted_win(self) -> int | None:
        """The win by the two counts, the drop and what the cage brought or took."""
        if self.closing is None:
            return None
        return self.closing - self.opening - self.fills + self.credits + self.drop

    @property
    def journal_win(self) -> int:
        """The win by the journal."""
        return self.won - self.handed

    @property
    def difference(self) -> int | None:
        """By how much the counts are above the journal, or below it."""
        return None if self.counted_win is None else self.counted_win - self.journal_win

    def after(self, event: Event) -> "TrayShift":
        """Return the sums after an event of the table."""
        match event:
            case happened.ChipsMoved("fill", cents):
                return self._replace(fills=self.fills + cents)
            case happened.ChipsMoved("credit", cents):
                return self._replace(credits=self.credits + cents)
            case happened.ChipsMoved("sale", cents):
                return self._replace(drop=self.drop + cents)
            case happened.RoundEnded():
                return self._replace(won=self.won + event.chips)
            case happened.RoundUndone():
                return self._replace(won=self.won - event.chips)
            case happened.Mispaid():
                return self._replace(handed=self.handed + event.paid - event.due)
            case happened.PayCorrected():
                return self._replace(handed=self.handed + event.cents)
            case happened.Corrected() if is_walk_in(event.player):
                return self._replace(handed=self.handed + event.cents)
            case happened.TrayAgreed(cents):
                return self._replace(closing=cents)
        return self


def shifts_in(stored: Iterable[StoredEvent]) -> Iterator[TrayShift]:
    """Yield the shifts of a table with a tray, the open one too.

    A shift begins with the count before the table opens: chips may move between the two.
    """
    shift: TrayShift | None = None
    counted: TrayShift | None = None
    for row in stored:
        if not row.data.endswith(_OF_TABLE):
            continue
        plain = decode(row.data).event
        if plain["type"] not in (*ABOUT, *_LIFE):
            continue
        event = event_from(plain)
        if isinstance(event, happened.TableOpened) and counted:
            shift, counted = counted._replace(opened_ms=row.time_ms), None
        elif isinstance(event, happened.TableClosed) and shift:
            yield shift._replace(closed_ms=row.time_ms)
            shift = None
        else:
            shift = shift and shift.after(event)
            counted = counted and counted.after(event)
        if isinstance(event, happened.TrayAgreed):
            counted = TrayShift(row.stream, row.time_ms, None, event.cents)
    if shift:
        yield shift._replace(closing=None)
