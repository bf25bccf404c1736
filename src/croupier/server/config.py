"""The tables that a server opens, read from a TOML file; all faults are found at once."""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from croupier.errors import Breaches, CroupierError, Problem, Problems, UserError
from croupier.ledger.audit import RulesOf
from croupier.ledger.events import TableSet
from croupier.money import parse_money
from croupier.rules.table_rules import TableRules
from croupier.rules.words import plain
from croupier.server.pace import Timing

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_NAME = re.compile(r"[ -~]{1,60}")
_KEYS = ("guest_chips", "table")
_TABLE_KEYS = (
    "id",
    "title",
    "rulebook",
    "selections",
    "seats",
    "bots",
    "practice",
    "validated",
    "timing",
    "meters",
)
SECONDS_MAX = 3600
CHIPS = 1000
TABLES_MAX = 500


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

    @property
    def table_set(self) -> TableSet:
        """What the journal says of the table's rules."""
        rules = self.rules
        meters = {id: name for id, name in self.meters.items() if id in rules.meters}
        given = plain(dict(self.selections))
        return TableSet(rules.rulebook, given, rules.digest, meters, self.validated_cents)

    def meter(self, id: str) -> str:
        """Return the name that a meter of the rules has in the ledger."""
        return self.meters.get(id, f"{self.id}/{id}")


@dataclass(frozen=True)
class Config:
    """All tables of a server, and what a guest starts with."""

    tables: tuple[TableConfig, ...]
    guest_chips_cents: int = CHIPS * 100


