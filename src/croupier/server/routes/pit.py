"""The pit and the house as JSON: answer a table's proposals, and open a new table."""

from secrets import token_hex
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field

from croupier.errors import Refused
from croupier.house.asking import Employee
from croupier.house.books import answer_to
from croupier.house.log import log
from croupier.house.said import Approve, Decline, Do, Preview, Propose, StaffCommand, Withdraw
from croupier.house.table import Table
from croupier.ledger.accounts import ID_MAX
from croupier.ledger.asked import NO_BODY
from croupier.ledger.events import BalanceAdjusted, MeterAdjusted
from croupier.ledger.found import PastHand
from croupier.ledger.roles import AUDITOR, FLOOR, SURVEILLANCE
from croupier.ledger.store import NOT_ENOUGH
from croupier.money import parse_micros, parse_money
from croupier.round.codec import to_plain
from croupier.round.commands import Validate
from croupier.server.faults import RESPONSES
from croupier.server.registry import SignedIn
from croupier.server.routes import access
from croupier.server.routes.tables import TableId, live_table
from croupier.server.state import state_of
from croupier.server.strict import Body, StrictRoute
from croupier.server.talk import spent
from croupier.table.commands import Recall

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)
Floor = Annotated[SignedIn, Depends(access.session_with(FLOOR))]
Watching = Annotated[SignedIn, Depends(access.session_with(SURVEILLANCE))]
Answering = Annotated[SignedIn, Depends(access.session_with(FLOOR, SURVEILLANCE, AUDITOR))]
ProposalNumber = Annotated[str, Path(pattern="^[1-9][0-9]{0,9}$")]
TABLE_CHARS = 8_000


class NewTable(Body):
    table: str = Field(min_length=1, max_length=TABLE_CHARS)


class OpenedSaid(BaseModel):
    table: str
    title: str
    proposal: access.ProposalSaid | None
    """What a second person has to approve first; without it, the table is open."""


class BackupSaid(BaseModel):
    file: str
    """In the house's folder."""
    bytes: int
    time_ms: int


class Answered(Body):
    answer: Literal["approve", "decline", "withdraw"]
    why: str = Field(default="", max_length=access.WHY_MAX)
    again: str = Field(default="", max_length=100)


class Adjusted(Body):
    account: str = Field(max_length=ID_MAX)
    """Whose sum: `meter:NAME` or `player:ID`."""
    does: Literal["add", "take"]
    dollars: str = Field(max_length=30)
    why: str = Field(min_length=1, max_length=access.WHY_MAX)


class Won(Body):
    seat: int = Field(ge=1, le=100)
    wager: str = Field(min_length=1, max_length=100)


class RecallWanted(Body):
    round: str = Field(min_length=1, max_length=ID_MAX)
    seat: str = Field(pattern="^[1-9][0-9]?$")
    why: str = Field(min_length=1, max_length=access.WHY_MAX)


class AnsweredSaid(BaseModel):
    v: int
    """The number of the table's last event."""


@router.post("/api/tables")
async def open_table(request: Request, by: access.OperatorIn, given: NewTable) -> OpenedSaid:
    """Open a new table, described as in the tables file, or propose it to a second person."""
    pit = state_of(request).pit
    config = pit.catalogue.new(given.table)
    proposed = await state_of(request).staff.open_table(by, config.id, given.table)
    if proposed is None:
        await pit.take_new()
    log("table_made", table=config.id, by=by.person.id, proposed=proposed is not None)
    said = access.ProposalSaid.of(proposed, by.person.name) if proposed else None
    return OpenedSaid(table=config.id, title=config.title, proposal=said)


@router.post("/api/backups")
async def back_up(request: Request, who: access.Operator, _: Body) -> BackupSaid:
    """Make a backup of the ledger while the house is open."""
    made = await state_of(request).pit.back_up(by=who.id)
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
    number = await _said(_table_for(request, id, by), by, message)
    log("adjustment", table=id, account=given.account, by=by.person.id)
    return AnsweredSaid(v=number)


@router.post("/api/tables/{id}/proposals/{proposal}")
async def answer(
    request: Request, by: Answering, *, id: TableId, proposal: ProposalNumber, given: Answered
) -> AnsweredSaid:
    """Approve a proposal at a table, with `again` from `/api/again`; or decline or withdraw it."""
    table = _table_for(request, id, by)
    command = f"answer-{proposal}-{token_hex(4)}"
    message: StaffCommand
    if given.answer == "approve":
        await state_of(request).people.use_again(by, given.again)
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
    table = _table_for(request, id, by)
    command = f"validate-{token_hex(8)}"
    plain = {"type": Validate.__name__, "seat": given.seat, "wager": given.wager}
    seen = table.preview(_employee(by), Preview(command, "round", plain))
    message = (Propose if seen.approve else Do)(command, "round", plain)
    number = await _said(table, by, message)
    log("validated", table=id, seat=given.seat, wager=given.wager, by=by.person.id)
    return AnsweredSaid(v=number)


@router.post("/api/tables/{id}/recall")
async def recall(
    request: Request, by: Watching, *, id: TableId, given: RecallWanted
) -> AnsweredSaid:
    """Recall a virtual hand of a round that is over, or propose it if it was never turned up."""
    table = _table_for(request, id, by)
    plain = {"type": Recall.__name__, "round": given.round, "seat": int(given.seat)}
    hand, command = await table.hand_of(plain), f"recall-{token_hex(8)}"
    if hand is None:
        message = f"nobody played at seat {given.seat} in {given.round!r}"
        raise Refused("no_such_round", message, field="round")
    propose = Propose(command, "table", plain, given.why)
    said = await _said(table, by, propose if hand.hidden else Do(*propose[:3]), past=hand)
    log("recalled", table=id, round=given.round, seat=given.seat, by=by.person.id)
    return AnsweredSaid(v=said)


def _table_for(request: Request, id: str, by: SignedIn) -> Table:
    """Return a table, whose desk from now on knows what this person is called."""
    table = live_table(request, id)
    state_of(request).galleries.call(by.person.id, by.person.name)
    return table


def _employee(by: SignedIn) -> Employee:
    return Employee(by.person.id, frozenset(by.person.roles))


async def _said(
    table: Table, by: SignedIn, message: StaffCommand, *, past: PastHand | None = None
) -> int:
    """Send a table a request of the house's staff; return the last event."""
    one = _employee(by)
    try:
        asked = await answer_to(
            lambda reply: table.hear_staff(one, message, NO_BODY, reply=reply, past=past)
        )
    except Refused as refused:
        if refused.code == NOT_ENOUGH and isinstance(message, Approve):
            raise spent(table, message.proposal) from None
        raise
    return asked.number
