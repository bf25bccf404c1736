"""The one thing to do next at a table, with its clause, from the book's data and the standing."""

from croupier.cards import DECK
from croupier.house.authority import OPENING
from croupier.house.checks import validates
from croupier.house.moments import kept_by
from croupier.house.questions import CARD, FUNDS, STUB
from croupier.house.shift import deck_step, device_step, duty_step, life_step, resting_duty
from croupier.house.shoe import card_at, reads_of, stub_kind
from croupier.house.standing import Standing
from croupier.house.step import NO_TIME, NextStep
from croupier.round import commands as in_round
from croupier.round.awards import open_awards
from croupier.round.bots import choose
from croupier.round.duties import after_first_card
from croupier.round.faces import shown_next, stub_facts
from croupier.round.irregularity import consequence_of
from croupier.round.order import is_read
from croupier.round.plan import plan_of
from croupier.round.settling import next_seat
from croupier.round.state import Duty, Round, is_walk_in
from croupier.rules.game import Consequence, Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, Keeping
from croupier.rules.words import dollars, listed
from croupier.table import commands as at_table
from croupier.table.commands import Time
from croupier.table.prompts import due
from croupier.table.state import bank_order

READS = in_round.Read(DECK[0])
"""Reads a card; whichever this one is, the person who turns the card up replaces it."""


def next_step(standing: Standing, time: Time | None = None, *, stopped: str = "") -> NextStep:
    """Return the one thing to do next.

    At a time, a deck may have become too old since the last event. `stopped` says why no further
    round starts.
    """
    step = _next_step(standing, time)
    if stopped and isinstance(step.command, OPENING):
        return NextStep(f"No round starts here: {stopped}.", ("operator",))
    return step


def _next_step(standing: Standing, time: Time | None) -> NextStep:
    table, round = standing.table, in_play(standing)
    if not table.crew.dealer:
        return NextStep("A dealer has to tap in.", ("dealer",))
    for proposal in table.proposals:
        if proposal.preview.voids:
            says = "The round waits for an answer: is it void?"
            return NextStep(says, proposal.preview.approve, proposal.preview.clause)
    # At a closing table, racking the cards is all that is left.
    opens = table.life in ("open", "counted")
    for duty in due(table):
        if (opens or duty.moment == "settled") and not resting_duty(table, duty):
            return duty_step(table, duty)
    if step := life_step(table) or device_step(table) or deck_step(table, time):
        return step
    return _between(standing) if round is None else _in_round(standing, round)


def in_play(standing: Standing) -> Round | None:
    """Return the round in play with what is left to do in it."""
    round, playing = standing.in_play, standing.table.round
    return after_first_card(round) if round and playing and playing.dealt else round


def _kept(rules: TableRules, duty: Duty, command: in_round.Command) -> NextStep:
    """Return the step that keeps a clause."""
    return NextStep(rules.clauses[duty.clause].says, duty.by[:1], duty.clause, "round", command)


def _between(standing: Standing) -> NextStep:
    table, rules = standing.table, standing.table.rules
    if len(table.seats) < rules.table.seats_min:
        return NextStep("Players have to sit down.", ("player",), rules.table.clause)
    if rules.banked_by == "player" and table.banker is None:
        order, rotation = bank_order(table), rules.bank.rotation
        clause = rotation.clause if rotation else rules.bank.clause
        says = f"Seat {order[0]} may bank." if order else "Nobody can bank."
        if order and is_walk_in(table.seats[order[0]]):
            take, by = at_table.TakeBank(order[0], 0), ("dealer",)
            return NextStep(says, by, clause, "table", take, FUNDS)
        return NextStep(says, ("player",), clause)
    says, clause = "Open the round.", rules.sequence[0][1].clause
    return NextStep(says, ("dealer",), clause, "table", at_table.StartRound("", NO_TIME))


def _in_round(standing: Standing, round: Round) -> NextStep:
    rules, stage = round.rules, round.stage
    clause = stage.step.clause if stage else ""
    if round.void:
        cited = round.void.clause or round.void.ruling or ""
        return NextStep(_returns(round), ("dealer",), cited, command=in_round.Close())
    if round.doubt:
        says = f"The {round.doubt[1].words} was read before. Was it read twice, or are there two?"
        ruling = rules.ruling_on("reading") or ""
        return NextStep(says, ("dealer",), ruling, command=in_round.Misread("twice"))
    if is_read(rules) and (step := _reading(round)):
        return step
    todo = due_now(round)
    if stage and stage.do == "deal" and (step := _dealing(standing, todo, clause)):
        return step
    if todo:
        return _kept(rules, todo[0], _doing(rules, todo[0]))
    if awards := open_awards(round):
        return validates(round, awards[0])
    seated = standing.table.seats.values()
    match stage.do if stage else None:
        case "bets" if round.boxes:
            close = NextStep("No more bets.", ("dealer",), clause, command=in_round.CloseBets())
            kept = (one["clause"] for one in kept_by(standing, close))
            return close._replace(clause=next(kept, clause))
        case "bets":
            enter = " Enter what the walk-ins bet." if any(map(is_walk_in, seated)) else ""
            return NextStep(f"Players place their bets.{enter}", ("player",), clause)
        case "deal":
            says = "Deal the rest." if is_read(rules) else "Deal."
            return NextStep(says, ("dealer",), clause, command=in_round.Deal())
    if turned := shown_next(round):
        places = {card_at(round, position)["place"].split(",")[0] for position in turned}
        says = f"Turn the cards up: {listed(sorted(places))}."
        return NextStep(says, ("dealer",), clause, command=in_round.Show(()))
    if round.asked:
        return NextStep(_decides(round, round.asked[0]), ("player",), clause)
    seat = next_seat(round)
    if seat is None:
        return NextStep("Close the round.", ("dealer",), clause, command=in_round.Close())
    return NextStep(f"Settle seat {seat}.", ("dealer",), clause, command=in_round.Settle(seat=seat))


