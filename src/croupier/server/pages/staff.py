"""The pages of the staff: the operator's house, the pit, surveillance, audit, and coming in.

They show what is public of open rounds and no more; what people do there goes through the routes
that programs use.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from croupier.errors import CroupierError, Problems, Refused
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.house.seat_codes import needs_code
from croupier.ledger.accounts import kind_of
from croupier.ledger.acts import HOUSE_STREAM, NoteTaken
from croupier.ledger.roles import AUDITOR, FLOOR, OPERATOR, ROLES, SURVEILLANCE
from croupier.ledger.store import View
from croupier.ledger.tape import TapeRow, Wanted, in_words, tape
from croupier.money import format_micros
from croupier.server.pages.new_table import read_fields, table_form
from croupier.server.pages.pit import adjustable, happened_lately, pit_facts, requests_of
from croupier.server.pages.render import document, page, query
from croupier.server.pages.tables import lobby_rows
from croupier.server.registry import Person
from croupier.server.routes.access import (
    PersonSaid,
    proposals_said,
    session_with,
)
from croupier.server.routes.awards import waiting_awards
from croupier.server.state import state_of
from croupier.table.state import Table
from croupier.theory.wins import By

router = APIRouter(include_in_schema=False)
TAPE_MAX, MARKS_MAX, EXPORT_MAX = 100, 1_000, 10_000
Text = Annotated[str, Query(max_length=100)]
Before = Annotated[str, Query(max_length=150, pattern=r"^([0-9]{1,15}/[0-9]{1,15}/.+)?$")]


@router.get("/staff")
async def entry_page(request: Request, link: Text = "") -> Response:
    """Show the form in which new staff set their password."""
    return page(request, "staff_entry", link=link)


# ---------------------------------------------------------------- the operator's house


@router.get("/house")
async def house_page(request: Request) -> Response:
    """Show the operator's page: tables, meters, people, keys and backups."""
    one = await session_with(OPERATOR)(request)
    found = await _house(request)
    values: dict[str, Any] = {"me": one.person, "roles": ROLES, "time": _time}
    tables = state_of(request).pit.configs.items()
    values["coded"] = {id for id, table in tables if needs_code(table.rules)}
    values["backups"] = state_of(request).pit.config.backups
    build = state_of(request).pit.closed.build
    values["nobody_approved"] = build is not None and build.approved is None
    return page(request, "house", json="/house.json", **values, **found)


@router.get("/house.json")
async def house_json(request: Request) -> Response:
    """Return what the operator's page shows."""
    await session_with(OPERATOR)(request)
    return document(request, await _house(request))


async def _house(request: Request) -> dict[str, Any]:
    state = state_of(request)
    pit, staff = state.pit, state.staff
    rows = await lobby_rows(request)
    keys, checkpoints = await pit.books.read(_keys)
    return {
        "tables": [
            {
                **row,
                "stopped": row["table"] in pit.closed.stopped,
                "because": pit.closed.stopped.get(row["table"]),
            }
            for row in rows
        ],
        "closed": _closed(pit, {row["table"] for row in rows}),
        "meters": await _meters(pit),
        "staff": [PersonSaid.of(one).model_dump() for one in await staff.everybody()]
        + [PersonSaid.of(one).model_dump() for one in await staff.invited()],
        "proposals": await _proposals(request),
        "keys": keys,
        "checkpoints": checkpoints,
        "books": [{"id": one.id, "title": one.rules.title} for one in state.shelf.books()],
        "backup": backup.as_json() if (backup := await pit.last_backup()) else None,
        "build": pit.closed.build.says if pit.closed.build else "This build wasn't compared yet.",
    }


def _closed(pit: Pit, shown: set[str]) -> list[dict[str, Any]]:
    """Return the tables that no process has opened, and why this one can't."""
    return [
        {"table": id, "title": config.title, "because": reason, "locked": id in pit.closed.locked}
        for id, config in pit.configs.items()
        if id not in shown and (reason := pit.closed.because(id))
    ]


async def _proposals(request: Request) -> list[dict[str, Any]]:
    return [one.model_dump() for one in await proposals_said(request)]


