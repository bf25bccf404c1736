"""The closed vocabularies of a rulebook, and the kinds of names in it.

A `NewType` over `str` is a reference: its type says what the name refers to, and the checker
follows each one. If a text needs a new word, add it here and to docs/rulebook-format.md.
"""

from collections.abc import Mapping
from typing import Literal, NewType

ClauseId = NewType("ClauseId", str)
RulingId = NewType("RulingId", str)
WagerId = NewType("WagerId", str)
SpotId = NewType("SpotId", str)
LineId = NewType("LineId", str)
FamilyId = NewType("FamilyId", str)
MeterId = NewType("MeterId", str)
PlaceId = NewType("PlaceId", str)
SelectionId = NewType("SelectionId", str)
BookPath = NewType("BookPath", str)

BankedBy = Literal["house", "player"]
Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
HandName = Literal[
    "super royal", "royal flush", "mini royal", "straight flush", "four of a kind", "full house",
    "flush", "straight", "three of a kind", "two pair", "pair", "high card",
]  # fmt: skip
ThreeCards = Literal["set first", "card by card", "as five cards"]
FiveCards = Literal["ace low or high", "ace high only"]
Placed = Literal["before the deal", "by decision"]
Does = Literal["pay", "lose", "push", "table", "push listed"]
Unlisted = Literal["pay", "lose"]
Fate = Literal["forfeit", "keep", "take back"]
StepKind = Literal["bets", "deal", "decide", "reveal", "settle"]
Order = Literal["clockwise", "counterclockwise", "from the banker", "from the action"]
CoverUnit = Literal["wager", "hand"]
Collects = Literal["first", "in turn"]
CoverFrom = Literal["wager", "wager and collections"]
RakePayer = Literal["all", "players", "designated_player"]
Effect = Literal[
    "void",
    "stand",
    "discard card",
    "use as next",
    "reshuffle",
    "remove deck",
    "remove all decks",
    "abandon seat",
]
Fact = Literal[
    "count", "positions", "where", "cards", "misdealt", "handled", "reconstructable",
    "noticed_late", "seat",
]  # fmt: skip
Stack = Literal["shuffled by hand", "preshuffled"]
Device = Literal["shuffler", "shoe"]
DealingWay = Literal["manual_shoe", "hand", "automated_shoe"]
Takes = Literal[
    "paytable", "option", "sizes", "rate", "reset", "initial", "shares", "payouts", "limits",
    "count", "money", "brackets", "rake",
]  # fmt: skip
KeptHow = Literal["enforced", "guided", "declared"]
Occasion = Literal[
    "cards received", "first player", "looked", "shuffle", "cut", "bets", "no more bets", "deal",
    "dealt", "stub count", "examine", "decide", "decided", "reveal", "settle", "progressive won",
    "settled", "idle", "deck change", "device fails", "misdeal",
]  # fmt: skip
Force = Literal["task", "manner", "notice", "right"]
Keeping = Literal[
    "open", "close bets", "shuffle", "cut", "first card", "count", "show", "validate", "secure"
]
Keeper = Literal["dealer", "floorperson", "player"]
Thing = Literal["dealer", "cards", "chips"]
RulingTopic = Literal[
    "things", "two people", "reading", "validation", "system failure", "undone"
]  # fmt: skip

SEAT, BANK, SEATS, DISCARD = PlaceId("seat"), PlaceId("bank"), PlaceId("seats"), PlaceId("discard")
"""The places for cards at every table; a book names its other places itself."""

ACTION: Order = "from the action"
"""The order of settling from the action seat."""

FELT: tuple[Thing, ...] = ("cards", "chips")
"""What a round file is about: cards and chips on a felt. How its dealer worked is not in it."""

NONE = "none"
"""The value of a selection for no wager, or no sum."""

ANY = "any"
"""In a condition, any value of a selection except 'none'."""

When = tuple[Mapping[SelectionId, tuple[str, ...]], ...]
"""Applies if any map fits; a map fits if every selection in it has one of its values."""
