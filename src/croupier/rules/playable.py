"""Check that rounds can be played by a book.

Every judged hand is dealt and turned up, the deck suffices, options refer to stakes that exist, and
every stake is settled once. `check` tests everything else a book says; `round.proof` plays it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from croupier.cards import RANKS
from croupier.hands.ranking import NAMES
from croupier.reading.reader import DataPath, Fault
from croupier.rules.book import Rules
from croupier.rules.game import Deal, Option, Paytable, Row, Settle, Step
from croupier.rules.vocabulary import BANK, DISCARD, SEAT, SEATS, PlaceId

DECK = 52
"""The number of cards in a deck."""

LEAVE = "q"
"""The key to leave a table in the terminal."""

DEALING = "dealing"
"""The selection that chooses the dealing procedure; its options are their names."""

_TAKEN = {
    *("rulebook", "selections", "dealing", "meters", "seats", "deck", "irregularities"),
    *("action", "dealer", "banker", SEAT, BANK, DISCARD),
}
"""Reserved names, not allowed for a place."""

_KEYS = {
    "bets": {"closed", "stands"},
    "deal": set[str](),
    "decide": {"asks", "order", "option"},
    "reveal": {"shows", "cards", "order"},
    "settle": {"order", "lines", "shows"},
}
_OF_ONE_SUIT = {"mini royal", "royal flush", "super royal"}
_SETS = {"pair", "two pair", "three of a kind", "full house", "four of a kind"}


def unplayable(rules: Rules) -> Iterator[Fault]:
    """Yield a fault for everything that keeps a round from being played or settled."""
    if not (rules.table and rules.deck and rules.bank):  # The reader has reported what is missing.
        return
    if empty := [family for family, tables in rules.paytable.items() if not tables]:
        yield from (Fault(("paytable", family), "has no paytable") for family in empty)
        return
    for check in (_seats, _deals, _rows, _wagers, _steps, _options, _lines, _hands, _paid):
        yield from check(rules)


# ---------------------------------------------------------------- table and cards


def _seats(rules: Rules) -> Iterator[Fault]:
    table, banks = rules.table, rules.banked_by == "player"
    if table.seats_min < 1:
        yield Fault(("table", "seats_min"), "must be at least 1: somebody plays a round")
    if not max(table.seats_min, 2 if banks else 1) <= table.seats:
        needed = max(table.seats_min, 2 if banks else 1)
        yield Fault(("table", "seats"), f"must be at least {needed}, for a round to be played")
    yield from _qualifier(rules)
    if rules.bank.rotation and rules.bank.rotation.rounds_max < 1:
        yield Fault(("bank", "rotation", "rounds_max"), "must be at least 1")
    if rules.deck.cards != DECK:
        message = f"hands are made of {DECK} cards: a deck of {rules.deck.cards} is not understood"
        yield Fault(("deck", "cards"), message)
    if rules.deck.decks < 1:
        yield Fault(("deck", "decks"), "must be at least 1")


def _qualifier(rules: Rules) -> Iterator[Fault]:
    qualifier, at = rules.bank.qualifier, ("bank", "qualifier")
    if qualifier is None:
        return
    if (qualifier.high is None) == (qualifier.pair is None):
        yield Fault(at, "must have 'high' or 'pair'")
    elif qualifier.kicker and not _is_lower(qualifier.kicker, qualifier.high):
        yield Fault((*at, "kicker"), "goes with a higher 'high'")
    if qualifier.pair and rules.ranking.three_cards == "card by card":
        yield Fault((*at, "pair"), "pairs are not compared by their rank in this ranking")


def _is_lower(rank: str, other: str | None) -> bool:
    return other is not None and RANKS.index(rank) < RANKS.index(other)


def _deals(rules: Rules) -> Iterator[Fault]:
    seats = rules.table.seats - (rules.banked_by == "player")
    hands = [
        {place: _held(rules, deal).get(place, 0) for place in (SEAT, BANK)}
        for deal in ways_to_deal(rules).values()
    ]
    for name, deal in ways_to_deal(rules).items():
        at: DataPath = ("deal", name)
        total = sum(line.cards * (seats if line.to == SEATS else 1) for line in deal.cards)
        if total > DECK:
            yield Fault(at, f"deals {total} cards where all seats play, and the deck has {DECK}")
        for i, line in enumerate(deal.cards):
            if line.to == SEAT:
                yield Fault((*at, "cards", i, "to"), f"cards are dealt to {SEATS!r}, each in turn")
            if line.cards < 1 or line.shows > line.cards:
                yield Fault((*at, "cards", i), "must deal a card, and show no more than it deals")
            if line.shows and line.to == SEATS:
                yield Fault((*at, "cards", i, "shows"), "cards of the seats are not dealt face up")
        held = _held(rules, deal)
        if {place: held.get(place, 0) for place in (SEAT, BANK)} != hands[0]:
            yield Fault(at, "gives seats or bank another number of cards than the first deal")
        for place, there in rules.place.items():
            if held.get(PlaceId(place), there.cards) != there.cards:
                message = f"deals {held[PlaceId(place)]} cards to {place!r}, which holds"
                yield Fault(at, f"{message} {there.cards}")
    for place, there in rules.place.items():
        if place in _TAKEN:
            yield Fault(("place", place), "the name means something else in a round file")
        if there.hands and (there.cards % there.hands or there.cards // there.hands not in NAMES):
            yield Fault(("place", place, "hands"), "no hand has that many cards")


def ways_to_deal(rules: Rules) -> dict[str, Deal]:
    """Return the deals that may be chosen as the book stands; an overlay may settle on another."""
    dealing = rules.selection.get(DEALING)
    if dealing and dealing.fixed:
        names = {dealing.fixed.value}
    else:
        names = set(dealing.option) if dealing else set(list(rules.deal)[:1])
    return {name: deal for name, deal in rules.deal.items() if name in names}


def _held(rules: Rules, deal: Deal) -> dict[PlaceId, int]:
    """Return the number of cards dealt to a seat and to every other place."""
    held: dict[PlaceId, int] = {}
    for place in rules.place.values():
        if place.hands:  # A seat's hand is one of the shared ones.
            held[SEAT] = place.cards // place.hands
    for line in deal.cards:
        to = SEAT if line.to == SEATS else line.to
        held[to] = held.get(to, 0) + line.cards
    return held


def _turned_up(rules: Rules, deal: Deal) -> dict[PlaceId, int]:
    """Return the number of cards face up at each place when a round is settled."""
    up = {SEAT: DECK}
    for line in deal.cards:
        up[line.to] = max(up.get(line.to, 0), line.shows)
    revealed: dict[PlaceId, int] = {}
    for step in rules.step.values():
        for place in step.shows:
            revealed[place] = revealed.get(place, 0) + (DECK if step.cards is None else step.cards)
            up[place] = max(up.get(place, 0), revealed[place])
    return up


# ---------------------------------------------------------------- paytables and wagers


def _rows(rules: Rules) -> Iterator[Fault]:
    for family, tables in rules.paytable.items():
        for letter, table in tables.items():
            at: DataPath = ("paytable", family, letter)
            if len(set(table.of)) != len(table.of) or {SEATS, DISCARD} & set(table.of):
                message = f"must name {SEAT!r}, {BANK!r} or places of the book, each once"
                yield Fault((*at, "of"), message)
            for i, row in enumerate(table.rows):
                yield from _row(row, (*at, "rows", i))


def _row(row: Row, at: DataPath) -> Iterator[Fault]:
    if row.suits and row.hand not in _OF_ONE_SUIT:
        message = f"a {row.hand} is not told by its suit; a mini royal, royal flush or super royal"
        yield Fault((*at, "suits"), f"{message} is")
    if row.least and row.hand not in _SETS:
        yield Fault((*at, "least"), f"a {row.hand} has no pair or larger set to be of a rank")


def _wagers(rules: Rules) -> Iterator[Fault]:
    required = _required(rules)
    opening = False
    for name, wager in rules.wager.items():
        at: DataPath = ("wager", name)
        offered = wager.paytable is None or wager.paytable in required
        if wager.placed == "before the deal":
            opening = opening or offered
            continue
        for key in ("spots", "conditions", "sizes", "collected"):
            if getattr(wager, key):
                yield Fault((*at, key), "belongs to a wager that is placed before the deal")
        if not offered:
            yield Fault((*at, "paytable"), "may be 'none', and then an option places what is not")
    if rules.wager and not opening:
        yield Fault(("wager",), "none is always offered and placed before the deal")
    for name, wager in rules.wager.items():
        for i, condition in enumerate(wager.conditions):
            for other in (*condition.needs, *((condition.of,) if condition.of else ())):
                if _is_by_decision(rules, other):
                    message = f"{other!r} is placed by decision, and bets have closed by then"
                    yield Fault(("wager", name, "conditions", i), message)
        if wager.sizes and not (wager.sizes.of and all(wager.sizes.of)):
            yield Fault(("wager", name, "sizes", "of"), "must name sizes above zero")
    for other in rules.fee.wagers if rules.fee else ():
        if _is_by_decision(rules, other):
            yield Fault(("fee", "wagers"), f"{other!r} is placed by decision, when fees are paid")


def _required(rules: Rules) -> set[str]:
    """Return the families whose paytable is required."""
    free = {s.family for s in rules.selection.values() if s.takes == "paytable" and not s.required}
    return {family for family in rules.paytable if family not in free}


def _is_by_decision(rules: Rules, name: str) -> bool:
    return name in rules.wager and rules.wager[name].placed == "by decision"


# ---------------------------------------------------------------- steps and options


def _steps(rules: Rules) -> Iterator[Fault]:
    dealt = {place for deal in rules.deal.values() for place in _held(rules, deal)}
    for name, step in rules.step.items():
        at: DataPath = ("step", name)
        for key in sorted(set().union(*_KEYS.values()) - _KEYS[step.do]):
            if getattr(step, key):
                yield Fault((*at, key), f"is nothing to {step.do!r}")
        if step.order in ("from the banker", "from the action") and rules.banked_by == "house":
            yield Fault((*at, "order"), "belongs to a book that a player banks")
        for place in step.shows:
            if place in (SEAT, DISCARD) or (place == BANK and BANK not in dealt):
                yield Fault((*at, "shows"), f"there are no cards to turn up at {place!r}")
        keys = Counter(option.key.casefold() for option in step.option.values())
        for choice, option in step.option.items():
            taken = keys[option.key.casefold()] > 1 or option.key.casefold() == LEAVE
            if taken or len(option.key) != 1 or not option.key.isalnum():
                message = f"must be one letter or digit, not {LEAVE!r} and no other option's"
                yield Fault((*at, "option", choice, "key"), message)
        if step.option and all(option.places for option in step.option.values()):
            yield Fault((*at, "option"), "a player who can't pay for more has nothing to choose")


def _options(rules: Rules) -> Iterator[Fault]:
    """Check that options refer to stakes that exist, and that folding covers every stake."""
    wagers = rules.wager.items()
    spots = {spot for name, wager in wagers for spot in wager.spots or (name,)}
    early = [(name, wager) for name, wager in wagers if wager.placed == "before the deal"]
    lying = {spot for name, wager in early for spot in wager.spots or (name,)}
    for name, step in rules.step.items():
        at: DataPath = ("step", name)
        if step.asks in spots and step.asks not in lying:
            yield Fault((*at, "asks"), f"no stake can lie on {step.asks!r} by then")
        for choice, option in step.option.items():
            yield from _option(rules, step, option, at=(*at, "option", choice), lying=lying)
        options = step.option.values()
        placed = {str(o.places) for o in options if o.places in rules.wager}
        for wager in sorted(placed & lying):
            if _is_by_decision(rules, wager):
                yield Fault(at, f"{wager!r} has been placed by an earlier step, and would be again")
        lying |= placed


def _option(
    rules: Rules, step: Step, option: Option, *, at: DataPath, lying: set[str]
) -> Iterator[Fault]:
    if option.places and not _is_by_decision(rules, option.places):
        yield Fault((*at, "places"), f"{option.places!r} is placed before the deal")
    equals = option.equals
    if equals and equals in rules.wager and equals not in _surely(rules, step):
        yield Fault((*at, "equals"), f"a seat that is asked may have no stake on {equals!r}")
    if equals and equals in rules.wager and rules.wager[equals].spots:
        yield Fault((*at, "equals"), f"{equals!r} has several spots")
    if option.times < 1 or (option.times > 1 and not option.places):
        yield Fault((*at, "times"), "must be at least 1, and goes with 'places'")
    if option.folds:
        for spot in sorted(lying - option.stakes.keys()):
            yield Fault(at, f"does not say what becomes of a stake on {spot!r}")


def _surely(rules: Rules, step: Step) -> set[str]:
    """Return the wagers that every seat asked by a step is sure to have."""
    asked = [name for name, wager in rules.wager.items() if step.asks in (wager.spots or (name,))]
    sure: set[str] = set()
    while asked:
        name = asked.pop()
        if name in sure:
            continue
        sure.add(name)
        wager = rules.wager[name]
        asked += [c.needs[0] for c in wager.conditions if len(c.needs) == 1]
        asked += [c.of for c in wager.conditions if c.of]
        for other in rules.step.values():
            asked += [str(o.equals) for o in other.option.values() if o.places == name and o.equals]
        asked = [other for other in asked if other in rules.wager]
    return sure


# ---------------------------------------------------------------- settling


def _lines(rules: Rules) -> Iterator[Fault]:
    """Check that no name has two meanings, and none is settled twice."""
    for name, step in rules.step.items():
        for line, times in Counter(step.lines).items():
            if times > 1:
                yield Fault(("step", name, "lines"), f"settles {line!r} {times} times")
    names = Counter([*rules.wager, *rules.bonus, *rules.envy])
    for section, named in (("bonus", rules.bonus), ("envy", rules.envy)):
        for name in named:
            if names[name] > 1:
                yield Fault((section, name), "something else that is settled has this name")
    spots = Counter(spot for wager in rules.wager.values() for spot in wager.spots)
    for name, wager in rules.wager.items():
        for i, spot in enumerate(wager.spots):
            if spots[spot] > 1 or spot in names:
                yield Fault(("wager", name, "spots", i), f"{spot!r} is another name already")
        if wager.prints and len(wager.prints) != len(wager.spots or (name,)):
            yield Fault(("wager", name, "prints"), "must have one text for each spot")
    yield from _single(rules)


def _single(rules: Rules) -> Iterator[Fault]:
    """Check that bonuses and envies depend on wagers with a single spot."""
    named: list[tuple[DataPath, str]] = []
    for name, bonus in rules.bonus.items():
        named += [(("bonus", name, "on"), bonus.on), (("bonus", name, "needs"), bonus.needs)]
    for name, envy in rules.envy.items():
        named.append((("envy", name, "makers"), envy.makers))
        named.append((("envy", name, "holders", "needs"), str(envy.holders.needs)))
    for at, wager in named:
        if wager in rules.wager and rules.wager[wager].spots:
            yield Fault(at, f"{wager!r} has several spots")


Judged = tuple[DataPath, str, Settle | None, Mapping[str, Paytable]]
"""Place, the wager whose stake it needs, verdicts, paytables."""


def _judged(rules: Rules) -> Iterator[Judged]:
    for name, wager in rules.wager.items():
        tables = rules.paytable.get(wager.paytable or "", {})
        yield ("wager", name), name, wager.settle, tables
    for name, bonus in rules.bonus.items():
        yield ("bonus", name), bonus.on, bonus.settle, rules.paytable.get(bonus.paytable, {})
    for name, envy in rules.envy.items():
        yield ("envy", name), envy.makers, None, rules.paytable.get(envy.paytable, {})


def _hands(rules: Rules) -> Iterator[Fault]:
    """Check that every judged hand is dealt, complete, and turned up in time."""
    for deal in ways_to_deal(rules).values():
        held, up = _held(rules, deal), _turned_up(rules, deal)
        for at, wager, settle, tables in _judged(rules):
            if settle and settle.higher:
                yield from _showdown((*at, "settle"), held, up)
            for place in dict.fromkeys(place for table in tables.values() for place in table.of):
                lines = [line for line in deal.cards if line.to == place]
                if place in rules.place and not _for(wager, lines):
                    yield Fault(at, f"no card is dealt to {place!r} where only it is staked")
                elif up.get(place, 0) < held.get(place, 0):
                    yield Fault(at, f"is judged by cards of {place!r} that no step turns up")
        if rules.bank.qualifier and held.get(BANK, 0) not in NAMES:
            yield Fault(("bank", "qualifier"), "the bank gets no hand to qualify with")


def _for(wager: str, lines: Iterable[object]) -> bool:
    """Whether a place gets cards for a wager, regardless of other stakes."""
    return any(
        {getattr(line, "if_staked", None), getattr(line, "if_offered", None)} <= {None, wager}
        for line in lines
    )


def _showdown(
    at: DataPath, held: Mapping[PlaceId, int], up: Mapping[PlaceId, int]
) -> Iterator[Fault]:
    seat, bank = held.get(SEAT, 0), held.get(BANK, 0)
    if {seat, bank} != {3} and not {seat, bank} <= {5, 6}:
        message = "a showdown is between hands of three cards, or of five or six"
        yield Fault(at, f"{message}: the seats get {seat} cards and the bank {bank}")
    elif up.get(BANK, 0) < bank:
        yield Fault(at, "goes by the bank's cards, and no step turns all of them up")


def _paid(rules: Rules) -> Iterator[Fault]:
    """Check that a meter belongs to one wager of a house-banked book, and envies are fixed sums."""
    metered: dict[str, str] = {}
    for at, name, settle, tables in _judged(rules):
        for table in tables.values():
            if table.meters and rules.banked_by == "player":
                yield Fault(at, "has a meter, which only a house that banks can keep")
            if table.meters and at[0] != "wager":
                yield Fault(at, "has a meter, which only a wager can have")
                continue
            for meter in table.meters:
                if metered.setdefault(meter.id, name) != name:
                    message = f"the meter {meter.id!r} is that of {metered[meter.id]!r} already"
                    yield Fault(at, message)
            if settle is None and any(row.amount is None for row in table.rows):
                yield Fault(at, "must have rows that pay an 'amount'")
