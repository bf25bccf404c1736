"""What people enter at a desk besides the next step: commands, with the fields that they take.

A page draws a form from its fields and knows no command. A field has a kind; one of kind `choice`
has answers, each with the parts of the command that it gives.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from croupier.house.questions import CARD
from croupier.house.shift import CENTS, DEALER, FLOOR, STAFF
from croupier.house.shoe import card_at
from croupier.house.standing import Standing, round_before
from croupier.house.step import NextStep, StepField
from croupier.round import commands as in_round
from croupier.round.bets import opening_stakes
from croupier.round.codec import to_plain
from croupier.round.corrections import correctable
from croupier.round.dealing import is_dealt
from croupier.round.faces import is_settled_on, shown_next
from croupier.round.order import is_read
from croupier.round.plan import plan_of
from croupier.round.state import Round, is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import ACTION, BANK, SEATS, Occasion
from croupier.rules.words import dollars
from croupier.table import commands as at_table

PAID: StepField = {
    "field": "paid",
    "kind": "money",
    "says": "Dollars handed out",
}
FOUND: StepField = {"field": "cards", "kind": "cards", "says": "Cards found: As Kd Qc"}
STUB_LEFT: StepField = {
    "field": "stub",
    "kind": "number",
    "optional": True,
    "says": "Cards left in the stub, if counted",
}
WHY: StepField = {"field": "why", "kind": "text", "says": "Why"}
WHAT: StepField = {"field": "about", "kind": "text", "says": "What is contested"}
HANDED: StepField = {"field": "cents", "kind": "money", "says": "Dollars handed over, or 0"}
STAKED: StepField = {"field": "cents", "kind": "money", "says": "Dollars staked, or 0"}
_RACKED: Occasion = "settled"
TOPICS: Mapping[type, str] = {
    in_round.Bet: "Walk-ins",
    in_round.TakeDown: "Walk-ins",
    in_round.CorrectStake: "Walk-ins",
    in_round.CorrectChoice: "Walk-ins",
    at_table.SeatWalkIn: "Walk-ins",
    at_table.Leave: "Walk-ins",
    at_table.Mispay: "Chips",
    at_table.CorrectPay: "Chips",
    at_table.MoveChips: "Chips",
    at_table.CountTray: "Chips",
    in_round.Correct: "Cards",
    in_round.Misread: "Cards",
    at_table.Recall: "Cards",
    at_table.Dispute: "Disputes",
    at_table.LetStand: "Disputes",
    at_table.SetRight: "Disputes",
    at_table.Receive: "Cards",
    at_table.Shuffle: "Cards",
    at_table.OrderShuffle: "Cards",
    at_table.Recut: "Cards",
    in_round.ByHand: "By hand",
    at_table.Idle: "Table",
    at_table.CloseTable: "Table",
}
"""The topic of each act; all others are about devices."""
DEVICES = "Devices"


def topic_of(step: NextStep) -> str:
    """Return the heading under which an act stands."""
    return TOPICS.get(type(step.command), DEVICES)


def forms(standing: Standing, closed: Mapping[str, str]) -> Iterator[NextStep]:
    """Yield what can be entered now; `closed` are the wagers that can't be made."""
    things = standing.table.rules.things
    if "chips" in things and standing.table.life == "open":
        yield from _bets(standing, closed)
        yield from _seats(standing)
        yield from _payments(standing)
        if standing.in_play:
            yield from _corrections(standing.in_play)
    if "cards" in things:
        if standing.in_play:
            yield from _reading(standing.in_play)
        yield from _recall(standing)
    yield from _disputes(standing)
    if standing.in_play and is_read(standing.in_play.rules):
        yield from _by_hand(standing.in_play)


def choice(says: str, answers: Iterable[tuple[str, Mapping[str, Any]]]) -> StepField:
    """Return a field with answers: what each says, and the parts of the command that it gives."""
    listed = [{"says": said, "gives": dict(gives)} for said, gives in answers]
    return {"field": "", "kind": "choice", "says": says, "answers": listed}


