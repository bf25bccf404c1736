"""One round: commands, events, and the pure functions between them."""
