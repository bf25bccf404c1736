-- An entry is known by its place, and a round by how it begins: most events need two indexes less.

ALTER TABLE entries DROP CONSTRAINT entries_id_key;

DROP INDEX events_by_subject;
CREATE INDEX events_by_beginning ON events (subject, stream, number) WHERE subject <> '' AND (
    position('"type":"DeckCommitted"'::bytea IN data) > 0
    OR position('"type":"Opened"'::bytea IN data) > 0
    OR position('"type":"TableSet"'::bytea IN data) > 0
);
