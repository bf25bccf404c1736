"""The entries of a round. Each moves a sum from one account to another and never changes.

Entries are a projection of events: the same events always give the same entries, in the same order
and with the same ids, so posting them twice has no further effect. Mappings in an event are read in
the order of their keys, which is the order their stored bytes keep.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from croupier.errors import Bug, CroupierError
from croupier.ledger.accounts import HOUSE, Account, account, purse_of
from croupier.money import micros
from croupier.round import events as happened
from croupier.round.awards import validating
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.settlement import Settlement
from croupier.round.state import NOTHING, FoundAward, Line, Round, Stake, about_seat

TAKEN_BACK = "take back"
"""The fate of a stake that left the layout before the settlement."""
FROM_PLAYERS, FROM_BANKER = ("all", "players"), ("all", "designated_player")
"""Who pays a rake, in the words of the book: the players, the banker, or both."""


class Unlike(CroupierError):
    """Raised for an event that can't follow from those before it."""


class Entry(NamedTuple):
    """A sum moved from the debited account to the credited one."""

    id: str
    """The round, the number of the event in it, and the line; a retry makes the same id."""
    debit: Account
    credit: Account
    micros: int
    code: str
    """Why the sum moves."""


class Move(NamedTuple):
    """An entry without an id."""

    debit: Account
    credit: Account
    micros: int
    code: str


@dataclass(frozen=True)
class Setting:
    """What a table's entries depend on besides its rules."""

    table: str
    meters: Mapping[str, str] = field(default_factory=dict)
    """The meters of the rules that go by another name here, as shared ones do."""
    validated_cents: int | None = None
    """Awards from a meter of at least this sum wait for a floorperson."""
    witnessed_cents: int | None = None
    """Two people validate an award of at least this sum."""

    def purse(self, player: str) -> Account:
        return purse_of(self.table, player)

    def meter(self, id: str) -> Account:
        return account("meter", self.meters.get(id, f"{self.table}/{id}"))


class Posting(NamedTuple):
    """A round whose entries are being made, and what is held for fees to come."""

    setting: Setting
    round: Round
    number: int = 0
    held: Mapping[str, int] = NOTHING
    """By player, in cents. It is held on the layout so that the rake never finds an empty purse."""
    confirmed: frozenset[str] = frozenset()
    """What somebody confirmed at a seat; in older journals, that validated wins."""


def post(
    posting: Posting | None, event: Event, after: Round | None = None
) -> tuple[Posting, tuple[Entry, ...]]:
    """Return the posting after an event, and its entries; `after` is the round then, if known."""
    if posting is None:
        raise Unlike("there is no round that it could have happened in")
    setting, before, number, held, confirmed = posting
    after = after or evolve(before, event)
    number += 1
    if isinstance(event, happened.BetsClosed):
        held = _holds(after)
    elif isinstance(event, happened.Confirmed) and event.about:
        confirmed |= {event.about}
    moves = moves_of(Posting(setting, before, number, held, confirmed), after, event)
    entries = numbered(f"{after.id}/{number}", moves)
    if isinstance(event, happened.SeatSettled) and held:
        charged = event.fee - before.boxes[event.seat].fee
        player = before.boxes[event.seat].player
        held = {**held, player: held.get(player, 0) - max(charged, 0)}
    return Posting(setting, after, number, held, confirmed), entries


def numbered(of: str, moves: Iterable[Move]) -> tuple[Entry, ...]:
    """Give moves their ids; drop those of zero, and raise on a negative one, which is a bug."""
    entries: list[Entry] = []
    for move in moves:
        if move.micros < 0:
            raise Bug(f"{of}: {move} is negative")
        if move.micros:
            entries.append(Entry(f"{of}/{len(entries) + 1}", *move))
    return tuple(entries)


def moves_of(posting: Posting, after: Round, event: Event) -> Iterable[Move]:
    match event:
        case happened.BetMade() | happened.BetTakenDown() | happened.Chose():
            return _laid(posting, after, event.seat)
        case happened.ChoiceCorrected():
            return _laid(posting, after, event.seat)
        case happened.StakeCorrected():
            return _corrected_moves(posting, after, event)
        case happened.Banked():
            return _bank_moves(posting, event)
        case happened.BetsClosed():
            return _closing_moves(posting, after, event)
        case happened.Declared() | happened.CalledOff() if after.void and not posting.round.void:
            return _undone_moves(posting, after)
        case happened.AwardFound():
            return _found_moves(posting, after, event)
        case happened.Validated(answer="reject"):
            return _rejected_moves(posting, event)
        case happened.SeatSettled():
            return _seat_moves(posting, event)
        case happened.PartSettled():
            fee = posting.round.boxes[event.seat].fee
            return _seat_moves(posting, happened.SeatSettled(*event, fee))
        case happened.Closed():
            return _end_moves(posting, event)
        case _:
            return ()


# ---------------------------------------------------------------- bets and choices


