"""What the people who work at a table may ask of it: dealer, clerk, floor, surveillance.

A command arrives as the round and the table know it. What chance, time and meters decide is filled
in here: cards come from the deck that was committed to, never from a message.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple, assert_never

from croupier.errors import Bug, Refused
from croupier.fairness.commitment import Committed
from croupier.house import dealer, proposals, said, shoe, walkins
from croupier.house.config import TableConfig
from croupier.house.dealer import Chance
from croupier.house.proposals import Proposable, preview, proposable
from croupier.house.standing import Act, Standing
from croupier.ledger.events import BalanceAdjusted, MeterAdjusted, TableSet
from croupier.ledger.found import PastHand
from croupier.round import commands as in_round
from croupier.round.awards import validated_by
from croupier.round.faces import shown_next
from croupier.round.order import is_read
from croupier.round.state import is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Keeper, Keeping
from croupier.table import commands as at_table
from croupier.table.commands import Preview, Time
from croupier.table.crew import PERSON, ROLE_FOR, Post, Role, Who, check_post
from croupier.table.proposals import check_stranger
from croupier.table.state import Table

MAY: Mapping[type, tuple[Post, ...]] = {
    at_table.StartRound: ("dealer", "floor"),
    at_table.DealFirstCard: ("dealer", "floor"),
    in_round.TakeDown: ("dealer", "clerk", "floor"),
    in_round.CloseBets: ("dealer", "floor"),
    in_round.Deal: ("dealer", "floor"),
    in_round.Show: ("dealer", "floor"),
    in_round.Choose: ("dealer", "clerk", "floor"),
    in_round.Settle: ("dealer", "floor"),
    in_round.Validate: ("floor",),
    MeterAdjusted: ("floor",),
    BalanceAdjusted: ("floor",),
    in_round.Close: ("dealer", "floor"),
    in_round.Confirm: ("dealer", "floor"),
    in_round.Declare: ("dealer", "floor"),
    at_table.Confirm: ("dealer", "floor"),
    at_table.SeatWalkIn: ("dealer", "clerk", "floor"),
    at_table.Leave: ("dealer", "clerk", "floor"),
    at_table.TakeBank: ("dealer", "clerk", "floor"),
    at_table.PassBank: ("dealer", "clerk", "floor"),
    at_table.Mispay: ("dealer", "floor"),
    at_table.CorrectPay: ("dealer", "floor"),
    at_table.Recall: ("floor",),
    at_table.Dispute: ("dealer", "floor"),
    at_table.LetStand: ("floor",),
    at_table.SetRight: ("dealer", "floor"),
    in_round.Bet: ("dealer", "clerk", "floor"),
    in_round.Read: ("dealer", "clerk", "floor"),
    in_round.Misread: ("dealer", "clerk", "floor"),
    in_round.Correct: ("dealer", "floor"),
    in_round.CorrectStake: ("dealer", "floor"),
    in_round.CorrectChoice: ("dealer", "floor"),
    in_round.CountStub: ("dealer", "floor"),
    in_round.ByHand: ("dealer", "floor"),
    at_table.Receive: ("dealer", "floor"),
    at_table.Shuffle: ("dealer", "floor"),
    at_table.Cut: ("dealer", "floor"),
    at_table.Recut: ("floor",),
    at_table.OrderShuffle: ("floor",),
    at_table.Idle: ("floor",),
    at_table.Count: ("dealer", "floor"),
    at_table.Fail: ("dealer", "floor"),
    at_table.Secure: ("dealer", "floor"),
    at_table.Restore: ("floor",),
    at_table.Change: ("floor",),
    at_table.CountTray: ("dealer", "floor"),
    at_table.OpenTable: ("dealer", "floor"),
    at_table.CloseTable: ("dealer", "floor"),
    at_table.MoveChips: ("dealer", "floor"),
}
"""The commands that people give at a table, and from which posts. All others are refused."""
ABOVE = (at_table.OrderShuffle, at_table.Recut, in_round.Validate)
"""What the book gives a floorperson "or above": any of the house does it, without a post."""
KEEPS: Mapping[type, Keeping] = {
    at_table.StartRound: "open",
    at_table.Shuffle: "shuffle",
    at_table.Cut: "cut",
    in_round.CloseBets: "close bets",
    at_table.DealFirstCard: "first card",
    in_round.CountStub: "count",
}
"""The commands that keep clauses by being done; the person whom the book names does them."""
OPENING = (at_table.OpenTable, at_table.StartRound)
"""The commands that nobody gives while dealing is stopped."""
SECONDED = (
    in_round.Declare,
    in_round.Validate,
    in_round.Correct,
    in_round.CorrectStake,
    in_round.CorrectChoice,
    in_round.ByHand,
    at_table.Mispay,
    at_table.CorrectPay,
    at_table.SetRight,
    at_table.MoveChips,
    MeterAdjusted,
    BalanceAdjusted,
)
"""The commands that take two people, at times or always."""
SEVERAL = (in_round.Bet, in_round.Choose)
"""The commands of which several are given at once: what walk-ins bet and decide."""
ANSWERING: tuple[Role, ...] = ("surveillance", "auditor", "floor", "dealer")
"""The roles in which somebody answers a proposal, the most particular first."""


HasLost = Callable[[str, str], bool]
"""Whether somebody may not act in a role any longer."""


class Employee(NamedTuple):
    """Somebody who works for the house, and all their roles."""

    person: str
    roles: frozenset[str]


class StaffAsking(NamedTuple):
    """Who asks, in which roles, and what decides besides the table's standing."""

    person: str
    roles: frozenset[str]
    config: TableConfig
    time: Time
    chance: Chance
    deck: Committed | None
    """The cards of the round in play."""
    round: str
    """The id of the next round."""
    meters: Callable[[], Mapping[str, int]]
    present: frozenset[str] = frozenset()
    closed: Callable[[], Mapping[str, str]] = dict
    """The wagers that can't be made now, with the reason."""
    floors: int = 0
    """How many other tables they have, when they tap in as floorperson."""
    past: PastHand | None = None
    """The hand of an earlier round that a dispute or a wrong payment is about."""
    stopped: str = ""
    """Why no other round is dealt; '' if one is."""
    has_lost: HasLost = lambda _person, _role: False


