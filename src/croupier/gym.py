"""Rounds as Gymnasium environments: one class for all rulebooks, played through the engine.

An episode is one round of one player. The environment knows no game: what may be chosen, seen and
won comes from table rules, and what is observed is made of the player's view alone. Importing this
module registers one environment for every game that there is a rulebook of.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from croupier.cards import DECK, Card, distinct, parse_cards
from croupier.errors import MissingExtra, Refused, UserError, quoted
from croupier.money import format_money, parse_micros, parse_money
from croupier.round import bots
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Open,
    Settle,
    Show,
)
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.order import positions_of, to_ask, to_show
from croupier.round.reasons import Reasons
from croupier.round.settle import shared_place
from croupier.round.state import Round
from croupier.round.view import HIDDEN, view
from croupier.rules.load import load, rulebook_ids
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, DISCARD, SEAT
from croupier.rules.words import listed

try:
    import gymnasium
    import numpy as np
    from gymnasium.error import ResetNeeded
    from gymnasium.spaces import Dict, Discrete, MultiDiscrete
except ImportError as error:
    raise MissingExtra("gym", "croupier.gym") from error

Sum = int | str | Decimal
"""Dollars, as round files have them."""
Observation = dict[str, Any]

YOU, BANKER = "you", "computer 1"
FUNDS = 1_000_000
"""What the banker puts up where a player banks: enough for every payout, in dollars."""
UNSEEN = len(DECK)
"""What is observed in place of a card that the player may not see; others are their index."""
_CODES = {HIDDEN: UNSEEN} | {str(card): int(card) for card in DECK}


class RoundEnv(gymnasium.Env[Observation, Any]):
    """One round of one player by the rules of a book; the computer plays all other seats."""

    # Gymnasium reads it from the class, and declares it as a field of the instance.
    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        rulebook: str | Rulebook,
        *,
        selections: Mapping[str, Any] | None = None,
        bet: Mapping[str, Sum] | None = None,
        meters: Mapping[str, Sum] | None = None,
        seats: int | None = None,
        funds: Sum = FUNDS,
        render_mode: str | None = None,
    ) -> None:
        """Set the table: every round has these bets, and meters that show this when it opens.

        The player has the last seat of those taken, which by default are as few as may be. Where
        a player banks it is the computer, at seat 1. Sums are in dollars.
        """
        book = load(rulebook) if isinstance(rulebook, str) else rulebook
        rules = resolve(book, selections)
        if render_mode not in (None, *self.metadata["render_modes"]):
            message = f"{quoted(render_mode)} is not a way to render; there is 'ansi'"
            raise UserError(message, field="render_mode")
        self.render_mode = render_mode
        self.rules = rules
        self.seat = _seat(rules, seats)
        staked = _staked(rules, bet)
        readings = {id: parse_micros(m, f"meters.{id}") for id, m in (meters or {}).items()}
        # All rounds are the same up to the deal, in which no card has a face yet.
        self._dealt = _run(Round(rules), Open("1", readings))
        for command in _opening(rules, self.seat, staked, funds=parse_money(funds, "funds")):
            self._dealt = _run(self._dealt, command)
        self.unit_cents = next(staked[name] for name in rules.wagers if name in staked)
        self.decisions = tuple(name for name, step in rules.sequence if step.do == "decide")
        options = [name for step in rules.steps.values() for name in step.option]
        self.actions = tuple(dict.fromkeys(options))
        places = {place: cards for place, cards in self._dealt.places.items() if place != DISCARD}
        own = positions_of(self._dealt, self._dealt.boxes[self.seat])
        self._cards: dict[str, tuple[int, ...]] = {SEAT: own, **places}
        self.action_space = Discrete(max(1, len(self.actions)))
        self.observation_space = Dict(
            {
                "decision": Discrete(len(self.decisions) + 1),
                "chose": MultiDiscrete([len(self.actions) + 1] * len(self.decisions)),
                **{place: MultiDiscrete([UNSEEN + 1] * len(p)) for place, p in self._cards.items()},
            }
        )
        self._round: Round | None = None
        self._faces: dict[int, Card] = {}

    @property
    def round(self) -> Round:
        """The round that is played; it holds no face that is hidden."""
        if self._round is None:
            raise ResetNeeded("no round is dealt before the first reset")
        return self._round

    # ------------------------------------------------------------ what Gymnasium calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a round, up to the player's first decision or, if there is none, the settlement.

        `options={"deck": "As Kd"}` puts these cards on top of the shuffled deck.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        top = distinct(parse_cards(given.pop("deck", "")))
        for name in given:
            raise UserError("is not an option of reset; there is 'deck'", field=name)
        order = self.np_random.permutation(len(DECK)).tolist()
        stack = [*top, *(card for card in order if card not in top)]
        self._faces = {p: DECK[stack[p]] for p in range(self._dealt.next_position)}
        self._round = self._dealt
        self._go_on()
        return self._seen()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a decision, or raise Refused where it is not one of the choices.

        Where there is nothing to decide, every action settles the round.
        """
        if not self.action_space.contains(action):
            message = f"{quoted(action)} is not an action; they are 0 to {len(self.actions) - 1}"
            raise Refused("no_such_choice", message, field="action")
        if self._is_asked():
            self._round = _run(self.round, Choose(self.seat, self.actions[int(action)]))
            self._go_on()
        reward, over = 0.0, not self._is_asked()
        if over:
            self._round = _run(self.round, Settle())
            reward = self._net() / self.unit_cents
        seen, info = self._seen()
        return seen, reward, over, False, info

    def render(self) -> str | None:
        """Return the table as the player sees it, as text."""
        return "\n".join(self._text()) if self.render_mode else None

    # ------------------------------------------------------------ the dealer and the computer

    def _is_asked(self) -> bool:
        return to_ask(self.round)[:1] == (self.seat,)

    def _go_on(self) -> None:
        """Turn cards up and let others choose until the player is asked, or all is decided."""
        round, faces = self.round, self._faces
        while True:
            asked = to_ask(round)
            if due := to_show(round):
                round = _run(round, Show(tuple([Face(p, faces[p]) for p in due])))
            elif asked and asked[0] != self.seat:
                own = positions_of(round, round.boxes[asked[0]])
                known = {**round.faces, **{position: faces[position] for position in own}}
                round = _run(round, Choose(asked[0], bots.choose(round, asked[0], known)))
            else:
                break
        self._round = round

    def _net(self) -> int:
        """What the player has won or lost, fees included."""
        won = sum(line.net for line in self.round.lines if line.seat == self.seat)
        return won - self.round.boxes[self.seat].fee

    # ------------------------------------------------------------ what the player sees

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        """Return observation and info, made anew each time and of the player's view alone."""
        seen = view(self.round, YOU, self._faces)
        names = [choice["option"] for choice in seen["choices"]]
        open = [not names or action in names for action in self.actions] or [True]
        info: dict[str, Any] = {"action_mask": np.array(open, dtype=np.int8)}
        if seen["closed"]:
            info["net"] = format_money(self._net())
            info["lines"] = [line for line in seen["lines"] if line["seat"] == self.seat]
        [chose] = [box["chose"] for box in seen["boxes"] if box["seat"] == self.seat]
        index, none = self.actions.index, len(self.actions)
        observation: Observation = {
            "decision": self.decisions.index(seen["step"]) if names else len(self.decisions),
            "chose": np.array([index(chose[d]) if d in chose else none for d in self.decisions]),
        }
        for place, cards in self._cards_seen(seen).items():
            observation[place] = np.array([_CODES[card] for card in cards])
        return observation, info

    def _cards_seen(self, seen: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the cards of a view by the places of the observation."""
        faces: dict[int, str] = {}
        for box in seen["boxes"]:
            faces.update(zip(self.round.boxes[box["seat"]].cards, box["cards"], strict=True))
        for place, cards in seen["places"].items():
            faces.update(zip(self.round.places[place], cards, strict=True))
        return {place: [faces[p] for p in positions] for place, positions in self._cards.items()}

    def _text(self) -> Iterator[str]:
        rules, seen = self.rules, view(self.round, YOU, self._faces)
        places = {name: place.label for name, place in rules.places.items()}
        labels = {SEAT: "You", BANK: rules.bank.label, **places}
        width = max(len(labels[place]) for place in self._cards)
        yield rules.title
        for place, cards in self._cards_seen(seen).items():
            yield f"  {labels[place]:{width}}  {' '.join(f'[{card}]' for card in cards)}"
        if seen["choices"]:
            choices = [f"{choice['label']} ({choice['key']})" for choice in seen["choices"]]
            yield f"{listed(choices, last='or')}?"
        if self.round.closed:
            why = Reasons(self.round).why
            for line in self.round.lines:
                if line.seat == self.seat:
                    stake, net = format_money(line.stake), format_money(line.net)
                    yield f"  {line.wager:22} {stake:>10}  {line.outcome:10} {net:>10}"
                    yield f"    {why(line)} ({line.clause})"
            yield f"Net {format_money(self._net())}"


def _run(round: Round, command: Command) -> Round:
    """Return the round after a command, which the engine may refuse."""
    for event in decide(round, command):
        round = evolve(round, event)
    return round


def _seat(rules: TableRules, seats: int | None) -> int:
    """Return the player's seat, the last of those taken."""
    table = rules.table
    least = max(table.seats_min, 2 if rules.banked_by == "player" else 1)
    seat = least if seats is None else seats
    if not least <= seat <= table.seats:
        message = f"must be from {least} to {table.seats}"
        raise UserError(message, field="seats", clause=table.clause)
    return seat


def _staked(rules: TableRules, bet: Mapping[str, Sum] | None) -> dict[str, int]:
    """Return what the player bets: what was asked for, or the opening wager."""
    if bet is None:
        return bots.bets(rules)
    if not bet:
        raise Refused("nobody_bets", "the player must have a wager", field="bet")
    return {name: parse_money(dollars, name) for name, dollars in bet.items()}


def _opening(
    rules: TableRules, last: int, staked: Mapping[str, int], *, funds: int
) -> Iterator[Command]:
    """Yield what happens before a card has a face: the bank, all bets, and the deal."""
    first = 1
    if rules.banked_by == "player":
        yield Bank(1, BANKER, funds)
        first = 2
    place = rules.places.get(shared_place(rules))
    for seat in range(first, last + 1):
        hand = (seat - 1) % place.hands + 1 if place else None
        player, bets = (YOU, staked) if seat == last else (f"computer {seat}", bots.bets(rules))
        for wager, cents in bets.items():
            yield Bet(seat, player, wager, cents, hand)
    yield CloseBets()
    yield Deal()


# ---------------------------------------------------------------- registration


def _registered() -> Iterator[str]:
    """Register an environment for every game, and yield their ids.

    By default a game is played by the first of its books that the house banks.
    """
    books = [load(id) for id in rulebook_ids()]
    books.sort(key=lambda book: book.rules.banked_by != "house")
    for game in sorted({book.rules.game for book in books}):
        id = f"croupier/{re.sub(r'[^A-Za-z0-9]', '', game)}-v0"
        first = next(book.id for book in books if book.rules.game == game)
        if id not in gymnasium.registry:  # As when the module is loaded a second time.
            gymnasium.register(id, f"{__name__}:{RoundEnv.__name__}", kwargs={"rulebook": first})
        yield id


ENVIRONMENTS = tuple(_registered())
"""The ids of all registered environments."""
