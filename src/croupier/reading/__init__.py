"""The one strict reader of untrusted data.

Rulebooks, round files, tables files, stored events and socket messages are all read here, and
their faults look the same: a path, a sentence, and the line of a TOML file.
"""

from croupier.reading.reader import (
    FAULTY,
    TYPE,
    DataPath,
    Fault,
    Reader,
    ReadValue,
    Reference,
    Text,
    WholeNumber,
    described,
    dotted,
    field_names,
    only,
    problem,
    read,
    readable_parts,
    reader_of,
    run,
    table_of,
)

__all__ = [
    "FAULTY",
    "TYPE",
    "DataPath",
    "Fault",
    "ReadValue",
    "Reader",
    "Reference",
    "Text",
    "WholeNumber",
    "described",
    "dotted",
    "field_names",
    "only",
    "problem",
    "read",
    "readable_parts",
    "reader_of",
    "run",
    "table_of",
]
