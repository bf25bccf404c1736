"""What only the rules of a table change: spots, labels, paytables, limits, defaults."""

from fractions import Fraction
from typing import Any

from croupier.house.config import TableConfig
from croupier.money import format_money
from croupier.reports.notices import notices_of
from croupier.reports.sign import sign_of
from croupier.round import bots
from croupier.round.order import is_read
from croupier.round.plan import plan_of
from croupier.rules.describe import cover_says
from croupier.rules.game import Paytable, Row, Wager
from croupier.rules.table_rules import TableMeter, TableRules
from croupier.rules.vocabulary import BANK, SEATS
from croupier.rules.words import hand_says, number, payout_says
from croupier.table.tray import CHIPS_CENTS

MONEY = "play chips"
_SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def felt_of(config: TableConfig) -> dict[str, Any]:
    """Return what a page draws a table from."""
    rules, timing = config.rules, config.timing
    sign = sign_of(rules)
    return {
        "table": config.id,
        "title": config.title,
        "rulebook": rules.rulebook,
        "book": sign.title,
        "place": sign.place,
        "printed": _printed(rules, sign.qualifier),
        "banked_by": rules.banked_by,
        "bank": rules.bank.label,
        "banking": _banking(rules),
        "seats": config.seats,
        "boxes_max": rules.table.boxes_max or 1,
        "digest": rules.digest,
        "practice": config.practice,
        "money": MONEY,
        "chips_cents": list(CHIPS_CENTS),
        "wagers": [_wager(rules, name, wager) for name, wager in rules.wagers.items()],
        "spots": {spot: rules.label(spot) for spots in rules.spots.values() for spot in spots},
        "options": _options(rules),
        "places": _places(rules),
        "shared_hands": rules.shared.hands if rules.shared else None,
        "meters": {id: _meter(rules, meter) for id, meter in rules.meters.items()},
        "hand": _hand(rules),
        "wheel": rules.ranking.wheel,
        "sides": _sides(rules),
        "paytables": [_paytable(family, rules, table) for family, table in rules.paytables.items()],
        "notices": [notice._asdict() for notice in notices_of(rules)],
        "posted": [text for text in (sign.qualifier, *sign.notes) if text],
        "default": default_says(rules),
        "timing": {
            "bets_s": timing.bets_ms / 1000,
            "decide_s": timing.decide_ms / 1000,
            "grace_s": timing.grace_ms / 1000,
        },
    }


def _meter(rules: TableRules, meter: TableMeter) -> str:
    """Name a meter by its wager, and by its own name where the wager has several."""
    label = rules.wagers[meter.wager].label
    return f"{label}, {meter.name}" if meter.name else label


def _wager(rules: TableRules, name: str, wager: Wager) -> dict[str, Any]:
    limits = rules.limits.get(name)
    spots = rules.spots.get(name, (name,))
    return {
        "wager": name,
        "label": wager.label,
        "placed": wager.placed,
        "spots": list(spots),
        "prints": list(wager.prints) or [rules.label(spot) for spot in spots],
        "sizes": [format_money(size) for size in wager.sizes.of] if wager.sizes else None,
        "limits": [format_money(limits.min), format_money(limits.max)] if limits else None,
        "needs": sorted({other for c in wager.conditions for other in c.needs}),
        "paytable": wager.paytable,
        "tables": _tables_at(rules, name),
        "note": _note(rules, name),
        "clause": wager.clause,
    }


def _options(rules: TableRules) -> dict[str, Any]:
    """Return what may be chosen at each step, with its clause."""
    return {
        name: {option: [made.label, made.clause] for option, made in step.option.items()}
        for name, step in rules.steps.items()
        if step.option
    }


def _hand(rules: TableRules) -> dict[str, Any]:
    """Return whose cards make the hand of the main game, and how many they are."""
    places = plan_of(rules).main
    dealt = sum(line.cards for line in rules.deal.cards if line.to == SEATS)
    own = rules.shared.hand_size if rules.shared else dealt
    others = sum(rules.places[place].cards for place in places if place in rules.places)
    return {"of": list(places), "cards": own + others}


def _sides(rules: TableRules) -> dict[str, str]:
    """Return the spots where lines without a stake of their own are paid."""
    bonuses = {name: rules.spots[bonus.on][0] for name, bonus in rules.bonuses.items()}
    made = [envy for envy in rules.envies.values() if envy.makers in rules.spots]
    return {**bonuses, **{envy.line: rules.spots[envy.makers][0] for envy in made}}


def _printed(rules: TableRules, qualifier: str) -> str:
    """Return the sentence under the game's name: who qualifies, or what the first wager needs."""
    first = next(iter(rules.wagers.values()))
    table = rules.paytables.get(first.paytable or "")
    rows = [row for row in table.rows if row.to != 0] if table else []
    if qualifier or not rows:
        return qualifier
    least = hand_says(rows[-1])
    better = "" if least.endswith("or better") else " or better"
    return f"{first.label} pays with a {least}{better}"


