"""Commands that are stored together, as one document for the database function `append_v1`.

Nothing here touches a database. Everything is decided as if every command were new and every
account held enough; the function says which streams that is not true of.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from croupier.errors import Refused
from croupier.ledger.accounts import OWING, Account, account, kept_kind
from croupier.ledger.journal import Head
from croupier.ledger.store import NO_SUCH_METER, Answer, Request, Result, Work
from croupier.ledger.stores.statements import METER, SqlRow, changes_of


def meters_of(requests: Sequence[Request]) -> set[Account]:
    """Return the meters that must be locked before a batch is decided, or none if it reads none.

    Those that it only changes are among them: meters are locked in one order, all together.
    """
    meters = {account("meter", name) for request in requests for name in request.meters}
    if meters:
        for request in requests:
            if not request.meters:
                meters |= _changed_by(request)
    return meters


def _changed_by(request: Request) -> set[Account]:
    """Return the meters that a command changes, which reads none."""
    try:
        work = request.decide({})
    except Refused:
        return set()
    entries = (entry for event in work.events for entry in event.entries)
    sides = (side for entry in entries for side in (entry.debit, entry.credit))
    return {side for side in sides if side.startswith(METER)}


class Batch:
    """The results of several commands, and what they write."""

    def __init__(
        self,
        requests: Iterable[Request],
        meters: Mapping[Account, int],
        epochs: Mapping[str, int],
    ) -> None:
        self.results: list[Result] = []
        """The answer to each command if the batch is stored."""
        self.odd: set[str] = set()
        """Streams whose commands don't fit together, and have to be looked at one by one."""
        self._meters, self._epochs = meters, epochs
        self._expected: dict[str, Head] = {}
        self._heads: dict[str, Head] = {}
        self._commands: dict[str, str] = {}
        self._changes: dict[Account, tuple[int, int]] = {}
        """The change to each account, and its lowest point on the way."""
        self._emptied: dict[Account, None] = {}
        self._rows: dict[str, list[Sequence[Any]]] = {
            "events": [],
            "entries": [],
            "decks": [],
            "commands": [],
        }
        for request in requests:
            self.results.append(self._decided(request))

    def _decided(self, request: Request) -> Result:
        (command, digest, stream, expected), meters, decide = request
        head = self._heads.setdefault(stream, self._expected.setdefault(stream, expected))
        if head != expected or command in self._commands:
            self.odd.add(stream)
        self._commands[command] = stream
        try:
            work = decide({meter: self._shown(meter) for meter in meters})
        except Refused as refused:
            return refused
        number = self._write(stream, head, work)
        answered = command, digest.hex(), stream, number, work.answer
        self._rows["commands"].append(answered)
        return Answer(work.answer, number)

    def _shown(self, meter: str) -> int:
        """Return what a meter shows after the commands so far."""
        of = account("meter", meter)
        if of not in self._meters:
            raise Refused(NO_SUCH_METER, f"there is no meter {meter}", field="meters")
        change, _ = self._changes.get(of, (0, 0))
        return self._meters[of] + change

    def _write(self, stream: str, head: Head, work: Work) -> int:
        epoch = self._epochs.get(stream)
        entries: list[SqlRow] = []
        for data, time_ms, subject, posted in work.events:
            number, hash = head = head.after(data)
            event = stream, number, time_ms, subject, data.decode(), hash.hex(), epoch
            self._rows["events"].append(event)
            entries += [(stream, number, line, *entry) for line, entry in enumerate(posted, 1)]
        for changed, micros in changes_of(entries).items():
            change, lowest = self._changes.get(changed, (0, 0))
            change += micros
            self._changes[changed] = change, min(lowest, change)
            if changed in self._emptied:  # It was to be empty before this.
                self.odd.add(stream)
        self._emptied |= dict.fromkeys(work.emptied)
        self._rows["entries"] += entries
        self._rows["decks"] += [(round, sealed.hex()) for round, sealed in work.sealed]
        self._heads[stream] = head
        return head.number

    def document(self) -> str:
        """Return what `append_v1` is given."""
        accounts = []
        for changed, (change, lowest) in self._changes.items():
            kind = kept_kind(changed)
            accounts.append((changed, kind, change, 0 if kind in OWING else lowest))
        moved = {s: head for s, head in self._heads.items() if head != self._expected[s]}
        plain = {
            "streams": [
                (s, n, hash.hex(), self._epochs.get(s)) for s, (n, hash) in self._expected.items()
            ],
            "moved": [(s, n, hash.hex()) for s, (n, hash) in moved.items()],
            "asked": [*self._commands.items()],
            "accounts": accounts,
            "emptied": [*self._emptied],
            **self._rows,
        }
        return orjson.dumps(plain).decode()