def perform(act: Act, message: said.StaffCommand, asking: StaffAsking) -> None:
    """Carry out or refuse a staff member's request."""
    match message:
        case said.TapIn(_, post):
            _tap_in(act, post, asking)
        case said.TapOut():
            act.who = (asking.person,)
            if act.standing.table.crew.dealer == asking.person:
                _check_leaves(act.standing)
            act.at_table(at_table.TapOut(asking.person))
        case said.Do(_, of, command):
            _act(act, proposable(of, command), asking)
        case said.DoAll(_, commands):
            for command in commands:
                what = proposable("round", command)
                _check_several(what)
                _act(act, what, asking)
        case said.Propose(_, of, command, why):
            what = proposable(of, command)
            by = _working(act, asking, what.command)
            _check_may(act, what, asking)
            what = _filled(act.standing, what, asking)
            approvers = asking.config.approvers
            seen = preview(act.standing, what, approvers)
            _check_declares(act, what, asking, approve=seen.approve)
            proposals.propose(act, what, why, by=by, time=asking.time, approvers=approvers)
        case said.Approve(_, proposal):
            _check_proposer(act.standing, proposal, asking)
            _check_handover(act.standing, proposal, asking)
            by = _answering(act.standing, proposal, asking)
            approvers = asking.config.approvers
            proposals.approve(act, proposal, by=by, time=asking.time, approvers=approvers)
        case said.Withdraw(_, proposal):
            act.who = (asking.person,)
            act.at_table(at_table.Withdraw(proposal, _working(act, asking)))
        case said.Decline(_, proposal, why):
            act.who = (asking.person,)
            by = _answering(act.standing, proposal, asking)
            act.at_table(at_table.Decline(proposal, by, why))
        case _:
            assert_never(message)


