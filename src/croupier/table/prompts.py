"""The guided clauses that are due at a table now: of its decks, and of devices out of order."""

from croupier.round.state import Duty
from croupier.rules.vocabulary import Occasion
from croupier.table.state import Table

DEVICE: Occasion = "device fails"


def due(table: Table) -> tuple[Duty, ...]:
    """Return what must be done now, each deck's duties in order.

    For a failed device one of its clauses is enough: it is covered, or it is marked.
    """
    rules = table.rules
    found = [
        Duty(name, DEVICE, device, rules.clauses[name].by)
        for device, outage in table.out.items()
        if not outage.secured and not outage.doubted
        for name in rules.guided.get(DEVICE, ())
    ]
    for _, deck in sorted(table.decks.items()):
        for duty in deck.todo:
            # 4.C: the first player looks at the cards before they are turned and washed.
            if duty.moment == "first player" and not table.seats:
                break
            found.append(duty)
    return tuple(found)
