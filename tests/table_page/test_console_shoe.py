"""A real shoe on the console: keys, typing, a scanner, touch alone, and a dealer who hands over."""

import asyncio
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from croupier.cards import Card, parse_cards
from croupier.house import said
from croupier.house.asking import Employee
from croupier.house.books import answer_to
from croupier.house.desk import desk_of
from croupier.house.table import Table
from croupier.round.state import Round
from croupier.rules.words import dollars
from croupier.table.life import sign_code
from tests.pages.browser import PHONE, resize
from tests.pages.markup import faults_of
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House, opened
from tests.table_page.test_console_page import PASSWORD, TABLET, UPRIGHT, come, phase, picture, seen

FELT = """
[[table]]
id = "{id}"
rulebook = "maryland-three-card-poker"
things = ["dealer", "cards", "chips"]
[table.selections]
"""
CODES = '\n[codes]\n"000017" = "Kd"\n'
TABLES = "".join(
    FELT.format(id=id)
    for id in (
        "keys",
        "touch",
        "clause",
        "handover",
        "hand",
        "codes",
        "short",
        "focus",
        "codes-of-cards",
        "chips",
        "clerk",
        "won",
    )
)
TABLES += 'progressive = "A"\n'
TABLES += FELT.format(id="late").replace("maryland", "singapore")
TABLES += 'progressive_rate = "0.3"\nprogressive_reset = 1000'
SEATS = (1, 2, 3)
CARDS = parse_cards("2s 2h 2d 2c 3s 3h 3d 6h 6d 6c 6s 7h")
"""The shoe: three cards for each seat and for the bank."""
KEY_S = 0.005
DEALER = Employee("dealer-0", frozenset({"dealer"}))
FLOOR = Employee("floor-0", frozenset({"floor"}))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened(tmp_path_factory.mktemp("shoe"), more=TABLES + CODES) as one:
        yield one


class Stage:
    """Brings a table to a moment without a browser: what a page shows elsewhere is not repeated."""

    def __init__(self, house: House, id: str, cards: tuple[Card, ...] = CARDS) -> None:
        self.house, self.table, self.number = house, house.table(id), 0
        self.cards, self.wagers, self.dealer = cards, {"ante": 10_00}, DEALER

    def say(self, who: Any, message: Any) -> None:
        self.number += 1
        sent = message._replace(id=f"{self.table.id}-{self.number}")
        digest = sha256(repr(sent).encode()).digest()
        table: Table = self.table
        asked = answer_to(lambda reply: table.hear_staff(who, sent, digest, reply=reply))
        asyncio.run_coroutine_threadsafe(asked, self.house.loop).result()

    def do(self, of: str, command: dict[str, Any], who: Any = None) -> None:
        self.say(who or self.dealer, said.Do("", of, command))  # type: ignore[arg-type]

    @property
    def round(self) -> Round:
        round = self.table.place.standing.in_play
        assert round is not None
        return round

    @property
    def desk(self) -> dict[str, Any]:
        return desk_of(self.table.place.standing)

    def go_on(self, until: Callable[[dict[str, Any]], bool]) -> None:
        for _ in range(200):
            desk = self.desk
            if until(desk):
                return
            step = desk["next"]
            assert step["command"], step
            command = {**step["command"], **self._filled(desk)}
            self.do(step["of"], command, FLOOR if step["by"] == ["floorperson"] else None)
        raise AssertionError(self.desk["next"])

    def _filled(self, desk: dict[str, Any]) -> dict[str, Any]:
        takes, round = desk["next"]["takes"], self.table.place.standing.in_play
        left = 52 - (round.next_position if round else 0)
        known = {"cents": 90_00, "sign": sign_code(self.table.config.rules), "stub": left}
        if takes and takes["field"] == "card":
            known["card"] = str(self.cards[desk["reads"][0]["position"]])
        return {takes["field"]: known.get(takes["field"], 52)} if takes else {}

    def crew(self) -> None:
        self.say(DEALER, said.TapIn("", "dealer"))
        self.say(FLOOR, said.TapIn("", "floor"))

    def first_bets(self) -> None:
        """Open the table for the bets of walk-ins."""
        self.crew()
        self.go_on(lambda desk: desk["life"] == "open")
        for seat in SEATS:
            self.do("table", {"type": "SeatWalkIn", "seat": seat})
        self.go_on(lambda desk: not desk["next"]["command"])

    def second_round(self) -> None:
        """Let walk-ins play a round, and open the next one for bets."""
        self.first_bets()
        self.next_round()

    def next_round(self) -> None:
        self.played()
        self.go_on(lambda desk: self.table.place.standing.in_play is None)
        self.go_on(lambda desk: not desk["next"]["command"])

    def played(self) -> None:
        """Put bets down, and let everybody play."""
        self.bets()
        self.go_on(lambda desk: not desk["next"]["command"])
        for seat in SEATS:
            self.do("round", {"type": "Choose", "seat": seat, "option": "play"})

    def bets(self) -> None:
        for seat in SEATS:
            for wager, cents in self.wagers.items():
                bet = {"type": "Bet", "seat": seat, "player": "", "wager": wager, "cents": cents}
                self.do("round", bet)


