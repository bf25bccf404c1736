"""Rounds as Gymnasium environments: by its conventions, by the book, and without a peep."""

import json
import random
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

from croupier.cards import DECK, Card, format_cards
from croupier.errors import Breaches, MissingExtra, ParseError, Refused, UserError
from croupier.gym import ENVIRONMENTS, UNSEEN, RoundEnv
from croupier.money import format_money
from croupier.round.file import parse_round, play_file
from croupier.round.result import result_of
from croupier.rules.rulebook import parse_rulebook
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    python,
    sixth,
    text_of,
)

THREE_CARD, RIDE = "croupier/ThreeCardPoker-v0", "croupier/LetItRide-v0"


@dataclass(frozen=True)
class Case:
    """A table to play at."""

    book: str
    selections: dict[str, Any] = field(default_factory=dict)
    bet: dict[str, Any] | None = None
    seats: int | None = None

    def env(self, render_mode: str | None = None) -> RoundEnv:
        return RoundEnv(
            self.book,
            selections=self.selections,
            bet=self.bet,
            seats=self.seats,
            render_mode=render_mode,
        )


METER = {"progressive_rate": "14%", "progressive_reset": 2500}
CASES = {
    **{id: Case(id) for id in IDS},
    "maryland, side bets": Case(
        MARYLAND,
        {"progressive": "A", "six_card_bonus": "A", "five_card_progressive": "A"}
        | {"five_card_progressive_rate": "20%"},
        {"ante": 10, "pair_plus": 5, "progressive": 1, "six_card_bonus": 5}
        | {"five_card_progressive": 1},
    ),
    "maryland, pair plus alone": Case(MARYLAND, {}, {"pair_plus": 5}),
    "maryland, 7.G(1)": Case(MARYLAND, {"version": "7.G(1)"}),
    "maryland, electronic": Case(MARYLAND, {"format": "electronic"}, {"ante": 10}, seats=3),
    "maryland, a full table": Case(MARYLAND, {"dealing": "hand"}, {"ante": 20}, seats=7),
    "let it ride, side bets": Case(
        LET_IT_RIDE,
        {"six_card_bonus": "B", "three_card_bonus": "A", "progressive": "A"}
        | {"dealing": "automated_shoe", "shuffler": "device", "community_stack": 3}
        | METER,
        {"let_it_ride": 5, "six_card_bonus": 1, "three_card_bonus": 1, "progressive": 1},
        seats=2,
    ),
    "singapore, jackpot": Case(
        SINGAPORE, METER, {"ante": "10.50", "pair_plus": 5, "progressive": "2.50"}
    ),
    "california, fees": Case(
        CALIFORNIA, {"fees": [{"up_to": 100, "fee": 1}]}, {"ante": 10, "pair_plus": 20}, seats=4
    ),
    "florida, rake": Case(
        FLORIDA, {"rake": {"payer": "all", "amount": 2}}, {"ante": 10, "pair_plus": 20}
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def rounds(env: RoundEnv, count: int, seed: int = 11) -> Iterator[tuple[list[int], float, Any]]:
    """Play rounds with random choices; yield what was chosen, the reward and the last info."""
    rng = random.Random(seed)
    for i in range(count):
        _, info = env.reset(seed=seed if i == 0 else None)
        chosen, over, reward = [], False, 0.0
        while not over:
            chosen.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            _, reward, over, _, info = env.step(chosen[-1])
        yield chosen, reward, info


# ---------------------------------------------------------------- the conventions of Gymnasium


@each_case
def test_gymnasium_finds_nothing_wrong(case: Case) -> None:
    table: dict[str, Any] = {"rulebook": case.book, "selections": case.selections}
    for render_mode in (None, "ansi"):
        given = {**table, "bet": case.bet, "seats": case.seats, "render_mode": render_mode}
        check_env(gymnasium.make(THREE_CARD, **given).unwrapped)


def test_there_is_one_environment_for_each_game() -> None:
    assert set(ENVIRONMENTS) == {THREE_CARD, RIDE}
    assert {id for id in gymnasium.registry if id.startswith("croupier/")} == set(ENVIRONMENTS)


@pytest.mark.parametrize(("id", "book"), [(THREE_CARD, MARYLAND), (RIDE, LET_IT_RIDE)])
def test_a_game_is_played_by_a_book_of_the_house_unless_another_is_named(
    id: str, book: str
) -> None:
    env = gymnasium.make(f"croupier.gym:{id}").unwrapped
    assert isinstance(env, RoundEnv)
    assert env.rules.rulebook == book
    given: dict[str, Any] = {"rulebook": CALIFORNIA, "selections": {"payoff_limit": "wager"}}
    other = gymnasium.make(id, **given).unwrapped
    assert isinstance(other, RoundEnv)
    assert other.rules.rulebook == CALIFORNIA
    assert other.rules.selections["payoff_limit"] == "wager"


def test_environments_can_be_made_many_at_a_time() -> None:
    many = gymnasium.make_vec(THREE_CARD, num_envs=3, vectorization_mode="sync")
    seen, info = many.reset(seed=5)
    assert seen["seat"].shape == (3, 3)
    assert info["action_mask"].tolist() == [[1, 1]] * 3
    _, _, over, _, info = many.step(np.array([0, 1, 1]))
    assert over.tolist() == [True] * 3
    assert info["net"][1:].tolist() == ["-10.00", "-10.00"]


@each_case
def test_a_seed_determines_every_round(case: Case) -> None:
    one, two = (list(rounds(case.env(), 5)) for _ in range(2))
    assert data_equivalence(one, two, exact=True)
    assert not data_equivalence(one, list(rounds(case.env(), 5, seed=12)))


def test_every_card_comes_everywhere() -> None:
    env = RoundEnv(MARYLAND)
    env.reset(seed=1)
    hands = np.array([env.reset()[0]["seat"] for _ in range(2_000)])
    assert all(len(set(place.tolist())) == 52 for place in hands.T)


# ---------------------------------------------------------------- what is seen


def test_what_is_observed_of_a_round() -> None:
    env = RoundEnv(LET_IT_RIDE)
    deck = "As 2h Ks 3h Qs"  # In turn to the player and the community (8.D(3)).
    ace, king, queen, two, three = map(Card, ("As", "Ks", "Qs", "2h", "3h"))
    seen = [env.reset(seed=1, options={"deck": deck})[0]]
    seen += [env.step(action)[0] for action in (0, 1)]
    found = [{key: np.array(value).tolist() for key, value in one.items()} for one in seen]
    hand = {"seat": [ace, king, queen]}
    assert env.actions == ("ride", "withdraw")
    assert env.decisions == ("bet_1", "bet_2")
    assert found == [
        {"decision": 0, "chose": [2, 2], "community": [UNSEEN, UNSEEN], **hand},
        {"decision": 1, "chose": [0, 2], "community": [two, UNSEEN], **hand},
        {"decision": 2, "chose": [0, 1], "community": [two, three], **hand},
    ]


def test_the_card_that_the_bank_shows_is_observed() -> None:
    """California, dealing/2.a: one card of the bank is turned up before the players decide."""
    seen, _ = RoundEnv(CALIFORNIA).reset(options={"deck": "2s 3s 4s As Ks Qs"})
    assert seen["bank"].tolist() == [Card("As"), UNSEEN, UNSEEN]


def test_a_shared_hand_is_observed_as_the_player_s() -> None:
    """Maryland 11.F(2): nine cards are three hands, and a seat bets on one of them (M9)."""
    seen, _ = RoundEnv(MARYLAND, selections={"format": "electronic"}).reset(seed=1)
    assert seen["seat"].tolist() == seen["community"].tolist()[:3]
    assert seen["community"].tolist()[3:] == [UNSEEN] * 6
    assert UNSEEN not in seen["seat"]


def trace(env: RoundEnv, deck: list[Card], actions: list[int]) -> Iterator[tuple[Any, set[int]]]:
    """Yield all that an environment gives away after each step, and the positions in sight."""
    given: tuple[Any, ...] = env.reset(seed=1, options={"deck": format_cards(deck)})
    for action in [*actions, None]:
        own = env.round.boxes[env.seat]
        positions = {*own.cards, *env.round.faces}
        if own.hand is not None:
            positions |= set(env.round.places["community"][3 * own.hand - 3 : 3 * own.hand])
        yield (given, env.render()), positions
        if action is not None:
            given = env.step(action)


@each_case
def test_cards_that_are_hidden_change_nothing_that_is_given_away(case: Case) -> None:
    env, rng, differ = case.env("ansi"), random.Random(7), 0
    decides = case.bet is None or {"ante", "let_it_ride"} & case.bet.keys()
    for _ in range(10):
        deck = rng.sample(DECK, len(DECK))
        actions = [rng.choice((0, 0, 1)) for _ in env.decisions]
        played = list(trace(env, deck, actions))
        for moment, (_, sight) in enumerate(played[:-1]):
            hidden = [position for position in range(52) if position not in sight]
            if case.seats and case.seats > 1:  # How others choose shows something of their cards.
                others = [b.cards for s, b in env.round.boxes.items() if s != env.seat]
                hidden = [p for p in hidden if not any(p in cards for cards in others)]
            twin = list(deck)
            for position, other in zip(hidden, rng.sample(hidden, len(hidden)), strict=True):
                twin[position] = deck[other]
            again = list(trace(env, twin, actions))
            assert data_equivalence(again[: moment + 1], played[: moment + 1], exact=True)
            differ += not data_equivalence(again[-1], played[-1], exact=True)
    assert differ > 5 or not decides  # Without a decision all is shown before the first step.


def test_observations_are_not_shared() -> None:
    env = RoundEnv(MARYLAND)
    first, _ = env.reset(seed=3)
    kept = {key: np.array(value) for key, value in first.items()}
    last, *_ = env.step(0)
    for value in last.values():
        if isinstance(value, np.ndarray):
            value[:] = 0
    assert all(np.array_equal(first[key], kept[key]) for key in kept)
    assert data_equivalence(env.reset(seed=3)[0], first, exact=True)


# ---------------------------------------------------------------- what is chosen and won


@each_case
def test_the_reward_is_what_the_round_file_comes_to(case: Case) -> None:
    """The same deck, bets and choices settled as `croupier settle` does, along another way."""
    if case.selections.get("format"):
        case = Case(case.book, {}, case.bet)  # Shared hands are not dealt from a file's deck.
    env, rng = case.env(), random.Random(3)
    for _ in range(20):
        deck = format_cards(rng.sample(DECK, len(DECK)))
        _, info = env.reset(options={"deck": deck})
        over, reward = False, 0.0
        while not over:
            assert reward == 0
            _, reward, over, _, info = env.step(rng.randrange(2))
        seats = [
            {
                "seat": seat,
                "player": box.player,
                "wagers": {
                    name: format_money(box.stakes[spots[0]].cents)
                    for name, spots in env.rules.spots.items()
                    if spots[0] in box.stakes and env.rules.wagers[name].placed != "by decision"
                },
                "decisions": list(box.chose.values()),
            }
            for seat, box in env.round.boxes.items()
        ]
        data: dict[str, Any] = {"deck": deck, "seats": seats}
        if env.rules.banked_by == "player":
            data["banker"] = {"seat": 1, "funds": 1_000_000}
        settled = result_of(play_file(env.rules, parse_round(env.rules, data)))
        [seat_result] = [seat for seat in settled["seats"] if seat["seat"] == env.seat]
        assert seat_result["net"] == info["net"]
        assert reward == float(Fraction(seat_result["net"]) * 100 / env.unit_cents)
        assert [{k: v for k, v in line.items() if k != "seat"} for line in info["lines"]] == (
            seat_result["lines"]
        )


def test_a_round_without_a_decision_is_settled_by_any_action() -> None:
    for action in (0, 1):
        env = RoundEnv(MARYLAND, bet={"pair_plus": 5})
        seen, info = env.reset(seed=1, options={"deck": "As 2h Ks 3h Qs"})
        assert seen["decision"] == len(env.decisions)
        assert info["action_mask"].tolist() == [1, 1]
        _, reward, over, cut_off, _ = env.step(action)
        assert (reward, over, cut_off) == (35.0, True, False)


def masked() -> RoundEnv:
    """Let It Ride, with another name for one choice of its second decision."""
    text = text_of(LET_IT_RIDE)
    for named in ("step.bet_2.option.withdraw", "bet_2.withdraw"):
        text = text.replace(named, named.replace("withdraw", "pull"))
    return RoundEnv(parse_rulebook(text, id="masked", file="masked.toml"))


def test_the_mask_has_the_choices_of_the_decision() -> None:
    env = masked()
    _, first = env.reset(seed=1)
    *_, second = env.step(0)
    assert env.actions == ("ride", "withdraw", "pull")
    assert first["action_mask"].tolist() == [1, 1, 0]
    assert second["action_mask"].tolist() == [1, 0, 1]
    assert first["action_mask"].dtype == np.int8


def test_a_masked_action_is_refused_and_changes_nothing() -> None:
    env = masked()
    env.reset(seed=1)
    before = env.round
    with pytest.raises(Refused) as caught:
        env.step(2)
    assert str(caught.value) == (
        "option: 'pull' isn't a choice; choose 'ride' or 'withdraw' (11.B)"
    )
    assert env.round is before
    assert not env.step(1)[2]


@pytest.mark.parametrize("action", [-1, 2, 0.5, "play", None])
def test_an_action_outside_the_space_is_refused(action: Any) -> None:
    env = RoundEnv(MARYLAND)
    env.reset(seed=1)
    with pytest.raises(Refused, match="is not an action; they are 0 to 1"):
        env.step(action)


def test_no_step_follows_the_end_and_none_comes_before_the_start() -> None:
    env = RoundEnv(MARYLAND, render_mode="ansi")
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=1)
    env.step(0)
    with pytest.raises(Refused, match="the round is over"):
        env.step(0)


# ---------------------------------------------------------------- the table


def test_a_book_of_one_s_own_can_be_played() -> None:
    given: dict[str, Any] = {
        "selections": {"boxes": 1, "crown": "A"},
        "bet": {"watch": 3, "crown": 1},
    }
    env = gymnasium.make(THREE_CARD, rulebook=sixth(), **given).unwrapped
    check_env(env)
    assert isinstance(env, RoundEnv)
    assert env.actions == ("stay", "leave")
    assert set(env.reset(seed=1)[0]) == {"decision", "chose", "seat", "bank", "pool"}


def test_meters_show_what_they_are_told_to_in_every_round() -> None:
    """Maryland 12.E(1)(a)(i): a mini royal of spades takes the meter, here 5,000.14."""
    bet = {"ante": 10, "progressive": 1}
    env = RoundEnv(MARYLAND, selections={"progressive": "A"}, bet=bet, meters={"progressive": 5000})
    for _ in range(2):
        env.reset(seed=1, options={"deck": "As 2h Ks 3h Qs"})
        lines = {line["wager"]: line["paid"] for line in env.step(0)[4]["lines"]}
        assert lines["progressive"] == "5000.14"


def test_a_banker_with_little_money_pays_in_part() -> None:
    """California, round-of-play/9."""
    deck = "As Ks Qs 2h 3d 8c"
    nets = []
    for funds in (1_000_000, 10):
        env = RoundEnv(CALIFORNIA, bet={"ante": 10, "pair_plus": 10}, funds=funds)
        env.reset(options={"deck": deck})
        nets.append(env.step(0)[4]["net"])
    assert nets == ["2010.00", "10.00"]


def test_the_table_is_drawn_as_the_player_sees_it() -> None:
    env = RoundEnv(MARYLAND, render_mode="ansi")
    env.reset(options={"deck": "As Qh Ks 7d Qs 2c"})
    before = env.render()
    env.step(0)
    assert f"{before}\n\n{env.render()}\n" == textwrap.dedent(
        """\
        Three Card Poker, Maryland
          You     [As] [Ks] [Qs]
          Dealer  [??] [??] [??]
        Play (P) or Fold (F)?

        Three Card Poker, Maryland
          You     [As] [Ks] [Qs]
          Dealer  [Qh] [7d] [2c]
          ante                        10.00  win             10.00
            mini royal in spades beats queen high Q-7-2: Ante paid 1 to 1 (12.A)
          play                        10.00  win             10.00
            mini royal in spades beats queen high Q-7-2: Play paid 1 to 1 (12.A)
          ante_bonus                   0.00  win             50.00
            mini royal in spades pays 5 to 1 (12.B(1)(a))
        Net 70.00
        """
    )
    assert RoundEnv(MARYLAND).render() is None


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"rulebook": "nowhere"}, UserError, "rulebook: there is no rulebook 'nowhere'; …"),
        ({"selections": {"pair_plus": "Z"}}, Breaches, "pair_plus: …"),
        ({"bet": {}}, Refused, "bet: the player must have a wager"),
        (
            {"bet": {"ante": 1.5}},
            ParseError,
            "ante: 1.5 came as a float, which is not exact; write '1.5'",
        ),
        ({"bet": {"play": 10}}, Refused, "play: Play is made by a decision, …"),
        ({"bet": {"ante": 10}, "meters": {"x": 1}}, Refused, "meters.x: is not a meter …"),
        ({"seats": 8}, UserError, "seats: must be from 1 to 7 (2.A)"),
        ({"rulebook": FLORIDA, "seats": 1}, UserError, "seats: must be from 2 to 8 (table)"),
        ({"rulebook": FLORIDA, "funds": 0}, Refused, "funds: the banker must put up funds"),
        ({"render_mode": "human"}, UserError, "render_mode: 'human' is not a way to render; …"),
    ],
)
def test_a_wrong_table_is_refused_when_it_is_made(
    given: dict[str, Any], error: type[UserError], says: str
) -> None:
    with pytest.raises(error) as caught:
        RoundEnv(**{"rulebook": MARYLAND, **given})
    start, left_out, _ = says.partition("…")
    assert str(caught.value).startswith(start)
    assert left_out or str(caught.value) == says


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"deck": "As As"}, "the ace of spades 'As' appears twice"),
        ({"deck": "1s"}, "'1s' is not a card"),
        ({"cards": "As"}, "cards: is not an option of reset; there is 'deck'"),
    ],
)
def test_wrong_options_of_reset_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError) as caught:
        RoundEnv(MARYLAND).reset(options=options)
    assert str(caught.value).startswith(says)


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "croupier.gym")
    with pytest.raises(MissingExtra) as caught:
        __import__("croupier.gym")
    assert caught.value.extra == "gym"
    assert str(caught.value).startswith("croupier.gym needs the extra 'gym': ")


def test_nothing_else_imports_gymnasium() -> None:
    code = "import json, sys, croupier.cli, croupier.round; print(json.dumps(list(sys.modules)))"
    assert "gymnasium" not in json.loads(python(code))


def test_10_H_no_environment_is_made_with_what_cannot_apply_to_its_table() -> None:
    with pytest.raises(Breaches, match="community_stack: '3' can be chosen only where"):
        RoundEnv(LET_IT_RIDE, selections={"community_stack": 3})
