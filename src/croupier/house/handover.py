"""Who takes and leaves the posts of a table: a taken post is handed over, and somebody agrees."""

from croupier.errors import Refused
from croupier.house import proposals
from croupier.house.asking import StaffAsking
from croupier.house.proposals import Proposable
from croupier.house.standing import Act, Standing
from croupier.table import commands as at_table
from croupier.table.crew import ROLE_FOR, Post, Who


def tap_in(act: Act, post: Post, asking: StaffAsking) -> None:
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
    if post == "dealer" and there != asking.person:
        _check_leaves(act.standing)
    by = Who(asking.person, ROLE_FOR[post])
    what, approvers = Proposable("table", tap), asking.config.approvers
    proposals.propose(act, what, "handover", by=by, time=asking.time, approvers=approvers)


def tap_out(act: Act, asking: StaffAsking) -> None:
    """Leave a post."""
    act.who = (asking.person,)
    if act.standing.table.crew.dealer == asking.person:
        _check_leaves(act.standing)
    act.at_table(at_table.TapOut(asking.person))


def _check_leaves(standing: Standing) -> None:
    """Refuse to relieve a dealer from 'no more bets' on, until the round is over."""
    if standing.in_play and standing.in_play.at > 0:
        message = "the dealer hands over before 'no more bets', or after the round"
        raise Refused("round_open", message, field="post")


def check_handover(standing: Standing, id: str, asking: StaffAsking) -> None:
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
