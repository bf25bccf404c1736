"""The tables that a server opens, read from a TOML file; all faults are found at once."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from croupier.cards import Card
from croupier.errors import Breach, Breaches, CroupierError, Problems
from croupier.house.clock import Timing
from croupier.house.seat_codes import needs_code, seated_clause
from croupier.ledger.accounts import CAGE
from croupier.ledger.audit import RulesOf
from croupier.ledger.events import TableSet
from croupier.ledger.stores.marks import RESTORES
from croupier.money import Cents
from croupier.reading.reader import (
    DataPath,
    Reader,
    Text,
    WholeNumber,
    only,
    readable_parts,
    table_of,
)
from croupier.reading.toml import parse_toml, problems_in
from croupier.round.state import NOTHING
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Thing
from croupier.rules.words import plain
from croupier.table.crew import APPROVERS, Approvers

SECONDS_MAX = 3600
CHIPS = 1000
TABLES_MAX = 500
FLOOR_TABLES = 6
BACKUPS = 14
RESERVED = frozenset({str(CAGE), RESTORES})
"""Names of journal streams that belong to the house; a table has a stream of its own name."""


@dataclass(frozen=True, kw_only=True)
class TableConfig:
    """One table: the book it plays by, what is selected, and how it is run."""

    id: str
    title: str
    rules: TableRules = field(repr=False)
    selections: Mapping[str, Any]
    seats: int
    bots: int = 0
    practice: bool = False
    timing: Timing = field(default_factory=Timing)
    meters: Mapping[str, str] = field(default_factory=dict)
    """By meter, the name of one that this table shares with others."""
    validated_cents: int | None = None
    """Awards of at least this sum wait for the floor; without one, none do."""
    witnessed_cents: int | None = None
    """Two people validate an award of at least this sum."""
    instead: tuple[Mapping[str, Any], ...] = ()
    """The selections of other equipment that the table can go on with, in full."""
    others: tuple[TableRules, ...] = field(default=(), repr=False)
    """The rules with each of them."""
    floor_tables: int = FLOOR_TABLES
    """How many tables one floorperson may have."""
    approvers: Approvers = APPROVERS
    """Who approves what takes two people."""
    codes: Mapping[str, Card] = field(default_factory=dict)
    """What a scanner reads from the house's cards, where that is not their name."""

    @property
    def table_set(self) -> TableSet:
        """What the journal says of the table's rules."""
        return self._set(self.rules, self.selections)

    def equipment_set(self, digest: str) -> TableSet | None:
        """What the journal says when the table goes on with the equipment of these rules."""
        ways = zip((self.rules, *self.others), (self.selections, *self.instead), strict=True)
        found = (self._set(*way) for way in ways if way[0].digest == digest)
        return next((one._replace(equipment=True) for one in found), None)

    def _set(self, rules: TableRules, selections: Mapping[str, Any]) -> TableSet:
        meters = {id: name for id, name in self.meters.items() if id in rules.meters}
        given = plain(dict(selections))
        return TableSet(
            rulebook=rules.rulebook,
            selections=given,
            digest=rules.digest,
            meters=meters,
            validated_cents=self.validated_cents,
            things=rules.things,
            witnessed_cents=self.witnessed_cents,
        )

    def meter(self, id: str) -> str:
        """Return the name that a meter of the rules has in the ledger."""
        return self.meters.get(id, f"{self.id}/{id}")


@dataclass(frozen=True)
class Config:
    """All tables of a server, and what a guest starts with."""

    tables: tuple[TableConfig, ...]
    guest_chips_cents: int = CHIPS * 100
    floor_tables: int = FLOOR_TABLES
    approvers: Approvers = APPROVERS
    backups: int = BACKUPS
    """How many backups are kept in the house's folder."""
    codes: Mapping[str, Card] = field(default_factory=dict)

    def of_house(self, table: TableConfig) -> TableConfig:
        """Return a table with the settings of the whole house."""
        return replace(
            table, floor_tables=self.floor_tables, approvers=self.approvers, codes=self.codes
        )


def parse_config(
    text: str, rules_of: RulesOf, *, file: str = "tables", anew: bool = True
) -> Config:
    """Read the tables of a server, or raise all Problems of the file at once.

    With `anew`, a selection that can't apply to its table is a fault; tables opened earlier may
    have some.
    """
    tables = _Tables(rules_of, anew=anew)
    config = tables.config(parse_toml(text, file))
    if tables.reader.faults:
        raise Problems(problems_in(text, file, tables.reader.faults))
    return config


# ---------------------------------------------------------------- what the file looks like

_matches_id = re.compile(r"[a-z0-9][a-z0-9-]{0,29}").fullmatch
_matches_title = re.compile(r"[ -~]{1,60}").fullmatch
_Id = Annotated[str, only(str, "1 to 30 of a-z, 0-9 and -", _matches_id)]
_Title = Annotated[str, only(str, "1 to 60 printable characters", _matches_title)]
_Seconds = Annotated[
    Decimal,
    only(Decimal, f"a number of seconds from 0 to {SECONDS_MAX}", lambda s: 0 <= s <= SECONDS_MAX),
]


