"""Random commands for every book, legal and not, at tables with all sorts of selections."""

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Confirm,
    Deal,
    Declare,
    Face,
    Open,
    Settle,
    Show,
    TakeDown,
)
from croupier.round.dealing import deal_plan
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.reference.random_cards import Pack, random_deck, random_places
from tests.round.invariants import DECIDE, Play
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, book

FIVE = {"five_card_progressive": "A", "five_card_progressive_rate": "0.1"}
ENVY = {"five_card_envy": {"royal flush": 500, "straight flush": 50, "flush": "2.50"}}
JACKPOT = {"progressive_rate": "0.25", "progressive_reset": 500}

# A spread of what operators may choose; the first table of each book has everything.
TABLES: dict[str, list[dict[str, Any]]] = {
    MARYLAND: [
        {"progressive": "A", "progressive_wager": [1, 5], "six_card_bonus": "A", **FIVE, **ENVY},
        {},
        {"version": "7.G(1)", "progressive": "B", "adjacent_boxes": 2},
        {"version": "7.G(2)", "progressive": "C", "progressive_rate": "1/3", "dealing": "hand"},
        {"version": "7.G(3)", "six_card_bonus": "E", "limits": {"ante": [5, 100]}},
        {"format": "electronic", "progressive": "A", "six_card_bonus": "B"},
        {
            "progressive": "C",
            "progressive_rate": "0.2",
            "progressive_shares": {"major": "0.75", "minor": "0.25"},
            "five_card_progressive": "C",
            "five_card_progressive_rate": "0.333333",
            "dealing": "automated_shoe",
        },
    ],
    LET_IT_RIDE: [
        {
            "progressive": "E",
            "progressive_rate": "0.3",
            "progressive_wager": [1, 5],
            "five_card_bonus": "A",
            "three_card_bonus": "A",
            "six_card_bonus": "A",
        },
        {},
        {"progressive": "A", "progressive_rate": "0.2001", "payout_limit": 250, "dealing": "hand"},
        {"progressive": "B", "progressive_rate": "1", "three_card_bonus": "B"},
        {"dealing": "automated_shoe", "community_stack": 3, "six_card_bonus": "B"},
        {"progressive": "D", "progressive_rate": "0.05", "adjacent_boxes": 2},
    ],
    SINGAPORE: [JACKPOT, {}, {**JACKPOT, "progressive_wager": 5, "progressive_initial": "800.05"}],
    CALIFORNIA: [
        {"fees": [{"up_to": 10, "fee": 1}, {"up_to": 99999, "fee": "2.5"}]},
        {},
        {"payoff_limit": "wager", "player_dealer_fee": 2},
    ],
    FLORIDA: [
        {"rake": {"payer": "all", "amount": 1}, "pair_plus_when_beaten": "push"},
        {},
        {"rake": {"payer": "players", "amount": "1.5"}},
        {"rake": {"payer": "designated_player", "amount": 2}, "pair_plus": {"pair": "1.5"}},
    ],
}

PLAYERS = ("ann", "bob", "cat", "dan")
CENTS = (100, 250, 500, 713, 1000, 1000, 2000, 3333, 0, -100)
FUNDS = (1, 500, 2000, 2000, 5000, 12345, 10**7, 0)
VOIDS = ("dealer_card_exposed", "community_card_exposed", "foreign_card", "misdeal")
OPTIONS = ("play", "fold", "ride", "withdraw", "raise")


@cache
def rules_of(id: str, table: int) -> TableRules:
    return resolve(book(id), TABLES[id][table])


# ---------------------------------------------------------------- what a table does next


def lay(play: Play, rng: random.Random) -> None:
    """Lay a deck in which rare hands, ties and edges come often where the cards will go."""
    plan = [str(seat or place) for _, place, seat in deal_plan(play.round)]
    if play.round.places or not plan:
        return
    shared = plan.count("community") == 9
    if shared:
        plan[:9] = [str(hand) for hand in (1, 2, 3) for _ in range(3)]
    names: list[int | str] = [
        int(name) if name.isdigit() else "dealer" if name == "bank" else name for name in plan
    ]
    sizes: dict[int | str, int] = {name: names.count(name) for name in names}
    places = cards_for(rng, sizes)
    top = [Card(name) for name in random_deck(rng, places, names)]
    found = dict.fromkeys(play.ledger.found)
    free = [position for position in range(52) if position not in found]
    # Cards found face up lie among the others, and are passed over.
    play.deck = dict(zip([*free, *found], top, strict=True))


def cards_for(rng: random.Random, sizes: dict[int | str, int]) -> dict[int | str, list[str]]:
    """Cards for each place, sometimes such that several win a meter or envy each other."""
    seats = [place for place in sizes if isinstance(place, int)]
    dice, pack = rng.random(), Pack(rng)
    if dice < 0.2:
        for seat, suit in zip(rng.sample(seats, len(seats)), "shdc", strict=False):
            pack.place(seat, [f"{rank}{suit}" for rank in "AKQ"])
    elif dice < 0.4 and sizes.get("community") == 2 and len(seats) > 1:
        pack.place_double(seats, "community")
    else:
        return random_places(rng, sizes)
    for place, size in sizes.items():
        pack.fill(place, size)
    return pack.places


