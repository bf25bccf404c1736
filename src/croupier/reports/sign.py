"""The sign that must be posted at a table: what every wager pays, limits, fees and meters.

Everything comes from the table rules, so the sign says what the table pays.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from croupier.money import Cents
from croupier.rules.game import Bonus, Envy, Fee, Paytable, Rake, Row, Settle, Verdict, Wager
from croupier.rules.table_rules import TableMeter, TableRules
from croupier.rules.vocabulary import BANK, SEAT
from croupier.rules.words import (
    dollars,
    hand_says,
    listed,
    number,
    payout_says,
    percent,
    qualifier_says,
)

# The results of a showdown, from the player's side.
_RESULTS = {
    "higher": "beats the {bank}",
    "unopposed": "{bank} does not qualify",
    "equal": "ties with the {bank}",
    "lower": "beaten by the {bank}",
}
RAKED = {
    "all": "each player and the {bank}",
    "players": "each player",
    "designated_player": "the {bank}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One table of the sign: its title, its rows, and sentences below it."""

    title: str
    clause: str
    about: str = ""
    heads: tuple[str, ...] = ()
    """The heads of the columns after the first, if there are several."""
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """Everything that is posted at one table."""

    title: str
    place: str
    house: str
    rulebook: str
    digest: str
    qualifier: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the sign as plain data."""
        return asdict(self)


def sign_of(rules: TableRules, *, house: str = "") -> Sign:
    """Return the sign of a table; `house` is printed above its title."""
    title, _, place = rules.title.partition(", ")
    return Sign(
        title=title,
        place=place,
        house=house,
        rulebook=rules.rulebook,
        digest=rules.digest,
        qualifier=qualifier_posted(rules),
        panels=tuple(_panels(rules)),
        notes=tuple(_notes(rules)),
    )


def qualifier_posted(rules: TableRules) -> str:
    """Return the book's own sentence, or one that says the same."""
    qualifier = rules.bank.qualifier
    if qualifier is None:
        return ""
    least = qualifier_says(qualifier)
    return qualifier.posted or f"{rules.bank.label} plays with {least} or better"


def _panels(rules: TableRules) -> Iterator[Panel]:
    """Yield wagers against the bank, those with a paytable and what goes with them, then money."""
    contests = {name: wager for name, wager in rules.wagers.items() if not wager.paytable}
    if contests:
        yield _contests(rules, list(contests.values()))
    for name, wager in rules.wagers.items():
        if name not in contests:
            yield _wager(rules, name, wager)
        for bonus in rules.bonuses.values():
            if bonus.needs == name:
                yield _bonus(rules, bonus)
        for envy in rules.envies.values():
            if envy.makers == name:
                yield _envy(rules, envy)
    yield from _limits(rules)
    if rules.fee and (rules.fee.brackets or rules.fee.banker):
        yield _fees(rules, rules.fee)
    if rules.rake and rules.rake.amount:
        yield _rake(rules, rules.rake)


# ---------------------------------------------------------------- wagers


