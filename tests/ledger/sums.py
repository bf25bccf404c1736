"""All entries of a round at once, and what they add up to."""

from collections.abc import Iterable, Iterator

from croupier.ledger.accounts import Account
from croupier.ledger.entries import Entry, Posting, Setting, post
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
