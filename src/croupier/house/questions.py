"""What a desk asks before an irregularity is declared: its facts, with the answers they take."""

from collections.abc import Iterator
from typing import Any

from croupier.round.dealing import is_dealt
from croupier.round.irregularity import DEALER, open_seats
from croupier.round.state import Round
from croupier.rules.game import Irregularity, counts_stub
from croupier.rules.vocabulary import BANK, SEAT, Fact

QUESTIONS: dict[Fact, str] = {
    "count": "How many cards?",
    "positions": "Which cards, counted from the top of the deck?",
    "where": "Where?",
    "cards": "How many cards did you count?",
    "misdealt": "Were cards dealt wrongly?",
    "handled": "Have players handled their cards?",
    "reconstructable": "Can the hands be put right?",
    "seat": "Which seat?",
}
CARD = {"field": "card", "kind": "card", "says": "Which card?"}
STUB = {"field": "stub", "kind": "number", "says": "How many cards are left in the stub?"}
FUNDS = {"field": "funds", "kind": "money", "says": "How many dollars are put up?"}
"""What is filled in when a card is read, the stub is counted or the bank is put up."""
_NUMBERS: tuple[Fact, ...] = ("count", "cards")


def questions_of(round: Round, irregularity: Irregularity) -> Iterator[dict[str, Any]]:
    """Yield what has to be said about an irregularity: a number, or one of some answers.

    Positions are for round files: at a table people count cards. So is what was noticed in a later
    round, because it is declared before. A stub that was counted is known.
    """
    for fact in irregularity.takes:
        if fact not in QUESTIONS:
            continue
        if fact == "positions" and "count" in irregularity.takes:
            continue
        if fact == "cards" and counts_stub(irregularity) and round.stub is not None:
            continue
        asked: dict[str, Any] = {"fact": fact, "says": QUESTIONS[fact]}
        if fact in _NUMBERS:
            yield {**asked, "answers": None}
        elif fact == "seat":
            seats = [_answer(seat, f"Seat {seat}") for seat in open_seats(round)]
            yield {**asked, "answers": seats}
        elif fact == "where":
            yield {**asked, "answers": [*_places(round, irregularity.where)]}
        else:
            yield {**asked, "answers": [_answer(True, "Yes"), _answer(False, "No")]}


def _answer(value: object, says: str) -> dict[str, Any]:
    return {"value": value, "says": says}


def _places(round: Round, places: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    rules = round.rules
    dealt = {line.to for line in rules.deal.cards if is_dealt(round, line)}
    for place in places:
        if place == SEAT:
            yield from (_answer(seat, f"Seat {seat}") for seat in sorted(round.boxes))
        elif place == BANK:
            yield _answer(DEALER, rules.bank.label)
        elif place in dealt:
            yield _answer(place, rules.places[place].label)