def _laid(posting: Posting, after: Round, seat: int) -> Iterator[Move]:
    """Move what was staked or taken back at a seat, spot by spot."""
    had, has = posting.round.boxes.get(seat), after.boxes.get(seat)
    box = has or had
    if box is None:
        raise Bug(f"seat {seat} has no box")
    then, now = had.stakes if had else NOTHING, has.stakes if has else NOTHING
    purse, layout = posting.setting.purse(box.player), account("layout", after.id)
    for spot in {**then, **now}:
        more = micros(_lies(now.get(spot)) - _lies(then.get(spot)))
        if more > 0:
            yield Move(purse, layout, more, "staked")
        elif more < 0:
            yield Move(layout, purse, -more, "taken back")


def _corrected_moves(
    posting: Posting, after: Round, event: happened.StakeCorrected
) -> Iterator[Move]:
    """Move what a corrected stake changes: the stake, its fee and its part of the meters."""
    yield from _laid(posting, after, event.seat)
    box, setting = posting.round.boxes[event.seat], posting.setting
    purse, fees, more = (
        setting.purse(box.player),
        account("fees", setting.table),
        event.fee - box.fee,
    )
    yield Move(purse, fees, micros(max(more, 0)), "fee")
    yield Move(fees, purse, micros(max(-more, 0)), "fee back")
    for id, rise in sorted(event.rises.items()):
        yield Move(HOUSE, setting.meter(id), max(rise, 0), "rise")
        yield Move(setting.meter(id), HOUSE, max(-rise, 0), "rise back")


def _lies(stake: Stake | None) -> int:
    """Return the cents of a stake that are on the layout."""
    return 0 if stake is None or stake.fate == TAKEN_BACK else stake.cents


def _bank_moves(posting: Posting, event: happened.Banked) -> Iterator[Move]:
    """Put up a bank's funds; replacing them returns the first ones."""
    before = posting.round
    purse, bank = posting.setting.purse(event.player), account("bank", before.id)
    if before.banker:
        yield Move(bank, purse, micros(before.banker.funds), "funds back")
    yield Move(purse, bank, micros(event.funds), "funds")


def _closing_moves(posting: Posting, after: Round, event: happened.BetsClosed) -> Iterator[Move]:
    setting, layout = posting.setting, account("layout", after.id)
    fees = account("fees", setting.table)
    for seat, cents in sorted(event.fees.items()):
        yield Move(setting.purse(after.boxes[seat].player), fees, micros(cents), "fee")
    for player, cents in sorted(posting.held.items()):
        yield Move(setting.purse(player), layout, micros(cents), "held")
    for id, rise in sorted(event.rises.items()):
        yield Move(HOUSE, setting.meter(id), rise, "rise")


def _holds(round: Round) -> dict[str, int]:
    """Return the most that each player can still be charged for this round, in cents."""
    rake, fee, banker = round.rules.rake, round.rules.fee, round.banker
    amount, payer = (rake.amount, str(rake.payer)) if rake else (0, "")
    held: dict[str, int] = {}
    if amount and payer in FROM_PLAYERS:
        held = {box.player: amount for box in round.boxes.values()}
    if banker:
        most = (fee.banker if fee else 0) + (amount if payer in FROM_BANKER else 0)
        held[banker.player] = most
    return {player: cents for player, cents in held.items() if cents}


def at_stake(round: Round) -> dict[str, int]:
    """Return what an open round holds of each player's money, in cents.

    This is all that may come back: stakes, a banker's funds, what is held for rake, and fees, which
    a void round returns.
    """
    sums: Counter[str] = Counter()
    for box in round.boxes.values():
        sums[box.player] += box.fee + sum(_lies(stake) for stake in box.stakes.values())
    if round.banker:
        sums[round.banker.player] += round.banker.funds
    if round.at > 0:
        sums.update(_holds(round))
    return dict(sums)


def _undone_moves(posting: Posting, after: Round) -> Iterator[Move]:
    """Undo the seats that were settled (T13), and take back what the round added to the meters."""
    setting, round = posting.setting, posting.round
    layout, paid_back = account("layout", round.id), Counter[str]()
    settlement = Settlement(round, round.meters) if round.lines else None
    for line in reversed(round.lines):
        box = round.boxes[line.seat]
        purse, stake = setting.purse(box.player), box.stakes.get(line.wager)
        if stake is None or stake.fate != TAKEN_BACK:
            yield Move(purse, layout, micros(line.returned), "undone")
            yield Move(_bank(posting), layout, micros(line.stake - line.returned), "undone")
        meter = settlement.meter_of(line) if settlement else None
        if meter is None:
            yield Move(purse, _bank(posting), micros(line.paid), "undone")
            continue
        found = round.awards.get((line.seat, line.wager))
        at_once = _is_paid_at_once(setting, line) if found is None else found.answer == "pay"
        holder = purse if at_once else _pending(round, line)
        yield Move(holder, setting.meter(meter), micros(line.paid), "undone")
        paid_back[meter] += micros(line.paid)
    for won in round.awards.values():
        if won.meter and won.seat not in round.order and won.answer != "reject":
            yield Move(_pending(round, won), setting.meter(won.meter), micros(won.cents), "undone")
            paid_back[won.meter] += micros(won.cents)
    for id, shown in sorted(round.meters.items()):
        more = shown + paid_back[id] - after.meters[id]
        yield Move(setting.meter(id), HOUSE, more, "rise back")


