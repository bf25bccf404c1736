"""Approved builds: lists of files with their digests, signed with the house's key, and compared."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from croupier.ledger.acts import BuildApproved, HouseAct, KeysSet, Register
from croupier.ledger.checkpoints import is_text_signed, sign_text
from croupier.ledger.journal import canonical

PREFIX = b"croupier build 1 "


class Difference(NamedTuple):
    """A file that isn't as it was approved."""

    file: str
    what: str

    def __str__(self) -> str:
        return f"{self.file} {self.what}"


def digest_of(files: Mapping[str, str]) -> str:
    """Return the digest of a list of files."""
    return sha256(canonical(dict(files)).encode()).hexdigest()


def approve(secret: bytes, files: Mapping[str, str], *, by: str = "") -> BuildApproved:
    """Approve files, by signing their digest with a secret key."""
    digest = digest_of(files)
    return BuildApproved(digest, dict(files), sign_text(secret, PREFIX + digest.encode()).hex(), by)


def is_approved(build: BuildApproved, key: bytes) -> bool:
    """Whether an approval is signed with the secret key of a public key, for these files."""
    whole = digest_of(build.files) == build.digest
    return whole and is_text_signed(key, build.signature, PREFIX + build.digest.encode())


def approvals(register: Register) -> Iterator[tuple[int, BuildApproved, bool]]:
    """Yield each approval, and whether it is signed with the key in force at its time."""
    for number, build in register.builds:
        yield number, build, is_approved(build, key_at(register, number))


def key_at(register: Register, number: int) -> bytes:
    """Return the house's public key that was in force before an act; empty if there is none."""
    keys = [keys for at, keys in register.keys if at < number]
    return bytes.fromhex(keys[-1].signing) if keys else b""


def approved_in(acts: Iterable[tuple[int, HouseAct]]) -> tuple[BuildApproved | None, int]:
    """Return the last approval that is signed by the house, and how many later ones aren't."""
    register = Register()
    for number, act in acts:
        if isinstance(act, KeysSet | BuildApproved):
            register.add(number, act)
    found, ignored = None, 0
    for _, build, is_sound in approvals(register):
        found, ignored = (build, 0) if is_sound else (found, ignored + 1)
    return found, ignored


def differences(approved: Mapping[str, str], found: Mapping[str, str]) -> list[Difference]:
    """Return the files that were changed, removed or added."""
    listed = []
    for file in sorted(approved.keys() | found.keys()):
        if file not in found:
            listed.append(Difference(file, "is missing"))
        elif file not in approved:
            listed.append(Difference(file, "was added"))
        elif approved[file] != found[file]:
            listed.append(Difference(file, "was changed"))
    return listed
