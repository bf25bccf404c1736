"""What a round of six walk-ins takes: cards read, and presses of the dealer."""

from pathlib import Path
from typing import Any, NamedTuple

from croupier.cards import parse_cards
from croupier.house.recall import recall
from tests.house.felt import FELT, seat_walk_ins
from tests.house.floor import OpenPit, one_table, play, rules_of, seated
from tests.house.staff import SELECTIONS, Shoe, Staff, crew, filled, one_step, refusal, until
from tests.rules.books import LET_IT_RIDE, MARYLAND

SEATS = (1, 2, 3, 4, 5, 6)
BETS = {"ante": 10_00, "pair_plus": 5_00, "progressive": 1_00}


CARDS = parse_cards("2s 2h 2d 2c 3s 3h 3d 6h 6d 6c 6s 7h 7d 7c Td Tc Ts Th Jd Jc Js")
"""Three cards for each of seven places: no hand wins a progressive, which would stop its seat."""


class Dull(Shoe):
    """A shoe from which these cards come."""

    def shuffle(self) -> None:
        self.cards = dict(enumerate(CARDS))


class Taken(NamedTuple):
    reads: int
    presses: int


def felt(selections: str = 'progressive = "A"', id: str = MARYLAND) -> Any:
    return one_table(id, selections, more=FELT)


async def bet(dealer: Staff, *seats: int, **bets: int) -> None:
    for seat in seats:
        for wager, cents in bets.items():
            made = {"seat": seat, "player": "", "wager": wager, "cents": cents}
            await dealer.do({"type": "Bet", **made})


def shortcut(desk: dict[str, Any], key: str) -> dict[str, Any] | None:
    return next((one for one in desk["shortcuts"] if one["key"] == key), None)


async def press(dealer: Staff, key: str) -> None:
    one = shortcut(dealer.desk, key)
    assert one, (key, dealer.desk["shortcuts"])
    await dealer.say("acts", commands=one["commands"])


class Dealing:
    """A dealer who reads cards and presses keys, and counts both."""

    def __init__(self, pit: OpenPit, staff: tuple[Staff, Staff], shoe: Shoe) -> None:
        self.pit, self.staff, self.shoe = pit, staff, shoe
        self.reads = self.presses = 0

    async def first_round(self) -> None:
        """Open the table and play a round in which every bet and choice is entered alone."""
        await seat_walk_ins(self.staff[0], *SEATS)
        await self.round(folds=(), first=True)

    async def round(self, folds: tuple[int, ...] = (), *, first: bool = False) -> Taken:
        """Play from the end of one round to the end of the next one."""
        table, self.reads, self.presses = self.pit.tables["t"], 0, 0
        before, left = table.rounds, [*folds]
        for _ in range(300):
            round = table.place.standing.in_play
            if table.rounds > before and round is None:
                return Taken(self.reads, self.presses)
            if round and round.at == 0 and first and not round.boxes:
                await bet(self.staff[0], *SEATS, **BETS)
            else:
                await self._press(left)
        raise AssertionError("the round doesn't end")

    async def _press(self, folds: list[int]) -> None:
        """Press once, or read one card."""
        dealer, floor = self.staff
        desk = await dealer.look()
        step = desk["next"]
        round = self.pit.tables["t"].place.standing.in_play
        reads = [*desk["reads"][:1], *([desk["read"]] if desk["read"] else [])]
        if reads and (desk["read"] or step["command"]["type"] == "Read"):
            self.reads += 1
            card = str(self.shoe.cards[reads[0]["position"]])
            await dealer.do({"type": "Read", "card": card, "source": "scanned"})
            return
        self.presses += 1
        if shortcut(desk, "R"):
            await press(dealer, "R")
        elif round and shortcut(desk, "A") and folds:
            await self._fold(round.asked, folds.pop(0))
        elif shortcut(desk, "A"):
            await press(dealer, "A")
        elif step["run"] > 1:
            for _ in range(step["run"]):
                step = (await dealer.look())["next"]
                await dealer.do(step["command"], step["of"])
        else:
            who = floor if step["by"] == ["floorperson"] else dealer
            await who.do(filled(self.pit, dealer, self.shoe), step["of"])

    async def _fold(self, asked: tuple[int, ...], seat: int) -> None:
        """Fold at a seat: those asked before it play."""
        dealer = self.staff[0]
        if asked[0] == seat:
            (act,) = (one for one in dealer.desk["acts"] if one.get("key") == "F")
            await dealer.do(act["command"])
        else:
            await press(dealer, str(seat))


async def taken(pit: OpenPit, *rounds: tuple[int, ...]) -> list[Taken]:
    """Play a first round, and then rounds in which these seats fold."""
    dealing = Dealing(pit, await crew(pit), Dull(0))
    await dealing.first_round()
    return [await dealing.round(folds) for folds in rounds]


