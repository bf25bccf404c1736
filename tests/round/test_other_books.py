"""Books that nobody ships, settled line by line as their text says.

The amounts are worked out by hand from the sentences beside them.
"""

from typing import Any

import pytest

from croupier.errors import UserError
from croupier.round.file import parse_round, play_file
from croupier.round.result import result_of
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook, parse_rulebook
from tests.rules.books import ROOT, SIXTH_TEXT, sixth, swapped
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
