"""Every value that a selection may have is played, beside every value of every other one.

A table is opened for as few sets of selections as hold each pair of values once. At each of them
a game is played in the terminal, a round file is settled, an environment is stepped through and a
live table deals a round. Whatever is refused is refused before; nothing else may go wrong.
"""

import io
import json
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from croupier.cards import DECK, format_cards
from croupier.cli.play_screen import Screen
from croupier.errors import Breaches
from croupier.gym import RoundEnv
from croupier.money import format_money
from croupier.rules.book import Selection
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import NONE
from tests.cli.running import run
from tests.house.floor import OpenPit, bet_all, deal_on, one_table, opened, play
from tests.rules.books import book, each_book

Selected = tuple[tuple[str, str], ...]
"""Selections as `--select` takes them, a value of each in TOML."""

UNITS = 10_00
VALUES = {
    "rate": ["0.3"],
    "reset": ["2000"],
    "initial": ["3000"],
    "shares": ["{ major = 0.75, minor = 0.25 }"],
    "count": ["2"],
    "money": ["50"],
    "brackets": ["[{ up_to = 100, fee = 1 }]"],
    "payouts": ['{ "straight flush" = 50 }'],
}


def values(id: str, name: str, selection: Selection) -> list[str]:
    """What is tried of a selection, everything where the book lists what it may be."""
    rules = book(id).rules
    match selection.takes:
        case "option":
            return [json.dumps(option) for option in selection.option]
        case "paytable":
            none = [] if selection.required else [NONE]
            return [json.dumps(letter) for letter in [*selection.letters, *none]]
        case "sizes":
            sums = [format_money(size) for size in selection.among] or ["5"]
            return [*sums, f"[{', '.join(sums)}]"]
        case "limits":
            return [f"{{ {next(iter(rules.wager))} = [5, 50] }}"]
        case "rake":
            payers = rules.rake.payers if rules.rake else ()
            return [f'{{ payer = "{payer}", amount = 1 }}' for payer in payers]
        case takes:
            return VALUES[takes]


def read(id: str, selected: Mapping[str, str]) -> TableRules:
    return resolve(book(id), parsed(tuple(selected.items())))


def parsed(selected: Selected) -> dict[str, Any]:
    text = "\n".join(f"{name} = {value}" for name, value in selected)
    return tomllib.loads(text, parse_float=Decimal)


def mended(id: str, wanted: dict[str, str], kept: set[str]) -> dict[str, str] | None:
    """Leave out what breaks the book, but nothing of what is to be kept."""
    while True:
        try:
            read(id, wanted)
        except Breaches as breaches:
            faulty = {breach.selection for breach in breaches.breaches} & wanted.keys()
            if not faulty - kept:
                return None
            wanted = {name: value for name, value in wanted.items() if name not in faulty - kept}
        else:
            return wanted


@cache
def tables(id: str) -> tuple[Selected, ...]:
    """Return selections that hold every pair of values that the book allows together."""
    offered = {n: values(id, n, s) for n, s in book(id).rules.selection.items()}
    single = [(name, value) for name in offered for value in offered[name]]
    left = {pair for pair in combinations(single, 2) if pair[0][0] != pair[1][0]}
    rng = random.Random(0)
    found: list[Selected] = []
    while left:
        pair = min(left)
        wanted = dict(pair)
        for name in rng.sample(list(offered), len(offered)):
            have = list(wanted.items())
            wanted.setdefault(name, max(offered[name], key=lambda v: gain(left, have, (name, v))))
        complete = mended(id, wanted, {name for name, _ in pair})
        left.discard(pair)
        if complete is not None:
            left -= set(combinations([s for s in single if s in complete.items()], 2))
            found.append(tuple(complete.items()))
    return tuple(found)


def gain(left: set[Any], have: list[tuple[str, str]], one: tuple[str, str]) -> int:
    return sum((other, one) in left or (one, other) in left for other in have)


def seats_of(rules: TableRules) -> list[int]:
    return list(range(1, max(3, rules.table.seats_min) + 1))


def stakes(rules: TableRules) -> dict[str, int]:
    """A stake on each wager that can be made before the deal."""
    return {
        name: wager.sizes.of[0] if wager.sizes else UNITS
        for name, wager in rules.wagers.items()
        if wager.placed == "before the deal"
        and all(m.rate is not None and m.reset is not None for m in meters(rules, name))
    }


def meters(rules: TableRules, wager: str) -> Iterator[Any]:
    return (meter for meter in rules.meters.values() if meter.wager == wager)


def applied(id: str, selected: Selected) -> Selected:
    """Leave out what can't apply, with which no table opens."""
    while unapplied := {one.selection for one in read(id, dict(selected)).unapplied}:
        selected = tuple(one for one in selected if one[0] not in unapplied)
    return selected


def failures(id: str, act: Any, *, opens: bool = True) -> list[str]:
    """Act at every table, and return what went wrong at which."""
    found = []
    for selected in dict.fromkeys(applied(id, one) if opens else one for one in tables(id)):
        try:
            act(selected)
        except Exception as error:
            says = " ".join(f"--select {name}={value!r}" for name, value in selected)
            found.append(f"{type(error).__name__}: {error} at {id} {says}")
    return found