async def _meters(pit: Pit) -> list[dict[str, Any]]:
    found = await pit.books.read(lambda view: view.balances("meter"))
    names = [(one.removeprefix("meter:"), micros) for one, micros in sorted(found.items())]
    return [
        {"meter": name, "dollars": format_micros(held)[:-4], "out": name in pit.books.out}
        for name, held in names
    ]


def _keys(view: View) -> tuple[dict[str, str] | None, dict[str, Any]]:
    keys, kept = view.house_keys(), view.checkpoints()
    last = kept[-1] if kept else None
    said = {"count": len(kept), "last_ms": last.time_ms if last else None}
    return {"master": keys[0], "signing": keys[1]} if keys else None, said


@router.get("/house/new")
async def new_table_page(request: Request) -> Response:
    """Show the form of a new table, by the fields of its book, with what is wrong beside each."""
    one = await session_with(OPERATOR)(request)
    given = read_fields(request.query_params.multi_items())
    shelf = state_of(request).shelf
    if given.get("book") not in shelf.ids():
        raise Refused("not_found", "there is no such rulebook", field="book")
    form = table_form(state_of(request).pit, shelf.book(given["book"]), given)
    as_text = query("/house/check", {"table": form.text})
    values: dict[str, Any] = {"form": form, "as_text": as_text, "checked": "id" in given}
    return page(request, "house_new", me=one.person, **values)


@router.get("/house/check")
async def check_table(request: Request, table: Annotated[str, Query(max_length=8_000)]) -> Response:
    """Check a new table against its book, before it is put into the tables file."""
    one = await session_with(OPERATOR)(request)
    faults, opens = _checked(state_of(request).pit, table)
    return page(request, "house_check", me=one.person, table=table, faults=faults, opens=opens)


def _checked(pit: Pit, text: str) -> tuple[list[str], list[str]]:
    """Return the faults of tables, or the titles of those that would open."""
    try:
        found = parse_config(text, pit.rules_of)
    except Problems as error:
        return [str(one) for one in error.problems], []
    except CroupierError as error:
        return [str(error)], []
    known = [f"there is a table {one.id} already" for one in found.tables if one.id in pit.configs]
    return known, [one.title for one in found.tables]


# ---------------------------------------------------------------- the pit


@router.get("/pit")
async def pit_page(request: Request) -> Response:
    """Show all tables at once, requests for the floor first."""
    one = await session_with(FLOOR, SURVEILLANCE)(request)
    found = await _pit(request, one.person)
    values: dict[str, Any] = {"me": one.person, "clock": _clock}
    return page(request, "pit", json="/pit.json", **values, **found)


@router.get("/pit.json")
async def pit_json(request: Request) -> Response:
    """Return what the pit's page shows."""
    one = await session_with(FLOOR, SURVEILLANCE)(request)
    return document(request, await _pit(request, one.person))


async def _pit(request: Request, me: Person) -> dict[str, Any]:
    pit = state_of(request).pit
    states, acts = await pit.everywhere.states(), await state_of(request).tape.rows()
    asked = await _asked(request, me, states)
    winnings = state_of(request).winnings
    wins, rows, shown = winnings.look(), [], set()
    for row in await lobby_rows(request):
        id = row["table"]
        facts = pit_facts(id, states.get(id), acts, pit.books.clocks.time()) | {"win": wins.get(id)}
        facts["adjustable"] = adjustable(states.get(id), pit.configs.get(id), me)
        players = {of for one, of in facts["adjustable"].items() if kind_of(one) == "player"}
        shown |= {facts["dealer"], facts["floor"], *players} - {""}
        rows.append({**row, **facts, "stopped": id in pit.closed.stopped})
    happened = happened_lately(acts, {row["table"] for row in rows})
    shown |= {person for one in happened for person in one["persons"]}
    names = asked.pop("asking") | await _names(request, shown)
    whole = {"whole": winnings.whole, "happened": happened}
    return {"tables": rows, **asked, **whole, "names": names}