def take_over(page: Page, stage: Stage, name: str, press: Callable[[str], None]) -> None:
    """Come to a table and relieve its dealer, who agrees."""
    come(page, stage.house, name, "dealer", stage.table.id)
    press("Take over as dealer from")
    expect(page.locator("#requests")).to_contain_text("handover")
    (proposal,) = stage.table.place.standing.table.proposals
    stage.say(DEALER, said.Approve("", proposal.id))
    expect(page.locator("#dealer")).to_have_text(name)
    expect(page.locator("#requests")).to_be_hidden()
    stage.dealer = DEALER._replace(person=stage.table.place.standing.table.crew.dealer)


def card_due(stage: Stage) -> str:
    return str(CARDS[stage.desk["reads"][0]["position"]])


def changed(page: Page, press: Callable[[], None]) -> None:
    """Press something, and wait until it is on the tape."""
    tape = page.inner_text("#tape")
    press()
    page.wait_for_function("was => document.querySelector('#tape').innerText !== was", arg=tape)


def test_keys_typing_and_a_scanner(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "keys"), new_page(TABLET)
    stage.second_round()
    sent: list[str] = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda data: sent.append(str(data))))
    take_over(page, stage, "Dee Ash", lambda name: page.get_by_role("button", name=name).click())
    page.locator("body").click(position={"x": 5, "y": 5})
    changed(page, lambda: page.keyboard.press("r"))
    expect(page.locator("#seats .who small")).to_contain_text(["Ante: $10"] * 3)
    expect(page.locator("#seats li").last).to_have_text("Empty: 4, 5, 6, 7")
    changed(page, lambda: page.keyboard.press("n"))
    while not (round := stage.table.place.standing.in_play) or not round.asked or round.todo:
        step = stage.desk["next"]
        key = step["key"] or "Space"
        changed(page, lambda key=key: page.keyboard.press(key))  # type: ignore[misc]
    changed(page, lambda: page.keyboard.press("2"))
    changed(page, lambda: page.keyboard.press("a"))
    boxes = stage.round.boxes
    assert [box.folded for box in boxes.values()] == [False, True, False]
    while not stage.desk["reads"] or not stage.desk["next"]["takes"]:
        changed(page, lambda: page.keyboard.press("Space"))
    expect(page.locator("#read")).to_be_focused()
    wrong, right = "As", card_due(stage)
    page.keyboard.type(wrong, delay=80)
    changed(page, lambda: page.keyboard.press("Enter"))
    assert '"source":"typed"' in sent[-1]
    page.keyboard.type("z")
    page.keyboard.press("Enter")
    expect(page.locator("#reading label")).to_contain_text("Not the ace of spades")
    page.keyboard.type(right)
    changed(page, lambda: page.keyboard.press("Enter"))
    changed(page, lambda: scan(page, card_due(stage)))
    assert '"source":"scanned"' in sent[-1]
    faces = stage.round.faces
    assert right in map(str, faces.values()) and wrong not in map(str, faces.values())
    while stage.desk["next"]["takes"]:
        changed(page, lambda: scan(page, card_due(stage)))
    expect(page.locator("#do b")).to_have_text("Seat 3 done")
    page.keyboard.press("Escape")
    changed(page, lambda: page.keyboard.press("y"))
    assert 3 in stage.round.order
    page.locator("#read").evaluate("one => one.blur()")
    page.keyboard.press("?")
    for key in ("N", "D", "Y", "Z", "R", "A", "P", "F", "Space", "Shift+Space", "Escape", "M"):
        expect(page.locator("#keys kbd", has_text=key).first).to_be_visible()


