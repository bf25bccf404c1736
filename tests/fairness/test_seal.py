"""The seal: a stored deck opens with its key and for its round, and gives nothing away."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import DECK, Card
from croupier.errors import Bug, ParseError, UserError
from croupier.fairness.commitment import Commitment, Committed, commit
from croupier.fairness.seal import (
    REFUSAL,
    SEALED_BYTES,
    TAG_BYTES,
    format_key,
    key_id,
    new_key,
    parse_key,
    seal,
    unseal,
)
from croupier.fairness.shuffle import shuffled
from tests.fairness.deals import RULES, committed, source

KEY = bytes(range(100, 132))


def check_refused(sealed: bytes, key: bytes, commitment: Commitment) -> None:
    with pytest.raises(UserError) as caught:
        unseal(sealed, key, commitment)
    other_key = "seal: is sealed with the master key "
    assert str(caught.value) == f"seal: {REFUSAL}" or str(caught.value).startswith(other_key)


@given(st.permutations(DECK).map(tuple), st.binary(min_size=32, max_size=32))
def test_a_sealed_deck_comes_back_with_its_salts(deck: tuple[Card, ...], key: bytes) -> None:
    deal = commit(deck, os.urandom, round="t1-7", rules=RULES)
    again = unseal(seal(deal, key, os.urandom), key, deal.commitment)
    assert again == deal
    assert again.opening(range(52)) == deal.opening(range(52))


def test_any_flipped_bit_is_refused() -> None:
    deal = committed()
    sealed = int.from_bytes(seal(deal, KEY, os.urandom), "big")
    for bit in range(8 * SEALED_BYTES):
        check_refused((sealed ^ 1 << bit).to_bytes(SEALED_BYTES, "big"), KEY, deal.commitment)


@pytest.mark.parametrize("length", [0, 1, 12, 13, 29, SEALED_BYTES - 1, SEALED_BYTES + 1])
def test_a_seal_of_another_length_is_refused(length: int) -> None:
    deal = committed()
    sealed = seal(deal, KEY, os.urandom) + b"\0"
    check_refused(sealed[:length], KEY, deal.commitment)


def test_another_key_round_rules_or_deck_is_refused() -> None:
    deal = committed()
    sealed = seal(deal, KEY, os.urandom)
    root = deal.commitment.root
    check_refused(sealed, KEY[::-1], deal.commitment)
    check_refused(sealed, KEY, Commitment("8", RULES, root))
    check_refused(sealed, KEY, Commitment("7", "ac" * 32, root))
    check_refused(sealed, KEY, committed(bytes(32)).commitment)
    assert unseal(sealed, KEY, Commitment("7", RULES, root)) == deal


def test_the_same_deck_is_never_sealed_to_the_same_bytes() -> None:
    deal = committed()
    assert len({seal(deal, KEY, os.urandom) for _ in range(500)}) == 500


def test_a_sealed_deck_shows_neither_cards_nor_secret() -> None:
    # Twin decks seal to as many bytes, with no stretch of order or secret in them.
    for _ in range(200):
        deal = commit(shuffled(os.urandom), os.urandom, round="7", rules=RULES)
        sealed = seal(deal, KEY, os.urandom)
        content = bytes(deal.deck) + deal.secret
        assert len(sealed) == SEALED_BYTES
        assert [i for i in range(81) if content[i : i + 4] in sealed] == []


def test_two_rounds_have_different_keys() -> None:
    # With the same nonce the same content is encrypted to different bytes.
    one, other = (seal(committed(round=r), KEY, source(bytes(12))) for r in "78")
    assert one[29:-TAG_BYTES] != other[29:-TAG_BYTES]


def test_the_format_stays_as_it_is() -> None:
    # What was stored once must open for ever.
    stored = bytes.fromhex(
        "01000000000000000000000000a6d8a8e764a72f480cc4fa8113115eb26dad3350e50558f15a638e"
        "2269c5e4834fae1cf6d628c5684b3c62643eca45846c44548eacf3a87adf397f6d60cf2ac46cb227"
        "a164b365708f5c6d827e31ffd9cf2093de279ce0391a36678f8c12e9aeacab981e"
    )
    named = b"\x02" + bytes.fromhex(key_id(KEY)) + stored[1:]
    assert seal(committed(), KEY, source(bytes(12))) == named
    for one in (stored, named):
        assert unseal(one, KEY, committed().commitment) == committed()
        assert unseal(one, KEY[::-1], committed().commitment, KEY) == committed(), "an older key"


def test_a_deck_other_than_committed_to_is_a_bug() -> None:
    deal = committed()
    lie = Committed("7", RULES, DECK[::-1], deal.secret)
    vars(lie)["commitment"] = deal.commitment
    with pytest.raises(Bug, match="is not what was committed to"):
        unseal(seal(lie, KEY, os.urandom), KEY, deal.commitment)


@given(st.binary(min_size=32, max_size=32))
def test_a_key_reads_what_it_writes(key: bytes) -> None:
    assert parse_key(format_key(key)) == key


@pytest.mark.parametrize(
    "text", ["", "ab" * 32, "croupier-master-key-1 ab", f"croupier-master-key-1 {'AB' * 32}"]
)
def test_a_faulty_key_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_key(text)
    assert str(caught.value) == "key: is not a master key of format 1"


def test_keys_come_from_entropy_and_have_32_bytes() -> None:
    assert new_key(source(KEY)) == KEY
    for wrong in (b"", KEY[:31], KEY + b"\0"):
        with pytest.raises(Bug):
            seal(committed(), wrong, os.urandom)
