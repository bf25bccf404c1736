"""Actual against theory: what rounds won, beside what the exact odds of their rules expect."""
