"""The HTTP API, a file for each part."""