def _contests(rules: TableRules, wagers: list[Wager]) -> Panel:
    """Return the wagers against the bank side by side; losing results are left out."""
    rows = []
    for state, words in _RESULTS.items():
        paid = [_paid(getattr(wager.settle, state) or wager.settle.always) for wager in wagers]
        if any(paid):
            rows.append((_result(rules, "tie" if state == "equal" else words), *paid))
    several = len(wagers) > 1
    notes = [
        f"{wager.label}: {note[0].lower()}{note[1:]}" if several else note
        for wager in wagers
        for note in [*_conditions(rules, wager), *_sizes(wager)]
    ]
    return Panel(
        title=listed([wager.label for wager in wagers]),
        clause=", ".join(dict.fromkeys(wager.clause for wager in wagers)),
        heads=tuple(wager.label for wager in wagers) if several else (),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _paid(verdict: Verdict | None) -> str:
    if verdict and verdict.does == "pay":
        return f"{number(verdict.to or Fraction(0))} to 1"
    return "returned" if verdict and verdict.does == "push" else ""


def _wager(rules: TableRules, name: str, wager: Wager) -> Panel:
    notes = [*_conditions(rules, wager), *_sizes(wager)]
    table = rules.paytables[wager.paytable or ""]
    meters = [meter for meter in rules.meters.values() if meter.wager == name]
    notes += [*_gate(rules, wager.settle), *_folding(rules, name), *_meters(meters)]
    if wager.payout_limit and wager.payout_limit.amount is not None:
        amount = dollars(wager.payout_limit.amount)
        notes.append(f"Payout limit: {amount} a hand.")
    return _panel(rules, wager.label, table, notes)


def _panel(rules: TableRules, title: str, table: Paytable, notes: Iterable[str]) -> Panel:
    return Panel(
        title=title,
        clause=table.clause,
        about=_cards(rules, table),
        rows=tuple((_hand(row), payout_says(table, row)) for row in table.rows),
        notes=tuple(notes),
    )


def _bonus(rules: TableRules, bonus: Bonus) -> Panel:
    table = rules.paytables[bonus.paytable]
    on, needs = rules.wagers[bonus.on].label, rules.wagers[bonus.needs].label
    notes = [f"Paid on the {on} of a hand with {_an(needs)}.", *_gate(rules, bonus.settle)]
    return _panel(rules, bonus.label, table, notes)


def _envy(rules: TableRules, envy: Envy) -> Panel:
    """Return the amounts of an envy, with a column for each wager size where they differ."""
    table, maker = rules.paytables[envy.paytable], rules.wagers[envy.makers]
    sizes = maker.sizes.of if maker.sizes else ()
    stakes = [stake for stake in sizes if any(row.stake == stake for row in table.rows)]
    rows: dict[str, dict[Cents | None, str]] = {}
    for row in table.rows:
        if row.stake is None or row.stake in stakes:
            rows.setdefault(_hand(row), {})[row.stake] = payout_says(table, row)
    columns: list[Cents | None] = [*stakes] or [None]
    heads = [f"{dollars(stake)} wager" for stake in stakes]
    who = "another player" + (
        f" with {_an(rules.wagers[envy.holders.needs].label)}" if envy.holders.needs else ""
    )
    folded = "whether folded or not" if envy.holders.folded else "unless it folded"
    return Panel(
        title=envy.label,
        clause=table.clause,
        about=_cards(rules, table, whose="that player's"),
        heads=tuple(heads) if len(heads) > 1 else (),
        rows=tuple(
            (hand, *(paid.get(stake) or paid.get(None, "") for stake in columns))
            for hand, paid in rows.items()
        ),
        notes=(f"Paid on every {maker.label} wager for the hand of {who}, {folded}.",),
    )


def _hand(row: Row) -> str:
    hand = hand_says(row)
    return hand[0].upper() + hand[1:]


def _cards(rules: TableRules, table: Paytable, *, whose: str = "your") -> str:
    """Say which cards make the hand, where they aren't just the player's."""
    if table.of == (SEAT,):
        return ""
    words = {SEAT: f"{whose} cards", BANK: f"the {_bank(rules)}'s cards"}
    labels = {place: f"the {rules.places[place].label}" for place in table.of if place not in words}
    return f"best hand of {listed([{**words, **labels}[place] for place in table.of])}"


_OF_HANDS = ("table", "push")
"""The verdicts whose sentences name the hand; the others call it beaten or tied."""


def _gate(rules: TableRules, settle: Settle) -> Iterator[str]:
    """Say when a paytable doesn't pay because of the bank's hand."""
    states: dict[str, list[str]] = {}
    for state, words in _RESULTS.items():
        verdict: Verdict | None = getattr(settle, state)
        if verdict:
            states.setdefault(verdict.does, []).append(words)
    if not states:
        return
    if set(states) == {"table"}:
        yield f"Paid whatever the {_bank(rules)} holds."
        return
    said = {
        "table": "Paid by this table if {}.",
        "push": "Stake returned if {}.",
        "push listed": "Stake of a listed hand returned if {}.",
        "lose": "Lost if {}.",
    }
    for does, sentence in said.items():
        if does in states:
            results = [words.format(bank=_bank(rules)) for words in states[does]]
            # In a sentence, "bank that doesn't qualify" gets its article.
            hands = [r for r in results if not r.startswith(_bank(rules))]
            banks = [f"the {r}" for r in results if r.startswith(_bank(rules))]
            hand = (
                [f"the hand {listed(hands, last='or')}"] if hands and does in _OF_HANDS else hands
            )
            yield sentence.format(listed([*hand, *banks], last="or"))


def _folding(rules: TableRules, wager: str) -> Iterator[str]:
    """Say what folding does to a wager with a paytable."""
    options = [option for step in rules.steps.values() for option in step.option.values()]
    fates = {o.stakes[s].fate for o in options if o.folds for s in o.stakes if s == wager}
    if "forfeit" in fates:
        yield "Lost if you fold."
    elif "keep" in fates:
        yield "Kept if you fold."


def _result(rules: TableRules, words: str) -> str:
    text = words.format(bank=_bank(rules))
    return text[0].upper() + text[1:]


def conditions_say(rules: TableRules, wager: Wager) -> Iterator[tuple[str, str]]:
    """Yield what a wager requires, each sentence with its clause."""
    for condition in wager.conditions:
        if condition.needs:
            needed = [_an(rules.wagers[w].label) for w in condition.needs if w in rules.wagers]
            yield f"Only with {listed(needed, last='or')}.", condition.clause
        if condition.at_most is not None and condition.of:
            other = rules.wagers[condition.of].label
            yield f"At most {number(condition.at_most)} times the {other}.", condition.clause


def _conditions(rules: TableRules, wager: Wager) -> Iterator[str]:
    return (says for says, _ in conditions_say(rules, wager))


def _sizes(wager: Wager) -> Iterator[str]:
    if wager.sizes:
        yield f"Wager {listed([dollars(size) for size in wager.sizes.of], last='or')}."
    if wager.spots:
        yield f"{len(wager.spots)} equal bets."


def _meters(meters: list[TableMeter]) -> Iterator[str]:
    """Say what meters take and where they reset; meters that reset alike are grouped."""
    if len(meters) > 1:
        yield from _shared_rise(meters)
    alike: dict[tuple[str, ...], list[str]] = {}
    for meter in meters:
        says = []
        if meter.rate is not None and len(meters) == 1:
            says.append(f"rises by {_share(meter.rate)} of each wager")
        if meter.reset is not None:
            says.append(f"resets to {dollars(meter.reset)}")
        if meter.initial is not None and meter.initial != meter.reset:
            says.append(f"started at {dollars(meter.initial)}")
        alike.setdefault(tuple(says), []).append(meter.name)
    for said, names in alike.items():
        several = "s: each" if len(names) > 1 else ""
        named = f"{listed(names)} meter{several} ".lstrip()
        if said:
            yield f"{named[0].upper()}{named[1:]}{listed(list(said))}."


def _shared_rise(meters: list[TableMeter]) -> Iterator[str]:
    """Say what several meters take together, and their shares."""
    if (rate := meters[0].rate) is None:
        return
    shares = "in equal shares"
    if len({meter.share for meter in meters}) > 1:
        shares = f"shared {listed([f'{meter.name} {_share(meter.share)}' for meter in meters])}"
    yield f"The meters together rise by {_share(rate)} of each wager, {shares}."


def _share(share: Fraction) -> str:
    """Format a share as a percentage if it is exact, or else as a fraction."""
    return percent(share) if 10_000 % share.denominator == 0 else str(share)


# ---------------------------------------------------------------- money


def _limits(rules: TableRules) -> Iterator[Panel]:
    rows = tuple(
        (rules.wagers[name].label, f"{dollars(limits.min)} to {dollars(limits.max)}")
        for name, limits in rules.limits.items()
        if name in rules.wagers
    )
    if rows:
        yield Panel(title="Limits", clause=rules.cited.get("limits", ""), rows=rows)


def _fees(rules: TableRules, fee: Fee) -> Panel:
    rows = [(f"Wager up to {dollars(b.up_to)}", dollars(b.fee)) for b in fee.brackets]
    if fee.banker:
        rows.append((f"{rules.bank.label}, a round", dollars(fee.banker)))
    wagers = listed([rules.wagers[w].label for w in fee.wagers if w in rules.wagers])
    notes = (f"Charged on each {wagers} wager before the deal.",) if fee.brackets else ()
    return Panel(title="Fees", clause=fee.clause, rows=tuple(rows), notes=notes)


def _rake(rules: TableRules, rake: Rake) -> Panel:
    payer = RAKED[rake.payer].format(bank=_bank(rules))
    rows = ((payer[0].upper() + payer[1:], f"{dollars(rake.amount)} a round"),)
    return Panel(title="Rake", clause=rake.payers.get(rake.payer, rake.clause), rows=rows)


def _notes(rules: TableRules) -> Iterator[str]:
    """Explain the words for odds that the sign uses."""
    rows = [row for table in rules.paytables.values() for row in table.rows]
    paid = any(row.to is not None for row in rows)
    if paid or any(not wager.paytable for wager in rules.wagers.values()):
        yield "“To 1” is paid on top of the stake, which is returned."
    if any(row.for_ is not None for row in rows):
        yield "“For 1” includes the stake, which is not returned."
    if rules.table.boxes_max is not None:
        many = "one box" if rules.table.boxes_max == 1 else f"{rules.table.boxes_max} boxes"
        yield f"A player may bet on {many}."


def _bank(rules: TableRules) -> str:
    return rules.bank.label.lower()


def _an(label: str) -> str:
    return f"{'an' if label[0] in 'AEIOU' else 'a'} {label}"
