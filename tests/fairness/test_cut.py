"""The players' cut: its derivation, that it favours no order, and which events can follow."""

import hashlib
import os
from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from croupier.cards import DECK
from croupier.errors import Bug, ParseError, Refused
from croupier.fairness import checker, shuffle
from croupier.fairness.commitment import Commitment
from croupier.fairness.cut import (
    CONTRIBUTIONS_MAX,
    NO_CUT,
    PlayersCut,
    check_event,
    check_hash,
    check_value,
    contribution_hash,
    document_of,
    order_of,
    roll_of,
)
from croupier.fairness.events import (
    Contributed,
    CutEvent,
    DeckCommitted,
    DeckCut,
    Revealed,
    event_from,
)
from croupier.fairness.shuffle import permuted
from croupier.round.codec import to_plain
from tests.fairness.deals import committed, source
from tests.fairness.measures import Tally

COMMITMENT = committed().commitment
ANN, BOB = "ann's contribution, long enough to be one", "bob's contribution, long enough to be one"


def cut_by(*values: tuple[str, str | None], commitment: Commitment = COMMITMENT) -> PlayersCut:
    """A cut made by these players' contributions; None was withheld."""
    cut, round = NO_CUT, commitment.round
    secret = {
        player: value or f"{player} keeps this one all to themselves" for player, value in values
    }
    events: list[CutEvent] = [
        Contributed(round, player, contribution_hash(round, player, value))
        for player, value in secret.items()
    ]
    events += [Revealed(round, player, value) for player, value in values if value]
    for event in events:
        check_event(cut, event)
        cut = cut.after(event, commitment)
    return cut.after(DeckCut(round, cut.withheld), commitment)


# ---------------------------------------------------------------- the derivation


def framed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts)


def test_the_derivation_is_the_documented_one() -> None:
    # Written from docs/fairness.md, with plain hashlib.
    digest = bytes.fromhex(COMMITMENT.digest)
    parts = b"croupier cut 1", COMMITMENT.round.encode(), digest, ANN.encode(), BOB.encode()
    seed = hashlib.sha256(framed(*parts)).digest()
    stream = b"".join(
        hashlib.sha256(framed(b"croupier cut stream 1", seed, n.to_bytes(4, "big"))).digest()
        for n in range(20)
    )
    order, at = list(range(52)), 0
    for last in range(51, 0, -1):
        while stream[at] >= 256 - 256 % (last + 1):
            at += 1
        chosen = stream[at] % (last + 1)
        at += 1
        order[last], order[chosen] = order[chosen], order[last]
    assert order_of(COMMITMENT, [BOB, ANN]) == tuple(order)


def test_the_order_of_arrival_does_not_matter_and_everything_else_does() -> None:
    base = order_of(COMMITMENT, [ANN, BOB])
    other_round = committed(round="8").commitment
    other_deck = committed(bytes(32)).commitment
    assert order_of(COMMITMENT, [BOB, ANN]) == base
    others = [
        order_of(COMMITMENT, [ANN]),
        order_of(COMMITMENT, [ANN, BOB, BOB]),
        order_of(COMMITMENT, [ANN + BOB]),
        order_of(COMMITMENT, [ANN, BOB + "."]),
        order_of(other_round, [ANN, BOB]),
        order_of(other_deck, [ANN, BOB]),
    ]
    assert len({base, *others}) == 7


def test_without_contributions_the_deck_stays_as_it_is() -> None:
    assert order_of(COMMITMENT, []) == ()
    withheld = cut_by(("ann", None))
    assert (withheld.is_made, withheld.order, withheld.withheld) == (True, (), ("ann",))
    assert [NO_CUT.at(p) for p in range(52)] == [withheld.at(p) for p in range(52)] == [*range(52)]


# ---------------------------------------------------------------- no order is favoured


@pytest.mark.parametrize("cards", range(1, 7))
def test_every_series_of_draws_leads_to_its_own_permutation(
    cards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, "DECK", DECK[:cards])
    series = product(*(range(last + 1) for last in range(cards - 1, 0, -1)))
    found = Counter(permuted(source(bytes(one))) for one in series)
    assert found == Counter(permutations(range(cards)))


def test_an_operator_who_knows_all_but_one_contribution_knows_nothing() -> None:
    # The deck and two contributions are fixed; the third is a player's, from 128 bits.
    orders = [order_of(COMMITMENT, [ANN, BOB, os.urandom(16).hex()]) for _ in range(10_000)]
    tally = Tally()
    tally.add(np.array(orders, np.uint8))
    assert min(tally.p_values().values()) > 1e-6


def test_the_same_measures_find_a_cut_that_leaves_out_the_last_contribution() -> None:
    orders = [order_of(COMMITMENT, [ANN, BOB])] * 100
    orders += [order_of(COMMITMENT, [ANN, BOB, os.urandom(16).hex()]) for _ in range(9_900)]
    tally = Tally()
    tally.add(np.array(orders, np.uint8))
    assert min(tally.p_values().values()) < 1e-6


# ---------------------------------------------------------------- what can follow


def event_for(player: str, value: str) -> Contributed:
    return Contributed("7", player, contribution_hash("7", player, value))


