"""The galleries of all tables of a process, and the sockets of each player in them."""

from collections.abc import Set

from croupier.gallery.frames import encode
from croupier.gallery.gallery import Gallery
from croupier.gallery.outbox import Mail, Viewer
from croupier.gallery.scene import Scene, scene_of
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger.store import Unavailable

MOVED = 1012
"""The close code of a socket whose table another process has now: come back and ask again."""
ENDED = 4403
"""The close code of a socket whose player's session has ended."""
NAMES_MAX = 10_000
"""How many names are kept of people who come and go."""


class Galleries:
    """The viewers of all tables of a pit."""

    def __init__(self, pit: Pit) -> None:
        self.pit = pit
        self.names: dict[str, str] = {}
        """The names, by id, of people who are here or were here lately."""
        self.mail = Mail()
        """Lets answers that are ready at one time go out together."""
        self._of: dict[str, Gallery] = {}
        self._sockets: dict[str, set[Viewer]] = {}
        """The sockets of each player, at whatever tables."""

    def open(self) -> None:
        """Add every table of the pit, and those that it takes up from now on."""
        for table in self.pit.tables.values():
            self.add(table)
        self.pit.open.on_open.append(self.add)
        self.pit.open.on_close.append(self.drop)
        self.pit.books.on_purse = self.tell_purse

    def add(self, table: Table) -> None:
        """Add a table, so that viewers can look at it."""
        gallery = Gallery(
            table.config,
            table.current(),
            past=table.past,
            names=self.names,
            wait_ms=self.pit.books.clocks.wait_ms,
            time=self.pit.books.clocks.time,
            note_present=table.note_present,
            purse_cents=self.pit.books.purse_cents,
        )
        table.listeners.append(gallery.tell)
        self._of[table.id] = gallery

    def drop(self, table: Table) -> None:
        """Send the viewers of a table away: another process has it now."""
        if gallery := self._of.pop(table.id, None):
            for viewer in gallery.viewers:
                viewer.end(MOVED)

    def close(self) -> None:
        """Close all sockets."""
        for gallery in self._of.values():
            for viewer in gallery.viewers:
                viewer.end()

    def __contains__(self, table: str) -> bool:
        """Whether a table can be looked at here."""
        return table in self._of

    def __getitem__(self, table: str) -> Gallery:
        if table not in self._of:
            raise Unavailable("another server has this table now, or will have it soon")
        return self._of[table]

    def scene(self, table: str) -> Scene:
        """Return what everyone may see of a table now."""
        if table not in self.pit.tables:
            raise Unavailable("another server has this table now, or will have it soon")
        return scene_of(self.pit.tables[table].current(), self.names)

    def call(self, person: str, name: str) -> None:
        """Note somebody's name; of very many, forget those who left longest ago."""
        self.names.pop(person, None)  # The latest come last.
        self.names[person] = name
        if len(self.names) > NAMES_MAX:
            tables = [one.place.standing.table for one in self.pit.tables.values()]
            here = {one for table in tables for one in (*table.seats.values(), *table.crew)}
            gone = [one for one in self.names if one not in here and one not in self._sockets]
            for one in gone[: len(gone) // 2]:
                del self.names[one]

    def welcome(
        self, viewer: Viewer, table: str, last: int | None = None, *, felt_tag: str = ""
    ) -> None:
        """Add a viewer to a table; `last` is the number of the last event they saw."""
        if viewer.player:
            self._sockets.setdefault(viewer.player, set()).add(viewer)
        self._of[table].welcome(viewer, last, felt_tag=felt_tag)

    def farewell(self, viewer: Viewer, table: str) -> None:
        """Remove a viewer."""
        player = viewer.player or ""
        if theirs := self._sockets.get(player):
            theirs.discard(viewer)
            if not theirs:
                del self._sockets[player]
        if gallery := self._of.get(table):
            gallery.farewell(viewer)

    def tell_purse(self, player: str, cents: int) -> None:
        """Tell a player what is in the purse now."""
        if theirs := self._sockets.get(player):
            frame = encode({"type": "purse", "cents": cents})
            for viewer in theirs:
                viewer.send(frame)

    def name(self, player: str, name: str) -> None:
        """Show a player's new name to all viewers."""
        self.call(player, name)
        for viewer in self._sockets.get(player, ()):
            viewer.name = name
        for table in self.pit.tables.values():
            if player in table.place.standing.table.seats.values():
                table.look_again()

    def keep(self, player: str, sessions: Set[bytes]) -> None:
        """Close a player's sockets, except those of sessions that are still valid."""
        for viewer in self._sockets.get(player, ()):
            if viewer.session and viewer.session not in sessions:
                viewer.end(ENDED)

    def has(self, player: str) -> bool:
        """Whether a player has a socket open."""
        return player in self._sockets

    def end(self, player: str) -> None:
        """Close all sockets of a player whose session has ended."""
        for viewer in self._sockets.get(player, ()):
            viewer.end(ENDED)
