"""What players look back on: rounds of every book, against the ledger and the odds."""

import asyncio
import json
import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.ledger.found import FoundRound, round_found
from croupier.money import parse_money
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.reports.figures import MINUS
from croupier.round.result import result_of
from croupier.server import reviews as module
from croupier.server.opened import faces_of
from croupier.server.pages.render import environment
from croupier.server.review import Review, ReviewedHand, WagerResult
from croupier.server.reviews import Reviews
from croupier.server.statistics import (
    dollars_of,
    review_json,
    session_chart,
    statistics_json,
    statistics_of,
)
from tests.schemas.checking import faults
from tests.table_page.house import IDS
from tests.table_page.recording import ME, OTHER, Player, quick_pit, rules_of


class Regular(Player):
    """Plays several rounds, always with the same choice."""

    choice = 0

    async def play_rounds(self, count: int) -> None:
        self.galleries.welcome(self.viewer, self.table.id)
        await self.ask(type="sit", seat=self.seat)
        over: set[str] = set()
        while True:
            await self.follow()
            scene, seat = self.scene, self.seat
            if scene["phase"] == "over" and self._was_in(scene):
                over.add(scene["round"])
                if len(over) == count:
                    return
            stands = scene["round"], scene["phase"], scene["step"], scene["asked"]
            if (*stands, scene["bank_turn"]) != self.acted:
                self.acted = (*stands, scene["bank_turn"])
                if scene["phase"] == "decide" and scene["asked"] == seat:
                    option = scene["choices"][self.choice]["option"]
                    await self.ask(type="choose", seat=seat, option=option)
                else:
                    await self.act(scene)

    def _was_in(self, scene: dict[str, Any]) -> bool:
        banks = scene["banker"] and scene["banker"]["seat"] == self.seat
        return bool(banks) or str(self.seat) in scene["boxes"]


async def played(galleries: Galleries, id: str, rounds: int) -> None:
    """Let two play some rounds: one wagers all that may be wagered, the other gives up."""
    table = galleries.pit.tables[id]
    for who in (ME, OTHER):
        await galleries.pit.cage.issue(who)
    me, other = (Regular(galleries, table, who, seat=n) for who, n in ((ME, 2), (OTHER, 1)))
    other.choice = 1
    task = asyncio.create_task(other.play_rounds(100))
    await me.play_rounds(rounds)
    task.cancel()


def found_at(galleries: Galleries, round: str) -> FoundRound:
    return galleries.pit.books.looked(lambda view: round_found(view, round, rules_of))


def check_money(galleries: Galleries, review: Review) -> None:
    """Hold a review against the settlement of its round."""
    settled = result_of(found_at(galleries, review.round).played)
    nets = [parse_signed(seat["net"]) for seat in settled["seats"] if seat["player"] == ME]
    if settled["banker"] and review.banked is not None:
        nets.append(parse_signed(settled["banker"]["net"]))
    assert review.net == sum(nets)


def parse_signed(text: str) -> int:
    return -parse_money(text[1:], "net") if text.startswith("-") else parse_money(text, "net")


def check_odds(galleries: Galleries, review: Review) -> int:
    """Hold expectation and the cost of choices against the odds, and count the choices."""
    found = found_at(galleries, review.round)
    rules, count = found.told[-1][0].rules, 0
    for hand in review.hands:
        stakes = {
            one.wager: Fraction(one.staked, 100)
            for one in hand.results
            if one.staked and rules.wagers[one.wager].placed == "before the deal"
        }
        stakes = {n: stake / len(rules.spots[n]) for n, stake in stakes.items()}
        closed = next(r for r, e in found.told if type(e).__name__ == "BetsClosed")
        shown = {
            id: Fraction(closed.meters[id], 1_000_000)
            for id, meter in rules.meters.items()
            if meter.wager in stakes
        }
        analysis = analyze(rules, stakes, meters=shown)
        assert hand.expected == analysis.solved.expected_cents
        assert hand.variance == analysis.variance * 10_000
        first = hand.choices[0]
        up = found.told[-1][0].places.get("bank", ())[:1] if review.table == "california" else ()
        faces = tuple(found.told[-1][0].faces[p] for p in up)
        other = advise(rules, hand.cards, shown=faces, bet=stakes, meters=shown)
        unit = 100 * next(iter(stakes.values()))
        labels = {choice.label: other.cost[choice.name] * unit for choice in other.choices}
        assert first.cost == labels[first.label]
        assert labels[first.best] == 0
        count += len(hand.choices)
    return count


@pytest.mark.parametrize("id", IDS)
def test_rounds_are_reviewed_as_ledger_and_odds_have_them(id: str) -> None:
    async def main() -> None:
        async with quick_pit() as galleries:
            await played(galleries, id, 3)
            pit = galleries.pit
            before = pit.config.guest_chips_cents
            page = await Reviews(pit).last(ME, limit=9)
            assert len(page.reviews) == 3 and page.more is None
            for review in page.reviews:
                check_money(galleries, review)
                assert check_odds(galleries, review) == sum(len(h.chose) for h in review.hands)
            found = statistics_of(page.reviews)
            assert before + found.net == pit.books.purse_cents(ME)
            assert sum(w.net for w in found.wagers) - found.fees + sum(found.banks) == found.net
            total = sum((w.expected or Fraction(0) for w in found.wagers), Fraction(0))
            assert total == found.expected
            said = statistics_json(found)
            assert faults("statistics", said) == []
            history = {"rounds": [review_json(one) for one in page.reviews], "more": None}
            assert faults("played", history) == []
            chart = session_chart(found)
            assert chart and "Your result" in chart

    asyncio.run(main())


