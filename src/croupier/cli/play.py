"""`croupier play`: play at a book's table in the terminal, for play chips.

The engine says what may be done and what it pays; this module asks and tells.
"""

import random
import secrets
import sys
import time
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.output import AsJson, group, print_json
from croupier.cli.play_screen import PlayerLeft, Screen, signed, spreads
from croupier.cli.play_table import YOU, Room, seat_of
from croupier.cli.selections import Select, parse_selections
from croupier.cli.settle import write_record
from croupier.errors import UserError, quoted
from croupier.money import format_money, parse_money, shown_cents
from croupier.round import bots
from croupier.round.commands import Bet, Choose, CloseBets, TakeDown
from croupier.round.decide import decide
from croupier.round.events import BetMade, SeatSettled
from croupier.round.file import Played
from croupier.round.reasons import Reasons
from croupier.round.result import result_of
from croupier.round.state import Line
from croupier.round.tell import tell
from croupier.round.view import view
from croupier.rules.game import Option, Step
from croupier.rules.load import load
from croupier.rules.resolve import resolve, to_open
from croupier.rules.table_rules import TableRules
from croupier.rules.words import counted, dollars, listed
from croupier.table.commands import PassBank, TakeBank

app = group("Play a book in the terminal.", no_args_is_help=False)

LEAVE, HELP, DEAL, CLEAR = "q", "?", "d", "c"
CYCLE_S = 5
"""The least time between the starts of two rounds: play is never hurried."""