async def _asked(request: Request, me: Person, states: Mapping[str, Table]) -> dict[str, Any]:
    """Return what is asked of somebody: proposals at tables, and awards; and who asks."""
    pit = state_of(request).pit
    now_s = pit.books.clocks.wall_ms() // 1000
    requests = [
        one
        for id, config in pit.configs.items()
        for one in requests_of({"table": id, "title": config.title}, states.get(id), me, now_s)
    ]
    requests.sort(key=lambda one: (not one["voids"], -one["waited_s"]))
    may = me.roles & {FLOOR, SURVEILLANCE, *pit.config.approvers.award}
    awards = [one.model_dump() for one in await waiting_awards(pit)] if may else []
    shown = {one["player"] for one in awards} | {one["by"] for one in requests}
    shown |= {one["proposal"]["by"] for one in awards if one["proposal"]}
    shown |= {one["adjusts"]["player"] for one in requests if one["adjusts"]} - {""}
    return {"awards": awards, "requests": requests, "asking": await _names(request, shown)}


@router.get("/pit/wins")
async def wins_page(request: Request, by: By = "wager", table: Text = "") -> Response:
    """Show what tables won beside what the odds expect, with standard errors and a chart."""
    one = await session_with(FLOOR, SURVEILLANCE, AUDITOR, OPERATOR)(request)
    found = await _wins(request, by, table)
    export = query("/pit/wins.json", {"by": by, "table": table})
    return page(request, "wins", json=export, me=one.person, found=found, at=table)


@router.get("/pit/wins.json")
async def wins_json(request: Request, by: By = "wager", table: Text = "") -> Response:
    """Return the report of actual against theory."""
    await session_with(FLOOR, SURVEILLANCE, AUDITOR, OPERATOR)(request)
    return document(request, await _wins(request, by, table))


async def _wins(request: Request, by: By, table: str) -> dict[str, Any]:
    if table and table not in state_of(request).pit.configs:
        raise Refused("no_such_table", "there is no such table", field="table")
    return await state_of(request).winnings.report(by, table or None)


# ---------------------------------------------------------------- surveillance and audit


@router.get("/watch")
async def watch_page(request: Request) -> Response:
    """Show every table, and the tape of what people did."""
    one = await session_with(SURVEILLANCE)(request)
    return page(request, "watch", json="/watch.json", me=one.person, **await _watch(request))


@router.get("/watch.json")
async def watch_json(request: Request) -> Response:
    """Return what the page of surveillance shows."""
    await session_with(SURVEILLANCE)(request)
    found = await _watch(request)
    seen = {name: found[name] for name in ("tables", "marks")}
    return document(request, {**seen, **_plain(found)})


async def _watch(request: Request) -> dict[str, Any]:
    """Return every table, the tape of what people did, and the marks at its acts."""
    pit = state_of(request).pit
    states, acts = await pit.everywhere.states(), await state_of(request).tape.rows()
    now = pit.books.clocks.time()
    rows = [
        row | pit_facts(row["table"], states.get(row["table"]), acts, now)
        for row in await lobby_rows(request)
    ]
    marks: dict[str, list[str]] = {}
    for note in await state_of(request).tape.rows(Wanted(act=NoteTaken.__name__), limit=MARKS_MAX):
        marks.setdefault(str(note.event["about"]), []).append(str(note.event["says"]))
    found = await _tape(request, Wanted())
    names = found["names"] | await _names(request, {row["dealer"] for row in rows} - {""})
    return {**found, "tables": rows, "marks": marks, "names": names, "clock": _clock}


@router.get("/audit")
async def audit_page(
    request: Request, *, person: Text = "", act: Text = "", clause: Text = "", round: Text = ""
) -> Response:
    """Show what people did: by person, act, clause and round."""
    one = await session_with(AUDITOR)(request)
    wanted = Wanted(await _id_of(request, person), act, clause, round)
    found = await _tape(request, wanted)
    export = query("/audit.json", wanted._asdict())
    values: dict[str, Any] = {"me": one.person, "export": export, **found}
    values["wanted"] = {"person": person, "act": act, "clause": clause, "round": round}
    values["known"] = {
        "person": sorted({*found["names"].values()}),
        "act": sorted({in_words(row.act) for row in found["acts"]}),
    }
    values |= await _waits(request, one.person)
    return page(request, "audit", json=export, **values)