def test_only_own_cards_and_shown_ones_are_in_it() -> None:
    """A folded hand isn't shown, and an open round isn't there at all."""

    async def main() -> None:
        async with quick_pit() as galleries:
            await played(galleries, "maryland", 1)
            [review] = (await Reviews(galleries.pit).last(ME, limit=9)).reviews
            found, books = found_at(galleries, review.round), galleries.pit.books
            round, sealed = found.told[-1][0], books.looked(lambda view: view.sealed(review.round))
            faces = faces_of(found, sealed, books.unsealed)
            assert faces is not None
            theirs = [str(faces[p]) for p in round.boxes[1].cards]
            assert round.boxes[1].folded
            said = json.dumps(review_json(review))
            assert [card for card in theirs if f'"{card}"' in said] == []
            mine = [str(faces[p]) for p in round.boxes[2].cards]
            assert review_json(review)["hands"][0]["cards"] == mine
            [other] = (await Reviews(galleries.pit).last(OTHER, limit=9)).reviews
            assert [str(card) for card in other.hands[0].cards] == theirs
            assert other.hands[0].chose == ("Fold",)

    asyncio.run(main())


def test_rounds_that_were_sealed_with_an_older_key_are_reviewed() -> None:
    async def main() -> None:
        async with quick_pit() as galleries:
            await played(galleries, "maryland", 1)
            books = galleries.pit.books
            before = (await Reviews(galleries.pit).last(ME, limit=9)).reviews
            books.key, books.older_keys = bytes(range(32)), (books.key,)
            assert (await Reviews(galleries.pit).last(ME, limit=9)).reviews == before != []

    asyncio.run(main())


def test_a_round_that_is_open_is_not_reviewed() -> None:
    async def main() -> None:
        async with quick_pit() as galleries:
            await galleries.pit.cage.issue(ME)
            table = galleries.pit.tables["maryland"]
            player = Player(galleries, table, ME, seat=2)
            galleries.welcome(player.viewer, "maryland")
            await player.ask(type="sit", seat=2)
            while player.scene.get("phase") != "bets":
                await player.follow()
            await player.act(player.scene)
            while player.scene["phase"] != "decide":
                await player.follow()
            reviews = Reviews(galleries.pit)
            assert (await reviews.last(ME, limit=9)).reviews == []
            while player.scene["phase"] != "over":
                await player.follow()
                if player.scene["asked"] == 2:
                    await player.act(player.scene)
            assert len((await reviews.last(ME, limit=9)).reviews) == 1

    asyncio.run(main())


def test_a_long_history_comes_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with quick_pit() as galleries:
            await played(galleries, "florida", 3)
            reviews = Reviews(galleries.pit)
            ids, more = [], None
            while True:
                page = await reviews.last(ME, limit=1, before=more)
                ids += [review.round for review in page.reviews]
                more = page.more
                if more is None:
                    break
            whole = await reviews.last(ME, limit=9)
            assert ids == [review.round for review in whole.reviews]
            assert [int(id.rpartition("-")[2]) for id in ids] == sorted(
                [int(id.rpartition("-")[2]) for id in ids], reverse=True
            )
            after = whole.reviews[1].time_ms + 1
            since = await reviews.last(ME, limit=9, since_ms=after)
            assert [review.round for review in since.reviews] == ids[:1]
            monkeypatch.setattr(module, "WAITING_MAX", 0)
            with pytest.raises(Refused, match="too many players look back"):
                await reviews.last(ME, limit=1)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("cents", "says"),
    [(Fraction(500), "+$5.00"), (Fraction(-3), "\N{MINUS SIGN}$0.03"), (Fraction(-1, 3), "$0.00")],
)
def test_what_rounds_to_nothing_has_no_sign(cents: Fraction, says: str) -> None:
    assert dollars_of(cents) == says


def test_a_bet_that_comes_back_is_a_push_in_the_history() -> None:
    bets = [("Ante", 500, 500), ("Play", 500, 0), ("Pair Plus", 500, -500), ("Not Bet", 0, 0)]
    results = tuple(WagerResult(name, name, staked, net, None) for name, staked, net in bets)
    hand = ReviewedHand(1, (), "Pair of tens", results, (), (), None, 0)
    review = Review("r-1", "t", 0, "book", "Game", (hand,), None, (), void=False)
    page = environment().get_template("history.html")
    rounds = [(review, datetime(2026, 1, 1, tzinfo=UTC))]
    me = {"name": "Guest"}
    known = {"rounds": rounds, "me": me, "dollars": dollars_of, "later": False, "more": None}
    says = re.sub(r"<[^>]*>", "", page.render(**known, here="/history", json=None))
    assert {"Ante +$5.00", "Play push", f"Pair Plus {MINUS}$5.00"} <= {
        *map(str.strip, says.split("\n"))
    }
    assert "Not Bet" not in says and "even" in says and "$0.00" not in says
