-- The journal, the entries that follow from it, and the balances of accounts.
--
-- Running this file again brings an older ledger up to date: it only ever adds.

-- The highest number is the version of this schema.
CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS streams (
    stream TEXT PRIMARY KEY,
    number BIGINT NOT NULL CHECK (number >= 0),
    hash BYTEA NOT NULL CHECK (length(hash) = 32)
);

CREATE TABLE IF NOT EXISTS events (
    stream TEXT NOT NULL REFERENCES streams (stream),
    number BIGINT NOT NULL CHECK (number > 0),
    time_ms BIGINT NOT NULL,
    subject TEXT NOT NULL,
    data BYTEA NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (stream, number)
);

-- A round, or another subject, is found by the events that begin it.
CREATE INDEX IF NOT EXISTS events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    position('"type":"DeckCommitted"'::bytea IN data) > 0
    OR position('"type":"Opened"'::bytea IN data) > 0
    OR position('"type":"TableSet"'::bytea IN data) > 0
);

-- Only the house's own accounts may owe.
CREATE TABLE IF NOT EXISTS accounts (
    account TEXT COLLATE "C" PRIMARY KEY,
    kind TEXT NOT NULL,
    micros BIGINT NOT NULL,
    CONSTRAINT accounts_floor CHECK (micros >= 0 OR kind IN ('cage', 'house', 'inventory'))
);