def test_six_walk_ins_who_repeat_their_bets_take_21_reads_and_12_presses(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (found,) = await taken(pit, ())
        assert found == Taken(reads=21, presses=11), "the budget is 21 and 12"

    play(tmp_path, felt(), scenario)


def test_a_fold_takes_one_press_more_and_three_reads_fewer(tmp_path: Path) -> None:
    folds = ((3,), (1,), (1, 3, 5))

    async def scenario(pit: OpenPit) -> None:
        for seats, (reads, presses) in zip(folds, await taken(pit, *folds), strict=True):
            assert reads == 21 - 3 * len(seats)
            assert presses <= 12 + len(seats), seats

    play(tmp_path, felt(), scenario)


def test_R_repeats_the_last_bets_and_leaves_out_what_cannot_stand(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        staff = dealer, _ = await crew(pit)
        table = pit.tables["t"]
        await Dealing(pit, staff, Dull(0)).first_round()
        assert table.place.standing.table.bets == {f"w-{seat}": BETS for seat in SEATS}
        await dealer.do({"type": "Leave", "seat": 6}, "table")
        await seat_walk_ins(dealer, 6)
        assert (await dealer.look())["shortcuts"] == [], "no round is open"
        await to_bets(dealer)
        await bet(dealer, 2, ante=20_00)
        pit.books.out.add(table.config.meter("progressive"))
        table.look_again()
        again = shortcut(await dealer.look(), "R")
        assert again and {one["seat"] for one in again["commands"]} == {1, 2, 3, 4, 5}
        assert {one["wager"] for one in again["commands"]} == {"ante", "pair_plus"}
        assert (
            len(again["without"]) == 5 and "Seat 1, Three-Card Progressive" in again["without"][0]
        )
        number = table.number
        await press(dealer, "R")
        round = table.place.standing.in_play
        assert round and table.number == number + 9
        staked = {seat: box.stakes["ante"].cents for seat, box in round.boxes.items()}
        assert staked == {1: 10_00, 2: 20_00, 3: 10_00, 4: 10_00, 5: 10_00}, "a new bet stands"
        assert shortcut(await dealer.look(), "R") is None
        recalled = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert recalled.standing == table.place.standing, "after a kill"

    async def to_bets(dealer: Staff) -> None:
        for _ in range(40):
            if (step := (await dealer.look())["next"])["command"] is None:
                return
            assert step["command"]["type"] != "CloseBets", "somebody bets already"
            await dealer.do(step["command"], step["of"])
        raise AssertionError(step)

    play(tmp_path, felt(), scenario)


def test_A_stops_at_a_player_with_a_screen_and_takes_the_books_first_choice(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (player,), shoe = await seated(pit, 3), Shoe(11)
        staff = dealer, _ = await crew(pit)
        await seat_walk_ins(dealer, 1, 2, 4)
        await until(pit, [player], staff, shoe, "StartRound")
        await one_step(pit, [player], staff, shoe)
        await bet(dealer, 1, 2, 4, let_it_ride=10_00)
        await player.ask("bet", seat=3, wager="let_it_ride", cents=10_00)
        await until(pit, [player], staff, shoe, "")
        rest = shortcut(dealer.desk, "A")
        assert rest and rest["says"] == "The rest: Let it ride"
        assert [one["seat"] for one in rest["commands"]] == [1, 2]
        await press(dealer, "A")
        round = pit.tables["t"].place.standing.in_play
        assert round and round.asked == (3, 4)
        assert [round.boxes[seat].chose for seat in (1, 2)] == [{"bet_1": "ride"}] * 2
        assert shortcut(await dealer.look(), "A") is None
        await player.ask("choose", seat=3, option="ride")
        assert shortcut(await dealer.look(), "A")

    play(tmp_path, felt(SELECTIONS[LET_IT_RIDE], LET_IT_RIDE), scenario)


def test_only_bets_and_choices_are_given_together_all_or_none(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        staff = dealer, _ = await crew(pit)
        await seat_walk_ins(dealer, 1, 2)
        await until(pit, [], staff, Shoe(1), "StartRound")
        await one_step(pit, [], staff, Shoe(1))
        ante = {"type": "Bet", "player": "", "wager": "ante", "cents": 10_00}
        number = pit.tables["t"].number
        far = [{**ante, "seat": 1}, {**ante, "seat": 5}]
        assert (await refusal(dealer.say("acts", commands=far))).code == "seat_empty"
        several = [{**ante, "seat": 1}, {"type": "CloseBets"}]
        assert (await refusal(dealer.say("acts", commands=several))).code == "not_allowed"
        assert (await refusal(dealer.say("acts", commands=[]))).code == "unreadable"
        assert pit.tables["t"].number == number
        await dealer.say("acts", commands=[{**ante, "seat": 1}, {**ante, "seat": 2}])
        assert pit.tables["t"].number == number + 2

    play(tmp_path, felt(), scenario)
