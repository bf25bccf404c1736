"""What a settlement works on: money, seats, lines and the table with its selections."""

from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from typing import Any

from tests.reference import hands
from tests.reference.paytables import (
    MARYLAND,
    OBLIGED,
    PAYTABLES,
    PLAYER_BANKED,
    VERSION_ANTE_BONUS,
    Payout,
    Paytable,
)

Json = dict[str, Any]

ZERO = Decimal(0)
CENT = Decimal("0.01")
MILLIONTH = Decimal("0.000001")

# T5: wagers that the dealer collects before the deal; their stake never comes back.
COLLECTED = {"progressive", "five_card_progressive", "five_card_bonus"}


def money(number: object) -> Decimal:
    """An amount of a file, which is a number or a string."""
    amount = Decimal(str(number))
    if amount != amount.quantize(CENT):
        raise ValueError(f"more than two decimals: {number}")
    return amount


def cents_down(amount: Decimal) -> Decimal:
    """Round down to the cent (T4)."""
    return amount.quantize(CENT, ROUND_DOWN)


def text(amount: Decimal) -> str:
    assert amount == amount.quantize(CENT)
    return f"{amount.quantize(CENT) + ZERO:.2f}"


@dataclass
class Line:
    wager: str
    stake: Decimal
    outcome: str
    paid: Decimal = ZERO
    returned: Decimal = ZERO
    from_seat: int | None = None

    @property
    def net(self) -> Decimal:
        return self.paid + self.returned - self.stake

    def json(self) -> Json:
        result: Json = {
            "wager": self.wager,
            "stake": text(self.stake),
            "outcome": self.outcome,
            "paid": text(self.paid),
            "returned": text(self.returned),
        }
        if self.from_seat is not None:
            result["from_seat"] = self.from_seat
        return result


def loss(wager: str, stake: Decimal, outcome: str = "lose") -> Line:
    return Line(wager, stake, outcome)


def back(wager: str, stake: Decimal, outcome: str = "push") -> Line:
    """A line whose stake comes back and that pays nothing."""
    return Line(wager, stake, outcome, returned=stake)


def win(wager: str, stake: Decimal, paid: Decimal) -> Line:
    return Line(wager, stake, "win", paid, ZERO if wager in COLLECTED else stake)


@dataclass
class Seat:
    number: int
    player: str | None
    cards: list[str]
    wagers: dict[str, Decimal]
    decisions: list[str]
    community_hand: int | None = None
    lines: list[Line] = field(default_factory=list)
    fees: Decimal = ZERO
    hand: str | None = None

    @property
    def person(self) -> tuple[str, object]:
        """Return who sits here: seats of one name are one person, a nameless seat is its own."""
        return ("seat", self.number) if self.player is None else ("player", self.player)

    @property
    def folded(self) -> bool:
        return self.decisions == ["fold"]

    @property
    def called(self) -> bool:
        return self.decisions == ["play"]

    @property
    def net(self) -> Decimal:
        return sum((line.net for line in self.lines), ZERO) - self.fees

    def json(self) -> Json:
        return {
            "seat": self.number,
            "player": self.player,
            "cards": " ".join(self.cards) or None,
            "hand": self.hand,
            "lines": [line.json() for line in self.lines],
            "fees": text(self.fees),
            "net": text(self.net),
        }


@dataclass
class Table:
    """A round that has been read."""

    book: str
    selections: Json
    seats: list[Seat]
    dealer: list[str]
    community: list[str]
    six_card_box: list[str]
    banker: Json | None
    action: int | None
    abandoned: set[int]

    def letter(self, wager: str) -> str:
        default = "A" if wager in OBLIGED[self.book] else "none"
        return str(self.selections.get(wager, default))

    def offers(self, wager: str) -> bool:
        return wager in PAYTABLES[self.book] and self.letter(wager) != "none"

    def paytable(self, wager: str) -> Paytable:
        if wager == "ante_bonus" and self.version != "standard":
            return VERSION_ANTE_BONUS  # M3.
        chosen = self.selections.get(wager)
        if isinstance(chosen, dict):
            # The designated-player book lets the house amend its table (9).
            return {hand: Payout("odds", Decimal(str(odds))) for hand, odds in chosen.items()}
        return PAYTABLES[self.book][wager][self.letter(wager)]

    @property
    def version(self) -> str:
        return str(self.selections.get("version", "standard"))

    @property
    def electronic(self) -> bool:
        return self.selections.get("format") == "electronic"

    def line_of(self, wager: str, titles: list[str]) -> Payout | None:
        """Return the paytable's line for a hand, trying the narrowest of its titles first."""
        paytable = self.paytable(wager)
        return next((paytable[title] for title in titles if title in paytable), None)


def read_cards(place: Json | None) -> list[str]:
    return hands.parse((place or {}).get("cards") or "")


def read_seat(record: Json, table_community: list[str]) -> Seat:
    cards, chosen = read_cards(record), record.get("hand")
    if chosen is not None:
        # M9: the nine community cards are three hands of three.
        cards = table_community[3 * chosen - 3 : 3 * chosen]
    wagers = {name: money(stake) for name, stake in record["wagers"].items()}
    return Seat(
        number=record["seat"],
        player=record.get("player"),
        cards=cards,
        wagers=wagers,
        decisions=list(record.get("decisions") or []),
        community_hand=chosen,
    )


def read_table(record: Json) -> Table:
    """Reads a round that has its cards."""
    book = record["rulebook"]
    if book not in PAYTABLES:
        raise ValueError(f"no such rulebook: {book}")
    community = read_cards(record.get("community"))
    table = Table(
        book=book,
        selections=record.get("selections") or {},
        seats=[read_seat(seat, community) for seat in record["seats"]],
        dealer=read_cards(record.get("banker" if book in PLAYER_BANKED else "dealer")),
        community=community,
        six_card_box=read_cards(record.get("six_card_box")),
        banker=record.get("banker"),
        action=record.get("action"),
        abandoned={
            wrong["seat"]
            for wrong in record.get("irregularities") or []
            if wrong["kind"] == "abandoned"
        },
    )
    table.seats.sort(key=lambda seat: seat.number)
    check(table)
    return table


def check(table: Table) -> None:
    """Check an input for a few of the faults that it may have."""
    numbers = [seat.number for seat in table.seats]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError("seats: at least one, none twice")
    for seat in table.seats:
        for wager, stake in seat.wagers.items():
            offered = wager == "ante" or table.offers(wager)
            if stake <= 0 or not offered:
                raise ValueError(f"seat {seat.number}: {wager}")
    if table.electronic and (table.book != MARYLAND or table.offers("five_card_progressive")):
        raise ValueError("format")
    dealt = [*table.dealer, *table.community, *table.six_card_box]
    if not table.electronic:
        dealt += [card for seat in table.seats for card in seat.cards]
    if len(set(dealt)) < len(dealt):
        raise ValueError("a card is there twice")
