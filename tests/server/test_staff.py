"""Staff come by one-time link and with a second person's approval; every check of it bites (S5)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from croupier.house.build import BuildState
from croupier.house.config import TableConfig
from croupier.house.folder import opened_house
from croupier.ledger.acts import HOUSE_STREAM, HouseAct, Proposed, RoleGiven, TableOpened, acts_in
from croupier.ledger.stores.jotting import jot
from croupier.server import registry, staff
from croupier.server.passwords import Passwords
from croupier.server.people import AGAIN_S, People
from tests.cli.running import run as ran_command
from tests.rules.books import LET_IT_RIDE, MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks.houses import (
    PASSWORD,
    House,
    Visitor,
    crashes,
    open_house,
    table_toml,
)
from tests.server.doors import CHEAP

TABLE = table_toml(MARYLAND)
APPROVE = "croupier approve-build --data FOLDER"
Scene = Callable[[House], Awaitable[None]]


def run(folder: Path, *scenes: Scene) -> None:
    async def main() -> None:
        for scene in scenes:
            async with open_house(folder, TABLE) as house:
                await scene(house)
                assert crashes(house) == []

    asyncio.run(main())


def acts(house: House) -> list[HouseAct]:
    with house.pit.books.store.reading() as view:
        return [act for _, act in acts_in(view.stream(HOUSE_STREAM))]


def names_of(found: list[HouseAct]) -> list[str]:
    return [type(act).__name__ for act in found]


def code_of(answer: httpx.Response) -> str:
    return "" if answer.status_code == 200 else str(answer.json()["error"]["code"])


async def again(who: Visitor) -> str:
    answer = await who.post("/api/again", password=PASSWORD)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["again"])


async def proposed(house: House) -> tuple[Visitor, Visitor, dict[str, Any]]:
    """Return two operators, and what the first has proposed: a new floorperson."""
    boss, other = await house.person("Boss Ash", "operator"), await house.person("Other Ash")
    assert (await boss.post(f"/api/people/{other.id}/roles", roles=["operator"])).status_code == 200
    await other.post("/api/sign-in", name="Other Ash", password=PASSWORD)
    made = await boss.post("/api/staff", name="Flo Ash", roles=["floor"], why="pit 1")
    assert made.status_code == 200, made.text
    return boss, other, made.json()


def test_staff_come_by_a_link_and_work_after_a_second_person_has_approved(tmp_path: Path) -> None:
    async def appoint(house: House) -> None:
        boss, other, made = await proposed(house)
        assert made["proposal"]["preview"] == "Flo Ash: no role becomes floor"
        staff = (await boss.http.get("/house.json")).json()["staff"]
        assert [one["roles"] for one in staff if one["name"] == "Flo Ash"] == [[]]
        page = (await boss.http.get("/house", headers={"accept": "text/html"})).text
        assert f'"/api/staff/{made["person"]["id"]}/link"' in page
        flo, link = house.visitor(), made["link"].removeprefix("/staff?link=")
        assert code_of(await flo.post("/api/staff/enter", link=link, password="short")) != ""
        answer = await flo.post("/api/staff/enter", link=link, password=PASSWORD)
        assert answer.json()["person"]["roles"] == [], "nobody has approved yet"
        used = await house.visitor().post("/api/staff/enter", link=link, password=PASSWORD)
        assert code_of(used) == "bad_link"
        id = made["proposal"]["id"]
        said = await other.post(f"/api/proposals/{id}/approve", again=await again(other))
        assert said.status_code == 200 and said.json()["proposals"] == []
        assert (await flo.http.get("/api/me")).json()["person"] is None, "new rights, new session"
        answer = await flo.post("/api/sign-in", name="Flo Ash", password=PASSWORD)
        assert answer.json()["person"]["roles"] == ["floor"]
        last = acts(house)[-2:]
        assert names_of(last) == ["Approved", "RolesSet"]
        assert tuple(last[1]) == (made["person"]["id"], ("floor",), boss.id, other.id)

    run(tmp_path, appoint)


TEETH: dict[str, str] = {
    "same person": "same_person",
    "same session": "same_session",
    "wrong role": "not_allowed",
    "no password": "password_again",
    "old password": "password_again",
    "password of another session": "password_again",
    "about oneself": "oneself",
    "lapsed": "lapsed",
    "changed": "changed",
    "proposer is no operator any more": "changed",
    "proposer is disabled": "changed",
    "sent twice": "no_such_proposal",
    "withdrawn": "no_such_proposal",
    "declined": "no_such_proposal",
}


async def answered(house: House, how: str, patch: pytest.MonkeyPatch) -> str:
    """Approve a proposal in a way that must be refused, and return the refusal's code."""
    boss, other, made = await proposed(house)
    id, flo = made["proposal"]["id"], made["person"]["id"]
    by, token = other, ""
    match how:
        case "same person":
            by = boss
        case "same session":
            patch.setattr(Proposed, "session", await _session(house, other))
        case "wrong role":
            by = await house.person("Dee Ash", "dealer")
        case "no password":
            token = "x"
        case "old password":
            token = await again(other)
            house.hands.people_s += AGAIN_S
        case "password of another session":
            token = await again(other)
            await other.post("/api/sign-in", name="Other Ash", password=PASSWORD)
        case "about oneself":
            patch.setattr(staff, "_about", lambda _: other.id)
        case "lapsed":
            house.hands.people_s += staff.LAPSE_MS / 1000
            await other.post("/api/sign-in", name="Other Ash", password=PASSWORD)
        case "changed":
            await house.people.set_roles(flo, ["player"])
        case "proposer is no operator any more":
            await house.people.set_roles(boss.id, ["player"])
        case "proposer is disabled":
            await house.people.disable(boss.id, disabled=True)
        case "sent twice":
            first = await other.post(f"/api/proposals/{id}/approve", again=await again(other))
            assert first.status_code == 200
        case "withdrawn":
            await boss.post(f"/api/proposals/{id}/withdraw")
        case "declined":
            said = await other.post(f"/api/proposals/{id}/decline", why="not needed")
            assert said.status_code == 200
    before = [act for act in acts(house) if type(act).__name__ == "Approved"]
    token = token or await again(by)
    answer = await by.http.post(f"/api/proposals/{id}/approve", json={"again": token})
    after = [act for act in acts(house) if type(act).__name__ == "Approved"]
    if answer.status_code != 200:
        assert before == after, "what was refused did something"
    return code_of(answer)


