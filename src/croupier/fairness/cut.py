"""The players' cut: contributions of players that permute a deck after bets have closed.

The deck is committed to before the first wager. While bets are open, players commit to
contributions by their hashes; after "no more bets" they reveal them, and the revealed ones permute
the committed positions. So nobody knew the deal when bets closed, unless every contributor is in
on it. `checker.py` repeats the derivation independently.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, assert_never

from croupier.cards import Card
from croupier.errors import Bug, ParseError, Refused
from croupier.fairness.commitment import Commitment, Committed, hashed
from croupier.fairness.events import Contributed, CutEvent, DeckCut, Revealed
from croupier.fairness.shuffle import Entropy, permuted

FORMAT = "croupier-deal-2"
"""The format of a document with a cut; one without keeps the first format."""
CONTRIBUTIONS_MAX = 32
"""More than all seats of any table, because players come and go while bets are open."""
COUNTER_BYTES = 4

_HASH = re.compile(r"[0-9a-f]{64}")
_VALUE = re.compile(r"[ -~]{32,128}")


class Contribution(NamedTuple):
    """One player's contribution: its hash, and its value once it was revealed."""

    player: str
    hash: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class PlayersCut:
    """The contributions to a round, in the order of their arrival."""

    contributions: tuple[Contribution, ...] = ()
    is_made: bool = False
    order: tuple[int, ...] = ()
    """The committed position of each dealt position; empty where the deck stays as it is."""

    @property
    def values(self) -> tuple[str, ...]:
        """The contributions that were revealed."""
        return tuple(one.value for one in self.contributions if one.value is not None)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The players who haven't revealed theirs."""
        return tuple(one.player for one in self.contributions if one.value is None)

    def of(self, player: str) -> Contribution | None:
        """Return a player's contribution."""
        return next((one for one in self.contributions if one.player == player), None)

    def at(self, position: int) -> int:
        """Return where a dealt position lies in the committed deck."""
        return self.order[position] if self.order else position

    def dealt(self, deck: Sequence[Card]) -> dict[int, Card]:
        """Return the cards of a committed deck by the positions that they are dealt from."""
        return {position: deck[self.at(position)] for position in range(len(deck))}

    def after(self, event: CutEvent, commitment: Commitment) -> "PlayersCut":
        """Return the cut after an event."""
        match event:
            case Contributed():
                new = Contribution(event.player, event.hash)
                return replace(self, contributions=(*self.contributions, new))
            case Revealed(_, player, value):
                revealed = (
                    one._replace(value=value) if one.player == player else one
                    for one in self.contributions
                )
                return replace(self, contributions=tuple(revealed))
            case DeckCut():
                return replace(self, is_made=True, order=order_of(commitment, self.values))
            case _:
                assert_never(event)

    def to_plain(self) -> list[dict[str, Any]]:
        return [one._asdict() for one in self.contributions]


NO_CUT = PlayersCut()


def check_event(cut: PlayersCut, event: CutEvent) -> None:
    """Refuse an event that can't come next, however far the round is."""
    if cut.is_made:
        raise Refused("cut_made", "the deck has been cut, and the cards are dealt")
    match event:
        case Contributed(_, player, _):
            if cut.of(player):
                message = "you have contributed to this round's cut already"
                raise Refused("contributed", message, field="hash")
            if len(cut.contributions) >= CONTRIBUTIONS_MAX:
                message = f"a round takes at most {CONTRIBUTIONS_MAX} contributions"
                raise Refused("cut_full", message, field="hash")
        case Revealed(round, player, value):
            mine = cut.of(player)
            if mine is None:
                message = "you haven't contributed to this round's cut"
                raise Refused("not_contributed", message, field="value")
            if mine.value is not None:
                raise Refused("revealed", "your contribution is revealed already", field="value")
            if contribution_hash(round, player, value) != mine.hash:
                message = "this isn't the contribution whose hash you sent"
                raise Refused("wrong_value", message, field="value")
        case DeckCut(_, withheld):
            if not cut.contributions or withheld != cut.withheld:
                raise Bug("a deck was cut by other contributions than there are")
        case _:
            assert_never(event)


def check_hash(text: str) -> None:
    """Refuse a text that isn't the hash of a contribution."""
    if not _HASH.fullmatch(text):
        raise ParseError("must be 64 lowercase hexadecimal digits", field="hash")


def check_value(text: str) -> None:
    """Refuse a text that can't be a contribution."""
    if not _VALUE.fullmatch(text):
        raise ParseError("must be 32 to 128 printable ASCII characters", field="value")


def contribution_hash(round: str, player: str, value: str) -> str:
    """Return the hash that a player sends before revealing a contribution.

    It names the round and the player, so nobody can reuse a hash that somebody else sent.
    """
    return hashed("contribution", round.encode(), player.encode(), value.encode()).hex()


def roll_of(hashes: Iterable[str]) -> str:
    """Return one number for all hashes: a player who notes it can tell if one was added."""
    return hashed("roll", *sorted(map(bytes.fromhex, hashes))).hex()


def order_of(commitment: Commitment, values: Iterable[str]) -> tuple[int, ...]:
    """Return the permutation that contributions make; empty without any, whatever their order."""
    sorted_ = sorted(value.encode() for value in values)
    if not sorted_:
        return ()
    digest = bytes.fromhex(commitment.digest)
    return permuted(_stream(hashed("cut", commitment.round.encode(), digest, *sorted_)))


def _stream(key: bytes) -> Entropy:
    """Return a source of bytes derived from a key: hashes of it with a counter, end to end."""
    held, count = b"", 0

    def take(wanted: int) -> bytes:
        nonlocal held, count
        while len(held) < wanted:
            held += hashed("cut stream", key, count.to_bytes(COUNTER_BYTES, "big"))
            count += 1
        taken, held = held[:wanted], held[wanted:]
        return taken

    return take


def document_of(
    committed: Committed,
    cut: PlayersCut,
    positions: Iterable[int],
    record: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the document to check a deal with, for these dealt positions."""
    document = committed.document([cut.at(position) for position in positions], record)
    if not cut.is_made:
        return document
    return {**document, "format": FORMAT, "cut": cut.to_plain()}
