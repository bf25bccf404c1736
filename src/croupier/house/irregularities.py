"""What can be declared at this moment, with the facts that it takes and the clauses it cites."""

from collections.abc import Iterator
from typing import Any

from croupier.errors import Refused
from croupier.house.questions import questions_of
from croupier.round.dealing import is_dealt
from croupier.round.irregularity import check_time
from croupier.round.order import is_read
from croupier.round.state import Round
from croupier.rules.game import Consequence, Irregularity
from croupier.rules.table_rules import fits, is_there
from croupier.rules.vocabulary import BANK, SEAT


def irregularities(round: Round) -> Iterator[dict[str, Any]]:
    """Yield what can be declared at this moment, with the facts that it takes."""
    rules = round.rules
    for kind, one in rules.irregularities.items():
        if round.void or not fits(one.if_, rules.selections):
            continue
        if (round.doubt and not one.doubled) or (one.reading and not is_read(rules)):
            continue
        if is_there(one.needs, rules.things) and _is_time(round, kind, one.rows[0]):
            cited, asks = [*_cited(round, one)], [*questions_of(round, one)]
            about = {"kind": kind, "says": one.says, "takes": [*one.takes]}
            # The last row is what follows unless the facts fit another one.
            yield {
                **about,
                "clause": cited[-1] if cited else "",
                "clauses": cited,
                "by": [*one.by],
                "asks": asks,
            }


def _cited(round: Round, irregularity: Irregularity) -> Iterator[str]:
    """Yield the clauses, or else the rulings, of what may follow in this round, each once."""
    dealt = {line.to for line in round.rules.deal.cards if is_dealt(round, line)}
    rows = (row for row in irregularity.rows if row.when.where in (None, SEAT, BANK, *dealt))
    yield from dict.fromkeys(row.clause or row.ruling or "" for row in rows)


def _is_time(round: Round, kind: str, row: Consequence) -> bool:
    try:
        check_time(round, kind, row)
    except Refused:
        return False
    return True
