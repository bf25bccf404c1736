"""100,000 messages that are wrong on purpose: each is answered, none changes anything (A3, T15).

Most go in where a socket's messages go in; a few thousand go over a real socket. In every state of
every book, what that state does not allow is refused under a code that stays, and nothing happens.
"""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.outbox import Viewer
from croupier.house import players, said
from croupier.house.recall import recall
from croupier.reading.reader import read
from croupier.server import messages
from tests.house.floor import answered
from tests.rules.books import CALIFORNIA, IDS, MARYLAND, SINGAPORE, each_book
from tests.server.attacks import mutations
from tests.server.attacks.houses import House, crashes, open_house, rules_of, table_toml
from tests.server.attacks.mutations import Sent, Table
from tests.server.attacks.states import SEATS, Walk

MESSAGES, MANY_MESSAGES = 20_000, 100_000
STATES_LEAST, STATES_MOST = 7, 12
CHAOS = 3_000
ON_A_SOCKET = 2_500
CODE = re.compile(r"[a-z]+(_[a-z]+)*")
SENTENCE_MAX = 300


def fault_in(said: str) -> str | None:
    """Say what is wrong with an answer, whatever was asked."""
    answer = json.loads(said)
    if answer["type"] == "done":
        return None if sorted(answer) == ["id", "type", "v"] else f"strange: {said}"
    if sorted(answer) != ["clause", "code", "field", "id", "message", "type"]:
        return f"strange: {said}"
    message = answer["message"]
    if not CODE.fullmatch(answer["code"]) or not message or len(message) > SENTENCE_MAX:
        return f"no code or no sentence: {said}"
    if not message.isprintable() or len(answer["field"] or "") > 130:
        return f"not fit to print: {said}"
    return None


