"""What the people who work at a table see on their desk: the next step, what else may be done.

Everything comes from the book's data and the table's standing. No hidden card is in it.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from croupier.cards import DECK
from croupier.errors import Refused
from croupier.house.asks import CARD, FUNDS, STUB, asks_of
from croupier.house.checks import awards_seen, validates
from croupier.house.console import KEEPS, MAY, OPENING
from croupier.house.forms import forms, spots_of, topic_of
from croupier.house.moments import manners
from croupier.house.shift import (
    deck_step,
    device_step,
    duty_step,
    life_step,
    others,
    tray_of,
)
from croupier.house.shoe import card_at, doubled_kinds, reads_of, stub_kind
from croupier.house.shortcuts import REPEAT, REST, shortcuts
from croupier.house.standing import Standing
from croupier.house.step import NO_TIME, NextStep
from croupier.round import commands as in_round
from croupier.round.awards import open_awards
from croupier.round.bots import choice_says
from croupier.round.codec import to_plain
from croupier.round.dealing import is_dealt
from croupier.round.duties import after_first_card
from croupier.round.faces import is_settled_on, read_ahead, shown_next, stub_facts
from croupier.round.irregularity import check_time, consequence_of
from croupier.round.order import is_read
from croupier.round.plan import plan_of
from croupier.round.settling import next_seat
from croupier.round.state import NOTHING, Duty, Round, is_walk_in
from croupier.rules.game import Consequence, Irregularity
from croupier.rules.table_rules import TableRules, fits, is_there
from croupier.rules.vocabulary import ACTION, BANK, SEAT, Keeping
from croupier.rules.words import dollars
from croupier.table import commands as at_table
from croupier.table.commands import Time
from croupier.table.crew import PERSON, Post
from croupier.table.prompts import due
from croupier.table.state import Proposal, bank_order

_DOES: dict[Keeping | None, in_round.Command] = {
    "show": in_round.Show(()),
}
"""The commands that are the confirmation of a clause."""
KEYS: Mapping[type, tuple[str, str]] = {
    in_round.CloseBets: ("N", "No more bets"),
    at_table.DealFirstCard: ("D", "Deal"),
    in_round.Deal: ("D", "Deal"),
    in_round.Settle: ("Y", "Take and pay at the seat whose turn it is"),
}
"""Steps that have a key of their own besides that of every next step."""
SAYS_MAX = 30
"""A button says a step that is no longer than this, and of others that they are done."""
TAKE_BACK = "Z"
READS = in_round.Read(DECK[0])
"""Reads a card; the person who turns it up says which one it is."""


def next_step(standing: Standing, time: Time | None = None, *, stopped: str = "") -> NextStep:
    """Return the one thing to do next; with a time, a deck may have become too old since.

    `stopped` is why no other round is dealt.
    """
    step = _next_step(standing, time)
    if stopped and isinstance(step.command, OPENING):
        return NextStep(f"No round starts here: {stopped}.", ("operator",))
    return step


def _next_step(standing: Standing, time: Time | None) -> NextStep:
    table, round = standing.table, _in_play(standing)
    if not table.crew.dealer:
        return NextStep("A dealer has to tap in.", ("dealer",))
    for proposal in table.proposals:
        if proposal.preview.voids:
            says = "The round waits for an answer: is it void?"
            return NextStep(says, proposal.preview.approve, proposal.preview.clause)
    # A table that closes only has its cards racked.
    opens = table.life in ("open", "counted")
    for duty in due(table):
        if opens or duty.moment == "settled":
            return duty_step(table, duty)
    if step := life_step(table) or device_step(table) or deck_step(table, time):
        return step
    return _between(standing) if round is None else _in_round(standing, round)


def _in_play(standing: Standing) -> Round | None:
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
        order = bank_order(table)
        says = f"Seat {order[0]} may bank." if order else "Nobody can bank."
        if order and is_walk_in(table.seats[order[0]]):
            take, by = at_table.TakeBank(order[0], 0), ("dealer",)
            return NextStep(says, by, rules.bank.clause, "table", take, FUNDS)
        return NextStep(says, ("player",), rules.bank.clause)
    says, clause = "Open the round.", rules.sequence[0][1].clause
    return NextStep(says, ("dealer",), clause, "table", at_table.StartRound("", NO_TIME))


def _in_round(standing: Standing, round: Round) -> NextStep:
    rules, stage = round.rules, round.stage
    clause = stage.step.clause if stage else ""
    if round.void:
        return NextStep(
            "The round is void: return everything.",
            ("dealer",),
            round.void.clause,
            command=in_round.Close(),
        )
    if round.doubt:
        says = f"The {round.doubt[1].words} was read before. Was it read twice, or are there two?"
        ruling = rules.ruling_on("reading") or ""
        return NextStep(says, ("dealer",), ruling, command=in_round.Misread("twice"))
    if is_read(rules) and (step := _reading(round)):
        return step
    todo = _due_now(round)
    if stage and stage.do == "deal" and (step := _dealing(standing, todo, clause)):
        return step
    if todo:
        return _kept(rules, todo[0], _doing(rules, todo[0]))
    if awards := open_awards(round):
        return validates(round, awards[0])
    match stage.do if stage else None:
        case "bets" if round.boxes:
            return NextStep("No more bets.", ("dealer",), clause, command=in_round.CloseBets())
        case "bets":
            return NextStep("Players place their bets.", ("player",), clause)
        case "deal":
            says = "Deal the rest." if is_read(rules) else "Deal."
            return NextStep(says, ("dealer",), clause, command=in_round.Deal())
    if shown_next(round):
        return NextStep("Turn the cards up.", ("dealer",), clause, command=in_round.Show(()))
    if round.asked:
        return NextStep(_decides(round, round.asked[0]), ("player",), clause)
    seat = next_seat(round)
    if seat is None:
        return NextStep("Close the round.", ("dealer",), clause, command=in_round.Close())
    return NextStep(f"Settle seat {seat}.", ("dealer",), clause, command=in_round.Settle(seat=seat))


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
    """Say who decides; real cards aren't read yet, so the dealer applies the posted rule."""
    says, step = f"Seat {seat} decides", round.step
    if not is_read(round.rules) or is_walk_in(round.boxes[seat].player) or step is None:
        return f"{says}."
    return f"{says}; if the player is gone, the dealer does: {choice_says(round.rules, step)}."


