"""Checkpoints: the signed heads of all streams, to be kept apart from the journal.

With a checkpoint you can tell later whether anything before it was removed or rewritten. Keys sign
with Ed25519. Callers provide keys and times, and write the files.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from croupier.errors import ParseError
from croupier.ledger.journal import Head, canonical


class Checkpoint(NamedTuple):
    """The heads of all streams at one time, with the key that signed them and the signature."""

    number: int
    time_ms: int
    heads: Mapping[str, Head]
    key: bytes
    signature: bytes

    @property
    def body(self) -> bytes:
        """The bytes that are signed."""
        return canonical(_body(self)).encode()

    def __str__(self) -> str:
        return canonical({**_body(self), "signature": self.signature.hex()})


def _body(checkpoint: Checkpoint) -> dict[str, Any]:
    heads = {stream: [n, hash.hex()] for stream, (n, hash) in checkpoint.heads.items()}
    start = {"number": checkpoint.number, "time_ms": checkpoint.time_ms}
    return {**start, "heads": heads, "key": checkpoint.key.hex()}


def parse_checkpoint(text: str) -> Checkpoint:
    """Parse a checkpoint from its printed line."""
    try:
        data = json.loads(text)
        heads = {s: Head(int(n), bytes.fromhex(h)) for s, (n, h) in data["heads"].items()}
        signed = bytes.fromhex(data["key"]), bytes.fromhex(data["signature"])
        checkpoint = Checkpoint(data["number"], data["time_ms"], heads, *signed)
        same = str(checkpoint) == text.strip()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ParseError("is not a checkpoint", field="checkpoint") from None
    if not same:
        raise ParseError("is not written as a checkpoint is", field="checkpoint")
    return checkpoint


def parse_checkpoints(text: str) -> tuple[Checkpoint, ...]:
    """Parse checkpoints, one a line."""
    return tuple(parse_checkpoint(line) for line in text.splitlines() if line.strip())


def sign(secret: bytes, number: int, heads: Mapping[str, Head], *, time_ms: int) -> Checkpoint:
    """Return a checkpoint of these heads, signed with a secret key of 32 bytes."""
    draft = Checkpoint(number, time_ms, dict(heads), public_key(secret), b"")
    return draft._replace(signature=sign_text(secret, draft.body))


def public_key(secret: bytes) -> bytes:
    """Return the public key of a secret key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def change_of_keys(master: str, signing: str) -> bytes:
    """Return the bytes that the old signing key signs when a house changes its keys."""
    return b"croupier keys 1 " + canonical({"master": master, "signing": signing}).encode()


def sign_text(secret: bytes, text: bytes) -> bytes:
    """Sign bytes with a secret key; they begin with what they are."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).sign(text)


def is_signed(checkpoint: Checkpoint, key: bytes) -> bool:
    """Whether a checkpoint was signed with the secret key of a public key."""
    return checkpoint.key == key and is_text_signed(
        key, checkpoint.signature.hex(), checkpoint.body
    )


def is_text_signed(key: bytes, signature: str, signed: bytes) -> bool:
    """Whether bytes were signed, as these hex digits say, with the secret key of a public key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(bytes.fromhex(signature), signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def marks_of(checkpoints: Iterable[Checkpoint]) -> dict[str, list[Head]]:
    """Return the heads that checkpoints record for each stream."""
    marks: dict[str, list[Head]] = {}
    for checkpoint in checkpoints:
        for stream, head in checkpoint.heads.items():
            marks.setdefault(stream, []).append(head)
    return marks
