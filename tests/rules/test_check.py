"""Every kind of fault is found, and reported with its file, place, line and the clause near it."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from croupier.errors import Problem
from croupier.rules.check import read
from tests.rules.books import (
    FLORIDA,
    MARYLAND,
    SINGAPORE,
    SIXTH_TEXT,
    problems_of,
    sixth,
    swapped,
    text_of,
)

CROWN = '[{ needs = ["watch"], clause = "3" }, { at_most = 2, of = "watch", clause = "3" }]'
SPADES = '{ hand = "mini royal", suits = "s", to = 9, clause = "6.a" }'
FLUSH = '{ hand = "straight flush", to = 4, clause = "6.b" }'
ROYAL = '{ hand = "royal flush", percent = 100, meter = "crown" }'
TENS = '{ hand = "pair", least = "T", for = 2.5 }'
METER = 'meters = [{ id = "crown", reset = 50, reset_min = 20, clause = "3" }]'
HIGHER = 'higher    = { does = "pay", to = 1, clause = "6" }'
LOWER = 'lower     = { does = "lose", clause = "6" }'
ALWAYS = 'settle     = { always = { does = "table", clause = "6" } }'
CHOICE = 'sets   = { "wager.watch.settle.equal.does" = "lose" }'
BOXES = 'sets     = "table.boxes_max"'
SECOND = '"2" = { kept = "enforced", says = "A player opens with a Watch." }'
BELL = '"8" = { kept = "declared", says = "There is a bell." }'

# Each case: what is changed to what, and then the fault: its path, the clause near it, a string of
# the line it must be on, and its message.
Case = tuple[str, str, str, str | None, str, str]

NOTHING: dict[str, Case] = {
    "wager that needs itself": (
        'needs = ["watch"]',
        'needs = ["watch", "crown"]',
        "wager.crown.conditions[1]",
        "3",
        '"crown"], clause',
        "'crown' can't depend on itself",
    ),
    "wager at most so many times itself": (
        'of = "watch", clause',
        'of = "crown", clause',
        "wager.crown.conditions[2]",
        "3",
        "at_most",
        "'crown' can't depend on itself",
    ),
    "meter that is never paid": (
        METER,
        METER.replace("= [{", '= [{ id = "spire", reset = 9, clause = "3" }, {'),
        "paytable.crown.A.meters[1]",
        "3",
        "spire",
        "no row pays from the meter 'spire'",
    ),
    "no percent of a meter": (
        "percent = 100",
        "percent = 0",
        "paytable.crown.A.rows[1]",
        "6",
        "percent = 0",
        "pays nothing, and the stake is lost: leave the hand out",
    ),
    "nothing for 1": (
        TENS,
        TENS.replace("2.5", "0"),
        "paytable.crown.A.rows[2]",
        "6",
        "for = 0",
        "pays nothing, and the stake is lost: leave the hand out",
    ),
    "a win that pays nothing": (
        HIGHER,
        HIGHER.replace("to = 1", "to = 0"),
        "wager.watch.settle.higher.to",
        "6",
        "to = 0",
        "pays nothing; say 'push' if that is meant",
    ),
    "nobody plays": (
        "seats  = 5",
        "seats  = 5\nseats_min = 0",
        "table.seats_min",
        "1",
        "seats_min",
        "must be at least 1: somebody plays a round",
    ),
}

NAMES: dict[str, Case] = {
    "clause": (
        'clause    = "1"\nqualifier', 'clause    = "99"\nqualifier',
        "bank.clause", "99", '"99"', "'99' is not a clause of this book",
    ),
    "ruling": (
        'clause = "6", ruling = "W1"', 'clause = "6", ruling = "W9"',
        "wager.watch.settle.equal.ruling", "6", '"W9"', "'W9' is not a ruling of this book",
    ),
    "ruling's clause": (
        'clauses   = ["6"]', 'clauses   = ["6", "6.z"]',
        "ruling.W1.clauses[2]", None, '"6.z"', "'6.z' is not a clause of this book",
    ),
    "wager": (
        'makers   = "crown"', 'makers   = "clown"',
        "envy.envy.makers", "3", '"clown"', "'clown' is not a wager of this book",
    ),
    "wager of a condition": (
        'needs = ["watch"]', 'needs = ["watch", "match"]',
        "wager.crown.conditions[1].needs[2]", "3", '"match"', "'match' is not a wager of this book",
    ),
    "spot asked": (
        'asks   = "watch"', 'asks   = "match"',
        "step.stay_or_leave.asks", "5", '"match"', "'match' is not a spot of this book",
    ),
    "spot of a stake": (
        "crown = { fate", 'clown = { fate = "keep", clause = "5" }\ncrown = { fate',
        "step.stay_or_leave.option.leave.stakes.clown", "5", "clown =",
        "'clown' is not a spot of this book",
    ),
    "line": (
        '["watch", "beacon", "crown", "envy"]', '["watch", "beacon", "crown", "envy", "clown"]',
        "step.settle.lines[5]", "6", '"clown"',
        "'clown' is not a wager, bonus or envy of this book",
    ),
    "family": (
        'paytable = "envy"', 'paytable = "entry"',
        "envy.envy.paytable", "3", '"entry"', "'entry' is not a family of paytables of this book",
    ),
    "meter": (
        'meter = "crown"', 'meter = "clown"',
        "paytable.crown.A.rows[1].meter", "6", '"clown"', "'clown' is not a meter of this book",
    ),
    "place": (
        '["bank", "pool"]', '["bank", "poll"]',
        "step.reveal.shows[2]", "6", '"poll"', "'poll' is not a place of this book",
    ),
    "place of a deal": (
        'to = "pool"', 'to = "poll"',
        "deal.shoe.cards[3].to", "4", '"poll"', "'poll' is not a place of this book",
    ),
    "selection": (
        'selection = "ties"', 'selection = "toes"',
        "ruling.W1.selection", None, '"toes"', "'toes' is not a selection of this book",
    ),
    "selection of a reading": (
        "{ ties =", "{ toes =",
        "ruling.W1.alternative[1].selections.toes", None, "{ toes",
        "'toes' is not a selection of this book",
    ),
    "path": (
        '"1" = { kept = "enforced",', '"1" = { kept = "enforced", in = "wager.match",',
        "clause.1.in", "1", '"wager.match"', "nothing in the book stands at 'wager.match'",
    ),
    "path of a selection": (
        BOXES, 'sets     = "tables.boxes_max"',
        "selection.boxes.sets", "1", '"tables.boxes_max"',
        "nothing in the book stands at 'tables.boxes_max'",
    ),
}  # fmt: skip

PARTS: dict[str, Case] = {
    "row out of order": (
        f"{SPADES},\n  {FLUSH}", f"{FLUSH},\n  {SPADES}",
        "paytable.beacon.A.rows[2]", "6.a", '"mini royal"',
        "stands below a row that it should be above",
    ),
    "row that never pays": (
        FLUSH, '{ hand = "mini royal", suits = "sh", to = 4, clause = "6.b" }',
        "paytable.beacon.A.rows[2]", "6.b", '"sh"', "stands below a row that it should be above",
    ),
    "hand of another size": (
        FLUSH, '{ hand = "full house", to = 4, clause = "6.b" }',
        "paytable.beacon.A.rows[2].hand", "6.b", '"full house"', "'full house' is not a hand of it",
    ),
    "two payouts": (
        "to = 4,", "to = 4, amount = 5,",
        "paytable.beacon.A.rows[2]", "6.b", "amount = 5",
        "must pay exactly one of 'to', 'for', 'amount' and 'percent'",
    ),
    "no payout": (
        "to = 4, ", "",
        "paytable.beacon.A.rows[2]", "6.b", '"straight flush", clause',
        "must pay exactly one of 'to', 'for', 'amount' and 'percent'",
    ),
    "percent without meter": (
        ', meter = "crown"', "",
        "paytable.crown.A.rows[1]", "6", "percent", "'percent' and 'meter' belong together",
    ),
    "meter without percent": (
        "for = 2.5", 'for = 2.5, meter = "crown"',
        "paytable.crown.A.rows[2]", "6", "for = 2.5", "'percent' and 'meter' belong together",
    ),
    "meter of another table": (
        "to = 4", 'percent = 4, meter = "crown"',
        "paytable.beacon.A.rows[2].meter", "6.b", "percent = 4",
        "'crown' is not a meter of this paytable",
    ),
    "unknown suit": (
        'suits = "s"', 'suits = "sx"',
        "paytable.beacon.A.rows[1].suits", "6.a", '"sx"',
        "'sx' must consist of letters from 'shdc', each once",
    ),
    "doubled suit": (
        'suits = "s"', 'suits = "ss"',
        "paytable.beacon.A.rows[1].suits", "6.a", '"ss"',
        "'ss' must consist of letters from 'shdc', each once",
    ),
    "meter without a rate": (
        'rate   = { min = 0.1, clause = "3" }\n', "",
        "paytable.crown.A.rate", "6", "[paytable.crown.A]", "is missing; the paytable has meters",
    ),
    "meter of an uncollected wager": (
        'collected  = "3"\n', "",
        "wager.crown.collected", "3", "[wager.crown]", "is missing; the wager has a meter",
    ),
    "wager that nothing settles": (
        '["watch", "beacon", "crown", "envy"]', '["watch", "beacon", "envy"]',
        "wager.crown", "3", "[wager.crown]",
        "nothing settles it: no step has it among its 'lines'",
    ),
    "bonus that nothing settles": (
        '["watch", "beacon", "crown", "envy"]', '["watch", "crown", "envy"]',
        "bonus.beacon", "6", "[bonus.beacon]",
        "nothing settles it: no step has it among its 'lines'",
    ),
    "envy that nothing settles": (
        '["watch", "beacon", "crown", "envy"]', '["watch", "beacon", "crown"]',
        "envy.envy", "3", "[envy.envy]", "nothing settles it: no step has it among its 'lines'",
    ),
    "always with others": (
        HIGHER, f'{HIGHER}\nalways    = {{ does = "push", clause = "6" }}',
        "wager.watch.settle", "2", "[wager.watch.settle]",
        "must have 'always' or all of higher, lower, equal, unopposed",
    ),
    "missing verdict": (
        f"{LOWER}\n", "",
        "wager.watch.settle", "2", "[wager.watch.settle]",
        "must have 'always' or all of higher, lower, equal, unopposed",
    ),
    "table verdict without a paytable": (
        LOWER, 'lower     = { does = "table", clause = "6" }',
        "wager.watch.settle.lower", "6", 'lower     = { does = "table"',
        "there is no paytable to go by",
    ),
    "payment without odds": (
        HIGHER, 'higher    = { does = "pay", clause = "6" }',
        "wager.watch.settle.higher", "6", 'higher    =',
        "'to' goes with \"pay\" and with nothing else",
    ),
    "odds of a loss": (
        LOWER, 'lower     = { does = "lose", to = 1, clause = "6" }',
        "wager.watch.settle.lower", "6", 'lower     =',
        "'to' goes with \"pay\" and with nothing else",
    ),
    "condition of two kinds": (
        "{ at_most = 2,", '{ at_most = 2, needs = ["watch"],',
        "wager.crown.conditions[2]", "3", "at_most", "must have 'needs' or 'at_most'",
    ),
    "condition without the other wager": (
        'at_most = 2, of = "watch"', "at_most = 2",
        "wager.crown.conditions[2]", "3", "at_most", "'at_most' goes with 'of'",
    ),
}  # fmt: skip

ROUND: dict[str, Case] = {
    "order of steps": (
        'do     = "deal"', 'do     = "reveal"\nshows  = ["bank"]',
        "step", None, "[step.bets]", "must begin with bets and deal, and end with the only settle",
    ),
    "step that lacks its key": (
        'order  = "clockwise"\n', "",
        "step.stay_or_leave.order", "5", "[step.stay_or_leave]", "is missing",
    ),
    "bets that never close": (
        'closed = "7"\n', "",
        "step.bets.closed", "7", "[step.bets]", "is missing",
    ),
    "stake with an open fate": (
        'crown = { fate = "keep", clause = "5" }\n', "",
        "step.stay_or_leave.option.leave", "5", "[step.stay_or_leave.option.leave]",
        "does not say what becomes of a stake on 'crown'",
    ),
    "option that places half": (
        'label  = "Stay"', 'label  = "Stay"\nplaces = "crown"',
        "step.stay_or_leave.option.stay", "5", "[step.stay_or_leave.option.stay]",
        "'places' and 'equals' belong together",
    ),
    "wager by decision that nothing places": (
        'label      = "Crown"', 'label      = "Crown"\nplaced     = "by decision"',
        "wager.crown", "3", "[wager.crown]", "is placed by decision, but no option places it",
    ),
    "cover in a book of the house": (
        'label     = "Warden"',
        'label     = "Warden"\n'
        'cover     = { unit = "hand", collects = "first", in_part = false, from = "wager", '
        'clause = "1" }',
        "bank", "1", "[bank]", "'cover' belongs to a book that a player banks",
    ),
    "rotation in a book of the house": (
        'label     = "Warden"',
        'label     = "Warden"\n'
        'rotation  = { rounds_max = 1, passes = true, stays = true, clause = "1" }',
        "bank", "1", "[bank]", "'rotation' belongs to a book that a player banks",
    ),
}  # fmt: skip

SELECTIONS: dict[str, Case] = {
    "default of an option": (
        'default = "push"', 'default = "draw"',
        "selection.ties.default", "6", '"draw"', "'draw' is not one of its values",
    ),
    "default of a paytable": (
        'default  = "A"', 'default  = "Z"',
        "selection.beacon.default", "6", '"Z"', "'Z' is not one of its values",
    ),
    "default of no sum": (
        'takes    = "count"', 'takes    = "money"\ndefault  = "none"',
        "selection.boxes.default", "1", 'default  = "none"',
        "leave it out: without a default there is none",
    ),
    "no letters": (
        'letters = ["A"]\n', "",
        "selection.crown.letters", "6", "[selection.crown]", "is missing",
    ),
    "letter without a paytable": (
        'letters  = ["A", "B"]', 'letters  = ["A", "B", "C"]',
        "selection.beacon.letters", "6", '"C"', "there is no paytable beacon.C",
    ),
    "no family": (
        'family  = "crown"\n', "",
        "selection.crown.family", "6", "[selection.crown]", "is missing",
    ),
    "rate of nothing": (
        'of     = "crown"\n', "",
        "selection.crown_rate.of", "3", "[selection.crown_rate]", "is missing",
    ),
    "count that sets nothing": (
        f"{BOXES}\n", "",
        "selection.boxes.sets", "1", "[selection.boxes]", "is missing",
    ),
    "dealing that is no deal": (
        "[selection.dealing.option.shoe]",
        '[selection.dealing.option.boot]\nsays = "a boot"\nclause = "4"\n\n'
        "[selection.dealing.option.shoe]",
        "selection.dealing.option.boot", "4", "option.boot]", "there is no such deal",
    ),
    "overlay of a wrong word": (
        CHOICE, CHOICE.replace('= "lose"', '= "win"'),
        "selection.ties.option.lose.sets", "6", '= "win"',
        "sets wager.watch.settle.equal.does: 'win' is not one of "
        "'pay', 'lose', 'push', 'table', 'push listed'",
    ),
    "overlay of an unknown key": (
        CHOICE, CHOICE.replace("equal.does", "equal.dose"),
        "selection.ties.option.lose.sets", "6", "equal.dose",
        "sets wager.watch.settle.equal.dose: unknown key; did you mean 'does'?",
    ),
    "overlay of a wrong type": (
        CHOICE, 'sets   = { "deck.decks" = "two" }',
        "selection.ties.option.lose.sets", "6", '"two"',
        "sets deck.decks: must be a whole number of at least 0, not 'two'",
    ),
    "reading that cites nothing": (
        'does = "pay", to = 1, clause = "6" } }', 'does = "pay", to = 1, clause = "66" } }',
        "ruling.W1.alternative[2].sets", None, '"66"', "'66' is not a clause of this book",
    ),
    "reading that nobody can play or price": (
        'selections = { ties = "lose" }\n', "",
        "ruling.W1.alternative[1]", None, '= "ties"\n[[ruling.W1.alternative]]',
        "sets nothing and selects nothing, and the ruling has no 'why'",
    ),
    "enforced clause that nothing cites": (
        BELL, BELL.replace("declared", "enforced"),
        "clause.8", "8", '"8"',
        "is enforced, but nothing in the book cites it; say in what with 'in'",
    ),
    "guided clause without a moment": (
        'at = "no more bets", ', "",
        "clause.7.at", "7", "Ring the bell", "is missing; a guided clause says when it is due",
    ),
    "clause that collects at another moment": (
        'at = "no more bets", ', 'at = "no more bets", collects = true, ',
        "clause.7.collects", "7", "Ring the bell",
        "is for a moment 'decided', 'on' a choice that folds",
    ),
    "moment of a declared clause": (
        BELL, BELL.replace('"declared"', '"declared", at = "bets"'),
        "clause.8", "8", "There is a bell", "'at' belongs to a guided clause and to no other",
    ),
    "clause of two rows": (
        '"6.b"', '"6.a"',
        "paytable.beacon.A.rows[2].clause", "6.a", '"straight flush", to = 4',
        "the clause '6.a' is in the book twice",
    ),
}  # fmt: skip

# What is wrong here is wrong in more than one way.
MANIFOLD: dict[str, Case] = {
    "question decided twice": (
        '[ruling.W1]', '[ruling.W2]\nclauses = ["6"]\ndecides = "things"\nproblem = "It is open."\n'
        'choice = "It is so."\n[ruling.W1]\ndecides = "things"',
        "ruling.W1.decides", None, '[ruling.W1]\ndecides', "'W2' decides 'things' already",
    ),
    "hand of four cards": (
        'label  = "Pool"\ncards  = 2', 'label  = "Pool"\ncards  = 1',
        "paytable.crown.A.of", "6", "[paytable.crown.A]\nclause = \"6\"\nof",
        "no hand has that many cards",
    ),
    "reading that sets nonsense": (
        'equal" = { does = "pay"', 'equal" = { doos = "pay"',
        "ruling.W1.alternative[2].sets", None, "doos",
        "sets wager.watch.settle.equal.doos: unknown key; did you mean 'does'?",
    ),
}  # fmt: skip


def line_with(text: str, anchor: str) -> int:
    """The only line of a text on which a string ends."""
    assert text.count(anchor) == 1
    return text.count("\n", 0, text.index(anchor) + len(anchor)) + 1


def cases(*tables: dict[str, Case]) -> pytest.MarkDecorator:
    every = {name: case for table in tables for name, case in table.items()}
    return pytest.mark.parametrize("case", every.values(), ids=every.keys())


@cases(NOTHING, NAMES, PARTS, ROUND, SELECTIONS, MANIFOLD)
def test_a_fault_is_found_and_placed(case: Case) -> None:
    old, new, path, clause, anchor, message = case
    text = swapped(SIXTH_TEXT, (old, new))
    expected = Problem(
        message=message, file="sixth.toml", path=path, line=line_with(text, anchor), clause=clause
    )
    assert expected in problems_of(text)


@cases(PARTS, ROUND, SELECTIONS)
def test_one_fault_makes_one_problem(case: Case) -> None:
    found = problems_of(swapped(SIXTH_TEXT, case[:2]))
    assert [problem.message for problem in found] == [case[-1]]


def test_the_sixth_book_has_no_fault() -> None:
    assert sixth().id == "watchtower"


def test_all_faults_are_reported_together() -> None:
    every = [NAMES["ruling"], NAMES["wager"], PARTS["two payouts"], ROUND["bets that never close"]]
    every += [SELECTIONS["default of an option"], SELECTIONS["moment of a declared clause"]]
    found = problems_of(swapped(SIXTH_TEXT, *(case[:2] for case in every)))
    assert {problem.message for problem in found} == {case[-1] for case in every}


def test_a_fault_is_not_blamed_on_the_overlays_beside_it() -> None:
    """A name mistyped in a wager isn't blamed on the options that change the wager."""
    found = problems_of(swapped(SIXTH_TEXT, NAMES["ruling"][:2]))
    assert [problem.path for problem in found] == ["wager.watch.settle.equal.ruling"]