HANDED_TO = choice(
    "Who gets it",
    [("The player gets it", {"to": "player"}), ("The player gives it back", {"to": "house"})],
)


def _seat(seats: Iterable[int]) -> StepField:
    return choice("Seat", [(f"Seat {seat}", {"seat": seat}) for seat in seats])


# ---------------------------------------------------------------- walk-ins


def _betting(standing: Standing, closed: Mapping[str, str]) -> tuple[list[int], list[str]]:
    """Return the seats of walk-ins who may bet now, and the wagers that they may make."""
    round = standing.in_play
    if round is None or round.void or round.step is None or round.step.do != "bets":
        return [], []
    wagers = [
        name
        for name, wager in standing.table.rules.wagers.items()
        if wager.placed == "before the deal" and name not in closed
    ]
    banker = round.banker
    return [s for s in _walk_ins(standing) if banker is None or s != banker.seat], wagers


def spots_of(standing: Standing, closed: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield where the chips of walk-ins go now: what lies there, and how it is put and taken.

    The sum that lies there afterwards is for the console to fill in.
    """
    round, rules = standing.in_play, standing.table.rules
    seats, wagers = _betting(standing, closed)
    for seat in seats if round else ():
        box = round.boxes.get(seat) if round else None
        for name in wagers:
            stake = box.stakes.get(rules.spots[name][0]) if box else None
            put = to_plain(in_round.Bet(seat, "", name, 0))
            take = to_plain(in_round.TakeDown(seat, name)) if stake else None
            about = {"seat": seat, "wager": name, "label": rules.wagers[name].label}
            yield {**about, "cents": stake.cents if stake else 0, "put": put, "take": take}


def _bets(standing: Standing, closed: Mapping[str, str]) -> Iterator[NextStep]:
    """Yield the bets that walk-ins put down or take back before betting closes."""
    round, rules = standing.in_play, standing.table.rules
    seats, names = _betting(standing, closed)
    if round is None or not seats:
        return
    clause = round.step.clause if round.step else ""
    wagers = [(rules.wagers[name].label, {"wager": name}) for name in names]
    if wagers:
        fields = _seat(seats), choice("Wager", wagers), CENTS
        bet = in_round.Bet(0, "", "", 0)
        yield NextStep("Put it down.", DEALER, clause, command=bet, fields=fields)
    down = [
        (f"Seat {seat}, {wager.label}", {"seat": seat, "wager": name})
        for seat in seats
        for name, wager in rules.wagers.items()
        if seat in round.boxes and rules.spots[name][0] in round.boxes[seat].stakes
    ]
    if down:
        take, which = in_round.TakeDown(0, ""), choice("Which wager", down)
        yield NextStep("Take it back.", DEALER, clause, command=take, fields=(which,))


def _corrections(round: Round) -> Iterator[NextStep]:
    """Yield what was entered for walk-ins and may have been something else; two people say so."""
    rules, boxes = round.rules, correctable(round)
    made = [
        (
            f"Seat {box.seat}, {wager.label}: {dollars(opening_stakes(rules, box).get(name, 0))}",
            {"seat": box.seat, "wager": name},
        )
        for box in boxes
        for name, wager in rules.wagers.items()
        if wager.placed == "before the deal"
    ]
    if made:
        stake, fields = in_round.CorrectStake(0, "", 0), (choice("Which stake", made), STAKED)
        yield NextStep("Another sum was staked.", STAFF, command=stake, fields=fields)
    chose = [
        (
            f"Seat {box.seat}: {other.label}, not {rules.steps[step].option[was].label}",
            {"seat": box.seat, "step": step, "option": name},
        )
        for box in boxes
        for step, was in box.chose.items()
        for name, other in rules.steps[step].option.items()
        if name != was
    ]
    if chose:
        correct, which = in_round.CorrectChoice(0, "", ""), choice("Which choice", chose)
        yield NextStep("Something else was chosen.", STAFF, command=correct, fields=(which,))


def _walk_ins(standing: Standing) -> list[int]:
    seats = standing.table.seats
    return sorted(seat for seat, player in seats.items() if is_walk_in(player))


def _seats(standing: Standing) -> Iterator[NextStep]:
    """Yield the seats that walk-ins can take, and those that they can leave."""
    table = standing.table
    rules = table.rules.table
    free = [seat for seat in range(1, rules.seats + 1) if seat not in table.seats]
    if free:
        sit = at_table.SeatWalkIn(0)
        yield _at_table("Seat a walk-in.", DEALER, rules.clause, sit, _seat(free))
    if taken := _walk_ins(standing):
        yield _at_table("Leaves the table.", DEALER, rules.clause, at_table.Leave(0), _seat(taken))


# ---------------------------------------------------------------- payments


def _payments(standing: Standing) -> Iterator[NextStep]:
    """Yield forms to note a mispay to a walk-in, and to correct those still open."""
    table, round = standing.table, standing.round
    wrong = {(one.seat, one.wager) for one in table.mispaid if round and one.round == round.id}
    due: dict[tuple[int, str], int] = {}
    for line in round.lines if round and not round.void else ():
        place = line.seat, line.wager
        if place not in wrong and is_walk_in(table.seats.get(line.seat, "")):
            due[place] = due.get(place, 0) + line.paid + line.returned
    paid = [
        (
            f"{_place(table.rules, seat, wager)}: {dollars(cents)} due",
            {"seat": seat, "wager": wager},
        )
        for (seat, wager), cents in due.items()
    ]
    if paid:
        fields = choice("Which wager", paid), PAID
        yield _at_table(
            "Paid another amount, stake included.", STAFF, "", at_table.Mispay(0, "", 0), *fields
        )
    if standing.in_play and (before := round_before(standing.in_play.id)):
        yield _paid_before(table.rules, before)
    for one in table.mispaid:
        where, handed = _place(table.rules, one.seat, one.wager), dollars(one.paid)
        says = f"Put right: {where} got {handed}, {dollars(one.due)} was due."
        right = at_table.CorrectPay(one.round, one.seat, one.wager)
        yield _at_table(says, STAFF, "", right)


def _paid_before(rules: TableRules, round: str) -> NextStep:
    """Return the form for a wrong payment of a round before the one in play."""
    wagers = [(wager.label, {"wager": name}) for name, wager in rules.wagers.items()]
    seat = _seat(range(1, rules.table.seats + 1))
    fields = _named(round), seat, choice("Wager", wagers), PAID
    says = "Paid another amount in an earlier round, stake included."
    return _at_table(says, STAFF, "", at_table.Mispay(0, "", 0), *fields)


def _place(rules: TableRules, seat: int, wager: str) -> str:
    return f"Seat {seat}, {rules.label(wager)}"


# ---------------------------------------------------------------- cards


def _reading(round: Round) -> Iterator[NextStep]:
    """Yield corrections of cards that were read, and a card that came before its time."""
    if round.void or not is_read(round.rules):
        return
    ruling = round.rules.ruling_on("reading") or ""
    read = [
        (f"{card_at(round, at)['place']}: {card.words}", {"position": at})
        for at, card in reversed([*round.faces.items()])
        if not is_settled_on(round, at)
    ]
    if read and not round.doubt:
        fields = choice("Which card", read), CARD
        correct = in_round.Correct(0, next(iter(round.faces.values())))
        yield NextStep("Correct a card.", STAFF, ruling, command=correct, fields=fields)
    if round.next_position and round.stage and not round.doubt and not shown_next(round):
        says = "A card was turned up before its time."
        yield NextStep(says, STAFF, ruling, command=in_round.Misread("early"))


def _recall(standing: Standing) -> Iterator[NextStep]:
    """Yield the recall of a hand; the page of its round says where its cards lie (11.E)."""
    table, round = standing.table, standing.round
    if round is None:
        return
    clause = next(reversed(table.rules.guided.get(_RACKED, ())), "")
    recall = at_table.Recall("", 0, ())
    fields = _named(round.id), _seat(range(1, table.rules.table.seats + 1)), FOUND
    yield _at_table("Recall a hand.", FLOOR, clause, recall, *fields)


def _named(round: str) -> StepField:
    """Return a field for the id of a round, with a link to its page."""
    about = {"field": "round", "kind": "text", "says": "Round"}
    return {**about, "value": round, "link": "/rounds/{}"}


# ---------------------------------------------------------------- finished by hand


def _by_hand(round: Round) -> Iterator[NextStep]:
    """Yield the form of a round that the table finished by hand (T6); two people enter it."""
    stage = round.stage
    if round.void or round.doubt or stage is None or not round.boxes:
        return
    if stage.do == "settle" and not round.due:
        return
    fields = [*_hands(round), *_decisions(round), STUB_LEFT]
    if stage.do == "bets" and plan_of(round.rules).order == ACTION:
        lay = [(f"Action at seat {seat}", {"action": seat}) for seat in round.boxes]
        fields = [choice("Where the action button lay", lay), *fields]
    says = "The system failed: enter what the form says."
    entry = in_round.ByHand()
    yield NextStep(says, STAFF, stage.step.clause, command=entry, fields=tuple(fields))


def _hands(round: Round) -> Iterator[StepField]:
    """Yield a field for the cards of each seat and place."""
    rules = round.rules
    labels = {str(BANK): rules.bank.label, **{id: p.label for id, p in rules.places.items()}}
    dealt = {line.to for line in rules.deal.cards if is_dealt(round, line)}
    for seat in round.boxes if SEATS in dealt else ():
        yield _cards(str(seat), f"Seat {seat}")
    for place, label in labels.items():
        if place in dealt:
            yield _cards(place, label)


def _cards(name: str, label: str) -> StepField:
    about = {"field": f"cards.{name}", "kind": "cards", "optional": True}
    return {**about, "says": f"{label}: cards, if turned up"}


def _decisions(round: Round) -> Iterator[StepField]:
    """Yield a field for each decision that a seat may still have had to make."""
    stage = round.stage
    for one in (stage, *stage.later) if stage else ():
        for seat, box in round.boxes.items():
            if one.do != "decide" or one.name in box.chose or one.step.asks not in box.stakes:
                continue
            answers: list[tuple[str, Mapping[str, Any]]] = [(f"Seat {seat}: not asked", {})]
            for name, option in one.step.option.items():
                answers.append((f"Seat {seat}: {option.label}", {f"chose.{seat}.{one.name}": name}))
            yield choice(f"Seat {seat}", answers)


# ---------------------------------------------------------------- disputes


def _disputes(standing: Standing) -> Iterator[NextStep]:
    """Yield a form to note a dispute, and the answers to open ones."""
    table, round = standing.table, standing.round
    if round is not None:
        fields = _named(round.id), _seat(range(1, table.rules.table.seats + 1)), WHAT
        yield _at_table("Note a dispute.", STAFF, "", at_table.Dispute(0, "", ""), *fields)
    if round is not None and round.void:
        noted = {one.seat for one in table.disputes if one.round == round.id}
        yield from (step for seat, step in _carried_off(round) if seat not in noted)
    for one in table.disputes:
        about = f"Seat {one.seat} in round {one.round}, {one.about}"
        stand, right = at_table.LetStand(one.id, ""), at_table.SetRight(one.id, "")
        yield _at_table(f"{about}: it stands.", FLOOR, "", stand, WHY)
        yield _at_table(f"{about}: it was put right.", STAFF, "", right, WHY, HANDED, HANDED_TO)


def _carried_off(round: Round) -> Iterator[tuple[int, NextStep]]:
    """Yield the disputes over chips that walk-ins of a void round carried off (T13)."""
    clause = round.void.clause if round.void else ""
    for seat, box in sorted(round.boxes.items()):
        if is_walk_in(box.player):
            says = f"Seat {seat} carried off what it was paid in the void round."
            about = at_table.Dispute(seat, round.id, "chips carried off")
            yield seat, _at_table(says, STAFF, clause, about)


def _at_table(
    says: str, by: tuple[str, ...], clause: str, command: at_table.Command, *fields: StepField
) -> NextStep:
    return NextStep(says, by, clause, "table", command, fields=fields)
