"""What the dealer of an automatic table does, act by act; chance and time are given.

The deck is shuffled, cut and committed to before the first wager of its round. Bets close and
cards are dealt in one act, so that nothing can come between; what is shown carries its salt.
"""

from collections.abc import Mapping

from croupier.cards import Card
from croupier.fairness.commitment import Committed, commit
from croupier.fairness.seal import seal
from croupier.fairness.shuffle import Entropy, draw, shuffled
from croupier.round import bots
from croupier.round.commands import (
    CallOff,
    Choose,
    CloseBets,
    Deal,
    Face,
    Open,
    Settle,
    Show,
    TakeDown,
)
from croupier.round.order import positions_of
from croupier.round.state import Round
from croupier.server.standing import Act
from croupier.table.commands import DealFirstCard, EndRound, StartRound, Time
from croupier.table.dealer import chore
from croupier.table.state import cut, is_cut_due

CLOCK = "clock"
"""Who chose, where the player did not."""


class Chance:
    """Where chance comes from, and the key under which decks are sealed."""

    def __init__(self, entropy: Entropy, key: bytes) -> None:
        self.entropy, self.key = entropy, key


def open_round(
    act: Act, id: str, *, time: Time, meters: Mapping[str, int], chance: Chance
) -> Committed:
    """Do what is in the way of a round, start it, commit to its deck and open it for bets."""
    rules = act.standing.rules
    least = rules.deck.cut.cards_min if rules.deck.cut else 1
    depth = least + draw(chance.entropy, rules.deck.cards - 2 * least + 1)
    while (next := chore(act.standing.table, time, depth)) is not None:
        act.at_table(next)
    table = act.standing.table
    deck = table.decks[table.deck_turn]
    act.at_table(StartRound(id, time))
    cards = shuffled(chance.entropy)
    if is_cut_due(rules, deck):
        cards = cut(cards, deck.depth)
    committed = commit(cards, chance.entropy, round=id, rules=rules.digest)
    act.commit(committed.commitment, seal(committed, chance.key, chance.entropy))
    for command in act.standing.table.opening():
        act.in_round(Open(id, dict(meters)) if isinstance(command, Open) else command)
    return committed


def deal(act: Act, committed: Committed, *, time: Time) -> None:
    """Announce 'no more bets', deal, and turn up what is turned up at once."""
    act.in_round(CloseBets())
    act.at_table(DealFirstCard(time))
    act.in_round(Deal())
    show(act, committed)


def show(act: Act, committed: Committed) -> None:
    """Turn up the cards that are due."""
    if due := act.round.due:
        faces = tuple(Face(p, committed.deck[p], committed.salt(p)) for p in due)
        act.in_round(Show(faces))


def settle(act: Act, meters: Mapping[str, int]) -> None:
    """Settle every wager at what the meters show, and end the round."""
    act.in_round(Settle({} if act.round.void else dict(meters)))
    act.at_table(EndRound.of(act.round, act.standing.declared))


def known_to(round: Round, seat: int, deck: tuple[Card, ...]) -> dict[int, Card]:
    """Return the cards that a seat may see, by position."""
    own = positions_of(round, round.boxes[seat])
    return {**round.faces, **{position: deck[position] for position in own}}


def choose_for(act: Act, seat: int, committed: Committed, *, rich: bool) -> None:
    """Choose for a player who does not, by the posted rule; who cannot pay does not go on."""
    round = act.round
    option = bots.choose(round, seat, known_to(round, seat, committed.deck))
    step = round.step
    if not rich and step and step.option[option].places:
        option = next(name for name, other in step.option.items() if not other.places)
    act.in_round(Choose(seat, option, CLOCK))


def take_down(act: Act, seat: int) -> None:
    """Take all bets of a seat down, and leave those of others."""
    rules, box = act.standing.rules, act.round.boxes.get(seat)
    for wager, spots in rules.spots.items():
        if box and any(spot in box.stakes for spot in spots):
            act.in_round(TakeDown(seat, wager))


def call_off(act: Act, because: str) -> None:
    """Call a round off that cannot be finished (T6): every stake comes back."""
    act.in_round(CallOff(because))
    settle(act, {})