def preview_of(standing: Standing, message: said.Preview, asking: StaffAsking) -> Preview:
    """Return what a command would do now, or refuse it as it would be refused."""
    act, what = Act(standing), proposable(message.of, message.command)
    _check_may(act, what, asking)
    if isinstance(what.command, at_table.CountTray):
        # What it would do depends on the other's figure, so somebody could guess until it fits.
        raise Refused("not_allowed", "nobody is told the other's figure", field="command")
    return proposals.preview(standing, _filled(standing, what, asking), asking.config.approvers)


# ---------------------------------------------------------------- the crew


def _tap_in(act: Act, post: Post, asking: StaffAsking) -> None:
    """Take a post; if it is taken, propose a handover for its holder or the floor to approve."""
    if ROLE_FOR[post] not in asking.roles:
        raise Refused("not_allowed", f"your account doesn't have the role {ROLE_FOR[post]}")
    if post == "floor" and asking.floors >= asking.config.floor_tables:
        message = f"you have {asking.floors} tables already; tap out at one of them first"
        raise Refused("too_many_tables", message, field="post")
    there = act.standing.table.crew.at(post)
    tap = at_table.TapIn(asking.person, post, there)
    if not there:
        act.who = (asking.person,)
        act.at_table(tap)
        return
    if post == "dealer":
        _check_leaves(act.standing)
    by = Who(asking.person, ROLE_FOR[post])
    what, approvers = Proposable("table", tap), asking.config.approvers
    proposals.propose(act, what, "handover", by=by, time=asking.time, approvers=approvers)


def _check_leaves(standing: Standing) -> None:
    """Refuse to relieve a dealer from 'no more bets' on, until the round is over."""
    if standing.in_play and standing.in_play.at > 0:
        message = "the dealer hands over before 'no more bets', or after the round"
        raise Refused("round_open", message, field="post")


def _check_proposer(standing: Standing, id: str, asking: StaffAsking) -> None:
    """Refuse to approve what somebody proposed whose role was taken since."""
    for proposal in standing.table.proposals:
        if proposal.id == id and asking.has_lost(*proposal.by):
            message = f"the person who proposed it isn't {proposal.by.role} any more; decline it"
            raise Refused("changed", message, field="id")


def _check_handover(standing: Standing, id: str, asking: StaffAsking) -> None:
    """Let only the person whose post is taken over, or the floor, agree to a handover."""
    for proposal in standing.table.proposals:
        if proposal.id == id and proposal.kind == at_table.TapIn.__name__:
            tap, floor = proposal.command, standing.table.crew.floor
            if tap["post"] == "dealer":
                _check_leaves(standing)
            is_floor = tap["post"] == "floor" and "floor" in asking.roles
            if not is_floor and asking.person not in (tap["agreed"], floor):
                message = "only the person being relieved or the floorperson can approve a handover"
                raise Refused("wrong_person", message, field="id")


def _is_above(table: Table, command: object, asking: StaffAsking) -> bool:
    """Whether somebody without a post here does this as a floorperson of the house."""
    is_floor = "floor" in asking.roles and table.crew.post_of(asking.person) is None
    return is_floor and isinstance(command, ABOVE)


def _working(act: Act, asking: StaffAsking, command: object = None) -> Who:
    """Return a person who works at this table, in the role of their post."""
    if _is_above(act.standing.table, command, asking):
        return Who(asking.person, "floor")
    post = act.standing.table.crew.post_of(asking.person)
    if post is None:
        waiting = [one.by for one in act.standing.table.proposals]
        for by in waiting:
            if by.person == asking.person:
                return by
        raise Refused("not_tapped_in", "tap in before you work at this table")
    return Who(asking.person, ROLE_FOR[post])


