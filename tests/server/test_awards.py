"""Awards that wait for the floor (S11, P7): released once, by the right people."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.house import awards, dealer
from croupier.ledger.accounts import account
from croupier.ledger.awards import Award
from croupier.ledger.events import AwardProposed
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.server.people import AGAIN_S
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import PASSWORD, House, Visitor, open_house, table_toml
from tests.server.test_staff import Enough, again, code_of

FIRST = "maryland-1"
AWARD = f"{FIRST}/1/progressive"
MICROS = 1_000_140_000
METER = account("meter", "maryland/progressive")
PENDING = account("pending", AWARD)
Scene = Callable[[House], Awaitable[None]]


@pytest.fixture(autouse=True)
def best_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    deal_the_best(monkeypatch)


def deal_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal the hand that takes the whole meter."""
    best = parse_cards("As 2h Ks 3h Qs 4d")  # Cards go to the seat and the dealer in turn.

    def stacked(_: Callable[[int], bytes]) -> tuple[Card, ...]:
        return (*best, *(card for card in DECK if card not in best))

    monkeypatch.setattr(dealer, "shuffled", stacked)
    monkeypatch.setattr(dealer, "cut", lambda cards, _: cards)


def toml(more: str) -> str:
    return table_toml(MARYLAND).replace("practice = true\n", f"practice = true\n{more}\n")


def run(folder: Path, more: str, *scenes: Scene, sound: bool = True) -> None:
    """Play scenes on one ledger, the house closed and opened again between them."""

    async def main() -> None:
        for scene in scenes:
            async with open_house(folder, toml(more)) as house:
                await scene(house)

    if sound:
        asyncio.run(main())
        return
    with pytest.raises(AssertionError):
        asyncio.run(main())


async def win(house: House) -> None:
    """Let Ann win the meter, after which the next round opens."""
    for name, role in (("Flo Ash", "floor"), ("Sue Ash", "surveillance"), ("Fay Ash", "floor")):
        await house.person(name, role)
    ann = await house.person("Ann Ash")
    line = await ann.line("maryland")
    await line.do("sit", seat=1)
    await house.until_phase("maryland", "bets")
    await line.do("bet", seat=1, wagers={"ante": 500, "progressive": 100})
    await line.do("ready", seat=1)
    await house.until_phase("maryland", "decide")
    await line.do("choose", seat=1, option="play")
    while house.table("maryland").place.standing.round.id == FIRST:  # type: ignore[union-attr]
        await house.dealt("maryland")
    assert held(house) == {PENDING: MICROS, METER: 1_000_000_000}, "and the next round is open"


def held(house: House) -> dict[str, int]:
    balances = house.pit.books.balances()
    return {one: balances.get(one, 0) for one in (PENDING, METER)}


async def comes(house: House, name: str) -> Visitor:
    one = house.visitor()
    assert (await one.post("/api/sign-in", name=name, password=PASSWORD)).status_code == 200
    one.id = (await one.http.get("/api/me")).json()["person"]["id"]
    return one


async def purse(house: House) -> int:
    ann = await comes(house, "Ann Ash")
    return int((await ann.http.get("/api/purse")).json()["cents"])


async def seen_by_ann(house: House) -> list[str]:
    ann = await comes(house, "Ann Ash")
    page = (await ann.http.get("/account")).text
    pending = (await ann.http.get("/account.json")).json()["pending"]
    assert ("waiting for the floor" in page) == bool(pending)
    return [one["dollars"] for one in pending]


