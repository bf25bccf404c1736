"""The shapes of the game: tables, wagers, paytables, steps, deals and irregularities.

Each class is one kind of table in a rulebook's TOML file, each field one of its keys; a trailing
underscore avoids Python keywords such as ``for``. The reader fills these classes from a file and
refuses everything else. Names and numbers live only in the files.
"""

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

from croupier.money import Cents
from croupier.reading.reader import Text, WholeNumber
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import (
    SEAT,
    ClauseId,
    Collects,
    CoverFrom,
    CoverUnit,
    Device,
    Does,
    Effect,
    Fact,
    FamilyId,
    Fate,
    FiveCards,
    HandName,
    Keeper,
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
    StepKind,
    Thing,
    ThreeCards,
    Unlisted,
    WagerId,
    When,
)


class Cited(Shape):
    """A rule with its clause, or with a ruling where the clause leaves it open."""

    clause: ClauseId
    ruling: RulingId | None = None


class Table(Cited):
    """The number of seats, and of boxes per player; and the clause that has a sign posted."""

    seats: WholeNumber
    seats_min: WholeNumber = 1
    boxes_max: WholeNumber | None = None
    sign: ClauseId | None = None


class RankingRule(Cited):
    """How hands of one class compare, and whether the ace may be low in five cards."""

    three_cards: ThreeCards
    five_cards: FiveCards


class Qualifier(Cited):
    """The lowest hand that qualifies the bank: a high card, maybe with a kicker, or a pair."""

    high: Rank | None = None
    kicker: Rank | None = None
    pair: Rank | None = None
    posted: Text = ""


class Cover(Cited):
    """How far a player-banker with limited funds pays."""

    unit: CoverUnit
    collects: Collects
    in_part: bool
    from_: CoverFrom


class Rotation(Cited):
    """How the bank moves from player to player."""

    rounds_max: WholeNumber
    passes: bool
    stays: bool
    void_counts: bool = True


class Bank(Cited):
    """The bank that players play against."""

    label: Text
    qualifier: Qualifier | None = None
    cover: Cover | None = None
    rotation: Rotation | None = None


class Bracket(Shape):
    """A flat fee for a wager up to this size."""

    up_to: Cents
    fee: Cents


class Fee(Cited):
    """The house's fee for each wager before the deal, and from the banker."""

    wagers: tuple[WagerId, ...]
    brackets: tuple[Bracket, ...] = ()
    banker: Cents


class Rake(Cited):
    """The house's rake from each player of a round."""

    payer: RakePayer
    amount: Cents
    payers: Mapping[RakePayer, ClauseId]


class Condition(Cited):
    """A wager's requirement: any of some others, or a stake at most N times another's."""

    needs: tuple[WagerId, ...] = ()
    at_most: Fraction | None = None
    of: WagerId | None = None


class Sizes(Cited):
    """The only sizes allowed for a wager."""

    of: tuple[Cents, ...]


class Verdict(Cited):
    """What one showdown result does to a stake, and the authority for unlisted hands."""

    does: Does
    to: Fraction | None = None
    unlisted: Cited | None = None


class Settle(Shape):
    """A verdict for each showdown result, or one for all."""

    always: Verdict | None = None
    higher: Verdict | None = None
    lower: Verdict | None = None
    equal: Verdict | None = None
    unopposed: Verdict | None = None


class PayoutLimit(Cited):
    """The declared limit on a hand's payout for a wager, over all its spots."""

    amount: Cents | None = None


class Wager(Cited):
    """A kind of bet."""

    label: Text
    placed: Placed = "before the deal"
    spots: tuple[Text, ...] = ()
    prints: tuple[Text, ...] = ()
    conditions: tuple[Condition, ...] = ()
    sizes: Sizes | None = None
    collected: ClauseId | None = None
    returns: bool = False
    payout_limit: PayoutLimit | None = None
    uncovered: ClauseId | None = None
    paytable: FamilyId | None = None
    omits: tuple[HandName, ...] = ()
    settle: Settle


def spot_label(wagers: Mapping[str, Wager], spot: str) -> str:
    """Return the label of a spot, as it is printed if a wager has several; '' if it isn't one."""
    for name, wager in wagers.items():
        if spot == name:
            return wager.label
        if spot in wager.spots:
            number = wager.spots.index(spot)
            return wager.prints[number] if wager.prints else f"{wager.label} {number + 1}"
    return ""


class Bonus(Cited):
    """A payout on another wager's stake, with no stake of its own."""

    label: Text
    on: WagerId
    needs: WagerId
    paytable: FamilyId
    settle: Settle


class Holders(Cited):
    """The hands that may be envied."""

    needs: WagerId | None = None
    folded: bool
    own: bool


class Envy(Cited):
    """A fixed sum for another player's hand, paid to everybody who made a wager."""

    label: Text
    line: Text
    makers: WagerId
    holders: Holders
    paytable: FamilyId
    follows: SelectionId | None = None


class Row(Shape):
    """One line of a paytable: a hand and what it pays."""

    hand: HandName
    suits: Text = ""
    least: Rank | None = None
    stake: Cents | None = None
    to: Fraction | None = None
    for_: Fraction | None = None
    amount: Cents | None = None
    percent: Fraction | None = None
    meter: MeterId | None = None
    label: Text = ""
    clause: ClauseId | None = None
    ruling: RulingId | None = None


