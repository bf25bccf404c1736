"""What a dealer does with real cards: there is no sealed deck, and faces come from people.

The deck is shuffled and cut on the felt before its round starts. The cards are read as they are
turned up, and the first card of the next seat settles the seat before it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from croupier.errors import Refused
from croupier.house.config import TableConfig
from croupier.house.standing import Act, staked_meters
from croupier.round import commands as in_round
from croupier.round.faces import shown_next
from croupier.round.order import is_read
from croupier.round.settling import next_seat
from croupier.round.state import Round
from croupier.rules.game import counts_stub
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.table.commands import DealFirstCard, StartRound, Time
from croupier.table.crew import Post


def open_round(act: Act, id: str, *, time: Time, meters: Mapping[str, int]) -> None:
    """Start a round with the deck that is ready, and open betting; nothing is committed to."""
    act.at_table(StartRound(id, time))
    for command in act.standing.table.opening():
        act.in_round(
            replace(command, meters=dict(meters)) if isinstance(command, in_round.Open) else command
        )


def deal(act: Act, *, time: Time) -> None:
    """Say that all cards are dealt."""
    playing = act.standing.table.round
    if playing and not playing.dealt:
        act.at_table(DealFirstCard(time))
    act.in_round(in_round.Deal())


def read(act: Act, command: in_round.Read, *, post: Post, config: TableConfig) -> None:
    """Read a card; the first one of the next seat settles the seat before it."""
    round = act.round
    if round.stage and round.stage.do == "settle" and not shown_next(round) and round.due:
        seat = next_seat(round)
        if post == "clerk":
            raise Refused("not_yet", f"the dealer settles seat {seat} first", field="card")
        if staked_meters(act.standing) and not act.readings:
            raise Refused("overtaken", "the table has moved on")
        sums = config.validated_cents, config.witnessed_cents
        act.in_round(in_round.Settle(dict(act.readings), seat, *sums))
    act.in_round(command)


def check_declared(round: Round, command: object) -> None:
    """Refuse a number of cards that somebody says instead of counting the stub."""
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
    return [
        {"position": position, "place": _place(round, position)} for position in shown_next(round)
    ]


def _place(round: Round, position: int) -> str:
    """Return where a card lies, as a dealer says it."""
    rules = round.rules
    for box in round.boxes.values():
        if position in box.cards:
            return f"seat {box.seat}, card {box.cards.index(position) + 1}"
    for place, positions in round.places.items():
        if position in positions:
            label = rules.bank.label if place == BANK else rules.places[place].label
            return f"{label}, card {positions.index(position) + 1}"
    return "the card that was found face up"
