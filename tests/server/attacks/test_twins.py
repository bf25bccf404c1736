"""No card that is hidden changes a byte of what anybody is sent (C10, S1, T1-T4).

Each round is played again over real sockets, with decks that differ in cards only that somebody
has not seen by some moment. Until they see them, everything is the same: frames, pages, refusals,
headers, log lines, and the rows of the journal. A second tab of a player's is one of the viewers.
"""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.gallery import galleries, gallery
from croupier.gallery.frames import encode, refused
from croupier.gallery.gallery import Gallery
from croupier.gallery.scene import Scene, scene_of
from croupier.house.log import log
from croupier.house.now import Now
from croupier.house.table import Table
from croupier.server import talk
from croupier.server.pages import staff as staff_pages
from croupier.server.routes import tables as routes
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, each_book
from tests.server.attacks import twins
from tests.server.attacks.twins import ANN, BOB, SPECTATOR, Mutant, Run, differences, played

FRAMES_LEAST = 500


async def found(
    folder: Path,
    book: str,
    mutant: Mutant | None = None,
    *,
    many: bool = False,
    **how: bool,
) -> list[str]:
    """Play a round and its twins, and return what came out of them; a mutant is found at once."""
    run = await played(folder / "0", book, twins.first_deck(book), mutant=mutant, **how)
    out: list[str] = []
    for number, deck in enumerate(twins.twins(run, book, many=many), 1):
        twin = await played(folder / str(number), book, deck, mutant=mutant, **how)
        out += differences(run, twin)
        if mutant and out:
            break
    if not mutant:
        check_run(run)
        print(f"{book}: {number} twins, {sum(map(frames_of, run.moments))} frames each")
    return out


def frames_of(moment: twins.Moment) -> int:
    return sum(map(len, moment.said.values()))


def check_run(run: Run) -> None:
    """The run is one in which there was something to find."""
    labels = [m.label for m in run.moments if m.label != "bets are closed"]
    assert labels[:3] == ["bets are open", "bets are made", "dealt"]
    assert {"decide", "settle", "over"} - {"decide"} <= {*labels}
    dealt, last = next(m for m in run.moments if m.label == "dealt"), run.moments[-1]
    public = dealt.seen[SPECTATOR]
    assert dealt.seen[ANN] - public and dealt.seen[BOB] - public
    assert dealt.seen[ANN] & dealt.seen[BOB] == public
    assert len(last.seen[SPECTATOR]) > len(dealt.seen[SPECTATOR])
    assert sum(map(frames_of, run.moments)) > FRAMES_LEAST
    for moment in run.moments:
        assert all(moment.said[party] for party in (ANN, BOB, SPECTATOR, "auditor")), moment.label


@each_book
def test_nothing_hidden_gets_out(id: str, tmp_path: Path) -> None:
    assert asyncio.run(found(tmp_path, id)) == []


@each_book
def test_nothing_hidden_gets_out_where_a_dealer_deals(id: str, tmp_path: Path) -> None:
    assert asyncio.run(found(tmp_path, id, attended=True)) == []


@pytest.mark.parametrize("id", [MARYLAND, pytest.param(LET_IT_RIDE, marks=pytest.mark.long)])
def test_nothing_hidden_gets_out_of_a_deck_that_players_cut(id: str, tmp_path: Path) -> None:
    assert asyncio.run(found(tmp_path, id, cut=True)) == []


def test_nothing_hidden_gets_out_over_a_link_to_another_process(tmp_path: Path) -> None:
    """A process that doesn't have the table hears what its own visitors may know, and no more."""

    async def both() -> tuple[Run, Run]:
        run = await played(tmp_path / "0", MARYLAND, twins.first_deck(MARYLAND), far=True)
        dealt = next(moment for moment in run.moments if moment.label == "dealt")
        rng = random.Random("over a link")
        deck = twins.twin_of(run, {*dealt.seen[BOB]}, rng, book=MARYLAND)
        return run, await played(tmp_path / "1", MARYLAND, deck, far=True)

    run, twin = asyncio.run(both())
    check_run(run)
    assert list(differences(run, twin)) == []
    (mine, theirs) = (next(m for m in r.moments if m.label == "dealt") for r in (run, twin))
    parties = (ANN, BOB, SPECTATOR, *twins.STAFF)
    assert [party for party in parties if mine.said[party] != theirs.said[party]] == [ANN]


