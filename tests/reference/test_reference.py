"""Rounds worked by hand, known frequencies, and properties of every random round."""

import random
from collections import Counter
from decimal import Decimal
from itertools import combinations

import pytest

from tests.reference import hands
from tests.reference.model import Json
from tests.reference.paytables import (
    BOOKS,
    CALIFORNIA,
    FLORIDA,
    MARYLAND,
    MARYLAND_PAIR_PLUS,
    PAYTABLES,
    RIDE,
    SINGAPORE,
)
from tests.reference.rounds import random_round
from tests.reference.settlement import settle


def seat(text: str, cards: str, *decisions: str, **wagers: object) -> Json:
    """A seat such as "3 ann"; without a name the player is not named."""
    number, _, player = text.partition(" ")
    result: Json = {"seat": int(number), "cards": cards, "wagers": wagers}
    result["decisions"] = list(decisions)
    return result | ({"player": player} if player else {})


def lines(result: Json, number: int) -> list[str]:
    """Each line as "wager outcome paid returned"."""
    found = next(seat for seat in result["seats"] if seat["seat"] == number)
    return [
        f"{line['wager']} {line['outcome']} {line['paid']} {line['returned']}"
        + (f" from {line['from_seat']}" if "from_seat" in line else "")
        for line in found["lines"]
    ]


def net(result: Json, number: int) -> str:
    return str(next(seat["net"] for seat in result["seats"] if seat["seat"] == number))


def test_three_card_frequencies() -> None:
    deals = list(combinations(hands.DECK, 3))
    counts = Counter(map(hands.three_card_name, deals))
    assert counts == {
        "mini royal": 4,
        "straight flush": 44,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high card": 16440,
    }
    assert sum(map(hands.queen_high_or_better, deals)) == 15380  # 69.59 % of 22,100.


@pytest.mark.parametrize(("letter", "gain"), [("C", -1608), ("D", -512), ("B", -1232)])
def test_pair_plus_edges(letter: str, gain: int) -> None:
    """The published edges: 7.28 %, 2.32 % and 5.57 % of 22,100 hands."""
    counts = {"straight flush": 48, "three of a kind": 52, "straight": 720}
    counts |= {"flush": 1096, "pair": 3744}
    table = MARYLAND_PAIR_PLUS[letter]
    won = sum(times * table[hand].amount for hand, times in counts.items())
    assert won - (22100 - sum(counts.values())) == gain


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("As Ks Qs Js Ts", "royal flush"),
        ("Ah 2h 3h 4h 5h", "straight flush"),
        ("Ah 2c 3h 4h 5h", "straight"),
        ("Qh Kc Ah 2h 3h", "high card"),
        ("9s 9h 9d 9c 2s", "four of a kind"),
        ("9s 9h 9d 2c 2s", "full house"),
        ("9s 9h 3d 2c 2s", "two pair"),
    ],
)
def test_five_card_names(cards: str, name: str) -> None:
    assert hands.five_card_name(hands.parse(cards)) == name


def test_order_of_three_cards() -> None:
    """T1, the lowest hand first."""
    order = ["5s 3d 2c", "As Kd Jc", "2s 2d Ac", "4s 4d 3c", "5s 3s 2s", "Ad Kd 9d"]
    order += ["As 2d 3c", "4s 3d 2c", "As Kd Qc", "2s 2d 2c", "As 2s 3s", "4s 3s 2s", "Ah Kh Qh"]
    strengths = [hands.three_card_strength(hands.parse(cards)) for cards in order]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == len(strengths)


def test_maryland_mini_royal_of_spades() -> None:
    result = settle(
        {
            "rulebook": MARYLAND,
            "selections": {"progressive": "A"},
            "meters": {"progressive": 2500},
            "dealer": {"cards": "Qh 7d 2c"},
            "seats": [seat("1 ann", "As Ks Qs", "play", ante=10, pair_plus="5.00", progressive=1)],
        }
    )
    assert lines(result, 1) == [
        "ante win 10.00 10.00",
        "play win 10.00 10.00",
        "ante_bonus win 50.00 0.00",
        "pair_plus win 175.00 5.00",
        "progressive win 2500.14 0.00",
    ]
    assert net(result, 1) == "2744.14"
    assert result["meters"] == {"progressive": "1000.00"}
    assert result["house"] == "-1244.14"


