"""Describe a rulebook in sentences, topic by topic, to read and compare."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from croupier.rules import game
from croupier.rules.book import Rules
from croupier.rules.vocabulary import BANK, DISCARD, SEATS
from croupier.rules.words import dollars, hand_says, listed, number, payout_says, qualifier_says

_STATES = {
    "always": "always",
    "higher": "against a lower hand",
    "lower": "against a higher hand",
    "equal": "on a tie",
    "unopposed": "when the bank does not qualify",
}
_ORDERS = {
    "clockwise": "clockwise from the dealer's left",
    "counterclockwise": "counterclockwise from the dealer's right",
    "from the banker": "clockwise from the banker's left",
    "from the action": "clockwise from the action seat",
}
_FACTS: dict[str, dict[object, str]] = {
    "misdealt": {True: "misdealt", False: "not misdealt"},
    "handled": {True: "players have handled their cards", False: "no player has touched a card"},
    "reconstructable": {True: "it can be put right", False: "it can't be put right"},
    "noticed_late": {True: "noticed in a later round", False: "noticed in time"},
}
EFFECTS = {
    "void": "the round is void and every stake goes back",
    "stand": "the round stands",
    "discard card": "the card is discarded and the deal goes on",
    "use as next": "it is used as the next card",
    "reshuffle": "the cards are reshuffled",
    "remove deck": "the deck leaves the table",
    "remove all decks": "every deck leaves the table",
    "abandon seat": "what is not yet withdrawn loses",
}
PAYTABLES = "Paytables"
_TIMES = {1: "one card", 2: "two cards", 3: "three cards"}


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence about a book, its topic, and the clause it rests on."""

    part: str
    topic: str
    text: str
    clause: str


def describe(rules: Rules) -> tuple[Said, ...]:
    """Return all that a book says about play, in the order of a round."""
    parts = {
        "Table": _table(rules),
        "Wagers": _wagers(rules),
        "Round": _round(rules),
        "Cards": _cards(rules),
        "Irregularities": _irregularities(rules),
        PAYTABLES: _paytables(rules),
    }
    return tuple(Said(part, *said) for part, sayings in parts.items() for said in sayings)


_Sayings = Iterator[tuple[str, str, str]]


def _table(rules: Rules) -> _Sayings:
    table, bank = rules.table, rules.bank
    least = f", at least {table.seats_min} of them taken" if table.seats_min > 1 else ""
    yield "seats", f"The table has {table.seats} seats{least}.", table.clause
    if table.boxes_max is not None:
        boxes = "one box" if table.boxes_max == 1 else f"at most {table.boxes_max} boxes in a row"
        yield "boxes", f"A player may bet on {boxes}.", table.clause
    if rules.banked_by == "house":
        yield "bank", "The house banks the game.", bank.clause
    else:
        yield "bank", f"A player banks the game as {bank.label.lower()}.", bank.clause
    if bank.rotation:
        most = bank.rotation.rounds_max
        rounds = "every round" if most == 1 else f"after at most {most} rounds running"
        stays = "; if nobody else is willing, the banker stays" if bank.rotation.stays else ""
        text = f"The bank passes clockwise {rounds}, and a turn may be passed{stays}."
        yield "rotation", text, bank.rotation.clause
    if bank.cover:
        yield "cover", cover_says(bank.cover), bank.cover.clause
    if rules.fee:
        wagers = _labels(rules, rules.fee.wagers)
        yield (
            "fees",
            f"A flat fee by size may be taken on {wagers} before the deal.",
            rules.fee.clause,
        )
    if rules.rake:
        yield "rake", "A flat rake may be taken from each player of a round.", rules.rake.clause
    if bank.qualifier:
        text = f"The bank's hand plays with {qualifier_says(bank.qualifier)} or better."
        yield "qualifier", text, bank.qualifier.clause


def cover_says(cover: game.Cover) -> str:
    if cover.unit == "hand" and cover.collects == "in turn":
        return "A hand that the funds can't cover at its turn is dead, and its stakes go back."
    part = "in part where the money runs out" if cover.in_part else "only in full"
    part = "each hand only as a whole" if cover.unit == "hand" else part
    if cover.collects == "first":
        return (
            f"The banker collects every losing wager first, then pays the winners in turn, {part}."
        )
    return f"The banker settles one wager after another, and pays the winners {part}."


def _wagers(rules: Rules) -> _Sayings:
    for name, wager in rules.wager.items():
        yield f"wager {name}", _wager_says(rules, wager), wager.clause
        yield f"settling {name}", f"{wager.label} {_settle_says(wager.settle)}.", wager.clause
    for name, bonus in rules.bonus.items():
        yield f"bonus {name}", _bonus_says(rules, bonus), bonus.clause
    for name, envy in rules.envy.items():
        who = "another player's hand"
        if envy.holders.needs:
            who += f" with {_an(rules.wager[envy.holders.needs].label)}"
        folded = "folded or not" if envy.holders.folded else "not folded"
        makers = rules.wager[envy.makers].label
        text = f"{envy.label}: a fixed sum to every box with {_an(makers)} for {who}, {folded}."
        yield f"envy {name}", text, envy.clause


