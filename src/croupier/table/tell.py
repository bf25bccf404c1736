"""Describe an event of a table in a sentence, for those who work there."""

import re

from croupier.round.order import is_read
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars
from croupier.table import events as happened
from croupier.table.events import Event

_SILENT = (happened.FirstCardDealt, happened.RoundEnded)
"""What other events say already."""


def tell_table(rules: TableRules, event: Event) -> str:
    """Return a sentence about an event, '' for one that says nothing new."""
    match event:
        case happened.Joined(seat, _):
            return f"Seat {seat} is taken."
        case happened.Mispaid(round, seat, _, _, due, paid):
            return f"Seat {seat} was handed {dollars(paid)}, not {dollars(due)} (round {round})."
        case happened.PayCorrected(round, seat, _, _, cents):
            verb = "is handed" if cents > 0 else "gives back"
            return f"Seat {seat} {verb} {dollars(abs(cents))} (round {round})."
        case happened.Disputed(id, round, seat, _, about):
            return f"Dispute {id}, seat {seat} in round {round}: {about}."
        case happened.Stands(id, why):
            return f"Dispute {id} is closed, everything stands: {why}."
        case happened.Corrected(id, _, seat, _, cents, why):
            verb = "was handed" if cents > 0 else "gave back"
            sum = f", seat {seat} {verb} {dollars(abs(cents))}" if cents else ""
            return f"Dispute {id} is closed, put right{sum}: {why}."
        case happened.Left(seat):
            return f"Seat {seat} is free."
        case happened.Confirmed(_, clause, by):
            return f"Confirmed by the {by}: {rules.clauses[clause].says}"
        case happened.Failed(device, _, usable):
            use = "may still be used" if usable else "can't be used"
            return f"The {device} had a fault" + (f" and {use}." if usable is not None else ".")
        case happened.Secured(device, clause):
            return f"The {device}: {rules.clauses[clause].says}"
        case happened.Restored(device):
            return f"The {device} works again."
        case happened.Changed():
            return "The equipment is changed."
        case happened.ChipsMoved(why, cents):
            what = "Drop box collected:" if why == "drop" else f"{why.capitalize()} of"
            return f"{what} {dollars(cents)}."
        case happened.BankTaken(seat, _, _):
            return f"Seat {seat} takes the bank."
        case happened.BankPassed(seat, _):
            return f"Seat {seat} passes the bank."
        case happened.RoundStarted(round):
            return f"Round {round} is open."
        case happened.RoundUndone(round):
            return f"Round {round} comes to nothing after all."
        case happened.FirstCardDealt() if is_read(rules):
            return "The first card is dealt."
        case happened.TappedIn(_, post):
            return f"Tapped in: {post}."
        case happened.TappedOut():
            return "Tapped out."
        case happened.Proposed(id, why=why):
            return f"Proposal {id}: {why}."
        case happened.Approved(id, _):
            return f"Proposal {id} is approved."
        case happened.Withdrawn(id, _):
            return f"Proposal {id} is withdrawn."
        case happened.Declined(id, _, why):
            return f"Proposal {id} is declined{f': {why}' if why else ''}."
        case happened.Lapsed(id, _):
            return f"Proposal {id} has lapsed."
        case _ if isinstance(event, _SILENT):
            return ""
    deck = getattr(event, "deck", None)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(event).__name__).lower()
    return f"{words.capitalize()}{f': deck {deck}' if deck else ''}."
