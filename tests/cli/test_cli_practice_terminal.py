"""Practice in the terminal: a dealer who types what the script shows keeps to the book."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from croupier.cli import practice_terminal
from croupier.cli.practice_terminal import Terminal, choices
from croupier.gallery.payout import payout_of
from croupier.money import format_money
from croupier.rules.words import dollars
from croupier.server import bots
from croupier.server.practice import Practice
from croupier.server.practices import Practices, PracticeWanted
from croupier.server.script import Script
from croupier.server.showing import sights
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.server.attacks.houses import rules_of


def lines(at: Practice, *, rested: bool = False) -> Iterator[str]:
    """Yield what a dealer types who makes no mistake; `rested` says who sees to a resting deck."""
    while True:
        desk, standing = at.gallery.desk(), at.table.place.standing
        there, round, takes = at.assessor.happening, standing.in_play, desk["next"]["takes"]
        told = at.felt.bets(standing)
        left = [s for s in desk["spots"] if told.get((s["seat"], s["wager"]), 0) != s["cents"]]
        if rested and desk["meanwhile"]:
            yield "s"
            yield from ("52" for _ in desk["meanwhile"][0]["fields"])
        elif there and there.calls:
            yield "x"
        elif there and not there.waits:
            yield from declaring(at, desk["irregularities"])
        elif there and not left:
            command = there.command
            paid = [command["wager"], format_money(command["paid"])] if "paid" in command else []
            yield " ".join(["n", str(command["seat"]), *paid])
        elif left:
            seat, wager = left[0]["seat"], left[0]["wager"]
            name = wager if seat % 2 else left[0]["label"]
            yield f"{seat} {name} {dollars(told[seat, wager])}"
        elif takes and takes["field"] == "answer":
            due = payout_of(round, at.table.meters())
            assert due is not None
            yield f"{format_money(due['take'])} {format_money(due['pay'])}"
        elif takes:
            (cue,) = (one for one in sights(at.felt, standing, desk) if one.field)
            yield dollars(cue.value) if takes["kind"] == "money" else cue.typed
        elif round and round.asked and desk["next"]["command"] is None:
            option = at.felt.choice(round, round.asked[0])
            listed = [*choices(desk)]
            named = [one.get("command", {}).get("option") for one in listed]
            yield str(named.index(option) + 1)
        else:
            yield ""


def declaring(at: Practice, kinds: list[dict[str, object]]) -> Iterator[str]:
    there = at.assessor.happening
    assert there is not None
    names = [one["kind"] for one in kinds]
    yield "i"
    chosen = names.index(there.command["kind"])
    yield str(chosen + 1)
    for ask in kinds[chosen]["asks"]:  # type: ignore[attr-defined]
        value = there.command["facts"][ask["fact"]]
        answers = [one["value"] for one in ask["answers"] or ()]
        yield str(answers.index(value) + 1) if answers else str(value)


async def dealt(
    wanted: PracticeWanted, monkeypatch: pytest.MonkeyPatch, *, rested: bool = False
) -> dict[str, Any]:
    """Deal a practice at a terminal, typing what is shown; return its report."""
    all_ = Practices(rules_of, script=Script(floor_s=0.001))
    at = await all_.open(wanted)
    typed = lines(at, rested=rested)

    async def line() -> str:
        await asyncio.sleep(0.004)
        return next(typed)

    monkeypatch.setattr(practice_terminal, "_line", line)
    await Terminal(at).run()
    report = at.report()
    await all_.close()
    return report


@pytest.mark.parametrize(
    ("id", "real", "rounds", "screens"),
    [
        (MARYLAND, True, 5, False),
        (SINGAPORE, True, 9, False),
        (CALIFORNIA, True, 3, False),
        (FLORIDA, True, 2, True),
        (LET_IT_RIDE, False, 4, True),
        (MARYLAND, False, 2, False),
    ],
)
def test_a_dealer_who_types_what_is_shown_has_no_deviation(
    id: str,
    real: bool,
    rounds: int,
    screens: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bots, "THINKS_S", 0.001)
    monkeypatch.setattr(practice_terminal, "WAIT_S", 0.01)

    wanted = PracticeWanted(
        rulebook=id, seed=7, rounds=rounds, real=real, screens=screens, faults=100
    )
    report = asyncio.run(dealt(wanted, monkeypatch))
    assert (report["rounds"], report["deviations"]) == (rounds, [])
    said = capsys.readouterr().err
    assert "Enter does the next step" in said and "Settle" not in said.splitlines()[0]
    assert ("You turn up the " in said) is (real or screens)
    lies = r"Seat (\d+): what do you take.*\n(?:  .+\n)*?  Seat (\d+)(, folded|, abandoned)?: (.*);"
    asked = re.findall(lies, said)
    assert asked and len(asked) == said.count("what do you take")
    for seat, shown, out, cards in asked:
        assert seat == shown and (out or "??" not in cards), "what decides it is to be seen"


def test_the_end_of_the_input_ends_the_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    async def line() -> None:
        return None

    monkeypatch.setattr(practice_terminal, "_line", line)
    wanted = PracticeWanted(rulebook=SINGAPORE, rounds=1, real=True, faults=0)
    assert practice_terminal.deal(rules_of, wanted)["rounds"] == 0


def test_a_resting_deck_is_shuffled_in_mid_round_with_the_machines_count(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(practice_terminal, "WAIT_S", 0.01)

    selections = {"decks": "2", "shuffler": "counting"}
    wanted = PracticeWanted(rulebook=MARYLAND, rounds=2, real=True, faults=0, selections=selections)
    report = asyncio.run(dealt(wanted, monkeypatch, rested=True))
    assert (report["rounds"], report["deviations"]) == (2, [])
    said = capsys.readouterr().err
    assert "  s  Shuffle deck 1." in said
    assert "The shuffler counts 52 cards in the resting deck" in said
