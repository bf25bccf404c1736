"""Names, password hashes and tokens, which need no database."""

import asyncio
import threading
from typing import Literal

import pytest
from argon2 import PasswordHasher

from croupier.errors import Refused
from croupier.server import names
from croupier.server.limits import TooMany
from croupier.server.onetime import OneTime
from croupier.server.passwords import THREADS, Passwords, hasher
from tests.server.doors import CHEAP

GOOD = "correct horse"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "A",
            "x" * 21,
            "x" * 1_000_000,
            "Ada\u202eevil",
            "Ada\u200bB",
            "Ada\x00",
            "Ada\x1b[31m",
        ),
        *("Аdа", "Αda", "A\u0301\u0302\u0303\u0304da", "<b>Ada</b>", "Ada\nBob", "Ada  B", "-Ada"),
        *("Ada.", "ﷺ", "Adaı", "Ada🂡", "Ada\u2028B", "Ada\tB", "Ada@B", "Ada=1", "ꓮda", "Ada×"),
        *("Operator", "0perator", "DEALER", "guest 12", "Guestling", "Pit Boss", "Hоuse"),
    ],
)
def test_names_that_could_deceive_are_refused(name: str) -> None:
    with pytest.raises(Refused) as refused:
        names.parse_new_name(name)
    assert refused.value.code == "bad_name"


@pytest.mark.parametrize(
    "name", ["Ada", "O'Neil", "Jean-Luc", "Łukasz", "Zoë", "J. R. Ewing", "99"]
)
def test_names_of_people_are_good(name: str) -> None:
    assert names.parse_new_name(f" {name} ") == name


def test_hashes_are_argon2id_of_19_mib() -> None:
    assert hasher().hash("x").startswith("$argon2id$v=19$m=19456,t=2,p=1$")


class Noting(PasswordHasher):
    """Notes what passwords are checked against."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.checked: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.checked.append(str(hash))
        return super().verify(hash, password)


def test_a_password_of_nobody_is_checked_against_a_hash_as_dear_as_any() -> None:
    noting = Noting()
    passwords = Passwords(made_by=noting)
    hashed = asyncio.run(passwords.hash(GOOD))
    right = [asyncio.run(passwords.matches(GOOD, each)) for each in (hashed, None)]
    assert right == [True, False]
    prices = {each.rsplit("$", 2)[0] for each in noting.checked}
    assert len(noting.checked) == 2 and len(prices) == 1
    assert [len(each) for each in noting.checked] == [len(hashed)] * 2
    passwords.close()


def test_hashes_wait_in_a_short_queue() -> None:
    passwords = Passwords(made_by=CHEAP, under_way_max=3)

    async def flood() -> list[object]:
        return await asyncio.gather(
            *(passwords.hash(f"password {number}") for number in range(40)), return_exceptions=True
        )

    enough = threading.Event()
    for _ in range(THREADS):  # Both threads are busy until the flood is over.
        passwords.pool.submit(enough.wait)

    async def flood_and_go_on() -> list[object]:
        going = asyncio.ensure_future(flood())
        while passwords.started == 0:
            await asyncio.sleep(0)
        enough.set()
        return await going

    codes = [error.code for error in asyncio.run(flood_and_go_on()) if isinstance(error, TooMany)]
    assert (codes, passwords.started) == (["busy"] * 37, 3)
    assert asyncio.run(passwords.hash(GOOD))
    passwords.close()


def test_only_so_many_tokens_are_out() -> None:
    tokens = OneTime(lasts_s=10, held_max=3)
    given = [tokens.give(word) for word in "abcde"]
    assert [tokens.take(token) for token in given] == [None, None, "c", "d", "e"]
