"""What a trainee did differently from the book, and what it costs. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from croupier.cards import Card, parse_cards
from croupier.errors import Refused, UserError
from croupier.ledger.tape import in_words
from croupier.money import format_money, parse_money
from croupier.round.commands import Misread
from croupier.round.state import Round
from croupier.rules.words import dollars
from croupier.server.mishaps import Happening
from croupier.server.showing import Cue
from croupier.table.commands import CloseTable, CorrectPay, Receive

ANSWER = "answer"
"""The field in which a trainee says what to take and pay."""
MENDS = (CorrectPay.__name__, Misread.__name__)
"""Acts that put something right; they may be done beside the next step."""
MAY = (Receive.__name__, CloseTable.__name__)
"""Acts that people decide on: a deck may be changed before the book demands it."""
SUM, SUMS = "cents", ("cents", "funds")


class Deviation(NamedTuple):
    """One thing that was done differently from the book."""

    round: str
    says: str
    clause: str | None
    cents: int = 0
    """What it costs somebody."""
    free: str = ""
    """Why it costs nothing."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {**self._asdict(), "dollars": format_money(self.cents)}


def given_payout(text: str) -> tuple[int, int]:
    """Read what a dealer takes and pays at a seat: "25 35", in dollars."""
    words = text.replace("$", " ").split()
    if len(words) != 2:
        message = "write what you take and what you pay, in dollars: 25 35"
        raise Refused("bad_fact", message, field="answer")
    take, pay = (parse_money(word, "answer") for word in words)
    return take, pay


def judged_payout(
    settling: Mapping[str, Any], given: tuple[int, int], *, round: str
) -> Deviation | None:
    """Compare what a dealer would take and pay at a seat with the book; None if it is right."""
    took, paid = given
    take, pay = int(settling["take"]), int(settling["pay"])
    if (took, paid) == (take, pay):
        return None
    wrong = "pay" if paid != pay else "take"
    clauses = [line["clause"] or line["ruling"] for line in settling["lines"] if line[wrong]]
    others = [line["clause"] or line["ruling"] for line in settling["lines"]]
    says = (
        f"At seat {settling['seat']} you take {dollars(took)} and pay {dollars(paid)}; "
        f"the book takes {dollars(take)} and pays {dollars(pay)}"
    )
    clause = next(iter([*clauses, *others]), None)
    return Deviation(round, says, clause, abs(took - take) + abs(paid - pay))


def out_of_order(
    refused: Mapping[str, Any], expected: Mapping[str, Any], *, round: str
) -> Deviation:
    """Name what the table refused; a refusal without a clause breaks that of the expected step."""
    says = f"Refused: {refused['message']}"
    if expected.get("says"):
        says = f"{says}; the book has: {expected['says'].rstrip('.')}"
    clause = refused["clause"] or expected.get("clause")
    return Deviation(round, says, clause, free="the table refused it, so no money moved")


def missing(there: Happening) -> str:
    """Say what was left undone about something that went wrong."""
    undone = "Not noted" if there.waits else "Not declared"
    return f"{'The floor was not called' if there.calls else undone}: {there.says}"


def needless_call(step: Mapping[str, Any], *, round: str) -> Deviation:
    """Name a call of the floor that nothing asks for."""
    says = f"Nothing asked for the floor. The book's next step: {step['says'].rstrip('.')}"
    return Deviation(round, says, step["clause"], free="no money moved")


def unasked(command: Mapping[str, Any], desk: Mapping[str, Any], *, round: str) -> Deviation | None:
    """Name an act that is neither the next step nor an answer to it; None if it is one.

    The table does what may be done at any time, asked for or not. A sum that it hands out is lost.
    """
    kind, step = command.get("type"), desk["next"]
    if kind in {one["type"] for one in _asked(desk)}:
        return None
    offered = [act["says"] for act in desk["acts"] if act["command"]["type"] == kind]
    what = offered[0].rstrip(".") if offered else in_words(str(kind)).capitalize()
    says = f"That wasn't the next step ({what}). The book's next step: {step['says'].rstrip('.')}"
    given = command.get("cents")
    cents = given if isinstance(given, int) and command.get("to", "player") == "player" else 0
    return Deviation(round, says, step["clause"], cents, "" if cents else "no money moved")


