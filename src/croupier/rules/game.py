"""What is played: the shapes of tables, wagers, paytables, steps, deals and irregularities.

Each class is one kind of table in a rulebook's TOML file, each field one key of it; a trailing
underscore keeps a key such as ``for`` out of Python's way. The reader fills these classes from a
file and refuses everything else. Names and numbers live in the files alone.
"""

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

from croupier.rules.shape import Shape
from croupier.rules.vocabulary import (
    SEAT,
    Cents,
    ClauseId,
    Collects,
    CoverFrom,
    CoverUnit,
    Device,
    Do,
    Does,
    Effect,
    Fact,
    FamilyId,
    Fate,
    FiveCards,
    HandName,
    LineId,
    MeterId,
    Order,
    Placed,
    PlaceId,
    RakePayer,
    Rank,
    RulingId,
    SelectionId,
    SpotId,
    Stack,
    ThreeCards,
    Unlisted,
    WagerId,
    When,
)


class Cited(Shape):
    """Something that a clause says, or a ruling where the clause leaves it open."""

    clause: ClauseId
    ruling: RulingId | None = None


class Table(Cited):
    """How many play, and on how many boxes each."""

    seats: int
    seats_min: int = 1
    boxes_max: int | None = None


class RankingRule(Cited):
    """How hands of one class compare, and whether the ace may be low in five cards."""

    three_cards: ThreeCards
    five_cards: FiveCards


class Qualifier(Cited):
    """The least hand with which the bank plays: a high card, perhaps with another, or a pair."""

    high: Rank | None = None
    kicker: Rank | None = None
    pair: Rank | None = None
    posted: str = ""


class Cover(Cited):
    """How far a player who banks with limited funds pays."""

    unit: CoverUnit
    collects: Collects
    in_part: bool
    from_: CoverFrom


class Rotation(Cited):
    """How the bank moves from player to player."""

    rounds_max: int
    passes: bool
    stays: bool


class Bank(Cited):
    """Who is played against."""

    label: str
    qualifier: Qualifier | None = None
    cover: Cover | None = None
    rotation: Rotation | None = None


class Bracket(Shape):
    """A flat fee for a wager of at most this size."""

    up_to: Cents
    fee: Cents


class Fee(Cited):
    """What the house takes for each wager before the deal, and from the banker."""

    wagers: tuple[WagerId, ...]
    brackets: tuple[Bracket, ...] = ()
    banker: Cents


class Rake(Cited):
    """What the house takes from each player of a round."""

    payer: RakePayer
    amount: Cents
    payers: Mapping[RakePayer, ClauseId]


class Condition(Cited):
    """What a wager needs: any of some others, or a stake at most so many times another's."""

    needs: tuple[WagerId, ...] = ()
    at_most: Fraction | None = None
    of: WagerId | None = None


class Sizes(Cited):
    """The only sizes that a wager may have."""

    of: tuple[Cents, ...]


class Verdict(Cited):
    """What one result of the showdown does to a stake, and who says so of an unlisted hand."""

    does: Does
    to: Fraction | None = None
    unlisted: Cited | None = None


class Settle(Shape):
    """A verdict for each result of the showdown, or one whatever it is."""

    always: Verdict | None = None
    higher: Verdict | None = None
    lower: Verdict | None = None
    equal: Verdict | None = None
    unopposed: Verdict | None = None


class PayoutLimit(Cited):
    """The most that a hand is paid on a wager, over all its spots, where one is declared."""

    amount: Cents | None = None


class Wager(Cited):
    """A kind of bet."""

    label: str
    placed: Placed = "before the deal"
    spots: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    sizes: Sizes | None = None
    collected: ClauseId | None = None
    returns: bool = False
    payout_limit: PayoutLimit | None = None
    uncovered: ClauseId | None = None
    paytable: FamilyId | None = None
    omits: tuple[HandName, ...] = ()
    settle: Settle


class Bonus(Cited):
    """A payout on a stake of another wager, with no stake of its own."""

    label: str
    on: WagerId
    needs: WagerId
    paytable: FamilyId
    settle: Settle


class Holders(Cited):
    """Whose hands are envied."""

    needs: WagerId | None = None
    folded: bool
    own: bool


class Envy(Cited):
    """A fixed sum to everybody who made a wager, for the hand of another."""

    label: str
    line: str
    makers: WagerId
    holders: Holders
    paytable: FamilyId
    follows: SelectionId | None = None


