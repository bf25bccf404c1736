"""What a round came to for one player: hands, results by wager, and decisions against the best.

A review is made from a round that is over. Of the cards that were never shown it holds only the
player's own. Values are exact: by the rules that the round was played by, the bets that were made
and what the meters showed.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from croupier.cards import Card
from croupier.errors import UserError
from croupier.hands.hand import Hand
from croupier.ledger.found import FoundRound
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.values import values_of
from croupier.odds.why import best_of, why
from croupier.round.events import BetsClosed, Chose
from croupier.round.order import positions_of
from croupier.round.plan import plan_of
from croupier.round.play import Play
from croupier.round.state import Box, Round
from croupier.rules.vocabulary import DISCARD, SEAT
from croupier.server.coach import CENTS, Sight, bet_of, meters_of, sight_at

PLAYER = "player"
"""Who chose, if it was neither the clock nor the posted rule."""
BACK = "withdrawn"


Faces = Mapping[int, Card]
"""The cards of the deck, by the position they were dealt from."""


class WagerResult(NamedTuple):
    """One wager's result in a hand, in cents, and its expected result."""

    wager: str
    label: str
    staked: int
    net: int
    expected: Fraction | None
    """In cents, by the best strategy; None if the odds don't price it."""


class JudgedChoice(NamedTuple):
    """A choice, the best one with the same cards, and what the difference cost on average."""

    label: str
    best: str
    cost: Fraction
    """In cents."""
    reason: str
    by_player: bool


class ReviewedHand(NamedTuple):
    """One hand of a player, with its wagers and choices."""

    seat: int
    cards: tuple[Card, ...]
    name: str
    results: tuple[WagerResult, ...]
    choices: tuple[JudgedChoice, ...]
    chose: tuple[str, ...]
    """The labels of all choices, those that the odds don't judge included."""
    variance: Fraction | None
    """The variance of the net, in square cents, by the best strategy."""
    fee: int
    words: str = ""
    """The hand as a dealer calls it."""

    @property
    def net(self) -> int:
        return sum(result.net for result in self.results) - self.fee

    @property
    def expected(self) -> Fraction | None:
        """The expected result, in cents, without fees; None if the odds don't price the bet."""
        if self.variance is None:
            return None
        return sum((result.expected or Fraction(0) for result in self.results), Fraction(0))


class Review(NamedTuple):
    """A round as one player looks back on it."""

    round: str
    table: str
    time_ms: int
    """When its last event was stored."""
    rulebook: str
    title: str
    hands: tuple[ReviewedHand, ...]
    banked: int | None
    """The net of the player's bank, in cents."""
    places: tuple[tuple[str, tuple[Card, ...]], ...]
    """The cards that were shown besides those of the seats, by what their place is called."""
    void: bool

    @property
    def others(self) -> tuple[Card, ...]:
        return tuple(card for _, cards in self.places for card in cards)

    @property
    def staked(self) -> int:
        return sum(result.staked for hand in self.hands for result in hand.results)

    @property
    def net(self) -> int:
        return sum(hand.net for hand in self.hands) + (self.banked or 0)


def review_of(found: FoundRound, faces: Faces | None, player: str) -> Review | None:
    """Return a player's review of a round; None if it isn't over or the player wasn't in it."""
    round = found.told[-1][0]
    boxes = [box for box in round.boxes.values() if box.player == player]
    banks = round.banker is not None and round.banker.player == player
    if not round.closed or not (boxes or banks):
        return None
    bank = round.bank_result if banks else None
    first, last = found.records[0], found.records[-1]
    return Review(
        round=round.id,
        table=first.stream,
        time_ms=last.time_ms,
        rulebook=round.rules.rulebook,
        title=round.rules.title,
        hands=tuple(_hand(found, faces, box) for box in boxes),
        banked=bank.net if bank else None,
        places=tuple(_places(round)),
        void=round.void is not None,
    )