def test_maryland_folds_and_envies() -> None:
    """M4 and M5: a fold loses all but the Six Card Bonus, and the right to give envy."""
    result = settle(
        {
            "rulebook": MARYLAND,
            "selections": {
                "progressive": "C",
                "progressive_wager": [1, 5],
                "progressive_rate": Decimal("0.2"),
                "six_card_bonus": "B",
            },
            "dealer": {"cards": "Js Ts 9s"},
            "seats": [
                seat("1 ann", "2h 3d 7c", "fold", ante=10, pair_plus=5, progressive=5),
                seat("2 bob", "Ah Kh Qh", pair_plus=2),
                seat("4 cat", "As Ks Qs", "fold", ante=10, six_card_bonus=1, progressive=1),
                seat("5 ann", "Ad Kd Qd", "play", ante="7.13", progressive=5),
            ],
        }
    )
    assert lines(result, 5) == [
        "ante win 7.13 7.13",
        "play win 7.13 7.13",
        "ante_bonus win 35.65 0.00",
        "progressive win 1001.10 0.00",
        "envy win 125.00 0.00 from 2",
    ]
    assert lines(result, 4) == [
        "ante forfeit 0.00 0.00",
        "progressive forfeit 0.00 0.00",
        "envy win 25.00 0.00 from 5",
        "envy win 25.00 0.00 from 2",
        "six_card_bonus win 100000.00 1.00",
    ]
    assert lines(result, 2) == ["pair_plus win 70.00 2.00"]
    assert lines(result, 1) == [
        "ante forfeit 0.00 0.00",
        "pair_plus forfeit 0.00 0.00",
        "progressive forfeit 0.00 0.00",
        "envy win 125.00 0.00 from 2",
    ]
    # 11 dollars wagered raise each meter by 1.10; the minor one was paid and reset.
    assert result["meters"] == {"progressive_major": "1001.10", "progressive_minor": "1000.00"}
    assert result["order"] == [5, 4, 2, 1]


def test_maryland_five_card_meter_pays_twice() -> None:
    """M8: the straight flush at the dealer's right wins 10 %, then the royal the rest."""
    result = settle(
        {
            "rulebook": MARYLAND,
            "selections": {
                "five_card_progressive": "A",
                "five_card_progressive_rate": Decimal("0.333333"),
                "five_card_progressive_reset": 500,
                "five_card_envy": {"royal flush": 40, "straight flush": "7.50"},
            },
            "meters": {"five_card_progressive": "1000.05"},
            "dealer": {"cards": "2h 3d 5c"},
            "community": {"cards": "Js Ts"},
            "seats": [
                seat("1", "As Ks Qs", "play", ante=1, five_card_progressive=1),
                seat("2", "9s 8s 7s", "play", ante=1, five_card_progressive=1),
            ],
        }
    )
    # 1000.716666 × 10 % is 100.07 and leaves 900.646666.
    assert lines(result, 2)[-2:] == [
        "five_card_progressive win 100.07 0.00",
        "envy win 40.00 0.00 from 1",
    ]
    assert lines(result, 1)[-2:] == [
        "five_card_progressive win 900.64 0.00",
        "envy win 7.50 0.00 from 2",
    ]
    assert lines(result, 1)[:2] == ["ante win 1.00 1.00", "play push 0.00 1.00"]
    assert result["meters"] == {"five_card_progressive": "500.00"}


def test_maryland_electronic() -> None:
    """M9: two players on the mini royal; the third one envies both, once each."""
    wagers = {"ante": 5, "progressive": 1}
    result = settle(
        {
            "rulebook": MARYLAND,
            "selections": {"format": "electronic", "progressive": "B", "version": "7.G(1)"},
            "dealer": {"cards": "2s 3s 4d"},
            "community": {"cards": "Ah Kh Qh 2c 2d 9c 5c 6d 8c"},
            "seats": [
                {"seat": n, "hand": hand, "player": who, "wagers": wagers, "decisions": ["play"]}
                for n, hand, who in [(1, 1, "a"), (2, 1, "b"), (3, 2, "c"), (4, 3, "a")]
            ],
        }
    )
    assert lines(result, 1) == [
        "ante win 5.00 5.00",
        "play win 5.00 5.00",
        "ante_bonus win 250.00 0.00",
        "progressive win 500.00 0.00",
    ]
    assert lines(result, 3)[3:] == ["envy win 25.00 0.00 from 2", "envy win 25.00 0.00 from 1"]
    assert lines(result, 4)[2:] == ["progressive lose 0.00 0.00"]
    assert result["meters"] == {"progressive": "1000.80"}


def test_maryland_abandoned_and_void() -> None:
    record: Json = {
        "rulebook": MARYLAND,
        "dealer": {"cards": "Qh 7d 2c"},
        "irregularities": [{"kind": "abandoned", "seat": 1}],
        "seats": [seat("1", "As Ks Qs", ante=10, pair_plus=5)],
    }
    result = settle(record)
    assert lines(result, 1) == ["ante lose 0.00 0.00", "pair_plus lose 0.00 0.00"]
    assert result["house"] == "15.00"
    record["irregularities"].append({"kind": "stub_count", "cards": 51})
    result = settle(record)
    assert lines(result, 1) == ["ante void 0.00 10.00", "pair_plus void 0.00 5.00"]
    assert result["order"] == []
    assert result["dealer"] == {"cards": "Qh 7d 2c", "hand": None, "qualifies": None}


