"""What the people who work at a table see on their desk: the next step, what else may be done.

Everything comes from the book's data and the table's standing. No hidden card is in it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from croupier.house.authority import KEEPS, MAY
from croupier.house.checks import awards_seen
from croupier.house.dealer import POSTED
from croupier.house.forms import forms, spots_of, topic_of
from croupier.house.irregularities import irregularities
from croupier.house.moments import deal_order, fees_due, kept_by, manners
from croupier.house.next_step import READS, act_due, due_now, in_play, next_step, stub_answer
from croupier.house.proposals import proposable
from croupier.house.questions import CARD
from croupier.house.shift import meanwhile, others, tray_of
from croupier.house.shoe import card_at, doubled_kinds, reads_of
from croupier.house.shortcuts import REPEAT, REST, shortcuts
from croupier.house.standing import Standing
from croupier.house.step import NextStep
from croupier.round import commands as in_round
from croupier.round.awards import open_awards
from croupier.round.bots import choose
from croupier.round.codec import to_plain
from croupier.round.commands import Command as RoundCommand
from croupier.round.faces import is_settled_on, read_ahead
from croupier.round.order import is_read, seats_in
from croupier.round.plan import plan_of
from croupier.round.state import NOTHING, Duty, Round, about_seat, is_walk_in
from croupier.rules.game import Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import ACTION
from croupier.rules.words import dollars
from croupier.table import commands as at_table
from croupier.table.commands import Command as TableCommand
from croupier.table.commands import Time
from croupier.table.crew import PERSON, Post
from croupier.table.events import Proposed
from croupier.table.prompts import due

KEYS: Mapping[type, tuple[str, str]] = {
    in_round.CloseBets: ("N", "No more bets"),
    at_table.DealFirstCard: ("D", "Deal"),
    in_round.Deal: ("D", "Deal"),
    in_round.Settle: ("Y", "Take and pay at the seat whose turn it is"),
}
"""Steps that have a key of their own besides that of every next step."""
SAYS_MAX = 30
"""A button says a step that is no longer than this, and of others that they are done."""
MEANWHILE = "S"
"""The key of what is done with the resting deck."""
TAKE_BACK = "Z"


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
        case at_table.DealFirstCard():
            return "Deal the first card"
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
    if not is_read(rules):
        return
    yield {"key": TAKE_BACK, "says": "Take back the card that was read last"}
    if rules.deck.decks > 1:
        yield {"key": MEANWHILE, "says": "What is next with the resting deck"}
    if "chips" in rules.things:
        options = [option for _, step in rules.sequence for option in step.option.values()]
        for key, says in {option.key: option.label for option in options if option.key}.items():
            yield {"key": key, "says": f"The asked seat: {says}"}
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


def _proposal(rules: TableRules, one: Proposed) -> dict[str, Any]:
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


def _settled_in(round: Round | None) -> tuple[int, ...]:
    """Return the seats in the order in which they are settled, once that begins."""
    settles = round and round.stage and round.stage.do == "settle" and not round.void
    return seats_in(round, plan_of(round.rules).order) if round and settles else ()


def _act(
    says: str, clause: str | None, command: RoundCommand | TableCommand, of: str = "round"
) -> dict[str, Any]:
    """Return something that may be done at once, with the command that does it."""
    return {"says": says, "clause": clause or "", "of": of, "command": to_plain(command)}


def _voiced(standing: Standing, step: NextStep) -> Iterator[dict[str, Any]]:
    """Yield what people at the table say: a walk-in passes, or where the action button lies."""
    table, round = standing.table, standing.in_play
    rotation = table.rules.bank.rotation
    if isinstance(step.command, at_table.TakeBank) and rotation and rotation.passes:
        seat = step.command.seat
        command = at_table.PassBank(seat)
        yield _act(f"Seat {seat} passes", rotation.clause, command, of="table")
    if round and round.at == 0 and plan_of(round.rules).order == ACTION and round.step:
        for seat in round.boxes:
            says = f"No more bets: action at seat {seat}"
            yield _act(says, round.step.clause, in_round.CloseBets(seat))


def _instead(standing: Standing, step: NextStep) -> Iterator[dict[str, Any]]:
    """Yield how else a failed device is put out of use: it is covered, or else marked (13.H(2))."""
    if not isinstance(step.command, at_table.Secure):
        return
    for duty in due(standing.table):
        if duty.about == step.command.device and duty.clause != step.command.clause:
            says, secure = standing.table.rules.clauses[duty.clause].says, step.command
            other = replace(secure, clause=duty.clause)
            yield _act(says.rstrip("."), duty.clause, other, of="table")


def _acts(round: Round | None) -> Iterator[dict[str, Any]]:
    """Yield what may be done now besides the next step."""
    if round and round.doubt:
        ruling = round.rules.ruling_on("reading")
        yield _act("It was read twice", ruling, in_round.Misread("twice"))
        for kind in doubled_kinds(round.rules):
            row = round.rules.irregularities[kind].rows[0]
            yield _act("There are two", row.clause or row.ruling, in_round.Declare(kind))
    elif round and round.stub is not None and act_due(round) == "count":
        for says, wrongly in (("Yes, they were", False), ("No, cards were dealt wrongly", True)):
            declare, row = stub_answer(round, wrongly=wrongly)
            yield _act(says, row.clause or row.ruling, declare)
    elif round is None or round.void or round.todo or round.due:
        pass  # Nobody decides before what the book has done first, and cards that are turned up.
    elif round.asked and is_read(round.rules) and round.step:
        yield from _answers(round, round.asked[0], round.step)
    elif round.asked:
        seat = round.asked[0]
        says = f"If seat {seat} is gone: apply the posted choice"
        clause = round.step.clause if round.step else None
        yield _act(says, clause, in_round.Choose(seat, "", POSTED))
    if round and not round.void:
        yield from _deferring(round)


def _answers(round: Round, seat: int, step: Step) -> Iterator[dict[str, Any]]:
    """Yield what a walk-in can say, or the posted choice of a player whose screen is gone."""
    options = step.option
    if is_walk_in(round.boxes[seat].player):
        for name, option in options.items():
            command = in_round.Choose(seat, name, "dealer")
            act = _act(f"Seat {seat}: {option.label}", option.clause, command)
            yield {**act, "key": option.key}
        return
    posted = choose(round, seat, round.faces)
    says = f"If seat {seat} is gone: {options[posted].label}, the posted choice"
    yield _act(says, options[posted].clause, in_round.Choose(seat, posted, POSTED))


def _deferring(round: Round) -> Iterator[dict[str, Any]]:
    """Yield a way to leave each progressive win pending."""
    ruling = round.rules.ruling_on("validation")
    for found in open_awards(round):
        if found.meter is not None:
            says = f"Defer seat {found.seat}'s win: it stays pending, and the round goes on"
            yield _act(says, ruling, in_round.Validate(found.seat, found.wager, "defer"))


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


def _posted(act: dict[str, Any]) -> dict[str, Any]:
    """Return an act of this moment with the posts from which it is done."""
    command = proposable(act["of"], act["command"]).command
    return {**act, "posts": [*MAY.get(type(command), ())]}


def _other_acts(standing: Standing, closed: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what the people here may do or enter besides the next step."""
    for one in (*forms(standing, closed), *others(standing.table)):
        yield _offered(one)


