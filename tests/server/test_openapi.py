"""What `/openapi.json` describes, and what the documentation says that it leaves out (S15)."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from croupier.server import pages
from croupier.server.routes import access, health, tables

DOCS = Path(__file__).parents[2] / "docs/live-tables.md"
PROGRAMS = ("/api/", "/operator", "/healthz", "/readyz", "/metrics")


def paths_of(routes: list[BaseRoute]) -> Iterator[str]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route.path
        elif inner := getattr(route, "original_router", None):
            yield from paths_of(inner.routes)


def page_paths() -> set[str]:
    """The paths of all pages and files."""
    names = [module.name for module in pkgutil.iter_modules(pages.__path__)]
    modules = [importlib.import_module(f"{pages.__name__}.{name}") for name in names]
    routers = [module.router for module in modules if hasattr(module, "router")]
    return {path for router in routers for path in paths_of(router.routes)}


def test_it_describes_the_routes_for_programs() -> None:
    app = FastAPI()
    for router in (access.router, health.router, tables.router):
        app.include_router(router)
    described = app.openapi()["paths"]
    assert len(described) > 20
    assert [path for path in described if not path.startswith(PROGRAMS)] == []


def test_the_documentation_names_what_it_leaves_out() -> None:
    text = DOCS.read_text("utf-8")
    says = text[text.index("It leaves out pages") :].partition("Bodies")[0]
    named = tuple(re.findall(r"`(/[^`]+)`", says))
    found = {path for path in page_paths() if not path.startswith("/api/")}
    assert len(found) > 15
    assert [path for path in sorted(found) if path != "/" and not path.startswith(named)] == []
