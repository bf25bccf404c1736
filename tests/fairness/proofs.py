"""A second reading of openings, to compare with the program that players run."""

from collections.abc import Mapping
from typing import Any

from croupier.cards import DECK, Card
from croupier.fairness.commitment import DEPTH, SALT_BYTES, Commitment, Opening, hashed


def is_proven(commitment: Commitment, opening: Opening) -> bool:
    """Whether the committed deck has this card at this position."""
    position, card, salt, path = opening
    if not 0 <= position < len(DECK) or len(path) != DEPTH or len(salt) != 2 * SALT_BYTES:
        return False
    try:
        node = hashed("card", bytes([position]), str(card).encode(), bytes.fromhex(salt))
        for level, other in enumerate(map(bytes.fromhex, path)):
            pair = (other, node) if position >> level & 1 else (node, other)
            node = hashed("node", *pair)
    except ValueError:
        return False
    return node.hex() == commitment.root


def commitment_of(document: Mapping[str, Any]) -> Commitment:
    """Return the commitment of a document."""
    return Commitment(document["round"], document["rules"], document["root"])


def openings_of(document: Mapping[str, Any]) -> list[Opening]:
    """Return the openings of a document."""
    return [
        Opening(one["position"], Card(one["card"]), one["salt"], tuple(one["path"]))
        for one in document["opened"]
    ]
