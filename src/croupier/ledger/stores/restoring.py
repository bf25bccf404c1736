"""Restores a backup, but not one that is older than what was signed and given away."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from croupier.errors import UserError
from croupier.ledger.audit import RulesOf
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.events import Restored
from croupier.ledger.journal import Head
from croupier.ledger.scribe import Happened, Scribe
from croupier.ledger.store import Claim, View, Work
from croupier.ledger.stores.marks import RESTORES as STREAM
from croupier.ledger.stores.marks import Mark
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.stores.statements import Earlier
from croupier.ledger.verify import verify
from croupier.rules.table_rules import TableRules


def restore(
    store: Store,
    source: Path,
    rules_of: RulesOf,
    *,
    checkpoints: Iterable[Checkpoint] = (),
    marks: Iterable[Mark] = (),
    key: bytes | None = None,
    forced_at_ms: int | None = None,
) -> dict[str, int]:
    """Fill an empty store from a backup that verifies; return how many events are lost by it.

    A backup that lacks events which a checkpoint has signed, or which another mark speaks of, is
    refused, unless it is forced; that is then written into the journal, for all to see. One of an
    earlier version stays as it is: a copy of it is brought up to date, verified and restored.
    """
    kept = tuple(checkpoints)
    with _up_to_date(source) as file:
        with closing(SqliteStore(file)) as backup, backup.reading() as view:
            signed = _lost(view, [checkpoint.heads for checkpoint in kept])
            lost = signed | _lost(view, [mark.heads for mark in marks])
            if lost and forced_at_ms is None:
                listed = ", ".join(f"{count} of {stream}" for stream, count in lost.items())
                which = "a checkpoint has signed" if signed else "were stored after it"
                message = f"the backup lacks events that {which}: {listed}"
                raise UserError(message, field="--checkpoints")
            found = verify(view, rules_of, checkpoints=_up_to(view, kept), key=key)
        if found.faults:
            raise UserError(f"the backup does not verify: {found.faults[0]}", field="BACKUP")
        store.restore(file)
    if lost and forced_at_ms is not None:
        _note(store, lost, forced_at_ms)
    return lost


@contextmanager
def _up_to_date(source: Path) -> Iterator[Path]:
    """Give a backup, or a copy that was brought up to date if it is from an earlier version."""
    if not _is_earlier(source):
        yield source
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / source.name
        with closing(SqliteStore(file, make=True)) as copied:
            copied.restore(source)
            copied.leave_log()
        yield file


def _is_earlier(source: Path) -> bool:
    try:
        SqliteStore(source).close()
    except Earlier:
        return True
    return False


def _lost(view: View, known: Iterable[Mapping[str, Head]]) -> dict[str, int]:
    """Return how many events of each stream are known of and not there."""
    heads, lost = view.heads(), dict[str, int]()
    for marked in known:
        for stream, head in marked.items():
            has = heads[stream].number if stream in heads else 0
            if head.number > has:
                lost[stream] = max(lost.get(stream, 0), head.number - has)
    return dict(sorted(lost.items()))


def _up_to(view: View, checkpoints: Iterable[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints that speak of nothing but what is there."""
    heads = view.heads()

    def is_there(stream: str, head: Head) -> bool:
        return head.number <= (heads[stream].number if stream in heads else 0)

    return [c for c in checkpoints if all(is_there(s, h) for s, h in c.heads.items())]


def _note(store: Store, lost: dict[str, int], time_ms: int) -> None:
    scribe = Scribe(STREAM, _no_rules)
    with store.reading() as view:
        scribe.read(view.stream(STREAM))
    draft = scribe.draft([Happened("ledger", Restored(lost))], time_ms=time_ms)
    digest = sha256(draft.events[0].data).digest()
    claim = Claim(f"{STREAM} {scribe.number + 1}", digest, STREAM, scribe.head)
    store.append(claim, Work(draft.events, ""))


def _no_rules(rulebook: str, _: object) -> TableRules:
    raise UserError(f"{STREAM} has no table, and so no rules: {rulebook}")