def _timing(**seconds: Decimal) -> Timing:
    return Timing(**{f"{name}_ms": int(value * 1000) for name, value in seconds.items()})


_TIMES = {name.removesuffix("_ms"): _Seconds for name in Timing._fields}
_FILE = Annotated[
    Any,
    table_of(
        {
            "guest_chips": Cents,
            "floor_tables": WholeNumber,
            "backups": WholeNumber,
            "approvers": Approvers,
            "codes": Mapping[str, Card],
            "table": Any,
        }
    ),
]


class _Row(NamedTuple):
    """A `[[table]]` of the file."""

    id: _Id
    rulebook: Text
    title: _Title | None = None
    selections: Mapping[str, Any] = NOTHING
    seats: WholeNumber | None = None
    bots: WholeNumber = 0
    practice: bool = False
    validated: Cents | None = None
    witnessed: Cents | None = None
    things: tuple[Thing, ...] = ()
    timing: Annotated[Timing, table_of(_TIMES, make=_timing)] = Timing()
    meters: Mapping[str, _Id] = NOTHING
    instead: tuple[Mapping[str, Any], ...] = ()
    """The selections that differ, for each set of other equipment."""


_EQUIPMENT = frozenset(
    (
        *("digest", "earlier", "selections", "clauses", "guided"),
        *("deck", "deal", "steps", "sequence", "irregularities", "unapplied"),
    )
)
"""The parts of table rules that a change of equipment may change."""


def _game(rules: TableRules) -> dict[str, Any]:
    """Return the parts of table rules that stay as they are whatever deals the cards."""
    parts = {part: getattr(rules, part) for part in TableRules.kinds.keys() - _EQUIPMENT}
    # The clause by which a stake is picked up goes by how the cards are dealt.
    wagers = {name: replace(wager, collected=None) for name, wager in rules.wagers.items()}
    return {**parts, "wagers": wagers}


def _only_practice(rules: TableRules) -> str | None:
    """Return the ruling by which a table without a dealer is for practice, if there is one."""
    return None if "dealer" in rules.things else rules.deal.attended