def test_one_floorperson_validates_and_the_player_has_it(tmp_path: Path) -> None:
    before: list[int] = []

    async def wait(house: House) -> None:
        await win(house)
        before.append(await purse(house))
        assert await seen_by_ann(house) == ["1000.14"]

    async def validate(house: House) -> None:
        assert await seen_by_ann(house) == ["1000.14"]
        flo = await comes(house, "Flo Ash")
        [one] = (await flo.http.get("/api/awards")).json()["awards"]
        assert (one["award"], one["two_people"], one["table"]) == (AWARD, False, "maryland")
        said = await flo.post("/api/awards/validate", award=AWARD)
        assert said.json() == {"awards": []}
        assert await purse(house) == before[0] + 1_000_14
        assert code_of(await flo.post("/api/awards/validate", award=AWARD)) == "no_such_award"

    async def look(house: House) -> None:
        assert await seen_by_ann(house) == [] and held(house)[PENDING] == 0
        assert await purse(house) == before[0] + 1_000_14

    run(tmp_path, "validated = 500", wait, validate, look)


def killed(folder: Path, *, stored: bool) -> None:
    """Be killed while a floorperson validates: before or after it is stored."""
    patch, committed = pytest.MonkeyPatch(), SqliteStore.committed
    deal_the_best(patch)

    def dies(store: SqliteStore, results: list[Any]) -> list[Any]:
        if stored:
            committed(store, results)
        os.kill(os.getpid(), signal.SIGKILL)
        return results

    async def validate(house: House) -> None:
        await win(house)
        (folder / "purse").write_text(str(await purse(house)))
        flo = await comes(house, "Flo Ash")
        patch.setattr(SqliteStore, "committed", dies)
        await flo.post("/api/awards/validate", award=AWARD)

    run(folder, "validated = 500", validate)


@pytest.mark.parametrize("stored", [False, True])
def test_a_server_killed_while_it_is_asked_to_validate_pays_once(
    tmp_path: Path, stored: bool
) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    child = processes.Process(target=killed, args=(tmp_path,), kwargs={"stored": stored})
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    before = int((tmp_path / "purse").read_text())

    async def go_on(house: House) -> None:
        assert held(house)[PENDING] == (0 if stored else MICROS)
        assert await seen_by_ann(house) == ([] if stored else ["1000.14"])
        flo = await comes(house, "Flo Ash")
        said = await flo.post("/api/awards/validate", award=AWARD)
        assert (said.status_code == 200) != stored
        assert await purse(house) == before + 1_000_14 and held(house)[PENDING] == 0

    run(tmp_path, "validated = 500", go_on)


def test_two_people_validate_from_witnessed_up(tmp_path: Path) -> None:
    async def propose(house: House) -> None:
        await win(house)
        flo = await comes(house, "Flo Ash")
        [one] = (await flo.post("/api/awards/validate", award=AWARD)).json()["awards"]
        assert one["proposal"] == {"does": "validate", "by": flo.id, "why": ""}
        assert held(house)[PENDING] == MICROS

    async def decline(house: House) -> None:
        sue = await comes(house, "Sue Ash")
        said = await sue.post("/api/awards/decline", award=AWARD, why="look at the tape first")
        assert said.json()["awards"][0]["proposal"] is None and held(house)[PENDING] == MICROS

    async def approve(house: House) -> None:
        sue, flo = await comes(house, "Sue Ash"), await comes(house, "Flo Ash")
        await flo.post("/api/awards/validate", award=AWARD)
        answer = await sue.post("/api/awards/approve", award=AWARD, again=await again(sue))
        assert answer.json() == {"awards": []} and held(house)[PENDING] == 0

    run(tmp_path, "validated = 500\nwitnessed = 1000.14", propose, decline, propose_again, approve)


async def propose_again(house: House) -> None:
    """A proposal stands until it is answered, whatever is restarted."""
    flo = await comes(house, "Flo Ash")
    await flo.post("/api/awards/validate", award=AWARD)
    assert code_of(await flo.post("/api/awards/validate", award=AWARD)) == "proposal_open"
    await flo.post("/api/awards/decline", award=AWARD, why="withdrawn")


