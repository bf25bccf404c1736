"""The pages on a real server: an application with nothing else in it, on a free port."""

import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI, Request, Response

from croupier.rules.load import rulebook_ids
from croupier.server.faults import answer_errors
from croupier.server.headers import POLICY
from croupier.server.pages import odds, rulebooks, shelf, static

BOOKS = rulebook_ids()
ONE = "maryland-three-card-poker"
RIDE = "maryland-let-it-ride"
DESIGNATED = "florida-three-card-poker"
PAGES = (
    "/rulebooks",
    *(f"/rulebooks/{book}" for book in BOOKS),
    *(f"/rulebooks/{book}/prices" for book in BOOKS),
    f"/rulebooks/{ONE}?q=pair+plus",
    f"/rulebooks/compare?a={ONE}&b={RIDE}",
    f"/rulebooks/compare?a={ONE}&b={RIDE}&all=true",
    *(f"/odds?book={book}" for book in BOOKS),
    f"/odds?book={ONE}&select.progressive=A&bet.ante=1&bet.progressive=1",
    f"/odds?book={RIDE}&select.progressive=C&bet.let_it_ride=2&bet.progressive=1&others=4",
    f"/odds?book={ONE}&select.pair_plus=Z",
    f"/odds/compare?a.book={ONE}&b.book={ONE}&b.select.pair_plus=C",
    f"/odds?was={ONE}&book={RIDE}&bet.ante=2&select.pair_plus=C",
    f"/odds?book={ONE}&bet.ante=1&seen=Kd",
    f"/rulebooks/{RIDE}/prices?others=3",
    f"/odds/compare?a.book={ONE}&a.select.decks=9&b.book={RIDE}",
    "/rulebooks/nowhere",
)
"""Every kind of page, those that say what is wrong included."""


def pages_app() -> FastAPI:
    """An application of these pages alone, under the policy that the whole server sends."""
    app = FastAPI()
    app.state.shelf = shelf.Shelf()
    answer_errors(app)
    for router in (static.router, rulebooks.router, odds.router):
        app.include_router(router)

    @app.middleware("http")
    async def with_policy(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await call_next(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return app


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an application on a port of the machine's choice; its address comes back."""
    # Named as TCP, so that the loop sends small answers at once.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # Who comes before the server has started waits for it.
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            app.state.shelf.close()
