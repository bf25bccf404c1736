"""Books that nobody ships, settled line by line as their text says.

The amounts are worked out by hand from the sentences beside them.
"""

from typing import Any

import pytest

from croupier.errors import UserError
from croupier.round.file import parse_round, play_file
from croupier.round.proof import faults_in
from croupier.round.result import result_of
from croupier.rules.load import load_file
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook, parse_rulebook
from tests.rules.books import CALIFORNIA, DATA, ROOT, SIXTH_TEXT, sixth, swapped, text_of
from tests.rules.test_playable import AGAIN, GUARDED

PAGE = (ROOT / "docs/rulebook-format.md").read_text()
HARBOUR = PAGE.split("```toml file=books/harbour-pairs.toml\n")[1].split("```")[0]


def settled(book: Rulebook, round: dict[str, Any], **selections: Any) -> dict[str, Any]:
    rules = resolve(book, selections)
    return result_of(play_file(rules, parse_round(rules, round)))


def lines_of(result: dict[str, Any], seat: int = 0) -> list[tuple[str, str, str, str, str]]:
    keys = ("wager", "stake", "outcome", "paid", "returned")
    return [tuple(line[key] for key in keys) for line in result["seats"][seat]["lines"]]


# ---------------------------------------------------------------- a player banks without a hand

COVER = """
[bank.cover]
unit     = "wager"
collects = "first"
in_part  = true
from     = "wager and collections"
clause   = "1"

[bank.rotation]
rounds_max = 1
passes     = true
stays      = true
clause     = "1"

[wager.pair_plus]"""
BANKED = swapped(
    HARBOUR, ('banked_by = "house"', 'banked_by = "player"'), ("[wager.pair_plus]", COVER)
)
BANKED_ROUND: dict[str, Any] = {
    "banker": {"seat": 2, "funds": 30},
    "seats": [
        {"seat": 1, "cards": "5s 5d 9c", "wagers": {"pair_plus": 10}},
        {"seat": 3, "cards": "7s 7d 7c", "wagers": {"pair_plus": 2}},
        {"seat": 4, "cards": "2s 9d Kc", "wagers": {"pair_plus": 8}},
    ],
}


def banked() -> Rulebook:
    return parse_rulebook(BANKED, id="banked", file="banked.toml")


def test_a_player_banks_a_game_in_which_the_bank_has_no_hand() -> None:
    result = settled(banked(), BANKED_ROUND)
    # $30 and the $8 that seat 4 loses: seat 1 is paid its 10, seat 3 has 28 of 50 left.
    assert lines_of(result, 0) == [("pair_plus", "10.00", "win", "10.00", "10.00")]
    assert lines_of(result, 1) == [("pair_plus", "2.00", "win", "28.00", "2.00")]
    assert lines_of(result, 2) == [("pair_plus", "8.00", "lose", "0.00", "0.00")]
    assert result["dealer"] is None
    assert result["banker"] == {
        "seat": 2, "funds": "30.00", "collected": "8.00", "paid": "38.00", "net": "-30.00",
    }  # fmt: skip
    assert result["house"] == "0.00"


@pytest.mark.parametrize(
    ("unit", "collects", "part", "paid"),
    [
        # The seats win $10 and $50, a lost $8 comes last; the banker put up $30.
        ("wager", "first", "true", ["10.00", "28.00"]),
        ("wager", "first", "false", ["10.00", None]),
        ("wager", "in turn", "true", ["10.00", "20.00"]),
        ("wager", "in turn", "false", ["10.00", None]),
        ("hand", "first", "false", ["10.00", None]),
        ("hand", "in turn", "false", ["10.00", None]),
    ],
)
def test_a_bank_covers_by_the_unit_and_at_the_time_that_the_book_says(
    unit: str, collects: str, part: str, paid: list[str | None]
) -> None:
    text = swapped(
        BANKED,
        ('unit     = "wager"', f'unit     = "{unit}"'),
        ('collects = "first"', f'collects = "{collects}"'),
        ("in_part  = true", f"in_part  = {part}"),
    )
    result = settled(parse_rulebook(text, id="banked", file="banked.toml"), BANKED_ROUND)
    lines = [lines_of(result, seat)[0] for seat in (0, 1)]
    assert [sum_ if outcome == "win" else None for _, _, outcome, sum_, _ in lines] == paid


