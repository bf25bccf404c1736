"""A round file: what was bet, dealt and decided, played through the engine to its settlement.

The format is the one of docs/round-files.md. Everything is checked: an unknown key, a doubled
card, a missing decision is refused in one sentence that names the field.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from croupier.cards import DECK, Card, distinct, parse_cards
from croupier.errors import ParseError, Refused, UserError
from croupier.money import micros, parse_money
from croupier.round.commands import (
    Bank,
    Choose,
    CloseBets,
    Command,
    Deal,
    Declare,
    Open,
    Settle,
    Show,
    face_of,
)
from croupier.round.dealing import is_dealt
from croupier.round.decide import decide, decide_bets
from croupier.round.events import Chose, Event
from croupier.round.evolve import evolve, evolve_all
from croupier.round.irregularity import DEALER
from croupier.round.plan import plan_of
from croupier.round.settle import shared_place
from croupier.round.state import NOTHING, Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import ACTION, BANK

BANKER = "banker"
_CARD = {str(card): card for card in DECK}
_KEYS = {"rulebook", "selections", "dealing", "meters", "seats", "deck", "irregularities"}
_SEAT_KEYS = {"seat", "player", "cards", "hand", "wagers", "decisions"}


class SeatEntry(NamedTuple):
    """A seat of a round file."""

    seat: int
    player: str | None
    wagers: Mapping[str, int]
    decisions: tuple[str, ...]
    cards: tuple[Card, ...] = ()
    hand: int | None = None


class BankEntry(NamedTuple):
    """The dealer, or the player who banks."""

    cards: tuple[Card, ...] = ()
    seat: int = 0
    player: str = ""
    funds: int = 0
    shown: Card | None = None


class RoundFile(NamedTuple):
    """A round file, read."""

    seats: tuple[SeatEntry, ...]
    bank: BankEntry | None
    places: Mapping[str, tuple[Card, ...]]
    meters: Mapping[str, int]
    action: int | None = None
    deck: tuple[Card, ...] = ()
    irregularities: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class Played(NamedTuple):
    """A round played to its end: the round, all its events, and every face that is known."""

    round: Round
    events: tuple[Event, ...]
    faces: Mapping[int, Card] = NOTHING
    file: RoundFile | None = None


# ---------------------------------------------------------------- reading


def parse_round(rules: TableRules, data: Mapping[str, Any]) -> RoundFile:
    """Read everything in a round file but the rulebook, the selections and the dealing."""
    bank_key = DEALER if rules.banked_by == "house" else BANKER
    has_bank = plan_of(rules).has_bank or rules.banked_by == "player"
    known = {*_KEYS, *rules.places}
    if has_bank:
        known.add(bank_key)
    if plan_of(rules).order == ACTION:
        known.add("action")
    _keys(data, known, "")
    file = RoundFile(
        seats=tuple(_seats(data.get("seats"))),
        bank=_bank(rules, data, bank_key) if has_bank else None,
        places={
            name: _cards(_table(data[name], name, {"cards"}).get("cards"), f"{name}.cards")
            for name in rules.places
            if name in data
        },
        meters={
            id: micros(parse_money(value, f"meters.{id}"))
            for id, value in _table(data.get("meters", {}), "meters", None).items()
        },
        action=_whole(data["action"], "action") if "action" in data else None,
        deck=_deck(data["deck"], rules.deck.cards) if "deck" in data else (),
        irregularities=tuple(_irregularities(data.get("irregularities", []))),
    )
    _check_cards(file)
    if file.deck and shared_place(rules):
        clause = rules.places[shared_place(rules)].clause
        raise UserError("shared hands are not dealt from a deck", field="deck", clause=clause)
    return file


def _seats(raw: Any) -> Iterator[SeatEntry]:
    if not isinstance(raw, list) or not raw:
        raise UserError("must be a list of seats", field="seats")
    taken: set[int] = set()
    for i, item in enumerate(raw, 1):
        at = f"seats[{i}]"
        entry = _table(item, at, _SEAT_KEYS)
        seat = _whole(entry.get("seat"), f"{at}.seat")
        if seat in taken:
            raise UserError(f"seat {seat} comes twice", field=f"{at}.seat")
        taken.add(seat)
        wagers = _table(entry.get("wagers"), f"{at}.wagers", None)
        if not wagers:
            raise UserError("a seat needs a wager", field=f"{at}.wagers")
        yield SeatEntry(
            seat,
            _text(entry["player"], f"{at}.player") if "player" in entry else None,
            _wagers(wagers, at),
            _texts(entry.get("decisions", []), f"{at}.decisions"),
            _cards(entry.get("cards"), f"{at}.cards"),
            _whole(entry["hand"], f"{at}.hand") if "hand" in entry else None,
        )


def _wagers(wagers: Mapping[str, Any], at: str) -> dict[str, int]:
    try:
        return {wager: parse_money(value, wager) for wager, value in wagers.items()}
    except ParseError as error:
        raise UserError(error.message, field=f"{at}.wagers.{error.field}") from None


def _bank(rules: TableRules, data: Mapping[str, Any], key: str) -> BankEntry | None:
    if key == DEALER:
        entry = _table(data.get(key, {}), key, {"cards"})
        return BankEntry(cards=_cards(entry.get("cards"), f"{key}.cards"))
    entry = _table(data.get(key), key, {"cards", "seat", "player", "funds", "shown"})
    seat = _whole(entry.get("seat"), f"{key}.seat")
    shown = _cards(entry.get("shown"), f"{key}.shown")
    if "shown" in entry and not plan_of(rules).turned_up:
        raise UserError("this book turns no card up", field=f"{key}.shown")
    if "shown" in entry and len(shown) != 1:
        raise UserError("must be one card", field=f"{key}.shown")
    return BankEntry(
        cards=_cards(entry.get("cards"), f"{key}.cards"),
        seat=seat,
        player=_text(entry["player"], f"{key}.player") if "player" in entry else _nobody(seat),
        funds=parse_money(_given(entry, "funds", key), f"{key}.funds"),
        shown=shown[0] if shown else None,
    )


def _deck(raw: Any, size: int) -> tuple[Card, ...]:
    cards = _cards(raw, "deck")
    if len(cards) != size:
        raise UserError(f"has {len(cards)} cards, not {size}", field="deck")
    return cards


def _irregularities(raw: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(raw, list):
        raise UserError("must be a list of tables", field="irregularities")
    for i, item in enumerate(raw, 1):
        entry = dict(_table(item, f"irregularities[{i}]", None))
        kind = _text(entry.pop("kind", None), f"irregularities[{i}].kind")
        yield kind, entry


def _check_cards(file: RoundFile) -> None:
    """No card is dealt twice, and cards come from the deck or from the file, not from both."""
    given: list[Card] = [*file.bank.cards] if file.bank else []
    for place in file.places.values():
        given += place
    for seat in file.seats:
        given += seat.cards
    if file.deck and given:
        raise UserError("goes with no cards anywhere else in the file", field="deck")
    if len(set(given)) == len(given) and not file.deck:
        return
    try:
        distinct(file.deck or given)
    except ParseError as error:
        raise UserError(error.message, field="cards") from None


# ---------------------------------------------------------------- playing


def play_file(rules: TableRules, file: RoundFile) -> Played:
    """Play a round file to its end."""
    play = _Play(rules, file)
    play.bets()
    play.check_places()
    if play.is_void():
        play.decided_anyway()
        play.declare_all()
    else:
        play.declare_all()
        play.deal()
        play.to_the_end()
    play.run(Settle())
    return Played(play.round, tuple(play.events), play.faces, file)


class _Play:
    """Feeds a file's contents to the engine, command by command."""

    def __init__(self, rules: TableRules, file: RoundFile) -> None:
        self.round = Round(rules)
        self.file = file
        self.events: list[Event] = []
        self.faces: dict[int, Card] = {}
        self.decisions = {entry.seat: iter(entry.decisions) for entry in file.seats}
        self.entries = {entry.seat: i for i, entry in enumerate(file.seats, 1)}
        self.left = {
            _whole(facts.get("seat"), f"irregularities[{i}].seat"): (kind, facts)
            for i, (kind, facts) in enumerate(file.irregularities, 1)
            if self._effect(kind) == "abandon seat"
        }

    def run(self, command: Command) -> None:
        """Let the engine decide a command; a refusal names the field of the file."""
        try:
            events = decide(self.round, command)
        except Refused as refused:
            where = self._field(command, refused.field or "")
            raise UserError(refused.message, field=where, clause=refused.clause) from None
        self.events += events
        self.round = evolve_all(self.round, events)

    def _field(self, command: Command, field: str) -> str | None:
        """Name the field of the file that a refusal speaks of."""
        if isinstance(command, Bank):
            return f"{BANKER}.{field}" if field else BANKER
        if isinstance(command, Choose):
            return f"seats[{self.entries[command.seat]}].decisions"
        return self._seat_field(field) or field or None

    def _seat_field(self, field: str) -> str:
        """Name the field of a seat that a refusal speaks of as `seat 3.ante`."""
        if not field.startswith("seat "):
            return ""
        seat, _, wager = field.removeprefix("seat ").partition(".")
        return f"seats[{self.entries[int(seat)]}]" + (f".wagers.{wager}" if wager else "")

    # ------------------------------------------------------------ bets

    def bets(self) -> None:
        file = self.file
        self.run(Open("", file.meters))
        if file.bank and self.round.rules.banked_by == "player":
            bank = Bank(file.bank.seat, file.bank.player, file.bank.funds)
            self.run(bank)
        self._bet()
        self.run(CloseBets(file.action))

    def _bet(self) -> None:
        """Make all bets together: no wager is refused for one that is there already."""
        round, made = self.round, list[Event]()
        for i, (seat, player, wagers, _, _, hand) in enumerate(self.file.seats, 1):
            try:
                made += decide_bets(round, (seat, player or _nobody(seat), hand), wagers)
            except Refused as refused:
                key = refused.field
                if key not in ("seat", "hand"):
                    key = f"wagers.{next(iter(wagers)) if key is None else key}"
                where = f"seats[{i}].{key}"
                raise UserError(refused.message, field=where, clause=refused.clause) from None
        self.events += made
        self.round = evolve_all(round, made)

    def check_places(self) -> None:
        """Refuse cards for a place that gets none in this round (Maryland 8.E(2), ruling L4)."""
        lines = self.round.rules.deal.cards
        dealt = {line.to for line in lines if is_dealt(self.round, line)}
        for place, cards in self.file.places.items():
            if cards and place not in dealt:
                clause = self.round.rules.places[place].clause
                message = "no card is dealt there in this round"
                raise UserError(message, field=place, clause=clause)

    # ------------------------------------------------------------ irregularities

    def _effect(self, kind: str) -> str:
        irregularity = self.round.rules.irregularities.get(kind)
        return irregularity.rows[0].does[0] if irregularity else ""

    def is_void(self) -> bool:
        """Whether any irregularity of the file voids the round, before it is declared for good."""
        round = self.round
        for i, (kind, facts) in enumerate(self.file.irregularities, 1):
            try:
                events = decide(round, Declare(kind, facts))
            except Refused as refused:
                where = f"irregularities[{i}]" + (f".{refused.field}" if refused.field else "")
                raise UserError(refused.message, field=where, clause=refused.clause) from None
            for event in events:
                round = evolve(round, event)
        return round.void is not None

    def declare_all(self) -> None:
        for kind, facts in self.file.irregularities:
            if facts.get("seat") not in self.left:
                self.run(Declare(kind, facts))

    def decided_anyway(self) -> None:
        """Note the decisions that were made before a round was found to be void.

        They need not be complete and had no turn to keep, so they are told as they happened.
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
                    message = f"{option!r} is not a choice; they are {options}"
                    raise UserError(message, field=f"seats[{i}].decisions", clause=step.clause)
                event = Chose(entry.seat, name, option)
                self.events.append(event)
                self.round = evolve(self.round, event)
            if next(decisions, None) is not None:
                raise _too_many(i)

    # ------------------------------------------------------------ cards and decisions

    def deal(self) -> None:
        self.run(Deal())
        if self.file.deck:
            self.faces = dict(enumerate(self.file.deck))
        else:
            self._take_faces()
        shown = self.file.bank.shown if self.file.bank else None
        if shown is not None and self.file.deck:
            first = self.faces[self.round.places[BANK][0]]
            if shown != first:
                raise UserError(f"the card turned up is {first}", field=f"{BANKER}.shown")

    def _take_faces(self) -> None:
        """Lay the cards that the file gives where they were dealt."""
        round, file = self.round, self.file
        for i, entry in enumerate(file.seats, 1):
            self._lay(round.boxes[entry.seat].cards, entry.cards, f"seats[{i}].cards")
        for place, positions in round.places.items():
            if place == BANK and file.bank:
                key = DEALER if round.rules.banked_by == "house" else BANKER
                self._lay(positions, self._bank_cards(file.bank), f"{key}.cards")
            elif place in round.rules.places:
                self._lay(positions, file.places.get(place, ()), f"{place}.cards")
        if file.bank and file.bank.cards and BANK not in round.places:
            key = DEALER if round.rules.banked_by == "house" else BANKER
            raise UserError("no card is dealt there in this round", field=f"{key}.cards")

    def _lay(self, positions: tuple[int, ...], cards: tuple[Card, ...], at: str) -> None:
        if len(positions) != len(cards):
            raise UserError(f"must be {len(positions)} cards, not {len(cards)}", field=at)
        self.faces.update(zip(positions, cards, strict=True))

    def _bank_cards(self, bank: BankEntry) -> tuple[Card, ...]:
        """Put the card that was turned up first, where the deal turns one up (C5)."""
        if bank.shown is None:
            return bank.cards
        if bank.shown not in bank.cards:
            raise UserError(f"{bank.shown} is not one of the cards", field=f"{BANKER}.shown")
        return (bank.shown, *(card for card in bank.cards if card != bank.shown))

    def to_the_end(self) -> None:
        while (stage := self.round.stage) and stage.do != "settle":
            if self.round.due:
                self._show()
            elif self.round.asked:
                self._decide(self.round.asked[0])
            else:
                break
        for kind, facts in self.left.values():
            self.run(Declare(kind, facts))
        self._show()
        for seat, decisions in self.decisions.items():
            if next(decisions, None) is not None:
                raise _too_many(self.entries[seat])

    def _show(self) -> None:
        """Show the cards that are due."""
        faces = self.faces
        if due := self.round.due:
            self.run(Show(tuple([face_of((position, faces[position], "")) for position in due])))

    def _decide(self, seat: int) -> None:
        option = next(self.decisions[seat], None)
        if option is not None:
            self.run(Choose(seat, option))
        elif seat in self.left:
            kind, facts = self.left.pop(seat)
            self.run(Declare(kind, facts))
        else:
            clause = self.round.rules.sequence[self.round.at][1].clause
            at = f"seats[{self.entries[seat]}].decisions"
            raise UserError("lacks a decision", field=at, clause=clause)


def _too_many(entry: int) -> UserError:
    return UserError("has more decisions than it is asked", field=f"seats[{entry}].decisions")


# ---------------------------------------------------------------- values


def _keys(table: Mapping[str, Any], known: set[str], at: str) -> None:
    if not table.keys() <= known:
        key = next(key for key in table if key not in known)
        raise UserError("unknown key", field=f"{at}.{key}" if at else str(key))


def _table(raw: Any, at: str, keys: set[str] | None) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise UserError("must be a table" if raw is not None else "is missing", field=at)
    if keys is not None:
        _keys(raw, keys, at)
    return raw


def _given(table: Mapping[str, Any], key: str, at: str) -> Any:
    if key not in table:
        raise UserError("is missing", field=f"{at}.{key}")
    return table[key]


def _whole(raw: Any, at: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or abs(raw) > 10**9:
        raise UserError("must be a whole number", field=at)
    return raw


def _text(raw: Any, at: str) -> str:
    if not isinstance(raw, str) or not raw.strip() or not raw.isprintable():
        raise UserError("must be a text on one line", field=at)
    return raw


def _nobody(seat: int) -> str:
    """Return a player's name that no file can give: a seat without one is its own player."""
    return f"\n{seat}"


def name_of(player: str) -> str | None:
    """Return the name that a file gave a player, or None if it gave none."""
    return None if player.startswith("\n") else player


def _texts(raw: Any, at: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or not {str}.issuperset(map(type, raw)):
        raise UserError("must be a list of texts", field=at)
    return tuple(raw)


def _cards(raw: Any, at: str) -> tuple[Card, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, str):
        raise UserError("must be cards written like 'As Kd Tc'", field=at)
    try:
        return tuple([_CARD[word] for word in raw.split()])
    except KeyError:  # They are written in another way, or none.
        pass
    try:
        return parse_cards(raw)
    except ParseError as error:
        raise UserError(error.message, field=at) from None
