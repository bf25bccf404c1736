"""Rounds as Gymnasium environments: one class for all rulebooks, played through the engine.

An episode is one round for one player. The environment knows no game: actions, observations and
rewards come from the table rules, and an observation holds only what the player may see. Importing
this module registers one environment for every game that has a rulebook.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from decimal import Decimal
from typing import Any

from croupier.cards import DECK, distinct, parse_cards
from croupier.errors import MissingExtra, Refused, UserError, quoted
from croupier.money import format_money, parse_micros, parse_money
from croupier.round import bots, commands
from croupier.round.commands import Command
from croupier.round.decide import decide
from croupier.round.order import positions_of
from croupier.round.play import Play
from croupier.round.reasons import Reasons
from croupier.round.state import Round
from croupier.round.view import HIDDEN, view
from croupier.rules.load import load, rulebook_ids
from croupier.rules.resolve import resolve, to_open
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, DISCARD, SEAT
from croupier.rules.words import listed

try:
    import gymnasium
    import numpy as np
    from gymnasium.error import ResetNeeded
    from gymnasium.spaces import Dict, Discrete, MultiDiscrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space, concatenate, create_empty_array
    from numpy.typing import NDArray
except ImportError as error:
    raise MissingExtra("gym", "croupier.gym") from error

Sum = int | str | Decimal
"""Dollars, as in round files."""
Observation = dict[str, Any]

YOU, BANKER = "you", "computer 1"
FUNDS = 1_000_000
"""The banker's funds in dollars where a player banks: enough for every payout."""
UNSEEN = len(DECK)
"""The observed value of a hidden card; any other card is its index."""
_CODES = {HIDDEN: UNSEEN} | {str(card): int(card) for card in DECK}