class Rate(Cited):
    """The lowest share of a wager that its meters rise by, where the book sets one."""

    min: Fraction | None = None


class Meter(Cited):
    """A meter of a paytable, with its default and lowest reset."""

    id: Text
    name: Text = ""
    reset: Cents | None = None
    reset_min: Cents | None = None


class Unnamed(Cited):
    """The fate of a hand that no row names, where that is open: pay a lower name, or lose."""

    does: Unlisted


class Paytable(Cited):
    """Rows from the highest hand down; the first that fits the cards of these places pays."""

    of: tuple[PlaceId, ...] = (SEAT,)
    rate: Rate | None = None
    meters: tuple[Meter, ...] = ()
    rows: tuple[Row, ...]
    unnamed: Mapping[HandName, Unnamed] = field(default_factory=dict)


class Place(Cited):
    """A place for cards other than the seats and the bank; it may hold hands to bet on."""

    label: Text
    cards: WholeNumber
    hands: WholeNumber = 0

    @property
    def hand_size(self) -> int:
        """How many cards each of its hands has."""
        return self.cards // self.hands


class StakeFate(Cited):
    """What an option does to a stake, by its clause; without the wager `beside`, by the ruling."""

    fate: Fate
    beside: WagerId | None = None


class Option(Cited):
    """A player's choice at a decision."""

    label: Text
    key: Text
    places: WagerId | None = None
    equals: WagerId | None = None
    times: WholeNumber = 1
    folds: bool = False
    stakes: Mapping[SpotId, StakeFate] = field(default_factory=dict)


class Step(Cited):
    """One step of a round."""

    do: StepKind
    asks: SpotId | None = None
    order: Order | None = None
    option: Mapping[str, Option] = field(default_factory=dict)
    shows: tuple[PlaceId, ...] = ()
    cards: WholeNumber | None = None
    lines: tuple[LineId, ...] = ()
    closed: ClauseId | None = None
    stands: ClauseId | None = None


class DealLine(Cited):
    """A number of cards to a place, or to each seat in turn."""

    to: PlaceId
    cards: WholeNumber
    shows: WholeNumber = 0
    if_staked: WagerId | None = None
    if_offered: WagerId | None = None


class DeckChange(Cited):
    """The age at which decks are changed, where there are decks to handle."""

    hours: WholeNumber
    needs: tuple[Thing, ...] = ()


class Deal(Cited):
    """A dealing procedure, the devices it needs, and when its decks are changed.

    `attended` is the ruling by which a person deals it; without one, it is for practice only.
    """

    label: Text
    attended: RulingId | None = None
    devices: tuple[Device, ...] = ()
    order: Order = "clockwise"
    cards: tuple[DealLine, ...]
    change: DeckChange | None = None


class Shuffle(Cited):
    """The shuffle before every round, unless the cards come shuffled."""

    unless: tuple[Stack, ...] = ()


class Cut(Cited):
    """Which stacks are cut, and the minimum depth of the cover card."""

    cards_min: WholeNumber
    of: tuple[Stack, ...]
    if_: When = ()


class StubCount(Cited):
    """The minimum frequency of stub counts."""

    every_rounds: WholeNumber
    needs: tuple[Thing, ...] = ()
    if_: When = ()


class MachineCount(Cited):
    """What happens if a counting shuffler finds a wrong number of cards."""

    does: tuple[Effect, ...]
    needs: tuple[Thing, ...] = ()
    if_: When = ()


class Deck(Cited):
    """The cards of the table."""

    cards: WholeNumber
    decks: WholeNumber
    alternates: ClauseId | None = None
    shuffle: Shuffle | None = None
    cut: Cut | None = None
    stub_count: StubCount | None = None
    machine_count: MachineCount | None = None


class Facts(Shape):
    """The facts that an irregularity's row requires; an omitted fact doesn't matter."""

    where: PlaceId | None = None
    count_max: WholeNumber | None = None
    cards: WholeNumber | None = None
    misdealt: bool | None = None
    handled: bool | None = None
    reconstructable: bool | None = None
    noticed_late: bool | None = None


class Consequence(Shape):
    """What an irregularity does if the facts fit, by a clause or a ruling alone."""

    when: Facts = Facts()
    does: tuple[Effect, ...]
    clause: ClauseId | None = None
    ruling: RulingId | None = None


class Irregularity(Shape):
    """Something gone wrong at the table; the first row that fits decides the consequence."""

    says: Text
    takes: tuple[Fact, ...] = ()
    where: tuple[PlaceId, ...] = ()
    adds_up: bool = True
    added: RulingId | None = None
    device: Device | None = None
    needs: tuple[Thing, ...] = ()
    during: tuple[StepKind, ...] = ()
    hidden: tuple[PlaceId, ...] = ()
    by: tuple[Keeper, ...] = ("dealer", "floorperson")
    doubled: bool = False
    reading: bool = False
    late: bool = False
    if_: When = ()
    rows: tuple[Consequence, ...]


def counts_stub(irregularity: Irregularity) -> bool:
    """Whether this is the count of the stub: it takes the cards, and how they were dealt."""
    return {"cards", "misdealt"} <= set(irregularity.takes)