CREATE TABLE IF NOT EXISTS entries (
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
CREATE INDEX IF NOT EXISTS entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX IF NOT EXISTS entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';

CREATE TABLE IF NOT EXISTS commands (
    command TEXT PRIMARY KEY,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    stream TEXT NOT NULL REFERENCES streams (stream),
    number BIGINT NOT NULL,
    answer TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS checkpoints (
    number BIGINT PRIMARY KEY CHECK (number > 0),
    data TEXT NOT NULL
);

-- What is written stays; a correction is another entry.
CREATE OR REPLACE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never change', TG_TABLE_NAME;
END
$$;
CREATE OR REPLACE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION stays();
CREATE OR REPLACE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION stays();
CREATE OR REPLACE TRIGGER commands_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON commands
    FOR EACH STATEMENT EXECUTE FUNCTION stays();

-- Persons, what they may do, and who is signed in.

CREATE TABLE IF NOT EXISTS persons (
    person TEXT PRIMARY KEY CHECK (person LIKE 'p-%' AND length(person) = 12),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 2 AND 20),
    looks TEXT NOT NULL UNIQUE CHECK (length(looks) > 0),
    password_hash TEXT CHECK (password_hash LIKE '$argon2id$%'),
    made_ms BIGINT NOT NULL,
    disabled_ms BIGINT
);

CREATE TABLE IF NOT EXISTS roles (
    person TEXT NOT NULL REFERENCES persons (person),
    role TEXT NOT NULL CHECK (
        role IN ('player', 'dealer', 'floor', 'surveillance', 'auditor', 'operator')
    ),
    PRIMARY KEY (person, role)
);

-- The digest of a token, so that nobody can sign in with what is read here.
CREATE TABLE IF NOT EXISTS sessions (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    person TEXT NOT NULL REFERENCES persons (person),
    made_ms BIGINT NOT NULL,
    ends_ms BIGINT NOT NULL CHECK (ends_ms > made_ms)
);

CREATE INDEX IF NOT EXISTS sessions_by_person ON sessions (person, made_ms);
CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (ends_ms);

-- Tokens that work once, by their digests: tickets of sockets, and the operator's link.
CREATE TABLE IF NOT EXISTS tokens (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    ends TIMESTAMPTZ NOT NULL
);

CREATE INDEX IF NOT EXISTS tokens_by_end ON tokens (ends);

-- Wrong passwords by the digests of names and addresses, for locks that all processes share.
CREATE TABLE IF NOT EXISTS tries (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    failures INTEGER NOT NULL DEFAULT 0,
    locked_until_s DOUBLE PRECISION NOT NULL DEFAULT 0,
    last_s DOUBLE PRECISION NOT NULL DEFAULT extract(epoch FROM clock_timestamp())
);

CREATE INDEX IF NOT EXISTS tries_by_last ON tries (last_s);

-- The order of each round's cards, sealed: a round has one deck, and it is never another.

CREATE TABLE IF NOT EXISTS decks (
    round TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL
);

CREATE OR REPLACE TRIGGER decks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON decks
    FOR EACH STATEMENT EXECUTE FUNCTION stays();

-- Whose ledger this is: by which keys its decks are sealed and its checkpoints signed.

CREATE TABLE IF NOT EXISTS house (
    house INTEGER NOT NULL PRIMARY KEY CHECK (house = 1),
    master TEXT NOT NULL CHECK (length(master) = 32),
    signing TEXT NOT NULL CHECK (length(signing) = 64)
);

-- How many owners a stream has had: only the last one may write.
CREATE TABLE IF NOT EXISTS leases (
    stream TEXT NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL CHECK (epoch > 0)
);

-- The processes that serve this house, each alive until its row expires, and the streams that each
-- of them may write. Expiry decides who may take a stream over, the epoch alone who may write it;
-- the timeline changes when a standby is promoted.
CREATE TABLE IF NOT EXISTS nodes (
    node TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    version TEXT NOT NULL,
    expires TIMESTAMPTZ NOT NULL
);

ALTER TABLE leases ADD COLUMN IF NOT EXISTS node TEXT NOT NULL DEFAULT '';
ALTER TABLE leases ADD COLUMN IF NOT EXISTS timeline TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN IF NOT EXISTS epoch BIGINT;
-- A node that drains takes nothing more.
ALTER TABLE nodes ADD COLUMN IF NOT EXISTS drains BOOLEAN NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION timeline() RETURNS TEXT LANGUAGE sql AS $$
    SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
$$;

DROP FUNCTION IF EXISTS append_v1(BIGINT, JSONB);
DROP FUNCTION IF EXISTS read_v1(BIGINT, TEXT[], TEXT[]);

-- Appends commands that were decided together, in one round trip: nobody can pause halfway.
--
-- `batch` holds rows as arrays of arrays, in the order of the columns of their tables:
--
--   streams   every stream, with number and hash of the head that was decided on, and its epoch
--   moved     the streams that get events, with their number and hash after them
--   asked     every command's id with its stream, also of those that were refused
--   accounts  account, kind, change, and the lowest point on the way
--   emptied   accounts that must then hold nothing
--   events, entries, decks, commands
--
-- Returns the streams that stand in the way, whose commands have to be looked at one by one: a
-- lease is another node's, a command is known, the stream has moved, or an account does not hold as
-- much. Then nothing is stored. Rows are locked in a fixed order: leases, streams, meters, other
-- accounts. Without a `writer` there are no leases.
CREATE OR REPLACE FUNCTION append_v1(writer TEXT, batch JSONB) RETURNS TEXT[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    odd TEXT[];
    updated BIGINT;
BEGIN
    IF writer IS NOT NULL THEN
        WITH wanted AS MATERIALIZED (
            SELECT s->>0 AS stream, (s->>3)::BIGINT AS epoch
            FROM jsonb_array_elements(batch->'streams') AS s
        ), held AS MATERIALIZED (
            SELECT stream, epoch, node, timeline FROM leases
            WHERE stream IN (SELECT wanted.stream FROM wanted) ORDER BY stream FOR SHARE
        )
        -- A stream that nobody ever leased, the cage's, is open to all: its hash keeps it right.
        SELECT array_agg(stream) INTO odd FROM wanted LEFT JOIN held USING (stream)
        WHERE (wanted.epoch IS NOT NULL OR held.stream IS NOT NULL)
            AND (held.node, held.epoch, held.timeline)
                IS DISTINCT FROM (writer, wanted.epoch, timeline());
        IF odd IS NOT NULL THEN
            RETURN odd;
        END IF;
    END IF;

    WITH wanted AS MATERIALIZED (
        SELECT s->>0 AS stream, (s->>1)::BIGINT AS number, decode(s->>2, 'hex') AS hash
        FROM jsonb_array_elements(batch->'streams') AS s
    ), held AS MATERIALIZED (
        SELECT stream, number, hash FROM streams
        WHERE stream IN (SELECT wanted.stream FROM wanted) ORDER BY stream FOR UPDATE
    )
    SELECT array_agg(stream) INTO odd FROM wanted LEFT JOIN held USING (stream)
    WHERE wanted.number <> coalesce(held.number, 0)
        OR wanted.hash <> coalesce(held.hash, decode(repeat('00', 32), 'hex'));
    IF odd IS NOT NULL THEN
        RETURN odd;
    END IF;

    SELECT array_agg(DISTINCT asked->>1) INTO odd
    FROM jsonb_array_elements(batch->'asked') AS asked JOIN commands ON command = asked->>0;
    IF odd IS NOT NULL THEN
        RETURN odd;
    END IF;

    WITH wanted AS MATERIALIZED (
        SELECT a->>0 AS account, (a->>3)::BIGINT AS lowest
        FROM jsonb_array_elements(batch->'accounts') AS a
    ), held AS MATERIALIZED (
        SELECT account, micros FROM accounts
        WHERE account IN (SELECT wanted.account FROM wanted)
        ORDER BY kind <> 'meter', account FOR UPDATE
    ), short AS (
        SELECT account FROM wanted LEFT JOIN held USING (account)
        WHERE lowest < 0 AND coalesce(micros, 0) + lowest < 0
    )
    -- All of them are counted so that all of them are locked, whether or not any may be short.
    SELECT array_agg(DISTINCT e->>0), (SELECT count(*) FROM held) INTO odd, updated
    FROM jsonb_array_elements(batch->'entries') AS e WHERE e->>4 IN (SELECT account FROM short);
    IF odd IS NOT NULL THEN
        RETURN odd;
    END IF;

    UPDATE accounts SET micros = micros + (a->>2)::BIGINT
    FROM jsonb_array_elements(batch->'accounts') AS a WHERE account = a->>0;
    GET DIAGNOSTICS updated = ROW_COUNT;
    IF updated < jsonb_array_length(batch->'accounts') THEN
        INSERT INTO accounts (account, kind, micros)
        SELECT a->>0, a->>1, (a->>2)::BIGINT FROM jsonb_array_elements(batch->'accounts') AS a
        WHERE NOT EXISTS (SELECT FROM accounts WHERE account = a->>0) ORDER BY a->>0;
    END IF;
    IF EXISTS (
        SELECT FROM accounts
        WHERE account IN (SELECT jsonb_array_elements_text(batch->'emptied')) AND micros <> 0
    ) THEN
        RAISE EXCEPTION 'an account is not empty';
    END IF;

    UPDATE streams SET number = (m->>1)::BIGINT, hash = decode(m->>2, 'hex')
    FROM jsonb_array_elements(batch->'moved') AS m WHERE stream = m->>0;
    GET DIAGNOSTICS updated = ROW_COUNT;
    IF updated < jsonb_array_length(batch->'moved') THEN
        INSERT INTO streams (stream, number, hash)
        SELECT m->>0, (m->>1)::BIGINT, decode(m->>2, 'hex')
        FROM jsonb_array_elements(batch->'moved') AS m
        WHERE NOT EXISTS (SELECT FROM streams WHERE stream = m->>0) ORDER BY m->>0;
    END IF;
    INSERT INTO events (stream, number, time_ms, subject, data, hash, epoch)
    SELECT e->>0, (e->>1)::BIGINT, (e->>2)::BIGINT, e->>3, convert_to(e->>4, 'UTF8'),
        decode(e->>5, 'hex'), (e->>6)::BIGINT
    FROM jsonb_array_elements(batch->'events') AS e;
    INSERT INTO entries (stream, number, line, id, debit, credit, micros, code)
    SELECT e->>0, (e->>1)::BIGINT, (e->>2)::BIGINT, e->>3, e->>4, e->>5, (e->>6)::BIGINT, e->>7
    FROM jsonb_array_elements(batch->'entries') AS e;
    INSERT INTO decks (round, sealed)
    SELECT d->>0, decode(d->>1, 'hex') FROM jsonb_array_elements(batch->'decks') AS d;
    INSERT INTO commands (command, digest, stream, number, answer)
    SELECT c->>0, decode(c->>1, 'hex'), c->>2, (c->>3)::BIGINT, c->>4
    FROM jsonb_array_elements(batch->'commands') AS c;
    RETURN '{}';
END
$$;

-- Locks what a settlement reads, before it is decided; returns what the meters hold.
CREATE OR REPLACE FUNCTION read_v1(streams_read TEXT[], meters_read TEXT[])
RETURNS TABLE (meter TEXT, held BIGINT) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM leases WHERE stream = ANY (streams_read) ORDER BY stream FOR SHARE;
    PERFORM FROM streams WHERE stream = ANY (streams_read) ORDER BY stream FOR UPDATE;
    RETURN QUERY
        SELECT account, micros FROM accounts
        WHERE account = ANY (meters_read) ORDER BY account FOR UPDATE;
END
$$;
