"""What is answered over HTTP, one file a room of the API."""