def test_two_people_reject_and_the_meter_has_it_again(tmp_path: Path) -> None:
    async def propose(house: House) -> None:
        await win(house)
        flo = await comes(house, "Flo Ash")
        said = await flo.post("/api/awards/reject", award=AWARD, why="the deck was short")
        assert said.json()["awards"][0]["proposal"]["does"] == "reject"

    async def approve(house: House) -> None:
        sue = await comes(house, "Sue Ash")
        before = await purse(house)
        answer = await sue.post("/api/awards/approve", award=AWARD, again=await again(sue))
        assert answer.status_code == 200, answer.text
        assert held(house) == {PENDING: 0, METER: MICROS}, "as if it had never been won"
        assert await purse(house) == before

    run(tmp_path, "validated = 500", propose, approve)


TEETH = {
    "same person": "same_person",
    "same session": "same_session",
    "the floorperson who proposed it": "not_allowed",
    "a floorperson where there is surveillance": "not_allowed",
    "no password": "password_again",
    "old password": "password_again",
    "seated": "plays_here",
    "their own": "plays_here",
    "nothing proposed": "no_such_proposal",
    "sent twice": "no_such_award",
    "proposed by somebody dismissed": "changed",
}


async def answered(house: House, how: str, patch: pytest.MonkeyPatch) -> str:
    """Approve what was proposed in a way that must be refused, and return the refusal's code."""
    await win(house)
    flo, sue = await comes(house, "Flo Ash"), await comes(house, "Sue Ash")
    by, token = sue, ""
    if how != "nothing proposed":
        await flo.post("/api/awards/reject", award=AWARD, why="x")
    match how:
        case "same person":
            # In a role that approves, so that only the person tells.
            await house.people.set_roles(flo.id, ["surveillance"])
            by = await comes(house, "Flo Ash")
        case "same session":
            one = await house.people.sessions.signed_in(sue.cookie.partition("=")[2])
            assert one is not None
            patch.setattr(AwardProposed, "session", one.session.hex())
        case "the floorperson who proposed it":
            by = flo
        case "a floorperson where there is surveillance":
            by = await comes(house, "Fay Ash")
        case "no password":
            token = "x"
        case "old password":
            token = await again(sue)
            house.hands.people_s += AGAIN_S
        case "seated":
            await house.people.set_roles(sue.id, ["player"])
            sitting = await comes(house, "Sue Ash")
            await (await sitting.line("maryland")).do("sit", seat=3)
            # Otherwise the seat is freed within a second, because she isn't a player any more.
            house.pit.acts.listeners.remove(house.pit.seats.hear)
            await house.people.set_roles(sue.id, ["surveillance"])
            by = await comes(house, "Sue Ash")
        case "their own":
            ann = await comes(house, "Ann Ash")
            await house.people.set_roles(ann.id, ["surveillance"])
            by = await comes(house, "Ann Ash")
        case "proposed by somebody dismissed":
            await house.people.set_roles(flo.id, [])
            await house.pit.acts.look()
        case "sent twice":
            await sue.post("/api/awards/approve", award=AWARD, again=await again(sue))
    before = held(house)
    token = token or await again(by)
    code = code_of(await by.post("/api/awards/approve", award=AWARD, again=token))
    if code:
        assert held(house) == before, "what was refused did something"
    return code


