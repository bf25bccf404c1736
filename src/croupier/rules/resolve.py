"""Resolve a rulebook and an operator's selections into table rules with no choice left.

The chosen options are laid over the book's data, then the other selections, and the result is read
like a book. Every breach is reported, each with the clause that it breaks.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, get_args

from croupier.errors import Breach, Breaches, Bug
from croupier.hands.ranking import ALSO, Ranking
from croupier.money import format_money as money
from croupier.reading.reader import Fault, dotted
from croupier.rules.book import Clause, Rules, Selection
from croupier.rules.game import (
    Bonus,
    Cut,
    Deal,
    Deck,
    DeckChange,
    Envy,
    MachineCount,
    Paytable,
    Step,
    StubCount,
    Wager,
)
from croupier.rules.overlay import overlaid
from croupier.rules.playable import DEALING, unplayable
from croupier.rules.reread import reread
from croupier.rules.rulebook import Rulebook, digest_of
from croupier.rules.selections import (
    Unfit,
    canonical,
    check_number,
    letter_of,
    limits_of,
    option_of,
    overlay_of,
    rate_of,
    shares_of,
    sums_of,
)
from croupier.rules.table_rules import TableMeter, TableRules, fits, is_there
from croupier.rules.unapplied import unapplied
from croupier.rules.vocabulary import FELT, NONE, BookPath, Occasion, Thing
from croupier.rules.words import listed, number

T = TypeVar("T")


def resolve(
    book: Rulebook,
    selections: Mapping[str, Any] | None = None,
    *,
    reading: Mapping[BookPath, Any] | None = None,
    things: Collection[Thing] = FELT,
) -> TableRules:
    """Return the table rules, or raise all Breaches at once.

    `reading` holds what another reading of a ruling sets, so that it can be played and priced.
    `things` says what there is to handle: rules about anything else don't apply (T9).
    """
    there = tuple(thing for thing in get_args(Thing) if thing in things)
    rules = _Resolver(book, selections or {}, reading or {}).table_rules(there)
    return replace(rules, unapplied=tuple(unapplied(book.rules, rules, selections or {})))


def to_open(rules: TableRules) -> TableRules:
    """Return the rules of a table that is to open; what can't apply to it is refused then."""
    if rules.unapplied:
        raise Breaches(rules.unapplied)
    return rules


class Unplayable(Breaches):
    """Selections that combine into a table where no round can be played."""


