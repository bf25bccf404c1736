"""Health checks and metrics for supervisors and monitors.

The metrics contain no name, no card and no player's balance; even so, only this machine may read
them.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from pydantic import BaseModel

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.house.log import counts, log
from croupier.ledger.store import Unavailable
from croupier.server.faults import RESPONSES
from croupier.server.limits import is_loopback
from croupier.server.state import state_of
from croupier.server.strict import StrictRoute

READY_S = 2.0
"""A ledger that takes longer to respond isn't ready."""

router = APIRouter(route_class=StrictRoute, responses=RESPONSES)


class Health(BaseModel):
    status: Literal["ok"] = "ok"


@router.get("/healthz")
async def healthz() -> Health:
    """Report that the server runs, whatever else may be wrong."""
    return Health()


@router.get("/readyz")
async def readyz(request: Request) -> Health:
    """Report whether a bet would be stored now; 503 if not."""
    books = state_of(request).pit.books
    if books.lost is not None:
        raise books.lost
    try:
        await asyncio.wait_for(books.away(books.store.check), READY_S)
    except TimeoutError:
        raise Unavailable("the ledger does not answer in time") from None
    return Health()


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Return metrics in Prometheus format, to this machine only."""
    address = request.client.host if request.client else ""
    if not is_loopback(address):
        log("not_allowed", path=request.url.path, address=address)
        raise Refused("not_allowed", "metrics are served only to the server's own machine")
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(Figures(state_of(request).galleries))
    said = generate_latest(registry)
    tenure = state_of(request).pit.tenure
    if tenure.is_shared:
        said = merged([said], process=tenure.place or tenure.name)
    if others := await state_of(request).everywhere(request.scope):
        said = merged([said, *others])
    return Response(said, headers={"content-type": CONTENT_TYPE_LATEST})


def merged(documents: Sequence[bytes], **labels: str) -> bytes:
    """Return metrics of several processes as one document, with labels added to each sample."""
    families: dict[str, Metric] = {}
    for document in documents:
        for family in text_string_to_metric_families(document.decode()):
            whole = families.setdefault(
                family.name, Metric(family.name, family.documentation, family.type)
            )
            for name, labelled, value, *_ in family.samples:
                whole.add_sample(name, {**labelled, **labels}, value)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Given([*families.values()]))
    return generate_latest(registry)


class Given(Collector):
    """Metrics that were collected elsewhere."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        return iter(self._families)


class Figures(Collector):
    """A pit's metrics."""

    def __init__(self, galleries: Galleries) -> None:
        self.galleries, self.pit = galleries, galleries.pit

    def collect(self) -> Iterator[Metric]:
        books = self.pit.books
        up = 0 if books.lost else 1
        yield GaugeMetricFamily("croupier_ledger_usable", "0 when the ledger is lost.", up)
        yield CounterMetricFamily("croupier_events", "Events stored.", books.stored)
        commits, seconds = books.commits
        yield SummaryMetricFamily("croupier_commit_seconds", "Commits.", commits, seconds)
        checkpoints = self.pit.checkpoints
        behind = checkpoints.unsigned if checkpoints else books.stored
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
            opened.add_metric([id], table.place.standing.in_play is not None)
            seats.add_metric([id], len(table.place.standing.table.seats))
            sockets.add_metric([id], len(self.galleries[id].viewers))
        yield from (rounds, opened, seats, sockets)
