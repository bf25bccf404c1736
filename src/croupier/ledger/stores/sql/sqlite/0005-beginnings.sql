-- An entry is known by its place, and a round by how it begins: most events need two indexes less.

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
    FOREIGN KEY (stream, number) REFERENCES events (stream, number),
    CHECK (debit <> credit)
) STRICT, WITHOUT ROWID;

INSERT INTO entries_anew (stream, number, line, id, debit, credit, micros, code)
SELECT stream, number, line, id, debit, credit, micros, code FROM entries
ORDER BY stream, number, line;

DROP TABLE entries;
ALTER TABLE entries_anew RENAME TO entries;

CREATE INDEX entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries never change'); END;
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;

DROP INDEX events_by_subject;
CREATE INDEX events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    instr(data, CAST('"type":"DeckCommitted"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"Opened"' AS BLOB)) > 0
    OR instr(data, CAST('"type":"TableSet"' AS BLOB)) > 0
);
