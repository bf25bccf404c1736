"""Documents: what is posted at the table, and the sheet of the mathematics; HTML, PDF or data."""
