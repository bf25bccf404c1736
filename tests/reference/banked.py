"""Settles the books in which a player banks: California and the designated-player book."""

from dataclasses import dataclass
from decimal import Decimal

from tests.reference import hands
from tests.reference.house import against_dealer
from tests.reference.model import (
    ZERO,
    Json,
    Line,
    Seat,
    Table,
    back,
    cents_down,
    loss,
    money,
    text,
    win,
)
from tests.reference.paytables import CALIFORNIA


@dataclass
class Bank:
    seat: int
    funds: Decimal
    collected: Decimal = ZERO
    paid: Decimal = ZERO
    fee: Decimal = ZERO

    @property
    def net(self) -> Decimal:
        return self.collected - self.paid - self.fee

    def take(self, lines: list[Line]) -> None:
        """Record what lines lost and won."""
        self.collected += sum((line.stake - line.returned for line in lines), ZERO)
        self.paid += sum((line.paid for line in lines), ZERO)

    def json(self) -> Json:
        return {
            "seat": self.seat,
            "funds": text(self.funds),
            "collected": text(self.collected),
            "paid": text(self.paid),
            "net": text(self.net),
        }


def open_bank(table: Table) -> Bank:
    assert table.banker is not None
    return Bank(table.banker["seat"], money(table.banker["funds"]))


def settle_banked(table: Table, order: list[int]) -> Bank:
    by_number = {seat.number: seat for seat in table.seats}
    seats = [by_number[number] for number in order]
    bank = open_bank(table)
    if table.book == CALIFORNIA:
        settle_california(table, seats, bank)
    else:
        settle_florida(table, seats, bank)
    return bank


def folded_lines(seat: Seat) -> list[Line]:
    """California round-of-play/3.a, designated player 4.a: Ante and Pair Plus are forfeit."""
    wagers = ("ante", "pair_plus")
    return [loss(w, seat.wagers[w], "forfeit") for w in wagers if w in seat.wagers]


def by_table(table: Table, seat: Seat) -> Line:
    """Pair Plus by its paytable."""
    stake = seat.wagers["pair_plus"]
    payout = table.line_of("pair_plus", hands.three_card_titles(seat.cards))
    if payout is None:
        return loss("pair_plus", stake)
    return win("pair_plus", stake, cents_down(payout.amount * stake))


def settle_california(table: Table, seats: list[Seat], bank: Bank) -> None:
    """C3: all losing wagers are collected, then winners paid while the money lasts."""
    for seat in seats:
        seat.lines = california_lines(table, seat)
        seat.fees = sum((fee_of(table, stake) for stake in seat.wagers.values()), ZERO)
    lines = [line for seat in seats for line in seat.lines]
    money_left = bank.funds
    if table.selections.get("payoff_limit", "wager_and_collections") == "wager_and_collections":
        money_left += sum((line.stake - line.returned for line in lines), ZERO)
    for line in lines:
        if line.outcome == "win":
            line.paid = min(line.paid, money_left)
            money_left -= line.paid
            if not line.paid:
                line.outcome = "uncovered"
    bank.take(lines)
    bank.fee = money(table.selections.get("player_dealer_fee", 0))  # C7.


def california_lines(table: Table, seat: Seat) -> list[Line]:
    """Return what each wager would be paid by a bank with unlimited funds."""
    if seat.folded:
        return folded_lines(seat)
    lines = against_dealer(table.dealer, seat.cards, seat.wagers["ante"])
    if "pair_plus" in seat.wagers:
        lines.append(by_table(table, seat))
    return lines


def fee_of(table: Table, stake: Decimal) -> Decimal:
    """C7: the fee of the first bracket that holds the wager."""
    brackets = table.selections.get("fees") or []
    for bracket in sorted(brackets, key=lambda bracket: money(bracket["up_to"])):
        if stake <= money(bracket["up_to"]):
            return money(bracket["fee"])
    if brackets:
        raise ValueError(f"fees: no bracket for {stake}")
    return ZERO


def settle_florida(table: Table, seats: list[Seat], bank: Bank) -> None:
    """F4: hand by hand; a called hand that the funds at its turn do not cover is dead."""
    live = set()
    for seat in seats:
        lines = florida_lines(table, seat)
        if seat.called:
            funds = bank.funds + bank.collected - bank.paid
            staked = sum((line.stake for line in lines), ZERO)
            due = sum((line.paid for line in lines), ZERO)
            if funds < staked or funds < due:
                seat.lines = [back(line.wager, line.stake, "uncovered") for line in lines]
                continue
        seat.lines = lines
        live.add(seat.person)
        bank.take(lines)
    charge_rake(table, bank, live)


def florida_lines(table: Table, seat: Seat) -> list[Line]:
    """Designated player 4 to 9, F1 to F3."""
    if seat.folded:
        return folded_lines(seat)
    lines = against_dealer(table.dealer, seat.cards, seat.wagers["ante"])
    if "pair_plus" not in seat.wagers:
        return lines
    bonus, stake = by_table(table, seat), seat.wagers["pair_plus"]
    if lines[0].outcome == "push":
        bonus = back("pair_plus", stake)  # F1.
    if lines[0].outcome == "lose" and bonus.outcome == "win":
        # F2.
        pushes = table.selections.get("pair_plus_when_beaten", "lose") == "push"
        bonus = back("pair_plus", stake) if pushes else loss("pair_plus", stake)
    return [*lines, bonus]


def charge_rake(table: Table, bank: Bank, live: set[tuple[str, object]]) -> None:
    """F5: a flat sum for each person with a hand that was not dead, at the lowest seat."""
    rake = table.selections.get("rake")
    if not rake:
        return
    amount, payer = money(rake["amount"]), rake["payer"]
    if payer in {"all", "designated_player"} and live:
        bank.fee = amount
    if payer in {"all", "players"}:
        charged = set()
        for seat in sorted(table.seats, key=lambda seat: seat.number):
            if seat.person in live and seat.person not in charged:
                seat.fees = amount
                charged.add(seat.person)
