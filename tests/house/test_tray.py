"""The chip tray of a served table: what moves is in the ledger, and a shift adds up."""

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, parse_cards
from croupier.errors import UserError
from croupier.house.awards import Acting, validated
from croupier.house.standing import Standing
from croupier.ledger.accounts import parse_account
from croupier.ledger.audit import Auditor
from croupier.ledger.awards import Award
from croupier.ledger.chips import TrayShift, WrongTray, chips_moves, shifts_in
from croupier.ledger.events import moves_of
from croupier.ledger.journal import decode
from croupier.money import micros
from croupier.round.awards import open_awards
from croupier.round.codec import to_plain
from croupier.round.commands import Validate
from croupier.round.record import rounds_of
from croupier.round.state import FoundAward
from croupier.rules.words import dollars
from croupier.table import commands as at_table
from croupier.table.codec import event_from
from croupier.table.life import sign_code
from tests.cli.running import run
from tests.house.felt import FELT, one_round, seat_walk_ins, step
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.shifts import EQUIPMENT, Shift
from tests.house.staff import Shoe, Staff, crew, real, refusal, until
from tests.rules.books import MARYLAND
from tests.schemas.checking import faults

OVER = 5_00
"""By how much both people count too much at the end."""


async def move(dealer: Staff, floor: Staff, why: str, cents: int) -> None:
    command = {"type": "MoveChips", "why": why, "cents": cents}
    if why == "sale":
        await dealer.do(command, "table")
        return
    await floor.say("propose", of="table", command=command, why=why)
    proposals = (await dealer.look())["proposals"]
    await dealer.say("approve", proposal=proposals[0]["id"])


