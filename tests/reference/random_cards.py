"""Random cards in which rare hands, ties and hands at the edge of qualifying come often."""

import random
from collections.abc import Sequence

from tests.reference.dealing import Place
from tests.reference.hands import DECK, RANKS, SUITS

WHEELS = {3: "A23", 5: "A2345"}
QUEEN_HIGHS = ("Q32", "Q43", "Q64", "Q63", "Q65", "QJ9", "QT9", "QJ2")
JACK_HIGHS = ("J98", "JT8", "J32", "JT7", "T32", "532", "642", "975")


def run(rng: random.Random, size: int) -> str:
    """Ranks of a straight; the highest and the lowest come often."""
    choices = [RANKS[-size:], WHEELS[size], RANKS[-size - 1 : -1], RANKS[:size]]
    start = rng.randrange(len(RANKS) - size + 1)
    return rng.choice([*choices, RANKS[start : start + size]])


def suited(rng: random.Random, ranks: str) -> list[str]:
    suit = rng.choice(SUITS)
    return [rank + suit for rank in ranks]


def mixed(rng: random.Random, ranks: str) -> list[str]:
    """Give the ranks at least two suits, and equal ranks different ones."""
    while True:
        cards = [rank + rng.choice(SUITS) for rank in ranks]
        if len(set(cards)) == len(cards) and len({card[1] for card in cards}) > 1:
            return cards


def ranks_of(rng: random.Random, *times: int) -> str:
    """Return different ranks, each repeated as often as given."""
    ranks = rng.sample(RANKS, len(times))
    return "".join(rank * often for rank, often in zip(ranks, times, strict=True))


def three_cards(rng: random.Random) -> list[str]:
    """A hand of a kind that random dealing produces too rarely."""
    kind = rng.randrange(11)
    if kind < 3:
        return suited(rng, "AKQ")
    if kind == 3:
        return suited(rng, run(rng, 3))
    if kind == 4:
        return mixed(rng, run(rng, 3))
    if kind == 5:
        return suited(rng, ranks_of(rng, 1, 1, 1))
    if kind == 6:
        return mixed(rng, ranks_of(rng, 3))
    if kind in (7, 8):
        return mixed(rng, ranks_of(rng, 2, 1))
    return edge(rng)


def edge(rng: random.Random) -> list[str]:
    """A hand just above or just below queen high."""
    return mixed(rng, rng.choice(rng.choice((QUEEN_HIGHS, JACK_HIGHS))))


def five_cards(rng: random.Random) -> list[str]:
    kind = rng.randrange(12)
    if kind < 2:
        return suited(rng, "AKQJT")
    if kind < 4:
        return suited(rng, run(rng, 5))
    if kind == 4:
        return mixed(rng, run(rng, 5))
    if kind == 5:
        return suited(rng, ranks_of(rng, 1, 1, 1, 1, 1))
    if kind == 6:
        return mixed(rng, rng.choice(("TT", "99", "JJ", "AA", "22")) + rng.choice(("358", "467")))
    shapes: tuple[tuple[int, ...], ...] = ((4, 1), (4, 1), (3, 2), (3, 1, 1), (2, 2, 1))
    return mixed(rng, ranks_of(rng, *shapes[kind - 7]))


def same_ranks(rng: random.Random, cards: Sequence[str]) -> list[str]:
    """A hand that ties with another one."""
    ranks = "".join(card[0] for card in cards)
    if len({card[1] for card in cards}) == 1:
        return suited(rng, ranks)
    return mixed(rng, ranks)


class Pack:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.left = list(DECK)
        self.places: dict[Place, list[str]] = {}

    def place(self, place: Place, cards: Sequence[str]) -> bool:
        """Put cards on a place unless one of them is already used."""
        if not set(cards) <= set(self.left):
            return False
        held = list(cards)
        self.rng.shuffle(held)
        self.places[place] = held
        self.left = [card for card in self.left if card not in held]
        return True

    def place_joint(self, seat: Place, other: Place, size: int) -> None:
        """A five- or six-card hand that a seat makes with another place."""
        cards = five_cards(self.rng)
        if size == 3:
            if self.rng.random() < 0.4:
                cards = suited(self.rng, "AKQJT9")
            else:
                cards.append(self.rng.choice([card for card in self.left if card not in cards]))
        self.rng.shuffle(cards)
        self.place(other, cards[:size])
        self.place(seat, cards[size:])

    def place_double(self, seats: Sequence[Place], other: Place) -> None:
        """A royal and a straight flush that share two cards, so that a meter is paid twice."""
        suit = self.rng.choice(SUITS)
        ranks = ("JT", "AKQ", "987") if self.rng.random() < 0.5 else ("98", "765", "QJT")
        for place, held in zip((other, *self.rng.sample(seats, 2)), ranks, strict=True):
            self.place(place, [rank + suit for rank in held])

    def fill(self, place: Place, size: int) -> None:
        if place in self.places:
            return
        if place in ("dealer", "banker") and self.rng.random() < 0.6:
            others = [cards for cards in self.places.values() if len(cards) == 3]
            tie = self.rng.random() < 0.5 and others
            cards = same_ranks(self.rng, self.rng.choice(others)) if tie else edge(self.rng)
            if self.place(place, cards):
                return
        elif size == 3 and self.rng.random() < 0.6 and self.place(place, three_cards(self.rng)):
            return
        self.place(place, self.rng.sample(self.left, size))


def random_places(rng: random.Random, sizes: dict[Place, int]) -> dict[Place, list[str]]:
    """Cards for each place; sizes say how many."""
    pack = Pack(rng)
    seats = [place for place in sizes if isinstance(place, int)]
    others = [place for place in ("dealer", "community", "six_card_box") if place in sizes]
    if others and seats and rng.random() < 0.6:
        other = rng.choice(others)
        if sizes[other] == 2 and len(seats) > 1 and rng.random() < 0.25:
            pack.place_double(seats, other)
        else:
            pack.place_joint(rng.choice(seats), other, sizes[other])
    for place in sorted(sizes, key=lambda place: place in ("dealer", "banker")):
        pack.fill(place, sizes[place])
    return pack.places


def random_deck(rng: random.Random, places: dict[Place, list[str]], plan: list[Place]) -> list[str]:
    """A deck that deals these cards to their places; the rest is in any order."""
    piles = {place: list(cards) for place, cards in places.items()}
    rest = [card for card in DECK if not any(card in cards for cards in places.values())]
    rng.shuffle(rest)
    top = [piles[place].pop(0) if piles.get(place) else rest.pop() for place in plan]
    return top + rest
