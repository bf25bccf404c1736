"""What a dealer does with real cards: there is no sealed deck, and faces come from people.

The deck is shuffled and cut on the felt before its round starts. The cards are read as they are
turned up, and the first card of the next seat settles the seat before it. The last seat's
settlement ends the round.
"""

from collections.abc import Mapping
from typing import Any

from croupier.errors import Refused
from croupier.house.config import TableConfig
from croupier.house.standing import Act, staked_meters
from croupier.round import commands as in_round
from croupier.round.awards import open_awards
from croupier.round.duties import open_duty
from croupier.round.faces import is_out, read_ahead, shown_next
from croupier.round.order import hand_with, is_read
from croupier.round.settling import next_seat
from croupier.round.state import Round
from croupier.rules.game import counts_stub
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.table.commands import DealFirstCard, StartRound, Time
from croupier.table.crew import Post
from croupier.table.rounds import end_of


def open_round(act: Act, id: str, *, time: Time, meters: Mapping[str, int]) -> None:
    """Start a round with the deck that is ready, and open betting, without a commitment."""
    act.at_table(StartRound(id, time))
    act.open_betting(meters)


def deal_first(act: Act, *, time: Time) -> None:
    """Say that the first card leaves the deck; it is refused if the others can't follow."""
    Act(act.standing).in_round(in_round.Deal())
    act.at_table(DealFirstCard(time))


def deal(act: Act) -> None:
    """Say that all cards are dealt; between the first one and this, much can go wrong (13.A)."""
    before = act.standing
    act.in_round(in_round.Deal())
    if before.table.round is None or before.table.round.dealt or before.round is None:
        return
    rules, step = before.table.rules, before.round.step
    for duty in before.round.todo:
        if rules.clauses[duty.clause].act == "first card":
            raise open_duty(rules, duty)
    message = "say first that the first card is dealt"
    raise Refused("not_yet", message, clause=step.clause if step else None)


def read(act: Act, command: in_round.Read, *, post: Post, config: TableConfig) -> None:
    """Read a card; the first one of the next seat settles the seats before it.

    A card that was read before settles nobody: a scanner may read a seat's last card twice.
    """
    if read_ahead(act.round) and command.card not in act.round.faces.values():
        seat = next_seat(act.round)
        if post == "clerk":
            raise Refused("not_yet", f"the dealer settles seat {seat} first", field="card")
        if staked_meters(act.standing) and not act.readings:
            raise Refused("overtaken", "the table has moved on")
        settle(act, in_round.Settle(seat=seat), config=config)
        if open_awards(act.round):
            raise Refused("not_yet", f"settle seat {seat} first: it has a win", field="card")
    act.in_round(command)


def settle(act: Act, command: in_round.Settle, *, config: TableConfig) -> None:
    """Settle a seat; with real cards, also the folded seats after it that have no card to show.

    There, the round ends with its last seat: the dealer's next press clears the cards away.
    """
    sums = config.validated_cents, config.witnessed_cents
    act.in_round(in_round.Settle(dict(act.readings), command.seat, *sums))
    if not is_read(act.round.rules):
        return
    while (seat := next_seat(act.round)) is not None:
        if open_awards(act.round) or any(duty.concerns(seat) for duty in act.round.todo):
            return
        if act.round.banker or not is_out(act.round, seat):
            return
        act.in_round(in_round.Settle(dict(act.readings), seat, *sums))
    if not act.round.todo:
        close(act)


def close(act: Act) -> None:
    """End a round."""
    act.in_round(in_round.Close())
    act.at_table(end_of(act.round, act.standing.declared))


def check_declared(round: Round, command: object) -> None:
    """Refuse a stated number of cards where the stub has to be counted."""
    if not isinstance(command, in_round.Declare) or not is_read(round.rules):
        return
    kind = round.rules.irregularities.get(command.kind)
    if kind and counts_stub(kind) and round.stub is None:
        message = "enter the number of cards in the stub first"
        raise Refused("no_count", message, field="cards", clause=kind.rows[0].clause)


def doubled_kinds(rules: TableRules) -> tuple[str, ...]:
    """Return the irregularities that answer a card read twice: there are two of it."""
    return tuple(kind for kind, one in rules.irregularities.items() if one.doubled)


def stub_kind(rules: TableRules) -> str:
    """Return the irregularity that is the count of the stub, '' if the book has none."""
    kinds = rules.irregularities.items()
    return next((kind for kind, one in kinds if counts_stub(one)), "")


def reads_of(round: Round) -> list[dict[str, Any]]:
    """Return the cards that are turned up and read next, in order, each with its place."""
    if not is_read(round.rules):
        return []
    return [card_at(round, position) for position in shown_next(round)]


def card_at(round: Round, position: int) -> dict[str, Any]:
    """Return a card that is read, with its place."""
    return {"position": position, "place": _place(round, position)}


def _place(round: Round, position: int) -> str:
    """Return where a card lies, as a dealer says it."""
    rules = round.rules
    for box in round.boxes.values():
        if position in box.cards:
            return f"seat {box.seat}, card {box.cards.index(position) + 1}"
    if held := hand_with(round, position):
        return f"hand {held[0]}, card {held[1]}"
    for place, positions in round.places.items():
        if position in positions:
            label = rules.bank.label if place == BANK else rules.places[place].label
            return f"{label}, card {positions.index(position) + 1}"
    return "the card that was found face up"
