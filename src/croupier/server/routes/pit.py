"""The pit and the house as JSON: answer a table's proposals, and open a new table."""

from secrets import token_hex
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field

from croupier.errors import Refused
from croupier.house.books import answer_to
from croupier.house.console import Employee
from croupier.house.log import log
from croupier.house.said import Approve, Decline, Do, Preview, Propose, StaffCommand, Withdraw
from croupier.house.table import Table
from croupier.house.turn import NO_BODY
from croupier.ledger.accounts import ID_MAX
from croupier.ledger.events import BalanceAdjusted, MeterAdjusted
from croupier.ledger.roles import AUDITOR, FLOOR, SURVEILLANCE
from croupier.ledger.store import NOT_ENOUGH
from croupier.money import parse_micros, parse_money
from croupier.round.codec import to_plain
from croupier.round.commands import Validate
from croupier.server.faults import RESPONSES
from croupier.server.registry import SignedIn
from croupier.server.routes.access import (
    WHY_MAX,
    Operator,
    OperatorIn,
    ProposalSaid,
    people_of,
    session_with,
    staff_of,
)
from croupier.server.routes.tables import TableId, live_table, pit_of
from croupier.server.strict import Body, StrictRoute
from croupier.server.talk import SPENT

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)
Floor = Annotated[SignedIn, Depends(session_with(FLOOR))]
Answering = Annotated[SignedIn, Depends(session_with(FLOOR, SURVEILLANCE, AUDITOR))]
ProposalNumber = Annotated[str, Path(pattern="^[1-9][0-9]{0,9}$")]
TABLE_CHARS = 8_000


class NewTable(Body):
    table: str = Field(min_length=1, max_length=TABLE_CHARS)


class OpenedSaid(BaseModel):
    table: str
    title: str
    proposal: ProposalSaid | None
    """What a second person has to approve first; without it, the table is open."""


class BackupSaid(BaseModel):
    file: str
    """In the house's folder."""
    bytes: int
    time_ms: int


class Answered(Body):
    answer: Literal["approve", "decline", "withdraw"]
    why: str = Field(default="", max_length=WHY_MAX)
    again: str = Field(default="", max_length=100)


class Adjusted(Body):
    account: str = Field(max_length=ID_MAX)
    """Whose sum: `meter:NAME` or `player:ID`."""
    does: Literal["add", "take"]
    dollars: str = Field(max_length=30)
    why: str = Field(min_length=1, max_length=WHY_MAX)


class Won(Body):
    seat: int = Field(ge=1, le=100)
    wager: str = Field(min_length=1, max_length=100)


class AnsweredSaid(BaseModel):
    v: int
    """The number of the table's last event."""


@router.post("/api/tables")
async def open_table(request: Request, by: OperatorIn, given: NewTable) -> OpenedSaid:
    """Open a new table, described as in the tables file, or propose it to a second person."""
    pit = pit_of(request)
    config = pit.new_table(given.table)
    proposed = await staff_of(request).open_table(by, config.id, given.table)
    if proposed is None:
        await pit.take_new()
    log("table_made", table=config.id, by=by.person.id, proposed=proposed is not None)
    said = ProposalSaid.of(proposed) if proposed else None
    return OpenedSaid(table=config.id, title=config.title, proposal=said)


@router.post("/api/backups")
async def back_up(request: Request, who: Operator, _: Body) -> BackupSaid:
    """Make a backup of the ledger while the house is open."""
    made = await pit_of(request).back_up(by=who.id)
    log("backup", file=made.file, by=who.id)
    return BackupSaid(**made.as_json())


@router.post("/api/tables/{id}/adjustments")
async def adjust(request: Request, by: Floor, *, id: TableId, given: Adjusted) -> AnsweredSaid:
    """Propose to correct a meter of a table, or the chips of a player there, between two people."""
    sign = 1 if given.does == "add" else -1
    kind, _, name = given.account.partition(":")
    event: MeterAdjusted | BalanceAdjusted
    if kind == "player":
        event = BalanceAdjusted(name, sign * parse_money(given.dollars, "dollars"), given.why)
    else:
        event = MeterAdjusted(name, sign * parse_micros(given.dollars, "dollars"), given.why)
    message = Propose(f"adjust-{token_hex(4)}", "ledger", to_plain(event), given.why)
    number = await _said(live_table(request, id), by, message)
    log("adjustment", table=id, account=given.account, by=by.person.id)
    return AnsweredSaid(v=number)


@router.post("/api/tables/{id}/proposals/{proposal}")
async def answer(
    request: Request, by: Answering, *, id: TableId, proposal: ProposalNumber, given: Answered
) -> AnsweredSaid:
    """Approve a proposal at a table, with `again` from `/api/again`; or decline or withdraw it."""
    table = live_table(request, id)
    command = f"answer-{proposal}-{token_hex(4)}"
    message: StaffCommand
    if given.answer == "approve":
        await people_of(request).use_again(by, given.again)
        message = Approve(command, proposal)
    elif given.answer == "decline":
        message = Decline(command, proposal, given.why)
    else:
        message = Withdraw(command, proposal)
    number = await _said(table, by, message)
    log("answered", table=id, proposal=proposal, answer=given.answer, by=by.person.id)
    return AnsweredSaid(v=number)


@router.post("/api/tables/{id}/validate")
async def validate(request: Request, by: Floor, *, id: TableId, given: Won) -> AnsweredSaid:
    """Validate a progressive win that stops its seat, at any table (11.D(7)(c)).

    It is proposed where it takes two people.
    """
    table = live_table(request, id)
    command = f"validate-{token_hex(8)}"
    plain = {"type": Validate.__name__, "seat": given.seat, "wager": given.wager}
    seen = table.preview(_employee(by), Preview(command, "round", plain))
    message = (Propose if seen.approve else Do)(command, "round", plain)
    number = await _said(table, by, message)
    log("validated", table=id, seat=given.seat, wager=given.wager, by=by.person.id)
    return AnsweredSaid(v=number)


def _employee(by: SignedIn) -> Employee:
    return Employee(by.person.id, frozenset(by.person.roles))


async def _said(table: Table, by: SignedIn, message: StaffCommand) -> int:
    """Send a table a request of the house's staff; return the last event."""
    one = _employee(by)
    try:
        asked = await answer_to(lambda reply: table.hear_staff(one, message, NO_BODY, reply=reply))
    except Refused as refused:
        if refused.code == NOT_ENOUGH:
            raise Refused(NOT_ENOUGH, SPENT, field="purse") from None
        raise
    return asked.number