@pytest.mark.long
@each_book
def test_nothing_hidden_gets_out_at_more_moments(id: str, tmp_path: Path) -> None:
    assert asyncio.run(found(tmp_path, id, many=True)) == []


def test_decks_that_differ_in_the_open_differ(tmp_path: Path) -> None:
    """The runs are not the same by being about nothing: what ann sees, ann is told."""

    async def both() -> list[str]:
        deck = twins.first_deck(MARYLAND)
        run = await played(tmp_path / "0", MARYLAND, deck)
        twin = await played(tmp_path / "1", MARYLAND, (*deck[::-1],))
        for moment in (*run.moments, *twin.moments):
            moment.seen = dict.fromkeys(moment.seen, frozenset())
        return list(differences(run, twin))

    told = asyncio.run(both())
    assert any(line.startswith("ann, dealt") for line in told)
    assert any(line.startswith("spectator, over") for line in told)


def test_the_frame_of_own_cards_has_one_length() -> None:
    """Two characters a card: none of the 22,100 hands makes a longer frame."""
    frames = [
        encode({"type": "own", "v": 31, "own": dict(zip("024", map(str, hand), strict=True))})
        for hand in combinations(DECK, 3)
    ]
    assert len(frames) == 22_100
    assert len({len(frame.encode()) for frame in frames}) == 1
    assert {len(str(card).encode()) for card in DECK} == {2}


# ---------------------------------------------------------------- mutants


def deck_of(now: Now) -> tuple[Card, ...]:
    return now.deck.deck if now.deck else DECK


def patch_scene(patch: pytest.MonkeyPatch, change: Callable[[Now, Scene], Scene]) -> None:
    """Change what is shown of a table, on every way."""

    def mutant(now: Now, names: Any, last: Any = None) -> Scene:
        return change(now, scene_of(now, names, last))

    for module in (gallery, galleries):
        patch.setattr(module, "scene_of", mutant)


def qualifies_early(patch: pytest.MonkeyPatch) -> None:
    def change(now: Now, made: Scene) -> Scene:
        bank = tuple(made["places"].get("bank", ()))
        rules = now.standing.table.rules
        plays = bool(bank) and twins.plays(rules.rulebook, deck_of(now), bank)
        return {**made, "qualifies": plays}

    patch_scene(patch, change)


def sorts_the_bank(patch: pytest.MonkeyPatch) -> None:
    def change(now: Now, made: Scene) -> Scene:
        bank = sorted(made["places"].get("bank", ()), key=lambda p: deck_of(now)[p])
        return {**made, "places": {**made["places"], **({"bank": bank} if bank else {})}}

    patch_scene(patch, change)


def logs_a_card(patch: pytest.MonkeyPatch) -> None:
    def change(now: Now, made: Scene) -> Scene:
        log("dealt", card=str(deck_of(now)[40]))
        return made

    patch_scene(patch, change)


def shows_own_cards_to_watchers(patch: pytest.MonkeyPatch) -> None:
    own = Gallery.own

    def mutant(at: Gallery, player: str | None) -> dict[str, str]:
        present = sorted(viewer.player for viewer in at.viewers if viewer.player)
        return own(at, player or next(iter(present), None))

    patch.setattr(Gallery, "own", mutant)


