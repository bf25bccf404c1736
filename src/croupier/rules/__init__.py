"""What a rulebook is: its model, a strict reader, checks, and selections into table rules."""
