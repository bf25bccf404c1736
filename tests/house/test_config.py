"""The tables file: what it may say, and every fault of it at once."""

from importlib.resources import files

import pytest

from croupier.errors import Problems, UserError
from croupier.house.clock import Timing
from croupier.house.config import parse_config
from croupier.rules.load import rulebook_ids
from tests.house.floor import rules_of
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND


def faults(text: str) -> list[str]:
    with pytest.raises(Problems) as error:
        parse_config(text, rules_of)
    return [
        f"{p.path}: {p.message}" + (f" ({p.clause})" if p.clause else "")
        for p in error.value.problems
    ]


def table(more: str = "", *, id: str = "t", book: str = MARYLAND) -> str:
    return f'[[table]]\nid = "{id}"\nrulebook = "{book}"\n{more}\n'


def test_the_tables_that_are_opened_by_default_are_one_for_each_book() -> None:
    config = parse_config((files("croupier.server") / "tables.toml").read_text(), rules_of)
    assert sorted(t.rules.rulebook for t in config.tables) == list(rulebook_ids())
    assert config.guest_chips_cents == 1_000_00


def test_what_is_left_out_takes_its_default() -> None:
    (one,) = parse_config(table(), rules_of).tables
    assert (one.seats, one.bots, one.practice, one.timing) == (7, 0, False, Timing())
    assert one.title == one.rules.title


def test_everything_can_be_said() -> None:
    text = table(
        'title = "One"\nseats = 3\nbots = 1\npractice = true\nvalidated = 500\n'
        "timing = { bets = 1.5, round_min = 0 }\n"
        'selections = { progressive = "A", limits = { ante = [5, 50] } }\n'
        'meters = { progressive = "linked" }\n'
    )
    (one,) = parse_config(text, rules_of).tables
    assert (one.title, one.seats, one.bots, one.practice) == ("One", 3, 1, True)
    assert (one.timing.bets_ms, one.timing.round_min_ms) == (1_500, 0)
    assert one.validated_cents == 500_00
    assert one.table_set.meters == {"progressive": "linked"}
    assert one.meter("progressive") == "linked"


def test_a_house_names_the_barcodes_of_its_cards() -> None:
    config = parse_config('[codes]\n"0014" = "As"\n"0027" = "Th"\n' + table(), rules_of)
    assert {code: str(card) for code, card in config.codes.items()} == {"0014": "As", "0027": "Th"}
    assert [one.codes for one in config.tables] == [config.codes]
    (fault,) = faults('[codes]\n"0014" = "the ace"\n' + table())
    assert fault.startswith('codes."0014"') or fault.startswith("codes.0014")


def test_a_house_names_its_approvers() -> None:
    config = parse_config('[approvers]\naward = ["floor", "auditor"]\n' + table(), rules_of)
    assert config.approvers.award == ("floor", "auditor")
    assert config.approvers.void == ("floor",), "the rest keeps its default"
    assert [one.approvers for one in config.tables] == [config.approvers]


def test_all_faults_are_found_at_once_each_with_its_clause() -> None:
    text = (
        "spare = 1\n"
        + table(
            "seats = 9\ntiming = { bet = 1, show = -1 }\n"
            'selections = { pair_plus = "Z", spare = 1 }',
            id="T",
        )
        + table("bots = 9", id="u")
        + table(id="u", book="nowhere")
    )
    found = faults(text)
    assert [fault.partition(":")[0] for fault in found] == [
        "spare",
        "table[1].id",
        "table[1].seats",
        "table[1].timing.bet",
        "table[1].timing.show",
        "table[1].selections.spare",
        "table[1].selections.pair_plus",
        "table[2].bots",
        "table[3].id",
        "table[3].rulebook",
    ]
    assert found[6].endswith("(12.D)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "table: there must be 1 to 500 tables, each a [[table]]"),
        (table() + table(), "table[2].id: another table is called 't' too"),
        (table(id="cage"), "table[1].id: 'cage' is the house's own; choose another id"),
        (table(id="restores"), "table[1].id: 'restores' is the house's own"),
        (
            table("seats = 1", book=CALIFORNIA),
            "table[1].seats: must be from 2 to 8, not 1 (players)",
        ),
        (table("practice = 1"), "table[1].practice: must be true or false"),
        (
            "[approvers]\nvoid = []\n" + table(),
            "approvers.void: name at least one role that approves this",
        ),
        ('[approvers]\naward = ["operator"]\n' + table(), "approvers.award[1]: 'operator' is not"),
        (table("guess = 1"), "table[1].guess: unknown key"),
        (table('meters = { other = "x" }'), "table[1].meters.other: is not a meter of this table"),
        (table("timing = { bets = true }"), "table[1].timing.bets: must be a number of seconds"),
        (
            table("timing = { bets = 9999 }"),
            "table[1].timing.bets: must be a number of seconds from 0",
        ),
        ('guest_chips = "x"\n' + table(), "guest_chips: 'x' is not a sum like 10 or 10.50"),
        ("backups = 0\n" + table(), "backups: at least one backup is kept"),
        (table("selections = 1"), "table[1].selections: must be a table"),
        ("table = 1", "table: there must be 1 to 500 tables"),
        ("table = [1]", "table[1]: must be a table"),
        ('[[table]]\nid = "t"\n', "table[1].rulebook: is missing"),
    ],
)
def test_a_fault_names_its_field(text: str, said: str) -> None:
    assert [fault[: len(said)] for fault in faults(text)] == [said]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("seats = 9", "seats: must be from 1 to 7, not 9 (2.A)"),
        ("seats = 0", "seats: must be from 1 to 7, not 0 (2.A)"),
        ("seats = true", "seats: must be a whole number of at least 0, not true"),
        ("seats = 3\nbots = 4", "bots: must be from 0 to 3, not 4"),
        ('bots = 1\nthings = ["dealer", "cards"]', "bots: must be 0 with real cards: a bot can't"),
        ('title = ""', "title: must be 1 to 60 printable characters, not empty text"),
        ('validated = "x"', "validated: 'x' is not a sum like 10 or 10.50, with at most two"),
        ("practice = 1", "practice: must be true or false"),
        ("timing = { bets = true }", "timing.bets: must be a number of seconds"),
        ("meters = { progressive = 1 }", "meters.progressive: must be 1 to 30 of a-z, 0-9 and -"),
    ],
)
def test_what_follows_a_fault_in_the_selections_is_checked(more: str, said: str) -> None:
    selections = 'selections = { progressive = "Z" }'
    found = faults(table(f"{more}\n{selections}"))
    assert sorted(fault.partition(":")[0] for fault in found) == sorted(
        ["table[1].selections.progressive", f"table[1].{said.partition(':')[0]}"]
    )
    assert any(fault.startswith(f"table[1].{said}") for fault in found)


