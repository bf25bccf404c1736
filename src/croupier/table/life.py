"""How a table with a dealer opens and closes: closed, counted, open, closing, closed.

A round starts only at an open table. What a table doesn't have doesn't apply: a tray is counted
where there are chips, and a sign's code is read where players sit around real cards.
"""

from croupier.errors import Refused
from croupier.round.duties import open_duty
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.events import Event
from croupier.table.state import Table
from croupier.table.tray import CHIPS_CENTS, COINS_CENTS, SIGNS, TrayFigure

SIGN_DIGITS = 16
"""How many digits of the rules' digest a sign prints."""
_UNCOUNTED = "the chip tray has to be counted by two people first"


def sign_code(rules: TableRules) -> str:
    """Return the code that the sign of a table with these rules has."""
    return rules.digest[:SIGN_DIGITS]


def has_sign(rules: TableRules) -> bool:
    """Whether a sign is posted: on a screen the rules in force are shown by the program."""
    return "cards" in rules.things


def needs_floor(rules: TableRules) -> bool:
    """Whether a floorperson opens the table too: real decks and trays take two people."""
    return "cards" in rules.things


def has_tray(rules: TableRules) -> bool:
    return "chips" in rules.things


def check_between(table: Table) -> None:
    """Refuse while a round is in play."""
    if table.round:
        raise Refused("round_open", "a round is in play")


def check_open(table: Table) -> None:
    """Refuse to start a round at a table that isn't open."""
    if "dealer" in table.rules.things and table.life != "open":
        message = "the table is closing" if table.life == "closing" else "the table isn't open"
        raise Refused("table_closed", f"{message}, so no round starts")


def _check_attended(table: Table) -> None:
    if "dealer" not in table.rules.things:
        raise Refused("no_dealer", "people don't open or close an automatic table")


def _check_tray(table: Table) -> None:
    _check_attended(table)
    if not has_tray(table.rules):
        cited = table.rules.ruling_on("things")
        raise Refused("no_tray", "this table has no chip tray", clause=cited)


def open_table(table: Table, sign: str) -> happened.TableOpened:
    _check_attended(table)
    rules, crew = table.rules, table.crew
    if table.life in ("open", "closing"):
        raise Refused("already_open", "the table is open")
    if not crew.dealer or (needs_floor(rules) and not crew.floor):
        missing = "dealer" if not crew.dealer else "floorperson"
        raise Refused("no_crew", f"a {missing} has to tap in before the table opens")
    given = sign.strip().lower()
    if has_sign(rules) and given != sign_code(rules):
        # The right code isn't told: it has to be read from the sign.
        message = f"the sign's code is {given or 'missing'}, which isn't that of the rules in force"
        raise Refused("wrong_sign", message, field="sign", clause=rules.table.sign)
    if has_tray(rules) and table.life != "counted":
        raise Refused("not_counted", _UNCOUNTED)
    return happened.TableOpened(given if has_sign(rules) else "")


def count_tray(table: Table, command: commands.CountTray) -> tuple[Event, ...]:
    """Take one person's figure; unequal ones are counted again, and all stay in the journal."""
    _check_tray(table)
    if table.life in ("open", "counted"):
        raise Refused("not_due", "the tray is counted when the table opens and when it closes")
    _check_over(table)
    cents, tray = _counted(command), table.tray
    if command.by not in tray.missing:
        message = f"{' and '.join(tray.missing)} counts now, not the {command.by}"
        raise Refused("wrong_person", message, field="by")
    counted = happened.TrayCounted(command.by, cents, command.chips)
    figures = tray.after_figure(TrayFigure(command.by, cents, command.chips)).figures
    if len(figures) < 2 or not figures[0].agrees(figures[1]):
        return (counted,)
    agreed = happened.TrayAgreed(cents, tray.expected)
    if table.life == "closing":
        return counted, agreed, happened.TableClosed()
    return counted, agreed


def _counted(command: commands.CountTray) -> int:
    """Return the sum of a count: of the chips, if they were counted by kind."""
    if command.cents < 0 or any(many < 0 for many in command.chips.values()):
        raise Refused("no_count", "a count is never below zero", field="cents")
    if not command.chips:
        return command.cents
    if unknown := [chip for chip in command.chips if chip not in (*CHIPS_CENTS, *COINS_CENTS)]:
        message = f"there is no chip of {dollars(unknown[0])}"
        raise Refused("no_count", message, field="chips")
    if command.cents:
        raise Refused("no_count", "give the chips or the sum, not both", field="cents")
    return sum(chip * many for chip, many in command.chips.items())


def _check_over(table: Table) -> None:
    """Refuse what waits for the end of the round, and for its cards to be racked."""
    if table.round:
        raise Refused("round_open", "a round is in play")
    for deck in table.decks.values():
        for duty in deck.todo:
            if duty.moment == "settled":
                raise open_duty(table.rules, duty)


def close_table(table: Table) -> happened.TableClosing | happened.TableClosed:
    _check_attended(table)
    if table.life in ("closed", "counted"):
        raise Refused("table_closed", "the table is closed already")
    if table.life == "open" and (table.round or has_tray(table.rules)):
        return happened.TableClosing()
    _check_over(table)
    if has_tray(table.rules):
        raise Refused("not_counted", _UNCOUNTED)
    return happened.TableClosed()


def move_chips(table: Table, command: commands.MoveChips) -> happened.ChipsMoved:
    _check_tray(table)
    if table.life not in ("counted", "open") and SIGNS[command.why]:
        raise Refused("table_closed", "chips move only once the tray has been counted")
    if command.cents <= 0:
        raise Refused("no_money", "name a sum above zero", field="cents")
    there = table.tray.expected or 0
    if SIGNS[command.why] < 0 and command.cents > there:
        message = "by the journal the tray doesn't hold that much"
        raise Refused("no_money", message, field="cents")
    return happened.ChipsMoved(command.why, command.cents, posted=True)
