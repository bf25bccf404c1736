"""Decide what happens to the devices of a table: they fail, are covered, restored or replaced."""

from croupier.errors import Refused
from croupier.round.duties import next_duty
from croupier.round.state import Duty
from croupier.rules.vocabulary import Device
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.life import check_between
from croupier.table.prompts import DEVICE, due
from croupier.table.state import Table, uses


def check_devices(table: Table) -> None:
    """Refuse to shuffle or deal while a failed device is neither covered nor marked."""
    for device, outage in table.out.items():
        asked = table.rules.guided.get(DEVICE, ())
        if outage.doubted:
            message = f"the {device} had a fault: say whether it can still be used"
            raise Refused("device_doubted", message, field=device, clause=outage.clause)
        if asked and not outage.secured:
            message = f"the {device} is out of order; cover or mark it first"
            raise Refused("device_open", message, field=device, clause=asked[0])


def check_works(table: Table, device: Device) -> None:
    if device in table.out:
        message = f"the {device} is out of order; switch to other equipment"
        raise Refused("device_out", message, field=device, clause=table.out[device].clause)


def fail(table: Table, device: Device, *, usable: bool | None) -> happened.Failed:
    """Return the failure of a device; what can still be used needs no cover (13.F, 13.H)."""
    rules = table.rules
    rows = [i.rows[0] for i in rules.irregularities.values() if i.device == device]
    if not rows or not uses(rules, device):
        raise Refused("no_such_device", f"this table doesn't use a {device}", field="device")
    if device in table.out and not table.out[device].doubted:
        raise Refused("already_out", f"the {device} is out of order already", field="device")
    return happened.Failed(device, rows[0].clause or "", usable)


def _check_out(table: Table, device: Device) -> None:
    if device not in table.out or table.out[device].doubted:
        raise Refused("not_out", f"the {device} isn't out of order", field="device")


def restore(table: Table, device: Device) -> happened.Restored:
    _check_out(table, device)
    return happened.Restored(device)


def secure(table: Table, command: commands.Secure) -> happened.Secured:
    device = command.device
    _check_out(table, device)
    for duty in due(table):
        if (duty.about, duty.clause) == (device, command.clause):
            # Either of its clauses will do, so there is no first among them.
            wanted = Duty(command.clause, DEVICE, device, (command.by,))
            next_duty(table.rules, (duty,), wanted)
            return happened.Secured(device, command.clause, command.by)
    message = f"{command.clause!r} doesn't need confirming for the {device} now"
    raise Refused("not_due", message, field="clause")


def change(table: Table, command: commands.Change) -> happened.Changed:
    check_between(table)
    if command.digest not in table.ways:
        raise Refused("no_such_rules", "the table has no rules with this digest", field="digest")
    # 13.H: cover or mark the device before shuffling or dealing another way.
    check_devices(table)
    return happened.Changed(command.digest)
