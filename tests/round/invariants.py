"""What must hold after every command, whatever was asked for.

Each invariant has a name, by which a mutant of the engine says who is to find it. Those about a
single event are kept by the ledger; the others compare the round with the ledger here.
"""

import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module

from croupier.cards import Card
from croupier.errors import Refused
from croupier.money import parse_money
from croupier.round import view as views
from croupier.round.codec import to_plain
from croupier.round.commands import Choose, Command, Show
from croupier.round.events import Event, Shown
from croupier.round.file import Played
from croupier.round.order import cards_to_show, seats_to_ask
from croupier.round.result import result_of
from croupier.round.state import Line, Round
from croupier.rules.table_rules import TableRules
from tests.round.ledger import CENT, FORFEITS, ORDER, Ledger
from tests.rules.books import CALIFORNIA, FLORIDA

# The package gives the functions the names of their modules; mutants change the modules.
DECIDE = import_module("croupier.round.decide")
EVOLVE = import_module("croupier.round.evolve")

CARD = re.compile(r"\b[2-9TJQKA][shdc]\b")
STATE = [name for name in Round.__struct_fields__ if name != "rules"]
STRANGER = "a stranger"


class Broken(AssertionError):
    """An invariant does not hold; it tells the round that shows it."""

    def __init__(self, invariant: str, found: object, play: "Play") -> None:
        asked = [*play.done, *([] if play.news else [f"{play.command}, refused: {play.refused}"])]
        done = "".join(f"\n    {command}" for command in asked)
        about = f"{play.rules.rulebook} with {dict(play.rules.selections)}:{done}"
        super().__init__(f"{invariant}: {found}\n  {about}")
        self.invariant = invariant


class Play:
    """A round that is played by commands, and all that the invariants look at."""

    def __init__(self, rules: TableRules, only: str | None = None) -> None:
        self.rules = rules
        self.only = only
        """The one invariant that is looked at, or None for all of them."""
        self.round = Round(rules)
        self.ledger = Ledger(rules)
        self.deck: dict[int, Card] = {}
        """Every face, which nobody but the test knows."""
        self.events: list[Event] = []
        self.news: tuple[Event, ...] = ()
        self.done: list[Command] = []
        """The commands that were not refused, to play the round again."""
        self.command: Command | None = None
        self.refused: Refused | None = None
        self.broken = True
        """Whether the last command broke something, or none was asked for."""

    def do(self, command: Command) -> bool:
        """Ask for something, see that everything holds, and say whether it was done."""
        before, told = self.round, fingerprint(self.round)
        self.command, self.news, self.refused, self.broken = command, (), None, True
        try:
            self.news = DECIDE.decide(before, command)
        except Refused as refused:
            self.refused = refused
        except Exception as error:
            raise Broken("total", f"{command}: {error!r}", self) from error
        for event in self.news:
            self._happen(event)
        if self.news:
            self.done.append(command)
        if self.wants("frozen") and fingerprint(before) != told:
            raise Broken("frozen", f"{command} changed the round before it", self)
        self.check()
        self.broken = False
        return bool(self.news)

    def _happen(self, event: Event) -> None:
        try:
            self.round = EVOLVE.evolve(self.round, event)
        except Exception as error:
            raise Broken("total", f"{event}: {error!r}", self) from error
        self.events.append(event)
        self.ledger.take(event)

    def wants(self, invariant: str) -> bool:
        return self.only in (None, invariant)

    def check(self) -> None:
        for invariant, found in self.ledger.faults:
            if self.wants(invariant):
                raise Broken(invariant, found, self)
        for invariant, check in CHECKS.items():
            if self.wants(invariant):
                for fault in check(self):
                    raise Broken(invariant, fault, self)


def fingerprint(round: Round) -> str:
    """Everything that a round says, so that a change in place is seen."""
    return repr([getattr(round, name) for name in STATE])


def cards_in(value: object) -> set[str]:
    """The cards that are named anywhere in a value."""
    return set(CARD.findall(json.dumps(value)))


# ---------------------------------------------------------------- at every moment


def replays(play: Play) -> Iterator[object]:
    """The events alone make the same round."""
    if play.news and EVOLVE.replay(play.rules, play.events) != play.round:
        yield "the events make another round"