def test_a_hand_that_cannot_be_paid_has_still_lost_what_was_collected_first() -> None:
    whole = ('unit     = "wager"', 'unit     = "hand"'), ("in_part  = true", "in_part  = false")
    book = parse_rulebook(swapped(text_of(CALIFORNIA), *whole), id="whole", file="whole.toml")
    seats = [seat(1, "Ks 9d 4c", "play", ante=10, pair_plus=5)]

    def lines(funds: int) -> list[tuple[str, str]]:
        banker = {"seat": 8, "funds": funds, "cards": "Qh 7d 2c"}
        result = settled(book, {"banker": banker, "seats": seats})
        return [(outcome, paid) for _, _, outcome, paid, _ in lines_of(result)]

    assert lines(15) == [("win", "10.00"), ("win", "10.00"), ("lose", "0.00")]
    assert lines(14) == [("uncovered", "0.00"), ("uncovered", "0.00"), ("lose", "0.00")]


BONUS = """
[bonus.ante_bonus]
label    = "Ante Bonus"
clause   = "round-of-play/8"
on       = "ante"
needs    = "play"
paytable = "ante_bonus"
settle   = { always = { does = "table", clause = "round-of-play/8" } }

[paytable.ante_bonus.A]
clause = "round-of-play/8"
rows   = [{ hand = "straight", to = 3 }]

[step.bets]"""


@pytest.mark.parametrize(
    ("unit", "in_part", "funds", "expected"),
    [
        # A straight wins $10 on Ante and Play each, and a bonus of $30; nobody has lost.
        ("wager", "true", 50, ["ante 10.00", "play 10.00", "ante_bonus 30.00"]),
        ("wager", "true", 45, ["ante 10.00", "play 10.00", "ante_bonus 25.00"]),
        ("wager", "true", 20, ["ante 10.00", "play 10.00"]),
        ("wager", "false", 49, ["ante 10.00", "play 10.00"]),
        ("hand", "false", 49, ["ante 0.00", "play 0.00"]),
    ],
)
def test_a_player_who_banks_pays_a_bonus_as_far_as_the_money_goes(
    unit: str, in_part: str, funds: int, expected: list[str]
) -> None:
    text = swapped(
        text_of(CALIFORNIA),
        ("\n[step.bets]", BONUS),
        ('["ante", "play", "pair_plus"]', '["ante", "play", "ante_bonus", "pair_plus"]'),
        ('unit     = "wager"', f'unit = "{unit}"'),
        ("in_part  = true", f"in_part = {in_part}"),
    )
    book = parse_rulebook(text, id="bonus", file="bonus.toml")
    banker = {"seat": 8, "funds": funds, "cards": "Qh 7d 2c"}
    seats = [seat(1, "Ks Qd Jc", "play", ante=10)]
    result = settled(book, {"banker": banker, "seats": seats})
    assert [f"{wager} {paid}" for wager, _, _, paid, _ in lines_of(result)] == expected
    if funds == 45:
        cut = result["seats"][0]["lines"][-1]
        assert (cut["clause"], cut["ruling"]) == ("round-of-play/8", "C3")


def test_cards_of_a_bank_that_gets_none_are_refused() -> None:
    round = {**BANKED_ROUND, "banker": {"seat": 2, "funds": 30, "cards": "As Ks Qs"}}
    with pytest.raises(UserError, match=r"^banker\.cards: no card is dealt there in this round$"):
        settled(banked(), round)


