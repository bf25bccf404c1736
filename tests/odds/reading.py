"""Read a strategy's sentences as a player would, knowing the game but not the program.

Reads only the sentences; hands are told by their cards, one at a time. An answer is True for the
option that wagers more, False for the one that wagers less, and None where a sentence says only
how many more hands are exceptions, or that a hand hangs on its suits.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from croupier.cards import RANK_NAMES, Card
from croupier.hands.hand import Hand
from croupier.hands.ranking import STANDARD, Ranking

Cards = tuple[Card, ...]

RANK = r"(?:10|[2-9AKQJ])"
SHORT = rf"{RANK}-{RANK}-{RANK}"
SUITS = rf" suited| with two of a suit| with {RANK}-{RANK} of a suit| of three suits"
NAMED = rf"{SHORT}(?:{SUITS})?"
LIST = rf"{NAMED}(?:(?:, | and ){NAMED})*(?: and \d+ more hands)?"

AGAINST = re.compile(r"Against an? (\w+)(?: (or lower)| down to an? (\w+))? (.*)")
EVERY = re.compile(r"(\w+) every hand")
LEAST = re.compile(
    rf"(?P<verb>\w+) (?P<name>[a-z ]*?) ?(?P<least>{SHORT}) or better"
    rf"(?:, and also (?P<also>{LIST}))?"
    rf"(?:, but \w+ (?P<never>{LIST}))?"
    rf"(?:; (?P<mixed>{LIST}) hang on the suits)?",
    re.IGNORECASE,
)
NUMBERS = ("no", "one", "two", "three", "four", "five")


@dataclass
class Told:
    """What the sentences say about one decision, and how many exceptions they only count."""

    answer: Callable[[Cards], bool | None]
    more: int = 0
    like: set[str] = field(default_factory=set)


def ranks(short: str) -> list[int]:
    """The ranks of `Q-6-4`."""
    return ["23456789TJQKA".index(face.replace("10", "T")) for face in short.split("-")]


def name_of(cards: Cards, ranking: Ranking = STANDARD) -> str:
    """Name an exception by its ranks, whatever the suits."""
    return Hand(cards, ranking).short


def patterns(cards: Cards) -> tuple[str, ...]:
    """Return what may follow the ranks of an exception that means these cards."""
    suits = [card.suit for card in cards]
    same = sorted((card for card in cards if suits.count(card.suit) == 2), reverse=True)
    two = "-".join(str(card)[0].replace("T", "10") for card in same)
    return {
        1: ("", " suited"),
        2: ("", " with two of a suit", f" with {two} of a suit"),
        3: ("", " of three suits"),
    }[len({*suits})]


def holds(names: str | None, cards: Cards, ranking: Ranking) -> bool:
    """Whether a list of exceptions has a hand; one that names no suits includes all ties."""
    listed = re.findall(NAMED, names or "")
    return any(name_of(cards, ranking) + suits in listed for suits in patterns(cards))


# ---------------------------------------------------------------- against a bank


def against_a_bank(sentences: tuple[str, ...], more: str, ranking: Ranking) -> list[Told]:
    """What to do by the rank of the card that is up, or for every rank if none is."""
    told: list[Told | None] = [None] * 13
    for sentence in sentences:
        assert sentence.endswith(".")
        text = sentence[:-1]
        prefix = AGAINST.fullmatch(text)
        up = range(13)
        if prefix:
            high = RANK_NAMES.index(prefix[1])
            low = RANK_NAMES.index(prefix[3]) if prefix[3] else 0 if prefix[2] else high
            up, text = range(low, high + 1), prefix[4]
        for rank in up:
            assert told[rank] is None, f"two sentences about {RANK_NAMES[rank]}"
            told[rank] = _threshold(text, more, ranking)
    assert None not in told
    return [one for one in told if one]


def _threshold(text: str, more: str, ranking: Ranking) -> Told:
    every = EVERY.fullmatch(text)
    if every:
        plays = every[1].lower() == more.lower()
        return Told(lambda cards: plays)
    said = LEAST.fullmatch(text)
    assert said, text
    assert said["verb"].lower() == more.lower()
    suits = (0, 0, 0) if "flush" in said["name"] else (0, 1, 2)
    example = [rank << 2 | suit for rank, suit in zip(ranks(said["least"]), suits, strict=True)]
    least = Hand.of(example, ranking)
    assert said["name"] in ("", least.name)

    def answer(cards: Cards) -> bool | None:
        if holds(said["mixed"], cards, ranking):
            return None
        if holds(said["also"], cards, ranking):
            return True
        if holds(said["never"], cards, ranking):
            return False
        return Hand(cards, ranking).strength >= least.strength

    return Told(answer, sum(map(int, re.findall(r"(\d+) more hands", text))))


# ---------------------------------------------------------------- by a paytable

STRAIGHTS = [{(low + n) % 13 for n in range(5)} for low in (12, *range(9))]
KIND = re.compile(
    r"(?P<count>\w+) (?P<suited>suited )?cards that fit (?P<straights>\w+) straights?"
    r"(?: with at least (?P<high>\w+) from the ten up)? \(as (?P<like>[\dJQKA-]+)\)"
)


@cache
def sets(cards: Cards) -> str:
    """The set that cards already make, if it pays: a pair of tens or better (Let It Ride 12.A)."""
    held = [card.rank for card in cards]
    times = sorted((held.count(rank) for rank in {*held}), reverse=True)
    if times[0] > 2:
        return {3: "three of a kind", 4: "four of a kind"}[times[0]]
    if times[:2] == [2, 2]:
        return "two pair"
    high = any(held.count(rank) == 2 and rank >= 8 for rank in held)
    return "a pair" if high else ""


@cache
def fits(cards: Cards) -> int:
    """Count the five-card straights that these cards fit."""
    held = {card.rank for card in cards}
    return 0 if len(held) < len(cards) else sum(held <= straight for straight in STRAIGHTS)


def kind(text: str) -> Callable[[Cards], bool]:
    """One of the kinds of hands that a sentence lists."""
    if text == "a hand that already pays":
        return lambda cards: sets(cards) != ""
    if text.endswith(" that already pays"):
        return lambda cards: sets(cards) == text.removesuffix(" that already pays")
    if text.startswith("any "):
        suited = text.endswith(" of one suit")
        return lambda cards: not suited or len({card.suit for card in cards}) == 1
    said = KIND.fullmatch(text)
    assert said, text
    straights, high = NUMBERS.index(said["straights"]), NUMBERS.index(said["high"] or "no")
    assert len(said["like"].split("-")) == NUMBERS.index(said["count"])

    def is_one(cards: Cards) -> bool:
        return (
            (not said["suited"] or len({card.suit for card in cards}) == 1)
            and fits(cards) == straights
            and sum(card.rank >= 8 for card in cards) >= high
        )

    return is_one


def by_a_paytable(sentences: list[str], labels: tuple[str, str]) -> Told:
    """Read the sentences of one decision, without what comes before the colon."""
    more, less = labels
    first, *others = sentences
    every = re.fullmatch(r"(.*) with every hand\.", first)
    listed = re.fullmatch(rf"{more.lower()} with (.*)\. Otherwise {less.lower()}\.", first)
    if every:
        rides = every[1] == more.lower()
        told = Told(lambda cards: rides)
    else:
        assert listed, first
        kinds = [kind(text) for text in listed[1].split("; ")]
        told = Told(lambda cards: any(one(cards) for one in kinds))
    for other in others:
        said = re.fullmatch(r"the other way round with (\d+|one) hands? like (.*)\.", other)
        assert said, other
        told.more += 1 if said[1] == "one" else int(said[1])
        told.like |= {*re.split(", | and ", said[2])}
    return told
