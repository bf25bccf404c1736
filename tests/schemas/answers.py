"""Which schema an answer of the server has, by its route; checks each answer against it."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import httpx
from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from croupier.schemas import schema, schema_names
from croupier.server import pages as page_modules
from croupier.server import routes as route_modules
from tests.schemas.checking import faults

ROUTE = re.compile(r"`([A-Z]+) (/[^`]*)`")
"""A route in the description of a schema; what stands in capitals there is a parameter."""


@cache
def _schemas() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Return method, paths and name of every schema of an answer."""
    return tuple(
        (method, re.compile(re.sub(r"\b[A-Z]{2,}\b", "[^/]+", re.escape(path))), name)
        for name in schema_names()
        for method, path in ROUTE.findall(schema(name)["description"])
    )


def described(method: str, path: str) -> list[str]:
    """Return the names of the schemas of a route, which is a path or has parameters."""
    found = [one for one in _schemas() if one[0] == method and one[1].fullmatch(path)]
    # `/rulebooks/compare.json` isn't a rulebook.
    exact = [name for _, pattern, name in found if pattern.pattern == re.escape(path)]
    return exact or [name for *_, name in found]


async def check_answer(response: httpx.Response) -> None:
    """Check an answer of JSON by the schema of its route, if it has one; a hook for httpx."""
    if not response.headers.get("content-type", "").startswith("application/json"):
        return
    await response.aread()
    asked = response.request
    names = ["error"] if response.is_error else described(asked.method, asked.url.path)
    found = [fault for name in names for fault in faults(name, response.json())]
    assert found == [], asked.url


# ---------------------------------------------------------------- which routes there are


def _routers(package: ModuleType, name: str) -> Iterator[APIRouter]:
    for module in pkgutil.iter_modules(package.__path__):
        found = importlib.import_module(f"{package.__name__}.{module.name}")
        if isinstance(router := getattr(found, name, None), APIRouter):
            yield router


def routes_for_programs() -> list[APIRouter]:
    """Return the routers whose routes are in the OpenAPI."""
    return [*_routers(route_modules, "router"), *_routers(page_modules, "api")]


def pages() -> list[APIRoute]:
    """Return the routes of pages and files."""
    return [route for router in _routers(page_modules, "router") for route in _flat(router.routes)]


def _flat(routes: list[BaseRoute]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif inner := getattr(route, "original_router", None):
            yield from _flat(inner.routes)