def _doing(rules: TableRules, duty: Duty) -> in_round.Command:
    """Return the command that does a duty, or confirms that it was done."""
    act = rules.clauses[duty.clause].act
    if act == "validate":
        _, seat, wager = duty.about.split(" ", 2)
        return in_round.Validate(int(seat), wager)
    return _DOES.get(act) or in_round.Confirm(duty.clause, duty.by[0], duty.about)


def _due_now(round: Round) -> tuple[Duty, ...]:
    """Return the duties of the round, or of the seat that is settled next, in order."""
    if round.stage is None or round.stage.do != "settle":
        return round.todo
    turn = next_seat(round)
    return tuple(duty for duty in round.todo if duty.concerns(turn))


def _act_due(round: Round) -> Keeping | None:
    """Return the act that keeps the first clause that is due."""
    duty = next(iter(_due_now(round)), None)
    return round.rules.clauses[duty.clause].act if duty else None


def _reading(round: Round) -> NextStep | None:
    """Return the step in which a dealer reads a real card or counts the stub, if one is next."""
    duty, act = next(iter(_due_now(round)), None), _act_due(round)
    if duty and act == "count":
        return _counting(round, duty)
    if (duty and act not in ("show", "first card")) or not (reads := reads_of(round)):
        return None
    clause = duty.clause if duty else _turned_by(round, reads[0]["position"])
    says = f"Turn up and read a card: {reads[0]['place']}."
    return NextStep(says, ("dealer",), clause, command=READS, takes=CARD)


