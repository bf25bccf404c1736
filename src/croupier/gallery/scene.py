"""The scene of a table: what everyone may see of it, as plain data, and patches of it.

A scene is built up from what is public; cards are positions of the deck, and only faces that were
shown are in it. A page holds one scene and lays patches on it, as `patched` does.
"""

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import Any, NamedTuple

from croupier.errors import Bug
from croupier.house.clock import Company
from croupier.house.next_step import next_step
from croupier.house.now import Now
from croupier.house.standing import Standing
from croupier.money import format_money, shown_cents
from croupier.round.awards import open_awards
from croupier.round.bets import lack_of
from croupier.round.order import is_read
from croupier.round.plan import plan_of
from croupier.round.reasons import Reasons
from croupier.round.result import line_of
from croupier.round.state import Box, Line, Round, Void, is_walk_in
from croupier.round.view import choices
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.rules.words import dollars
from croupier.table.past import NEW
from croupier.table.proposals import is_stopped
from croupier.table.state import Table, bank_order

Scene = dict[str, Any]
BY_SEAT = ("seats", "boxes")
"""The parts that a patch changes seat by seat; it replaces all others."""
UNSAID = ("phase", "seats", "meters", "closed_wagers")
"""The parts that can change without an event at this table."""
CAN_WAIT = {"boxes", "cut"}
"""The parts that can be sent late: a bet asks nothing of other players, nor does a contribution."""
PHASES = {"bets": "bets", "deal": "dealing", "decide": "decide", "reveal": "reveal"}


class Seen(NamedTuple):
    """A scene, and what it was made from, so that unchanged parts can be kept."""

    now: Now
    scene: Scene


def scene_of(now: Now, names: Mapping[str, str], last: Seen | None = None) -> Scene:
    """Return the scene of a table; `names` says what players are called."""
    standing, company = now.standing, now.notes.company
    round, table = standing.round, standing.table
    commitment, order = standing.commitment, _bank_order(standing)
    return {
        "phase": _phase(standing, company),
        "seats": _seats(now, names, last),
        "commitment": commitment.digest if commitment else None,
        **({"deck": _deck_scene(table, names)} if is_read(table.rules) else {}),
        "cut": _cut_scene(standing),
        "bank_turn": order[0] if order else None,
        "bank_order": order,
        "passes": bool(table.rules.bank.rotation and table.rules.bank.rotation.passes),
        **_meters_scene(now),
        **(_round_scene(round, table, last) if round else _NO_ROUND),
        **(_STOPPED if is_stopped(table) else {}),
        **(
            {"attended": _attended(standing, names, company.stopped)}
            if "dealer" in table.rules.things
            else {}
        ),
    }


def _attended(standing: Standing, names: Mapping[str, str], stopped: str) -> Scene:
    """Return who deals, who is awaited, and the progressive wins that wait for the floor."""
    dealer, step = standing.table.crew.dealer, next_step(standing, stopped=stopped)
    called, round = names.get(dealer, dealer), standing.in_play
    return {
        "dealer": called or None,
        "awaits": [*step.by],
        "says": step.says,
        "clause": step.clause or None,
        "line": _line(called, step.by, round),
        "awards": _awards_scene(round) if round else [],
    }


def _awards_scene(round: Round) -> list[Scene]:
    return [
        {
            "seat": found.seat,
            "wager": found.wager,
            "label": round.rules.wagers[found.wager].label,
            "hand": found.hand,
            "sum": format_money(found.cents),
            "answer": found.answer or None,
        }
        for found in round.awards.values()
    ]


def _deck_scene(table: Table, names: Mapping[str, str]) -> Scene:
    """Return the history of a real deck, which stands where no commitment can."""
    number = table.round.deck if table.round else table.last_deck or table.deck_turn
    past, deck = table.past.get(number, NEW), table.decks.get(number)

    def called(person: str) -> str:
        return names.get(person, person)

    return {
        "number": number,
        "received_s": past.received_s,
        "inspected": [called(person) for person in past.inspected],
        "shuffled": called(past.shuffled),
        "stack": deck.stack if deck else None,
        "machine_counted": past.machine_counted,
        "cut": called(past.cut),
        "counted": past.counted,
        "uncounted": past.uncounted,
        "age_s": deck.age_s if deck else 0,
        "dealer": called(table.crew.dealer),
        "provable": False,
    }


def _line(dealer: str, by: tuple[str, ...], round: Round | None) -> str:
    """Say to players who deals, whom the table waits for, or which win the floor validates."""
    for found in open_awards(round) if round else ():
        won = dollars(found.cents) if found.cents else "Envy Bonuses"
        return f"seat {found.seat} wins {won}: the floor validates it"
    others = " or the ".join(one for one in by if one not in ("player", "dealer"))
    deals = f"dealt by {dealer}" if dealer else "a dealer has yet to come"
    return f"{deals}, waiting for the {others}" if others else deals