def scan(page: Page, text: str) -> None:
    expect(page.locator("#read")).to_be_focused()
    scan_anywhere(page, text)


def scan_anywhere(page: Page, text: str) -> None:
    """Type as a scanner does, 5 ms a key however slow the machine is, and Enter."""
    session = page.context.new_cdp_session(page)
    start = page.evaluate("performance.timeOrigin + performance.now()") / 1000
    keys = [{"key": key, "text": key} for key in text]
    keys.append({"key": "Enter", "text": "\r"})
    for number, key in enumerate(keys):
        pressed = {**key, "type": "keyDown", "timestamp": start + number * KEY_S}
        session.send("Input.dispatchKeyEvent", pressed)
    session.detach()


def test_a_scan_is_a_card_wherever_the_focus_was(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "focus"), new_page(TABLET)
    stage.first_bets()
    take_over(page, stage, "Foc Ash", lambda name: page.get_by_role("button", name=name).click())
    stage.played()
    stage.go_on(lambda desk: bool(desk["reads"]) and bool(desk["next"]["takes"]))
    field = page.locator("#read")
    expect(field).to_be_focused()
    for key in ("i", "h", "m"):
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator("#reading")).to_be_hidden()
        assert page.evaluate("document.activeElement.id") != "out"
        page.keyboard.press("Escape")
        expect(field).to_be_focused()
    page.locator("#tape-title").click()
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    changed(page, lambda: scan_anywhere(page, card_due(stage)))
    page.locator("[data-command=help]").focus()
    changed(page, lambda: scan_anywhere(page, card_due(stage)))
    assert len(stage.round.faces) == 2
    expect(page.locator("#desk")).to_have_attribute("data-open", "")


def test_cards_and_sums_are_entered_as_people_write_them(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "codes-of-cards"), new_page(TABLET)
    come(page, house, "Typ Ash", "dealer", stage.table.id)
    page.get_by_role("button", name="Tap in as dealer").click()
    stage.say(FLOOR, said.TapIn("", "floor"))
    stage.dealer = DEALER._replace(person=stage.table.place.standing.table.crew.dealer)

    def entered(text: str) -> None:
        page.fill("#read", text)
        changed(page, lambda: page.keyboard.press("Enter"))

    for wrong in ("nine", "9,0"):
        page.fill("#read", wrong)
        page.keyboard.press("Enter")
        expect(page.locator("#message")).to_contain_text(f"not '{wrong}'")
    entered("$9,000")
    floor = {"type": "CountTray", "by": "floorperson", "cents": 9_000_00}
    stage.do("table", floor, FLOOR)
    stage.go_on(lambda desk: desk["life"] == "open")
    for seat in SEATS:
        stage.do("table", {"type": "SeatWalkIn", "seat": seat})
    stage.go_on(lambda desk: not desk["next"]["command"])
    stage.played()
    stage.go_on(lambda desk: bool(desk["reads"]) and bool(desk["next"]["takes"]))
    for text in ("10S", "qh", "000017"):
        entered(text)
        seen(page, f"read-{text}", TABLET, UPRIGHT, PHONE)
    faces = stage.round.faces.values()
    assert [*map(str, faces)] == ["Ts", "Qh", "Kd"]


