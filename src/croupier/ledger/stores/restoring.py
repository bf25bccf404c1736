"""Restores a backup, unless it is older than what was signed and published."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from croupier.errors import UserError
from croupier.ledger.audit import RulesOf, no_rules
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.events import Restored
from croupier.ledger.journal import Head
from croupier.ledger.scribe import Happened, Scribe
from croupier.ledger.store import Claim, View, Work
from croupier.ledger.stores.marks import RESTORES as STREAM
from croupier.ledger.stores.marks import Mark
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify


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
    """Fill an empty store from a valid backup; return how many events are lost.

    A backup is refused if it lacks events that a checkpoint signed or another mark names. With
    `forced_at_ms` it is restored anyway, and the journal records that.
    """
    kept = tuple(checkpoints)
    with closing(_opened(source)) as backup, backup.reading() as view:
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
    store.restore(source)
    if lost and forced_at_ms is not None:
        _note(store, lost, forced_at_ms)
    return lost


def _opened(source: Path) -> SqliteStore:
    try:
        return SqliteStore(source)
    except UserError as error:
        raise UserError(error.message, field="BACKUP") from None


def _lost(view: View, known: Iterable[Mapping[str, Head]]) -> dict[str, int]:
    """Return how many known events of each stream are missing."""
    heads, lost = view.heads(), dict[str, int]()
    for marked in known:
        for stream, head in marked.items():
            has = heads[stream].number if stream in heads else 0
            if head.number > has:
                lost[stream] = max(lost.get(stream, 0), head.number - has)
    return dict(sorted(lost.items()))


def _up_to(view: View, checkpoints: Iterable[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints that cover only events that are there."""
    heads = view.heads()

    def is_there(stream: str, head: Head) -> bool:
        return head.number <= (heads[stream].number if stream in heads else 0)

    return [c for c in checkpoints if all(is_there(s, h) for s, h in c.heads.items())]


def _note(store: Store, lost: dict[str, int], time_ms: int) -> None:
    scribe = Scribe(STREAM, no_rules)
    with store.reading() as view:
        scribe.read(view.stream(STREAM))
    draft = scribe.draft([Happened("ledger", Restored(lost))], time_ms=time_ms)
    digest = sha256(draft.events[0].data).digest()
    claim = Claim(f"{STREAM} {scribe.number + 1}", digest, STREAM, scribe.head)
    store.append(claim, Work(draft.events, ""))