@router.get("/audit.json")
async def audit_json(
    request: Request,
    *,
    person: Text = "",
    act: Text = "",
    clause: Text = "",
    round: Text = "",
    before: Before = "",
) -> Response:
    """Export what people did, each act with its record and the hashes that prove it."""
    one = await session_with(AUDITOR)(request)
    wanted = Wanted(await _id_of(request, person), act, clause, round)
    books = state_of(request).pit.books
    rows, more = await books.read(partial(_acts, wanted=wanted, before=before))
    found = await _with_names(request, rows)
    heads = await books.read(lambda view: view.heads())
    said = {s: {"number": h.number, "hash": h.hash.hex()} for s, h in sorted(heads.items())}
    waits = await _waits(request, one.person)
    names = {"names": found["names"] | waits.pop("asking")}
    proof = {"heads": said, "more": _more(wanted, more)}
    return document(request, {**_plain(found), **names, **proof, **waits})


def _more(wanted: Wanted, before: str) -> str | None:
    """Return the address of the older acts that are left, None if there are none."""
    return query("/audit.json", {**wanted._asdict(), "before": before}) if before else None


async def _waits(request: Request, me: Person) -> dict[str, Any]:
    """Return what waits for an auditor: proposals of the staff and at tables, and awards."""
    asked = await _asked(request, me, await state_of(request).pit.everywhere.states())
    return {"proposals": await _proposals(request), **asked}


@router.get("/audit/verify")
async def verify_page(request: Request) -> Response:
    """Verify the whole ledger now, and show what that proves."""
    one = await session_with(AUDITOR)(request)
    pit = state_of(request).pit
    found = await pit.books.read(pit.verified)
    return page(request, "audit_verify", json="/api/ledger/verify", me=one.person, found=found)


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    return {"acts": [row.as_json() for row in found["acts"]], "names": found["names"]}


async def _tape(request: Request, wanted: Wanted) -> dict[str, Any]:
    """Return the last acts that are wanted."""
    return await _with_names(request, await state_of(request).tape.rows(wanted, limit=TAPE_MAX))


def _acts(view: View, wanted: Wanted, before: str) -> tuple[list[TapeRow], str]:
    """Read from the whole journal what is wanted for an export, the newest first.

    At most `TAPE_MAX` come at once; returned with them is where the older ones begin.
    """
    rows = [row for s in view.heads() for row in tape(view.stream(s)) if wanted.has(row)]
    if before:
        time_ms, number, stream = before.split("/", 2)
        rows = [row for row in rows if _age(row) > _age_of(int(time_ms), int(number), stream)]
    rows.sort(key=_age)
    last = rows[EXPORT_MAX - 1] if len(rows) > EXPORT_MAX else None
    return rows[:EXPORT_MAX], f"{last.time_ms}/{last.number}/{last.stream}" if last else ""


def _age(row: TapeRow) -> tuple[int, bool, str, int]:
    return _age_of(row.time_ms, row.number, row.stream)


def _age_of(time_ms: int, number: int, stream: str) -> tuple[int, bool, str, int]:
    """Return what acts are ordered by: the newest first, and the house's before the tables'."""
    return -time_ms, stream != HOUSE_STREAM, stream, -number


async def _with_names(request: Request, rows: list[TapeRow]) -> dict[str, Any]:
    persons = {one for row in rows for one in (*row.persons, row.proposer) if one}
    return {"acts": rows, "names": await _names(request, persons), "time": _time}


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%d %b %H:%M:%S")


def _clock(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%H:%M")


async def _id_of(request: Request, person: str) -> str:
    """Return the id of the staff member with this name; other text is returned as it is."""
    staff = await state_of(request).staff.everybody() if person else []
    called = person.casefold()
    return next((one.id for one in staff if one.name.casefold() == called), person)


async def _names(request: Request, ids: set[str]) -> dict[str, str]:
    """Return people's names by their ids; an id that isn't a person's stands for itself."""
    people = state_of(request).people
    found: dict[str, Person | None] = {id: await people.find(id) for id in sorted(ids)}
    return {id: person.name if person else id for id, person in found.items()}
