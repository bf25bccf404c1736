"""The accounts that money moves between. An account is a text: its kind and its owner.

A balance is what came in less what went out, so all balances always sum to zero.
"""

from functools import lru_cache
from typing import Literal, NewType, get_args

from croupier.errors import ParseError, quoted
from croupier.round.state import WALK_IN, is_walk_in

Account = NewType("Account", str)
Kind = Literal[
    "bank",
    "cage",
    "drop",
    "fees",
    "house",
    "inventory",
    "layout",
    "meter",
    "pending",
    "player",
    "tray",
    "walkin",
]
"""What each kind is:

bank       the funds that a player put up to bank one round
cage       where chips are bought and cashed in: the world outside
drop       the cash that chips were sold for at a table and that the cage has yet to collect
fees       fees and rake that a table has taken
house      what the house put into meters and corrections
inventory  the chips of a table's tray, which wagers are won from and lost to
layout     the money that lies on the layout in one round; it ends at zero
meter      what a meter shows
pending    an award that a floorperson has still to validate
player     a player's chips
tray       the chips that the cage lent to a table, less those sold or handed out wrongly
walkin     the chips of somebody who plays at a table without a screen: the world outside
"""

KINDS: tuple[Kind, ...] = get_args(Kind)
OWING: tuple[Kind, ...] = ("cage", "drop", "house", "inventory", "tray", "walkin")
"""The kinds that may go below zero: the house's own, and chips that nobody here counts."""
_AS_CAGE: tuple[Kind, ...] = ("drop", "tray", "walkin")
"""The kinds that came later than the databases, which keep them as the cage's."""

CAGE, HOUSE = Account("cage"), Account("house")
_ALONE = (CAGE, HOUSE)
ID_MAX = 200


@lru_cache(maxsize=4096)  # The same few accounts are named repeatedly.
def account(kind: Kind, id: str) -> Account:
    return parse_account(f"{kind}:{id}")


def parse_account(text: str) -> Account:
    """Parse an account, `player:ada` or `house`."""
    kind, colon, id = text.partition(":")
    if text in _ALONE:
        return Account(text)
    if kind not in KINDS or kind in _ALONE or not colon:
        kinds = ", ".join(k if k in _ALONE else f"{k}:…" for k in KINDS)
        raise ParseError(f"{quoted(text)} is not one of {kinds}", field="account")
    if not id.strip() or not id.isprintable() or len(id) > ID_MAX:
        raise ParseError(f"{quoted(text)} does not say whose it is", field="account")
    return Account(text)


def kind_of(account: Account) -> Kind:
    kind: Kind = account.partition(":")[0]  # type: ignore[assignment]
    return kind


def kept_kind(account: Account) -> Kind:
    """Return the kind that stores keep of an account."""
    kind = kind_of(account)
    return "cage" if kind in _AS_CAGE else kind


@lru_cache(maxsize=4096)  # The same players bet repeatedly.
def purse_of(table: str, player: str) -> Account:
    """Return the account that a player's stakes come from and winnings go to."""
    if is_walk_in(player):
        return account("walkin", f"{table}/{player.removeprefix(WALK_IN)}")
    return account("player", player)