def wagers_of(rules: TableRules) -> list[str]:
    return [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]


def size_of(rules: TableRules, wager: str, rng: random.Random) -> int:
    sizes = rules.wagers[wager].sizes
    if sizes:
        return int(rng.choice(sizes.of))
    return rng.choice((1000, 1000, 500, 713))


def good_bets(play: Play, rng: random.Random) -> list[Command]:
    """Bets with which a table can mostly go on: several seats and boxes, most side bets."""
    rules = play.rules
    seats = rng.sample(range(1, rules.table.seats + 1), rng.choice((1, 2, 3, 3, 4, 5)))
    commands: list[Command] = []
    if rules.banked_by == "player":
        bank = Bank(seats.pop(), "eve", rng.choice(FUNDS[:-1]))
        commands.append(bank)
        seats = seats or [bank.seat % rules.table.seats + 1]
    wagers = wagers_of(rules)
    shared = rules.selections.get("format") == "electronic"
    for seat in seats:
        player = rng.choice(PLAYERS)
        cents = rng.choice((1000, 500, 713))
        hand = rng.randint(1, 3) if shared else None
        for wager in wagers:
            # A Pair Plus may stand without an Ante in two of the books (M12, S2).
            if rng.random() < (0.07 if wager == wagers[0] else 0.3):
                continue
            size = size_of(rules, wager, rng) if rules.wagers[wager].sizes else cents
            commands.append(Bet(seat, player, wager, size, hand))
    return commands


def go_on(play: Play, rng: random.Random, steps: int) -> None:
    """Play on for some steps, until the end or a refusal."""
    for _ in range(steps):
        if play.round.closed or not play.do(next_of(play, rng)):
            break


def next_of(play: Play, rng: random.Random) -> Command:
    """The command with which a round goes on."""
    round = play.round
    if round.at < 0:
        return Open("7", {id: rng.randint(1, 10**11) for id in play.rules.meters})
    if round.void:
        return Settle()
    if round.at > 1 and rng.random() < 0.04:
        return mishap(play, rng)
    if due := round.due:
        return Show(tuple(Face(p, play.deck[p]) for p in due))
    step = round.step
    match step.do if step else "":
        case "bets":
            return CloseBets()
        case "deal":
            if "face_up_cards" in play.rules.irregularities and rng.random() < 0.2:
                left = [p + 1 for p in range(12) if p not in play.ledger.found]
                return Declare("face_up_cards", {"positions": [rng.choice(left)]})
            lay(play, rng)
            return Deal()
        case "decide":
            options = list(step.option) if step else []
            return Choose(round.asked[0], rng.choice([options[0], *options]))
    return Settle()


def mishap(play: Play, rng: random.Random) -> Command:
    """Something that makes the round void, or a seat that is left."""
    kinds = play.rules.irregularities
    if "abandoned" in kinds and rng.random() < 0.5:
        return Declare("abandoned", {"seat": rng.choice(list(play.round.boxes))})
    return Declare(next(kind for kind in VOIDS if kind in kinds))


def facts_of(play: Play, kind: str, rng: random.Random) -> dict[str, object]:
    """Facts of an irregularity, mostly such as it takes, sometimes foreign ones."""
    found = play.rules.irregularities.get(kind)
    seats = [*play.round.boxes, 9]
    facts: Mapping[str, list[object]] = {
        "count": [1, 1, 2, -1, "1", True],
        "positions": [*([p] for p in range(1, 13)), [53], [1, 1], rng.sample(range(1, 52), 2), "1"],
        "where": ["dealer", "community", "six_card_box", "bank", "seat", *seats],
        "cards": [52, 52, 51, 53, None],
        "seat": [*seats, "1", None],
    }
    takes = list(found.takes) if found else []
    if rng.random() < 0.05:
        takes.append("count")
    if "positions" in takes:
        takes.remove(rng.choice(["positions", "count", "count"]))
    flags: list[object] = [True, False, False]
    return {name: rng.choice(facts.get(name, flags)) for name in takes if rng.random() < 0.95}


def played(id: str, table: int, rng: random.Random) -> Play:
    """A round from its opening to its end, or as far as its bets allow; nothing is looked at."""
    play = Play(rules_of(id, table), only="total")
    for command in [next_of(play, rng), *good_bets(play, rng)]:
        play.do(command)
    go_on(play, rng, 100)
    return play


# ---------------------------------------------------------------- the machine

SEATS = st.integers(0, 9)
# Bytes are drawn evenly, where small numbers would come again and again.
SEEDS = st.binary(min_size=8, max_size=8)


