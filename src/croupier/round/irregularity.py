"""The consequence of an irregularity: the first row of the book that fits the facts."""

from collections.abc import Mapping
from dataclasses import fields, replace

from croupier.errors import Refused, quoted
from croupier.round.dealing import is_dealt
from croupier.round.order import is_read
from croupier.round.state import Round
from croupier.rules.game import Consequence, Irregularity
from croupier.rules.table_rules import TableRules, fits, is_there
from croupier.rules.vocabulary import BANK, SEAT, Device
from croupier.rules.words import listed

_FLAGS = ("misdealt", "handled", "reconstructable", "noticed_late")
_UNSAID = "noticed_late"
"""The flag that defaults to false; the others must be stated where they matter."""
_DEVICES: Mapping[Device | None, str] = {"shuffler": "shuffler", "shoe": "automated shoe"}
_CARDS_MAX = 2
"""How many whole decks a stub and the dealt cards can hold at most: the other one came in too."""
DEALER = "dealer"
"""The usual name of the bank's place in a fact."""


def consequence_of(
    round: Round, kind: str, given: Mapping[str, object]
) -> tuple[Consequence, dict[str, object]]:
    """Return the row that applies and the completed facts, or refuse facts that make no sense."""
    irregularity = round.rules.irregularities.get(kind)
    if irregularity is None:
        found = is_read(round.rules)
        kinds = [k for k, it in round.rules.irregularities.items() if found or not it.reading]
        are = f"{listed(kinds)} {'is' if len(kinds) == 1 else 'are'}"
        raise Refused("no_such_kind", f"{quoted(kind)} is not an irregularity of this book; {are}")
    if not fits(irregularity.if_, round.rules.selections):
        message = f"this table has no {_DEVICES.get(irregularity.device, 'such equipment')}"
        raise Refused("no_device", message, field="kind", clause=irregularity.rows[0].clause)
    if not is_there(irregularity.needs, round.rules.things):
        clause = irregularity.rows[0].clause
        if "cards" in irregularity.needs:
            message = "the cards of this table are virtual, so this can't happen to them"
            raise Refused("no_cards", message, field="kind", clause=clause)
        message = "wagers of this table are made on screens, so this can't happen to them"
        raise Refused("no_chips", message, field="kind", clause=clause)
    if irregularity.reading and not is_read(round.rules):
        message = "only a dealer who reads real cards finds this"
        raise Refused("no_cards", message, field="kind", clause=irregularity.rows[0].clause)
    facts = _facts(round, irregularity, given)
    known = {**facts, "where": _where(round, irregularity, facts.get("where"))}
    if "count" in facts and irregularity.adds_up:
        # Maryland 13.B, S8: cards seen one at a time count together.
        known["count"] = _number(facts["count"]) + round.counted.get(kind, 0)
    row = _first(irregularity, known)
    if irregularity.added and row != _first(irregularity, {**known, "count": facts.get("count")}):
        row = replace(row, ruling=irregularity.added)
    return row, facts


def check_time(round: Round, kind: str, row: Consequence, seat: object = None) -> None:
    """Refuse an irregularity that can't happen at this step, or with these cards seen already.

    One about a seat can't happen there once the seat is settled.
    """
    irregularity, stage = round.rules.irregularities[kind], round.stage
    if round.closed:
        check_late(round, kind)
        return
    if irregularity.during and (stage is None or stage.do not in irregularity.during):
        message = f"this can't have happened now: {irregularity.says}"
        raise Refused("wrong_step", message, field="kind", clause=row.clause or row.ruling)
    cards = [card for place in irregularity.hidden for card in round.places.get(place, ())]
    if cards and all(card in round.faces for card in cards):
        message = "these cards have been turned up as they should be"
        raise Refused("wrong_step", message, field="kind", clause=row.clause or row.ruling)
    open = open_seats(round)
    if "seat" in irregularity.takes and (not open or seat not in (None, *open)):
        message = f"seat {seat} is settled" if open else "every seat is settled"
        raise Refused("wrong_step", message, field="seat", clause=row.clause or row.ruling)


def check_late(round: Round, kind: str) -> None:
    """Refuse what can't be declared once a round is over; until the next one, 5.4 of Singapore can.

    All its cards were seen and its seats are settled, so no other time has to be checked.
    """
    found = round.rules.irregularities.get(kind)
    if round.void or "dealer" not in round.rules.things or not (found and found.late):
        raise Refused("round_over", "the round is over")


def is_late(rules: TableRules) -> bool:
    """Whether a round can still come to nothing once it is over, until the next one starts."""
    if "dealer" not in rules.things:
        return False
    kinds = rules.irregularities.values()
    return any(kind.late and is_there(kind.needs, rules.things) for kind in kinds)


