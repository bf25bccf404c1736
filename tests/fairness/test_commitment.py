"""The commitment: it opens to the cards that were committed to and to nothing else."""

import hashlib
import itertools
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import DECK, Card
from croupier.errors import Bug, ParseError
from croupier.fairness.commitment import (
    DEPTH,
    SALT_BYTES,
    Commitment,
    Committed,
    Opening,
    commit,
    framed,
    hashed,
)
from croupier.fairness.shuffle import shuffled
from tests.fairness.deals import RULES, committed, source
from tests.fairness.proofs import commitment_of, is_proven, openings_of

POSITIONS = st.integers(0, 51)
SECRETS = st.binary(min_size=32, max_size=32)
DECKS = st.permutations(DECK).map(tuple)
HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)


@given(DECKS, SECRETS)
def test_every_position_of_any_deck_is_proven(deck: tuple[Card, ...], secret: bytes) -> None:
    deal = Committed("7", RULES, deck, secret)
    opened = deal.opening(range(52))
    assert tuple(opening.card for opening in opened) == deck
    assert all(is_proven(deal.commitment, opening) for opening in opened)


@given(POSITIONS, st.data())
def test_a_changed_opening_is_rejected(position: int, data: st.DataObject) -> None:
    deal = committed()
    (honest,) = deal.opening([position])
    card = data.draw(st.sampled_from([card for card in DECK if card != honest.card]))
    other = data.draw(POSITIONS.filter(lambda p: p != position))
    salt = data.draw(st.binary(min_size=16, max_size=16).map(bytes.hex))
    level = data.draw(st.integers(0, DEPTH - 1))
    path = (*honest.path[:level], data.draw(HASHES), *honest.path[level + 1 :])
    swapped = data.draw(st.permutations(honest.path).filter(lambda p: tuple(p) != honest.path))
    tampered = [
        honest._replace(card=card),
        honest._replace(position=other),
        honest._replace(salt=salt),
        honest._replace(path=path),
        honest._replace(path=tuple(swapped)),
        honest._replace(path=honest.path[:-1]),
        honest._replace(path=(*honest.path, honest.path[-1])),
        honest._replace(position=position + 64),
        honest._replace(salt=""),
        honest._replace(salt="zz" * SALT_BYTES),
    ]
    assert is_proven(deal.commitment, honest)
    assert not any(is_proven(deal.commitment, opening) for opening in tampered)


@given(POSITIONS, HASHES)
def test_another_root_is_rejected(position: int, root: str) -> None:
    (honest,) = committed().opening([position])
    assert not is_proven(Commitment("7", RULES, root), honest)


@given(POSITIONS, st.integers(0, 255))
def test_a_flipped_bit_anywhere_is_rejected(position: int, bit: int) -> None:
    deal = committed()
    (honest,) = deal.opening([position])

    def flipped(text: str) -> str:
        number = int(text, 16) ^ 1 << bit % (4 * len(text))
        return f"{number:0{len(text)}x}"

    tampered = [honest._replace(salt=flipped(honest.salt))]
    for level, step in enumerate(honest.path):
        path = (*honest.path[:level], flipped(step), *honest.path[level + 1 :])
        tampered.append(honest._replace(path=path))
    assert not any(is_proven(deal.commitment, opening) for opening in tampered)
    root = Commitment("7", RULES, flipped(deal.commitment.root))
    assert not is_proven(root, honest)


def test_an_inner_node_cannot_pass_for_a_card() -> None:
    # Leaves, nodes and blanks say what they are, so none has the bytes of another.
    kinds = ["card", "node", "blank", "round", "salt", "seal"]
    parts = [(), (b"",), (b"", b""), (b"\x00\x00",), (b"a", b"b"), (b"ab",), (b"ab", b"")]
    texts = [framed(kind, *each) for kind in kinds for each in parts]
    assert len(set(texts)) == len(kinds) * len(parts)
    deal = committed()
    (first,) = deal.opening([0])
    above = hashed("node", bytes.fromhex(first.path[1]), bytes.fromhex(first.path[0]))
    assert not is_proven(deal.commitment, first._replace(path=(above.hex(), *first.path[1:])))


def test_the_commitment_binds_round_rules_and_root() -> None:
    base = Commitment("7", RULES, "cd" * 32)
    others = [
        Commitment("8", RULES, "cd" * 32),
        Commitment("7", "ac" * 32, "cd" * 32),
        Commitment("7", RULES, "ce" * 32),
    ]
    assert base.digest not in {other.digest for other in others}
    assert len({other.digest for other in others}) == 3


def test_rounds_of_the_same_deck_and_secret_have_nothing_in_common() -> None:
    one, other = committed(round="7"), committed(round="8")
    assert {one.salt(p) for p in range(52)}.isdisjoint({other.salt(p) for p in range(52)})
    assert one.commitment.root != other.commitment.root