def _places(round: Round) -> Iterator[tuple[str, tuple[Card, ...]]]:
    """Yield the cards that were shown at each place of the table, and its name."""
    rules = round.rules
    for place, positions in round.places.items():
        cards = tuple(round.faces[p] for p in positions if p in round.faces)
        if cards and place != DISCARD:
            yield rules.places[place].label if place in rules.places else rules.bank.label, cards


def _hand(found: FoundRound, faces: Faces | None, box: Box) -> ReviewedHand:
    round = found.told[-1][0]
    known = Play(round, faces).known_to(box.seat) if faces else round.faces
    cards = tuple(known[p] for p in positions_of(round, box) if p in known)
    priced = None if round.void else _priced(found, box)
    held = _main_hand(round, cards)
    return ReviewedHand(
        seat=box.seat,
        cards=cards,
        name=plan_of(round.rules).name(held) if held else "",
        words=Hand(held, round.rules.ranking).words if held else "",
        results=tuple(_results(round, box, priced)),
        choices=tuple(_judged(found, faces, box, priced)) if faces and priced else (),
        chose=tuple(round.rules.steps[s].option[o].label for s, o in box.chose.items()),
        variance=priced.variance * 10_000 if priced else None,
        fee=0 if round.void else box.fee,
    )


def _main_hand(round: Round, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards of the main hand, or none while some of them are unknown."""
    main = plan_of(round.rules).main
    others = [p for place in main if place != SEAT for p in round.places.get(place, ())]
    if not cards or round.void or any(p not in round.faces for p in others):
        return ()
    return (*cards, *(round.faces[p] for p in others))


def _priced(found: FoundRound, box: Box) -> Analysis | None:
    """Analyse the bet of a hand at what the meters showed when bets closed."""
    closed = [round for round, event in found.told if isinstance(event, BetsClosed)]
    if not closed:
        return None
    bet = bet_of(closed[-1], closed[-1].boxes[box.seat])
    meters = meters_of(closed[-1].rules, bet, closed[-1].meters)
    try:
        return analyze(closed[-1].rules, dict(bet), meters=dict(meters))
    except UserError:
        return None


def _results(round: Round, box: Box, priced: Analysis | None) -> Iterator[WagerResult]:
    """Yield what each wager came to; the spots of one wager count together."""
    wager_of = {spot: name for name, spots in round.rules.spots.items() for spot in spots}
    expected = _expected(priced) if priced else {}
    lines = [line for line in round.lines if line.seat == box.seat]
    order = [*round.rules.wagers, *round.rules.bonuses]
    names = {*(wager_of.get(line.wager, line.wager) for line in lines), *expected}
    for name in [*(n for n in order if n in names), *sorted(names.difference(order))]:
        own = [line for line in lines if wager_of.get(line.wager, line.wager) == name]
        staked = sum(line.stake for line in own if line.outcome != BACK)
        net = sum(line.net for line in own)
        yield WagerResult(name, round.rules.label(name), staked, net, expected.get(name))


def _expected(priced: Analysis) -> Mapping[str, Fraction]:
    """Return the expected result of each line, in cents."""
    found: dict[str, Fraction] = {}
    for one in priced.returns:
        found[one.line] = found.get(one.line, Fraction(0)) + one.contribution / CENTS
    return found


def _judged(found: FoundRound, faces: Faces, box: Box, priced: Analysis) -> Iterator[JudgedChoice]:
    """Yield each choice beside the best one with the cards that the seat saw."""
    for (before, _), (_, event) in zip(found.told, found.told[1:], strict=False):
        if not isinstance(event, Chose) or event.seat != box.seat:
            continue
        sight = sight_at(Play(before, faces), box.seat, before.meters)
        yield _judge(sight, event, priced)


def _judge(sight: Sight, event: Chose, priced: Analysis) -> JudgedChoice:
    options = sight.rules.steps[event.step].option
    values = values_of(priced.solved, sight.situation)
    best = best_of(values)
    return JudgedChoice(
        label=options[event.option].label,
        best=options[best].label,
        cost=(values[best] - values[event.option]) / CENTS,
        reason=why(priced.solved, sight.situation, values),
        by_player=event.by == PLAYER,
    )
