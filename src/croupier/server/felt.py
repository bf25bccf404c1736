"""What never changes at a table, from its rules: spots, labels, paytables, limits, defaults."""

from typing import Any

from croupier.money import format_money
from croupier.reports.notices import notices_of
from croupier.reports.sign import sign_of
from croupier.round import bots
from croupier.round.settle import shared_place
from croupier.rules.game import Paytable, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.rules.words import hand_says, payout_says
from croupier.server.config import TableConfig
from croupier.server.scene import spot_label

CHIPS_CENTS = (100, 500, 2500, 10000, 50000)
MONEY = "play chips"


def felt_of(config: TableConfig) -> dict[str, Any]:
    """Return what a page draws a table from."""
    rules, timing = config.rules, config.timing
    sign = sign_of(rules)
    name = shared_place(rules)
    return {
        "table": config.id,
        "title": config.title,
        "rulebook": rules.rulebook,
        "book": sign.title,
        "place": sign.place,
        "banked_by": rules.banked_by,
        "bank": rules.bank.label,
        "seats": config.seats,
        "boxes_max": rules.table.boxes_max or 1,
        "digest": rules.digest,
        "practice": config.practice,
        "money": MONEY,
        "chips_cents": list(CHIPS_CENTS),
        "wagers": [_wager(rules, name, wager) for name, wager in rules.wagers.items()],
        "spots": {
            spot: spot_label(rules, spot) for spots in rules.spots.values() for spot in spots
        },
        "places": _places(rules),
        "shared_hands": rules.places[name].hands if name else None,
        "meters": {id: rules.wagers[m.wager].label for id, m in rules.meters.items()},
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


def _wager(rules: TableRules, name: str, wager: Wager) -> dict[str, Any]:
    limits = rules.limits.get(name)
    return {
        "wager": name,
        "label": wager.label,
        "placed": wager.placed,
        "spots": list(rules.spots.get(name, (name,))),
        "sizes": [format_money(size) for size in wager.sizes.of] if wager.sizes else None,
        "limits": [format_money(limits.min), format_money(limits.max)] if limits else None,
        "needs": sorted({other for c in wager.conditions for other in c.needs}),
        "paytable": wager.paytable,
        "clause": wager.clause,
    }


def _places(rules: TableRules) -> dict[str, Any]:
    places = {id: {"label": p.label, "cards": p.cards} for id, p in rules.places.items()}
    dealt = sum(line.cards for line in rules.deal.cards if line.to == BANK)
    bank = {str(BANK): {"label": rules.bank.label, "cards": dealt}} if dealt else {}
    return {**bank, **places}


def _paytable(family: str, rules: TableRules, table: Paytable) -> dict[str, Any]:
    named = [w.label for w in rules.wagers.values() if w.paytable == family]
    named += [b.label for b in rules.bonuses.values() if b.paytable == family]
    named += [e.label for e in rules.envies.values() if e.paytable == family]
    rows = [
        {
            "hand": hand_says(row),
            "pays": payout_says(table, row),
            "stake": format_money(row.stake) if row.stake is not None else None,
            "clause": row.clause or table.clause,
        }
        for row in table.rows
    ]
    return {"id": family, "label": named[0] if named else family, "rows": rows}


def default_says(rules: TableRules) -> str:
    """Say what the clock chooses for a player who does not, and why."""
    says = "; ".join(dict.fromkeys(bots.choices_say(rules)))
    return (
        f"Whoever does not choose in time, or is away for longer than the grace period, is played "
        f"by this rule: {says}. It stakes more only where giving up would lose more on average, "
        "and takes back whatever may be taken back unless it has won already."
    )