async def _session(house: House, who: Visitor) -> str:
    one = await house.people.sessions.signed_in(who.cookie.partition("=")[2])
    assert one is not None
    return one.session.hex()


@pytest.mark.parametrize("how", TEETH)
def test_an_approval_that_is_no_second_persons_is_refused(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []

    async def approve(house: House) -> None:
        codes.append(await answered(house, how, monkeypatch))
        monkeypatch.undo()

    run(tmp_path, approve)
    assert codes == [TEETH[how]]


NOTHING_CHECKED: dict[str, tuple[str, ...]] = {
    "_check_second": ("same person", "same session", "about oneself"),
    "_has_lapsed": ("lapsed",),
    "_preview": ("changed",),
}


@pytest.mark.parametrize(
    ("left_out", "how"), [(name, how) for name, hows in NOTHING_CHECKED.items() for how in hows]
)
def test_a_check_that_is_left_out_is_missed(
    tmp_path: Path, left_out: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the check, the same approval goes through: the test above would fail."""

    async def main() -> None:
        async with open_house(tmp_path / "h", TABLE) as house:
            with monkeypatch.context() as patch:
                if left_out == "_has_lapsed":
                    patch.setattr(staff.Staff, left_out, lambda *_: False)
                else:
                    patch.setattr(staff, left_out, lambda *_: "")
                    patch.setattr(Proposed, "preview", "", raising=False)
                assert await answered(house, how, patch) != TEETH[how]
            raise Enough

    (tmp_path / "h").mkdir()
    with pytest.raises(Enough):
        asyncio.run(main())


class Enough(Exception):
    """The journal of a mutant need not verify."""


def test_verify_finds_an_approval_that_was_none(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, TABLE) as house:
            boss, _, made = await proposed(house)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(staff, "_check_second", lambda *_: None)
                id = made["proposal"]["id"]
                said = await boss.post(f"/api/proposals/{id}/approve", again=await again(boss))
                assert said.status_code == 200
            found = await house.verified()
            assert any("answered their own proposal" in fault for fault in found.faults)
            raise Enough

    with pytest.raises(Enough):
        asyncio.run(main())


def test_one_operator_appoints_alone_only_while_nobody_else_could_approve(tmp_path: Path) -> None:
    async def alone(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        first = await boss.post("/api/staff", name="Aud Ash", roles=["auditor"])
        assert first.json()["proposal"] is None and first.json()["person"]["roles"] == ["auditor"]
        aud = first.json()["person"]["id"]
        # Somebody who is disabled still counts, or an operator could get rid of them first.
        await boss.post(f"/api/people/{aud}/disable", disabled=True)
        second = await boss.post("/api/staff", name="Dee Ash", roles=["dealer"])
        assert second.json()["proposal"] and second.json()["person"]["roles"] == []
        twice = await boss.post(
            f"/api/people/{second.json()['person']['id']}/roles", roles=["floor"]
        )
        assert code_of(twice) == "proposal_open"
        # Nor can their role be taken away, and then be given to somebody who does as told.
        taken = await boss.post(f"/api/people/{aud}/roles", roles=["player"])
        assert code_of(taken) == "not_allowed" and "only other person" in taken.text
        found = await house.verified()
        assert "1 staff role was given by one person alone" in " ".join(found.unproved)

    run(tmp_path, alone)


def test_taking_a_role_away_works_at_once(tmp_path: Path) -> None:
    async def take(house: House) -> None:
        boss, _, _ = await proposed(house)
        dee = await house.person("Dee Ash", "dealer", "player")
        said = await boss.post(f"/api/people/{dee.id}/roles", roles=["player"])
        assert said.json()["person"]["roles"] == ["player"] and said.json()["proposal"] is None
        assert (await dee.http.get("/api/me")).json()["person"] is None

    run(tmp_path, take)


def test_the_operator_learns_how_to_approve_a_build(tmp_path: Path) -> None:
    async def look(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        for approved in (None, "d1"):
            house.pit.closed.build = BuildState("d1", approved)
            shown = (await boss.http.get("/house")).text
            assert (APPROVE in shown) == (approved is None)
            assert (await boss.http.get("/house.json")).json()["build"] in shown

    run(tmp_path, look)


def test_an_auditor_sees_what_lapsed_and_whose_it_was(tmp_path: Path) -> None:
    async def lapse(house: House) -> None:
        boss, _, made = await proposed(house)
        house.hands.people_s += staff.LAPSE_MS / 1000
        other = house.visitor()
        await other.post("/api/sign-in", name="Other Ash", password=PASSWORD)
        id, token = made["proposal"]["id"], await again(other)
        late = await other.post(f"/api/proposals/{id}/approve", again=token)
        assert code_of(late) == "lapsed"
        aud = await house.person("Aud Ash", "auditor")
        found = (await aud.http.get("/audit.json", params={"act": "lapsed"})).json()
        assert faults("audit", found) == []
        (row,) = found["acts"]
        said = "Flo Ash: no role becomes floor: pit 1"
        assert (row["says"], row["persons"], row["proposer"]) == (said, [], boss.id)
        page = (await aud.http.get("/audit", params={"person": "Boss Ash"})).text
        assert f"Lapsed: {said}</th><td>the house (proposed by Boss Ash)</td>" in page

    run(tmp_path, lapse)


def test_proposals_survive_a_restart(tmp_path: Path) -> None:
    ids: list[str] = []

    async def propose(house: House) -> None:
        ids.append((await proposed(house))[2]["proposal"]["id"])

    async def approve(house: House) -> None:
        other = house.visitor()
        await other.post("/api/sign-in", name="Other Ash", password=PASSWORD)
        waiting = (await other.http.get("/api/staff")).json()["proposals"]
        assert [(one["id"], one["by_name"]) for one in waiting] == [(ids[0], "Boss Ash")]
        said = await other.post(f"/api/proposals/{ids[0]}/approve", again=await again(other))
        assert said.status_code == 200

    run(tmp_path, propose, approve)


def test_a_link_that_was_lost_is_made_again_and_none_for_an_account(tmp_path: Path) -> None:
    async def lose(house: House) -> None:
        boss, other, made = await proposed(house)
        id = made["person"]["id"]
        answer = await boss.post(f"/api/staff/{id}/link")
        link = answer.json()["link"].removeprefix("/staff?link=")
        flo = house.visitor()
        assert (await flo.http.get(answer.json()["link"])).status_code == 200
        entered = await flo.post("/api/staff/enter", link=link, password=PASSWORD)
        assert entered.status_code == 200
        for one in (id, other.id):
            assert code_of(await boss.post(f"/api/staff/{one}/link")) == "has_password"
        printed = house.people.operator_link()
        wrong = await house.visitor().post("/api/staff/enter", link=printed, password=PASSWORD)
        assert code_of(wrong) == "bad_link", "the operator's link sets nobody's password"

    run(tmp_path, lose)


@pytest.mark.parametrize("roles", [None, []])
def test_no_link_takes_a_guest_over(tmp_path: Path, roles: list[str] | None) -> None:
    """Entering by a link gives a person's purse, so guests get none, with or without roles."""

    async def take_over(house: House) -> None:
        boss, guest = await house.person("Boss Ash", "operator"), house.visitor()
        id = (await guest.post("/api/guest")).json()["person"]["id"]
        if roles is not None:
            await boss.post(f"/api/people/{id}/roles", roles=roles)
        said = await boss.post(f"/api/staff/{id}/link")
        assert code_of(said) == "not_allowed"
        printed = await house.people.use_link(house.people.operator_link())
        said = await boss.post(f"/api/staff/{printed.signed_in.person.id}/link")
        assert code_of(said) == "not_allowed"

    run(tmp_path, take_over)


def test_the_first_password_ends_what_sessions_there_were(tmp_path: Path) -> None:
    async def enter(house: House) -> None:
        guest = house.visitor()
        id = (await guest.post("/api/guest")).json()["person"]["id"]
        link = await house.people.give_link(id)
        assert (
            await house.visitor().post("/api/staff/enter", link=link, password=PASSWORD)
        ).is_success
        assert (await guest.http.get("/api/me")).json()["person"] is None

    run(tmp_path, enter)


NEW = f'[[table]]\nid = "new"\nrulebook = "{MARYLAND}"\nvalidated = 10\n'
NEW += '[table.selections]\nprogressive = "A"\nprogressive_initial = 999999\n'


def test_a_second_person_approves_a_new_table(tmp_path: Path) -> None:
    """S5: a table brings meters and thresholds, so nobody opens one alone."""

    async def main() -> None:
        async with open_house(tmp_path, TABLE) as house:
            boss, other, _ = await proposed(house)
            made = (await boss.post("/api/tables", table=NEW)).json()
            said = made["proposal"]["preview"]
            assert said.startswith("A new table new, Three Card Poker, Maryland, by maryland-")
            starts = "the meter new/progressive starts at $999999.00; awards wait from $10.00"
            assert said.endswith(starts)
            assert "new" not in house.pit.tables and made["proposal"]["table"] == NEW
            assert code_of(await boss.post("/api/tables", table=NEW)) == "proposal_open"
            id = made["proposal"]["id"]
            own = await boss.post(f"/api/proposals/{id}/approve", again=await again(boss))
            assert code_of(own) == "same_person"
            page = await other.http.get("/house", headers={"accept": "text/html"})
            assert "progressive_initial = 999999" in page.text
            done = await other.post(f"/api/proposals/{id}/approve", again=await again(other))
            assert done.status_code == 200 and "new" in house.pit.tables, done.text
            held = {str(of): micros for of, micros in house.pit.books.balances().items()}
            assert held["meter:new/progressive"] == 999_999_000_000
            last = [act for act in acts(house) if isinstance(act, TableOpened)]
            assert (last[0].by, last[0].approved_by) == (boss.id, other.id)
            assert "opened by one person" not in " ".join((await house.verified()).unproved)
        async with open_house(tmp_path, TABLE) as house:
            assert "new" in house.pit.tables

    asyncio.run(main())


def test_a_table_that_opened_with_what_cannot_apply_stays_open(tmp_path: Path) -> None:
    """10.H: no table opens so any more, but the rounds of one that did have to end."""
    text = f'[[table]]\nid = "old"\nrulebook = "{LET_IT_RIDE}"\n'
    text += "[table.selections]\ncommunity_stack = 3\n"

    async def main() -> None:
        async with open_house(tmp_path, TABLE) as house:
            boss = await house.person("Boss Ash", "operator")
            await house.pit.acts.store(TableOpened("old", text, boss.id))
        async with open_house(tmp_path, TABLE) as house:
            assert "old" in house.pit.tables

    asyncio.run(main())


def test_a_table_that_would_be_another_by_now_is_not_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def approve(house: House) -> None:
        boss, other, _ = await proposed(house)
        id = (await boss.post("/api/tables", table=NEW)).json()["proposal"]["id"]
        read = house.pit.catalogue.new
        other_rules = replace(read(NEW).rules, digest="0" * 64)

        def changed(text: str) -> TableConfig:
            return replace(read(text), rules=other_rules)

        monkeypatch.setattr(house.app.state.staff, "_new_table", changed)
        said = await other.post(f"/api/proposals/{id}/approve", again=await again(other))
        assert code_of(said) == "changed" and "new" not in house.pit.tables

    run(tmp_path, approve)


def test_verify_finds_a_table_that_nobody_approved_and_counts_those_opened_alone(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with open_house(tmp_path, TABLE) as house:
            boss = await house.person("Boss Ash", "operator")
            made = await boss.post("/api/tables", table=NEW)
            assert made.json()["proposal"] is None and "new" in house.pit.tables
            found = await house.verified()
            assert "1 new table was opened by one person alone" in " ".join(found.unproved)
            forged = TableOpened("more", NEW.replace('"new"', '"more"'), boss.id, "p-aaaaaaaaaa")
            await house.pit.acts.store(forged)
            found = await house.verified()
            assert any("nobody approved" in fault for fault in found.faults)
            raise Enough

    with pytest.raises(Enough):
        asyncio.run(main())


def test_the_keys_of_the_closed_house_appoint_where_nobody_else_could_approve(
    tmp_path: Path,
) -> None:
    """The only other person who could approve was disabled: every appointment waits for them."""
    data = tmp_path / "data"
    with opened_house(data) as opened:
        people = People(opened.store, passwords=Passwords(made_by=CHEAP))

        async def come() -> str:
            ids = [await people.sign_up(f"{name} Ash", PASSWORD) for name in ("Boss", "Aud", "Eve")]
            boss, aud, eve = (one.signed_in.person.id for one in ids)
            await people.set_roles(boss, ["operator"])
            await people.set_roles(aud, ["auditor"])
            await people.disable(aud, by=boss)
            return eve

        eve = asyncio.run(come())
        people.close()
    words = ("ledger", "appoint", "--data", str(data), "--role", "auditor", "--by", "Kim Brandt")
    ran = ran_command(*words, "Aud Ash")
    assert ran.code == 2 and "nobody called Aud Ash has an account that is in use" in ran.err
    ran = ran_command(*words, "Eve Ash")
    assert (ran.code, ran.out) == (0, "Eve Ash is auditor now, and has no other role\n")
    with opened_house(data) as opened, opened.store.reading() as view:
        (act,) = [a for _, a in acts_in(view.stream(HOUSE_STREAM)) if isinstance(a, RoleGiven)]
        assert (act.person, act.role, act.by) == (eve, "auditor", "Kim Brandt")
        assert view.people()[eve].roles == {"auditor"}
    ran = ran_command("ledger", "verify", "--data", str(data))
    assert ran.code == 0 and "1 role was given with the house's keys" in ran.out, ran.out
    with opened_house(data) as opened, opened.store.writing() as rows:
        jot(rows, act, time_ms=1)  # The same act once more: its signature is another event's.
        registry.set_roles(rows, eve, ["auditor"])
    ran = ran_command("ledger", "verify", "--data", str(data))
    assert ran.code == 1 and "the role is not given with the house's key" in ran.out
