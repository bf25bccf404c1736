"""A round file: bets, cards and decisions, played through the engine to the settlement.

The format is described in docs/round-files.md. Everything is checked: an unknown key, a duplicate
card or a missing decision is refused in one sentence that names the field.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

from croupier.cards import DECK, Card, distinct, parse_cards
from croupier.errors import ParseError, Refused, UserError, quoted
from croupier.money import Cents, micros
from croupier.reading.reader import (
    FAULTY,
    DataPath,
    Reader,
    ReadValue,
    described,
    only,
    reader_of,
    run,
    table_of,
)
from croupier.round import commands
from croupier.round.commands import Command
from croupier.round.dealing import is_dealt
from croupier.round.decide import decide_bets
from croupier.round.events import Chose, Declared, Event
from croupier.round.irregularity import DEALER
from croupier.round.plan import plan_of
from croupier.round.play import Play
from croupier.round.state import NOTHING, Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import ACTION, BANK

BANKER = "banker"
_CARD = {str(card): card for card in DECK}
_WHOLE_MAX = 10**9
_DECK_ALONE = "goes with no cards anywhere else in the file"


def _nobody(seat: int) -> str:
    """Return a player name that no file can contain: a seat without a name is its own player."""
    return f"\n{seat}"


def name_of(player: str) -> str | None:
    """Return the name that a file gave a player, or None."""
    return None if player.startswith("\n") else player


# ---------------------------------------------------------------- what a file looks like


def _read_cards(reader: Reader, raw: Any, at: DataPath) -> Any:
    if raw is None:
        return None
    if not isinstance(raw, str):
        return reader.fault(at, "must be cards written like 'As Kd Tc'")
    try:
        return tuple([_CARD[word] for word in raw.split()])
    except KeyError:  # Another notation, or not cards.
        pass
    try:
        return parse_cards(raw)
    except ParseError as error:
        return reader.fault(at, error.message)


def _read_wagers(reader: Reader, raw: Any, at: DataPath) -> Any:
    return reader.fault(at, "must name at least one wager") if raw == {} else _SUMS(reader, raw, at)


def _read_irregularity(reader: Reader, raw: Any, at: DataPath) -> Any:
    """Read the kind; the engine checks the facts."""
    if not isinstance(raw, dict):
        return reader.fault(at, f"must be a table, not {described(raw)}")
    if "kind" not in raw:
        return reader.fault((*at, "kind"), "is missing")
    kind = _ONE_LINE(reader, raw["kind"], (*at, "kind"))
    return kind if kind is FAULTY else (kind, {key: raw[key] for key in raw if key != "kind"})


_SUMS = reader_of(Mapping[str, Cents])
_ONE_LINE = only(str, "text on one line", lambda text: text.strip() and text.isprintable())
_Whole = Annotated[
    int, only(int, "a whole number of at most nine digits", lambda n: abs(n) < _WHOLE_MAX)
]
_Cards = Annotated[tuple[Card, ...] | None, _read_cards]
"""None where none are given, which is not the same as none: only a void round may say that."""


class SeatEntry(NamedTuple):
    seat: int
    wagers: Mapping[str, int]
    player: str | None = None
    decisions: tuple[str, ...] = ()
    cards: tuple[Card, ...] | None = None
    hand: int | None = None


class BankEntry(NamedTuple):
    """The dealer, or the player who banks."""

    cards: tuple[Card, ...] | None = None
    seat: int = 0
    player: str = ""
    funds: int = 0
    shown: Card | None = None


class RoundFile(NamedTuple):
    seats: tuple[SeatEntry, ...]
    bank: BankEntry | None
    places: Mapping[str, tuple[Card, ...]]
    meters: Mapping[str, int]
    action: int | None = None
    deck: tuple[Card, ...] = ()
    irregularities: tuple[tuple[str, Mapping[str, Any]], ...] = ()


_SEAT = {
    "seat": _Whole,
    "player": Annotated[str, _ONE_LINE],
    "cards": _Cards,
    "hand": _Whole,
    "wagers": Annotated[Mapping[str, int], _read_wagers],
    "decisions": tuple[str, ...],
}
_read_seat = table_of(_SEAT, frozenset({"seat", "wagers"}), SeatEntry)
_FILE: Mapping[str, Any] = {
    "rulebook": Any,
    "selections": Any,
    "dealing": Any,
    "meters": Mapping[str, Cents],
    "seats": tuple[Annotated[SeatEntry, _read_seat], ...],
    "deck": _Cards,
    "irregularities": tuple[Annotated[Any, _read_irregularity], ...],
}
_DEALER = {"cards": _Cards}
_BANKER = {
    "cards": _Cards,
    "seat": _Whole,
    "player": Annotated[str, _ONE_LINE],
    "funds": Cents,
    "shown": Annotated[
        tuple[Card, ...], only(_Cards, "one card", lambda cards: len(cards or ()) == 1)
    ],
}


def _banker(*, shown: tuple[Card, ...] = (), **given: Any) -> BankEntry:
    bank = BankEntry(**given, shown=shown[0] if shown else None)
    return bank if bank.player else bank._replace(player=_nobody(bank.seat))


_SEAT_OF = table_of({"seat": _Whole}, frozenset({"seat"}), lambda seat: seat)


@cache
def _reader(places: tuple[str, ...], bank: str | None, *, action: bool) -> ReadValue:
    """Return the reader of round files for these places and this kind of bank."""
    kinds = {**_FILE, **dict.fromkeys(places, Annotated[Any, table_of(_DEALER)])}
    needed = {"seats"}
    if bank == DEALER:
        kinds[DEALER] = Annotated[Any, table_of(_DEALER, make=BankEntry)]
    if bank == BANKER:
        banker = table_of(_BANKER, frozenset({"seat", "funds"}), _banker)
        kinds[BANKER] = Annotated[Any, banker]
        needed.add(BANKER)
    if action:
        kinds["action"] = _Whole
    return table_of(kinds, frozenset(needed))


class Played(NamedTuple):
    """A finished round, with all its events and every known face."""

    round: Round
    events: tuple[Event, ...]
    faces: Mapping[int, Card] = NOTHING
    file: RoundFile | None = None


# ---------------------------------------------------------------- reading


def parse_round(rules: TableRules, data: Mapping[str, Any]) -> RoundFile:
    """Read everything in a round file except the rulebook, the selections and the dealing."""
    plan = plan_of(rules)
    bank = BANKER if rules.banked_by == "player" else DEALER if plan.has_bank else None
    given = run(_reader(tuple(rules.places), bank, action=plan.order == ACTION), data)
    file = RoundFile(
        seats=given["seats"],
        bank=given.get(bank, BankEntry()) if bank else None,
        places={
            name: cards
            for name in rules.places
            if (cards := given.get(name, NOTHING).get("cards")) is not None
        },
        meters={id: micros(cents) for id, cents in given.get("meters", NOTHING).items()},
        action=given.get("action"),
        deck=given.get("deck") or (),
        irregularities=given.get("irregularities", ()),
    )
    _check_seats(file)
    if file.bank and file.bank.shown is not None and not plan.turned_up:
        raise UserError("this book turns no card up", field=f"{BANKER}.shown")
    if "deck" in given and len(file.deck) != rules.deck.cards:
        message = f"has {len(file.deck)} cards, not {rules.deck.cards}"
        raise UserError(message, field="deck")
    _check_cards(file)
    if file.deck and rules.shared:
        message = "shared hands are not dealt from a deck"
        raise UserError(message, field="deck", clause=rules.shared.clause)
    return file


def _check_seats(file: RoundFile) -> None:
    if not file.seats:
        raise UserError("must list at least one seat", field="seats")
    taken: set[int] = set()
    for i, entry in enumerate(file.seats, 1):
        if entry.seat in taken:
            raise UserError(f"seat {entry.seat} appears twice", field=f"seats[{i}].seat")
        taken.add(entry.seat)


def _check_cards(file: RoundFile) -> None:
    """Refuse a card dealt twice, and cards from both a deck and the file."""
    given = [card for hand in _hands(file) for card in hand]
    if file.deck and given:
        raise UserError(_DECK_ALONE, field="deck")
    if len(set(given)) == len(given) and not file.deck:
        return
    try:
        distinct(file.deck or given)
    except ParseError as error:
        raise UserError(error.message, field="cards") from None


def _hands(file: RoundFile) -> Iterator[tuple[Card, ...]]:
    """Yield the cards of every place for which the file gives any, or says that there are none."""
    bank = (file.bank.cards,) if file.bank else ()
    for cards in (*bank, *file.places.values(), *(seat.cards for seat in file.seats)):
        if cards is not None:
            yield cards


# ---------------------------------------------------------------- playing


def play_file(rules: TableRules, file: RoundFile) -> Played:
    """Play a round file to its end."""
    player = _Player(rules, file)
    player.bet()
    void = player.is_void()
    player.check_places(void=void)
    if void:
        player.note_decisions()
        player.declare_all()
    else:
        player.declare_all()
        player.deal()
        player.decide_all()
    player.play.settle()
    return Played(player.round, tuple(player.play.events), player.play.faces, file)


class _Player:
    """Plays a file through the engine, and maps refusals to the file's fields."""

    def __init__(self, rules: TableRules, file: RoundFile) -> None:
        self.play = Play(Round(rules), {})
        self.file = file
        self.decisions = {entry.seat: iter(entry.decisions) for entry in file.seats}
        self.entries = {entry.seat: i for i, entry in enumerate(file.seats, 1)}
        self.left = {
            run(_SEAT_OF, facts, ("irregularities", i)): (kind, facts)
            for i, (kind, facts) in enumerate(file.irregularities)
            if self._effect(kind) == "abandon seat"
        }

    @property
    def round(self) -> Round:
        return self.play.round

    def do(self, command: Command) -> None:
        """Apply a command; a refusal names the field of the file."""
        try:
            self.play.do(command)
        except Refused as refused:
            where = self._field(command, refused.field or "")
            raise UserError(refused.message, field=where, clause=refused.clause) from None

    def _field(self, command: Command, field: str) -> str | None:
        """Return the field of the file that a refusal is about."""
        match command:
            case commands.Bank():
                return f"{BANKER}.{field}" if field else BANKER
            case commands.Choose():
                return f"seats[{self.entries[command.seat]}].decisions"
        return self._seat_field(field) or field or None

    def _seat_field(self, field: str) -> str:
        """Return the field of a seat for a refusal about `seat 3.ante`."""
        if not field.startswith("seat "):
            return ""
        seat, _, wager = field.removeprefix("seat ").partition(".")
        return f"seats[{self.entries[int(seat)]}]" + (f".wagers.{wager}" if wager else "")

    # ------------------------------------------------------------ bets

    def bet(self) -> None:
        file = self.file
        self.do(commands.Open("", file.meters))
        if file.bank and self.round.rules.banked_by == "player":
            self.do(commands.Bank(file.bank.seat, file.bank.player, file.bank.funds))
        self._make_bets()
        self.do(commands.CloseBets(file.action))

    def _make_bets(self) -> None:
        """Make all bets at once; bet by bet, a round of five seats takes a third longer."""
        made: list[Event] = []
        for i, (seat, wagers, player, _, _, hand) in enumerate(self.file.seats, 1):
            try:
                made += decide_bets(self.round, (seat, player or _nobody(seat), hand), wagers)
            except Refused as refused:
                key = refused.field
                if key not in ("seat", "hand"):
                    key = f"wagers.{next(iter(wagers)) if key is None else key}"
                where = f"seats[{i}].{key}"
                raise UserError(refused.message, field=where, clause=refused.clause) from None
        self.play.take(made)

    def check_places(self, *, void: bool) -> None:
        """Refuse cards for a place that gets none in this round (Maryland 8.E(2), ruling L4).

        Only a void round may say that there are none.
        """
        lines = self.round.rules.deal.cards
        dealt = {line.to for line in lines if is_dealt(self.round, line)}
        for place, cards in self.file.places.items():
            if place not in dealt and (cards or not void):
                clause = self.round.rules.places[place].clause
                message = "no card is dealt there in this round"
                raise UserError(message, field=place, clause=clause)
        if self.file.deck and not void and any(True for _ in _hands(self.file)):
            raise UserError(_DECK_ALONE, field="deck")

    # ------------------------------------------------------------ irregularities

    def _effect(self, kind: str) -> str:
        irregularity = self.round.rules.irregularities.get(kind)
        return irregularity.rows[0].does[0] if irregularity else ""

    def is_void(self) -> bool:
        """Whether any irregularity of the file voids the round, before it is declared."""
        trial = Play(self.round, {})
        for i, (kind, facts) in enumerate(self.file.irregularities, 1):
            try:
                trial.do(commands.Declare(kind, facts))
            except Refused as refused:
                where = f"irregularities[{i}]" + (f".{refused.field}" if refused.field else "")
                raise UserError(refused.message, field=where, clause=refused.clause) from None
        void = trial.round.void is not None
        if self.file.deck and not void:
            _check_discarded([event for event in trial.events if isinstance(event, Declared)])
        return void

    def declare_all(self) -> None:
        for kind, facts in self.file.irregularities:
            if facts.get("seat") not in self.left:
                self.do(commands.Declare(kind, facts))

    def note_decisions(self) -> None:
        """Record the decisions made before a round was found to be void.

        They may be incomplete and out of turn, so the engine isn't asked to decide them.
        """
        for i, entry in enumerate(self.file.seats, 1):
            decisions = iter(entry.decisions)
            for name, step in self.round.rules.steps.items():
                box = self.round.boxes[entry.seat]
                if step.do != "decide" or step.asks not in box.stakes:
                    continue
                option = next(decisions, None)
                if option is None:
                    break
                if option not in step.option:
                    options = " or ".join(map(repr, step.option))
                    message = f"{quoted(option)} isn't a choice; choose {options}"
                    raise UserError(message, field=f"seats[{i}].decisions", clause=step.clause)
                self.play.take((Chose(entry.seat, name, option),))
            if next(decisions, None) is not None:
                raise _too_many(i)

    # ------------------------------------------------------------ cards and decisions

    def deal(self) -> None:
        self.do(commands.Deal())
        self.play.faces = dict(enumerate(self.file.deck)) or dict(self._given_faces())
        shown = self.file.bank.shown if self.file.bank else None
        if shown is not None and self.file.deck:
            first = self.play.faces[self.round.places[BANK][0]]
            if shown != first:
                raise UserError(f"the card turned up is {first}", field=f"{BANKER}.shown")

    def _given_faces(self) -> Iterator[tuple[int, Card]]:
        """Yield the file's cards with the position where each was dealt."""
        round, file = self.round, self.file
        for i, entry in enumerate(file.seats, 1):
            yield from _laid(round.boxes[entry.seat].cards, entry.cards or (), f"seats[{i}].cards")
        key = DEALER if round.rules.banked_by == "house" else BANKER
        for place, positions in round.places.items():
            if place == BANK and file.bank:
                yield from _laid(positions, self._bank_cards(file.bank), f"{key}.cards")
            elif place in round.rules.places:
                yield from _laid(positions, file.places.get(place, ()), f"{place}.cards")
        if file.bank and file.bank.cards is not None and BANK not in round.places:
            raise UserError("no card is dealt there in this round", field=f"{key}.cards")

    def _bank_cards(self, bank: BankEntry) -> tuple[Card, ...]:
        """Put the upcard first, where the deal turns one up (C5)."""
        cards = bank.cards or ()
        if bank.shown is None:
            return cards
        if bank.shown not in cards:
            raise UserError(f"{bank.shown} is not one of the cards", field=f"{BANKER}.shown")
        return (bank.shown, *(card for card in cards if card != bank.shown))

    def decide_all(self) -> None:
        """Play the decisions in turn, then declare the remaining players who left."""
        while (seat := self.play.to_decision()) is not None:
            self._decide(seat)
        for kind, facts in self.left.values():
            self.do(commands.Declare(kind, facts))
        for seat, decisions in self.decisions.items():
            if next(decisions, None) is not None:
                raise _too_many(self.entries[seat])

    def _decide(self, seat: int) -> None:
        option = next(self.decisions[seat], None)
        if option is not None:
            self.do(commands.Choose(seat, option))
        elif seat in self.left:
            kind, facts = self.left.pop(seat)
            self.do(commands.Declare(kind, facts))
        else:
            clause = self.round.rules.sequence[self.round.at][1].clause
            at = f"seats[{self.entries[seat]}].decisions"
            raise UserError("lacks a decision", field=at, clause=clause)


def _check_discarded(declared: list[Declared]) -> None:
    """Refuse a card that leaves the deck of a file which doesn't say where it lies (13.A)."""
    for i, event in enumerate(declared, 1):
        if "discard card" in event.effects and "positions" not in event.facts:
            message = "is missing: it decides which card of the deck is discarded"
            raise UserError(message, field=f"irregularities[{i}].positions", clause=event.clause)


def _laid(
    positions: tuple[int, ...], cards: tuple[Card, ...], at: str
) -> Iterator[tuple[int, Card]]:
    if len(positions) != len(cards):
        raise UserError(f"must be {len(positions)} cards, not {len(cards)}", field=at)
    return zip(positions, cards, strict=True)


def _too_many(entry: int) -> UserError:
    return UserError("has more decisions than it is asked", field=f"seats[{entry}].decisions")
