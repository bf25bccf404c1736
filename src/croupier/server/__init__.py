"""Live tables: many people at them, sockets, sign-in, and the automatic dealer."""
