"""What there is to see of a table, and what each viewer is sent."""