def _answering(standing: Standing, id: str, asking: StaffAsking) -> Who:
    """Return the person who answers a proposal, in a role that it asks for if they have one."""
    wanted = [one.preview.approve for one in standing.table.proposals if one.id == id]
    mine = [role for role in ANSWERING if role in asking.roles]
    asked = [role for role in mine if wanted and role in wanted[0]]
    if not mine:
        raise Refused("not_allowed", "your account has no role that answers proposals")
    return Who(asking.person, (asked or mine)[0])


def _check_meter(table: Table, event: MeterAdjusted, asking: StaffAsking) -> None:
    """Refuse to adjust what isn't a meter of this table, or while a round plays for it."""
    meters = {asking.config.meter(id) for id in table.rules.meters}
    if event.meter not in meters:
        known = ", ".join(sorted(meters)) or "none"
        message = f"{event.meter!r} isn't a meter of this table; it has {known}"
        raise Refused("no_such_meter", message, field="meter")
    if table.round:
        raise Refused("round_open", "a round plays for this meter; adjust it after the round")
    _check_reason(event)


def _check_balance(table: Table, event: BalanceAdjusted) -> None:
    """Refuse to adjust the chips of anybody but a player here with a purse."""
    if event.player not in table.seats.values() or is_walk_in(event.player):
        message = f"{event.player!r} doesn't play here, or plays with chips on the felt"
        raise Refused("seat_empty", message, field="player")
    _check_reason(event)


def _check_reason(event: MeterAdjusted | BalanceAdjusted) -> None:
    if not event.micros or not event.why.strip():
        missing = "why" if event.micros else "micros"
        raise Refused("bad_fact", "say by how much and why", field=missing)


def _check_declares(
    act: Act, what: Proposable, asking: StaffAsking, *, approve: tuple[Role, ...] = ()
) -> None:
    """Refuse an irregularity that another person must declare, unless this one may approve it."""
    kind = what.command.kind if isinstance(what.command, in_round.Declare) else ""
    irregularity = act.standing.table.rules.irregularities.get(kind)
    post = act.standing.table.crew.post_of(asking.person)
    if irregularity is None or post is None:
        return
    may = {PERSON.get(post), *(_PERSON_AS[role] for role in approve if role in _PERSON_AS)}
    if not may & {*irregularity.by}:
        row = irregularity.rows[0]
        message = f"the {' or the '.join(irregularity.by)} declares this, not the {post}"
        raise Refused("wrong_person", message, field="kind", clause=row.clause or row.ruling)


_PERSON_AS: Mapping[Role, Keeper] = {"dealer": "dealer", "floor": "floorperson"}
"""The person of the book that somebody in a role is."""


def _check_may(act: Act, what: Proposable, asking: StaffAsking) -> Post:
    posts = MAY.get(type(what.command))
    if posts is None:
        message = f"{type(what.command).__name__} isn't a command of this table"
        raise Refused("not_allowed", message, field="command")
    if act.standing.in_play:
        shoe.check_declared(act.round, what.command)
    table, clause = act.standing.table, None
    if isinstance(what.command, MeterAdjusted):
        _check_meter(table, what.command, asking)
    if isinstance(what.command, BalanceAdjusted):
        _check_balance(table, what.command)
    if isinstance(what.command, in_round.Validate):
        clause = validated_by(table.rules, what.command.wager)
    if _is_above(table, what.command, asking):
        post: Post = "floor"
    else:
        post = check_post(table.crew, asking.person, posts, clause)
    check_stranger(table, asking.person)
    _check_keeps(table.rules, what.command, post)
    if what.of == "round" and act.standing.round is None:
        first = table.rules.sequence[0][1].clause
        raise Refused("no_round", "no round is open yet", clause=first)
    return post


def _check_keeps(rules: TableRules, command: object, post: Post) -> None:
    """Refuse an act by which another person keeps a clause of the book."""
    act = KEEPS.get(type(command))
    for name in (name for names in rules.guided.values() for name in names) if act else ():
        clause = rules.clauses[name]
        if clause.act == act and PERSON.get(post) not in clause.by:
            message = f"the {' or the '.join(clause.by)} does this, not the {PERSON[post]}"
            raise Refused("wrong_person", message, clause=name)


