-- The journal, the entries that follow from it, and what they come to.

CREATE TABLE streams (
    stream TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL CHECK (number >= 0),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    stream TEXT NOT NULL REFERENCES streams (stream),
    number INTEGER NOT NULL CHECK (number > 0),
    time_ms INTEGER NOT NULL,
    subject TEXT NOT NULL,
    data BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (stream, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_subject ON events (subject, stream, number) WHERE subject <> '';

-- Only the house's own accounts may owe.
CREATE TABLE accounts (
    account TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    micros INTEGER NOT NULL,
    CONSTRAINT accounts_floor CHECK (micros >= 0 OR kind IN ('cage', 'house', 'inventory'))
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
    stream TEXT NOT NULL,
    number INTEGER NOT NULL,
    line INTEGER NOT NULL CHECK (line > 0),
    id TEXT NOT NULL UNIQUE,
    debit TEXT NOT NULL REFERENCES accounts (account),
    credit TEXT NOT NULL REFERENCES accounts (account),
    micros INTEGER NOT NULL CHECK (micros > 0),
    code TEXT NOT NULL,
    PRIMARY KEY (stream, number, line),
    FOREIGN KEY (stream, number) REFERENCES events (stream, number),
    CHECK (debit <> credit)
) STRICT, WITHOUT ROWID;

CREATE INDEX entries_by_debit ON entries (debit);
CREATE INDEX entries_by_credit ON entries (credit);

CREATE TABLE commands (
    command TEXT NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    stream TEXT NOT NULL REFERENCES streams (stream),
    number INTEGER NOT NULL,
    answer TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    data TEXT NOT NULL
) STRICT;

-- What is written stays; a correction is another entry.
CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events never change'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries never change'); END;
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;
CREATE TRIGGER commands_stay BEFORE UPDATE ON commands
BEGIN SELECT RAISE(ABORT, 'commands never change'); END;
CREATE TRIGGER commands_are_kept BEFORE DELETE ON commands
BEGIN SELECT RAISE(ABORT, 'commands are never deleted'); END;
