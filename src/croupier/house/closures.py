"""Why tables are closed: dealing was stopped, a key is missing, the build differs, or a fault."""

from collections.abc import Mapping

from croupier.errors import Refused
from croupier.house.build import BuildState
from croupier.house.config import TableConfig

CANNOT_OPEN = "this table could not be opened; the log says why (crash)"


class Closures:
    """What keeps tables from being dealt, or from being opened in this process."""

    def __init__(self, configs: Mapping[str, TableConfig]) -> None:
        self._configs = configs
        self.stopped: dict[str, str] = {}
        """Why dealing was stopped, by table, also at those that other processes have."""
        self.locked: dict[str, str] = {}
        """The tables whose open round is sealed with a key that this process doesn't have."""
        self.broken: set[str] = set()
        """The tables that could not be opened here."""
        self.build: BuildState | None = None
        """What the last comparison with the approved build found."""

    def because(self, id: str) -> str | None:
        """Say why a table can't be opened here: a fault, a missing key, the build; or None."""
        if id in self.broken:
            return CANNOT_OPEN
        if id in self.locked:
            return self.locked[id]
        if self.build is None or id not in self._configs:
            return None
        return self.build.closes(self._configs[id].rules.rulebook)

    def check(self, id: str) -> None:
        """Refuse a table that can't be opened here."""
        reason = self.because(id)
        if reason and id in self.broken:
            raise Refused("unavailable", reason, field="table")
        if reason and id in self.locked:
            raise Refused("no_deck", reason, field="table")
        if reason:
            raise Refused("unapproved", reason, field="table")

    def openable(self) -> list[str]:
        """Return the tables that the keys and the build of this process let it open."""
        return [id for id in self._configs if not self.because(id)]