def test_such_a_round_needs_its_banker() -> None:
    with pytest.raises(UserError, match=r"^banker: is missing$"):
        settled(banked(), {"seats": BANKED_ROUND["seats"]})


# ---------------------------------------------------------------- a fold after a raise

FATES = 'stakes = { watch = { fate = "forfeit", clause = "5" }'
LATER = AGAIN.replace(FATES, f'{FATES}, guard = {{ fate = "forfeit", clause = "5" }}')
TWICE = swapped(GUARDED, ("[step.reveal]", LATER), ('needs    = "crown"', 'needs    = "guard"'))
RAISED: dict[str, Any] = {
    "dealer": {"cards": "Jh 7d 2c"},
    "seats": [{"seat": 1, "cards": "As Ks Qs", "wagers": {"watch": 10}}],
}


def raised(*decisions: str) -> dict[str, Any]:
    return {**RAISED, "seats": [{**RAISED["seats"][0], "decisions": list(decisions)}]}


def test_a_hand_that_folds_after_its_raise_loses_the_raise_and_gets_no_bonus() -> None:
    book = sixth(TWICE)
    stayed = settled(book, raised("stay", "hold"))
    assert lines_of(stayed) == [
        ("watch", "10.00", "win", "10.00", "10.00"),
        ("guard", "10.00", "push", "0.00", "10.00"),
        ("beacon", "0.00", "win", "90.00", "0.00"),
    ]
    dropped = settled(book, raised("stay", "drop"))
    assert lines_of(dropped) == [
        ("watch", "10.00", "forfeit", "0.00", "0.00"),
        ("guard", "10.00", "forfeit", "0.00", "0.00"),
    ]
    assert dropped["house"] == "20.00"


def test_a_folded_hand_is_asked_no_more_even_if_a_stake_stays() -> None:
    kept = FATES.replace("forfeit", "keep")
    text = swapped(
        TWICE,
        ('watch = { fate = "forfeit", clause = "5" }\ncrown', 'watch = { fate = "keep", '
         'clause = "5" }\ncrown'),
        ('asks   = "guard"', 'asks   = "watch"'),
        (FATES, kept),
    )  # fmt: skip
    # The Watch stays in play: king high beats jack high, without any further decision.
    assert lines_of(settled(sixth(text), raised("leave"))) == [
        ("watch", "10.00", "win", "10.00", "10.00")
    ]


def test_a_bonus_is_not_due_where_the_stake_that_it_is_on_was_given_up() -> None:
    round = {
        "dealer": {"cards": "Jh 7d 2c"},
        "pool": {"cards": "9s 9d"},
        "seats": [
            {"seat": 1, "cards": "As Ks Qs", "wagers": {"watch": 10, "crown": 1},
             "decisions": ["leave"]}
        ],
    }  # fmt: skip
    # The Crown stays in play and loses: nines are no tens. The Beacon was on the Watch.
    assert lines_of(settled(sixth(SIXTH_TEXT), round, crown="A")) == [
        ("watch", "10.00", "forfeit", "0.00", "0.00"),
        ("crown", "1.00", "lose", "0.00", "0.00"),
    ]


def test_only_a_fixed_sum_brings_a_collected_stake_back() -> None:
    """For 1 is for 1, though the wager's fixed sums return the stake."""
    text = swapped(
        SIXTH_TEXT,
        ('collected  = "3"', 'collected  = "3"\nreturns    = true'),
        (
            '{ hand = "pair", least = "T", for = 2.5 }',
            '{ hand = "three of a kind", amount = 9 }, { hand = "pair", for = 2 }',
        ),
    )

    def crown(pool: str) -> tuple[str, ...]:
        round = {
            "dealer": {"cards": "Jh 7d 2c"},
            "pool": {"cards": pool},
            "seats": [
                {"seat": 1, "cards": "As Ks Qs", "wagers": {"watch": 10, "crown": 1},
                 "decisions": ["stay"]}
            ],
        }  # fmt: skip
        return next(line for line in lines_of(settled(sixth(text), round, crown="A"))
                    if line[0] == "crown")  # fmt: skip

    assert crown("Ad Ah") == ("crown", "1.00", "win", "9.00", "1.00")
    assert crown("Ad 9h") == ("crown", "1.00", "win", "2.00", "0.00")
    assert crown("Js Ts") == ("crown", "1.00", "win", "50.10", "0.00")