class Storm:
    """Messages at one table, and what was wrong with what came of them."""

    def __init__(self, walk: Walk, rng: random.Random) -> None:
        self.walk, self.rng = walk, rng
        self.faults: list[str] = []
        self.codes: Counter[str] = Counter()
        self.sent = 0

    def speakers(self) -> list[tuple[Viewer, Table]]:
        rules = self.walk.table.config.rules
        told = []
        for name, seat in SEATS.items():
            others = tuple(s for n, s in self.walk.seats.items() if n != name)
            viewer = Viewer(self.walk.players[name].id, name)
            told.append((viewer, Table(rules, (seat,), others)))
        return [*told, (Viewer(None), Table(rules, (2,), (4,)))]

    async def say(self, viewer: Viewer, sent: Sent) -> None:
        """Send one message; an illegal one must leave everything as it is."""
        table, self.sent = self.walk.table, self.sent + 1
        before = table.number, table.place.standing
        try:
            said = await answered(table, viewer, sent.text)
        except Exception as error:
            self.faults.append(f"{type(error).__name__} {error}: {sent.how} {sent.text[:200]!r}")
            return
        if fault := fault_in(said):
            self.faults.append(fault)
        answer = json.loads(said)
        self.codes[answer.get("code", answer["type"])] += 1
        if sent.illegal and answer["type"] == "done":
            self.faults.append(f"accepted: {sent.how} {sent.text[:200]!r}")
        if sent.illegal and (table.number, table.place.standing) != before:
            self.faults.append(f"something happened: {sent.how} {sent.text[:200]!r}")

    async def illegal(self, count: int) -> None:
        for viewer, table in self.speakers():
            for sent in mutations.illegals(table, self.rng, count // 3):
                await self.say(viewer, sent)

    async def chaos(self, count: int) -> None:
        """Send whatever comes, while the dealer goes on now and then."""
        speakers = self.speakers()
        for number in range(count):
            viewer, table = self.rng.choice(speakers)
            await self.say(viewer, mutations.anything(table, self.rng, f"c{number}"))
            if number % 50 == 0 and self.walk.table.notes.clock.wait is not None:
                await self.walk.house.dealt(self.walk.id)


async def storm(folder: Path, book: str, *, count: int, chaos: int) -> Storm:
    """Take a table through all states, with messages in each of them."""
    async with open_house(folder, table_toml(book)) as house:
        walk = Walk(house, book)
        await walk.come_in()
        made = Storm(walk, random.Random(book))
        states = 0
        async for _ in walk.states():
            states += 1
            await made.illegal((count - chaos) // STATES_MOST)
        assert STATES_LEAST <= states <= STATES_MOST
        await made.illegal(count - chaos - made.sent + 3)
        await made.chaos(chaos)
        made.faults += [json.dumps(crash) for crash in crashes(house)]
        made.faults += await unlike_its_journal(house, walk)
        return made


async def unlike_its_journal(house: House, walk: Walk) -> list[str]:
    """Stand the table up again from its journal: it must stand where it stands."""
    while True:
        await house.pit.books.idle()
        place = walk.table.place
        recalled = await house.pit.books.read(lambda view: recall(view, walk.id, rules_of))
        if walk.table.place is place:  # Otherwise the dealer went on meanwhile.
            same = recalled.standing == place.standing
            return [] if same else ["the table does not stand where its journal says"]


def check_storm(folder: Path, id: str, count: int) -> None:
    made = asyncio.run(storm(folder, id, count=count, chaos=CHAOS))
    print(f"{id}: {made.sent} messages, {dict(made.codes.most_common(12))}")
    assert made.faults == []
    assert made.sent >= count
    assert made.codes["done"] > 50 and len(made.codes) > 15


@each_book
def test_messages_that_are_wrong_change_nothing(id: str, tmp_path: Path) -> None:
    check_storm(tmp_path, id, MESSAGES // len(IDS))


@pytest.mark.long
@each_book
def test_many_messages_that_are_wrong_change_nothing(id: str, tmp_path: Path) -> None:
    check_storm(tmp_path, id, MANY_MESSAGES // len(IDS))


def test_a_refusal_is_the_same_each_time(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            walk = Walk(house, MARYLAND)
            await walk.come_in()
            made = Storm(walk, random.Random(3))
            (viewer, table), *_ = made.speakers()
            for sent in mutations.illegals(table, made.rng, 500):
                first = await answered(walk.table, viewer, sent.text)
                assert await answered(walk.table, viewer, sent.text) == first

    asyncio.run(main())


def test_messages_that_are_wrong_over_a_socket(tmp_path: Path) -> None:
    """Each is answered just once, in order, and the socket stays open."""

    async def main() -> None:
        async with open_house(tmp_path, table_toml(SINGAPORE)) as house:
            walk = Walk(house, SINGAPORE)
            await walk.come_in()
            sent = 0
            async for state in walk.states():
                if state not in ("bets", "asks 2", "over"):
                    continue
                made = Storm(walk, random.Random(state))
                number = walk.table.number
                (_, table), *_ = made.speakers()
                sent += await _flood(walk, table, made.rng)
                assert walk.table.number == number
            assert sent == ON_A_SOCKET // 3 * 3
            assert crashes(house) == []

    async def _flood(walk: Walk, table: Table, rng: random.Random) -> int:
        line, count = walk.lines["ann"], 0
        start = len(line.frames)
        for sent in mutations.illegals(table, rng, 10 * ON_A_SOCKET):
            if _fits(sent.text):
                count += 1
                await line.socket.send(sent.text)
                if count % 50 == 0:
                    await line.caught_up()
            if count == ON_A_SOCKET // 3:
                break
        await line.caught_up()
        said = [json.loads(frame) for frame in line.frames[start:]]
        answers = [one for one in said if one["type"] in ("done", "refused")]
        told = Counter(one["type"] for one in answers)
        assert told == {"refused": count, "done": count // 50 + 1}
        assert [fault for one in answers if (fault := fault_in(json.dumps(one)))] == []
        return count

    def _fits(text: str | bytes) -> bool:
        """Whether a socket can carry it: what is too long, it is closed for."""
        try:
            data = text.encode() if isinstance(text, str) else text
        except UnicodeEncodeError:
            return False
        return len(data) <= 16 * 1024

    asyncio.run(main())


# ---------------------------------------------------------------- states and messages

PASSED = {"bets", "staked"}


async def refusals(walk: Walk, state: str) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    """Yield what must be refused in a state: who says it, under which code, and what."""
    rules = walk.table.config.rules
    wager = next(iter(rules.wagers))
    option = next(iter(next(s for s in rules.steps.values() if s.option).option))
    seated = state != "empty"
    playing = state.startswith("asks") or state in ("reveal", "settle")
    yield "ann", "not_your_seat", {"type": "leave", "seat": 4}
    yield "ann", "not_your_seat", {"type": "ready", "seat": 4}
    yield "ann", "not_your_seat", {"type": "bet", "seat": 4, "wager": wager, "cents": 500}
    yield "bob", "not_your_seat", {"type": "choose", "seat": 2, "option": option}
    yield "bob", "not_your_seat", {"type": "take_down", "seat": 2, "wager": wager}
    yield "bob", "not_your_seat", {"type": "bank", "seat": 2, "funds": 50_000}
    yield "bob", "not_your_seat", {"type": "pass", "seat": 2}
    yield "ann", "no_such_seat", {"type": "sit", "seat": 99}
    round = walk.table.place.standing.in_play
    code = "not_your_seat" if not seated else "other_round" if round else "no_round"
    yield "ann", code, {"type": "contribute", "round": "x", "hash": "ab" * 32}
    code = "no_round" if not round else "bets_open" if round.at == 0 else "not_contributed"
    yield "ann", code, {"type": "reveal", "round": round.id if round else "x", "value": "x" * 32}
    if seated:
        code = "boxes_apart" if (rules.table.boxes_max or 1) > 1 else "too_many_boxes"
        yield "ann", code, {"type": "sit", "seat": 4}
    if seated and state not in PASSED:
        code = "no_round" if state in ("bank", "over") else "*"
        yield "ann", code, {"type": "bet", "seat": 2, "wager": wager, "cents": 500}
        yield "ann", code, {"type": "take_down", "seat": 2, "wager": wager}
    if seated and state != "asks 4":
        yield "bob", "*", {"type": "choose", "seat": 4, "option": option}
        yield "bob", "no_decision", {"type": "more_time"}
    if seated and state not in ("bank", "over"):
        yield "ann", "*", {"type": "bank", "seat": 2, "funds": 50_000}
        yield "ann", "*", {"type": "pass", "seat": 2}
    if playing:
        yield "ann", "hand_in_play", {"type": "leave", "seat": 2}


@each_book
def test_what_a_state_does_not_allow_is_refused(id: str, tmp_path: Path) -> None:
    async def main() -> Counter[str]:
        pairs: Counter[str] = Counter()
        async with open_house(tmp_path, table_toml(id)) as house:
            walk = Walk(house, id)
            await walk.come_in()
            watcher = await house.knock(walk.id)
            async for state in walk.states():
                standing, number = walk.table.place.standing, walk.table.number
                async for who, code, body in refusals(walk, state):
                    said = await walk.lines[who].ask(**body)
                    assert said["type"] == "refused", (state, who, body)
                    assert code in ("*", said["code"]), (state, who, body, said)
                    assert fault_in(json.dumps(said)) is None
                    pairs[f"{state} {body['type']}"] += 1
                    said = await watcher.ask(**body)
                    assert said["code"] == "not_signed_in"
                assert walk.table.place.standing is standing
                assert walk.table.number == number
            assert crashes(house) == []
        return pairs

    pairs = asyncio.run(main())
    assert len(pairs) > 50
    assert {pair.rpartition(" ")[2] for pair in pairs} == {*mutations.TYPES} - {"ping"}


# ---------------------------------------------------------------- mutants


def reads_loosely(patch: pytest.MonkeyPatch) -> None:
    """Takes floats, texts and truth for numbers."""
    numbers = {"seat", "cents", "funds", "hand"}

    def mutant(shape: Any, raw: dict[str, Any], at: Any) -> Any:
        loose = {key for key in numbers & raw.keys() if isinstance(raw[key], (bool, str, float))}
        return read(shape, raw | {key: int(raw[key]) for key in loose}, at)

    patch.setattr(messages, "read", mutant)


def takes_the_last_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(messages, "parse_message", json.loads)


def ignores_unknown_keys(patch: pytest.MonkeyPatch) -> None:

    def mutant(shape: Any, raw: dict[str, Any], at: Any) -> Any:
        known = {"id", "seat", "wager", "cents", "hand", "option", "funds"}
        return read(shape, {key: raw[key] for key in raw if key in known}, at)

    patch.setattr(messages, "read", mutant)


def forgets_whose_seat_it_is(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(players, "check_seat", lambda *_: None)


def trips_over_a_name(patch: pytest.MonkeyPatch) -> None:
    perform = players.perform

    def mutant(act: Any, message: Any, asking: Any) -> None:
        if isinstance(message, said.Bet):
            act.standing.table.rules.wagers[message.wager]
        perform(act, message, asking)

    patch.setattr(players, "perform", mutant)


@pytest.mark.parametrize(
    ("book", "mutant"),
    [
        (MARYLAND, reads_loosely),
        (MARYLAND, takes_the_last_key),
        (SINGAPORE, ignores_unknown_keys),
        (CALIFORNIA, forgets_whose_seat_it_is),
        (MARYLAND, trips_over_a_name),
    ],
)
def test_a_lax_reader_is_found(
    book: str,
    mutant: Callable[[pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> list[str]:
        async with open_house(tmp_path, table_toml(book), verifies=False) as house:
            walk = Walk(house, book)
            await walk.come_in()
            made = Storm(walk, random.Random(book))
            async for state in walk.states():
                if state == "staked":
                    mutant(monkeypatch)
                    await made.illegal(600)
                    return made.faults
        return []

    assert asyncio.run(main()) != []