class Machine(RuleBasedStateMachine):
    """Plays one book; every rule asks for something, and every invariant is looked at."""

    id = ""
    only: str | None = None
    table: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self.play = Play(rules_of(self.id, 0), self.only)

    @initialize(table=st.integers(0, 6), seed=SEEDS)
    def sit_down(self, table: int, seed: bytes) -> None:
        number = table % len(TABLES[self.id]) if self.table is None else self.table
        self.play = Play(rules_of(self.id, number), self.only)
        rng = random.Random(seed)
        if rng.random() < 0.95:
            self.play.do(next_of(self.play, rng))
            for command in good_bets(self.play, rng):
                self.play.do(command)
            go_on(self.play, rng, rng.choice((0, 0, 1, 2, 2, 3, 4, 6, 9)))

    @rule(seed=SEEDS, cents=st.sampled_from(CENTS))
    def bet(self, seed: bytes, cents: int) -> None:
        """Any wager at any seat, by any player, late ones too."""
        rng, round = random.Random(seed), self.play.round
        names = [*self.play.rules.wagers, "progressive", "jackpot", "bet_1"]
        name, seat = rng.choice(names), rng.choice([*round.boxes, rng.randint(0, 9)])
        box = round.boxes.get(seat)
        player = box.player if box and rng.random() < 0.7 else rng.choice(PLAYERS)
        hand = box.hand if box else rng.choice((None, None, 1, 2, 4))
        size = cents if rng.random() < 0.5 else size_of_any(self.play.rules, name, rng)
        self.play.do(Bet(seat, player, name, size, hand))

    @rule(seed=SEEDS)
    def take_down(self, seed: bytes) -> None:
        rng = random.Random(seed)
        seat = rng.choice([*self.play.round.boxes, 9])
        self.play.do(TakeDown(seat, rng.choice(list(self.play.rules.wagers))))

    @rule(seat=SEATS, player=st.sampled_from((*PLAYERS, "eve")), funds=st.sampled_from(FUNDS))
    def bank(self, seat: int, player: str, funds: int) -> None:
        self.play.do(Bank(seat, player, funds))

    @rule(action=st.one_of(st.none(), SEATS))
    def close(self, action: int | None) -> None:
        self.play.do(CloseBets(action))

    @rule(seed=SEEDS)
    def deal(self, seed: bytes) -> None:
        step = self.play.round.step
        if step and step.do == "deal" and not self.play.round.void:
            lay(self.play, random.Random(seed))
        self.play.do(Deal())

    @rule(seed=SEEDS)
    def show(self, seed: bytes) -> None:
        """Cards that are due, all or one by one, cards that are not, and faces twice."""
        rng, deck = random.Random(seed), self.play.deck
        due = list(self.play.round.due)
        rng.shuffle(due)
        kind = rng.randrange(4)
        faces = [Face(p, deck[p]) for p in (due if kind == 0 else due[:1])]
        if kind == 2:
            bank = self.play.round.places.get("bank", ())
            position = rng.choice([*bank, *self.play.ledger.dealt, rng.randrange(52)])
            faces.append(Face(position, deck.get(position, DECK[position])))
        elif kind == 3 and faces:
            faces.append(faces[0])
        self.play.do(Show(tuple(faces)))

    @rule(seed=SEEDS)
    def choose(self, seed: bytes) -> None:
        """A choice in turn or out of turn, one that there is or another."""
        rng, round = random.Random(seed), self.play.round
        options = list(round.step.option) if round.step else []
        seat = rng.choice([*round.asked[:1] * 2, *round.boxes, 9])
        self.play.do(Choose(seat, rng.choice([*options, *options, *OPTIONS])))

    @rule(seed=SEEDS)
    def declare(self, seed: bytes) -> None:
        """An irregularity of any kind; few that make the round void are let through."""
        rng, round = random.Random(seed), self.play.round
        kinds = [*self.play.rules.irregularities, "misdeal"]
        kind = rng.choice(kinds)
        command = Declare(kind, facts_of(self.play, kind, rng))
        if rng.random() < 0.9 and "void" in effects_of(self.play, command):
            command = Declare("abandoned", {"seat": rng.choice([*round.boxes, 9])})
        self.play.do(command)

    @rule(seed=SEEDS)
    def confirm(self, seed: bytes) -> None:
        rng = random.Random(seed)
        clause = rng.choice([*self.play.rules.clauses, "99.Z"])
        self.play.do(Confirm(clause, rng.choice(("dealer", "floorperson", "player"))))

    @rule(meters=st.sampled_from(({}, {}, {"jackpot": 1})))
    def settle(self, meters: dict[str, int]) -> None:
        """In time or too early."""
        self.play.do(Settle(meters))

    @rule(seed=SEEDS, steps=st.integers(1, 8))
    def go_on(self, seed: bytes, steps: int) -> None:
        go_on(self.play, random.Random(seed), steps)

    def teardown(self) -> None:
        """Play on to the end, so that most rounds are settled."""
        if not self.play.broken:
            go_on(self.play, random.Random(len(self.play.events)), 100)


def size_of_any(rules: TableRules, wager: str, rng: random.Random) -> int:
    return size_of(rules, wager, rng) if wager in rules.wagers else 100


def effects_of(play: Play, command: Declare) -> tuple[str, ...]:
    """What an irregularity would lead to."""
    try:
        (event,) = DECIDE.decide(play.round, command)
    except Refused:
        return ()
    effects: tuple[str, ...] = event.effects
    return effects
