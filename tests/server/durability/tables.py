"""The tables of the durability tests: every book, two of them with one meter, and no waiting."""

from collections.abc import Mapping
from typing import Any

from croupier.house.config import Config, parse_config
from croupier.rules.table_rules import TableRules
from tests.ledger.tables import rules_of as resolved
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

_known: dict[str, TableRules] = {}

TIMING = "{ bets = 0.2, decide = 2, grace = 2, show = 0, pause = 0, bank = 1, round_min = 0 }"
LIMITS = "limits = { ante = [5, 500], pair_plus = [5, 200] }"
SHARED = 'progressive = "A"\nsix_card_bonus = "A"\nadjacent_boxes = 2\nlimits = { ante = [5, 500] }'
RIDE = 'three_card_bonus = "A"\nlimits = { let_it_ride = [5, 300] }'
SINGAPORES = (
    f"{LIMITS}\nprogressive_rate = 0.3\nprogressive_reset = 1000\nprogressive_initial = 1000"
)
METER = "casino"
BOOKS = {
    "md1": (MARYLAND, SHARED),
    "md2": (MARYLAND, SHARED),
    "ride": (LET_IT_RIDE, RIDE),
    "sg": (SINGAPORE, SINGAPORES),
    "ca": (CALIFORNIA, LIMITS),
    "fl": (FLORIDA, LIMITS),
}


def rules_of(rulebook: str, selections: Mapping[str, Any], things: Any = ()) -> TableRules:
    """Resolve the same selections once."""
    key = f"{rulebook} {sorted(selections.items())!r} {things!r}"
    if key not in _known:
        _known[key] = resolved(rulebook, selections, things)
    return _known[key]


def metered(felt: Mapping[str, Any]) -> dict[str, int]:
    """Return the wagers of a felt that contribute to a meter, with the least bet in cents."""
    # A meter has its wager's label, and a name of its own after it where the wager has several.
    labels = {label.partition(", ")[0] for label in felt["meters"].values()}
    wagers = [one for one in felt["wagers"] if one["label"] in labels]
    least = {one["wager"]: (one["sizes"] or one["limits"])[0] for one in wagers}
    return {wager: int(text.replace(".", "")) for wager, text in least.items()}


def tables_text(ids: tuple[str, ...] = tuple(BOOKS), *, timing: str = TIMING) -> str:
    """Write the tables file of these tables."""
    text = "guest_chips = 100000\n"
    for id in ids:
        rulebook, selections = BOOKS[id]
        text += f'\n[[table]]\nid = "{id}"\nrulebook = "{rulebook}"\ntiming = {timing}\n'
        if selections is SHARED:
            text += f'meters = {{ progressive = "{METER}" }}\n'
        text += f"[table.selections]\n{selections}\n"
    return text


def config_of(ids: tuple[str, ...] = tuple(BOOKS), *, timing: str = TIMING) -> Config:
    return parse_config(tables_text(ids, timing=timing), rules_of)
