-- The journal, the entries that follow from it, and the balances of accounts.
--
-- Tables that only grow keep their rows in the order they were added, and an index finds them: rows
-- of many streams that are committed together then share pages.

-- The highest number is the version of this schema.
CREATE TABLE migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
);

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
) STRICT;

-- A round, or another subject, is found by the events that begin it.
CREATE INDEX events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    instr(data, CAST('"type":"DeckCommitted"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"Opened"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"TableSet"' AS BLOB)) > 0
);

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
    id TEXT NOT NULL,
    debit TEXT NOT NULL REFERENCES accounts (account),
    credit TEXT NOT NULL REFERENCES accounts (account),
    micros INTEGER NOT NULL CHECK (micros > 0),
    code TEXT NOT NULL,
    PRIMARY KEY (stream, number, line),
    FOREIGN KEY (stream, number) REFERENCES events (stream, number),
    CHECK (debit <> credit)
) STRICT;

-- The entries of a layout are found by their round, so no index names it.
CREATE INDEX entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';

CREATE TABLE commands (
    command TEXT NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    stream TEXT NOT NULL REFERENCES streams (stream),
    number INTEGER NOT NULL,
    answer TEXT NOT NULL
) STRICT;

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

-- Persons, what they may do, and who is signed in.

CREATE TABLE persons (
    person TEXT NOT NULL PRIMARY KEY CHECK (person GLOB 'p-*' AND length(person) = 12),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 2 AND 20),
    looks TEXT NOT NULL UNIQUE CHECK (length(looks) > 0),
    password_hash TEXT CHECK (password_hash LIKE '$argon2id$%'),
    made_ms INTEGER NOT NULL,
    disabled_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE roles (
    person TEXT NOT NULL REFERENCES persons (person),
    role TEXT NOT NULL CHECK (
        role IN ('player', 'dealer', 'floor', 'surveillance', 'auditor', 'operator')
    ),
    PRIMARY KEY (person, role)
) STRICT, WITHOUT ROWID;

-- The digest of a token, so that nobody can sign in with what is read here.
CREATE TABLE sessions (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    person TEXT NOT NULL REFERENCES persons (person),
    made_ms INTEGER NOT NULL,
    ends_ms INTEGER NOT NULL CHECK (ends_ms > made_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_person ON sessions (person, made_ms);
CREATE INDEX sessions_by_end ON sessions (ends_ms);

-- The order of each round's cards, sealed: a round has one deck, and it is never another.

CREATE TABLE decks (
    round TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER decks_stay BEFORE UPDATE ON decks
BEGIN SELECT RAISE(ABORT, 'decks never change'); END;
CREATE TRIGGER decks_are_kept BEFORE DELETE ON decks
BEGIN SELECT RAISE(ABORT, 'decks are never deleted'); END;

-- Whose ledger this is: by which keys its decks are sealed and its checkpoints signed.

CREATE TABLE house (
    house INTEGER NOT NULL PRIMARY KEY CHECK (house = 1),
    master TEXT NOT NULL CHECK (length(master) = 32),
    signing TEXT NOT NULL CHECK (length(signing) = 64)
) STRICT;
