"""What a page draws its bets from."""

from croupier.round.commands import Open
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.round.view import wagers_open
from croupier.rules.load import load
from croupier.rules.resolve import resolve

SELECTIONS = {"progressive": "A", "limits": {"ante": [5, "500.50"]}}


def opened() -> Round:
    round = Round(resolve(load("maryland-three-card-poker"), SELECTIONS))
    for event in decide(round, Open("1")):
        round = evolve(round, event)
    return round


def test_open_wagers_have_their_sizes_and_limits_as_money() -> None:
    found = {wager["wager"]: (wager["sizes"], wager["limits"]) for wager in wagers_open(opened())}
    assert found == {
        "ante": (None, ["5.00", "500.50"]),
        "pair_plus": (None, None),
        "progressive": (["1.00"], None),
    }


def test_no_wager_is_open_before_the_round_is() -> None:
    assert wagers_open(Round(opened().rules)) == []