def test_singapore_fold_keeps_the_rest_in_play() -> None:
    result = settle(
        {
            "rulebook": SINGAPORE,
            "selections": {"progressive_rate": Decimal("0.05"), "progressive_reset": 5000},
            "meters": {"progressive": 6000},
            "dealer": {"cards": "Js 7d 2c"},
            "seats": [
                seat("1", "Ah Kh Qh", "fold", ante=10, pair_plus=5, progressive="2.50"),
                seat("2", "As Ks Qs", pair_plus=5),
                seat("3", "4h 5d 6c", "play", ante=10, progressive="2.50"),
            ],
        }
    )
    assert lines(result, 1) == [
        "ante forfeit 0.00 0.00",
        "pair_plus win 200.00 5.00",
        "progressive win 1250.00 0.00",
    ]
    assert lines(result, 3) == [
        "ante win 10.00 10.00",
        "play push 0.00 10.00",
        "ante_bonus win 10.00 0.00",
        "progressive win 15.00 0.00",
        "envy win 50.00 0.00 from 1",
    ]
    assert result["meters"] == {"progressive": "6000.25"}


def california(**more: object) -> Json:
    """Bank at 8 with 25 and queen high; seat 2 loses 20, seats 5 and 7 win."""
    return {
        "rulebook": CALIFORNIA,
        "banker": {"seat": 8, "funds": 25, "cards": "Qh 7d 2c"},
        "seats": [
            seat("2", "Js 5h 3c", "play", ante=10),
            seat("5", "Ks 5d 3h", "play", ante=20),
            seat("7", "9s 9d 3d", "play", ante=5, pair_plus=3),
        ],
        **more,
    }


def test_california_pays_while_the_money_lasts() -> None:
    result = settle(california(action=7, selections={"fees": [{"up_to": 100, "fee": "0.50"}]}))
    # 45 to pay with: 5 + 5 + 3 at seat 7, then 20 and 12 of 20 at seat 5.
    assert lines(result, 7) == [
        "ante win 5.00 5.00",
        "play win 5.00 5.00",
        "pair_plus win 3.00 3.00",
    ]
    assert lines(result, 5) == ["ante win 20.00 20.00", "play win 12.00 20.00"]
    assert (net(result, 7), net(result, 2), result["house"]) == ("12.00", "-20.50", "2.00")
    assert result["banker"]["net"] == "-25.00"
    assert result["order"] == [7, 2, 5]


def test_california_wager_limit() -> None:
    result = settle(california(selections={"payoff_limit": "wager", "player_dealer_fee": 1}))
    # 25 to pay with, from seat 2 on: 20 and 5 of 20 at seat 5, nothing at seat 7.
    assert lines(result, 5) == ["ante win 20.00 20.00", "play win 5.00 20.00"]
    assert lines(result, 7) == [
        "ante uncovered 0.00 5.00",
        "play uncovered 0.00 5.00",
        "pair_plus uncovered 0.00 3.00",
    ]
    banker = {"seat": 8, "funds": "25.00", "collected": "20.00", "paid": "25.00", "net": "-6.00"}
    assert result["banker"] == banker
    assert result["house"] == "1.00"


def test_florida_dead_hands_and_rake() -> None:
    """F4 and F5: from seat 4; the funds are 20, then 35, then 15."""
    result = settle(
        {
            "rulebook": FLORIDA,
            "selections": {"rake": {"payer": "all", "amount": 1}},
            "banker": {"seat": 3, "funds": 20, "cards": "Kh 7d 2c"},
            "seats": [
                seat("1 ann", "Js 5h 3c", "play", ante=10),
                seat("2 eve", "Ks 7h 2d", "play", ante=5, pair_plus=1),
                seat("4 ann", "Ts 5d 3h", "fold", ante=10, pair_plus=5),
                seat("6 bob", "As 9d 3d", "play", ante=10, pair_plus=5),
                seat("7 cat", "Ac Ad Ah", "play", ante=1, pair_plus=2),
            ],
        }
    )
    assert result["order"] == [4, 6, 7, 1, 2]
    assert lines(result, 6) == [
        "ante win 10.00 10.00",
        "play win 10.00 10.00",
        "pair_plus lose 0.00 0.00",
    ]
    # Seat 7 is due 62 and the funds are 20; seat 1 stakes 20 and loses it; seat 2 ties.
    assert lines(result, 7)[2] == "pair_plus uncovered 0.00 2.00"
    assert lines(result, 1) == ["ante lose 0.00 0.00", "play lose 0.00 0.00"]
    assert lines(result, 2)[2] == "pair_plus push 0.00 1.00"
    fees = {found["seat"]: found["fees"] for found in result["seats"]}
    assert fees == {1: "1.00", 2: "1.00", 4: "0.00", 6: "1.00", 7: "0.00"}
    assert result["banker"]["net"] == "19.00"  # 15 + 5 + 20 taken, 20 paid, 1 of rake.
    assert result["house"] == "4.00"


