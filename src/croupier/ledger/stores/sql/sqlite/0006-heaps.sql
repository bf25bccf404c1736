-- What is only added lies in the order in which it came, and an index finds it: the rows of many
-- tables that are stored together share a page, where each had one in the middle of its own.

CREATE TABLE events_anew (
    stream TEXT NOT NULL REFERENCES streams (stream),
    number INTEGER NOT NULL CHECK (number > 0),
    time_ms INTEGER NOT NULL,
    subject TEXT NOT NULL,
    data BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (stream, number)
) STRICT;

INSERT INTO events_anew (stream, number, time_ms, subject, data, hash)
SELECT stream, number, time_ms, subject, data, hash FROM events
ORDER BY time_ms, stream, number;

CREATE TABLE entries_anew (
    stream TEXT NOT NULL,
    number INTEGER NOT NULL,
    line INTEGER NOT NULL CHECK (line > 0),
    id TEXT NOT NULL,
    debit TEXT NOT NULL REFERENCES accounts (account),
    credit TEXT NOT NULL REFERENCES accounts (account),
    micros INTEGER NOT NULL CHECK (micros > 0),
    code TEXT NOT NULL,
    PRIMARY KEY (stream, number, line),
    FOREIGN KEY (stream, number) REFERENCES events_anew (stream, number),
    CHECK (debit <> credit)
) STRICT;

INSERT INTO entries_anew (stream, number, line, id, debit, credit, micros, code)
SELECT stream, number, line, id, debit, credit, micros, code FROM entries JOIN events_anew
USING (stream, number) ORDER BY time_ms, stream, number, line;

CREATE TABLE commands_anew (
    command TEXT NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    stream TEXT NOT NULL REFERENCES streams (stream),
    number INTEGER NOT NULL,
    answer TEXT NOT NULL
) STRICT;

INSERT INTO commands_anew (command, digest, stream, number, answer)
SELECT command, digest, stream, number, answer FROM commands ORDER BY stream, number;

-- Those who refer to others go first; a table that is renamed is renamed where it is referred to.
DROP TABLE entries;
DROP TABLE events;
DROP TABLE commands;
ALTER TABLE events_anew RENAME TO events;
ALTER TABLE entries_anew RENAME TO entries;
ALTER TABLE commands_anew RENAME TO commands;

CREATE INDEX events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    instr(data, CAST('"type":"DeckCommitted"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"Opened"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"TableSet"' AS BLOB)) > 0
);
CREATE INDEX entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';

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
