"""The lobby, the tables and accounts: pages around live tables, and their JSON twins."""

from decimal import Decimal
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from croupier.errors import CroupierError, Refused
from croupier.gallery.galleries import Galleries
from croupier.gallery.sights import sees_desk
from croupier.house.config import TableConfig
from croupier.house.seat_codes import needs_code, seated_clause
from croupier.house.table import Table
from croupier.ledger.roles import OPERATOR
from croupier.money import format_money
from croupier.odds.analysis import analyze
from croupier.reports.answers import toml_text
from croupier.round.plan import plan_of
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import ACTION, SEATS
from croupier.rules.words import hand_says, number
from croupier.server.coach import advice, sight_of, with_subject
from croupier.server.pages import rounds
from croupier.server.pages.render import document, page, query
from croupier.server.pages.shelf import Busy, Shelf
from croupier.server.registry import Person
from croupier.server.routes.access import PersonSaid, Somebody, signed_in_of
from croupier.server.routes.awards import waiting_awards
from croupier.server.routes.tables import live_table
from croupier.server.state import state_of
from croupier.table.life import sign_code

router = APIRouter(include_in_schema=False)
api = APIRouter()
"""Routes that programs use as well."""
TableId = Annotated[str, Query(max_length=40)]
LOBBY = "/lobby.json"


# ---------------------------------------------------------------- the lobby


@router.get("/")
async def lobby(request: Request) -> Response:
    """Show the tables, and what their jackpots have risen to."""
    rows = await lobby_rows(request)
    jackpots = [(row, meter) for row in rows for meter in row["meters"] if meter["shows"]]
    jackpots.sort(key=lambda one: -Decimal(one[1]["shows"]))
    return page(request, "lobby", json=LOBBY, tables=rows, jackpots=jackpots)


@router.get(LOBBY)
async def lobby_json(request: Request) -> Response:
    """Return what the lobby shows."""
    return document(request, {"tables": await lobby_rows(request)})


async def lobby_rows(request: Request) -> list[dict[str, Any]]:
    """Return every table of the house as the lobby shows it, in the order of its file."""
    tables = list(state_of(request).pit.tables.values())
    edges = await run_in_threadpool(
        lambda: [edge_of(state_of(request).shelf, rules_at(t)) for t in tables]
    )
    voids = [await _voids_of(request, table.id) for table in tables]
    galleries = state_of(request).galleries
    rows = [
        _row(table, galleries) | {"edge": edge, "voids": void}
        for table, edge, void in zip(tables, edges, voids, strict=True)
        if table.id in galleries  # Others were handed over meanwhile.
    ]
    scope = {**request.scope, "path": LOBBY}
    for lobby in await state_of(request).everywhere(scope):
        rows += orjson.loads(lobby)["tables"]
    order = {id: at for at, id in enumerate(state_of(request).pit.configs)}
    return sorted(rows, key=lambda row: order.get(row["table"], len(order)))


async def _voids_of(request: Request, id: str) -> dict[str, int]:
    """Return how many rounds were void, of how many."""
    found = await _voids(request, id)
    counts = {name: sum(one["count"] for one in found[name]) for name in ("voids", "called_off")}
    return {"rounds": found["rounds"], **counts}


def rules_at(table: Table) -> TableRules:
    """Return the rules in force at a table, which may have other equipment than its file says."""
    return table.place.standing.table.rules


def _row(table: Table, galleries: Galleries) -> dict[str, Any]:
    config, scene, rules = table.config, galleries.scene(table.id), rules_at(table)
    felt = galleries[table.id].felt
    first = next(w for w in felt["wagers"] if w["placed"] == "before the deal")
    return {
        "table": table.id,
        "title": config.title,
        "book": felt["book"],
        "place": felt["place"],
        "rulebook": rules.rulebook,
        "banked_by": rules.banked_by,
        "bank": rules.bank.label,
        "wagers": [w["label"] for w in felt["wagers"] if w["placed"] == "before the deal"],
        "main": {"label": first["label"], "limits": first["limits"], "spots": len(first["spots"])},
        "seats": config.seats,
        "taken": len(scene["seats"]),
        "seats_taken": len(scene["seats"]),
        "phase": scene["phase"],
        "called": bool(table.notes.company.called),
        "players": [seat["name"] for seat in scene["seats"].values()],
        "meters": [
            {"label": label, "shows": scene["meters"].get(id), "wins": _wins(rules, id)}
            for id, label in felt["meters"].items()
        ],
        "notices": felt["notices"],
        "practice": config.practice,
        "attended": "dealer" in rules.things,
        "odds": odds_of(config),
    }