@pytest.mark.parametrize("how", TEETH)
def test_an_approval_that_is_no_second_persons_is_refused(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []

    async def approve(house: House) -> None:
        with monkeypatch.context() as patch:
            codes.append(await answered(house, how, patch))

    run(tmp_path, "validated = 500", approve)
    assert codes == [TEETH[how]]


LEFT_OUT: dict[str, tuple[str, ...]] = {
    "croupier.house.awards._check_second": ("same person", "same session"),
    "croupier.server.routes.awards._check_second": (
        *("the floorperson who proposed it", "a floorperson where there is surveillance"),
    ),
    "croupier.server.routes.awards.check_away": ("seated", "their own"),
    "croupier.server.people.People.use_again": ("no password", "old password"),
}


@pytest.mark.parametrize(
    ("check", "how"), [(check, how) for check, hows in LEFT_OUT.items() for how in hows]
)
def test_a_check_that_is_left_out_is_missed(
    tmp_path: Path, check: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the check, the same approval isn't refused so: the test above would fail."""
    codes: list[str] = []

    async def approve(house: House) -> None:
        with monkeypatch.context() as patch:
            is_async = check.endswith(("use_again", "routes.awards._check_second"))
            patch.setattr(check, AsyncMock() if is_async else lambda *_: None)
            codes.append(await answered(house, how, patch))
        raise Enough

    with pytest.raises(Enough):
        run(tmp_path, "validated = 500", approve)
    assert codes and codes != [TEETH[how]]


def test_another_floorperson_approves_where_there_is_no_surveillance(tmp_path: Path) -> None:
    async def approve(house: House) -> None:
        await win(house)
        sue, flo = await comes(house, "Sue Ash"), await comes(house, "Flo Ash")
        await house.people.set_roles(sue.id, [])
        await flo.post("/api/awards/reject", award=AWARD, why="x")
        own = await flo.post("/api/awards/approve", award=AWARD, again=await again(flo))
        assert code_of(own) == "same_person"
        fay = await comes(house, "Fay Ash")
        answer = await fay.post("/api/awards/approve", award=AWARD, again=await again(fay))
        assert answer.status_code == 200, answer.text

    run(tmp_path, "validated = 500", approve)


@pytest.mark.parametrize("how", ["alone", "to another player", "twice the reset"])
def test_verify_finds_an_award_that_was_released_wrongly(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The house's own check at the end of each scene fails: validation skipped is found."""
    changes: dict[str, dict[str, object]] = {
        "alone": {"needs_two": False},
        "to another player": {"player": "p-aaaaaaaaaa", "needs_two": False},
        "twice the reset": {"reset_micros": 10},
    }
    faults: list[str] = []

    async def release(house: House) -> None:
        await win(house)
        flo, sue = await comes(house, "Flo Ash"), await comes(house, "Sue Ash")
        decided = awards.validated if how != "twice the reset" else awards.rejected

        def wrong(award: Award, *rest: object, **more: object) -> object:
            return decided(award._replace(**changes[how]), *rest, **more)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr("croupier.server.routes.awards.validated", wrong)
            if how == "twice the reset":
                await flo.post("/api/awards/reject", award=AWARD, why="x")
                patch.setattr("croupier.server.routes.awards.find_award", _other(house))
                await sue.post("/api/awards/approve", award=AWARD, again=await again(sue))
            else:
                await flo.post("/api/awards/validate", award=AWARD)
        assert held(house)[PENDING] == 0
        faults.extend((await house.verified()).faults)

    run(tmp_path, "validated = 500\nwitnessed = 1000", release, sound=False)
    assert any(AWARD in fault for fault in faults), faults


def _other(house: House) -> object:
    from croupier.server.routes import awards as routes

    found = routes.find_award

    async def other(pit: object, id: str) -> Award:
        return (await found(house.pit, id))._replace(reset_micros=10)

    return other


def test_an_auditor_answers_an_award_on_the_page_of_audit_if_the_house_says_so(
    tmp_path: Path,
) -> None:
    async def approve(house: House, *, may: bool) -> None:
        await win(house)
        flo, aud = await comes(house, "Flo Ash"), await house.person("Aud Ash", "auditor")
        await flo.post("/api/awards/reject", award=AWARD, why="the deck was short")
        seen = (await aud.http.get("/audit.json")).json()["awards"]
        page = (await aud.http.get("/audit", headers={"accept": "text/html"})).text
        assert [one["award"] for one in seen] == ([AWARD] if may else [])
        assert ("Flo Ash proposes to reject it: the deck was short." in page) == may
        said = await aud.post("/api/awards/approve", award=AWARD, again=await again(aud))
        assert code_of(said) == ("" if may else "not_allowed")

    async def main() -> None:
        for folder, says in (("a", '[approvers]\naward = ["auditor"]\n'), ("b", "")):
            (tmp_path / folder).mkdir()
            async with open_house(tmp_path / folder, says + toml("validated = 500")) as house:
                await approve(house, may=bool(says))

    asyncio.run(main())