def test_player_banked_books_need_cover_and_rotation() -> None:
    found = problems_of(swapped(SIXTH_TEXT, ('banked_by = "house"', 'banked_by = "player"')))
    assert [(problem.path, problem.message) for problem in found] == [
        ("bank.cover", "is missing; a book that a player banks needs it"),
        ("bank.rotation", "is missing; a book that a player banks needs it"),
    ]


@pytest.mark.parametrize(
    ("id", "old", "new"),
    [
        (MARYLAND, '{ value = "12.C"', '{ value = "12.Q"'),
        (MARYLAND, '{ value = "electronic"', '{ value = "electric"'),
        (MARYLAND, '{ shuffler = ["none", "plain"] }', '{ shuffler = ["none", "simple"] }'),
        (MARYLAND, 'among = ["automated_shoe"]', 'among = ["automatic_shoe"]'),
        (MARYLAND, "among   = [1, 5]\ndefault = 1", "among   = [1, 5]\ndefault = 3"),
        (MARYLAND, "among   = [1, 5]\ndefault = 1", 'among   = [1, 5]\ndefault = "B"'),
        (FLORIDA, '{ pair_plus_when_beaten = "push" }', '{ pair_plus_when_beaten = "pull" }'),
    ],
)
def test_a_value_that_a_selection_cannot_have_is_found(id: str, old: str, new: str) -> None:
    """Values of selections are names too: one that nothing bears would never come true."""
    found = problems_of(swapped(text_of(id), (old, new)))
    named = new.split('"')[-2] if '"' in new else new.split()[-1]
    assert any(named in problem.message for problem in found)