@pytest.mark.parametrize(
    ("more", "field"),
    [("seats = -1", "seats"), ("bots = -1", "bots"), ('title = ""', "title")],
)
def test_what_needs_no_rulebook_is_checked_without_one(more: str, field: str) -> None:
    found = faults(table(more, book="nowhere"))
    assert [fault.partition(":")[0] for fault in found] == [
        "table[1].rulebook",
        f"table[1].{field}",
    ]


def test_a_meter_of_a_wager_that_is_selected_wrongly_is_no_second_fault() -> None:
    linked = 'meters = { progressive = "linked" }\n'
    found = faults(table(linked + 'selections = { progressive = "Z" }'))
    assert [fault.partition(":")[0] for fault in found] == ["table[1].selections.progressive"]


def test_tables_share_a_meter_only_if_it_starts_and_resets_alike() -> None:
    linked = 'meters = { progressive = "linked" }\n'
    first = table(linked + 'selections = { progressive = "A" }')
    other = 'selections = { progressive = "A", progressive_reset = 2000 }'
    found = faults(first + table(linked + other, id="u"))
    assert found == [
        "table[2].meters.progressive: 'linked' starts or resets at a different sum at another table"
    ]


@pytest.mark.clause(LET_IT_RIDE, "10.H")
@pytest.mark.parametrize(
    ("book", "selections", "said"),
    [
        (LET_IT_RIDE, "community_stack = 3", "community_stack: '3' can be chosen only where"),
        (
            LET_IT_RIDE,
            'community_stack = 3, dealing = "automated_shoe", shuffler = "none"',
            "community_stack: '3' can be chosen only where",
        ),
        (MARYLAND, 'progressive_rate = "20%"', "progressive_rate: Three-Card Progressive Payout"),
        (MARYLAND, "adjacent_boxes = 8", "adjacent_boxes: this table has 7 seats"),
        (MARYLAND, "limits = { play = [5, 50] }", "limits: Play is as large as a decision"),
        (
            MARYLAND,
            'progressive = "A", limits = { progressive = [2, 4] }',
            "limits: Three-Card Progressive Payout is $1 at this table",
        ),
    ],
)
def test_no_table_opens_with_what_cannot_apply_to_it(book: str, selections: str, said: str) -> None:
    text = table(f"selections = {{ {selections} }}", book=book)
    assert [fault.startswith(f"table[1].selections.{said}") for fault in faults(text)] == [True]
    assert parse_config(text, rules_of, anew=False).tables, "one that opened earlier stays open"


def test_10_H_other_equipment_keeps_no_stack_of_three() -> None:
    shoe = 'things = ["dealer", "cards"]\nselections = { dealing = "automated_shoe", '
    by_hand = 'instead = [{ dealing = "hand"STACK }]'
    stacked = table(shoe + "community_stack = 3 }\n" + by_hand, book=LET_IT_RIDE)
    (fault,) = faults(stacked.replace("STACK", ""))
    assert fault.startswith("table[1].instead[1].community_stack: '3' can be chosen only where")
    assert fault.endswith("(10.H)")
    assert parse_config(stacked.replace("STACK", ", community_stack = 2"), rules_of).tables


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(UserError, match="is not TOML"):
        parse_config("[[", rules_of)


def test_a_fault_has_its_line() -> None:
    with pytest.raises(Problems) as error:
        parse_config(table("\nseats = 9"), rules_of, file="mine.toml")
    assert str(error.value) == "mine.toml:5: table[1].seats: must be from 1 to 7, not 9 (2.A)"