# ---------------------------------------------------------------- acts


def _check_several(what: Proposable) -> None:
    """Refuse a command that is given alone."""
    if not isinstance(what.command, SEVERAL):
        name = type(what.command).__name__
        message = f"{name} can't be combined with other commands; send it by itself"
        raise Refused("not_allowed", message, field="commands")


def _act(act: Act, what: Proposable, asking: StaffAsking) -> None:
    post, command = _check_may(act, what, asking), what.command
    act.who = (asking.person,)
    if asking.stopped and isinstance(command, OPENING):
        raise Refused("table_closed", f"no round starts here: {asking.stopped}")
    match command:
        case at_table.StartRound():
            _check_dealer(act)
            _open_round(act, asking)
        case at_table.DealFirstCard():
            _deal_first(act, asking)
        case in_round.Deal():
            if is_read(act.standing.table.rules):
                shoe.deal(act)
            else:
                dealer.deal(act, _deck(act, asking), time=asking.time)
        case in_round.Read():
            shoe.read(act, command, post=post, config=asking.config)
        case in_round.Bet():
            walkins.bet(act, command, asking.closed())
        case at_table.Recall():
            _check_past(command, asking)
            act.at_table(command)
        case at_table.Dispute(seat, id):
            _check_past(command, asking)
            act.at_table(replace(command, player=_player_of(act.standing, id, seat, asking)))
        case at_table.Leave(seat):
            walkins.leave(act, seat)
        case at_table.TakeBank() | at_table.PassBank():
            walkins.bank(act, command)
        case in_round.Show():
            _show(act, _deck(act, asking))
        case in_round.Choose():
            _choose(act, command, asking)
        case in_round.Settle():
            if command.seat is None:
                raise Refused("no_such_seat", "name the seat to settle", field="seat")
            shoe.settle(act, command, config=asking.config)
        case in_round.Close():
            shoe.close(act)
        case in_round.Confirm():
            act.in_round(replace(command, by=PERSON[post]))
        case in_round.TakeDown() | in_round.CloseBets() | in_round.Misread() | in_round.CountStub():
            act.in_round(command)
        case _ if isinstance(command, SECONDED):
            what = _filled(act.standing, what, asking)
            proposals.check_alone(act.standing, what, asking.config.approvers)
            _check_declares(act, what, asking)
            proposals.do(act, what)
        case (
            at_table.Confirm()
            | at_table.Recut()
            | at_table.OrderShuffle()
            | at_table.Idle()
            | at_table.Secure()
            | at_table.CountTray()
        ):
            act.at_table(replace(command, by=PERSON[post]))
        case at_table.Receive():
            act.at_table(replace(command, time=asking.time))
        case at_table.Change(digest):
            _change(act, asking.config.equipment_set(digest))
        case _:
            act.at_table(_alone(command, act.standing.table.rules))


def _alone(command: object, rules: TableRules) -> at_table.Command:
    """Return a command of the table that has no fields to fill in."""
    match command:
        case at_table.Shuffle() | at_table.Cut() if "cards" not in rules.things:
            cited = rules.ruling_on("things")
            raise Refused("no_cards", "the program shuffles and cuts virtual cards", clause=cited)
        case (
            at_table.SeatWalkIn()
            | at_table.Shuffle()
            | at_table.Cut()
            | at_table.Count()
            | at_table.Fail()
            | at_table.Restore()
            | at_table.OpenTable()
            | at_table.CloseTable()
            | at_table.LetStand()
        ):
            return command
    raise Bug(f"nothing is done about {type(command).__name__}")


def _filled(standing: Standing, what: Proposable, asking: StaffAsking) -> Proposable:
    """Return a command with what the house knows and nobody enters."""
    if not isinstance(what.command, at_table.Mispay):
        return what
    if what.command.round:
        _check_past(what.command, asking)
    command = walkins.mispaid(standing, what.command, asking.past)
    return what._replace(command=command)


