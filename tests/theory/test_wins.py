"""Actual against theory: totals from the journal, against rounds added up one by one."""

import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from croupier.ledger.events import AwardProposed, AwardRejected, TableSet
from croupier.ledger.scribe import Scribe
from croupier.ledger.stores import open_postgres
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.odds.analysis import analyze
from croupier.rules.table_rules import TableRules
from croupier.theory import wins as rooms
from croupier.theory.pricing import StakedBet, Theory
from croupier.theory.show import wins_chart, wins_json
from croupier.theory.wins import MINUTE_MS, Series, Sums, Wins
from tests.cli.running import run
from tests.ledger.memory import Memory, journal
from tests.ledger.servers import new_database
from tests.ledger.tables import (
    JACKPOT,
    TIME,
    Dealer,
    Till,
    of_ledger,
    random_history,
    rules_of,
)
from tests.rules.books import CALIFORNIA, IDS, LET_IT_RIDE, MARYLAND
from tests.schemas.checking import faults
from tests.theory.playing import Felt

DAY_MS = 86_400_000
THEORY = Theory()
"""Kept for all tests of this file: what two seats share takes seconds to count."""


@pytest.fixture(scope="module")
def house() -> tuple[Memory, list[Felt]]:
    """Two tables with rounds of one to four seats and various bets, on three days."""
    memory, rng = Memory(), random.Random(1)
    three, ride = Felt(memory, "three", MARYLAND), Felt(memory, "ride", LET_IT_RIDE)
    for number in range(60):
        time_ms = TIME + number % 3 * DAY_MS
        antes = {s: rng.choice((500, 1_000, 2_500)) for s in range(1, rng.randrange(2, 6))}
        bets = {s: {"ante": a, "pair_plus": a} if s % 2 else {"ante": a} for s, a in antes.items()}
        three.play(bets, rng, time_ms=time_ms)
        ride.play({1: {"let_it_ride": rng.choice((1_000, 1_500))}}, rng, time_ms=time_ms)
    memory.finish()
    return memory, [three, ride]


class Unpriced(Theory):
    """A theory that prices nothing, for what doesn't depend on prices."""

    def priced(self, rules: TableRules, bet: StakedBet) -> str:
        return "not asked"


def read(memory: Memory, theory: Theory = THEORY) -> Wins:
    wins = Wins(rules_of, theory)
    wins.read(memory)
    return wins


def brute(felt: Felt, wager: str | None = None) -> tuple[int, int, Fraction]:
    """Add up handle, win and expected win in cents, from the rounds as they were played."""
    handle = win = 0
    expected = Fraction(0)
    for round in felt.rounds:
        for line in round.lines:
            if wager in (None, line.wager.rstrip("123").rstrip("_")):
                handle += line.stake if line.outcome != "withdrawn" else 0
                win -= line.net
        for box in round.boxes.values():
            placed = [n for n, w in felt.rules.wagers.items() if w.placed == "before the deal"]
            spots = {name: felt.rules.spots[name][0] for name in placed}
            bet = {
                n: Fraction(box.stakes[s].cents, 100) for n, s in spots.items() if s in box.stakes
            }
            for part in analyze(felt.rules, bet).returns:
                expected -= part.contribution * 100 if wager in (None, part.line) else 0
    return handle, win, expected


def test_tables_add_up(house: tuple[Memory, list[Felt]]) -> None:
    wins = read(house[0])
    for felt in house[1]:
        (row,) = [row for row in wins.rows("table") if row.name == felt.scribe.stream]
        assert row.sums == wins.house(row.name).sums
        assert (row.sums.handle, row.sums.win, row.sums.expected) == brute(felt)
        assert (row.sums.priced_handle, row.sums.priced_win) == (row.sums.handle, row.sums.win)
        assert row.tally is not None
        assert (row.tally.rounds, row.sums.hands) == (60, sum(len(r.boxes) for r in felt.rounds))


def test_wagers_add_up(house: tuple[Memory, list[Felt]]) -> None:
    wins = read(house[0])
    rows = {row.name: row for row in wins.rows("wager", table="three")}
    for wager in ("ante", "play", "pair_plus", "ante_bonus"):
        sums = rows[f"{MARYLAND}/{wager}"].sums
        assert (sums.handle, sums.win, sums.expected) == brute(house[1][0], wager), wager
        assert sums.variance > 0
    assert rows[f"{MARYLAND}/pair_plus"].label == "Pair Plus"
    assert sum(row.sums.win for row in rows.values()) == wins.house("three").sums.win


