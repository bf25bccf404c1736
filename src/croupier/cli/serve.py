"""`croupier serve`: open the tables to players in a browser."""

import contextlib
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.ledger import rules_in
from croupier.cli.output import group
from croupier.errors import UserError
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
    Ctrl-C, SIGTERM and SIGHUP close the tables. Every open round is stored and goes on at the next
    start.
    """
    _stop_like_ctrl_c()
    text = read_text(tables) if tables else (files("croupier.server") / "tables.toml").read_text()
    from croupier.server.app import guarded, make_app
    from croupier.server.backroom import Backroom
    from croupier.server.config import parse_config
    from croupier.server.doorway import Server, serve_config
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
    with opened_house(data, database) as house:
        people, room = People(house.store), Backroom(house.store, house.keys.master)
        pit = Pit(config, room, rules_of, signing=house.signing())
        app = make_app(pit, people, folders=context.obj, messages=policy.messages)
        with _listening(host, port) as listener:
            address = f"http://{host}:{listener.getsockname()[1]}"
            _announce(address, people.operator_link(), _kept(data, database))
            if open_page:
                webbrowser.open(f"{address}/")
            server = Server(serve_config(guarded(app, policy), host=host, port=port))
            room.on_lost = partial(setattr, server, "should_exit", True)
            _run(server, listener)
        people.close()
        open_rounds = getattr(app.state, "open_rounds", 0)
    if room.lost is not None:
        raise UserError(f"{room.lost}; the house was closed, and nothing was acknowledged since")
    if not server.started:
        raise UserError("the tables could not be opened; the log says why")
    _say(f"Closed; open rounds that are stored and go on next time: {open_rounds}.")


def _announce(address: str, link: str, kept: str) -> None:
    _say(f"Croupier is open: {address}/")
    _say(f"The operator's link, once, within the hour: {address}/operator?link={link}")
    _say(f"Play chips only. Ctrl-C closes; {kept}.")


def _proxies(texts: list[str]) -> Any:
    from croupier.server.guard import parse_proxies

    try:
        return parse_proxies(texts)
    except ValueError as error:
        raise UserError(str(error), field="--proxy") from None


def _stop_like_ctrl_c() -> None:
    """Unwind at SIGTERM and SIGHUP too while the house opens or closes; open, it sees to them."""
    for stop in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(stop) != signal.SIG_IGN:  # As under nohup.
            signal.signal(stop, signal.default_int_handler)


def _run(server: Any, listener: socket.socket) -> None:
    # Somebody who hangs up must not take the house with them.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def _kept(data: Path, database: str | None) -> str:
    """Say where everything is, without the password of a database."""
    folder = data.resolve()
    if database is None:
        return f"everything is kept in {folder}"
    from psycopg.conninfo import conninfo_to_dict

    where = conninfo_to_dict(database)
    name = " at ".join(str(where[key]) for key in ("dbname", "host") if where.get(key))
    ledger = f"the database {name}" if name else "the database"
    return f"the ledger is kept in {ledger}, keys and checkpoints in {folder}"


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
