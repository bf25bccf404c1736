"""A player's statistics, summed up from reviews of rounds: pure, and exact until it is written."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from croupier.money import format_money
from croupier.reports.figures import MINUS, decimal, root
from croupier.server.review import JudgedChoice, Review, ReviewedHand, WagerResult
from croupier.svg import CHART_WIDTH, Axis, Plot, line_chart

MISTAKES_MAX = 5
NARROW = 340
"""The width of a chart whose words can be read on a phone."""
_CENTS = Fraction(1, 100)


class WagerSum(NamedTuple):
    """What all stakes on one wager of one book came to, in cents."""

    title: str
    wager: str
    label: str
    hands: int
    staked: int
    net: int
    expected: Fraction | None
    """None if the odds don't price some of it."""


class Mistake(NamedTuple):
    """A choice that cost something, and the round that it was made in."""

    round: str
    choice: JudgedChoice


class Statistics(NamedTuple):
    """What a player's rounds came to, the latest first."""

    rounds: Sequence[Review]
    hands: Sequence[ReviewedHand]
    wagers: tuple[WagerSum, ...]
    mistakes: tuple[Mistake, ...]
    """The dearest ones, the dearest first."""

    @property
    def net(self) -> int:
        return sum(review.net for review in self.rounds)

    @property
    def staked(self) -> int:
        return sum(review.staked for review in self.rounds)

    @property
    def won(self) -> int:
        return sum(hand.net > 0 for hand in self.hands)

    @property
    def lost(self) -> int:
        return sum(hand.net < 0 for hand in self.hands)

    @property
    def fees(self) -> int:
        return sum(hand.fee for hand in self.hands)

    @property
    def banks(self) -> list[int]:
        """The net of each round that the player banked."""
        return [review.banked for review in self.rounds if review.banked is not None]

    @property
    def priced(self) -> list[ReviewedHand]:
        """The hands whose bets the odds price."""
        return [hand for hand in self.hands if hand.expected is not None]

    @property
    def expected(self) -> Fraction:
        return sum((hand.expected or Fraction(0) for hand in self.priced), Fraction(0))

    @property
    def luck(self) -> Fraction | None:
        """How many standard deviations the priced hands are from their expectation.

        Two hands of one round share cards; then the deviation isn't known, and neither is this.
        """
        variance = sum((hand.variance or Fraction(0) for hand in self.priced), Fraction(0))
        if not variance or any(len(review.hands) > 1 for review in self.rounds):
            return None
        net = sum(hand.net + hand.fee for hand in self.priced)
        return (net - self.expected) / root(variance)

    @property
    def choices(self) -> list[JudgedChoice]:
        """The player's own choices that the odds judge."""
        return [choice for hand in self.hands for choice in hand.choices if choice.by_player]

    @property
    def best(self) -> int:
        return sum(choice.cost == 0 for choice in self.choices)

    @property
    def cost(self) -> Fraction:
        return sum((choice.cost for choice in self.choices), Fraction(0))

    @property
    def by_clock(self) -> int:
        """How many choices the clock made for the player."""
        return sum(not choice.by_player for hand in self.hands for choice in hand.choices)


def statistics_of(reviews: Sequence[Review]) -> Statistics:
    """Sum rounds up, leaving out those that were called off."""
    rounds = [review for review in reviews if not review.void]
    hands = [hand for review in rounds for hand in review.hands]
    made = [
        Mistake(review.round, choice)
        for review in rounds
        for hand in review.hands
        for choice in hand.choices
        if choice.cost and choice.by_player
    ]
    dearest = sorted(made, key=lambda mistake: -mistake.choice.cost)[:MISTAKES_MAX]
    return Statistics(rounds, hands, tuple(_wagers(rounds)), tuple(dearest))


def _wagers(rounds: Iterable[Review]) -> list[WagerSum]:
    sums: dict[tuple[str, str], WagerSum] = {}
    for review in rounds:
        for hand in review.hands:
            for one in hand.results:
                key = review.rulebook, one.wager
                new = WagerSum(review.title, one.wager, one.label, 0, 0, 0, Fraction(0))
                known = sums.get(key, new)
                sums[key] = known._replace(
                    hands=known.hands + bool(one.staked),
                    staked=known.staked + one.staked,
                    net=known.net + one.net,
                    expected=_added(known.expected, one.expected),
                )
    return list(sums.values())