def test_a_changed_bet_takes_one_press(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "chips"), new_page(TABLET)
    stage.second_round()
    take_over(page, stage, "Chi Ash", lambda name: page.get_by_role("button", name=name).click())

    def stakes() -> dict[int, dict[str, int]]:
        boxes = stage.round.boxes
        return {n: {spot: s.cents for spot, s in b.stakes.items()} for n, b in boxes.items()}

    changed(page, lambda: page.keyboard.press("r"))
    assert stakes() == {seat: {"ante": 10_00} for seat in SEATS}
    changed(page, lambda: page.get_by_role("button", name="Seat 2, Ante: $10").press("Enter"))
    assert stakes()[2] == {"ante": 15_00}, "the chip in hand is $5"
    expect(page.get_by_role("button", name="Seat 2, Ante: $15")).to_be_focused()
    changed(page, lambda: page.get_by_role("button", name="Seat 2, Ante: $15").click())
    # A mouse lets go of the spot, so that Space is the next step and not another chip.
    expect(page.get_by_role("button", name="Seat 2, Ante: $20")).not_to_be_focused()
    page.get_by_role("button", name="$25", exact=True).click()
    changed(page, lambda: page.get_by_role("button", name="Seat 1, Pair Plus: no chips").click())
    assert stakes()[1] == {"ante": 10_00, "pair_plus": 25_00}
    seen(page, "chips", TABLET, UPRIGHT, PHONE)
    page.get_by_role("button", name="Take back", exact=True).click()
    changed(page, lambda: page.get_by_role("button", name="Seat 3, Ante: $10").click())
    assert 3 not in stakes()


def test_a_clerk_enters_bets_and_reads_cards_beside_the_dealer(
    house: House, new_page: NewPage
) -> None:
    stage, page = Stage(house, "clerk"), new_page(TABLET)
    stage.first_bets()
    come(page, house, "Kit Ash", "dealer", "clerk")
    page.get_by_role("button", name="Tap in as clerk").click()
    tapped = "Kit Ash: Tapped in: clerk."
    expect(page.locator("#tape")).to_contain_text(tapped)
    for seat in SEATS:
        changed(page, page.get_by_role("button", name=f"Seat {seat}, Ante: no").click)
    assert {box.stakes["ante"].cents for box in stage.round.boxes.values()} == {5_00}
    # What the dealer does is no button here, and no key.
    expect(page.locator("#do")).to_be_disabled()
    expect(page.locator("#do b")).to_have_text("Waits for the dealer")
    seen(page, "clerk-bets", TABLET, UPRIGHT, PHONE)
    page.keyboard.press("Space")
    page.keyboard.press("n")
    stage.go_on(lambda desk: not desk["next"]["command"])
    for seat in SEATS:
        expect(page.locator("#step")).to_contain_text(f"Ask seat {seat}:")
        page.keyboard.press("p")
    expect(page.locator("#step")).not_to_contain_text("Ask seat")
    assert [box.chose for box in stage.round.boxes.values()] == [{"play_or_fold": "play"}] * 3
    stage.go_on(lambda desk: bool(desk["reads"]) and desk["next"]["takes"] is not None)
    card = card_due(stage)
    expect(page.locator("#read")).to_be_focused()
    page.keyboard.type(card)
    page.keyboard.press("Enter")
    expect(page.locator("#tape")).to_contain_text(parse_cards(card)[0].words)
    assert card in map(str, stage.round.faces.values())
    seen(page, "clerk-reads", TABLET, UPRIGHT, PHONE)


