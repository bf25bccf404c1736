"""The settlement of a round as plain data, in the format of docs/round-files.md."""

from functools import lru_cache
from typing import Any

from croupier.cards import Card, format_cards
from croupier.money import format_money, shown_cents
from croupier.round.file import Played, SeatEntry, name_of
from croupier.round.order import positions_of
from croupier.round.plan import plan_of
from croupier.round.state import Box, Line
from croupier.rules.vocabulary import BANK, SEAT


def result_of(played: Played) -> dict[str, Any]:
    """Return the settlement of a finished round."""
    round = played.round
    lines: dict[int, list[Line]] = {seat: [] for seat in round.boxes}
    for line in round.lines:
        lines[line.seat].append(line)
    entries = {entry.seat: entry for entry in played.file.seats} if played.file else {}
    nets = {
        seat: sum([line.net for line in lines[seat]]) - box.fee for seat, box in round.boxes.items()
    }
    seats = [
        _seat(played, box, entries.get(seat), lines=lines[seat], net=nets[seat])
        for seat, box in round.boxes.items()
    ]
    before = {id: shown_cents(m) for id, m in round.meters_before.items()}
    meters = before if round.void else {id: shown_cents(m) for id, m in round.meters.items()}
    moved = sum(meters.values()) - sum(before.values())
    bank = round.bank_result
    house = -(sum(nets.values()) + (bank.net if bank else 0) + moved)
    return {
        "rulebook": round.rules.rulebook,
        "void": round.void is not None,
        "dealer": _dealer(played),
        "seats": seats,
        "banker": {
            "seat": bank.seat,
            "funds": format_money(bank.funds),
            "collected": format_money(bank.collected),
            "paid": format_money(bank.paid),
            "net": format_money(bank.net),
        }
        if bank
        else None,
        "meters": {id: format_money(cents) for id, cents in meters.items()},
        "order": [] if round.void else list(round.order),
        "house": format_money(house),
    }


def _dealer(played: Played) -> dict[str, Any] | None:
    round = played.round
    plan = plan_of(round.rules)
    if not plan.has_bank:
        return None
    cards = _bank_cards(played)
    if round.void or len(cards) < 3:
        return {"cards": format_cards(cards) or None, "hand": None, "qualifies": None}
    plays = plan.strength(cards) >= plan.qualifying
    return {"cards": format_cards(cards), "hand": plan.name(cards), "qualifies": plays}


def _bank_cards(played: Played) -> tuple[Card, ...]:
    if played.file and played.file.bank and played.file.bank.cards:
        return played.file.bank.cards
    return _faces(played, played.round.places.get(BANK, ()))


def _faces(played: Played, positions: tuple[int, ...]) -> tuple[Card, ...]:
    faces = played.faces
    return tuple([faces[p] for p in positions if p in faces])


def _seat(
    played: Played, box: Box, entry: SeatEntry | None, *, lines: list[Line], net: int
) -> dict[str, Any]:
    """Return a seat; if there is a file, its cards are those in the file."""
    given = entry.cards if entry and box.hand is None else ()
    cards = given or _seat_cards(played, box)
    return {
        "seat": box.seat,
        "player": name_of(box.player),
        "cards": format_cards(cards) or None,
        "hand": None if played.round.void else _hand_name(played, cards),
        "lines": [line_of(line) for line in lines],
        "fees": format_money(box.fee),
        "net": format_money(net),
    }


def _seat_cards(played: Played, box: Box) -> tuple[Card, ...]:
    round = played.round
    cards = _faces(played, positions_of(round, box))
    if cards or box.hand is None or played.file is None:
        return cards
    name = round.rules.shared_place
    size = round.rules.places[name].hand_size
    return played.file.places.get(name, ())[size * (box.hand - 1) : size * box.hand]


def _hand_name(played: Played, cards: tuple[Card, ...]) -> str | None:
    if not cards:
        return None  # A folded hand that nobody saw.
    round = played.round
    plan = plan_of(round.rules)
    for place in plan.main:
        if place != SEAT:
            cards += _faces(played, round.places.get(place, ()))
    return plan.name(cards)


def line_of(line: Line) -> dict[str, Any]:
    return {**_line(line)}


@lru_cache(maxsize=4096)  # The same lines recur.
def _line(line: Line) -> dict[str, Any]:
    _, wager, stake, outcome, paid, returned, clause, ruling, from_seat, _ = line
    data: dict[str, Any] = {
        "wager": wager,
        "stake": format_money(stake),
        "outcome": outcome,
        "paid": format_money(paid),
        "returned": format_money(returned),
        "clause": clause or None,
        "ruling": ruling,
    }
    if from_seat is not None:
        data["from_seat"] = from_seat
    return data
