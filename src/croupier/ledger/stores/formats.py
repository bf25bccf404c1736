"""The format of a house on PostgreSQL, which rises once all of its servers read it.

A release and the one before it can serve a house together. The older one ignores what the newer
adds to the schema. The newer one writes what the older couldn't read only once the format of the
house allows it; a command raises the format when every server reads it.
"""

from croupier.errors import UserError
from croupier.ledger.stores.statements import Session

READS = 1
"""The newest format that this release reads."""
HAS = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('house') AND attname = 'link'"
MAKE = (
    "ALTER TABLE house ADD COLUMN IF NOT EXISTS format INTEGER NOT NULL DEFAULT 1; "
    "ALTER TABLE nodes ADD COLUMN IF NOT EXISTS reads INTEGER NOT NULL DEFAULT 1; "
    "ALTER TABLE house ADD COLUMN IF NOT EXISTS link TEXT NOT NULL DEFAULT ''"
)
"""Not part of a schema: an older release, which reads format 1, ignores it."""
FORMAT = "SELECT coalesce(max(format), 1) FROM house"
LINK, NOTE_LINK = "SELECT link FROM house", "UPDATE house SET link = ? WHERE link <> ?"
LOCK = "LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE"
BEHIND = (
    "SELECT node, version, reads FROM nodes WHERE expires >= clock_timestamp() AND reads < ? "
    "ORDER BY node"
)
RAISE = "UPDATE house SET format = ?"


def make_format(session: Session) -> None:
    """Start recording which format a house has, and which its servers read."""
    if not list(session.rows(HAS)):
        session.script(MAKE)


def format_of(session: Session) -> int:
    """Return the format of a house."""
    if not list(session.rows(HAS)):
        return 1
    ((found,),) = session.rows(FORMAT)
    return int(found)


def check_format(session: Session) -> None:
    """Refuse a house whose format this release doesn't read."""
    if (found := format_of(session)) > READS:
        raise UserError(newer(found, READS), field="--database")


def newer(format: int, reads: int) -> str:
    """Return the refusal of a house whose format this release doesn't read."""
    return (
        f"the house was raised to format {format}, and this version of Croupier reads format "
        f"{reads}; upgrade Croupier to open it"
    )


def note_link(session: Session, id: str) -> None:
    """Record the id of a house's link key."""
    session.run(NOTE_LINK, (id, id))


def link_of(session: Session) -> str:
    """Return the id of a house's link key; '' if it isn't known."""
    rows = session.rows(LINK) if list(session.rows(HAS)) else iter(())
    return next((str(row[0]) for row in rows), "")


def raise_format(session: Session) -> tuple[int, int]:
    """Raise a house to the newest format that this release reads; return the old and the new one.

    Meanwhile no server can join that doesn't read it.
    """
    session.run(LOCK)
    before = format_of(session)
    behind = [
        f"{node} ({version}) reads format {reads}"
        for node, version, reads in session.rows(BEHIND, (READS,))
    ]
    if behind:
        raise UserError(f"upgrade every server first: {'; '.join(behind)}", field="--database")
    if before < READS:
        session.run(RAISE, (READS,))
    return before, max(before, READS)
