"""Measures the round engine, with PokerKit and eventsourcing beside it in the same run.

.venv/bin/python bench/engine.py

Every figure is that of the best of many short passes, so that other work on the machine matters
little. An event of ours is decided, with every rule checked, and evolved into a new frozen round;
`evolve alone` replays a recorded history. What stands beside it does less: an aggregate of
eventsourcing records that a number was added to another, in memory; PokerKit plays a hand of
two players to its showdown with all that it automates.
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from time import perf_counter

from croupier.cards import DECK, format_cards
from croupier.round.commands import Bet, Choose, CloseBets, Command, Deal, Face, Open, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve, replay
from croupier.round.state import Round
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules

try:
    from eventsourcing.domain import Aggregate, event
    from pokerkit import Automation, NoLimitTexasHoldem
except ImportError as error:
    sys.exit(f"{error.name} is not installed: pip install eventsourcing pokerkit")

PASSES = 400
ROUNDS = 10
LINES, LINES_OF = 5_000, ((2, 2), (3, 3), (5, 4))
STAKES = {"ante": 10, "pair_plus": 5, "progressive": 1, "six_card_bonus": 5}
GAMES: dict[str, tuple[dict[str, int], str]] = {
    "maryland-three-card-poker": ({"ante": 1000, "pair_plus": 500}, "play"),
    "maryland-let-it-ride": ({"let_it_ride": 1000}, "ride"),
}


def seconds(work: Callable[[], object], *, passes: int = PASSES) -> float:
    """Return the time of the best pass."""
    best = float("inf")
    for _ in range(passes):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return best


# ---------------------------------------------------------------- ours


def history(
    rules: TableRules, bets: Iterable[Bet], option: str
) -> tuple[list[Command], list[Event]]:
    """Play a round with a shuffled deck; return what was asked for and what happened."""
    faces = random.sample(DECK, len(DECK))
    round = Round(rules)
    asked: list[Command] = []
    happened: list[Event] = []

    def do(command: Command) -> None:
        nonlocal round
        asked.append(command)
        for event in decide(round, command):
            happened.append(event)
            round = evolve(round, event)

    start: list[Command] = [Open("1"), *bets, CloseBets(), Deal()]
    for command in start:
        do(command)
    while round.due or round.asked:
        if due := round.due:
            do(Show(tuple(Face(position, faces[position]) for position in due)))
        else:
            do(Choose(round.asked[0], option))
    do(Settle())
    return asked, happened


def play(rules: TableRules, commands: list[Command]) -> None:
    round = Round(rules)
    for command in commands:
        for event in decide(round, command):
            round = evolve(round, event)


def engine(id: str, seats: int) -> tuple[float, float]:
    """Print events a second of one book; return them and rounds a second."""
    wagers, option = GAMES[id]
    rules = resolve(load(id), {})
    events, played, replayed = 0, 0.0, 0.0
    for _ in range(ROUNDS):
        bets = [
            Bet(seat, f"p{seat}", wager, cents)
            for seat in range(1, seats + 1)
            for wager, cents in wagers.items()
        ]
        commands, happened = history(rules, bets, option)
        events += len(happened)
        played += seconds(lambda commands=commands: play(rules, commands))  # type: ignore[misc]
        replayed += seconds(lambda happened=happened: replay(rules, happened))  # type: ignore[misc]
    says = f"{id}, {seats} seat{'s' if seats > 1 else ''}"
    print(
        f"{says:36} {events / played:9,.0f} events/s   evolve alone {events / replayed:9,.0f}/s   "
        f"{ROUNDS / played:7,.0f} rounds/s"
    )
    return events / played, ROUNDS / played


def a_round(seats: int, wagers: int) -> str:
    """Return a round file with so many seats and wagers at each, as one line of JSON."""
    deck = random.sample(DECK, len(DECK))
    hands = [format_cards(deck[3 * seat : 3 * seat + 3]) for seat in range(seats + 1)]
    entries = [
        {"seat": seat, "player": f"p{seat}", "cards": hands[seat]}
        | {"wagers": dict([*STAKES.items()][:wagers])}
        | {"decisions": [random.choice(("play", "play", "fold"))]}
        for seat in range(1, seats + 1)
    ]
    selections = {"progressive": "A", "six_card_bonus": "A"}
    book = {"rulebook": "maryland-three-card-poker", "selections": selections}
    return json.dumps({**book, "dealer": {"cards": hands[0]}, "seats": entries}) + "\n"


def lines(seats: int, wagers: int) -> float:
    """Return rounds a second through `croupier settle --lines`, from the second round on."""
    first, rest = a_round(seats, wagers), [a_round(seats, wagers) for _ in range(LINES)]
    command = [sys.executable, "-m", "croupier", "settle", "--lines"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8") as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the pipes are missing")
        process.stdin.write(first)
        process.stdin.flush()
        process.stdout.readline()
        start = perf_counter()
        answers, _ = process.communicate("".join(rest))
        time = perf_counter() - start
    if answers.count("\n") != LINES or '"error"' in answers:
        raise RuntimeError("a round was not settled")
    return LINES / time


# ---------------------------------------------------------------- theirs


class Purse(Aggregate):
    """As little as an aggregate can be."""

    def __init__(self) -> None:
        self.cents = 0

    @event("Added")
    def add(self, cents: int) -> None:
        self.cents += cents


def eventsourcing_events() -> float:
    count = 100

    def work() -> None:
        purse = Purse()
        for cents in range(count):
            purse.add(cents)
        purse.collect_events()

    return (count + 1) / seconds(work)


def pokerkit_hands() -> float:
    def work() -> None:
        state = NoLimitTexasHoldem.create_state(
            tuple(Automation),
            ante_trimming_status=True,
            raw_antes=0,
            raw_blinds_or_straddles=(1, 2),
            min_bet=2,
            raw_starting_stacks=200,
            player_count=2,
        )
        while state.status:
            state.check_or_call()

    return 1 / seconds(work)


def main() -> None:
    random.seed(3)
    speeds = [engine(id, seats) for id in GAMES for seats in (1, 7)]
    for seats, wagers in LINES_OF:
        through = max(lines(seats, wagers) for _ in range(3))
        print(f"settle --lines, {seats} seats, {wagers} wagers    {through:9,.0f} rounds/s")
    theirs, hands = eventsourcing_events(), pokerkit_hands()
    slowest, rounds = min(events for events, _ in speeds), speeds[0][1]
    print(f"{'eventsourcing, an aggregate':36} {theirs:9,.0f} events/s")
    print(f"{'PokerKit, two players':36} {hands:9,.0f} hands/s")
    print(f"our slowest beside eventsourcing     {slowest / theirs:9.1f} times the events a second")
    print(f"our first beside PokerKit            {rounds / hands:9.1f} times the rounds a second")


if __name__ == "__main__":
    main()
