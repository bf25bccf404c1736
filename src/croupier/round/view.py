"""What one viewer may see of a round.

A view is built up from what is public plus, for a player, the cards of that player's own boxes.
Nothing is removed from a full state, so hidden cards can't leak by oversight.
"""

from collections.abc import Mapping
from typing import Any

from croupier.cards import Card
from croupier.money import format_money, shown_cents
from croupier.round.play import own_faces
from croupier.round.result import line_of
from croupier.round.state import Round, Void
from croupier.rules.vocabulary import DISCARD

HIDDEN = "??"


def view(round: Round, player: str | None, faces: Mapping[int, Card]) -> dict[str, Any]:
    """Return what a player may see or, with None, everyone else: spectators, dealer, floor.

    `faces` is read only for the cards of the player's own boxes.
    """
    own = own_faces(round, player, faces)
    asked = round.asked
    step = round.step

    def face(position: int) -> str:
        if position in round.faces:
            return str(round.faces[position])
        return str(own.get(position, HIDDEN))

    return {
        "round": round.id,
        "step": round.rules.sequence[round.at][0] if step else None,
        "asked": asked[0] if asked else None,
        "choices": choices(round),
        "boxes": [
            {
                "seat": box.seat,
                "player": box.player,
                "hand": box.hand,
                "cards": [face(position) for position in box.cards],
                "stakes": {s: [format_money(x.cents), x.fate] for s, x in box.stakes.items()},
                "chose": dict(box.chose),
                "folded": box.folded,
                "abandoned": box.abandoned,
            }
            for box in round.boxes.values()
        ],
        "places": {
            place: [face(position) for position in positions]
            for place, positions in round.places.items()
            if place != DISCARD  # It is in the rack, not on the layout, and has no label.
        },
        "banker": [round.banker.seat, round.banker.player, format_money(round.banker.funds)]
        if round.banker
        else None,
        "meters": {id: format_money(shown_cents(m)) for id, m in round.meters.items()},
        "irregular": list(round.irregular),
        "void": _why_void(round.void) if round.void else None,
        "lines": [{"seat": line.seat, **line_of(line)} for line in round.lines],
        "closed": round.closed,
    }


def _why_void(void: Void) -> str:
    return void.clause or void.ruling or void.because


def choices(round: Round) -> list[dict[str, Any]]:
    """Return the choices of the seat whose turn it is, for a page's buttons."""
    asked, step = round.asked, round.step
    if not asked or step is None or round.due:
        return []
    return [
        {"seat": asked[0], "option": name, "label": option.label, "key": option.key}
        for name, option in step.option.items()
    ]
