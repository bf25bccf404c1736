"""The page of a round: every event in words, the scene after each, every line with its clause.

Everything is read from the journal. It shows the cards that were exposed, and players also see
their own; the deck's openings for just those cards are given once the round is over.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response

from croupier.cards import Card
from croupier.errors import Refused, UserError
from croupier.fairness.commitment import Commitment, Committed
from croupier.fairness.cut import PlayersCut, document_of
from croupier.gallery.felt import felt_of
from croupier.gallery.scene import Scene, patch_of, scene_of
from croupier.house.clock import Company, Notes
from croupier.house.config import TableConfig
from croupier.house.now import Now
from croupier.house.standing import Standing, new_standing
from croupier.ledger.accounts import Account, Kind, kind_of
from croupier.ledger.entries import Entry
from croupier.ledger.found import FoundRound, recalled_by, round_found
from croupier.ledger.journal import Record
from croupier.ledger.roles import FLOOR, SURVEILLANCE
from croupier.money import format_micros
from croupier.round.events import Confirmed
from croupier.round.order import is_read
from croupier.round.play import own_faces
from croupier.round.rack import rack_of
from croupier.round.record import record_of
from croupier.round.state import Round
from croupier.round.tell import tell
from croupier.server.opened import fairness_of
from croupier.server.pages.render import document, page
from croupier.server.people import People
from croupier.server.routes.access import signed_in_of
from croupier.server.state import state_of

router = APIRouter(include_in_schema=False)


class ShownRound(NamedTuple):
    """A round as read from the journal, for one viewer."""

    found: FoundRound
    commitment: Commitment | None
    deck: Committed | None
    """All cards, once the round is over; only what the viewer may see leaves this module."""
    cut: PlayersCut
    names: Mapping[str, str]
    viewer: str | None
    recalled: frozenset[int] = frozenset()
    """The seats whose virtual hands the viewer recalled."""

    @property
    def round(self) -> Round:
        return self.found.told[-1][0]

    @property
    def own(self) -> dict[int, Card]:
        """The viewer's own cards, by position."""
        faces = self.cut.dealt(self.deck.deck) if self.deck else {}
        return own_faces(self.round, self.viewer, faces, self.recalled)


@router.get("/rounds/{id}.json")
async def round_json(request: Request, id: str) -> Response:
    """Return the record of a round."""
    read = await _read(request, id)
    response = document(request, read.found.as_json())
    response.headers["Content-Disposition"] = f'inline; filename="{id}.json"'
    return response


@router.get("/rounds/{id}/steps.json")
async def round_steps(request: Request, id: str) -> Response:
    """Return the scenes of a round, each as the changes since the previous one."""
    read = await _read(request, id)
    steps, scene = [], Scene()
    for after in _scenes(read):
        steps.append(patch_of(scene, after) if scene else after)
        scene = after
    own = {str(position): str(card) for position, card in read.own.items()}
    felt = _felt(request, read)
    return document(request, {"felt": felt, "player": read.viewer, "own": own, "steps": steps})


@router.get("/rounds/{id}/openings")
async def round_openings(request: Request, id: str, *, record: bool = False) -> Response:
    """Return the proofs of the cards that this viewer may see, once the round is over."""
    read = await _read(request, id)
    if is_read(read.round.rules):
        raise Refused("cards_there", "the cards were real, so their order can't be proved")
    if read.deck is None:
        raise Refused("not_over", "you can check a deal once its round is over")
    events = [event for _, event in read.found.told]
    shown = {*read.round.faces, *read.own}
    if read.round.void:  # Calling a round off must not hide why.
        shown |= {p for positions in read.round.places.values() for p in positions}
    noted = record_of(read.round.rules, read.found.table.given, events) if record else None
    return document(request, document_of(read.deck, read.cut, shown, noted))


@router.get("/rounds/{id}")
async def round_page(request: Request, id: str) -> Response:
    """Show a round, step by step."""
    read = await _read(request, id)
    found, round = read.found, read.round
    last = list(_scenes(read))[-1]
    order = [str(seat) for seat in last["order"]] or list(last["boxes"])
    return page(
        request,
        "round",
        json=f"/rounds/{id}.json",
        id=id,
        table=found.records[0].stream,
        felt=_felt(request, read),
        begun=_time(found.records[0]),
        ended=_time(found.records[-1]) if round.closed else None,
        steps=_told(found),
        scene=last,
        seats=[(seat, last["boxes"][seat]) for seat in order],
        names=read.names,
        void=last["void"],
        over=round.closed,
        commitment=read.commitment,
        real=is_read(round.rules),
        by_hand=round.by_hand,
        rack=rack_of(found.told) if is_read(round.rules) and round.closed else (),
        cut=read.cut,
        viewer=read.viewer,
        entries=[_entry(posted.entry, read.names) for posted in found.entries],
    )


