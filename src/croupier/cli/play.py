"""`croupier play`: a seat at a table of the book, in the terminal, for play chips.

The engine says what may be done and what it comes to; this file asks, deals and tells. Chance and
clocks enter here and nowhere below.
"""

import random
import secrets
import sys
import time
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cards import DECK, RANKS, Card
from croupier.cli.output import AsJson, group, print_json
from croupier.cli.play_screen import Left, Screen, Spread, signed
from croupier.cli.selections import Select, parse_selections
from croupier.cli.settle import write_record
from croupier.errors import Refused, UserError
from croupier.hands import Hand
from croupier.money import format_money, parse_money, shown_cents
from croupier.round import Round, bots, decide, evolve
from croupier.round.bets import check_bet, fees
from croupier.round.commands import (
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Settle,
    Show,
    TakeDown,
)
from croupier.round.events import Banked, Chose, Event, SeatSettled
from croupier.round.file import Played
from croupier.round.order import to_ask, to_show
from croupier.round.reasons import Reasons
from croupier.round.result import hand_places, result_of
from croupier.round.settle import shared_place
from croupier.round.state import Box
from croupier.round.tell import tell
from croupier.round.view import HIDDEN, view, wagers_open
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT
from croupier.rules.words import dollars, listed
from croupier.table import commands as at_table
from croupier.table.dealer import chore
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import CutMade, Received, Shuffled
from croupier.table.evolve import evolve as evolve_table
from croupier.table.state import bank_order, cut, new_table

app = group("Play a book in the terminal.", no_args_is_help=False)

YOU, LEAVE, HELP = "you", "q", "?"
CYCLE_S = 5
"""No round starts sooner after another at a terminal: there is no hurry (see the conventions)."""


