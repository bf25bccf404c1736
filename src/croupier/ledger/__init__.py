"""The ledger: accounts and entries, the journal they derive from, and the stores that keep it.

`__all__` is what a program needs to write a ledger of its own; docs/ledger.md shows how.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croupier.ledger.events import Bought, TableSet
    from croupier.ledger.scribe import Happened, Scribe
    from croupier.ledger.store import Claim, Work
    from croupier.ledger.stores import open_sqlite

__all__ = ["Bought", "Claim", "Happened", "Scribe", "TableSet", "Work", "open_sqlite"]


def __getattr__(name: str) -> object:
    """Import a public name on first use, because a store loads its database driver."""
    if name in __all__:
        from croupier.ledger import events, scribe, store, stores

        for module in (events, scribe, store, stores):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
