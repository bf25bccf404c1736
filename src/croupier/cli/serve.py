"""`croupier serve`: open the tables to players in a browser."""

import contextlib
import re
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from croupier.cli.opening import KeyCommand, rules_in
from croupier.cli.output import group
from croupier.cli.supervisor import CannotGoOn, supervised
from croupier.errors import UserError
from croupier.recent import Recent
from croupier.rules.load import read_text

if TYPE_CHECKING:
    from croupier.house.config import Config
    from croupier.ledger.audit import RulesOf
    from croupier.server.guard import Policy

LOOPBACK = "127.0.0.1"
FOLDER = "croupier-data"
PORTS_MAX = 65_535
RULES_MAX = 1_000
"""How many tables' rules are kept resolved."""


Link = Annotated[
    str | None,
    typer.Option(
        "--link",
        metavar="HOST:PORT",
        help="Where servers on other machines reach this one; workers take the ports after it.",
    ),
]
Web = Annotated[
    bool,
    typer.Option(
        "--web", help="Serve pages and sockets but run no table; needs --database and a link.key."
    ),
]
app = group("Open the tables to players in a browser.", no_args_is_help=False)


@app.command()
def serve(
    context: typer.Context,
    data: Annotated[
        Path, typer.Option("--data", metavar="FOLDER", help="Folder for the ledger and the keys.")
    ] = Path(FOLDER),
    port: Annotated[int, typer.Option("--port", "-p", help="Port; 0 picks a free one.")] = 8000,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = LOOPBACK,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="Host name that browsers use; repeatable."),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option("--proxy", metavar="ADDRESS", help="Reverse proxy to trust; repeatable."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="URL", help="PostgreSQL database for the ledger."),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option("--tables", metavar="FILE", help="TOML file with the tables to open."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    no_limits: Annotated[
        bool,
        typer.Option("--no-limits", help="Turn off rate limits and quotas, for load tests."),
    ] = False,
    workers: Annotated[
        int,
        typer.Option("--workers", min=1, max=64, help="Processes; more than one need --database."),
    ] = 1,
    link: Link = None,
    web: Web = False,
    key_command: KeyCommand = "",
) -> None:
    """Open live tables for people to play in a browser; by default, one for each book.

    Prints the players' link, and a link that makes the first person who opens it an operator.
    Ctrl-C, SIGTERM and SIGHUP close the tables. Open rounds are stored and continue at the next
    start.
    """
    stop_like_ctrl_c()
    text = read_text(tables) if tables else (files("croupier.server") / "tables.toml").read_text()
    from croupier.house.config import parse_config
    from croupier.house.log import log_to
    from croupier.server.guard import NO_LIMITS, Policy

    rules_of = remembered(rules_in(context.obj))
    config = parse_config(text, rules_of, file=tables.name if tables else "tables.toml")
    limits = NO_LIMITS if no_limits else Policy()
    if no_limits and host != LOOPBACK:
        raise UserError(f"works only with --host {LOOPBACK}", field="--no-limits")
    if workers > 1 and not database:
        raise UserError("more than one worker needs a PostgreSQL --database", field="--workers")
    if web and not database:
        raise UserError("needs a PostgreSQL --database", field="--web")
    reached = read_link(link, workers) if link else None
    policy = limits._replace(hosts=tuple(names or ()), proxies=_proxies(proxies or []))
    log_to(sys.stderr)
    setup = Setup(
        config, rules_of, policy, data, database, context.obj, key_command, reached, is_web=web
    )
    if workers > 1:
        rounds = _workers(setup, (host, port), workers=workers, open_page=open_page)
    else:
        with _link_address(setup) as address:
            rounds = _house(setup, (host, port), address, open_page=open_page)
    _say(f"Closed. Open rounds stored for the next start: {rounds}.")


class Setup(NamedTuple):
    """What a house is opened with."""

    config: "Config"
    rules_of: "RulesOf"
    policy: "Policy"
    data: Path
    database: str | None
    folders: tuple[Path, ...]
    key_command: str
    reached: tuple[str, int] | None
    """Where servers on other machines reach this one, or its first worker."""
    is_web: bool
    """Whether it serves no table."""


def _workers(setup: Setup, where: tuple[str, int], *, workers: int, open_page: bool) -> int:
    """Serve one address by several processes, and return how many rounds they leave open."""
    from croupier.house.folder import Opener, locked_folder, opened_house, opened_web

    data, database, opener = setup.data, setup.database, Opener(key_command=setup.key_command)
    with locked_folder(data), listening(*where) as listener:
        opened: Any = opened_web if setup.is_web else opened_house
        with opened(data, database, opener._replace(is_locked=True)):
            pass  # A new ledger gets its tables and keys once, not from every worker.
        work = partial(_work, setup, listener, workers=workers, open_page=open_page)
        return supervised(workers, work)


def _work(
    setup: Setup, listener: socket.socket, number: int, *, workers: int, open_page: bool
) -> int:
    """Be one of several workers on one socket; the first one prints the links."""
    with _link_address(setup, number) as address:
        return _house(setup, listener, address, worker=number, nodes=workers, open_page=open_page)


