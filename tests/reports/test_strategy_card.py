"""The strategy card: figures of the table's own rules, and why some are missing."""

import json
from pathlib import Path

import pytest

from croupier.odds.analysis import analyze
from croupier.odds.scope import outside
from croupier.reports.figures import percent
from croupier.reports.strategy_card import strategy_card
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND
from tests.schemas.checking import faults

BOOKS = Path(__file__).parents[1] / "data/books"


@pytest.mark.parametrize("book", [CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND])
def test_the_card_has_the_figures_of_the_odds(book: str) -> None:
    rules = resolve(load(book), {})
    card, best = strategy_card(rules), analyze(rules)
    assert faults("strategy", json.loads(json.dumps(card.as_json()))) == []
    assert card.strategy == best.strategy
    assert card.wagers[0].house_edge == percent(best.house_edge, 2)
    assert card.wagers[0].returns == percent(1 - best.house_edge, 2)


def test_another_paytable_makes_another_card() -> None:
    cards = [strategy_card(resolve(load(MARYLAND), {"pair_plus": letter})) for letter in "AB"]
    edges = [{w.wager: w.house_edge for w in card.wagers}["pair_plus"] for card in cards]
    assert edges[0] != edges[1]
    assert cards[0].digest != cards[1].digest


def test_known_costs_of_simpler_ways() -> None:
    habits = {h.says: h.cost for h in strategy_card(resolve(load(MARYLAND), {})).habits}
    assert habits == {
        "Fold every hand": "96.63 %",
        "Play every hand": "4.28 %",
        "Play only what qualifies for the dealer": "0.08 %",
    }


def test_each_meter_is_named_and_breaks_even_at_a_sum_that_it_can_show() -> None:
    silver = load("silver-state", (BOOKS,))
    card = strategy_card(resolve(silver, {"progressive": "A", "progressive_rate": "1/4"}))
    (jackpot,) = [one for one in card.wagers if one.wager == "progressive"]
    # With the major meter at $5,000 the wager is worth it, whatever the minor one shows.
    assert jackpot.note == (
        "with the major meter at $5,000; breaks even at $2,806, with the minor meter at $250"
    )


OTHERS = [file.stem for file in sorted(BOOKS.glob("*.toml"))]


@pytest.mark.parametrize("book", OTHERS)
def test_any_book_has_a_card_or_the_reason_why_not(book: str) -> None:
    rules = resolve(load(book, (BOOKS,)), {})
    card = strategy_card(rules)
    assert card.left_out == (outside(rules) or "")
    assert bool(card.strategy) == bool(card.wagers) == (not card.left_out)
