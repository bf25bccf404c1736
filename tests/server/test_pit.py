"""The pit and the house: what is proposed at tables is answered, and new tables open."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest

from croupier.ledger.events import CashedIn
from croupier.ledger.journal import StoredEvent, decode
from croupier.ledger.tape import TapeRow
from croupier.ledger.tape import tape as read_tape
from croupier.money import format_micros
from croupier.server import tapes
from croupier.server.pages import staff as pages
from croupier.server.pages.pit import requests_of
from croupier.server.people import People
from croupier.server.registry import Person
from croupier.table.crew import Crew
from tests.house.test_proposals import proposed as proposed_at
from tests.house.test_proposals import table_at
from tests.rules.books import CALIFORNIA, MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks.houses import (
    PASSWORD,
    House,
    Line,
    Visitor,
    crashes,
    open_house,
    table_toml,
)
from tests.server.test_attended import attended, go_on, staffed
from tests.server.test_staff import again, code_of

MISDEAL = {"type": "Declare", "kind": "misdeal", "facts": {}}


async def void_proposed(house: House) -> tuple[str, Visitor]:
    """Propose that a round is void; return the table, and its floorperson."""
    (id,) = house.pit.tables
    dealer, _, flo, players = await staffed(house, id)
    while house.scene(id)["phase"] != "decide":
        await go_on(house, id, dealer, players)
    await dealer.do("propose", of="round", command=MISDEAL, why="a card too many")
    return id, flo


async def on_page(person: Visitor, page: str) -> Any:
    """Return what a page of the staff shows, which is as its schema says."""
    found = (await person.http.get(f"/{page}.json")).json()
    assert faults(page, found) == []
    return found


def test_a_void_is_approved_in_the_pit_with_the_password_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, flo = await void_proposed(house)
            (asked,) = (await on_page(flo, "pit"))["requests"]
            assert (asked["table"], asked["voids"], asked["clause"]) == (id, True, "C8")
            assert asked["returns"] and asked["approve"] == ["floor"]
            path = f"/api/tables/{id}/proposals/{asked['proposal']}"
            stale = await flo.post(path, answer="approve", again="made up")
            assert code_of(stale) == "password_again"
            said = await flo.post(path, answer="approve", again=await again(flo))
            assert said.status_code == 200, said.text
            twice = await flo.post(path, answer="approve", again=await again(flo))
            assert code_of(twice) == "no_such_proposal"
            rows = await house.pit.books.read(lambda view: list(view.stream(id)))
            last = decode(rows[-1].data)
            assert last.event["type"] == "Declared" and len({*last.who}) == 2
            row = (await on_page(flo, "pit"))["tables"][0]
            assert row["irregularity"]["clause"] == "C8" and row["dealer_since_ms"]
            assert (await house.verified()).faults == () and crashes(house) == []

    asyncio.run(main())


def test_the_pit_shows_a_call_and_what_a_table_waits_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            dealer, _, flo, players = await staffed(house, id)

            async def row() -> Any:
                return (await on_page(flo, "pit"))["tables"][0]

            assert ((await row())["called"], (await row())["waits"]) == (False, None)
            await dealer.do("call_floor", on=True)
            assert (await row())["called"]
            lobby = (await house.visitor().http.get("/lobby.json")).json()
            assert faults("lobby", lobby) == [] and lobby["tables"][0]["called"]
            page = (await flo.http.get("/pit", headers={"accept": "text/html"})).text
            assert "Dee Ash has called the floor" in page
            await dealer.do("call_floor", on=False)
            assert not (await row())["called"]
            while house.scene(id)["phase"] != "decide":
                await go_on(house, id, dealer, players)
            await dealer.do("propose", of="round", command=MISDEAL, why="a card too many")
            assert (await row())["waits"] == "void"
            page = (await flo.http.get("/pit", headers={"accept": "text/html"})).text
            assert "void proposed" in page
            assert crashes(house) == []

    asyncio.run(main())


def test_the_pit_tells_what_happened_but_no_count_of_the_tray(tmp_path: Path) -> None:
    async def main() -> None:
        first, rest = table_toml(MARYLAND).split("\n", 1)
        text = f'{first}\nthings = ["dealer", "cards", "chips"]\n{rest}'
        async with open_house(tmp_path, text) as house:
            (id,) = house.pit.tables
            dealer, _, flo, _ = await staffed(house, id)
            count = {"type": "CountTray", "by": "dealer", "cents": 1_234_500}
            await dealer.do("act", of="table", command=count)
            found = await on_page(flo, "pit")
            said = [(one["act"], one["persons"]) for one in found["happened"]]
            dee = house.pit.tables[id].place.standing.table.crew.dealer
            assert said[-1] == ("tapped in", [dee]) and found["names"][dee] == "Dee Ash"
            assert "12345" not in str(found) and "tray counted" not in str(found)
            (row,) = found["tables"]
            assert [one["says"] for one in row["countdowns"]] == ["Stub count"]
            page = (await flo.http.get("/pit", headers={"accept": "text/html"})).text
            assert "in 5 rounds" in page

    asyncio.run(main())


@pytest.mark.parametrize("door", ["pit", "socket"])
def test_the_password_given_again_has_teeth(
    tmp_path: Path, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts once, in the session that gave it; without the check any token would do."""

    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, flo = await void_proposed(house)
            line = await flo.line(id)

            async def code(token: str) -> object:
                if door == "socket":
                    return (await line.ask("approve", proposal="1", again=token)).get("code")
                path = f"/api/tables/{id}/proposals/1"
                answer = await flo.post(path, answer="approve", again=token)
                return code_of(answer) if answer.status_code != 200 else None

            elsewhere = house.visitor()
            await elsewhere.post("/api/sign-in", name="Flo Ash", password=PASSWORD)
            used = await again(flo)
            assert await flo.post(f"/api/tables/{id}/proposals/9", answer="approve", again=used)
            for token in ("", "made up", await again(elsewhere), used):
                assert await code(token) == "password_again"
            monkeypatch.setattr(People, "use_again", AsyncMock())
            assert await code("made up") is None

    asyncio.run(main())