# ---------------------------------------------------------------- whole books

BOOKS = {file.stem: file for file in sorted((DATA / "books").glob("*.toml"))}


@pytest.mark.parametrize("name", BOOKS)
def test_the_other_books_play_through(name: str) -> None:
    assert faults_in(load_file(BOOKS[name])) == []


def at(name: str, round: dict[str, Any], **selections: Any) -> dict[str, Any]:
    return settled(load_file(BOOKS[name]), round, **selections)


def seat(number: int, cards: str, decision: str, **wagers: int) -> dict[str, Any]:
    return {"seat": number, "cards": cards, "wagers": wagers, "decisions": decision.split()}


def test_a_row_that_pays_0_to_1_is_a_push() -> None:
    """A pair of tens gets its bets back, and the limit of a hand cuts what royals are paid."""
    result = at("north-ride", {
        "community": {"cards": "Js Ts"},
        "seats": [
            {**seat(1, "As Ks Qs", "ride ride", let_it_ride=20, progressive=2), "player": "a"},
            {**seat(2, "Th 8d 5c", "withdraw ride", let_it_ride=5, progressive=2), "player": "a"},
            {**seat(3, "9s 8s 7s", "ride withdraw", let_it_ride=5, three_card_bonus=10),
             "player": "b"},
            {**seat(5, "2d 3c 9d", "ride ride", let_it_ride=5, progressive=2), "player": "c"},
        ],
    }, progressive="A", progressive_rate="0.15", payout_limit=25_000)  # fmt: skip
    assert result["order"] == [1, 2, 3, 5]
    assert lines_of(result, 0) == [
        ("bet_1", "20.00", "win", "10000.00", "20.00"),
        ("bet_2", "20.00", "win", "10000.00", "20.00"),
        ("bet_3", "20.00", "win", "5000.00", "20.00"),
        ("progressive", "2.00", "win", "10000.90", "0.00"),
        ("envy", "0.00", "win", "50.00", "0.00"),
    ]
    assert lines_of(result, 1) == [
        ("bet_1", "5.00", "withdrawn", "0.00", "5.00"),
        ("bet_2", "5.00", "push", "0.00", "5.00"),
        ("bet_3", "5.00", "push", "0.00", "5.00"),
        ("progressive", "2.00", "lose", "0.00", "0.00"),
        ("envy", "0.00", "win", "50.00", "0.00"),
    ]
    assert lines_of(result, 2)[-1] == ("three_card_bonus", "10.00", "win", "400.00", "10.00")
    assert lines_of(result, 3)[-2:] == [
        ("envy", "0.00", "win", "500.00", "0.00"),
        ("envy", "0.00", "win", "50.00", "0.00"),
    ]
    assert result["meters"] == {"progressive": "10000.00"}


