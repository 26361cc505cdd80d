"""Bytes, encodings, offsets, lines and columns; nothing outside this package knows them."""
