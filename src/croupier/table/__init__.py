"""The state that outlasts a round: decks, shuffles, devices, seats, the bank's rotation."""