def test_a_dealer_without_ace_king_returns_the_ante_and_pays_the_raise() -> None:
    selections = {
        "pair_plus": "B",
        "six_card_bonus": "B",
        "progressive": "A",
        "progressive_rate": "1/4",
        "progressive_wager": [1, 5],
        "progressive_shares": {"major": "2/3", "minor": "1/3"},
    }
    seats = [
        {**seat(1, "As Ks Qs", "fold", ante=10, pair_plus=30, progressive=1), "player": "a"},
        {**seat(2, "Th Td 4c", "double", ante=10, pair_plus=5, six_card_bonus=1, progressive=5),
         "player": "a"},
        seat(4, "9h 9d 4d", "play", ante=10, pair_plus=5, progressive=5),
    ]  # fmt: skip
    result = at("silver-state", {"dealer": {"cards": "Ah Qd 2c"}, "seats": seats}, **selections)
    # Of $2.75 two thirds, and the odd millionth, go to the major meter.
    assert lines_of(result, 0) == [
        ("ante", "10.00", "forfeit", "0.00", "0.00"),
        ("pair_plus", "30.00", "win", "1200.00", "30.00"),
        ("progressive", "1.00", "win", "5001.83", "0.00"),
    ]
    assert lines_of(result, 1) == [
        ("ante", "10.00", "push", "0.00", "10.00"),
        ("play", "20.00", "win", "20.00", "20.00"),
        ("pair_plus", "5.00", "win", "7.50", "5.00"),
        ("six_card_bonus", "1.00", "lose", "0.00", "0.00"),
        ("progressive", "5.00", "lose", "0.00", "0.00"),
    ]
    assert lines_of(result, 2)[2:] == [
        ("pair_plus", "5.00", "win", "2.50", "5.00"),
        ("progressive", "5.00", "lose", "0.00", "0.00"),
        ("envy", "0.00", "win", "500.00", "0.00"),
    ]
    assert result["meters"] == {"progressive_major": "5000.00", "progressive_minor": "250.91"}
    plays = at("silver-state", {"dealer": {"cards": "Ah Kd 2c"}, "seats": seats}, **selections)
    assert lines_of(plays, 1)[:2] == [
        ("ante", "10.00", "win", "10.00", "10.00"),
        ("play", "20.00", "win", "20.00", "20.00"),
    ]


def test_a_raise_may_be_several_times_the_ante() -> None:
    result = at("raise-to-three", {
        "dealer": {"cards": "Qh 7d 2c"},
        "seats": [
            seat(1, "As Ks Qs", "triple", ante=10, pair_plus=5),
            seat(2, "9s 9d 3c", "double", ante=10),
            seat(3, "Js 6d 4c", "play", ante=10),
            seat(4, "Jd 6c 4h", "fold", ante=10),
        ],
    })  # fmt: skip
    assert lines_of(result, 0) == [
        ("ante", "10.00", "win", "10.00", "10.00"),
        ("play", "30.00", "win", "30.00", "30.00"),
        ("ante_bonus", "0.00", "win", "50.00", "0.00"),
        ("pair_plus", "5.00", "win", "250.00", "5.00"),
    ]
    assert lines_of(result, 1)[1] == ("play", "20.00", "win", "20.00", "20.00")
    assert lines_of(result, 2)[1] == ("play", "10.00", "lose", "0.00", "0.00")
    assert [one["net"] for one in result["seats"]] == ["340.00", "30.00", "-20.00", "-10.00"]
    assert result["house"] == "-340.00"


@pytest.mark.parametrize(
    ("name", "bank", "plays"),
    [
        ("pair-qualifies", "5h 5d 2c", True),
        ("pair-qualifies", "4h 4d Ac", False),
        ("pair-qualifies", "Ah Kd Jc", False),
        ("pair-qualifies", "2h 5h 9h", True),
        ("island-stud", "Ah Kd 4c 3s 2d", True),
        ("island-stud", "Ah Qd Jc 9s 8d", False),
        ("island-stud", "2h 2d 3c 4s 5d", True),
        ("island-stud", "Kh Qd Jc 9s 8d", False),
        ("no-qualifier", "2h 3d 5c", True),
    ],
)
def test_the_bank_plays_with_the_least_hand_that_the_book_names(
    name: str, bank: str, *, plays: bool
) -> None:
    cards = "6s 6c 7s" if len(bank) == 8 else "6s 6c 7s 8h Ts"
    result = at(name, {"dealer": {"cards": bank}, "seats": [seat(1, cards, "play", ante=10)]})
    assert result["dealer"]["qualifies"] is plays
    outcomes = {line["wager"]: line["outcome"] for line in result["seats"][0]["lines"]}
    assert (outcomes["play"] == "push") is not plays