def stakes_are_those_of_the_bets(play: Play) -> Iterator[object]:
    """W1, B5: stakes, players and the bank are what the bets and the decisions made them."""
    round, ledger = play.round, play.ledger
    seen = {seat: {s: x.cents for s, x in box.stakes.items()} for seat, box in round.boxes.items()}
    if seen != ledger.stakes:
        yield f"{seen}, not {ledger.stakes}"
    if any(box.player != ledger.players[seat] for seat, box in round.boxes.items()):
        yield "a seat has another player"
    bank = round.banker and (round.banker.seat, round.banker.player, round.banker.funds)
    told = ledger.banker and (ledger.banker.seat, ledger.banker.player, ledger.banker.funds)
    if bank != told:
        yield f"{bank} banks, not {told}"


def bets_fit_together(play: Play) -> Iterator[object]:
    """M10, M11: side bets lie beside what they need, in the sizes that the book allows."""
    ledger = play.ledger
    if not ledger.locked:
        return
    most = {"7.G(1)": 1, "7.G(2)": 2, "7.G(3)": 5}.get(play.rules.selections.get("version", ""), 0)
    for seat, spots in ledger.stakes.items():
        ante, plus = spots.get("ante", 0), spots.get("pair_plus", 0)
        if not (ante or plus or "bet_1" in spots) or min(spots.values()) <= 0:
            yield f"seat {seat} has {spots}"
        if len({spots.get(spot) for spot in ("bet_1", "bet_2", "bet_3")}) > 1:
            yield f"seat {seat} has unequal bets: {spots}"
        if (most and plus > most * ante) or (most == 5 and ante > 5 * plus):
            yield f"seat {seat} breaks the version of 7.G: {spots}"
        if ledger.banker and (seat == ledger.banker.seat or not ante):
            yield f"seat {seat} banks and bets, or bets without an ante"
        if ledger.banker and ledger.players[seat] == ledger.banker.player:
            yield "the banker bets at another seat"


def cards_are_conserved(play: Play) -> Iterator[object]:
    """C1: every card lies in one place: a hand, a place of the table, the rack or the stub."""
    round = play.round
    lie = [position for box in round.boxes.values() for position in box.cards]
    lie += [position for place in round.places.values() for position in place]
    if set(lie) != set(play.ledger.dealt):
        yield f"{sorted(lie)} lie on the table, and {sorted(play.ledger.dealt)} were dealt"
    lie += round.discarded
    if len(set(lie)) != len(lie):
        yield f"a card lies in two places: {sorted(lie)}"
    if not all(0 <= position < play.rules.deck.cards for position in lie):
        yield f"a card that the deck does not have: {sorted(lie)}"


def faces_are_shown_ones(play: Play) -> Iterator[object]:
    """Only `Shown` holds a face, and the round holds no other than those."""
    for event in play.news:
        if not isinstance(event, Shown) and cards_in(to_plain(event)):
            yield f"{event} holds a face"
        if isinstance(event, Shown) and event.card != play.deck[event.position]:
            yield f"{event} is not the card of the deck"
    if play.round.faces != play.ledger.faces:
        yield f"the round holds {play.round.faces}"


def views_hold_nothing_hidden(play: Play) -> Iterator[object]:
    """A viewer sees what was shown and their own cards, and nothing else, even in refusals."""
    ledger = play.ledger
    shown = {str(card) for card in ledger.faces.values()}
    if play.refused:
        said = play.command.faces if isinstance(play.command, Show) else ()
        if not cards_in(str(play.refused)) <= shown | {str(face.card) for face in said}:
            yield f"the refusal {play.refused} names a hidden card"
    if not play.news:
        return
    bank = [ledger.banker.player] if ledger.banker else []
    for viewer in {*ledger.players.values(), *bank, STRANGER, None}:
        own = {str(play.deck[p]) for p in own_positions(ledger, viewer)}
        seen = cards_in(views.view(play.round, viewer, play.deck))
        if seen != shown | own:
            yield f"{viewer} sees {sorted(seen)}, not {sorted(shown | own)}"


def own_positions(ledger: Ledger, viewer: str | None) -> Iterator[int]:
    """The positions that are a viewer's own: the hands, or the shared ones bet on (M9)."""
    seats = [seat for seat in ledger.stakes if ledger.players[seat] == viewer]
    for position, (place, seat) in ledger.dealt.items():
        if place == "seats" and seat in seats:
            yield position
    for seat in seats:
        hand = ledger.hands[seat]
        if hand:
            yield from ledger.at("community")[3 * hand - 3 : 3 * hand]


