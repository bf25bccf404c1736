"""Strategies in words: as a player reads them, and compared with the choices hand by hand."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from croupier.cards import Card, format_cards
from croupier.hands.ranking import Ranking
from croupier.odds import paths
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.paths import PathNode
from croupier.odds.seats import REST, SEATS
from croupier.odds.solve import Choices, Model
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import BookPath
from tests.odds.bets import table
from tests.odds.reading import Cards, Told, against_a_bank, by_a_paytable, name_of, patterns
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book

RIDE_1 = (
    "Bet 1: let it ride with a hand that already pays; "
    "three suited cards that fit three straights (as 10-J-Q); "
    "three suited cards that fit two straights with at least one from the ten up (as J-Q-K); "
    "three suited cards that fit one straight with at least two from the ten up (as Q-K-A). "
    "Otherwise pull."
)
RIDE_2 = (
    "Bet 2: let it ride with a hand that already pays; any four cards of one suit; "
    "four cards that fit two straights with at least one from the ten up (as 10-J-Q-K). "
    "Otherwise pull."
)
SHOWN = (
    "Against an ace play A-9-2 or better.",
    "Against a king play K-9-2 or better.",
    "Against a queen play Q-9-2 or better.",
    "Against a jack or lower play every hand.",
)


@pytest.mark.parametrize(
    ("id", "sentences"),
    [
        (MARYLAND, ("Play Q-6-4 or better.",)),
        (SINGAPORE, ("Play Q-6-4 or better.",)),
        (FLORIDA, ("Call Q-6-4 or better.",)),
        (CALIFORNIA, SHOWN),
        (LET_IT_RIDE, (RIDE_1, RIDE_2)),
    ],
)
def test_the_main_game_of_every_book(id: str, sentences: tuple[str, ...]) -> None:
    assert analyze(table(id)).strategy == sentences


@pytest.mark.parametrize(
    ("id", "said", "sentences"),
    [
        (MARYLAND, "always play", ("Play every hand.",)),
        (MARYLAND, "always fold", ("Fold every hand.",)),
        (MARYLAND, "2-2-3", ("Play 2-2-3 or better.",)),
        (MARYLAND, "A-2-3", ("Play straight 3-2-A or better.",)),
        (MARYLAND, "9-9-9", ("Play three of a kind 9-9-9 or better.",)),
        (CALIFORNIA, "always play", ("Against an ace or lower play every hand.",)),
        (CALIFORNIA, "K-9-2", ("Against an ace or lower play K-9-2 or better.",)),
        (
            LET_IT_RIDE,
            "always ride",
            ("Bet 1: let it ride with every hand.", "Bet 2: let it ride with every hand."),
        ),
        (
            LET_IT_RIDE,
            "always pull",
            ("Bet 1: pull with every hand.", "Bet 2: pull with every hand."),
        ),
    ],
)
def test_a_named_strategy_is_described_as_it_is_played(
    id: str, said: str, sentences: tuple[str, ...]
) -> None:
    assert analyze(table(id), strategy=said).strategy == sentences


def test_a_bet_without_decisions_has_no_sentences() -> None:
    assert analyze(table(MARYLAND), {"pair_plus": 1}).strategy == ()


def test_exceptions_are_named() -> None:
    """Low cards that fit many straights are worth a five-card progressive that folding loses."""
    rules = table(MARYLAND, five_card_progressive="A")
    (sentence,) = analyze(rules, {"ante": 1, "five_card_progressive": 1}).strategy
    assert sentence == (
        "Play J-10-7 or better, and also 5-3-2, 6-3-2, 5-4-2, 6-4-2, 6-5-2, 6-4-3, 7-4-3, 6-5-3, "
        "7-5-3, 7-6-3, 7-5-4, 8-5-4 and 18 more hands."
    )


def test_a_limit_makes_the_second_decision_depend_on_the_first() -> None:
    """L6: under a limit of $20 a second bet can gain only if the first was pulled."""
    found = analyze(table(LET_IT_RIDE, payout_limit=20), {"let_it_ride": 10}).strategy
    assert found == (
        "Bet 1: pull with every hand.",
        "Bet 2 (after pull): let it ride with a pair that already pays. Otherwise pull.",
        "Bet 2 (after let it ride): pull with every hand.",
    )


# ---------------------------------------------------------------- hand by hand


def nodes(
    node: PathNode, before: tuple[tuple[str, str], ...] = ()
) -> Iterator[tuple[str, Any, Any]]:
    """The key of every decision, the decision, and the steps and options that led to it."""
    if isinstance(node, paths.Path):
        return
    yield ".".join((*(name for _, name in before), node.step)), node, before
    for name, child in node.options:
        yield from nodes(child, (*before, (node.step, name)))


def label(model: Model, step: str, name: str) -> str:
    return model.rules.steps[step].option[name].label


def views(model: Model, choices: list[Choices], key: str) -> Iterator[tuple[Cards, Any, set[bool]]]:
    """Every class of seats with every card that it may see, and what it does as suits are turned.

    Seats that see no card have None for it.
    """
    main = model.main
    assert main is not None
    chosen = [choice[key] for choice in choices]
    sees = len(chosen[0]) != len(SEATS)
    for place, seat in enumerate(SEATS.tolist()):
        cards = tuple(map(Card, seat))
        if not sees:
            yield cards, None, {bool(choice[place]) for choice in chosen}
            continue
        assert main.counted.where is not None
        for card, entry in zip(REST[place].tolist(), main.counted.where[place], strict=True):
            yield cards, Card(card), {bool(choice[entry]) for choice in chosen}


def check_words(found: Analysis) -> None:
    """Do what the sentences say with every hand, and compare it with the choices."""
    model = found.model
    for key, node, before in nodes(model.root):
        most, least = (label(model, node.step, node.options[n][0]) for n in (-1, 0))
        if model.main and model.main.contested:
            told = against_a_bank(found.strategy, most, model.ranking)
            check_bank(told, views(model, found.solved.choices, key), model.ranking)
            continue
        asked = str(model.rules.steps[node.step].asks).replace("_", " ").capitalize()
        after = " and ".join(label(model, step, name).lower() for step, name in before)
        starts = (f"{asked}: ", f"{asked} (after {after}): ")
        own = [
            sentence.removeprefix(start)
            for sentence in found.strategy
            for start in starts
            if sentence.startswith(start)
        ]
        check_ride(by_a_paytable(own, (most, least)), views(model, found.solved.choices, key))


def check_bank(told: list[Told], seen: Any, ranking: Ranking) -> None:
    missed: dict[int, set[tuple[str, str]]] = defaultdict(set)
    ranks = set()
    for cards, up, does in seen:
        rank = up.rank if up is not None else 0
        ranks.add(rank)
        says = told[rank].answer(cards)
        if says is None:
            assert does == {True, False} or up is not None
        elif does != {says}:
            missed[rank].add((name_of(cards, ranking), patterns(cards)[-1]))
    for rank in ranks:
        names, more = missed[rank], told[rank].more
        assert len({short for short, _ in names}) <= more <= len(names), names


def check_ride(told: Told, seen: Any) -> None:
    missed = set()
    for cards, up, does in seen:
        known = cards if up is None else (*cards, up)
        if does != {told.answer(known)}:
            missed.add(format_cards(known))
    assert len(missed) == told.more, sorted(missed)[:5]
    assert told.like <= missed


BANKED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (MARYLAND, {}, {"ante": 1}),
    (MARYLAND, {"ante_bonus": "C"}, {"ante": 1, "pair_plus": 9}),
    (MARYLAND, {"six_card_bonus": "A"}, {"ante": 1, "six_card_bonus": 5}),
    *[
        (MARYLAND, {"five_card_progressive": letter}, {"ante": ante, "five_card_progressive": 1})
        for letter, ante in (("A", 1), ("A", 5), ("A", "1/4"), ("B", 2), ("C", "1/10"))
    ],
    (SINGAPORE, {}, {"ante": 1, "pair_plus": 1}),
    (FLORIDA, {}, {"ante": 1, "pair_plus": 1}),
    (FLORIDA, {}, {"ante": 1, "pair_plus": 40}),
    (FLORIDA, {"pair_plus_when_beaten": "push"}, {"ante": 1, "pair_plus": 40}),
    (CALIFORNIA, {}, {"ante": 1, "pair_plus": 5}),
]


@pytest.mark.parametrize(("id", "selections", "bet"), BANKED)
def test_every_hand_against_a_bank_does_what_is_said(
    id: str, selections: dict[str, Any], bet: dict[str, Any]
) -> None:
    found = analyze(table(id, **selections), bet)
    check_words(found)
    assert found.strategy


@pytest.mark.parametrize("letter", "ABC")
def test_every_hand_does_what_is_said_under_another_order_of_hands(letter: str) -> None:
    reading = {BookPath("ranking.three_cards"): "card by card"}
    rules = resolve(book(MARYLAND), {"five_card_progressive": letter}, reading=reading)
    found = analyze(rules, {"ante": 1, "five_card_progressive": 1})
    check_words(found)
    assert "or better" in found.strategy[0]


@pytest.mark.parametrize(("letter", "limit", "stake"), [("A", None, 1), ("C", 25, 1)])
def test_every_hand_rides_as_is_said(letter: str, limit: int | None, stake: int) -> None:
    selections: dict[str, Any] = {"let_it_ride": letter}
    if limit:
        selections["payout_limit"] = limit
    found = analyze(table(LET_IT_RIDE, **selections), {"let_it_ride": stake})
    check_words(found)
    assert len(found.strategy) >= 2


@pytest.mark.long
@pytest.mark.parametrize("letter", "ABC")
@pytest.mark.parametrize("limit", [1, 3, 5, 10, 15, 20, 25, 33, 50, 60, 100, 150, 200, 500, 2000])
def test_every_hand_rides_as_is_said_whatever_the_limit(letter: str, limit: int) -> None:
    rules = table(LET_IT_RIDE, let_it_ride=letter, payout_limit=limit)
    check_words(analyze(rules, {"let_it_ride": 1}))
