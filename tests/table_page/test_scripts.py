"""The modules of the page: their own tests in Node, and what they may not name."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from croupier.fairness.commitment import commit
from croupier.fairness.cut import NO_CUT, contribution_hash, document_of, roll_of
from croupier.fairness.events import Contributed, DeckCut, Revealed
from croupier.fairness.shuffle import shuffled
from croupier.gallery.scene import patched
from croupier.hands.hand import Hand
from croupier.server.pages.static import shipped
from tests.table_page.recording import RECORDINGS, entropy

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
STATIC = ROOT / "src/croupier/web/static"
MODULES = sorted(name for name in shipped() if name.endswith(".js"))
NODE = str(Path(sys.executable).with_name("node"))


def node(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([NODE, *arguments], input=given, capture_output=True, text=True, cwd=ROOT)


def test_the_pure_parts_in_node() -> None:
    run = node("--test", "--test-reporter=tap", *map(str, sorted(HERE.glob("*.test.mjs"))))
    assert run.returncode == 0, run.stdout
    assert re.search(r"# pass [1-9]\d", run.stdout)


@pytest.mark.parametrize("file", sorted(RECORDINGS.glob("*.json")), ids=lambda file: file.stem)
def test_a_recording_is_what_the_server_says(file: Path) -> None:
    recording = json.loads(file.read_text())
    scene: dict[str, object] = {}
    for frame in recording["frames"]:
        if frame["type"] == "welcome":
            scene = frame["scene"]
        elif frame["type"] == "news":
            scene = patched(scene, frame["scene"])
    assert scene == recording["scene"]


def test_a_proof_is_worked_out_in_javascript() -> None:
    deck = shuffled(entropy())
    committed = commit(deck, entropy(), round="t-1", rules="ab" * 32)
    good = committed.document([0, 7, 51])
    other = commit(deck, entropy(), round="t-2", rules="ab" * 32).document([0])
    wrong_card = json.loads(json.dumps(good))
    wrong_card["opened"][1]["card"] = str(deck[8])
    wrong_salt = json.loads(json.dumps(good))
    wrong_salt["opened"][0]["salt"] = "00" * 16
    noted = committed.commitment.digest
    program = (
        f"import {{ check }} from '{(STATIC / 'js/proof.js').as_uri()}';"
        "import { readFileSync } from 'node:fs';"
        "const [documents, noted] = JSON.parse(readFileSync(0, 'utf8'));"
        "const found = [];"
        "for (const one of documents) found.push(await check(one, noted)"
        "  .then((cards) => cards.map((card) => card.proven), (error) => error.message));"
        "console.log(JSON.stringify(found));"
    )
    documents = [good, wrong_card, wrong_salt, other]
    given = json.dumps([documents, noted])
    run = node("--input-type=module", "-e", program, given=given)
    assert run.returncode == 0, run.stderr
    right, card, salt, foreign = json.loads(run.stdout)
    assert right == [True, True, True]
    assert card == [True, False, True]
    assert salt == [False, True, True]
    assert "commitment" in foreign


def test_a_browser_works_out_the_players_cut_as_the_engine_does() -> None:
    deck = shuffled(os.urandom)
    committed = commit(deck, os.urandom, round="t-1", rules="ab" * 32)
    commitment, documents = committed.commitment, []
    for count in (1, 2, 7):
        values = {f"p{n}": f"{'~ zZ0'[n % 5]} {os.urandom(16).hex()}" for n in range(count)}
        cut = NO_CUT
        for player, value in {**values, "idle": "x" * 32}.items():
            hash = contribution_hash("t-1", player, value)
            cut = cut.after(Contributed("t-1", player, hash), commitment)
        for player, value in values.items():
            cut = cut.after(Revealed("t-1", player, value), commitment)
        cut = cut.after(DeckCut("t-1", cut.withheld), commitment)
        roll = roll_of(one.hash for one in cut.contributions)
        noted = {"value": values["p0"], "roll": roll}
        documents.append([document_of(committed, cut, range(9)), cut.order, noted])
    program = (
        f"import {{ check, cutFault, orderOf }} from '{(STATIC / 'js/proof.js').as_uri()}';"
        "import { readFileSync } from 'node:fs';"
        "const [documents, noted] = JSON.parse(readFileSync(0, 'utf8'));"
        "const found = [];"
        "for (const [one, order, mine] of documents) {"
        "  const cards = await check(one, noted);"
        "  const forged = structuredClone(one); forged.cut[0].value += '.';"
        "  const left = structuredClone(one); left.cut[0].value = null;"
        "  found.push([(await orderOf(one)).join() === order.join(),"
        "    cards.every((card) => card.proven && card.dealt < 9),"
        "    await cutFault(one, mine), await cutFault(left, mine),"
        "    await cutFault(one, { ...mine, roll: 'ab' }),"
        "    await orderOf(forged).catch((error) => error.message)]);"
        "}"
        "console.log(JSON.stringify(found));"
    )
    given = json.dumps([documents, commitment.digest])
    run = node("--input-type=module", "-e", program, given=given)
    assert run.returncode == 0, run.stderr
    for same, proven, none, left, added, forged in json.loads(run.stdout):
        assert (same, proven, none) == (True, True, "")
        assert left.startswith("Your contribution was left out")
        assert added.startswith("The contributions are not those")
        assert forged == "A contribution is not the one whose hash was sent."


def test_hands_are_named_as_the_engine_names_them() -> None:
    """The page names cards that only one player sees; the server names all others."""
    three = list(combinations(range(52), 3))[::7]
    five = list(combinations(range(52), 5))[::2_311]
    royals = [range(suit * 13 + 13 - size, suit * 13 + 13) for suit in range(4) for size in (3, 5)]
    hands = [Hand.of(cards) for cards in (*three, *five, *royals)]
    program = (
        f"import {{ handName }} from '{(STATIC / 'js/hands.js').as_uri()}';"
        "import { readFileSync } from 'node:fs';"
        "const hands = JSON.parse(readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(hands.map((codes) => handName(codes))));"
    )
    given = json.dumps([[str(card) for card in hand.cards] for hand in hands])
    run = node("--input-type=module", "-e", program, given=given)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [hand.words for hand in hands]


def test_no_module_names_a_book_a_game_or_a_wager() -> None:
    """What the architecture says of Python holds in the browser as well."""
    names: set[str] = set()
    for file in (ROOT / "src/croupier/rulebooks").glob("*.toml"):
        book = tomllib.loads(file.read_text())
        names |= {file.stem}
        for table in ("bonus", "envy", "extra", "meter", "paytable", "wager"):
            names |= {name for name in book.get(table, {}) if name not in book}
    words = {"play"}  # The name of a command: to play a replay, to play here.
    own = [name for name in MODULES if name.startswith("js/")]
    for name in own:
        text = re.sub(r"/\*.*?\*/", "", shipped()[name].plain.decode(), flags=re.DOTALL)
        for quoted in re.findall(r'"(?:[^"\\\n]|\\.)*"', text):
            assert ast.literal_eval(quoted) not in names - words, (name, quoted)
