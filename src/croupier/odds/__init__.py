"""The exact mathematics of a table, by counting: values, best strategy, the price of a ruling."""