def _added(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Add two values; the sum is unknown if either is."""
    return None if one is None or other is None else one + other


# ---------------------------------------------------------------- as text


def dollars_of(cents: Fraction | int) -> str:
    """Write a sum with its sign for people: +$5.00, −$0.03."""
    text = decimal(Fraction(cents) * _CENTS, 2, signed=True)
    return f"{text[0]}${text[1:]}" if text[0] in f"+{MINUS}" else f"${text}"


def plain_of(cents: Fraction) -> str:
    """Write a value as programs read it: dollars to a hundredth of a cent."""
    return decimal(cents * _CENTS, 4).replace(MINUS, "-").replace(",", "")


def statistics_json(found: Statistics) -> dict[str, Any]:
    """Return the statistics as JSON data."""
    luck = found.luck
    return {
        "rounds": len(found.rounds),
        "hands": {
            "played": len(found.hands),
            "won": found.won,
            "lost": found.lost,
            "even": len(found.hands) - found.won - found.lost,
        },
        "staked": format_money(found.staked),
        "net": format_money(found.net),
        "fees": format_money(found.fees),
        "expected": {
            "hands": len(found.priced),
            "net": plain_of(found.expected),
            "deviations": None if luck is None else float(round(luck, 4)),
        },
        "wagers": [
            {"title": one.title, "hands": one.hands, **_wager_json(one)} for one in found.wagers
        ],
        "decisions": {
            "made": len(found.choices),
            "best": found.best,
            "cost": plain_of(found.cost),
            "by_clock": found.by_clock,
            "mistakes": [{"round": one.round, **choice_json(one.choice)} for one in found.mistakes],
        },
        "bank": {"rounds": len(found.banks), "net": format_money(sum(found.banks))},
    }


def choice_json(choice: JudgedChoice) -> dict[str, Any]:
    return {
        "choice": choice.label,
        "best": choice.best,
        "cost": plain_of(choice.cost),
        "reason": choice.reason,
        "by": "player" if choice.by_player else "clock",
    }


def _wager_json(one: WagerSum | WagerResult) -> dict[str, Any]:
    return {
        "wager": one.wager,
        "label": one.label,
        "staked": format_money(one.staked),
        "net": format_money(one.net),
        "expected": None if one.expected is None else plain_of(one.expected),
    }


def review_json(review: Review) -> dict[str, Any]:
    """Return a round of a player's history as JSON data."""
    return {
        "round": review.round,
        "table": review.table,
        "time_ms": review.time_ms,
        "rulebook": review.rulebook,
        "title": review.title,
        "void": review.void,
        "others": [str(card) for card in review.others],
        "hands": [
            {
                "seat": hand.seat,
                "cards": [str(card) for card in hand.cards],
                "name": hand.name,
                "chose": list(hand.chose),
                "choices": [choice_json(choice) for choice in hand.choices],
                "wagers": [_wager_json(one) for one in hand.results],
                "fees": format_money(hand.fee),
                "net": format_money(hand.net),
            }
            for hand in review.hands
        ],
        "banked": None if review.banked is None else format_money(review.banked),
        "net": format_money(review.net),
    }


def session_chart(found: Statistics, *, width: int = CHART_WIDTH) -> str | None:
    """Draw the running result beside the expected one, from the first round to the last."""
    if len(found.rounds) < 2:
        return None
    nets, expected = [Fraction(0)], [Fraction(0)]
    for review in reversed(found.rounds):
        hands = [hand.expected for hand in review.hands if hand.expected is not None]
        nets.append(nets[-1] + review.net)
        expected.append(expected[-1] + sum(hands, Fraction(0)))
    return line_chart(
        [_plot("Your result", nets), _plot("Expected", expected)],
        title=f"{len(found.rounds)} rounds came to {dollars_of(found.net)}",
        desc=f"The best strategy could expect {dollars_of(found.expected)}.",
        x=Axis("Rounds", tick_min=1),
        y=Axis("Dollars", lambda at: f"{at:g}".replace("-", MINUS)),
        width=width,
    )


def _plot(label: str, cents: Sequence[Fraction]) -> Plot:
    points = tuple((float(place), float(sum_ * _CENTS)) for place, sum_ in enumerate(cents))
    return Plot(label, points)