def _turned_by(round: Round, position: int) -> str:
    """Return the clause by which a card is turned up: its step's, or its place's at the end.

    What several seats share has a clause of its own, which says that it is what the step `shows`.
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
    declare, row = _dealt(round, wrongly=False)
    # 8.G comes after the count: only now does the stub go to the rack.
    kept = [d.clause for d in round.todo if d.clause == row.clause]
    does = "".join(f" {round.rules.clauses[clause].says}" for clause in kept)
    says = f"{round.stub} cards in all.{does} Were the cards dealt as they should be?"
    return NextStep(says, by, row.clause or "", command=declare)


def _dealt(round: Round, *, wrongly: bool) -> tuple[in_round.Declare, Consequence]:
    """Return an answer to a stub that is counted, and what follows from it."""
    kind, facts = stub_kind(round.rules), {"misdealt": wrongly}
    row, _ = consequence_of(round, kind, stub_facts(round, kind, facts))
    return in_round.Declare(kind, facts), row


def irregularities(round: Round) -> Iterator[dict[str, Any]]:
    """Yield what can be declared at this moment, with the facts that it takes."""
    rules = round.rules
    for kind, one in rules.irregularities.items():
        if round.void or not fits(one.if_, rules.selections):
            continue
        if (round.doubt and not one.doubled) or (one.reading and not is_read(rules)):
            continue
        if is_there(one.needs, rules.things) and _is_time(round, kind, one.rows[0]):
            cited, asks = [*_cited(round, one)], [*asks_of(round, one)]
            about = {"kind": kind, "says": one.says, "takes": [*one.takes]}
            # The last row is what follows unless the facts fit another one.
            yield {
                **about,
                "clause": cited[-1] if cited else "",
                "clauses": cited,
                "by": [*one.by],
                "asks": asks,
            }


def _cited(round: Round, irregularity: Irregularity) -> Iterator[str]:
    """Yield the clauses, or else the rulings, of what may follow in this round, each once."""
    dealt = {line.to for line in round.rules.deal.cards if is_dealt(round, line)}
    rows = (row for row in irregularity.rows if row.when.where in (None, SEAT, BANK, *dealt))
    yield from dict.fromkeys(row.clause or row.ruling or "" for row in rows)


def _is_time(round: Round, kind: str, row: Consequence) -> bool:
    try:
        check_time(round, kind, row)
    except Refused:
        return False
    return True


def parent_of(rules: TableRules, clause: str) -> str | None:
    """Return the clause that another one is a part of: 8.C(2) of 8.C(2)(a)."""
    found = [
        name
        for name in rules.clauses
        if clause.startswith(name) and clause[len(name) :][:1] in ("(", ".")
    ]
    return max(found, key=len, default=None)


def _together(rules: TableRules, todo: tuple[Duty, ...], step: NextStep) -> dict[str, Any]:
    """Return what the next step is about, and how many steps of its parent clause come with it."""
    confirms = isinstance(step.command, in_round.Confirm | at_table.Confirm)
    group = parent_of(rules, step.clause) if confirms else None
    first = todo[0] if confirms else None
    same = (
        duty.by[:1] == step.by and duty.about == (first.about if first else "")
        for duty in takewhile(lambda duty: parent_of(rules, duty.clause) == group, todo)
    )
    about = first.about if first else ""
    run = sum(same) if group else 1
    return {"about": about, "group": group, "run": run, "posts": [*_posts(step)]}


def _posts(step: NextStep) -> tuple[Post, ...]:
    """Return the posts from which the next step is done: a clause names its person."""
    may = MAY.get(type(step.command), ())
    named = isinstance(step.command, in_round.Confirm | at_table.Confirm | at_table.CountTray)
    if named or type(step.command) in KEEPS:
        return tuple(post for post in may if PERSON.get(post) in step.by)
    return may


def _button(
    step: NextStep, acts: list[dict[str, Any]], awards: list[dict[str, Any]]
) -> dict[str, str]:
    """Return what the button of a step says, in a few words, and its key beside Space.

    A step that waits for an entry has no key.
    """
    key = "" if step.takes else KEYS.get(type(step.command), ("", ""))[0]
    return {"does": _does(step, acts, awards), "key": key}


def _does(step: NextStep, acts: list[dict[str, Any]], awards: list[dict[str, Any]]) -> str:
    match step.command:
        case None:
            return ""
        case in_round.Settle(seat=seat):
            return f"Seat {seat} done"
        case in_round.Validate(seat=seat):
            cents = awards[0]["cents"]
            what = dollars(cents) if cents else "the Envy Bonuses"
            return f"Validate {what} of seat {seat}"
    command, short = to_plain(step.command), step.says.removesuffix(".")
    answers = (str(act["says"]) for act in acts if act["command"] == command)
    return next(answers, short if len(short) <= SAYS_MAX else "Done")


def keys_of(rules: TableRules) -> Iterator[dict[str, str]]:
    """Yield every key that this table's desk gives a meaning at some moment."""
    yield from ({"key": key, "says": says} for key, says in dict.fromkeys(KEYS.values()))
    options = [option for _, step in rules.sequence for option in step.option.values()]
    if not is_read(rules):
        return
    for key, says in {option.key: option.label for option in options if option.key}.items():
        yield {"key": key, "says": f"The asked seat: {says}"}
    yield {"key": TAKE_BACK, "says": "Take back the card that was read last"}
    if "chips" in rules.things:
        yield {"key": REPEAT, "says": "Repeat all last bets"}
        yield {"key": REST, "says": "The rest take the first choice"}
        yield {"key": "1–9", "says": "That seat takes the other choice, those before it the first"}