def _asked(desk: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what is in order now: the step, its answers, chips, corrections, and what is free."""
    free = (*MENDS, *MAY)
    acts = [act for act in desk["acts"] if "topic" not in act or act["command"]["type"] in free]
    for one in (desk["next"], desk["read"], desk["last_read"], *desk["meanwhile"], *acts):
        if one and one["command"]:
            yield one["command"]
    for spot in desk["spots"]:
        yield from (spot[name] for name in ("put", "take") if spot[name])


# ---------------------------------------------------------------- real cards and chips


def wrong_entry(
    command: Mapping[str, Any], seen: Sequence[Cue], step: Mapping[str, Any], *, round: str
) -> Iterator[Deviation]:
    """Yield what was counted, read or copied wrongly."""
    for sight in seen:
        if sight.field not in command:
            continue
        given = command[sight.field]
        if isinstance(sight.value, Card):
            with suppress(UserError):
                (given,) = parse_cards(str(given))
        elif sight.field == SUM and command.get("chips"):
            given = sum(int(chip) * many for chip, many in command["chips"].items())
        if given != sight.value:
            is_sum = isinstance(given, int) and sight.field in SUMS
            says = f"You enter {dollars(given) if is_sum else given}. {sight.says}"
            yield Deviation(round, says, step["clause"], free="nobody is paid on it yet")


def wrong_bets(
    round: Round, told: Mapping[tuple[int, str], int], desk: Mapping[str, Any]
) -> Iterator[Deviation]:
    """Yield the bets that were entered differently from how they were put down."""
    for spot in desk["spots"]:
        seat, wager = spot["seat"], round.rules.wagers[spot["wager"]]
        given, put = spot["cents"], told.get((seat, spot["wager"]), 0)
        if given != put:
            says = f"Seat {seat} put {dollars(put)} on {wager.label}; you entered {dollars(given)}"
            yield Deviation(round.id, says, wager.clause, abs(given - put))


def wrong_choice(
    round: Round, seat: int, options: tuple[str, str], nets: Sequence[int | None]
) -> Deviation:
    """Name a decision that was entered differently from what the player said."""
    step = round.rules.sequence[round.at][1]
    said, given = (step.option[option] for option in options)
    says = f"Seat {seat} said {said.label}; you entered {given.label}"
    first, second = (0 if net is None else net for net in nets)
    cents = abs(first - second) if None not in nets else sum(_stakes(round, seat))
    free = "" if cents else "the result is the same"
    return Deviation(round.id, says, given.clause or step.clause, cents, free)


def _stakes(round: Round, seat: int) -> Iterator[int]:
    return (stake.cents for stake in round.boxes[seat].stakes.values())


def settled_wrongly(done: Mapping[str, Any], right: Mapping[str, Any], *, round: str) -> Deviation:
    """Name a seat that is settled on a card that was misread."""
    moved = sum(abs(done[name] - right[name]) for name in ("take", "pay"))
    wrong = [one for one, by in zip(right["lines"], done["lines"], strict=False) if one != by]
    clause = next((one["clause"] or one["ruling"] for one in wrong), None)
    says = (
        f"Seat {done['seat']} is settled on a card that was misread: {done['says'].rstrip('.')}, "
        f"where the cards say: {right['says'].rstrip('.')}"
    )
    return Deviation(round, says, clause, moved, "" if moved else "the result is the same")


def report_of(
    deviations: Sequence[Deviation],
    *,
    title: str,
    seed: int,
    dealt: int,
    of: int,
    settled: int,
    right: int,
) -> dict[str, Any]:
    """Return the report of a practice: rounds dealt of all, seats settled and of these right."""
    cents = sum(one.cents for one in deviations)
    return {
        "title": title,
        "seed": seed,
        "rounds": dealt,
        "of": of,
        "settled": settled,
        "right": right,
        "costs": format_money(cents),
        "deviations": [one.as_json() for one in deviations],
    }
