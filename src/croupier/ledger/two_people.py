"""What takes two people at a table, as its journal shows it: each such event names both. Pure.

The house decides who may propose and approve; here it is only checked that there were two.
"""

from collections.abc import Mapping
from typing import Any

from croupier.errors import CroupierError
from croupier.ledger.journal import Record, Vocabulary
from croupier.round.faces import is_acted_on
from croupier.round.order import is_read
from croupier.round.state import Round

BY_TWO: Mapping[tuple[Vocabulary, str], str] = {
    ("round", "Declared"): "voided a round after its first card",
    ("round", "Validated"): "decided about an award",
    ("round", "CardCorrected"): "corrected a card that somebody had acted on",
    ("round", "StakeCorrected"): "corrected a stake after betting had closed",
    ("round", "ChoiceCorrected"): "corrected a choice that had been entered",
    ("round", "ByHand"): "entered a round that was finished by hand",
    ("table", "ChipsMoved"): "moved chips between tray and cage",
    ("table", "Mispaid"): "noted a wrong payment of an earlier round",
    ("table", "PayCorrected"): "corrected a payment of an earlier round",
    ("table", "HandRecalled"): "recalled a hand that was never turned up",
    ("table", "Corrected"): "put a dispute right",
    ("table", "TappedIn"): "handed a post over",
    ("table", "Approved"): "approved what they had proposed",
    ("ledger", "MeterAdjusted"): "adjusted a meter",
    ("ledger", "BalanceAdjusted"): "adjusted a player's chips",
}
"""The events that take two people, some only at times, and what one person would have done."""


class OnePerson(CroupierError):
    """Raised for an event that one person made, and two have to."""


class Attribution:
    """Follows who made the events of a table, in order."""

    def __init__(self) -> None:
        self.first_card = ""
        """The last round whose first card was dealt."""

    def check(self, record: Record, round: Round | None) -> None:
        """Check who made the next event, given the round that it finds; raises OnePerson."""
        event = record.event
        if event.get("type") == "FirstCardDealt":
            self.first_card = str(event["round"])
        did = BY_TWO.get((record.of, str(event.get("type"))))
        if did and len({*record.who}) < 2 and _takes_two(event, round, self._dealt(round)):
            raise OnePerson(f"one person {did}, which takes two")

    def _dealt(self, round: Round | None) -> str:
        """Return the round in play if its first card is out, or else ''.

        A real card leaves the shoe before anybody says so.
        """
        if round is None or round.closed:
            return ""
        is_out = round.id == self.first_card or (is_read(round.rules) and round.at > 0)
        return round.id if is_out else ""


def _takes_two(event: Mapping[str, Any], round: Round | None, dealt: str) -> bool:
    """Whether an event takes two people at its time."""
    match event["type"]:
        case "Declared":
            # Older automatic tables declared faults of their own, without any person.
            if round is None or "dealer" not in round.rules.things:
                return False
            # A round that is over was dealt (Singapore 5.4).
            return (bool(dealt) or round.closed) and "void" in event["effects"]
        case "Validated":
            found = round.awards[event["seat"], event["wager"]] if round else None
            is_large = found is not None and found.two
            return event["answer"] == "reject" or (event["answer"] == "pay" and is_large)
        case "CardCorrected":
            return round is not None and is_acted_on(round, event["position"])
        case "ChipsMoved":
            return bool(event["why"] != "sale")
        case "Mispaid" | "PayCorrected":
            return dealt not in ("", event["round"])
        case "HandRecalled":
            return bool(event.get("hidden"))
        case "TappedIn":
            return bool(event.get("agreed"))
    return True
