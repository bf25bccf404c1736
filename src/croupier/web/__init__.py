"""Templates, styles and ES modules of the pages; no rules are in it, and no Python."""