def _wins(rules: TableRules, meter: str) -> str:
    """Name the hand that wins most of a meter, and how much of it."""
    table = rules.paytables[rules.wagers[rules.meters[meter].wager].paytable or ""]
    name = rules.meters[meter].name
    ids = {one.id for one in table.meters if one.name == name}
    rows = [row for row in table.rows if row.percent is not None and row.meter in {*ids, None}]
    best = max(rows, key=lambda row: row.percent or 0, default=None)
    if best is None or not best.percent:
        return ""
    part = "all" if best.percent == 100 else f"{number(best.percent)} %"
    return f"{hand_says(best)} wins {part} of it"


def odds_of(config: TableConfig) -> str:
    """Return the address of the odds page for this table, with everything that it selects."""
    selected = {f"select.{name}": toml_text(value) for name, value in config.selections.items()}
    return query("/odds", {"book": config.rules.rulebook, **selected})


def edge_of(shelf: Shelf, rules: TableRules) -> float | None:
    """Return the house edge of the wager that opens the game; worked out once a digest."""
    try:
        return shelf.answers.get(("edge", rules.digest), lambda: float(analyze(rules).house_edge))
    except (CroupierError, Busy):
        return None


# ---------------------------------------------------------------- a table


@router.get("/tables/{id}.json")
async def table_json(request: Request, id: str) -> Response:
    """Return a table as everyone sees it."""
    table = _live(request, id)
    galleries = state_of(request).galleries
    clock = table.notes.clock.countdown(table.books.clocks.wait_ms())
    seen = {"v": table.number, "felt": galleries[id].felt, "scene": galleries.scene(id)}
    return document(request, {**seen, "clock": clock})


@router.get("/tables/{id}/voids.json")
async def voids_json(request: Request, id: str) -> Response:
    """Return how many rounds were void, and why."""
    _live(request, id)
    return document(request, await _voids(request, id))


@router.get("/tables/{id}/voids")
async def voids_page(request: Request, id: str) -> Response:
    """Show how many rounds were void, and why."""
    _live(request, id)
    felt, found = state_of(request).galleries[id].felt, await _voids(request, id)
    return page(request, "voids", json=f"/tables/{id}/voids.json", felt=felt, found=found)


async def _voids(request: Request, id: str) -> dict[str, Any]:
    return (await state_of(request).voids.of(id)).as_json(id)


@router.get("/tables/{id}")
async def table_page(request: Request, id: str) -> Response:
    """Show a table to play at."""
    return await _table(request, id, "table")


@router.get("/tables/{id}/text")
async def text_page(request: Request, id: str) -> Response:
    """Show the same table as text."""
    return await _table(request, id, "text")


@router.get("/tables/{id}/console")
async def console_page(request: Request, id: str) -> Response:
    """Show the desk of a table with a dealer to those who work there."""
    me, table = await _me(request), state_of(request).pit.tables.get(id)
    if table and "dealer" not in table.config.rules.things:
        raise Refused("not_found", "the program deals at this table, so it has no desk")
    if me is None or not sees_desk(me.roles):
        raise Refused("not_allowed", "only people who work at tables see a desk; sign in as one")
    return await _table(request, id, "console")


@router.get("/tables/{id}/by-hand")
async def by_hand_page(request: Request, id: str) -> Response:
    """Show the form on which a round is finished if the system fails, to be printed before."""
    table = live_table(request, id)
    rules = rules_at(table)
    if "cards" not in rules.things:
        raise Refused("not_found", "the cards of this table are virtual, so nothing is left to do")
    felt = state_of(request).galleries[id].felt
    return page(request, "by_hand", json=f"/tables/{id}.json", felt=felt, **_blanks(rules))