# ---------------------------------------------------------------- reading


async def _read(request: Request, id: str) -> ShownRound:
    state = state_of(request)
    pit, people = state.pit, state.people
    try:
        found, sealed = await pit.books.read(
            lambda view: (round_found(view, id, pit.rules_of), view.sealed(id))
        )
    except UserError:
        raise Refused("not_found", "there is no round with this name") from None
    commitment, cut = fairness_of(found)
    round = found.told[-1][0]
    deck = None
    if round.closed and sealed is not None and commitment is not None:
        deck = pit.books.unsealed(sealed, commitment)
    players = {box.player for box in round.boxes.values()}
    players |= {round.banker.player} if round.banker else set()
    players |= {one.player for one in cut.contributions}
    known = state.galleries.names
    names = {player: await _name(known, people, player) for player in sorted(players)}
    one = await signed_in_of(request)
    if one is None:
        return ShownRound(found, commitment, deck, cut, names, None)
    me, recalled = one.person.id, frozenset[int]()
    if one.person.roles & {SURVEILLANCE, FLOOR}:
        recalled = await pit.books.read(partial(recalled_by, found=found, person=me))
    return ShownRound(found, commitment, deck, cut, names, me, recalled)


async def _name(known: Mapping[str, str], people: People, player: str) -> str:
    if player in known:
        return known[player]
    person = await people.find(player)
    return person.name if person else "a former player"


# ---------------------------------------------------------------- rendering


def _told(found: FoundRound) -> list[dict[str, Any]]:
    """Return every step in words; the dealer's confirmations join the step before them."""
    records = [record for record in found.records if record.of == "round"]
    steps: list[dict[str, Any]] = []
    for record, (round, event) in zip(records, found.told, strict=True):
        if isinstance(event, Confirmed):
            says = round.rules.clauses[event.clause].says
            steps[-1]["notes"].append({"clause": event.clause, "by": event.by, "says": says})
            continue
        steps.append({"says": tell(round, event), "number": record.number, "notes": []})
    return steps


def _time(record: Record) -> datetime:
    return datetime.fromtimestamp(record.time_ms // 1000, UTC)


_ACCOUNTS: dict[Kind, str] = {
    "bank": "the banker's funds",
    "cage": "the cage",
    "drop": "the drop box",
    "fees": "fees and rake",
    "house": "the house",
    "inventory": "the table's chips",
    "layout": "the layout",
    "meter": "the meter",
    "pending": "an award to be validated",
    "player": "a player",
    "tray": "the table's tray",
    "walkin": "a player's chips on the felt",
}


def _entry(entry: Entry, names: Mapping[str, str]) -> dict[str, str]:
    """Return one movement of money in words."""

    def says(account: Account) -> str:
        return names.get(account.partition(":")[2]) or _ACCOUNTS[kind_of(account)]

    dollars = format_micros(entry.micros)[:-4]
    return {"from": says(entry.debit), "to": says(entry.credit), "for": entry.code, "sum": dollars}


def _scenes(read: ShownRound) -> list[Scene]:
    nobody = new_standing(read.round.rules)
    told = [round for round, event in read.found.told if not isinstance(event, Confirmed)]
    last = read.found.told[-1][0]
    rounds = [*told[:-1], last]
    return [
        _scene(replace(nobody, round=round, commitment=read.commitment, cut=read.cut), read)
        for round in rounds
    ]


def _scene(standing: Standing, read: ShownRound) -> Scene:
    round = standing.round
    if round is None:
        return {}
    notes = Notes(Company({box.player for box in round.boxes.values()}))
    now = Now(0, standing, None, notes, round.meters, {})
    scene = scene_of(now, read.names)
    seats = {
        str(seat): {
            "player": box.player,
            "name": read.names.get(box.player, box.player),
            "present": True,
            "ready": False,
        }
        for seat, box in sorted(read.round.boxes.items())
    }
    phase = "over" if round.closed else scene["phase"]
    return {**scene, "seats": seats, "phase": phase, "bank_turn": None, "bank_order": []}


def _felt(request: Request, read: ShownRound) -> dict[str, Any]:
    """Return the felt that the round was played on."""
    pit = state_of(request).pit
    found, rules = read.found, read.round.rules
    id = found.records[0].stream
    table = pit.tables.get(id)
    if table and table.place.standing.table.rules.digest == rules.digest:
        return state_of(request).galleries[id].felt
    seats = max(rules.table.seats, *read.round.boxes, 1)
    given = found.table.given
    return felt_of(TableConfig(id=id, title=id, rules=rules, selections=given, seats=seats))
