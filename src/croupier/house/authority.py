"""Who may do what at a table: by their posts, by the clauses that name a person, by their roles."""

from collections.abc import Mapping

from croupier.errors import Refused
from croupier.house import shoe
from croupier.house.asking import StaffAsking
from croupier.house.proposals import Proposable
from croupier.house.standing import Act, Standing
from croupier.ledger.events import BalanceAdjusted, MeterAdjusted
from croupier.round import commands as in_round
from croupier.round.awards import validated_by
from croupier.round.state import is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Keeper, Keeping
from croupier.table import commands as at_table
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
"""What the book gives a floorperson "or above": any one of the house may do it, without a post."""
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
ANSWERING: tuple[Role, ...] = ("surveillance", "auditor", "floor", "dealer")
"""The roles in which somebody answers a proposal, the most specific first."""


def check_may(act: Act, what: Proposable, asking: StaffAsking) -> Post:
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
    watches = _watches(table, what.command, asking)
    is_virtual = "cards" not in table.rules.things
    if is_virtual and isinstance(what.command, at_table.Recall) and not watches:
        raise Refused("wrong_person", "surveillance recalls a virtual hand")
    if watches or _is_above(table, what.command, asking):
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


def _is_above(table: Table, command: object, asking: StaffAsking) -> bool:
    """Whether somebody without a post here does this as a floorperson of the house."""
    is_floor = "floor" in asking.roles and table.crew.post_of(asking.person) is None
    return is_floor and isinstance(command, ABOVE)


def _watches(table: Table, command: object, asking: StaffAsking) -> bool:
    """Whether surveillance recalls a virtual hand; real ones the floor lays out (11.E)."""
    is_virtual = "cards" not in table.rules.things
    return is_virtual and isinstance(command, at_table.Recall) and "surveillance" in asking.roles


def working(act: Act, asking: StaffAsking, command: object = None) -> Who:
    """Return a person who works at this table, in the role of their post."""
    if _is_above(act.standing.table, command, asking):
        return Who(asking.person, "floor")
    if _watches(act.standing.table, command, asking):
        return Who(asking.person, "surveillance")
    post = act.standing.table.crew.post_of(asking.person)
    if post is None:
        waiting = [one.by for one in act.standing.table.proposals]
        for by in waiting:
            if by.person == asking.person:
                return by
        raise Refused("not_tapped_in", "tap in before you work at this table")
    return Who(asking.person, ROLE_FOR[post])


def answering(standing: Standing, id: str, asking: StaffAsking) -> Who:
    """Return the person who answers a proposal, in a role that it asks for if they have one."""
    wanted = [one.preview.approve for one in standing.table.proposals if one.id == id]
    mine = [role for role in ANSWERING if role in asking.roles]
    asked = [role for role in mine if wanted and role in wanted[0]]
    if not mine:
        raise Refused("not_allowed", "your account has no role that answers proposals")
    return Who(asking.person, (asked or mine)[0])


def check_declares(
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


def check_proposer(standing: Standing, id: str, asking: StaffAsking) -> None:
    """Refuse to approve what somebody proposed whose role was taken since."""
    for proposal in standing.table.proposals:
        if proposal.id == id and asking.has_lost(*proposal.by):
            message = f"the person who proposed it isn't {proposal.by.role} any more; decline it"
            raise Refused("changed", message, field="id")
