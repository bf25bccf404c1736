"""A rules submission: what is written can be filled in and passes, and every breach is found."""

import re
import tomllib
from dataclasses import replace

import pytest

from croupier.errors import Breach, Breaches, UserError
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from croupier.rules.submission import Submission, breaches, parse_submission, submitted
from croupier.rules.submission_form import new_submission
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
    sixth,
    swapped,
    text_of,
)

# What a book's operator must declare besides ticking the checklist.
DECLARED: dict[str, dict[str, object]] = {
    MARYLAND: {"adjacent_boxes": 2},
    LET_IT_RIDE: {"adjacent_boxes": 2, "payout_limit": "none"},
    SINGAPORE: {"progressive_rate": "10%", "progressive_reset": 500},
}


def filled_in(id: str) -> Submission:
    """The submission that is written for a book, every box ticked and all declared."""
    text = new_submission(book(id)).replace("= false", "= true")
    submission = parse_submission(text)
    selections = {**submission.selections, **DECLARED.get(id, {})}
    return Submission(rulebook=id, selections=selections, checklist=submission.checklist)


@each_book
def test_what_is_written_lacks_only_ticks_and_declarations(id: str) -> None:
    found = breaches(book(id), parse_submission(new_submission(book(id))))
    undeclared = {breach.selection for breach in found if "must be declared" in breach.message}
    unticked = {breach.selection for breach in found if "is not confirmed" in breach.message}
    declared = {
        f"checklist.{n}" for n, c in resolve(book(id)).clauses.items() if c.kept == "declared"
    }
    assert undeclared == set(DECLARED.get(id, {}))
    assert unticked == declared
    assert len(found) == len(undeclared) + len(unticked)


@each_book
def test_a_submission_that_is_filled_in_keeps_the_book(id: str) -> None:
    assert breaches(book(id), filled_in(id)) == ()


@each_book
def test_every_selection_is_in_what_is_written(id: str) -> None:
    text = new_submission(book(id))
    written = re.findall(r"^(?:# )?(\w+) =", text[text.index("[selections]") :], re.MULTILINE)
    assert written == list(book(id).rules.selection)


@each_book
def test_every_default_is_written_as_it_stands_in_the_book(id: str) -> None:
    written = tomllib.loads(new_submission(book(id)))["selections"]
    assert resolve(book(id), written) == resolve(book(id))
    assert written.keys() == {
        n for n, s in book(id).rules.selection.items() if s.default is not None
    }


@each_book
def test_what_is_written_is_tidy(id: str) -> None:
    text = new_submission(book(id))
    assert max(map(len, text.splitlines())) <= 100
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert text.endswith("\n")


def test_what_a_selection_may_be_is_written_above_it() -> None:
    text = " ".join(new_submission(book(MARYLAND)).replace("\n# ", " ").split())
    assert "The Pair Plus paytable (12.D, ruling M15). May be: A, B, C, D or E." in text
    assert "at least 14 % for A and 20 % for B" in text


