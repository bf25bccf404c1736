"""What can go wrong, as one tree that callers can catch at the level they need.

    CroupierError
    ├── UserError       the input or the call is wrong; the program ends with 2
    │   ├── ParseError    something can't be read (also a ValueError)
    │   │   └── Problems  all faults of one piece of data at once, each a Problem
    │   ├── Refused       the rules don't allow a command now; it has a stable code
    │   └── Breaches      all ways in which an operator's selections break the book, each a Breach
    ├── MissingExtra      an optional package is needed; the program ends with 3
    └── Bug               one of our own invariants is broken

Only the edges (the command line, the server) catch these. `str` of each is what a person reads;
programs read the attributes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from shlex import quote
from typing import ClassVar, Self

QUOTED_CHARS_MAX = 40


def quoted(value: object) -> str:
    """Return a value as it was given, for a message, cut where it is absurdly long."""
    try:
        text = repr(value) if isinstance(value, str | bytes) else str(value)
    except ValueError:
        return "a number of thousands of digits"  # Python does not print those.
    return text if len(text) <= QUOTED_CHARS_MAX else text[:QUOTED_CHARS_MAX] + "…"


FIELD_MAX = 120


def quoted_field(field: str) -> str:
    """Return a field's name, cut where a caller made it absurdly long."""
    return field if len(field) <= FIELD_MAX else field[:FIELD_MAX] + "…"


class CroupierError(Exception):
    """Anything that this package raises on purpose."""