def _cut_scene(standing: Standing) -> Scene:
    """Return the round's contributions by player, and how many were withheld at this table."""
    cut, tally = standing.cut, standing.tally
    return {
        "hashes": {one.player: one.hash for one in cut.contributions},
        "values": {one.player: one.value for one in cut.contributions if one.value is not None},
        "made": cut.is_made,
        "contributed": tally.contributed,
        "withheld": tally.withheld,
    }


def _meters_scene(now: Now) -> Scene:
    """Return the parts of a scene that can change at other tables."""
    return {
        "meters": {id: format_money(shown_cents(m)) for id, m in sorted(now.meters.items())},
        "closed_wagers": dict(sorted(now.closed.items())),
    }


def bets_changed(last: Seen, now: Now) -> tuple[Scene, Scene] | None:
    """Return the scene and its patch where nothing but bets has changed; otherwise None.

    Most events are bets, and this is much quicker than making the whole scene.
    """
    was, standing = last.now.standing, now.standing
    before, round = was.round, standing.round
    if before is None or round is None or not before.boxes or not round.boxes:
        return None
    only_bets = (
        before.id == round.id
        and _is_betting(round)
        and before.stage is round.stage
        and before.banker is round.banker
        and before.void is round.void
        and was.table is standing.table
        and was.commitment is standing.commitment
        and was.cut is standing.cut
        and last.now.notes.company == now.notes.company
    )
    if not only_bets:
        return None
    had, boxes, known = before.boxes, round.boxes, last.scene["boxes"]
    others = [seat for seat, box in boxes.items() if had.get(seat) is not box]
    made = {str(seat): _box_scene(round, boxes[seat], []) for seat in others}
    gone = {str(seat): None for seat in had.keys() - boxes.keys()}
    changed = {seat: box for seat, box in (made | gone).items() if box != known.get(seat)}
    patch: Scene = {"boxes": changed} if changed else {}
    if standing.table.rules.meters:
        parts = _meters_scene(now).items()
        patch |= {part: shown for part, shown in parts if shown != last.scene[part]}
    return patched(last.scene, patch), patch


def _seats(now: Now, names: Mapping[str, str], last: Seen | None) -> Scene:
    company, seats = now.notes.company, now.standing.table.seats
    if last and last.now.notes.company == company and last.now.standing.table.seats is seats:
        kept: Scene = last.scene["seats"]
        return kept
    return {
        str(seat): {
            "player": player,
            "name": names.get(player, player),
            "present": player in company.present or is_walk_in(player),
            "ready": seat in company.ready,
        }
        for seat, player in sorted(seats.items())
    }


def _phase(standing: Standing, company: Company) -> str:
    round = standing.round
    if round is None or (round.closed and not standing.table.seats):
        return "waiting" if company.open else "closed"
    if round.closed:
        return "over" if company.open else "closed"
    return PHASES.get(round.stage.do if round.stage else "", "settle")


def _bank_order(standing: Standing) -> list[int]:
    """Return the seats that may bank the next round, in turn, until one has taken the bank."""
    if standing.in_play or standing.table.banker:
        return []
    return list(bank_order(standing.table))


_NO_ROUND: Scene = {
    "round": None,
    "step": None,
    "asked": None,
    "asks": None,
    "choices": [],
    "boxes": {},
    "places": {},
    "faces": {},
    "plays": None,
    "banker": None,
    "order": [],
    "void": None,
}


_STOPPED: Scene = {"asked": None, "asks": None, "choices": []}
"""Nobody is asked anything while a second person is: whether the round is void."""


def _round_scene(round: Round, table: Table, last: Seen | None) -> Scene:
    asked = round.asked[0] if round.asked and not round.due else None
    void = round.void
    return {
        "round": round.id,
        "step": round.rules.sequence[round.at][0] if round.step else None,
        "asked": asked,
        "asks": _asks(round) if asked else None,
        "choices": [
            {key: c[key] for key in ("option", "label", "key")} | {"says": _comes_to(round, c)}
            for c in choices(round)
        ],
        "boxes": _boxes(round, last),
        "places": {place: list(positions) for place, positions in round.places.items()},
        "faces": {str(position): str(card) for position, card in sorted(round.faces.items())},
        "plays": _bank_plays(round),
        "banker": _banker_scene(round, table),
        "order": [] if void else list(round.order),
        "void": _void_scene(round.rules, void) if void else None,
    }


def _banker_scene(round: Round, table: Table) -> Scene | None:
    """Return who banks with what and, if known, for how many rounds in a row."""
    banker, turn = round.banker, table.turn
    if banker is None:
        return None
    return {
        "seat": banker.seat,
        "player": banker.player,
        "funds": format_money(banker.funds),
        "net": format_money(round.bank_result.net) if round.bank_result else None,
        "running": turn.rounds if turn and turn.player == banker.player else None,
    }


def _asks(round: Round) -> str | None:
    """Return the spot whose stake may be taken back now: what the question is about."""
    step = round.step
    if step is None or step.asks is None:
        return None
    ends = [option.stakes.get(step.asks) for option in step.option.values()]
    return step.asks if any(end and end.fate == "take back" for end in ends) else None


