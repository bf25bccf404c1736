"""The seal: a deck and the secret of its salts, encrypted at rest while the round is open.

Each deal's key is derived (HKDF with SHA-256) from a master key kept outside the store, and
encrypts the deck (ChaCha20-Poly1305). The digest of the commitment, which binds round, rules and
root, goes into the key and the associated data, so a sealed deck opens only for its own round.
Nonces are 96 random bits, fresh for each seal and stored in it. A key seals one deck only, so
nonces can't collide, however many decks there are. A seal names its master key by the key's id.

Nothing here reads or writes a file. `parse_key` and `format_key` define the content of the master
key's file; the code that opens it must ensure that only its owner can read it (mode 0600).
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from croupier.cards import DECK, Card
from croupier.errors import Bug, ParseError, UserError
from croupier.fairness.commitment import SECRET_BYTES, Commitment, Committed, framed
from croupier.fairness.shuffle import Entropy, take

KEY_BYTES = 32
KEY_ID_BYTES = 16
NONCE_BYTES = 12
TAG_BYTES = 16
VERSION, OLD_VERSION = b"\x02", b"\x01"
"""Version 1 doesn't name the key that it is sealed with."""
CONTENT_BYTES = NONCE_BYTES + len(DECK) + SECRET_BYTES + TAG_BYTES
SEALED_BYTES = len(VERSION) + KEY_ID_BYTES + CONTENT_BYTES
REFUSAL = "can't be opened: it was changed, or is that of another round or another master key"

_KEY = re.compile(r"croupier-master-key-1 ([0-9a-f]{64})\n?")


class MissingKey(UserError):
    """Raised for a seal whose master key isn't here; with that key it would open."""


def new_key(entropy: Entropy) -> bytes:
    return take(entropy, KEY_BYTES)


def format_key(key: bytes) -> str:
    """Format a master key for its file, as `parse_key` reads it."""
    return f"croupier-master-key-1 {_checked(key).hex()}\n"


def parse_key(text: str) -> bytes:
    """Read a master key from its file's text; a refusal doesn't quote it."""
    found = _KEY.fullmatch(text)
    if found is None:
        raise ParseError("is not a master key of format 1", field="key")
    return bytes.fromhex(found[1])


def key_id(key: bytes) -> str:
    """Return an id that tells master keys apart and reveals nothing about them."""
    return _derived(key, framed("key id"))[:KEY_ID_BYTES].hex()


def seal(committed: Committed, key: bytes, entropy: Entropy) -> bytes:
    """Seal a deck and its secret under the master key, to store while the round is open."""
    nonce, bound = take(entropy, NONCE_BYTES), _bound(committed.commitment)
    content = bytes(committed.deck) + committed.secret
    encrypted: bytes = _cipher(key, bound).encrypt(nonce, content, bound)
    return VERSION + bytes.fromhex(key_id(key)) + nonce + encrypted


def unseal(sealed: bytes, key: bytes, commitment: Commitment, *older: bytes) -> Committed:
    """Return the committed deck, or refuse a seal that isn't its own.

    `older` are master keys that the house had before.
    """
    keys = [key, *older]
    if len(sealed) == SEALED_BYTES and sealed.startswith(VERSION):
        wanted = sealed[len(VERSION) : -CONTENT_BYTES].hex()
        keys = [key for key in keys if key_id(key) == wanted]
        if not keys:
            message = f"is sealed with the master key {wanted}, which isn't here"
            raise MissingKey(message, field="seal")
    elif len(sealed) != len(OLD_VERSION) + CONTENT_BYTES or not sealed.startswith(OLD_VERSION):
        raise UserError(REFUSAL, field="seal")
    content = _decrypted(sealed[-CONTENT_BYTES:], keys, _bound(commitment))
    deck = tuple(Card(index) for index in content[: len(DECK)])
    opened = Committed(commitment.round, commitment.rules, deck, content[len(DECK) :])
    if opened.commitment != commitment:
        raise Bug("what was sealed is not what was committed to")
    return opened


def _decrypted(sealed: bytes, keys: Sequence[bytes], bound: bytes) -> bytes:
    """Return what is sealed, by the first key that opens it."""
    from cryptography.exceptions import InvalidTag

    for key in keys:
        with suppress(InvalidTag):
            cipher = _cipher(key, bound)
            content: bytes = cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound)
            return content
    raise UserError(REFUSAL, field="seal")


def _cipher(key: bytes, bound: bytes) -> Any:
    """Return the cipher of a round, with its derived key."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(_derived(key, bound))


def _derived(key: bytes, info: bytes) -> bytes:
    """Derive a key from the master key for one purpose."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(_checked(key))


def _bound(commitment: Commitment) -> bytes:
    """Return the bytes that a seal is bound to, for its key and associated data."""
    return framed("seal", bytes.fromhex(commitment.digest))


def _checked(key: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise Bug(f"a master key has {KEY_BYTES} bytes, not {len(key)}")
    return key
