"""`croupier serve`: open the tables to players in a browser."""

import contextlib
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.ledger import rules_in
from croupier.cli.output import group
from croupier.errors import UserError
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.protocol import Store
from croupier.rules.load import read_text

LOOPBACK = "127.0.0.1"
FOLDER = "croupier-data"
PORTS_MAX = 65_535


app = group("Open the tables to players in a browser.", no_args_is_help=False)


@app.command()
def serve(
    context: typer.Context,
    data: Annotated[
        Path, typer.Option("--data", metavar="FOLDER", help="Where ledger and keys are kept.")
    ] = Path(FOLDER),
    port: Annotated[
        int, typer.Option("--port", "-p", help="The port; 0 takes one that is free.")
    ] = 8000,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = LOOPBACK,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="A name that browsers reach it by (again)."),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option("--proxy", metavar="ADDRESS", help="A proxy to believe (again)."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="URL", help="A PostgreSQL database for the ledger."),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option("--tables", metavar="FILE", help="The tables to open, in TOML."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    no_limits: Annotated[
        bool,
        typer.Option("--no-limits", help="Let anybody ask as often as they like, for load tests."),
    ] = False,
) -> None:
    """Open live tables, one for each book unless told otherwise.

    The page is at the link that is printed; whoever has the other one is the operator, once.
    Ctrl-C closes the tables. Every open round is stored and goes on at the next start.
    """
    text = read_text(tables) if tables else (files("croupier.server") / "tables.toml").read_text()
    from croupier.server.app import guarded, make_app
    from croupier.server.backroom import Backroom
    from croupier.server.config import parse_config
    from croupier.server.doorway import serve_config
    from croupier.server.guard import NO_LIMITS, Policy
    from croupier.server.house import opened_house
    from croupier.server.log import log_to
    from croupier.server.people import People
    from croupier.server.pit import Pit

    rules_of = _remembered(rules_in(context.obj))
    config = parse_config(text, rules_of, file=tables.name if tables else "tables.toml")
    limits = NO_LIMITS if no_limits else Policy()
    if no_limits and host != LOOPBACK:
        raise UserError(f"only at {LOOPBACK}, where nobody else comes", field="--no-limits")
    policy = limits._replace(hosts=tuple(names or ()), proxies=_proxies(proxies or []))
    log_to(sys.stderr)
    with opened_house(data) as house, _opened(house.ledger, database) as store:
        people = People(store)
        pit = Pit(config, Backroom(store, house.master_key()), rules_of, signing=house.signing())
        app = make_app(pit, people, folders=context.obj, messages=policy.messages)
        with _listening(host, port) as listener:
            address = f"http://{host}:{listener.getsockname()[1]}"
            _say(f"Croupier is open: {address}/")
            _say(
                f"The operator's link, once, within the hour: {address}/operator?link="
                f"{people.operator_link()}"
            )
            _say(f"Play chips only. Ctrl-C closes; everything is kept in {data}.")
            if open_page:
                webbrowser.open(f"{address}/")
            _run(serve_config(guarded(app, policy), host=host, port=port), listener)
        open_rounds = getattr(app.state, "open_rounds", 0)
        people.close()
        _say(f"Closed; open rounds that are stored and go on next time: {open_rounds}.")


def _proxies(texts: list[str]) -> Any:
    from croupier.server.guard import parse_proxies

    try:
        return parse_proxies(texts)
    except ValueError as error:
        raise UserError(str(error), field="--proxy") from None


def _run(config: Any, listener: socket.socket) -> None:
    from croupier.server.doorway import Server

    # Somebody who hangs up must not take the house with them.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listener])


@contextmanager
def _opened(ledger: Path, database: str | None) -> Iterator[Store]:
    store = open_postgres(database, make=True) if database else open_sqlite(ledger, make=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Take the port, so that nothing is promised that cannot be kept."""
    if not 0 <= port <= PORTS_MAX:
        raise UserError(f"must be from 0 to {PORTS_MAX}", field="--port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()  # Who comes early waits until the tables stand.
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UserError(f"cannot listen at {host}:{port}: {reason}", field="--port") from None
        yield listener


def _remembered(rules_of: Any) -> Any:
    """Resolve the same selections of a book once: hundreds of tables may share them."""
    known: dict[str, Any] = {}

    def find(rulebook: str, selections: Any) -> Any:
        key = f"{rulebook} {sorted(selections.items())!r}"
        if key not in known:
            known[key] = rules_of(rulebook, selections)
        return known[key]

    return find


def _say(text: str) -> None:
    print(text, flush=True)
