"""The one strict reader of untrusted data.

Rulebooks, round files, tables files, stored events and socket messages are all read here, and
their faults look the same: a path, a sentence, and the line of a TOML file.
"""
