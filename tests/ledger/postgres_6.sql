-- The journal, the entries that follow from it, and what they come to.

-- The highest number is the version of this schema.
CREATE TABLE migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE streams (
    stream TEXT PRIMARY KEY,
    number BIGINT NOT NULL CHECK (number >= 0),
    hash BYTEA NOT NULL CHECK (length(hash) = 32)
);

CREATE TABLE events (
    stream TEXT NOT NULL REFERENCES streams (stream),
    number BIGINT NOT NULL CHECK (number > 0),
    time_ms BIGINT NOT NULL,
    subject TEXT NOT NULL,
    data BYTEA NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (stream, number)
);

-- A round, or another subject, is found by the events that begin it.
CREATE INDEX events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    position('"type":"DeckCommitted"'::bytea IN data) > 0
    OR position('"type":"Opened"'::bytea IN data) > 0
    OR position('"type":"TableSet"'::bytea IN data) > 0
);

-- Only the house's own accounts may owe.
CREATE TABLE accounts (
    account TEXT COLLATE "C" PRIMARY KEY,
    kind TEXT NOT NULL,
    micros BIGINT NOT NULL,
    CONSTRAINT accounts_floor CHECK (micros >= 0 OR kind IN ('cage', 'house', 'inventory'))
);

CREATE TABLE entries (
    stream TEXT NOT NULL,
    number BIGINT NOT NULL,
    line BIGINT NOT NULL CHECK (line > 0),
    id TEXT NOT NULL,
    debit TEXT COLLATE "C" NOT NULL REFERENCES accounts (account),
    credit TEXT COLLATE "C" NOT NULL REFERENCES accounts (account),
    micros BIGINT NOT NULL CHECK (micros > 0),
    code TEXT NOT NULL,
    PRIMARY KEY (stream, number, line),
    FOREIGN KEY (stream, number) REFERENCES events (stream, number),
    CHECK (debit <> credit)
);

-- The entries of a layout are found by their round, so no index names it.
CREATE INDEX entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';

CREATE TABLE commands (
    command TEXT PRIMARY KEY,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    stream TEXT NOT NULL REFERENCES streams (stream),
    number BIGINT NOT NULL,
    answer TEXT NOT NULL
);

CREATE TABLE checkpoints (
    number BIGINT PRIMARY KEY CHECK (number > 0),
    data TEXT NOT NULL
);

-- What is written stays; a correction is another entry.
CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never change', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION stays();
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION stays();
CREATE TRIGGER commands_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON commands
    FOR EACH STATEMENT EXECUTE FUNCTION stays();

-- Persons, what they may do, and who is signed in.

CREATE TABLE persons (
    person TEXT PRIMARY KEY CHECK (person LIKE 'p-%' AND length(person) = 12),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 2 AND 20),
    looks TEXT NOT NULL UNIQUE CHECK (length(looks) > 0),
    password_hash TEXT CHECK (password_hash LIKE '$argon2id$%'),
    made_ms BIGINT NOT NULL,
    disabled_ms BIGINT
);

CREATE TABLE roles (
    person TEXT NOT NULL REFERENCES persons (person),
    role TEXT NOT NULL CHECK (
        role IN ('player', 'dealer', 'floor', 'surveillance', 'auditor', 'operator')
    ),
    PRIMARY KEY (person, role)
);

-- The digest of a token, so that nobody can sign in with what is read here.
CREATE TABLE sessions (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    person TEXT NOT NULL REFERENCES persons (person),
    made_ms BIGINT NOT NULL,
    ends_ms BIGINT NOT NULL CHECK (ends_ms > made_ms)
);

CREATE INDEX sessions_by_person ON sessions (person, made_ms);
CREATE INDEX sessions_by_end ON sessions (ends_ms);

-- The order of each round's cards, sealed: a round has one deck, and it is never another.

CREATE TABLE decks (
    round TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL
);

CREATE TRIGGER decks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON decks
    FOR EACH STATEMENT EXECUTE FUNCTION stays();

-- Whose ledger this is: by which keys its decks are sealed and its checkpoints signed.

CREATE TABLE house (
    house INTEGER NOT NULL PRIMARY KEY CHECK (house = 1),
    master TEXT NOT NULL CHECK (length(master) = 32),
    signing TEXT NOT NULL CHECK (length(signing) = 64)
);

-- How many servers have had the right to write: only the last one has it.
CREATE TABLE leases (
    stream TEXT NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL CHECK (epoch > 0)
);