def test_five_cards_are_played_against_five() -> None:
    result = at("island-stud", {
        "dealer": {"cards": "Ah Kd 7c 4s 2d"},
        "seats": [
            seat(1, "9s 9d 9c 2h 2c", "play", ante=10, progressive=1),
            seat(2, "Ac Ks 7d 4c 3h", "play", ante=10),
            seat(3, "As Qs 7s 6s 3s", "fold", ante=10, progressive=1),
        ],
    }, progressive="A", progressive_rate="0.7")  # fmt: skip
    # The Bet is twice the Ante and goes by its table; $1.40 of the two Progressives is the meter's.
    assert lines_of(result, 0) == [
        ("ante", "10.00", "win", "10.00", "10.00"),
        ("play", "20.00", "win", "140.00", "20.00"),
        ("progressive", "1.00", "win", "100.00", "0.00"),
    ]
    assert lines_of(result, 1)[1] == ("play", "20.00", "win", "20.00", "20.00")
    assert lines_of(result, 2) == [
        ("ante", "10.00", "forfeit", "0.00", "0.00"),
        ("progressive", "1.00", "win", "50.00", "0.00"),
    ]
    assert result["meters"] == {"progressive": "10001.40"}
    assert result["house"] == "-319.40"


def test_a_bonus_on_the_banks_hand_is_kept_by_a_fold() -> None:
    result = at("no-qualifier", {
        "dealer": {"cards": "Qh Qd 2c"},
        "seats": [seat(1, "2s 4d 9h", "fold", ante=10, dealer_bonus=5, pair_plus=5)],
    })  # fmt: skip
    assert lines_of(result) == [
        ("ante", "10.00", "forfeit", "0.00", "0.00"),
        ("pair_plus", "5.00", "lose", "0.00", "0.00"),
        ("dealer_bonus", "5.00", "win", "20.00", "5.00"),
    ]


def test_the_narrower_of_two_rows_pays() -> None:
    def paid(cards: str) -> str:
        round = {
            "community": {"cards": "2h 7d"},
            "seats": [seat(1, cards, "ride ride", let_it_ride=5, three_card_bonus=1)],
        }
        return lines_of(at("three-card-ride", round))[3][3]  # fmt: skip

    assert [paid("As Ks Qs"), paid("Ad Kd Qd"), paid("Js Ts 9s")] == ["100.00", "50.00", "40.00"]


def test_two_cards_and_three_in_the_middle_make_a_hand() -> None:
    """River Stud: a raise of three times, a fold that loses two stakes, tables on both places."""
    seats = [
        seat(1, "As Kd", "three one", ante=5, three_card_bonus=2),
        seat(2, "7s 6d", "one fold", ante=5, three_card_bonus=2),
        seat(4, "9s 9d", "one one", ante=5),
        seat(6, "6s 2h", "fold", ante=5),
    ]
    result = at("river-stud", {"community": {"cards": "Kh Qh Jh"}, "seats": seats})
    assert result["order"] == [6, 4, 2, 1]
    assert lines_of(result, 0) == [
        ("ante", "5.00", "win", "5.00", "5.00"),
        ("third", "15.00", "win", "15.00", "15.00"),
        ("fourth", "5.00", "win", "5.00", "5.00"),
        ("three_card_bonus", "2.00", "win", "80.00", "2.00"),
    ]
    assert lines_of(result, 1) == [
        ("ante", "5.00", "forfeit", "0.00", "0.00"),
        ("third", "5.00", "forfeit", "0.00", "0.00"),
        ("three_card_bonus", "2.00", "win", "80.00", "2.00"),
    ]
    assert {line[2] for line in lines_of(result, 2)} == {"push"}
    assert lines_of(result, 3) == [("ante", "5.00", "forfeit", "0.00", "0.00")]