# ---------------------------------------------------------------- the settlement


def _seat_moves(posting: Posting, event: happened.SeatSettled) -> Iterator[Move]:
    setting, round = posting.setting, posting.round
    box = round.boxes[event.seat]
    purse, layout = setting.purse(box.player), account("layout", round.id)
    bank = _bank(posting)
    readings = dict(round.meters)
    settlement = Settlement(round, readings) if readings else None
    for line in event.lines:
        stake = box.stakes.get(line.wager)
        if stake is None or stake.fate != TAKEN_BACK:
            yield Move(layout, purse, micros(line.returned), "returned")
            yield Move(layout, bank, micros(line.stake - line.returned), "lost")
        meter = settlement.meter_of(line) if settlement else None
        if meter is None:
            yield Move(bank, purse, micros(line.paid), "paid")
            continue
        _check_validated(posting, line)
        if (found := round.awards.get((line.seat, line.wager))) is not None:
            if found.answer == "pay":
                yield Move(_pending(round, line), purse, micros(line.paid), "validated")
            continue
        shown = setting.meter(meter)
        award = purse if _is_paid_at_once(setting, line) else _pending(round, line)
        yield Move(shown, award, micros(line.paid), "award")
        left = readings[meter] - micros(line.paid)
        readings[meter] = event.meters.get(meter, readings[meter])
        yield Move(HOUSE, shown, readings[meter] - left, "reset")
    if any(readings[id] != shown for id, shown in event.meters.items()):
        raise Bug(f"round {round.id}, seat {event.seat}: a meter moved and nothing was paid")
    fees = account("fees", setting.table)
    yield Move(fees, purse, micros(max(box.fee - event.fee, 0)), "fee back")
    yield Move(layout, fees, micros(max(event.fee - box.fee, 0)), "rake")


def _check_validated(posting: Posting, line: Line) -> None:
    """Raise if a dealer paid a progressive win that the book has validated first (M21)."""
    round, about = posting.round, about_seat(line.seat, line.wager)
    if "dealer" not in round.rules.things or validating(round.rules, line.wager) is None:
        return
    found = round.awards.get((line.seat, line.wager))
    if not (found.answer if found else about in posting.confirmed):
        raise Bug(f"round {round.id}, {about}: paid, and nobody validated it")


def _found_moves(posting: Posting, after: Round, event: happened.AwardFound) -> Iterator[Move]:
    """Set a progressive win of a meter apart, and reset the meter."""
    if event.meter is not None:
        found, shown = after.awards[event.seat, event.wager], posting.setting.meter(event.meter)
        yield Move(shown, _pending(posting.round, event), micros(event.cents), "award")
        yield Move(HOUSE, shown, found.reset, "reset")


def _rejected_moves(posting: Posting, event: happened.Validated) -> Iterator[Move]:
    """Give a rejected win back to its meter, as if it had never been reset."""
    found = posting.round.awards[event.seat, event.wager]
    if found.meter is not None:
        shown = posting.setting.meter(found.meter)
        yield Move(_pending(posting.round, event), shown, micros(found.cents), "rejected")
        yield Move(shown, HOUSE, found.reset, "reset back")


def _bank(posting: Posting) -> Account:
    """Return the account that pays a round's wagers: the banker's funds, or the table's tray."""
    round = posting.round
    if round.banker:
        return account("bank", round.id)
    return account("inventory", posting.setting.table)


def _is_paid_at_once(setting: Setting, line: Line) -> bool:
    """Whether an award of a meter goes to the player without a floorperson."""
    return setting.validated_cents is None or line.paid < setting.validated_cents


def _pending(
    round: Round, won: Line | FoundAward | happened.AwardFound | happened.Validated
) -> Account:
    return account("pending", f"{round.id}/{won.seat}/{won.wager}")


def _end_moves(posting: Posting, event: happened.Closed) -> Iterator[Move]:
    """Return what is left of the banker's funds and of what was held for fees."""
    round, layout = posting.round, account("layout", posting.round.id)
    fees, held = account("fees", posting.setting.table), dict(posting.held)
    if round.banker:
        purse, result = posting.setting.purse(round.banker.player), event.bank
        collected, paid, fee = (result.collected, result.paid, result.fee) if result else (0, 0, 0)
        left = round.banker.funds + collected - paid
        yield Move(account("bank", round.id), purse, micros(left), "funds back")
        yield Move(layout, fees, micros(fee), "rake")
        held[round.banker.player] = held.get(round.banker.player, 0) - fee
    for player, cents in sorted(held.items()):
        yield Move(layout, posting.setting.purse(player), micros(cents), "held back")