class _Resolver:
    """Resolves one selection after another, and collects the breaches."""

    def __init__(
        self, book: Rulebook, given: Mapping[str, Any], reading: Mapping[BookPath, Any]
    ) -> None:
        self.book = book
        self.given = given
        self.reading = reading
        self.data = book.data
        self.rules = book.rules
        self.values: dict[str, Any] = {}
        self.breaches: list[Breach] = []

    def table_rules(self, things: tuple[Thing, ...]) -> TableRules:
        for name in sorted(self.given.keys() - self.rules.selection.keys()):
            self._breach(name, "is not a selection of this book", None)
        self._lay_on({**self._options(), **self.reading}, {})
        self._fixed()
        self._lay_on(*self._overlays())
        self._play()
        tables = self._paytables()
        wagers = {
            name: wager
            for name, wager in self.rules.wager.items()
            if wager.paytable is None or wager.paytable in tables
        }
        meters = {meter.id: meter for name in wagers for meter in self._meters(name, tables)}
        for name in self.rules.wager.keys() - wagers.keys():
            self._unused(name)
        self._unmet(wagers)
        limits = self._each("limits", lambda given: limits_of(self.rules, given)) or {}
        self._note("limits", None, {w: [money(x.min), money(x.max)] for w, x in limits.items()})
        if self.breaches:
            raise Breaches(dict.fromkeys(self.breaches))
        chosen = {n: s for n, s in self.rules.selection.items() if not s.fixed}
        values = {name: self.values[name] for name in chosen if name in self.values}
        rules = _offered(self.rules, wagers, tables)
        clauses = {n: c for n, c in self.book.clauses.items() if fits(c.if_, self.values)}
        return TableRules(
            rulebook=self.book.id,
            title=rules.title,
            game=rules.game,
            digest=self._digest(self.book.digest, values),
            earlier=tuple(self._digest(one, values) for one in self.book.rules.earlier),
            things=things,
            selections=values,
            banked_by=rules.banked_by,
            table=rules.table,
            ranking=_ranking(rules),
            bank=rules.bank,
            fee=rules.fee,
            rake=rules.rake,
            wagers=rules.wager,
            bonuses=rules.bonus,
            envies=rules.envy,
            paytables={family: tables[family] for family in tables if family in _used(rules)},
            meters=meters,
            limits=limits,
            cited={name: _cites(selection) for name, selection in rules.selection.items()},
            places=rules.place,
            steps=rules.step,
            sequence=tuple(rules.step.items()),
            spots={name: wager.spots or (name,) for name, wager in rules.wager.items()},
            deal=self._deal(wagers, things),
            deck=_deck(rules, self.values, things),
            irregularities=rules.irregularity,
            clauses=clauses,
            guided=_guided(clauses, things),
            rulings=self.book.rules.ruling,
        )

    def _digest(self, book: str, values: Mapping[str, Any]) -> str:
        """Return the digest of these rules by an edition of the book."""
        return digest_of({"rulebook": book, "selections": values, "reading": self.reading})

    # ------------------------------------------------------------ one selection

    def _breach(self, name: str, message: str, clause: str | None) -> None:
        self.breaches.append(Breach(selection=name, message=message, clause=clause))

    def _try(self, name: str, read: Callable[..., T], *given: Any) -> T | None:
        """Read a value, or record the breach."""
        try:
            return read(*given)
        except Unfit as unfit:
            for message, clause in unfit.faults:
                self._breach(name, message, clause or _cites(self.rules.selection[name]))
            return None

    def _given(self, name: str) -> Any:
        return self.given.get(name, self._default(name))

    def _default(self, name: str) -> Any:
        return self.rules.selection[name].default

    def _each(self, takes: str, read: Callable[[Any], T], of: str | None = None) -> T | None:
        """Read the value of the selection that takes this kind, for this wager if given."""
        for name, selection in self.rules.selection.items():
            given = self._given(name)
            if selection.takes == takes and selection.of == of and given is not None:
                return self._try(name, read, given)
        return None

    def _note(self, takes: str, of: str | None, value: Any) -> None:
        """Record the canonical value of a selection."""
        for name, selection in self.rules.selection.items():
            if selection.takes == takes and selection.of == of and value:
                self.values[name] = value

    # ------------------------------------------------------------ overlays

    def _options(self) -> dict[BookPath, Any]:
        """Resolve the selections that are options, and return all that they set."""
        for name, selection in self.rules.selection.items():
            if selection.takes == "option":
                option = self._try(name, option_of, selection, self._given(name))
                self.values[name] = option or str(selection.default)
        sets: dict[BookPath, Any] = {}
        for name, option in self.values.items():
            choice = self.rules.selection[name].option[option]
            needs = choice.needs
            if needs and self.values.get(needs.selection) not in needs.among:
                among = " or ".join(map(repr, needs.among))
                self._breach(name, f"{option!r} needs {needs.selection} = {among}", needs.clause)
            sets.update(choice.sets)
        return sets

    def _fixed(self) -> None:
        """Record the selections settled by an option, and refuse other values for them."""
        for name, selection in self.rules.selection.items():
            if selection.fixed:
                if self.given.get(name, selection.fixed.value) != selection.fixed.value:
                    message = f"is settled by the other selections: {selection.fixed.value}"
                    self._breach(name, message, selection.fixed.clause)
                self.values[name] = selection.fixed.value

    def _overlays(self) -> tuple[dict[BookPath, Any], dict[BookPath, str]]:
        """Return what the other selections set, and which selection set it."""
        sets: dict[BookPath, Any] = {}
        by: dict[BookPath, str] = {}
        for name, selection in self.rules.selection.items():
            given = self._given(name)
            if selection.fixed or given is None:
                continue
            laid = self._try(name, overlay_of, self.rules, name, given)
            for path, value in (laid or {}).items():
                sets[path], by[path] = value, name
            if laid:
                self.values[name] = self._try(name, canonical, selection, given)
        return sets, by

    def _lay_on(self, sets: Mapping[BookPath, Any], by: Mapping[BookPath, str]) -> None:
        """Overlay the data and reread it; a fault is a breach by the selection that set it."""
        if not sets:
            return
        self.data = overlaid(self.data, sets)
        self.rules, reader = reread(self.rules, self.data, sets)
        for fault in reader.faults:
            self._blame(fault, by)

    def _blame(self, fault: Fault, by: Mapping[BookPath, str]) -> None:
        at = dotted(fault.at)
        for path, name in by.items():
            if at.startswith(path):
                field = at.removeprefix(path).lstrip(".")
                message = f"{field}: {fault.message}" if field else fault.message
                return self._breach(name, message, self.rules.selection[name].clause)
        raise Bug(f"{self.book.id}: {at}: {fault.message}")

    def _play(self) -> None:
        """Refuse selections that combine into a table where no round can be played."""
        if self.breaches or self.rules is self.book.rules:
            return
        chosen = [n for n in self.values if self.given.get(n, self._default(n)) != self._default(n)]
        by = " and ".join(chosen) or "selections"
        broken = "makes a table that can't be played"
        faults = list(unplayable(self.rules))
        if faults:
            raise Unplayable(
                Breach(selection=by, message=f"{broken}: {dotted(fault.at)} {fault.message}")
                for fault in faults
            )

    # ------------------------------------------------------------ paytables and meters

    def _paytables(self) -> dict[str, Paytable]:
        """Return the chosen paytable of every offered family."""
        letters = {f: next(iter(tables)) for f, tables in self.rules.paytable.items()}
        for name, selection in self.rules.selection.items():
            if selection.takes == "paytable" and selection.family:
                letters[selection.family] = self._letter(name, selection)
        for envy in self.rules.envy.values():
            if envy.follows:
                letters[envy.paytable] = self.values[envy.follows]
        wagers = self.rules.wager.values()
        omits = {str(wager.paytable): wager.omits for wager in wagers if wager.paytable}
        return {
            family: _named(_without(self.rules.paytable[family][letter], omits.get(family, ())))
            for family, letter in letters.items()
            if letter != NONE
        }

    def _letter(self, name: str, selection: Selection) -> str:
        if selection.fixed:
            return selection.fixed.value
        given = self._given(name)
        if selection.amends and isinstance(given, dict):
            return selection.letters[0]
        letter = self._try(name, letter_of, selection, given) or str(selection.default)
        self.values[name] = letter
        return letter

    def _meters(self, wager: str, tables: Mapping[str, Paytable]) -> Iterator[TableMeter]:
        table = tables.get(self.rules.wager[wager].paytable or "")
        if not table or not table.meters:
            return
        least = table.rate.min if table.rate else None
        rate = self._each("rate", lambda given: rate_of(table, given), wager) or least
        resets = self._each("reset", lambda given: sums_of(table, given), wager)
        resets = resets or sums_of(table, None)
        initials = self._each("initial", lambda given: sums_of(table, given, resets), wager)
        initials = initials or resets
        shares = self._each("shares", lambda given: shares_of(table, given), wager)
        shares = shares or shares_of(table, None)
        self._note("rate", wager, rate and number(rate))
        for takes, sums in (("reset", resets), ("initial", initials)):
            self._note(takes, wager, _by_name(table, sums, money))
        if len(shares) > 1:
            self._note("shares", wager, _by_name(table, shares, number))
        for meter in table.meters:
            yield TableMeter(
                id=meter.id,
                name=meter.name,
                wager=wager,
                rate=rate,
                share=shares[meter.id],
                reset=resets[meter.id],
                initial=initials[meter.id],
            )

    def _unmet(self, wagers: Mapping[str, Wager]) -> None:
        """Refuse wagers that need others, if the table offers none of those."""
        for name, wager in wagers.items():
            for condition in wager.conditions:
                needed = [*condition.needs, *([condition.of] if condition.of else [])]
                if not wagers.keys() & needed:
                    labels = listed([self.rules.wager[other].label for other in needed], last="or")
                    message = f"{wager.label} needs {labels}, which this table doesn't offer"
                    by = self._offering(name) or self._offering(needed[0]) or name
                    self._breach(by, message, condition.clause)

    def _offering(self, wager: str) -> str | None:
        """Return the selection by which a wager is offered, if there is one."""
        family = self.rules.wager[wager].paytable
        selections = self.rules.selection.items()
        return next((n for n, s in selections if s.family and s.family == family), None)

    def _unused(self, wager: str) -> None:
        """Refuse invalid meter values even for a wager that isn't offered."""
        for takes in ("rate", "reset", "initial", "shares"):
            self._each(takes, partial(check_number, takes), wager)

    def _deal(self, wagers: Mapping[str, Wager], things: Collection[Thing]) -> Deal:
        deals = self.rules.deal
        deal = deals.get(self.values.get(DEALING, ""), next(iter(deals.values())))
        lines = (
            line
            for line in deal.cards
            if all(w is None or w in wagers for w in (line.if_staked, line.if_offered))
        )
        change = deal.change if _handled(deal.change, things) else None
        return replace(deal, cards=tuple(lines), change=change)


