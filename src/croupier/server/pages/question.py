"""A question about odds in a query string: `book`, `select.K`, `bet.W`, `meter.M` and so on.

An empty form field counts as absent. Sizes are bounded because anybody may ask.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from croupier.cards import Card, parse_cards
from croupier.errors import Breach, Breaches, CroupierError, ParseError, UserError, quoted
from croupier.money import parse_fraction
from croupier.odds.payoffs import place_cards
from croupier.reports.answers import answer, answer_json, toml_value
from croupier.reports.par import WagerSheet, wager_sheet
from croupier.rules.book import Rules
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT
from croupier.rules.words import clause_says
from croupier.server.pages.errors import FieldFault, faults_of, status_of
from croupier.server.pages.shelf import Busy, Shelf

if TYPE_CHECKING:
    from croupier.odds.analysis import Analysis

KINDS = ("select", "bet", "meter")
PLAIN = ("book", "others", "strategy", "seen")
FIELDS_MAX, CHARS_MAX = 120, 1_000
PARTS_MAX = 1_000_000
"""The largest stake, and the finest part of a unit."""
METER_MAX = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, as it was written."""

    book: str
    select: Mapping[str, str] = field(default_factory=dict)
    bet: Mapping[str, str] = field(default_factory=dict)
    meter: Mapping[str, str] = field(default_factory=dict)
    others: str = ""
    strategy: str = ""
    seen: str = ""

    def items(self, prefix: str = "", *, without: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Return the query fields that ask this question."""
        pairs = [("book", self.book)]
        for kind in KINDS:
            pairs += [(f"{kind}.{name}", text) for name, text in getattr(self, kind).items()]
        pairs += [(name, getattr(self, name)) for name in PLAIN if name != "book"]
        left_out = {*without}
        return [(prefix + name, text) for name, text in pairs if name.split(".")[0] not in left_out]

    @property
    def others_count(self) -> int:
        if not self.others:
            return 0
        if not self.others.isascii() or not self.others.isdigit() or len(self.others) > 4:
            raise UserError(f"{quoted(self.others)} is not a number of players", field="others")
        return int(self.others)

    @property
    def seen_cards(self) -> tuple[Card, ...]:
        try:
            return parse_cards(self.seen)
        except ParseError as error:
            raise ParseError(error.message, field="seen") from None

    def dropping(self, fields: Collection[str]) -> "Question":
        """Return the same question without some of its query fields."""
        return read((name, text) for name, text in self.items() if name not in fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsAnswer:
    """An answer: each analysis formatted for people, and all of them as JSON."""

    sheets: Mapping[str, WagerSheet]
    """Keyed by the wager each was made for."""
    left_out: tuple[str, ...]
    """Labels of the wagers left out because they need a meter's value."""
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a question: an answer, or its faults."""

    question: Question
    book: Rulebook
    rules: TableRules | None = None
    answer: OddsAnswer | None = None
    faults: Sequence[FieldFault] = ()
    status: int = 200
    dropped: tuple[str, ...] = ()
    """Fields of another book's question that don't fit this one."""

    def fault(self, name: str) -> str:
        """Return the fault of a field."""
        return "; ".join(_says(fault) for fault in self.faults if fault["field"] == name)


def find(shelf: Shelf, asked: Question) -> Found:
    """Return the answer to a question, or its faults; raise if the book doesn't exist."""
    book = book_of(shelf, asked)
    try:
        rules = table_of(shelf, asked)
        return Found(question=asked, book=book, rules=rules, answer=answer_to(shelf, rules, asked))
    except (CroupierError, Busy) as error:
        faults = [
            {**fault, "label": field_says(book.rules, fault["field"])} for fault in faults_of(error)
        ]
        return Found(question=asked, book=book, faults=faults, status=status_of(error))


def field_says(rules: Rules, name: str | None) -> str | None:
    """Name a query field in the words of a book."""
    kind, _, id = (name or "").partition(".")
    match kind:
        case "select" if id in rules.selection:
            return rules.selection[id].says.removeprefix("the ")
        case "bet" if id in rules.wager:
            return f"bet on {rules.wager[id].label}"
        case "meter":
            return "what the meter shows"
        case "others":
            return "other players"
        case "seen":
            return "cards that you have seen"
        case _:
            return name


def find_what_fits(shelf: Shelf, asked: Question) -> Found:
    """Return the answer to as much of a question as makes sense for its book."""
    dropped: list[str] = []
    while True:
        found = find(shelf, asked)
        given = {name for name, text in asked.items() if text and name != "book"}
        wrong = {str(fault["field"]) for fault in found.faults} & given
        if not wrong:
            return replace(found, dropped=tuple(dropped))
        dropped += sorted(wrong)
        asked = asked.dropping(wrong)


def _says(fault: FieldFault) -> str:
    cited = f" ({clause_says(fault['clause'])})" if fault["clause"] else ""
    return f"{fault['message']}{cited}"


def filled_in(
    items: Iterable[tuple[str, str]], kinds: Collection[str], plain: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the fields that are filled in; refuse unknown, repeated and overlong ones."""
    seen: set[str] = set()
    for count, (name, text) in enumerate(items):
        if count >= FIELDS_MAX or len(name) > CHARS_MAX or len(text) > CHARS_MAX:
            raise UserError("is too long for an address", field=name[:40])
        kind, dot, id = name.partition(".")
        if (kind not in kinds or not id) if dot else name not in plain:
            raise UserError("is not a field of this page", field=name)
        if name in seen:
            raise UserError("appears twice", field=name)
        seen.add(name)
        if text.strip():
            yield name, text


def read(items: Iterable[tuple[str, str]], default: str | None = None) -> Question:
    """Parse query fields; refuse unknown and repeated ones."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    plain: dict[str, str] = {}
    for name, text in filled_in(items, KINDS, PLAIN):
        kind, dot, id = name.partition(".")
        (found[kind] if dot else plain)[id or name] = text.strip()
    book = plain.pop("book", default)
    if book is None:
        raise UserError("is missing; name a rulebook", field="book")
    return Question(book=book, **plain, **found)  # type: ignore[arg-type]


def book_of(shelf: Shelf, asked: Question) -> Rulebook:
    try:
        return shelf.book(asked.book)
    except UserError as error:
        raise UserError(error.message, field="book") from None


def table_of(shelf: Shelf, asked: Question) -> TableRules:
    """Return the rules of the table that a question is about."""
    book = book_of(shelf, asked)
    unknown = [name for name in asked.select if name not in book.rules.selection]
    if unknown:
        raise Breaches(
            Breach(selection=name, message="is not a selection of this book") for name in unknown
        )
    return resolve(book, {name: toml_value(text) for name, text in asked.select.items()})


def answer_to(shelf: Shelf, rules: TableRules, asked: Question) -> OddsAnswer:
    """Return the answer to a question, from the cache if it is there."""
    for kind, texts in (("bet", asked.bet), ("meter", asked.meter)):
        check_sizes(kind, texts)
    bet, meters = dict(asked.bet) or None, dict(asked.meter) or None
    others, strategy, seen = asked.others_count, asked.strategy or None, asked.seen_cards

    def work() -> OddsAnswer:
        found = answer(rules, bet, meters=meters, others=others, strategy=strategy, seen=seen)
        return answer_of(rules, found, whole=not (bet or strategy))

    key = (rules.digest, *asked.items(without=("book", "select")))
    return shelf.answers.get(key, work, heavy=bool(seen) or is_heavy(rules, bet))


def answer_of(rules: TableRules, found: "Iterable[Analysis]", *, whole: bool) -> OddsAnswer:
    """Format analyses for people and for programs."""
    listed = list(found)
    made_for = [[*one.bet][-1] for one in listed]
    asked = [name for name, wager in rules.wagers.items() if wager.placed == "before the deal"]
    return OddsAnswer(
        sheets={name: wager_sheet(one) for name, one in zip(made_for, listed, strict=True)},
        left_out=tuple(rules.wagers[w].label for w in asked if whole and w not in made_for),
        document=answer_json(rules, listed),
    )


def check_sizes(kind: str, texts: Mapping[str, str]) -> None:
    """Refuse numbers so large that they are slow to compute with; no table uses such."""
    for name, text in texts.items():
        value = parse_fraction(text, f"{kind} {name}")
        if kind == "bet" and max(value.numerator, value.denominator) > PARTS_MAX:
            message = f"{quoted(text)} is not a size that a bet can have"
            raise UserError(message, field=f"bet {name}")
        if kind == "meter" and (value > METER_MAX or value.denominator > PARTS_MAX):
            message = f"{quoted(text)} is not an amount that a meter can show"
            raise UserError(message, field=f"meter {name}")


def is_heavy(rules: TableRules, bet: Mapping[str, str] | None) -> bool:
    """Whether counting may take seconds: six cards combined, or a bet on cards in two places."""
    names = [name for name in bet or rules.wagers if name in rules.wagers]
    tables = [rules.paytables[t] for name in names if (t := rules.wagers[name].paytable)]
    seen = [[place for place in table.of if place != SEAT] for table in tables]
    if any(sum(place_cards(rules, place) for place in places) > 2 for places in seen):
        return True
    against = {BANK} if len(tables) < len(names) else set()
    return bet is not None and len(against.union(*seen)) > 1