@router.get("/tables/{id}/codes")
async def codes_page(request: Request, id: str) -> Response:
    """Show the code of every seat to the floor and to operators, to be printed for the felt."""
    me = await _me(request)
    if me is None or not me.roles & {"floor", OPERATOR}:
        raise Refused("not_allowed", "only the floor and operators see the codes; sign in as one")
    table = live_table(request, id)
    rules = rules_at(table)
    if not needs_code(rules):
        raise Refused("not_found", "the cards of this table are virtual, so its seats need no code")
    at = f"{request.url.netloc}/tables/{id}"
    codes = [(seat, table.seat_code(seat)) for seat in range(1, table.config.seats + 1)]
    console = f"/tables/{id}/console", "The console"
    return page(
        request,
        "seat_codes",
        felt=state_of(request).galleries[id].felt,
        clause=seated_clause(rules),
        codes=[(seat, code, f"{at}?seat={seat}&code={code}") for seat, code in codes],
        back=console if sees_desk(me.roles) else ("/house", "The house"),
    )


def _blanks(rules: TableRules) -> dict[str, Any]:
    """Return what the form of a round by hand leaves to be filled in."""
    return {
        "code": sign_code(rules),
        "before": [w for w in rules.wagers.values() if w.placed == "before the deal"],
        "decisions": [[o.label for o in s.option.values()] for _, s in rules.sequence if s.option],
        "own_cards": sum(line.cards for line in rules.deal.cards if line.to == SEATS),
        "action": plan_of(rules).order == ACTION,
        "steps": [
            {"says": rules.clauses[step.clause].says, "clause": step.clause}
            for _, step in rules.sequence
            if step.clause in rules.clauses
        ],
    }


def _live(request: Request, id: str) -> Table:
    """Return a table of this process, or refuse with the reason that there is none."""
    pit = state_of(request).pit
    if id not in pit.tables:
        pit.closed.check(id)
        raise Refused("not_found", "there is no table with this name")
    return pit.tables[id]


async def _table(request: Request, id: str, template: str) -> Response:
    table = _live(request, id)
    gallery, me = state_of(request).galleries[id], await _me(request)
    odds = odds_of(table.config)
    json = f"/api/tables/{id}/desk" if template == "console" else f"/tables/{id}.json"
    real = "cards" in rules_at(table).things
    codes = {code: str(card) for code, card in table.config.codes.items()}
    values: dict[str, Any] = {"felt": gallery.felt, "felt_tag": gallery.felt_tag}
    values |= {"me": me, "odds": odds, "practice": "", "real": real, "codes": codes}
    return page(request, template, json=json, **values)


# ---------------------------------------------------------------- the account


@router.get("/account")
async def account_page(request: Request) -> Response:
    """Show the caller's balance, and forms to create an account or sign out."""
    me = await _me(request)
    pit = state_of(request).pit
    if me:
        await pit.books.hear_of_purse(me.id)
    start = format_money(pit.config.guest_chips_cents)
    purse = format_money(pit.books.purse_cents(me.id)) if me else None
    pending = await waiting_awards(pit, me.id) if me else []
    values: dict[str, Any] = {"me": me, "purse": purse, "start": start, "pending": pending}
    values["attended"] = [one for one in pit.configs.values() if "dealer" in one.rules.things]
    return page(request, "account", json="/account.json", **values)


@router.get("/account.json")
@router.get("/sign-in.json")
async def account_json(request: Request) -> Response:
    """Return who is signed in, with their chips."""
    me = await _me(request)
    purse = format_money(state_of(request).pit.books.purse_cents(me.id)) if me else None
    person = PersonSaid.of(me).model_dump() if me else None
    pending = await waiting_awards(state_of(request).pit, me.id) if me else []
    awards = [{"award": one.award, "dollars": one.dollars} for one in pending]
    return document(request, {"person": person, "purse": purse, "pending": awards})


@router.get("/sign-in")
async def sign_in_page(request: Request) -> Response:
    """Show the forms to sign in, to create an account and to play as a guest."""
    return page(request, "sign_in", json="/sign-in.json", me=await _me(request))


# ---------------------------------------------------------------- the coach


@api.get("/api/coach")
async def coach(request: Request, table: TableId, one: Somebody) -> dict[str, Any]:
    """Say what each choice is worth to the player whose turn it is, at a practice table."""
    live = live_table(request, table, field="table")
    sight = sight_of(live, one.person.id)
    answers = state_of(request).shelf.answers
    try:
        work = advice(sight)
        answer = await run_in_threadpool(lambda: answers.get(sight.key, work))
    except Busy:
        raise Refused("too_many", "the coach is busy; try again shortly") from None
    return with_subject(sight, answer)


# ---------------------------------------------------------------- what the pages ask


async def _me(request: Request) -> Person | None:
    one = await signed_in_of(request)
    return one.person if one else None


router.include_router(rounds.router)
router.include_router(api)