def _wager_says(rules: Rules, wager: game.Wager) -> str:
    says = [f"{wager.label} is placed {wager.placed}"]
    if wager.spots:
        says.append(f"as {len(wager.spots)} equal bets")
    for condition in wager.conditions:
        if condition.needs:
            says.append(f"only with {_labels(rules, condition.needs, last='or')}")
        if condition.at_most is not None and condition.of:
            other = rules.wager[condition.of].label
            says.append(f"at most {number(condition.at_most)} times the {other}")
    if wager.sizes:
        says.append("of " + listed([dollars(size) for size in wager.sizes.of], last="or"))
    if wager.collected:
        says.append("and collected before the deal")
    return ", ".join(says) + "."


def _bonus_says(rules: Rules, bonus: game.Bonus) -> str:
    on, needs = rules.wager[bonus.on].label, rules.wager[bonus.needs].label
    return f"{bonus.label}, where {on} and {needs} were made, {_settle_says(bonus.settle)}."


def _settle_says(settle: game.Settle) -> str:
    does: dict[str, list[str]] = {}
    for state, words in _STATES.items():
        verdict: game.Verdict | None = getattr(settle, state)
        if verdict:
            does.setdefault(_verdict_says(verdict), []).append(words)
    if len(does) == 1:
        return f"{next(iter(does))} whatever the bank holds"
    return "; ".join(f"{what} {listed(states)}" for what, states in does.items())


def _verdict_says(verdict: game.Verdict) -> str:
    match verdict.does:
        case "pay":
            return f"pays {number(verdict.to or Fraction(0))} to 1"
        case "lose":
            return "loses"
        case "push":
            return "comes back"
        case "table":
            return "goes by its paytable"
        case "push listed":
            return "comes back if the hand is on its paytable and loses if not"


def _round(rules: Rules) -> _Sayings:
    for name, step in rules.step.items():
        match step.do:
            case "decide":
                yield f"decision {name}", _decision_says(rules, step), step.clause
                for option in step.option.values():
                    topic = f"decision {name}: {option.label}"
                    yield topic, _option_says(rules, option), option.clause
            case "settle":
                order = _ORDERS[step.order or "clockwise"]
                lines = listed([_label(rules, line) for line in step.lines])
                yield "order of settling", f"Seats are settled {order}, each {lines}.", step.clause
            case "reveal":
                shown = listed([_place(rules, place) for place in step.shows])
                one = "one more of " if step.cards else ""
                yield f"reveal {name}", f"The dealer turns up {one}{shown}.", step.clause
            case "bets":
                text = "Nothing is bet, raised or taken back after 'no more bets'."
                yield "no more bets", text, step.closed or step.clause
            case "deal":
                yield "deal", f"The cards are dealt: {_deals(rules)}.", step.clause


def _decision_says(rules: Rules, step: game.Step) -> str:
    choices = listed([option.label for option in step.option.values()], last="or")
    asked = game.spot_label(rules.wager, step.asks or "")
    return f"Seats with {_an(asked)} are asked {_ORDERS[step.order or 'clockwise']}: {choices}."


def _option_says(rules: Rules, option: game.Option) -> str:
    says = []
    if option.places and option.equals:
        places, equals = rules.wager[option.places].label, rules.wager[option.equals].label
        size = f"of {option.times} times" if option.times > 1 else "equal to"
        says.append(f"places {_an(places)} {size} the {equals}")
    wagers, stakes = rules.wager, option.stakes.items()
    for fate, verb in (("forfeit", "forfeits"), ("take back", "takes back"), ("keep", "keeps")):
        spots = [game.spot_label(wagers, spot) for spot, stake in stakes if stake.fate == fate]
        if spots:
            says.append(f"{verb} {listed(spots)}")
    return f"{option.label} {', '.join(says) or 'leaves the stakes as they are'}."


def _deals(rules: Rules) -> str:
    return listed([deal.label for deal in rules.deal.values()], last="or")


def _cards(rules: Rules) -> _Sayings:
    deck = rules.deck
    decks = "one deck" if deck.decks == 1 else f"{deck.decks} decks in turn"
    yield "decks", f"The game uses {decks} of {deck.cards} cards.", deck.clause
    if deck.cut:
        text = f"A cut puts the cover card at least {deck.cut.cards_min} cards in."
        yield "cut", text, deck.cut.clause
    if deck.stub_count:
        text = f"The stub is counted at least every {deck.stub_count.every_rounds} rounds."
        yield "stub count", text, deck.stub_count.clause
    for name, deal in rules.deal.items():
        yield f"deal {name}", _deal_says(rules, deal), deal.clause
        if deal.change:
            text = f"Decks dealt {deal.label} are changed at least every {deal.change.hours} hours."
            yield f"change {name}", text, deal.change.clause