@app.command()
def play(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="A rulebook's id.", show_default=False)],
    seats: Annotated[
        int | None,
        typer.Option(help="Seats in play, yours the last. Default: as few as the book allows."),
    ] = None,
    select: Select = None,
    seed: Annotated[
        int | None, typer.Option(help="Deal the same cards each time, for practice.")
    ] = None,
    chips: Annotated[str, typer.Option(help="Play chips to start with.")] = "1000",
    rounds: Annotated[int | None, typer.Option(min=1, help="Leave after this many rounds.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the last round's record, for `croupier replay`.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="No colours and no drawn cards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play in the terminal for play chips. The computer plays the other seats."""
    given = parse_selections(select or ())
    rules = to_open(resolve(load(id, context.obj), given, things=()))
    if record and record.exists():
        raise UserError("already exists; name a new file", field=str(record))
    seat, start = _seat(rules, seats), parse_money(chips, "--chips")
    if not start:
        raise UserError("must be more than zero", field="--chips")
    rng = secrets.SystemRandom() if seed is None else random.Random(seed)
    interrupted = False
    # With --json the summary is the data, so messages go to standard error.
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        game = Game(Room(rules, rng, seat), Screen(plain=plain), start)
        try:
            game.welcome(seed)
            game.play(rounds)
        except PlayerLeft:
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


def _seat(rules: TableRules, seats: int | None) -> int:
    """Return the player's seat, the last of those taken."""
    table = rules.table
    seat = table.seats_min if seats is None else seats
    if not table.seats_min <= seat <= table.seats:
        message = f"must be from {table.seats_min} to {table.seats}"
        raise UserError(message, field="--seats", clause=table.clause)
    return seat


class Game:
    """One player's visit to a table."""

    def __init__(self, room: Room, screen: Screen, chips: int) -> None:
        self.room = room
        self.rules = room.rules
        self.screen = screen
        self.chips = self.balance = chips
        self.began_s = time.monotonic()
        self.dealt_s = self.began_s - CYCLE_S
        self.usual: dict[str, int] = {}
        self.hand = 1 if room.rules.shared else None
        self.seen: object = None
        self.played: list[Played] = []
        self.given_up = 0

    def play(self, rounds: int | None) -> None:
        """Play round after round until the player leaves or has no chips."""
        while self.balance > 0 and (rounds is None or len(self.played) < rounds):
            self.screen.heading(f"Round {self.room.started + 1}")
            self._tell_meters()
            self._offer_bank()
            self.room.start()
            self._take_bets()
            self._deal()
            self._settle()
        if self.balance <= 0:
            self.screen.say("You have no chips left.")

    # ------------------------------------------------------------ summaries

    def welcome(self, seed: int | None) -> None:
        """Say what is played, which rule the computer follows, and where the cards come from."""
        rules, say, seat = self.rules, self.screen.say, self.room.seat
        self.screen.heading(rules.title)
        say("Play chips only: no money is won or lost.")
        say(f"You have {dollars(self.chips)} and sit at seat {seat}.")
        if seat > 1:
            say(bots.posted(rules))
        if seed is not None:
            say(f"Practice: seed {seed} always deals these cards.")
        for name, wager in rules.wagers.items():
            if closed := self.room.closed(name):
                self.screen.refuse(closed, wager.label)
        say(
            "At each bet, press Enter for the amount in brackets or type 0 for no bet; "
            f"{HELP} shows the rules and the paytable, {LEAVE} leaves the table."
        )

    def _tell_meters(self) -> None:
        for id, micros in self.room.table.meters.items():
            meter = self.rules.meters[id]
            label = f"{self.rules.wagers[meter.wager].label} {meter.name}".rstrip()
            self.screen.say(f"{label} meter: {dollars(shown_cents(micros))}")

    def _tell_balance(self) -> None:
        minutes, count = int(time.monotonic() - self.began_s) // 60, len(self.played)
        rounds = counted(count, "round")
        net = signed(self.balance - self.chips)
        self.screen.say(f"Balance {dollars(self.balance)}, net {net} in {rounds}, {minutes} min.")

    def farewell(self) -> None:
        """Print the balance; leaving during a round gives up the stakes."""
        room = self.room
        if room.play.faces and room.box and not room.round.closed:
            self.given_up = room.staked + room.box.fee
            self.balance -= self.given_up
            given_up = dollars(self.given_up)
            self.screen.say(f"You leave during a round and give up {given_up}.")
        self.screen.heading("You leave the table.")
        self._tell_balance()

    def summary(self) -> dict[str, Any]:
        """Return the whole visit as JSON data."""
        return {
            "rulebook": self.rules.rulebook,
            "seat": self.room.seat,
            "rounds": len(self.played),
            "chips": format_money(self.chips),
            "balance": format_money(self.balance),
            "net": format_money(self.balance - self.chips),
            "given_up": format_money(self.given_up),
            "results": [result_of(played) for played in self.played],
        }

    def _ask(self, question: str) -> str:
        answer = self.screen.ask(question)
        if answer.lower() == LEAVE:
            raise PlayerLeft
        return answer

    def _check_money(self, cents: int) -> None:
        if cents > self.balance:
            balance = dollars(self.balance)
            raise UserError(f"your balance of {balance} does not cover {dollars(cents)}")

    # ------------------------------------------------------------ the bank

    def _offer_bank(self) -> None:
        """Offer the bank to the player whose turn it is, where players bank."""
        while seat := self.room.banker_due():
            if funds := self._ask_funds():
                self.room.do(TakeBank(seat, funds))
                return
            self.room.do(PassBank(seat))
            if self.room.banker_due() == seat:
                rotation = self.rules.bank.rotation
                clause = f" ({rotation.clause})" if rotation else ""
                self.screen.say(f"Nobody else can bank, so no round is dealt until you do{clause}.")

    def _ask_funds(self) -> int:
        """Ask the player to bank; an empty answer passes the turn."""
        bank = self.rules.bank
        cited = [bank, bank.cover, bank.rotation]
        self.screen.say(f"It's your turn to be the {bank.label.lower()}: put up funds or pass.")
        while True:
            answer = self._ask("  Funds [pass]:")
            if answer == HELP:
                self.screen.explain(self.rules, cited)
                continue
            try:
                funds = parse_money(answer.removeprefix("$") or 0, "funds")
                self._check_money(funds + (self.room.bank_charge if funds else 0))
                return funds
            except UserError as error:
                self.screen.refuse(error, "Funds")

    # ------------------------------------------------------------ bets

    def _take_bets(self) -> None:
        """Take bets until they are valid and the player asks for the deal."""
        room, banker = self.room, self.room.round.banker
        if banker:
            who = "You bank" if room.banks else f"Seat {banker.seat} banks"
            self.screen.say(f"{who} with {dollars(banker.funds)}.")
        while True:
            self.screen.say("Place your bets.")
            if room.banks:
                bets = [event for event in room.play.events if isinstance(event, BetMade)]
                self.screen.say(" ".join(tell(room.round, bet) for bet in bets))
            else:
                self._ask_bets()
            if self._is_closable() and self._is_deal_wanted():
                return

    def _ask_bets(self) -> None:
        if self.hand and not self.room.box:
            self.hand = self._ask_hand(self.hand)
        for name in self.room.wagers():
            self._ask_bet(name)

    def _ask_hand(self, usual: int) -> int:
        """Ask which of the shared hands the player bets on."""
        place = self.rules.shared
        if place is None:
            return usual
        while True:
            answer = self._ask(f"  {place.label}, 1 to {place.hands} [{usual}]:")
            if answer in ("", *map(str, range(1, place.hands + 1))):
                return int(answer or usual)
            error = UserError(f"they are 1 to {place.hands}", clause=place.clause)
            self.screen.refuse(error, place.label)

    def _ask_bet(self, name: str) -> None:
        label, lying = self.rules.wagers[name].label, self.room.bets.get(name, 0)
        spots = len(self.rules.spots[name])
        usual = lying or self.usual.get(name, 0)
        if self.room.staked + (usual - lying) * spots > self.balance:
            usual = 0
        hint = self.screen.sizes(self.rules, name)
        while True:
            answer = self._ask(f"  {label}{hint} [{dollars(usual) if usual else 'none'}]:")
            if answer == HELP:
                self.screen.explain_wager(self.rules, name)
                continue
            try:
                cents = parse_money(answer.removeprefix("$"), label) if answer else usual
                self._stake(name, cents, lying)
                return
            except UserError as error:
                self.screen.refuse(error, label)

    def _stake(self, name: str, cents: int, lying: int) -> None:
        """Place a stake of this size; zero removes it."""
        if cents == lying:
            return
        if cents == 0:
            self.room.play.do(TakeDown(self.room.seat, name))
            return
        self._check_money(self.room.staked + (cents - lying) * len(self.rules.spots[name]))
        self.room.play.do(Bet(self.room.seat, YOU, name, cents, self.hand))

    def _is_closable(self) -> bool:
        """Whether all bets are valid together; if not, say why."""
        try:
            decide(self.room.round, CloseBets())
            self._check_money(self.room.staked + self.room.charge)
        except UserError as error:
            seat = seat_of(error)
            if seat is None or seat == self.room.seat:
                self.screen.refuse(error)
                return False
            # The computer's simple bets may not suit a table's selections.
            self.room.sit_out(seat)
            self.screen.say(f"Seat {seat} sits this round out.")
            return self._is_closable()
        return True

    def _is_deal_wanted(self) -> bool:
        """Ask for the key that starts the round, anew each time."""
        made = self.room.bets
        if made:
            spots = {name: len(self.rules.spots[name]) for name in made}
            times = {name: f"{n} times " if n > 1 else "" for name, n in spots.items()}
            said = [
                f"{times[name]}{dollars(cents)} on {self.rules.wagers[name].label}"
                for name, cents in made.items()
            ]
            self.screen.say(f"Your bets: {listed(said)}.")
        while True:
            clears = f", {CLEAR} clears the bets" if made else ""
            answer = self._ask(f"Enter deals{clears}, {LEAVE} leaves:").lower()
            if answer in ("", DEAL):
                self.usual = made or self.usual
                return True
            if answer == CLEAR and made:
                self.room.sit_out(self.room.seat)
                self.usual = {}
                return False
            if answer == HELP:
                for name in made:
                    self.screen.explain_wager(self.rules, name)
                continue
            self.screen.say(f"{quoted(answer)} isn't one of these keys.", indent=2)

    # ------------------------------------------------------------ cards and choices

    def _deal(self) -> None:
        """Deal, and let every seat decide in the book's order, until all cards are shown."""
        wait_s = self.dealt_s + CYCLE_S - time.monotonic()
        if self.screen.is_live and wait_s > 0:
            self.screen.say(f"One moment: rounds start at least {CYCLE_S} seconds apart.")
            self.screen.pause(wait_s)
        self.dealt_s = time.monotonic()
        room = self.room
        room.deal()
        self.screen.say("No more bets.")
        while (seat := room.play.to_decision()) is not None:
            self._lay()
            self._choose(seat)
        room.play.show()
        self._lay()

    def _lay(self) -> None:
        """Show all the cards that the player may see, unless nothing has changed."""
        round = self.room.round
        seen = view(round, YOU, self.room.play.faces)
        cards = [box["cards"] for box in seen["boxes"]], seen["places"]
        if cards != self.seen:
            self.screen.lay(spreads(round, seen, self.room.seat))
        self.seen = cards

    def _choose(self, seat: int) -> None:
        room = self.room
        option = self._ask_choice() if seat == room.seat else room.choice(seat)
        [event] = room.play.do(Choose(seat, option))
        if seat != room.seat:
            self.screen.say(tell(room.round, event))

    def _ask_choice(self) -> str:
        step = self.room.rules.sequence[self.room.round.at][1]
        options = step.option
        choices = listed(
            [f"{o.label} ({o.key}){self._cost(o)}" for o in options.values()], last="or"
        )
        names = {o.key.lower(): name for name, o in options.items()}
        names |= {o.label.lower(): name for name, o in options.items()}
        while True:
            answer = self.screen.ask(f"{self._asked(step)}{choices}?").lower()
            if answer in names:
                try:
                    more = self._more(options[names[answer]])
                    self._check_money(self.room.staked + self.room.charge + more)
                    return names[answer]
                except UserError as error:
                    self.screen.refuse(error, options[names[answer]].label)
            elif answer == LEAVE:
                raise PlayerLeft
            elif answer == HELP:
                self.screen.explain(self.rules, [step, *options.values()])
            else:
                self.screen.refuse(
                    UserError(f"{quoted(answer)} is not a choice: {choices}", clause=step.clause)
                )

    def _asked(self, step: Step) -> str:
        """Name the bet that a decision is about and its size, if the wager has several bets."""
        box, spots = (
            self.room.box,
            next((s for s in self.rules.spots.values() if step.asks in s), ()),
        )
        if box is None or step.asks is None or len(spots) < 2:
            return ""
        return f"Bet {spots.index(step.asks) + 1} ({dollars(box.stakes[step.asks].cents)}): "

    def _more(self, option: Option) -> int:
        """Return what an option adds to the stakes on the layout."""
        box = self.room.box
        if not box or not option.places or not option.equals:
            return 0
        return box.stakes[option.equals].cents * option.times

    def _cost(self, option: Option) -> str:
        more = self._more(option)
        return f" for {dollars(more)}" if more else ""

    # ------------------------------------------------------------ the end of a round

    def _settle(self) -> None:
        room = self.room
        self.played.append(room.settle())
        round = room.round
        reasons = Reasons(round)
        self.screen.heading("Settlement")
        for event in room.play.events:
            if isinstance(event, SeatSettled):
                if event.seat == room.seat or room.banks:
                    self._tell_lines(event, reasons)
                else:
                    self.screen.say(tell(round, event))
        bank = round.bank_result if room.banks else None
        net = sum(line.net for line in round.lines if line.seat == room.seat)
        net += (bank.net if bank else 0) - (room.box.fee if room.box else 0)
        if bank:
            sums = f"collect {dollars(bank.collected)}, pay {dollars(bank.paid)}"
            fee = f", and the house takes {dollars(bank.fee)}" if bank.fee else ""
            self.screen.say(f"As {self.rules.bank.label.lower()} you {sums}{fee}.")
        self.balance += net
        if room.box or bank:
            did = "win" if net > 0 else "lose"
            self.screen.say(f"You {did} {dollars(abs(net))}." if net else "You break even.")
        self._tell_balance()

    def _tell_lines(self, event: SeatSettled, reasons: Reasons) -> None:
        if self.room.seat > 1:
            self.screen.say(f"Seat {event.seat}:" if self.room.banks else "You:")
        for line in event.lines:
            self.screen.settled(self._label(line), line, reasons.why(line))
        if event.fee:
            self.screen.say(f"The house takes {dollars(event.fee)}.", indent=2)

    def _label(self, line: Line) -> str:
        """Return the label of a line: its wager and which of its bets, or its bonus."""
        rules = self.rules
        for name, wager in rules.wagers.items():
            if line.wager in wager.spots:
                return f"{wager.label}, bet {wager.spots.index(line.wager) + 1}"
            if line.wager == name:
                return wager.label
        if line.wager in rules.bonuses:
            return rules.bonuses[line.wager].label
        return next(e.label for e in rules.envies.values() if e.line == line.wager)
