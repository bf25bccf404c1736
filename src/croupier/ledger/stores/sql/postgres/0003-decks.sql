-- The order of each round's cards, sealed: a round has one deck, and it is never another.

CREATE TABLE decks (
    round TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL
);

CREATE TRIGGER decks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON decks
    FOR EACH STATEMENT EXECUTE FUNCTION stays();
