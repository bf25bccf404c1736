"""Describe an event in a sentence, as a dealer would announce it."""

from croupier.round import events as happened
from croupier.round.events import Event
from croupier.round.order import hand_with
from croupier.round.state import Round
from croupier.rules.describe import EFFECTS
from croupier.rules.vocabulary import BANK
from croupier.rules.words import clause_says, dollars, listed

_CHOSEN = {"posted": "the posted choice, as the player was gone"}


def tell(round: Round, event: Event) -> str:
    """Return a sentence about an event; `round` is the round after it."""
    rules = round.rules
    match event:
        case happened.Opened():
            return "Place your bets."
        case happened.Banked():
            return f"Seat {event.seat} banks with {dollars(event.funds)}."
        case happened.BetMade():
            label = rules.wagers[event.wager].label
            return f"Seat {event.seat} bets {dollars(event.cents)} on {label}."
        case happened.BetTakenDown():
            return f"Seat {event.seat} takes down its {rules.wagers[event.wager].label}."
        case happened.BetsClosed():
            lies = f" The action is at seat {event.action}." if event.action else ""
            return f"No more bets.{lies}"
        case happened.Dealt():
            return f"{len(event.cards)} cards are dealt {rules.deal.label}."
        case happened.Shown():
            return f"{_shown_by(round, event.position)} the {event.card.words}."
        case happened.Doubted():
            return f"The {event.card.words} was read before."
        case happened.Misread():
            slip = "the same card was read twice" if event.why == "twice" else "too early"
            return f"A card was misread: {slip}."
        case happened.CardCorrected():
            return f"Corrected: the {event.card.words}, not the {event.was.words}."
        case happened.StubCounted():
            return f"The stub has {event.stub} cards, which makes {event.cards} together."
        case happened.ByHand():
            return "The system failed. The rest was played by hand, and entered by two people."
        case happened.Chose():
            option = rules.steps[event.step].option[event.option]
            late = "" if event.by == "player" else f" ({_CHOSEN.get(event.by, event.by)})"
            return f"Seat {event.seat}: {option.label}{late}."
        case happened.StakeCorrected():
            label, was = rules.wagers[event.wager].label, dollars(event.was)
            return f"Corrected: seat {event.seat}'s {label} is {dollars(event.cents)}, not {was}."
        case happened.ChoiceCorrected():
            options = rules.steps[event.step].option
            said = f"{options[event.option].label}, not {options[event.was].label}"
            return f"Corrected: seat {event.seat} said {said}."
        case happened.Declared():
            does = listed([EFFECTS[effect] for effect in event.effects])
            cited = clause_says(event.clause) if event.clause else f"ruling {event.ruling}"
            return f"{rules.irregularities[event.kind].says}: {does} ({cited})."
        case happened.CalledOff():
            cited = f" (ruling {event.ruling})" if event.ruling else ""
            return f"The system calls the round off: {event.because}{cited}."
        case happened.Confirmed():
            return f"Confirmed by the {event.by}: {rules.clauses[event.clause].says}"
        case happened.MetersRead():
            return "The meters are read."
        case happened.AwardFound():
            label = rules.wagers[event.wager].label
            won = dollars(event.cents) if event.cents else "Envy Bonuses"
            return f"Seat {event.seat}: {label} wins {won} with a {event.hand}, to be validated."
        case happened.Validated():
            label, does = rules.wagers[event.wager].label, _ANSWERS[event.answer]
            return f"Seat {event.seat}'s {label} win is {does}."
        case happened.SeatSettled():
            net = sum(line.net for line in event.lines) - event.fee
            sign = "wins" if net > 0 else "loses" if net < 0 else "comes out even"
            return f"Seat {event.seat} {sign}{f' {dollars(abs(net))}' if net else ''}."
        case happened.PartSettled():
            net = sum(line.net for line in event.lines)
            verb = "is paid" if net > 0 else "loses"
            return f"Seat {event.seat} {verb} {dollars(abs(net))}."
        case happened.Closed():
            return "The round is over."


_ANSWERS = {"pay": "validated", "reject": "rejected", "defer": "deferred"}


def _shown_by(round: Round, position: int) -> str:
    """Return the beginning of a sentence about a face: whose card it is, and a verb."""
    for seat, box in round.boxes.items():
        if position in box.cards:
            return f"Seat {seat} shows"
    if held := hand_with(round, position):
        return f"Hand {held[0]} shows"
    for place, positions in round.places.items():
        if position in positions:
            if place == BANK:
                return f"The {round.rules.bank.label.lower()} shows"
            return f"{round.rules.places[place].label}:"
    return "Turned up:"