# ---------------------------------------------------------------- the tables themselves


@each_book
def test_every_value_that_a_book_lists_is_tried(id: str) -> None:
    tried = {item for selected in tables(id) for item in selected}
    offered = {n: values(id, n, s) for n, s in book(id).rules.selection.items()}
    assert {(name, value) for name in offered for value in offered[name]} - tried == set()


# ---------------------------------------------------------------- what is done at each


class Keys:
    """Somebody who bets on everything, asks for help once at each question, and plays on."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def ask(self, question: str) -> str:
        times = self.asked[question] = self.asked.get(question, 0) + 1
        if times == 1:
            return "?"
        if question.endswith("[1]:") or question.startswith("Enter deals"):
            return ""
        if question.endswith("]:"):
            sums = ("10", "1", "5", "2.50")
            return sums[times - 2] if times - 2 < len(sums) else "0"
        return question.split("(")[-1 - question.count(" or ")].split(")")[0] if times < 9 else "q"


@each_book
def test_a_game_is_played_in_the_terminal_at_every_table(id: str) -> None:
    def act(selected: Selected) -> None:
        keys = Keys()
        words = [word for n, v in selected for word in ("--select", f"{n}={v}")]
        seats = str(len(seats_of(read(id, dict(selected)))))
        with patch.object(Screen, "ask", lambda _, question: keys.ask(question)):
            ran = run("play", id, "--seed", "3", "--rounds", "2", "--seats", seats, *words)
        assert (ran.code, ran.err) == (0, "")
        assert "in 2 rounds" in ran.out

    assert failures(id, act) == []


def round_file(id: str, selected: Selected, rules: TableRules) -> dict[str, Any]:
    """A round in which everybody bets on everything and takes the first choice."""
    rng = random.Random(5)
    deck = rng.sample(DECK, len(DECK))
    shared = next((p for p in rules.places.values() if p.hands), None)
    asks = [step for _, step in rules.sequence if step.do == "decide"]
    wagers = {name: format_money(cents) for name, cents in stakes(rules).items()}
    seat = {"wagers": wagers, "decisions": [next(iter(step.option)) for step in asks]}
    banked = rules.banked_by == "player"
    data: dict[str, Any] = {
        "rulebook": id,
        "selections": parsed(selected),
        "seats": [
            {"seat": n, **seat, **({"hand": 1} if shared else {})}
            for n in seats_of(rules)[int(banked) :]
        ],
    }
    if banked:
        data["banker"] = {"seat": 1, "funds": 1000}
    if shared:
        data["community"] = {"cards": format_cards(deck[: shared.cards])}
        data["dealer"] = {"cards": format_cards(deck[-3:])}
    else:
        data["deck"] = format_cards(deck)
        data["dealing"] = rules.selections.get("dealing")
    return {key: value for key, value in data.items() if value is not None}


@each_book
def test_a_round_is_settled_at_every_table_and_its_money_adds_up(id: str) -> None:
    def act(selected: Selected) -> None:
        rules = read(id, dict(selected))
        given = json.dumps(round_file(id, selected, rules), default=str)
        with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))):
            result = run("settle", "-", "--json").data
        nets = [Decimal(seat["net"]) for seat in result["seats"]]
        nets += [Decimal(result["banker"]["net"])] if result["banker"] else []
        rise = sum(
            Decimal(shown) - Decimal(format_money(rules.meters[id].initial or 0))
            for id, shown in result["meters"].items()
        )
        assert sum(nets) + rise + Decimal(result["house"]) == 0

    assert failures(id, act, opens=False) == []


@each_book
def test_an_environment_is_stepped_through_at_every_table(id: str) -> None:
    def act(selected: Selected) -> None:
        rules = read(id, dict(selected))
        bet = {name: format_money(cents) for name, cents in stakes(rules).items()}
        env = RoundEnv(id, selections=parsed(selected), bet=bet, seats=3, render_mode="ansi")
        _, info = env.reset(seed=1)
        over, first = False, True
        while not over:
            assert env.render()
            choices = np.flatnonzero(info["action_mask"]).tolist()
            _, _, over, _, info = env.step(choices[0 if first else -1])
            first = False
        assert "Net" in str(env.render())

    assert failures(id, act) == []


@pytest.mark.long
@each_book
def test_a_live_round_is_dealt_at_every_table(id: str, tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await opened(pit, 1, 2, 3)
        banker = pit.scene()["banker"]
        for seat, player in enumerate(players, 1):
            if not banker or banker["seat"] != seat:
                await bet_all(player, seat)
        while (scene := await players[0].look())["phase"] != "over":
            if asked := scene["asked"]:
                option = scene["choices"][-1]["option"]
                await players[asked - 1].ask("choose", seat=asked, option=option)
            else:
                await deal_on(pit)
        assert all(box["lines"] for box in scene["boxes"].values())

    def act(selected: Selected) -> None:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        text = "\n".join(f"{name} = {value}" for name, value in selected)
        play(folder, one_table(id, text), scenario)

    assert failures(id, act) == []