def _house(
    setup: Setup,
    where: socket.socket | tuple[str, int],
    address: str,
    *,
    nodes: int = 1,
    worker: int | None = None,
    open_page: bool,
) -> int:
    """Open a house and serve it until the end; return how many rounds are still open."""
    from croupier.house.build import Build
    from croupier.house.folder import Opener, opened_house, opened_web, patiently
    from croupier.house.pit import Pit
    from croupier.server.app import make_app
    from croupier.server.doorway import Server, serve_config
    from croupier.server.guard import NO_LIMITS, Guard
    from croupier.server.passing import Passing
    from croupier.server.people import People
    from croupier.server.quotas import Quotas

    config, rules_of, policy, data, database, folders, *_ = setup
    opener = Opener(address, worker, worker is not None, setup.key_command)
    opened: Any = opened_web if setup.is_web else opened_house
    with opened(data, database, opener) as house:
        people, books = People(house.store), house.books()
        pit = Pit(
            config, books, rules_of, signing=house.signing(), nodes=nodes, build=Build(folders)
        )
        quotas = None if policy.messages == NO_LIMITS.messages else Quotas()
        app = make_app(pit, people, folders=folders, messages=policy.messages, quotas=quotas)
        whole: Any = app
        if database:
            whole = Passing(app, pit, key=house.link_key, address=address)
        with _listener(where) as listener:
            host, port = listener.getsockname()[:2]
            if not worker:
                page = f"http://{host}:{port}"
                once = patiently(house.store, people.operator_link)
                _announce(page, once, _kept(data, database))
                if open_page:
                    webbrowser.open(f"{page}/")
            server = Server(serve_config(Guard(whole, policy), host=host, port=port))
            server.drain = pit.leases.drain
            books.on_lost = partial(setattr, server, "should_exit", True)
            run_server(server, listener)
        people.close()
    if books.lost is not None:
        raise CannotGoOn(f"{books.lost}; the house was closed, and nothing was acknowledged since")
    if not server.started:
        raise UserError("the tables could not be opened; the log says why")
    return getattr(app.state, "open_rounds", 0)


def read_link(link: str, workers: int) -> tuple[str, int]:
    """Read where this server is reached; each worker has a port of its own."""
    if not re.fullmatch(r"[^\s:]+:\d{1,5}", link):
        raise UserError("must be HOST:PORT", field="--link")
    host, _, port = link.partition(":")
    if not 0 < int(port) <= PORTS_MAX + 1 - workers:
        wanted = f"{workers} ports" if workers > 1 else "a port"
        raise UserError(f"must leave {wanted} from 1 to {PORTS_MAX}", field="--link")
    return host, int(port)


@contextmanager
def _link_address(setup: Setup, worker: int = 0) -> Iterator[str]:
    """Yield where other servers of the house reach this one: on this machine, a socket file."""
    if not setup.database:
        yield ""
    elif setup.reached:
        host, port = setup.reached
        yield f"{host}:{port + worker}"
    else:
        with tempfile.TemporaryDirectory(prefix="croupier-") as folder:
            yield f"unix:{folder}/link"


@contextmanager
def _listener(where: socket.socket | tuple[str, int]) -> Iterator[socket.socket]:
    if isinstance(where, tuple):
        with listening(*where) as listener:
            yield listener
    else:
        yield where


def _announce(address: str, link: str, kept: str) -> None:
    _say(f"Croupier is open: {address}/")
    _say(f"Operator link (works once, for one hour): {address}/operator?link={link}")
    _say(f"Play chips only. Ctrl-C closes the house. {kept}")


def _proxies(texts: list[str]) -> Any:
    from croupier.server.guard import parse_proxies

    try:
        return parse_proxies(texts)
    except ValueError as error:
        raise UserError(str(error), field="--proxy") from None


def stop_like_ctrl_c() -> None:
    """Unwind on SIGTERM and SIGHUP while the house opens or closes; once open, it handles them."""
    for stop in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(stop) != signal.SIG_IGN:  # Ignored, as under nohup.
            signal.signal(stop, signal.default_int_handler)


def run_server(server: Any, listener: socket.socket) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def _kept(data: Path, database: str | None) -> str:
    """Describe where the data is, without a database password."""
    folder = data.resolve()
    if database is None:
        return f"Everything is stored in {folder}."
    from psycopg.conninfo import conninfo_to_dict

    where = conninfo_to_dict(database)
    name = " at ".join(str(where[key]) for key in ("dbname", "host") if where.get(key))
    ledger = f"the database {name}" if name else "the database"
    return f"The ledger is stored in {ledger}, keys and checkpoints in {folder}."


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Bind the port first, so that the printed links will work."""
    if not 0 <= port <= PORTS_MAX:
        raise UserError(f"must be from 0 to {PORTS_MAX}", field="--port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()  # Early connections wait until the tables are open.
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UserError(f"can't listen at {host}:{port}: {reason}", field="--port") from None
        yield listener


def remembered(rules_of: "RulesOf") -> "RulesOf":
    """Cache resolved selections: hundreds of tables may share a book's."""
    known: Recent[str, Any] = Recent(RULES_MAX)

    def find(rulebook: str, selections: Any, things: Any) -> Any:
        key = f"{rulebook} {sorted(selections.items())!r} {things!r}"
        return known.get_or_make(key, lambda: rules_of(rulebook, selections, things))

    return find


def _say(text: str) -> None:
    print(text, flush=True)