class UserError(CroupierError):
    """The input or the call is wrong: one sentence, the field at fault, the clause it breaks."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, field: str | None = None, clause: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.clause = clause

    def __str__(self) -> str:
        field = f"{quoted_field(self.field)}: " if self.field else ""
        clause = f" ({self.clause})" if self.clause else ""
        return f"{field}{self.message}{clause}"


class ParseError(UserError, ValueError):
    """Something given cannot be read as a card, a hand, a sum, …"""


class Code(StrEnum):
    """Every reason for a refusal: its code, the HTTP status that goes with it, and its meaning.

    Most are 409: the command is sound, but not at this moment.
    """

    status: int
    says: str

    def __new__(cls, code: str, status: int, says: str) -> Self:
        made = str.__new__(cls, code)
        made._value_ = code
        made.status, made.says = status, says
        return made

    # The round
    ALREADY_OPEN = "already_open", 409, "The round is open already."
    ABOVE_BRACKETS = (
        "above_brackets",
        409,
        "The wager is above the last bracket of the table's fees.",
    )
    BAD_FACT = (
        "bad_fact",
        409,
        "What was said of an irregularity is missing, of the wrong type or impossible.",
    )
    BANK_TAKEN = "bank_taken", 409, "Another player has the bank in this round."
    BANKER_BETS = "banker_bets", 409, "The player who banks a round makes no wagers in it."
    BETS_CLOSED = "bets_closed", 409, "Betting has closed."
    BOXES_APART = "boxes_apart", 409, "A player's boxes must be next to each other at this table."
    BY_DECISION = "by_decision", 409, "The wager is made by a decision, not before the deal."
    CARD_DOUBLED = "card_doubled", 409, "A card was shown that is somewhere else already."
    CARDS_HIDDEN = "cards_hidden", 409, "Cards that must be face up first are still face down."
    HOUSE_BANKS = "house_banks", 409, "The house banks this game, so no player can."
    METER_UNDECLARED = (
        "meter_undeclared",
        409,
        "The wager's meter has no declared rate or reset, so it can't be paid.",
    )
    NEEDS_WAGER = "needs_wager", 409, "The wager needs another one beside it."
    NO_ACTION = "no_action", 409, "The action seat is missing, or this game has none."
    NO_BANKER = "no_banker", 409, "Nobody has taken the bank."
    NO_CONSEQUENCE = (
        "no_consequence",
        409,
        "The book doesn't say what follows from this irregularity.",
    )
    NO_DECISION = "no_decision", 409, "The seat has nothing to decide now."
    NO_DEVICE = "no_device", 409, "The irregularity blames a device that the table doesn't have."
    NO_MONEY = "no_money", 409, "The sum must be more than nothing."
    NO_SHARED_HANDS = "no_shared_hands", 409, "This table has no shared hands to bet on."
    NO_SUCH_BET = "no_such_bet", 409, "The seat hasn't made this wager."
    NO_SUCH_CHOICE = "no_such_choice", 409, "The decision doesn't offer this choice."
    NO_SUCH_HAND = "no_such_hand", 409, "The table has no shared hand of this number."
    NO_SUCH_KIND = "no_such_kind", 409, "The book doesn't know this kind of irregularity."
    NO_SUCH_PLACE = "no_such_place", 409, "The table has no place for cards of this name."
    NO_SUCH_SEAT = (
        "no_such_seat",
        409,
        "The table has no seat of this number, or nobody plays there.",
    )
    NOBODY_BETS = "nobody_bets", 409, "No wager has been made."
    NOT_DUE = "not_due", 409, "What was done isn't due now."
    NOT_GUIDED = "not_guided", 409, "The book doesn't have this clause confirmed."
    NOT_OFFERED = "not_offered", 409, "This table doesn't offer the wager."
    NOT_YOUR_TURN = "not_your_turn", 409, "Another seat is asked, or another player banks, first."
    OUTSIDE_LIMITS = (
        "outside_limits",
        409,
        "The wager is below the table's minimum or above its maximum.",
    )
    RATIO = "ratio", 409, "The wager is too large beside another one."
    ROUND_OVER = "round_over", 409, "The round is over."
    SEAT_TAKEN = "seat_taken", 409, "Another player has the seat."
    TOO_FEW = "too_few", 409, "Too few players have made a wager or sit at the table."
    TOO_MANY_BOXES = (
        "too_many_boxes",
        409,
        "The player would have more boxes than the table allows.",
    )
    UNKNOWN_FACT = "unknown_fact", 409, "The irregularity doesn't take this fact."
    VOID = "void", 409, "The round is void."
    WRONG_PERSON = "wrong_person", 409, "Another person has to do this."
    WRONG_SIZE = "wrong_size", 409, "The wager may only have certain sizes."
    WRONG_STEP = "wrong_step", 409, "The round is at another step."

    # The table between rounds
    ALREADY_CUT = "already_cut", 409, "The deck has been cut."
    ALREADY_DEALT = "already_dealt", 409, "The deck has been dealt from."
    ALREADY_OUT = "already_out", 409, "The device is already out of order."
    BAD_CUT = "bad_cut", 409, "The cut is too near the top or the bottom of the deck."
    BANKED_ENOUGH = (
        "banked_enough",
        409,
        "The player has had the bank for as many rounds as the book allows.",
    )
    COUNT_DUE = "count_due", 409, "The stub must be counted first."
    DECK_IN_PLAY = "deck_in_play", 409, "The deck is in play."
    DECK_TOO_OLD = "deck_too_old", 409, "The deck must be changed first."
    DEVICE_OPEN = "device_open", 409, "What a failed device asks for hasn't been confirmed."
    DEVICE_OUT = "device_out", 409, "The device is out of order."
    NO_COUNT = "no_count", 409, "The count of the cards is missing, or there is nothing to count."
    NO_COUNTER = "no_counter", 409, "No shuffler at this table counts the cards."
    NO_CUT = "no_cut", 409, "This deck isn't cut."
    NO_DECK = "no_deck", 409, "No deck is ready."
    NO_PASS = "no_pass", 409, "The book doesn't let a player pass the bank."
    NO_ROUND = "no_round", 409, "No round is open."
    NO_SUCH_DECK = "no_such_deck", 409, "The table has no deck of this number."
    NO_SUCH_DEVICE = "no_such_device", 409, "The table has no device of this name."
    NO_SUCH_RULES = "no_such_rules", 409, "The table has no rules of this digest."
    NOT_CUT = "not_cut", 409, "The deck must be cut first."
    NOT_OUT = "not_out", 409, "The device is in order."
    NOT_SHUFFLED = "not_shuffled", 409, "The deck must be shuffled first."
    NOT_YET = "not_yet", 409, "Another clause has to be confirmed first."
    PROMPT_OPEN = "prompt_open", 409, "A clause has to be confirmed first."
    ROUND_NOT_OVER = "round_not_over", 409, "The round isn't over."
    ROUND_OPEN = "round_open", 409, "A round is open."
    SEAT_EMPTY = "seat_empty", 409, "Nobody sits at this seat."
    WRONG_DECK = "wrong_deck", 409, "The other deck comes next."

    # The players' cut
    BETS_OPEN = "bets_open", 409, "Contributions are revealed once betting has closed."
    CONTRIBUTED = "contributed", 409, "The player has contributed to this round's cut."
    CUT_FULL = "cut_full", 409, "The round has as many contributions as it takes."
    CUT_MADE = "cut_made", 409, "The deck has been cut, and the cards are dealt."
    NOT_CONTRIBUTED = "not_contributed", 409, "The player hasn't contributed to this round's cut."
    OTHER_ROUND = "other_round", 409, "Another round is in play."
    REVEALED = "revealed", 409, "The contribution is revealed already."
    WRONG_VALUE = "wrong_value", 409, "The contribution isn't the one whose hash was sent."

    # Live tables
    ENOUGH_CHIPS = "enough_chips", 409, "The purse holds enough chips already."
    HAND_IN_PLAY = "hand_in_play", 409, "The player has a hand in play."
    METER_OUT = "meter_out", 409, "The wager's meter is out of order."
    NO_MORE_TIME = "no_more_time", 409, "The table gives no more time, or not now."
    NOBODY_THERE = "nobody_there", 409, "Nobody who could be asked is at the table."
    NOT_ENOUGH_MONEY = "not_enough_money", 409, "The purse doesn't hold that much."
    NOT_OVER = "not_over", 409, "The round isn't over, so it can't be shown yet."
    NOT_YOUR_SEAT = "not_your_seat", 409, "Another player has the seat, or nobody has."
    OVERTAKEN = "overtaken", 409, "Somebody else was quicker."
    NO_COACH = "no_coach", 409, "The coach doesn't answer at this table or at this moment."

    # The ledger
    COMMAND_REUSED = "command_reused", 409, "The id belonged to another command."
    STREAM_MOVED = "stream_moved", 409, "The stream has gone on in the meantime."
    NO_SUCH_METER = "no_such_meter", 404, "There is no meter of this name."

    # People and access
    BAD_LINK = "bad_link", 403, "The link has been used, has expired or isn't ours."
    BAD_NAME = "bad_name", 422, "The name isn't one that a player may have."
    BAD_PASSWORD = "bad_password", 422, "The password is too short, too long or too common."
    BUSY = (
        "busy",
        429,
        "Too much is asked at once; try again in a moment. A page answers 503.",
    )
    HAS_PASSWORD = "has_password", 409, "The account has a password already."
    LOCKED = "locked", 429, "Too many wrong passwords; try again later."
    NAME_TAKEN = "name_taken", 409, "Somebody else has the name."
    NO_SUCH_PERSON = "no_such_person", 404, "There is nobody of this name."
    NO_SUCH_ROLE = "no_such_role", 422, "There is no role of this name."
    NO_SUCH_TABLE = "no_such_table", 404, "There is no table of this id."
    NOT_ALLOWED = "not_allowed", 403, "Your role doesn't allow this."
    NOT_SIGNED_IN = "not_signed_in", 401, "Sign in first."
    ONESELF = "oneself", 409, "You can't do this to your own account."
    TOO_MANY = "too_many", 429, "Too many requests; try again later."
    TOO_MANY_SOCKETS = "too_many_sockets", 429, "Too many sockets are open from this address."
    WRONG_PASSWORD = "wrong_password", 403, "The password is wrong."
    WRONG_SIGN_IN = "wrong_sign_in", 401, "The name or the password is wrong."

    # Requests
    BAD_QUERY = (
        "bad_query",
        400,
        "The address asks for something that doesn't exist or doesn't fit together.",
    )
    BAD_TEXT = "bad_text", 400, "A text isn't UTF-8, or has a character that no text can have."
    DUPLICATE_KEY = "duplicate_key", 400, "A key appears twice."
    HEADERS_TOO_LARGE = "headers_too_large", 431, "The address and the headers are too large."
    INTERNAL = "internal", 500, "Something went wrong here, and it was logged."
    INVALID = "invalid", 422, "A field has a value that can't be read; `field` says which."
    NO_HEADER = "no_header", 403, "The header `X-Croupier: 1` is missing."
    NOT_FOUND = "not_found", 404, "There is nothing at this address."
    NOT_JSON = "not_json", 400, "The body isn't JSON; 415 where its content type says so."
    NOT_WHOLE = "not_whole", 400, "A number isn't whole; money is in cents."
    NUMBER_TOO_LARGE = "number_too_large", 400, "A number is larger than JSON can carry safely."
    TOO_DEEP = "too_deep", 400, "The JSON is nested too deeply."
    TOO_LARGE = "too_large", 413, "The request is too large."
    UNAVAILABLE = "unavailable", 503, "The ledger doesn't answer; try again in a moment."
    UNREADABLE = "unreadable", 422, "A socket message can't be read; `field` says where."
    WRONG_HOST = "wrong_host", 421, "This server doesn't go by that name."
    WRONG_ORIGIN = "wrong_origin", 403, "The request came from another site."

    # Clients
    HTTP = "http", 502, "The server's answer wasn't one of ours; only `croupier.client` says this."


_CODES: dict[str, Code] = {code.value: code for code in Code}


class Refused(UserError):
    """A command that the rules don't allow now; `code` is a Code, or a newer server's text."""

    def __init__(
        self, code: str, message: str, *, field: str | None = None, clause: str | None = None
    ) -> None:
        super().__init__(message, field=field, clause=clause)
        self.code: Code | str = _CODES.get(code, code)
        # Pickle calls the class with `args` again, and process pools pickle exceptions.
        self.args = (code, message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault in a piece of data, and where it is."""

    message: str
    file: str | None = None
    path: str | None = None
    """Dotted, as in `wager.pair_plus.clause`."""
    line: int | None = None
    clause: str | None = None

    def __str__(self) -> str:
        place = f"{self.file or ''}{f':{self.line}' if self.line else ''}"
        path = quoted_field(self.path) if self.path else ""
        places = [part for part in (place, path) if part]
        clause = f" ({self.clause})" if self.clause else ""
        return ": ".join([*places, self.message]) + clause