def open_seats(round: Round) -> tuple[int, ...]:
    """Return the seats that aren't settled yet."""
    return tuple(seat for seat in sorted(round.boxes) if seat not in round.order)


def _first(irregularity: Irregularity, known: Mapping[str, object]) -> Consequence:
    for row in irregularity.rows:
        if _fits(row, known):
            return row
    raise Refused("no_consequence", f"the book doesn't say what follows: {irregularity.says}")


def _facts(
    round: Round, irregularity: Irregularity, given: Mapping[str, object]
) -> dict[str, object]:
    """Check an irregularity's facts, and fill in the defaults."""
    for key in sorted(given.keys() - set(irregularity.takes)):
        raise Refused("unknown_fact", "this irregularity doesn't take it", field=key)
    facts: dict[str, object] = dict(given)
    for flag in _FLAGS:
        if flag in facts and not isinstance(facts[flag], bool):
            raise Refused("bad_fact", "must be true or false", field=flag)
    if _UNSAID in irregularity.takes:
        facts.setdefault(_UNSAID, False)
    if "positions" in facts:
        found = _positions(round, facts["positions"])
        facts["positions"] = found
        if facts.setdefault("count", len(found)) != len(found):
            message = f"must be {len(found)}, the number of positions"
            raise Refused("bad_fact", message, field="count")
    for number in ("count", "cards", "seat"):
        if number in irregularity.takes:
            _whole(facts, number, irregularity.rows[0].clause)
    if facts.get("count") == 0:
        named = "positions" if "positions" in facts else "count"
        raise Refused("bad_fact", "names no card", field=named)
    most = _CARDS_MAX * round.rules.deck.cards
    if "cards" in irregularity.takes and not 0 < _number(facts["cards"]) <= most:
        raise Refused("bad_fact", f"a count finds from 1 to {most} cards", field="cards")
    if "seat" in irregularity.takes:
        _check_seat(round, irregularity, _number(facts["seat"]))
    return facts


def _check_seat(round: Round, irregularity: Irregularity, seat: int) -> None:
    if seat not in round.boxes:
        raise Refused("no_such_seat", f"seat {seat} has no wager", field="seat")
    if round.boxes[seat].abandoned and "abandon seat" in irregularity.rows[0].does:
        raise Refused("bad_fact", f"seat {seat} is abandoned already", field="seat")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _whole(facts: Mapping[str, object], name: str, clause: str | None) -> None:
    if name not in facts:
        raise Refused("bad_fact", "is missing", field=name, clause=clause)
    value = facts[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refused("bad_fact", "must be a whole number", field=name)


def _positions(round: Round, given: object) -> tuple[int, ...]:
    """Return positions counted from 0; people count from 1, the top card."""
    cards = round.rules.deck.cards
    if not isinstance(given, list | tuple) or not all(
        isinstance(p, int) and not isinstance(p, bool) and 1 <= p <= cards for p in given
    ):
        raise Refused("bad_fact", f"must be a list of numbers from 1 to {cards}", field="positions")
    if len(set(given)) != len(given):
        raise Refused("bad_fact", "names a card twice", field="positions")
    return tuple(position - 1 for position in given)


def _where(round: Round, irregularity: Irregularity, given: object) -> str | None:
    """Return the place that a fact names: a seat number, the dealer, or a place."""
    if not irregularity.where:
        return None
    if isinstance(given, int) and not isinstance(given, bool):
        if given not in round.boxes:
            raise Refused("no_such_seat", f"seat {given} has no wager", field="where")
        place = str(SEAT)
    else:
        place = str(BANK) if given == DEALER else "" if given in (BANK, SEAT) else str(given)
    if place not in irregularity.where:
        names = listed(
            [
                DEALER if p == BANK else "a seat's number" if p == SEAT else p
                for p in irregularity.where
            ],
            last="or",
        )
        raise Refused("bad_fact", f"must be {names}", field="where")
    if place not in (SEAT, BANK) and not any(
        line.to == place and is_dealt(round, line) for line in round.rules.deal.cards
    ):
        message = "no cards are dealt there in this round"
        raise Refused("no_such_place", message, field="where")
    return place


def _fits(row: Consequence, facts: Mapping[str, object]) -> bool:
    """Whether the facts fit a row; a fact that the row needs must be stated."""
    missing = ""
    for field in fields(row.when):
        wanted = getattr(row.when, field.name)
        if wanted is None:
            continue
        if field.name == "count_max":
            if _number(facts.get("count")) > wanted:
                return False
        elif field.name not in facts:
            missing = missing or field.name
        elif facts[field.name] != wanted:
            return False
    if missing:
        message = "is missing, and decides what follows"
        raise Refused("bad_fact", message, field=missing, clause=row.clause)
    return True
