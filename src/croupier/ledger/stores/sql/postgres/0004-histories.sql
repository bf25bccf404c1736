-- The entries of a layout are those of its round, and found by it: most bets need one index less.

DROP INDEX entries_by_debit;
DROP INDEX entries_by_credit;
CREATE INDEX entries_by_debit ON entries (debit) WHERE substr(debit, 1, 7) <> 'layout:';
CREATE INDEX entries_by_credit ON entries (credit) WHERE substr(credit, 1, 7) <> 'layout:';
