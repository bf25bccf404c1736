"""What a felt has printed on it and what a scene says in words, all from the rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.felt import felt_of
from croupier.gallery.scene import patched
from croupier.house.config import TableConfig
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from tests.rules.books import DATA, MARYLAND
from tests.table_page.recording import RECORDINGS

FILES = sorted(RECORDINGS.glob("*.json"))


def recording(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the felt of a table, and its scenes from the first to the last."""
    frames = json.loads((RECORDINGS / f"{name}.json").read_text())["frames"]
    scene: dict[str, Any] = frames[0]["scene"]
    scenes = [scene]
    for frame in frames:
        if frame["type"] == "news":
            scene = patched(scene, frame["scene"])
            scenes.append(scene)
    return frames[0]["felt"], scenes


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_every_wager_says_what_it_pays(name: str) -> None:
    felt, _ = recording(name)
    assert felt["printed"]
    ids = {table["id"] for table in felt["paytables"]}
    for wager in felt["wagers"]:
        assert wager["note"] or wager["tables"], wager["wager"]
        assert {*wager["tables"]} <= ids
    for table in felt["paytables"]:
        for row in table["rows"]:
            assert len(row["print"]) <= len(row["pays"]) and len(row["short"]) <= len(row["hand"])


def test_a_sentence_stands_where_nobody_has_to_qualify() -> None:
    assert recording("ride")[0]["printed"] == "Let It Ride pays with a pair of tens or better"
    assert recording("singapore")[0]["printed"] == "Dealer plays with queen high or better"


def test_odds_are_printed_under_their_unit() -> None:
    tables = {table["id"]: table for table in recording("maryland")[0]["paytables"]}
    assert tables["pair_plus"]["unit"] == "to 1"
    assert [row["print"] for row in tables["pair_plus"]["rows"]] == ["35", "25", "6", "4", "1"]
    first, second = tables["progressive"]["rows"][:2]
    assert (first["short"], first["print"]) == ("mini royal ♠", "meter")
    assert (second["short"], second["print"]) == ("mini royal ♥♦♣", "500")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("maryland", ["bet $5 more", "lose $11"]),
        ("ride", ["keep $5 on Bet 1", "take $5 back from Bet 1"]),
    ],
)
def test_a_choice_says_what_it_comes_to(name: str, says: list[str]) -> None:
    _, scenes = recording(name)
    found = next(scene["choices"] for scene in scenes if scene["choices"])
    assert [choice["says"] for choice in found] == says


def test_the_bank_qualifies_when_all_of_it_is_shown() -> None:
    _, scenes = recording("maryland")
    bank = scenes[-1]["places"]["bank"]
    for scene in scenes:
        shown = all(str(position) in scene["faces"] for position in bank)
        assert (scene["plays"] is not None) == (shown and scene["round"] is not None)


def test_the_row_that_paid_is_named() -> None:
    felt, scenes = recording("ride")
    tables = {table["id"]: table["rows"] for table in felt["paytables"]}
    lines = [line for box in scenes[-1]["boxes"].values() for line in box["lines"]]
    paid = [line for line in lines if line["row"]]
    assert paid and all(line["outcome"] == "win" for line in paid)
    for line in paid:
        family, number = line["row"]
        assert tables[family][number]["pays"] in line["because"]


def felt(rulebook: str, *folders: Path, **selections: Any) -> dict[str, Any]:
    rules = resolve(load(rulebook, folders), selections)
    return felt_of(TableConfig(id="t", title="T", rules=rules, selections=selections, seats=1))


def test_a_hand_that_only_gets_its_bets_back_is_printed_as_a_push() -> None:
    made = felt("north-ride", DATA / "books")
    assert made["printed"] == "Stake pays with a pair of jacks or better"
    (table,) = [table for table in made["paytables"] if table["id"] == "let_it_ride"]
    assert [row["print"] for row in table["rows"]][-2:] == ["1", "push"]


def test_several_meters_of_a_wager_have_their_names() -> None:
    declared = {"progressive": "C", "progressive_rate": "1/5"}
    assert felt(MARYLAND, **declared)["meters"] == {
        "progressive_major": "Three-Card Progressive Payout, major",
        "progressive_minor": "Three-Card Progressive Payout, minor",
    }
    alone = {"progressive": "Three-Card Progressive Payout"}
    assert felt(MARYLAND, progressive="A")["meters"] == alone
