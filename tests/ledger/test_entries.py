"""Entries are double entry, and say the same as the settlement of the round."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import pytest

from croupier.cards import parse_cards
from croupier.errors import Bug, ParseError
from croupier.ledger import entries as entries_module
from croupier.ledger.accounts import Account, kind_of, parse_account
from croupier.ledger.entries import Entry, Move, Setting
from croupier.ledger.events import AwardValidated, moves_of
from croupier.money import micros, shown_cents
from croupier.round.commands import Bet, CloseBets, Deal, Open, TakeDown
from croupier.round.events import BetMade, Dealt, Event, Opened, SeatSettled, Shown
from croupier.round.file import Played
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.round.state import Line
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS
from tests.ledger.rounds import SETTING, events_of, played, random_file
from tests.ledger.sums import balances, entries_of, nets
from tests.round.games import game
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, book, each_book

RESET = micros(100_000)
SEEN = [(LET_IT_RIDE, 0), (LET_IT_RIDE, 13), (LET_IT_RIDE, 16)]
SEEN += [(CALIFORNIA, 0), (CALIFORNIA, 1), (CALIFORNIA, 2)]
"""Random rounds that have every reason for an entry between them."""
CODES = {
    *("staked", "taken back", "funds", "funds back", "fee", "fee back", "held", "held back"),
    *("rise", "rise back", "returned", "lost", "paid", "award", "reset", "rake"),
}


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(())


def faults(done: Played, entries: list[Entry]) -> list[str]:
    """What the entries of a round do not say as its settlement does."""
    totals, round = balances(entries), done.round
    won = nets(round)
    before = round.meters_before
    after = before if round.void else round.meters
    moved = {id: after[id] - before[id] for id in after}
    house = sum(m for a, m in totals.items() if kind_of(a) in ("house", "inventory", "fees"))
    return [
        *(["the sum is not zero"] if sum(totals.values()) else []),
        *(f"{p}: {net}" for p, net in won.items() if totals.get(Account(f"player:{p}"), 0) != net),
        *(f"{id}: {m}" for id, m in moved.items() if totals.get(SETTING.meter(id), 0) != m),
        *(f"{a} ends at {totals[a]}" for a in totals if is_emptied(a) and totals[a]),
        *(["house"] if house != -sum(won.values()) - sum(moved.values()) else []),
        *(["shown house"] if shown_house(done) != house - rest_of(before, after) else []),
        *overdrawn(entries),
        *(["an id comes twice"] if len({entry.id for entry in entries}) != len(entries) else []),
    ]


def overdrawn(entries: list[Entry]) -> Iterator[str]:
    """The accounts of the round that are below nothing after any of its events."""
    totals: dict[Account, int] = {}
    for event, of_event in groupby(entries, lambda entry: entry.id.rpartition("/")[0]):
        for account, amount in balances(of_event).items():
            totals[account] = totals.get(account, 0) + amount
        for account, amount in totals.items():
            if kind_of(account) in ("layout", "fees") and amount < 0:
                yield f"{event}: {account} stands at {amount}"


def is_emptied(account: Account) -> bool:
    return kind_of(account) in ("layout", "bank", "pending")


def shown_house(done: Played) -> int:
    """The house's result in the settlement, which counts meters in whole cents."""
    text = result_of(done)["house"].replace(".", "")
    return micros(int(text))