def choices_are_legal(play: Play) -> Iterator[object]:
    """What the page offers is the first that is asked, and it would be done."""
    asked = play.ledger.asked() if play.ledger.dealt and not play.ledger.void else []
    offered = views.choices(play.round)
    if offered and {choice["seat"] for choice in offered} != {asked[0][1] if asked else None}:
        yield f"{offered} are offered, and {asked} are asked"
    for choice in offered:
        try:
            DECIDE.decide(play.round, Choose(choice["seat"], choice["option"]))
        except Refused as refused:
            if refused.code != "cards_hidden":
                yield f"{choice} is offered, and refused: {refused}"


def turns_are_remembered_rightly(play: Play) -> Iterator[object]:
    """The seats asked and the cards due, kept from event to event, equal those computed anew."""
    round, asked = play.round, play.ledger.asked()
    if round.closed:
        return
    if round.asked != seats_to_ask(round) or round.due != cards_to_show(round):
        yield f"{round.asked} are asked and {round.due} due"
    if round.asked and [seat for turn, seat in asked if turn == asked[0][0]] != [*round.asked]:
        yield f"{round.asked} are asked, not {asked}"


# ---------------------------------------------------------------- at the end


def lines_are_in_order(play: Play) -> Iterator[object]:
    """Every seat is settled once, every stake has its line, in the order of the book."""
    ledger = play.ledger
    if not ledger.over:
        return
    seats = [event.seat for event in ledger.settled]
    if seats != _order(ledger):
        yield f"the seats are settled as {seats}, not {_order(ledger)}"
    for event in ledger.settled:
        words = iter([word for word in ORDER[ledger.book].split() for _ in range(7)])
        names = [line.wager for line in event.lines]
        if not all(name in words for name in names):  # Each is looked for after the one before.
            yield f"seat {event.seat} has the lines {names}"
        staked = [(line.wager, line.stake) for line in event.lines if line.stake]
        if sorted(staked) != sorted(ledger.stakes[event.seat].items()):
            yield f"seat {event.seat} has {staked} settled"
        if any(line.seat != event.seat or not (line.clause or line.ruling) for line in event.lines):
            yield "a line is another seat's, or cites nothing"


def _order(ledger: Ledger) -> list[int]:
    seats = sorted(ledger.stakes)
    if ledger.void:
        return seats
    if ledger.banker is None:
        return seats[::-1]
    first = ledger.action or ledger.banker.seat
    return [seat for seat in seats if seat >= first] + [seat for seat in seats if seat < first]


def outcomes_say_what_is_paid(play: Play) -> Iterator[object]:
    """The words are the contract's, and each says how paid, returned and stake go together."""
    for line in play.ledger.lines if play.ledger.over else ():
        match line.outcome:
            case "win":
                good = line.returned in (0, line.stake) and line.paid >= 0
            case "lose" | "forfeit":
                good = line.paid == line.returned == 0 < line.stake
            case "push" | "withdrawn" | "uncovered" | "void":
                good = line.paid == 0 < line.returned == line.stake
            case _:
                good = False
        if not good or (line.stake == 0 == line.paid):
            yield line


def folds_forfeit_what_the_book_says(play: Play) -> Iterator[object]:
    """W4: folding loses what the book names and keeps the rest; leaving loses all."""
    ledger = play.ledger
    if not ledger.over or ledger.void:
        return
    for line in ledger.lines:
        if line.stake == 0 and line.seat in ledger.left:
            yield f"an abandoned seat is paid {line}"
        elif line.stake == 0:
            continue
        elif (line.seat, line.wager) in ledger.pulled:
            good = line.outcome == "withdrawn"
        elif line.seat in ledger.left:
            good = line.outcome == "lose"
        elif line.seat in ledger.folded and line.wager in FORFEITS[ledger.book]:
            good = line.outcome == "forfeit"
        else:
            good = line.outcome not in ("forfeit", "withdrawn")
        if line.stake and not good:
            yield f"{line}: folded {ledger.folded}, left {ledger.left}, pulled {ledger.pulled}"
        if line.wager == "ante_bonus" and line.seat in ledger.folded:
            yield f"a bonus for a folded hand: {line}"


