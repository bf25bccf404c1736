"""The build of a process: its installed files and rulebooks, compared with the approved ones.

Until a house has approved a build, every build is served, and says that nobody approved it. Once
one was approved, a table is closed while its rulebook, or anything else of the program, differs.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import croupier
from croupier.errors import UserError
from croupier.house.compiled import foreign
from croupier.house.keys import Keys
from croupier.ledger.acts import HOUSE_STREAM, BuildApproved, BuildChecked, acts_in
from croupier.ledger.builds import Difference, approve, approved_in, differences, digest_of
from croupier.ledger.store import View
from croupier.ledger.stores.jotting import jot
from croupier.ledger.stores.protocol import Store

PACKAGE = Path(croupier.__file__).parent
BOOKS = "books"
_RULEBOOKS = f"{PACKAGE.name}/rulebooks/"
_MADE = "__pycache__"
NAMED_MAX = 20
_ACTS = (b'"type":"KeysSet"', b'"type":"BuildApproved"')


def _listed(folders: Sequence[Path], package: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(package.rglob("*")):
        if file.is_file() and _MADE not in file.parts:
            yield f"{package.name}/{file.relative_to(package).as_posix()}", file
    for number, folder in enumerate(folders, 1):
        for file in sorted(folder.glob("*.toml")):
            yield f"{BOOKS}/{number}/{file.name}", file


def approved_of(view: View) -> tuple[BuildApproved | None, int]:
    """Return the last build that the house approved, and how many later approvals are forged."""
    rows = view.stream(HOUSE_STREAM)
    return approved_in(acts_in(row for row in rows if any(act in row.data for act in _ACTS)))


def approve_build(
    store: Store, keys: Keys, files: dict[str, str], *, time_ms: int, by: str = ""
) -> BuildApproved:
    """Approve files with the house's signing key, and journal it."""
    build = approve(keys.signing, files, by=by)
    with store.writing() as session:
        jot(session, build, time_ms=time_ms)
    return build


class BuildState(NamedTuple):
    """What a process found when it compared its files with the approved ones."""

    digest: str
    approved: str | None
    """The digest of the approved build; None if there is none."""
    differs: tuple[Difference, ...] = ()
    ignored: int = 0
    """How many approvals after it are not signed with the house's key."""
    time_ms: int = 0

    @property
    def says(self) -> str:
        """The state in a sentence for the operator."""
        if self.approved is None:
            return "Nobody has approved this build."
        if not self.differs:
            return "This build is the one that was approved."
        more = f" and {len(self.differs) - 1:,} more" if len(self.differs) > 1 else ""
        return f"This build is not the one that was approved: {self.differs[0]}{more}."

    def closes(self, rulebook: str) -> str | None:
        """Say why a table that plays by a book must not be dealt at; None if it may."""
        for one in self.differs:
            name = one.file.rpartition("/")[2]
            is_book = one.file.startswith((_RULEBOOKS, f"{BOOKS}/")) and name.endswith(".toml")
            if not is_book or name == f"{rulebook}.toml":
                return f"this table is closed: {one} since the build was approved"
        return None

    def checked(self, node: str) -> BuildChecked:
        """Return what the journal says of it."""
        named = tuple(str(one) for one in self.differs[:NAMED_MAX])
        return BuildChecked(self.digest, self.approved or "", named, len(self.differs), node)

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON data."""
        return {
            "digest": self.digest,
            "approved": self.approved,
            "is_approved": self.approved is not None and not self.differs,
            "differs": [{"file": one.file, "what": one.what} for one in self.differs],
            "approvals_ignored": self.ignored,
            "checked_ms": self.time_ms,
            "says": self.says,
        }


class Build:
    """The files of this process."""

    def __init__(self, folders: Sequence[Path], package: Path = PACKAGE) -> None:
        self.folders, self.package = tuple(folders), package

    def files(self) -> dict[str, str]:
        """Return the SHA-256 of every installed file, and of every rulebook in other folders."""
        listed = _listed(self.folders, self.package)
        try:
            return {name: sha256(file.read_bytes()).hexdigest() for name, file in listed}
        except OSError as error:
            message = f"{error.filename} can't be read: {error.strerror}"
            raise UserError(message) from None

    def _compiled(self) -> Iterator[Difference]:
        """Yield the compiled files that Python would run in place of their sources."""
        for file in foreign(sorted(self.package.rglob("*.py"))):
            inside = file.is_relative_to(self.package)
            place = file.relative_to(self.package.parent).as_posix() if inside else str(file)
            yield Difference(place, "was compiled from another source")

    def compare(self, view: View, *, time_ms: int = 0) -> BuildState:
        """Compare the files with the build that the house approved last."""
        files = self.files()
        approved, ignored = approved_of(view)
        found = [*differences(approved.files, files), *self._compiled()] if approved else []
        digest = approved.digest if approved else None
        return BuildState(digest_of(files), digest, tuple(found), ignored, time_ms)
