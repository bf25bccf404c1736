"""The rest of a round that was finished by hand because the system failed (T6).

Real cards lie on the felt whatever a program does. The table goes on with a printed form, and
later two people enter what it says. From there the round is settled like any other.
"""

from collections.abc import Callable, Iterator

from croupier.cards import Card
from croupier.errors import Refused
from croupier.round import commands
from croupier.round import events as happened
from croupier.round.commands import Command
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.order import is_read
from croupier.round.state import Round
from croupier.rules.game import counts_stub

SOURCE = "by hand"
"""How the face of a card on a form came to the program."""
Decide = Callable[[Round, Command], tuple[Event, ...]]


def enter(round: Round, form: commands.ByHand, decide: Decide) -> tuple[Event, ...]:
    """Return what a form says happened up to the settlement, or refuse a form that doesn't fit."""
    rules = round.rules
    if not is_read(rules):
        message = "the cards are virtual, so rounds aren't finished by hand"
        raise Refused("no_cards", message, clause=rules.ruling_on("things"))
    if round.void or round.stage is None:
        raise Refused("wrong_step", "there is nothing left to enter of this round")
    if round.stage.do == "settle" and not round.due:
        raise Refused("wrong_step", "every card is known; settle the seats")
    _check_known(round, form)
    events: list[Event] = [happened.ByHand(form.cards, form.chose, form.stub, form.action)]
    after = evolve(round, events[0])
    while not after.void and (made := _next(after, form, decide)):
        for event in made:
            after = evolve(after, event)
        events += made
    _check_fits(after, form)
    return tuple(events)


def _check_known(round: Round, form: commands.ByHand) -> None:
    """Refuse a form that repeats what was entered before the system failed."""
    if form.action is not None and round.at > 0:
        raise Refused("no_action", "betting had closed before the form began", field="action")
    if form.stub is not None and round.stub is not None:
        raise Refused("wrong_step", "the stub was counted in this round", field="stub")


def _next(round: Round, form: commands.ByHand, decide: Decide) -> tuple[Event, ...]:
    """Return the next thing that happened, nothing once the seats can be settled."""
    stage = round.stage
    if stage is None:
        return ()
    if stage.do == "bets":
        return decide(round, commands.CloseBets(form.action))
    if stage.do == "deal":
        return decide(round, commands.Deal())
    if form.stub is not None and round.stub is None:
        return decide(round, commands.CountStub(form.stub))
    if form.stub is not None and (kind := _uncounted(round)):
        return decide(round, commands.Declare(kind, {"misdealt": False}))
    if round.due:
        return tuple(_shown(round, form))
    if round.asked:
        seat = round.asked[0]
        option = form.chose.get(str(seat), {}).get(stage.name)
        if option is None:
            message = f"say what seat {seat} decided"
            raise Refused("bad_fact", message, field="chose", clause=stage.step.clause)
        return decide(round, commands.Choose(seat, option, "dealer"))
    return ()


def _uncounted(round: Round) -> str | None:
    """Return the irregularity that is the count of the stub, until it is declared."""
    kinds = round.rules.irregularities.items()
    found = (kind for kind, one in kinds if counts_stub(one) and kind not in round.irregular)
    return next(found, None)


def _shown(round: Round, form: commands.ByHand) -> Iterator[Event]:
    """Yield the faces of all cards that are due."""
    known = {*round.faces.values()}
    for position in round.due:
        card = _card(round, form, position)
        if card in known:
            raise Refused("card_doubled", f"has the {card.words} twice", field="cards")
        known.add(card)
        yield happened.Shown(position, card, source=SOURCE)


def _card(round: Round, form: commands.ByHand, position: int) -> Card:
    for name, positions in _places(round).items():
        if position in positions:
            given = form.cards.get(name, ())
            if len(given) != len(positions):
                message = f"has {len(given)} of the {len(positions)} cards of {_said(name)}"
                raise Refused("bad_fact", message, field="cards")
            return given[positions.index(position)]
    raise Refused("bad_fact", "read the card that was found face up first", field="cards")


def _places(round: Round) -> dict[str, tuple[int, ...]]:
    """Return where cards lie: seats by their numbers, other places by their names."""
    return {**{str(seat): box.cards for seat, box in round.boxes.items()}, **round.places}


def _said(name: str) -> str:
    return f"seat {name}" if name.isdecimal() else name.replace("_", " ")


def _check_fits(round: Round, form: commands.ByHand) -> None:
    """Refuse hands and decisions that weren't in the round, and cards other than those read.

    In a round that the stub made void, nothing after the deal was entered.
    """
    places = _places(round)
    for name, cards in form.cards.items():
        if cards and len(cards) != len(places.get(name, ())):
            message = f"{_said(name)} has {len(places.get(name, ()))} cards, not {len(cards)}"
            raise Refused("bad_fact", message, field="cards")
        for position, card in zip(places.get(name, ()), cards, strict=False):
            read = round.faces.get(position)
            if read is None and not round.void:
                # Everybody reads the form, and nobody may see a hand that stayed face down.
                message = f"leave {_said(name)} out: its cards are not turned up"
                raise Refused("bad_fact", message, field="cards")
            if read is not None and read != card:
                message = f"the {read.words} of {_said(name)} was read, not the {card.words}"
                raise Refused("bad_fact", message, field="cards")
    for name, chosen in form.chose.items() if not round.void else ():
        box = round.boxes.get(int(name)) if name.isdecimal() else None
        for step, option in chosen.items():
            if box is None or box.chose.get(step) != option:
                message = f"seat {name} made no such decision: {option.replace('_', ' ')}"
                raise Refused("bad_fact", message, field="chose")