class RoundEnv(gymnasium.Env[Observation, Any]):
    """One round for one player under a rulebook; the computer plays all other seats."""

    # Gymnasium reads this from the class but declares it as an instance field.
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
        """Set up the table, with the same bets and opening meter readings in every round.

        The player takes the last occupied seat; by default as few seats as possible are occupied.
        Where a player banks, the computer banks at seat 1. Sums are in dollars.
        """
        book = load(rulebook) if isinstance(rulebook, str) else rulebook
        rules = to_open(resolve(book, selections))
        if render_mode not in (None, *self.metadata["render_modes"]):
            message = f"{quoted(render_mode)} is not a way to render; there is 'ansi'"
            raise UserError(message, field="render_mode")
        self.render_mode = render_mode
        self.rules = rules
        self.seat = _seat(rules, seats)
        staked = _staked(rules, bet)
        readings = {id: parse_micros(m, f"meters.{id}") for id, m in (meters or {}).items()}
        # All rounds are the same up to the deal, when no card has a face yet.
        opening = Play(Round(rules), {})
        opening.do(commands.Open("1", readings))
        opening.do(*_opening(rules, self.seat, staked, funds=parse_money(funds, "funds")))
        self._dealt = opening.round
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
        self._play: Play | None = None

    @property
    def round(self) -> Round:
        """The current round; it holds no hidden faces."""
        return self._playing.round

    @property
    def _playing(self) -> Play:
        if self._play is None:
            raise ResetNeeded("no round is dealt before the first reset")
        return self._play

    # ------------------------------------------------------------ what Gymnasium calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a round, up to the player's first decision or, without one, the settlement."""
        super().reset(seed=seed)
        given = dict(options or {})
        top = distinct(parse_cards(given.pop("deck", "")))
        for name in given:
            raise UserError("is not an option of reset; there is 'deck'", field=name)
        order = self.np_random.permutation(len(DECK)).tolist()
        stack = [*top, *(card for card in order if card not in top)]
        dealt = range(self._dealt.next_position)
        self._play = Play(self._dealt, {position: DECK[stack[position]] for position in dealt})
        self._go_on()
        return self._seen()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, or raise Refused if it isn't one of the choices.

        With nothing left to decide, any action settles the round.
        """
        self.check(action)
        if self._is_asked():
            self._playing.do(commands.Choose(self.seat, self.actions[int(action)]))
            self._go_on()
        reward, over = 0.0, not self._is_asked()
        if over:
            self._playing.settle()
            reward = self._net() / self.unit_cents
        seen, info = self._seen()
        return seen, reward, over, False, info

    def check(self, action: int) -> None:
        """Raise Refused for an action that can't be taken now, without playing it."""
        if not self.action_space.contains(action):
            message = f"{quoted(action)} is not an action; they are 0 to {len(self.actions) - 1}"
            raise Refused("no_such_choice", message, field="action")
        if self._is_asked():
            decide(self.round, commands.Choose(self.seat, self.actions[int(action)]))
        elif self.round.closed:
            raise Refused("round_over", "the round is over")

    def render(self) -> str | None:
        """Return the table as the player sees it, as text."""
        return "\n".join(self._text()) if self.render_mode else None

    # ------------------------------------------------------------ the dealer and the computer

    def _is_asked(self) -> bool:
        return self.round.asked[:1] == (self.seat,)

    def _go_on(self) -> None:
        """Turn up cards and play the other seats until the player must decide or nobody has to."""
        play = self._playing
        while (seat := play.to_decision()) not in (None, self.seat):
            play.do(commands.Choose(seat, bots.choose(play.round, seat, play.known_to(seat))))
        if seat is None:
            play.show()

    def _net(self) -> int:
        """The player's win or loss, fees included."""
        won = sum(line.net for line in self.round.lines if line.seat == self.seat)
        return won - self.round.boxes[self.seat].fee

    # ------------------------------------------------------------ what the player sees

    def _view(self) -> dict[str, Any]:
        return view(self.round, YOU, self._playing.faces)

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        """Return a new observation and info, from the player's view alone."""
        seen = self._view()
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
        """Return the cards of a view, grouped by the places of the observation."""
        faces: dict[int, str] = {}
        for box in seen["boxes"]:
            faces.update(zip(self.round.boxes[box["seat"]].cards, box["cards"], strict=True))
        for place, cards in seen["places"].items():
            faces.update(zip(self.round.places[place], cards, strict=True))
        return {place: [faces[p] for p in positions] for place, positions in self._cards.items()}

    def _text(self) -> Iterator[str]:
        rules, seen = self.rules, self._view()
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


def _seat(rules: TableRules, seats: int | None) -> int:
    """Return the player's seat, the last one occupied."""
    table = rules.table
    least = max(table.seats_min, 2 if rules.banked_by == "player" else 1)
    seat = least if seats is None else seats
    if not least <= seat <= table.seats:
        message = f"must be from {least} to {table.seats}"
        raise UserError(message, field="seats", clause=table.clause)
    return seat


def _staked(rules: TableRules, bet: Mapping[str, Sum] | None) -> dict[str, int]:
    """Return the player's bets: those asked for, or the opening wager."""
    if bet is None:
        return bots.bets(rules)
    if not bet:
        raise Refused("nobody_bets", "the player must have a wager", field="bet")
    return {name: parse_money(dollars, name) for name, dollars in bet.items()}


def _opening(
    rules: TableRules, last: int, staked: Mapping[str, int], *, funds: int
) -> Iterator[Command]:
    """Yield the commands before any card has a face: the bank, all bets, and the deal."""
    first = 1
    if rules.banked_by == "player":
        yield commands.Bank(1, BANKER, funds)
        first = 2
    for seat in range(first, last + 1):
        player, bets = (YOU, staked) if seat == last else (f"computer {seat}", bots.bets(rules))
        for wager, cents in bets.items():
            yield commands.Bet(seat, player, wager, cents, rules.hand_at(seat))
    yield commands.CloseBets()
    yield commands.Deal()


# ---------------------------------------------------------------- many rounds at a time