def test_the_tables_own_dealer_approves_a_fill(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, floor = await crew(pit)
        clerk, other = Staff(pit, "d2", "dealer"), Staff(pit, "d3", "dealer")
        await clerk.say("tap_in", post="clerk")
        for staff in (dealer, floor):
            count = {"type": "CountTray", "by": "dealer", "cents": 1_000_00}
            await staff.do(count, "table")
        command = {"type": "MoveChips", "why": "fill", "cents": 500_00}
        await floor.say("propose", of="table", command=command, why="fill")
        for wrong in (clerk, other):
            assert (await refusal(wrong.say("approve", proposal="1"))).code == "wrong_person"
        await dealer.say("approve", proposal="1")
        relief = Staff(pit, "d4", "dealer")
        await relief.say("tap_in", post="clerk")
        await clerk.say("approve", proposal="2")
        assert pit.tables["t"].place.standing.table.crew.clerk == "d4"

    play(tmp_path, real(MARYLAND, FELT), scenario)


async def close(pit: OpenPit, dealer: Staff, floor: Staff) -> None:
    """Close the table; both count what the journal says, and a little more."""
    table = pit.tables["t"]
    await dealer.do({"type": "CloseTable"}, "table")
    while (step := (await dealer.look())["next"])["command"]["type"] != "CountTray":
        await dealer.do(step["command"], step["of"])
    expected = table.place.standing.table.tray.expected
    assert expected is not None
    for staff in (dealer, floor):
        command = {"type": "CountTray", "by": "dealer", "cents": expected + OVER}
        await staff.do(command, "table")
    assert table.place.standing.table.life == "closed"


async def shift(pit: OpenPit) -> None:
    """Work a shift: two rounds of two walk-ins beside a screen, and chips that move."""
    players, shoe = await seated(pit, 1), Shoe(11)
    await players[0].look()
    dealer, floor = staff = await crew(pit)
    await seat_walk_ins(dealer, 2, 3)
    await one_round(pit, players, staff, shoe)
    await move(dealer, floor, "fill", 700_00)
    await move(dealer, floor, "sale", 300_00)
    mispay = {"type": "Mispay", "seat": 2, "wager": "ante", "paid": 35_00}
    await dealer.do(mispay, "table")
    await one_round(pit, players, staff, shoe)
    await move(dealer, floor, "credit", 100_00)
    await move(dealer, floor, "drop", 250_00)
    await close(pit, dealer, floor)


def test_a_shift_adds_up_from_the_journal_and_the_accounts_balance(tmp_path: Path) -> None:
    found: list[TrayShift] = []

    async def scenario(pit: OpenPit) -> None:
        await shift(pit)
        balances = await pit.books.read(lambda view: view.balances())
        wrong = pit.tables["t"].place.standing.table.mispaid[0]
        assert balances[parse_account("drop:t")] == micros(300_00 - 250_00)
        handed = wrong.paid - wrong.due
        lent = micros(700_00 - 300_00 - 100_00 - handed)
        assert balances[parse_account("tray:t")] == lent
        assert sum(balances.values()) == 0
        found.extend(await pit.books.read(lambda view: [*shifts_in(view.stream("t"))]))
        (one,) = found
        assert (one.fills, one.credits, one.drop) == (700_00, 100_00, 300_00)
        assert one.handed == handed != 0 and one.won != 0
        # Walk-ins' losses went to the table, the player's on the screen as well.
        walked = sum(m for a, m in balances.items() if a.startswith("walkin:"))
        assert walked == micros(handed) - micros(one.won)
        assert one.difference == OVER

    play(tmp_path, real(MARYLAND, FELT), scenario)
    ran = run("ledger", "shifts", "--data", str(tmp_path / "ledger.db"), "--json")
    assert faults("ledger-shifts", ran.data) == []
    (told,) = ran.data
    assert (told["fills"], told["drop"], told["difference"]) == ("700.00", "300.00", "5.00")
    ran = run("ledger", "shifts", "--data", str(tmp_path / "ledger.db"))
    assert "win by count" in ran.out and "5.00" in ran.out


def test_chips_that_come_between_the_count_and_the_opening_are_of_the_shift(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, floor = await crew(pit)
        for staff in (dealer, floor):
            await staff.do({"type": "CountTray", "by": "dealer", "cents": 50_000_00}, "table")
        await move(dealer, floor, "fill", 700_00)
        sign = sign_code(pit.tables["t"].config.rules)
        await floor.do({"type": "OpenTable", "sign": sign}, "table")
        await close(pit, dealer, floor)
        (one,) = await pit.books.read(lambda view: [*shifts_in(view.stream("t"))])
        assert (one.opening, one.fills, one.difference) == (50_000_00, 700_00, OVER)

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_nobody_tries_figures_until_one_fits_the_count_of_the_other(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, floor = await crew(pit)
        await dealer.do({"type": "CountTray", "by": "dealer", "cents": 123_45}, "table")
        seen: list[str] = []
        while floor.viewer.waiting:
            seen += await floor.viewer.frames()
        assert seen and not any(one in text for text in seen for one in ("12345", "123.45"))
        for cents in (123_00, 123_45):
            command = {"type": "CountTray", "by": "floorperson", "cents": cents}
            why = await refusal(floor.say("preview", of="table", command=command))
            assert (why.code, why.message) == ("not_allowed", "nobody is told the other's figure")
        await floor.do({"type": "CountTray", "by": "floorperson", "cents": 123_45}, "table")
        assert pit.tables["t"].place.standing.table.tray.agreed == 123_45

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_verify_finds_a_tray_that_was_told_another_sum(tmp_path: Path) -> None:
    records: list[Any] = []

    async def scenario(pit: OpenPit) -> None:
        await shift(pit)
        rows = await pit.books.read(lambda view: [*view.stream("t")])
        records.extend(decode(row.data) for row in rows)

    play(tmp_path, real(MARYLAND, FELT), scenario)
    auditor, refused = Auditor("t", rules_of), set()
    for record in records:
        for field in ("expected", "chips"):
            if record.event.get(field):
                wrong = {**record.event, field: record.event[field] + 1}
                with pytest.raises(WrongTray):
                    copy(auditor).entries(record._replace(event=wrong))
                refused.add(record.event["type"])
        auditor.entries(record)
    assert refused == {"TrayAgreed", "RoundEnded"}
    counted = next(record for record in records if record.event["type"] == "TrayCounted")
    wrong = {**counted.event, "cents": 7_00, "chips": {"500": 1}}
    with pytest.raises(WrongTray, match="the chips come to 500 cents, not 700"):
        auditor.entries(counted._replace(event=wrong))


def test_older_events_of_chips_have_no_entries() -> None:
    plain = {"type": "ChipsMoved", "why": "fill", "cents": 100}
    assert [*chips_moves("t", event_from(plain))] == []
    (moved,) = chips_moves("t", event_from({**plain, "posted": True}))
    assert moved.code == "fill"


def waiting(standing: Standing) -> tuple[FoundAward, ...]:
    return open_awards(standing.in_play) if standing.in_play else ()


def won_from_the_meter() -> tuple[Shift, FoundAward]:
    """Play until a walk-in has won the whole meter and the floor has yet to answer."""
    shift = Shift(MARYLAND, {**EQUIPMENT[3], "progressive": "A"})
    royal = parse_cards("As Ks Qs")
    shift.cards = (*royal, *(card for card in DECK if card not in royal))
    for seat in (1, 2):
        shift.act(lambda act, s=seat: act.at_table(at_table.Join(s, f"w-{s}")))
    shift.until(lambda standing: any(found.meter for found in waiting(standing)))
    (found,) = waiting(shift.standing)
    return shift, found


def test_a_deferred_award_of_a_walk_in_is_paid_by_the_cage_and_not_by_the_tray() -> None:
    shift, found = won_from_the_meter()
    shift.say("f1", "round", to_plain(Validate(found.seat, found.wager, "defer")))
    shift.until(lambda standing: standing.in_play is None)
    round = shift.standing.round
    assert round is not None
    award = round.awards[found.seat, found.wager]
    net = sum(line.net for line in round.lines)
    assert award.cents and shift.standing.table.tray.moved == -(net - award.cents)
    id = f"r/{found.seat}/{found.wager}"
    waits = Award(id, f"w-{found.seat}", "m", 100, 0, needs_two=False, table="t")
    (paid,) = moves_of(validated(waits, None, Acting("f1", "s")))
    assert (paid.debit, paid.credit) == (f"pending:{id}", f"walkin:t/{found.seat}")
    screen = validated(waits._replace(player="p1"), None, Acting("f1", "s"))
    assert [move.credit for move in moves_of(screen)] == ["player:p1"]
    assert "table" not in to_plain(screen)


def test_a_rejected_win_replays_where_its_book_has_no_ruling_on_it() -> None:
    """Journals of a house's own book may cite the ruling that the program once cited for all."""
    shift, found = won_from_the_meter()
    rejects = Validate(found.seat, found.wager, "reject", "another hand")
    shift.act(lambda act: act.in_round(rejects))
    shift.until(lambda standing: standing.in_play is None)
    events = tuple(event for of, event in shift.events if of == "round")
    settled = [line for e in events for line in getattr(e, "lines", ()) if line.ruling == "M21"]
    assert [line.because for line in settled] == ["rejected"]
    rulings = {id: one for id, one in shift.rules.rulings.items() if one.decides != "validation"}
    for rules in (shift.rules, replace(shift.rules, rulings=rulings)):
        *_, last = rounds_of(rules, events)
        assert last.closed
    wrong = settled[0]._replace(ruling="M22")
    other = tuple(
        e._replace(lines=tuple(wrong if line in settled else line for line in e.lines))
        if getattr(e, "lines", ())
        else e
        for e in events
    )
    with pytest.raises(UserError, match="does not follow"):
        list(rounds_of(shift.rules, other))


def test_a_win_that_the_tray_does_not_hold_is_said_before_it_is_paid(tmp_path: Path) -> None:
    """A fill may come in the middle of a round, and then nothing more is said."""
    said: list[bool] = []

    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        dealer, floor = staff = await crew(pit)
        await seat_walk_ins(dealer, 2, 3)
        await until(pit, players, staff, shoe, "StartRound")
        await move(dealer, floor, "sale", 10_000_00 - 1_00)
        while pit.tables["t"].rounds < 3:
            await step(pit, players, staff, shoe)
            settling = (await dealer.look())["settling"]
            if not settling:
                continue
            won = sum(line["pay"] - line["take"] - line["collected"] for line in settling["lines"])
            says = f"By the journal the tray holds {dollars(max(holds(pit), 0))}:"
            is_short = settling["seat"] != 1 and won > max(holds(pit), 0)
            said.append(is_short)
            assert (says in settling["says"]) is is_short
            if is_short:
                lacks = won - holds(pit)
                await move(dealer, floor, "fill", lacks)
                assert "tray" not in (await dealer.look())["settling"]["says"]

    play(tmp_path, real(MARYLAND, FELT), scenario)
    assert True in said and False in said


def holds(pit: OpenPit) -> int:
    """Return what lies in the tray by the journal, after the seats of this round that are settled.

    It is below zero where chips were paid that a fill was to bring.
    """
    standing = pit.tables["t"].place.standing
    there, round = standing.table.tray.expected, standing.in_play
    assert there is not None and round is not None
    return there - sum(line.net for line in round.lines if line.seat != 1)
