-- Whose ledger this is: by which keys its decks are sealed and its checkpoints signed.

CREATE TABLE house (
    house INTEGER NOT NULL PRIMARY KEY CHECK (house = 1),
    master TEXT NOT NULL CHECK (length(master) = 32),
    signing TEXT NOT NULL CHECK (length(signing) = 64)
) STRICT;
