"""A settler keeps the rules of the tables that it met last, and no more."""

from typing import Any

import pytest

from croupier.round import settler
from croupier.round.settler import Settler
from croupier.rules.resolve import resolve
from tests.rules.books import SINGAPORE


@pytest.mark.parametrize(("kept", "times"), [(1, 4), (2, 3), (3, 3)])
def test_rules_are_cached_up_to_a_number_of_tables(
    kept: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[dict[str, Any]]()

    def noted(book: Any, selections: dict[str, Any]) -> Any:
        read.append(selections)
        return resolve(book, selections)

    monkeypatch.setattr(settler, "resolve", noted)
    monkeypatch.setattr(settler, "RULES_MAX", kept)
    one = Settler()
    for limit in (500, 600, 500, 700):
        seats = [{"seat": 1, "wagers": {"ante": "5"}, "cards": "Ah Kh Qh", "decisions": ["play"]}]
        told = {"rulebook": SINGAPORE, "selections": {"limits": {"ante": [5, limit]}}}
        net = one.settle({**told, "seats": seats, "dealer": {"cards": "2c 3d 5h"}})["house"]
        assert net != "0.00"
    assert len(read) == times