def test_let_it_ride() -> None:
    result = settle(
        {
            "rulebook": RIDE,
            "selections": {
                "five_card_bonus": "D",
                "three_card_bonus": "C",
                "six_card_bonus": "A",
                "progressive": "E",
                "progressive_rate": Decimal("0.1"),
                "payout_limit": 1500,
            },
            "community": {"cards": "Jd Td"},
            "six_card_box": {"cards": "9d 2c 2h"},
            "seats": [
                seat("1", "Ts 4s 4c", "ride", "withdraw", let_it_ride=3, progressive=5),
                {
                    "seat": 3,
                    "cards": "Ad Kd Qd",
                    "decisions": ["ride", "ride"],
                    "wagers": {
                        "let_it_ride": 1,
                        "five_card_bonus": 1,
                        "three_card_bonus": 2,
                        "six_card_bonus": 1,
                        "progressive": 1,
                    },
                },
            ],
        }
    )
    assert lines(result, 3) == [
        "bet_1 win 1000.00 1.00",
        "bet_2 win 500.00 1.00",
        "bet_3 win 0.00 1.00",
        "five_card_bonus win 10000.00 0.00",
        "three_card_bonus win 80.00 2.00",
        "six_card_bonus lose 0.00 0.00",
        "progressive win 10000.20 0.00",
    ]
    assert lines(result, 1) == [
        "bet_1 win 6.00 3.00",
        "bet_2 withdrawn 0.00 3.00",
        "bet_3 win 6.00 3.00",
        "progressive lose 0.00 0.00",
        "envy win 5000.00 0.00 from 3",
    ]
    assert result["meters"] == {
        "progressive_mega": "10000.00",
        "progressive_major": "1000.20",
        "progressive_minor": "250.20",
    }


@pytest.mark.parametrize(
    ("dealing", "box", "first", "second"),
    [
        ("hand", True, "2c 3d 4h", "3s 3c 4d"),
        ("hand", False, "2s 2c 3d", "2h 3s 3c"),
        ("automated_shoe", True, "3d 3c 4s", "4h 4d 4c"),
    ],
)
def test_let_it_ride_deals(dealing: str, box: bool, first: str, second: str) -> None:
    """From 2s 2h 2d 2c 3s …: the box, then one card at a time or stacks (L4, L8)."""
    record: Json = {
        "rulebook": RIDE,
        "dealing": dealing,
        "selections": {"six_card_bonus": "A" if box else "none", "community_stack": 3},
        "deck": " ".join(hands.DECK),
        "seats": [
            {"seat": n, "wagers": {"let_it_ride": 1}, "decisions": ["ride", "ride"]} for n in (2, 6)
        ],
    }
    result = settle(record)
    assert [found["cards"] for found in result["seats"]] == [first, second]


@pytest.mark.parametrize("book", BOOKS)
def test_random_rounds_add_up(book: str) -> None:
    rng = random.Random(book)
    for _ in range(300):
        record = random_round(book, rng)
        result = settle(record)
        for found in result["seats"]:
            nets = [
                Decimal(line["paid"]) + Decimal(line["returned"]) - Decimal(line["stake"])
                for line in found["lines"]
            ]
            assert Decimal(found["net"]) == sum(nets) - Decimal(found["fees"])
        assert len(result["order"]) == (0 if result["void"] else len(record["seats"]))
        if result["void"]:
            assert Decimal(result["house"]) == 0
        if result["banker"]:
            check_banked(result)


def check_banked(result: Json) -> None:
    """The house gets the fees; the bank gets what seats lose and pays as far as its funds go."""
    fees = sum(Decimal(found["fees"]) for found in result["seats"])
    before_fees = sum(Decimal(found["net"]) for found in result["seats"]) + fees
    bank = {name: Decimal(amount) for name, amount in result["banker"].items()}
    assert before_fees == bank["paid"] - bank["collected"]
    assert Decimal(result["house"]) == fees + bank["collected"] - bank["paid"] - bank["net"]
    assert bank["funds"] + bank["collected"] >= bank["paid"]


def test_every_book_has_its_paytables() -> None:
    letters = {f"{b} {w}": "".join(tables) for b in BOOKS for w, tables in PAYTABLES[b].items()}
    assert letters[f"{MARYLAND} six_card_bonus"] == "ABCDEF"
    assert letters[f"{RIDE} five_card_bonus"] == "ABCDEFG"
    assert letters[f"{RIDE} progressive"] == "ABCDEF"