def test_days_add_up_and_the_chart_ends_where_they_do(house: tuple[Memory, list[Felt]]) -> None:
    wins = read(house[0])
    days = wins.rows("day")
    assert [row.name for row in days] == ["2023-11-14", "2023-11-15", "2023-11-16"]
    whole = wins.house().sums
    assert sum(row.sums.win for row in days) == whole.win
    assert sum(row.sums.expected for row in days) == whole.expected
    assert sum(row.sums.variance for row in days) == pytest.approx(whole.variance)
    last = wins.over_time().running()[-1][1]
    assert (last.win, last.expected) == (whole.win, whole.expected)
    chart = wins_chart(wins.over_time(), title="Actual against theory")
    assert chart and chart.count("<polyline") == 4 and "Days since" in chart


@pytest.mark.parametrize(("minutes", "unit"), [(1, "Minutes"), (119, "Minutes"), (121, "Hours")])
def test_the_time_of_a_chart_is_counted_in_units_that_fit(minutes: int, unit: str) -> None:
    series = Series()
    for at in (1, minutes):
        series.add(at * MINUTE_MS - 1, Sums())
    chart = wins_chart(series, title="Actual against theory")
    assert chart and f"{unit} since the first round" in chart


def test_bands_lie_around_the_expected_win(house: tuple[Memory, list[Felt]]) -> None:
    report = wins_json(read(house[0]))
    theory = report["all"]["theory"]
    expected, error = float(theory["expected"]), float(theory["standard_error"])
    for band in theory["bands"]:
        reach = band["errors"] * error
        assert float(band["low"]) == pytest.approx(expected - reach, abs=1e-3)
        assert float(band["high"]) == pytest.approx(expected + reach, abs=1e-3)
    assert theory["z"] == pytest.approx((float(theory["win"]) - expected) / error, abs=1e-3)


def test_reading_on_gives_the_same_as_reading_at_once(house: tuple[Memory, list[Felt]]) -> None:
    memory = house[0]
    wins, seen = Wins(rules_of, THEORY), Memory()
    for end in (0, 1, 70, 333, 10**6):
        seen.events = {stream: rows[:end] for stream, rows in memory.events.items()}
        wins.read(seen)
    for by in ("table", "wager", "day"):
        assert wins_json(wins, by)["rows"] and faults("wins", wins_json(wins, by)) == []
    assert wins_json(wins, "wager") == wins_json(read(memory), "wager")
    assert wins_json(wins, "day") == wins_json(read(memory), "day")


def test_reading_tells_how_far_it_is(house: tuple[Memory, list[Felt]]) -> None:
    wins, steps = Wins(rules_of, Unpriced()), list[int]()
    unread = wins.unread(house[0])
    wins.read(house[0], steps.append)
    assert len(steps) > 100
    assert sum(steps) == unread == sum(len(rows) for rows in house[0].events.values())
    assert wins.unread(house[0]) == 0


def test_only_what_is_new_is_read(house: tuple[Memory, list[Felt]]) -> None:
    wins = read(house[0])

    class Closed(Memory):
        def stream(self, stream: str, *, after: int = 0) -> Any:
            raise AssertionError("nothing is new")

    before = wins_json(wins)
    wins.read(Closed(house[0].events))
    assert wins_json(wins) == before


def test_play_by_the_best_strategy_is_about_as_expected() -> None:
    """The z of 60 tables of up to four seats: their squares come to about 60.

    Taken for independent, the hands of a round would come to half as much again.
    """
    rng, squares = random.Random(2), []
    for number in range(60):
        memory = Memory()
        felt = Felt(memory, f"t{number}", MARYLAND)
        for _ in range(12):
            felt.play({seat: {"ante": 1_000} for seat in range(1, 5)}, rng)
        z = read(memory).house().sums.z
        assert z is not None
        squares.append(z * z)
    assert 35 < sum(squares) < 90  # 99 % of a chi-square with 60 degrees of freedom.


# ---------------------------------------------------------------- what the theory leaves out


@pytest.mark.parametrize("book", IDS)
def test_wins_agree_with_the_accounts_at_every_event(book: str) -> None:
    """Random rounds, void and irregular ones and player-banked ones too, also while they last."""
    for seed in range(4):
        memory, scribe, wins = Memory(), Scribe(book, rules_of), Wins(rules_of, Unpriced())
        for happened in random_history(book, f"wins {seed}"):
            scribe = memory.put(scribe, happened)
            memory.finish()
            wins.read(memory)
            assert wins.unexplained_micros(memory) == 0, seed


def test_void_rounds_have_no_handle() -> None:
    found = 0
    for seed in range(20):
        memory = journal(MARYLAND, seed=f"void {seed}")
        whole = read(memory, Unpriced()).house()
        if whole.void:
            found += 1
            assert (whole.rounds, whole.sums.handle, whole.sums.win) == (0, 0, 0)
    assert found


