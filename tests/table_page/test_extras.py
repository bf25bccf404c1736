"""What the table offers besides playing, in a real browser: each is fetched when asked for."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser import DESKTOP
from tests.table_page.acts import CHOICES, OWN, come_in, decide, settled, until_bets
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House


def menu(page: Page, command: str) -> None:
    """Choose something from the menu."""
    page.keyboard.press("m")
    page.locator(f'#drawer [data-command="{command}"]').click()


def stakes(house: House, table: str, player: str) -> dict[str, int]:
    round = house.table(table).place.standing.round
    boxes = [box for box in round.boxes.values() if box.player == player] if round else []
    return {spot: stake.cents for box in boxes for spot, stake in box.stakes.items()}


def lay(page: Page, spots: int) -> None:
    """Put a chip on the first spots."""
    for spot in page.locator(f"{OWN} bet-spot[open]").all()[:spots]:
        spot.locator("button").click()
        expect(spot.locator("chip-stack .sum")).to_be_visible()


def test_bets_are_saved_under_a_name_and_laid_again(house: House, new_page: NewPage) -> None:
    page = new_page()
    player = come_in(page, house, "maryland")
    until_bets(page)
    lay(page, 2)
    both = stakes(house, "maryland", player)
    assert len(both) == 2
    page.keyboard.press("v")
    page.fill("#slot", "Both")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".slots li")).to_contain_text("Both")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(0)
    # Another bet gives way to what was saved, also after the page was opened anew.
    page.reload()
    until_bets(page)
    lay(page, 3)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(3)
    page.keyboard.press("v")
    page.get_by_role("button", name="Bet Both").click()
    expect(page.locator(f"{OWN} chip-stack .sum")).to_have_text(["$5", "$5"])
    assert stakes(house, "maryland", player) == both
    page.keyboard.press("v")
    page.get_by_role("button", name="Forget Both").click()
    expect(page.locator("#drawn")).to_contain_text("You have saved no bets")


def test_saved_bets_keep_to_limits(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    first = house.galleries["maryland"].felt["wagers"][0]
    slots = [
        {"name": "High", "bets": [{"wager": first["wager"], "cents": 99_999_00}]},
        {"name": "Strange", "bets": [{"wager": "nothing", "cents": 500}]},
    ]
    page.evaluate(
        "slots => localStorage.setItem('croupier.saved.maryland', slots)", json.dumps(slots)
    )
    page.keyboard.press("v")
    expect(page.locator(".slots li").nth(0)).to_contain_text(f"{first['label']} takes $5 to $500.")
    expect(page.locator(".slots li").nth(1)).to_contain_text("another layout")
    for name in ("High", "Strange"):
        expect(page.get_by_role("button", name=f"Bet {name}")).to_be_disabled()


def test_a_player_goes_to_another_table(house: House, new_page: NewPage) -> None:
    page = new_page()
    player = come_in(page, house, "maryland")
    page.keyboard.press("o")
    rows = page.locator("#drawer .slots li")
    expect(rows).to_have_count(len(house.galleries.pit.tables) - 1)
    expect(rows.first).to_contain_text("seats free")
    assert violations(page) == []
    page.locator('#drawer a[href="/tables/ride?play"]').click()
    page.wait_for_url("**/tables/ride?play")
    page.wait_for_selector(OWN)
    seated = {id: t.place.standing.table.seats for id, t in house.galleries.pit.tables.items()}
    assert player in seated["ride"].values()
    assert player not in seated["maryland"].values()


def test_a_guest_takes_a_name_that_others_see(house: House, new_page: NewPage) -> None:
    page, other = new_page(), new_page()
    come_in(page, house, "maryland")
    other.goto(f"{house.url}/tables/maryland")
    other.wait_for_selector("player-seat .who")
    menu(page, "name")
    page.fill("#called", "Dealer")
    page.get_by_role("button", name="Use this name").click()
    expect(page.locator("#drawer [role=status]")).to_have_text("This name is reserved.")
    assert violations(page) == []
    page.fill("#called", "Cleo")
    page.get_by_role("button", name="Use this name").click()
    expect(page.locator("#drawer")).to_contain_text("Others see you as Cleo.")
    expect(other.locator("felt-table")).to_contain_text("Cleo")


HEARD = """
window.heard = 0;
for (const name of ["createOscillator", "createBufferSource"]) {
  const make = AudioContext.prototype[name];
  AudioContext.prototype[name] = function () { window.heard++; return make.call(this); };
}
"""


def test_sound_is_off_until_it_is_switched_on(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.add_init_script(HEARD)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    come_in(page, house, "maryland")
    until_bets(page)
    lay(page, 1)
    assert page.evaluate("heard") == 0
    assert not [url for url in asked if "sound.js" in url]
    menu(page, "sound")
    expect(page.locator("#sound-on")).not_to_be_checked()
    assert violations(page) == []
    page.locator("#sound-on").check()
    page.wait_for_function("heard > 0")
    page.keyboard.press("Escape")
    before = page.evaluate("heard")
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    page.wait_for_function("before => heard > before", arg=before)
    page.reload()
    page.wait_for_selector(CHOICES)
    assert page.evaluate("localStorage.getItem('croupier.sound')") == "0.4"
    menu(page, "sound")
    page.locator("#sound-on").uncheck()
    assert page.evaluate("localStorage.getItem('croupier.sound')") is None


SMALL = (320, 568)
MOVED = """
() => {
  window.moved = 0;
  const look = () => {
    window.moved += document.getAnimations().filter((one) => one.playState === "running").length;
    requestAnimationFrame(look);
  };
  look();
}
"""


def test_quiet_stills_and_mutes_a_table_with_one_press(house: House, new_page: NewPage) -> None:
    page = new_page(moves=True)
    page.add_init_script(HEARD)
    page.add_init_script("localStorage.setItem('croupier.sound', '0.4')")
    come_in(page, house, "maryland")
    until_bets(page)
    page.keyboard.press("m")
    switch = page.get_by_role("switch", name="Quiet")
    expect(switch).not_to_be_checked()
    switch.click()
    expect(switch).to_be_checked()
    page.keyboard.press("Escape")
    page.wait_for_timeout(500)
    heard = page.evaluate("heard")
    page.evaluate(MOVED)
    lay(page, 1)
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    decide(page)
    settled(page)
    page.wait_for_timeout(700)
    assert (page.evaluate("moved"), page.evaluate("heard")) == (0, heard)
    # It stays where it was set, and one key switches it off.
    page.reload()
    page.wait_for_selector(OWN)
    assert page.get_attribute("html", "data-motion") == "none"
    page.keyboard.press("q")
    expect(page.locator("html")).to_have_attribute("data-motion", "")


@pytest.mark.parametrize("size", [DESKTOP, SMALL])
def test_the_menu_is_sorted_and_offers_only_what_can_be_done(
    size: tuple[int, int], house: House, new_page: NewPage
) -> None:
    page = new_page(size)
    come_in(page, house, "maryland")
    until_bets(page)
    page.keyboard.press("m")
    page.wait_for_selector("#drawer[open] .menu-list")
    drawer = page.locator("#drawer")
    titles = drawer.get_by_role("heading", level=3).all_inner_texts()
    assert [one.lower() for one in titles] == ["play", "the game", "you", "this page"]
    entries = drawer.locator(".menu-list :is(a, button)").all()
    assert len(entries) > 12 and all(one.is_enabled() for one in entries)
    boxes = [one.bounding_box() for one in entries]
    assert all(box and box["height"] >= 38 for box in boxes)
    assert len({box["x"] for box in boxes if box}) == 1
    names = [one.inner_text() for one in entries]
    assert "Leave your seat" in names and "Take a seat" not in names
    assert violations(page) == []


def test_every_command_is_found_by_its_name(house: House, new_page: NewPage) -> None:
    """The palette has what the keys and the menu have, and gives the first that fits."""
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    lay(page, 1)
    page.keyboard.press("Control+Shift+C")
    drawer = page.locator("#drawer[open]")
    expect(drawer.get_by_role("searchbox", name="Command")).to_be_focused()
    assert violations(page) == []
    names = drawer.locator(".palette button:visible").all_inner_texts()
    keys = {name.split("\n")[0] for name in names}
    assert keys > {"Deal", "Clear", "Rules and paytables", "Saved bets", "Quiet", "Settings"}
    assert "Rebet" not in keys  # Chips lie there already.
    page.keyboard.type("deals it")
    expect(drawer.get_by_text("No command matches right now.")).to_be_visible()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("clea")
    expect(drawer.locator(".palette button:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#drawer")).not_to_have_attribute("open", "")
    expect(page.locator(f"{OWN} .sum")).to_have_count(0)


def apart(page: Page) -> bool:
    """Whether the hint stands in the page and covers neither its subject nor what is said."""
    hint = page.locator(".first-hand").bounding_box()
    assert hint and page.viewport_size
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    inside = hint["x"] >= 0 and hint["y"] >= 0 and hint["x"] + hint["width"] <= width
    inside = inside and hint["y"] + hint["height"] <= height
    return inside and page.evaluate(HINT_COVERS) == []


HINT_COVERS = """
() => {
  const hint = document.querySelector(".first-hand").getBoundingClientRect();
  const parts = [".guided", ".saying", ".spots:has(.guided) :is(.wager, .label)", ".own .called"];
  return [...document.querySelectorAll(parts)].filter((one) => {
    const box = one.getBoundingClientRect();
    const across = Math.min(box.right, hint.right) - Math.max(box.left, hint.left);
    const down = Math.min(box.bottom, hint.bottom) - Math.max(box.top, hint.top);
    const shown = one.textContent || one.matches(".guided");
    return shown && across > 1 && down > 1;
  }).map((one) => one.className);
}
"""


@pytest.mark.parametrize(
    ("size", "table"),
    [
        (DESKTOP, "maryland"),
        (SMALL, "ride"),
        pytest.param(DESKTOP, "ride", marks=pytest.mark.long),
        pytest.param(SMALL, "maryland", marks=pytest.mark.long),
    ],
)
def test_a_first_hand_is_shown(
    size: tuple[int, int], table: str, house: House, new_page: NewPage
) -> None:
    page = new_page(size)
    come_in(page, house, table)
    until_bets(page)
    page.get_by_role("button", name="New here?").click()
    hint = page.locator(".first-hand")
    first = house.galleries[table].felt["wagers"][0]["label"]
    expect(hint).to_contain_text(f"then press a spot. {first}, $5 to")
    lit = page.wait_for_selector(".guided")
    assert lit and lit.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    assert apart(page)
    assert violations(page) == []
    lay(page, 1)
    expect(hint).to_contain_text("press Deal")
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    expect(hint).to_contain_text("Each choice says what it costs")
    page.wait_for_selector("#decisions.guided")
    assert apart(page)
    expect(hint.get_by_role("link", name="Strategy card")).to_be_visible()
    decide(page)
    settled(page)
    expect(hint).to_contain_text("Each spot shows its result")
    page.locator(".first-hand button").focus()
    page.keyboard.press("Escape")
    expect(hint).to_have_count(0)
    expect(page.locator(".guided")).to_have_count(0)
    page.reload()
    page.wait_for_selector(OWN)
    expect(page.locator("[data-newcomer]")).to_be_hidden()


def test_the_visit_and_the_rules_have_their_figures(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    page.keyboard.press("i")
    card = page.request.get(f"{house.url}/tables/maryland/strategy.json").json()
    for wager in card["wagers"]:
        expect(page.locator("#drawer .returns")).to_contain_text(wager["returns"])
    assert violations(page) == []
    page.keyboard.press("Escape")
    lay(page, 1)
    page.keyboard.press("d")
    decide(page)
    settled(page)
    page.keyboard.press("y")
    expect(page.locator(".statistics")).to_contain_text("By wager")
    for place in page.locator("#drawer, #drawer .scroll").all():
        assert place.evaluate("one => one.scrollWidth <= one.clientWidth"), "no figure is cut"
    expect(page.locator(".statistics")).to_contain_text("1 decisions were the best")
    assert violations(page) == []
