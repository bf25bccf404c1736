"""`analyze`, `advise`, `price`, `compare` and `choose`: what they print, and what they refuse."""

import json
from fractions import Fraction
from typing import Any

import pytest

from tests.cli.running import Ran, run
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    ROOT,
    SINGAPORE,
    book,
    each_book,
)

KNOWN = ", ".join(IDS)
ANALYSIS = [
    *("bet", "expected_value", "house_edge", "average_wagered", "element_of_risk"),
    *("standard_deviation", "hit_frequency", "distribution", "break_even", "strategy"),
    "returns",  # Ours: how often each line ends in each way.
]


def exact(text: str) -> Fraction:
    """A fraction as the public format has it: in lowest terms, as a string."""
    assert isinstance(text, str)
    assert str(Fraction(text)) == text
    return Fraction(text)


# ---------------------------------------------------------------- analyze


def check_analysis(found: dict[str, Any]) -> None:
    assert [*found] == ANALYSIS
    stakes = [exact(units) for units in found["bet"].values()]
    value = exact(found["expected_value"])
    assert found["house_edge"] == pytest.approx(float(-value / sum(stakes)))
    wagered = exact(found["average_wagered"])
    assert found["element_of_risk"] == pytest.approx(float(-value / wagered))
    assert isinstance(found["standard_deviation"], float)
    chances = []
    for part in found["distribution"]:
        assert [*part] == ["net", "probability"]
        chances.append((exact(part["net"]), exact(part["probability"])))
    assert sum(chance for _, chance in chances) == 1
    assert exact(found["hit_frequency"]) == sum(chance for net, chance in chances if net > 0)
    assert all(isinstance(sentence, str) for sentence in found["strategy"])
    assert found["break_even"] is None or [*map(exact, found["break_even"].values())]
    for part in found["returns"]:
        assert [*part] == [
            *("line", "says", "pays", "combinations", "of", "probability", "contribution")
        ]
        assert exact(part["probability"]) == Fraction(part["combinations"], part["of"])
        exact(part["contribution"])


@each_book
def test_an_analysis_has_the_public_format(id: str) -> None:
    data = run("analyze", id, "--json").data
    assert [*data] == ["rulebook", "selections", "analyses"]
    assert data["rulebook"] == id
    for found in data["analyses"]:
        check_analysis(found)


def test_an_analysis_of_a_bet_with_a_meter() -> None:
    words = "--select progressive=B --bet ante=5/2 --bet progressive=1 --meter progressive=2000"
    data = run("analyze", MARYLAND, *words.split(), "--others", "3", "--json").data
    (found,) = data["analyses"]
    check_analysis(found)
    assert found["bet"] == {"ante": "5/2", "progressive": "1"}
    assert data["selections"]["progressive"] == "B"
    alone = "--select progressive=B --bet progressive=1 --json"
    (found,) = run("analyze", MARYLAND, *alone.split()).data["analyses"]
    assert found["break_even"] == {"progressive": "11520"}


def test_a_strategy_can_be_named() -> None:
    (found,) = run("analyze", MARYLAND, "--strategy", "always play", "--json").data["analyses"]
    assert found["strategy"] == ["Play every hand."]
    assert found["house_edge"] == pytest.approx(0.0765, abs=5e-5)


def test_an_analysis_for_people() -> None:
    ran = run("analyze", MARYLAND, "--bet", "ante=1", COLUMNS="120")
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["expected", "value", "-0.033730", "-686689/20358520"] in lines
    assert ["house", "edge", "3.3730", "%"] in lines
    assert ["element", "of", "risk", "2.0147", "%"] in lines
    assert ["standard", "deviation", "1.639253"] in lines
    assert "Play Q-6-4 or better." in ran.out
    assert "straight flush" in ran.out
    assert ran.out.startswith("Three Card Poker, Maryland\n\n1 Ante\n")


def test_break_evens_for_people() -> None:
    ran = run("analyze", MARYLAND, "--select", "progressive=B", "--bet", "progressive=1")
    assert "progressive breaks even  11,520.00  11520\n" in ran.out


# ---------------------------------------------------------------- advise


def test_advice_has_the_public_format() -> None:
    data = run("advise", MARYLAND, "--cards", "Qs 6d 3c", "--json").data
    assert [*data] == ["choices", "best"]
    assert [[*choice] for choice in data["choices"]] == [["choice", "value"]] * 2
    assert data["choices"][1] == {"choice": "fold", "value": "-1"}
    assert exact(data["choices"][0]["value"]) < -1
    assert data["best"] == "fold"


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ((MARYLAND, "--cards", "Qs6d4c"), "play"),
        ((CALIFORNIA, "--cards", "2s 3d 5c", "--shown", "Jd"), "play"),
        ((CALIFORNIA, "--cards", "2s 3d 5c", "--shown", "Qd"), "fold"),
        ((FLORIDA, "--cards", "Qs 6d 4c"), "play"),
        ((SINGAPORE, "--cards", "Qs 6d 3c", "--bet", "ante=2"), "fold"),
        ((LET_IT_RIDE, "--cards", "Ts Th 2c"), "ride"),
        ((LET_IT_RIDE, "--cards", "Ts 9h 2c"), "withdraw"),
        ((LET_IT_RIDE, "--cards", "Ts 9s 2s", "--community", "3s"), "ride"),
    ],
)
def test_advice_at_every_decision(words: tuple[str, ...], best: str) -> None:
    assert run("advise", *words, "--json").data["best"] == best