def test_11D7_a_win_is_checked_and_validated_by_name(house: House, new_page: NewPage) -> None:
    """The dealer sees what is confirmed, and the floor's button says that it validates."""
    stage = Stage(house, "won", parse_cards("As 2c 2d 2h Ks 3s 3h 3d Qs 6h 6d 6c"))
    stage.wagers = {"ante": 10_00, "progressive": 1_00}
    stage.first_bets()
    page, floor = new_page(TABLET), new_page(PHONE, has_touch=True)
    take_over(page, stage, "Win Ash", lambda name: page.get_by_role("button", name=name).click())
    stage.played()
    stage.go_on(lambda desk: bool(desk["awards"]))
    (award,) = stage.desk["awards"]
    stage.say(FLOOR, said.TapOut(""))
    come(floor, house, "Win Oak", "floor", "won")
    floor.get_by_role("button", name="Tap in as floor").tap()
    expect(page.locator(".won output")).to_have_text(dollars(award["cents"]))
    expect(page.locator(".won")).to_contain_text(award["hand"])
    checks = page.locator(".checks li")
    *_, pays, one, other = award["checks"]
    assert pays["says"] == f"Then pay seat {award['seat']} {dollars(award['cents'])}."
    clauses = "11.D(7)(a)", "11.D(7)(b)", "11.D(7)(c)", pays["clause"], one["clause"], one["clause"]
    expect(checks).to_contain_text([*clauses])
    expect(checks.nth(4)).to_contain_text(one["says"])
    expect(checks.nth(5)).to_contain_text(other["says"])
    for at, clause in enumerate(("11.D(7)(a)", "11.D(7)(b)")):
        expect(page.locator("#step")).to_have_text(award["checks"][at]["says"])
        expect(page.locator(".checks [aria-current]")).to_contain_text(clause)
        expect(page.locator("#do b")).to_have_text("Done")
        seen(page, f"won-{at}", TABLET, UPRIGHT, PHONE)
        changed(page, lambda: page.keyboard.press("Space"))
        expect(checks.nth(at)).to_have_attribute("data-done", "")
    expect(page.locator("#do b")).to_have_text("Waits for the floorperson")
    validates = f"Validate {dollars(award['cents'])} of seat {award['seat']}"
    expect(floor.locator("#do b")).to_have_text(validates)
    expect(floor.get_by_role("button", name="Defer seat")).to_have_count(1)
    expect(page.get_by_role("button", name="Defer seat")).to_have_count(0)
    seen(floor, "won-floor", PHONE)
    floor.locator("#do").tap()
    expect(page.locator("#do b")).to_have_text(f"Seat {award['seat']} done")
    expect(page.locator(".checks")).to_have_count(0)


