"""What each wager is owed, and by which clause.

The same functions settle played rounds and price cases for the odds. `cover` decides afterwards how
much a player-banker pays.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, Protocol

from croupier.cards import RANKS, SUITS
from croupier.errors import Bug
from croupier.hands.ranking import ALSO
from croupier.rules.game import Bonus, Paytable, Row, Settle, Unnamed, Verdict, Wager


class Named(Protocol):
    """The part of a hand that paytables use."""

    @property
    def name(self) -> str: ...
    @property
    def suit(self) -> int | None: ...
    @property
    def set_rank(self) -> int | None: ...


def row_for(table: Paytable, hand: Named, stake: int = 0) -> Row | None:
    """Return the first row of a paytable that a hand fits, or None.

    A mini royal counts as a straight flush if the table doesn't list it, and so on (T2).
    """
    names = names_of(table, hand.name)
    for row in table.rows:
        if row.hand in names and fits(row, hand, stake):
            return row
    return None


def names_of(table: Paytable, name: str) -> tuple[str, ...]:
    """Return the names by which a paytable may pay a hand, its own first."""
    unnamed = table.unnamed.get(name)  # type: ignore[call-overload]
    return (name,) if unnamed and unnamed.does == "lose" else (name, *ALSO.get(name, ()))


def fits(row: Row, hand: Named, stake: int) -> bool:
    """Whether a hand with a name that the row pays also has the row's rank, suit and stake."""
    return (
        (not row.suits or _is_of(row.suits, hand))
        and is_high_enough(row, hand)
        and (row.stake is None or row.stake == stake)
    )


def is_high_enough(row: Row, hand: Named) -> bool:
    """Whether a hand's pair, or larger set, has at least the row's rank."""
    return row.least is None or (hand.set_rank or 0) >= RANKS.index(row.least)


def _is_of(suits: str, hand: Named) -> bool:
    return hand.suit is not None and SUITS[hand.suit] in suits


def verdict_of(settle: Settle, state: str) -> Verdict:
    """Return a wager's verdict for a showdown state."""
    verdict = settle.always or getattr(settle, state, None)
    if verdict is None:
        raise Bug(f"no verdict for {state}")
    return verdict


class Judgement(NamedTuple):
    """The result of a stake: outcome, payout, amount returned, and the authority for it."""

    outcome: str
    paid: int
    returned: int
    clause: str
    ruling: str | None
    because: str
    meter: str | None = None
    part: Fraction = Fraction(0)


def judge(
    judged: Wager | Bonus,
    table: Paytable | None,
    verdict: Verdict,
    *,
    stake: int,
    row: Row | Unnamed | None,
    state: str,
    pay: Callable[[int, Fraction], int],
) -> Judgement:
    """Judge one stake by the paytable row that the hand fits, if any.

    A hand that the paytable declares unnamed and losing loses, citing that declaration. Without a
    paytable, the reason is the showdown state. `pay` turns a stake and odds into money; the odds
    code passes one that doesn't round.
    """
    match verdict.does:
        case "pay":
            paid = pay(stake, verdict.to) if verdict.to is not None else 0
            return Judgement("win", paid, stake, verdict.clause, verdict.ruling, state)
        case "lose":
            return Judgement("lose", 0, 0, verdict.clause, verdict.ruling, state)
        case "push":
            return Judgement("push", 0, stake, verdict.clause, verdict.ruling, state)
    if table is None or not isinstance(row, Row):
        unnamed = row if isinstance(row, Unnamed) else None
        unlisted = unnamed or verdict.unlisted or verdict
        return Judgement("lose", 0, 0, unlisted.clause, unlisted.ruling, "unlisted")
    if verdict.does == "push listed":
        return Judgement("push", 0, stake, verdict.clause, verdict.ruling, state)
    clause, ruling = row.clause or table.clause, row.ruling or verdict.ruling
    returned = _returned(judged, row, stake)
    if row.meter:
        part = (row.percent or Fraction(0)) / 100
        return Judgement("win", 0, returned, clause, ruling, "row", row.meter, part)
    outcome = "push" if row.to == 0 and returned else "win"
    return Judgement(outcome, _paid(row, stake, pay), returned, clause, ruling, "row")


def _paid(row: Row, stake: int, pay: Callable[[int, Fraction], int]) -> int:
    if row.amount is not None:
        return row.amount
    times = row.to if row.to is not None else row.for_
    return pay(stake, times or Fraction(0))


def _returned(wager: Wager | Bonus, row: Row, stake: int) -> int:
    """The part of a winning stake returned: not one the dealer collected, nor 'for 1' (T5)."""
    if isinstance(wager, Bonus):
        return 0  # A bonus has no stake of its own.
    if row.amount is not None:
        return stake if wager.returns or not wager.collected else 0
    return stake if row.to is not None else 0
