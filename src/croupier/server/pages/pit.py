"""What the pit's page says of a table: who deals and since when, its decks, what went wrong last,
and what waits for a second person."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from croupier.house.config import TableConfig
from croupier.house.moments import countdowns
from croupier.ledger.accounts import Account, account
from croupier.ledger.tape import TapeRow, in_words
from croupier.money import format_micros
from croupier.round.commands import Validate
from croupier.round.state import is_walk_in
from croupier.server.registry import Person
from croupier.table.commands import Recall, Time
from croupier.table.events import Proposed
from croupier.table.proposals import is_stopped
from croupier.table.state import Table

EVERYBODY_S = 60
"""After so long a proposal that a round is void goes to every floorperson."""
IRREGULAR = ("Declared", "CalledOff")
LATELY = 8
NOTABLE = frozenset(
    {
        *IRREGULAR,
        *("TableOpened", "TableClosed", "TappedIn", "TappedOut"),
        *("Proposed", "Approved", "Declined", "Withdrawn", "Lapsed"),
        *("AwardFound", "Validated", "Mispaid", "Disputed", "Stands", "Corrected"),
        *("DeckRemoved", "Failed", "Restored", "Changed", "ByHand"),
    }
)
"""The acts at tables of which the pit shows the last ones."""
ANSWERS = {"pay": "validate", "reject": "reject", "defer": "defer"}
"""What the floor does with a progressive win, by its answer."""


def pit_facts(id: str, table: Table | None, acts: Iterable[TapeRow], now: Time) -> dict[str, Any]:
    """Return who deals at a table and since when, its decks, and the last irregularity."""
    dealer = table.crew.dealer if table else ""
    taps = [row for row in acts if row.stream == id and row.act in ("TappedIn", *IRREGULAR)]
    since = (row for row in taps if row.event.get("person") == dealer and dealer)
    real = table is not None and "cards" in table.rules.things and table.last_deck in table.decks
    wrong = next((row for row in taps if row.act in IRREGULAR), None)
    return {
        "dealer": dealer,
        "floor": table.crew.floor if table else "",
        "round": table.round.id if table and table.round else None,
        "dealer_since_ms": next((row.time_ms for row in since), None),
        "deck": table.last_deck or None if table else None,
        "deck_age_s": table.age_s(table.last_deck, now) if table and real else None,
        "uncounted": table.uncounted if table and real else None,
        "waits": _waits(table) if table else None,
        "countdowns": [*countdowns(table, now)] if table and "cards" in table.rules.things else [],
        "virtual": table is not None and "cards" not in table.rules.things,
        "disputes": len(table.disputes) if table else 0,
        "irregularity": _irregularity(wrong) if wrong else None,
    }


def _waits(table: Table) -> str | None:
    """Return what a second person is asked at a table."""
    if not table.proposals:
        return None
    return "void" if is_stopped(table) else "other"


def happened_lately(acts: Iterable[TapeRow], tables: Container[str]) -> list[dict[str, Any]]:
    """Return what people did at tables that a floorperson wants to know, the newest first.

    Counts of the tray aren't told: the next person to count mustn't know the other's figure.
    """
    found = (row for row in acts if row.act in NOTABLE and row.stream in tables)
    return [
        {
            "time_ms": row.time_ms,
            "table": row.stream,
            "act": in_words(row.act),
            "says": row.says,
            "clause": row.clause,
            "persons": [*row.persons],
        }
        for row in islice(found, LATELY)
    ]


def _irregularity(row: TapeRow) -> dict[str, Any]:
    event: Mapping[str, Any] = row.event
    says = str(event.get("kind") or event.get("cause") or "").replace("_", " ")
    clause = row.clause or event.get("ruling") or None
    return {"says": says, "clause": clause, "round": row.round, "time_ms": row.time_ms}


def requests_of(
    row: Mapping[str, Any], table: Table | None, me: Person, now_s: int
) -> Iterator[dict[str, Any]]:
    """Yield the proposals at a table that concern a person."""
    for one in table.proposals if table else ():
        if table and _concerns(one, table, me, now_s):
            preview = one.preview
            yield {
                "table": row["table"],
                "title": row["title"],
                "proposal": one.id,
                "does": _does(one, table),
                "says": preview.says,
                "clause": preview.clause or preview.ruling,
                "why": one.why,
                "by": one.by.person,
                "round": one.round or one.command.get("round") or None,
                "waited_s": max(now_s - one.time.wall_s, 0),
                "voids": preview.voids,
                "returns": {str(seat): cents for seat, cents in preview.returns.items()},
                "undoes": {str(seat): cents for seat, cents in preview.undoes.items()},
                "adjusts": _adjusts(one),
                "deck": preview.deck,
                "approve": [*preview.approve],
                "mine": one.by.person == me.id,
            }


def _does(one: Proposed, table: Table) -> str:
    """Return what a proposal asks for, in words."""
    says = in_words(str(one.command.get("kind") or one.kind).replace("_", " "))
    if one.kind == Validate.__name__:
        wager = table.rules.wagers[str(one.command["wager"])].label
        answer = ANSWERS[str(one.command.get("answer", "pay"))]
        return f"{answer} the win of seat {one.command['seat']}, {wager}"
    return f"{says} seat {one.command['seat']}" if one.kind == Recall.__name__ else says


def _concerns(one: Proposed, table: Table, me: Person, now_s: int) -> bool:
    """Whether a person proposed it, may answer it, or is asked because no one else can."""
    if one.by.person == me.id or me.id in (table.crew.dealer, table.crew.floor):
        return True
    may = bool({*one.preview.approve} & me.roles)
    # The table's own floorperson is asked first, unless there is none or it is their proposal.
    alone = table.crew.floor in ("", one.by.person)
    unheard = alone or now_s - one.time.wall_s >= EVERYBODY_S
    return may and ("floor" not in one.preview.approve or unheard)


def _adjusts(one: Proposed) -> dict[str, str] | None:
    """Return whose sum a proposal adjusts: a meter or a player, and by how many dollars."""
    if not one.preview.adjusts:
        return None
    said = {name: str(one.command.get(name, "")) for name in ("meter", "player")}
    return {**said, "dollars": format_micros(one.preview.adjusts)}


def adjustable(table: Table | None, config: TableConfig | None, me: Person) -> dict[Account, str]:
    """Return the accounts that somebody may propose to adjust, each with whom or what it is of.

    The floorperson of a table adjusts its meters, and the chips of those who play there.
    """
    if table is None or config is None or table.crew.floor != me.id:
        return {}
    meters = {account("meter", config.meter(id)): m.name for id, m in table.rules.meters.items()}
    players = dict.fromkeys(one for one in table.seats.values() if not is_walk_in(one))
    return meters | {account("player", player): player for player in players}
