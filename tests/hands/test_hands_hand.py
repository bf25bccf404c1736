"""A hand names itself, reads what it prints and answers what paytables and qualifiers ask."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import DECK, RANKS, SUITS, Card, parse_cards
from croupier.errors import ParseError
from croupier.hands.hand import Hand
from croupier.hands.ranking import ALSO, NAMES, STANDARD, Ranking

rankings = st.builds(
    Ranking,
    card_by_card=st.booleans(),
    as_five_cards=st.booleans(),
    wheel=st.booleans(),
)
hands = st.builds(
    lambda size, deck, ranking: Hand.of(deck[:size], ranking),
    st.sampled_from([3, 5, 6]),
    st.permutations(DECK),
    rankings,
)


@given(hands)
def test_a_hand_parses_what_it_prints(hand: Hand) -> None:
    assert Hand.parse(str(hand), hand.ranking) == hand
    assert eval(repr(hand)) == hand
    assert eval(repr(hand.ranking)) == hand.ranking
    assert Hand.of(map(str, hand.cards), hand.ranking) == hand
    for twin in (pickle.loads(pickle.dumps(hand)), copy.deepcopy(hand)):
        assert (twin, twin.strength) == (hand, hand.strength)


def test_a_hand_reads_well() -> None:
    hand = Hand.parse("AsKsQs")
    assert str(hand) == "As Ks Qs (mini royal)"
    assert repr(hand) == "Hand.parse('As Ks Qs')"
    literal = Ranking(card_by_card=True)
    assert repr(Hand(hand.cards, literal)) == (
        "Hand.parse('As Ks Qs', Ranking(card_by_card=True, as_five_cards=False, wheel=True))"
    )
    assert hand.cards == parse_cards("As Ks Qs")
    assert hand.ranking is STANDARD


# cards | name | words | short | suit | set
TABLE = """
Qs 7d 2c          | high card       | queen high Q-7-2             | Q-7-2      |   |
2c Ad Th          | high card       | ace high A-10-2              | A-10-2     |   |
Ts 4c Td          | pair            | pair of tens                 | 10-10-4    |   | T
6s 6c Ad          | pair            | pair of sixes                | 6-6-A      |   | 6
Ks 9s 4s          | flush           | flush K-9-4                  | K-9-4      |   |
3s 2d Ah          | straight        | straight 3-2-A               | 3-2-A      |   |
As Kd Qh          | straight        | straight A-K-Q               | A-K-Q      |   |
2s 2d 2h          | three of a kind | three twos                   | 2-2-2      |   | 2
9h 8h 7h          | straight flush  | straight flush 9-8-7         | 9-8-7      |   |
Kd Ad Qd          | mini royal      | mini royal in diamonds       | A-K-Q      | d |
As Kd Qd 9h 7d    | high card       | ace high A-K-Q-9-7           | A-K-Q-9-7  |   |
As Kd Qd 9h 9d    | pair            | pair of nines                | 9-9-A-K-Q  |   | 9
4s Jd Jh 4h Ad    | two pair        | two pair, jacks and fours    | J-J-4-4-A  |   | J
4s 4d 4h Ah Kd    | three of a kind | three fours                  | 4-4-4-A-K  |   | 4
As 2d 3h 4h 5d    | straight        | straight 5-4-3-2-A           | 5-4-3-2-A  |   |
As Js 3s 4s 5s    | flush           | flush A-J-5-4-3              | A-J-5-4-3  |   |
2s 2d 2h Ah Ad    | full house      | full house, twos over aces   | 2-2-2-A-A  |   | 2
2s 2d 2h 2c Ad    | four of a kind  | four twos                    | 2-2-2-2-A  |   | 2
9c 8c 7c 6c 5c    | straight flush  | straight flush 9-8-7-6-5     | 9-8-7-6-5  |   |
Tc Jc Qc Kc Ac    | royal flush     | royal flush in clubs         | A-K-Q-J-10 | c |
9d Tc Jc Qc Kc Ac | royal flush     | royal flush in clubs         | A-K-Q-J-10 | c |
9c Td Jc Qc Kc Ac | flush           | flush A-K-Q-J-9              | A-K-Q-J-9  |   |
As Ad Kd Kh Qs Qd | two pair        | two pair, aces and kings     | A-A-K-K-Q  |   | A
As Ad Ah Kh Ks Kd | full house      | full house, aces over kings  | A-A-A-K-K  |   | A
2s 2d 2h 2c 3s 3d | four of a kind  | four twos                    | 2-2-2-2-3  |   | 2
As 2s 3s 4s 5s 6s | straight flush  | straight flush 6-5-4-3-2     | 6-5-4-3-2  |   |
9h Th Jh Qh Kh Ah | super royal     | super royal in hearts        | A-K-Q-J-10 | h |
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_hands_in_words(row: str) -> None:
    cards, name, words, short, suit, set_rank = (cell.strip() for cell in row.split("|"))
    hand = Hand.parse(cards)
    assert (hand.name, hand.words, hand.short) == (name, words, short)
    assert hand.suit == (SUITS.index(suit) if suit else None)
    assert hand.set_rank == (RANKS.index(set_rank) if set_rank else None)