def refuses_with_a_face(patch: pytest.MonkeyPatch) -> None:
    answer = talk.answer

    def mutant(table: Table, viewer: Any, text: Any, *, reply: Any, **more: Any) -> None:
        def blurt(frame: Any) -> None:
            said = json.loads(frame)
            if said["type"] == "refused":
                why = f"{said['message']}, for the {deck_of(table.current())[-1]} is last"
                frame = refused(said["id"], Refused(said["code"], why))
            reply(frame)

        answer(table, viewer, text, reply=blurt, **more)

    patch.setattr(talk, "answer", mutant)


def pads_a_frame(patch: pytest.MonkeyPatch) -> None:
    """No face is named, but frames are longer while an ace lies at the bottom."""

    def mutant(message: Any) -> str:
        return encode(message) + " " * (PADDED.get("deck", DECK)[-1].rank)

    def noted(now: Now, made: Scene) -> Scene:
        PADDED["deck"] = deck_of(now)
        return made

    patch_scene(patch, noted)
    patch.setattr(gallery, "encode", mutant)


PADDED: dict[str, tuple[Card, ...]] = {}


def tells_auditors_more(patch: pytest.MonkeyPatch) -> None:
    moved = routes.moved_of

    def mutant(row: Any) -> Any:
        return moved(row).model_copy(update={"code": str(PEEKED[-1])})

    def noted(now: Now, made: Scene) -> Scene:
        PEEKED[:] = deck_of(now)
        return made

    patch_scene(patch, noted)
    patch.setattr(routes, "moved_of", mutant)


PEEKED: list[Card] = list(DECK)


@pytest.mark.parametrize(
    ("book", "mutant"),
    [
        (MARYLAND, qualifies_early),
        # It is on the same way out as the first one.
        pytest.param(FLORIDA, sorts_the_bank, marks=pytest.mark.long),
        (LET_IT_RIDE, logs_a_card),
        (CALIFORNIA, shows_own_cards_to_watchers),
        (SINGAPORE, refuses_with_a_face),
        (SINGAPORE, pads_a_frame),
        (FLORIDA, tells_auditors_more),
    ],
)
def test_a_leak_is_found(book: str, mutant: Mutant, tmp_path: Path) -> None:
    assert asyncio.run(found(tmp_path, book, mutant)) != []


def shows_a_rank_in_the_pit(patch: pytest.MonkeyPatch, seen: dict[str, Now]) -> None:
    facts = staff_pages.pit_facts  # type: ignore[attr-defined]

    def mutant(id: str, *rest: Any) -> dict[str, Any]:
        found = facts(id, *rest)
        return {**found, "deck": deck_of(seen[id])[-1].rank} if id in seen else found

    patch.setattr(staff_pages, "pit_facts", mutant)


def proposes_a_recall_with_its_cards(patch: pytest.MonkeyPatch, seen: dict[str, Now]) -> None:
    asked = staff_pages.requests_of  # type: ignore[attr-defined]

    def mutant(row: Any, *rest: Any) -> Iterator[dict[str, Any]]:
        for one in asked(row, *rest):
            now = seen[row["table"]]
            box = now.standing.round.boxes[twins.SEATS[BOB]] if now.standing.round else None
            cards = [str(deck_of(now)[at]) for at in box.cards] if box else []
            yield {**one, "why": " ".join([one["why"], *cards])}

    patch.setattr(staff_pages, "requests_of", mutant)


@pytest.mark.parametrize("leak", [shows_a_rank_in_the_pit, proposes_a_recall_with_its_cards])
def test_a_leak_on_a_page_of_the_staff_is_found(leak: Any, tmp_path: Path) -> None:
    def mutant(patch: pytest.MonkeyPatch) -> None:
        seen: dict[str, Now] = {}
        current = Table.current

        def noted(table: Table) -> Now:
            seen[table.id] = current(table)
            return seen[table.id]

        patch.setattr(Table, "current", noted)
        leak(patch, seen)

    assert asyncio.run(found(tmp_path, CALIFORNIA, mutant, attended=True)) != []
