"""The engine with one fault at a time, and the invariant that must find it."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from croupier.cards import DECK
from croupier.errors import Refused
from croupier.money import micros, share
from croupier.round.commands import Bet, Choose
from croupier.round.events import BetTakenDown, Chose, Event
from croupier.round.settle import Judgement, Settlement
from croupier.round.state import Box, Line, Round, Stake, changed
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

BETS, COVER, DECIDE, EVOLVE, RAKE, SETTLE, STATE, VIEW = (
    f"croupier.round.{name}"
    for name in ("bets", "cover", "decide", "evolve", "rake", "settle", "state", "view")
)
Make = Callable[[Any], Any]


class Mutant(NamedTuple):
    """One fault: what it does, who finds it, where it is played, what it replaces by what."""

    fault: str
    invariant: str
    id: str
    module: str
    attribute: str
    make: Make
    table: int = 0

    @property
    def owner(self) -> Any:
        """What holds the attribute: a module, or a class in it."""
        module, _, name = self.module.partition(":")
        found = import_module(module)
        return getattr(found, name) if name else found


def never(original: Any) -> Any:
    return lambda *_, **__: None


def nothing_dead(original: Any) -> Any:
    return lambda lines: False


# ---------------------------------------------------------------- bets and decisions


def raised_by_playing(original: Any) -> Any:
    def mutant(round: Round, event: Chose) -> Round:
        after: Round = original(round, event)
        box = after.boxes[event.seat]
        stakes = {spot: stake._replace(cents=2 * stake.cents) for spot, stake in box.stakes.items()}
        return changed(after, boxes={**after.boxes, event.seat: changed(box, stakes=stakes)})

    return mutant


def nothing_forfeited(original: Any) -> Any:
    def mutant(box: Box, option: Any) -> dict[str, Stake]:
        return dict(box.stakes) if option.folds else original(box, option)

    return mutant


def nothing_abandoned(original: Any) -> Any:
    return lambda round, event: changed(round, irregular=(*round.irregular, event.kind))


def in_reverse(original: Any) -> Any:
    return lambda *given: tuple(reversed(original(*given)))


def anybody_chooses(original: Any) -> Any:
    def mutant(round: Round, command: Choose) -> Chose:
        name, step = round.rules.sequence[round.at]
        if command.option not in step.option:
            raise Refused("no_such_choice", "is not a choice")
        return Chose(command.seat, name, command.option)

    return mutant


def names_a_card(original: Any) -> Any:
    def mutant(round: Round, command: Choose) -> Chose:
        chose: Chose = original(round, command)
        return Chose(chose.seat, chose.step, chose.option, f"holds {DECK[chose.seat]}")

    return mutant


def refused_but_taken(original: Any) -> Any:
    def mutant(round: Round, command: Bet) -> Event:
        event: Event = original(round, command)
        box = round.boxes.get(command.seat)
        if box and command.wager in box.stakes:
            box.stakes[command.wager] = Stake(command.cents)  # type: ignore[index]
            raise Refused("raised", "a bet is not raised")
        return event

    return mutant


def drops_what_is_taken_down(original: Any) -> Any:
    def mutant(round: Round, event: Event) -> Round:
        after: Round = round if isinstance(event, BetTakenDown) else original(round, event)
        return after

    return mutant


def drops_every_fifth(original: Any) -> Any:
    seen = [0]

    def mutant(round: Round, event: Event) -> Round:
        seen[0] += 1
        keeps = seen[0] % 5 or not isinstance(event, Chose)
        after: Round = original(round, event) if keeps else round
        return after

    return mutant


# ---------------------------------------------------------------- cards


def same_card_again(original: Any) -> Any:
    def mutant(round: Round) -> tuple[tuple[int, str, int], ...]:
        *plan, (_, place, seat) = original(round)
        return (*plan, (plan[0][0], place, seat))

    return mutant


def found_cards_are_dealt(original: Any) -> Any:
    return lambda round: original(changed(round, discarded=()))


def bank_is_due_at_once(original: Any) -> Any:
    def mutant(round: Round) -> tuple[int, ...]:
        early = [p for p in round.places.get("bank", ()) if p not in round.faces]
        return tuple(dict.fromkeys([*original(round), *early]))

    return mutant


def bank_is_everybodys(original: Any) -> Any:
    return lambda round, player: {*original(round, player), *round.places.get("bank", ())}


# ---------------------------------------------------------------- money


def from_the_snapshot(original: Any) -> Any:
    def mutant(settlement: Settlement, judged: Judgement) -> int:
        original(settlement, judged)
        return share(settlement.round.meters[str(judged.meter)], judged.part)

    return mutant


def without_reset(original: Any) -> Any:
    def mutant(settlement: Settlement, judged: Judgement) -> int:
        paid = share(settlement.meters[str(judged.meter)], judged.part)
        settlement.meters[str(judged.meter)] -= micros(paid)
        return paid

    return mutant


def doubled(original: Any) -> Any:
    return lambda round: {id: 2 * rise for id, rise in original(round).items()}


def own_hands_envied(original: Any) -> Any:
    def mutant(settlement: Settlement, box: Box, holder: Box, envy: Any) -> bool:
        other = changed(holder, player=f"not {box.player}")
        return box.seat != holder.seat and bool(original(settlement, box, other, envy))

    return mutant


def envied_once(original: Any) -> Any:
    def mutant(settlement: Settlement, box: Box, envy: Any) -> list[Line]:
        return list(original(settlement, box, envy))[:1]

    return mutant


def everything_covered(original: Any) -> Any:
    return lambda cover, funds, lines: list(lines)


def uncovered_though_there_is_money(original: Any) -> Any:
    return lambda cover, funds, lines: original(cover, funds // 2, lines)


def only_what_lies(original: Any) -> Any:
    def mutant(round: Round, seat: int) -> list[Line]:
        stakes = round.boxes[seat].stakes
        return [line for line in original(round, seat) if stakes[line.wager].fate == "live"]

    return mutant


def with_fees_kept(original: Any) -> Any:
    def mutant(round: Round) -> tuple[Event, ...]:
        return tuple(
            type(event)(event.seat, event.lines, round.boxes[event.seat].fee)
            if hasattr(event, "lines")
            else event
            for event in original(round)
        )

    return mutant


def backwards(original: Any) -> Any:
    return lambda settlement, seat: original(settlement, seat)[::-1]


def half_returned(original: Any) -> Any:
    def mutant(settlement: Settlement, box: Box, *given: Any, **named: Any) -> Line:
        line: Line = original(settlement, box, *given, **named)
        return line._replace(returned=line.returned // 2)

    return mutant


def only_paid(original: Any) -> Any:
    return property(lambda line: line.paid - line.stake)


SETTLEMENT, LINE = f"{SETTLE}:Settlement", f"{STATE}:Line"
MUTANTS = [
    Mutant("a late bet is taken", "late", MARYLAND, DECIDE, "_bets_open", never),
    Mutant("a late bet is taken", "late", SINGAPORE, DECIDE, "_bets_open", never),
    Mutant("bets are not looked at", "bets", MARYLAND, DECIDE, "check_seats", never, 2),
    Mutant("bets are not looked at", "bets", CALIFORNIA, DECIDE, "check_seats", never),
    Mutant("playing raises stakes", "stakes", FLORIDA, EVOLVE, "_chose", raised_by_playing),
    Mutant("riding raises stakes", "stakes", LET_IT_RIDE, EVOLVE, "_chose", raised_by_playing),
    Mutant("a fold keeps all", "folds", MARYLAND, EVOLVE, "_stakes_after", nothing_forfeited),
    Mutant("a fold keeps all", "folds", SINGAPORE, EVOLVE, "_stakes_after", nothing_forfeited),
    Mutant("who left still wins", "folds", LET_IT_RIDE, EVOLVE, "_declared", nothing_abandoned),
    Mutant("turns go backwards", "turns", MARYLAND, DECIDE, "to_ask", in_reverse),
    Mutant("anybody decides", "turns", SINGAPORE, DECIDE, "_choose", anybody_chooses),
    Mutant("anybody decides", "total", MARYLAND, DECIDE, "_choose", anybody_chooses),
    Mutant("the bank is shown early", "turns", CALIFORNIA, DECIDE, "to_show", bank_is_due_at_once),
    Mutant("a decision names a card", "faces", MARYLAND, DECIDE, "_choose", names_a_card),
    Mutant("the bank is seen by all", "views", FLORIDA, VIEW, "_own_positions", bank_is_everybodys),
    Mutant("others are offered choices", "choices", MARYLAND, VIEW, "to_ask", in_reverse),
    Mutant("a refused bet is taken", "frozen", MARYLAND, DECIDE, "_bet", refused_but_taken),
    Mutant("an event is lost", "stakes", MARYLAND, EVOLVE, "evolve", drops_what_is_taken_down),
    Mutant("an event is lost at times", "replay", FLORIDA, EVOLVE, "evolve", drops_every_fifth),
    Mutant("a card is dealt twice", "cards", SINGAPORE, DECIDE, "deal_plan", same_card_again),
    Mutant("a found card is dealt", "cards", MARYLAND, DECIDE, "deal_plan", found_cards_are_dealt),
    Mutant("both are paid a snapshot", "meters", LET_IT_RIDE, SETTLEMENT, "_from_meter",
           from_the_snapshot),
    Mutant("a meter is not reset", "meters", MARYLAND, SETTLEMENT, "_from_meter", without_reset),
    Mutant("a meter rises twice", "meters", SINGAPORE, DECIDE, "rises", doubled),
    Mutant("own boxes are envied", "envy", MARYLAND, SETTLEMENT, "_is_envied", own_hands_envied),
    Mutant("envy is paid once", "envy", LET_IT_RIDE, SETTLEMENT, "_envy_lines", envied_once, 3),
    Mutant("a bank pays too much", "bank", CALIFORNIA, COVER, "_collect_first", everything_covered),
    Mutant("a bank pays too much", "bank", FLORIDA, COVER, "_in_turn", everything_covered),
    Mutant("a bank pays too little", "bank", CALIFORNIA, COVER, "_collect_first",
           uncovered_though_there_is_money),
    Mutant("a dead hand pays rake", "fees", FLORIDA, RAKE, "_is_dead", nothing_dead),
    Mutant("no fee is taken", "fees", CALIFORNIA, DECIDE, "fees", lambda _: lambda round: {}),
    Mutant("pulled bets are kept", "void", LET_IT_RIDE, DECIDE, "void_lines", only_what_lies),
    Mutant("folded bets are kept", "void", MARYLAND, DECIDE, "void_lines", only_what_lies),
    Mutant("fees are kept", "void", CALIFORNIA, DECIDE, "_return_everything", with_fees_kept),
    Mutant("lines go backwards", "order", MARYLAND, SETTLEMENT, "seat_lines", backwards),
    Mutant("a stake is lost", "order", LET_IT_RIDE, DECIDE, "void_lines", only_what_lies),
    Mutant("half comes back", "outcomes", SINGAPORE, SETTLEMENT, "_stake_line", half_returned),
    Mutant("half comes back", "money", CALIFORNIA, SETTLEMENT, "_stake_line", half_returned),
    Mutant("a net forgets what returns", "money", MARYLAND, LINE, "net", only_paid),
]  # fmt: skip
