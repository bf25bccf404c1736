"""A dealer in a browser who practises: reads what the panel shows, and types or presses it."""

from typing import Any, NamedTuple

from playwright.sync_api import Page

from croupier.gallery.payout import payout_of
from croupier.round.state import is_walk_in
from croupier.server.practice import Practice
from croupier.server.showing import sights
from croupier.table.tray import CHIPS_CENTS

READY = """() => document.querySelector('#step').textContent.includes('over')
  || !document.querySelector('#do').disabled
  || document.querySelector('#reading').checkVisibility()
  || document.querySelectorAll('#acts button').length > 0
  || document.querySelector('.betting') !== null
  || document.querySelector('#sees').hasAttribute('data-wrong')"""
"""Whether there is something to do on the console."""
KEY_MS = 5
"""As fast as a scanner types."""


class Next(NamedTuple):
    """What the panel asks for now."""

    kind: str
    """bets, quiz, card, count, choice, wrong, step, wait or over."""
    desk: dict[str, Any]
    spot: Any = None


def wait(page: Page) -> None:
    page.wait_for_function(READY)


def next_of(page: Page, practice: Practice) -> Next:
    """Return what comes next."""
    standing, desk = practice.table.place.standing, practice.gallery.desk()
    told = practice.felt.bets(standing)
    left = [s for s in desk["spots"] if told.get((s["seat"], s["wager"]), 0) != s["cents"]]
    there = practice.assessor.happening
    if practice.is_over:
        return Next("over", desk)
    if there and not there.waits:
        return Next("wrong", desk)
    if desk["stopped"] or (desk["next"]["command"] and "dealer" not in desk["next"]["posts"]):
        return Next("wait", desk)
    if left:
        return Next("bets", desk, left[0])
    if desk["next"]["takes"] and page.locator("#reading").is_visible():
        takes = desk["next"]["takes"]["field"]
        return Next({"answer": "quiz", "card": "card"}.get(takes, "count"), desk)
    round = standing.in_play
    if round and round.asked and desk["next"]["command"] is None:
        says = is_walk_in(round.boxes[round.asked[0]].player)
        return Next("choice" if says else "wait", desk)
    return Next("step", desk)


def act(page: Page, practice: Practice, now: Next) -> None:
    """Do what the panel asks for."""
    standing = practice.table.place.standing
    match now.kind:
        case "bets":
            _bet(page, practice, now)
        case "quiz":
            due = payout_of(standing.in_play, practice.table.meters())
            assert due is not None
            typed(page, f"{due['take'] / 100:.2f} {due['pay'] / 100:.2f}")
        case "card" | "count":
            (sight,) = (one for one in sights(practice.felt, standing, now.desk) if one.field)
            typed(page, sight.typed)
        case "choice":
            round = standing.in_play
            assert round is not None and round.step is not None
            page.keyboard.press(round.step.option[practice.felt.choice(round, round.asked[0])].key)
        case "wrong":
            _declare(page, practice)
        case _:
            page.keyboard.press(" ")


def typed(page: Page, text: str) -> None:
    """Type into the read field, which has the focus."""
    page.locator("#read").focus()
    page.keyboard.type(text, delay=KEY_MS)
    page.keyboard.press("Enter")


def _bet(page: Page, practice: Practice, now: Next) -> None:
    """Repeat the last bets if that is right, or press chips onto one spot."""
    again = [one for one in now.desk["shortcuts"] if one["key"] == "R"]
    told = practice.felt.bets(practice.table.place.standing)
    if again and all(
        told.get((bet["seat"], bet["wager"])) == bet["cents"] for bet in again[0]["commands"]
    ):
        page.keyboard.press("r")
        return
    seat, wager, there = now.spot["seat"], now.spot["wager"], now.spot["cents"]
    more = told.get((seat, wager), 0) - there
    chip = max((one for one in CHIPS_CENTS if one <= more), default=CHIPS_CENTS[0])
    page.locator(f'[data-key="chip {chip if more > 0 else 0}"]').click()
    page.locator(f'[data-key="{seat} {wager}"]').click()


def _declare(page: Page, practice: Practice) -> None:
    """Declare what the panel shows, or call the floor for it."""
    there = practice.assessor.happening
    assert there is not None
    if there.calls:
        page.keyboard.press("x")
        return
    one = practice.table.config.rules.irregularities[there.command["kind"]]
    page.keyboard.press("i")
    page.locator("#wrong-kinds button", has_text=one.says).click()
    desk = practice.gallery.desk()
    (asks,) = (o["asks"] for o in desk["irregularities"] if o["kind"] == there.command["kind"])
    for ask, group in zip(asks, page.locator("#wrong-asks fieldset").all(), strict=True):
        value = there.command["facts"][ask["fact"]]
        if ask["answers"] is None:
            group.locator("input").fill(str(value))
        else:
            (says,) = (one["says"] for one in ask["answers"] if one["value"] == value)
            group.get_by_role("button", name=says, exact=True).click()
    page.locator("#wrong-do:not([disabled])").click()
