"""Writes many commands with few statements, for a database with one writer.

Changes to accounts are summed and written when an account is read, or at the end. If that leaves an
account short, it doesn't show which command to refuse; to find out, let a plain `Pen` write the
commands one by one.
"""

import json
from collections.abc import Mapping, Sequence

from croupier.errors import CroupierError
from croupier.ledger.accounts import OWING, Account, kept_kind
from croupier.ledger.journal import Head
from croupier.ledger.store import Claim
from croupier.ledger.stores.statements import (
    MOVE,
    TABLES,
    Pen,
    Session,
    SqlRow,
    changes_of,
    insertion,
)

_HEADS = f"SELECT {TABLES['streams']} FROM json_each(?) CROSS JOIN streams ON stream = value"
_KNOWN = f"SELECT {TABLES['commands']} FROM json_each(?) CROSS JOIN commands ON command = value"
_RAISE = (
    "INSERT INTO accounts (account, kind, micros) VALUES (?, ?, ?) "
    "ON CONFLICT DO UPDATE SET micros = micros + excluded.micros"
)
_LOWER = (
    "UPDATE accounts SET micros = micros + ? WHERE account = ? AND micros >= ? RETURNING account"
)


class Short(CroupierError):
    """Raised when some command would take an account below zero."""


class Gathering(Pen):
    """A pen that looks up all commands at once, and writes when all are decided.

    It changes each account once, and inserts the rows of a table together.
    """

    def __init__(self, session: Session, claims: Sequence[Claim]) -> None:
        super().__init__(session)
        streams = json.dumps([*{claim.stream for claim in claims}])
        commands = json.dumps([claim.command for claim in claims])
        for stream, number, hash in session.rows(_HEADS, (streams,)):
            self._heads[stream] = Head(number, hash)
        for row in session.rows(_KNOWN, (commands,)):
            self._answers[row[0]] = row
        self._changes: dict[Account, tuple[int, int]] = {}
        """The change to each account, and its lowest point on the way."""
        self._moved: set[str] = set()
        self._added: dict[str, list[SqlRow]] = {}

    def _stored(self, command: str) -> SqlRow | None:
        return None  # All were looked up already.

    def post(self, entries: Sequence[SqlRow]) -> None:
        for changed, micros in changes_of(entries).items():
            change, lowest = self._changes.get(changed, (0, 0))
            change += micros
            self._changes[changed] = change, min(lowest, change)

    def _catch_up(self) -> None:
        raised: list[SqlRow] = []
        lowered: list[SqlRow] = []
        for changed, (change, lowest) in self._changes.items():
            kind = kept_kind(changed)
            if lowest < 0 and kind not in OWING:
                lowered.append((change, changed, -lowest))
            else:
                raised.append((changed, kind, change))
        self._changes.clear()
        self.session.run_many(_RAISE, raised)
        for row in lowered:
            if not list(self.session.rows(_LOWER, row)):
                raise Short("some account does not hold as much")

    def _write(self, stream: str, rows: Mapping[str, Sequence[SqlRow]]) -> None:
        self._moved.add(stream)
        for table, added in rows.items():
            self._added.setdefault(table, []).extend(added)

    def finish(self) -> None:
        """Write what was gathered; then the transaction can be committed."""
        self._catch_up()
        run_many = self.session.run_many
        run_many(MOVE, [(*self._heads[stream], stream) for stream in self._moved])
        for table, rows in self._added.items():
            if rows:
                run_many(insertion(table), rows)
