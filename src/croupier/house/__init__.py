"""What a casino does without a network: tables, their dealer, the books, and the cage."""
