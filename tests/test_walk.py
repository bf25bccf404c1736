"""The walk of a bet stays short, and `tools/walk.py` really walks it."""

from tools.walk import STEPS_MAX, Call, calls_of_a_bet, steps


def test_a_bet_takes_few_steps_from_the_socket_to_the_store_and_back() -> None:
    found = steps(calls_of_a_bet())
    walked = [str(call) for calls in found.values() for call in calls]
    assert all(found.values())
    assert len(walked) <= STEPS_MAX, "\n".join(walked)
    for step in (
        "server/wire.py Wire.data_received",
        "round/decide.py decide",
        "ledger/stores/statements.py Pen.append",
        "gallery/gallery.py Gallery.tell",
        "server/wire.py Wire.write",
    ):
        assert step in walked


def test_what_is_a_step() -> None:
    """One call of each kind, and the kinds that a reader needs no other file for."""
    calls = [
        Call("server/wire.py", "Wire.data_received", ""),
        Call("server/wire.py", "short_text", "server/wire.py"),
        Call("server/talk.py", "Talk.hear", "server/wire.py"),
        Call("server/talk.py", "Talk.hear", "server/wire.py"),
        Call("house/standing.py", "Standing.in_play", "house/players.py"),
        Call("house/standing.py", "Act.__init__", "house/turn.py"),
        Call("house/table.py", "Table.decide.<locals>.<genexpr>", "house/turn.py"),
        Call("house/books.py", "Books._take_turns", ""),
        Call("money.py", "micros", "ledger/entries.py"),
    ]
    found = {stage: [call.name for call in walked] for stage, walked in steps(calls).items()}
    assert found["door"] == ["Wire.data_received", "Talk.hear", "Standing.in_play"]
    assert found["decide"] == ["Books._take_turns", "micros"]
