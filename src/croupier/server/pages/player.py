"""A player's own pages: statistics, round by round, and the strategy card of a table."""

from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from croupier.errors import Refused
from croupier.ledger.store import Moment
from croupier.reports.figures import decimal
from croupier.reports.strategy_card import StrategyCard, strategy_card
from croupier.server.pages.render import document, page, query
from croupier.server.pages.shelf import Busy
from croupier.server.reviews import ReviewPage
from croupier.server.routes.access import must_be_in, signed_in_of
from croupier.server.state import state_of
from croupier.server.statistics import (
    NARROW,
    Statistics,
    dollars_of,
    review_json,
    session_chart,
    statistics_json,
    statistics_of,
)

router = APIRouter(include_in_schema=False)
ROUNDS_MAX = 200
"""How many of the last rounds the statistics sum up."""
PAGE_ROUNDS = 25
MS_MAX = 2**53
Since = Annotated[int, Query(ge=0, le=MS_MAX)]
Before = Annotated[str, Query(max_length=80, pattern=r"^(\d{1,15}/[a-z0-9-]{1,60})?$")]


# ---------------------------------------------------------------- statistics


@router.get("/statistics")
async def statistics_page(request: Request, since: Since = 0) -> Response:
    """Show what the caller's rounds came to."""
    one = await signed_in_of(request)
    if one is None:
        return page(request, "statistics", me=None)
    found = await _statistics(request, one.person.id, since)
    return page(
        request,
        "statistics",
        json=query("/statistics.json", {"since": since or ""}),
        me=one.person,
        found=found,
        chart=session_chart(found),
        small_chart=session_chart(found, width=NARROW),
        dollars=dollars_of,
        deviations=partial(decimal, places=1, signed=True),
        rounds_max=ROUNDS_MAX,
        since=_time(since) if since else None,
    )


@router.get("/statistics.json")
async def statistics_document(request: Request, since: Since = 0) -> Response:
    """Return what the caller's rounds came to."""
    one = await must_be_in(request)
    return document(request, statistics_json(await _statistics(request, one.person.id, since)))


async def _statistics(request: Request, player: str, since_ms: int) -> Statistics:
    found = await state_of(request).reviews.last(player, limit=ROUNDS_MAX, since_ms=since_ms)
    return await run_in_threadpool(statistics_of, found.reviews)


# ---------------------------------------------------------------- round by round


@router.get("/history")
async def history_page(request: Request, before: Before = "") -> Response:
    """Show the caller's rounds, the latest first."""
    one = await signed_in_of(request)
    if one is None:
        return page(request, "history", me=None)
    found = await _page(request, one.person.id, before)
    more = _cursor(found.more)
    return page(
        request,
        "history",
        json=query("/history.json", {"before": before}),
        me=one.person,
        rounds=[(review, _time(review.time_ms)) for review in found.reviews],
        more=query("/history", {"before": more}) if more else None,
        later=bool(before),
        dollars=dollars_of,
    )


@router.get("/history.json")
async def history_document(request: Request, before: Before = "") -> Response:
    """Return the caller's rounds, a page at a time."""
    one = await must_be_in(request)
    found = await _page(request, one.person.id, before)
    rounds = [review_json(review) for review in found.reviews]
    return document(request, {"rounds": rounds, "more": _cursor(found.more)})


async def _page(request: Request, player: str, before: str) -> ReviewPage:
    time_ms, _, round = before.partition("/")
    moment = Moment(int(time_ms), round) if before else None
    return await state_of(request).reviews.last(player, limit=PAGE_ROUNDS, before=moment)


def _cursor(moment: Moment | None) -> str | None:
    return f"{moment.time_ms}/{moment.subject}" if moment else None


def _time(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


# ---------------------------------------------------------------- the strategy card


@router.get("/tables/{id}/strategy")
async def strategy_page(request: Request, id: str) -> Response:
    """Show the strategy card of a table, to be printed."""
    card = await _card(request, id)
    return page(request, "strategy", json=f"/tables/{id}/strategy.json", card=card, table=id)


@router.get("/tables/{id}/strategy.json")
async def strategy_document(request: Request, id: str) -> Response:
    """Return the strategy card of a table."""
    return document(request, (await _card(request, id)).as_json(), is_public=True)


async def _card(request: Request, id: str) -> StrategyCard:
    pit, shelf = state_of(request).pit, state_of(request).shelf
    if id not in pit.tables:
        raise HTTPException(404)
    rules = pit.tables[id].place.standing.table.rules
    key = "strategy card", rules.digest
    try:
        return await run_in_threadpool(
            lambda: shelf.answers.get(key, lambda: strategy_card(rules), heavy=True)
        )
    except Busy:
        message = "the server is busy with other questions; try again shortly"
        raise Refused("too_many", message) from None
