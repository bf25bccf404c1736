"""Settles a round file: `settle` for programs, or JSON lines from standard input."""

import json
import sys
from decimal import Decimal
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.reference import hands
from tests.reference.banked import Bank, open_bank, settle_banked
from tests.reference.dealing import dealt, settlement_order
from tests.reference.house import settle_seat, stakes
from tests.reference.irregularities import is_void
from tests.reference.meters import Meters
from tests.reference.model import ZERO, Json, Seat, Table, back, read_table, text
from tests.reference.paytables import PLAYER_BANKED, RIDE


def settle(record: Json) -> Json:
    """What `croupier settle --json` gives, without clauses and rulings."""
    if is_void(record):
        return settle_void(record)
    record = dealt(record)
    table = read_table(record)
    for seat in table.seats:
        seat.hand = hand_name(table, seat)
    meters = Meters(table, record.get("meters") or {})
    meters.close_bets()
    order = settlement_order(record)
    bank = None
    if table.book in PLAYER_BANKED:
        bank = settle_banked(table, order)
    else:
        by_number = {seat.number: seat for seat in table.seats}
        for number in order:
            seat = by_number[number]
            seat.lines = settle_seat(table, seat, meters)
    dealer: Json = {
        "cards": " ".join(table.dealer),
        "hand": hands.three_card_name(table.dealer) if table.dealer else None,
        "qualifies": hands.queen_high_or_better(table.dealer) if table.dealer else None,
    }
    return result(table, meters, bank) | {
        "dealer": None if table.book == RIDE else dealer,
        "order": order,
    }


def hand_name(table: Table, seat: Seat) -> str:
    if table.book == RIDE:
        return hands.five_card_name([*seat.cards, *table.community])
    return hands.three_card_name(seat.cards)


def settle_void(record: Json) -> Json:
    """Every stake comes back and no meter moves; cards are shown where the file gives them."""
    table = read_table(record)
    for seat in table.seats:
        seat.lines = [back(wager, stake, "void") for wager, stake in stakes(seat)]
    bank = open_bank(table) if table.book in PLAYER_BANKED else None
    dealer = {"cards": " ".join(table.dealer) or None, "hand": None, "qualifies": None}
    return result(table, Meters(table, record.get("meters") or {}), bank) | {
        "void": True,
        "dealer": None if table.book == RIDE else dealer,
        "order": [],
    }


def result(table: Table, meters: Meters, bank: Bank | None) -> Json:
    """Return what void and settled rounds have in common; the house balances the rest."""
    nets = sum((seat.net for seat in table.seats), ZERO)
    others = nets + meters.change() + (bank.net if bank else ZERO)
    return {
        "rulebook": table.book,
        "void": False,
        "seats": [seat.json() for seat in table.seats],
        "banker": bank.json() if bank else None,
        "meters": meters.json(),
        "house": text(-others),
    }


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(settle(json.loads(line, parse_float=Decimal))))


if __name__ == "__main__":
    main()
