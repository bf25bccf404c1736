"""Rulebooks: the model, a strict reader, checks, and the step from selections to table rules."""