class Row(Shape):
    """One line of a paytable: a hand and what it pays."""

    hand: HandName
    suits: str = ""
    least: Rank | None = None
    stake: Cents | None = None
    to: Fraction | None = None
    for_: Fraction | None = None
    amount: Cents | None = None
    percent: Fraction | None = None
    meter: MeterId | None = None
    label: str = ""
    clause: ClauseId | None = None
    ruling: RulingId | None = None


class Rate(Cited):
    """The least share of a wager that its meters rise by, where the book sets one."""

    min: Fraction | None = None


class Meter(Cited):
    """A meter of a paytable, what it resets to by default and at least."""

    id: str
    name: str = ""
    reset: Cents | None = None
    reset_min: Cents | None = None


class Unnamed(Cited):
    """What becomes of a hand that no row names, where that is open: pay a lower name, or lose."""

    does: Unlisted


class Paytable(Cited):
    """Rows from the highest hand down; the first that fits the cards of these places pays."""

    of: tuple[PlaceId, ...] = (SEAT,)
    rate: Rate | None = None
    meters: tuple[Meter, ...] = ()
    rows: tuple[Row, ...]
    unnamed: Mapping[HandName, Unnamed] = field(default_factory=dict)


class Place(Cited):
    """A place for cards besides the seats and the bank; it may hold whole hands to bet on."""

    label: str
    cards: int
    hands: int = 0


class StakeFate(Cited):
    """What an option does to a stake; beside which wager its clause says so, else the ruling."""

    fate: Fate
    beside: WagerId | None = None


class Option(Cited):
    """A choice that a player has at a decision."""

    label: str
    key: str
    places: WagerId | None = None
    equals: WagerId | None = None
    times: int = 1
    folds: bool = False
    stakes: Mapping[SpotId, StakeFate] = field(default_factory=dict)


class Step(Cited):
    """One step of a round."""

    do: Do
    asks: SpotId | None = None
    order: Order | None = None
    option: Mapping[str, Option] = field(default_factory=dict)
    shows: tuple[PlaceId, ...] = ()
    cards: int | None = None
    lines: tuple[LineId, ...] = ()
    closed: ClauseId | None = None
    stands: ClauseId | None = None


class DealLine(Cited):
    """So many cards to a place, in turn where it is the seats."""

    to: PlaceId
    cards: int
    shows: int = 0
    if_staked: WagerId | None = None
    if_offered: WagerId | None = None


class Deal(Cited):
    """A way to deal, the devices it needs, and the age at which its decks are changed."""

    label: str
    devices: tuple[Device, ...] = ()
    order: Order = "clockwise"
    cards: tuple[DealLine, ...]
    change_hours: int | None = None
    change: ClauseId | None = None


class Shuffle(Cited):
    """A shuffle before every round, unless the cards come ready."""

    unless: tuple[Stack, ...] = ()


class Cut(Cited):
    """Which stacks are cut, and how deep the cover card goes at least."""

    cards_min: int
    of: tuple[Stack, ...]
    if_: When = ()


class StubCount(Cited):
    """How often the stub is counted at least."""

    every_rounds: int
    if_: When = ()


class MachineCount(Cited):
    """What follows where a shuffler that counts finds another number of cards."""

    does: tuple[Effect, ...]
    if_: When = ()


class Deck(Cited):
    """The cards of the table."""

    cards: int
    decks: int
    alternates: ClauseId | None = None
    shuffle: Shuffle | None = None
    cut: Cut | None = None
    stub_count: StubCount | None = None
    machine_count: MachineCount | None = None


class Facts(Shape):
    """What must be so for an irregularity's row to fit; what is left out does not matter."""

    where: PlaceId | None = None
    count_max: int | None = None
    cards: int | None = None
    misdealt: bool | None = None
    handled: bool | None = None
    reconstructable: bool | None = None
    noticed_late: bool | None = None


class Consequence(Shape):
    """What an irregularity does where the facts fit, by a clause or by a ruling alone."""

    when: Facts = Facts()
    does: tuple[Effect, ...]
    clause: ClauseId | None = None
    ruling: RulingId | None = None


class Irregularity(Shape):
    """Something gone wrong at the table; the first row that fits says what follows."""

    says: str
    takes: tuple[Fact, ...] = ()
    where: tuple[PlaceId, ...] = ()
    adds_up: bool = True
    added: RulingId | None = None
    device: Device | None = None
    if_: When = ()
    rows: tuple[Consequence, ...]
