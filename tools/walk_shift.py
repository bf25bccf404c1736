"""Deals a whole shift on the console in a real Chromium, and saves a picture of each step.

.venv/bin/python tools/walk_shift.py FOLDER [--book ID] [--select K=V]... [--virtual] [--hints]
                                            [--dark]

Ten rounds with real cards and chips, by keyboard: the tray is counted, the table opens, two decks
alternate, and it closes at the end. One round has an irregularity, one a progressive win, and
between two rounds a deck is changed. The script of practice shows what there is to read and enter.
With virtual cards the scripted players bet and decide on their screens, and no deck is changed.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page

from croupier.cards import Card, parse_cards
from croupier.fairness.commitment import Committed, commit
from croupier.fairness.shuffle import Entropy
from croupier.house import dealer
from croupier.round.state import Round
from croupier.server import bots, practices
from croupier.server.practice import Practice
from croupier.server.script import ID, Script, practice_config
from croupier.server.showing import Felt
from tests.pages.browser import open_browser
from tests.table_page.house import House, opened
from tests.table_page.trainee import act, next_of, wait

ROUNDS, WRONG, WON, CHANGED = 10, 3, 5, 7
"""How many rounds there are, and in which of them what happens."""
BOOK = "maryland-three-card-poker"
SELECTED = {
    "maryland-three-card-poker": {"decks": "2", "shuffler": "counting"},
    "maryland-let-it-ride": {"progressive": "A", "progressive_rate": "0.14", "decks": "2"},
}
HIGH = parse_cards("As Ks Qs Js Ts")
SIZES = ((1180, 820), (1440, 900), (820, 1180), (390, 844))
WAITS_MAX_S = 60


def arranged(cards: list[Card], round: Round) -> list[Card]:
    """Return a deck with the highest hand for the first seat of a round that plays for the meter.

    A round shares its places with the one after it, as long as the same seats play.
    """
    meters = {meter.wager for meter in round.rules.meters.values()}
    box = next((b for b in round.boxes.values() if meters & b.stakes.keys()), None)
    if box is None:
        return cards
    shared = [place for places in round.places.values() for place in places]
    for place, card in zip((*box.cards, *sorted(shared)), HIGH[: 3 + len(shared)], strict=False):
        other = cards.index(card)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


class Arranged(Felt):
    """A felt on which one seat that plays for the meter gets the highest hand once."""

    def card(self, round: Round, position: int) -> Card:
        cards = [Felt.card(self, round, place) for place in range(52)]
        return (arranged(cards, round) if round.id == f"{ID}-{WON}" else cards)[position]

    def bets(self, standing: Any) -> dict[tuple[int, str], int]:
        told, rules = Felt.bets(self, standing), standing.table.rules
        if standing.in_play and told and standing.in_play.id == f"{ID}-{WON}":
            seat = max(seat for seat, _ in told)
            for meter in rules.meters.values():
                sizes = rules.wagers[meter.wager].sizes
                told[seat, meter.wager] = sizes.of[0] if sizes else 1_00
        return told


def config(rulebook: str, rules_of: Any, *, things: Any, selections: Any) -> Any:
    """Return a practice table with two decks, where the book has them."""
    chosen = SELECTED.get(rulebook, {})
    return practice_config(rulebook, rules_of, things=things, selections=chosen)


class Album:
    """The pictures of a shift, in order."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder, self.number = page, folder, 0
        self.known: set[str] = set()

    def take(self, name: str) -> None:
        """Take a picture; of what comes for the first time one at every size."""
        self.number += 1
        for width, height in SIZES if name not in self.known else SIZES[:1]:
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.screenshot(path=self.folder / f"{self.number:03}-{name}-{width}.png")
        self.known.add(name)
        self.page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})


def told(page: Page, practice: Practice, number: int) -> None:
    """Wait until the table has moved on and its page knows."""
    for _ in range(500):
        if practice.table.number != number:
            page.wait_for_timeout(40)
            return
        page.wait_for_timeout(20)
    raise SystemExit(f"nothing happens: {page.inner_text('#step')}")


def walk(page: Page, practice: Practice, album: Album) -> None:
    """Deal the shift, and close the table."""
    changed = not is_real(practice)
    since_s = time.monotonic()
    while time.monotonic() - since_s < WAITS_MAX_S:
        wait(page)
        now, number, rounds = next_of(page, practice), practice.table.number, practice.table.rounds
        standing = practice.table.place.standing
        _fault(practice, rounds)
        if now.desk["awards"] and "won" not in album.known:
            album.take("won")
        if now.kind == "wait" or (now.kind != "wrong" and players_move(practice)):
            page.wait_for_timeout(50)
            continue
        since_s = time.monotonic()
        racked = now.desk["next"]["command"] and now.desk["next"]["command"]["type"] == "StartRound"
        if rounds == CHANGED and racked and not changed:
            changed = more(page, practice, album, "Change deck")
        elif rounds == ROUNDS and racked and standing.table.life == "open":
            more(page, practice, album, "Close the table")
        elif standing.table.life == "closed" and rounds:
            album.take("closed")
            return
        elif (there := practice.assessor.happening) and there.waits:
            note(page, practice, album)
        elif now.desk["meanwhile"] and now.kind == "choice":
            album.take("meanwhile")
            _rest(page, now.desk["meanwhile"][0])
            told(page, practice, number)
        else:
            if now.kind == "wrong":
                page.keyboard.press("i")
                album.take("irregularities")
                page.keyboard.press("Escape")
            album.take(now.kind if now.kind != "step" else f"step-{now.desk['next']['of']}")
            act(page, practice, now)
            told(page, practice, number)
    raise SystemExit(f"the shift doesn't end: {page.inner_text('#step')}")


