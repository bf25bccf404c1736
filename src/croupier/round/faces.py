"""Real cards, as a dealer reads them: a face is known only once its card is turned up (T12).

The deal fixes positions in the order in which cards left the shoe. Each card that is read fills the
next position that is due. There are 52 distinct cards, so one that was read before stops the hand.
"""

from collections.abc import Collection, Mapping

from croupier.errors import Refused
from croupier.round import commands
from croupier.round import events as happened
from croupier.round.commands import Command
from croupier.round.events import Event
from croupier.round.order import is_read, seats_in
from croupier.round.plan import plan_of
from croupier.round.settling import hidden_from, next_seat
from croupier.round.state import Round
from croupier.rules.game import counts_stub
from croupier.rules.vocabulary import Effect


def shown_next(round: Round) -> tuple[int, ...]:
    """Return the positions that a dealer turns up next; what no wager needs stays hidden (M25)."""
    if round.stage is None or round.stage.do != "settle":
        return round.due
    seat = next_seat(round)
    return hidden_from(round, seat) if seat is not None else ()


def read_ahead(round: Round) -> tuple[int, ...]:
    """Return the cards that may be read although the seats before theirs aren't settled yet.

    A seat whose cards lie open is settled by the first card of the next one.
    """
    if round.stage is None or round.stage.do != "settle" or shown_next(round):
        return ()
    order = seats_in(round, plan_of(round.rules).order)
    seats = [seat for seat in order if seat not in round.order][1:]
    after = next((seat for seat in seats if not is_out(round, seat)), None)
    return hidden_from(round, after) if after is not None else ()


def is_out(round: Round, seat: int) -> bool:
    """Whether a seat folded and no card is turned up for it: its wagers are lost already."""
    return round.boxes[seat].folded and not hidden_from(round, seat)


def read_card(round: Round, command: commands.Read) -> tuple[Event, ...]:
    """Fill the next position that is due, or stop the hand if the card was read before."""
    _check_real(round)
    due, clause = shown_next(round), round.step.clause if round.step else None
    if command.card in round.faces.values() and (next_ := due or read_ahead(round)):
        return (happened.Doubted(next_[0], command.card, command.source),)
    if not due:
        raise Refused("not_due", "no card is to be read now", field="card", clause=clause)
    return (happened.Shown(due[0], command.card, source=command.source),)


def check_doubt(round: Round, command: Command) -> None:
    """Refuse to go on while a card seems to be there twice, except to say what happened."""
    if round.doubt is None or round.void:
        return
    kinds = round.rules.irregularities
    match command:
        case commands.Misread("twice"):
            return
        case commands.Declare(kind, _) if kind in kinds and kinds[kind].doubled:
            return
    ruling = round.rules.ruling_on("reading")
    card = round.doubt[1].words
    message = f"the {card} was already read. Was it read twice, or are there two of them?"
    raise Refused("stopped", message, field="card", clause=ruling)


def misread(round: Round, command: commands.Misread) -> tuple[Event, ...]:
    """Take back a card that was read twice, or note one that was read too early."""
    _check_real(round)
    ruling = round.rules.ruling_on("reading")
    if command.why == "twice" and round.doubt is None:
        raise Refused("not_due", "no card was read twice", field="why", clause=ruling)
    if command.why == "early" and (round.stage is None or shown_next(round)):
        message = "a card is due, so nothing was read too early"
        raise Refused("not_due", message, field="why", clause=ruling)
    return (happened.Misread(command.why),)


def correct_card(round: Round, command: commands.Correct) -> tuple[Event, ...]:
    """Correct a face on which no seat has been settled."""
    _check_real(round)
    position, card = command.position, command.card
    ruling = round.rules.ruling_on("reading")
    if position not in round.faces:
        message = f"no card was read at position {position + 1}"
        raise Refused("not_due", message, field="position", clause=ruling)
    if card in round.faces.values():
        raise Refused("card_doubled", f"{card} was read already", field="card", clause=ruling)
    if is_settled_on(round, position):
        message = "a seat was settled on this card; correct what it was paid instead"
        raise Refused("wrong_step", message, field="position", clause=ruling)
    return (happened.CardCorrected(position, round.faces[position], card),)


def is_acted_on(round: Round, position: int) -> bool:
    """Whether a seat has decided since a card was read, so that two people correct it."""
    return position in [*round.faces][: round.firm]


def is_settled_on(round: Round, position: int) -> bool:
    """Whether a seat was settled that this card had a part in."""
    if not (round.order or round.lines):
        return False
    owner = next((box.seat for box in round.boxes.values() if position in box.cards), None)
    return owner is None or round.banker is not None or owner in round.order


# ---------------------------------------------------------------- counts and cards found


def count_stub(round: Round, command: commands.CountStub) -> tuple[Event, ...]:
    """Add the stub to the cards that were dealt or found; no one is told what to expect."""
    _check_real(round)
    if not any(map(counts_stub, round.rules.irregularities.values())):
        raise Refused("no_count", "this book doesn't count the stub", field="stub")
    if round.void or not round.next_position:
        message = "the stub is counted once the cards are dealt"
        raise Refused("wrong_step", message, field="stub")
    if round.stub is not None:
        raise Refused("wrong_step", "the stub was counted in this round", field="stub")
    if not 0 <= command.stub <= 2 * round.rules.deck.cards:
        raise Refused("bad_fact", "must be a number of cards", field="stub")
    return (happened.StubCounted(command.stub, command.stub + len(lying(round))),)


def lying(round: Round) -> tuple[int, ...]:
    """Return the positions of all cards that left the shoe: found first, then dealt."""
    dealt = [p for box in round.boxes.values() for p in box.cards]
    dealt += [p for positions in round.places.values() for p in positions]
    return tuple(dict.fromkeys((*round.discarded, *sorted(dealt))))


def stub_facts(round: Round, kind: str, given: Mapping[str, object]) -> Mapping[str, object]:
    """Complete the facts of a stub count with the number of cards that was counted."""
    irregularity = round.rules.irregularities.get(kind)
    if irregularity is None or round.stub is None or not counts_stub(irregularity):
        return given
    if given.get("cards", round.stub) != round.stub:
        raise Refused("bad_fact", f"{round.stub} cards were counted", field="cards")
    return {**given, "cards": round.stub}


def found_in_shoe(
    round: Round, does: Collection[Effect], facts: dict[str, object]
) -> dict[str, object]:
    """Give a card that was found face up in a real shoe the next position, so that it is read."""
    if not is_read(round.rules) or "discard card" not in does or "positions" in facts:
        return facts
    first = max((round.next_position, *(position + 1 for position in round.discarded)))
    count = facts.get("count")
    found = range(first, first + (count if isinstance(count, int) else 0))
    return {**facts, "positions": tuple(found)}


def _check_real(round: Round) -> None:
    if not is_read(round.rules):
        cited = round.rules.ruling_on("things")
        raise Refused("no_cards", "the cards of this table are virtual", clause=cited)