def test_what_an_overlay_misses_is_blamed_on_the_part_that_lacks_it() -> None:
    kept = 'pair_plus   = { fate = "keep", clause = "3.9" }\n'
    found = problems_of(swapped(text_of(SINGAPORE), (kept, "")))
    assert (
        "step.play_or_fold.option.fold",
        "does not say what becomes of a stake on 'pair_plus'",
    ) in [(problem.path, problem.message) for problem in found]


def test_an_overlay_of_something_that_is_not_there_is_found() -> None:
    """An overlay changes what a book has; a new name in it is a slip."""
    old, new = '"place.community"  ', '"place.comunity"   '
    found = problems_of(swapped(text_of(MARYLAND), (old, new)))
    assert "nothing in the book stands at 'place.comunity'" in [p.message for p in found]


GONE = object()


def parts(data: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where everything in a book's data stands."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from parts(value, (*at, key))


@pytest.mark.parametrize("junk", [GONE, 1, "x", [{}]], ids=["gone", "number", "text", "list"])
def test_whatever_stands_anywhere_in_a_book_is_a_fault_at_most(junk: object) -> None:
    """A ranking misspelt in one word ended in a traceback, as did meters that are no list."""
    book = sixth().data
    for *way, last in parts(book):
        data: Any = deepcopy(book)
        table = data
        for key in way:
            table = table[key]
        if junk is GONE:
            del table[last]
        else:
            table[last] = junk
        rules, faults = read(data)
        assert rules or faults, f"nothing is said of {way}, {last}"
