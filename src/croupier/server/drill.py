"""What a dealer who practises did otherwise than the book says, and what it costs. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from croupier.errors import Refused
from croupier.ledger.tape import in_words
from croupier.money import format_money, parse_money
from croupier.rules.words import dollars


class Deviation(NamedTuple):
    """One thing that was done otherwise than the book says."""

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


class Happening(NamedTuple):
    """Something that goes wrong by the script, and what the book makes of it."""

    round: str
    kind: str
    facts: Mapping[str, object]
    says: str
    clause: str | None
    returns: Mapping[int, int]
    """The cents that each seat gets back by the book."""
    calls: bool = False
    """Whether the floor declares it alone, so that the dealer calls the floor."""

    def cost(self, paid: Mapping[int, int]) -> int:
        """Return by how much the seats got something else than the book gives them."""
        return sum(abs(paid.get(seat, 0) - cents) for seat, cents in self.returns.items())


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


def unasked(command: Mapping[str, Any], desk: Mapping[str, Any], *, round: str) -> Deviation | None:
    """Name an act that is neither the next step nor an answer to it; None if it is one.

    The table does what may be done at any time, asked for or not. A sum that it hands out is lost.
    """
    kind, step = command.get("type"), desk["next"]
    answers = [act for act in desk["acts"] if "topic" not in act]
    if kind in [one["command"]["type"] for one in (step, *answers) if one["command"]]:
        return None
    offered = [act["says"] for act in desk["acts"] if act["command"]["type"] == kind]
    what = offered[0].rstrip(".") if offered else in_words(str(kind)).capitalize()
    says = f"That wasn't the next step ({what}). The book's next step: {step['says'].rstrip('.')}"
    given = command.get("cents")
    cents = given if isinstance(given, int) and command.get("to", "player") == "player" else 0
    return Deviation(round, says, step["clause"], cents, "" if cents else "no money moved")


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