@given(hands)
def test_words_do_not_depend_on_the_order_of_the_cards(hand: Hand) -> None:
    turned = Hand.of(hand.cards[::-1], hand.ranking)
    assert turned.ties(hand)
    assert (turned.words, turned.set_rank, turned.suit) == (hand.words, hand.set_rank, hand.suit)


def test_card_by_card_keeps_names_and_sets() -> None:
    hand = Hand.parse("As 2h 2d", Ranking(card_by_card=True))
    assert (hand.name, hand.words, hand.set_rank) == ("pair", "pair of twos", 0)


@pytest.mark.parametrize(
    ("cards", "queen_high"),
    [
        ("Qs 7d 2c", True),
        ("Qs 3d 2c", True),
        ("As 7d 2c", True),
        ("Js Td 8c", False),
        ("5s 3d 2c", False),
        ("2s 2d 3c", True),
        ("4s 3d 2c", True),
        ("5s 3s 2s", True),
        ("Js Td 9c", True),
    ],
)
def test_t3_queen_high_or_better(cards: str, queen_high: bool) -> None:
    assert Hand.parse(cards).is_at_least_high(RANKS.index("Q")) is queen_high


@given(hands, st.integers(0, 12))
def test_t3_so_high_is_the_highest_card_or_a_pair(hand: Hand, rank: int) -> None:
    high = hand.name != "high card" or max(hand.cards).rank >= rank
    assert hand.is_at_least_high(rank) is high


def test_t2_a_royal_also_goes_by_the_wider_names() -> None:
    for size, names in NAMES.items():
        for name in names:
            wider = set(ALSO.get(name, ()))
            hand = next(hand for hand in EXAMPLES if (len(hand.cards), hand.name) == (size, name))
            assert {one for one in names if hand.matches(one)} == {name} | wider


EXAMPLES = [
    *(Hand.parse(row.split("|")[0].strip()) for row in TABLE.strip().splitlines()),
    *(Hand.parse(f"{cards} 7d") for cards in ("As Kd Qd 9h 2d", "As Kd Qd 9h 9d")),
    *(Hand.parse(f"{cards} 9d") for cards in ("4s 4d 4h Ah Kd", "As 2d 3h 4h 5d")),
]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ParseError, match="'trips' is not the name of a hand"):
        Hand.parse("2s 2d 2h").matches("trips")


def test_equality_is_about_cards_and_ties_about_strength() -> None:
    one, other = Hand.parse("Qs 7d 2c"), Hand.parse("Qh 7s 2d")
    assert one != other
    assert one.ties(other) and other.ties(one)
    assert not one.beats(other)
    assert len({one, other, Hand.parse("Qs 7d 2c")}) == 2
    with pytest.raises(TypeError):
        one < other  # type: ignore[operator]  # noqa: B015


@pytest.mark.parametrize(
    "other",
    [Hand.parse("Qs 7d 2c 3c 4c"), Hand.parse("Qs 7d 2c", Ranking(wheel=False))],
)
def test_only_like_hands_are_compared(other: Hand) -> None:
    hand = Hand.parse("As 7d 2c")
    for question in (hand.beats, hand.ties):
        with pytest.raises(ParseError, match="do not compare"):
            question(other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a hand has three, five or six cards, not 0"),
        ("As Ks", "not 2"),
        ("As Ks Qs Js", "not 4"),
        ("As Ks Qs Js Ts 9s 8s", "not 7"),
        ("As Ks As", "the ace of spades 'As' appears twice"),
        ("As Ks Xs", "'Xs' is not a card"),
        ("As Ks Qs (pair)", "is misnamed: the hand is a mini royal"),
        ("As Ks Qs (mini royal", "is misnamed"),
        ("As Ks Qs ()", "is misnamed"),
        ("As Ks Qs (mini royal) ", "is misnamed"),
        ("(mini royal)", "is not a card"),
    ],
)
def test_what_is_not_a_hand_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        Hand.parse(text)
    assert message in str(caught.value)


def test_a_hand_does_not_change() -> None:
    hand = Hand.parse("As Ks Qs")
    with pytest.raises(AttributeError):
        hand.cards = (Card("2s"),)  # type: ignore[misc]
