"""Table rules: every choice that a book offers can be made, and does what it says."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from croupier.errors import Breach, Breaches
from croupier.money import Cents
from croupier.rules.book import Alternative, Ruling
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from croupier.rules.table_rules import TableMeter, TableRules, as_edition, fits
from croupier.rules.vocabulary import BookPath
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
    python,
    swapped,
    text_of,
)

A = {"progressive": "A"}


def rules_of(id: str, **selections: Any) -> TableRules:
    return resolve(book(id), selections)


# ---------------------------------------------------------------- the digest


@each_book
def test_a_digest_is_the_same_every_time(id: str) -> None:
    assert rules_of(id).digest == rules_of(id).digest
    assert len(rules_of(id).digest) == 64


def test_digests_differ_from_book_to_book() -> None:
    assert len({rules_of(id).digest for id in IDS}) == len(IDS)
    assert len({book(id).digest for id in IDS}) == len(IDS)


def test_a_digest_does_not_depend_on_the_order_of_selections() -> None:
    one = {"pair_plus": "B", "decks": 2, "limits": {"ante": [5, 50], "pair_plus": [1, 9]}}
    other = {"limits": {"pair_plus": [1, 9], "ante": [5, 50]}, "decks": 2, "pair_plus": "B"}
    assert resolve(book(MARYLAND), one).digest == resolve(book(MARYLAND), other).digest


@pytest.mark.parametrize(
    "selections",
    [
        {"pair_plus": "B"},
        {"decks": 2},
        {"adjacent_boxes": 2},
        {"limits": {"ante": [5, 500]}},
        {**A},
        {**A, "progressive_rate": Decimal("0.15")},
        {**A, "progressive_reset": 2000},
        {**A, "progressive_wager": 5},
        {**A, "progressive_wager": [1, 5]},
    ],
)
def test_a_digest_changes_with_every_choice(selections: dict[str, Any]) -> None:
    assert resolve(book(MARYLAND), selections).digest != rules_of(MARYLAND).digest


@pytest.mark.parametrize(
    ("id", "one", "other"),
    [
        (MARYLAND, {}, {"pair_plus": "A", "decks": 1}),
        (MARYLAND, {"decks": 2}, {"decks": "2"}),
        (MARYLAND, {**A, "progressive_rate": "14%"}, {**A, "progressive_rate": Decimal("0.14")}),
        (MARYLAND, {**A, "progressive_rate": "0.14"}, {**A, "progressive_rate": "0.140"}),
        (MARYLAND, {**A, "progressive_reset": 1000}, {**A, "progressive_reset": "1000.00"}),
        (MARYLAND, {**A, "progressive_wager": [1, 5]}, {**A, "progressive_wager": [5, 1]}),
        (MARYLAND, {"limits": {"ante": [5, 9]}}, {"limits": {"ante": ["5.00", Decimal("9.0")]}}),
        (FLORIDA, {"pair_plus": {"pair": 1}}, {"pair_plus": {"pair": Decimal("1.0")}}),
    ],
)
def test_a_digest_does_not_depend_on_how_a_value_is_written(
    id: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert resolve(book(id), one).digest == resolve(book(id), other).digest


@pytest.mark.parametrize(
    ("id", "selections"),
    [
        *((id, {}) for id in IDS),
        (MARYLAND, {"version": "7.G(3)", "progressive": "C", "progressive_reset": {"minor": 2000}}),
        (MARYLAND, {"format": "electronic", **A, "progressive_wager": [1, 5]}),
        (LET_IT_RIDE, {"progressive": "E", "progressive_rate": "25%", "payout_limit": 50000}),
        (CALIFORNIA, {"fees": [{"up_to": 100, "fee": 1}], "limits": {"ante": [5, 50]}}),
        (FLORIDA, {"pair_plus": {"pair": "3/2"}, "rake": {"payer": "all", "amount": 1}}),
    ],
)
def test_what_the_selections_came_to_gives_the_same_rules(
    id: str, selections: dict[str, Any]
) -> None:
    rules = resolve(book(id), selections)
    assert resolve(book(id), rules.selections) == rules


def test_a_digest_is_the_same_in_every_process() -> None:
    code = (
        "from croupier.rules.load import load; from croupier.rules.resolve import resolve; "
        f"book = load({MARYLAND!r}); "
        "print(book.digest, resolve(book, {'pair_plus': 'B', 'limits': {'ante': [5, 50]}}).digest)"
    )
    printed = {python(code, PYTHONHASHSEED=seed) for seed in ("0", "1", "4711")}
    rules = rules_of(MARYLAND, pair_plus="B", limits={"ante": [5, 50]})
    assert printed == {f"{book(MARYLAND).digest} {rules.digest}\n"}


def test_comments_and_layout_do_not_count() -> None:
    text = text_of(FLORIDA)
    aired = parse_rulebook(f"# More.\n\n{text}\n# End.\n", id=FLORIDA, file="a")
    changed = parse_rulebook(swapped(text, ("to = 200", "to = 201")), id=FLORIDA, file="a")
    assert aired.digest == book(FLORIDA).digest
    assert changed.digest != book(FLORIDA).digest
    assert resolve(changed).digest != rules_of(FLORIDA).digest


# ---------------------------------------------------------------- every choice of every book


def letters() -> Iterator[tuple[str, str, str]]:
    for id in IDS:
        for name, selection in book(id).rules.selection.items():
            yield from ((id, name, letter) for letter in selection.letters)


def options() -> Iterator[tuple[str, str, str]]:
    for id in IDS:
        for name, selection in book(id).rules.selection.items():
            yield from ((id, name, option) for option in selection.option)


def readings() -> Iterator[tuple[str, str, int]]:
    for id in IDS:
        for name, ruling in book(id).rules.ruling.items():
            yield from (
                (id, name, i)
                for i, reading in enumerate(ruling.alternative)
                if reading.sets or reading.selections
            )


@each_book
def test_the_defaults_of_a_book_resolve(id: str) -> None:
    rules = rules_of(id)
    defaults = {n: s.default for n, s in book(id).rules.selection.items() if s.takes == "paytable"}
    assert {name: rules.selections[name] for name in defaults} == defaults


@pytest.mark.parametrize(("id", "name", "letter"), list(letters()))
def test_a_letter_gives_exactly_its_paytable(id: str, name: str, letter: str) -> None:
    family = str(book(id).rules.selection[name].family)
    rules = rules_of(id, **{name: letter})
    assert rules.paytables[family] == book(id).rules.paytable[family][letter]
    assert rules.selections[name] == letter


@pytest.mark.parametrize(("id", "name", "option"), list(options()))
def test_an_option_resolves_with_what_it_needs(id: str, name: str, option: str) -> None:
    needs = book(id).rules.selection[name].option[option].needs
    others = {needs.selection: needs.among[0]} if needs else {}
    assert rules_of(id, **{name: option}, **others).selections[name] == option


@pytest.mark.parametrize(("id", "name", "option"), list(options()))
def test_an_option_that_sets_something_changes_the_rules(id: str, name: str, option: str) -> None:
    choice = book(id).rules.selection[name].option[option]
    others: dict[str, Any] = {"progressive": "A"} if "progressive" in book(id).rules.wager else {}
    if choice.needs:
        others[choice.needs.selection] = choice.needs.among[0]
    for path in choice.sets:
        if path.startswith("deal."):  # It shows where the cards are dealt that way.
            others["dealing"] = path.split(".")[1]
    one, other = rules_of(id, **others), rules_of(id, **{**others, name: option})
    assert not choice.sets or without_names(one) != without_names(other)


def selections_of(ruling: Ruling, reading: Alternative | None = None) -> dict[str, Any]:
    given = [*ruling.selections.items(), *(reading.selections.items() if reading else ())]
    return {str(name): value for name, value in given}


def without_names(rules: TableRules) -> TableRules:
    """The rules without what says how they were chosen."""
    return replace(rules, digest="", selections={}, clauses={})


@pytest.mark.parametrize(("id", "name", "i"), list(readings()))
def test_another_reading_resolves_and_changes_the_rules(id: str, name: str, i: int) -> None:
    ruling = book(id).rules.ruling[name]
    reading = ruling.alternative[i]
    chosen = resolve(book(id), selections_of(ruling))
    read = resolve(book(id), selections_of(ruling, reading), reading=reading.sets)
    assert without_names(chosen) != without_names(read)
    assert chosen.digest != read.digest


@pytest.mark.parametrize(("id", "name", "i"), list(readings()))
def test_a_reading_that_is_priced_has_a_bet_on_wagers_that_are_offered(
    id: str, name: str, i: int
) -> None:
    ruling = book(id).rules.ruling[name]
    reading = ruling.alternative[i]
    rules = resolve(book(id), selections_of(ruling, reading), reading=reading.sets)
    assert {*ruling.bet, *reading.bet} <= set(rules.wagers)


# ---------------------------------------------------------------- what is not offered is gone

OPTIONAL = {
    MARYLAND: {"progressive", "six_card_bonus", "five_card_progressive"},
    LET_IT_RIDE: {"five_card_bonus", "three_card_bonus", "six_card_bonus", "progressive"},
}


@each_book
def test_optional_wagers_are_not_offered_by_default(id: str) -> None:
    assert set(rules_of(id).wagers) == set(book(id).rules.wager) - OPTIONAL.get(id, set())


@pytest.mark.parametrize("id", OPTIONAL)
def test_a_wager_that_is_not_offered_is_nowhere(id: str) -> None:
    rules, gone = rules_of(id), OPTIONAL[id]
    deal = rules.deal.cards
    stakes = [option.stakes for step in rules.steps.values() for option in step.option.values()]
    assert [line for line in rules.steps["settle"].lines if line in gone] == []
    assert [spot for some in stakes for spot in some if spot in gone] == []
    assert [line for line in deal if {line.if_staked, line.if_offered} & gone] == []
    assert rules.paytables.keys() & gone == set()
    assert (rules.envies, rules.meters) == ({}, {})


@pytest.mark.parametrize("id", OPTIONAL)
def test_a_wager_that_is_offered_is_everywhere(id: str) -> None:
    rules, wagers = rules_of(id, **dict.fromkeys(OPTIONAL[id], "A")), OPTIONAL[id]
    assert wagers <= set(rules.wagers) & set(rules.paytables) & set(rules.steps["settle"].lines)
    assert set(rules.envies) == {"envy"}
    assert rules.meters.keys() == wagers & {"progressive", "five_card_progressive"}


def test_M10_the_five_card_progressive_brings_two_cards() -> None:
    with_it, without = rules_of(MARYLAND, five_card_progressive="A"), rules_of(MARYLAND)
    assert [line.to for line in with_it.deal.cards][-1:] == ["community"]
    assert [line.to for line in without.deal.cards] == ["seats", "bank"] * 3


def test_L4_the_six_card_box_is_dealt_where_the_bonus_is_offered() -> None:
    with_it, without = rules_of(LET_IT_RIDE, six_card_bonus="A"), rules_of(LET_IT_RIDE)
    assert [line.to for line in with_it.deal.cards][:1] == ["six_card_box"]
    assert "six_card_box" not in [line.to for line in without.deal.cards]


def test_M6_five_card_envy_is_there_when_declared() -> None:
    rules = rules_of(
        MARYLAND, five_card_progressive="A", five_card_envy={"straight flush": 5, "royal flush": 50}
    )
    rows = rules.paytables["five_card_envy"].rows
    assert [(row.hand, row.amount) for row in rows] == [
        ("royal flush", 50_00),
        ("straight flush", 5_00),
    ]
    assert set(rules.envies) == {"five_card_envy"}


@pytest.mark.parametrize("letter", "ABCDEF")
def test_L7_the_envy_table_follows_the_progressives_letter(letter: str) -> None:
    rules = rules_of(LET_IT_RIDE, progressive=letter)
    assert rules.paytables["envy"] == book(LET_IT_RIDE).rules.paytable["envy"][letter]


def test_9_an_amended_pair_plus_has_the_hands_that_the_house_posts() -> None:
    rules = rules_of(FLORIDA, pair_plus={"pair": Decimal("1.5"), "mini royal": 100})
    rows = [(row.hand, row.to) for row in rules.paytables["pair_plus"].rows]
    assert rows == [("mini royal", Fraction(100)), ("pair", Fraction(3, 2))]


# ---------------------------------------------------------------- versions, equipment, meters


@pytest.mark.parametrize("version", ["7.G(1)", "7.G(2)", "7.G(3)"])
def test_M3_the_versions_of_7G_bring_12Cs_bonus(version: str) -> None:
    rules = rules_of(MARYLAND, version=version)
    rows = [f"{row.hand} {row.to}" for row in rules.paytables["ante_bonus"].rows]
    assert rows == ["mini royal 50", "straight flush 8", "three of a kind 6"]
    assert {condition.clause for condition in rules.wagers["pair_plus"].conditions} == {version}


def test_11F_the_electronic_version_has_three_hands_of_three_cards() -> None:
    rules = rules_of(MARYLAND, format="electronic")
    place = rules.places["community"]
    assert (place.cards, place.hands) == (9, 3)
    assert [(line.to, line.cards) for line in rules.deal.cards] == [("community", 9), ("bank", 3)]


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
@pytest.mark.parametrize(
    ("shuffler", "stub", "cut", "machine"),
    [
        ("none",     True,  True,  False),
        ("plain",    True,  True,  False),
        ("counting", False, True,  True),
        ("device",   False, False, False),
    ],
)  # fmt: skip
def test_the_shuffler_decides_what_is_counted_and_cut(
    id: str, shuffler: str, stub: bool, cut: bool, machine: bool
) -> None:
    deck = rules_of(id, shuffler=shuffler).deck
    duties = (deck.stub_count, deck.cut, deck.machine_count)
    assert tuple(duty is not None for duty in duties) == (stub, cut, machine)


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
@pytest.mark.parametrize(
    ("dealing", "hours"), [("manual_shoe", 8), ("hand", 4), ("automated_shoe", 8)]
)
def test_3C_decks_are_changed_by_the_way_of_dealing(id: str, dealing: str, hours: int) -> None:
    change = rules_of(id, dealing=dealing).deal.change
    assert change and change.hours == hours


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_T9_what_is_not_there_is_not_handled(id: str) -> None:
    felt, virtual = resolve(book(id)), resolve(book(id), things=())
    for rules, real in ((felt, True), (virtual, False)):
        assert (rules.deal.change is not None, rules.deck.stub_count is not None) == (real, real)
        assert not rules.guided, "nobody is there to be guided"
    counted = resolve(book(id), {"shuffler": "counting"}, things=())
    assert counted.deck.machine_count is None
    attended = resolve(book(id), things=("chips", "dealer", "cards"))
    assert attended.things == ("dealer", "cards", "chips") and attended.guided
    assert felt.digest == virtual.digest == attended.digest, "how it is run is not by which rules"


def test_an_earlier_edition_has_its_own_digest() -> None:
    old = book(MARYLAND).rules.earlier
    assert old and book(MARYLAND).digest not in old
    rules = rules_of(MARYLAND, decks=2)
    assert len(rules.earlier) == len(old) and rules.digest not in rules.earlier
    assert as_edition(rules, rules.digest) is rules
    earlier = as_edition(rules, rules.earlier[0])
    assert earlier and earlier == replace(rules, digest=rules.earlier[0])
    assert as_edition(rules, "0" * 64) is None


def test_3B_two_decks_are_used_in_turn() -> None:
    assert [rules_of(MARYLAND, decks=n).deck.decks for n in (1, 2)] == [1, 2]


@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_clauses_that_the_equipment_rules_out_do_not_apply(id: str) -> None:
    rules = rules_of(id, decks=2)
    values = rules.selections
    expected = {name for name, c in book(id).clauses.items() if fits(c.if_, values)}
    assert set(rules.clauses) == expected
    assert set(rules_of(id).clauses) < set(book(id).clauses)


def test_M8_the_meters_of_C_share_the_rise_equally() -> None:
    meters = rules_of(MARYLAND, progressive="C", progressive_rate="20%").meters
    expected = [
        TableMeter(
            id=f"progressive_{name}", name=name, wager="progressive", rate=Fraction(1, 5),
            share=Fraction(1, 2), reset=Cents(1000_00), initial=Cents(1000_00),
        )
        for name in ("major", "minor")
    ]  # fmt: skip
    assert [*meters.values()] == expected


def test_M8_declared_shares_are_taken() -> None:
    shares = {"minor": "1/4", "major": Decimal("0.75")}
    meters = rules_of(MARYLAND, progressive="C", progressive_shares=shares).meters
    assert [meter.share for meter in meters.values()] == [Fraction(3, 4), Fraction(1, 4)]


@pytest.mark.parametrize(
    ("letter", "rate"), [("A", Fraction(14, 100)), ("B", Fraction(1, 5)), ("C", None)]
)
def test_12E3a_the_least_rate_is_the_default(letter: str, rate: Fraction | None) -> None:
    meters = rules_of(MARYLAND, progressive=letter).meters
    assert {meter.rate for meter in meters.values()} == {rate}


def test_a_meter_starts_from_its_reset_unless_declared() -> None:
    started = rules_of(MARYLAND, **A, progressive_reset=2000).meters["progressive"]
    both = rules_of(MARYLAND, **A, progressive_reset=2000, progressive_initial="3000.50").meters
    assert (started.reset, started.initial) == (2000_00, 2000_00)
    assert (both["progressive"].reset, both["progressive"].initial) == (2000_00, 3000_50)


def test_a_reset_by_meter_leaves_the_others_at_the_books() -> None:
    meters = rules_of(LET_IT_RIDE, progressive="E", progressive_reset={"major": 5000}).meters
    resets = {meter.name: meter.reset for meter in meters.values()}
    assert resets == {"mega": 10_000_00, "major": 5_000_00, "minor": 250_00}


def test_S6_the_jackpot_has_neither_rate_nor_reset_until_declared() -> None:
    meter = rules_of(SINGAPORE).meters["progressive"]
    assert (meter.rate, meter.reset, meter.initial) == (None, None, None)


def test_S3_the_jackpot_wager_is_2_50() -> None:
    sizes = rules_of(SINGAPORE).wagers["progressive"].sizes
    assert sizes and sizes.of == (2_50,)


def test_M7_both_sizes_may_be_taken() -> None:
    sizes = rules_of(MARYLAND, **A, progressive_wager=[5, 1]).wagers["progressive"].sizes
    assert sizes and sizes.of == (1_00, 5_00)


def test_limits_fees_and_rake_are_read_as_cents() -> None:
    limits = rules_of(MARYLAND, limits={"ante": [5, "500.50"]}).limits["ante"]
    fee = rules_of(CALIFORNIA, fees=[{"up_to": 100, "fee": 1}], player_dealer_fee=2).fee
    rake = rules_of(FLORIDA, rake={"payer": "players", "amount": Decimal("0.5")}).rake
    assert (limits.min, limits.max) == (5_00, 500_50)
    assert fee and ([(b.up_to, b.fee) for b in fee.brackets], fee.banker) == ([(100_00, 1_00)], 200)
    assert rake and (rake.payer, rake.amount) == ("players", 50)


def test_adjacent_boxes_are_not_limited_unless_declared() -> None:
    assert rules_of(MARYLAND).table.boxes_max is None
    assert rules_of(MARYLAND, adjacent_boxes=3).table.boxes_max == 3


def test_C3_the_payoff_limit_changes_what_covers() -> None:
    covers = [rules_of(CALIFORNIA, **s).bank.cover for s in ({}, {"payoff_limit": "wager"})]
    assert [cover and cover.from_ for cover in covers] == ["wager and collections", "wager"]


PATH = "wager.six_card_bonus.conditions"
SIX = "7.F(5)(b)"


@pytest.mark.parametrize("condition", [{"needs": ["progressive"]}, {"at_most": 2}])
def test_a_wager_that_needs_one_that_is_not_offered_is_refused(condition: dict[str, Any]) -> None:
    of = {"of": "progressive"} if "at_most" in condition else {}
    reading = {BookPath(PATH): [{**condition, **of, "clause": SIX}]}
    with pytest.raises(Breaches) as caught:
        resolve(book(MARYLAND), {"six_card_bonus": "A"}, reading=reading)
    message = "Six Card Bonus needs Three-Card Progressive Payout, which this table doesn't offer"
    assert caught.value.breaches == (
        Breach(selection="six_card_bonus", message=message, clause=SIX),
    )
    assert resolve(book(MARYLAND), {"six_card_bonus": "A", **A}, reading=reading)


def test_nothing_at_a_table_names_a_wager_that_it_does_not_offer() -> None:
    """A refusal, a sign or a bot that looked its label up failed."""
    reading = {
        BookPath(PATH): [{"needs": ["progressive", "ante"], "clause": SIX}],
        BookPath("envy.envy.holders.needs"): "six_card_bonus",
    }
    both = resolve(book(MARYLAND), {"six_card_bonus": "A", **A}, reading=reading)
    assert both.wagers["six_card_bonus"].conditions[0].needs == ("progressive", "ante")
    assert "envy" in both.envies
    six = resolve(book(MARYLAND), {"six_card_bonus": "A"}, reading=reading)
    assert six.wagers["six_card_bonus"].conditions[0].needs == ("ante",)
    assert "envy" not in resolve(book(MARYLAND), A, reading=reading).envies


def test_resolving_leaves_the_book_as_it_was() -> None:
    before = book(MARYLAND).digest, repr(book(MARYLAND).data)
    rules_of(MARYLAND, version="7.G(3)", **A, format="electronic")
    assert (book(MARYLAND).digest, repr(book(MARYLAND).data)) == before