def _player_of(standing: Standing, round: str, seat: int, asking: StaffAsking) -> str:
    """Return whose hand a round had at a seat; another player may sit there by now."""
    last = standing.round
    box = last.boxes.get(seat) if last and last.id == round else None
    if box:
        return box.player
    if asking.past is None:
        message = f"nobody is known to have played at seat {seat} in {round}"
        raise Refused("seat_empty", message, field="seat")
    return asking.past.player


def _check_past(
    command: at_table.Recall | at_table.Dispute | at_table.Mispay, asking: StaffAsking
) -> None:
    """Refuse a hand of a round or a seat that the table never had."""
    seats = asking.config.rules.table
    if not 1 <= command.seat <= seats.seats:
        message = f"there is no seat {command.seat}"
        raise Refused("no_such_seat", message, field="seat", clause=seats.clause)
    stem, _, number = command.round.rpartition("-")
    next_ = int(asking.round.rpartition("-")[2])
    is_here = stem == asking.config.id or stem.startswith(f"{asking.config.id}-")
    if not (is_here and number.isdecimal() and 1 <= int(number) < next_):
        raise Refused("no_such_round", f"no round {command.round} was played here", field="round")


def _change(act: Act, setting: TableSet | None) -> None:
    """Go on with other equipment; the journal says by which rules."""
    if setting is None:
        raise Refused("no_such_rules", "the table has no such equipment", field="digest")
    act.set_equipment(setting)


def _check_dealer(act: Act) -> None:
    if not act.standing.table.crew.dealer:
        raise Refused("no_dealer", "no round starts before a dealer has tapped in")


def _open_round(act: Act, asking: StaffAsking) -> None:
    time, meters, id = asking.time, asking.meters(), asking.round
    if is_read(act.standing.table.rules):
        shoe.open_round(act, id, time=time, meters=meters)
    else:
        dealer.open_round(act, id, time=time, meters=meters, chance=asking.chance)


def _deal_first(act: Act, asking: StaffAsking) -> None:
    """Say that the first card is dealt; the program deals virtual cards at once."""
    rules = act.standing.table.rules
    if not is_read(rules):
        message = "the program deals virtual cards, all of them at once"
        raise Refused("no_cards", message, clause=rules.ruling_on("things"))
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open yet", clause=rules.sequence[0][1].clause)
    shoe.deal_first(act, time=asking.time)


def _show(act: Act, deck: Committed) -> None:
    """Turn up the cards that are due: at the settlement, those that the next seat needs."""
    due = shown_next(act.round)
    shown = dealer.play_of(act.standing, deck).due()
    faces = [face for face in shown.faces if face.position in due] if shown else []
    if not faces:
        clause = act.round.step.clause if act.round.step else None
        raise Refused("not_due", "no card is to be turned up now", clause=clause)
    act.in_round(in_round.Show(tuple(faces)))


def _choose(act: Act, command: in_round.Choose, asking: StaffAsking) -> None:
    """Choose for a player without a screen; every other player decides for themselves.

    With real cards the dealer enters what the player says. With virtual ones it is the posted
    choice.
    """
    seat = command.seat
    box = act.round.boxes.get(seat)
    if box and box.player in asking.present:
        raise Refused("player_decides", f"the player at seat {seat} is there and decides")
    if is_read(act.standing.table.rules):
        act.in_round(command._replace(by="dealer"))
        return
    dealer.choose_for(act, seat, _deck(act, asking), rich=True, by="dealer")


def _deck(act: Act, asking: StaffAsking) -> Committed:
    """Return the deck of the round in play; an act that comes with another round's is too late."""
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open")
    if is_read(act.standing.table.rules):
        cited = act.standing.table.rules.ruling_on("reading")
        raise Refused("cards_there", "turn the cards up and read them one by one", clause=cited)
    if asking.deck is None or asking.deck.commitment.round != act.round.id:
        raise Refused("overtaken", "the table has moved on")
    return asking.deck