class _Tables:
    """Reads one file and collects its faults."""

    def __init__(self, rules_of: RulesOf, *, anew: bool) -> None:
        self.rules_of, self.anew = rules_of, anew
        self.reader = Reader()

    def config(self, data: Mapping[str, Any]) -> Config:
        top = self.reader.read(_FILE, data) or {}
        rows = data.get("table")
        if not isinstance(rows, list) or not 1 <= len(rows) <= TABLES_MAX:
            message = f"there must be 1 to {TABLES_MAX} tables, each a [[table]]"
            self.reader.fault(("table",), message)
            rows = []
        found = [self._table(row, ("table", i)) for i, row in enumerate(rows)]
        self._check_ids(rows)
        self._check_shared(found)
        config = Config(
            (),
            top.get("guest_chips", CHIPS * 100),
            top.get("floor_tables", FLOOR_TABLES),
            top.get("approvers", APPROVERS),
            top.get("backups", BACKUPS),
            top.get("codes", {}),
        )
        if not config.backups:
            self.reader.fault(("backups",), "at least one backup is kept")
        self._check_approvers(data.get("approvers"))
        return replace(config, tables=tuple(config.of_house(table) for table in found if table))

    def _table(self, raw: Any, at: DataPath) -> TableConfig | None:
        row: _Row | None = self.reader.read(_Row, raw, at)
        if not isinstance(raw, dict):
            return None
        read: _Row = row or readable_parts(_Row, raw)
        rules, near = self._rules(read, at)
        seats = self._seats(read, near, at)
        self._check_meters(read, rules, at)
        self._check_things(read, rules, at)
        self._check_practice(read, rules, at)
        others = self._others(read, rules, at)
        if row is None or rules is None:
            return None
        lacks = ", practice only" if _only_practice(rules) else ""
        return TableConfig(
            id=row.id,
            title=row.title or f"{rules.title}{lacks}",
            rules=rules,
            selections=row.selections,
            seats=seats,
            bots=row.bots,
            practice=row.practice,
            timing=row.timing,
            meters=row.meters,
            validated_cents=row.validated,
            witnessed_cents=row.witnessed,
            instead=tuple({**row.selections, **one} for one in row.instead),
            others=others,
        )

    def _others(self, row: _Row, rules: TableRules | None, at: DataPath) -> tuple[TableRules, ...]:
        """Return the rules with each set of other equipment; only the equipment may differ."""
        found: list[TableRules] = []
        for i, one in enumerate(row.instead if rules else ()):
            path = (*at, "instead", i)
            if "cards" not in row.things:
                self.reader.fault(path, "is for tables with real cards, which use devices")
                continue
            try:
                other = self.rules_of(row.rulebook, {**row.selections, **one}, row.things)
            except Breaches as breaches:
                self._note_breaches(breaches.breaches, path)
                continue
            if rules and _game(other) != _game(rules):
                self.reader.fault(path, "changes more than that; only the equipment may differ")
            self._check_applied(other, path)
            found.append(other)
        return tuple(found)

    def _rules(self, row: _Row, at: DataPath) -> tuple[TableRules | None, TableRules | None]:
        """Return the table's rules, and the nearest ones to check the rest against.

        The two differ where some selections are faulty: the nearest rules leave those out.
        """
        if not row.rulebook:
            return None, None
        try:
            rules = self.rules_of(row.rulebook, row.selections, row.things)
        except Breaches as breaches:
            self._note_breaches(breaches.breaches, (*at, "selections"))
            return None, self._nearest(row, breaches)
        except CroupierError as error:
            self.reader.fault((*at, "rulebook"), getattr(error, "message", str(error)))
            return None, None
        self._check_applied(rules, (*at, "selections"))
        return rules, rules

    def _check_applied(self, rules: TableRules, at: DataPath) -> None:
        """Refuse to open a table with a selection that can't apply to it."""
        self._note_breaches(rules.unapplied if self.anew else (), at)

    def _note_breaches(self, breaches: Iterable[Breach], at: DataPath) -> None:
        for breach in breaches:
            self.reader.fault((*at, breach.selection), breach.message, breach.clause)

    def _nearest(self, row: _Row, breaches: Breaches) -> TableRules | None:
        faulty = {breach.selection for breach in breaches.breaches}
        sound = {name: value for name, value in row.selections.items() if name not in faulty}
        for nearest in (sound, {}):
            with suppress(Breaches):
                return self.rules_of(row.rulebook, nearest, row.things)
        return None

    def _seats(self, row: _Row, rules: TableRules | None, at: DataPath) -> int:
        """Return how many seats there are, and refuse more seats or bots than can be."""
        if rules is None:
            return 0
        seats, table = row.seats, rules.table
        least = max(1, table.seats_min)
        if seats is None:
            seats = table.seats
        elif not least <= seats <= table.seats:
            message = f"must be from {least} to {table.seats}, not {seats}"
            self.reader.fault((*at, "seats"), message, table.clause)
            seats = table.seats
        if row.bots > seats:
            self.reader.fault((*at, "bots"), f"must be from 0 to {seats}, not {row.bots}")
        elif row.bots and needs_code(rules):
            message = "must be 0 with real cards: a bot can't sit at the felt and look at a hand"
            self.reader.fault((*at, "bots"), message, seated_clause(rules))
        return seats

    def _check_meters(self, row: _Row, rules: TableRules | None, at: DataPath) -> None:
        for id in row.meters if rules else ():
            if rules and id not in rules.meters:
                self.reader.fault((*at, "meters", id), "is not a meter of this table")

    def _check_things(self, row: _Row, rules: TableRules | None, at: DataPath) -> None:
        """Refuse real cards without a dealer, and chips beside virtual cards or bets at screens."""
        if rules and rules.deal.attended and "chips" in row.things:
            message = "must be without 'chips': here players bet and decide on their screens"
            self.reader.fault((*at, "things"), message, rules.deal.attended)
        for thing, needed in (("cards", "dealer"), ("chips", "cards")):
            if thing in row.things and needed not in row.things:
                self.reader.fault((*at, "things"), f"{thing!r} needs {needed!r} as well")

    def _check_practice(self, row: _Row, rules: TableRules | None, at: DataPath) -> None:
        """Refuse to deal without a person what a person deals, except for practice (M23)."""
        if rules and not row.practice and (ruling := _only_practice(rules)):
            message = "must be true: this version takes a dealer, and without one is for practice"
            self.reader.fault((*at, "practice"), message, ruling)

    # ------------------------------------------------------------ what belongs together

    def _check_approvers(self, given: Any) -> None:
        """Refuse an act that no role approves."""
        for act, roles in given.items() if isinstance(given, dict) else ():
            if roles == []:
                self.reader.fault(("approvers", act), "name at least one role that approves this")

    def _check_ids(self, rows: list[Any]) -> None:
        """Refuse two tables with one id, and ids of the house's own, whatever else is wrong."""
        seen: set[str] = set()
        for i, row in enumerate(rows):
            id = row.get("id") if isinstance(row, dict) else None
            if isinstance(id, str) and id in seen:
                self.reader.fault(("table", i, "id"), f"another table is called {id!r} too")
            elif isinstance(id, str):
                seen.add(id)
            if isinstance(id, str) and id in RESERVED:
                message = f"{id!r} is the house's own; choose another id"
                self.reader.fault(("table", i, "id"), message)

    def _check_shared(self, tables: list[TableConfig | None]) -> None:
        """A meter that tables share starts and resets at one sum, whichever of them is hit."""
        first: dict[str, tuple[object, ...]] = {}
        for i, table in enumerate(tables):
            for id, name in table.meters.items() if table else ():
                meter = table.rules.meters.get(id) if table else None
                sums = (meter.reset, meter.initial) if meter else ()
                if meter and first.setdefault(name, sums) != sums:
                    message = f"{name!r} starts or resets at a different sum at another table"
                    self.reader.fault(("table", i, "meters", id), message)