def void_gives_everything_back(play: Play) -> Iterator[object]:
    """M6: a void round gives back every stake ever made, and fees; no meter moves."""
    ledger = play.ledger
    if not ledger.over or not ledger.void:
        if ledger.over and any(line.outcome == "void" for line in ledger.lines):
            yield "a round that is not void has void lines"
        return
    if any(line.outcome != "void" or line.net for line in ledger.lines):
        yield f"{list(ledger.lines)}"
    if any(box.fee for box in play.round.boxes.values()):
        yield "a fee is kept"
    bank = ledger.over.bank
    if bank and (bank.collected or bank.paid or bank.fee):
        yield f"the bank has {bank}"
    if play.round.bank_result != bank or any(event.fee for event in ledger.settled):
        yield "a fee is charged"
    back = {event.seat: sum(line.returned for line in event.lines) for event in ledger.settled}
    if back != {seat: sum(spots.values()) for seat, spots in ledger.stakes.items()}:
        yield f"{back} comes back of {ledger.stakes}"


def bank_pays_what_it_has(play: Play) -> Iterator[object]:
    """B1, B2: a bank pays from its funds and what it collected, and when it is empty it stops."""
    ledger = play.ledger
    if not ledger.over or not ledger.banker or ledger.void:
        return
    bank, lines = ledger.over.bank, list(ledger.lines)
    lost = sum(line.stake for line in lines if line.outcome in ("lose", "forfeit"))
    paid = sum(line.paid for line in lines)
    if not bank or (bank.funds, bank.collected, bank.paid) != (ledger.banker.funds, lost, paid):
        yield f"{bank}, not {ledger.banker}: {lost} collected, {paid} paid"
        return
    if ledger.book == CALIFORNIA:
        letter = play.rules.selections["payoff_limit"] == "wager"
        have = bank.funds + (0 if letter else lost)
        uncovered = [line for line in lines if line.outcome == "uncovered"]
        if paid > have or (uncovered and paid < have):
            yield f"{paid} is paid of {have}, and {uncovered} not covered"
    elif ledger.book == FLORIDA:
        yield from _hand_after_hand(ledger, lines)


def _hand_after_hand(ledger: Ledger, lines: list[Line]) -> Iterator[object]:
    """F4: funds at a moment pay a called hand and match its stakes, or the hand is dead."""
    left = ledger.banker.funds if ledger.banker else 0
    for seat in _order(ledger):
        hand = [line for line in lines if line.seat == seat]
        dead = {line.outcome == "uncovered" for line in hand}
        stakes, paid = sum(line.stake for line in hand), sum(line.paid for line in hand)
        if len(dead) > 1 or (dead == {True} and seat in ledger.folded):
            yield f"seat {seat} is dead in part, or folded and dead"
        if dead == {False} and seat not in ledger.folded and left < max(stakes, paid):
            yield f"seat {seat} is paid {paid} on {stakes} with {left} left"
        lost = sum(line.stake for line in hand if line.outcome in ("lose", "forfeit"))
        left += lost - paid


def fees_are_the_declared_ones(play: Play) -> Iterator[object]:
    """B3: the house takes the declared fees and rake, and none for a dead hand."""
    ledger = play.ledger
    if not ledger.over or ledger.void:
        return
    charged, banker = dict(ledger.fees), play.rules.fee.banker if play.rules.fee else 0
    rake = play.rules.rake
    alive = {line.seat for line in ledger.lines if line.outcome != "uncovered"}
    if rake and rake.amount:
        if rake.payer != "designated_player":
            for player in {ledger.players[seat] for seat in alive}:
                lowest = min(s for s in ledger.stakes if ledger.players[s] == player)
                charged[lowest] = charged.get(lowest, 0) + rake.amount
        if rake.payer != "players" and alive:
            banker += rake.amount
    seen = {event.seat: event.fee for event in ledger.settled if event.fee}
    if seen != charged:
        yield f"the seats pay {seen}, not {charged}"
    if ledger.over.bank and ledger.over.bank.fee != banker:
        yield f"the banker pays {ledger.over.bank.fee}, not {banker}"


