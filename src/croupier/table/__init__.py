"""What lasts between the rounds of one table: decks, shuffles, devices, seats, the bank's turn."""
