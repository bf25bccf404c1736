-- The journal, the entries that follow from it, and what they come to.

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

CREATE INDEX events_by_subject ON events (subject, stream, number) WHERE subject <> '';

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
    id TEXT NOT NULL UNIQUE,
    debit TEXT COLLATE "C" NOT NULL REFERENCES accounts (account),
    credit TEXT COLLATE "C" NOT NULL REFERENCES accounts (account),
    micros BIGINT NOT NULL CHECK (micros > 0),
    code TEXT NOT NULL,
    PRIMARY KEY (stream, number, line),
    FOREIGN KEY (stream, number) REFERENCES events (stream, number),
    CHECK (debit <> credit)
);

CREATE INDEX entries_by_debit ON entries (debit);
CREATE INDEX entries_by_credit ON entries (credit);

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
