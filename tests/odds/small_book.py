"""A small book for the tests of the odds: one wager against the bank, or others instead."""

from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook, parse_rulebook
from croupier.rules.table_rules import TableRules
from tests.rules.books import swapped

ID = "lighthouse"

TEXT = """
format    = 1
title     = "Lighthouse, Ruritania"
game      = "Lighthouse"
source    = "Royal Ruritanian Gaming Board, Lighthouse"
banked_by = "house"
table     = { seats = 5, clause = "1" }
ranking   = { three_cards = "set first", five_cards = "ace low or high", clause = "1" }
bank      = { label = "Keeper", qualifier = { high = "Q", clause = "1" }, clause = "1" }

[wager.watch]
label  = "Watch"
clause = "1"

[wager.watch.settle]
higher    = { does = "pay", to = 1, clause = "1" }
lower     = { does = "lose", clause = "1" }
equal     = { does = "push", clause = "1" }
unopposed = { does = "pay", to = 1, clause = "1" }

[wager.raise]
label  = "Raise"
placed = "by decision"
clause = "1"

[wager.raise.settle]
higher    = { does = "pay", to = 1, clause = "1" }
lower     = { does = "lose", clause = "1" }
equal     = { does = "push", clause = "1" }
unopposed = { does = "push", clause = "1" }

[step.bets]
do     = "bets"
closed = "1"
clause = "1"

[step.deal]
do     = "deal"
clause = "1"

[step.stay]
do     = "decide"
asks   = "watch"
order  = "clockwise"
clause = "1"

[step.stay.option.stay]
label  = "Stay"
key    = "S"
places = "raise"
equals = "watch"
clause = "1"

[step.stay.option.leave]
label  = "Leave"
key    = "L"
folds  = true
clause = "1"

[step.stay.option.leave.stakes]
watch = { fate = "forfeit", clause = "1" }

[step.reveal]
do     = "reveal"
shows  = ["seats", "bank"]
clause = "1"

[step.settle]
do     = "settle"
order  = "clockwise"
lines  = ["watch", "raise"]
clause = "1"

[deal.hand]
label  = "from the hand"
clause = "1"
cards = [
  { to = "seats", cards = 3, clause = "1" },
  { to = "bank", cards = 3, clause = "1" },
]

[deck]
cards  = 52
decks  = 1
clause = "1"

[clause]
1 = { kept = "declared", says = "Everything is as it is written here." }
"""

LANTERN = """
[wager.lantern]
label    = "Lantern"
paytable = "lantern"
settle   = { always = { does = "table", clause = "1" } }
clause   = "1"

[paytable.lantern.A]
of     = ["bank"]
clause = "1"
rows = [
  { hand = "straight flush", to = 35 },
  { hand = "three of a kind", to = 25 },
  { hand = "straight", to = 6 },
  { hand = "flush", to = 4 },
  { hand = "pair", to = 1 },
]

[selection.lantern]
says    = "the Lantern paytable"
takes   = "paytable"
family  = "lantern"
letters = ["A"]
default = "A"
clause  = "1"

[step.bets]"""
"""A wager on the bank's hand alone."""

WITH_LANTERN = (
    ("\n[step.bets]", LANTERN),
    ("watch = { fate", 'lantern = { fate = "keep", clause = "1" }\nwatch = { fate'),
    ('["watch", "raise"]', '["watch", "raise", "lantern"]'),
)


def text(*swaps: tuple[str, str]) -> str:
    return swapped(TEXT, *swaps)


def small(*swaps: tuple[str, str]) -> Rulebook:
    return parse_rulebook(text(*swaps), id=ID, file=f"{ID}.toml")


def table(*swaps: tuple[str, str]) -> TableRules:
    return resolve(small(*swaps))


def dealt(seats: int, bank: int) -> tuple[tuple[str, str], ...]:
    """Return swaps that deal this many cards to each seat and to the bank."""
    return (
        ('{ to = "seats", cards = 3', f'{{ to = "seats", cards = {seats}'),
        ('{ to = "bank", cards = 3', f'{{ to = "bank", cards = {bank}'),
    )