def _stopped(standing: Standing) -> dict[str, Any] | None:
    """Return why the round is held up, and whose answer it waits for."""
    for one in standing.table.proposals:
        if one.preview.voids:
            says, awaits = one.preview.says or one.why, [*one.preview.approve]
            clause = one.preview.clause or one.preview.ruling
            return {"proposal": one.id, "says": says, "awaits": awaits, "clause": clause}
    return None


def _proposal(rules: TableRules, one: Proposal) -> dict[str, Any]:
    irregular = rules.irregularities.get(str(one.command.get("kind")))
    return {
        "id": one.id,
        "of": one.of,
        "command": dict(one.command),
        "says": irregular.says if irregular else one.why,
        "why": one.why,
        "by": one.by.person,
        "since_s": one.time.wall_s,
        "preview": to_plain(one.preview),
    }


def _voiced(standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield what people at the table say: a walk-in passes, or where the action button lies."""
    table, round = standing.table, standing.in_play
    rotation = table.rules.bank.rotation
    waiting = () if round or table.banker else bank_order(table)[:1]
    for seat in waiting if rotation and rotation.passes else ():
        if rotation and is_walk_in(table.seats[seat]):
            command = to_plain(at_table.PassBank(seat))
            about = {"says": f"Seat {seat} passes", "clause": rotation.clause, "of": "table"}
            yield {**about, "command": command}
    if round and round.at == 0 and plan_of(round.rules).order == ACTION and round.step:
        for seat in round.boxes:
            says, close = f"No more bets: action at seat {seat}", in_round.CloseBets(seat)
            about = {"says": says, "clause": round.step.clause, "of": "round"}
            yield {**about, "command": to_plain(close)}


def _acts(round: Round | None) -> Iterator[dict[str, Any]]:
    """Yield what may be done now besides the next step."""
    if round and round.doubt:
        command = to_plain(in_round.Misread("twice"))
        ruling = round.rules.ruling_on("reading") or ""
        yield {"says": "It was read twice", "clause": ruling, "of": "round", "command": command}
        for kind in doubled_kinds(round.rules):
            command = to_plain(in_round.Declare(kind))
            row = round.rules.irregularities[kind].rows[0]
            clause = row.clause or row.ruling or ""
            yield {"says": "There are two", "clause": clause, "of": "round", "command": command}
    elif round and round.stub is not None and _act_due(round) == "count":
        for says, wrongly in (("Yes, they were", False), ("No, cards were dealt wrongly", True)):
            declare, row = _dealt(round, wrongly=wrongly)
            cited = row.clause or row.ruling or ""
            yield {"says": says, "clause": cited, "of": "round", "command": to_plain(declare)}
    elif round and round.asked and is_read(round.rules) and round.step:
        seat = round.asked[0]
        for name, option in round.step.option.items():
            command = to_plain(in_round.Choose(seat, name, "dealer"))
            says = f"Seat {seat}: {option.label}"
            about = {"says": says, "clause": option.clause, "key": option.key}
            yield {**about, "of": "round", "command": command}
    elif round and round.asked and not round.due and not round.void:
        seat = round.asked[0]
        says = f"Seat {seat} is gone: apply the posted choice"
        clause = round.step.clause if round.step else ""
        command = to_plain(in_round.Choose(seat, "", "dealer"))
        yield {"says": says, "clause": clause, "of": "round", "command": command}
    if round and not round.void:
        yield from _deferring(round)


def _deferring(round: Round) -> Iterator[dict[str, Any]]:
    """Yield a way to leave each progressive win pending."""
    clause = round.rules.ruling_on("validation") or ""
    for found in open_awards(round):
        if found.meter is not None:
            says = f"Defer seat {found.seat}'s win: it stays pending, and the round goes on"
            command = to_plain(in_round.Validate(found.seat, found.wager, "defer"))
            yield {"says": says, "clause": clause, "of": "round", "command": command}


def _read_now(round: Round | None, step: NextStep) -> dict[str, Any] | None:
    """Return the card whose reading does the next step as well: it settles the seat before it."""
    if round is None or not isinstance(step.command, in_round.Settle):
        return None
    if not is_read(round.rules) or not (ahead := read_ahead(round)):
        return None
    card = card_at(round, ahead[0])
    takes = {**CARD, "says": f"Or read the next card: {card['place']}"}
    plain = NextStep("", step.by, command=READS, takes=takes).as_json()
    return {**card, "command": plain["command"], "takes": takes}


def _last_read(round: Round | None) -> dict[str, Any] | None:
    """Return the last card read and how to correct it, unless a seat was settled on it."""
    if round is None or round.void or round.doubt or not is_read(round.rules) or not round.faces:
        return None
    position, card = [*round.faces.items()][-1]
    if is_settled_on(round, position):
        return None
    takes = {**CARD, "says": f"Not the {card.words}: which card is it?"}
    command = in_round.Correct(position, card)
    plain = NextStep("", ("dealer",), command=command, takes=takes).as_json()
    shown = {**card_at(round, position), "card": str(card), "says": card.words}
    return {**shown, "key": TAKE_BACK, "command": plain["command"], "takes": takes}


def _other_acts(standing: Standing, closed: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what the people here may do or enter besides the next step."""
    for one in (*forms(standing, closed), *others(standing.table)):
        people = {*one.by, *(("clerk",) if "dealer" in one.by else ())}
        posts = [post for post in _posts(one) if PERSON.get(post, post) in people]
        yield one.as_act(topic_of(one), posts)


def desk_of(
    standing: Standing,
    closed: Mapping[str, str] = NOTHING,
    *,
    time: Time | None = None,
    stopped: str = "",
) -> dict[str, Any]:
    """Return the desk as plain data; it is the same for all staff.

    `closed` are the wagers that can't be made now, with the reason; `stopped` is why no other round
    is dealt.
    """
    table, round = standing.table, _in_play(standing)
    todo = (*due(table), *(round.todo if round else ()))
    now = (*due(table), *(_due_now(round) if round else ()))
    rules, step = table.rules, next_step(standing, time, stopped=stopped)
    awards = [*awards_seen(round)] if round else []
    acts = [*_acts(round), *_voiced(standing)]
    duties = [
        {"clause": d.clause, "about": d.about, "by": [*d.by], "says": rules.clauses[d.clause].says}
        for d in todo
    ]
    return {
        "next": {**step.as_json(), **_together(rules, now, step), **_button(step, acts, awards)},
        "stopped": _stopped(standing),
        "acts": [*acts, *_other_acts(standing, closed)],
        "shortcuts": [one.as_json() for one in shortcuts(standing, closed)],
        "spots": [*spots_of(standing, closed)],
        "read": _read_now(round, step),
        "last_read": _last_read(round),
        "keys": [*keys_of(rules)],
        "life": table.life,
        "tray": tray_of(table),
        "duties": duties,
        "manners": [*manners(standing)],
        "irregularities": [*irregularities(round)] if round else [],
        "awards": awards,
        "reads": reads_of(round) if round else [],
        "disputes": [to_plain(one) for one in table.disputes],
        "crew": table.crew._asdict(),
        "proposals": [_proposal(rules, one) for one in table.proposals],
    }