def _comes_to(round: Round, choice: Mapping[str, Any]) -> str:
    """Say what a choice costs or brings back: "bet $5 more", "lose $16", "take $10 back"."""
    step, box = round.step, round.boxes[choice["seat"]]
    if step is None:
        return ""
    option = step.option[choice["option"]]
    live = {spot: stake.cents for spot, stake in box.stakes.items() if stake.fate == "live"}
    fates = {spot: end.fate for spot, end in option.stakes.items() if spot in live}
    said = []
    if option.places and option.equals in live:
        said.append(f"bet {dollars(live[option.equals] * option.times)} more")
    for fate, words in (("forfeit", "lose {}"), ("take back", "take {} back")):
        if sum_ := sum(live[spot] for spot, end in fates.items() if end == fate):
            said.append(words.format(dollars(sum_)))
    if step.asks and fates.get(step.asks) == "take back":
        said[-1] += f" from {round.rules.label(step.asks)}"
    if not said and step.asks in live:
        said.append(f"keep {dollars(live[step.asks])} on {round.rules.label(step.asks)}")
    return ", ".join(said)


def _bank_plays(round: Round) -> bool | None:
    """Tell whether the bank's hand qualifies, once all of it is shown; None before, or always."""
    cards = round.places.get(BANK, ())
    if round.rules.bank.qualifier is None or round.void or not cards:
        return None
    if any(position not in round.faces for position in cards):
        return None
    plan = plan_of(round.rules)
    return plan.strength(tuple(round.faces[p] for p in cards)) >= plan.qualifying


def _void_scene(rules: TableRules, void: Void) -> Scene:
    says = rules.irregularities[void.kind].says if void.kind else void.because
    return {"clause": void.clause, "ruling": void.ruling, "says": says}


def _boxes(round: Round, last: Seen | None) -> Scene:
    before = last.now.standing.round if last else None
    if last and before and before.id == round.id and not (round.lines or round.closed):
        known: Scene = last.scene["boxes"]
        if round.boxes.keys() == before.boxes.keys():
            # Before the settlement, a box alone determines its part of the scene.
            seats = [seat for seat, box in round.boxes.items() if before.boxes[seat] is not box]
            return {**known, **{str(s): _box_scene(round, round.boxes[s], []) for s in seats}}
    reasons = Reasons(round) if round.closed else None
    lines: dict[int, list[Scene]] = {}
    for line in round.lines:
        lines.setdefault(line.seat, []).append(told(round.rules, line, reasons))
    return {
        str(seat): _box_scene(round, box, lines.get(seat, []))
        for seat, box in sorted(round.boxes.items())
    }


def _box_scene(round: Round, box: Box, lines: list[Scene]) -> Scene:
    net = sum(line.net for line in round.lines if line.seat == box.seat) - box.fee
    lack = lack_of(round.rules, box) if _is_betting(round) else None
    return {
        "player": box.player,
        "hand": box.hand,
        "cards": list(box.cards),
        "stakes": {s: [format_money(stake.cents), stake.fate] for s, stake in box.stakes.items()},
        "chose": dict(box.chose),
        "folded": box.folded,
        "abandoned": box.abandoned,
        "lines": lines,
        "lacks": {"says": lack.refusal.message, "clause": lack.refusal.clause} if lack else None,
        "fee": format_money(box.fee),
        "net": format_money(net) if round.closed else None,
    }


def _is_betting(round: Round) -> bool:
    return round.stage is not None and round.stage.do == "bets"


def told(rules: TableRules, line: Line, reasons: Reasons | None) -> Scene:
    """Return a settled line as plain data, with its label and its reason in words."""
    why = reasons.why(line) if reasons else ""
    row = reasons.row(line) if reasons else None
    label = rules.label(line.wager)
    return {**line_of(line), "label": label, "because": why, "row": list(row) if row else None}


# ---------------------------------------------------------------- patches


def patch_of(before: Scene, after: Scene) -> Scene:
    """Return what changed from one scene to the next. All scenes have the same key order."""
    new = compress(after, map(is_not, after.values(), before.values()))
    return {key: _change(key, before[key], after[key]) for key in new if before[key] != after[key]}


def _change(key: str, then: Any, now: Any) -> Any:
    if key not in BY_SEAT or not isinstance(then, dict):
        return now
    gone = {seat: None for seat in then if seat not in now}
    return {**gone, **{seat: x for seat, x in now.items() if then.get(seat) != x}}


def patched(scene: Scene, patch: Scene) -> Scene:
    """Lay a patch on a scene, as every page does."""
    after = dict(scene)
    for key, now in patch.items():
        if key in BY_SEAT and isinstance(scene.get(key), dict):
            if not isinstance(now, dict):
                raise Bug(f"a patch of {key} goes seat by seat")
            merged = {**scene[key], **now}
            for seat in [seat for seat, changed in now.items() if changed is None]:
                del merged[seat]
            after[key] = merged
        else:
            after[key] = now
    return after
