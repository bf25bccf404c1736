"""What a player has to know before the first bet at a table, in sentences with their clauses.

The sign shows what every hand pays; these cover the rest: who qualifies, how much may be bet, what
the house charges and where payoffs are capped. Everything comes from the table rules.
"""

from collections.abc import Iterator
from typing import NamedTuple

from croupier.reports.sign import RAKED, conditions_say, qualifier_posted
from croupier.rules.game import Cover, Fee, Rake, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars, listed

LIMITS = "limits"


class Notice(NamedTuple):
    """One posted notice."""

    about: str
    """The kind of notice, for programs."""
    title: str
    says: str
    clause: str | None
    ruling: str | None = None


def notices_of(rules: TableRules) -> tuple[Notice, ...]:
    """Return a table's notices, in reading order."""
    return tuple(_notices(rules))


def _notices(rules: TableRules) -> Iterator[Notice]:
    if rules.bank.qualifier:
        says = qualifier_posted(rules)
        yield Notice("qualifier", "Qualifying hand", says, rules.bank.qualifier.clause)
    opening = {n: w for n, w in rules.wagers.items() if w.placed == "before the deal"}
    sums = [f"{wager.label} {_sums(rules, name, wager)}" for name, wager in opening.items()]
    cited = rules.cited.get(LIMITS)
    is_ruling = cited in rules.rulings  # Most books name no limits (T7).
    by = (None, cited) if is_ruling else (cited, None)
    yield Notice("limits", "Limits", listed(sums), *by)
    for wager in opening.values():
        for says, clause in conditions_say(rules, wager):
            yield Notice("condition", wager.label, says.removesuffix("."), clause)
    if rules.fee:
        yield Notice("fee", "Fees", _fee(rules, rules.fee), rules.fee.clause)
    if rules.rake:
        clause = rules.rake.payers.get(rules.rake.payer, rules.rake.clause)
        yield Notice("rake", "Rake", _rake(rules, rules.rake), clause)
    for wager in rules.wagers.values():
        if limit := wager.payout_limit:
            paid = f"at most {dollars(limit.amount)} a hand" if limit.amount is not None else "none"
            yield Notice("payout_limit", f"Payout limit on {wager.label}", paid, limit.clause)
    if rules.bank.cover:
        says = _cover(rules, rules.bank.cover)
        yield Notice("payoff_limit", "Payoffs", says, rules.bank.cover.clause)


def _sums(rules: TableRules, name: str, wager: Wager) -> str:
    limits = rules.limits.get(name)
    if wager.sizes:
        return listed([dollars(size) for size in wager.sizes.of], last="or")
    sums = f"{dollars(limits.min)} to {dollars(limits.max)}" if limits else "any amount"
    return f"{sums} on each of {len(wager.spots)} equal bets" if wager.spots else sums


def _fee(rules: TableRules, fee: Fee) -> str:
    """Describe the fee for each wager, and the banker's (California fees)."""
    bank = rules.bank.label.lower()
    says = []
    if fee.brackets:
        wagers = listed([rules.wagers[w].label for w in fee.wagers if w in rules.wagers])
        sums = [f"{dollars(b.fee)} up to {dollars(b.up_to)}" for b in fee.brackets]
        says.append(f"{listed(sums)} on each {wagers} wager, taken before the deal")
    if fee.banker:
        says.append(f"{dollars(fee.banker)} a round from the {bank}")
    return "; ".join(says) or "none"


def _rake(rules: TableRules, rake: Rake) -> str:
    """Describe the rake and who pays it (designated player, rake.c)."""
    if not rake.amount:
        return "none"
    payer = RAKED[rake.payer].format(bank=rules.bank.label.lower())
    return f"{dollars(rake.amount)} a round from {payer}"


def _cover(rules: TableRules, cover: Cover) -> str:
    bank = rules.bank.label.lower()
    if cover.unit == "hand":
        return (
            f"a hand that the {bank}'s funds can't cover at its turn is dead, and its bets go back"
        )
    if cover.from_ == "wager":
        return f"winners are paid in turn, never more in all than the {bank} has put up"
    return f"winners are paid in turn, as far as the {bank}'s funds and collections go"
