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

import re
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
    """Something given can't be read as a card, a hand, a sum, …"""


class Code(StrEnum):
    """Every reason for a refusal: its code, its meaning, and the HTTP status that goes with it.

    Most are 409: the command is sound, but not at this moment.
    """

    status: int
    says: str

    def __new__(cls, code: str, says: str, status: int = 409) -> Self:
        made = str.__new__(cls, code)
        made._value_ = code
        made.status, made.says = status, says
        return made

    # The round
    ALREADY_OPEN = "already_open", "The round or the table is already open."
    ABOVE_BRACKETS = "above_brackets", "The wager is above the last bracket of the table's fees."
    BAD_FACT = (
        "bad_fact",
        "A fact about the irregularity is missing, of the wrong type or impossible.",
    )
    BANK_TAKEN = "bank_taken", "Another player has the bank in this round."
    BANKER_BETS = "banker_bets", "The player who banks a round makes no wagers in it."
    BETS_CLOSED = "bets_closed", "Betting has closed."
    BOXES_APART = "boxes_apart", "At this table a player's boxes must be adjacent."
    BY_DECISION = "by_decision", "The wager is made as a decision, not before the deal."
    CARD_DOUBLED = "card_doubled", "The card is already somewhere else on the table."
    CARDS_THERE = "cards_there", "The cards are real, so people deal and read them."
    CARDS_HIDDEN = "cards_hidden", "Cards that must be face up first are still face down."
    DONE_BY_ACT = "done_by_act", "You confirm the clause by doing what it says."
    HOUSE_BANKS = "house_banks", "The house banks this game, so no player can."
    METER_UNDECLARED = (
        "meter_undeclared",
        "The wager's meter has no declared rate or reset, so it can't be paid.",
    )
    NEEDS_WAGER = "needs_wager", "The wager can only be made together with another one."
    NO_ACTION = "no_action", "The action seat is missing, or this game has none."
    NO_BANKER = "no_banker", "No player has taken the bank."
    NO_CONSEQUENCE = "no_consequence", "The book doesn't say what this irregularity leads to."
    NO_DECISION = "no_decision", "The seat has nothing to decide now."
    NO_DEVICE = "no_device", "The irregularity blames a device that the table doesn't have."
    NO_MONEY = "no_money", "The amount must be more than zero and within what the ledger can hold."
    NO_SHARED_HANDS = "no_shared_hands", "This table has no shared hands to bet on."
    NO_SUCH_BET = "no_such_bet", "The seat hasn't made this wager."
    NO_SUCH_CHOICE = "no_such_choice", "The decision doesn't offer this choice."
    NO_SUCH_HAND = "no_such_hand", "The table has no shared hand with this number."
    NO_SUCH_KIND = "no_such_kind", "The book doesn't know this kind of irregularity."
    NO_SUCH_PLACE = "no_such_place", "The table has no place for cards with this name."
    NO_SUCH_ROUND = "no_such_round", "This table hasn't played a round with this id."
    NO_SUCH_SEAT = "no_such_seat", "The table has no such seat, or no one plays there."
    NO_PEOPLE = "no_people", "There are no people at this table who could have seen it."
    NOBODY_BETS = "nobody_bets", "No wager has been made."
    NOT_DUE = "not_due", "That isn't due now."
    NOT_GUIDED = "not_guided", "The book doesn't ask anyone to confirm this clause."
    NOT_OFFERED = "not_offered", "This table doesn't offer the wager."
    NOT_YOUR_TURN = (
        "not_your_turn",
        "It is another seat's turn to decide, or another player's to bank.",
    )
    OUTSIDE_LIMITS = (
        "outside_limits",
        "The wager is below the table's minimum or above its maximum.",
    )
    RATIO = "ratio", "The wager is too large for the other wagers at the seat."
    ROUND_OVER = "round_over", "The round is over."
    SEAT_TAKEN = "seat_taken", "Another player has the seat."
    TOO_FEW = "too_few", "Too few players are seated or have bet."
    TOO_MANY_BOXES = "too_many_boxes", "The player would have more boxes than the table allows."
    UNKNOWN_FACT = "unknown_fact", "This kind of irregularity has no such fact."
    VOID = "void", "The round is void."
    WRONG_PERSON = "wrong_person", "This is another person's task."
    WRONG_SIZE = "wrong_size", "The wager can only be made in certain amounts."
    WRONG_STEP = "wrong_step", "The round is at another step."

    # The table between rounds
    ALREADY_CUT = "already_cut", "The deck has been cut."
    ALREADY_DEALT = "already_dealt", "The deck has been dealt from."
    ALREADY_OUT = "already_out", "The device is already out of order."
    ALREADY_SHUFFLED = "already_shuffled", "The deck is already shuffled and ready for a round."
    BAD_CUT = "bad_cut", "The cut is too near the top or the bottom of the deck."
    BANKED_ENOUGH = (
        "banked_enough",
        "The player has had the bank for as many rounds as the book allows.",
    )
    COUNT_DUE = "count_due", "The stub must be counted first."
    DECK_IN_PLAY = "deck_in_play", "The deck is in play."
    DECK_TOO_OLD = "deck_too_old", "The deck must be changed first."
    DEVICE_OPEN = (
        "device_open",
        "A device failed, and what the book then requires hasn't been confirmed.",
    )
    DEVICE_OUT = "device_out", "The device is out of order."
    NO_COUNT = "no_count", "The count of the cards is missing, or there is nothing to count."
    NO_COUNTER = "no_counter", "No shuffler at this table counts the cards."
    NO_CUT = "no_cut", "This deck isn't cut."
    NO_CHIPS = "no_chips", "This table has no chips: wagers are made on screens."
    NO_CARDS = "no_cards", "The cards of this table are virtual."
    NO_DECK = "no_deck", "No deck is ready."
    NO_PASS = "no_pass", "The book doesn't let a player pass the bank."
    NO_ROUND = "no_round", "No round is open."
    NO_SUCH_DECK = "no_such_deck", "The table has no deck with this number."
    NO_SUCH_DEVICE = "no_such_device", "The table has no device with this name."
    NO_SUCH_RULES = "no_such_rules", "The table has no rules with this digest."
    NOT_CUT = "not_cut", "The deck must be cut first."
    NOT_OUT = "not_out", "The device isn't out of order."
    NOT_SHUFFLED = "not_shuffled", "The deck must be shuffled first."
    NOT_YET = "not_yet", "Another clause has to be confirmed first."
    PROMPT_OPEN = "prompt_open", "A clause has to be confirmed first."
    ROUND_NOT_OVER = "round_not_over", "The round isn't over."
    ROUND_OPEN = "round_open", "A round is open."
    SEAT_EMPTY = "seat_empty", "The seat is empty."
    WRONG_DECK = "wrong_deck", "The other deck comes next."

    # The people of a table
    DEVICE_DOUBTED = "device_doubted", "First say whether the device can still be used."
    NO_CREW = (
        "no_crew",
        "A dealer, and with real cards a floorperson, must tap in before the table opens.",
    )
    NO_TRAY = "no_tray", "The table has no chip tray."
    NOT_COUNTED = "not_counted", "Two people have to count the chip tray first."
    TABLE_CLOSED = "table_closed", "The table isn't open."
    WRONG_SIGN = "wrong_sign", "The sign has the code of other rules."
    NO_DEALER = "no_dealer", "The table has no dealer now."
    NOT_TAPPED_IN = "not_tapped_in", "Only people who have tapped in work at a table."
    PLAYER_DECIDES = "player_decides", "The player is at the table and decides for themselves."
    TOO_MANY_TABLES = "too_many_tables", "The floorperson already has the maximum number of tables."
    TAPPED_IN = "tapped_in", "You already work at this table."

    # Acts that take two people
    CHANGED = "changed", "The proposal would have a different effect now; propose it again."
    LAPSED = "lapsed", "The proposal lapsed before it was answered; propose it again."
    NEEDS_APPROVAL = "needs_approval", "A second person has to approve this; propose it."
    NO_SUCH_DISPUTE = "no_such_dispute", "No dispute with this number is open."
    NO_SUCH_PROPOSAL = "no_such_proposal", "No proposal with this number is open."
    ONE_PERSON = "one_person", "This doesn't need a second person; send it without a proposal."
    PLAYS_HERE = "plays_here", "You can't work at a table while you play at it."
    PROPOSAL_OPEN = "proposal_open", "A proposal of this kind is already open."
    SAME_PERSON = "same_person", "The person who proposed something can't approve it."
    STOPPED = (
        "stopped",
        "The round waits until somebody says whether it is void or a card was read twice.",
    )

    # The players' cut
    BETS_OPEN = "bets_open", "Contributions are revealed once betting has closed."
    CONTRIBUTED = "contributed", "The player has contributed to this round's cut."
    CUT_FULL = "cut_full", "The round already has the maximum number of contributions."
    CUT_MADE = "cut_made", "The deck has been cut, and the cards are dealt."
    NOT_CONTRIBUTED = "not_contributed", "The player hasn't contributed to this round's cut."
    OTHER_ROUND = "other_round", "Another round is in play."
    REVEALED = "revealed", "The contribution is already revealed."
    WRONG_VALUE = "wrong_value", "The contribution doesn't match the hash that was sent."

    # Live tables
    ENOUGH_CHIPS = "enough_chips", "The purse already holds enough chips."
    HAND_IN_PLAY = "hand_in_play", "The player has a hand in play."
    METER_OUT = "meter_out", "The wager's meter is out of order."
    NO_MORE_TIME = "no_more_time", "The table can't give more time now."
    NOBODY_THERE = "nobody_there", "No player at the table can be asked."
    NOT_ENOUGH_MONEY = "not_enough_money", "The purse doesn't hold that much."
    NOT_OVER = "not_over", "The round isn't over, so it can't be shown yet."
    NOT_YOUR_SEAT = "not_your_seat", "The seat isn't yours."
    OVERTAKEN = "overtaken", "Another person acted first."
    SEAT_CODE = "seat_code", "The cards are real, and the code on the felt is missing or wrong."
    UNAPPROVED = "unapproved", "The program's files or the table's rulebook aren't as approved."
    NO_COACH = "no_coach", "The coach isn't available at this table or at this moment."

    # The ledger
    COMMAND_REUSED = "command_reused", "This id was already used for another command."
    STREAM_MOVED = "stream_moved", "Other events were stored in the meantime."
    AWARD_OPEN = "award_open", "A progressive win has to be answered at its table first."
    NO_FOLDER = "no_folder", "This house has no folder for backups."
    TABLE_TAKEN = "table_taken", "There is already a table with this name."
    NO_SUCH_AWARD = "no_such_award", "No award with this id is waiting for the floor.", 404
    NO_SUCH_METER = "no_such_meter", "There is no meter with this name.", 404

    # People and access
    BAD_LINK = "bad_link", "The link has been used, has expired or isn't valid.", 403
    BAD_NAME = "bad_name", "The name isn't one that a player may have.", 422
    BAD_PASSWORD = "bad_password", "The password is too short, too long or too common.", 422
    BUSY = "busy", "The server is busy; try again in a moment. Pages answer 503.", 429
    HAS_PASSWORD = "has_password", "The account already has a password."
    LOCKED = "locked", "Too many wrong passwords; try again later.", 429
    NAME_TAKEN = "name_taken", "The name is taken."
    NO_SUCH_PERSON = "no_such_person", "There is no person with this name.", 404
    NO_SUCH_ROLE = "no_such_role", "There is no role with this name.", 422
    NO_SUCH_TABLE = "no_such_table", "There is no table with this id.", 404
    NOT_ALLOWED = "not_allowed", "Your role doesn't allow this.", 403
    NOT_SIGNED_IN = "not_signed_in", "Sign in first.", 401
    ONESELF = "oneself", "You can't do this to your own account."
    PASSWORD_AGAIN = (
        "password_again",
        "Enter your password again; it is good for one act, for a short time.",
        403,
    )
    QUOTA = "quota", "The account or its address has reached its storage quota for now.", 429
    ROLES_EXCLUDE = "roles_exclude", "One person can't hold these roles together.", 422
    SAME_SESSION = "same_session", "It was proposed in this session; answer it in another.", 403
    TOO_MANY = "too_many", "Too many requests; try again later.", 429
    TOO_MANY_SOCKETS = "too_many_sockets", "Too many sockets are open from this address.", 429
    WRONG_PASSWORD = "wrong_password", "The password is wrong.", 403
    WRONG_SIGN_IN = "wrong_sign_in", "The name or the password is wrong.", 401

    # Requests
    BAD_QUERY = (
        "bad_query",
        "The address asks for something that doesn't exist or doesn't fit together.",
        400,
    )
    BAD_TEXT = "bad_text", "The text isn't valid UTF-8, or has a null character.", 400
    DUPLICATE_KEY = "duplicate_key", "A key appears twice.", 400
    HEADERS_TOO_LARGE = "headers_too_large", "The address and the headers are too large.", 431
    INTERNAL = "internal", "Something went wrong on the server, and it was logged.", 500
    INVALID = "invalid", "A field has a value that can't be read; `field` says which.", 422
    NO_HEADER = "no_header", "The header `X-Croupier: 1` is missing.", 403
    NOT_FOUND = "not_found", "There is nothing at this address.", 404
    NOT_JSON = "not_json", "The body isn't JSON.", 400
    NOT_WHOLE = "not_whole", "A number isn't whole; money is in cents.", 400
    NUMBER_TOO_LARGE = "number_too_large", "A number is larger than JSON can carry safely.", 400
    TOO_DEEP = "too_deep", "The JSON is nested too deeply.", 400
    TOO_LARGE = "too_large", "The request is too large.", 413
    UNAVAILABLE = "unavailable", "The ledger isn't available; try again in a moment.", 503
    UNREADABLE = "unreadable", "A socket message can't be read; `field` says where.", 422
    UNSUPPORTED_MEDIA_TYPE = (
        "unsupported_media_type",
        "The body has to be JSON, and its content type has to say so.",
        415,
    )
    WRONG_HOST = "wrong_host", "This server doesn't go by that name.", 421
    WRONG_ORIGIN = "wrong_origin", "The request came from another site.", 403

    # Clients
    HTTP = "http", "The answer isn't Croupier's; only `croupier.client` uses this code.", 502


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
        return f"pip install {' '.join(map(quote, _required(extra)))}"
    return f"{quote(clone + 'setup')} {extra}"


def _required(extra: str) -> list[str]:
    """Return the packages of an extra; Croupier itself is on no index to be asked for it."""
    from importlib import metadata  # Slow to import, and seldom needed.

    asked = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    given = (line.partition(";") for line in metadata.requires("croupier") or ())
    return [needed.strip() for needed, _, when in given if asked.search(when)]


class Bug(CroupierError):
    """An invariant of ours does not hold; unlike `assert`, it is checked under `python -O` too."""
