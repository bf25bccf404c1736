"""The tables as JSON: what is open, one table, chips, your own history, meters, and the ledger."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.gallery.sights import SEES_DESK
from croupier.house.log import log
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger.accounts import account, parse_account
from croupier.ledger.acts import DealingStopped, MeterStopped
from croupier.ledger.audit import Posted
from croupier.ledger.roles import AUDITOR
from croupier.money import format_micros
from croupier.server.faults import RESPONSES
from croupier.server.registry import Person
from croupier.server.routes.access import (
    Nothing,
    Operator,
    Player,
    Somebody,
    needs,
    signed_in_of,
)
from croupier.server.state import state_of
from croupier.server.strict import Body, StrictRoute

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)
HISTORY_MAX = 200
Auditor = Annotated[Person, Depends(needs(AUDITOR))]
AtDesk = Annotated[Person, Depends(needs(*sorted(SEES_DESK)))]
Seat = Annotated[int, Path(ge=1, le=100)]
TableId = Annotated[str, Path(pattern="^[a-z0-9][a-z0-9-]{0,29}$")]


def live_table(request: Request, id: str, *, field: str = "id") -> Table:
    """Return a table of this process, or refuse with the reason that there is none."""
    pit = state_of(request).pit
    if id not in pit.tables:
        pit.closed.check(id)
        raise Refused("no_such_table", "there is no such table", field=field)
    return pit.tables[id]


class NoticeSaid(BaseModel):
    about: str
    title: str
    says: str
    clause: str | None
    ruling: str | None


class TableRow(BaseModel):
    table: str
    title: str
    rulebook: str
    banked_by: str
    seats: int
    seats_taken: int
    phase: str
    round: str | None
    meters: dict[str, str]
    notices: list[NoticeSaid]
    """What a player has to know before the first bet: limits, fees, rake, the qualifying hand."""
    practice: bool


class TableList(BaseModel):
    tables: list[TableRow]


class TableSeen(BaseModel):
    v: int
    felt: dict[str, Any]
    scene: dict[str, Any]
    own: dict[str, str]
    clock: dict[str, Any] | None


class VoidRow(BaseModel):
    clause: str | None
    ruling: str | None
    cause: str
    dealt: bool
    """Whether the first card had been dealt."""
    count: int
    per_1000: str


class VoidsSaid(BaseModel):
    table: str
    rounds: int
    voids: list[VoidRow]
    called_off: list[VoidRow]
    """What the system called off, apart from the book's voids."""
    proposed: int
    declined: int


class DeskSaid(BaseModel):
    v: int
    felt: dict[str, Any]
    scene: dict[str, Any]
    desk: dict[str, Any]


class CalledOffSaid(BaseModel):
    table: str


class Purse(BaseModel):
    cents: int


class Moved(BaseModel):
    stream: str
    event: int
    id: str
    debit: str
    credit: str
    dollars: str
    code: str


class History(BaseModel):
    account: str
    entries: list[Moved]


class Out(Body):
    out: bool


class DealingSaid(Body):
    open: bool


class Balances(BaseModel):
    balances: dict[str, str]


class HeadSaid(BaseModel):
    number: int
    hash: str


class VerifiedSaid(BaseModel):
    verifies: bool
    events: int
    signed: int
    """How many events a checkpoint signs."""
    entries: int
    checkpoints: int
    confirmed_by_machine: int
    voids: dict[str, VoidsSaid]
    heads: dict[str, HeadSaid]
    proved: list[str]
    unproved: list[str]
    faults: list[str]


# ---------------------------------------------------------------- players


@router.get("/api/tables")
async def tables(request: Request) -> TableList:
    """List the tables."""
    galleries, pit = state_of(request).galleries, state_of(request).pit
    rows = [_row(galleries, id) for id in pit.tables]
    for said in await state_of(request).everywhere(request.scope):
        rows += TableList.model_validate_json(said).tables
    order = {id: at for at, id in enumerate(pit.configs)}
    return TableList(tables=sorted(rows, key=lambda row: order.get(row.table, len(order))))


def _row(galleries: Galleries, id: str) -> TableRow:
    table, scene = galleries.pit.tables[id], galleries.scene(id)
    return TableRow(
        table=id,
        title=table.config.title,
        rulebook=table.config.rules.rulebook,
        banked_by=table.config.rules.banked_by,
        seats=table.config.seats,
        seats_taken=len(scene["seats"]),
        phase=scene["phase"],
        round=scene["round"],
        meters=scene["meters"],
        notices=[NoticeSaid(**notice) for notice in galleries[id].felt["notices"]],
        practice=table.config.practice,
    )


@router.get("/api/tables/{id}")
async def table(request: Request, id: TableId) -> TableSeen:
    """Show a table as the caller may see it."""
    found = live_table(request, id)
    one = await signed_in_of(request)
    galleries = state_of(request).galleries
    gallery, scene = galleries[id], galleries.scene(id)
    own = gallery.own(one.person.id if one else None)
    clock = found.notes.clock.countdown(found.books.clocks.wait_ms())
    return TableSeen(v=found.number, felt=gallery.felt, scene=scene, own=own, clock=clock)


