"""One assistant response against its response protocol."""