def test_a_void_is_declined_in_the_pit(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, flo = await void_proposed(house)
            assert (house.scene(id)["asked"], house.scene(id)["choices"]) == (None, [])
            own = await flo.post(f"/api/tables/{id}/proposals/1", answer="withdraw")
            assert code_of(own) == "wrong_person"
            ann = await house.person("Ann Ash")
            stranger = await ann.post(f"/api/tables/{id}/proposals/1", answer="decline", why="x")
            assert code_of(stranger) == "not_allowed"
            said = await flo.post(f"/api/tables/{id}/proposals/1", answer="decline", why="no")
            assert said.status_code == 200, said.text
            assert house.scene(id)["asked"] and house.scene(id)["choices"]
            found = await on_page(flo, "pit")
            assert found["requests"] == [] and found["tables"][0]["round"] == f"{id}-1"
            page = (await flo.http.get("/pit", headers={"accept": "text/html"})).text
            assert "<dt>Floor</dt><dd>Flo Ash</dd>" in page and f'"/rounds/{id}-1"' in page

    asyncio.run(main())


def test_a_void_goes_to_every_floorperson_after_a_minute() -> None:
    standing = proposed_at(table_at("decide"))
    table = standing.table
    row = {"table": "t", "title": "T"}
    mine, other = (Person(id, id, frozenset({"floor"}), True, False) for id in ("f1", "f2"))
    crewed = table.__class__(**{**vars(table), "crew": Crew(dealer="d1", floor="f1")})
    since = table.proposals[0].time.wall_s
    assert [one["voids"] for one in requests_of(row, crewed, mine, since)] == [True]
    assert [*requests_of(row, crewed, other, since + 59)] == []
    assert [one["waited_s"] for one in requests_of(row, crewed, other, since + 60)] == [60]
    eye = Person("s1", "s1", frozenset({"surveillance"}), True, False)
    assert [*requests_of(row, crewed, eye, since + 600)] == [], "the floor is asked"


NEW = f'[[table]]\nid = "new"\nrulebook = "{MARYLAND}"\n[table.selections]\npair_plus = "A"\n'


def test_an_operator_opens_a_table_that_stays(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            boss = await house.person("Boss Ash", "operator")
            wrong = await boss.post("/api/tables", table=NEW.replace('"A"', '"Z"'))
            assert wrong.status_code == 422 and "pair_plus" in wrong.text
            taken = await boss.post("/api/tables", table=NEW.replace('"new"', '"maryland"'))
            assert code_of(taken) == "table_taken"
            made = await boss.post("/api/tables", table=NEW)
            assert made.json()["table"] == "new", made.text
            ann = await house.person("Ann Ash")
            await (await ann.line("new")).do("sit", seat=1)
            assert code_of(await ann.post("/api/tables", table=NEW)) == "not_allowed"
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            assert {"maryland", "new"} == {*house.pit.tables}
            assert house.pit.tables["new"].place.standing.table.seats
            assert (await house.verified()).faults == ()

    asyncio.run(main())


def test_surveillance_marks_an_act_and_auditors_look_by_words(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            eye = await house.person("Eva Ash", "surveillance")
            auditor = await house.person("Ada Ash", "auditor")
            row = (await on_page(eye, "watch"))["acts"][0]
            place = f"{row['stream']} {row['number']}"
            await eye.post("/api/notes", about=place, says="look at the camera")
            page = (await eye.http.get("/watch")).text
            marked = page[page.index('<p class="mark">') :].partition("</tr>")[0]
            assert "look at the camera" in marked and f'"about": "{place}"' in marked
            watched = await on_page(eye, "watch")
            assert watched["marks"] == {place: ["look at the camera"]}

            async def found(**wanted: str) -> set[str]:
                assert (await auditor.http.get("/audit", params=wanted)).status_code == 200
                answer = await auditor.http.get("/audit.json", params=wanted)
                return {one["act"] for one in answer.json()["acts"]}

            assert await found(act="note taken") == await found(act="NoteTaken") == {"NoteTaken"}
            assert await found(act="no such act") == set()
            assert await found(person="eva ash") == await found(person=eye.id) >= {"NoteTaken"}
            assert await found(person="ada ash", act="note") == set()

    asyncio.run(main())


def test_pages_read_a_stream_once_and_then_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[int] = Counter()

    def counted(stored: Iterable[StoredEvent], **options: Any) -> Iterator[TapeRow]:
        rows = list(stored)
        read.update(row.number for row in rows)
        return read_tape(rows, **options)

    monkeypatch.setattr(tapes, "tape", counted)

    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            await void_proposed(house)
            sue = await house.person("Sue Ash", "surveillance")
            first = (await on_page(sue, "watch"))["acts"]
            seen = sum(read.values())
            for _ in range(2):
                again = (await on_page(sue, "watch"))["acts"]
            new = sum(read.values()) - seen
            assert first and len(again) >= len(first) and new < 5, "only what is new"
            aud = await house.person("Aud Ash", "auditor")
            found = (await aud.http.get("/audit", headers={"accept": "text/html"})).text
            assert "Proposed" in found
            wins = await sue.http.get("/pit/wins.json?by=table")
            assert wins.status_code == 200 and wins.json()["by"] == "table"
            assert faults("wins", wins.json()) == []

    asyncio.run(main())


def test_a_request_says_whose_win_is_validated() -> None:
    table = proposed_at(table_at("decide")).table
    validate = {"type": "Validate", "seat": 4, "wager": "ante"}
    for more, says in (({}, "validate"), ({"answer": "reject"}, "reject")):
        asked = replace(table.proposals[0], command={**validate, **more})
        me = Person("f1", "f1", frozenset({"floor"}), True, False)
        row = {"table": "t", "title": "T"}
        later = asked.time.wall_s + 60
        (one,) = requests_of(row, replace(table, proposals=(asked,)), me, later)
        assert one["does"] == f"{says} the win of seat 4, Ante"


def test_dealers_find_their_consoles_on_their_account(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            (id,) = house.pit.tables
            for role in ("dealer", "player"):
                one = await house.person(f"The {role}", role)
                page = (await one.http.get("/account")).text
                assert (f'href="/tables/{id}/console"' in page) == (role == "dealer")
                assert ("Get more play chips" in page) == (role == "player")

    asyncio.run(main())


def test_a_desk_knows_its_people_by_name_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, _ = await void_proposed(house)
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            flo = house.visitor()
            await flo.post("/api/sign-in", name="Flo Ash", password=PASSWORD)
            told = (await flo.http.get(f"/api/tables/{id}/desk")).json()["desk"]
            assert sorted(told["names"].values()) == ["Ann Elm", "Bob Elm", "Dee Ash", "Flo Ash"]

    asyncio.run(main())


def test_a_page_that_looks_again_by_itself_keeps_no_session_open(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            flo = await house.person("Flo Ash", "floor")
            extended: list[str] = []

            async def extend(one: Any, **_: Any) -> None:
                extended.append(one.person.id)

            house.people.sessions.extend = extend  # type: ignore[method-assign]
            await flo.http.get("/pit", headers={"X-Croupier-Refresh": "1"})
            assert extended == []
            await flo.http.get("/pit")
            assert extended == [flo.id]

    asyncio.run(main())


async def with_an_auditor(house: House) -> tuple[str, Line, Visitor, Visitor, list[Line]]:
    (id,) = house.pit.tables
    dealer, _, flo, players = await staffed(house, id)
    return id, dealer, flo, await house.person("Aud Ash", "auditor"), players


def shows(house: House, account: str) -> int:
    return {str(of): held for of, held in house.pit.books.balances().items()}[account]


async def adjusted(who: Visitor, table: str, account: str, **given: str) -> httpx.Response:
    body = {"account": account, "does": "add", "dollars": "25.50", "why": "misread", **given}
    return await who.post(f"/api/tables/{table}/adjustments", **body)


@pytest.mark.parametrize("kind", ["meter", "player"])
@pytest.mark.parametrize(("does", "micros"), [("add", 25_500_000), ("take", -25_500_000)])
def test_the_floor_proposes_an_adjustment_and_an_auditor_approves_it(
    tmp_path: Path, kind: str, does: str, micros: int
) -> None:
    """S5: nobody adjusts a meter or a player's chips alone."""

    async def main() -> None:
        async with open_house(tmp_path, attended(MARYLAND)) as house:
            id, _, flo, aud, _ = await with_an_auditor(house)
            page = (await flo.http.get("/pit", headers={"accept": "text/html"})).text
            (row,) = (await on_page(flo, "pit"))["tables"]
            account = next(one for one in row["adjustable"] if one.startswith(kind))
            assert f'value="{account}"' in page and "Chips of Ann Elm" in page
            before = shows(house, account)
            said = await adjusted(flo, id, account, does=does)
            assert said.status_code == 200 and shows(house, account) == before, said.text
            (asked,) = (await on_page(aud, "audit"))["requests"]
            assert asked["adjusts"]["dollars"] == format_micros(micros)
            words = "add $25.50 to" if micros > 0 else "take $25.50 from"
            shown = (await aud.http.get("/audit", headers={"accept": "text/html"})).text
            assert f"Flo Ash proposes to {words}" in shown and "/console" not in shown
            path = f"/api/tables/{id}/proposals/{asked['proposal']}"
            own = await flo.post(path, answer="approve", again=await again(flo))
            assert code_of(own) == "same_person"
            done = await aud.post(path, answer="approve", again=await again(aud))
            assert done.status_code == 200 and shows(house, account) == before + micros
            rows = await house.pit.books.read(lambda view: list(view.stream(id)))
            last = decode(rows[-1].data)
            assert (last.who, last.event["why"]) == ((flo.id, aud.id), "misread")
            assert (await on_page(aud, "audit"))["requests"] == []

    asyncio.run(main())


def test_an_adjustment_that_cannot_be_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(MARYLAND)) as house:
            id, dealer, flo, aud, players = await with_an_auditor(house)
            ann = f"player:{house.table(id).place.standing.table.seats[1]}"
            for account, given, code in (
                ("player:p-nobody", {}, "seat_empty"),
                ("house", {}, "no_such_meter"),
                (ann, {"dollars": "0"}, "bad_fact"),
                (ann, {"dollars": "-5"}, "invalid"),
                (ann, {"dollars": "5.001"}, "invalid"),
                (ann, {"why": " "}, "bad_fact"),
            ):
                assert code_of(await adjusted(flo, id, account, **given)) == code, account
            assert code_of(await adjusted(aud, id, ann)) == "not_allowed"
            fay = await house.person("Fay Ash", "floor")
            assert code_of(await adjusted(fay, id, ann)) == "not_tapped_in"
            assert (await adjusted(flo, id, ann, does="take", dollars="99999")).is_success
            path = f"/api/tables/{id}/proposals/1"
            poor = await aud.post(path, answer="approve", again=await again(aud))
            assert code_of(poor) == "not_enough_money" and "decline it" in poor.text
            said = await aud.post(path, answer="decline", why="she has spent them")
            assert said.status_code == 200
            while house.scene(id)["phase"] != "bets":
                await go_on(house, id, dealer, players)
            meter = f"meter:{id}/progressive"
            assert code_of(await adjusted(flo, id, meter)) == "round_open"

    asyncio.run(main())


def test_surveillance_sees_who_deals_which_round_and_what_went_wrong(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, flo = await void_proposed(house)
            path = f"/api/tables/{id}/proposals/1"
            said = await flo.post(path, answer="approve", again=await again(flo))
            assert said.status_code == 200
            eye = await house.person("Eva Ash", "surveillance")
            found = await on_page(eye, "watch")
            (row,) = found["tables"]
            assert found["names"][row["dealer"]] == "Dee Ash" and row["dealer_since_ms"]
            assert (row["round"], row["irregularity"]["clause"]) == (f"{id}-1", "C8")
            page = (await eye.http.get("/watch", headers={"accept": "text/html"})).text
            assert "<dd>Dee Ash, since" in page and "misdeal (C8)" in page

    asyncio.run(main())


def test_an_export_says_where_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            await void_proposed(house)
            aud = await house.person("Aud Ash", "auditor")

            async def exported(address: str) -> tuple[list[str], str | None]:
                said = (await aud.http.get(address)).json()
                assert faults("audit", said) == []
                return [one["hash"] for one in said["acts"]], said["more"]

            whole, more = await exported("/audit.json")
            assert more is None and len(whole) > 9
            monkeypatch.setattr(pages, "EXPORT_MAX", 4)
            parts: list[str] = []
            address: str | None = "/audit.json"
            while address:
                some, address = await exported(address)
                assert len(some) <= 4
                parts += some
            assert parts == whole
            _, more = await exported("/audit.json?person=dee+ash")
            assert more and "person=p-" in more
            wrong = await aud.http.get("/audit.json?before=x")
            assert wrong.status_code == 422

    asyncio.run(main())


async def one_seat_paid(house: House, id: str, dealer: Line, players: list[Line]) -> str:
    """Play until a seat has been given chips and its round can still be void; return its player."""
    for _ in range(400):
        round = house.table(id).place.standing.in_play
        given = sum(line.returned + line.paid for line in round.lines) if round else 0
        if round and given:
            return str(round.boxes[round.lines[0].seat].player)
        await go_on(house, id, dealer, players)
    raise AssertionError("nobody has won anything in so many rounds")


@pytest.mark.parametrize("door", ["pit", "socket"])
def test_T13_a_player_who_spent_the_winnings_of_a_void_round_keeps_nobody_from_voiding_it(
    tmp_path: Path, door: str
) -> None:
    """Two people let the house advance what is missing, and the dispute stays open (T13)."""

    async def main() -> None:
        async with open_house(tmp_path, attended(CALIFORNIA)) as house:
            id, dealer, flo, aud, players = await with_an_auditor(house)
            ann = await one_seat_paid(house, id, dealer, players)
            account = f"player:{ann}"
            purse = shows(house, account) // 10_000
            await house.pit.cage.act(ann, lambda: CashedIn(ann, purse))
            await dealer.do("propose", of="round", command=MISDEAL, why="a card too many")
            path, line = f"/api/tables/{id}/proposals", await flo.line(id)
            token = await again(flo)
            if door == "pit":
                said = await flo.post(f"{path}/1", answer="approve", again=token)
                why = said.json()["error"]
            else:
                why = await line.ask("approve", proposal="1", again=token)
            assert (why["code"], why["clause"]) == ("not_enough_money", "T13")
            assert "adjust" in why["message"] and "dispute" in why["message"]
            round = house.table(id).place.standing.in_play
            assert round and not round.void
            missing = sum(one.returned + one.paid for one in round.lines)
            about = {"seat": round.lines[0].seat, "round": round.id, "about": "chips spent"}
            await dealer.do("act", of="table", command={"type": "Dispute", **about})
            given = {"dollars": f"{missing / 100:.2f}", "why": "chips of a void round, spent"}
            assert (await adjusted(flo, id, account, **given)).is_success
            said = await aud.post(f"{path}/2", answer="approve", again=await again(aud))
            assert said.status_code == 200, said.text
            said = await flo.post(f"{path}/1", answer="approve", again=await again(flo))
            assert said.status_code == 200, said.text
            standing = house.table(id).place.standing
            assert standing.round and standing.round.void and standing.table.disputes
            assert shows(house, account) == 0
            assert (await house.verified()).faults == ()

    asyncio.run(main())