def test_salts_have_128_bits_and_are_all_different() -> None:
    deals = [commit(DECK, os.urandom, round="7", rules=RULES) for _ in range(50)]
    salts = {deal.salt(position) for deal in deals for position in range(52)}
    assert len(salts) == 50 * 52
    assert {len(bytes.fromhex(salt)) for salt in salts} == {SALT_BYTES} == {16}


@given(DECKS, st.sets(POSITIONS, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_twin_decks_differ_in_hashes_alone(
    deck: tuple[Card, ...], opened: set[int], random: object
) -> None:
    hidden = [position for position in range(52) if position not in opened]
    cards = [deck[position] for position in hidden]
    random.shuffle(cards)  # type: ignore[attr-defined]
    twin = list(deck)
    for position, card in zip(hidden, cards, strict=True):
        twin[position] = card
    documents = [
        Committed("7", RULES, tuple(each), bytes(32)).document(opened) for each in (deck, twin)
    ]
    for document in documents:
        for key in ("root", "commitment"):
            del document[key]
        for opening in document["opened"]:
            opening["path"] = [len(step) for step in opening["path"]]
    assert documents[0] == documents[1]


def test_what_is_opened_does_not_help_to_guess_the_rest() -> None:
    # With 51 cards you know the last one; with 50 you would have to know a salt. No hash of
    # the document is that of a card at a hidden position with a salt that you have seen, or none.
    deal = commit(shuffled(os.urandom), os.urandom, round="7", rules=RULES)
    hidden = {10, 11}
    opened = deal.opening(set(range(52)) - hidden)
    given = {bytes.fromhex(step) for opening in opened for step in opening.path}
    salts = [b"", bytes(16), *(bytes.fromhex(opening.salt) for opening in opened)]
    guesses = {
        hashed("card", bytes([position]), str(deal.deck[card]).encode(), salt)
        for position, card, salt in itertools.product(hidden, hidden, salts)
    }
    assert guesses.isdisjoint(given)
    text = json.dumps([opening.to_plain() for opening in opened])
    secret = [deal.secret.hex(), *(deal.salt(position) for position in hidden)]
    assert [word for word in secret if word in text] == []


def test_a_committed_deck_does_not_print_what_is_hidden() -> None:
    deal = committed()
    assert repr(deal) == f"Committed(round='7', rules='{RULES}')"
    assert deal.secret.hex() not in repr(deal.commitment)


def test_the_definition_stays_as_it_is() -> None:
    # A document that was given out once must be checkable for ever.
    (opening,) = committed().opening([51])
    leaf = b"\x00\x0fcroupier card 1\x00\x01\x33\x00\x02Ac\x00\x10" + bytes.fromhex(opening.salt)
    blank = hashlib.sha256(b"\x00\x10croupier blank 1").digest()
    node = b"\x00\x0fcroupier node 1"
    two = hashlib.sha256(node + b"\x00\x20" + blank + b"\x00\x20" + blank).digest()
    four = hashlib.sha256(node + b"\x00\x20" + two + b"\x00\x20" + two).digest()
    assert hashed("card", b"\x33", b"Ac", bytes.fromhex(opening.salt)) == (
        hashlib.sha256(leaf).digest()
    )
    assert opening.path[2] == four.hex()
    assert opening.salt == "34fdd447603c75bfaf72a40e1a7bb768"
    assert (
        committed().commitment.root
        == "a6279d9f7483a86aabdb4d5d0f018c23a8ec490ecaeeadf1815ca60acde48d8d"
    )
    assert (
        committed().commitment.digest
        == "6ae4b3c014bbf71ab531b16703dd79bc3874243e0613cb15aca4c923db84b05c"
    )


def test_a_document_tells_its_commitment_and_openings() -> None:
    deal = committed()
    plain = json.loads(json.dumps(deal.document(range(52))))
    assert commitment_of(plain) == deal.commitment
    assert openings_of(plain) == [*deal.opening(range(52))]


@pytest.mark.parametrize(
    "change",
    [{"round": ""}, {"round": "a b"}, {"round": 7}, {"rules": "AB" * 32}, {"root": "ab"}],
    ids=str,
)
def test_a_faulty_commitment_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ParseError):
        commitment_of({**committed().commitment.to_plain(), **change})


def test_only_whole_decks_and_secrets_are_committed_to() -> None:
    with pytest.raises(Bug):
        Committed("7", RULES, DECK[:51], bytes(32))
    with pytest.raises(ParseError, match="appears twice"):
        Committed("7", RULES, (*DECK[:51], DECK[0]), bytes(32))
    with pytest.raises(Bug):
        commit(DECK, source(bytes(31)), round="7", rules=RULES)
    for position in (-1, 52):
        with pytest.raises(Bug):
            committed().opening([position])


def test_openings_are_in_order_and_each_comes_once() -> None:
    opened = committed().opening([5, 1, 5])
    assert [opening.position for opening in opened] == [1, 5]
    assert all(isinstance(opening, Opening) for opening in opened)