def rest_of(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """What meters hold of cents that are not whole, and did not hold before."""
    return -sum(
        (after[id] - micros(shown_cents(after[id])))
        - (before[id] - micros(shown_cents(before[id])))
        for id in after
    )


def check_rounds(settler: Settler, id: str, rounds: range) -> tuple[int, list[str]]:
    count, found = 0, []
    for number in rounds:
        done = played(settler, random_file(id, f"ledger {id} {number}"))
        if done is None:
            continue
        count += 1
        entries = list(entries_of(done.round.rules, SETTING, events_of(done, f"r{number}")))
        found += [f"round {number}: {fault}" for fault in faults(done, entries)]
    return count, found


@each_book
def test_entries_say_what_the_settlement_says(settler: Settler, id: str) -> None:
    count, found = check_rounds(settler, id, range(250))
    assert (count > 200, found) == (True, [])


@pytest.mark.long
@each_book
def test_entries_say_what_the_settlement_says_for_long(settler: Settler, id: str) -> None:
    count, found = check_rounds(settler, id, range(250, 10_250))
    assert (count > 9_000, found) == (True, [])


def test_random_rounds_have_every_reason_for_an_entry(settler: Settler) -> None:
    seen = set()
    for id, number in SEEN:
        done = played(settler, random_file(id, f"ledger {id} {number}"))
        assert done
        entries = entries_of(done.round.rules, SETTING, events_of(done, "r"))
        seen |= {entry.code for entry in entries}
    assert seen == CODES


# ---------------------------------------------------------------- teeth


@pytest.mark.parametrize("code", sorted(CODES))
def test_forgetting_any_reason_is_found(
    settler: Settler, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = entries_module.moves_of

    def some(*args: Any) -> Iterator[Move]:
        return (move for move in moves(*args) if move.code != code)

    monkeypatch.setattr(entries_module, "moves_of", some)
    found = [check_rounds(settler, id, range(number, number + 1))[1] for id, number in SEEN]
    assert any(found)


# ---------------------------------------------------------------- by hand


def test_a_round_by_hand() -> None:
    """Two bets, one changed and one taken down, then a choice: every move with its id."""
    events = (
        game(MARYLAND)
        .do(Open("r1"), Bet(1, "ada", "ante", 500), Bet(1, "ada", "ante", 1000))
        .do(Bet(1, "ada", "pair_plus", 500), TakeDown(1, "pair_plus"), CloseBets(), Deal())
        .choose("play")
    ).events
    found = list(entries_of(resolve(book(MARYLAND), {}), SETTING, events))
    ada, layout = "player:ada", "layout:r1"
    assert found == [
        ("r1/2/1", ada, layout, 5_000_000, "staked"),
        ("r1/3/1", ada, layout, 5_000_000, "staked"),
        ("r1/4/1", ada, layout, 5_000_000, "staked"),
        ("r1/5/1", layout, ada, 5_000_000, "taken back"),
        ("r1/8/1", ada, layout, 10_000_000, "staked"),
    ]


def meter_round(shown: int) -> tuple[TableRules, list[Event], SeatSettled]:
    """A round whose one seat wins all of a meter that shows so many micros, and how it ends."""
    rules = resolve(book(MARYLAND), {"progressive": "A", "progressive_reset": 1000})
    line = Line(1, "progressive", 100, "win", shown_cents(shown), 0, "")
    (meter,) = rules.meters
    after = RESET + shown % micros(1)
    settled = SeatSettled(1, (line,), 0, {meter: after} if after != shown else {})
    opened = Opened("r1", MARYLAND, rules.digest, {meter: shown})
    hand = [Shown(position, card) for position, card in enumerate(parse_cards("As Ks Qs"))]
    dealt = Dealt(tuple((card.position, SEATS, 1) for card in hand))
    return rules, [opened, BetMade(1, "ada", "progressive", 100), dealt, *hand], settled


@pytest.mark.parametrize("shown", [micros(345_678) + 99, RESET])
def test_a_meter_pays_and_is_reset_by_the_house(shown: int) -> None:
    """Even where it showed just what it is reset to, and so stands as before."""
    rules, events, settled = meter_round(shown)
    name = SETTING.meter(next(iter(rules.meters)))
    found = [tuple(entry) for entry in entries_of(rules, SETTING, [*events, settled])]
    assert found[-2:] == [
        ("r1/7/2", name, "player:ada", micros(shown_cents(shown)), "award"),
        ("r1/7/3", "house", name, RESET, "reset"),
    ]


def test_an_award_may_wait_for_a_floorperson() -> None:
    """The meter is reset at once, and the award lies apart until somebody has validated it."""
    rules, events, settled = meter_round(micros(345_678))
    events.append(settled)
    award, at = "r1/1/progressive", Setting("t1", {}, validated_cents=345_678)
    totals = balances(entries_of(rules, at, events))
    assert totals[Account(f"pending:{award}")] == micros(345_678)
    assert totals[Account("player:ada")] == -micros(100)
    validated = AwardValidated(award, "ada", micros(345_678), "floor")
    assert list(moves_of(validated)) == [
        (f"pending:{award}", "player:ada", micros(345_678), "validated")
    ]
    above = Setting("t1", {}, validated_cents=345_679)
    paid = balances(entries_of(rules, above, events))
    assert paid[Account("player:ada")] == micros(345_578)


def test_a_meter_that_moves_without_a_payment_is_a_bug() -> None:
    rules, events, settled = meter_round(micros(345_678))
    unpaid = settled._replace(lines=(settled.lines[0]._replace(paid=0, outcome="lose"),))
    with pytest.raises(Bug, match="a meter moved and nothing was paid"):
        list(entries_of(rules, SETTING, [*events, unpaid]))


def test_a_shared_meter_has_a_name_of_its_own() -> None:
    assert Setting("t1", {"a": "casino"}).meter("a") == "meter:casino"
    assert Setting("t1").meter("a") == "meter:t1/a"


@pytest.mark.parametrize("text", ["player:ada", "house", "cage", "meter:t1/a", "pending:r1/2/x:y"])
def test_an_account_reads_what_it_prints(text: str) -> None:
    assert parse_account(text) == text
    assert kind_of(parse_account(text)) == text.partition(":")[0]


@pytest.mark.parametrize(
    "text", ["", "player", "player:", "player: ", "house:x", "ada", "bank", "player:a\nb"]
)
def test_what_is_no_account_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_account(text)