def test_the_sixth_book_has_a_submission_too() -> None:
    text = new_submission(sixth())
    found = breaches(sixth(), parse_submission(text))
    assert [breach.selection for breach in found] == ["boxes", "checklist.8"]
    done = text.replace("# boxes =    (must be declared)", "boxes = 1").replace("= false", "= true")
    assert breaches(sixth(), parse_submission(done)) == ()


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("rulebook =", "submission", "is not TOML: Invalid value (at end of document)"),
        ("", "rulebook", "is missing"),
        ("rulebook = 1", "rulebook", "must be text, not 1"),
        ('rulebook = "x"\nselection = {}', "selection",
            "unknown key; did you mean 'selections'?"),
        ('rulebook = "x"\nselections = "A"', "selections", "must be a table, not 'A'"),
        ('rulebook = "x"\nselections = []', "selections", "must be a table, not a list"),
        ('rulebook = "x"\nchecklist = true', "checklist", "must be a table, not true"),
    ],
)  # fmt: skip
def test_what_is_no_submission_is_refused(text: str, field: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_submission(text)
    assert (caught.value.field, caught.value.message) == (field, message)


def test_parts_may_be_left_out() -> None:
    expected = Submission(rulebook=FLORIDA, selections={}, checklist={})
    assert parse_submission(f'rulebook = "{FLORIDA}"') == expected


@pytest.mark.parametrize(
    ("checklist", "name", "clause", "message"),
    [
        ({"99": True}, "checklist.99", None, "is not a clause of the checklist"),
        ({"9": True}, "checklist.9", None, "is not a clause of the checklist"),
    ],
)
def test_a_strange_box_of_the_checklist_is_a_breach(
    checklist: dict[str, object], name: str, clause: str | None, message: str
) -> None:
    ticked = {**filled_in(FLORIDA).checklist, **checklist}
    selections = filled_in(FLORIDA).selections
    submission = Submission(rulebook=FLORIDA, selections=selections, checklist=ticked)
    expected = (Breach(selection=name, clause=clause, message=message),)
    assert breaches(book(FLORIDA), submission) == expected


@pytest.mark.parametrize("value", ["yes", 1, "true", None])
def test_a_box_of_the_checklist_is_true_or_false(value: object) -> None:
    ticked = {**filled_in(FLORIDA).checklist, "7": value}
    found = breaches(book(FLORIDA), Submission(rulebook=FLORIDA, selections={}, checklist=ticked))
    breach = Breach(selection="checklist.7", clause="7", message="must be true or false")
    assert breach in found


def test_breaches_of_selections_and_of_the_checklist_come_together() -> None:
    submission = Submission(
        rulebook=MARYLAND, selections={"pair_plus": "Z"}, checklist={"nonsense": True}
    )
    names = [breach.selection for breach in breaches(book(MARYLAND), submission)]
    assert names[:3] == ["ante_bonus", "adjacent_boxes", "pair_plus"]
    assert "checklist.nonsense" in names
    # Wrong selections do not hide an unticked box that no selection touches.
    assert "checklist.2.B(1)" in names


def test_a_checklist_asks_only_for_what_the_selections_bring() -> None:
    counts = {}
    for shuffler in ("none", "device"):
        selections = {**filled_in(MARYLAND).selections, "shuffler": shuffler}
        submission = Submission(rulebook=MARYLAND, selections=selections, checklist={})
        found = breaches(book(MARYLAND), submission)
        rules = resolve(book(MARYLAND), submission.selections)
        declared = [name for name, clause in rules.clauses.items() if clause.kept == "declared"]
        counts[shuffler] = [breach.clause for breach in found], declared
    assert all(asked == declared for asked, declared in counts.values())
    assert set(counts["device"][0]) - set(counts["none"][0]) == {"5.C", "5.I"}


def test_S6_a_jackpot_needs_its_rate_and_its_reset_declared() -> None:
    found = breaches(book(SINGAPORE), parse_submission(new_submission(book(SINGAPORE))))
    declared = [
        (breach.selection, breach.clause) for breach in found if "declared" in breach.message
    ]
    assert declared == [("progressive_rate", "4.4"), ("progressive_reset", "4.4")]


def test_every_book_is_covered() -> None:
    assert set(DECLARED) <= set(IDS)


def test_any_in_a_condition_is_every_value_but_none() -> None:
    letters = 'six_card_bonus = ["A", "B", "C", "D", "E", "F"]'
    text = swapped(text_of(MARYLAND), (letters, 'six_card_bonus = ["any"]'))
    changed = parse_rulebook(text, id=MARYLAND, file="a.toml")
    assert "2.B(4)" in resolve(changed, {"six_card_bonus": "F"}).clauses
    assert "2.B(4)" not in resolve(changed, {"six_card_bonus": "none"}).clauses


# ---------------------------------------------------------------- what the operator must state


def unstated(id: str, *left_out: str, **selections: object) -> list[tuple[str, str | None]]:
    """The breaches of a submission that is right but for what is left out or stated otherwise."""
    stated = {**filled_in(id).selections, **selections}
    kept = {name: value for name, value in stated.items() if name not in left_out}
    every = {name: True for name, clause in book(id).clauses.items() if clause.kept == "declared"}
    found = breaches(book(id), Submission(rulebook=id, selections=kept, checklist=every))
    return [(breach.selection, breach.clause) for breach in found]


METER = {"progressive_rate": "20%", "progressive_reset": 1000, "progressive_initial": 1000}
FIVE = {f"five_card_{name}": value for name, value in METER.items()}


@pytest.mark.clause(MARYLAND, "12.B", "12.D")
@pytest.mark.clause(LET_IT_RIDE, "12.A")
@pytest.mark.parametrize(
    ("id", "name", "clause"),
    [
        (MARYLAND, "ante_bonus", "12.B"),
        (MARYLAND, "pair_plus", "12.D"),
        (LET_IT_RIDE, "let_it_ride", "12.A"),
        (FLORIDA, "pair_plus", "9"),
    ],
)
def test_the_paytable_of_what_is_always_offered_must_be_stated(
    id: str, name: str, clause: str
) -> None:
    assert unstated(id, name) == [(name, clause)]


@pytest.mark.parametrize("id", [CALIFORNIA, SINGAPORE])
def test_a_paytable_that_the_book_fixes_need_not_be_stated(id: str) -> None:
    fixed = [n for n, s in book(id).rules.selection.items() if s.takes == "paytable"]
    assert fixed
    assert unstated(id, *fixed) == []


def test_12_C_the_bonus_of_a_7_G_version_is_not_stated() -> None:
    assert unstated(MARYLAND, "ante_bonus", version="7.G(1)") == []


@pytest.mark.clause(MARYLAND, "12.E(3)", "12.E(3)(a)", "12.E(3)(b)")
@pytest.mark.clause(LET_IT_RIDE, "12.F", "12.F(1)", "12.F(2)")
@pytest.mark.parametrize("letter", ["A", "B", "C"])
@pytest.mark.parametrize(
    ("id", "rate", "amount"),
    [(MARYLAND, "12.E(3)(a)", "12.E(3)(b)"), (LET_IT_RIDE, "12.F(1)", "12.F(2)")],
)
def test_rate_and_amounts_of_a_meter_must_be_stated_each_once(
    id: str, letter: str, rate: str, amount: str
) -> None:
    assert unstated(id, progressive=letter, **METER) == []
    assert unstated(id, progressive=letter) == [
        ("progressive_rate", rate),
        ("progressive_reset", amount),
        ("progressive_initial", amount),
    ]


@pytest.mark.clause(MARYLAND, "12.G")
def test_12_G_rate_and_amounts_of_the_five_card_meters_must_be_stated() -> None:
    assert unstated(MARYLAND, five_card_progressive="C", **FIVE) == []
    assert unstated(MARYLAND, five_card_progressive="C") == [(name, "12.G") for name in FIVE]


@pytest.mark.clause(MARYLAND, "12.E(3)(b)")
def test_12_E_3_b_the_amount_of_every_meter_must_be_stated() -> None:
    stated = {**METER, "progressive_reset": {"major": 5000}}
    assert unstated(MARYLAND, progressive="C", **stated) == [("progressive_reset", "12.E(3)(b)")]
    stated["progressive_reset"] = {"major": 5000, "minor": 1000}
    assert unstated(MARYLAND, progressive="C", **stated) == []


def test_the_only_meter_of_a_paytable_is_named_by_its_id() -> None:
    filled = filled_in(MARYLAND)
    stated = {**filled.selections, **METER, "progressive": "A"}
    stated["progressive_reset"] = {"major": 5000}
    found = breaches(book(MARYLAND), replace(filled, selections=stated))
    by_amounts = [b for b in found if b.clause == "12.E(3)(b)"]
    assert [(b.selection, b.message) for b in by_amounts] == [
        (
            "progressive_reset",
            "must be declared for progressive too: what a meter starts again from",
        ),
        ("progressive_reset", "'major' is not a meter of the paytable, which has progressive"),
    ]


@pytest.mark.clause(MARYLAND, "7.H")
@pytest.mark.clause(LET_IT_RIDE, "7.F")
@pytest.mark.parametrize(("id", "clause"), [(MARYLAND, "7.H"), (LET_IT_RIDE, "7.F")])
def test_the_number_of_adjacent_boxes_must_be_stated(id: str, clause: str) -> None:
    assert unstated(id, "adjacent_boxes") == [("adjacent_boxes", clause)]


def test_2_B_10_a_payout_limit_or_that_there_is_none_must_be_stated() -> None:
    assert unstated(LET_IT_RIDE, "payout_limit") == [("payout_limit", "2.B(10)")]
    assert unstated(LET_IT_RIDE, payout_limit=50_000) == []
    rules = resolve(book(LET_IT_RIDE), {"payout_limit": "none"})
    assert rules.digest == resolve(book(LET_IT_RIDE)).digest


STACK = {"community_stack": 3}
SHOE = {"dealing": "automated_shoe"}


@pytest.mark.clause(LET_IT_RIDE, "10.H")
@pytest.mark.parametrize("broken", [{}, {"dealing": "hand"}, {**SHOE, "shuffler": "none"}])
def test_10_H_a_stack_of_three_needs_a_shoe_that_reshuffles(broken: dict[str, object]) -> None:
    for shuffler in ("plain", "counting", "device"):
        assert unstated(LET_IT_RIDE, **STACK, **SHOE, shuffler=shuffler) == []
    assert unstated(LET_IT_RIDE, **STACK, **broken) == [("community_stack", "10.H")]


@pytest.mark.parametrize(
    ("id", "selections", "breach"),
    [
        (MARYLAND, {"progressive_rate": "20%"}, ("progressive_rate", "12.E(3)(a)")),
        (MARYLAND, {"progressive_reset": 2000}, ("progressive_reset", "12.E(3)(b)")),
        (MARYLAND, {"progressive_wager": 5}, ("progressive_wager", "12.E(5)")),
        (MARYLAND, {"five_card_envy": {"royal flush": 9}}, ("five_card_envy", "11.D(9)(g)")),
        (MARYLAND, {"adjacent_boxes": 8}, ("adjacent_boxes", "7.H")),
        (MARYLAND, {"limits": {"play": [5, 50]}}, ("limits", "T7")),
        (MARYLAND, {"limits": {"six_card_bonus": [5, 50]}}, ("limits", "T7")),
        (MARYLAND, {"progressive": "A", **METER, "limits": {"progressive": [2, 4]}},
            ("limits", "T7")),
        (LET_IT_RIDE, {"progressive_shares": {"major": 1}}, ("progressive_shares", "12.F(1)")),
    ],
)  # fmt: skip
def test_what_cannot_apply_to_the_table_is_a_breach(
    id: str, selections: dict[str, object], breach: tuple[str, str]
) -> None:
    assert unstated(id, **selections) == [breach]
    with pytest.raises(Breaches):
        submitted(book(id), {**filled_in(id).selections, **selections})
    assert resolve(book(id), selections), "a round file may say so"


def test_what_applies_is_no_breach() -> None:
    limits = {"ante": [5, 500], "pair_plus": [1, 100], "progressive": [1, 5]}
    stated = {"progressive": "A", **METER, "limits": limits, "adjacent_boxes": 7}
    assert unstated(MARYLAND, **stated, progressive_wager=[1, 5]) == []
    envy = {"five_card_envy": {"royal flush": 9}}
    assert unstated(MARYLAND, five_card_progressive="A", **FIVE, **envy) == []


@pytest.mark.parametrize(
    ("id", "selections", "clauses"),
    [
        (MARYLAND, {"dealing": "hand"}, {"1.B(1)": False, "8.A": False, "5.C": False}),
        (MARYLAND, {"progressive": "A", **METER}, {"2.B(3)": True, "2.C": True, "2.B(4)": False}),
        (MARYLAND, {"six_card_bonus": "F"}, {"2.B(4)": True, "2.C(2)": False}),
        (MARYLAND, {"decks": 2}, {"3.B(1)": True, "3.B(2)": True, "5.I": False}),
        (LET_IT_RIDE, {"shuffler": "device"}, {"5.I": True, "3.B(1)": False}),
        (LET_IT_RIDE, {}, {"2.B(5)": False, "2.B(6)": False, "2.B(8)": False, "2.B(10)": False}),
        (LET_IT_RIDE, {"payout_limit": 50_000}, {"2.B(10)": True, "5.I": False}),
    ],
)
@pytest.mark.parametrize("broken", [{}, {"adjacent_boxes": 0}])
def test_the_checklist_asks_for_nothing_that_the_selections_rule_out(
    id: str, selections: dict[str, object], clauses: dict[str, bool], broken: dict[str, object]
) -> None:
    stated = {**filled_in(id).selections, **selections, **broken}
    found = breaches(book(id), Submission(rulebook=id, selections=stated, checklist={}))
    asked = {breach.clause for breach in found if "is not confirmed" in breach.message}
    assert {clause: clause in asked for clause in clauses} == clauses
