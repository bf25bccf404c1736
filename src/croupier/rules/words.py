"""The parts of a rulebook in words for people."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from croupier.cards import RANK_NAMES, RANKS
from croupier.rules.game import Paytable, Qualifier, Row
from croupier.rules.vocabulary import ANY, NONE, When

_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_RANKS = {"T": "tens", "J": "jacks", "Q": "queens", "K": "kings", "A": "aces"}


def dollars(cents: int) -> str:
    """Write a sum as a sign would: $1,000 or $2.50."""
    return f"${Decimal(cents) / 100:,.2f}".removesuffix(".00")


def number(value: Fraction) -> str:
    """Write a number as a sign would: 1,000 or 1.5 or 1/3."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if 10**6 % value.denominator == 0:
        return f"{Decimal(value.numerator) / value.denominator:f}"
    return str(value)


def counted(number: int, one: str, more: str = "") -> str:
    """Write a number with its noun: `more` is the noun of several, if it isn't `one` with an s."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def edge_says(banked_by: str) -> str:
    """Name what the bank keeps of a wager on average, by who banks the game."""
    return "House edge" if banked_by == "house" else "Banker's edge"


def percent(rate: Fraction) -> str:
    """Write a rate as a percentage: 14 %."""
    return f"{number(rate * 100)} %"


def plain(value: object) -> Any:
    """Return a selection's value for JSON, exact numbers as strings."""
    match value:
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case Decimal():
            return f"{value.normalize():f}"
        case _:
            return value


def listed(words: list[str], *, last: str = "and") -> str:
    """Join words as in a sentence: a, b and c."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def where(when: When) -> str:
    """Describe the tables that a condition is about: `where dealing is hand or manual_shoe`."""
    each = [listed([f"{name} is {_among(of)}" for name, of in one.items()]) for one in when]
    return f"where {listed(each, last='or')}"


def _among(values: tuple[str, ...]) -> str:
    return f"not {NONE}" if ANY in values else listed(list(values), last="or")


def hand_says(row: Row) -> str:
    """Name the hand of a row: 'mini royal of spades', 'pair of tens or better'."""
    name = row.label or row.hand
    if row.least:
        name += f" of {_ranks(row.least)} or better"
    if row.suits and len(row.suits) < len(_SUITS):
        name += " of " + listed([_SUITS[suit] for suit in row.suits], last="or")
    return name


def qualifier_says(qualifier: Qualifier) -> str:
    """Name the lowest qualifying hand: 'queen high', 'ace-king', 'a pair of tens'."""
    if qualifier.pair:
        return f"a pair of {_ranks(qualifier.pair)}"
    cards = [RANK_NAMES[RANKS.index(r)] for r in (qualifier.high, qualifier.kicker) if r]
    return "-".join(cards) if qualifier.kicker else f"{cards[0]} high"


def _ranks(rank: str) -> str:
    return _RANKS.get(rank, f"{rank}s")


def payout_says(table: Paytable, row: Row) -> str:
    """Describe what a row pays: '40 to 1', '500 for 1', '$1,250', '100 % of the meter'."""
    if row.to is not None:
        return f"{number(row.to)} to 1"
    if row.for_ is not None:
        return f"{number(row.for_)} for 1"
    if row.amount is not None:
        return dollars(row.amount)
    name = next((f"{meter.name} " for meter in table.meters if meter.id == row.meter), "")
    return f"{number(row.percent or Fraction(0))} % of the {name.lstrip()}meter"


def row_says(table: Paytable, row: Row) -> str:
    """Describe a whole row in a sentence."""
    stake = f", for a {dollars(row.stake)} wager" if row.stake is not None else ""
    hand = hand_says(row)
    return f"{hand[0].upper()}{hand[1:]} pays {payout_says(table, row)}{stake}."


def clause_says(clause: str) -> str:
    """Write a clause as people read it: `round-of-play/5.b` as `Round of play 5.b`."""
    section, slash, number = clause.partition("/")
    if not section[:2].isalpha():
        return clause
    said = section.replace("-", " ")
    said = said[:1].upper() + said[1:]
    return f"{said} {number.replace('-', ' ')}" if slash else said
