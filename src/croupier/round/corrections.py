"""Correct what a dealer entered for a walk-in: a stake or a choice, until the seat is settled.

Stakes that follow from others, such as a raise, follow the correction.
"""

from msgspec import structs

from croupier.errors import Refused, quoted
from croupier.round import commands
from croupier.round.bets import check_bet, lack_of, opening_stakes, rises, seat_fee
from croupier.round.events import ChoiceCorrected, StakeCorrected
from croupier.round.evolve import restaked
from croupier.round.plan import plan_of
from croupier.round.state import Box, Round, is_walk_in


def correctable(round: Round) -> tuple[Box, ...]:
    """Return the boxes of walk-ins of which no wager was settled, once betting has closed."""
    if round.at < 1 or round.void:
        return ()
    settled = {*round.order, *(line.seat for line in round.lines)}
    settled |= {seat for seat, _ in round.awards}
    return tuple(
        box
        for box in round.boxes.values()
        if is_walk_in(box.player) and not box.abandoned and box.seat not in settled
    )


def correct_stake(round: Round, command: commands.CorrectStake) -> StakeCorrected:
    """Return the corrected sum of a wager, with what it changes in the fee and the meters.

    The sum is 0 if the wager wasn't made.
    """
    box, rules, wager = _box(round, command.seat), round.rules, command.wager
    if wager not in rules.wagers or rules.wagers[wager].placed != "before the deal":
        raise Refused("no_such_bet", "no such wager is made before the deal", field="wager")
    was = opening_stakes(rules, box).get(wager, 0)
    if command.cents == was:
        raise Refused("not_due", "that is the stake as it was entered", field="cents")
    if command.cents:
        check_bet(rules, wager, command.cents)
    if not (command.cents and was):
        _check_unasked(round, box, wager)
    after = restaked(rules, box, dict.fromkeys(rules.spots[wager], command.cents))
    if lack := lack_of(rules, after):
        raise lack.refusal
    corrected = structs.replace(round, boxes={**round.boxes, box.seat: after})
    before, now = rises(round), rises(corrected)
    more = {id: rise - before.get(id, 0) for id, rise in now.items() if rise != before.get(id, 0)}
    fee = seat_fee(rules, after) if box.fee else 0
    return StakeCorrected(box.seat, wager, was, command.cents, fee, more)


def _check_unasked(round: Round, box: Box, wager: str) -> None:
    """Refuse to add or remove a wager that a decision was about, or the seat's only one."""
    spots, plan = round.rules.spots[wager], plan_of(round.rules)
    asked = {stage.asks for stage in plan.stages[: round.at + 1] if stage.do == "decide"}
    if asked & {*spots} or box.stakes.keys() <= {*spots}:
        message = "the hand was played with this wager as it lies; declare what went wrong"
        raise Refused("wrong_step", message, field="wager")


def correct_choice(round: Round, command: commands.CorrectChoice) -> ChoiceCorrected:
    """Return another choice of a seat, unless a later step would have asked another question."""
    box, step, option = _box(round, command.seat), command.step, command.option
    was = box.chose.get(step)
    if was is None:
        raise Refused("no_decision", "nothing was chosen there", field="step")
    options = round.rules.steps[step].option
    if option not in options:
        names = " or ".join(map(repr, options))
        message = f"{quoted(option)} isn't a choice; choose {names}"
        raise Refused("no_such_choice", message, field="option")
    if option == was:
        raise Refused("not_due", "that is the choice as it was entered", field="option")
    plan = plan_of(round.rules)
    at = next(stage.at for stage in plan.stages if stage.name == step)
    asked_since = any(one.do == "decide" for one in plan.stages[at + 1 : round.at + 1])
    if asked_since and plan.choices[step, option].folds != plan.choices[step, was].folds:
        message = "players have decided again since, so this hand can't be put back"
        raise Refused("wrong_step", message, field="step")
    return ChoiceCorrected(box.seat, step, was, option)


def _box(round: Round, seat: int) -> Box:
    """Return the box of a walk-in that can still be corrected, or refuse."""
    for box in correctable(round):
        if box.seat == seat:
            return box
    there = round.boxes.get(seat)
    if there is None:
        raise Refused("no_such_seat", f"seat {seat} has no wager", field="seat")
    if not is_walk_in(there.player):
        raise Refused("player_decides", f"the player at seat {seat} has a screen", field="seat")
    if round.at == 0:
        message = "betting is still open, so change the bet itself"
    else:
        message = f"seat {seat} is out of play or settled; say what it was paid, or note a dispute"
    raise Refused("wrong_step", message, field="seat")