@app.command()
def play(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="A rulebook's id.", show_default=False)],
    seats: Annotated[
        int | None,
        typer.Option(help="Seats taken, yours the last; default the fewest.", show_default=False),
    ] = None,
    select: Select = None,
    seed: Annotated[
        int | None, typer.Option(help="Deal the same cards again, for practice.")
    ] = None,
    chips: Annotated[str, typer.Option(help="The play chips that you start with.")] = "1000",
    rounds: Annotated[int | None, typer.Option(min=1, help="Leave after so many rounds.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the last round's record, for croupier replay.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="No colour and no drawn cards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play a book in the terminal, for play chips, against the bank and the computer's seats."""
    given = parse_selections(select or ())
    rules = resolve(load(id, context.obj), given)
    if record and record.exists():
        raise UserError("is there already; name a new file", field=str(record))
    count = rules.table.seats_min if seats is None else seats
    if not rules.table.seats_min <= count <= rules.table.seats:
        message = f"must be from {rules.table.seats_min} to {rules.table.seats}"
        raise UserError(message, field="--seats", clause=rules.table.clause)
    start = parse_money(chips, "--chips")
    if not start:
        raise UserError("must be more than nothing", field="--chips")
    interrupted = False
    # With --json the document alone is data, and what is said goes to standard error.
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        rng = secrets.SystemRandom() if seed is None else random.Random(seed)
        game = Game(Room(rules, rng), Screen(plain=plain), seat=count, chips=start)
        try:
            game.welcome(seed)
            game.play(rounds)
        except Left:
            pass
        except KeyboardInterrupt:
            interrupted = True
            print()
        game.farewell()
    if record and game.played:
        write_record(record, game.played[-1], given)
    if as_json:
        print_json(game.summary())
    if interrupted:
        raise KeyboardInterrupt


class Room:
    """A table with its decks and a round; its dealer shuffles, cuts and counts without a word."""

    def __init__(self, rules: TableRules, rng: random.Random) -> None:
        self.rules = rules
        self.rng = rng
        self.table = new_table(rules)
        self.stacks: dict[int, tuple[Card, ...]] = {}
        self.started = 0
        self.round = Round(rules)
        self.events: list[Event] = []
        self.faces: dict[int, Card] = {}

    def do(self, command: at_table.Command) -> None:
        """Do something at the table between rounds."""
        for event in decide_at_table(self.table, command):
            self.table = evolve_table(self.table, event)
            match event:
                case Received(deck=deck) | Shuffled(deck=deck):
                    self.stacks[deck] = self._shuffled()
                case CutMade(deck=deck, depth=depth):
                    self.stacks[deck] = cut(self.stacks[deck], depth)

    def run(self, command: Command) -> list[Event]:
        """Let the engine decide a command of the round, and return what happened."""
        events = decide(self.round, command)
        for event in events:
            self.round = evolve(self.round, event)
        self.events += events
        return list(events)

    def start(self) -> None:
        """Start a round and open it for bets."""
        self.get_ready()
        self.started += 1
        self.do(at_table.StartRound(str(self.started), _now()))
        self.round, self.events, self.faces = Round(self.rules), [], {}
        for command in self.table.opening():
            self.run(command)

    def get_ready(self) -> None:
        """Do what is in the way of a deal: bring a deck, shuffle it, cut it, count the stub."""
        least = self.rules.deck.cut.cards_min if self.rules.deck.cut else 1
        depth = self.rng.randint(least, self.rules.deck.cards - least)
        while next := chore(self.table, _now(), depth):
            self.do(next)

    def deal(self) -> None:
        """Close the bets on a deck that lies ready, and deal it."""
        self.get_ready()
        deck = self.table.round.deck if self.table.round else 0
        if self.rules.deck.shuffle is None:  # The book does not ask for it, but who would not?
            self.stacks[deck] = self._shuffled()
        self.faces = dict(enumerate(self.stacks[deck]))
        self.run(CloseBets())
        self.do(at_table.DealFirstCard(_now()))
        self.run(Deal())

    def show(self) -> None:
        """Turn up the cards that are due."""
        if due := to_show(self.round):
            self.run(Show(tuple(Face(position, self.faces[position]) for position in due)))

    def settle(self) -> Played:
        """Settle the round, and let the table take note of it."""
        self.show()
        self.run(Settle())
        self.do(at_table.EndRound.of(self.round, self.events))
        return Played(self.round, tuple(self.events), self.round.faces)

    def known_to(self, seat: int) -> dict[int, Card]:
        """Return the cards that a seat may see: those shown, and its own."""
        own = bots.positions_of(self.round, self.round.boxes[seat])
        return {**self.round.faces, **{position: self.faces[position] for position in own}}

    def _shuffled(self) -> tuple[Card, ...]:
        cards = list(DECK)
        self.rng.shuffle(cards)
        return tuple(cards)


def _now() -> at_table.Time:
    return at_table.Time(int(time.time()), int(time.monotonic()))


def _name(seat: int) -> str:
    return f"computer {seat}"


class Game:
    """One player's stay at a table."""

    def __init__(self, room: Room, screen: Screen, *, seat: int, chips: int) -> None:
        self.room = room
        self.rules = room.rules
        self.screen = screen
        self.seat = seat
        self.chips = self.balance = chips
        self.began_s = time.monotonic()
        self.dealt_s = self.began_s - CYCLE_S
        self.usual: dict[str, int] = {}
        self.hand: int | None = 1 if shared_place(self.rules) else None
        self.played: list[Played] = []
        self.given_up = 0
        self.drawn: list[Spread] = []
        for other in range(1, seat):
            room.do(at_table.Join(other, _name(other)))
        room.do(at_table.Join(seat, YOU))

    @property
    def round(self) -> Round:
        return self.room.round

    @property
    def box(self) -> Box | None:
        return self.round.boxes.get(self.seat)

    def play(self, rounds: int | None) -> None:
        """Play round after round until the player leaves or has no chips."""
        while self.balance > 0 and (rounds is None or len(self.played) < rounds):
            self.screen.heading(f"Round {self.room.started + 1}")
            self._tell_meters()
            self._take_turn_to_bank()
            self.room.start()
            self._bets()
            self._hand_out()
            self._settle()
        if self.balance <= 0:
            self.screen.say("You have no chips left.")

    # ------------------------------------------------------------ what is always on view

    def welcome(self, seed: int | None) -> None:
        """Say what is played, by which rule the computer plays, and where the cards come from."""
        rules, say = self.rules, self.screen.say
        self.screen.heading(rules.title)
        say("For play chips only: nothing is won or lost here but practice.")
        say(f"You have {dollars(self.chips)} and sit at seat {self.seat} of {self.seat}.")
        if self.seat > 1:
            say(bots.posted(rules))
        if seed is not None:
            say(f"Practice: the cards follow from seed {seed}, so they can be known beforehand.")
        for wager in rules.wagers:
            if closed := self._closed(wager):
                self.screen.refuse(closed, rules.wagers[wager].label)
        say(
            f"At a bet, Enter takes what stands in brackets, 0 is no bet, {HELP} shows the rules "
            f"and the paytable, {LEAVE} leaves."
        )

    def _closed(self, wager: str) -> Refused | None:
        """Return why a wager cannot be made at this table at all, whatever its size."""
        sizes, limits = self.rules.wagers[wager].sizes, self.rules.limits.get(wager)
        try:
            check_bet(self.rules, wager, sizes.of[0] if sizes else limits.min if limits else 1)
        except Refused as refused:
            return None if refused.code == "by_decision" else refused
        return None

    def _tell_meters(self) -> None:
        for id, micros in self.room.table.meters.items():
            meter = self.rules.meters[id]
            label = f"{self.rules.wagers[meter.wager].label} {meter.name}".rstrip()
            self.screen.say(f"{label} meter: {dollars(shown_cents(micros))}")

    def _tell_balance(self) -> None:
        minutes = int(time.monotonic() - self.began_s) // 60
        count = len(self.played)
        self.screen.say(
            f"Balance {dollars(self.balance)}, net {signed(self.balance - self.chips)} in "
            f"{count} round{'' if count == 1 else 's'}, {minutes} min."
        )

    def farewell(self) -> None:
        """Say what is left; bets that lie behind 'no more bets' are given up with the seat."""
        box, step = self.box, self.round.step
        if box and step and step.do != "bets" and not self.round.closed:
            self.given_up = self._staked() + box.fee
            self.balance -= self.given_up
            text = f"You leave in the middle of a round and give up {dollars(self.given_up)}."
            self.screen.say(text)
        self.screen.say("You leave the table.")
        self._tell_balance()

    def summary(self) -> dict[str, Any]:
        """Return the whole stay as plain data."""
        return {
            "rulebook": self.rules.rulebook,
            "seat": self.seat,
            "rounds": len(self.played),
            "chips": format_money(self.chips),
            "balance": format_money(self.balance),
            "net": format_money(self.balance - self.chips),
            "given_up": format_money(self.given_up),
            "results": [result_of(played) for played in self.played],
        }

    # ------------------------------------------------------------ the bank

    def _take_turn_to_bank(self) -> None:
        """Let whoever's turn it is bank, where players do."""
        room = self.room
        while self.rules.banked_by == "player" and room.table.banker is None:
            turn = bank_order(room.table)[0]
            if turn != self.seat:
                room.do(at_table.TakeBank(turn, bots.FUNDS))
            elif funds := self._ask_funds():
                room.do(at_table.TakeBank(turn, funds))
            else:
                room.do(at_table.PassBank(turn))
                if bank_order(room.table)[:1] == (turn,):
                    rotation = self.rules.bank.rotation
                    clause = f" ({rotation.clause})" if rotation else ""
                    self.screen.say(f"Nobody else may bank: no round is dealt until you do{clause}.")

    def _ask_funds(self) -> int:
        """Ask the player to bank; 0 passes the turn."""
        bank, label = self.rules.bank, self.rules.bank.label
        self.screen.say(f"It is your turn to bank: {label}. Name the funds you put up, or pass.")
        while True:
            answer = self._ask("  Funds [pass]:")
            if answer == HELP:
                cited = [bank.clause, *(c.clause for c in (bank.cover, bank.rotation) if c)]
                self.screen.explain(self.rules, cited)
                continue
            try:
                funds = parse_money(answer.removeprefix("$") or 0, label)
                self._check_money(funds + self._bank_charge())
                return funds
            except UserError as error:
                self.screen.refuse(error, "Funds")

    def _bank_charge(self) -> int:
        fee, rake = self.rules.fee, self.rules.rake
        raked = rake.amount if rake and rake.payer != "players" else 0
        return (fee.banker if fee else 0) + raked

    # ------------------------------------------------------------ bets

    def _ask(self, question: str) -> str:
        answer = self.screen.ask(question)
        if answer.lower() == LEAVE:
            raise Left
        return answer

    def _staked(self) -> int:
        """Return what the player has on the layout and has not taken back."""
        stakes = self.box.stakes.values() if self.box else ()
        return sum(stake.cents for stake in stakes if stake.fate != "take back")

    def _check_money(self, cents: int) -> None:
        if cents > self.balance:
            balance = dollars(self.balance)
            raise UserError(f"your balance of {balance} does not cover {dollars(cents)}")

    def _bets(self) -> None:
        """Take all bets until they fit together and the player asks for the deal."""
        self._others_bet()
        banker = self.round.banker
        if banker:
            event = Banked(banker.seat, banker.player, banker.funds)
            self.screen.say(tell(self.round, event).replace(f"Seat {self.seat} banks", "You bank"))
        while True:
            self.screen.say("Place your bets.")
            if not banker or banker.seat != self.seat:
                self._ask_bets()
            if self._is_closable() and self._is_deal_wanted():
                return

    def _others_bet(self) -> None:
        banker = self.round.banker
        place = self.rules.places.get(shared_place(self.rules))
        for seat in range(1, self.seat):
            if banker and banker.seat == seat:
                continue
            hand = (seat - 1) % place.hands + 1 if place else None
            for wager, cents in bots.bets(self.rules).items():
                self.room.run(Bet(seat, _name(seat), wager, cents, hand))

    def _ask_bets(self) -> None:
        if self.hand is not None and self.box is None:
            self.hand = self._ask_hand(self.hand)
        open = [item for item in wagers_open(self.round) if not self._closed(item["wager"])]
        for i, item in enumerate(open):
            later = {item["wager"] for item in open[i:]}
            if self._is_possible(item["wager"], later):
                self._ask_bet(item)

    def _is_possible(self, wager: str, later: set[str]) -> bool:
        """Whether the wagers that this one needs lie there, or may still come."""
        made = set(self.box.stakes) if self.box else set()
        there = later | {name for name, spots in self.rules.spots.items() if made & set(spots)}
        needs = [set(c.needs) for c in self.rules.wagers[wager].conditions if c.needs]
        return all(needed & there for needed in needs)

    def _ask_hand(self, usual: int) -> int:
        place = self.rules.places[shared_place(self.rules)]
        while True:
            answer = self._ask(f"  {place.label}: bet on hand 1 to {place.hands} [{usual}]:")
            if answer in ("", *map(str, range(1, place.hands + 1))):
                return int(answer or usual)
            text = f"There is no hand {answer!r}; they are 1 to {place.hands}"
            self.screen.say(f"{text} ({place.clause}).", indent=2)

    def _ask_bet(self, item: dict[str, Any]) -> None:
        name, label = item["wager"], item["label"]
        spots = self.rules.spots[name]
        lying = self.box.stakes.get(spots[0]) if self.box else None
        usual = lying.cents if lying else self.usual.get(name, 0)
        if self._staked() + usual * len(spots) > self.balance and not lying:
            usual = 0
        hints = [f"{len(spots)} bets of"] if len(spots) > 1 else []
        if item["sizes"]:
            hints.append(listed([f"${size}".removesuffix(".00") for size in item["sizes"]]))
        elif limits := self.rules.limits.get(name):
            hints.append(f"{dollars(limits.min)} to {dollars(limits.max)}")
        hint = f", {' '.join(hints)}" if hints else ""
        while True:
            answer = self._ask(f"  {label}{hint} [{dollars(usual) if usual else 'none'}]:")
            if answer == HELP:
                self.screen.explain_wager(self.rules, name)
                continue
            try:
                cents = parse_money(answer.removeprefix("$"), label) if answer else usual
                self._stake(name, cents, lying=lying.cents if lying else 0)
                return
            except UserError as error:
                self.screen.refuse(error, label)

    def _stake(self, name: str, cents: int, *, lying: int) -> None:
        """Put a stake where the player wants it; nothing takes it down."""
        if cents == lying:
            return
        if cents == 0:
            self.room.run(TakeDown(self.seat, name))
            return
        self._check_money(self._staked() + (cents - lying) * len(self.rules.spots[name]))
        self.room.run(Bet(self.seat, YOU, name, cents, self.hand))

    def _is_closable(self) -> bool:
        """Whether all bets fit together; if not, say why."""
        try:
            decide(self.round, CloseBets())
            rake = self.rules.rake
            raked = rake.amount if self.box and rake and rake.payer != "designated_player" else 0
            self._check_money(self._staked() + fees(self.round).get(self.seat, 0) + raked)
        except UserError as error:
            seat = (error.field or "").removeprefix("seat ").split(".")[0]
            if seat.isdigit() and int(seat) != self.seat:
                self._sits_out(int(seat))
                return self._is_closable()
            self.screen.refuse(error)
            return False
        return True

    def _sits_out(self, seat: int) -> None:
        """Let a seat of the computer's out of the round whose simple bets the table refuses."""
        for wager, spots in self.rules.spots.items():
            box = self.round.boxes.get(seat)
            if box and spots[0] in box.stakes:
                self.room.run(TakeDown(seat, wager))
        self.screen.say(f"Seat {seat} sits this round out.", indent=2)

    def _is_deal_wanted(self) -> bool:
        """Ask for the key that starts the round; clearing takes every bet down."""
        made = self._bets_made()
        if made:
            said = [f"{dollars(cents)} on {self._label(w)}" for w, cents in made.items()]
            self.screen.say(f"Your bets: {listed(said)}.")
        while True:
            clear = ", C clears the bets" if made else ""
            answer = self._ask(f"Enter deals{clear}, {LEAVE} leaves:").lower()
            if answer in ("", "d"):
                self.usual = made or self.usual
                return True
            if answer == "c" and made:
                for wager in made:
                    self.room.run(TakeDown(self.seat, wager))
                return False
            self.screen.say(f"{answer!r} is not one of these keys.", indent=2)

    def _bets_made(self) -> dict[str, int]:
        stakes = self.box.stakes if self.box else {}
        spots = self.rules.spots.items()
        return {name: stakes[s[0]].cents for name, s in spots if s[0] in stakes}
