"""A copy of a house's keys in a file, wrapped with a passphrase.

The passphrase becomes a key by argon2id, which seals the keys with ChaCha20-Poly1305. The file says
which ledger it is for, by the ids of the keys in force, and reveals nothing else.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from croupier.errors import ParseError, UserError
from croupier.ledger.journal import canonical

FORMAT = "croupier-keys-1"
PASSPHRASE_CHARS_MIN = 12
MEMORY_KIB, PASSES = 64 * 1024, 3
MEMORY_KIB_MAX, PASSES_MAX = 1024 * 1024, 20
SALT_BYTES, NONCE_BYTES, KEY_BYTES = 16, 12, 32


def wrap(keys: Mapping[str, bytes], ids: Mapping[str, str], passphrase: str) -> str:
    """Return the text of a file with keys by the names of their files."""
    if len(passphrase) < PASSPHRASE_CHARS_MIN:
        message = f"must have at least {PASSPHRASE_CHARS_MIN} characters"
        raise UserError(message, field="passphrase")
    head = {
        "format": FORMAT,
        "ledger": dict(ids),
        "argon2id": {
            "memory_kib": MEMORY_KIB,
            "passes": PASSES,
            "salt": os.urandom(SALT_BYTES).hex(),
        },
        "nonce": os.urandom(NONCE_BYTES).hex(),
    }
    content = canonical({name: key.hex() for name, key in keys.items()}).encode()
    sealed = _cipher(head, passphrase).encrypt(
        bytes.fromhex(str(head["nonce"])), content, canonical(head).encode()
    )
    return f"{canonical({**head, 'sealed': sealed.hex()})}\n"


def unwrap(text: str, passphrase: str) -> dict[str, bytes]:
    """Return the keys of a file by the names of their files."""
    from cryptography.exceptions import InvalidTag

    try:
        data = json.loads(text)
        sealed = bytes.fromhex(data.pop("sealed"))
        if data["format"] != FORMAT:
            raise ValueError("another format")
        nonce = bytes.fromhex(data["nonce"])
        cipher = _cipher(data, passphrase)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ParseError("is not a copy of a house's keys", field="FILE") from None
    try:
        content = cipher.decrypt(nonce, sealed, canonical(data).encode())
    except InvalidTag:
        message = "can't be opened: the passphrase is wrong, or the file was changed"
        raise UserError(message, field="FILE") from None
    return {name: bytes.fromhex(key) for name, key in json.loads(content).items()}


def _cipher(head: Mapping[str, Any], passphrase: str) -> Any:
    from argon2.low_level import Type, hash_secret_raw
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    costs = head["argon2id"]
    memory_kib, passes = int(costs["memory_kib"]), int(costs["passes"])
    if not (8 <= memory_kib <= MEMORY_KIB_MAX and 1 <= passes <= PASSES_MAX):
        raise ValueError("the costs are out of bounds")
    key = hash_secret_raw(
        passphrase.encode(),
        bytes.fromhex(costs["salt"]),
        time_cost=passes,
        memory_cost=memory_kib,
        parallelism=1,
        hash_len=KEY_BYTES,
        type=Type.ID,
    )
    return ChaCha20Poly1305(key)
