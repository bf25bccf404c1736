"""Settles the books in which the house banks: both Maryland books and Singapore."""

from collections.abc import Sequence
from decimal import Decimal

from tests.reference import hands
from tests.reference.meters import Meters
from tests.reference.model import ZERO, Line, Seat, Table, back, cents_down, loss, money, win
from tests.reference.paytables import (
    MARYLAND,
    MARYLAND_ENVY,
    RIDE,
    RIDE_ENVY,
    RIDE_THREE_CARD_PROGRESSIVES,
    SINGAPORE,
    SINGAPORE_ENVY,
    Payout,
)


def against_paytable(
    table: Table, meters: Meters, *, wager: str, stake: Decimal, titles: list[str]
) -> Line:
    """A wager that wins what its paytable lists for the hand, and loses otherwise."""
    payout = table.line_of(wager, titles)
    if payout is None:
        return loss(wager, stake)
    return win(wager, stake, pays(meters, wager, payout, stake=stake))


def pays(meters: Meters, wager: str, payout: Payout, *, stake: Decimal) -> Decimal:
    if payout.kind == "meter":
        return meters.award(wager, payout)
    return payout.amount if payout.kind == "sum" else cents_down(payout.amount * stake)


def abandoned_lines(seat: Seat) -> list[Line]:
    """M13: every stake that was not withdrawn loses."""
    lines = []
    for wager, stake in stakes(seat):
        withdrawn = wager in withdrawals(seat)
        lines.append(back(wager, stake, "withdrawn") if withdrawn else loss(wager, stake))
    return lines


def stakes(seat: Seat) -> list[tuple[str, Decimal]]:
    """All stakes of a seat in the order in which they are settled."""
    order: tuple[str, ...] = (
        *("ante", "play", "bet_1", "bet_2", "bet_3", "pair_plus", "five_card_bonus"),
        *("three_card_bonus", "progressive", "six_card_bonus", "five_card_progressive"),
    )
    found = dict(seat.wagers)
    if seat.called:
        found["play"] = found["ante"]
    if "let_it_ride" in found:
        each = found.pop("let_it_ride")
        found |= {"bet_1": each, "bet_2": each, "bet_3": each}
        # Let It Ride 11.E has the progressive last.
        order = tuple(sorted(order, key=lambda wager: wager == "progressive"))
    return [(wager, found[wager]) for wager in order if wager in found]


def withdrawals(seat: Seat) -> set[str]:
    bets = zip(("bet_1", "bet_2"), seat.decisions, strict=False)
    return {bet for bet, decision in bets if decision == "withdraw"}


def settle_seat(table: Table, seat: Seat, meters: Meters) -> list[Line]:
    if seat.number in table.abandoned:
        return abandoned_lines(seat)
    if table.book == RIDE:
        return ride_lines(table, seat, meters)
    return [
        *main_lines(table, seat),
        *side_lines(table, seat, meters),
    ]


def main_lines(table: Table, seat: Seat) -> list[Line]:
    """Ante, Play and Ante Bonus: Maryland 11.D(3), 12.A to 12.C; Singapore 3.8 to 3.14."""
    if "ante" not in seat.wagers:
        return []
    ante = seat.wagers["ante"]
    if seat.folded:
        return [loss("ante", ante, "forfeit")]
    if not seat.called:
        raise ValueError(f"seat {seat.number}: decisions")
    bonus = table.line_of("ante_bonus", hands.three_card_titles(seat.cards))
    lines = against_dealer(table.dealer, seat.cards, ante)
    if bonus:
        # M2: win, lose, tie or not qualified.
        lines.append(win("ante_bonus", ZERO, cents_down(bonus.amount * ante)))
    return lines


def against_dealer(dealer: Sequence[str], cards: Sequence[str], ante: Decimal) -> list[Line]:
    """Ante and Play of a hand that stayed in."""
    if not hands.queen_high_or_better(dealer):
        return [win("ante", ante, ante), back("play", ante)]
    mine, theirs = hands.three_card_strength(cards), hands.three_card_strength(dealer)
    if mine > theirs:
        return [win("ante", ante, ante), win("play", ante, ante)]
    if mine < theirs:
        return [loss("ante", ante), loss("play", ante)]
    return [back("ante", ante), back("play", ante)]


