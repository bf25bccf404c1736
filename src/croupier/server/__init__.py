"""Live tables: sockets, sign-in, pages and the automatic dealer."""
