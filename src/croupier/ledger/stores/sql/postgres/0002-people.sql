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