def _by_name(table: Paytable, values: Mapping[str, T | None], write: Callable[[T], str]) -> Any:
    """Write a value for each meter under its name, or alone if the meter is unnamed."""
    known = {m.name: write(value) for m in table.meters if (value := values[m.id]) is not None}
    return known.get("", known)


def _cites(selection: Selection) -> str:
    """Return what a refusal cites: for limits, the ruling that leaves them open (T7)."""
    if selection.takes == "limits" and selection.ruling:
        return selection.ruling
    return selection.clause


def _without(table: Paytable, omitted: tuple[str, ...]) -> Paytable:
    return replace(table, rows=tuple(row for row in table.rows if row.hand not in omitted))


def _named(table: Paytable) -> Paytable:
    """Give a hand paid under a lower name its own row, which cites the ruling."""
    rows = list(table.rows)
    for name, unnamed in table.unnamed.items():
        paid = [row for row in rows if row.hand in ALSO.get(name, ())]
        if unnamed.does == "pay" and paid and not any(row.hand == name for row in rows):
            named = replace(paid[0], hand=name, clause=unnamed.clause, ruling=unnamed.ruling)
            rows.insert(rows.index(paid[0]), named)
    return replace(table, rows=tuple(rows))


def _offered(rules: Rules, wagers: Mapping[str, Wager], tables: Mapping[str, Paytable]) -> Rules:
    """Return the rules with only the offered wagers, and nothing that needs another."""
    bonuses = {n: b for n, b in rules.bonus.items() if b.on in wagers and b.needs in wagers}
    paid = {family for family, table in tables.items() if table.rows}
    envies = {
        name: envy
        for name, envy in rules.envy.items()
        if envy.paytable in paid and {envy.makers, envy.holders.needs or envy.makers} <= {*wagers}
    }
    known = {*wagers, *bonuses, *envies}
    spots = {spot for name, wager in wagers.items() for spot in wager.spots or (name,)}
    steps = {name: _step(step, known, spots) for name, step in rules.step.items()}
    made = {name: _beside(wager, wagers) for name, wager in wagers.items()}
    return replace(rules, wager=made, bonus=bonuses, envy=envies, step=steps)