def parse_config(text: str, rules_of: RulesOf, *, file: str = "tables") -> Config:
    """Read the tables of a server, or raise all Problems of the file at once."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"is not TOML: {error}", field=file) from None
    reading = _Reading(rules_of, file)
    config = reading.config(data)
    if reading.problems:
        raise Problems(reading.problems)
    return config


class _Reading:
    """Reads one file, and collects what is wrong with it."""

    def __init__(self, rules_of: RulesOf, file: str) -> None:
        self.rules_of, self.file = rules_of, file
        self.problems: list[Problem] = []

    def wrong(self, path: str, message: str, clause: str | None = None) -> None:
        self.problems.append(Problem(message=message, file=self.file, path=path, clause=clause))

    def config(self, data: Mapping[str, Any]) -> Config:
        self._check_keys(data, _KEYS, "")
        chips = self._money(data.get("guest_chips", CHIPS), "guest_chips")
        rows = data.get("table", [])
        if not isinstance(rows, list) or not rows or len(rows) > TABLES_MAX:
            self.wrong("table", f"there must be 1 to {TABLES_MAX} tables, each a [[table]]")
            rows = []
        found = [self._table(row, f"table[{n}]") for n, row in enumerate(rows, 1)]
        tables = tuple(table for table in found if table)
        self._check_ids(rows)
        self._check_shared(tables)
        return Config(tables, chips)

    def _table(self, row: Any, at: str) -> TableConfig | None:
        if not isinstance(row, dict):
            self.wrong(at, "must be a table")
            return None
        self._check_keys(row, _TABLE_KEYS, at)
        id = self._text(row.get("id"), f"{at}.id", _ID, "1 to 30 of a-z, 0-9 and -")
        selections = self._dict(row.get("selections", {}), f"{at}.selections")
        timing = self._timing(self._dict(row.get("timing", {}), f"{at}.timing"), at)
        practice = self._flag(row.get("practice", False), f"{at}.practice")
        rules, near = self._rules(row.get("rulebook"), selections, at)
        seats = self._seats(row.get("seats"), near, f"{at}.seats")
        most = seats or (near.table.seats if near else None)
        bots = self._whole(row.get("bots", 0), f"{at}.bots", most=most)
        title = near.title if near else "a table"
        title = self._text(row.get("title", title), f"{at}.title", _NAME, "1 to 60 letters")
        meters = self._meters(self._dict(row.get("meters", {}), f"{at}.meters"), rules, at)
        validated = row.get("validated")
        cents = None if validated is None else self._money(validated, f"{at}.validated")
        if rules is None:
            return None
        return TableConfig(
            id=id,
            title=title,
            rules=rules,
            selections=selections,
            seats=seats or 0,
            bots=bots or 0,
            practice=practice,
            timing=timing,
            meters=meters,
            validated_cents=cents,
        )

    def _rules(
        self, rulebook: Any, selections: dict[str, Any], at: str
    ) -> tuple[TableRules | None, TableRules | None]:
        """Return the table's rules, and the nearest ones that the rest is checked against.

        The two differ where some selections are faulty: the nearest rules leave those out.
        """
        if not isinstance(rulebook, str):
            self.wrong(f"{at}.rulebook", "must name a rulebook by its id")
            return None, None
        try:
            rules = self.rules_of(rulebook, selections)
        except Breaches as breaches:
            for breach in breaches.breaches:
                self.wrong(f"{at}.selections.{breach.selection}", breach.message, breach.clause)
            return None, self._nearest(rulebook, selections, breaches)
        except CroupierError as error:
            self.wrong(f"{at}.rulebook", getattr(error, "message", str(error)))
            return None, None
        return rules, rules

    def _nearest(
        self, rulebook: str, selections: dict[str, Any], breaches: Breaches
    ) -> TableRules | None:
        faulty = {breach.selection for breach in breaches.breaches}
        sound = {name: value for name, value in selections.items() if name not in faulty}
        for nearest in (sound, {}):
            with suppress(Breaches):
                return self.rules_of(rulebook, nearest)
        return None

    def _seats(self, value: Any, rules: TableRules | None, path: str) -> int | None:
        """Return how many seats there are; None where that cannot be known."""
        if rules is None:
            return None if value is None else self._whole(value, path, least=1)
        table = rules.table
        if value is None:
            return table.seats
        return self._whole(
            value, path, least=max(1, table.seats_min), most=table.seats, clause=table.clause
        )

    def _timing(self, given: dict[str, Any], at: str) -> Timing:
        known = {name.removesuffix("_ms"): name for name in Timing._fields}
        times: dict[str, int] = {}
        for key, value in given.items():
            path = f"{at}.timing.{key}"
            if (name := known.get(key)) is None:
                self.wrong(path, f"unknown key; there are {', '.join(known)}")
            elif isinstance(value, bool) or not isinstance(value, int | Decimal):
                self.wrong(path, "must be a number of seconds")
            elif not 0 <= value <= SECONDS_MAX:
                self.wrong(path, f"must be from 0 to {SECONDS_MAX} seconds")
            else:
                times[name] = int(value * 1000)
        return Timing(**times)

    def _meters(self, given: dict[str, Any], rules: TableRules | None, at: str) -> dict[str, str]:
        for id, name in given.items():
            if rules and id not in rules.meters:
                self.wrong(f"{at}.meters.{id}", "is not a meter of this table")
            elif not isinstance(name, str) or not _ID.fullmatch(name):
                self.wrong(f"{at}.meters.{id}", "must be a name of a-z, 0-9 and -")
        return {id: str(name) for id, name in given.items()}

    # ------------------------------------------------------------ what belongs together

    def _check_ids(self, rows: list[Any]) -> None:
        """No two tables have one id, whatever else is wrong with them."""
        given = [row.get("id") for row in rows if isinstance(row, dict)]
        ids = [id for id in given if isinstance(id, str)]
        for id in sorted({id for id in ids if ids.count(id) > 1}):
            self.wrong("table", f"two tables are called {id!r}")

    def _check_shared(self, tables: tuple[TableConfig, ...]) -> None:
        """A meter that tables share starts and resets at one sum, whichever of them is hit."""
        first: dict[str, tuple[object, ...]] = {}
        for table in tables:
            for id, name in table.meters.items():
                meter = table.rules.meters.get(id)
                sums = (meter.reset, meter.initial) if meter else ()
                if meter and first.setdefault(name, sums) != sums:
                    self.wrong(
                        f"{table.id}.meters.{id}", f"{name!r} starts or resets at another sum"
                    )

    # ------------------------------------------------------------ single values

    def _check_keys(self, data: Mapping[str, Any], keys: tuple[str, ...], at: str) -> None:
        for key in sorted(data.keys() - set(keys)):
            self.wrong(f"{at}.{key}".lstrip("."), f"unknown key; there are {', '.join(keys)}")

    def _text(self, value: Any, path: str, pattern: re.Pattern[str], *says: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            self.wrong(path, f"must be {''.join(says)}")
            return ""
        return value

    def _dict(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.wrong(path, "must be a table")
            return {}
        return value

    def _money(self, value: Any, path: str) -> int:
        try:
            return parse_money(value, path)
        except UserError as error:
            self.wrong(path, error.message)
            return 0

    def _whole(
        self,
        value: Any,
        path: str,
        *,
        least: int = 0,
        most: int | None = None,
        clause: str | None = None,
    ) -> int | None:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if is_whole and least <= value and (most is None or value <= most):
            return int(value)
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        self.wrong(path, f"must be a whole number {bounds}", clause)
        return None

    def _flag(self, value: Any, path: str) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True