def test_advice_for_people() -> None:
    ran = run("advise", CALIFORNIA, "--cards", "Qs 6d 3c", "--shown", "Kd")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "choice       value      exactly  mistake",
        "Play         -2.000000  -2       costs 1.000000",
        "Fold (best)  -1.000000  -1",
    ]


# ---------------------------------------------------------------- price


@each_book
def test_prices_have_the_public_format(id: str) -> None:
    data = run("price", id, "--json").data
    assert [*data] == ["rulebook", "rulings"]
    assert [ruling["id"] for ruling in data["rulings"]] == [*book(id).rules.ruling]
    for ruling in data["rulings"]:
        assert [*ruling] == ["id", "clauses", "problem", "readings", "why"]
        assert bool(ruling["readings"]) == (ruling["why"] is None)
        assert all(isinstance(clause, str) for clause in ruling["clauses"])
        for reading in ruling["readings"]:
            assert [*reading] == ["says", "chosen", "bet", "selections", "expected_value"]
            exact(reading["expected_value"])
            assert [exact(units) for units in reading["bet"].values()]
        chosen = [reading["chosen"] for reading in ruling["readings"]]
        assert chosen == [True, *[False] * (len(chosen) - 1)][: len(chosen)]


def test_prices_for_people() -> None:
    ran = run("price", CALIFORNIA, COLUMNS="100")
    assert (ran.code, ran.err) == (0, "")
    assert "C1  round-of-play/5.b, round-of-play/5.b.i, round-of-play/5.b.ii" in ran.out
    assert "we do           -229314/12724075  1 ante" in ran.out
    assert "-0.1219 points  -489649/25448150  1 ante" in ran.out
    assert "\nWithout a price\nT1   No reading changes the value of Ante.\n" in ran.out
    assert "C7   It decides fees, which are not part of these values." in ran.out