def envy_is_between_players(play: Play) -> Iterator[object]:
    """E1, E2: a hand is envied by every box of the others that made the wager, and once."""
    ledger = play.ledger
    if not ledger.over or ledger.void:
        return
    for maker in ("progressive", "five_card_progressive"):
        pairs = list(_envy(ledger, maker))
        envied = {holder for _, holder in pairs}
        due = {
            (seat, holder)
            for holder in envied
            for seat, spots in ledger.stakes.items()
            if maker in spots and seat not in ledger.left and _may_envy(ledger, seat, holder)
        }
        if sorted(pairs) != sorted(due):
            yield f"{maker}: envy goes by {sorted(pairs)}, not {sorted(due)}"
        if envied & ledger.left:
            yield "an abandoned hand is envied"
    if any((line.from_seat is not None) != (line.wager == "envy") for line in ledger.lines):
        yield "a line is from another seat, and no envy"


def _envy(ledger: Ledger, maker: str) -> Iterator[tuple[int, int]]:
    """Who gets envy on a wager, and for whose hand: such lines come after the wager's own."""
    for event in ledger.settled:
        last = ""
        for line in event.lines:
            if line.wager != "envy":
                last = line.wager
            elif (last == "five_card_progressive") == (maker == "five_card_progressive"):
                yield event.seat, line.from_seat or 0


def _may_envy(ledger: Ledger, seat: int, holder: int) -> bool:
    """M9: players on the same shared hand do not envy each other for it."""
    player = ledger.players[seat]
    if player == ledger.players[holder]:
        return False
    own = {ledger.hands[s] for s in ledger.stakes if ledger.players[s] == player}
    return ledger.hands[holder] is None or ledger.hands[holder] not in own


def meters_end_where_the_payments_leave_them(play: Play) -> Iterator[object]:
    """P1: what a meter shows is what it began with, its rises, payments and resets."""
    if not play.ledger.void and dict(play.round.meters) != play.ledger.meters:
        yield f"{play.round.meters}, not {play.ledger.meters}"


def money_is_conserved(play: Play) -> Iterator[object]:
    """Seats, bank, house and meters come to nothing, and the house has what the lines say."""
    ledger = play.ledger
    if not ledger.over:
        return
    result = result_of(Played(play.round, tuple(play.events), play.deck))
    nets = {event.seat: sum(_net(x) for x in event.lines) - event.fee for event in ledger.settled}
    if {seat["seat"]: _cents(seat["net"]) for seat in result["seats"]} != nets:
        yield f"{result['seats']}, not {nets}"
    bank = ledger.over.bank
    won = bank.collected - bank.paid - bank.fee if bank else 0
    moved = sum(_cents(shown) for shown in result["meters"].values())
    moved -= sum(micros // CENT for micros in ledger.before.values())
    house = _cents(result["house"])
    if sum(nets.values()) + won + moved + house:
        yield f"{nets}, bank {won}, meters {moved} and house {house} are not nothing"
    fees = sum(event.fee for event in ledger.settled)
    taken = bank.fee if bank else -sum(_net(line) for line in ledger.lines)
    if house != taken + fees - moved or (ledger.void and house):
        yield f"the house has {house}, not {taken} and {fees} less {moved}"


def _net(line: Line) -> int:
    return line.paid + line.returned - line.stake


def _cents(text: str) -> int:
    return -parse_money(text[1:], "sum") if text.startswith("-") else parse_money(text, "sum")


CHECKS: dict[str, Callable[[Play], Iterator[object]]] = {
    "replay": replays,
    "stakes": stakes_are_those_of_the_bets,
    "bets": bets_fit_together,
    "cards": cards_are_conserved,
    "faces": faces_are_shown_ones,
    "views": views_hold_nothing_hidden,
    "choices": choices_are_legal,
    "turns": turns_are_remembered_rightly,
    "order": lines_are_in_order,
    "outcomes": outcomes_say_what_is_paid,
    "folds": folds_forfeit_what_the_book_says,
    "void": void_gives_everything_back,
    "bank": bank_pays_what_it_has,
    "fees": fees_are_the_declared_ones,
    "envy": envy_is_between_players,
    "meters": meters_end_where_the_payments_leave_them,
    "money": money_is_conserved,
}
INVARIANTS = {*CHECKS, "total", "frozen", "late"}
