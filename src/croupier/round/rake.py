"""What the house charges: fees before the deal, a rake after it (C7, F5)."""

from collections.abc import Mapping, Sequence

from croupier.round.state import Line, Round


def rakes(round: Round, seats: Mapping[int, Sequence[Line]]) -> tuple[dict[int, int], int]:
    """Return each paying seat's rake, and the banker's total charge."""
    charged: dict[int, int] = {}
    banker = round.rules.fee.banker if round.rules.fee and round.banker else 0
    rake = round.rules.rake
    if rake is None or not rake.amount:
        return charged, banker
    alive = {
        seat for seat, lines in seats.items() if any(line.outcome != "uncovered" for line in lines)
    }
    if rake.payer in ("all", "players"):
        # F5: a flat sum per player, at the player's lowest seat, unless all hands are dead.
        for seats_of_player in _players(round).values():
            if alive & set(seats_of_player):
                charged[min(seats_of_player)] = rake.amount
    if rake.payer in ("all", "designated_player") and alive:
        banker += rake.amount
    return charged, banker


def _players(round: Round) -> dict[str, list[int]]:
    players: dict[str, list[int]] = {}
    for seat, box in round.boxes.items():
        players.setdefault(box.player, []).append(seat)
    return players
