"""The meters of the progressives: their rise, their awards and their resets (T4, M7, M8, L7)."""

from decimal import ROUND_DOWN, Decimal
from typing import Any

from tests.reference.model import MILLIONTH, ZERO, Json, Table, cents_down, money, text
from tests.reference.paytables import MARYLAND, MARYLAND_RATES, RESETS, Payout

WAGERS = ("progressive", "five_card_progressive")


def names(table: Table, wager: str) -> list[str]:
    """The meters of a paytable in the order in which it names them: mega, major, minor."""
    payouts = table.paytable(wager).values()
    return list(dict.fromkeys(line.meter for line in payouts if line.kind == "meter"))


def full_name(wager: str, meter: str) -> str:
    return f"{wager}_{meter}" if meter else wager


def declared(selection: Any, meter: str) -> Decimal | None:
    """Return the amount for one meter: a sum is for all of them, a table may omit some."""
    if isinstance(selection, dict):
        selection = selection.get(meter)
    return None if selection is None else money(selection)


class Meters:
    """Amounts by full name, without those that nobody has set."""

    def __init__(self, table: Table, shown: Json) -> None:
        self.table = table
        self.now: dict[str, Decimal] = {}
        self.resets: dict[str, Decimal] = {}
        for wager in WAGERS:
            if table.offers(wager):
                for meter in names(table, wager):
                    self.set_up(wager, meter, shown)
        self.before = dict(self.now)

    def set_up(self, wager: str, meter: str, shown: Json) -> None:
        select = self.table.selections.get
        name = full_name(wager, meter)
        reset = declared(select(f"{wager}_reset"), meter)
        least = RESETS[self.table.book, wager]
        if reset is None and meter in least:
            reset = Decimal(least[meter])
        initial = declared(select(f"{wager}_initial"), meter)
        start = money(shown[name]) if name in shown else reset if initial is None else initial
        if start is not None:
            self.now[name] = start
        if reset is not None:
            self.resets[name] = reset

    def rate(self, wager: str) -> Decimal:
        rate = self.table.selections.get(f"{wager}_rate")
        if rate is not None:
            return Decimal(str(rate))
        if self.table.book == MARYLAND and wager == "progressive":
            lowest = MARYLAND_RATES.get(self.table.letter(wager))
            if lowest is not None:
                return lowest
        raise ValueError(f"{wager}_rate must be declared")

    def close_bets(self) -> None:
        """M8: the meters rise when bets close, before anything is paid."""
        for wager in WAGERS:
            wagered = sum((seat.wagers.get(wager, ZERO) for seat in self.table.seats), ZERO)
            if wagered:
                self.rise(wager, self.rate(wager) * wagered)

    def rise(self, wager: str, amount: Decimal) -> None:
        """Add each share, rounded down to the millionth; the remainder goes to the first meter."""
        meters = names(self.table, wager)
        if any(full_name(wager, meter) not in self.resets for meter in meters):
            raise ValueError(f"{wager}_reset must be declared")
        amount = amount.quantize(MILLIONTH, ROUND_DOWN)
        shares = self.table.selections.get(f"{wager}_shares")
        parts = {}
        for meter in meters:
            part = amount * Decimal(str(shares[meter])) if shares else amount / len(meters)
            parts[meter] = part.quantize(MILLIONTH, ROUND_DOWN)
        parts[meters[0]] += amount - sum(parts.values())
        for meter, part in parts.items():
            self.now[full_name(wager, meter)] += part

    def award(self, wager: str, payout: Payout) -> Decimal:
        """Pays a share of the meter; the whole of it resets the meter at once (M8)."""
        name = full_name(wager, payout.meter)
        paid = cents_down(self.now[name] * payout.amount / 100)
        self.now[name] -= paid
        if payout.amount == 100:
            self.now[name] += self.resets[name]
        return paid

    def change(self) -> Decimal:
        """Return what the meters gained, in the cents that they show."""
        return sum((cents_down(self.now[name]) - self.before[name] for name in self.now), ZERO)

    def json(self) -> Json:
        return {name: text(cents_down(amount)) for name, amount in self.now.items()}