def test_8H2_a_short_stub_is_answered_and_proposed(house: House, new_page: NewPage) -> None:
    """The answers are buttons, and the one that takes two people is proposed at once."""
    stage, page = Stage(house, "short"), new_page(TABLET)
    stage.first_bets()
    while stage.table.rounds < 5:  # The stub of the fifth is counted (8.F).
        stage.next_round()
    take_over(page, stage, "Sho Ash", lambda name: page.get_by_role("button", name=name).click())
    stage.bets()
    stage.go_on(lambda desk: "stub" in str(desk["next"]["takes"]))
    page.fill("#read", "36")
    changed(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#do b")).to_have_text("Yes, they were")
    expect(page.locator("#acts button")).to_have_count(1)
    expect(page.locator("#acts button")).to_contain_text("No, cards were dealt wrongly")
    seen(page, "stub", TABLET, PHONE)
    page.keyboard.press("i")
    page.locator("#wrong-kinds button").filter(has_text="the count of the stub").press("Enter")
    expect(page.locator("#wrong-asks input")).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator("body").press(" ")
    expect(page.locator("#requests")).to_contain_text("Sho Ash asks")
    expect(page.locator("#phase")).to_have_text("stopped")


def test_5_4_a_round_that_is_over_is_voided_from_the_console(
    house: House, new_page: NewPage
) -> None:
    """Singapore 5.4: four cards at the dealer, seen when the last seat was settled already."""
    stage, page = Stage(house, "late"), new_page(TABLET)
    stage.first_bets()
    stage.played()
    stage.go_on(lambda desk: stage.table.place.standing.in_play is None)
    take_over(page, stage, "Lea Ash", lambda name: page.get_by_role("button", name=name).click())
    page.keyboard.press("i")
    (kind,) = page.locator("#wrong-kinds button").all()
    expect(kind).to_contain_text("wrong number of cards")
    kind.press("Enter")
    asks = page.locator("#wrong-asks")
    asks.get_by_role("button", name="Dealer").press("Enter")
    asks.get_by_role("button", name="No").press("Enter")
    expect(page.locator("#wrong-follows")).to_contain_text("5.4")
    expect(page.locator("#wrong-follows .effects")).to_contain_text("Take back first:Seat 1 $80")
    seen(page, "late", TABLET, PHONE)
    page.locator("#wrong-do").press("Enter")
    expect(page.locator("#requests")).to_contain_text("Lea Ash asks")
    expect(page.locator("#phase")).to_have_text("stopped")
    seen(page, "late-asked", TABLET, PHONE)


def test_a_round_by_touch_alone(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "touch"), new_page(UPRIGHT, has_touch=True)
    stage.second_round()
    take_over(page, stage, "Tap Ash", lambda name: page.get_by_role("button", name=name).tap())
    changed(page, lambda: page.get_by_role("button", name="Repeat all last bets").tap())
    for _ in range(60):
        desk, round = stage.desk, stage.table.place.standing.in_play
        if round is None:
            break
        if round.asked and not round.todo:
            changed(page, lambda: page.get_by_role("button", name="The rest").tap())
        elif desk["next"]["takes"] and desk["reads"]:
            due = card_due(stage)
            rank, suit = due[0], due[1]
            page.locator(f"#pad [data-rank='{rank}']").tap()
            key = page.locator(f"#pad [data-suit={suit}]")
            changed(page, key.tap)
        else:
            changed(page, lambda: page.locator("#do").tap())
    assert stage.table.place.standing.in_play is None
    assert phase(page) == "over" and stage.table.rounds == 2


def test_a_round_by_hand_and_a_dispute_are_entered_on_the_console(
    house: House, new_page: NewPage
) -> None:
    stage, page = Stage(house, "hand"), new_page(TABLET)
    stage.second_round()
    take_over(page, stage, "Han Ash", lambda name: page.get_by_role("button", name=name).click())
    changed(page, lambda: page.get_by_role("button", name="Repeat all last bets").click())
    page.keyboard.press("m")
    form = page.locator("#more-acts form", has_text="The system failed")
    round = stage.table.place.standing.in_play
    assert round is not None
    dealt = {"Seat 1": "2s 2h 2d", "Seat 3": "3s 3h 3d", round.rules.bank.label: "6h 6d 6c"}
    for label, cards in dealt.items():
        form.get_by_label(f"{label.lower()}: cards").fill(cards)
    for seat, option in ((1, "Play"), (2, "Fold"), (3, "Play")):
        form.locator("select").nth(seat - 1).select_option(label=f"Seat {seat}: {option}")
    picture(page, "by-hand")
    form.get_by_role("button").click()
    expect(page.locator("#requests")).to_contain_text("asks")
    (proposal,) = stage.table.place.standing.table.proposals
    stage.say(FLOOR, said.Approve("", proposal.id))
    expect(page.locator("#tape")).to_contain_text("The rest was played by hand")
    page.keyboard.press("Escape")
    while (round := stage.table.place.standing.in_play) is not None:
        assert round.by_hand
        changed(page, lambda: page.locator("#do").click())
    page.locator("[data-command=more]").click()
    note = page.locator("#more-acts form", has_text="Note a dispute")
    note.get_by_label("what is contested").fill("the raise was taken twice")
    note.get_by_role("button").click()
    expect(page.locator("#disputes")).to_contain_text("the raise was taken twice")
    page.keyboard.press("Escape")
    picture(page, "dispute")
    paper = page.request.get(f"{house.url}/tables/hand/by-hand")
    assert faults_of(paper.text()) == []
    page.goto(f"{house.url}/tables/hand/by-hand")
    picture(page, "by-hand-form")


def come_in(page: Page, house: House) -> None:
    """Come as a guest."""
    guest = page.request.post(f"{house.url}/api/guest", data={}, headers={"X-Croupier": "1"})
    assert guest.ok


def test_a_player_types_the_code_on_the_felt_to_sit_there(house: House, new_page: NewPage) -> None:
    table, page = house.table("codes"), new_page(PHONE)
    come_in(page, house)
    page.goto(f"{house.url}/tables/codes")
    # Who came is known before the table is: until then there is no seat to take.
    expect(page.locator('#dock[data-mode="sit"] [data-command="sit"]')).to_be_enabled()
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog", name="Sit at the felt")
    expect(dialog).to_contain_text("code that lies on the felt at seat 4; from elsewhere")
    expect(dialog).to_contain_text("(7.C).")
    code = dialog.get_by_label("Code on the felt")
    expect(code).to_be_focused()
    assert violations(page) == []
    for size in (PHONE, TABLET):
        resize(page, size)
        picture(page, f"seat-code-{size[0]}")
    page.keyboard.type("222222")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_contain_text("isn't the code that lies on the felt")
    assert not table.place.standing.table.seats
    dialog.get_by_label("Seat", exact=True).select_option("6")
    code.fill(table.seat_code(6).lower())
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    (seat,) = table.place.standing.table.seats
    assert seat == 6
    other = new_page(PHONE)
    come_in(other, house)
    other.goto(f"{house.url}/tables/codes?seat=2&code={table.seat_code(2)}")
    expect(other.locator("#seat-2[mine]")).to_have_count(1)
    assert sorted(table.place.standing.table.seats) == [2, 6]
    assert other.get_by_role("dialog").count() == 0


def test_the_floor_prints_the_codes(house: House, new_page: NewPage) -> None:
    page = new_page(TABLET)
    come(page, house, "Flo Oak", "floor", "codes")
    answer = page.goto(f"{house.url}/tables/codes/codes")
    assert answer is not None and faults_of(answer.text()) == []
    assert violations(page) == []
    for size in (PHONE, TABLET):
        resize(page, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        picture(page, f"codes-{size[0]}")
    page.emulate_media(media="print")
    expect(page.locator(".actions")).to_be_hidden()
    picture(page, "codes-print")


def test_shift_and_space_keep_a_whole_clause(house: House, new_page: NewPage) -> None:
    stage, page = Stage(house, "clause"), new_page(TABLET)
    stage.crew()
    stage.go_on(lambda desk: desk["life"] == "open")
    stage.do("table", {"type": "SeatWalkIn", "seat": 1})
    stage.go_on(lambda desk: desk["next"]["run"] > 1)
    take_over(page, stage, "Cle Ash", lambda name: page.get_by_role("button", name=name).click())
    step, duties = stage.desk["next"], stage.desk["duties"]
    expect(page.locator("#all b")).to_have_text(f"All {step['run']} of {step['group']}")
    page.keyboard.press("Shift+Space")
    expect(page.locator("#tape")).to_contain_text(duties[step["run"] - 1]["says"])
    assert stage.desk["duties"] == duties[step["run"] :]


def test_a_dealer_hands_over_in_their_own_session(house: House, new_page: NewPage) -> None:
    first, second = new_page(TABLET), new_page(TABLET)
    come(first, house, "Ida Ash", "dealer", "handover")
    first.get_by_role("button", name="Tap in as dealer").click()
    expect(first.locator("#dealer")).to_have_text("Ida Ash")
    come(second, house, "Una Ash", "dealer", "handover")
    second.get_by_role("button", name="Take over as dealer from Ida Ash").click()
    expect(first.locator("#requests")).to_contain_text("Una Ash asks: handover.")
    first.get_by_label("Your password, again").fill(PASSWORD)
    first.get_by_role("button", name="Approve").press("Enter")
    expect(second.locator("#dealer")).to_have_text("Una Ash")
    expect(first.get_by_role("button", name="Take over as dealer from Una Ash")).to_be_visible()
