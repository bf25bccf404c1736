"""Clauses that no single line shows: which cards count, who is envied, what a meter shows."""

import random
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.round.commands import Bet, Choose, CloseBets, Deal, Open, Settle
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.rules.resolve import resolve
from tests.round.games import at, game, refused
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    breaches_of,
)
from tests.rules.plain_hands import FIVE, THREE, best_of_six, named

ANN = (1, "ann")
ROUNDS = Path(__file__).parents[1] / "rounds"
SETTLER = Settler()


def settled(data: dict[str, Any]) -> dict[str, Any]:
    return result_of(SETTLER.played(data))


def worked(id: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """All worked rounds of a book that are not void and have their cards, with their results."""
    found = []
    for file in sorted((ROUNDS / id).glob("*.toml")):
        data = tomllib.loads(file.read_text(), parse_float=Decimal)
        given = {
            key: value for key, value in data.items() if key not in ("says", "cites", "expect")
        }
        result = settled(given)
        if not result["void"]:
            found.append((given, result))
    assert len(found) > 20
    return found


def lines(result: dict[str, Any], wager: str) -> dict[int, list[dict[str, Any]]]:
    """The lines of a wager by seat."""
    return {
        seat["seat"]: [line for line in seat["lines"] if line["wager"] == wager]
        for seat in result["seats"]
    }


def listed(id: str, given: dict[str, Any], family: str) -> set[str]:
    """The hands that the selected paytable of a worked round lists."""
    table = resolve(book(id), SETTLER.selections(given)).paytables[family]
    return {row.hand for row in table.rows}


# ---------------------------------------------------------------- whose cards count


@pytest.mark.clause(MARYLAND, "11.D(2)")
@pytest.mark.clause(SINGAPORE, "3.12")
@pytest.mark.parametrize("id", [MARYLAND, SINGAPORE])
def test_the_dealer_and_every_seat_have_the_hand_of_their_three_cards(id: str) -> None:
    for _, result in worked(id):
        hands = [result["dealer"], *result["seats"]]
        cards = [hand for hand in hands if hand["cards"] and hand["hand"]]
        assert [hand["hand"] for hand in cards] == [
            named(hand["cards"].split(), THREE) for hand in cards
        ]


@pytest.mark.clause(LET_IT_RIDE, "1.B(1)", "1.B(4)", "11.D(2)")
def test_every_let_it_ride_hand_is_three_cards_and_both_community_cards() -> None:
    for given, result in worked(LET_IT_RIDE):
        if "community" not in given:
            continue
        both = given["community"]["cards"].split()
        for seat in result["seats"]:
            if seat["hand"]:
                assert seat["hand"] == named([*seat["cards"].split(), *both], FIVE)


@pytest.mark.clause(MARYLAND, "7.F(5)(a)", "11.D(8)(b)", "11.D(8)(c)", "11.D(8)(d)")
def test_a_six_card_bonus_goes_by_the_seat_s_cards_and_the_dealer_s() -> None:
    judged = set()
    for given, result in worked(MARYLAND):
        for seat in result["seats"]:
            for line in lines(result, "six_card_bonus")[seat["seat"]]:
                if line["outcome"] not in ("win", "lose") or line["clause"].startswith("7."):
                    continue
                six = [*seat["cards"].split(), *result["dealer"]["cards"].split()]
                hand, pays = best_of_six(six), listed(MARYLAND, given, "six_card_bonus")
                counts = hand in pays or (hand == "super royal" and "royal flush" in pays)
                assert (line["outcome"] == "win") is counts
                judged.add(hand)
    assert judged >= {"super royal", "royal flush", "three of a kind", "pair"}


@pytest.mark.clause(MARYLAND, "11.D(9)(c)")
def test_a_five_card_progressive_goes_by_the_seat_s_cards_and_both_community_cards() -> None:
    judged = set()
    for given, result in worked(MARYLAND):
        for seat in result["seats"]:
            for line in lines(result, "five_card_progressive")[seat["seat"]]:
                if line["outcome"] not in ("win", "lose") or "community" not in given:
                    continue
                hand = named([*seat["cards"].split(), *given["community"]["cards"].split()], FIVE)
                assert (line["outcome"] == "win") is (hand in list(FIVE)[:7])
                judged.add(hand)
    assert judged >= {"royal flush", "three of a kind", "pair"}


@pytest.mark.clause(MARYLAND, "11.D(9)(b)")
def test_11_D_9_b_the_community_cards_are_down_until_the_five_card_wagers_are_settled() -> None:
    five = {"five_card_progressive": "A", "five_card_progressive_rate": "1/10"}
    bets = [Bet(*ANN, "ante", 1000), Bet(*ANN, "five_card_progressive", 100)]
    played = game(MARYLAND, **five).do(Open("7"), *bets, CloseBets(), Deal())
    played.show().do(Choose(1, "play"))
    down = set(played.round.places["community"])
    assert not down & set(played.round.faces)
    turned: list[set[int]] = []
    while played.round.due:
        turned.append(set(played.round.due))
        played.show()
    assert len(turned) > 1 and down <= turned[-1]
    assert not any(down & some for some in turned[:-1])
    played.do(Settle())
    assert played.round.lines


@pytest.mark.clause(LET_IT_RIDE, "7.E(7)")
def test_7_E_7_bonus_wagers_and_the_progressive_change_nothing_else() -> None:
    letters = ("five_card_bonus", "three_card_bonus", "six_card_bonus", "progressive")
    selections = {**dict.fromkeys(letters, "A"), "progressive_rate": "20%"}
    draw = random.Random(77)
    for _ in range(60):
        cards = [str(card) for card in draw.sample(DECK, 8)]
        decisions = [draw.choice(["ride", "withdraw"]) for _ in range(2)]
        data: dict[str, Any] = {
            "rulebook": LET_IT_RIDE,
            "selections": selections,
            "community": {"cards": " ".join(cards[3:5])},
            "six_card_box": {"cards": " ".join(cards[5:])},
        }
        seat = {"seat": 1, "cards": " ".join(cards[:3]), "decisions": decisions}
        bets = []
        for more in ({}, dict.fromkeys(letters, 1)):
            wagers = {"let_it_ride": 5, **more}
            result = settled({**data, "seats": [{**seat, "wagers": wagers}]})
            bets.append([line for line in result["seats"][0]["lines"] if "bet" in line["wager"]])
        assert bets[0] == bets[1] and len(bets[0]) == 3


# ---------------------------------------------------------------- what a submission offers


OFFERS: list[tuple[str, str, str, dict[str, Any]]] = [
    (LET_IT_RIDE, "progressive", "let_it_ride", {"progressive_rate": "20%"}),
    (MARYLAND, "progressive", "ante", {}),
    (MARYLAND, "six_card_bonus", "ante", {}),
    (MARYLAND, "five_card_progressive", "ante", {"five_card_progressive_rate": "20%"}),
]


@pytest.mark.clause(LET_IT_RIDE, "7.E(6)")
@pytest.mark.clause(MARYLAND, "7.F(5)", "7.F(6)", "12.E")
@pytest.mark.parametrize(("id", "wager", "opening", "more"), OFFERS)
def test_a_wager_is_made_only_where_the_submission_offers_it(
    id: str, wager: str, opening: str, more: dict[str, Any]
) -> None:
    bets = [Bet(*ANN, opening, 1000), Bet(*ANN, wager, 100)]
    without = game(id).do(Open("7"), bets[0])
    assert refused(without, bets[1]).code == "not_offered"
    assert wager in game(id, **{wager: "A"}, **more).do(Open("7"), *bets).round.boxes[1].stakes


@pytest.mark.clause(SINGAPORE, "3.4")
@pytest.mark.parametrize("wagers", [["ante"], ["pair_plus"], ["ante", "pair_plus"]])
def test_3_4_an_ante_a_pair_plus_or_both_are_a_round(wagers: list[str]) -> None:
    played = game(SINGAPORE).do(Open("7"), *(Bet(*ANN, wager, 1000) for wager in wagers))
    assert set(played.do(CloseBets()).round.boxes[1].stakes) == set(wagers)


FAMILIES = [
    (LET_IT_RIDE, "five_card_bonus", "ABCDEFG", {}),
    (LET_IT_RIDE, "three_card_bonus", "ABC", {}),
    (LET_IT_RIDE, "six_card_bonus", "AB", {}),
    (LET_IT_RIDE, "progressive", "ABCDEF", {"progressive_rate": "20%"}),
    (MARYLAND, "progressive", "ABC", {}),
    (MARYLAND, "six_card_bonus", "ABCDEF", {}),
    (MARYLAND, "five_card_progressive", "ABC", {"five_card_progressive_rate": "20%"}),
]


@pytest.mark.clause(LET_IT_RIDE, "12.B", "12.C", "12.D", "12.E")
@pytest.mark.clause(MARYLAND, "11.D(7)(d)", "11.D(9)(f)", "12.E(1)", "12.F")
@pytest.mark.parametrize(("id", "family", "letters", "more"), FAMILIES)
def test_a_wager_goes_by_the_selected_paytable_and_no_other_letter_is_taken(
    id: str, family: str, letters: str, more: dict[str, Any]
) -> None:
    tables = book(id).rules.paytable[family]
    for letter in letters:
        table = resolve(book(id), {family: letter, **more}).paytables[family]
        assert (table.clause, table.rows) == (tables[letter].clause, tables[letter].rows)
    beyond = chr(ord(letters[-1]) + 1)
    assert [breach.selection for breach in breaches_of(id, {family: beyond})] == [family]


# ---------------------------------------------------------------- envy


def envied(id: str, seats: list[dict[str, Any]], **more: Any) -> dict[int, list[tuple[int, str]]]:
    """For each seat, the seats that it envies and the sums."""
    data = {"rulebook": id, **more, "seats": [{"seat": n, **s} for n, s in enumerate(seats, 1)]}
    return {
        seat: [(line["from_seat"], line["paid"]) for line in of_seat]
        for seat, of_seat in lines(settled(data), "envy").items()
    }


@pytest.mark.clause(
    MARYLAND, "1.B(2)", "1.B(3)", "11.D(7)(e)(i)", "11.D(7)(e)(ii)", "11.D(7)(e)(iii)", "12.E(5)"
)
def test_every_mini_royal_of_another_player_brings_an_envy_bonus_and_no_own_or_dealer_s() -> None:
    both = {"progressive": "A", "progressive_wager": [1, 5]}
    found = envied(
        MARYLAND,
        [
            {"player": "a", "cards": "As Ks Qs", "wagers": {"pair_plus": 5}},
            {"player": "b", "cards": "Ah Kh Qh", "wagers": {"pair_plus": 5, "progressive": 1}},
            {"player": "b", "cards": "2h 5d 9c", "wagers": {"pair_plus": 5, "progressive": 5}},
            {"player": "c", "cards": "Kc Qd Jc", "wagers": {"pair_plus": 5, "progressive": 1}},
            {"player": "d", "cards": "Jh Th 9h", "wagers": {"pair_plus": 5}},
        ],
        selections=both,
        dealer={"cards": "Ad Kd Qc"},
    )
    assert found == {
        1: [],
        2: [(1, "100.00")],
        3: [(1, "500.00")],
        4: [(2, "25.00"), (1, "100.00")],
        5: [],
    }


@pytest.mark.clause(MARYLAND, "11.D(9)(h)", "11.D(9)(i)", "11.D(9)(j)")
def test_every_declared_hand_of_another_player_brings_a_five_card_envy_bonus() -> None:
    wagers = {"pair_plus": 5, "five_card_progressive": 1}
    found = envied(
        MARYLAND,
        [
            {"player": "a", "cards": "As Ks Qs", "wagers": {"pair_plus": 5}},
            {"player": "b", "cards": "9s 8s 7s", "wagers": wagers},
            {"player": "c", "cards": "2h 5d 9c", "wagers": wagers},
            {"player": "d", "cards": "2c 5h 9d", "wagers": {"pair_plus": 5}},
        ],
        selections={
            "five_card_progressive": "A",
            "five_card_progressive_rate": "1/4",
            "five_card_envy": {"royal flush": 1000, "straight flush": 300},
        },
        dealer={"cards": "Ad Kd 4c"},
        community={"cards": "Js Ts"},
    )
    assert found == {1: [], 2: [(1, "1000.00")], 3: [(2, "300.00"), (1, "1000.00")], 4: []}


@pytest.mark.clause(SINGAPORE, "1.1.3", "3.16", "3.17")
def test_3_16_a_royal_with_an_ante_is_envied_and_one_with_a_pair_plus_alone_is_not() -> None:
    jackpot = {"ante": 10, "progressive": "2.50"}
    found = envied(
        SINGAPORE,
        [
            {"player": "a", "cards": "As Ks Qs", "wagers": {"ante": 10}, "decisions": ["fold"]},
            {"player": "b", "cards": "Ah Kh Qh", "wagers": jackpot, "decisions": ["play"]},
            {"player": "c", "cards": "2h 5d 9c", "wagers": jackpot, "decisions": ["play"]},
            {"player": "d", "cards": "Ac Kc Qc", "wagers": {"pair_plus": 10}},
            {"player": "c", "cards": "Kd Qd Jd", "wagers": jackpot, "decisions": ["fold"]},
        ],
        selections={"progressive_rate": "10%", "progressive_reset": 500},
        dealer={"cards": "Jh Td 2c"},
    )
    two = [(2, "50.00"), (1, "250.00")]
    assert found == {1: [], 2: [(1, "250.00")], 3: two, 4: [], 5: two}


HOLDS = {
    "royal flush": "Ad Kd Qd",
    "straight flush": "9d 8d 7d",
    "mini royal": "Ah Kh Qh",
    "mini royal s": "As Ks Qs",
}


@pytest.mark.clause(LET_IT_RIDE, "1.B(2)", "12.H", "12.H(1)", "12.H(2)", "12.I", "12.J")
@pytest.mark.parametrize("letter", "ABCDEF")
@pytest.mark.parametrize("stake", [1, 5])
def test_12_H_envy_goes_by_the_letter_of_the_progressive_and_the_receiver_s_wager(
    letter: str, stake: int
) -> None:
    sums = {
        "royal flush": {1: 1000, 5: 5000},
        "straight flush": {1: 300, 5: 1500},
        "mini royal s": {1: 100, 5: 500},
        "mini royal": {1: 25, 5: 125},
    }
    brings = ["mini royal", "mini royal s"] if letter in "BC" else ["royal flush", "straight flush"]
    decisions = ["ride", "ride"]
    for hand, cards in HOLDS.items():
        three = {"let_it_ride": 5}
        one = {"player": "a", "cards": cards, "wagers": three, "decisions": decisions}
        two = {"player": "b", "cards": "2c 4s 6h", "wagers": {**three, "progressive": stake}}
        found = envied(
            LET_IT_RIDE,
            [one, {**two, "decisions": decisions}],
            selections={
                "progressive": letter,
                "progressive_rate": "20%",
                "progressive_wager": [1, 5],
            },
            community={"cards": "Jd Td" if "mini" not in hand else "3c 8h"},
        )
        paid = [(1, f"{sums[hand][stake]}.00")] if hand in brings else []
        if letter in "BC" and hand == "royal flush":
            paid = [(1, f"{sums['mini royal'][stake]}.00")]  # Its three cards are a mini royal.
        assert found == {1: [], 2: paid}


# ---------------------------------------------------------------- meters at their turn


@pytest.mark.clause(LET_IT_RIDE, "12.G")
def test_12_G_each_winner_gets_what_the_meter_shows_at_its_turn() -> None:
    hands = {1: "6h 5h 4h", 4: "Jh Th 9h", 6: "3c 5s 9d"}
    wagers, decisions = {"let_it_ride": 5, "progressive": 1}, ["ride", "ride"]
    result = settled(
        {
            "rulebook": LET_IT_RIDE,
            "selections": {"progressive": "A", "progressive_rate": "0.1"},
            "meters": {"progressive": 10_000},
            "community": {"cards": "8h 7h"},
            "seats": [
                {"seat": seat, "cards": cards, "wagers": wagers, "decisions": decisions}
                for seat, cards in hands.items()
            ],
        }
    )
    paid = {n: [line["paid"] for line in of] for n, of in lines(result, "progressive").items()}
    assert paid == {6: ["0.00"], 4: ["1000.03"], 1: ["900.02"]}


@pytest.mark.clause(MARYLAND, "12.E(4)")
def test_12_E_4_the_second_winner_of_a_meter_finds_it_reset() -> None:
    royals = {1: "Ah Kh Qh", 3: "Ad Kd Qd", 5: "Ac Kc Qc"}
    wagers = {"pair_plus": 5, "progressive": 1}
    reset = {"major": 2000, "minor": 1500}
    selections = {"progressive": "C", "progressive_rate": "50%", "progressive_reset": reset}
    result = settled(
        {
            "rulebook": MARYLAND,
            "selections": selections,
            "meters": {"progressive_major": 9000, "progressive_minor": 4000},
            "dealer": {"cards": "9s 7h 2d"},
            "seats": [{"seat": n, "cards": c, "wagers": wagers} for n, c in royals.items()],
        }
    )
    paid = {n: line["paid"] for n, (line,) in lines(result, "progressive").items()}
    assert result["order"] == [5, 3, 1]
    assert paid == {5: "4000.75", 3: "1500.00", 1: "1500.00"}
    assert result["meters"] == {"progressive_major": "9000.75", "progressive_minor": "1500.00"}


# ---------------------------------------------------------------- the player-banked books


@pytest.mark.clause(CALIFORNIA, "bonus-bet/6", "round-of-play/9")
def test_the_house_has_the_fees_of_a_round_and_nothing_else() -> None:
    for given, result in worked(CALIFORNIA):
        fee = (
            Decimal(given["selections"].get("player_dealer_fee", 0)) if "selections" in given else 0
        )
        fees = sum((Decimal(seat["fees"]) for seat in result["seats"]), Decimal(fee))
        assert Decimal(result["house"]) == fees
        won = sum(Decimal(line["paid"]) for seat in result["seats"] for line in seat["lines"])
        assert Decimal(result["banker"]["paid"]) == won


@pytest.mark.clause(CALIFORNIA, "glossary/round-of-play")
def test_a_round_is_over_when_every_wager_left_is_settled() -> None:
    assert refused(at(CALIFORNIA, "new"), Bet(5, "cat", "ante", 1000)).code == "wrong_step"
    over = at(CALIFORNIA, "over")
    staked = {(seat, spot) for seat, box in over.round.boxes.items() for spot in box.stakes}
    assert {(line.seat, line.wager) for line in over.round.lines} >= staked
    assert refused(over, Bet(5, "cat", "ante", 1000)).code == "round_over"


@pytest.mark.clause(CALIFORNIA, "glossary/seated-positions")
def test_wagers_are_placed_at_the_table_s_eight_seats() -> None:
    for seat in range(1, 9):
        assert seat in game(CALIFORNIA).do(Open("7"), Bet(seat, "p", "ante", 100)).round.boxes
    for seat in (0, 9):
        assert refused(at(CALIFORNIA, "open"), Bet(seat, "p", "ante", 100))


@pytest.mark.clause(CALIFORNIA, "glossary/suit")
def test_cards_have_four_suits_of_thirteen() -> None:
    names = [str(card) for card in DECK]
    assert {suit: sum(name[1] == suit for name in names) for suit in "cdhs"} == dict.fromkeys(
        "cdhs", 13
    )
    royals = [settled(_royal(suit))["seats"][0] for suit in "cdhs"]
    assert [line["paid"] for seat in royals for line in seat["lines"]][2::3] == ["1000.00"] * 4


def _royal(suit: str) -> dict[str, Any]:
    cards, wagers = " ".join(rank + suit for rank in "AKQ"), {"ante": 5, "pair_plus": 5}
    return {
        "rulebook": CALIFORNIA,
        "banker": {"seat": 2, "funds": 5000, "cards": "2c 3d 9h"},
        "seats": [{"seat": 1, "cards": cards, "wagers": wagers, "decisions": ["play"]}],
    }


@pytest.mark.clause(FLORIDA, "rake.a", "rake.b", "rake.c")
@pytest.mark.parametrize(
    ("payer", "seats", "banker"),
    [("all", "1.50", "-1.50"), ("players", "1.50", "0.00"), ("designated_player", "0.00", "-1.50")],
)
def test_the_rake_is_the_same_for_everyone_who_pays_it(payer: str, seats: str, banker: str) -> None:
    hand = {"wagers": {"ante": 10}, "decisions": ["play"]}
    result = settled(
        {
            "rulebook": FLORIDA,
            "selections": {"rake": {"payer": payer, "amount": "1.50"}},
            "banker": {"seat": 1, "funds": 500, "cards": "Qh 7d 2c"},
            "seats": [
                {"seat": 2, "player": "a", "cards": "Qs 7h 2d", **hand},
                {"seat": 5, "player": "b", "cards": "Qd 7c 2h", **hand},
            ],
        }
    )
    assert [seat["fees"] for seat in result["seats"]] == [seats, seats]
    assert result["banker"]["net"] == banker
    payers = [*[seats] * 2, banker.removeprefix("-")]
    assert Decimal(result["house"]) == sum(map(Decimal, payers))
