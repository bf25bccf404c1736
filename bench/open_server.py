"""Serves tables for a benchmark: `open_server.py FOLDER TABLES`, without limits for one address."""

import socket
import sys
from pathlib import Path

from croupier.ledger.stores import open_sqlite
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.server.app import guarded, make_app
from croupier.server.backroom import Backroom
from croupier.server.config import parse_config
from croupier.server.doorway import Doorway, Server, serve_config
from croupier.server.guard import Policy
from croupier.server.house import House
from croupier.server.limits import Rate
from croupier.server.people import People
from croupier.server.pit import Pit

FREELY = Rate(1e6, 1e6)


def main() -> None:
    house = House(Path(sys.argv[1]))
    books = {}

    def rules_of(rulebook, selections):  # type: ignore[no-untyped-def]
        key = rulebook, repr(selections)
        if key not in books:
            books[key] = resolve(load(rulebook), selections)
        return books[key]

    config = parse_config(Path(sys.argv[2]).read_text(), rules_of)
    store = open_sqlite(house.ledger, make=True)
    people = People(store)
    pit = Pit(config, Backroom(store, house.master_key()), rules_of, signing=house.signing())
    app = guarded(
        make_app(pit, people), Policy(requests=FREELY, costly=FREELY, sockets_max=100_000)
    )
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        doorway = Doorway(waiting_max=100_000)
        Server(serve_config(app, doorway=doorway, connections_max=100_000)).run([listener])
    store.close()


if __name__ == "__main__":
    main()
