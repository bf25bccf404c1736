"""What a client of a server knows of a table, frame by frame."""

from typing import Any

from croupier.client import Client, TableClient

SCENE = {"round": "t-1", "phase": "bets"}


def heard(*frames: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Return the round and the player's cards that a client has after each frame."""
    table = TableClient(Client("http://127.0.0.1"), "t", watch=False)
    seen = []
    for frame in frames:
        table.hear({"clock": None, "you": None, "events": [], **frame})
        seen.append((table.scene["round"], table.own))
    return seen


def test_cards_of_the_next_round_are_never_taken_for_those_of_the_last() -> None:
    """The welcome after a reconnection has own cards of now, and the news before them follow."""
    mine, next = {"0": "As"}, {"0": "2c"}
    welcome = {"type": "welcome", "felt": {}, "scene": SCENE, "v": 3, "own": mine}
    again = {"type": "welcome", "scene": None, "v": 3, "own": mine}
    late = {"type": "welcome", "scene": None, "v": 9, "own": next}
    news = {"type": "news", "v": 9, "scene": {"round": "t-2"}}
    own = {"type": "own", "v": 9, "own": next}
    assert heard(welcome, again, late, news, own) == [
        ("t-1", mine),
        ("t-1", mine),
        ("t-1", mine),
        ("t-2", {}),
        ("t-2", next),
    ]
