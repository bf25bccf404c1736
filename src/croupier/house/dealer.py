"""What a dealer does, act by act. Chance and time are arguments.

The deck is shuffled, cut and committed to before the first wager of its round. Betting closes and
cards are dealt in one act, so nothing can come between; where players contributed to the cut, the
cards are dealt in a second act, after the contributions were revealed. A card that is shown carries
its salt.
"""

from collections.abc import Mapping

from croupier.errors import Bug
from croupier.fairness.commitment import Committed, commit
from croupier.fairness.events import DeckCut
from croupier.fairness.seal import seal
from croupier.fairness.shuffle import Entropy, draw, shuffled
from croupier.house.standing import Act, Standing
from croupier.round import bots
from croupier.round import commands as in_round
from croupier.round.play import Play
from croupier.table.commands import DealFirstCard, StartRound, Time
from croupier.table.dealer import chore
from croupier.table.rounds import end_of
from croupier.table.state import cut, is_cut_due

CLOCK, POSTED = "clock", "posted"
"""Who chose, when the player didn't: the clock, or the dealer by the posted rule (M13)."""


class Chance:
    """The source of entropy, and the key that decks are sealed with."""

    def __init__(self, entropy: Entropy, key: bytes) -> None:
        self.entropy, self.key = entropy, key


def open_round(act: Act, id: str, *, time: Time, meters: Mapping[str, int], chance: Chance) -> None:
    """Shuffle, cut where the book does, start a round, commit to its deck, and open betting."""
    rules = act.standing.table.rules
    least = rules.deck.cut.cards_min if rules.deck.cut else 1
    depth = least + draw(chance.entropy, rules.deck.cards - 2 * least + 1)
    while (next := chore(act.standing.table, depth)) is not None:
        act.at_table(next)
    table = act.standing.table
    deck = table.decks[table.deck_turn]
    act.at_table(StartRound(id, time))
    cards = shuffled(chance.entropy)
    if is_cut_due(rules, deck):
        cards = cut(cards, deck.depth)
    committed = commit(cards, chance.entropy, round=id, rules=rules.digest)
    act.commit(committed, seal(committed, chance.key, chance.entropy))
    act.open_betting(meters)


def close(act: Act, committed: Committed, *, time: Time) -> None:
    """Announce "no more bets"; deal, unless players have contributions to reveal first."""
    act.in_round(in_round.CloseBets())
    if not act.standing.cut.contributions:
        deal(act, committed, time=time)


def deal(act: Act, committed: Committed, *, time: Time) -> None:
    """Make the players' cut, deal, and turn up the cards that are due at once."""
    cut = act.standing.cut
    if cut.contributions:
        act.in_cut(DeckCut(act.round.id, cut.withheld))
    act.at_table(DealFirstCard(time))
    act.in_round(in_round.Deal())
    show(act, committed)


def show(act: Act, committed: Committed) -> None:
    """Turn up the cards that are due."""
    if command := play_of(act.standing, committed).due():
        act.in_round(command)


def settle(act: Act, meters: Mapping[str, int]) -> None:
    """Settle every wager at what the meters show, and end the round."""
    act.in_round(in_round.Settle({} if act.round.void else dict(meters)))
    act.at_table(end_of(act.round, act.standing.declared))


def play_of(standing: Standing, committed: Committed) -> Play:
    """Return a round as it is played with the deck that was committed to, after the cut."""
    if standing.round is None:
        raise Bug("no round was opened")
    at, faces = standing.cut.at, standing.cut.dealt(committed.deck)
    return Play(standing.round, faces, lambda position: committed.salt(at(position)))


def choose_for(act: Act, seat: int, committed: Committed, *, rich: bool, by: str = CLOCK) -> None:
    """Choose for a player by the posted rule; unless `rich`, only choices that cost nothing."""
    round = act.round
    option = bots.choose(round, seat, play_of(act.standing, committed).known_to(seat))
    step = round.step
    if not rich and step and step.option[option].places:
        option = next(name for name, other in step.option.items() if not other.places)
    act.in_round(in_round.Choose(seat, option, by))


def take_down(act: Act, seat: int) -> None:
    """Take down all bets of a seat."""
    rules, box = act.standing.table.rules, act.round.boxes.get(seat)
    for wager, spots in rules.spots.items():
        if box and any(spot in box.stakes for spot in spots):
            act.in_round(in_round.TakeDown(seat, wager))


def call_off(act: Act, cause: in_round.Cause, because: str) -> None:
    """Call off a round that can't be finished (T6): every stake comes back."""
    act.in_round(in_round.CallOff(cause, because))
    settle(act, {})