def _offered(one: NextStep) -> dict[str, Any]:
    """Return what may be done besides the next step, with the posts from which it is done."""
    people = {*one.by, *(("clerk",) if "dealer" in one.by else ())}
    posts = [post for post in _posts(one) if PERSON.get(post, post) in people]
    return one.as_act(topic_of(one), posts)


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
    table, round = standing.table, in_play(standing)
    last = round or standing.round
    todo = (*due(table), *(round.todo if round else ()))
    now = (*due(table), *(due_now(round) if round else ()))
    rules, step = table.rules, next_step(standing, time, stopped=stopped)
    awards = [*awards_seen(round)] if round else []
    acts = [
        _posted(act) for act in (*_acts(round), *_voiced(standing, step), *_instead(standing, step))
    ]
    together = _together(rules, now, step)
    if round and round.asked and step.command is None:
        together["about"] = about_seat(round.asked[0])
    duties = [
        {"clause": d.clause, "about": d.about, "by": [*d.by], "says": rules.clauses[d.clause].says}
        for d in todo
    ]
    return {
        "next": {**step.as_json(), **together, **_button(step, acts, awards)},
        "stopped": _stopped(standing),
        "acts": [*acts, *_other_acts(standing, closed)],
        "meanwhile": [{**_offered(one), "key": MEANWHILE} for one in meanwhile(table)],
        "shortcuts": [one.as_json() for one in shortcuts(standing, closed)],
        "spots": [*spots_of(standing, closed)],
        "read": _read_now(round, step),
        "last_read": _last_read(round),
        "keys": [*keys_of(rules)],
        "life": table.life,
        "tray": tray_of(table),
        "duties": duties,
        "manners": [
            *fees_due(standing, step),
            *deal_order(standing, step),
            *kept_by(standing, step),
            *manners(standing),
        ],
        "irregularities": [*irregularities(last)] if last else [],
        "awards": awards,
        "order": [*_settled_in(round)],
        "reads": reads_of(round) if round else [],
        "disputes": [to_plain(one) for one in table.disputes],
        "crew": table.crew._asdict(),
        "proposals": [_proposal(rules, one) for one in table.proposals],
    }
