"""Many rounds at a time are the rounds that single environments play."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from croupier.errors import Refused, UserError
from croupier.gym import ENVIRONMENTS, RoundEnv, VectorRoundEnv
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, SINGAPORE

THREE_CARD, RIDE = "croupier/ThreeCardPoker-v0", "croupier/LetItRide-v0"
TABLES: list[dict[str, Any]] = [
    {"rulebook": MARYLAND},
    {"rulebook": LET_IT_RIDE, "seats": 3},
    {"rulebook": SINGAPORE, "bet": {"pair_plus": 5}},
    {"rulebook": CALIFORNIA, "bet": {"ante": 10, "pair_plus": 5}},
]
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def is_same(one: Any, other: Any) -> bool:
    """Whether two observations or infos are equal, arrays, their types and all."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, np.ndarray):
        return all(is_same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["rulebook"])
def test_the_rounds_are_those_of_single_environments(
    table: dict[str, Any], mode: AutoresetMode
) -> None:
    count, rng = 4, np.random.default_rng(7)
    many = VectorRoundEnv(**table, num_envs=count, autoreset_mode=mode)
    single: VectorEnv[Any, Any, Any] = SyncVectorEnv(
        [lambda: RoundEnv(**table)] * count, autoreset_mode=mode
    )
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    assert many.metadata["autoreset_mode"] == single.metadata["autoreset_mode"]
    seen, expected = many.reset(seed=5), single.reset(seed=5)
    assert all(map(is_same, seen, expected))
    ended = 0
    for _ in range(40):
        actions = rng.integers(0, len(many.actions), count)
        found, wanted = many.step(actions), single.step(actions)
        assert all(map(is_same, found, wanted))
        assert many.observation_space.contains(found[0])
        ended += int(found[2].sum())
    assert ended >= count * 10


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_gymnasium_makes_them_by_name(id: str) -> None:
    many = gymnasium.make_vec(id, num_envs=3, vectorization_mode="vector_entry_point", seats=2)
    assert isinstance(many, VectorRoundEnv)
    assert {env.seat for env in many.envs} == {2}
    seen, info = many.reset(seed=1)
    assert seen["seat"].shape == (3, 3)
    assert info["action_mask"].shape == (3, len(many.actions))


def test_a_list_of_seeds_has_one_for_each_round() -> None:
    many = VectorRoundEnv(MARYLAND, num_envs=3)
    seen, _ = many.reset(seed=[9, 4, 9])
    alone, _ = RoundEnv(MARYLAND).reset(seed=4)
    assert seen["seat"][1].tolist() == alone["seat"].tolist()
    assert seen["seat"][0].tolist() == seen["seat"][2].tolist() != seen["seat"][1].tolist()
    with pytest.raises(UserError, match="one seed or 3"):
        many.reset(seed=[1, 2])


def test_rounds_without_a_seed_differ() -> None:
    seen, _ = VectorRoundEnv(MARYLAND, num_envs=8).reset()
    assert len({tuple(cards) for cards in seen["seat"].tolist()}) > 1


@pytest.mark.parametrize("actions", [[0, 0, 5], [0, 0], np.array([0, 1, -1])])
def test_a_refused_action_stops_all_of_them_before_any_is_played(actions: Any) -> None:
    many = VectorRoundEnv(MARYLAND, num_envs=3)
    many.reset(seed=1)
    before = [env.round for env in many.envs]
    with pytest.raises(Refused) as refused:
        many.step(actions)
    assert refused.value.code == "no_such_choice"
    assert [env.round for env in many.envs] == before


def test_what_was_given_is_not_changed_later() -> None:
    many = VectorRoundEnv(MARYLAND, num_envs=2)
    seen, _ = many.reset(seed=1)
    copied = {key: value.copy() for key, value in seen.items()}
    _, _, over, _, _ = many.step([0, 0])
    assert over.all()
    many.step([0, 0])
    assert is_same(seen, copied)
    assert over.all()


def test_every_table_is_drawn() -> None:
    many = VectorRoundEnv(MARYLAND, num_envs=2, render_mode="ansi")
    many.reset(options={"deck": "As Qh Ks 7d Qs 2c"})
    first, second = many.render()
    assert "[As] [Ks] [Qs]" in first
    assert first == second


@pytest.mark.parametrize(
    ("given", "field"),
    [({"num_envs": 0}, "num_envs"), ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode")],
)
def test_a_wrong_number_or_mode_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(UserError) as refused:
        VectorRoundEnv(MARYLAND, **given)
    assert refused.value.field == field