class VectorRoundEnv(VectorEnv[Observation, Any, Any]):
    """Many rounds at identical tables, stepped together.

    The rules are resolved and the bets made once for all rounds. With the same seeds it plays the
    same rounds as Gymnasium's `SyncVectorEnv`: environment `i` uses `seed + i`.
    """

    def __init__(
        self,
        rulebook: str | Rulebook,
        *,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **table: Any,
    ) -> None:
        """Set up the table as `RoundEnv` does, for `num_envs` rounds at a time.

        A finished round is redealt in the next step, which ignores its action, or at once with
        `AutoresetMode.SAME_STEP`; `info` then holds `final_obs` and `final_info`.
        """
        if num_envs < 1:
            raise UserError("must be at least 1", field="num_envs")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode not in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            message = "must be AutoresetMode.NEXT_STEP or AutoresetMode.SAME_STEP"
            raise UserError(message, field="autoreset_mode")
        first = RoundEnv(rulebook, **table)
        self.num_envs = num_envs
        self.envs = (first, *(copy(first) for _ in range(num_envs - 1)))
        self.actions, self.decisions = first.actions, first.decisions
        self.unit_cents = first.unit_cents
        self.render_mode = first.render_mode
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, num_envs)
        self.action_space = batch_space(first.action_space, num_envs)
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal all rounds; round `i` uses `seed + i`, or item `i` of a list of seeds."""
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int):
            seeds = [seed + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = [*seed]
        if len(seeds) != self.num_envs:
            raise UserError(f"must be one seed or {self.num_envs}", field="seed")
        seen, infos = [], dict[str, Any]()
        for i, env in enumerate(self.envs):
            observation, info = env.reset(seed=seeds[i], options=options)
            seen.append(observation)
            infos = self._add_info(infos, info, i)
        self._over[:] = False
        return self._batched(seen), infos

    def step(
        self, actions: Any
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take an action in every round, or raise Refused before taking any.

        A round that ended in the previous step is redealt instead.
        """
        taken = [*actions]
        if len(taken) != self.num_envs:
            message = f"must be {self.num_envs} actions, not {len(taken)}"
            raise Refused("no_such_choice", message, field="action")
        for env, action, over in zip(self.envs, taken, self._over, strict=True):
            if not over:
                env.check(action)
        seen, infos = [], dict[str, Any]()
        rewards = np.zeros(self.num_envs)
        ended = np.zeros(self.num_envs, dtype=np.bool_)
        for i, env in enumerate(self.envs):
            if self._over[i]:
                observation, info = env.reset()
            else:
                observation, rewards[i], ended[i], _, info = env.step(taken[i])
            if ended[i] and self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos = self._add_info(infos, {"final_obs": observation, "final_info": info}, i)
                observation, info = env.reset()
            seen.append(observation)
            infos = self._add_info(infos, info, i)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._over = ended.copy()
        return self._batched(seen), rewards, ended, np.zeros_like(ended), infos

    def render(self) -> tuple[Any, ...]:
        """Return every table as its player sees it, as text."""
        return tuple(env.render() for env in self.envs)

    def _batched(self, seen: list[Observation]) -> Observation:
        space = self.single_observation_space
        empty: Any = create_empty_array(space, n=self.num_envs)
        batch: Any = concatenate(space, seen, empty)
        return dict(batch)


# ---------------------------------------------------------------- registration


def _registered() -> Iterator[str]:
    """Register an environment for every game, and yield their ids.

    A game's default book is its first one that the house banks.
    """
    books = [load(id) for id in rulebook_ids()]
    books.sort(key=lambda book: book.rules.banked_by != "house")
    for game in sorted({book.rules.game for book in books}):
        id = f"croupier/{re.sub(r'[^A-Za-z0-9]', '', game)}-v0"
        first = next(book.id for book in books if book.rules.game == game)
        if id not in gymnasium.registry:  # It is if the module is reloaded.
            gymnasium.register(
                id,
                f"{__name__}:{RoundEnv.__name__}",
                vector_entry_point=f"{__name__}:{VectorRoundEnv.__name__}",
                kwargs={"rulebook": first},
            )
        yield id


ENVIRONMENTS = tuple(_registered())
"""The ids of all registered environments."""
