"""All entries of a round at once, and what they add up to."""

from collections.abc import Iterable, Iterator

from croupier.ledger.accounts import Account
from croupier.ledger.entries import Entry, Posting, Setting, post
from croupier.money import micros
from croupier.round.events import Event
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules


def entries_of(rules: TableRules, setting: Setting, events: Iterable[Event]) -> Iterator[Entry]:
    """Yield the entries of a round's events, from its first event on."""
    posting = Posting(setting, Round(rules))
    for event in events:
        posting, entries = post(posting, event)
        yield from entries


def balances(entries: Iterable[Entry]) -> dict[Account, int]:
    """Return the balance of each account, in micros."""
    totals: dict[Account, int] = {}
    for _, debit, credit, amount, _ in entries:
        totals[debit] = totals.get(debit, 0) - amount
        totals[credit] = totals.get(credit, 0) + amount
    return totals


def nets(round: Round) -> dict[str, int]:
    """Return what each player of a settled round has won or lost by its lines, in micros."""
    found: dict[str, int] = {}
    for box in round.boxes.values():
        lines = [line for line in round.lines if line.seat == box.seat]
        net = sum(line.net for line in lines) - box.fee
        found[box.player] = found.get(box.player, 0) + micros(net)
    if round.bank_result and round.banker:
        found[round.banker.player] = micros(round.bank_result.net)
    return found