def test_player_banked_rounds_win_fees_only() -> None:
    for seed in range(20):
        whole = read(journal(CALIFORNIA, seed=f"banked {seed}"), Unpriced()).house()
        if rooms.PLAYER_BANKED in whole.left_out and whole.fees:
            assert whole.sums.handle > 0
            assert (whole.sums.win, whole.sums.expected) == (0, Fraction(0))
            assert whole.sums.z is None
            return
    raise AssertionError("no round was banked by a player")


def test_rounds_by_an_unknown_book_count_without_a_theory(
    house: tuple[Memory, list[Felt]],
) -> None:
    def none(*_: object) -> Any:
        from croupier.errors import UserError

        raise UserError("there is no such book")

    wins = Wins(none, THEORY)
    wins.read(house[0])
    whole = wins.house()
    assert whole.sums.win == read(house[0]).house().sums.win
    assert {*whole.left_out} == {rooms.OTHER_BOOK}
    assert whole.sums.z is None


def test_a_metered_wager_is_expected_at_the_meter_of_its_round() -> None:
    memory, rng = Memory(), random.Random(3)
    selections = {"progressive": "A", "progressive_reset": 1000}
    felt = Felt(memory, "meter", MARYLAND, selections)
    felt.play({1: {"ante": 1_000, "progressive": 100}}, rng)
    memory.finish()
    (round,) = felt.rounds
    (shown,) = round.meters_before.values()
    rises = re.search(
        rb'"rises":\{"progressive":(\d+)\}', b"".join(r.data for r in memory.events["meter"])
    )
    assert rises
    at = Fraction(shown + int(rises[1]), 1_000_000)
    exact = analyze(felt.rules, {"ante": 10, "progressive": 1}, meters={"progressive": at})
    assert read(memory).house().sums.expected == -exact.expected_value * 100


def test_a_rejected_award_is_listed_apart() -> None:
    """The money of an award goes back to the meter; the round still counts it as won."""
    memory, scribe = Memory(), Scribe("t1", rules_of)
    rules = rules_of(MARYLAND, JACKPOT)
    award, why = "r/1/progressive", "a card was exposed"
    setting = TableSet(MARYLAND, JACKPOT, rules.digest, {}, validated_cents=1)
    rejected = AwardRejected(award, "t1/progressive", 5_000_000, 0, "ann", "bob", why)
    for event in (setting, AwardProposed(award, "reject", "ann", "s", why), rejected):
        scribe = memory.put(scribe, of_ledger(event))
    memory.finish()
    wins = read(memory, Unpriced())
    assert wins.unexplained_micros(memory) == 0
    assert wins_json(wins)["awards_rejected"] == "5.000000"


# ---------------------------------------------------------------- the command


def filled(store: Any) -> None:
    dealer = Dealer(Till(store, "t1"), seats=1)
    for number in range(1, 4):
        dealer.play(f"r{number}", f"round {number}")


def test_ledger_win(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    store = SqliteStore(file, make=True)
    filled(store)
    store.close()
    ran = run("ledger", "win", "--data", str(file))
    assert (ran.code, ran.err) == (0, "")
    head, row, whole = ran.out.splitlines()
    assert head.split() == ["table", "handle", "win", "priced", "expected", "±", "z"]
    assert row.split()[1:] == whole.split()[2:]
    chart = tmp_path / "win.svg"
    ran = run(
        "ledger", "win", "--data", str(file), "--json", "--by", "wager", "--chart", str(chart)
    )
    assert json.loads(ran.out)["agrees_with_accounts"] is True
    assert chart.read_text().startswith("<svg")
    ran = run("ledger", "win", "--data", str(file), "--table", "t2")
    assert (ran.code, ran.err) == (2, "croupier: --table: no round was played at a table 't2'\n")


def test_ledger_win_on_postgres(server: str) -> None:
    where = new_database(server)
    store = open_postgres(where, make=True)
    filled(store)
    store.close()
    ran = run("ledger", "win", "--database", where, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["all"]["rounds"], found["agrees_with_accounts"]) == (3, True)


def test_a_changed_figure_is_found(tmp_path: Path) -> None:
    """A payout that was changed in the journal no longer agrees with the accounts."""
    import apsw

    file = tmp_path / "ledger.db"
    store = SqliteStore(file, make=True)
    filled(store)
    store.close()
    with apsw.Connection(str(file)) as database:
        for (trigger,) in list(
            database.execute("SELECT name FROM sqlite_master WHERE type='trigger'")
        ):
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute(
            "UPDATE events SET data = CAST(replace(CAST(data AS TEXT), '\"returned\":0', "
            "'\"returned\":1') AS BLOB)"
        )
    ran = run("ledger", "win", "--data", str(file))
    assert ran.code == 1
    assert "the accounts of the house differ" in ran.out