def is_real(practice: Practice) -> bool:
    return "cards" in practice.table.config.rules.things


def players_move(practice: Practice) -> bool:
    """Whether a dealer waits for players at their screens, who bet and decide in their own time."""
    standing = practice.table.place.standing
    round = standing.in_play
    if is_real(practice):
        return False
    if round is None:
        return standing.table.life == "open" and not practice.gallery.desk()["next"]["command"]
    bank = {round.banker.seat} if round.banker else set()
    bets = round.step is not None and round.step.do == "bets" and not round.void
    return bool(round.asked) or (bets and standing.table.seats.keys() != round.boxes.keys() | bank)


def _fault(practice: Practice, rounds: int) -> None:
    """Let something go wrong in one round only."""
    faulty = 1.0 if rounds in (WRONG - 1, WRONG) else 0.0
    felt = practice.felt
    new = Arranged(felt.seed, felt.script._replace(faulty=faulty))
    practice.felt = practice.assessor.felt = new


def _rest(page: Page, one: Any) -> None:
    """Do what is next with the resting deck."""
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    if one["fields"]:
        page.keyboard.type("52")
        page.keyboard.press("Enter")


def note(page: Page, practice: Practice, album: Album) -> None:
    """Note what a player contests, or a wrong payment, under More."""
    there, number = practice.assessor.happening, practice.table.number
    assert there is not None
    is_paid = "paid" in there.command
    says = "Paid another amount, stake" if is_paid else "Note a dispute"
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    form = page.locator("#more-acts form", has_text=says)
    select = form.locator("select").first
    if is_paid:
        label = practice.table.config.rules.label(there.command["wager"])
        place = f"Seat {there.command['seat']}, {label}: "
        options = select.locator("option").all_inner_texts()
        select.select_option(label=next(one for one in options if one.startswith(place)))
        form.locator("input").first.fill(f"{there.command['paid'] / 100:.2f}")
    else:
        select.select_option(label=f"Seat {there.command['seat']}")
        form.get_by_label("what is contested").fill("what was paid")
    album.take("note")
    form.get_by_role("button").press("Enter")
    told(page, practice, number)
    page.keyboard.press("Escape")
    album.take("noted")


def more(page: Page, practice: Practice, album: Album, says: str) -> bool:
    """Do something that is under More."""
    number = practice.table.number
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    album.take("more")
    page.locator("#more-acts button", has_text=says).first.focus()
    page.keyboard.press("Enter")
    told(page, practice, number)
    page.keyboard.press("Escape")
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--book", default=BOOK)
    parser.add_argument("--select", action="append", default=[], help="K=V: another selection")
    parser.add_argument("--virtual", action="store_true", help="deal virtual cards")
    parser.add_argument("--hints", action="store_true", help="show what to take and pay")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    asked = parser.parse_args()
    SELECTED[asked.book] = {
        **({} if asked.select else SELECTED.get(asked.book, {})),
        **dict(one.split("=", 1) for one in asked.select),
    }
    asked.folder.mkdir(parents=True, exist_ok=True)
    practices.practice_config = config  # type: ignore[attr-defined,assignment]  # With two decks.
    bots.THINKS_S = 0.05
    with TemporaryDirectory() as data, opened(Path(data)) as house, open_browser() as browser:
        page = browser.new_page(
            viewport={"width": SIZES[0][0], "height": SIZES[0][1]},
            color_scheme="dark" if asked.dark else "light",
        )
        practice = begin(page, house, asked.book, real=not asked.virtual, hints=asked.hints)
        album = Album(page, asked.folder)
        walk(page, practice, album)
        page.get_by_role("link", name="Report").click()
        page.wait_for_url("**/report")
        album.take("report")
        report = practice.report()
    wrong = report["deviations"]
    print(f"{album.number} pictures, {report['rounds']} rounds, {len(wrong)} deviations")
    for one in wrong:
        print(one)
    if wrong:
        raise SystemExit(1)


def begin(page: Page, house: House, book: str, *, real: bool, hints: bool) -> Practice:
    """Open the practice, one round longer than the shift so that it doesn't end before."""
    house.practices.script = Script(floor_s=0.05, side=Script().side if real else 1.0)
    page.goto(f"{house.url}/practice")
    page.select_option("#rulebook", book)
    if real:
        page.get_by_label("Real cards and chips").check()
    if hints:
        page.get_by_label("Show me what to take and pay").check()
    page.fill("#faults", "0")
    page.fill("#rounds", str(ROUNDS + 1))
    page.press("#rounds", "Enter")
    page.wait_for_url("**/practice/*")
    practice = house.practices.get(page.url.rsplit("/", 1)[1])

    def committed(deck: tuple[Card, ...], entropy: Entropy, *, round: str, rules: str) -> Committed:
        before = practice.table.place.standing.round
        if round == f"{ID}-{WON}" and before:
            deck = tuple(arranged([*deck], before))
        return commit(deck, entropy, round=round, rules=rules)

    dealer.commit = committed  # type: ignore[attr-defined]
    return practice


if __name__ == "__main__":
    main()