def _deal_says(rules: Rules, deal: game.Deal) -> str:
    lines = [_line_says(rules, line) for line in deal.cards]
    return f"Dealt {deal.label}, {_ORDERS[deal.order]}: {'; '.join(_counted(lines))}."


def _line_says(rules: Rules, line: game.DealLine) -> str:
    to = "each seat in turn" if line.to == SEATS else _place(rules, line.to)
    says = f"{_TIMES.get(line.cards, f'{line.cards} cards')} to {to}"
    if line.shows:
        says += f", {_TIMES.get(line.shows, f'{line.shows} cards')} of them face up"
    for wager, when in ((line.if_staked, "was made"), (line.if_offered, "is offered")):
        if wager:
            says += f" if {_an(rules.wager[wager].label)} {when}"
    return says


def _counted(lines: list[str]) -> Iterator[str]:
    """Collapse a repeated pair of lines into one."""
    size = 2
    times = 1
    while lines[: size * (times + 1)] == lines[:size] * (times + 1):
        times += 1
    if times > 1:
        yield f"{' and '.join(lines[:size])}, {times} times over"
        lines = lines[size * times :]
    yield from lines


def _irregularities(rules: Rules) -> _Sayings:
    for name, irregularity in rules.irregularity.items():
        for i, row in enumerate(irregularity.rows):
            facts = list(_facts(rules, row.when))
            when = f" ({', '.join(facts)})" if facts else ", otherwise" if i else ""
            does = listed([EFFECTS[effect] for effect in row.does])
            says = irregularity.says[0].upper() + irregularity.says[1:]
            cited = row.clause or row.ruling or ""
            yield f"irregularity {name} {i + 1}", f"{says}{when}: {does}.", cited


def _facts(rules: Rules, when: game.Facts) -> Iterator[str]:
    if when.where:
        yield f"of {_place(rules, when.where)}"
    if when.count_max is not None:
        yield f"at most {when.count_max}"
    if when.cards is not None:
        yield f"{when.cards} cards"
    for fact, words in _FACTS.items():
        if getattr(when, fact) is not None:
            yield words[getattr(when, fact)]


def _paytables(rules: Rules) -> _Sayings:
    for family, tables in rules.paytable.items():
        for letter, table in tables.items():
            rows = [f"{row_hand(row)} {payout_says(table, row)}" for row in table.rows]
            text = f"{family_says(rules, family)} {letter}: {', '.join(rows) or 'nothing'}."
            yield f"paytable {family} {letter}", text, table.clause


def payout_grid(tables: Mapping[str, game.Paytable]) -> list[tuple[str, ...]]:
    """Return a family's payouts by hand and paytable, side by side, with the clauses."""
    hands: list[str] = []
    cells: dict[tuple[str, str], str] = {}
    for letter, table in tables.items():
        place = 0
        for row in table.rows:
            hand = row_hand(row)
            if hand not in hands:
                hands.insert(place, hand)
            place = hands.index(hand) + 1
            cells[hand, letter] = payout_says(table, row)
    grid = [(hand, *(cells.get((hand, letter), "") for letter in tables)) for hand in hands]
    return [*grid, ("clause", *(table.clause for table in tables.values()))]


def row_hand(row: game.Row) -> str:
    """Name the hand of a row, and its stake if the payout depends on it."""
    return hand_says(row) + (f" at {dollars(row.stake)}" if row.stake is not None else "")


# ---------------------------------------------------------------- names


def _label(rules: Rules, line: str) -> str:
    if line in rules.wager:
        return rules.wager[line].label
    return rules.bonus[line].label if line in rules.bonus else rules.envy[line].label


def _labels(rules: Rules, wagers: Iterable[str], *, last: str = "and") -> str:
    return listed([rules.wager[wager].label for wager in wagers], last=last)


def family_says(rules: Rules, family: str) -> str:
    """Return the label of the wager, bonus or envy that a family of paytables pays."""
    judged = (rules.wager, rules.bonus, rules.envy)
    labels = (x.label for part in judged for x in part.values() if x.paytable == family)
    return next(labels, family)


def _place(rules: Rules, place: str) -> str:
    if place == BANK:
        return f"the {rules.bank.label.lower()}'s cards"
    if place == SEATS:
        return "the players' cards"
    if place == DISCARD:
        return "the discards"
    return f"the {rules.place[place].label}"


def _an(label: str) -> str:
    return f"{'an' if label[0] in 'AEIOU' else 'a'} {label}"