def side_lines(table: Table, seat: Seat, meters: Meters) -> list[Line]:
    """Pair Plus, progressive, envy, Six Card, Five Card: Maryland 11.D(4) to (9)."""
    three = hands.three_card_titles(seat.cards)
    # M4: folding forfeits all of these but the Six Card Bonus. S2: none of them.
    forfeits = seat.folded and table.book == MARYLAND
    lines: list[Line] = []
    for wager in ("pair_plus", "progressive", "six_card_bonus", "five_card_progressive"):
        stake = seat.wagers.get(wager)
        if stake is not None:
            if forfeits and wager != "six_card_bonus":
                lines.append(loss(wager, stake, "forfeit"))
            else:
                titles = three
                if wager == "six_card_bonus":
                    titles = hands.six_card_titles([*seat.cards, *table.dealer])
                if wager == "five_card_progressive":
                    titles = hands.five_card_titles([*seat.cards, *table.community])
                lines.append(
                    against_paytable(table, meters, wager=wager, stake=stake, titles=titles)
                )
        if wager in {"progressive", "five_card_progressive"}:
            lines += envy_lines(table, seat, wager)
    return lines


def ride_lines(table: Table, seat: Seat, meters: Meters) -> list[Line]:
    """Let It Ride 11.D and 11.E."""
    if len(seat.decisions) != 2:
        raise ValueError(f"seat {seat.number}: decisions")
    three = hands.three_card_titles(seat.cards)
    five = hands.five_card_titles([*seat.cards, *table.community])
    titles = {"five_card_bonus": five, "three_card_bonus": three, "progressive": five}
    if table.letter("progressive") in RIDE_THREE_CARD_PROGRESSIVES:
        titles["progressive"] = three
    if "six_card_bonus" in seat.wagers:
        # L4: the player's three cards and the three of the box.
        titles["six_card_bonus"] = hands.six_card_titles([*seat.cards, *table.six_card_box])
    lines = bet_lines(table, seat, five)
    for wager, stake in stakes(seat):
        if wager in titles:
            lines.append(
                against_paytable(table, meters, wager=wager, stake=stake, titles=titles[wager])
            )
    return lines + envy_lines(table, seat, "progressive")


def bet_lines(table: Table, seat: Seat, titles: list[str]) -> list[Line]:
    """Bets 1 to 3, with the payout limit of L6."""
    stake = seat.wagers["let_it_ride"]
    payout = table.line_of("let_it_ride", titles)
    limit = table.selections.get("payout_limit")
    left = None if limit is None else money(limit)
    lines = []
    for bet in ("bet_1", "bet_2", "bet_3"):
        if bet in withdrawals(seat):
            lines.append(back(bet, stake, "withdrawn"))
        elif payout is None:
            lines.append(loss(bet, stake))
        else:
            paid = cents_down(payout.amount * stake)
            if left is not None:
                paid = min(paid, left)
                left -= paid
            lines.append(win(bet, stake, paid))
    return lines


def envy_lines(table: Table, receiver: Seat, wager: str) -> list[Line]:
    """M5, S1: one for every box with the wager and every qualifying hand of another player.

    They stand with the receiver's lines, in the order in which the holders are settled.
    """
    stake = receiver.wagers.get(wager)
    if stake is None or receiver.number in table.abandoned:
        return []
    lines = []
    for holder in sorted(table.seats, key=lambda seat: -seat.number):
        if holder.number in table.abandoned or not may_envy(table, receiver, holder):
            continue
        paid = envy_sum(table, holder, wager, stake=stake)
        if paid:
            lines.append(Line("envy", ZERO, "win", paid, from_seat=holder.number))
    return lines


def may_envy(table: Table, receiver: Seat, holder: Seat) -> bool:
    if receiver.person == holder.person:
        return False
    if table.electronic:
        # M9: players on the same community hand do not envy each other for it.
        mine = [seat for seat in table.seats if seat.person == receiver.person]
        if any(seat.community_hand == holder.community_hand for seat in mine):
            return False
    if table.book == SINGAPORE:
        return "ante" in holder.wagers  # 3.16, 3.17, S2.
    return not holder.folded  # M5.


def envy_sum(table: Table, holder: Seat, wager: str, *, stake: Decimal) -> Decimal:
    """Return the envy that a hand brings another box, by that box's own wager."""
    if wager == "five_card_progressive":
        # M6: only what the operator declares.
        name = hands.five_card_name([*holder.cards, *table.community])
        return money((table.selections.get("five_card_envy") or {}).get(name, 0))
    titles = hands.three_card_titles(holder.cards)
    if table.book == SINGAPORE:
        return Decimal(next((SINGAPORE_ENVY[t] for t in titles if t in SINGAPORE_ENVY), 0))
    listed = MARYLAND_ENVY
    if table.book == RIDE and table.letter(wager) not in RIDE_THREE_CARD_PROGRESSIVES:
        # L7: A, D, E and F envy the five-card hand.
        listed, titles = RIDE_ENVY, hands.five_card_titles([*holder.cards, *table.community])
    sums = next((listed[title] for title in titles if title in listed), None)
    return ZERO if sums is None else Decimal(sums[int(stake)])
