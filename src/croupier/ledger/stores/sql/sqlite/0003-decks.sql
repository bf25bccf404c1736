-- The order of each round's cards, sealed: a round has one deck, and it is never another.

CREATE TABLE decks (
    round TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER decks_stay BEFORE UPDATE ON decks
BEGIN SELECT RAISE(ABORT, 'decks never change'); END;
CREATE TRIGGER decks_are_kept BEFORE DELETE ON decks
BEGIN SELECT RAISE(ABORT, 'decks are never deleted'); END;
