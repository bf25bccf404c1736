"""Several things that walk-ins do, entered with one press: last bets again, and the rest play.

A shortcut is a list of commands, each of which could be given alone. They are decided here first,
without storing anything: a command that would be refused is left out, and the desk says why.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

from croupier.errors import Refused
from croupier.house import walkins
from croupier.house.standing import Act, Standing
from croupier.round.codec import to_plain
from croupier.round.commands import Bet, Choose
from croupier.round.order import is_read
from croupier.round.state import Round, is_walk_in
from croupier.rules.game import Option

REPEAT, REST = "R", "A"
T = TypeVar("T")


class Shortcut(NamedTuple):
    """Commands of the round that are given with one press."""

    says: str
    key: str
    clause: str
    commands: tuple[Bet | Choose, ...]
    short: str = ""
    """What a button says; `says` tells the whole."""
    without: tuple[str, ...] = ()
    """What is left out because it would be refused, with the reason."""

    def as_json(self) -> dict[str, Any]:
        plain = {"commands": [*map(to_plain, self.commands)], "without": [*self.without]}
        return {**self._asdict(), **plain}


def shortcuts(standing: Standing, closed: Mapping[str, str]) -> Iterator[Shortcut]:
    """Yield what can be entered for several walk-ins at once now."""
    round = standing.in_play
    if round is None or round.void or round.step is None:
        return
    if round.step.do == "bets":
        yield from _repeat(standing, round.step.clause, closed)
    elif round.asked and is_read(round.rules):
        yield from _rest(standing, round, round.step.option)


def _repeat(standing: Standing, clause: str, closed: Mapping[str, str]) -> Iterator[Shortcut]:
    """Yield the bets of the last round, for walk-ins who haven't made them yet in this one."""
    table, round = standing.table, standing.in_play
    boxes = round.boxes if round else {}
    spots = table.rules.spots
    again = [
        Bet(seat, player, wager, cents)
        for seat, player in sorted(table.seats.items())
        for wager, cents in table.bets.get(player, {}).items()
        if seat not in boxes or spots[wager][0] not in boxes[seat].stakes
    ]
    bets, refused = _tried(standing, again, lambda act, bet: walkins.bet(act, bet, closed))
    labels = {wager: one.label for wager, one in table.rules.wagers.items()}
    without = tuple(f"Seat {b.seat}, {labels[b.wager]}: {why.message}" for b, why in refused)
    if bets:
        yield Shortcut("Repeat all last bets", REPEAT, clause, bets, without=without)


def _rest(standing: Standing, round: Round, options: Mapping[str, Option]) -> Iterator[Shortcut]:
    """Yield the step's first choice for all walk-ins who are asked next, or up to one of them.

    Seats are asked in turn, so a player at a screen ends the row. A choice that brings a duty ends
    it too: the book has that done before anybody else is asked.
    """
    (first, option), *others = options.items()
    row = [*takewhile(lambda seat: is_walk_in(round.boxes[seat].player), round.asked)]
    same = [Choose(seat, first, "dealer") for seat in row]
    rest, _ = _tried(standing, same, lambda act, choose: act.in_round(choose))
    if rest:
        yield Shortcut(f"The rest: {option.label}", REST, option.clause, rest)
    for at, choose in enumerate(rest[1:], 1):
        for name, other in others:
            says = f"Seat {choose.seat}: {other.label}; before it: {option.label}"
            key = str(choose.seat) if len(others) == 1 else ""
            commands = (*rest[:at], choose._replace(option=name))
            short = f"Seat {choose.seat}: {other.label}"
            yield Shortcut(says, key, other.clause, commands, short)


def _tried(
    standing: Standing, commands: Iterable[T], do: Callable[[Act, T], object]
) -> tuple[tuple[T, ...], list[tuple[T, Refused]]]:
    """Decide commands one after another; return those that can be done, and the others."""
    done: list[T] = []
    refused: list[tuple[T, Refused]] = []
    for command in commands:
        act = Act(standing)
        try:
            do(act, command)
        except Refused as why:
            refused.append((command, why))
            continue
        standing = act.standing
        done.append(command)
    return tuple(done), refused
