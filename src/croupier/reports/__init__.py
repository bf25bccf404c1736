"""Documents: the sign of a table and its PAR sheet, as HTML, PDF or data."""
