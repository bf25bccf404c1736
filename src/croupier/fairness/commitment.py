"""The commitment to a deck: a Merkle root over salted cards by position, and its openings.

The root, published before the first wager, fixes every card and reveals none. Single positions are
opened later, each with the hashes from its leaf up to the root. The others stay hidden behind
128-bit salts, which are derived from a secret of the round and stored nowhere.

Every hash is SHA-256 over length-prefixed parts, the first of which names what is hashed, so no two
different things hash the same bytes. `checker.py` repeats this independently.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from croupier.cards import DECK, Card, distinct
from croupier.errors import Bug, ParseError, quoted
from croupier.fairness.shuffle import Entropy, take

FORMAT = "croupier-deal-1"
DEPTH = 6
"""Levels of the tree: 64 leaves, the last 12 blank."""
SECRET_BYTES = 32
SALT_BYTES = 16

_ROUND = re.compile(r"[!-~]{1,100}")
_HASH = re.compile(r"[0-9a-f]{64}")


def hashed(kind: str, *parts: bytes) -> bytes:
    """Return the SHA-256 of a kind and its parts."""
    return hashlib.sha256(framed(kind, *parts)).digest()


def framed(kind: str, *parts: bytes) -> bytes:
    """Concatenate the parts, each preceded by its length in two bytes."""
    every = (f"croupier {kind} 1".encode(), *parts)
    return b"".join(len(part).to_bytes(2, "big") + part for part in every)


@dataclass(frozen=True, slots=True)
class Commitment:
    """What is public before the first wager: the round, its rules, and the root over its deck."""

    round: str
    rules: str
    """The digest of the table rules."""
    root: str

    def __post_init__(self) -> None:
        _check(_ROUND, self.round, "round")
        _check(_HASH, self.rules, "rules")
        _check(_HASH, self.root, "root")

    @property
    def digest(self) -> str:
        """The number for players to note: it binds the deck to the round and its rules."""
        parts = self.round.encode(), bytes.fromhex(self.rules), bytes.fromhex(self.root)
        return hashed("round", *parts).hex()

    def to_plain(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "round": self.round,
            "rules": self.rules,
            "root": self.root,
            "commitment": self.digest,
        }


class Opening(NamedTuple):
    """One opened position of a deck: its card, its salt, and the sibling hashes on its path."""

    position: int
    card: Card
    salt: str
    path: tuple[str, ...]

    def to_plain(self) -> dict[str, Any]:
        card, path = str(self.card), list(self.path)
        return {"position": self.position, "card": card, "salt": self.salt, "path": path}


@dataclass(frozen=True)
class Committed:
    """A committed deck with everything that opens it. It must not leave the process.

    `deck` is the order in which cards are dealt, after any cut.
    """

    round: str
    rules: str
    deck: tuple[Card, ...] = field(repr=False)
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(distinct(self.deck)) != len(DECK):
            raise Bug(f"a deck has {len(DECK)} cards, not {len(self.deck)}")
        if len(self.secret) != SECRET_BYTES:
            raise Bug(f"the secret of a round has {SECRET_BYTES} bytes")

    @cached_property
    def commitment(self) -> Commitment:
        """What is published before the first wager."""
        return Commitment(self.round, self.rules, self.levels[DEPTH][0].hex())

    def salt(self, position: int) -> str:
        self._check_position(position)
        message = framed("salt", self.round.encode(), bytes([position]))
        return hmac.digest(self.secret, message, "sha256")[:SALT_BYTES].hex()

    def opening(self, positions: Iterable[int]) -> tuple[Opening, ...]:
        """Return the proofs of these positions, which reveal nothing about the others."""
        return tuple(self._open(position) for position in sorted(set(positions)))

    def document(
        self, positions: Iterable[int], record: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the document to check the deal with, optionally with a record of the round."""
        opened = [opening.to_plain() for opening in self.opening(positions)]
        document = {**self.commitment.to_plain(), "opened": opened}
        return document if record is None else {**document, "record": dict(record)}

    def _open(self, position: int) -> Opening:
        self._check_position(position)
        path = tuple(self.levels[n][position >> n ^ 1].hex() for n in range(DEPTH))
        return Opening(position, self.deck[position], self.salt(position), path)

    def _check_position(self, position: int) -> None:
        if not 0 <= position < len(self.deck):
            raise Bug(f"a deck has no position {position}")

    @cached_property
    def levels(self) -> list[list[bytes]]:
        """The hashes from the leaves up to the root."""
        leaves = [_leaf(p, card, bytes.fromhex(self.salt(p))) for p, card in enumerate(self.deck)]
        levels = [leaves + [hashed("blank")] * (2**DEPTH - len(leaves))]
        while len(levels) <= DEPTH:
            below = levels[-1]
            pairs = zip(below[::2], below[1::2], strict=True)
            levels.append([hashed("node", left, right) for left, right in pairs])
        return levels


def commit(deck: tuple[Card, ...], entropy: Entropy, *, round: str, rules: str) -> Committed:
    """Commit to a deck for a round and the digest of its rules, with a new secret."""
    return Committed(round, rules, deck, take(entropy, SECRET_BYTES))


def _leaf(position: int, card: Card, salt: bytes) -> bytes:
    return hashed("card", bytes([position]), str(card).encode(), salt)


def _check(pattern: re.Pattern[str], value: object, name: str) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ParseError(f"{quoted(value)} is not written as it must be", field=name)