def _returns(round: Round) -> str:
    """Say what goes back to whom in a void round, fees included; withdrawn bets have gone."""
    back = {
        seat: box.fee + sum(one.cents for one in box.stakes.values() if one.fate != "take back")
        for seat, box in round.boxes.items()
    }
    sums = [f"{dollars(cents)} to seat {seat}" for seat, cents in back.items() if cents]
    return f"The round is void: return {listed(sums) or 'everything'}."


def _dealing(standing: Standing, todo: tuple[Duty, ...], clause: str) -> NextStep | None:
    """Return the step in which the first real card leaves the deck, if it comes next."""
    table, rules = standing.table, standing.table.rules
    if not is_read(rules) or table.round is None or table.round.dealt:
        return None
    first, says = at_table.DealFirstCard(NO_TIME), "Deal the first card."
    if not todo:
        return NextStep(says, ("dealer",), clause, "table", first)
    kept = rules.clauses[todo[0].clause]
    if kept.act != "first card":
        return None
    return NextStep(f"{kept.says} {says}", todo[0].by[:1], todo[0].clause, "table", first)


def _decides(round: Round, seat: int) -> str:
    """Say who decides: a walk-in is asked, and a player who may be gone has a posted choice."""
    says, step = f"Seat {seat} decides", round.step
    if not is_read(round.rules) or step is None:
        return f"{says}."
    if is_walk_in(round.boxes[seat].player):
        return f"Ask seat {seat}{_about(round, step)}: {_either(step)}?"
    option = step.option[choose(round, seat, round.faces)]
    return f"{says}; if the player is gone, make the posted choice: {option.label}."


def _about(round: Round, step: Step) -> str:
    """Say which bet a decision is about, where a round has several decisions."""
    several = sum(stage.do == "decide" for stage in plan_of(round.rules).stages) > 1
    return f" about {round.rules.label(step.asks)}" if several and step.asks else ""


def _either(step: Step) -> str:
    return listed([option.label for option in step.option.values()], last="or")


def _doing(rules: TableRules, duty: Duty) -> in_round.Command:
    """Return the command that does a duty, or confirms that it was done."""
    act = rules.clauses[duty.clause].act
    if act == "validate":
        _, seat, wager = duty.about.split(" ", 2)
        return in_round.Validate(int(seat), wager)
    if act == "show":
        return in_round.Show(())
    return in_round.Confirm(duty.clause, duty.by[0], duty.about)


def due_now(round: Round) -> tuple[Duty, ...]:
    """Return the duties of the round, or of the seat that is settled next, in order."""
    if round.stage is None or round.stage.do != "settle":
        return round.todo
    turn = next_seat(round)
    return tuple(duty for duty in round.todo if duty.concerns(turn))


def act_due(round: Round) -> Keeping | None:
    """Return the act that keeps the first clause that is due."""
    duty = next(iter(due_now(round)), None)
    return round.rules.clauses[duty.clause].act if duty else None


def _reading(round: Round) -> NextStep | None:
    """Return the step in which a dealer reads a real card or counts the stub, if one is next."""
    duty, act = next(iter(due_now(round)), None), act_due(round)
    if duty and act == "count":
        return _counting(round, duty)
    if (duty and act not in ("show", "first card")) or not (reads := reads_of(round)):
        return None
    clause = duty.clause if duty else _turned_by(round, reads[0]["position"])
    says = f"Turn up and read {reads[0]['place']}."
    return NextStep(says, ("dealer",), clause, command=READS, takes=CARD)


def _turned_by(round: Round, position: int) -> str:
    """Return the clause by which a card is turned up: its step's, or its place's at the end.

    Cards that several seats share have a clause of their own, for what the step `shows`.
    """
    rules, stage = round.rules, round.stage
    if stage is None:
        return ""
    places = (name for name, cards in round.places.items() if position in cards and name != BANK)
    if stage.do != "settle" or not (place := next(places, "")):
        return stage.step.clause
    shows = (name for name, one in rules.clauses.items() if one.in_ == f"step.{stage.name}.shows")
    return next(shows, rules.places[place].clause)


def _counting(round: Round, duty: Duty) -> NextStep:
    """Return the step in which the stub is counted, and then the one that says what follows."""
    by, due = duty.by[:1], round.rules.deck.stub_count
    if round.stub is None:
        says, clause = "Count the stub, face down on the layout.", due.clause if due else ""
        return NextStep(says, by, clause, command=in_round.CountStub(0), takes=STUB)
    declare, row = stub_answer(round, wrongly=False)
    # 8.G comes after the count: only now does the stub go to the rack.
    kept = [d.clause for d in round.todo if d.clause == row.clause]
    does = "".join(f" {round.rules.clauses[clause].says}" for clause in kept)
    says = f"{round.stub} cards in all.{does} Were the cards dealt as they should be?"
    return NextStep(says, by, row.clause or "", command=declare)


def stub_answer(round: Round, *, wrongly: bool) -> tuple[in_round.Declare, Consequence]:
    """Return the answer to a counted stub, and what follows from it."""
    kind, facts = stub_kind(round.rules), {"misdealt": wrongly}
    row, _ = consequence_of(round, kind, stub_facts(round, kind, facts))
    return in_round.Declare(kind, facts), row
