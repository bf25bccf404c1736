"""Describes a strategy in sentences that a player can use.

Against a bank it is the lowest hand to play, for each card of the bank that may be exposed. Where a
paytable decides, it is a list of hands to let ride: by what they already are, by their suits, by
the number of straights they fit into and by their high cards. Every sentence is checked against the
choice for every hand; a hand that no sentence fits is named as an exception.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import groupby

import numpy as np

from croupier.cards import RANK_NAMES, RANKS, Card
from croupier.hands.arrays import three_cards
from croupier.hands.hand import Hand
from croupier.odds.paths import Decision, Path, PathNode
from croupier.odds.seats import REST, SEATS, Label
from croupier.odds.solve import Model, Numbers, Solved
from croupier.round.judge import row_for
from croupier.rules.game import Paytable
from croupier.rules.words import listed

_NAMED_MAX = 12
_KEPT = 8
MADE = ("pair", "three of a kind", "four of a kind", "two pair")
"""The hands that may pay before all cards are there."""
_SETS = ("no set", "a pair", "two pair", "three of a kind", "four of a kind")
_SUITS = {1: "suited", 2: "with two of a suit", 3: "of three suits"}
NUMBERS = ("no", "one", "two", "three", "four", "five")


def strategy_words(solved: Solved) -> tuple[str, ...]:
    """Return the strategy in sentences, decision by decision."""
    nodes = list(_nodes(solved.model.root, ()))
    words = [_decision_words(solved, node, before) for node, before in nodes]
    said = dict.fromkeys(zip((node.step for node, _ in nodes), words, strict=True))
    steps = [step for step, _ in said]
    found: list[str] = []
    for (node, before), sentences in zip(nodes, words, strict=True):
        if steps.count(node.step) > 1:  # The choice depends on earlier ones.
            after = [label_of(solved.model, step, name).lower() for step, name in before]
            sentences = _decision_words(solved, node, before, after=f" (after {listed(after)})")
        found += sentences
    return tuple(dict.fromkeys(found))


Before = tuple[tuple[str, str], ...]
"""The steps at which a seat decided, and the options it took."""


def _nodes(node: PathNode, before: Before) -> Iterator[tuple[Decision, Before]]:
    if isinstance(node, Path):
        return
    yield node, before
    for name, child in node.options:
        yield from _nodes(child, (*before, (node.step, name)))


def _decision_words(
    solved: Solved, node: Decision, before: Before, *, after: str = ""
) -> tuple[str, ...]:
    """Return sentences about one decision, over all turns of the suits."""
    model = solved.model
    key = ".".join((*(name for _, name in before), node.step))
    chosen = np.stack([by_card(model, choices[key]) for choices in solved.choices])
    most = len(node.options) - 1
    if not (model.main and model.main.contested):
        return tuple(_by_paytable(model, node, chosen == most, after=after))
    found: list[str] = []
    for least in range(most, 0, -1):  # From the option that wagers most down to the last but one.
        if (chosen == least).any() or (least == 1 and not found):
            labels = labels_of(model, node, least)
            said = _against_the_bank(model, node, chosen >= least, labels=labels)
            found += [f"Otherwise {x[0].lower()}{x[1:]}" if found else x for x in [*said]]
    return tuple(found)


def by_card(model: Model, choice: Numbers) -> Numbers:
    """Return the number of the option that a seat takes, by seat and exposed card."""
    main = model.main
    if main and main.counted.where is not None and len(choice) == len(main.counted.seat):
        return np.asarray(choice[main.counted.where])
    return np.asarray(choice[:, None])


def labels_of(model: Model, node: Decision, option: int = -1) -> tuple[str, str]:
    """Return the words for an option, by default for wagering most, and for wagering least."""
    names = [label_of(model, node.step, name) for name, _ in node.options]
    return names[option], names[0]


def label_of(model: Model, step: str, name: str) -> str:
    return model.rules.steps[step].option[name].label


# ---------------------------------------------------------------- against a bank


def _against_the_bank(
    model: Model, node: Decision, takes: Numbers, *, labels: tuple[str, str]
) -> Iterator[str]:
    """Yield the lowest hand to play, in one sentence for all exposed cards with the same one."""
    shown = model.shown and node.sees.get(model.shown)
    if not shown:
        yield _threshold_words(model, takes[:, :, 0], labels) + "."
        return
    ranks = model.seats.rest >> 2
    by_rank: list[tuple[int, str]] = []
    for rank in range(13):
        masked = np.where(ranks[None] == rank, takes, -1)
        by_rank.append((rank, _threshold_words(model, masked, labels)))
    for words, group in groupby(reversed(by_rank), key=lambda pair: pair[1]):
        up = [rank for rank, _ in group]
        named = _rank_range(up)
        yield f"Against {named} {words[0].lower()}{words[1:]}."


def _rank_range(ranks: list[int]) -> str:
    high, low = ranks[0], ranks[-1]
    article = "an" if RANKS[high] in "A8" else "a"
    if high == low:
        return f"{article} {RANK_NAMES[high]}"
    if low == 0:
        return f"{article} {RANK_NAMES[high]} or lower"
    return f"{article} {RANK_NAMES[high]} down to a {RANK_NAMES[low]}"


def _threshold_words(model: Model, takes: Numbers, labels: tuple[str, str]) -> str:
    """Say from which hand up to take an option that wagers more, and name the exceptions.

    `takes` is by turn and seat, or by turn, seat and exposed card; -1 where it doesn't apply.
    """
    play, fold = labels
    does, does_not = _does(model, takes)
    strengths = three_cards(model.seats.cards, model.ranking)
    if not does_not.any():
        return f"{play} every hand"
    if not does.any():
        return f"{fold} every hand"
    least = _cut(strengths, does & ~does_not, does_not & ~does)
    above = strengths >= least
    words = f"{play} {lowest_says(model, least)} or better"
    mixed = does & does_not
    also, never = does & ~does_not & ~above, does_not & ~does & above
    if also.any():
        words += f", and also {_named(model, also)}"
    if never.any():
        words += f", but {fold.lower()} {_named(model, never)}"
    if mixed.any():
        words += f"; {_named(model, mixed)} hang on the suits"
    return words


def threshold(model: Model, takes: Numbers) -> int | None:
    """Return the strength from which to take an option; None if all hands do, or none."""
    does, does_not = _does(model, takes)
    if not (does.any() and does_not.any()):
        return None
    strengths = three_cards(model.seats.cards, model.ranking)
    return _cut(strengths, does & ~does_not, does_not & ~does)


def _does(model: Model, takes: Numbers) -> tuple[Numbers, Numbers]:
    """Return which seats take the option in some case, and which leave it in some case."""
    count = len(model.seats.cards)
    flat = takes.reshape(len(takes), count, -1).transpose(1, 0, 2).reshape(count, -1)
    return (flat == 1).any(axis=1), (flat == 0).any(axis=1)


def _cut(strengths: Numbers, does: Numbers, does_not: Numbers) -> int:
    """Return the strength from which taking the option is wrong for the fewest classes."""
    levels = np.unique(strengths)
    below = np.array([np.count_nonzero(does & (strengths < level)) for level in levels])
    from_ = np.array([np.count_nonzero(does_not & (strengths >= level)) for level in levels])
    return int(levels[(below + from_).argmin()])


def lowest_says(model: Model, least: int) -> str:
    """Name the lowest hand of at least this strength."""
    strengths = three_cards(model.seats.cards, model.ranking)
    hand = _hand(model, int(np.flatnonzero(strengths == least)[0]))
    plain = hand.name in ("high card", "pair")
    return hand.short if plain else f"{hand.name} {hand.short}"


def _hand(model: Model, seat: int) -> Hand:
    return Hand(tuple(map(Card, model.seats.cards[seat].tolist())), model.ranking)


def _named(model: Model, mask: Numbers) -> str:
    """Name hands by their ranks, and by their suits where those matter."""
    strengths = three_cards(model.seats.cards, model.ranking)
    suits = np.array([len({*seat}) for seat in (model.seats.cards & 3).tolist()])
    names: dict[str, None] = {}
    for seat in np.flatnonzero(mask):
        hand = _hand(model, int(seat))
        alike = strengths == strengths[seat]
        if mask[alike].all():
            names[hand.short] = None
        elif model.sight:
            names[f"{hand.short} in some suits"] = None
        elif mask[alike & (suits == suits[seat])].all():
            names[f"{hand.short} {_SUITS[suits[seat]]}"] = None
        else:
            names[f"{hand.short} with {_suited(hand)} of a suit"] = None
    said = list(names)
    if len(said) > _NAMED_MAX:
        said = [*said[:_NAMED_MAX], f"{len(said) - _NAMED_MAX} more hands"]
    return listed(said)


def _suited(hand: Hand) -> str:
    """Name the two suited cards of a hand."""
    suits = [card.suit for card in hand.cards]
    ranks = [card.rank for card in hand.cards if suits.count(card.suit) == 2]
    return "-".join(RANKS[rank].replace("T", "10") for rank in sorted(ranks, reverse=True))


# ---------------------------------------------------------------- by a paytable


def _by_paytable(model: Model, node: Decision, takes: Numbers, *, after: str = "") -> Iterator[str]:
    """Yield the hands to let ride, in one sentence for each kind."""
    play, fold = labels_of(model, node)
    asked = str(model.rules.steps[node.step].asks).replace("_", " ").capitalize() + after
    table = asked_table(model, node)
    if table is None:
        return
    up = int(takes.shape[2] > 1)
    known = _known_cards(model, up)
    flat = takes[0].reshape(-1)
    if flat.all() or not flat.any():
        yield f"{asked}: {(play if flat.any() else fold).lower()} with every hand."
        return
    paid = tuple(listed_ranks(table, name) for name in MADE)
    features = features_of(known, paid) if model.sight else _features(up, paid)
    sentences, exceptions = _paying(flat, features)
    pays, size = features[:, 0] == 1, known.shape[1]
    for suited in (1, 0):
        every = ~pays & (features[:, 1] == suited)
        if flat[every].all():
            sentences.append(f"any {NUMBERS[size]} cards{' of one suit' if suited else ''}")
            continue
        for straights in range(3, -1, -1):
            here = every & (features[:, 2] == straights)
            least = _least_high(features[:, 3], here, flat)
            kind = here & (features[:, 3] >= least)
            exceptions.append(np.flatnonzero(here & (kind != flat)))
            if (kind & flat).any():
                example = known[np.flatnonzero(kind & flat)[-1]]
                sentences.append(kind_says(size, suited, straights) + _high(least, table, example))
    if sentences:
        yield f"{asked}: {play.lower()} with {'; '.join(sentences)}. Otherwise {fold.lower()}."
    else:
        yield f"{asked}: {fold.lower()} with every hand."
    others = np.concatenate(exceptions)
    if len(others):
        cards = [tuple(map(Card, known[i].tolist())) for i in others[:_NAMED_MAX]]
        named = listed([" ".join(map(str, hand)) for hand in cards])
        hands = "one hand" if len(others) == 1 else f"{len(others)} hands"
        yield f"{asked}: the other way round with {hands} like {named}."


def _paying(takes: Numbers, features: Numbers) -> tuple[list[str], list[Numbers]]:
    """Say which hands that already pay to let ride, and return the exceptions."""
    pays = features[:, 0] == 1
    if takes[pays].all():
        return ["a hand that already pays"], []
    said, exceptions = [], []
    for sets, name in enumerate(_SETS):
        here = pays & (features[:, 4] == sets)
        rides = 2 * np.count_nonzero(here & takes) > np.count_nonzero(here)
        if rides:
            said.append(f"{name} that already pays")
        exceptions.append(np.flatnonzero(here & (takes != rides)))
    return said, exceptions


def asked_table(model: Model, node: Decision) -> Paytable | None:
    """Return the paytable of the wager that a decision is about."""
    asked = model.rules.steps[node.step].asks
    for one in model.judged:
        if one.table and asked in model.rules.spots.get(one.name, ()):
            return one.table
    return None


def _known_cards(model: Model, up: int) -> Numbers:
    """Return the cards that every seat knows, with each card that may be exposed."""
    seen = model.sight.seen.cards if model.sight else ()
    cards = np.column_stack([model.seats.cards, np.tile(seen, (len(model.seats.cards), 1))])
    return _with_each(cards.astype(np.uint8), model.seats.rest) if up else cards.astype(np.uint8)


def _with_each(cards: Numbers, rest: Numbers) -> Numbers:
    """Return every row of cards with each of the other cards that may join it."""
    return np.column_stack([np.repeat(cards, rest.shape[1], axis=0), rest.reshape(-1)])


@lru_cache(maxsize=_KEPT)
def _features(up: int, paid: tuple[tuple[bool, ...], ...]) -> Numbers:
    """Return the features of the suit classes, with each card that may be exposed.

    They depend only on which hands of which ranks a paytable lists, so there are few.
    """
    return features_of(_with_each(SEATS, REST) if up else SEATS, paid)


def features_of(cards: Numbers, paid: tuple[tuple[bool, ...], ...]) -> Numbers:
    """Return for every row of cards: pays already, suited, straights it fits, high cards, sets."""
    pair_pays, trips_pay, quads_pay, two_pay = map(np.array, paid)
    ranks, suits = cards >> 2, cards & 3
    counts = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    highest_pair = np.where(counts >= 2, np.arange(13), -1).max(axis=1)
    two = ((counts >= 2).sum(axis=1) == 2) & two_pay[highest_pair]
    pays = ((counts == 2) & pair_pays).any(axis=1) | ((counts == 3) & trips_pay).any(axis=1)
    pays |= ((counts == 4) & quads_pay).any(axis=1) | two
    most = counts.max(axis=1)
    sets = np.where(most > 2, most, np.minimum((counts == 2).sum(axis=1), 2))
    suited = (suits == suits[:, :1]).all(axis=1)
    straights = _straights()[(1 << ranks.astype(np.int64)).sum(axis=1) & 8191]
    straights = np.where((counts > 1).any(axis=1), 0, straights)
    high = pair_pays[ranks].sum(axis=1)
    return np.column_stack([pays, suited, straights, high, sets]).astype(np.int64)


def listed_ranks(table: Paytable, name: str) -> tuple[bool, ...]:
    """Return for each rank whether a paytable lists a hand of it."""
    return tuple(row_for(table, Label(name, None, rank)) is not None for rank in range(13))


@cache
def _straights() -> Numbers:
    """Return by set of ranks how many straights of five contain all of them."""
    masks = [31 << low for low in range(9)] + [1 << 12 | 15]
    sets = np.arange(8192)
    fits: Numbers = np.sum([(sets & mask) == sets for mask in masks], axis=0)
    return fits


def _least_high(high: Numbers, here: Numbers, takes: Numbers) -> int:
    """Return the number of high cards from which the option is wrong for the fewest hands."""
    errors = [np.count_nonzero(here & (takes != (high >= least))) for least in range(6)]
    return int(np.argmin(errors))


def kind_says(size: int, suited: int, straights: int) -> str:
    cards = f"{NUMBERS[size]} {'suited ' if suited else ''}cards"
    if not straights:
        return f"{cards} that fit no straight"
    return f"{cards} that fit {NUMBERS[straights]} straight{'s' if straights > 1 else ''}"


def _high(least: int, table: Paytable, example: Numbers) -> str:
    shown = "-".join(RANKS[c >> 2].replace("T", "10") for c in sorted(example.tolist()))
    if not least:
        return f" (as {shown})"
    lowest = listed_ranks(table, "pair").index(True)
    return f" with at least {NUMBERS[least]} from the {RANK_NAMES[lowest]} up (as {shown})"
