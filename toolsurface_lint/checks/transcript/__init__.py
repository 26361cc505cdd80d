"""A conversation: pairing, order, completion."""
