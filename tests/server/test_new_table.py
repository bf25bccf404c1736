"""The form of a new table: by the fields of its book, each fault beside its field."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from croupier.errors import UserError
from croupier.house.config import parse_config
from croupier.server.pages.new_table import TableForm, read_fields, table_form, table_text
from tests.house.floor import rules_of
from tests.rules.books import IDS, LET_IT_RIDE, MARYLAND, book
from tests.server.attacks.houses import open_house, table_toml

PIT: Any = SimpleNamespace(rules_of=rules_of, configs={"taken": None})
GIVEN = {"book": MARYLAND, "id": "high", "title": 'High "limits"', "seats": "5"}


def form(**given: str) -> TableForm:
    fields = {name.replace("__", "."): text for name, text in given.items()}
    return table_form(PIT, book(MARYLAND), {**GIVEN, **fields})


def faults(found: TableForm) -> dict[str, str]:
    groups = (found.basics, found.limits, found.awards, found.paytables, found.rules, found.more)
    return {one.name: one.fault for group in groups for one in group if one.fault}


@pytest.mark.parametrize("id", IDS)
def test_a_book_that_is_left_at_its_defaults_opens(id: str) -> None:
    found = table_form(PIT, book(id), {"book": id, "id": "new"})
    assert (found.opens, found.faults) == (book(id).rules.title, ())


def test_what_is_filled_in_is_what_opens() -> None:
    found = form(
        select__progressive="C",
        select__progressive_rate="0.2",
        select__progressive_reset="{ major = 1500, minor = 1000 }",
        least__ante="5",
        most__ante="500",
        things="dealer",
        validated="500",
    )
    assert (found.opens, faults(found), found.faults) == ('High "limits"', {}, ())
    (table,) = parse_config(found.text, rules_of).tables
    assert (table.id, table.title, table.seats) == ("high", 'High "limits"', 5)
    assert table.rules.things == ("dealer",) and table.validated_cents == 500_00
    limits = table.rules.limits["ante"]
    assert (limits.min, limits.max) == (5_00, 500_00)
    assert {id: one.reset for id, one in table.rules.meters.items()} == {
        "progressive_major": 1_500_00,
        "progressive_minor": 1_000_00,
    }


def test_each_fault_stands_beside_its_field() -> None:
    found = form(
        id="taken", select__pair_plus="Z", least__ante="50", most__ante="5", bots="many", seats="9"
    )
    said = faults(found)
    assert said["select.pair_plus"].endswith("choose A, B, C, D or E (12.D)")
    assert said["least.ante"] == "$50 to $5 leaves nothing to bet (T7)"
    assert said["seats"].startswith("must be from 1 to 7") and "bots" in said
    assert (found.opens, found.faults) == ("", ())
    assert faults(form(id="taken")) == {"id": "there is a table taken already"}
    assert faults(form(least__ante="5")) == {
        "least.ante": "must be a list of the smallest and the largest stake (T7)"
    }


def test_10_H_what_cannot_apply_to_the_table_is_a_fault_of_its_field() -> None:
    def ride(**given: str) -> TableForm:
        chosen = {"select.community_stack": "3", **given}
        return table_form(PIT, book(LET_IT_RIDE), {"book": LET_IT_RIDE, "id": "new", **chosen})

    (said,) = faults(found := ride()).values()
    assert said.startswith("'3' can be chosen only where") and said.endswith("(10.H)")
    assert (found.opens, found.faults) == ("", ())
    assert ride(**{"select.dealing": "automated_shoe"}).opens


def test_a_form_that_names_no_table_yet_shows_no_faults() -> None:
    found = table_form(PIT, book(MARYLAND), {"book": MARYLAND, "seats": "9"})
    assert (faults(found), found.opens) == ({}, "")


def test_what_stands_at_its_default_was_not_chosen() -> None:
    """12.C: a version has its own Ante Bonus, so that naming a paytable would be a breach."""
    found = form(select__ante_bonus="A", select__version="7.G(1)")
    assert (faults(found), found.opens) == ({}, 'High "limits"')
    assert "ante_bonus" not in found.text


def test_text_in_a_field_stays_text() -> None:
    given = {**GIVEN, "title": "7", "select.pair_plus": '"A"]'}
    text = table_text(book(MARYLAND), given)
    assert 'title = "7"' in text and r'"pair_plus" = "\"A\"]"' in text


@pytest.mark.parametrize(
    ("items", "field"),
    [
        ([("id", "a"), ("id", "b")], "id"),
        ([("spare", "1")], "spare"),
        ([("select.", "1")], "select."),
        ([("title", "x" * 2_000)], "title"),
    ],
)
def test_fields_that_the_page_does_not_have_are_refused(
    items: list[tuple[str, str]], field: str
) -> None:
    with pytest.raises(UserError) as refused:
        read_fields(items)
    assert refused.value.field == field


def test_an_operator_fills_in_the_form_and_opens_the_table(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            boss = await house.person("Boss Ash", "operator")
            page = await boss.http.get("/house/new", params={"book": MARYLAND})
            assert page.status_code == 200 and 'name="select.pair_plus"' in page.text
            wrong = await boss.http.get("/house/new", params={**GIVEN, "seats": "9"})
            assert "Must be from 1 to 7" in wrong.text and "Open it now" not in wrong.text
            good = await boss.http.get("/house/new", params=GIVEN)
            assert "Open it now" in good.text
            made = await boss.post("/api/tables", table=table_text(book(MARYLAND), GIVEN))
            assert made.json() == {"table": "high", "title": 'High "limits"', "proposal": None}
            bare = table_toml(LET_IT_RIDE, id="bare") + "community_stack = 3\n"
            refused = await boss.post("/api/tables", table=bare)
            assert refused.status_code == 422 and "10.H" in refused.text
            assert (await boss.http.get("/house/new?book=none")).status_code == 404
            ann = await house.person("Ann Ash")
            assert (await ann.http.get("/house/new", params=GIVEN)).status_code == 403

    asyncio.run(main())
