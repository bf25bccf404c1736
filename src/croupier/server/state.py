"""What an application holds for its routes, by name and type.

Starlette's `app.state` is untyped: routes read it as `state_of(request).pit`. An application with
some of the routes holds what these need.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from starlette.requests import HTTPConnection
from starlette.types import Scope

if TYPE_CHECKING:  # All of these but a few have routes of their own, which import this module.
    from croupier.gallery.galleries import Galleries
    from croupier.house.pit import Pit
    from croupier.server.limits import Rate
    from croupier.server.pages.shelf import Shelf
    from croupier.server.people import People
    from croupier.server.practices import Practices
    from croupier.server.quotas import Quotas
    from croupier.server.reviews import Reviews
    from croupier.server.staff import Staff
    from croupier.server.tapes import ActsTape, Winnings
    from croupier.server.voids import VoidCounts


class AppState(Protocol):
    pit: "Pit"
    people: "People"
    staff: "Staff"
    galleries: "Galleries"
    reviews: "Reviews"
    voids: "VoidCounts"
    tape: "ActsTape"
    winnings: "Winnings"
    practices: "Practices"
    shelf: "Shelf"
    messages: "Rate"
    """How many messages a second a socket may send."""
    quotas: "Quotas | None"
    everywhere: Callable[[Scope], Awaitable[list[bytes]]]
    """Returns what the other processes of the house answer to a request."""


def state_of(connection: HTTPConnection) -> AppState:
    """Return what the application that was asked holds."""
    state: AppState = connection.app.state
    return state