def test_contributions_and_reveals_that_cannot_follow_are_refused() -> None:
    cut = NO_CUT.after(event_for("ann", ANN), COMMITMENT)
    copied = Contributed("7", "bob", event_for("ann", ANN).hash)
    both = cut.after(copied, COMMITMENT)
    revealed = both.after(Revealed("7", "ann", ANN), COMMITMENT)
    made = cut_by(("ann", ANN))
    cases: list[tuple[PlayersCut, CutEvent, str]] = [
        (cut, event_for("ann", BOB), "contributed"),
        (cut, Revealed("7", "bob", ANN), "not_contributed"),
        (cut, Revealed("7", "ann", BOB), "wrong_value"),
        (cut, Revealed("8", "ann", ANN), "wrong_value"),
        (revealed, Revealed("7", "ann", ANN), "revealed"),
        # A hash names its player: copied from another, it can never be opened.
        (revealed, Revealed("7", "bob", ANN), "wrong_value"),
        (made, Revealed("7", "ann", ANN), "cut_made"),
        (made, event_for("bob", BOB), "cut_made"),
        (made, DeckCut("7", ()), "cut_made"),
    ]
    for before, event, code in cases:
        with pytest.raises(Refused) as refused:
            check_event(before, event)
        assert refused.value.code == code


def test_a_round_takes_so_many_contributions() -> None:
    cut = NO_CUT
    for number in range(CONTRIBUTIONS_MAX):
        event = event_for(f"p{number}", ANN)
        check_event(cut, event)
        cut = cut.after(event, COMMITMENT)
    with pytest.raises(Refused, match="at most 32 contributions"):
        check_event(cut, event_for("late", ANN))


def test_a_cut_names_exactly_those_who_withheld() -> None:
    cut = NO_CUT.after(event_for("ann", ANN), COMMITMENT)
    check_event(cut, DeckCut("7", ("ann",)))
    for wrong in ((), ("bob",), ("ann", "bob")):
        with pytest.raises(Bug):
            check_event(cut, DeckCut("7", wrong))
    with pytest.raises(Bug):
        check_event(NO_CUT, DeckCut("7", ()))


@pytest.mark.parametrize("text", ["", "x" * 31, "x" * 129, "é" * 40, "a\n" * 20, "\x7f" * 40])
def test_a_contribution_has_a_strict_size(text: str) -> None:
    with pytest.raises(ParseError, match="32 to 128 printable"):
        check_value(text)
    check_value(" " * 32 + "~" * 96)


@pytest.mark.parametrize("text", ["", "ab" * 31, "ab" * 33, "AB" * 32, "xy" * 32, "ab" * 32 + "\n"])
def test_a_hash_has_a_strict_size(text: str) -> None:
    with pytest.raises(ParseError, match="64 lowercase"):
        check_hash(text)
    check_hash("ab" * 32)


def test_events_parse_what_they_print() -> None:
    events = [
        DeckCommitted("7", "ab" * 32, "cd" * 32, "ef" * 32),
        event_for("ann", ANN),
        Revealed("7", "ann", ANN),
        DeckCut("7", ("bob", "cat")),
    ]
    assert [event_from(to_plain(event)) for event in events] == events
    assert [type(event_from(to_plain(event))) for event in events] == [*map(type, events)]


# ---------------------------------------------------------------- the document


def document(cut: PlayersCut, positions: tuple[int, ...] = (0, 1, 2)) -> dict[str, Any]:
    return document_of(committed(), cut, positions)


def test_a_cut_opens_the_committed_positions_of_the_dealt_ones() -> None:
    cut = cut_by(("ann", ANN), ("bob", BOB), ("cat", None))
    given = document(cut)
    assert given["format"] == "croupier-deal-2"
    assert {one["position"] for one in given["opened"]} == {*cut.order[:3]}
    cards, words = checker.report(given, commitment=given["commitment"])
    assert cards is not None
    assert "\nContributions to the cut: 2 revealed, 1 withheld.\nProven: 3 of 52 cards." in words


def test_the_checker_derives_the_same_order() -> None:
    for values in ([ANN], [ANN, BOB], [os.urandom(16).hex() for _ in range(7)]):
        players = [(f"p{n}", value) for n, value in enumerate(values)]
        cut = cut_by(*players, ("idle", None))
        found = checker.cut(cut.to_plain(), b"7", bytes.fromhex(COMMITMENT.digest), {})
        assert tuple(found.values()) == cut.order


def test_a_player_checks_that_a_contribution_is_in_and_none_was_added() -> None:
    given = document(cut_by(("ann", ANN), ("bob", None)))
    roll = roll_of(one["hash"] for one in given["cut"])
    assert checker.report(given, contribution=ANN, roll=roll)[0] is not None
    words = checker.report(given, contribution=BOB)[1]
    assert words == "NOT PROVEN: your contribution is not in its cut."
    more = document(cut_by(("ann", ANN), ("bob", None), ("shill", "x" * 40)))
    words = checker.report(more, contribution=ANN, roll=roll)[1]
    assert words == "NOT PROVEN: its contributions are not those whose roll you noted."


def test_a_document_without_a_cut_is_what_it_always_was() -> None:
    assert document(NO_CUT) == committed().document([0, 1, 2])
    assert "cut" not in document(NO_CUT)
    assert document(NO_CUT)["format"] == "croupier-deal-1"


def tampered_value(cut: list[dict[str, Any]]) -> None:
    cut[0]["value"] += "!"


def tampered_player(cut: list[dict[str, Any]]) -> None:
    cut[0]["player"] = "bob"


def twice(cut: list[dict[str, Any]]) -> None:
    cut.append(cut[0])


def short(cut: list[dict[str, Any]]) -> None:
    cut[0]["value"] = "x"


def control(cut: list[dict[str, Any]]) -> None:
    cut[0]["player"] = "\x1b[2J"


def shape(cut: list[dict[str, Any]]) -> None:
    cut[0] = {"hash": 7}


@pytest.mark.parametrize("change", [tampered_value, tampered_player, twice, short, control, shape])
def test_a_tampered_cut_is_rejected(change: Any) -> None:
    given = document(cut_by(("ann", ANN), ("cat", None)))
    change(given["cut"])
    cards, words = checker.report(given)
    assert cards is None
    assert words.startswith("NOT PROVEN: ")
    assert "\x1b" not in words
