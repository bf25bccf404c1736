"""What the writer writes, the reader reads back as it was, also by way of JSON."""

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from croupier.money import Cents
from croupier.reading.reader import Reader
from croupier.rules.book import Clause, Rules, Ruling, Selection
from croupier.rules.game import (
    Bank,
    Bonus,
    Deal,
    Deck,
    Envy,
    Irregularity,
    Paytable,
    Place,
    Row,
    Step,
    Wager,
)
from croupier.rules.writer import write
from tests.rules.books import MARYLAND, book, each_book, sixth

SECTIONS: dict[str, Any] = {
    "wager": Wager,
    "bonus": Bonus,
    "envy": Envy,
    "place": Place,
    "step": Step,
    "deal": Deal,
    "irregularity": Irregularity,
    "selection": Selection,
    "ruling": Ruling,
    "clause": Clause,
}


def again(shape: Any, value: Any) -> Any:
    """The value, written as JSON, read from it, and read as its shape."""
    reader = Reader()
    text = json.dumps(write(shape, value))
    read = reader.read(shape, json.loads(text, parse_float=Decimal))
    assert reader.faults == []
    return read


@each_book
@pytest.mark.parametrize("section", SECTIONS)
def test_every_part_of_a_book_comes_back(id: str, section: str) -> None:
    parts: Mapping[str, Any] = getattr(book(id).rules, section)
    shape = SECTIONS[section]
    changed = [name for name, part in parts.items() if not same(shape, part)]
    assert changed == []


def same(shape: Any, value: Any) -> bool:
    """Whether a value comes back; where any value will do, a decimal comes back as its text."""
    back = again(shape, value)
    written = shape in (Ruling, Selection) and write(shape, back) == write(shape, value)
    return bool(back == value or written)


@each_book
def test_every_paytable_comes_back(id: str) -> None:
    tables = [t for letters in book(id).rules.paytable.values() for t in letters.values()]
    assert [table for table in tables if again(Paytable, table) != table] == []


@each_book
def test_deck_and_bank_come_back(id: str) -> None:
    rules = book(id).rules
    assert again(Deck, rules.deck) == rules.deck
    assert again(Bank, rules.bank) == rules.bank


def test_a_whole_book_comes_back() -> None:
    assert again(Rules, sixth().rules) == sixth().rules


@pytest.mark.parametrize(
    ("shape", "value", "expected"),
    [
        (Cents, 10_50, "10.50"),
        (Cents | None, 10_00, "10.00"),
        (tuple[Cents, ...], (1_00, 5_00), ["1.00", "5.00"]),
        (Fraction, Fraction(3, 2), "1.5"),
        (Fraction, Fraction(1000), "1000"),
        (Fraction, Fraction(1, 3), "1/3"),
        (bool, True, True),
        (str, "x", "x"),
    ],
)
def test_values_are_written_plainly(shape: Any, value: Any, expected: Any) -> None:
    assert write(shape, value) == expected


def test_what_has_its_default_is_not_written() -> None:
    assert write(Row, Row(hand="pair", for_=Fraction(2))) == {"hand": "pair", "for": "2"}


def test_a_row_is_written_as_in_the_file() -> None:
    row = book(MARYLAND).rules.paytable["envy"]["A"].rows[0]
    assert write(Row, row) == {
        "hand": "mini royal",
        "suits": "s",
        "stake": "1.00",
        "amount": "100.00",
        "clause": "12.E(5)(a)(i)",
    }