def _tables_at(rules: TableRules, name: str) -> list[str]:
    """Return the paytables printed at a wager's spot: its own, then its bonuses'."""
    own = rules.wagers[name].paytable
    bonuses = [bonus.paytable for bonus in rules.bonuses.values() if bonus.on == name]
    families = [family for family in (own, *bonuses) if family]
    return [family for family in families if rules.paytables[family].rows]


def _note(rules: TableRules, name: str) -> str:
    """Say what a wager without a paytable pays, and what one made by a decision must equal."""
    said = []
    for step in rules.steps.values():
        for option in step.option.values():
            if option.places == name and option.equals:
                times = "" if option.times == 1 else f"{option.times} times "
                said.append(f"equals {times}the {rules.label(option.equals)}")
    settle = rules.wagers[name].settle
    if not rules.wagers[name].paytable and settle.higher and settle.higher.to is not None:
        said.append(f"pays {number(settle.higher.to)} to 1")
    return ", ".join(dict.fromkeys(said))


def _banking(rules: TableRules) -> dict[str, Any] | None:
    """Return what a player who banks has to know: charge, turn, and how far the funds go."""
    rotation, rake = rules.bank.rotation, rules.rake
    if rules.banked_by == "house":
        return None
    charge = rules.fee.banker if rules.fee else 0
    charge += rake.amount if rake and rake.payer != "players" else 0
    return {
        "charge": format_money(charge),
        "rounds_max": rotation.rounds_max if rotation else None,
        "clause": rotation.clause if rotation else rules.bank.clause,
        "cover": {
            "first": cover.collects == "first",
            "adds": cover.from_ == "wager and collections",
            "says": cover_says(cover),
            "clause": cover.clause,
        }
        if (cover := rules.bank.cover)
        else None,
    }


def _places(rules: TableRules) -> dict[str, Any]:
    """What cards may be dealt to at this table, besides its seats."""
    dealt_to = {line.to for line in rules.deal.cards}
    places = {
        id: {"label": p.label, "cards": p.cards, "hands": p.hands}
        for id, p in rules.places.items()
        if id in dealt_to
    }
    dealt = sum(line.cards for line in rules.deal.cards if line.to == BANK)
    bank = {str(BANK): {"label": rules.bank.label, "cards": dealt, "hands": 0}} if dealt else {}
    return {**bank, **places}


def _paytable(family: str, rules: TableRules, table: Paytable) -> dict[str, Any]:
    named = [w.label for w in rules.wagers.values() if w.paytable == family]
    named += [b.label for b in rules.bonuses.values() if b.paytable == family]
    named += [e.label for e in rules.envies.values() if e.paytable == family]
    rows = [
        {
            "hand": hand_says(row),
            "short": _short(row),
            "pays": payout_says(table, row),
            "print": _print(table, row),
            "stake": format_money(row.stake) if row.stake is not None else None,
            "clause": row.clause or table.clause,
        }
        for row in table.rows
    ]
    odds = [row for row in table.rows if row.to is not None or row.for_ is not None]
    units = {"to 1" if row.to is not None else "for 1" for row in odds}
    unit = units.pop() if len(units) == 1 else ""
    return {"id": family, "label": named[0] if named else family, "unit": unit, "rows": rows}


def _short(row: Row) -> str:
    """Name the hand of a row in little space, its suits by their signs."""
    if not row.suits or len(row.suits) == len(_SIGNS):
        return hand_says(row)
    return f"{row.label or row.hand} {''.join(_SIGNS[suit] for suit in row.suits)}"


def _print(table: Paytable, row: Row) -> str:
    """Write what a row pays in little space, under a head that has the unit."""
    if row.to == 0:
        return "push"
    if row.to is not None or row.for_ is not None:
        return number(row.to if row.to is not None else row.for_ or Fraction(0))
    if row.percent == 100:
        return "meter"
    return payout_says(table, row) if row.percent is None else f"{number(row.percent)} % of meter"


def default_says(rules: TableRules) -> str:
    """Say what is chosen for a player who doesn't choose, and why."""
    unread = is_read(rules)
    says = "; ".join(dict.fromkeys(bots.choices_say(rules, unread=unread)))
    if "dealer" in rules.things:
        why = " It risks nothing more, because nobody has read your cards." if unread else ""
        gone = "If you are gone when it is your turn, the dealer makes the posted choice for you"
        return f"{gone}: {says}.{why}"
    return (
        "If you don't choose in time, or are away for longer than the grace period, this rule "
        f"plays for you: {says}. It stakes more only where giving up would lose more on average, "
        "and takes back what it may take back unless it has won already."
    )