@router.get("/api/tables/{id}/desk")
async def desk(request: Request, _: AtDesk, *, id: TableId) -> DeskSaid:
    """Show the desk of a table with a dealer to those who work there."""
    found = state_of(request).pit.tables.get(id)
    if found is None or "dealer" not in found.config.rules.things:
        raise Refused("no_such_table", "there is no such table with a dealer", field="id")
    galleries = state_of(request).galleries
    gallery, scene = galleries[id], galleries.scene(id)
    return DeskSaid(v=found.number, felt=gallery.felt, scene=scene, desk=gallery.desk())


@router.get("/api/tables/{id}/voids")
async def voids(request: Request, id: TableId) -> VoidsSaid:
    """Count the void rounds, by clause and cause."""
    live_table(request, id)
    return VoidsSaid(**(await state_of(request).voids.of(id)).as_json(id))


@router.get("/api/purse")
async def purse(request: Request, one: Somebody) -> Purse:
    """Return how many chips the caller has."""
    books = state_of(request).pit.books
    await books.hear_of_purse(one.person.id)
    return Purse(cents=books.purse_cents(one.person.id))


@router.post("/api/chips")
async def chips(request: Request, one: Player, _: Nothing) -> Purse:
    """Top up the caller's play chips to the starting amount."""
    pit = state_of(request).pit
    await pit.cage.issue(one.id)
    return Purse(cents=pit.books.purse_cents(one.id))


@router.get("/api/history")
async def history(
    request: Request, one: Somebody, limit: Annotated[int, Query(ge=1, le=HISTORY_MAX)] = 50
) -> History:
    """List the last entries of the caller's purse."""
    return await _history(state_of(request).pit, f"player:{one.person.id}", limit)


async def _history(pit: Pit, name: str, limit: int) -> History:
    of = parse_account(name)
    found = await pit.books.read(lambda view: view.history(of, limit=limit))
    return History(account=name, entries=[moved_of(row) for row in found])


def moved_of(row: Posted) -> Moved:
    return Moved(**row.as_json())


# ---------------------------------------------------------------- operators and auditors


@router.post("/api/tables/{id}/dealing")
async def dealing(request: Request, who: Operator, *, id: TableId, given: DealingSaid) -> TableRow:
    """Stop dealing at a table after this round, or resume."""
    live_table(request, id)
    await state_of(request).pit.acts.do(DealingStopped(id, stopped=not given.open, by=who.id))
    log("table_dealing", table=id, open=str(given.open), by=who.id)
    return _row(state_of(request).galleries, id)


@router.post("/api/tables/{id}/call-off")
async def call_off(request: Request, who: Operator, *, id: TableId, _: Nothing) -> CalledOffSaid:
    """Call off a round that waits for a master key that is lost (T6); every stake is returned."""
    await state_of(request).pit.open.give_up(id, by=who.id)
    return CalledOffSaid(table=id)


@router.post("/api/tables/{id}/seats/{seat}/free")
async def free_seat(
    request: Request, who: Operator, *, id: TableId, seat: Seat, _: Nothing
) -> TableRow:
    """Free a seat; bets placed before the deal are returned, and a hand in play is finished."""
    player = await state_of(request).pit.seats.free(live_table(request, id), seat, by=who.id)
    log("seat_freed", table=id, seat=seat, player=player, by=who.id)
    return _row(state_of(request).galleries, id)


@router.post("/api/meters/{name:path}")
async def meter(request: Request, who: Operator, *, name: str, given: Out) -> Balances:
    """Mark a meter as unreachable, or reachable again; meanwhile its wagers aren't offered."""
    pit = state_of(request).pit
    of = account("meter", name)
    if of not in pit.books.balances():
        raise Refused("no_such_meter", "there is no such meter", field="name")
    await pit.acts.do(MeterStopped(name, out=given.out, by=who.id))
    log("meter_out", meter=name, out=str(given.out), by=who.id)
    return Balances(balances={of: format_micros(pit.books.balances()[of])})


@router.get("/api/ledger/balances")
async def balances(request: Request, _: Auditor, kind: str = "") -> Balances:
    """List account balances."""
    found = await state_of(request).pit.books.read(lambda view: view.balances(kind))
    return Balances(balances={name: format_micros(micros) for name, micros in found.items()})


@router.get("/api/ledger/history/{name:path}")
async def ledger_history(
    request: Request,
    _: Auditor,
    *,
    name: str,
    limit: Annotated[int, Query(ge=1, le=HISTORY_MAX)] = 50,
) -> History:
    """List the last entries of an account."""
    return await _history(state_of(request).pit, name, limit)


@router.get("/api/ledger/verify")
async def verified(request: Request, _: Auditor) -> VerifiedSaid:
    """Verify the whole ledger as it stands, and say what that proves."""
    pit = state_of(request).pit
    return VerifiedSaid(**(await pit.books.read(pit.verified)).as_json())