def _beside(wager: Wager, wagers: Collection[str]) -> Wager:
    """Return a wager whose conditions name offered wagers only."""
    conditions = tuple(
        replace(condition, needs=tuple(other for other in condition.needs if other in wagers))
        for condition in wager.conditions
    )
    return replace(wager, conditions=conditions)


def _step(step: Step, lines: set[str], spots: set[str]) -> Step:
    options = {
        name: replace(option, stakes={s: f for s, f in option.stakes.items() if s in spots})
        for name, option in step.option.items()
    }
    return replace(step, option=options, lines=tuple(x for x in step.lines if x in lines))


def _used(rules: Rules) -> set[str]:
    judged: list[Wager | Bonus | Envy] = [*rules.wager.values(), *rules.bonus.values()]
    judged += rules.envy.values()
    return {item.paytable for item in judged if item.paytable}


def _ranking(rules: Rules) -> Ranking:
    return Ranking(
        card_by_card=rules.ranking.three_cards == "card by card",
        as_five_cards=rules.ranking.three_cards == "as five cards",
        wheel=rules.ranking.five_cards == "ace low or high",
    )


def _guided(
    clauses: Mapping[str, Clause], things: Collection[Thing]
) -> dict[Occasion, tuple[str, ...]]:
    """Return the guided clauses that people keep here, by their moment, in the book's order."""
    found: dict[Occasion, tuple[str, ...]] = {}
    for name, clause in clauses.items() if "dealer" in things else ():
        if clause.kept == "guided" and clause.at and is_there(clause.needs, things):
            found[clause.at] = (*found.get(clause.at, ()), name)
    return found


def _deck(rules: Rules, values: Mapping[str, Any], things: Collection[Thing]) -> Deck:
    """Return the deck with only the duties that apply to the equipment and to what is there."""
    deck = rules.deck
    stub, machine = deck.stub_count, deck.machine_count
    return replace(
        deck,
        cut=deck.cut if _due(deck.cut, values) else None,
        stub_count=stub if _due(stub, values) and _handled(stub, things) else None,
        machine_count=machine if _due(machine, values) and _handled(machine, things) else None,
    )


def _due(duty: StubCount | MachineCount | Cut | None, values: Mapping[str, Any]) -> bool:
    return duty is not None and fits(duty.if_, values)


def _handled(duty: StubCount | MachineCount | DeckChange | None, things: Collection[Thing]) -> bool:
    """Whether what a duty is about is there (T9)."""
    return duty is not None and is_there(duty.needs, things)