class Problems(ParseError):
    """All faults of one piece of data: `str` is all of them, the attributes are the first's."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        if not self.problems:
            raise Bug("Problems raised without a problem")
        first = self.problems[0]
        super().__init__(first.message, field=first.path or first.file, clause=first.clause)
        self.args = (self.problems,)

    def __str__(self) -> str:
        # An author goes through a file line by line; a message or a round is answered in one.
        return ("\n" if self.problems[0].file else "; ").join(map(str, self.problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One way in which an operator's selections break the book."""

    selection: str
    message: str
    clause: str | None = None

    def __str__(self) -> str:
        return f"{self.selection}: {self.message}" + (f" ({self.clause})" if self.clause else "")


class Breaches(UserError):
    """Every breach that a set of selections has, reported together."""

    def __init__(self, breaches: Iterable[Breach]) -> None:
        self.breaches = tuple(breaches)
        if not self.breaches:
            raise Bug("Breaches raised without a breach")
        super().__init__("; ".join(map(str, self.breaches)), clause=self.breaches[0].clause)
        self.args = (self.breaches,)

    def __str__(self) -> str:
        return self.message  # Each breach in it names its own clause.


class MissingExtra(CroupierError):
    """A feature needs a package that is not installed."""

    exit_code: ClassVar[int] = 3

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(extra, needed_for)
        self.extra = extra
        self.needed_for = needed_for

    def __str__(self) -> str:
        return f"{self.needed_for} needs the extra {self.extra!r}: {install(self.extra, __file__)}"


def install(extra: str, file: str) -> str:
    """Return the command that brings an extra to a clone or an installation with this file."""
    clone = file.removesuffix("src/croupier/errors.py")
    if clone == file:
        return f"pip install 'croupier[{extra}]'"
    return f"{quote(clone + 'setup')} {extra}"


class Bug(CroupierError):
    """An invariant of ours does not hold; unlike `assert`, it is checked under `python -O` too."""
