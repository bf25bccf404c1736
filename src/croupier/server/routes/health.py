"""What supervisors and monitors ask: is it alive, can it store anything, how much does it do.

The figures hold no name, no card and no sum of anybody's; still they are for this machine alone.
"""

import asyncio
from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from pydantic import BaseModel

from croupier.errors import Refused
from croupier.ledger.store import Unavailable
from croupier.server.faults import RESPONSES
from croupier.server.limits import is_loopback
from croupier.server.log import counts, log
from croupier.server.pit import Pit
from croupier.server.strict import StrictRoute

READY_S = 2.0
"""A ledger that takes longer to answer is not ready."""

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)


class Health(BaseModel):
    status: Literal["ok"] = "ok"


@router.get("/healthz")
async def healthz() -> Health:
    """Say that the server runs, whatever else is the matter."""
    return Health()


@router.get("/readyz")
async def readyz(request: Request) -> Health:
    """Say whether a bet would be stored now; 503 if not."""
    room = request.app.state.pit.room
    if room.lost is not None:
        raise room.lost
    try:
        await asyncio.wait_for(room.away(room.store.check), READY_S)
    except TimeoutError:
        raise Unavailable("the ledger does not answer in time") from None
    return Health()


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Give figures for a monitor, in the format of Prometheus; only this machine gets them."""
    address = request.client.host if request.client else ""
    if not is_loopback(address):
        log("not_allowed", path=request.url.path, address=address)
        raise Refused("not_allowed", "the figures are for a monitor on the server's own machine")
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(Figures(request.app.state.pit))
    return Response(generate_latest(registry), headers={"content-type": CONTENT_TYPE_LATEST})


class Figures(Collector):
    """A pit as a monitor sees it."""

    def __init__(self, pit: Pit) -> None:
        self.pit = pit

    def collect(self) -> Iterator[Metric]:
        room = self.pit.room
        up = 0 if room.lost else 1
        yield GaugeMetricFamily("croupier_ledger_usable", "0 when the ledger is lost.", up)
        yield CounterMetricFamily("croupier_events", "Events stored.", room.stored)
        commits, seconds = room.commits
        yield SummaryMetricFamily("croupier_commit_seconds", "Commits.", commits, seconds)
        behind = self.pit.unsigned
        yield GaugeMetricFamily("croupier_unsigned_events", "Since the last checkpoint.", behind)
        yield from self._tables()
        said = CounterMetricFamily("croupier_log_lines", "By event.", labels=["event"])
        for event, count in sorted(counts.items()):
            said.add_metric([event], count)
        yield said

    def _tables(self) -> Iterator[Metric]:
        rounds = CounterMetricFamily("croupier_rounds", "Rounds opened.", labels=["table"])
        opened = GaugeMetricFamily("croupier_round_open", "1 in a round.", labels=["table"])
        seats = GaugeMetricFamily("croupier_seats_taken", "Players seated.", labels=["table"])
        sockets = GaugeMetricFamily("croupier_sockets", "Sockets open.", labels=["table"])
        for id, table in self.pit.tables.items():
            rounds.add_metric([id], table.rounds)
            opened.add_metric([id], table.standing.in_play is not None)
            seats.add_metric([id], len(table.standing.table.seats))
            sockets.add_metric([id], len(table.viewers))
        yield from (rounds, opened, seats, sockets)
