"""What a dealer takes, pays and leaves at the seat whose turn it is: spot by spot, in chips."""

from collections.abc import Mapping
from typing import Any

from croupier.round.awards import awards_found
from croupier.round.commands import Settle
from croupier.round.events import AwardFound, PartSettled, SeatSettled
from croupier.round.reasons import Reasons
from croupier.round.settlement import FOLDED
from croupier.round.settling import hidden_from, next_seat, paid_at
from croupier.round.state import Line, Round, is_walk_in
from croupier.rules.words import dollars, listed
from croupier.table.rounds import chips_won
from croupier.table.state import Table
from croupier.table.tray import CHIPS_CENTS


def payout_of(round: Round | None, meters: Mapping[str, int]) -> dict[str, Any] | None:
    """Return what settling the next seat would move; None while its cards are hidden.

    It is decided by the function that settles the seat, and nothing of it is stored.
    """
    if round is None or round.void or round.stage is None or round.stage.do != "settle":
        return None
    seat = next_seat(round)
    if seat is None or hidden_from(round, seat):
        return None
    staked = {id: micros for id, micros in meters.items() if id in round.meters}
    events = paid_at(round, seat, staked)
    parts = [event for event in events if isinstance(event, SeatSettled | PartSettled)]
    reasons = Reasons(round)
    # A player who withdrew a wager has its chips: nothing of it lies there any more.
    due = [line for part in parts for line in part.lines if line.outcome != "withdrawn"]
    lines = [_line(round, line, reasons) for line in due]
    # A fee that was collected before the deal (C7) isn't collected again.
    fee = sum(part.fee - round.boxes[seat].fee for part in parts if isinstance(part, SeatSettled))
    own = [line for line in lines if line["seat"] == seat]
    sums = {name: sum(line[name] for line in own) for name in ("take", "pay", "leave")}
    return {"seat": seat, "says": _says(seat, sums), "lines": lines, "fee": fee, **sums}


def settling_of(
    table: Table, round: Round | None, meters: Mapping[str, int], *, validated: int | None
) -> dict[str, Any] | None:
    """Return what settling the next seat would move, and what has to come before it.

    That is a fill, or the checks of a progressive win, which stop the seat before it is paid. The
    house has wins of `validated` cents checked where the book has none.
    """
    settling = payout_of(round, meters)
    if round is None or settling is None:
        return None
    if stops := _stops(round, settling["seat"], meters, validated):
        return _stopped(round, settling, stops)
    says = settling["says"] + _fill_first(table, round, settling["lines"])
    return {**settling, "says": says, "does": ""}


def _stops(
    round: Round, seat: int, meters: Mapping[str, int], validated: int | None
) -> list[AwardFound]:
    """Return the progressive wins at which settling a seat would stop."""
    if round.banker or any(found.seat == seat for found in round.awards.values()):
        return []
    staked = {id: micros for id, micros in meters.items() if id in round.meters}
    found = awards_found(round, Settle(staked, seat, validated))
    return [event for event in found if isinstance(event, AwardFound)]


def _stopped(round: Round, settling: dict[str, Any], stops: list[AwardFound]) -> dict[str, Any]:
    """Return a settlement that stops at progressive wins: what they bring isn't paid yet."""
    seat, spots = settling["seat"], {found.wager for found in stops}
    lines = [
        {**line, "does": "wait", "wait": line["pay"], "pay": 0, "chips": []}
        if line["pay"] and (line["spot"] in spots or line["seat"] != seat)
        else line
        for line in settling["lines"]
    ]
    pay = sum(line["pay"] for line in lines if line["seat"] == seat)
    labels = listed([round.rules.label(found.wager) for found in stops])
    says = f"Seat {seat}, {stops[0].hand}: check the {labels} before anything is paid on it."
    return {**settling, "lines": lines, "pay": pay, "says": says, "does": "Check the win first"}


def _fill_first(table: Table, round: Round, lines: list[dict[str, Any]]) -> str:
    """Return what is said where walk-ins win more chips than the tray holds by the journal.

    A player's bank is never the tray.
    """
    tray = table.tray.expected
    if tray is None or round.rules.banked_by != "house":
        return ""
    holds = max(tray + chips_won(round), 0)
    felt = [line for line in lines if is_walk_in(round.boxes[line["seat"]].player)]
    leaves = sum(line["pay"] - line["take"] - line["collected"] for line in felt)
    if leaves <= holds:
        return ""
    return f" By the journal the tray holds {dollars(holds)}: have the floor order a fill first."


def _says(seat: int, sums: Mapping[str, int]) -> str:
    moved = [f"{name} {dollars(sums[name])}" for name in ("take", "pay") if sums[name]]
    does = ", ".join(moved) or ("leave everything" if sums["leave"] else "nothing to move")
    return f"Seat {seat}: {does}."


def _line(round: Round, line: Line, reasons: Reasons) -> dict[str, Any]:
    """Return what a line moves.

    A deferred win stays pending and isn't paid out (M21). Nobody takes a wager that lies in the
    tray already: one that the book has collected before the deal, or once everybody has decided.
    """
    found, wager = round.awards.get((line.seat, line.wager)), round.rules.wagers.get(line.wager)
    wait = line.paid if found and found.answer == "defer" else 0
    pay, lost = line.paid - wait, max(line.stake - line.returned, 0)
    folded = line.because == FOLDED and line.seat in round.collected
    lies = folded or (wager is not None and wager.collected is not None)
    take, collected = (0, lost) if lies else (lost, 0)
    sums = {"wait": wait, "pay": pay, "take": take, "collected": collected, "leave": line.returned}
    does = next((name for name, cents in sums.items() if cents), "leave")
    moved = 0 if does in ("wait", "collected") else sums[does]
    return {
        "seat": line.seat,
        "spot": line.wager,
        "label": round.rules.label(line.wager),
        "does": does,
        "stake": line.stake,
        **sums,
        "chips": chips_of(moved),
        "because": reasons.why(line),
        "clause": line.clause or None,
        "ruling": line.ruling,
    }


def chips_of(cents: int) -> list[tuple[int, int]]:
    """Break a sum down into chips: how many of each, the largest first; coins come last."""
    found, rest = [], cents
    for chip in reversed(CHIPS_CENTS):
        if many := rest // chip:
            found.append((chip, many))
        rest %= chip
    return [*found, (rest, 1)] if rest else found