def test_other_players_give_envy_a_price() -> None:
    """L7: six others are worth 4.75 points where three-card hands are envied."""

    def priced(others: int) -> Any:
        data = run("price", LET_IT_RIDE, "--others", str(others), "--json").data
        return next(ruling for ruling in data["rulings"] if ruling["id"] == "L7")

    assert priced(0)["readings"] == []
    assert priced(0)["why"].startswith("With no other players to envy, no reading changes")
    ours, none, *_ = [exact(reading["expected_value"]) for reading in priced(6)["readings"]]
    assert ours - none == 6 * Fraction(175, 22_100)
    assert f"{100 * float(ours - none):.2f}" == "4.75"
    ran = run("price", LET_IT_RIDE, "--others", "-1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "croupier: others: -1 is not a number of players\n"


def test_a_book_without_rulings_says_so() -> None:
    ran = run("--books", str(ROOT / "tests/data/books"), "price", "three-card-ride")
    assert (ran.code, ran.out.splitlines()[1:]) == (0, ["This book has no rulings."])


def test_no_price_is_cut_off_in_a_narrow_window() -> None:
    """L3 has a bet of four wagers, which takes several lines."""
    ran = run("price", LET_IT_RIDE, COLUMNS="80")
    assert "+2.3225 points  -927909/3915100  1 let_it_ride" in ran.out


# ---------------------------------------------------------------- compare


def test_two_books_side_by_side() -> None:
    data = run("compare", MARYLAND, CALIFORNIA, "--json").data
    assert [table["rulebook"] for table in data] == [MARYLAND, CALIFORNIA]
    for table in data:
        assert [*table] == ["rulebook", "selections", "analyses"]
        assert table["analyses"] == run("analyze", table["rulebook"], "--json").data["analyses"]


def test_two_sets_of_selections_side_by_side() -> None:
    words = ["compare", MARYLAND, MARYLAND, "--select", "pair_plus=B", "--against", "pair_plus=D"]
    ran = run(*words, COLUMNS="120")
    edges = [line for line in ran.out.splitlines() if line.startswith("Pair Plus")]
    assert [edge.split()[-4:] for edge in edges] == [["5.5747", "%", "2.3167", "%"]]
    one, other = run(*words, "--json").data
    assert (one["selections"]["pair_plus"], other["selections"]["pair_plus"]) == ("B", "D")


def test_a_meter_that_one_of_two_tables_has() -> None:
    words = f"compare {MARYLAND} {SINGAPORE} --meter progressive=30000 --others 2"
    ran = run(*words.split(), COLUMNS="120")
    assert "not offered" in ran.out
    assert (ran.code, ran.err) == (0, "")


# ---------------------------------------------------------------- choose


def test_choices_have_a_format() -> None:
    words = f"choose {MARYLAND} --wager pair_plus --edge 5..6% --json"
    assert run(*words.split()).data == {
        "rulebook": MARYLAND,
        "wager": "pair_plus",
        "found": 1,
        "choices": [
            {
                "selections": {"pair_plus": "B"},
                "expected_value": "-308/5525",
                "house_edge": 308 / 5525,
            }
        ],
    }


def test_choices_for_people_can_be_selected() -> None:
    """What is printed is what `--select` reads."""
    ran = run(*f"choose {FLORIDA} --wager pair_plus --edge 6.24..6.25 --most 1".split(),
              COLUMNS="300")  # fmt: skip
    edge, words = ran.out.splitlines()[1].split(" %  ")
    assert ran.code == 0
    assert ran.err.endswith("more meet the target; --most shows more\n")
    selected = words.strip().replace("pair_plus = {", "pair_plus={")
    found = run("analyze", FLORIDA, "--select", selected, "--bet", "pair_plus=1", "--json")
    (one,) = found.data["analyses"]
    assert f"{100 * one['house_edge']:.4f}" == edge


@pytest.mark.parametrize("json_", [[], ["--json"]])
def test_no_selections_are_an_answer_of_no(json_: list[str]) -> None:
    ran = run(*f"choose {MARYLAND} --wager pair_plus --edge 2.4..2.5".split(), *json_)
    assert (ran.code, ran.err) == (1, "croupier: no selections meet the target\n")
    assert (json.loads(ran.out)["choices"] == []) if json_ else ran.out == ""


def test_a_range_may_be_written_backwards_and_below_zero() -> None:
    for edge in ("6..5%", "5 .. 6", " 5..6 % "):
        words = ["choose", MARYLAND, "--wager", "pair_plus", f"--edge={edge}", "--json"]
        assert run(*words).data["found"] == 1
    assert run(*f"choose {MARYLAND} --wager pair_plus --edge=-9..9 --json".split()).data["found"]


# ---------------------------------------------------------------- mistakes


def check_refused(ran: Ran, sentence: str) -> None:
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"croupier: {sentence}\n"


NO_FRACTION = "is not a fraction like 1/2, 0.14 or 14%"
NO_BOOK = f"rulebook: there is no rulebook 'nevada'; there are {KNOWN}"
NO_STRATEGY = "is not one of best, always OPTION, mimic the dealer, or a hand such as Q-6-4"
MD, LIR, SG, CA = f"{MARYLAND} ", f"{LET_IT_RIDE} ", f"{SINGAPORE} ", f"{CALIFORNIA} "
A, C = "--select progressive=A ", "--select progressive=C "


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("analyze", "Missing argument 'rulebook'."),
        ("analyze nevada", NO_BOOK),
        (f"analyze {MD} --bet ante", "--bet: 'ante' must be written NAME=AMOUNT"),
        (f"analyze {MD} --bet =1", "--bet: '=1' must be written NAME=AMOUNT"),
        (f"analyze {MD} --bet ante=", "--bet: 'ante=' must be written NAME=AMOUNT"),
        (f"analyze {MD} --bet ante=1 --bet ante=2", "--bet ante: appears twice"),
        (f"analyze {MD} --bet ante=0", "bet ante: a stake is above zero"),
        (f"analyze {MD} --bet ante=-1", f"bet ante: '-1' {NO_FRACTION}"),
        (f"analyze {MD} --bet ante=1e3", f"bet ante: '1e3' {NO_FRACTION}"),
        (f"analyze {MD} --bet ante=nan", f"bet ante: 'nan' {NO_FRACTION}"),
        (f"analyze {MD} --bet ante=1/0", f"bet ante: '1/0' {NO_FRACTION}"),
        (
            f"analyze {MD} --bet play=1",
            "bet play: this table doesn't offer it; it offers ante and pair_plus",
        ),
        (
            f"analyze {MD} --bet progressive=1",
            "bet progressive: this table doesn't offer it; it offers ante and pair_plus",
        ),
        (
            f"analyze {LIR} --bet ante=1",
            "bet ante: this table doesn't offer it; it offers let_it_ride",
        ),
        (
            f"analyze {MD} {A} --bet progressive=2",
            "bet progressive: is $1 at this table (12.E(5))",
        ),
        (f"analyze {SG} --bet progressive=1", "bet progressive: is $2.50 at this table (3.5)"),
        (
            f"analyze {SG} --bet progressive=5/2",
            "meter progressive: has no reset: say what it shows",
        ),
        (f"analyze {MD} --meter 5", "--meter: '5' must be written NAME=AMOUNT"),
        (f"analyze {MD} {A} --meter progressive=x", f"meter progressive: 'x' {NO_FRACTION}"),
        (f"analyze {MD} {A} --meter progressive=-5", f"meter progressive: '-5' {NO_FRACTION}"),
        (
            f"analyze {MD} --meter progressive=5",
            "meter progressive: is not a meter of this table; it has none",
        ),
        (
            f"analyze {MD} {C} --meter progressive=5",
            "meter progressive: is not a meter of this table; "
            "it has progressive_major, progressive_minor",
        ),
        (f"analyze {MD} --others=-1", "others: -1 is not a number of players"),
        (
            f"analyze {MD} --others 7",
            "others: a table of 7 seats has at most 6 other players (2.A)",
        ),
        (f"price {MD} --others 60", "others: a table of 7 seats has at most 6 other players (2.A)"),
        (
            f"report {MD} --others 60",
            "others: a table of 7 seats has at most 6 other players (2.A)",
        ),
        (f"analyze {MD} --others x", "Invalid value for '--others': 'x' is not a valid int."),
        (f"analyze {MD} --strategy worst", f"strategy: 'worst' {NO_STRATEGY}"),
        (f"analyze {MD} --strategy Q-6", f"strategy: 'Q-6' {NO_STRATEGY}"),
        (f"analyze {MD} --strategy=", f"strategy: '' {NO_STRATEGY}"),
        (f"analyze {LIR} --strategy mimic", "strategy: there is no bank's hand to mimic"),
        (
            f"analyze {MD} --bet pair_plus=1 --strategy mimic",
            "strategy: there is nothing to decide with this bet",
        ),
        (f"analyze {MD} --select pair_plus", "--select: 'pair_plus' must be written K=V"),
        (f"analyze {MD} --select nonsense=1", "nonsense: is not a selection of this book"),
        (f"analyze {MD} --select decks=7", "decks: 7 is not one of 1 or 2 (3.A(1))"),
        (
            f"analyze {MD} --select pair_plus=Z --json",
            "pair_plus: 'Z' is not a paytable of this book; choose A, B, C, D or E (12.D)",
        ),
        (f"advise {MD}", "Missing option '--cards'."),
        (f"advise {MD} --cards Qs", "cards: a seat has 3 cards, not 1"),
        (f"advise {MD} --cards QsQs4d", "cards: Qs appears twice"),
        (
            f"advise {MD} --cards Qx6d4c",
            "--cards: 'Qx6d4c' is not a card: it takes a rank of 23456789TJQKA and a suit of shdc",
        ),
        (
            f"advise {MD} --cards Qs6d4c --shown Kd",
            "shown: the cards up at a decision are none but the seat's own",
        ),
        (
            f"advise {CA} --cards Qs6d4c",
            "shown: the cards up at a decision are 1 card of Player/dealer",
        ),
        (
            f"advise {CA} --cards Qs6d4c --community Kd",
            "community: this table has no community cards",
        ),
        (f"advise {CA} --cards Qs6d4c --shown Qs", "cards: Qs appears twice"),
        (
            f"advise {MD} --cards Qs6d4c --bet pair_plus=1",
            "bet: there is nothing to decide with this bet",
        ),
        ("price", "Missing argument 'rulebook'."),
        ("price nevada", NO_BOOK),
        (f"price {MD} --select decks=2", "No such option: --select"),
        (f"compare {MD}", "Missing argument 'B'."),
        (f"compare {MD} nevada", NO_BOOK),
        (f"compare {MD} {MD} --against x", "--against: 'x' must be written K=V"),
        (f"compare {MD} {MD} --against decks=7", "decks: 7 is not one of 1 or 2 (3.A(1))"),
        (f"compare {MD} {MD} --meter x=1", "meter x: is not a meter of either table"),
        (f"choose {MD} --wager pair_plus", "Missing option '--edge'."),
        (f"choose {MD} --edge 5..6", "Missing option '--wager'."),
        (f"choose {MD} --wager pair_plus --edge 5", "--edge: '5' is not a range like 5..6%"),
        (f"choose {MD} --wager pair_plus --edge 5..x", "--edge: '5..x' is not a range like 5..6%"),
        (
            f"choose {MD} --wager play --edge 5..6",
            "wager play: is not a wager that these selections can offer",
        ),
        (
            f"choose {MD} --wager pair_plus --edge 5..6 --most 0",
            "Invalid value for '--most': 0 is not in the range x>=1.",
        ),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(words: str, sentence: str) -> None:
    check_refused(run(*words.split()), sentence)
